"""``projects-index.md``: the generated page that lists every card, and the text around it that is a person's.

The page is BMAD+'s: front matter, heading, one quoted line, one table. The part from heading to table stands
between two comment lines; with those two lines taken away a fresh page is what BMAD+ would have written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from brain.display import display
from brain.project_cards import Card

BEGIN = "<!-- zecher:projects begin (generated: what is changed between these two lines is lost) -->"
END = "<!-- zecher:projects end -->"
HEADING = "# Project Index"
HEADER = "| Status | Name | Stack | BMAD+ | Path |"
RULE = "|--------|------|-------|-------|------|"

_BOM = "\ufeff"
_MARKER = r"<!--[ \t]*zecher:projects (begin|end)\b.*-->[ \t]*\Z"
_RULE = r"\|(?:[ \t]*:?-+:?[ \t]*\|){5}[ \t]*\Z"
_QUOTE = r"> .*`(?:npx )?(?:bmad-plus|zecher) scan`.* \d{4}-\d\d-\d\d[ \t]*\Z"
_PATH_CELL = r".*\| *(`+)(?P<path>.*?)\1 *\|[ \t]*\Z"
_GENERATED_KEYS = ("title", "last_updated", "total_projects")
_KEY = re.compile(r"(\w+):")
# What could begin a construct inside a cell. An underscore between letters and a lone @ are plain text.
_SPECIAL = re.compile(
    r"[\\`*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|(?<=[A-Za-z]):(?=//)|(?<=\bwww)\.|(?<=[\w.+-])@(?=\w)"
)
_TICKS = re.compile("`+")


def render_index(old: bytes | None, cards: Sequence[Card], date: str) -> tuple[bytes, bool]:
    """The index of ``cards`` in their order, dated ``date`` (``YYYY-MM-DD``), with the human text of ``old``.

    Without ``old``, or where nothing is left of it, the whole page is fresh. Text that stood before the front
    matter follows it, for front matter must come first to be front matter. The second value says that the
    markers in ``old`` were damaged: not one pair in order.
    """
    table = [_row(card) for card in cards]
    quote = f"> Written by `zecher scan` — {date}"
    region = [BEGIN, HEADING, "", quote, "", HEADER, RULE, *table, END]
    text = (old or b"").decode("utf-8", "surrogateescape")
    bom = _BOM if text.startswith(_BOM) else ""
    lines = text.removeprefix(_BOM).split("\n")
    ends_with_cr = sum(line.endswith("\r") for line in lines) * 2 > len(lines)
    if ends_with_cr:
        lines = [line.removesuffix("\r") for line in lines]
    front, body = _front_matter(lines)
    above, below, damaged = _split(body, {card.path for card in cards})
    page = [*_dated(front, date, len(cards)), *above, *region, *below]
    joined = ("\r\n" if ends_with_cr else "\n").join(page)
    return (bom + joined).encode("utf-8", "surrogateescape"), damaged


def _row(card: Card) -> str:
    installed = "✓" if card.bmad_installed else "·"
    cells = (_cell(card.status), _cell(card.name), _cell(card.stack), installed, _code(card.path))
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return _SPECIAL.sub(lambda match: f"\\{match.group()}", display(text).strip()) or "?"


def _code(text: str) -> str:
    r"""A code span that holds ``text``; a bar in it is escaped, because the table is split before the span.

    Readers disagree on a bar after a backslash, so that one is written as the byte it is.
    """
    shown = re.sub(r"(?<=\\)\|", r"\\x7c", display(text)).replace("|", "\\|")
    if "`" not in shown:
        return f"`{shown}`"
    fence = "`" * (max(map(len, _TICKS.findall(shown))) + 1)
    return f"{fence} {shown} {fence}"


def _front_matter(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines inside the front matter, and the rest of the page."""
    end = _closing(lines, 0)
    if end:
        return lines[1:end], lines[end + 1 :]
    for start, line in enumerate(lines):
        if (
            line == "---"
            and (end := _closing(lines, start)) == start + 4
            and _is_generated(lines[start + 1 : end])
        ):
            return lines[start + 1 : end], ["", *_stripped(lines[:start]), *lines[end + 1 :]]
    return [], ["", *lines] if lines[0].strip() else lines


