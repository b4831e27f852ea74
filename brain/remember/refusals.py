"""What is not kept: blank text, what cannot be seen, what would hide or forge other text, secrets."""

from __future__ import annotations

import re

from brain import observations
from brain.remember.errors import RememberError

TEXT_CAP = 16 * 1024
SUMMARY_CAP = 500

# C0 without tab and line feed, DEL, C1, lone surrogates, marks that turn the direction of others, and signs
# without any width: two facts that look the same would be two. The joiners (U+200C, U+200D) are what emoji
# and words of some scripts are made with.
_CONTROL = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a]"
)
# A hidden copy of ASCII; only the flags of some countries are made with it.
_TAGS = "(?<![\U000e0020-\U000e007f\U0001f3f4])[\U000e0000-\U000e0fff]"
_HIDING = re.compile(r"```|~~~|<!--|<(?:script|pre|style|textarea)", re.IGNORECASE)


def observation(text: str) -> str:
    """``text`` as it will be kept, in lines that end in LF; ``RememberError`` for what is refused."""
    kept = plain(text)
    said = kept.strip("\n\t ")
    if not said:
        raise RememberError("observation-blank", "there is nothing to remember", "Say it in a sentence.")
    if len(said) > TEXT_CAP:
        raise _refused(
            f"{len(said):,} characters, more than {TEXT_CAP:,}", "Keep what matters, in a few sentences."
        )
    lines = said.split("\n")
    if not observations.says_something(said):
        raise _refused("there is nothing but headings in it", "Say it in a sentence.")
    if observations.has_stamp(said) or any(map(observations.is_archive_heading, lines)):
        raise _refused(
            "it holds a mark that Zecher sets itself",
            "Leave out comments with zecher: and [ARCHIVED] headings.",
        )
    if what := open_block(said) or _open_comment(said):
        raise _refused(f"{what} in it never ends and would hide what comes after it", "Close it.")
    no_secret(said)
    return "\n".join(line.rstrip() for line in lines)


def summary(text: str) -> str:
    """A summary of one line, as it will be kept; empty takes it away."""
    kept = plain(text).strip()
    if "\n" in kept or len(kept) > SUMMARY_CAP:
        raise RememberError(
            "summary-refused",
            f"a summary is one line of at most {SUMMARY_CAP} characters",
            "Say in one sentence what the category holds.",
        )
    no_secret(kept)
    return kept


def plain(text: str) -> str:
    """``text`` with lines that end in LF; ``RememberError`` for what cannot be seen."""
    kept = text.replace("\r\n", "\n").replace("\r", "\n")
    found = re.search(f"{_CONTROL}|{_TAGS}", kept) if not kept.isascii() or not kept.isprintable() else None
    if found:
        line = kept.count("\n", 0, found.start()) + 1
        raise _refused(
            f"line {line} holds U+{ord(found.group()):04X}, which cannot be seen", "Leave that character out."
        )
    return kept


def no_secret(text: str) -> None:
    """``RememberError`` with the kind of a secret in ``text``, never the secret."""
    from brain.secrets import find  # noqa: PLC0415 - start-up: 15 ms that only a writer needs

    found = find(text)
    if found:
        line, kind = found[0]
        raise RememberError(
            "observation-secret",
            f"line {line} holds a secret ({kind})",
            "Say where it is kept instead: memory is read by every assistant.",
        )


def open_block(text: str) -> str:
    """In words, what begins in ``text`` and never ends; empty for nothing."""
    said = observations.without_stamps(text)
    if not _HIDING.search(said):
        return ""
    from brain.entries.lines import classify, split  # noqa: PLC0415 - start-up: 15 ms, few texts hide anything

    left = classify(split(said.encode("utf-8", "surrogatepass")))
    names = {"code": "a code fence", "comment": "a comment", "raw": "a block of HTML"}
    return names[left.kind] if left else ""


def _open_comment(text: str) -> str:
    """As above, for a comment in the middle of a line: it would end where ours does, and hide all before."""
    if text.rfind("<!--") <= text.rfind("-->"):
        return ""
    shown = re.sub(r"(`+|~{3,}).*?\1", "", text, flags=re.DOTALL)
    return "a comment" if shown.rfind("<!--") > shown.rfind("-->") else ""


def _refused(message: str, fix: str) -> RememberError:
    return RememberError("observation-refused", message, fix)
