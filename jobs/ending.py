"""Carries out the function of a job and says how it ended, whatever it did."""

from __future__ import annotations

from jobs.registry import CancelledRun, JobResult
from jobs.run_record import CANCELLED, FAILED, OK, PARTIAL, TIMEOUT
from scanner.project import Problem
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.registry import Job, JobContext
    from jobs.stopping import Stopping

_LONGEST_ERROR = 500


@dataclass(frozen=True, slots=True)
class Ending:
    """How the function of a job ended; ``interrupt`` is Ctrl-C, to be passed on when all is written down."""

    state: str
    result: JobResult | None = None
    error_type: str = ""
    error: str = ""
    interrupt: KeyboardInterrupt | None = None

    @property
    def message(self) -> str:
        """One line for people."""
        if self.result is not None:
            return self.result.summary
        return f"{self.error_type}: {self.error}" if self.error_type else self.error

    def problems(self, job: str) -> tuple[Problem, ...]:
        """The ending as a problem, where the job had no words for it."""
        if self.result is not None:
            return ()
        code = {CANCELLED: "run-cancelled", TIMEOUT: "run-timeout"}.get(self.state, "run-failed")
        fix = "Run it again; every file is whole, old or new."
        return (Problem(code, "error", "", f"{job}: {self.message}", fix),)


def carry_out(job: Job, context: JobContext, stopping: Stopping) -> Ending:
    """Run the function of ``job``: whatever it does, it ends here."""
    try:
        try:
            stopping.watch(job.deadline_s)
            result = job.load()(context)
        finally:
            stopping.rest()
        return _ended_with(result)
    except CancelledRun as end:
        stopping.rest()  # an alarm may have come between the two lines above
        words = {TIMEOUT: f"it took longer than {job.deadline_s:g} seconds", CANCELLED: "it was asked to end"}
        return Ending(end.reason, error=words.get(end.reason, end.reason))
    except KeyboardInterrupt as end:
        return Ending(CANCELLED, error="stopped by Ctrl-C", interrupt=end)
    except SystemExit as end:
        return Ending(FAILED, error_type="SystemExit", error=str(end.code))
    except Exception as end:  # noqa: BLE001 - a job may fail in any way; the ledger, the daemon and the rest go on
        return Ending(FAILED, error_type=type(end).__name__, error=_harmless(str(end)))


def _ended_with(result: object) -> Ending:
    if not isinstance(result, JobResult) or result.outcome not in (OK, PARTIAL, FAILED):
        return Ending(FAILED, error_type="TypeError", error="the job gave back no result")
    if result.outcome == OK:
        return Ending(OK, result)
    errors = [problem for problem in result.problems if problem.level == "error"]
    first = errors[0] if errors else None
    return Ending(
        result.outcome,
        result,
        first.code if first else "",
        _harmless(first.message if first else result.summary),
    )


def _harmless(text: str) -> str:
    """The words of an error without secrets: they may quote a line of a file."""
    from brain.secrets import redact  # noqa: PLC0415 - start-up: only after a failure

    return redact(text[:_LONGEST_ERROR]).text
