"""What every run of every job needs to know."""

from __future__ import annotations

from jobs.errors import UsageError
from jobs.machine import digest, passing_time
from jobs.registry import schedules
from scanner.value import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.config_values import Configuration
    from jobs.schedule.text import Schedule
    from jobs.settings import ScanSettings
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What every run of every job needs: the portfolio's settings, the schedules by job, where all came from.

    ``config_sha`` are the first twelve hexadecimal digits of the SHA-256 of the configuration, or empty.
    ``read_at`` is the ``passing_time`` at which the clock showed ``scan.now``; None where that stands still.
    """

    scan: ScanSettings
    configuration: Configuration
    surroundings: Surroundings
    schedules: Mapping[str, Schedule]
    config_sha: str = ""
    read_at: float | None = None

    def moment(self) -> float:
        """Epoch seconds now: jobs that run one after the other do not begin at the same time."""
        return self.scan.now + (0.0 if self.read_at is None else passing_time() - self.read_at)


def run_settings(typed: Typed, surroundings: Surroundings) -> RunSettings:
    """The settings of this process, from what was typed, set and configured.

    ``UsageError`` also for what a person would be asked about first, for at night nobody can be.
    """
    from jobs.config import load_configuration  # noqa: PLC0415 - a daemon brings its settings along
    from jobs.places import refuse_reports_in_brain, reports_folder  # noqa: PLC0415 - as above
    from jobs.settings import is_whole_disk, scan_settings  # noqa: PLC0415 - as above

    configuration = load_configuration(surroundings, typed.text("config"))
    scan = replace(scan_settings(typed, surroundings, here=False), unsaved=True)
    refuse_reports_in_brain(reports_folder(surroundings, configuration), scan.brain)
    if any(is_whole_disk(root) for root in scan.roots):
        raise UsageError(
            "whole-disk",
            "/ as a root means every folder of this machine",
            "that takes long and is seldom meant",
            "Name the folders that hold your projects as [scan] roots.",
            path=configuration.path,
        )
    return RunSettings(
        scan=scan,
        configuration=configuration,
        surroundings=surroundings,
        schedules=schedules(configuration),
        config_sha=digest(configuration.path),
        read_at=passing_time(),
    )
