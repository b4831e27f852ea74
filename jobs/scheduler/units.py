"""The unit files: from the templates in ``systemd/`` and absolute paths to the text that systemd reads.

The quoting is that of systemd.service(5) and systemd.unit(5): words in double quotes with backslashes, ``%``
doubled because it begins a specifier. In the path of a program ``$`` means itself.
"""

from __future__ import annotations

import os
import re

from jobs.errors import ExpectedError
from jobs.scheduler.seal import sealed
from jobs.scheduler.values import Installation
from reports.view import has_odd_bytes, is_hostile, safe_display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.schedule.text import Schedule

RUN, TIMER, FAILED, DAEMON = (
    *("zecher-run.service", "zecher-run.timer"),
    *("zecher-failed@.service", "zecherd.service"),
)
UNITS = (RUN, TIMER, FAILED, DAEMON)

_PLACE = re.compile(r"@([A-Z_]+)@")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def render(name: str, installation: Installation) -> str:
    """The text of the unit ``name``, with the mark of what was generated in its first line."""
    places = {
        "PROGRAM": started(installation.program),
        "ENVIRONMENT": _environment(name, installation),
        "CALENDAR": _lines("OnCalendar", installation.calendar),
        "WRITABLE": _lines("ReadWritePaths", [quoted("-" + folder) for folder in installation.folders]),
        "PRIVATE_NETWORK": "no" if installation.network else "yes",
        "SOCKETS": "AF_UNIX AF_INET AF_INET6" if installation.network else "AF_UNIX",
    }
    text = _template(name).replace("@SANDBOX@\n", _template("sandbox.conf"))
    body = _PLACE.sub(lambda found: places[found[1]], text)
    body = re.sub(r"\n{3,}", "\n\n", body)  # where there was nothing to say
    return sealed("", body, hint=f"put changes into a drop-in: systemctl --user edit {name}")


def calendar(schedules: list[Schedule]) -> tuple[str, ...]:
    """The times of ``schedules`` as systemd.time(7) writes them.

    Every few hours needs none: the timer looks every hour.
    """
    times = []
    for schedule in schedules:
        if schedule.time:
            day = "" if schedule.weekday is None else _DAYS[schedule.weekday] + " "
            zone = f" {schedule.zone}" if schedule.zone else ""
            times.append(f"{day}*-*-* {schedule.time}:00{zone}")
    return tuple(dict.fromkeys(times))


def quoted(path: str) -> str:
    """``path`` as one word of a unit file."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def started(program: str) -> str:
    """``program`` as the first word of a command.

    systemd refuses a program whose path holds a quote or a backslash; as an argument it takes one, so that
    ``env`` starts such a program. There ``$`` would begin a variable.
    """
    if not set(program) & set("\"'\\"):
        return quoted(program)
    return f"/usr/bin/env {quoted(program).replace('$', '$$')}"


def check_path(path: str) -> str:
    """``path``, if a unit file, a crontab and a plist can all hold it; else ``ExpectedError``."""
    if has_odd_bytes(path) or any(is_hostile(ord(character)) for character in path):
        raise ExpectedError(
            "schedule-path",
            f"{safe_display(path)} cannot be written into a scheduler's files",
            "its name holds a line break, an invisible character, or bytes that are not UTF-8",
            "Move it to a folder with a plain name, then install again.",
            path=path,
        )
    return path


def _environment(name: str, installation: Installation) -> str:
    """The variables, each commented, and who starts it: the ledger notes that."""
    lines = []
    if name == RUN:
        lines += ["# The run ledger notes who started the run.", "Environment=ZECHER_TRIGGER=timer"]
    if installation.environment:
        lines.append("# Where the command that installed this looked for its files.")
    lines += [f"Environment={quoted(f'{key}={value}')}" for key, value in installation.environment]
    return "\n".join(lines)


def _lines(key: str, values: list[str] | tuple[str, ...]) -> str:
    return "\n".join(f"{key}={value}" for value in values) or f"# No {key}= of the configuration's own."


def _template(name: str) -> str:
    with open(os.path.join(_folder(), name), encoding="utf-8") as file:
        return file.read()


def _folder() -> str:
    """The templates: inside the package once it is installed, beside it in a working copy."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "systemd")
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(package), "systemd")
