"""The values of dreaming: what notes say, how often, and what becomes of it.

Days are ``YYYY-MM-DD``, paths relative to the workspace with ``/``, lines count from 1.
"""

from __future__ import annotations

from brain.value import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EXPLICIT, STAGED = "explicit", "staged"
"""Marks: its writer asked to keep it; a person staged it out of notes of the past."""

FRAGMENT, PLAIN, CANDIDATE, LASTING = 0.5, 0.62, 0.82, 0.92
"""How lasting a text reads, as OpenClaw weighs it; a few words that state nothing read least so."""

FAILURES = {
    "recurrence": "noted on too few days, recalled too seldom, and not marked as to be kept",
    "fragment": "its few words state nothing",
    "score": "its score is below the minimum",
    "age": "it was last noted or recalled too long ago",
    "promoted": "it is promoted already, or was archived and not noted since",
    "known": "MEMORY.md says so already",
    "contradicted": "something else in the notes or in MEMORY.md says otherwise",
    "expired": "the day on which it ends is past",
    "limit": "others scored higher, and no more are proposed in a run",
    "form": "it stands in most notes, or in each seventh: a form or a chore",
    "secret": "it holds a secret",
}
"""The gates by name, and what it means to fail one."""

REASONS = {
    "task": "a task",
    "log": "what was done or happened",
    "code": "code or a command",
    "table": "a table",
    "template": "a template or placeholder",
    "heading": "a heading",
    "generated": "written by a program",
    "untrusted": "marked as untrusted: nobody vouches for it",
    "secret": "holds a secret",
    "smuggled": "text that is not meant for people",
    "too-short": "too short",
    "too-long": "too long",
    "too-many": "beyond what is read of one note",
    "garbled": "holds bytes that are no text",
    "quotation": "a quotation of somebody else",
    "question": "a question",
    "relative": "holds on the day of its note only",
    "blocked-section": "stands in a section of tasks, questions or logs",
    "expired": "the day on which it ends is past",
    "future": "a note of a day to come",
    "already-known": "MEMORY.md says so already",
}
"""Why a line of a note is no candidate, or a candidate no proposal."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line of a note that says it, and the day of the note."""

    path: str
    line: int
    day: str


@dataclass(frozen=True, slots=True)
class Recall:
    """A search that found it: the hash of the question, the day, and the score of the hit, 0 to 1."""

    query: str
    day: str
    score: float


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that notes say, in one wording or in several that differ in nothing that counts.

    ``id`` and ``text`` are those of the wording that was noted first, without the mark of a list; ``also``
    are the ids of the others. ``mark`` is empty, ``explicit`` or ``staged``, ``marked`` the day of that.
    ``until`` is the last day on which it holds, empty without one. ``lang`` is ``de``, ``en``, ``fr`` or
    empty. ``heading`` is the title of the section in which it was noted first.
    """

    id: str
    text: str
    lang: str
    evidence: tuple[Evidence, ...]
    recalls: tuple[Recall, ...] = ()
    mark: str = ""
    marked: str = ""
    reading: float = PLAIN
    tags: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    until: str = ""
    heading: str = ""

    @property
    def days(self) -> tuple[str, ...]:
        """The days on which it was noted, each once, the oldest first."""
        return tuple(sorted({one.day for one in self.evidence}))

    @property
    def ids(self) -> tuple[str, ...]:
        """Its id and those of its other wordings."""
        return (self.id, *self.also)


@dataclass(frozen=True, slots=True)
class Gates:
    """What a claim must reach to be proposed; ``limit`` proposals a run, the best first."""

    min_score: float = 0.75
    min_recalls: int = 3
    min_queries: int = 2
    min_days: int = 3
    max_age_days: int = 30
    half_life_days: float = 14
    limit: int = 10


@dataclass(frozen=True, slots=True)
class Components:
    """The six parts of a score, each 0 to 1."""

    frequency: float
    relevance: float
    diversity: float
    recency: float
    consolidation: float
    conceptual: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """The score of a claim, 0 to 1, what it is made of, and the gates that it failed (see ``FAILURES``)."""

    score: float
    components: Components
    failed: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether no gate failed."""
        return not self.failed


@dataclass(frozen=True, slots=True)
class Proposal:
    """A claim that passed, and the ids of claims and of items in MEMORY.md that no longer hold with it."""

    claim: Claim
    verdict: Verdict
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A claim that did not pass; ``verdict.failed`` says why."""

    claim: Claim
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Example:
    """A line that was left out; ``text`` is cut, and masked where it holds a secret."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """How many lines were left out for a reason (see ``REASONS``), and the first few of the newest."""

    reason: str
    count: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of two that do not agree: a claim, or a line of MEMORY.md.

    ``path`` and ``line`` are those of its newest note; ``first`` and ``last`` the days of its notes, empty
    for a line that a person wrote in MEMORY.md (``is_human``), whose ``id`` is empty too.
    """

    id: str
    text: str
    path: str
    line: int
    first: str = ""
    last: str = ""
    is_human: bool = False


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two that nearly agree but for what ``differ`` names: ``number``, ``date``, ``negation``.

    ``is_ordered``: every note of ``later`` is newer than all of ``earlier``, so that it may stand for it.
    ``is_certain``: nothing else that counts differs; another may be about two things, and holds nothing up.
    """

    earlier: Side
    later: Side
    differ: tuple[str, ...]
    is_ordered: bool
    is_certain: bool


@dataclass(frozen=True, slots=True)
class Theme:
    """A word that many claims of the last week share: how many, on how many days, and 0 to 1 how strongly."""

    tag: str
    claims: int
    days: int
    strength: float


@dataclass(frozen=True, slots=True)
class Note:
    """A daily note: its path, the day that its name gives, its bytes, and 64 hex digits of their SHA-256."""

    path: str
    day: str
    data: bytes
    digest: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that would be a note but was not read: ``code`` as in ``UnreadableError``, or ``too-many``."""

    path: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """What a sweep looks at: notes in any order, and the bytes of MEMORY.md, None without one."""

    notes: tuple[Note, ...]
    memory: bytes | None = None
    unread: tuple[Unread, ...] = ()


@dataclass(frozen=True, slots=True)
class Marks:
    """What is known of claims beside the notes, each by id.

    ``recalls`` are the searches that found it; ``staged`` the day on which a person staged it; ``promoted``
    is empty for what stands in MEMORY.md as an item of ours, else the day on which the item was archived or
    taken away.
    """

    recalls: Mapping[str, tuple[Recall, ...]] = field(default_factory=dict)
    staged: Mapping[str, str] = field(default_factory=dict)
    promoted: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep found; the same notes, memory, marks, gates and day give the same.

    ``notes`` and ``days`` count what was read, ``claims`` what it says. ``expired`` are the ids of claims
    whose last day is past.
    """

    proposals: tuple[Proposal, ...]
    near_misses: tuple[NearMiss, ...]
    skipped: tuple[Skipped, ...]
    contradictions: tuple[Contradiction, ...]
    themes: tuple[Theme, ...]
    claims: int
    notes: int
    days: int
    expired: tuple[str, ...] = ()
