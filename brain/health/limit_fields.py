"""The fields by which a memory limits what may be done: until when, by whose word, how far it is trusted.

``applies-when``, ``expires``, ``unlock``, ``avoid``, ``owner``, ``trust``: all of them optional, written
``key: value`` in a sentence, as bullets below an entry, in a fence of its own, or in front matter. Their
words in German, English and French stand in ``restrictions.toml``. One reader for rules and for open loops.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache

from brain.health.labels import ITEM
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from brain.health.page import Page

APPLIES, EXPIRES, UNLOCK, AVOID, OWNER, TRUST = "applies-when", "expires", "unlock", "avoid", "owner", "trust"
NAMES = (APPLIES, EXPIRES, UNLOCK, AVOID, OWNER, TRUST)
TRUSTED = ("owner", "reviewed", "untrusted")
"""What ``trust`` may say."""

START = r"(?:^[ \t>]*(?:[-*+][ \t]+)?|[`(\[{;|][ \t]*|[.,][ \t]+)[*_]{0,3}"
"""Where a field may begin: a line, a bracket, a sentence."""
GAP = r"[ \t*_`]*"
_FENCED = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*(?:ya?ml|memory)[ \t]*$", re.IGNORECASE)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_REACH = 40  # lines above and below, in which the fields of one entry stand
_LONGEST = 4096  # characters of a line that are looked at


@dataclass(frozen=True, slots=True)
class LimitField:
    """One field: its ``name`` of ``NAMES``, its value as it stands there, and its line."""

    name: str
    value: str
    line: int


@cache
def table() -> dict[str, Any]:
    """``restrictions.toml``."""
    import tomli  # noqa: PLC0415 - start-up: 10 ms, only where a memory is examined

    with open(os.path.join(os.path.dirname(__file__), "restrictions.toml"), "rb") as file:
        return tomli.load(file)


def alternatives(words: Iterable[str]) -> str:
    """Words as a pattern, the longest first; a blank stands for a hyphen or an underscore too."""
    return "|".join(re.escape(word).replace(r"\ ", "[ _-]") for word in sorted(words, key=len, reverse=True))


@cache
def _names() -> dict[str, str]:
    labels = table()["labels"]
    return {word: name for name in NAMES for word in labels[name]}


@cache
def _pattern() -> re.Pattern[str]:
    label = alternatives(_names())
    return re.compile(rf"{START}(?P<label>{label}){GAP}[:=]{GAP}(?P<value>[^`|;)\]}}\n]*)", re.IGNORECASE)


def fields_in(text: str, line: int = 0) -> tuple[LimitField, ...]:
    """The fields that stand in one line, in their order."""
    if ":" not in text and "=" not in text:
        return ()
    found = []
    for match in _pattern().finditer(text[:_LONGEST]):
        name = _names().get(match["label"].lower().replace("_", " ").replace("-", " "))
        if name is None:  # a letter that folds otherwise than it is made small
            continue
        value = match["value"].strip(" *_\"'\t")
        # In a line with several the next one ends the value of this one.
        inner = _pattern().search(value)
        found.append(LimitField(name, value[: inner.start()].strip() if inner else value, line))
    return tuple(found)


def without_fields(text: str) -> str:
    """The line without its fields: what it says beside them, with its marks."""
    return _pattern().sub(" ", text[:_LONGEST]) if ":" in text or "=" in text else text[:_LONGEST]


def front_lines(page: Page) -> Iterator[tuple[int, str]]:
    """The lines of the front matter with their numbers."""
    if page.front_matter is not None:
        for number, text in enumerate(page.lines[2:], 2):
            if text.rstrip() in ("---", "..."):
                return
            yield number, text


def fenced_lines(page: Page) -> Iterator[tuple[int, str]]:
    """The lines of fences that hold nothing but fields, two or more: other ones are samples."""
    if b"```" not in page.data and b"~~~" not in page.data:
        return
    number = 1
    while number < len(page.lines):
        if page.is_code(number) and _FENCED.match(page.lines[number]):
            inner = _fence(page, number)
            if len(inner) >= 2 and all(_is_field(text) for _, text in inner):
                yield from inner
            number += len(inner) + 1
        number += 1


def _fence(page: Page, opening: int) -> list[tuple[int, str]]:
    inner = []
    for number in range(opening + 1, min(opening + _REACH, len(page.lines))):
        text = page.lines[number]
        if not page.is_code(number) or text.lstrip()[:3] in ("```", "~~~"):
            break
        inner.append((number, text))
    return inner


def _is_field(text: str) -> bool:
    match = _pattern().match(text[:_LONGEST])
    return match is not None and not text.lstrip().startswith(("-", "*", "+"))


def fields_around(page: Page, line: int) -> tuple[LimitField, ...]:
    """The fields of the entry that ``line`` belongs to: its own, the bullets below it, those of its fence.

    Those of the front matter hold for the whole page; of one name the nearest stands first.
    """
    near = _entry(page, line) if page.is_live(line) else _run(page, line)
    front = [one for number, text in front_lines(page) if number != line for one in fields_in(text, number)]
    return (*(one for number, text in near for one in fields_in(text, number)), *front)


def _run(page: Page, line: int) -> Iterator[tuple[int, str]]:
    """The lines of the fence or front matter around ``line``, and above a fence the entry that it ends."""
    first = line
    while first > 1 and not page.is_live(first - 1) and line - first < _REACH:
        first -= 1
    last = first
    while last < len(page.lines) and not page.is_live(last) and last - line < _REACH:
        yield last, page.lines[last]
        last += 1
    above = first - 1
    if above >= 1 and page.visible[above].strip():
        yield from _entry(page, above)


def _entry(page: Page, line: int) -> Iterator[tuple[int, str]]:
    lines = page.visible
    first = line
    while first > max(1, line - _REACH) and _belongs(lines[first]) and _continues(lines[first - 1]):
        first -= 1
    last = line
    while last + 1 < min(len(lines), line + _REACH) and lines[last + 1].strip() and _belongs(lines[last + 1]):
        last += 1
    for number in (line, *(one for one in range(first, last + 1) if one != line)):
        if lines[number]:
            yield number, lines[number]


def entry_above(page: Page, line: int) -> str:
    """The line that opens the entry of ``line``: an item, the first of a paragraph; empty where none does."""
    lines, first = page.visible, line
    if not page.is_live(line):
        while first > 1 and not page.is_live(first):
            first -= 1
    while first > max(1, line - _REACH) and _belongs(lines[first]) and _continues(lines[first - 1]):
        first -= 1
    return lines[first]


def _belongs(text: str) -> bool:
    """Whether a line goes on with the entry above it: it is indented, wraps, or is a bullet with a field."""
    if _HEADING.match(text):
        return False
    return text[:1] in " \t" or ITEM.match(text) is None or _pattern().match(text[:_LONGEST]) is not None


def _continues(above: str) -> bool:
    return bool(above.strip()) and not _HEADING.match(above)
