"""Where everything lies: a flag says so, else a ``ZECHER_`` variable, the configuration, or the default."""

from __future__ import annotations

import os

from jobs.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.config_values import Configuration
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed

VARIABLES = ("CONFIG", "BRAIN", "STATE", "CACHE", "REPORTS")
"""The variables that name a file or a folder, without ``ZECHER_``; a relative one is meant from here."""

SNAPSHOTS = "snapshots"
"""The folder of the state folder in which jobs leave what they saw (``jobs.snapshots``)."""


def brain_override(
    typed: Typed, surroundings: Surroundings, configuration: Configuration
) -> tuple[str, str] | None:
    """The brain that a flag, a variable or the configuration names, and which of them does; None if none."""
    flag, variable = typed.text("brain"), surroundings.variable("BRAIN")
    if flag:
        return surroundings.absolute(flag), "--brain"
    if variable:
        return surroundings.absolute(variable), "ZECHER_BRAIN"
    return (configuration.brain, configuration.path) if configuration.brain else None


def index_brain(typed: Typed, surroundings: Surroundings, configuration: Configuration) -> str:
    """The global brain, which holds the index: the one that was named, else that of the home folder."""
    named = brain_override(typed, surroundings, configuration)
    return named[0] if named else surroundings.at_home(os.path.join(".bmad-plus", "brain"))


def reports_folder(surroundings: Surroundings, configuration: Configuration) -> str:
    """Where reports go: outside the brain, so that none of them is ever read back as memory."""
    named = surroundings.variable("REPORTS")
    if named:
        return surroundings.absolute(named)
    return configuration.reports.folder or surroundings.at_home(os.path.join(".bmad-plus", "reports"))


def refuse_reports_in_brain(folder: str, brain: str) -> None:
    """``UsageError`` where the reports in ``folder`` would be read back as memory.

    The check of the configuration sees neither variables nor flags nor links.
    """
    real, inside = os.path.realpath(folder), os.path.realpath(brain)
    if real == inside or real.startswith(inside.rstrip(os.sep) + os.sep):
        raise UsageError(
            "reports-in-brain",
            f"the reports folder {folder} lies in the brain {brain}",
            "reports would be read back as memory",
            "Name another folder: reports.folder in the configuration, or ZECHER_REPORTS.",
            path=folder,
        )


def state_folder(surroundings: Surroundings, configuration: Configuration) -> str:
    """Where the ledger of runs lies, the locks, the snapshots and what else Zecher remembers here."""
    named = surroundings.variable("STATE")
    if named:
        return surroundings.absolute(named)
    return configuration.state or _usual(surroundings, "XDG_STATE_HOME", ".local/state")


def cache_folder(surroundings: Surroundings, configuration: Configuration) -> str:
    """Where lies what may be deleted at any time, for it can be made anew."""
    named = surroundings.variable("CACHE")
    if named:
        return surroundings.absolute(named)
    return configuration.cache or _usual(surroundings, "XDG_CACHE_HOME", ".cache")


def scan_cache(surroundings: Surroundings, configuration: Configuration) -> str:
    """The file in which scans leave what they learned."""
    return os.path.join(cache_folder(surroundings, configuration), "scan-cache")


def named_places(surroundings: Surroundings) -> dict[str, str]:
    """The variables that name a place, whole and absolute: for a process that stands in another folder."""
    return {
        f"ZECHER_{name}": surroundings.absolute(value)
        for name in VARIABLES
        if (value := surroundings.variable(name))
    }


def _usual(surroundings: Surroundings, variable: str, default: str) -> str:
    return os.path.join(surroundings.base(variable, default), "zecher")
