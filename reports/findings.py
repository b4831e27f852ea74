"""What is wrong with memories, for a person at a terminal, for a pipe, for a program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from brain.health.values import ERROR, INFO, LEVELS, WARNING, Finding, Gain
from brain.wording import plural
from reports.document import Document, located
from reports.view import below_home, cells, safe_display
from scanner.value import dataclass

COLUMNS = ("level", "code", "project", "file", "line", "message", "fix", "first_seen", "silenced")

SIGNS = {ERROR: "✗", WARNING: "!", INFO: "·"}
"""The shape that stands before a finding; with colour or without it tells its level."""

WIDTH = 80
"""How many cells a line has where nothing else is said."""
_WORDS = {ERROR: ("error", "errors"), WARNING: ("warning", "warnings"), INFO: ("hint", "hints")}


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, the day since which it is known (``YYYY-MM-DD``), and whether somebody silenced it."""

    finding: Finding
    first_seen: str
    silenced: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """One memory that was checked. ``percent`` is None where no rule applied."""

    name: str
    path: str
    percent: int | None
    gains: tuple[Gain, ...]
    findings: tuple[Found, ...]
    kind: str = "project"

    @property
    def open(self) -> tuple[Found, ...]:
        """What nobody silenced."""
        return tuple(one for one in self.findings if not one.silenced)


def counts(checked: Iterable[Checked]) -> dict[str, int]:
    """How many findings of each level nobody silenced, how many are silenced, in how many memories."""
    memories = tuple(checked)
    found = [one for memory in memories for one in memory.findings]
    levels = [one.finding.level for one in found if not one.silenced]
    return {
        "projects": sum(memory.kind == "project" for memory in memories),
        "errors": levels.count(ERROR),
        "warnings": levels.count(WARNING),
        "infos": levels.count(INFO),
        "silenced": sum(one.silenced for one in found),
    }


def reaches(checked: Iterable[Checked], level: str) -> bool:
    """Whether anything that nobody silenced is as grave as ``level``."""
    grave = LEVELS[: LEVELS.index(level) + 1]
    return any(one.finding.level in grave for memory in checked for one in memory.open)


# -- for people ---------------------------------------------------------------------------------------------


def findings_text(checked: Sequence[Checked], *, home: str, everything: bool, width: int = WIDTH) -> str:
    """Memory by memory, grouped by file, ``width`` cells wide; hints and silenced ones with ``everything``.

    ``home`` is written as ``~``. Of many memories those without anything to show are left out.
    """
    lines: list[str] = []
    for memory in checked:
        shown = [
            one for one in memory.findings if everything or (not one.silenced and one.finding.level != INFO)
        ]
        if shown or len(checked) == 1:
            lines += [*([""] if lines else []), *_memory_lines(memory, shown, home, width)]
    return "".join(f"{line}\n" for line in lines)


def _memory_lines(memory: Checked, shown: Sequence[Found], home: str, width: int) -> list[str]:
    percent = "nothing to check" if memory.percent is None else f"{memory.percent}% healthy"
    lines = [f"{safe_display(memory.name)}  {below_home(memory.path, home)}: {percent}"]
    file = None
    for one in _by_file(shown):
        if one.finding.file != file:
            file = one.finding.file
            lines.append(f"  {safe_display(file) or _WHOLE[memory.kind]}")
        lines += _finding_lines(one, width)
    hidden = _hidden(memory, shown)
    if hidden:
        lines.append(f"  {hidden}: -v lists them")
    lines += [f"  {line}" for line in gain_lines(memory.gains, width)]
    return lines


_WHOLE = {"project": "(the project)", "brain": "(the brain)"}


def _by_file(shown: Iterable[Found]) -> list[Found]:
    """The file with the gravest finding first, in it from top to bottom."""
    found = list(shown)
    worst: dict[str, int] = {}
    for one in found:
        rank = LEVELS.index(one.finding.level)
        worst[one.finding.file] = min(rank, worst.get(one.finding.file, rank))
    return sorted(
        found,
        key=lambda one: (worst[one.finding.file], one.finding.file, one.finding.line, one.finding.code),
    )


