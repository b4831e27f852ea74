"""A README's first paragraph as plain text: what the project says it is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scanner.manifests.text import DESCRIPTION_CAP, loose_text, one_line

HEAD = 8192
_ORDER = (
    "readme.md",
    "readme.markdown",
    "readme.mdx",
    "readme.rst",
    "readme.adoc",
    "readme.org",
    "readme.txt",
    "readme",
)

_COMMENT = r"(?s)<!--(?:.*?-->|.*\Z)"
_FENCE = r"(?sm)^[ ]{0,3}(```+|~~~+)[^\n]*+\n(?:.*?^[ ]{0,3}\1[^\n]*+$|.*\Z)"
_IMAGE = r"!\[[^\]\n]{0,300}\](?:\([^()\n]{0,500}\)|\[[^\]\n]{0,100}\])"
_LINK = r"\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,500}\)|\[[^\]\n]{0,100}\])"
_TAG = r"</?[A-Za-z][^<>]{0,500}>"
_ADDRESS = r"<(https?://[^<>\s]{1,300})>"
_RST_LINK = r"`([^`<\n]{1,200}) <[^>`\n]{0,300}>`__?"
_RST_ROLE = r":[a-z]+:`([^`\n]{1,200})`"
_MARKUP = r"\*\*|__|``?|~~|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)"
_UNDERLINE = r"[=\-~^\"'#*+.`:]{3,}$"
_ENTITY = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": " "}
# Headings, quotes, tables, lists, rules, directives, badges' definitions, attributes: no sentence starts so.
_NO_SENTENCE = (
    r"#|=+ |\||[-*+] |\d+[.)] |\.\. |:[\w-]+:|\[[^\]\n]{1,100}\]:|---|\*\*\*|___|toc::|image::|//|@"
)


def choose(names: Iterable[str]) -> str:
    """The README among a folder's names, Markdown first; nothing where there is none."""
    candidates = {name.lower(): name for name in sorted(names) if name[:6].lower() == "readme"}
    return next((candidates[known] for known in _ORDER if known in candidates), "")


def first_paragraph(data: bytes) -> str:
    """The first sentence-like paragraph, without markup, on one line, at most 200 characters.

    Front matter, headings, badges, images, HTML, code, lists, tables and quotes are passed over.
    """
    text = loose_text(data).replace("\r\n", "\n").replace("\r", "\n")
    text = re.sub(_FENCE, "", re.sub(_COMMENT, "", _without_front_matter(text)))
    lines = text.split("\n")
    paragraph: list[str] = []
    for number, line in enumerate(lines):
        underlined = number + 1 < len(lines) and _is_underline(lines[number + 1])
        plain = "" if underlined or line[:4] == "    " else _plain(line)
        if plain:
            paragraph.append(plain)
        elif paragraph and not underlined:
            break
        elif underlined:
            paragraph = []
    return _cut(one_line(" ".join(paragraph), DESCRIPTION_CAP * 4))


def _cut(text: str) -> str:
    """At most 200 characters, ended at a word."""
    if len(text) <= DESCRIPTION_CAP:
        return text
    head = text[: DESCRIPTION_CAP - 1]
    return (head.rpartition(" ")[0] or head).rstrip(",;: ") + "…"


def _plain(line: str) -> str:
    stripped = line.strip()
    if not stripped or re.match(_NO_SENTENCE, stripped) or _is_underline(stripped):
        return ""
    stripped = stripped.removeprefix(">").lstrip()
    text = re.sub(_LINK, r"\1", re.sub(_IMAGE, "", stripped))
    text = re.sub(_RST_ROLE, r"\1", re.sub(_RST_LINK, r"\1", text))
    text = re.sub(_TAG, "", re.sub(_ADDRESS, r"\1", text))
    text = re.sub(_MARKUP, "", text)
    for entity, character in _ENTITY.items():
        text = text.replace(entity, character)
    return text.strip() if sum(map(str.isalnum, text)) > 2 else ""


def _is_underline(line: str) -> bool:
    return bool(re.match(_UNDERLINE, line.strip())) and len(set(line.strip())) == 1


def _without_front_matter(text: str) -> str:
    for mark in ("---\n", "+++\n"):
        if text.startswith(mark):
            end = text.find("\n" + mark, len(mark) - 1)
            return text[end + 1 + len(mark) :] if end >= 0 else text
    return text
