"""A job's context made by hand: what a run would hand to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from jobs.config_values import Configuration, ConfiguredReports, ConfiguredSchedule
from jobs.nightly import nightly
from jobs.registry import CancelToken, JobContext, JobResult
from jobs.settings import RootGroup, ScanSettings
from jobs.surroundings import Surroundings
from jobs.weekly import weekly
from scanner.project import Root, Thresholds
from tests.support import DAY, NOW


class Jobs:
    """Runs jobs in the home of a test, night after night; ``night`` counts from that of ``NOW``."""

    def __init__(self, home: Path, *roots: Path) -> None:
        self.home = home
        self.roots = roots
        self.brain = home / ".bmad-plus/brain"
        self.reports = home / ".bmad-plus/reports"
        self.state = home / ".local/state/zecher"
        self.keep_weeks = 52
        self.thresholds = Thresholds()

    def context(self, job: str, slot: str, now: float, **more: object) -> JobContext:
        groups = (RootGroup(tuple(Root(str(root)) for root in self.roots), "none", ()),) if self.roots else ()
        settings = ScanSettings(
            groups=groups,
            thresholds=self.thresholds,
            brain=str(self.brain),
            state=str(self.state),
            home=str(self.home),
            now=now,
            unsaved=True,
        )
        values: dict[str, object] = {
            "job": job,
            "run": "run-1",
            "slot": slot,
            "now": now,
            "settings": settings,
            "configuration": Configuration(
                reports=ConfiguredReports(keep_weeks=self.keep_weeks), schedule=ConfiguredSchedule(zone="UTC")
            ),
            "surroundings": Surroundings({}, str(self.home), str(self.home), now),
            "cancel": CancelToken(),
        }
        return JobContext(**values | more)  # type: ignore[arg-type] # the callers give the right ones

    def nightly(self, night: int = 0, **more: object) -> JobResult:
        day = f"2026-11-{30 + night:02d}" if night <= 0 else f"2026-12-{night:02d}"
        return nightly(self.context("nightly", day, NOW + night * DAY, **more))

    def weekly(self, week: int = 0, **more: object) -> JobResult:
        return weekly(self.context("weekly", f"2026-W{49 + week}", NOW + 7 * week * DAY, **more))

    def text(self, name: str) -> str:
        """A report without its seal."""
        return (self.reports / name).read_text().partition(" <!-- ")[0]

    def section(self, name: str, title: str) -> list[str]:
        """The lines of one section of a report; none where it is not there."""
        _, _, rest = self.text(name).partition(f"\n## {title}\n\n")
        return rest.split("\n\n")[0].splitlines() if rest else []


def everything(*folders: Path) -> Mapping[str, bytes]:
    """Every file below ``folders`` with its bytes."""
    found = {}
    for folder in folders:
        for parent, _, names in os.walk(folder):
            for name in names:
                path = Path(parent, name)
                found[str(path)] = path.read_bytes()
    return found
