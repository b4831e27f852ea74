"""Who is told how a run ended, how often, and that no failure of telling is a failure of the job."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from jobs.config_values import FAILURE, OCCASIONS, RECOVERY, SUCCESS, Configuration, ConfiguredNotices, Hook
from jobs.crashes import close_crashed
from jobs.notices import Notice, notice_of, tell
from jobs.registry import JOBS, Job, JobContext, JobResult
from jobs.run_ledger import LedgerError, Run, append_run, read_runs
from jobs.runner import RunReport, run_job
from jobs.stopping import Stopping
from jobs.telling import Audience
from scanner.value import replace
from tests.jobs.daemons import is_alive
from tests.jobs.program import ROOT
from tests.jobs.runs import run_settings
from tests.support import DAY, NOW

FAILED = Run(
    "r", "test", "2026-11-30", "timer", "failed", NOW, NOW + 2, 2.0, error_type="OSError", error="full"
)
OK = replace(FAILED, state="ok", error_type="", error="")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "zecher"


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def told(*occasions: str, run: Run = FAILED, failures: int = 1) -> Notice:
    return Notice(occasions, run, failures, "3 projects")


def hooked(*run: str, on: tuple[str, ...] = OCCASIONS, timeout: float = 30.0) -> Configuration:
    return Configuration(hooks=(Hook(run, on, timeout),))


# -- when ----------------------------------------------------------------------------------------------------


def test_of_failures_in_a_row_the_first_third_ninth_and_twenty_seventh_are_told() -> None:
    runs: list[Run] = []
    told_at = []
    for count in range(1, 100):
        run = replace(FAILED, run=str(count))
        notice = notice_of(run, runs)
        if notice is not None:
            assert (notice.occasions, notice.failures) == ((FAILURE,), count)
            told_at.append(count)
        runs.append(run)

    assert told_at == [1, 3, 9, 27, 81]


def test_the_first_good_run_after_failures_is_a_recovery_and_the_next_is_not() -> None:
    after = notice_of(OK, (FAILED, FAILED))
    again = notice_of(OK, (FAILED, FAILED, OK))

    assert after is not None
    assert again is not None
    assert (after.occasions, after.failures) == ((RECOVERY, SUCCESS), 2)
    assert again.occasions == (SUCCESS,)


@pytest.mark.parametrize("state", ["cancelled", "skipped", "start"])
def test_what_is_no_failure_is_not_told_and_ends_no_row(state: str) -> None:
    other = replace(FAILED, state=state)

    assert notice_of(other, ()) is None
    assert notice_of(FAILED, (FAILED, other)) is None
    third = notice_of(FAILED, (FAILED, other, FAILED))
    assert third is not None
    assert third.failures == 3


@pytest.mark.parametrize("state", ["timeout", "crashed"])
def test_an_end_by_force_counts_as_a_failure(state: str) -> None:
    notice = notice_of(replace(FAILED, state=state), ())

    assert notice is not None
    assert notice.title == f"Zecher: test {state}"


# -- hooks ---------------------------------------------------------------------------------------------------


def test_a_hook_gets_its_arguments_and_the_run_as_variables(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    program = script(
        tmp_path / "hook", f'echo "$1|$HOME" > {heard}; /usr/bin/env | /bin/grep ^ZECHER_ >> {heard}'
    )
    run = replace(FAILED, error="two\nlines", missed_slots=2)

    assert tell(told(FAILURE, run=run, failures=3), hooked(program, "a b; $(exit)"), {"HOME": "/h"}) == ()

    first, *variables = heard.read_text().splitlines()
    assert first == "a b; $(exit)|/h"
    assert sorted(variables) == [
        "ZECHER_DURATION_S=2.000",
        "ZECHER_ERROR=OSError: two\\nlines",
        "ZECHER_FAILURES=3",
        "ZECHER_JOB=test",
        "ZECHER_MISSED_SLOTS=2",
        "ZECHER_OCCASION=failure",
        "ZECHER_OUTCOME=failed",
        "ZECHER_RUN=r",
        "ZECHER_SLOT=2026-11-30",
        "ZECHER_SUMMARY=3 projects",
        "ZECHER_TITLE=Zecher: test failed, 3 times in a row",
    ]


@pytest.mark.parametrize(
    ("on", "occasions", "runs"),
    [
        ((FAILURE, RECOVERY), (FAILURE,), True),
        ((FAILURE, RECOVERY), (RECOVERY, SUCCESS), True),
        ((FAILURE, RECOVERY), (SUCCESS,), False),
        ((SUCCESS,), (RECOVERY, SUCCESS), True),
        ((SUCCESS,), (FAILURE,), False),
    ],
)
def test_a_hook_runs_on_its_own_occasions_only(
    tmp_path: Path, on: tuple[str, ...], occasions: tuple[str, ...], *, runs: bool
) -> None:
    heard = tmp_path / "heard"
    program = script(tmp_path / "hook", f"echo $ZECHER_OCCASION >> {heard}")

    tell(told(*occasions), hooked(program, on=on), {})

    assert heard.exists() is runs
    if runs:
        assert heard.read_text().split() == [next(one for one in occasions if one in on)]


def ends(pid: int) -> bool:
    """Whether a process comes to its end soon; half a minute is far less than it would live."""
    limit = time.monotonic() + 30
    while is_alive(pid) and time.monotonic() < limit:
        time.sleep(0.01)
    return not is_alive(pid)


def test_a_hook_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = script(tmp_path / "hook", f"/bin/sleep 60 & echo $! > {note}; /bin/sleep 60")
    begun = time.monotonic()

    (problem,) = tell(told(FAILURE), hooked(program, timeout=1.0), {})

    assert time.monotonic() - begun < 30
    assert (problem.code, problem.level) == ("notice-hook", "warning")
    assert problem.message == "the hook did not end within 1 s"
    assert ends(int(note.read_text()))


def test_a_hook_that_says_a_hundred_megabytes_is_read_and_forgotten(tmp_path: Path) -> None:
    program = script(tmp_path / "hook", "exec /usr/bin/head -c 100000000 /dev/zero")

    assert tell(told(FAILURE), hooked(program), {}) == ()


@pytest.mark.parametrize(
    ("mode", "words"),
    [(None, "is not there"), (0o644, "is not executable"), (0o757, "may be written by everybody")],
)
def test_a_hook_that_cannot_or_must_not_be_run_is_told(tmp_path: Path, mode: int | None, words: str) -> None:
    heard = tmp_path / "heard"
    program = tmp_path / "hook"
    if mode is not None:
        script(program, f"echo x > {heard}")
        program.chmod(mode)

    (problem,) = tell(told(FAILURE), hooked(str(program)), {})

    assert words in problem.message
    assert not heard.exists()


def test_the_last_words_of_a_hook_that_fails_are_told_and_the_next_hook_runs(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    bad = Hook((script(tmp_path / "bad", "echo no bus >&2; exit 3"),))
    good = Hook((script(tmp_path / "good", f"echo x > {heard}"),))

    (problem,) = tell(told(FAILURE), Configuration(hooks=(bad, good)), {})

    assert problem.message == "the hook failed: no bus"
    assert heard.exists()


# -- services ------------------------------------------------------------------------------------------------


class _Service(BaseHTTPRequestHandler):
    heard: list[str]
    given_up: threading.Event

    def do_GET(self) -> None:
        self.heard.append(self.path)
        if self.path == "/hang":
            self.given_up.wait(60)
        self.send_response(404 if self.path == "/gone" else 200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def service() -> Iterator[tuple[str, list[str]]]:
    """A dead-man service on this machine: its address, and the paths that were called."""
    handler = type("Handler", (_Service,), {"heard": [], "given_up": threading.Event()})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", handler.heard  # type: ignore[attr-defined] # made above
    handler.given_up.set()  # type: ignore[attr-defined] # made above
    server.shutdown()
    server.server_close()
    thread.join()


def pinging(url: str) -> Configuration:
    return Configuration(notify=ConfiguredNotices(ping_url=url))


def test_the_dead_man_service_is_called_after_good_runs_only(service: tuple[str, list[str]]) -> None:
    address, heard = service

    for occasions in ((SUCCESS,), (FAILURE,), (RECOVERY, SUCCESS)):
        assert tell(told(*occasions), pinging(f"{address}/key"), {}) == ()

    assert heard == ["/key", "/key"]


def test_a_service_that_refuses_is_a_warning_without_its_address(service: tuple[str, list[str]]) -> None:
    (problem,) = tell(told(SUCCESS), pinging(f"{service[0]}/gone"), {})

    assert problem.code == "notice-ping"
    assert problem.message == "the dead-man service was not told: it answered with 404"
    assert "/gone" not in f"{problem}"


def test_a_service_that_does_not_answer_is_given_up(service: tuple[str, list[str]]) -> None:
    begun = time.monotonic()

    (problem,) = tell(told(SUCCESS), pinging(f"{service[0]}/hang"), {}, seconds=0.2)

    assert time.monotonic() - begun < 30
    assert problem.message.endswith("no answer within 0.2 s")


def test_a_service_that_is_not_there_is_a_warning() -> None:
    (problem,) = tell(told(SUCCESS), pinging("http://127.0.0.1:1/secret"), {})

    assert "Connection refused" in problem.message
    assert "secret" not in f"{problem}"


FAKE = """
class Apprise:
    def __init__(self):
        self.urls = []
    def add(self, url):
        self.urls.append(url)
        return not url.startswith("bad")
    def notify(self, title, body):
        with open({heard!r}, "a") as file:
            print(*self.urls, title, body, sep="|", file=file)
        if "raise" in self.urls[0]:
            raise OSError(self.urls[0])
        return "deaf" not in self.urls[0]
