"""The state of a project's own memory."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence

from brain import layout
from brain.folders import PROJECT_MEMORY
from brain.locate import Brain, Link, disagreement, link_path, read_link
from brain.memory_status.files import (
    check_of,
    context_date,
    count_names,
    date_in,
    exists,
    is_closed,
    look_at,
)
from brain.memory_status.ledgers import check_lock, ledger_checks, ledgers
from brain.memory_status.values import Check, FileStatus, ProjectStatus, Score
from brain.wording import plural

DAY = 86_400.0
# The age at which BMAD+'s agents ask whether a decision still holds; a context changes faster than that.
STALE_AFTER_DAYS = 90
# How far a context may lie behind the newest entry or session before it tells an old story.
BEHIND_DAYS = 30


def project_status(project: str, brain: Brain, *, now: float) -> ProjectStatus:
    """The state of the memory in ``project`` at ``now``; its record is compared with ``brain``."""
    memory = os.path.join(project, PROJECT_MEMORY)
    sessions_folder = os.path.join(memory, layout.SESSIONS)
    files = tuple(look_at(project, f"{PROJECT_MEMORY}/{name}") for name in layout.MEMORY_FILES)
    sessions = count_names(sessions_folder, ".md")
    link, found = read_link(project), ledgers(project)
    date = context_date(project, f"{PROJECT_MEMORY}/{layout.CONTEXT}")
    present = exists(memory)
    stale = _staleness(files, date, _session_dates(sessions_folder), now) if present else ""
    checks = _folder_check(project) or [
        *(check_of(file) for file in files),
        _sessions_check(sessions_folder),
        _link_check(project, link, brain),
        *_context_check(files[-1], date, stale),
    ]
    checks += [*ledger_checks(found), *check_lock(project, now, found)]
    return ProjectStatus(
        path=project,
        present=present,
        files=files,
        sessions=sessions,
        link=link,
        ledgers=found,
        context_date=date,
        context_is_stale=bool(stale),
        compatible=_compatible(files, sessions) if present else None,
        checks=tuple(checks),
    )


def _compatible(files: Sequence[FileStatus], sessions: int) -> Score:
    answers = [*(file.exists for file in files), sessions > 0]
    return Score(sum(answers), len(answers))


def _folder_check(project: str) -> list[Check]:
    """One failed check in place of all others where there is no folder of memory to look into."""
    for relative in (os.path.dirname(PROJECT_MEMORY), PROJECT_MEMORY):
        path = os.path.join(project, relative)
        why = ""
        if os.path.islink(path):
            why = f"{relative} is a symbolic link, which is not followed: put a real folder there"
        elif is_closed(path):
            why = "permission denied: nobody can tell what is in it"
        elif not os.path.lexists(path):
            why = "not there: `zecher memory init` makes it"
        elif not os.path.isdir(path):
            why = f"{relative} is not a folder: move it away"
        if why:
            return [Check("project memory", False, why, path)]
    return []


def _context_check(context: FileStatus, date: str, stale: str) -> list[Check]:
    if not context.exists:
        return []
    return [Check("context is current", not stale, stale or f"last updated {date or 'lately'}", context.path)]


def _sessions_check(folder: str) -> Check:
    if os.path.islink(folder):
        return Check(layout.SESSIONS, False, "a symbolic link, which is not followed", folder)
    if os.path.lexists(folder) and not os.path.isdir(folder):
        return Check(layout.SESSIONS, False, "not a folder: move it away", folder)
    count = len(_session_names(folder))
    why = (
        plural(count, "handover") if count else "no handover yet: one a session, named YYYY-MM-DD-<topic>.md"
    )
    return Check(layout.SESSIONS, count > 0, why, folder)


def _session_names(folder: str) -> list[str]:
    """Names of handovers that are real files with something in them."""
    try:
        with os.scandir(folder) as entries:
            return sorted(
                entry.name for entry in entries if entry.name.endswith(".md") and _has_content(entry)
            )
    except OSError:
        return []


def _has_content(entry: os.DirEntry[str]) -> bool:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size > 0


def _session_dates(folder: str) -> list[str]:
    return [date for name in _session_names(folder) if (date := date_in(name))]


def _link_check(project: str, link: Link | None, brain: Brain) -> Check:
    path = link_path(project)
    if link is None:
        return Check(".brain-link", False, "missing: `zecher memory init` writes it", path)
    trouble = link.damaged or disagreement(link, brain, project)
    if trouble:
        return Check(".brain-link", False, f"{trouble}; remove it and run `zecher memory init`", path)
    return Check(".brain-link", True, f"records {link.brain}", path)


def _staleness(files: Sequence[FileStatus], date: str, sessions: Sequence[str], now: float) -> str:
    """Why the context is out of date, "" when it is not, or when there is none.

    Its date is the one that it bears, else that of its last change. Dates in the future count as today.
    """
    context = files[-1]
    if not date and context.modified is None:
        return ""
    today = int(now // DAY)
    day = _day(date) if date else int((context.modified or 0.0) // DAY)
    age = today - day
    if age > STALE_AFTER_DAYS:
        return f"last updated {age} days ago: bring it up to date"
    newest = max((*sessions, *(file.newest for file in files)), default="")
    behind = min(_day(newest), today) - day if newest else 0
    if behind > BEHIND_DAYS:
        return f"{behind} days older than the newest entry or handover of {newest}: bring it up to date"
    return ""


def _day(date: str) -> int:
    from calendar import timegm  # noqa: PLC0415 - start-up: only a health report reads dates

    return timegm(time.strptime(date, "%Y-%m-%d")) // int(DAY)
