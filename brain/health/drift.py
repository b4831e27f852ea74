"""Instruction files that hold the same text and no longer agree: rule ``x-drift``.

That two files hold the same text is the finding of ``s-dup``; here it counts that an assistant is told
something else than another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from brain.health.finding import count, demanded, finding
from brain.health.values import INFO, MEDIUM, WARNING, Finding, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.page import Page
    from brain.health.parsed import EntryFile, ParsedMemory
    from brain.health.today import Today

# Fewer common lines are a coincidence, or a copied frame.
FEWEST_SAME = 8
ALIKE = 0.6
MOSTLY = 0.8
MOST_DIFFERENCES = 30
_SHOWN = 5
# What names an assistant or its file differs on purpose.
_ASSISTANTS = re.compile(
    r"\b(?:claude(?:[ -]code)?(?:\.md)?|agents?\.md|gemini(?:[ -]cli)?(?:\.md)?|codex"
    r"|copilot(?:-instructions)?(?:\.md)?|cursor(?:rules)?|windsurf(?:rules)?|cline(?:rules)?|agents?|assistants?)\b(?:\.ai(?:/code)?)?"
)
_DECORATION = str.maketrans("", "", "*_`#>|-")


def _drift(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if parsed.memory.kind != "project" or len(parsed.entry_files) < 2:
        return None
    entries = [(entry, lines) for entry in parsed.entry_files if (lines := _lines(entry.page))]
    entries = [(entry, lines) for entry, lines in entries if len(lines) >= FEWEST_SAME]
    if len(entries) < 2:
        return None
    findings: list[Finding] = []
    for place, (entry, lines) in enumerate(entries):
        for other, other_lines in entries[:place]:
            found = _compare(parsed, (other, other_lines), (entry, lines))
            if found:
                findings.append(found)
                break
    return findings


def _compare(
    parsed: ParsedMemory,
    one: tuple[EntryFile, list[tuple[int, str]]],
    other: tuple[EntryFile, list[tuple[int, str]]],
) -> Finding | None:
    mine, theirs = Counter(text for _, text in one[1]), Counter(text for _, text in other[1])
    same = (mine & theirs).total()
    share = same / max(mine.total(), theirs.total())
    if same < FEWEST_SAME or share <= ALIKE:
        return None
    only_one = list(_beyond(one[1], theirs))
    only_other = list(_beyond(other[1], mine))
    differing = len(only_one) + len(only_other)
    if not differing:
        return None
    is_drift = share >= MOSTLY and differing <= MOST_DIFFERENCES
    first, second = one[0].file.path, other[0].file.path
    where = " and ".join(
        f"{path} {_numbers(lines)}" for path, lines in ((first, only_one), (second, only_other)) if lines
    )
    return finding(
        parsed,
        demanded(parsed, WARNING) if is_drift else INFO,
        "x-drift",
        f"{first} and {second} share {count(same, 'line')} and differ in others: {where}.",
        f"Bring them to one text, and let {second} be a link to {first} or the one line @{first}.",
        file=second,
        line=(only_other or [0])[0],
        anchor=first,
    )


def _lines(page: Page) -> list[tuple[int, str]]:
    """(number, text) of every line that says something, in one spelling; the title is left out."""
    title = page.title.line if page.title else 0
    return [
        (number, text)
        for number, line in enumerate(page.lines)
        if number and number != title and (text := _folded(line))
    ]


def _folded(line: str) -> str:
    text = " ".join(line.translate(_DECORATION).lower().split())
    return _ASSISTANTS.sub("@", text) if text else ""


def _beyond(lines: list[tuple[int, str]], others: Counter[str]) -> Iterator[int]:
    """The numbers of the lines that the others lack."""
    left = Counter(others)
    for number, text in lines:
        if left[text] > 0:
            left[text] -= 1
        else:
            yield number


def _numbers(lines: list[int]) -> str:
    shown = ", ".join(map(str, lines[:_SHOWN]))
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return f"line {shown}{more}"


RULES = (Rule("x-drift", MEDIUM, "Instruction files that hold the same text agree in all of it.", _drift),)
