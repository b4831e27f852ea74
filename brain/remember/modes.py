"""The five ways to edit a text, each a rule from text to text; the front matter is never part of it.

All take and give text whose lines end in LF.
"""

from __future__ import annotations

import re

from brain.observations import BLANKS, without_stamps
from brain.remember.errors import RememberError

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t\r\n]|\Z)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HIDING = re.compile(r"```|~~~|<!--|<(?:script|pre|style|textarea)", re.IGNORECASE)
_SHOWN = 12


def append(body: str, content: str) -> str:
    """``content`` behind everything else, after one blank line; empty content changes nothing."""
    if not content:
        return body
    kept = body.rstrip(BLANKS)
    end = "\n" if not kept or body.endswith("\n") or content.endswith("\n") else ""
    return (f"{kept}\n\n" if kept else "") + content.rstrip("\n") + end


def prepend(body: str, content: str) -> str:
    """``content`` before everything else, one blank line behind it; empty content changes nothing."""
    if not content:
        return body
    kept = body.lstrip(BLANKS)
    return content.rstrip("\n") + (f"\n\n{kept}" if kept else "\n")


def replace(_body: str, content: str) -> str:
    """``content`` in place of everything, as it is."""
    return content


def section(body: str, name: str, content: str) -> str:
    """``content`` in place of what stands below the heading ``name``, smaller headings included.

    Case and blanks around it do not count; a heading in a fence or a comment is none. ``RememberError`` where
    there is no such heading, or more than one.
    """
    lines = _LINE.findall(body)
    headings = _headings(lines)
    wanted = name.strip().lstrip("#").strip().casefold()
    if not wanted:
        raise _refused("no section is named", "Give the heading of the section.")
    found = [at for at, (_, _, text) in enumerate(headings) if text.casefold() == wanted]
    if not found:
        known = ", ".join(text for _, _, text in headings[:_SHOWN]) or "none"
        raise _refused(f"there is no heading {name.strip()!r}; those here are: {known}", "Name one of them.")
    if len(found) > 1:
        where = ", ".join(str(headings[at][0] + 1) for at in found)
        raise _refused(f"{len(found)} headings are called {name.strip()!r}, in lines {where}", "Use --find.")
    first, level, _ = headings[found[0]]
    end = next((at for at, deep, _ in headings[found[0] + 1 :] if deep <= level), len(lines))
    head, tail = "".join(lines[: first + 1]).rstrip("\n"), "".join(lines[end:])
    inner = content.strip("\n")
    middle = f"\n\n{inner}\n" if inner else "\n"
    return head + middle + (f"\n{tail}" if tail else "")


def find(body: str, text: str, content: str) -> str:
    """``content`` in place of ``text``, which must stand there exactly once.

    Nothing in its place closes the gap: one blank line at most remains, and the comment of an observation
    that went whole goes with it.
    """
    if not text:
        raise _refused("no text is named", "Give a text that stands in the file once.")
    at = body.find(text)
    if at < 0:
        raise _refused(
            "the text does not stand in the file", "Read the file again, and copy the text from it."
        )
    again = body.find(text, at + len(text))
    if again >= 0:
        lines = f"{body.count(chr(10), 0, at) + 1} and {body.count(chr(10), 0, again) + 1}"
        raise _refused(f"the text stands in the file more than once, in lines {lines}", "Give more of it.")
    if content == text:
        return body
    before, after = body[:at], body[at + len(text) :]
    return before + content + after if content else _joined(before, after)


def _joined(before: str, after: str) -> str:
    if not before or before.endswith("\n"):
        rest, newline, more = after.partition("\n")
        if rest.strip() and not without_stamps(rest).strip():
            after = newline + more  # all that the comment spoke of is gone
    left, right = before.rstrip("\n"), after.lstrip("\n")
    if not left:
        return right
    if not right:
        return left + ("\n" if after.endswith("\n") or before.endswith("\n") else "")
    gap = max(len(before) - len(left), len(after) - len(right))
    return left + "\n" * min(gap, 2) + right


def _headings(lines: list[str]) -> list[tuple[int, int, str]]:
    """(index of the line, level, text) of every heading that a reader sees."""
    hidden = _hidden(lines)
    found = []
    for at, line in enumerate(lines):
        heading = _HEADING.match(line)
        if heading and at not in hidden:
            found.append((at, len(heading[1]), _heading_text(line[heading.end() :])))
    return found


def _heading_text(rest: str) -> str:
    """What a heading says, without the signs that may close it."""
    text = without_stamps(rest).strip()
    bare = text.rstrip("#")
    return bare.strip() if not bare or bare[-1] in " \t" else text


def _hidden(lines: list[str]) -> frozenset[int]:
    text = "".join(lines)
    if not _HIDING.search(text):
        return frozenset()
    from brain.entries.lines import CODE, COMMENT, RAW, classify, split  # noqa: PLC0415 - start-up: 15 ms

    found = split(text.encode("utf-8", "surrogateescape"))
    classify(found)
    starts = {line.start for line in found if line.kind in (CODE, COMMENT, RAW)}
    hidden, start = set(), 0
    for at, line in enumerate(lines):
        if start in starts:
            hidden.add(at)
        start += len(line.encode("utf-8", "surrogateescape"))
    return frozenset(hidden)


def _refused(message: str, fix: str) -> RememberError:
    return RememberError("edit-refused", message, fix)
