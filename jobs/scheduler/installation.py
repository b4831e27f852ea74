"""What shall be installed: where the program lies, what it writes, when it is due."""

from __future__ import annotations

import os
from collections.abc import Iterator

from jobs.config import load_configuration
from jobs.errors import ExpectedError
from jobs.places import cache_folder, named_places, reports_folder
from jobs.registry import schedules
from jobs.scheduler.units import calendar, check_path
from jobs.scheduler.values import Installation
from jobs.settings import read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed

_XDG = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


def installation_of(
    typed: Typed, surroundings: Surroundings, started: str, interpreter: str, *, daemon: bool
) -> Installation:
    """The installation that the configuration and the command line ask for.

    ``started`` is the first word of this process, ``interpreter`` the path of its Python. Raises
    ``ExpectedError`` for a path that no scheduler's file can hold, and where no script is installed.
    """
    configuration = load_configuration(surroundings, typed.text("config"))
    settings = read_settings(typed, surroundings)
    folders = (
        settings.brain,
        settings.state,
        cache_folder(surroundings, configuration),
        reports_folder(surroundings, configuration),
        # Without it the job of dreaming only looks at them.
        *(configuration.dreaming.workspaces if configuration.dreaming.auto_promote else ()),
    )
    environment = tuple(_environment(typed, surroundings))
    return Installation(
        program=check_path(installed_program(started, interpreter, surroundings)),
        folders=tuple(dict.fromkeys(check_path(os.path.realpath(folder)) for folder in folders)),
        logs=check_path(os.path.join(settings.state, "logs")),
        environment=tuple((name, check_path(value)) for name, value in environment),
        calendar=calendar(list(schedules(configuration).values())),
        network=bool(configuration.notify.ping_url or configuration.notify.apprise),
        daemon=daemon,
    )


def installed_program(started: str, interpreter: str, surroundings: Surroundings) -> str:
    """The script ``zecher``: the one that was started, else the one beside the interpreter.

    A link to it is kept as it is: installers of tools put one where it stays through every upgrade.
    """
    candidates = [os.path.join(os.path.dirname(interpreter), "zecher")]
    if os.path.basename(started) in ("zecher", "scan"):
        candidates.insert(0, os.path.join(os.path.dirname(surroundings.absolute(started)), "zecher"))
    for path in candidates:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise ExpectedError(
        "no-script",
        "there is no script that a scheduler could start",
        f"neither the running program nor {os.path.dirname(interpreter)} has one called zecher",
        "Install zecher, for example with uv tool install or pipx, and run that one.",
    )


def _environment(typed: Typed, surroundings: Surroundings) -> Iterator[tuple[str, str]]:
    """What tells a run of the scheduler the same places as this command."""
    for name in _XDG:
        if os.path.isabs(surroundings.environ.get(name, "")):
            yield name, surroundings.environ[name]
    flags = {f"ZECHER_{name.upper()}": typed.text(name) for name in ("config", "brain")}
    typed_places = {name: surroundings.absolute(value) for name, value in flags.items() if value}
    yield from (named_places(surroundings) | typed_places).items()
