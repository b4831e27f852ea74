"""What a resume card holds: quotations, each with the file and line that it stands in."""

from __future__ import annotations

from brain.health.cold_start import ColdStart
from brain.value import dataclass, field

GOAL, STATE, TESTS, NEXT, BLOCKERS = "goal", "state", "tests", "next_step", "blockers"
HANDOVER, COMMITS, DECISIONS = "last_handover", "commits", "decisions"
LESSONS, OPEN = "lessons", "open_questions"
UNSAVED, LOOPS = "unsaved", "loops"

SECTIONS = (GOAL, NEXT, BLOCKERS, STATE, TESTS, HANDOVER, LOOPS, UNSAVED, DECISIONS, OPEN, LESSONS, COMMITS)
"""All parts of a card, what matters most first: in this order they are kept where room is short."""

BY_COMMIT, BY_TEXT, BY_FILE = "commit", "text", "file"


@dataclass(frozen=True, slots=True)
class Said:
    """A quotation: ``text`` as it stands there without marks of lists, ``file`` relative to the project.

    ``line`` counts from 1. ``matched`` are the words that it shares with the goal, where that is why it is
    here. ``is_none``: it says that there is none. ``title`` is that of the entry that it stands in, at
    ``title_line``; empty, at 0, where there is none and where ``text`` holds it.
    """

    text: str
    file: str
    line: int
    matched: tuple[str, ...] = ()
    is_none: bool = False
    title: str = ""
    title_line: int = 0


@dataclass(frozen=True, slots=True)
class Decided(Said):
    """A decision in force: its day, why it was made, what was rejected; empty where it does not say."""

    day: str = ""
    why: str = ""
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class Handed(Said):
    """The last handover.

    ``kind`` is ``progress``, ``session``, ``context``, ``daily`` or ``journal``. ``day`` is ``YYYY-MM-DD``,
    ``dated_by`` says what tells it: ``commit``, ``text`` or ``file`` (its date on the disk). ``commit`` is
    the hash that it records, empty without one; ``is_known`` whether the history has it, ``drift`` how many
    commits came after it that touch more than handover files: both None where nobody can tell.
    """

    kind: str = ""
    day: str = ""
    dated_by: str = ""
    commit: str = ""
    is_known: bool | None = None
    drift: int | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: its whole name, when it was made in epoch seconds, its subject."""

    name: str
    when: float
    subject: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """What an older source says otherwise about ``section``, and from which day that is."""

    section: str
    said: Said
    day: str


@dataclass(frozen=True, slots=True)
class Unfound:
    """A section about which no file says anything, and why in a few words."""

    section: str
    why: str


@dataclass(frozen=True, slots=True)
class ResumeCard:
    """Where a project stands.

    Each part is a tuple, empty where nothing was found or where it was left out; the first five and the last
    handover hold one at most but for the blockers. ``commits`` are the last ten that are no merges, newest
    first. ``left_out`` counts decisions and lessons that match and are not shown, by section.
    """

    goal: tuple[Said, ...] = ()
    next_step: tuple[Said, ...] = ()
    blockers: tuple[Said, ...] = ()
    state: tuple[Said, ...] = ()
    tests: tuple[Said, ...] = ()
    last_handover: tuple[Handed, ...] = ()
    decisions: tuple[Decided, ...] = ()
    open_questions: tuple[Said, ...] = ()
    lessons: tuple[Said, ...] = ()
    commits: tuple[Commit, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    not_found: tuple[Unfound, ...] = ()
    more: tuple[tuple[str, int], ...] = ()
    cold_start: ColdStart = field(default_factory=lambda: ColdStart(None, ()))
