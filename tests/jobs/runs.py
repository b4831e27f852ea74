"""Settings of a run for tests within the process."""

from __future__ import annotations

from pathlib import Path

from jobs.config_values import Configuration
from jobs.registry import schedules
from jobs.run_settings import RunSettings
from jobs.settings import ScanSettings
from jobs.surroundings import Surroundings
from scanner.project import Thresholds
from tests.support import NOW


def run_settings(state: Path, now: float = NOW, configuration: Configuration | None = None) -> RunSettings:
    """What ``zecher run`` would work with, were ``state`` its folder, the clock standing still at ``now``."""
    home = str(state.parent)
    configured = configuration or Configuration()
    return RunSettings(
        scan=ScanSettings(
            groups=(),
            thresholds=Thresholds(),
            brain=f"{home}/brain",
            state=str(state),
            home=home,
            now=now,
        ),
        configuration=configured,
        surroundings=Surroundings({"TZ": "UTC"}, home, home, now),
        schedules=schedules(configured),
    )
