"""The machine that something is installed on: its programs, its users, its folders."""

from __future__ import annotations

import os
from collections.abc import Sequence

from jobs.processes import Answer, ProcessError, ask, find_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.surroundings import Surroundings

_SECONDS = 30.0
_COMMANDS = ("cron", "crond", "fcron", "busybox-crond")


class Machine:
    """Handed to every scheduler; each place that the system itself owns can be another one in a test."""

    def __init__(
        self,
        surroundings: Surroundings,
        *,
        platform: str,
        processes: str = "/proc",
        booted: str = "/run/systemd/system",
        lingering: str = "/var/lib/systemd/linger",
    ) -> None:
        self.environ = surroundings.environ
        self.home = surroundings.at_home("")
        self.units = os.path.join(surroundings.base("XDG_CONFIG_HOME", ".config"), "systemd", "user")
        data = surroundings.base("XDG_DATA_HOME", ".local/share")
        self.stamp = os.path.join(data, "systemd", "timers", "stamp-zecher-run.timer")
        self.agents = os.path.join(self.home, "Library", "LaunchAgents")
        self.platform = platform
        self.uid: int = getattr(os, "getuid", lambda: 0)()  # not on every system
        self._processes = processes
        self._booted = booted
        self._lingering = lingering

    def program(self, name: str) -> str | None:
        """The absolute path of a program of the system, None where it has none of that name."""
        return find_program(name, self.environ)

    def ask(self, command: Sequence[str], given: bytes = b"", *, cap: int = 64 * 1024) -> Answer:
        """Run a program of the system in the environment of the user; one that hangs or is missing failed."""
        try:
            return ask(command, {**self.environ, "LC_ALL": "C"}, seconds=_SECONDS, given=given, cap=cap)
        except ProcessError as error:
            return Answer(-1, b"", str(error).encode("utf-8", "replace"))

    @property
    def was_started_by_systemd(self) -> bool:
        """Whether systemd is the first process of this machine, as sd_booted(3) tells."""
        return os.path.isdir(self._booted)

    @property
    def user(self) -> str:
        """The name of the user, empty where the system knows none."""
        import pwd  # noqa: PLC0415 - not on every system

        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return ""

    @property
    def lingers(self) -> bool | None:
        """Whether the user's manager runs without a login; None where nobody keeps that here.

        systemd-logind keeps one empty file a user; no bus is needed to look at it.
        """
        if not os.path.isdir(os.path.dirname(self._lingering)):
            return None
        return bool(self.user) and os.path.exists(os.path.join(self._lingering, self.user))

    @property
    def has_cron(self) -> bool | None:
        """Whether a cron daemon is running; None where the processes of others cannot be seen."""
        if self.platform == "darwin":
            return True  # launchd starts cron as soon as there is a crontab
        try:
            numbers = [name for name in os.listdir(self._processes) if name.isdigit()]
        except OSError:
            return None
        names = {self._name(number) for number in numbers}
        if names & set(_COMMANDS):
            return True
        # With hidepid only our own processes are there, and the first one is not.
        return False if "1" in numbers else None

    def _name(self, number: str) -> str:
        try:
            with open(os.path.join(self._processes, number, "comm"), "rb") as file:
                return file.read(64).decode("utf-8", "replace").strip()
        except OSError:
            return ""
