"""What the process is surrounded by, read once: environment, home, folder, clock."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from jobs.errors import ExpectedError, UsageError


class Surroundings:
    """Handed to every command; nothing below reads the environment or the clock itself.

    ``home`` and ``cwd`` are absolute or empty when the system cannot tell; ``now`` is in epoch seconds.
    """

    __slots__ = ("cwd", "environ", "home", "now")

    def __init__(self, environ: Mapping[str, str], home: str, cwd: str, now: float) -> None:
        self.environ = environ
        self.home = home
        self.cwd = cwd
        self.now = now

    def variable(self, name: str) -> str | None:
        """The value of ``ZECHER_<NAME>``; an empty one counts as not set."""
        return self.environ.get(f"ZECHER_{name}") or None

    def absolute(self, path: str) -> str:
        """``path`` as a person typed it, made absolute and tidy; links are kept."""
        if path == "~" or path.startswith("~" + os.sep):
            # A shell leaves "--brain=~/x" alone; nobody means a folder called "~" by it.
            path = self.at_home(path[2:])
        if not os.path.isabs(path):
            if not self.cwd:
                raise ExpectedError(
                    "no-current-folder",
                    f"{path} cannot be resolved",
                    "the current folder no longer exists",
                    "Change to a folder that exists, or give an absolute path.",
                )
            path = os.path.join(self.cwd, path)
        return os.path.normpath(path)

    def at_home(self, relative: str) -> str:
        """A path below the home folder."""
        if not self.home:
            raise ExpectedError(
                "no-home",
                "your home folder is not known",
                "HOME is not set to an absolute path and the system knows no home for this user",
                "Set HOME.",
            )
        return os.path.join(self.home, relative) if relative else self.home

    def base(self, variable: str, default: str) -> str:
        """One of the XDG base folders, for example ``base("XDG_STATE_HOME", ".local/state")``."""
        chosen = self.environ.get(variable, "")
        return chosen if os.path.isabs(chosen) else self.at_home(default)


def surroundings_of_process(now: str | None) -> Surroundings:
    """What surrounds this process; ``now`` is the value of ``--now`` if that was given.

    The one place that reads the environment and the clock for a command. Raises ``UsageError`` for a time
    that is none.
    """
    environ = dict(os.environ)
    variable = environ.get("ZECHER_NOW")
    if now is not None:
        moment = fixed_now(now, "--now")
    else:
        moment = fixed_now(variable, "ZECHER_NOW") if variable else time.time()
    return Surroundings(environ, home_folder(environ), current_folder(), moment)


def home_folder(environ: Mapping[str, str]) -> str:
    """HOME, or what the system's user database says when HOME is empty, relative or missing."""
    home = environ.get("HOME", "")
    if os.path.isabs(home):
        return os.path.normpath(home)
    try:
        import pwd  # noqa: PLC0415 - not on every system, and rarely needed

        found = pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError, AttributeError):
        found = os.path.expanduser("~")
    return found if os.path.isabs(found) else ""


def current_folder() -> str:
    """The current folder, or an empty string when it has been deleted."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def fixed_now(text: str, origin: str) -> float:
    """Epoch seconds of an ISO 8601 time; without an offset it is UTC, a date alone is its first second."""
    from datetime import UTC, datetime  # noqa: PLC0415 - start-up: 2 ms, only when the clock is fixed

    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(
            "bad-time",
            f"{origin}: {text!r} is not a time",
            "times are written in ISO 8601",
            "Write it like 2026-11-30T03:17:04Z.",
        ) from None
