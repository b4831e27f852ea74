"""The links from a note to others: ``[[name]]``, ``[[name#heading|label]]`` and relative Markdown links.

What stands in code is no link. Addresses with a scheme are none either: they lead out of the memory.
"""

from __future__ import annotations

import re

from brain.value import Value

WIKI, RELATIVE = "wiki", "relative"

_MOST = 400  # of one note
_FENCE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_CODE = re.compile(r"(?<!`)(?P<ticks>`{1,8})(?!`)[^\n]{1,300}?(?<!`)(?P=ticks)(?!`)")
_LINK = re.compile(
    r"\[\[(?P<wiki>[^\[\]\n]{1,400})\]\]"
    r"|\]\([ \t]*(?:<(?P<angled>[^<>\n]{1,800})>|"
    r"(?P<bare>[^\s()<>]{1,800}(?:\([^\s()]{0,200}\)[^\s()<>]{0,400})?))"
    r"|^ {0,3}\[[^\[\]\n^][^\[\]\n]{0,300}\]:[ \t]+<?(?P<reference>[^\s<>]{1,800})",
    re.MULTILINE,
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")


class Link(Value):
    """A link: ``kind`` wiki or relative, ``target`` a name or a path (empty: the same file), ``heading``."""

    __slots__ = ("heading", "kind", "target")

    def __init__(self, kind: str, target: str, heading: str = "") -> None:
        self.kind = kind
        self.target = target
        self.heading = heading


def may_link(text: str) -> bool:
    """Whether a look for links is worth it."""
    return "[[" in text or "](" in text or "]:" in text


def links_in(text: str) -> tuple[Link, ...]:
    """The links of ``text`` in their order, each once; at most 400."""
    if not may_link(text):
        return ()
    if "`" in text or "~~~" in text:
        text = _CODE.sub(" ", _FENCE.sub("\n", text))
    found: dict[Link, None] = {}
    for match in _LINK.finditer(text):
        wiki = match["wiki"]
        link = (
            _wiki(wiki) if wiki else _relative(match["angled"] or match["bare"] or match["reference"] or "")
        )
        if link is not None:
            found.setdefault(link)
        if len(found) == _MOST:
            break
    return tuple(found)


def _wiki(inner: str) -> Link | None:
    # In a table the bar before the label is escaped.
    name = inner.partition("|")[0].rstrip("\\")
    target, _, heading = name.partition("#")
    target = target.strip().removesuffix(".md")
    # ^ marks a block, which is no heading: the file is meant.
    heading = "" if heading.startswith("^") else heading.rpartition("#")[2].strip()
    return Link(WIKI, target, heading) if target else None


def _relative(address: str) -> Link | None:
    if _SCHEME.match(address) or address.startswith("#"):
        return None
    path, _, heading = address.partition("#")
    path = path.partition("?")[0]
    if "%" in address:
        path, heading = _unescaped(path), _unescaped(heading)
    return Link(RELATIVE, path, heading) if path and "\0" not in path else None


def _unescaped(text: str) -> str:
    parts = re.split("((?:%[0-9A-Fa-f]{2})+)", text)
    for at in range(1, len(parts), 2):
        parts[at] = bytes.fromhex(parts[at].replace("%", "")).decode("utf-8", "replace")
    return "".join(parts)
