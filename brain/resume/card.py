"""Makes the resume card of a memory. Nothing is guessed: each fact is a quotation with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from brain.health import roles
from brain.health.cold_start import BLOCKER, WEAK, YES, ColdStart, Question, cold_start, scored
from brain.health.cold_start import GOAL as GOAL_QUESTION
from brain.health.cold_start import NEXT as NEXT_QUESTION
from brain.health.handover import Fact, bare_line
from brain.health.words import fold
from brain.resume.handing import last_handover
from brain.resume.matching import goal_words, shared
from brain.resume.questions import contexts
from brain.resume.quoting import items, quotation
from brain.resume.redacting import redacted
from brain.resume.sources import PROGRESS, Source, is_template, sources
from brain.resume.values import (
    BLOCKERS,
    COMMITS,
    DECISIONS,
    GOAL,
    HANDOVER,
    LESSONS,
    NEXT,
    OPEN,
    STATE,
    TESTS,
    Commit,
    Conflict,
    Decided,
    ResumeCard,
    Said,
    Unfound,
)
from brain.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.entries.document import Entry
    from brain.health.decision_values import Decision
    from brain.health.parsed import ParsedMemory

MOST_COMMITS = 10
MOST_DECISIONS = 5
MOST_LESSONS = 5
MOST_QUESTIONS = 20

_HOLDS = ("", "active")
"""The statuses of a decision that is in force."""


def resume(parsed: ParsedMemory) -> ResumeCard:
    """The card of a project whose memory holds its git facts; secrets in it are replaced."""
    return redacted(_Making(parsed).card())


class _Making:
    """One card on its way."""

    def __init__(self, parsed: ParsedMemory) -> None:
        self._parsed = parsed
        self._sources = sources(parsed)
        self._conflicts: list[Conflict] = []
        self._unfound: list[Unfound] = []
        self._more: list[tuple[str, int]] = []

    def card(self) -> ResumeCard:
        goal = self._chosen(GOAL, "goal", _whole)
        next_step = self._chosen(NEXT, "next", _whole)
        blockers = self._chosen(BLOCKERS, "blockers", items)
        state = self._chosen(STATE, "state", _whole, instead="done")
        tests = self._tests()
        handover = last_handover(self._parsed, self._sources)
        if not handover:
            self._missing(HANDOVER, self._why_no_handover())
        goal_and_next = " ".join(one.text for one in (*goal, *next_step))
        decisions = self._decisions(goal_words(goal_and_next))
        questions = self._questions()
        lessons = self._lessons(goal_words(goal_and_next))
        commits = self._commits()
        return ResumeCard(
            goal=goal,
            next_step=next_step,
            blockers=blockers,
            state=state,
            tests=tests,
            last_handover=handover,
            decisions=decisions,
            open_questions=questions,
            lessons=lessons,
            commits=commits,
            conflicts=tuple(self._conflicts),
            not_found=tuple(self._unfound),
            more=tuple(self._more),
            cold_start=self._cold_start(goal, blockers, next_step, questions),
        )

    def _missing(self, section: str, why: str) -> None:
        self._unfound.append(Unfound(section, why))

    # -- the fields of a handover ----------------------------------------------------------------------------

    def _chosen(
        self, section: str, field: str, told: Callable[[Source, str], tuple[Said, ...]], instead: str = ""
    ) -> tuple[Said, ...]:
        """What the newest source says; older ones that say otherwise are named."""
        found = [(one, said) for one in self._sources if _tells(one, field) and (said := told(one, field))]
        if not found and instead:
            found = [(one, said) for one in self._sources if (said := told(one, instead))]
        if not found:
            self._missing(section, self._why_not(section))
            return ()
        newest = found[0][1]
        for source, said in found[1:]:
            if _folded(said) != _folded(newest):
                self._conflicts.append(Conflict(section, said[0], source.day))
        return newest

    def _why_not(self, section: str) -> str:
        progress = [one for one in self._sources if one.kind == PROGRESS]
        closed = [one.path for one in self._parsed.files(roles.PROGRESS) if one.problem]
        if closed:
            return f"{', '.join(closed[:3])} cannot be read"
        odd = [one.path for one in progress if not one.handover.recognised]
        if odd:
            return f"the shape of {', '.join(odd[:3])} is not recognised"
        if section == BLOCKERS and any(one.handover.soft_blocker for one in self._sources):
            return "only open points are told"
        if progress:
            return f"{', '.join(one.path for one in progress[:3])} does not say it"
        return "no progress file" if not self._sources else f"{self._sources[0].path} does not say it"

    def _why_no_handover(self) -> str:
        closed = [one.path for one in self._parsed.files(roles.PROGRESS) if one.problem]
        if closed:
            return f"{', '.join(closed[:3])} cannot be read"
        empty = [one.path for one in self._sources if one.kind == PROGRESS]
        empty += [one.path for one in contexts(self._parsed) if is_template(self._parsed, one)]
        if not empty:
            return "no progress or session file, no daily note, no journal"
        return f"{', '.join(empty[:3])} {'says' if len(empty) == 1 else 'say'} nothing yet"

    def _tests(self) -> tuple[Said, ...]:
        for source in self._sources:
            evidence = source.handover.tests
            if evidence is not None:
                fact = evidence.fact
                return (Said(fact.text, fact.file, fact.line),)
        self._missing(TESTS, self._why_not(TESTS))
        return ()

    def _questions(self) -> tuple[Said, ...]:
        """The open points of all sources, each text once."""
        found: dict[str, Said] = {}
        for source in self._sources:
            for said in items(source, "open"):
                if not said.is_none:
                    found.setdefault(fold(said.text), said)
        if not found:
            self._missing(OPEN, "no file lists open questions")
        if len(found) > MOST_QUESTIONS:
            self._more.append((OPEN, len(found) - MOST_QUESTIONS))
        return tuple(found.values())[:MOST_QUESTIONS]

    # -- what matches the goal -------------------------------------------------------------------------------

    def _decisions(self, goal: frozenset[str]) -> tuple[Decided, ...]:
        standing = [one for log in self._parsed.decisions for one in log.entries if _holds(one)]
        if not standing:
            self._missing(DECISIONS, "no decision in force")
            return ()
        matching = [made for one in standing if (made := _decided(one, goal)).matched]
        matching.sort(key=lambda one: (len(one.matched), one.day), reverse=True)
        self._judge_matches(DECISIONS, len(matching), MOST_DECISIONS, len(standing), goal)
        return tuple(matching[:MOST_DECISIONS])

    def _lessons(self, goal: frozenset[str]) -> tuple[Said, ...]:
        standing = {
            fold(f"{said.title} {said.text}"): (one.date or "", said)
            for path, document in self._parsed.notes.items()
            if path.lower().endswith("/lessons.md")
            for one in document.entries
            if not one.archived and one.status in (None, *_HOLDS)
            for said in (_lesson(one, path, goal),)
        }
        if not standing:
            self._missing(LESSONS, "no lesson in force")
            return ()
        matching = sorted(
            (one for one in standing.values() if one[1].matched),
            key=lambda one: (len(one[1].matched), one[0]),
            reverse=True,
        )
        self._judge_matches(LESSONS, len(matching), MOST_LESSONS, len(standing), goal)
        return tuple(one for _, one in matching[:MOST_LESSONS])

    def _judge_matches(
        self, section: str, matching: int, most: int, standing: int, goal: frozenset[str]
    ) -> None:
        """Say how many more there are, or why there is none."""
        if matching > most:
            self._more.append((section, matching - most))
        if not matching:
            force = f"{standing:,} in force"
            why = "none shares a word with the goal" if goal else "no goal to match them with"
            self._missing(section, f"{force}, {why}")

    # -- the history ---------------------------------------------------------------------------------------

    def _commits(self) -> tuple[Commit, ...]:
        git = self._parsed.memory.git
        if git is None:
            self._missing(COMMITS, "no git repository that can be read")
            return ()
        if not git.commits:
            self._missing(COMMITS, "no commit yet")
        return tuple(Commit(name, when, subject) for name, when, subject, _ in git.commits[:MOST_COMMITS])

    # -- the cold start --------------------------------------------------------------------------------------

    def _cold_start(
        self,
        goal: Sequence[Said],
        blockers: Sequence[Said],
        next_step: Sequence[Said],
        questions: Sequence[Said],
    ) -> ColdStart:
        """The five questions to the newest progress file; what another source answers counts as well."""
        newest = next((one.handover for one in self._sources if one.kind == PROGRESS), None)
        asked = cold_start(self._parsed, newest)
        told = {GOAL_QUESTION: goal, BLOCKER: blockers, NEXT_QUESTION: next_step}
        answers = [_answered(one, told.get(one.question, ()), questions) for one in asked.questions]
        known = newest is None or newest.recognised or answers != list(asked.questions)
        return scored(tuple(answers), known=known)


def _answered(asked: Question, told: Sequence[Said], questions: Sequence[Said]) -> Question:
    if told:
        fact = Fact(told[0].text, told[0].file, told[0].line)
        same = asked.fact is not None and (asked.fact.file, asked.fact.line) == (fact.file, fact.line)
        return asked if same and asked.answer == YES else replace(asked, answer=YES, fact=fact)
    if asked.question == BLOCKER and asked.fact is None and questions:
        soft = questions[0]
        return replace(asked, answer=WEAK, fact=Fact(soft.text, soft.file, soft.line))
    return asked


def _tells(source: Source, field: str) -> bool:
    """Whether the source may tell the field: in notes a label such as "Status: active" tells no state."""
    return source.kind == PROGRESS or field != "state" or bool(source.handover.page.sections("state"))


def _whole(source: Source, field: str) -> tuple[Said, ...]:
    return quotation(source, field)


def _folded(said: Iterable[Said]) -> str:
    return " ".join(fold(" ".join(one.text for one in said)).split())


def _holds(one: Decision) -> bool:
    return not one.is_superseded and one.status in _HOLDS and "decision" in one.fields


def _decided(one: Decision, goal: frozenset[str]) -> Decided:
    fact = one.fields["decision"]
    body = " ".join((one.title, *(field.text for field in one.fields.values())))
    told = {name: one.fields[name].text for name in ("rationale", "rejected") if name in one.fields}
    title = one.title if one.title not in fact.text and one.line != fact.line else ""
    return Decided(
        fact.text,
        fact.file,
        fact.line,
        shared(goal, body),
        title=title,
        title_line=one.line if title else 0,
        day=one.date or "",
        why=told.get("rationale", ""),
        rejected=told.get("rejected", ""),
    )


def _lesson(one: Entry, path: str, goal: frozenset[str]) -> Said:
    rule = one.field("lesson")
    told = " ".join(field.value for field in one.fields)
    matched = shared(goal, f"{one.title} {told}")
    if rule is None or not rule.value.strip():
        return Said(bare_line(one.title), path, one.line, matched)
    return Said(bare_line(rule.value), path, rule.line, matched, title=one.title, title_line=one.line)
