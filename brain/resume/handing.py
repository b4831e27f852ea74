"""Which file or event was the last handover."""

from __future__ import annotations

from brain.files.ledger import parse_ledger
from brain.health import roles
from brain.health.handover import bare_line
from brain.resume.sources import PROGRESS, SESSION, Source
from brain.resume.values import BY_TEXT, Handed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from brain.health.page import Page
    from brain.health.parsed import ParsedMemory

JOURNAL = "journal"
_RANKS = {SESSION: 0, PROGRESS: 1}
_TAIL = 256 * 1024
"""So many bytes of a journal are looked at, from its end."""


def last_handover(parsed: ParsedMemory, sources: Sequence[Source]) -> tuple[Handed, ...]:
    """The newest of sessions, progress files, context, daily notes and the journal; of one day a session."""
    found = [handed for one in sources if (handed := _of_source(parsed, one)) is not None]
    found += _journal(parsed)
    found.sort(key=lambda one: -_RANKS.get(one.kind, 2))
    return (max(found, key=lambda one: (one.day, -_RANKS.get(one.kind, 2))),) if found else ()


def _of_source(parsed: ParsedMemory, source: Source) -> Handed | None:
    """What a source hands over; None for a template, and for a file in which no line says anything."""
    page, commit = source.handover.page, source.handover.commit
    dated = (source.kind, source.day, source.dated_by)
    if source.kind == PROGRESS and commit is not None:
        text = bare_line(page.lines[commit.line]) or commit.text
        git = parsed.memory.git
        against = next((one for one in git.recorded if one.name == commit.text), None) if git else None
        return Handed(
            text,
            source.path,
            commit.line,
            kind=source.kind,
            day=source.day,
            dated_by=source.dated_by,
            commit=commit.text,
            is_known=against.known if against else None,
            drift=against.drift if against else None,
        )
    handover = source.handover
    if source.kind == PROGRESS and handover.recognised and not handover.fields and handover.tests is None:
        return None
    text, line = _title(page)
    if not text:
        return None
    return Handed(text, source.path, line, kind=dated[0], day=dated[1], dated_by=dated[2])


def _title(page: Page) -> tuple[str, int]:
    """The title of a page, else its first line that says something; empty without one."""
    if page.title is not None:
        return page.title.text, page.title.line
    for line in range(1, min(len(page), 50) + 1):
        text = bare_line(page.visible[line]).lstrip("# ")
        if any(sign.isalnum() for sign in text):
            return text, line
    return "", 1


def _journal(parsed: ParsedMemory) -> list[Handed]:
    """The last event of each journal."""
    found = []
    for file in parsed.files(roles.LEDGER):
        if file.problem or not file.path.endswith("/journal.ndjson"):
            continue
        start = file.data.find(b"\n", len(file.data) - _TAIL) + 1 if len(file.data) > _TAIL else 0
        above = file.data.count(b"\n", 0, start)
        for number, event in reversed(parse_ledger(file.data[start:]).lines):
            task, agent, ts, outcome = (event.get(key) for key in ("task", "agent", "ts", "outcome"))
            if isinstance(task, str) and task.strip() and isinstance(ts, str):
                who = f"{agent}: " if isinstance(agent, str) and agent else ""
                how = f" ({outcome})" if isinstance(outcome, str) and outcome else ""
                text = f"{who}{task.strip()}{how}"
                found.append(
                    Handed(text, file.path, above + number, kind=JOURNAL, day=ts[:10], dated_by=BY_TEXT)
                )
                break
    return found
