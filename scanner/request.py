"""What a scan is asked, and what it holds ready for every project that it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scanner.git.index import LastIndex
from scanner.ignore import IgnoreFile
from scanner.mounts import Mounts
from scanner.project import Identity, Root, Thresholds
from scanner.stacks import Markers, UserRule
from scanner.value import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """What to scan and how; all that the scanner knows of the world outside the roots.

    ``now`` is epoch seconds; ``deadline`` counts seconds on ``clock`` (monotonic), None for no limit;
    ``exclude`` holds patterns in gitignore syntax, judged on folders below each root. ``user_ignore`` names
    the ignore files that hold for all repositories of the user, lowest precedence first; a file that is not
    there, or is no regular file, says nothing. ``unsaved`` asks for what exists on this machine only;
    ``emails`` are the addresses under which the user commits. ``known`` says by path what projects were known
    by before: where that still holds, the beginning of a history is not looked for again.
    """

    roots: tuple[Root, ...]
    thresholds: Thresholds
    now: float
    nested: str = "none"
    exclude: tuple[str, ...] = ()
    own_ignore: bool = False
    deadline: float | None = None
    user_rules: tuple[UserRule, ...] = ()
    clock: Callable[[], float] | None = None
    user_ignore: tuple[str, ...] = ()
    unsaved: bool = False
    emails: tuple[str, ...] = ()
    known: Mapping[str, Identity] | None = None


@dataclass(slots=True)
class Ground:
    """What one scan reads once, for all its projects.

    ``allowed`` are the roots by their real paths; ``user_ignore`` the user's rules, lowest precedence first;
    ``index`` the index that was read last.
    """

    request: Request
    markers: Markers
    mounts: Mounts
    user_ignore: tuple[IgnoreFile, ...]
    index: LastIndex
    allowed: tuple[str, ...] = ()