"""


@pytest.fixture
def apprise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the library, with its contract; the file holds what it told."""
    heard = tmp_path / "apprise-heard"
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "apprise.py").write_text(FAKE.format(heard=str(heard)))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(__import__("sys").modules, "apprise", raising=False)
    return heard


def with_apprise(*urls: str) -> Configuration:
    return Configuration(notify=ConfiguredNotices(apprise=urls))


def test_apprise_is_told_of_failure_and_recovery(apprise: Path) -> None:
    configuration = with_apprise("json://a", "ntfys://b/c")

    assert tell(told(FAILURE), configuration, {}) == ()
    assert tell(told(SUCCESS, run=OK), configuration, {}) == ()
    assert tell(told(RECOVERY, SUCCESS, run=OK), configuration, {}) == ()

    assert apprise.read_text().splitlines() == [
        "json://a|ntfys://b/c|Zecher: test failed|2026-11-30 - OSError: full",
        "json://a|ntfys://b/c|Zecher: test works again|2026-11-30 - 3 projects",
    ]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("raise://secret", "OSError"),
        ("bad://secret", "1 of 1 addresses"),
        ("deaf://secret", "did not take it"),
    ],
)
@pytest.mark.usefixtures("apprise")
def test_whatever_apprise_does_is_a_warning_without_the_address(url: str, words: str) -> None:
    (problem,) = tell(told(FAILURE), with_apprise(url), {})

    assert problem.code == "notice-apprise"
    assert words in problem.message
    assert "secret" not in f"{problem}"


