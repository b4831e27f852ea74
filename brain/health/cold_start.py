"""The cold start: five questions that whoever goes on has, answered from the files or not at all."""

from __future__ import annotations

import re

from brain.health.fields import heading_field
from brain.health.handover import Fact, bare_line
from brain.health.words import fold
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from brain.health.decision_log import Decision
    from brain.health.handover import Handover
    from brain.health.parsed import ParsedMemory

YES, WEAK, NO = "yes", "weak", "no"
GOAL, TESTS, DECISION, BLOCKER, NEXT = "goal", "tests", "decision", "blocker", "next"
QUESTIONS = (GOAL, TESTS, DECISION, BLOCKER, NEXT)
_POINTS = {YES: 1.0, WEAK: 0.5, NO: 0.0}

_WORD = re.compile(r"[^\W\d_]{4,}")
_COMMON = frozenset(
    [
        "with",
        "from",
        "that",
        "this",
        "have",
        "will",
        "been",
        "into",
        "than",
        "then",
        "them",
        "they",
        "what",
        "when",
        "which",
        "while",
        "where",
        "should",
        "would",
        "could",
        "about",
        "under",
        "over",
        "only",
        "also",
        "more",
        "most",
        "some",
        "such",
        "each",
        "very",
        "after",
        "before",
        "because",
        "between",
        "being",
        "both",
        "same",
        "other",
        "their",
        "there",
        "these",
        "those",
        "through",
        "until",
        "using",
        "used",
        "uses",
        "does",
        "make",
        "made",
        "need",
        "needs",
        "work",
        "working",
        "next",
        "step",
        "current",
        "goal",
        "project",
        "eine",
        "einer",
        "eines",
        "einem",
        "einen",
        "oder",
        "aber",
        "auch",
        "nicht",
        "noch",
        "wird",
        "werden",
        "wurde",
        "sind",
        "sein",
        "haben",
        "kann",
        "fuer",
        "ueber",
        "unter",
        "nach",
        "beim",
        "durch",
        "wenn",
        "dass",
        "diese",
        "dieser",
        "dieses",
        "mehr",
        "alle",
        "alles",
        "sowie",
        "ohne",
        "gegen",
        "jede",
        "jeder",
        "schon",
        "nach",
        "avec",
        "pour",
        "dans",
        "cette",
        "sont",
        "plus",
        "nous",
        "vous",
        "leur",
        "mais",
        "comme",
        "tout",
        "tous",
        "toutes",
        "elle",
        "entre",
        "sans",
        "sous",
        "etre",
        "fait",
    ]
)


@dataclass(frozen=True, slots=True)
class Question:
    """One question: ``answer`` is ``yes``, ``weak`` or ``no``; ``fact`` what answers it, None for ``no``.

    ``is_strong`` tells an answer that more supports: a command beside the numbers, a decision about the goal,
    a next step with a criterion.
    """

    question: str
    answer: str
    fact: Fact | None
    is_strong: bool = False


@dataclass(frozen=True, slots=True)
class ColdStart:
    """Five questions; ``score`` is None where the shape of the progress file was not recognised."""

    score: float | None
    questions: tuple[Question, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The questions without an answer."""
        return tuple(one.question for one in self.questions if one.answer == NO)

    def __str__(self) -> str:
        """``5/5``, ``3.5/5``, or ``?/5``."""
        return "?/5" if self.score is None else f"{self.score:g}/5"


def cold_start(parsed: ParsedMemory, handover: Handover | None = None) -> ColdStart:
    """Ask the five questions. Nothing is guessed: each answer is a quotation with its place.

    ``handover`` is the progress file that is asked, else the first by its name.
    """
    handover = handover or parsed.progress
    goal = _goal(handover)
    questions = (
        goal,
        _tests(parsed, handover),
        _decision(parsed, goal.fact),
        _blocker(handover),
        _next(handover),
    )
    return scored(questions, known=handover is None or handover.recognised)


def scored(questions: tuple[Question, ...], *, known: bool) -> ColdStart:
    """The questions with their score, None unless the shape of what was asked is ``known``."""
    return ColdStart(sum(_POINTS[one.answer] for one in questions) if known else None, questions)


def _goal(handover: Handover | None) -> Question:
    if handover is None:
        return Question(GOAL, NO, None)
    fact = handover.fields.get("goal")
    if fact:
        return Question(GOAL, YES, fact, is_strong=True)
    first = _first_sentence(handover)
    return Question(GOAL, WEAK, first) if first else Question(GOAL, NO, None)


def _first_sentence(handover: Handover) -> Fact | None:
    """The first line of prose right below the title, before any heading of a field."""
    page = handover.page
    title = page.title
    if title is None:
        return None
    for line, text in page.content(title.line + 1, len(page) + 1)[:20]:
        heading = page.heading_at(line)
        if heading is None or heading.line != title.line:
            return None
        bare = bare_line(text)
        is_label = any(label.line == line for label in page.labels)
        if not is_label and page.is_live(line) and len(bare.split()) >= 4 and heading_field(bare) is None:
            return Fact(bare.split(". ")[0], handover.file.path, line)
    return None


def _tests(parsed: ParsedMemory, handover: Handover | None) -> Question:
    evidence = handover.tests if handover else None
    if evidence is None:
        return Question(TESTS, NO, None)
    return Question(
        TESTS, YES, evidence.fact, is_strong=bool(evidence.command) and not _drifted(parsed, handover)
    )


def _drifted(parsed: ParsedMemory, handover: Handover | None) -> bool:
    git = parsed.memory.git
    commit = handover.commit if handover else None
    if git is None or commit is None:
        return False
    return any(one.name == commit.text and (one.drift or one.known is False) for one in git.recorded)


def _decision(parsed: ParsedMemory, goal: Fact | None) -> Question:
    wanted = content_words(goal.text) if goal else frozenset()
    best: tuple[int, Decision] | None = None
    for one in _standing(parsed):
        shared = len(
            wanted & content_words(" ".join((one.title, *(fact.text for fact in one.fields.values()))))
        )
        if best is None or shared > best[0]:
            best = shared, one
    if best is None:
        return Question(DECISION, NO, None)
    shared, one = best
    fact = one.fields["decision"]
    text = f"{one.title}: {fact.text}" if one.title and one.title not in fact.text else fact.text
    return Question(DECISION, YES, Fact(text, fact.file, fact.line), is_strong=shared >= 2)


def _standing(parsed: ParsedMemory) -> Iterator[Decision]:
    for file in parsed.decisions:
        for one in file.entries:
            if (
                not one.is_superseded
                and "decision" in one.fields
                and ("rationale" in one.fields or "context" in one.fields)
            ):
                yield one


def _blocker(handover: Handover | None) -> Question:
    if handover is None:
        return Question(BLOCKER, NO, None)
    fact = handover.fields.get("blockers")
    if fact:
        return Question(BLOCKER, YES, fact, is_strong=True)
    soft = handover.fields.get("open")
    return Question(BLOCKER, WEAK, soft) if soft else Question(BLOCKER, NO, None)


def _next(handover: Handover | None) -> Question:
    fact = handover.fields.get("next") if handover else None
    if handover is None or fact is None:
        return Question(NEXT, NO, None)
    return Question(NEXT, YES, fact, is_strong=handover.next_has_criterion)


def content_words(text: str) -> frozenset[str]:
    """The folded words of ``text`` that say something: four letters or more, and not in everybody's mouth."""
    return frozenset(word for word in _WORD.findall(fold(text[:4000])) if word not in _COMMON)
