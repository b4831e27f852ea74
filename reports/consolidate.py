"""Proposals of a consolidation, for a person at a terminal, for a pipe, for a program."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence

from brain.consolidate.values import ARCHIVE, MERGE, PROMOTE, PROMOTED, REVIEW, Part, Proposal
from brain.secrets import redact
from brain.wording import plural
from reports.document import Document, located
from reports.view import below_home, cells, safe_display

COLUMNS = ("id", "project", "file", "line", "title", "what", "refused")
RUN_COLUMNS = ("run", "when", "state", "files", "done")

COMMAND = "zecher memory consolidate"

_WIDTH = 80
_MOST_LINES = 60
_LONGEST = 60

COUNTED = {
    MERGE: ("duplicate", "duplicates"),
    ARCHIVE: ("to archive", "to archive"),
    REVIEW: ("to review", "to review"),
    PROMOTE: ("to promote", "to promote"),
}


def what(one: Proposal) -> str:
    """What the proposal would do, in a few words; harmless."""
    if one.action == MERGE and one.kept is not None:
        adds = f", adding {', '.join(one.adds)}" if one.adds else ""
        place = (
            f"line {one.kept.line}" if one.kept.path == one.part.path else f"{one.kept.file}:{one.kept.line}"
        )
        return safe_display(f"merge into {_quoted(one.kept.title)} in {place}{adds}; archive this one")
    if one.action == PROMOTE:
        return safe_display(f"learned by {', '.join(one.projects)}; add it to the lessons of the brain")
    if one.action == ARCHIVE:
        return "superseded; archive it"
    return f"active since {one.since}, for 90 days or more; archive it unless it still holds"


def told(text: str) -> str:
    """A title or a text of a memory without the secrets in it; the files keep them."""
    return redact(text).text


def _quoted(title: str) -> str:
    title = told(title)
    return f'"{title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"}"'


def counted(proposals: Iterable[Proposal]) -> str:
    """``2 duplicates, 1 to archive``; empty for none."""
    found = list(proposals)
    counts = [(sum(one.action == action for one in found), words) for action, words in COUNTED.items()]
    return ", ".join(plural(count, *words) for count, words in counts if count)


# -- for people ---------------------------------------------------------------------------------------------


def proposals_text(proposals: Sequence[Proposal], *, home: str) -> str:
    """Memory by memory, each proposal with its id first; ``home`` is written as ``~``."""
    lines: list[str] = []
    last = ""
    for one in proposals:
        notes = one.part.notes
        head = (
            "brain"
            if one.action == PROMOTE
            else f"{safe_display(notes.name)}  {below_home(notes.base, home)}"
        )
        if one.action == PROMOTE and one.target is not None:
            head = f"for the brain  {below_home(one.target.base, home)}"
        if head != last:
            lines += [*([""] if lines else []), head]
            last = head
        lines.append(f"  {one.id}  {_where(one, home)} {safe_display(_quoted(one.part.title))}")
        lines += [f"      {line}" for line in wrapped(what(one), _WIDTH - 6)]
        if one.refused:
            lines += [
                f"      {line}"
                for line in wrapped(f"cannot be done: {safe_display(one.refused)}", _WIDTH - 6)
            ]
    return "".join(f"{line}\n" for line in lines)


def _where(one: Proposal, home: str) -> str:
    part = one.part
    place = below_home(part.path, home) if one.action == PROMOTE else safe_display(part.file)
    return f"{place}:{part.line}"


def question(one: Proposal, *, place: str, home: str, width: int) -> str:
    """What a person has to see before they answer: the texts side by side, ``width`` cells wide.

    ``place`` says how manieth of how many it is.
    """
    lines = wrapped(f"{place}  {one.id}  {what(one)}", width)
    if one.kept is not None:
        lines += side_by_side(
            (f"kept: {_place(one.kept, home)}", told(one.kept.text)),
            (f"archived: {_place(one.part, home)}", told(one.part.text)),
            width,
        )
    elif one.also:
        lines += side_by_side(
            (f"promoted: {_place(one.part, home)}", told(one.part.text)),
            (f"says the same: {_place(one.also[0], home)}", told(one.also[0].text)),
            width,
        )
        lines += [f"also in {_place(part, home)}" for part in one.also[1:]]
    else:
        lines += [f"{_place(one.part, home)}", *_text(told(one.part.text), width)]
    return "".join(f"{line}\n" for line in lines)


def _place(part: Part, home: str) -> str:
    return f"{below_home(part.path, home)}:{part.line}"


def side_by_side(left: tuple[str, str], right: tuple[str, str], width: int) -> list[str]:
    """Two texts under their headings in two columns, every character harmless."""
    column = max(20, (width - 3) // 2)
    columns = [
        [*wrapped(safe_display(head), column), "─" * column, *_text(text, column)]
        for head, text in (left, right)
    ]
    heads = [columns[side].index("─" * column) for side in (0, 1)]
    for side in (0, 1):
        columns[side][0:0] = [""] * (max(heads) - heads[side])
    height = max(map(len, columns))
    padded = [[*rows, *[""] * (height - len(rows))] for rows in columns]
    return [f"{_filled(one, column)} │ {other}".rstrip() for one, other in zip(*padded, strict=True)]


def _filled(text: str, width: int) -> str:
    return text + " " * (width - cells(text))


def _text(text: str, width: int) -> list[str]:
    """The lines of a foreign text, harmless and broken to ``width`` cells; of a long one the first."""
    lines = [
        part
        for line in text.splitlines()
        for part in (wrapped(safe_display(line.expandtabs(4)), width) or [""])
    ]
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"… {plural(len(lines) - _MOST_LINES, 'more line')}"]
    return lines


def wrapped(text: str, width: int) -> list[str]:
    """``text`` (one harmless line) in lines of at most ``width`` cells, broken at blanks if it can be."""
    return list(_broken(text, width))


def _broken(text: str, width: int) -> Iterator[str]:
    while cells(text) > width:
        end = _fitting(text, width)
        blank = text.rfind(" ", 1, end + 1)
        cut = blank if blank > 0 and text[:blank].strip() else end
        yield text[:cut].rstrip()
        text = text[cut:].lstrip()
    if text:
        yield text


def _fitting(text: str, width: int) -> int:
    """How many characters of ``text`` fit, at least one."""
    size = 0
    for count, letter in enumerate(text):
        size += cells(letter)
        if size > width:
            return max(count, 1)
    return len(text)


def command(scope: str, option: str, value: str = "") -> str:
    """A command that can be copied: ``scope`` is what names the notes, such as ``--all``."""
    return " ".join(part for part in (COMMAND, scope, option, value) if part)


def project_scope(path: str) -> str:
    """The words that name the notes of one project."""
    return f"-d {shlex.quote(path)}"


# -- for a pipe ---------------------------------------------------------------------------------------------


def proposals_tsv(proposals: Iterable[Proposal]) -> str:
    """One proposal a line under a header; paths whole."""
    rows = [
        (
            one.id,
            one.part.notes.base,
            one.part.file,
            str(one.part.line),
            told(one.part.title),
            what(one),
            one.refused,
        )
        for one in proposals
    ]
    return _tsv(COLUMNS, rows)


def _tsv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [
        "\t".join(columns),
        *("\t".join(safe_display(cell.replace("\t", "\\t")) for cell in row) for row in rows),
    ]
    return "".join(f"{line}\n" for line in lines)


def runs_tsv(rows: Iterable[tuple[str, str, str, int, str]]) -> str:
    """Runs as (name, when, state, number of files, what was done)."""
    return _tsv(
        RUN_COLUMNS, [(name, when, state, str(files), done) for name, when, state, files, done in rows]
    )


# -- for a program ------------------------------------------------------------------------------------------


def proposal_document(one: Proposal) -> Document:
    """A proposal with all its texts, as they stand in the files but for secrets."""
    notes = one.part.notes
    return {
        "id": one.id,
        "action": one.action,
        "what": what(one),
        "project": {"name": safe_display(notes.name), **located(notes.base)},
        **_part(one.part),
        "kept": _part(one.kept) if one.kept is not None else None,
        "adds": list(one.adds),
        "also": [_part(part) for part in one.also],
        "projects": [safe_display(name) for name in one.projects],
        "target": located(os.path.join(one.target.base, PROMOTED)) if one.target is not None else None,
        "since": one.since or None,
        "refused": one.refused or None,
    }


def _part(part: Part) -> Document:
    return {
        **located(part.path),
        "file": part.file,
        "line": part.line,
        "date": part.date,
        "title": told(part.title),
        "text": told(part.text),
    }
