"""What is installed, what that changes, and how it stands afterwards; the same for every scheduler."""

from __future__ import annotations

from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from brain.files.reading import Seen
    from scanner.project import Problem

SYSTEMD, CRON, LAUNCHD = "systemd", "cron", "launchd"

# What is done to one file or entry. ``kept``: somebody edited it or it is not ours, so it stays.
CREATE, REPLACE, SAME, KEPT, REMOVE, LINK, UNLINK = (
    *("create", "replace", "same", "kept"),
    *("remove", "link", "unlink"),
)


@dataclass(frozen=True, slots=True)
class Installation:
    """What shall be started, and what it may do.

    ``program`` is the absolute path of the installed script; ``folders`` those that it may write;
    ``environment`` the variables that it needs to find the same places as the command that installs it;
    ``calendar`` the times at which a job is due, as systemd writes them; ``logs`` a folder for the output
    where a scheduler has no journal. ``network``: somebody is told over it. ``daemon``: the scheduler of our
    own instead of single runs.
    """

    program: str
    folders: tuple[str, ...]
    logs: str
    environment: tuple[tuple[str, str], ...] = ()
    calendar: tuple[str, ...] = ()
    network: bool = False
    daemon: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to the file or entry at ``path``.

    ``text`` is what it holds afterwards (the target of a link); ``seen`` what was read there, None where
    nothing was. ``why`` tells the reason of what is ``kept``.
    """

    action: str
    path: str
    text: str = ""
    seen: Seen | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the scheduler's own program; a failure of one that is not ``needed`` says nothing."""

    command: tuple[str, ...]
    needed: bool = True
    given: bytes = b""


@dataclass(frozen=True, slots=True)
class Plan:
    """All that one scheduler needs: calls before, files, calls after.

    ``by_hand`` are calls that cannot be made from here; ``problems`` are known before anything is done.
    """

    kind: str
    before: tuple[Step, ...] = ()
    changes: tuple[Change, ...] = ()
    after: tuple[Step, ...] = ()
    by_hand: tuple[Step, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing of ours to change."""
        return all(change.action in (SAME, KEPT) for change in self.changes)


@dataclass(frozen=True, slots=True)
class State:
    """How one scheduler stands.

    ``entries`` are the paths (for cron: its name) of what is ours, ``edited`` those of them that somebody
    edited; ``runs`` is ``timer``, ``daemon``, ``hourly`` or empty where nothing is installed. ``active`` is
    None where nobody can tell. ``lingering``: it runs without a login; None where that is no question here
    or cannot be told. ``next_run`` is in the words of the scheduler, empty where it says nothing.
    """

    kind: str
    entries: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    runs: str = ""
    active: bool | None = None
    lingering: bool | None = None
    next_run: str = ""

    @property
    def installed(self) -> bool:
        """Whether an entry of ours is there that starts something."""
        return bool(self.runs)


def words(command: Sequence[str]) -> str:
    """A command as a person would type it."""
    import shlex  # noqa: PLC0415 - start-up: only where commands are shown

    return shlex.join([command[0].rpartition("/")[2], *command[1:]])
