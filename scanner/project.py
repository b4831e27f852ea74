"""The values that the scanner hands out. All frozen; times are epoch seconds, UTC; paths are ``str``.

A path that is not UTF-8 carries its odd bytes as surrogate escapes (``os.fsdecode``), so that it can be
opened again; whoever shows or stores it escapes them at the edge.
"""

from __future__ import annotations

from scanner.value import dataclass, field


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that could not be read or done: data for the result, never an exception for the caller.

    ``level`` is ``error`` (a root or a project is missing from the picture) or ``warning``.
    """

    code: str
    level: str
    path: str
    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """What one folder holds by name, from a single directory read; no entry was opened or followed.

    ``files`` are all names that are not real folders: regular files, links, pipes, sockets.
    """

    path: str
    files: frozenset[str]
    folders: frozenset[str]


@dataclass(frozen=True, slots=True)
class Label:
    """One name in a project's stack, with what it rests on.

    ``role`` is ``framework``, ``app``, ``language``, ``build`` or ``tool``; ``evidence`` is ``file`` or
    ``file:key``; ``confidence`` lies in 0..1.
    """

    label: str
    role: str
    evidence: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Stacks:
    """What a project is made of. ``primary`` is the first label's name, or ``Unknown``."""

    primary: str = "Unknown"
    labels: tuple[Label, ...] = ()
    name: str = ""
    description: str = ""
    package_manager: str | None = None
    toolchains: tuple[tuple[str, str], ...] = ()
    ci: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    agent_files: tuple[str, ...] = ()
    memory: tuple[str, ...] = ()
    workspace: str | None = None
    flags: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Vcs:
    """Facts about a project's version control.

    ``kind`` is ``git``, ``hg``, ...; ``role`` is ``normal``, ``worktree``, ``submodule``, ``bare`` or
    ``nested``; ``remote`` is the address of the default remote with every credential removed.
    """

    kind: str
    role: str = "normal"
    common_dir: str | None = None
    branch: str | None = None
    head: str | None = None
    remote: str | None = None
    object_format: str | None = None
    ref_storage: str | None = None
    shallow: bool = False
    worktrees: tuple[str, ...] = ()
    submodules: tuple[str, ...] = ()
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Activity:
    """When somebody last worked on a project, and how that is known.

    ``source`` is ``commit``, ``reflog``, ``stash``, ``worktree``, ``edit``, ``file`` or ``none``;
    ``confidence`` is ``high``, ``medium`` or ``low``; ``detail`` says in words what was dated.
    """

    when: float | None = None
    source: str = "none"
    confidence: str = "low"
    detail: str = ""
    runner_up: tuple[float, str] | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """``value`` is ``active``, ``paused``, ``archived`` or ``unknown``; ``reason`` says why in words."""

    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class Project:
    """One project as the scan saw it."""

    path: str
    name: str
    stacks: Stacks
    activity: Activity
    status: Status
    vcs: Vcs | None
    has_git: bool
    bmad_installed: bool
    members: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to search. ``depth`` counts folders below it: 0 is the root itself."""

    path: str
    depth: int = 4


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Days since the last activity: below ``active`` is active, below ``paused`` is paused, else archived."""

    active: float = 30.0
    paused: float = 180.0


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the walk saw and what it did not: nothing is left out in silence."""

    directories: int = 0
    entries: int = 0
    pruned: tuple[tuple[str, int], ...] = ()
    unreadable: tuple[str, ...] = ()
    cut_by_depth: int = 0
    deadline_hit: bool = False


@dataclass(frozen=True, slots=True)
class Scan:
    """The whole result of one scan, projects ordered by path."""

    roots: tuple[Root, ...]
    thresholds: Thresholds
    projects: tuple[Project, ...]
    coverage: Coverage = field(default_factory=Coverage)
    problems: tuple[Problem, ...] = ()
