"""The keys of a configuration, table by table, each with the check of its value.

A new key is a new line in one of the tables at the end of this module, and one in ``jobs.config_template``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

from jobs.config_values import OCCASIONS
from jobs.config_yaml import Plain
from jobs.errors import nearest
from jobs.limits import NESTED, check_count, check_days, check_depth, check_seconds
from jobs.surroundings import Surroundings

# From a value as the file gives it to one as the program wants it, or a ``WrongError``.
Check = Callable[[object, Surroundings], object]

_NUMBER = "Write a number without quotes."
_SWITCH = "Write true or false without quotes."
_PING = re.compile(r"https?://[^\s/?#\x00-\x20]+[^\s\x00-\x20]*", re.IGNORECASE)
_SERVICE = re.compile(r"[a-z][a-z0-9+.-]*://[^\s\x00-\x20]+", re.IGNORECASE)
_LONGEST_URL = 2000
_LONGEST_HOOK = 300


class WrongError(Exception):
    """What is wrong with a value, and how to write it instead.

    ``inside`` is the place of the item in question where the value is a list.
    """

    def __init__(self, complaint: str, hint: str, inside: int | None = None) -> None:
        super().__init__(complaint)
        self.complaint = complaint
        self.hint = hint
        self.inside = inside


def folder(value: object, surroundings: Surroundings) -> str:
    """The absolute path of a folder."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise WrongError("is not the path of a folder", 'Write it like "~/dev".')
    if not (os.path.isabs(value) or value == "~" or value.startswith("~/")):
        # A job is started from anywhere: a relative path would mean another folder each time.
        raise WrongError(f"{str(value)!r} is relative", "Start it with / or ~/.")
    return surroundings.absolute(value)


def _checked(check: Callable[[object], float | str]) -> Check:
    def run(value: object, _: Surroundings) -> float:
        # In TOML numbers stand without quotes; YAML has them as plain text, which the checks understand.
        if value is None:
            raise WrongError("has no value", "Write a number, or leave the key out.")
        if isinstance(value, str) and not isinstance(value, Plain):
            raise WrongError(f"{value!r} is text", _NUMBER)
        result = check(value)
        if isinstance(result, str):
            raise WrongError(f"{value!r} {result}", _NUMBER)
        return result

    return run


def _within(least: int, most: int, unit: str) -> Check:
    def run(value: object, surroundings: Surroundings) -> int:
        number = _whole(value, surroundings)
        if not least <= number <= most:
            raise WrongError(f"{number} is out of range", f"From {least:,} to {most:,} {unit}.")
        return number

    return run


def _one_of(*words: str) -> Check:
    def run(value: object, _: Surroundings) -> str:
        if not isinstance(value, str) or value not in words:
            neighbour = nearest(value, list(words)) if isinstance(value, str) else None
            hint = f"Did you mean {neighbour!r}?" if neighbour else f"One of: {', '.join(words)}."
            raise WrongError(f"{value!r} is not known", hint)
        return str(value)

    return run


def _switch(value: object, _: Surroundings) -> bool:
    if isinstance(value, Plain) and value in ("true", "false"):
        return value == "true"
    if not isinstance(value, bool):
        raise WrongError(f"{value!r} is neither true nor false", _SWITCH)
    return value


def _whole(value: object, _: Surroundings) -> int:
    if isinstance(value, Plain) and re.fullmatch(r"[+-]?[0-9]{1,18}", value):
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise WrongError(f"{value!r} is not a whole number", _NUMBER)
    return value


def _text(value: object, _: Surroundings) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise WrongError("is not a text", 'Write it in quotes: "text".')
    return str(value)


def _each(check: Check, example: str) -> Check:
    def run(value: object, surroundings: Surroundings) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise WrongError("is not a list", f"Write it like {example}.")
        found = []
        for place, item in enumerate(value):
            try:
                found.append(check(item, surroundings))
            except WrongError as wrong:
                raise WrongError(wrong.complaint, wrong.hint, place) from None
        return tuple(found)

    return run


def _address(value: object, surroundings: Surroundings) -> str:
    return _text(value, surroundings).strip()