def _finding_lines(one: Found, width: int) -> list[str]:
    finding = one.finding
    start = f"  {SIGNS[finding.level]} {finding.line or ''!s:>4} "
    end = f" [{safe_display(finding.code)}]" + (" (silenced)" if one.silenced else "")
    return [
        *_wrapped(safe_display(finding.message) + end, start, width),
        *(_wrapped(safe_display(finding.fix), " " * 9 + "→ ", width) if finding.fix else ()),
    ]


def _wrapped(text: str, start: str, width: int) -> list[str]:
    indent = " " * len(start)
    # A letter may be two cells wide, which textwrap does not know: such lines are cut earlier.
    width = width if cells(text) == len(text) else width // 2 + len(start) // 2
    return textwrap.wrap(text, width, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False)


def _hidden(memory: Checked, shown: Sequence[Found]) -> str:
    kept = {id(one) for one in shown}
    hidden = [one for one in memory.findings if id(one) not in kept]
    silenced = sum(one.silenced for one in hidden)
    hints = len(hidden) - silenced
    words = [plural(hints, *_WORDS[INFO])] if hints else []
    return ", ".join([*words, *([f"{silenced:,} silenced"] if silenced else [])])


def gain_lines(gains: Sequence[Gain], width: int = WIDTH) -> list[str]:
    """What would help most, one a line."""
    if not gains:
        return []
    return [
        "what would help most:",
        *(f"  {_points(gain):>5}  {safe_display(gain.code)}: {_sentence(gain, width)}" for gain in gains),
    ]


def _points(gain: Gain) -> str:
    return f"+{gain.points:.1f}"


def _sentence(gain: Gain, width: int) -> str:
    text = safe_display(gain.what)
    room = max(1, width - 13 - len(gain.code))
    return text if len(text) <= room else text[: room - 1] + "…"


def summary(checked: Sequence[Checked], percent: int | None) -> str:
    """One line: how many of what, and the score."""
    numbers = counts(checked)
    words = [
        plural(numbers[key], *_WORDS[level])
        for key, level in (("errors", ERROR), ("warnings", WARNING), ("infos", INFO))
        if numbers[key]
    ]
    silenced = f", {numbers['silenced']:,} silenced" if numbers["silenced"] else ""
    score = "no score" if percent is None else f"{percent}% healthy"
    where = f" in {plural(numbers['projects'], 'project')}" if len(checked) > 1 else ""
    return f"{', '.join(words) or 'nothing is wrong'}{silenced}{where}; {score}"


# -- for programs -------------------------------------------------------------------------------------------


def findings_tsv(checked: Sequence[Checked]) -> str:
    """A header and one line a finding, every field free of tabs and newlines; silenced ones say so."""
    lines = ["\t".join(COLUMNS)]
    for memory in checked:
        for one in memory.findings:
            finding = one.finding
            fields = (
                *(finding.level, finding.code, finding.project, finding.file),
                str(finding.line or ""),
                *(finding.message, finding.fix, one.first_seen),
                "yes" if one.silenced else "",
            )
            lines.append("\t".join(safe_display(field.replace("\t", "\\t")) for field in fields))
    return "\n".join(lines) + "\n"


def findings_document(checked: Sequence[Checked], percent: int | None, gains: Sequence[Gain]) -> Document:
    """``data`` of ``zecher.memory.check``; ``percent`` and ``gains`` are those of all that was checked."""
    return {
        "findings": [_finding_document(one) for memory in checked for one in memory.findings],
        "score": {"percent": percent, "gains": [gain_document(gain) for gain in gains]},
        "counts": counts(checked),
        "projects": [
            {
                "name": memory.name,
                **located(memory.path),
                "kind": memory.kind,
                "percent": memory.percent,
                "gains": [gain_document(gain) for gain in memory.gains],
            }
            for memory in checked
        ],
    }


def _finding_document(one: Found) -> Document:
    finding = one.finding
    where = located(finding.project)
    return {
        "code": finding.code,
        "level": finding.level,
        "project": where.pop("path"),
        **{f"project_{key.removeprefix('path_')}": value for key, value in where.items()},
        "file": finding.file or None,
        "line": finding.line or None,
        "message": finding.message,
        "fix": finding.fix,
        "first_seen": one.first_seen,
        "silenced": one.silenced,
    }


def gain_document(gain: Gain) -> Document:
    """One gain: the code of the rule, points of a hundred, the rule as a sentence."""
    return {"code": gain.code, "points": round(gain.points, 1), "what": gain.what}
