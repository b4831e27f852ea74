"""One run of ``zecher ack``."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime

from brain.files.atomic import OutsideError
from brain.files.errors import ChangedError, WriteError
from brain.health.silence import Ack
from brain.portfolio import read_portfolio
from brain.wording import plural
from jobs.acks import Acks, Said, add_ack, followed, read_acks, remove_ack
from jobs.choosing import chosen_project, is_path
from jobs.cli.command import Invocation
from jobs.cli.show import last_line, show_problems
from jobs.codes import FINDING, UNSAVED, read_codes
from jobs.errors import DONE, ExpectedError, UsageError, nearest
from jobs.settings import ReadSettings, output_settings, read_settings
from reports.document import Document, envelope, located, to_json
from reports.view import below_home, iso_time, safe_display

_COLUMNS = ("code", "project", "until", "reason", "since")


def run_ack(invocation: Invocation) -> int:
    """The exit code of ``zecher ack``."""
    typed = invocation.typed
    settings = read_settings(typed, invocation.surroundings)
    identifiers = {
        card.path: known
        for card in read_portfolio(settings.brain).cards
        if isinstance(known := card.extras.get("id"), str)
    }
    acks = followed(read_acks(settings.state), identifiers)
    words = typed.texts("words")
    if typed.on("list"):
        if words or typed.on("remove"):
            raise UsageError(
                "ack-list", "--list with more", "--list shows all and writes nothing", "Leave the rest out."
            )
        return _show(invocation, settings, acks)
    if not 1 <= len(words) <= 2:
        raise UsageError(
            "ack-what",
            f"{plural(len(words), 'word')} to silence",
            "zecher ack takes the code of a finding, and perhaps a project",
            "For example: zecher ack p-goal shop. zecher ack --list shows what is silenced.",
        )
    code = words[0].lower()
    project = _project(invocation, settings, words[1]) if len(words) == 2 else ""
    when = iso_time(settings.now) or ""
    try:
        if typed.on("remove"):
            acks = _removed(acks, code, project, when, settings)
        else:
            until = _until(typed.text("until"), settings)
            ack = Ack(_known(code, project), project, until, typed.text("reason") or "")
            acks = add_ack(acks, ack, when=when, identifier=identifiers.get(project, ""))
    except (WriteError, OutsideError, ChangedError) as error:
        raise ExpectedError(
            "state-write",
            "the silence could not be kept",
            str(error),
            "Check the permissions and the free space of the state folder.",
            path=acks.path,
        ) from None
    return _told(invocation, settings, acks, code, project)


def _told(invocation: Invocation, settings: ReadSettings, acks: Acks, code: str, project: str) -> int:
    if output_settings(invocation.typed, invocation.surroundings).format == "json":
        return _document(invocation, settings, acks)
    show_problems(invocation.streams, acks.problems, verbose=True)
    home = settings.home if invocation.streams.result_is_terminal else ""
    where = f"in {below_home(project, home)}" if project else "in all projects"
    if invocation.typed.on("remove"):
        invocation.streams.result(f"{safe_display(code)} is told again {where}\n")
        return DONE
    until = next(
        (one.ack.until for one in acks.said if (one.ack.code, one.ack.project) == (code, project)), None
    )
    end = f" until {until.isoformat()}" if until is not None else ""
    invocation.streams.result(f"{safe_display(code)} is silent {where}{end}\n")
    return DONE


def _known(code: str, project: str) -> str:
    if code in UNSAVED and not project:
        raise UsageError(
            "ack-what",
            f"{code} in all projects",
            "unsaved work is silenced in one project at a time: elsewhere it may be lost unseen",
            f"Name the project: zecher ack {code} PROJECT.",
        )
    codes = [*(one.code for one in read_codes().values() if one.kind == FINDING), *UNSAVED]
    if code in codes:
        return code
    neighbour = nearest(code, codes)
    raise UsageError(
        "unknown-code",
        f"no finding has the code {code!r}",
        "only findings and unsaved work can be silenced; the code stands behind each of them",
        f"Did you mean {neighbour}?" if neighbour else "zecher memory check shows findings with their codes.",
    )


def _project(invocation: Invocation, settings: ReadSettings, word: str) -> str:
    """The path of the project that ``word`` means; a folder that is no project of the index will do."""
    absolute = invocation.surroundings.absolute
    cards = read_portfolio(settings.brain).cards
    if is_path(word) and os.path.isdir(absolute(word)):
        path = os.path.realpath(absolute(word))
        if all(path != card.path and not path.startswith(card.path + os.sep) for card in cards):
            return path
    return chosen_project(word, cards, absolute=absolute, home=settings.home).path


def _until(text: str | None, settings: ReadSettings) -> date | None:
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise UsageError(
            "bad-value", f"--until {text}", f"{text!r} is no date", "Write it as 2026-12-31."
        ) from None
    if day < _today(settings):
        raise UsageError(
            "bad-value", f"--until {text}", "that day is past", "Name a day that is still to come."
        )
    return day


def _today(settings: ReadSettings) -> date:
    return datetime.fromtimestamp(settings.now, UTC).date()


def _removed(acks: Acks, code: str, project: str, when: str, settings: ReadSettings) -> Acks:
    said = [(one.ack.code, one.ack.project) for one in acks.said]
    if (code, project) in said:
        return remove_ack(acks, code, project, when=when)
    places = [below_home(path, settings.home) or "all projects" for known, path in said if known == code]
    neighbour = nearest(code, [known for known, _ in said])
    fix = f"It is silenced in {', '.join(places)}." if places else f"Did you mean {neighbour}?"
    where = f"in {below_home(project, settings.home)}" if project else "in all projects"
    raise UsageError(
        "not-silenced",
        f"{code} is not silenced {where}",
        "only what was silenced can be taken back",
        fix if places or neighbour else "zecher ack --list shows what is silenced.",
        path=project,
    )


# -- all silences -------------------------------------------------------------------------------------------


def _show(invocation: Invocation, settings: ReadSettings, acks: Acks) -> int:
    output = output_settings(invocation.typed, invocation.surroundings)
    if output.format == "json":
        return _document(invocation, settings, acks)
    streams = invocation.streams
    home = settings.home if streams.result_is_terminal else ""
    lines = ["\t".join(_COLUMNS)] if acks.said or not streams.result_is_terminal else []
    lines += ["\t".join(_fields(one, home)) for one in acks.said]
    streams.result("".join(f"{line}\n" for line in lines))
    show_problems(streams, acks.problems, verbose=True)
    over = sum(not one.ack.holds(_today(settings)) for one in acks.said)
    ended = f", {over:,} of them ended" if over else ""
    last_line(invocation, f"{plural(len(acks.said), 'silence')}{ended}")
    return DONE


def _fields(one: Said, home: str) -> tuple[str, ...]:
    ack = one.ack
    fields = (
        ack.code,
        below_home(ack.project, home) or "*",
        ack.until.isoformat() if ack.until is not None else "",
        ack.reason,
        one.since,
    )
    return tuple(safe_display(field.replace("\t", "\\t")) for field in fields)


def _document(invocation: Invocation, settings: ReadSettings, acks: Acks) -> int:
    today = _today(settings)
    data: Document = {"silences": [_silence_document(one, today) for one in acks.said]}
    invocation.streams.result(to_json(envelope("ack", settings.now, data, acks.problems, ok=True)))
    return DONE


def _silence_document(one: Said, today: date) -> Document:
    ack = one.ack
    where = located(ack.project or None)
    return {
        "code": ack.code,
        "project": where.pop("path"),
        **{f"project_{key.removeprefix('path_')}": value for key, value in where.items()},
        "until": ack.until.isoformat() if ack.until is not None else None,
        "reason": ack.reason,
        "since": one.since,
        "holds": ack.holds(today),
    }
