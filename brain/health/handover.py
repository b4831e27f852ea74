"""What a progress file hands over: goal, state, commit, tests, blockers, next step, each with its line."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from brain.health.page import Page
    from brain.health.values import MemoryFile

FIELDS = ("goal", "state", "head", "tests", "blockers", "open", "next", "done")


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement and where it stands: ``text`` without marks of lists, ``file`` relative, ``line`` from 1."""

    text: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a file says of a run of tests. Numbers are None where it gives none.

    ``command`` is what was run, empty if it does not say. ``is_red``: not all passed, or a word says so.
    ``field`` is the field in whose section or label it stands, empty outside of one.
    """

    fact: Fact
    passed: int | None
    total: int | None
    failed: int | None
    command: str
    is_red: bool
    field: str = ""


class Handover:
    """One progress file, read. ``recognised`` is false for a shape or a language that is not known: then
    nothing may be said to be missing.
    """

    file: MemoryFile
    page: Page
    recognised: bool
    fields: Mapping[str, Fact]
    """The fields that say something: no placeholder, and a word for "none" only in ``blockers`` and ``open``."""
    present: frozenset[str]
    """The fields that have a heading or a label, also where nothing stands below."""
    places: Mapping[str, int]
    """The line of the heading or label of each field that is present."""
    commit: Fact | None
    """The hash of the recorded commit, in lower case, in ``text``."""
    tests: Evidence | None
    """The best evidence: that of the tests field, else of the state, else of any part but next and goal."""
    next_has_criterion: bool
    soft_blocker: bool
    """The question for blockers is answered by open points only."""
    has_verified: bool
    """It says how it was checked: a command, or a label such as "verified" with a text."""

    def is_none(self, field: str) -> bool:
        """Whether ``field`` explicitly says "none"."""
        raise NotImplementedError
