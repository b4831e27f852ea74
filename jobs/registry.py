"""Which jobs there are, what a job is handed, and what it hands back.

A job is a plain function from a context to a result. It knows neither scheduler nor ledger: it reads the
clock from its context, asks the cancel token between two projects, and publishes at its end.
"""

from __future__ import annotations

from collections.abc import Callable

from jobs.errors import UsageError, nearest
from jobs.schedule.text import ScheduleError, parse_schedule
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.config_values import Configuration
    from jobs.run_record import Run
    from jobs.schedule.text import Schedule
    from jobs.settings import ScanSettings
    from jobs.surroundings import Surroundings
    from scanner.project import Problem

OK, PARTIAL, FAILED = "ok", "partial", "failed"
CANCELLED, TIMEOUT = "cancelled", "timeout"


class CancelledRun(BaseException):
    """The run shall end now, without publishing anything; jobs let it pass.

    Not an ``Exception``: what a job catches to survive one bad project must not swallow the wish to stop.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class CancelToken:
    """Asked by a job between two projects whether it shall stop.

    ``reason`` is empty as long as nobody wants that, else ``cancelled`` (a signal) or ``timeout``.
    """

    __slots__ = ("reason",)

    def __init__(self) -> None:
        self.reason = ""

    def cancel(self, reason: str = CANCELLED) -> None:
        """Ask for an end; the first reason counts."""
        self.reason = self.reason or reason

    def check(self) -> None:
        """Raise ``CancelledRun`` once somebody has asked for an end."""
        if self.reason:
            raise CancelledRun(self.reason)


@dataclass(frozen=True, slots=True)
class Output:
    """A file that a job published: absolute path, SHA-256 as hexadecimal digits, size in bytes."""

    path: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class JobResult:
    """How a job ended. ``outcome`` is ``ok``, ``partial`` or ``failed``; ``summary`` is one line for people.

    ``problems`` are what stood in the way, ``counts`` what the ledger keeps.
    """

    outcome: str
    counts: Mapping[str, int]
    outputs: tuple[Output, ...] = ()
    problems: tuple[Problem, ...] = ()
    summary: str = ""


@dataclass(frozen=True, slots=True)
class JobContext:
    """All that a job may know.

    ``settings`` has the configured roots, unsaved work asked for, with brain, state and home; ``now`` is in
    epoch seconds; ``slot`` is the name of the slot that this run stands for, as ``jobs.schedule.slots``
    gives it. With ``clock_suspicious`` nothing may be archived or deleted by age. ``last_ok`` is the
    last run of this job that ended well, if any.
    """

    job: str
    run: str
    slot: str
    now: float
    settings: ScanSettings
    configuration: Configuration
    surroundings: Surroundings
    cancel: CancelToken
    clock_suspicious: bool = False
    missed_slots: int = 0
    last_ok: Run | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A job that can be run. ``function`` is the function itself, or ``module:name`` to be imported then.

    ``schedule`` is the default as a person would write it; after ``deadline_s`` seconds the run is ended.
    ``switch`` is the table of the configuration whose ``enabled`` turns it on, empty for one that always is.
    """

    name: str
    schedule: str
    function: Callable[[JobContext], JobResult] | str
    deadline_s: float = 1800.0
    switch: str = ""

    def is_on(self, configuration: Configuration) -> bool:
        """Whether the configuration wants it to be run."""
        return not self.switch or bool(getattr(configuration, self.switch).enabled)

    def load(self) -> Callable[[JobContext], JobResult]:
        """The function of the job."""
        if not isinstance(self.function, str):
            return self.function
        import importlib  # noqa: PLC0415 - start-up: only a run needs the modules of its job

        module, _, name = self.function.partition(":")
        found: Callable[[JobContext], JobResult] = getattr(importlib.import_module(module), name)
        return found


# Neither at two, which some nights lack and others have twice, nor at midnight, nor on a full hour.
JOBS: dict[str, Job] = {
    "nightly": Job("nightly", "daily 03:17", "jobs.nightly:nightly"),
    "weekly": Job("weekly", "weekly sun 04:23", "jobs.weekly:weekly"),
    "dreaming": Job("dreaming", "daily 03:47", "jobs.dreaming:dreaming", deadline_s=900.0, switch="dreaming"),
}


def schedules(configuration: Configuration) -> dict[str, Schedule]:
    """When each job that is on is due: as configured, else its default.

    ``UsageError`` for a text that is no schedule, which the check of the configuration says more nicely.
    """
    zone = configuration.schedule.zone
    try:
        return {
            name: parse_schedule(configuration.schedule.of(name) or job.schedule, zone)
            for name, job in JOBS.items()
            if job.is_on(configuration)
        }
    except ScheduleError as error:
        raise UsageError(
            "bad-schedule",
            "a schedule makes no sense",
            str(error),
            "Mend [schedule] in the configuration.",
            path=configuration.path,
        ) from None


def job_named(name: str) -> Job:
    """The job of that name; ``UsageError`` with its nearest neighbour when there is none."""
    if name in JOBS:
        return JOBS[name]
    neighbour = nearest(name, list(JOBS))
    raise UsageError(
        "unknown-job",
        f"there is no job called {name!r}",
        f"the jobs are {', '.join(sorted(JOBS))}",
        f"Did you mean {neighbour}?" if neighbour else "Name one of them.",
    )
