"""Gathers the open loops of a portfolio, and finds those that a person names by their ids."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from brain.health.gather import gather_with_evidence
from brain.loops.reading import loops_of
from brain.loops.states import judged
from brain.loops.values import Loop
from brain.portfolio import read_portfolio
from jobs.errors import ExpectedError
from jobs.loop_marks import Marks, day_of_now, read_marks
from jobs.settings import ScanSettings
from jobs.subjects import Subject, subject_at, subject_of_card
from scanner.project import Problem
from scanner.value import dataclass

_NEAREST = 3
_BRAIN = "brain"


@dataclass(frozen=True, slots=True)
class Found:
    """The loops of some projects with their states, in order; ``marks`` are what was said of any."""

    loops: tuple[Loop, ...]
    marks: Marks
    problems: tuple[Problem, ...] = ()


def loops_everywhere(settings: ScanSettings, here: str, others: Iterable[str] = ()) -> Found:
    """Those of every indexed project, of the brain, and of the project in the folder ``here`` (real).

    ``others`` are the real paths of further folders, the workspaces of the configuration.
    """
    subjects = {card.path: subject_of_card(card) for card in read_portfolio(settings.brain).cards}
    known = {os.path.realpath(path) for path in subjects}
    for path in others:
        if path not in known:
            subjects[path] = Subject(path, os.path.basename(path), "active", path)
    known |= set(subjects)
    brain = os.path.realpath(settings.brain)
    if here and here not in known and not _is_around(here, settings.home) and here != brain:
        subjects[here] = subject_at(settings, here)
    some = [subjects[path] for path in sorted(subjects)]
    return _found(settings, some, brain=settings.brain)


def loops_in(settings: ScanSettings, path: str) -> Found:
    """Those of the project, or the brain, in the folder ``path`` (absolute, real)."""
    if path == os.path.realpath(settings.brain):
        return _found(settings, (), brain=settings.brain)
    return _found(settings, (subject_at(settings, path),), brain="")


def _is_around(path: str, home: str) -> bool:
    """Whether ``path`` is the home or holds it: nobody means that by standing there."""
    real = os.path.realpath(home)
    return path == real or real.startswith(path.rstrip(os.sep) + os.sep)


def _found(settings: ScanSettings, subjects: Iterable[Subject], *, brain: str) -> Found:
    marks = read_marks(settings.state)
    loops: list[Loop] = []
    problems: list[Problem] = [*marks.problems]
    asked = [(one, "project") for one in subjects if os.path.isdir(one.path)]
    if brain and os.path.isdir(brain):
        asked.append((Subject(brain, _BRAIN, "active", ""), "brain"))
    for subject, kind in asked:
        problems += subject.problems
        try:
            loops += _read(subject, kind, settings.home)
        except Exception as error:  # noqa: BLE001 - one project never stops the rest
            problems.append(_failed(subject.path, error))
    return Found(judged(loops, marks.marks, day_of_now(settings.now)), marks, tuple(problems))


def _read(subject: Subject, kind: str, home: str) -> tuple[Loop, ...]:
    gathered = gather_with_evidence(
        subject.path,
        name=subject.name,
        kind=kind,
        status=subject.status,
        identifier=subject.identifier,
        home=home,
        wants_probes=False,
    )
    return loops_of(gathered.parsed)


def _failed(path: str, error: Exception) -> Problem:
    return Problem(
        "project-failed",
        "error",
        path,
        f"its memory could not be looked at: {type(error).__name__}: {error}",
        "This is a mistake in Zecher: please report it.",
    )


# -- by their ids --------------------------------------------------------------------------------------------


def resolved(words: Sequence[str], loops: Sequence[Loop], others: Iterable[str] = ()) -> list[str]:
    """The ids that ``words`` mean, each once: whole ones, or beginnings that fit one only.

    ``others`` are ids that may be meant as well. ``ExpectedError`` for one that nobody knows, or that fits
    several: then nothing shall be changed at all.
    """
    texts = {one.id: one.text for one in loops}
    known = sorted({*texts, *others})
    return list(dict.fromkeys(_resolved(word.strip().lower(), known, texts) for word in words))


def _resolved(word: str, known: Sequence[str], texts: dict[str, str]) -> str:
    fitting = [one for one in known if word and one.startswith(word)]
    if word in fitting or len(fitting) == 1:
        return word if word in fitting else fitting[0]
    if fitting:
        raise ExpectedError(
            "loop-ambiguous",
            f"{len(fitting):,} loops have an id that begins with {word}",
            _listed(fitting, texts),
            "Write more of it.",
        )
    near = sorted(known, key=lambda one: (-_shared(word, one), one))[:_NEAREST]
    raise ExpectedError(
        "loop-unknown",
        f"no loop has the id {word!r}",
        "nothing was changed; it is gone from the files, or was never there",
        f"The nearest: {_listed(near, texts)}." if near else "zecher loops lists what is open.",
    )


def _shared(word: str, other: str) -> float:
    """How much two ids have in common: their beginning first, then letters in their places."""
    same = [a == b for a, b in zip(word, other, strict=False)]
    return (same.index(False) if False in same else len(same)) + sum(same) / 16


def _listed(ids: Sequence[str], texts: dict[str, str]) -> str:
    told = [f"{one} ({texts[one][:30]})" if texts.get(one) else one for one in ids[:_NEAREST]]
    more = f" and {len(ids) - _NEAREST:,} more" if len(ids) > _NEAREST else ""
    return ", ".join(told) + more
