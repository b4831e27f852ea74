"""How the memories of a portfolio are: each project's files and history brought before the rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from hashlib import blake2b

from brain.health.examine import examine
from brain.health.rules import VERSION
from brain.health.score import portfolio_percent
from brain.health.silence import Ack, silence
from brain.health.values import Finding
from jobs.acks import followed, read_acks
from jobs.audit import recalled
from jobs.finding_ages import Key, aged, read_ages, save_ages
from jobs.git_facts import GitOf
from jobs.health_cache import HealthCache, Kept, evidence_of, started
from jobs.subjects import Subject, read_memory, subject_of
from scanner.project import Problem
from scanner.value import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.repeats import Cluster, Sketch
    from brain.health.values import Gain, Health
    from brain.loops.values import Loop

__all__ = [
    "BRAIN",
    "Cancel",
    "HealthSettings",
    "PortfolioHealth",
    "Subject",
    "examine_all",
    "portfolio_gains",
    "remember_ages",
    "subject_of",
]

Cancel = Callable[[], None]
"""Called between projects; raises where the run shall end (as ``JobContext.cancel.check`` does)."""


@dataclass(frozen=True, slots=True)
class HealthSettings:
    """What an examination needs to know beside the projects.

    ``brain`` is the folder of the brain that is examined, None for none. ``now`` is in epoch seconds, its UTC
    day is the one that dates are judged by. ``state`` holds silences and ages, ``cache`` is the file in which
    results are kept, None where all is to be judged afresh. ``wants_days`` asks for the days of all commits,
    ``wants_loops`` for what the memories say is open.
    """

    brain: str | None
    home: str
    state: str
    now: float
    cache: str | None = None
    user: int = 0
    wants_days: bool = False
    wants_loops: bool = False


@dataclass(frozen=True, slots=True)
class PortfolioHealth:
    """How all memories are.

    ``healths`` are by path, with all their findings; a project that could not be examined is missing there
    and named in ``problems``. ``silenced`` says which findings a person silenced, by path. ``percent`` is the
    weighted share of passed rules over all projects in scope (archived ones are not), None where no rule
    applied. ``repeats`` are lessons that several projects learned. ``ages`` says since which day
    (``YYYY-MM-DD``) a finding is known, by (identifier of the project, *``Finding.key``); the brain's is
    empty. ``found`` are these keys of all that was found now, and of each memory that was examined one
    without a code. ``days`` counts the commits of each day (UTC), ``loops`` are the open loops, not judged
    yet, where they were asked for. ``kept`` counts what came from the cache.
    """

    healths: Mapping[str, Health]
    brain: Health | None = None
    repeats: tuple[Cluster, ...] = ()
    percent: int | None = None
    silenced: Mapping[str, frozenset[tuple[str, str, str]]] = field(default_factory=dict)
    ages: Mapping[tuple[str, str, str, str], str] = field(default_factory=dict)
    found: tuple[Key, ...] = ()
    days: Mapping[str, int] = field(default_factory=dict)
    loops: tuple[Loop, ...] = ()
    problems: tuple[Problem, ...] = ()
    kept: int = 0

    def open_findings(self, path: str) -> tuple[Finding, ...]:
        """The findings of one project, or of the brain, that nobody silenced, in their order."""
        health = self.healths.get(path)
        if health is None and self.brain is not None and self.brain.path == path:
            health = self.brain
        quiet = self.silenced.get(path, frozenset())
        return tuple(one for one in health.findings if one.key not in quiet) if health is not None else ()


def examine_all(
    subjects: Sequence[Subject], settings: HealthSettings, cancel: Cancel = lambda: None
) -> PortfolioHealth:
    """Examine every project and the brain. Writes nothing but the cache; one that fails stops no other."""
    run = _Examination(settings)
    for subject in subjects:
        cancel()
        run.project(subject)
    cancel()
    if settings.brain is not None:
        run.brain(settings.brain)
    cancel()
    run.save()
    return run.result(subjects)


def portfolio_gains(subjects: Sequence[Subject], seen: PortfolioHealth) -> tuple[Gain, ...]:
    """The five rules whose passing everywhere would help the whole portfolio most."""
    from brain.health.score import portfolio_gains as best  # noqa: PLC0415 - start-up: after the examination

    return best(_scored(subjects, seen.healths, seen.brain))


def remember_ages(seen: PortfolioHealth, settings: HealthSettings) -> PortfolioHealth:
    """Write down since when each finding is known, for jobs that run at night and weekly.

    The same health with today as the age of what is new. Raises ``brain.files.errors.WriteError``.
    """
    examined = {identifier for identifier, *_ in seen.found}
    ages = read_ages(settings.state)
    days = aged(ages, {key for key in seen.found if key[1]}, examined, _today(settings).isoformat())
    save_ages(ages, days)
    return replace(seen, ages=days)


def _today(settings: HealthSettings) -> date:
    return datetime.fromtimestamp(settings.now, UTC).date()


def _scored(
    subjects: Iterable[Subject], healths: Mapping[str, Health], brain: Health | None
) -> list[tuple[Health, str]]:
    """All memories with their statuses, for the figures of the portfolio; the brain is always in use."""
    found = [(healths[one.path], one.status) for one in subjects if one.path in healths]
    return [*found, (brain, "active")] if brain is not None else found


class _Examination:
    """One run over many memories."""

    def __init__(self, settings: HealthSettings) -> None:
        self._settings = settings
        self._day = _today(settings)
        self._cache = HealthCache(settings.cache, _rules() if settings.cache is not None else "")
        self._healths: dict[str, Health] = {}
        self._brain: Health | None = None
        self._sketches: list[Sketch] = []
        self._loops: list[Loop] = []
        self._days: dict[str, int] = {}
        self._problems: list[Problem] = []
        self._recalled = recalled(settings.state, settings.now)

    def project(self, subject: Subject) -> None:
        """Examine one project."""
        with GitOf(subject.path, subject.git, subject.vcs) as git:
            try:
                self._healths[subject.path] = self._examined(subject, git, "project")
                if self._settings.wants_days:
                    for day, count in git.days(self._settings.now).items():
                        self._days[day] = self._days.get(day, 0) + count
            except Exception as error:  # noqa: BLE001 - one project never stops the rest
                self._problems.append(_failed(subject.path, error))

    def brain(self, path: str) -> None:
        """Examine the brain, where there is one."""
        if not os.path.isdir(path):
            return
        subject = Subject(path, "brain", "active", BRAIN)
        with GitOf(path, None, None) as git:
            try:
                self._brain = self._examined(subject, git, "brain")
            except Exception as error:  # noqa: BLE001 - as above
                self._problems.append(_failed(path, error))

    def save(self) -> None:
        """Leave in the cache what was judged."""
        examined = [*self._healths, *(problem.path for problem in self._problems)]
        self._cache.save(examined)

    def result(self, subjects: Sequence[Subject]) -> PortfolioHealth:
        """All that was found, with what people silenced and since when things are known."""
        from brain.health.repeats import repeated_lessons  # noqa: PLC0415 - start-up: only where memories are

        identifiers = {one.path: one.identifier for one in subjects}
        acks = followed(read_acks(self._settings.state), identifiers)
        ages = read_ages(self._settings.state)
        everything = [*self._healths.values(), *([self._brain] if self._brain is not None else [])]
        found = [
            (BRAIN if health is self._brain else identifiers[health.path], *finding.key)
            for health in everything
            for finding in (*health.findings, _NOTHING)
        ]
        return PortfolioHealth(
            healths=self._healths,
            brain=self._brain,
            repeats=repeated_lessons(self._sketches),
            percent=portfolio_percent(_scored(subjects, self._healths, self._brain)),
            silenced=_silenced(everything, acks.acks, self._day),
            ages=ages.days,
            found=tuple(found),
            days=dict(sorted(self._days.items())),
            loops=tuple(self._loops),
            problems=(*self._problems, *acks.problems, *ages.problems),
            kept=self._cache.kept,
        )

    def _examined(self, subject: Subject, git: GitOf, kind: str) -> Health:
        key = self._key(subject, git, kind) if self._settings.cache is not None else ""
        today = self._day.isoformat()
        kept = self._cache.find(subject.path, key, today)
        if kept is None or (self._settings.wants_loops and kept.loops is None):
            kept = self._judged(subject, git, kind, key)
        self._sketches += kept.lessons
        self._loops += kept.loops or ()
        return kept.health

    def _judged(self, subject: Subject, git: GitOf, kind: str, key: str) -> Kept:
        started_ns = started()
        read = read_memory(subject, git, home=self._settings.home, user=self._settings.user, kind=kind)
        memory = read.parsed.memory
        if self._recalled is not None:
            memory = replace(memory, recalled=self._recalled_of(subject.path))
        health = examine(memory, self._day, parsed=read.parsed)
        # Looking at everything once more is for who comes back.
        evidence = (
            evidence_of(subject.path, read.evidence, read.parsed.memory.probes)
            if self._settings.cache is not None
            else None
        )
        loops = _loops_of(read.parsed) if self._settings.wants_loops else None
        kept = Kept(key, self._day.isoformat(), evidence, health, read.parsed.lessons, loops)
        if read.lasts:
            self._cache.keep(subject.path, kept, started_ns)
        return kept

    def _key(self, subject: Subject, git: GitOf, kind: str) -> str:
        parts = (
            subject.name,
            subject.status,
            subject.identifier,
            kind,
            self._settings.home,
            self._settings.user,
            sorted(self._recalled_of(subject.path)) if self._recalled is not None else None,
        )
        return repr((*parts, git.anchor(), git.counts()))

    def _recalled_of(self, path: str) -> frozenset[str]:
        """The files of the memory at ``path`` that answered questions, relative to it."""
        start = path.rstrip("/") + "/"
        return frozenset(file.removeprefix(start) for file in self._recalled or () if file.startswith(start))


def _loops_of(parsed: ParsedMemory) -> tuple[Loop, ...]:
    from brain.loops.reading import loops_of  # noqa: PLC0415 - start-up: only jobs ask for them

    return loops_of(parsed)


BRAIN = ""
"""The identifier of the brain among those of projects, for the ages of its findings."""

_NOTHING = Finding("", "", "", "", 0, "", "")
"""Stands for a memory without findings: it was examined, too."""


def _rules() -> str:
    """Names the rules as they are: their version, and the stamps of the files that they stand in."""
    import brain.health as room  # noqa: PLC0415 - it is asked where it lies

    folder = os.path.dirname(room.__file__ or "")
    stamps = []
    for one in (folder, os.path.join(os.path.dirname(folder), "loops")):
        with os.scandir(one) as entries:
            stamps += sorted(
                (entry.name, entry.stat().st_mtime_ns)
                for entry in entries
                if entry.name.endswith((".py", ".toml"))
            )
    return f"{VERSION}-{blake2b(repr(stamps).encode(), digest_size=8).hexdigest()}"


def _silenced(
    healths: Iterable[Health], acks: Sequence[Ack], day: date
) -> dict[str, frozenset[tuple[str, str, str]]]:
    found = {}
    for health in healths if acks else ():
        quiet = frozenset(finding.key for finding in silence(health.findings, acks, day).silenced)
        if quiet:
            found[health.path] = quiet
    return found


def _failed(path: str, error: Exception) -> Problem:
    return Problem(
        "project-failed",
        "error",
        path,
        f"its memory could not be looked at: {type(error).__name__}: {error}",
        "This is a mistake in Zecher: please report it.",
    )