def _schedule(value: object, surroundings: Surroundings) -> str:
    from jobs.schedule.text import ScheduleError, parse_schedule  # noqa: PLC0415 - only where one is configured

    try:
        return parse_schedule(_text(value, surroundings)).text
    except ScheduleError as error:
        raise _two_parts(error) from None


def _zone(value: object, surroundings: Surroundings) -> str:
    from jobs.schedule.text import ScheduleError, check_zone  # noqa: PLC0415 - as above

    name = _text(value, surroundings)
    try:
        check_zone(name)
    except ScheduleError as error:
        raise _two_parts(error) from None
    return name


def _two_parts(error: ValueError) -> WrongError:
    """The complaint and the hint of an error that is one line, with a colon between them."""
    complaint, _, hint = str(error).rpartition(": ")
    if not complaint:
        return WrongError("is not understood", f"{hint[:1].upper()}{hint[1:]}.")
    if hint.startswith('"'):
        return WrongError(complaint, f"Write {hint}.")
    if re.fullmatch(r"[a-z]+(?:, [a-z]+)+", hint):
        return WrongError(complaint, f"One of: {hint}.")
    return WrongError(complaint, f"{hint[:1].upper()}{hint[1:]}.")


def _url(pattern: re.Pattern[str], example: str) -> Check:
    def run(value: object, _: Surroundings) -> str:
        # Such an address is as good as a password: it is not repeated in a message.
        if not isinstance(value, str) or len(value) > _LONGEST_URL or not pattern.fullmatch(value):
            raise WrongError("is not such an address", f'Write it like "{example}".')
        return str(value)

    return run


def _command(value: object, surroundings: Surroundings) -> tuple[str, ...]:
    """An argv: the absolute path of a program and its arguments. No shell ever sees it."""
    example = 'Write program and arguments apart: ["/usr/bin/notify-send", "Zecher"].'
    if isinstance(value, str):
        raise WrongError("is one text, which only a shell could take apart", example)
    if not isinstance(value, list) or not value:
        raise WrongError("is not a list of a program and its arguments", example)
    for place, word in enumerate(value):
        if not isinstance(word, str) or "\0" in word:
            raise WrongError("is not a text", 'Write it in quotes: "text".', place)
    program = str(value[0])
    if not (os.path.isabs(program) or program.startswith("~/")):
        # What PATH holds when the system's scheduler starts a job nobody knows.
        raise WrongError(f"{program!r} is no absolute path", "Start it with / or ~/.", 0)
    return (surroundings.absolute(program), *map(str, value[1:]))


def _occasions(value: object, surroundings: Surroundings) -> object:
    if isinstance(value, list) and not value:
        raise WrongError("names no occasion", f"Some of: {', '.join(OCCASIONS)}.")
    found = _each(_one_of(*OCCASIONS), '["failure", "recovery"]')(value, surroundings)
    return tuple(word for word in OCCASIONS if word in found) if isinstance(found, tuple) else found


def _table_of_keys(value: object, _: Surroundings) -> object:
    if value is None:
        return {}  # in YAML: a table all of whose keys are comments
    if not isinstance(value, dict):
        raise WrongError("is not a table", "Write it as a table with its own keys.")
    return value


def _tables(name: str, what: str) -> Check:
    def run(value: object, _: Surroundings) -> object:
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise WrongError("is not a list of tables", f"Write [[{name}]] before each {what}.")
        return value

    return run


def _root_list(value: object, _: Surroundings) -> object:
    if not isinstance(value, list) or not value:
        raise WrongError("names no root", 'Write it like ["~/dev", "~/work"], or leave the key out.')
    for place, item in enumerate(value):
        if not isinstance(item, str | dict):
            raise WrongError(
                "holds something that is no path",
                'Each root is "path" or { path = "path", depth = 3 }.',
                place,
            )
    return value


_EXCLUDE = _each(_text, '["old/", "*.bak"]')


def _hook_seconds(value: object, surroundings: Surroundings) -> object:
    seconds = _checked(check_seconds)(value, surroundings)
    if isinstance(seconds, float) and seconds > _LONGEST_HOOK:
        raise WrongError(
            f"{seconds:g} is too long", f"At most {_LONGEST_HOOK} seconds: a job waits for its hooks."
        )
    return seconds


