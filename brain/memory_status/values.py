"""What the state of a memory consists of."""

from __future__ import annotations

from brain.locate import Link
from brain.value import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One question and its answer: ``why`` says what is wrong and what to do, or what was found.

    ``name`` is that of a file, or of what else was asked; ``path`` is absolute.
    """

    name: str
    ok: bool
    why: str
    path: str


@dataclass(frozen=True, slots=True)
class Score:
    """How many of how many checks passed."""

    passed: int
    total: int

    @property
    def percent(self) -> int:
        """Rounded as JavaScript does: a half goes up. 100 when there was nothing to check."""
        return int(self.passed / self.total * 100 + 0.5) if self.total else 100


@dataclass(frozen=True, slots=True)
class FileStatus:
    """One file of a memory.

    ``exists`` is BMAD+'s answer: anything of that name, a folder too. ``entries`` counts real entries, None
    where a file has none by its nature or could not be read; ``headings`` counts lines that begin with
    ``### `` as BMAD+ does, the template's sample included. ``valid`` tells that the file can be read, is
    well-formed and says more than its template; if not, ``why`` says what is wrong. ``modified`` is in epoch
    seconds. ``newest`` is the latest date (``YYYY-MM-DD``) that an entry bears, "" without any.
    """

    name: str
    path: str
    exists: bool
    entries: int | None
    headings: int
    valid: bool
    why: str
    modified: float | None
    newest: str = ""


@dataclass(frozen=True, slots=True)
class LedgerStatus:
    """One ledger that is there: how many records it holds, and the numbers of its damaged lines.

    ``why`` says what is wrong, empty for a whole one.
    """

    name: str
    path: str
    records: int
    damaged: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    """A project's own memory.

    ``present`` tells whether ``.agents/memory`` exists as BMAD+ asks it, ``compatible`` is its figure then,
    else None. ``sessions`` counts names that end in ``.md``. ``link`` is the record of the brain, None
    without one; ``context_date`` the date that the context bears, "" without one, ``context_is_stale`` our
    verdict.
    """

    path: str
    present: bool
    files: tuple[FileStatus, ...]
    sessions: int
    link: Link | None
    ledgers: tuple[LedgerStatus, ...]
    context_date: str
    context_is_stale: bool
    compatible: Score | None
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class BrainStatus:
    """The brain that holds for the project: ``type`` and ``source`` as in ``brain.locate``.

    ``compatible`` is BMAD+'s figure, None for a brain of another kind: BMAD+'s five questions are about files
    that such a brain need not have. ``projects`` counts names that end in ``.yaml``; ``entry_point`` is the
    page that a portfolio brain wants read first.
    """

    path: str
    type: str
    source: str
    present: bool
    files: tuple[FileStatus, ...]
    projects: int
    has_index: bool
    entry_point: str | None
    compatible: Score | None
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class MemoryStatus:
    """Both parts, and what BMAD+ would show for those that it can judge: None where it shows nothing.

    How healthy they are is another question, with one formula: ``brain.health``.
    """

    project: ProjectStatus
    brain: BrainStatus
    compatible: Score | None
