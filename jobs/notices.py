"""Tells people how a run ended: hooks, a dead-man service, Apprise. Whatever goes wrong here fails no job.

Of failures in a row the first, third, ninth and twenty-seventh are told, then each that is a power of three;
after them the first good run once. So a job that stays broken is told of again, and nobody learns to look
away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from jobs.config_values import FAILURE, RECOVERY, SUCCESS
from jobs.run_record import CANCELLED, SKIPPED, START
from reports.view import safe_display
from scanner.project import Problem
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.config_values import Configuration, ConfiguredNotices, Hook
    from jobs.run_record import Run

# A service that does not answer must not hold the lock of the job for long.
SERVICE_SECONDS = 20.0
_PAUSE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Notice:
    """What is told of one run.

    ``occasions`` are some of ``failure``, ``recovery``, ``success``, the most telling first; ``failures``
    counts those in a row, with this run if it failed, else those that it ended.
    """

    occasions: tuple[str, ...]
    run: Run
    failures: int
    summary: str = ""

    @property
    def title(self) -> str:
        """One line: what happened to which job."""
        if FAILURE in self.occasions:
            count = f", {self.failures} times in a row" if self.failures > 1 else ""
            return f"Zecher: {self.run.job} {self.run.state}{count}"
        if RECOVERY in self.occasions:
            return f"Zecher: {self.run.job} works again"
        return f"Zecher: {self.run.job} {self.run.state}"

    @property
    def body(self) -> str:
        """One line: the slot and why it failed or what came of it."""
        why = ": ".join(part for part in (self.run.error_type, self.run.error) if part)
        return safe_display(" - ".join(part for part in (self.run.slot, why or self.summary) if part))


def failures_in_a_row(runs: Sequence[Run]) -> int:
    """How many runs of one job failed since the last that was done; one that was stopped is no failure."""
    count = 0
    for run in reversed(runs):
        if run.is_done:
            break
        count += run.state not in (START, SKIPPED, CANCELLED)
    return count


def notice_of(run: Run, before: Sequence[Run], summary: str = "") -> Notice | None:
    """What is to be told of ``run``, which ended; None for nothing. ``before`` are the older ones."""
    failures = failures_in_a_row(before)
    if run.is_done:
        return Notice((RECOVERY, SUCCESS) if failures else (SUCCESS,), run, failures, summary)
    if run.state in (START, SKIPPED, CANCELLED) or not _is_power_of_three(failures + 1):
        return None
    return Notice((FAILURE,), run, failures + 1, summary)


def tell(
    notice: Notice,
    configuration: Configuration,
    environ: Mapping[str, str],
    *,
    seconds: float = SERVICE_SECONDS,
) -> tuple[Problem, ...]:
    """Tell everybody who is configured; what went wrong, as warnings. ``seconds`` bound each service."""
    return tuple(telling(notice, configuration, environ, seconds=seconds))


def telling(
    notice: Notice,
    configuration: Configuration,
    environ: Mapping[str, str],
    *,
    seconds: float = SERVICE_SECONDS,
) -> Iterator[Problem]:
    """The same, one after the other: each problem as soon as it is known."""
    for hook in configuration.hooks:
        problem = _call_hook(hook, notice, environ)
        if problem is not None:
            yield problem
    yield from _call_services(configuration.notify, notice, seconds)


def _is_power_of_three(count: int) -> bool:
    while count > 1 and count % 3 == 0:
        count //= 3
    return count == 1


# -- hooks ------------------------------------------------------------------------------------------------


def _call_hook(hook: Hook, notice: Notice, environ: Mapping[str, str]) -> Problem | None:
    occasion = next((one for one in notice.occasions if one in hook.on), None)
    if occasion is None:
        return None
    from jobs.config_targets import why_not_run  # noqa: PLC0415 - only where a hook is to be run
    from jobs.processes import ProcessError, ask  # noqa: PLC0415 - as above

    program = hook.run[0]
    wrong = why_not_run(program)
    if wrong:
        return _hook_problem(program, wrong)
    try:
        answer = ask(hook.run, {**environ, **_variables(notice, occasion)}, seconds=hook.timeout)
    except ProcessError as error:
        return _hook_problem(
            program, f"did not end within {hook.timeout:g} s" if error.timed_out else str(error)
        )
    return None if answer.code == 0 else _hook_problem(program, f"failed: {answer.reason}")


def _hook_problem(program: str, what: str) -> Problem:
    return Problem("notice-hook", "warning", program, f"the hook {what}", "Run it by hand and mend it.")


def _variables(notice: Notice, occasion: str) -> dict[str, str]:
    """What a hook is told, each value one harmless line."""
    run = notice.run
    values = {
        "JOB": run.job,
        "OUTCOME": run.state,
        "OCCASION": occasion,
        "SLOT": run.slot,
        "RUN": run.run,
        "FAILURES": str(notice.failures),
        "MISSED_SLOTS": str(run.missed_slots),
        "DURATION_S": "" if run.duration is None else f"{run.duration:.3f}",
        "ERROR": ": ".join(part for part in (run.error_type, run.error) if part),
        "SUMMARY": notice.summary,
        "TITLE": notice.title,
    }
    return {f"ZECHER_{name}": safe_display(value) for name, value in values.items()}


# -- services over the network ----------------------------------------------------------------------------


def _call_services(notify: ConfiguredNotices, notice: Notice, seconds: float) -> Iterator[Problem]:
    url = notify.ping_url
    if url and SUCCESS in notice.occasions:
        why = _in_time(lambda: _ping(url), seconds)
        if why:
            # The address is as good as a password: it stands in no message.
            yield _untold("notice-ping", "the dead-man service", why, "notify.ping_url")
    if notify.apprise and notice.occasions != (SUCCESS,):
        why = _in_time(lambda: _apprise(notify.apprise, notice), seconds)
        if why:
            yield _untold("notice-apprise", "Apprise", why, "notify.apprise")


def _untold(code: str, who: str, why: str, key: str) -> Problem:
    return Problem(code, "warning", "", f"{who} was not told: {why}", f"Check {key} in the configuration.")


def _in_time(call: Callable[[], str], seconds: float) -> str:
    """Why ``call`` failed, or empty. One that takes longer is left behind, and ends with the process."""
    import threading  # noqa: PLC0415 - only where a service is configured

    said = [f"no answer within {seconds:g} s"]

    def run() -> None:
        try:
            said[0] = call()
        except Exception as error:  # noqa: BLE001 - foreign code and foreign servers: no failure is the job's
            said[0] = type(error).__name__

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return said[0]


def _ping(url: str) -> str:
    from urllib.error import HTTPError, URLError  # noqa: PLC0415 - 40 ms, only where an address is configured
    from urllib.request import Request, urlopen  # noqa: PLC0415 - as above

    if not url.lower().startswith(("http://", "https://")):
        return "the address is neither http nor https"
    try:
        with urlopen(Request(url, headers={"User-Agent": "zecher"}), timeout=_PAUSE_SECONDS):  # noqa: S310 - as above
            return ""
    except HTTPError as error:
        error.close()
        return f"it answered with {error.code}"
    except URLError as error:
        return str(getattr(error.reason, "strerror", None) or type(error.reason).__name__)


def _apprise(urls: Sequence[str], notice: Notice) -> str:
    import importlib  # noqa: PLC0415 - an extra that most people do not install
    import logging  # noqa: PLC0415 - as above

    try:
        library = importlib.import_module("apprise")
    except ImportError:
        return "it is not installed: zecher[notify]"
    # What it logs may hold the addresses, which are as good as passwords.
    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)
    teller = library.Apprise()
    refused = sum(not teller.add(url) for url in urls)
    told = teller.notify(title=notice.title, body=notice.body or notice.title)
    if refused:
        return f"{refused} of {len(urls)} addresses are of no service that it knows"
    return "" if told else "a service did not take it"
