"""What a progress file hands over: goal, state, commit, tests, blockers, next step, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from brain.health.dates import find_date
from brain.health.evidence import (
    Run,
    bare_hash_in,
    commit_in,
    has_command,
    lines_that_may_tell,
    may_tell,
    run_in,
)
from brain.health.fields import is_none, is_placeholder, listed, pattern
from brain.health.labels import MARKS
from brain.health.words import fold
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.page import Label, Page, Section
    from brain.health.values import MemoryFile

FIELDS = ("goal", "state", "head", "tests", "blockers", "open", "next", "done")

_CORE = ("goal", "next", "blockers")
# Those whose words tell the language; a commit and tests are called the same in many.
_SPOKEN = frozenset(("goal", "state", "blockers", "open", "next", "done"))
# The same label this often belongs to the parts of a plan, not to a handover.
_REPEATED = 3

_DASHES = ("-", "\u2013", "\u2014")
_SESSION = re.compile(r"(?:session|sitzung|schicht|shift|seance|oturum)\W{0,3}(\d{1,4})")
_TEXT_CAP = 2000


# Not frozen, for speed: a memory states many.
@dataclass(slots=True, unsafe_hash=True)
class Fact:
    """A statement and where it stands: ``text`` without marks of lists, ``file`` relative to the project."""

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
    """One progress file, read.

    ``recognised`` is false for a shape or a language that is not known: then nothing may be said to be
    missing. ``fields`` are those that say something: no placeholder, and a word for "none" only in
    ``blockers`` and ``open``. ``places`` are the lines of the heading or label of each field that is there,
    also where nothing stands below.
    """

    def __init__(self, file: MemoryFile, page: Page) -> None:
        self.file = file
        self.page = page
        self.places: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._headed: set[str] = set()
        self._none: set[str] = set()
        self.fields: Mapping[str, Fact] = self._read()

    @property
    def present(self) -> frozenset[str]:
        """The fields that have a heading or a label."""
        return frozenset(self.places)

    @cached_property
    def recognised(self) -> bool:
        """Whether this is a handover: two of its fields, or one that only a handover has, once."""
        told = [
            name
            for name in FIELDS
            if name in self.places and (name in self._headed or self._counts[name] <= _REPEATED)
        ]
        if not any(name in told for name in (*_CORE, "state")):
            return False
        if len(told) >= 2:
            return not (
                self._counts.get("goal", 0) > _REPEATED and "next" not in told and "state" not in told
            )
        return told[0] in _CORE and self._counts[told[0]] == 1

    @cached_property
    def partly_known(self) -> bool:
        """Whether all its fields bear names of a language of which some words only are known."""
        named = [one.norm for one in self.page.headings if one.field in _SPOKEN]
        named += [one.norm for one in self.page.labels if one.field in _SPOKEN]
        return bool(named) and all(name.startswith(listed("partly", "words")) for name in named)

    def is_none(self, field: str) -> bool:
        """Whether ``field`` explicitly says that there is none."""
        return field in self._none

    @property
    def soft_blocker(self) -> bool:
        """Whether only open points answer what blocks."""
        return "blockers" not in self.fields and "open" in self.fields

    def _read(self) -> dict[str, Fact]:
        fields: dict[str, Fact] = {}
        for name in FIELDS:
            candidates = self._candidates(name)
            told = [fact for fact in candidates if fact.text]
            if told:
                fact = self._current(name, told)
                if is_none(fact.text):
                    self._none.add(name)
                    if name not in ("blockers", "open"):
                        continue
                fields[name] = fact
        if "state" not in fields and (column := self._status_column()):
            fields["state"] = column
        return fields

    def _candidates(self, name: str) -> list[Fact]:
        """What each section and label of the field says, an empty text where it says nothing, by line."""
        found: list[tuple[int, Fact]] = []
        for section in self.page.sections(name):
            fact = self._of_section(section)
            if name == "state" and _is_date(fact.text):
                continue
            found.append((section.heading.line, fact))
            self._headed.add(name)
        for label in self.page.labelled(name):
            if name == "state" and _is_date(label.value):
                continue
            found.append((label.line, self._of_label(label)))
        if found:
            found.sort(key=lambda one: one[0])
            self.places[name] = next((line for line, fact in found if fact.text), found[0][0])
            self._counts[name] = len(found)
        # A heading outweighs labels that happen to use its word.
        if name in self._headed and name != "tests":
            headed = [fact for line, fact in found if fact.text and self._is_heading(line)]
            if headed:
                return headed
        return [fact for _, fact in found]

    def _is_heading(self, line: int) -> bool:
        heading = self.page.heading_at(line)
        return heading is not None and heading.line == line

    def _of_section(self, section: Section) -> Fact:
        lines = [(line, text) for line, text in section.lines if says(text)]
        return self._fact(lines, section.heading.line)

    def _of_label(self, label: Label) -> Fact:
        lines = [(label.value_line, text) for text in label.value.split("\n") if says(text)]
        return self._fact(lines, label.line)

    def _fact(self, lines: list[tuple[int, str]], line: int) -> Fact:
        if not lines:
            return Fact("", self.file.path, line)
        text = "\n".join(bare_line(text) for _, text in lines)[:_TEXT_CAP]
        return Fact(text, self.file.path, lines[0][0])

    def _current(self, name: str, facts: list[Fact]) -> Fact:
        """Of several the one that holds: the last, or the first where the newest stands on top."""
        if len(facts) == 1 or (name != "state" and self._newest_first):
            return facts[0]
        return facts[-1]

    @cached_property
    def _newest_first(self) -> bool:
        """Whether its dated or numbered headings go back in time."""
        keys = [key for one in self.page.headings if (key := _when(one.norm, one.text))]
        return len(keys) >= 2 and keys[0] > keys[-1]

    def _status_column(self) -> Fact | None:
        """What the first filled cell of a column for the state says, for a state that is only told so."""
        for table in self.page.tables:
            for at, field in enumerate(table.fields):
                for line, cells in table.rows if field == "state" else ():
                    if at < len(cells) and says(cells[at]):
                        return Fact(cells[at][:_TEXT_CAP], self.file.path, line)
        return None

    @cached_property
    def commit(self) -> Fact | None:
        """The hash of the recorded commit, in ``text``: that of the head, else the state's, else any."""
        for label in self.page.labelled("head"):
            name = commit_in(f"HEAD: {label.value}") or bare_hash_in(label.value)
            if name:
                return Fact(name, self.file.path, label.value_line)
        for section in self.page.sections("head"):
            for line, text in section.lines:
                if name := commit_in(text) or bare_hash_in(text):
                    return Fact(name, self.file.path, line)
        for section in self.page.sections("state"):
            for line, text in section.lines:
                if name := commit_in(text):
                    return Fact(name, self.file.path, line)
        return self._any_commit()

    def _any_commit(self) -> Fact | None:
        for line, text in enumerate(self.page.visible):
            if len(text) > 7 and (name := commit_in(text)):
                return Fact(name, self.file.path, line)
        return None

    @cached_property
    def tests(self) -> Evidence | None:
        """The best evidence: that of the tests, else of the state, else of any but next step and goal."""
        best: tuple[tuple[int, int, int], Evidence] | None = None
        for rank, field, line, text in self._where_tests_stand():
            run = run_in(text, about_tests=field == "tests")
            if run is None:
                continue
            key = (rank, -run.weight, line)
            if best is None or key < best[0]:
                best = key, _evidence(run, Fact(bare_line(text), self.file.path, line), field)
        return best[1] if best else None

    def _where_tests_stand(self) -> Iterator[tuple[int, str, int, str]]:
        """(rank, field, line, text) of the lines that may tell of tests."""
        labels = {label.line: label for label in self.page.labelled("tests")}
        elsewhere = {label.line for name in ("next", "goal", "open") for label in self.page.labelled(name)}
        visible = self.page.visible
        folded = self.page.folded.split("\n")
        for line in sorted(labels.keys() | lines_that_may_tell(self.page.folded)):
            text = visible[line]
            if not text or line in elsewhere:
                continue
            if line not in labels and not (may_tell(folded[line]) or self._may_count(line, folded[line])):
                continue
            if line in labels:
                yield 0, "tests", line, f"{labels[line].text}: {text}" if text[:1] == "|" else text
                continue
            field = self.page.field_at(line) or ""
            if field not in ("next", "goal", "open"):
                yield {"tests": 0, "state": 1, "head": 1, "done": 2}.get(field, 3), field, line, text

    def _may_count(self, line: int, folded: str) -> bool:
        return "/" in folded and self.page.field_at(line) == "tests"

    @cached_property
    def next_has_criterion(self) -> bool:
        """Whether the next step says when it is done: a word for it, a test, or a command."""
        fact = self.fields.get("next")
        if fact is None:
            return False
        return has_command(fact.text) or re.search(pattern("words", "criterion"), fold(fact.text)) is not None

    @cached_property
    def has_verified(self) -> bool:
        """Whether it says how it was checked: a command, or a word such as "verified" with a text."""
        verified = re.compile(pattern("words", "verified"))
        for label in self.page.labels:
            if label.value and verified.match(label.norm) and says(label.value):
                return True
        if any(says(text) for one in self.page.sections("tests") for _, text in one.lines):
            return True
        if self.tests and self.tests.command:
            return True
        return any(
            has_command(text)
            for name in ("state", "tests", "done")
            for one in self.page.sections(name)
            for _, text in one.lines
        )


def _evidence(run: Run, fact: Fact, field: str) -> Evidence:
    return Evidence(fact, run.passed, run.total, run.failed, run.command, run.is_red, field)


def says(text: str) -> bool:
    """Whether a line says something: more than marks, no placeholder; a dash says "none"."""
    bare = bare_line(text)
    return bool(bare) and (bare in _DASHES or not is_placeholder(bare))


def bare_line(text: str) -> str:
    """A line without the marks of quotes, lists and boxes."""
    if text[:1].isalpha():  # no mark is a letter
        return text.strip()
    found = MARKS.match(text)
    return (text[found.end() :] if found else text).strip()


def _is_date(text: str) -> bool:
    """Whether a text is nothing but a date: "Stand: 19.09.2026." says when, not how things are."""
    found = find_date(text[:80]) if len(text) <= 80 else None
    return found is not None and not any(sign.isalpha() for sign in text[: found[1]] + text[found[2] :])


def _when(norm: str, text: str) -> tuple[str, int] | None:
    """What orders a heading in time: its date, or the number of its session."""
    found = find_date(text)
    if found:
        return found[0], 0
    session = _SESSION.search(norm)
    return ("", int(session[1])) if session else None