def _closing(lines: list[str], start: int) -> int:
    """The line that closes the front matter which begins at ``start``; 0 when there is none."""
    if lines[start] != "---":
        return 0
    for number in range(start + 1, min(len(lines), start + 100)):
        if lines[number] == "---":
            keys = {key.group(1) for line in lines[start + 1 : number] if (key := _KEY.match(line))}
            return number if keys.intersection(_GENERATED_KEYS) else 0
    return 0


def _is_generated(lines: list[str]) -> bool:
    return tuple(key.group(1) for line in lines if (key := _KEY.match(line))) == _GENERATED_KEYS


def _dated(front: list[str], date: str, total: int) -> list[str]:
    """The front matter brought up to date; a title that is there and keys of a person's stay as they are."""
    wanted = {
        "title": "title: Project Index",
        "last_updated": f'last_updated: "{date}"',
        "total_projects": f"total_projects: {total}",
    }
    lines: list[str] = []
    for line in front:
        key = _KEY.match(line)
        name = key.group(1) if key else ""
        fresh = wanted.pop(name, line)
        lines.append(line if name == "title" else fresh)
    return ["---", *lines, *wanted.values(), "---"]


def _split(body: list[str], paths: Collection[str]) -> tuple[list[str], list[str], bool]:
    """What stands above and below the generated region, and whether its markers were damaged."""
    marks = [
        (number, mark.group(1))
        for number, line in enumerate(body)
        if "zecher:projects" in line and (mark := re.match(_MARKER, line))
    ]
    if [kind for _, kind in marks] == ["begin", "end"]:
        return body[: marks[0][0]], body[marks[1][0] + 1 :], False
    unmarked = [line for line in body if not re.match(_MARKER, line)]
    above, below = _around_tables(unmarked, paths)
    return ["", *above, ""] if above else [""], ["", *below, ""] if below else [""], bool(marks)


def _around_tables(lines: list[str], paths: Collection[str]) -> tuple[list[str], list[str]]:
    """The human text before and after the first generated table of a page without markers.

    Rows that list something else than a card are a person's: they are kept below, as list items.
    """
    above: list[str] = []
    below: list[str] = []
    target, number, found = above, 0, False
    while number < len(lines):
        if lines[number] != HEADER or number + 1 == len(lines) or not re.match(_RULE, lines[number + 1]):
            target.append(lines[number])
            number += 1
            continue
        _drop_heading(target)
        number, kept = _rows(lines, number + 2, paths)
        target, found = below, True
        below += kept
    if not found:
        return _stripped(above), []
    return _stripped(above), _stripped(below)


def _drop_heading(before: list[str]) -> None:
    """Take the quoted line and the heading that belong to a table out of the text ``before`` it."""
    for is_it in (lambda line: re.match(_QUOTE, line), lambda line: line == HEADING):
        for number in range(len(before) - 1, -1, -1):
            if is_it(before[number]):
                del before[number]
                if number < len(before) and not before[number].strip():
                    del before[number]
                break


def _rows(lines: list[str], number: int, paths: Collection[str]) -> tuple[int, list[str]]:
    """Where the rows that begin at ``number`` end, and those among them that name no card."""
    known = {"?", *(_flat(path) for path in paths), *(_code(path).strip("` ") for path in paths)}
    kept: list[str] = []
    while number < len(lines) and lines[number].startswith("|"):
        row = lines[number]
        number += 1
        # BMAD+ does not escape: a name with a line break tears its row apart.
        while not row.rstrip().endswith("|") and number < len(lines) and _continues(lines[number]):
            row += "\n" + lines[number]
            number += 1
        cell = re.match(_PATH_CELL, _flat(row))
        if cell is None or cell["path"].strip() not in known:
            kept.append(f"- kept from an earlier table: {row}")
    return number, kept


def _flat(text: str) -> str:
    return text.replace("\n", " ")


def _continues(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("|")


def _stripped(lines: list[str]) -> list[str]:
    """``lines`` without blank ones at both ends."""
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return lines[first:last]
