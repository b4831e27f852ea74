"""One run of ``zecher loops list``, ``done``, ``snooze`` or ``reopen``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from brain.files.atomic import OutsideError
from brain.files.errors import ChangedError, LockedError, WriteError
from brain.loops.states import Mark, judged
from brain.loops.values import DONE, DUE, OVERDUE, SNOOZED, Loop
from brain.portfolio import read_portfolio
from jobs.choosing import chosen_project
from jobs.cli.command import Invocation
from jobs.cli.show import chosen_format, last_line, show_problems
from jobs.config import load_configuration
from jobs.errors import DONE as ENDED
from jobs.errors import PARTIAL, ExpectedError, UsageError
from jobs.errors import LockedError as Locked
from jobs.loop_marks import change_marks, day_of_now
from jobs.loops import Found, loops_everywhere, loops_in, resolved
from jobs.memory import project_around, project_folder
from jobs.settings import ScanSettings, output_settings, scan_settings
from jobs.workspaces import workspaces
from reports.document import envelope, to_json
from reports.loops import (
    changed_document,
    changed_text,
    counts_line,
    is_open,
    loops_document,
    loops_text,
    loops_tsv,
)
from reports.view import iso_time
from scanner.value import replace

_SPAN = re.compile(r"([1-9]\d{0,3})([dw])")


def run_list(invocation: Invocation) -> int:
    """The exit code of ``zecher loops list``."""
    typed, streams = invocation.typed, invocation.streams
    output = output_settings(typed, invocation.surroundings)
    settings, found = _found(invocation)
    loops = tuple(one for one in found.loops if _is_wanted(one, typed.on("due"), typed.on("all")))
    code = _code(found)
    shape = chosen_format(invocation, output)
    if shape == "json":
        document = loops_document(loops)
        streams.result(
            to_json(envelope("loops.list", settings.now, document, found.problems, ok=code == ENDED))
        )
        return code
    if shape not in ("table", "tsv"):
        raise UsageError("bad-value", f"--format {shape}", "loops have no such format", "table, tsv or json.")
    streams.result(loops_text(loops) if shape == "table" else loops_tsv(loops))
    show_problems(streams, found.problems, verbose=typed.on("verbose"))
    last_line(invocation, counts_line(loops))
    return code


def _is_wanted(one: Loop, only_due: bool, everything: bool) -> bool:
    if only_due:
        return one.state in (OVERDUE, DUE)
    return everything or is_open(one)


def run_done(invocation: Invocation) -> int:
    """The exit code of ``zecher loops done``."""
    settings, found = _found(invocation)
    ids = resolved(_ids(invocation), found.loops)
    when = iso_time(settings.now) or ""
    by_id = {one.id: one for one in found.loops}
    marks = [Mark(name, DONE, due=by_id[name].due, since=when) for name in ids]
    return _changed(invocation, settings, found, name="loops.done", ids=ids, what="is done", marks=marks)


def run_snooze(invocation: Invocation) -> int:
    """The exit code of ``zecher loops snooze``."""
    typed = invocation.typed
    words = _ids(invocation)
    settings = _settings(invocation)
    until = _until(typed.text("until"), day_of_now(settings.now))
    settings, found = _found(invocation)
    ids = resolved(words, found.loops)
    when = iso_time(settings.now) or ""
    marks = [Mark(name, SNOOZED, until=until, since=when) for name in ids]
    what = f"is snoozed until {until.isoformat()}"
    return _changed(invocation, settings, found, name="loops.snooze", ids=ids, what=what, marks=marks)


def run_reopen(invocation: Invocation) -> int:
    """The exit code of ``zecher loops reopen``; one that no file holds any more can be meant, too."""
    settings, found = _found(invocation)
    ids = resolved(_ids(invocation), found.loops, others=found.marks.marks)
    return _changed(
        invocation, settings, found, name="loops.reopen", ids=ids, what="is open again", remove=ids
    )


def _ids(invocation: Invocation) -> list[str]:
    ids = list(invocation.typed.texts("ids"))
    if not ids:
        raise UsageError(
            "loops-what", "no ID", "a loop is named by its id", "zecher loops lists them with their ids."
        )
    return ids


def _until(text: str | None, today: date) -> date:
    if text is None:
        raise UsageError(
            "loops-until", "no --until", "what is snoozed returns on a day", "For example: --until 2w."
        )
    day: date | None = None
    if span := _SPAN.fullmatch(text.strip().lower()):
        day = today + timedelta(days=int(span[1]) * (7 if span[2] == "w" else 1))
    else:
        try:
            day = date.fromisoformat(text)
        except ValueError:
            raise UsageError(
                "bad-value",
                f"--until {text}",
                f"{text!r} is neither a date nor a number of days or weeks",
                "Write it as 2026-12-31, 7d or 2w.",
            ) from None
    if day <= today:
        raise UsageError(
            "bad-value", f"--until {text}", "that day is not ahead", "Name a day that is still to come."
        )
    return day


def _settings(invocation: Invocation) -> ScanSettings:
    return replace(scan_settings(invocation.typed, invocation.surroundings, here=False), real_git=False)


def _found(invocation: Invocation) -> tuple[ScanSettings, Found]:
    """The loops of the projects that the options name, else of all."""
    typed, surroundings = invocation.typed, invocation.surroundings
    settings = _settings(invocation)
    name = typed.text("project")
    if name is not None and typed.text("directory") is not None:
        raise UsageError(
            "loops-what",
            "--project and -d",
            "both name a project",
            "Leave one of them out.",
        )
    if name is not None:
        cards = read_portfolio(settings.brain).cards
        path = chosen_project(name, cards, absolute=surroundings.absolute, home=settings.home).path
        return settings, loops_in(settings, os.path.realpath(path))
    if typed.text("directory") is not None:
        return settings, loops_in(settings, project_folder(typed, surroundings))
    others = workspaces(load_configuration(surroundings, typed.text("config")))
    return settings, loops_everywhere(settings, project_around(typed, surroundings), others)


def _changed(
    invocation: Invocation,
    settings: ScanSettings,
    found: Found,
    *,
    name: str,
    ids: Sequence[str],
    what: str,
    marks: Sequence[Mark] = (),
    remove: Iterable[str] = (),
) -> int:
    """Remember ``marks``, forget what was said of ``remove``, and tell of each of ``ids`` ``what`` it is."""
    when = iso_time(settings.now) or ""
    try:
        saved = change_marks(settings.state, add=marks, remove=remove, when=when)
    except LockedError as error:
        raise Locked(
            "loops-locked",
            "another run holds the state folder",
            str(error),
            "Wait until it has ended.",
            path=error.path,
        ) from None
    except (WriteError, OutsideError, ChangedError) as error:
        raise ExpectedError(
            "state-write",
            "what was said of the loops could not be kept",
            str(error),
            "Check the permissions and the free space of the state folder.",
            path=found.marks.path,
        ) from None
    chosen = (replace(one, until=None) for one in found.loops if one.id in ids)
    loops = judged(chosen, saved.marks, day_of_now(settings.now))
    code = _code(found)
    if output_settings(invocation.typed, invocation.surroundings).format == "json":
        document = changed_document(loops, ids)
        invocation.streams.result(
            to_json(envelope(name, settings.now, document, found.problems, ok=code == ENDED))
        )
        return code
    invocation.streams.result(changed_text(loops, ids, what))
    show_problems(invocation.streams, found.problems, verbose=True)
    return code


def _code(found: Found) -> int:
    return PARTIAL if any(problem.level == "error" for problem in found.problems) else ENDED
