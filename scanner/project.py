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
class Branch:
    """A local branch against its upstream, or a detached ``HEAD`` (its name is ``(detached)``).

    ``upstream`` is a short name such as ``origin/main``, None without one; ``gone``: it is configured, but is
    not there any more. ``ahead`` and ``behind`` count commits, at most 500 (``capped``), None where it cannot
    be told.
    """

    name: str
    upstream: str | None = None
    ahead: int | None = None
    behind: int | None = None
    gone: bool = False
    capped: bool = False


@dataclass(frozen=True, slots=True)
class Risk:
    """Work that exists on this machine only.

    ``what`` names its kinds, gravest first: ``uncommitted``, ``unpushed``, ``stash``, ``no-remote``,
    ``in-progress``; ``count`` is how many files, commits and stashes that are; ``since`` is the oldest date
    of them in epoch seconds, None where none is known.
    """

    what: tuple[str, ...]
    count: int
    since: float | None = None


@dataclass(frozen=True, slots=True)
class Unsaved:
    """What ``git status`` and a comparison with all remotes would say of a project.

    The first five count paths, over all its work trees; ``may_be_modified`` those of which only a program
    could tell. ``only_here`` counts commits that no remote-tracking branch holds, at most 500
    (``only_here_capped``). Dates are epoch seconds.
    """

    staged: int = 0
    modified: int = 0
    deleted: int = 0
    untracked: int = 0
    conflicted: int = 0
    may_be_modified: int = 0
    truncated: bool = False
    branches: tuple[Branch, ...] = ()
    only_here: int = 0
    only_here_capped: bool = False
    stashes: int = 0
    oldest_stash: float | None = None
    in_progress: str | None = None
    has_remote: bool = False
    risk: Risk | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """One package of a workspace: a folder inside the project (relative path) with its own stack."""

    path: str
    name: str
    kind: str
    stack: str = "Unknown"
    stacks: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class Identity:
    """What a project is known by when it was moved or renamed.

    ``root_commits`` are the first commits of its history, along first parents from ``HEAD``; none where there
    is no history, or where it is not there down to its beginning. ``cut`` tells that it was too long to be
    followed. ``remote`` is as in ``Vcs``; ``device`` and ``inode`` are the folder's; ``signature`` tells what
    lies in the folder (see ``scanner.identity``).
    """

    root_commits: tuple[str, ...] = ()
    cut: bool = False
    remote: str | None = None
    device: int = 0
    inode: int = 0
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Ownership:
    """Whether a project is the user's own: None where that cannot be told.

    ``last_own_work`` is when the user last made something here, in epoch seconds, as the reflogs tell.
    """

    mine: bool | None = None
    last_own_work: float | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """One project as the scan saw it. ``git`` is None where it was not asked for."""

    path: str
    name: str
    stacks: Stacks
    activity: Activity
    status: Status
    vcs: Vcs | None
    has_git: bool
    bmad_installed: bool
    members: tuple[Member, ...] = ()
    nested: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    why: str = ""
    git: Unsaved | None = None
    identity: Identity = field(default_factory=Identity)
    ownership: Ownership = field(default_factory=Ownership)


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to search. ``depth`` counts folders below it: 0 is the root itself.

    Past ``max_folders`` folders read, or ``max_entries`` entries in them, the search of it stops.
    """

    path: str
    depth: int = 4
    max_entries: int = 2_000_000
    max_folders: int = 200_000


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Days since the last activity: below ``active`` is active, below ``paused`` is paused, else archived."""

    active: float = 30.0
    paused: float = 180.0


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the walk saw and what it did not: nothing is left out in silence.

    ``over_budget`` are roots that hold more than may be read; ``placeholders`` counts the files that were not
    opened because their content lies in a cloud.
    """

    directories: int = 0
    entries: int = 0
    pruned: tuple[tuple[str, int], ...] = ()
    unreadable: tuple[str, ...] = ()
    cut_by_depth: int = 0
    deadline_hit: bool = False
    over_budget: tuple[str, ...] = ()
    placeholders: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """The whole result of one scan, projects ordered by path."""

    roots: tuple[Root, ...]
    thresholds: Thresholds
    projects: tuple[Project, ...]
    coverage: Coverage = field(default_factory=Coverage)
    problems: tuple[Problem, ...] = ()