def _score(value: object, _: Surroundings) -> float:
    """A number from 0 to 1."""
    if isinstance(value, Plain) and re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{1,6})?", value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WrongError(f"{value!r} is not a number", _NUMBER)
    if not 0.0 <= value <= 1.0:
        raise WrongError(f"{value:g} is out of range", "From 0 to 1.")
    return float(value)


TOP: Mapping[str, Check] = {
    "brain": folder,
    "state": folder,
    "cache": folder,
    "scan": _table_of_keys,
    "stacks": _tables("stacks", "rule"),
    "me": _table_of_keys,
    "schedule": _table_of_keys,
    "reports": _table_of_keys,
    "memory": _table_of_keys,
    "dreaming": _table_of_keys,
    "hooks": _tables("hooks", "hook"),
    "notify": _table_of_keys,
}
SCAN: Mapping[str, Check] = {
    "roots": _root_list,
    "depth": _checked(check_depth),
    "active_days": _checked(check_days),
    "paused_days": _checked(check_days),
    "nested": _one_of(*NESTED),
    "exclude": _EXCLUDE,
    "respect_ignore": _switch,
    "deadline": _checked(check_seconds),
    "max_folders": _checked(check_count),
    "max_entries": _checked(check_count),
}
ROOT: Mapping[str, Check] = {
    "path": folder,
    "depth": _checked(check_depth),
    "active_days": _checked(check_days),
    "paused_days": _checked(check_days),
    "nested": _one_of(*NESTED),
    "exclude": _EXCLUDE,
    "max_folders": _checked(check_count),
    "max_entries": _checked(check_count),
}
STACK: Mapping[str, Check] = {
    "glob": _text,
    "label": _text,
    "class": _one_of("strong", "weak", "label"),
    "priority": _whole,
}
ME: Mapping[str, Check] = {"emails": _each(_address, '["ana@example.com"]')}
SCHEDULE: Mapping[str, Check] = {
    "nightly": _schedule,
    "weekly": _schedule,
    "dreaming": _schedule,
    "zone": _zone,
}
REPORTS: Mapping[str, Check] = {"folder": folder, "keep_weeks": _within(1, 520, "weeks")}
MEMORY: Mapping[str, Check] = {
    "file_lines": _within(10, 100_000, "lines"),
    "file_bytes": _within(1_000, 16_000_000, "bytes"),
    "total_tokens": _within(500, 1_000_000, "tokens"),
    "warn_percent": _within(1, 100, "per cent"),
    "audit": _switch,
    "semantic": _switch,
}
DREAMING: Mapping[str, Check] = {
    "enabled": _switch,
    "workspaces": _each(folder, '["~/.openclaw/workspace"]'),
    "auto_promote": _switch,
    "recall_log": _switch,
    "min_score": _score,
    "min_recalls": _within(1, 1_000, "recalls"),
    "min_queries": _within(1, 1_000, "queries"),
    "min_days": _within(1, 366, "days"),
    "max_age_days": _within(1, 3_660, "days"),
    "half_life_days": _within(1, 3_660, "days"),
    "limit": _within(1, 100, "claims"),
    "budget": _within(1_000, 100_000, "characters"),
    "cues": folder,
}
HOOK: Mapping[str, Check] = {"run": _command, "on": _occasions, "timeout": _hook_seconds}
NOTIFY: Mapping[str, Check] = {
    "ping_url": _url(_PING, "https://ping.example.com/your-key"),
    "apprise": _each(_url(_SERVICE, "ntfys://ntfy.sh/your-topic"), '["ntfys://ntfy.sh/your-topic"]'),
    "quiet_line": _switch,
}

# Every table of the file by its name: for the hint where a key that stands in the wrong one belongs.
TABLES: Mapping[str, Mapping[str, Check]] = {
    "": TOP,
    "scan": SCAN,
    "scan.roots": ROOT,
    "stacks": STACK,
    "me": ME,
    "schedule": SCHEDULE,
    "reports": REPORTS,
    "memory": MEMORY,
    "dreaming": DREAMING,
    "hooks": HOOK,
    "notify": NOTIFY,
}