def test_without_the_extra_the_warning_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "apprise", None)

    (problem,) = tell(told(FAILURE), with_apprise("json://a"), {})

    assert "zecher[notify]" in problem.message


# -- in the runner -------------------------------------------------------------------------------------------


@pytest.fixture
def night(
    monkeypatch: pytest.MonkeyPatch, state: Path, tmp_path: Path
) -> tuple[Callable[[float, str], RunReport], Path]:
    """Runs the job ``test``, days from now, with the outcome named; and what the hook heard."""
    heard = tmp_path / "heard"
    program = script(
        tmp_path / "hook", f"echo $ZECHER_OCCASION $ZECHER_OUTCOME $ZECHER_FAILURES >> {heard}; exit 1"
    )

    def run(days: float, outcome: str) -> RunReport:
        def function(_: JobContext) -> JobResult:
            return JobResult(outcome, {})

        monkeypatch.setitem(JOBS, "test", Job("test", "daily 03:17", function))
        return run_job("test", run_settings(state, NOW + days * DAY, hooked(program, on=(FAILURE, RECOVERY))))

    return run, heard


def test_nights_that_fail_and_recover_are_told_by_the_rule(
    night: tuple[Callable[[float, str], RunReport], Path],
) -> None:
    run, heard = night
    for days, outcome in enumerate(["ok", "failed", "failed", "failed", "failed", "partial", "ok"]):
        run(days, outcome)

    assert heard.read_text().splitlines() == ["failure failed 1", "failure failed 3", "recovery partial 4"]


def test_a_hook_that_fails_leaves_the_job_as_it_ended(
    night: tuple[Callable[[float, str], RunReport], Path], state: Path
) -> None:
    run, _ = night
    run(0, "failed")

    report = run(1, "ok")

    assert (report.state, report.exit_code) == ("ok", 0)
    assert [problem.code for problem in report.problems] == ["notice-hook"]
    assert [one.state for one in read_runs(str(state)).runs] == ["failed", "ok"]


def test_a_crash_is_told_by_the_next_run_and_so_is_the_recovery(
    night: tuple[Callable[[float, str], RunReport], Path], state: Path
) -> None:
    run, heard = night
    append_run(str(state), replace(FAILED, state="start", end=None, duration=None))

    run(1, "ok")

    assert heard.read_text().splitlines() == ["failure crashed 1", "recovery ok 1"]


