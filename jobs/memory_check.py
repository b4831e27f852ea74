"""The memory of one project, or of all, before the rules: what ``zecher memory check`` shows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from brain.health.score import gains, portfolio_percent
from jobs.health import (
    BRAIN,
    HealthSettings,
    PortfolioHealth,
    examine_all,
    portfolio_gains,
)
from jobs.portfolio import Progress, survey, with_roots
from jobs.rounds import elsewhere
from jobs.settings import ScanSettings
from jobs.subjects import Subject, plain_subject, subject_at, subject_of_card, subjects_of
from jobs.workspaces import workspaces
from reports.findings import Checked, Found, counts
from reports.memory import Healths, Healthy
from scanner.project import Problem
from scanner.value import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.values import Gain, Health
    from jobs.config_values import Configuration

BRAIN_NAME = "brain"


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was checked, by path, the brain last.

    ``percent`` and ``gains`` are those of one memory, or of the whole portfolio.
    """

    checked: tuple[Checked, ...]
    percent: int | None
    gains: tuple[Gain, ...]
    problems: tuple[Problem, ...]


def health_settings(settings: ScanSettings, *, brain: str | None) -> HealthSettings:
    """What an examination needs, from the settings of a scan; ``brain`` is to be examined, None: none is."""
    folder = os.path.dirname(settings.cache) if settings.cache is not None else None
    return HealthSettings(
        brain=brain,
        home=settings.home,
        state=settings.state,
        now=settings.now,
        cache=os.path.join(folder, "health-cache") if folder is not None else None,
        user=os.getuid() if hasattr(os, "getuid") else 0,
    )


def check_one(settings: ScanSettings, path: str, progress: Progress | None = None) -> Checkup:
    """Check the memory in the folder ``path`` (absolute, real), be it a project or the brain."""
    if path == os.path.realpath(settings.brain):
        seen = examine_all((), health_settings(settings, brain=path))
        return _checkup((), seen, settings, ())
    subject = subject_at(settings, path, progress)
    seen = examine_all((subject,), health_settings(settings, brain=None))
    return _checkup((subject,), seen, settings, ())


def check_status(settings: ScanSettings, path: str, brain: str) -> tuple[Healths, tuple[Problem, ...]]:
    """How healthy the project in the folder ``path`` and its ``brain`` are, in numbers. Writes nothing."""
    settings = replace(settings, cache=None)
    subject = subject_at(settings, path)
    seen = examine_all((subject,), health_settings(settings, brain=brain))
    checkup = _checkup((subject,), seen, settings, ())
    by_kind = {one.kind: one for one in checkup.checked}
    # Of an archived project, too, somebody asks here.
    found = [(health, "active") for health in (*seen.healths.values(), seen.brain) if health is not None]
    healths = Healths(
        _numbers(by_kind.get("project")), _numbers(by_kind.get("brain")), percent=portfolio_percent(found)
    )
    return healths, checkup.problems


def _numbers(checked: Checked | None) -> Healthy:
    if checked is None:
        return Healthy()
    found = counts((checked,))
    return Healthy(checked.percent, found["errors"], found["warnings"], found["infos"], found["silenced"])


def check_all(
    settings: ScanSettings, configuration: Configuration, progress: Progress | None = None
) -> Checkup:
    """Check every project of the configured roots and of the index, the named workspaces, and the brain."""
    asked, _ = with_roots(replace(settings, unsaved=True))
    found = survey(asked, progress)
    subjects = {one.path: one for one in subjects_of(found)}
    subjects |= {card.path: subject_of_card(card) for card in elsewhere(found) if card.path not in subjects}
    subjects |= {path: plain_subject(path) for path in workspaces(configuration, subjects)}
    ordered = tuple(subjects[path] for path in sorted(subjects))
    seen = examine_all(ordered, health_settings(settings, brain=settings.brain))
    return _checkup(ordered, seen, settings, found.problems)


def _checkup(
    subjects: Sequence[Subject],
    seen: PortfolioHealth,
    settings: ScanSettings,
    problems: Iterable[Problem],
) -> Checkup:
    checked = [
        _checked(one.name, seen.healths[one.path], seen, settings, identifier=one.identifier)
        for one in subjects
        if one.path in seen.healths
    ]
    if seen.brain is not None:
        checked.append(_checked(BRAIN_NAME, seen.brain, seen, settings, identifier=BRAIN, kind="brain"))
    alone = checked[0] if len(checked) == 1 else None
    return Checkup(
        checked=tuple(checked),
        percent=alone.percent if alone is not None else seen.percent,
        gains=alone.gains if alone is not None else portfolio_gains(subjects, seen),
        problems=(*problems, *seen.problems),
    )


def _checked(
    name: str,
    health: Health,
    seen: PortfolioHealth,
    settings: ScanSettings,
    *,
    identifier: str,
    kind: str = "project",
) -> Checked:
    today = datetime.fromtimestamp(settings.now, UTC).date().isoformat()
    quiet = seen.silenced.get(health.path, frozenset())
    found = tuple(
        Found(one, seen.ages.get((identifier, *one.key), today), one.key in quiet) for one in health.findings
    )
    return Checked(name, health.path, health.percent, gains(health), found, kind)
