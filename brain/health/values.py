"""What the health of a memory consists of: files that were read, rules, findings, scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from brain.health.today import Today
from brain.value import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory

ERROR, WARNING, INFO = "error", "warning", "info"
LEVELS = (ERROR, WARNING, INFO)

CRITICAL, HIGH, MEDIUM, LOW = 10.0, 7.5, 5.0, 2.5
"""The weights of rules."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or worth knowing, with one memory.

    ``code`` is that of its rule. ``project`` is the project's path, or the brain's. ``file`` is relative to
    it, with ``/``, empty where no file is meant; ``line`` counts from 1, 0 without one. ``message`` holds the
    fact with its number and no age that grows by the day; ``fix`` says what to do. ``anchor`` names what is
    meant so that it is known again when lines move: an entry's title, a target; never a line number.
    ``since`` is a day (``YYYY-MM-DD``) from which its age can be told, empty without one.
    """

    code: str
    level: str
    project: str
    file: str
    line: int
    message: str
    fix: str
    anchor: str = ""
    since: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """By what it is known again within its project: code, file, anchor."""
        return (self.code, self.file, self.anchor)


@dataclass(frozen=True, slots=True)
class Rule:
    """One question to a memory.

    ``check`` returns None where the question does not apply, nothing where it is passed, else its findings.
    It is passed unless one of them is a warning or an error: information never lowers a score. ``weight`` is
    one of the four. ``what`` is the rule as a sentence that is true of a memory that passes.
    """

    code: str
    weight: float
    what: str
    check: Callable[[ParsedMemory, Today], Iterable[Finding] | None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a rule ended for one memory: ``passed`` is None where it did not apply."""

    code: str
    weight: float
    passed: bool | None


@dataclass(frozen=True, slots=True)
class Gain:
    """What a score would gain, in points of a hundred, if the rule ``code`` were passed."""

    code: str
    points: float
    what: str


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """One file of a memory as it was read.

    ``role`` is one of ``brain.health.roles``; ``path`` is relative to the project, with ``/``. ``data`` is
    empty where it could not be read, and ``problem`` says why then (a code of ``UnreadableError``).
    ``target`` is where a link leads, relative to the project, empty for a file of its own. ``stamp`` is
    (modification time in ns, size, inode), ``mode`` its permission bits, ``owner`` the user that owns it.
    """

    role: str
    path: str
    data: bytes = b""
    problem: str = ""
    target: str = ""
    stamp: tuple[int, int, int] = (0, 0, 0)
    mode: int = 0o644
    owner: int = 0


@dataclass(frozen=True, slots=True)
class RecordedCommit:
    """A commit that a file names, against the history.

    ``known``: such a commit is there (None where it cannot be told, as in a shallow clone). ``ancestor``:
    ``HEAD`` comes after it. ``drift`` counts the commits from it to ``HEAD`` that touch more than handover
    files, at most 500, None where it cannot be told.
    """

    name: str
    known: bool | None
    ancestor: bool | None = None
    drift: int | None = None


@dataclass(frozen=True, slots=True)
class FileHistory:
    """What the history tells of one file, newest first; all commits in epoch seconds.

    ``changes`` are the last ten commits that touched it as (when, added lines, deleted lines, size after).
    ``commits_since`` counts the commits after the newest of them that touch more than handover files, at most
    500; ``last_commit`` is when the newest of those was made. ``earlier`` are earlier contents of the file,
    newest first, at most 50, where they were asked for.
    """

    path: str
    changes: tuple[tuple[float, int, int, int], ...] = ()
    commits_since: int = 0
    last_commit: float | None = None
    earlier: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class FolderHistory:
    """The files that once stood in a folder and are gone, by name, at most 50.

    Each is (name, last content, names of those that stood beside it).
    """

    path: str
    gone: tuple[tuple[str, bytes, frozenset[str]], ...] = ()


@dataclass(frozen=True, slots=True)
class GitFacts:
    """What version control says of a project; plain values, gathered by whoever can read them.

    ``commits`` are the last twenty that are no merges, newest first: (name, when, subject, has a body beyond
    trailers). ``last_files`` and ``last_lines`` are what the newest commit touches. Counts are as in
    ``git status``. ``recorded``, ``histories`` and ``folders`` answer what ``brain.health.questions`` asked.
    """

    head: str | None = None
    branch: str | None = None
    shallow: bool = False
    commits: tuple[tuple[str, float, str, bool], ...] = ()
    last_files: int = 0
    last_lines: int | None = None
    staged: int = 0
    modified: int = 0
    untracked: int = 0
    conflicted: int = 0
    in_progress: str | None = None
    stashes: int = 0
    unpushed: int = 0
    recorded: tuple[RecordedCommit, ...] = ()
    histories: tuple[FileHistory, ...] = ()
    folders: tuple[FolderHistory, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """All that rules may know of one project, or of the brain (``kind`` is ``project`` or ``brain``).

    ``status`` is the project's: ``active``, ``paused``, ``archived``, ``unknown``. ``files`` are ordered by
    role and path. ``names`` are the names that stand in the project's own folder and in the folders of its
    memory, relative paths; ``probes`` are further paths that were asked after, each with whether it is there.
    ``git`` is None without version control or where it could not be read. ``home`` writes ``~``. ``recalled``
    are the files, relative paths, that answered a question in the last 90 days; None where nobody kept count.
    ``lines`` are the files that pages of knowledge name, each with the number of its lines, None for what is
    not there.
    """

    path: str
    name: str
    kind: str = "project"
    status: str = "active"
    identifier: str = ""
    files: tuple[MemoryFile, ...] = ()
    names: frozenset[str] = frozenset()
    probes: dict[str, bool] = field(default_factory=dict)
    git: GitFacts | None = None
    home: str = ""
    user: int = 0
    recalled: frozenset[str] | None = None
    lines: dict[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Health:
    """How one memory is.

    ``findings`` are ordered by level, file, line, code. ``tokens`` estimates what an assistant loads when it
    begins to work here, with ``loads`` as (file, tokens), most first. ``next_step`` is what the handover says
    comes next, empty without one. ``turns`` is the day (``YYYY-MM-DD``) on which the same files may be judged
    otherwise, empty where no date matters.
    """

    path: str
    outcomes: tuple[Outcome, ...] = ()
    findings: tuple[Finding, ...] = ()
    tokens: int = 0
    loads: tuple[tuple[str, int], ...] = ()
    next_step: str = ""
    turns: str = ""

    @property
    def percent(self) -> int | None:
        """The weighted share of passed rules, rounded, a half goes up; None where no rule applied."""
        total = sum(one.weight for one in self.outcomes if one.passed is not None)
        passed = sum(one.weight for one in self.outcomes if one.passed)
        return int(passed / total * 100 + 0.5) if total else None