def test_whoever_writes_down_a_crash_can_tell_of_it(state: Path, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    program = script(tmp_path / "hook", f"echo $ZECHER_OUTCOME $ZECHER_ERROR >> {heard}")
    append_run(str(state), replace(FAILED, state="start", end=None, duration=None))

    crashed = close_crashed("test", str(state), NOW + 9, "killed")

    assert Audience(hooked(program), {}, str(state)).hear_of_crashes(crashed) == ()
    assert heard.read_text() == "crashed crash: killed\n"


# -- in the ledger -------------------------------------------------------------------------------------------


def test_who_could_not_be_told_stands_in_the_ledger_beside_the_end_of_the_run(
    night: tuple[Callable[[float, str], RunReport], Path], state: Path, tmp_path: Path
) -> None:
    run, _ = night
    run(0, "failed")
    found = read_runs(str(state))

    (only,) = found.runs
    assert (only.state, found.duplicates) == ("failed", 0)
    assert only.untold == (f"{tmp_path}/hook: the hook failed: it ended with code 1",)


def test_a_secret_in_the_last_words_of_a_hook_is_not_kept(state: Path, tmp_path: Path) -> None:
    program = script(tmp_path / "hook", "echo 'password: correct-horse-battery' >&2; exit 1")
    append_run(str(state), FAILED)

    Audience(hooked(program), {}, str(state)).hear(FAILED, (FAILED,))

    assert "the hook failed" in (state / "runs.ndjson").read_text()
    assert "correct-horse" not in (state / "runs.ndjson").read_text()


def test_where_all_were_told_the_ledger_holds_two_lines_a_run(state: Path, tmp_path: Path) -> None:
    run_job("nightly", run_settings(state, NOW, hooked(script(tmp_path / "hook", "exit 0"))))

    assert len((state / "runs.ndjson").read_text().splitlines()) == 2
    assert read_runs(str(state)).runs[0].untold == ()


def test_a_ledger_that_cannot_take_it_is_a_warning_more(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: str, _: Run) -> None:
        raise LedgerError(f"{folder}/runs.ndjson", "No space left on device")

    monkeypatch.setattr("jobs.telling.append_run", full)
    problems = Audience(hooked(str(tmp_path / "gone")), {}, str(state)).hear(FAILED, (FAILED,))

    assert [problem.code for problem in problems] == ["notice-hook", "ledger-write"]


# -- within its time -----------------------------------------------------------------------------------------


def test_hooks_that_together_take_too_long_are_cut_short_and_the_run_stays_as_it_ended(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.telling.TELLING_SECONDS", 0.2)
    monkeypatch.setattr("jobs.runner.Stopping", partial(Stopping, grace=0.2))
    program = script(tmp_path / "hook", "exec /bin/sleep 120")
    monkeypatch.setitem(JOBS, "test", Job("test", "daily 03:17", lambda _: JobResult("failed", {})))
    begun = time.monotonic()
    hooks = Configuration(hooks=(Hook((str(tmp_path / "gone"),)), Hook((program,))))

    report = run_job("test", run_settings(state, NOW, hooks))

    assert time.monotonic() - begun < 60
    assert (report.state, report.stopped) == ("failed", False)
    assert [problem.code for problem in report.problems if problem.code.startswith("notice")] == [
        "notice-hook",
        "notice-cut-short",
    ]
    assert [len(run.untold) for run in read_runs(str(state)).runs] == [2]


@pytest.mark.usefixtures("apprise")
def test_what_apprise_logs_reaches_nobody(tmp_path: Path) -> None:
    library = tmp_path / "library" / "apprise.py"
    library.write_text(
        library.read_text().replace(
            "        self.urls.append(url)\n",
            "        self.urls.append(url)\n"
            "        import logging; logging.getLogger('apprise').critical('cannot %s', url)\n",
        )
    )
    code = (
        "from jobs.config_values import Configuration, ConfiguredNotices\n"
        "from jobs.notices import Notice, tell\n"
        "from jobs.run_record import Run\n"
        "run = Run('r', 'test', '2026-11-30', 'timer', 'failed', 0.0)\n"
        "configuration = Configuration(notify=ConfiguredNotices(apprise=('json://secret',)))\n"
        "print(tell(Notice(('failure',), run, 1), configuration, {}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PYTHONPATH": str(library.parent)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert (done.stdout, done.stderr) == ("()\n", "")
