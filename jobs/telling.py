"""Tells those who are configured how a run ended, and writes down who could not be told."""

from __future__ import annotations

from jobs.notices import notice_of, telling
from jobs.registry import CancelledRun, CancelToken
from jobs.run_ledger import LedgerError, append_run, read_runs
from scanner.project import Problem
from scanner.value import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jobs.config_values import Configuration
    from jobs.run_record import Run
    from jobs.stopping import Stopping

# All hooks and services of one run together: whoever waits for the job waits for them too.
TELLING_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Audience:
    """Who is to be told, the environment of what tells them, and the state folder with the ledger."""

    configuration: Configuration
    environ: Mapping[str, str]
    state: str

    def hear(
        self, run: Run, runs: Sequence[Run], summary: str = "", stopping: Stopping | None = None
    ) -> tuple[Problem, ...]:
        """Tell of ``run``, which ended; ``runs`` are those of its job, perhaps with it. What went wrong.

        With ``stopping`` it is cut short after ten minutes, or soon after a signal asks for an end. Who could
        not be told stands in the ledger afterwards: on most machines nobody reads what a job prints.
        """
        place = next((place for place, one in enumerate(runs) if one.run == run.run), len(runs))
        notice = notice_of(run, runs[:place], summary)
        if notice is None:
            return ()
        problems: list[Problem] = []
        try:
            try:
                if stopping is not None:
                    stopping.watch(TELLING_SECONDS, CancelToken())
                for problem in telling(notice, self.configuration, self.environ):
                    problems.append(problem)  # noqa: PERF402 - what was found by then outlives an interruption
            finally:
                if stopping is not None:
                    stopping.rest()
        except CancelledRun:
            if stopping is not None:
                stopping.rest()  # an alarm may have come between the lines above
            problems.append(_cut_short(by_signal=stopping is not None and stopping.asked))
        if problems:
            problems += self._record(run, problems)
        return tuple(problems)

    def hear_of_crashes(self, crashed: Sequence[Run]) -> tuple[Problem, ...]:
        """Tell of runs of one job that were just written down as crashed."""
        if not crashed:
            return ()
        try:
            runs = read_runs(self.state).of(crashed[0].job)
        except LedgerError:
            runs = tuple(crashed)
        return tuple(problem for run in crashed for problem in self.hear(run, runs))

    def _record(self, run: Run, problems: Sequence[Problem]) -> tuple[Problem, ...]:
        from brain.secrets import redact  # noqa: PLC0415 - start-up: only after a failure

        # The last words of a hook may quote anything.
        said = (": ".join(filter(None, (problem.path, problem.message))) for problem in problems)
        untold = tuple(redact(words).text for words in said)
        try:
            append_run(self.state, replace(run, untold=untold))
        except LedgerError as error:
            return (Problem("ledger-write", "warning", error.path, str(error)),)
        return ()


def _cut_short(*, by_signal: bool) -> Problem:
    why = "a signal asked for an end" if by_signal else f"it took longer than {TELLING_SECONDS:g} s"
    return Problem(
        "notice-cut-short",
        "warning",
        "",
        f"not everybody was told of it: {why}",
        "See zecher jobs for how the run ended.",
    )
