from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobs.run_ledger import (
    CAP,
    ROTATE_BYTES,
    LedgerError,
    Run,
    append_run,
    read_last_runs,
    read_runs,
    to_line,
)
from scanner.value import replace
from tests.support import DAY, NOW

START = Run(
    run="nightly-1",
    job="nightly",
    slot="2026-11-30",
    trigger="timer",
    state="start",
    start=NOW,
    zone="Europe/Berlin",
    pid=4711,
    boot_id="b00t",
    host="desk",
    version="0.1.0",
    config_sha="0123456789ab",
    missed_slots=2,
    sandbox="effective",
)
END = replace(
    START,
    state="partial",
    end=NOW + 61.5,
    duration=61.5,
    counts={"projects": 7},
    outputs=(("/home/ana/reports/nightly.md", "ab" * 32, 1234),),
    error_type="root-missing",
    error="no such folder: /home/ana/dev",
)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state" / "zecher"


@pytest.fixture
def parent(state: Path) -> Path:
    state.mkdir(parents=True)
    return state


def append(state: Path, *runs: Run) -> None:
    for run in runs:
        append_run(str(state), run)


def read(state: Path) -> tuple[Run, ...]:
    return read_runs(str(state)).runs


def ended(number: int, state: str = "ok", **more: object) -> Run:
    return replace(END, run=f"r{number}", slot=f"s{number}", state=state, start=NOW + number * DAY, **more)  # type: ignore[arg-type] # a test's shorthand


# -- one line ------------------------------------------------------------------------------------------------


def test_the_two_lines_of_a_run_hold_every_field_that_is_known() -> None:
    first, last = json.loads(to_line(START)), json.loads(to_line(END))

    assert first == {
        "v": 1,
        "run": "nightly-1",
        "job": "nightly",
        "slot": "2026-11-30",
        "trigger": "timer",
        "state": "start",
        "start": "2026-11-30T03:17:04.000Z",
        "zone": "Europe/Berlin",
        "pid": 4711,
        "boot_id": "b00t",
        "host": "desk",
        "version": "0.1.0",
        "config_sha": "0123456789ab",
        "missed_slots": 2,
        "sandbox": "effective",
    }
    assert last == first | {
        "state": "partial",
        "end": "2026-11-30T03:18:05.500Z",
        "dur_s": 61.5,
        "counts": {"projects": 7},
        "outputs": [{"path": "/home/ana/reports/nightly.md", "sha256": "ab" * 32, "bytes": 1234}],
        "error": {"type": "root-missing", "msg": "no such folder: /home/ana/dev"},
    }


def test_a_line_is_compact_ascii_without_a_newline() -> None:
    line = to_line(replace(END, error="caf\u00e9\nline \udcff \u2028"))

    assert line.isascii()
    assert b"\n" not in line
    assert b", " not in line.replace(b"dev, ", b"")


def test_the_words_of_an_error_are_cut() -> None:
    assert len(json.loads(to_line(replace(END, error="x" * 10_000)))["error"]["msg"]) == 500


# -- appending and reading -----------------------------------------------------------------------------------


def test_what_is_appended_is_read_as_one_run(state: Path) -> None:
    append(state, START, END)

    assert read(state) == (END,)


def test_a_run_without_its_end_is_under_way(state: Path) -> None:
    append(state, START)

    assert read(state) == (START,)


def test_an_end_alone_tells_the_whole_run(state: Path) -> None:
    append(state, END)

    assert read(state) == (END,)


def test_a_path_that_is_not_utf8_reads_back_as_it_was(state: Path) -> None:
    odd = replace(END, outputs=(("/home/ana/\udcff.md", "ab" * 32, 1),))
    append(state, odd)

    assert read(state) == (odd,)


def test_a_missing_ledger_is_empty_and_reading_makes_none(state: Path) -> None:
    assert read(state) == ()
    assert not state.exists()


def test_ledger_and_locks_are_their_owners_alone_whatever_the_umask(state: Path) -> None:
    before = os.umask(0)
    try:
        append(state, START)
    finally:
        os.umask(before)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (state, *state.rglob("*"))}
    assert modes == {"zecher": 0o700, "locks": 0o700, "runs.ndjson": 0o600, "runs.ndjson.lock": 0o600}


def test_a_torn_last_line_costs_itself_alone(state: Path) -> None:
    append(state, START, END)
    ledger = state / "runs.ndjson"
    whole = ledger.read_bytes()
    for cut in (1, 2, 10, len(to_line(END))):
        ledger.write_bytes(whole[:-cut])
        append(state, ended(5))
        found = read_runs(str(state))
        assert found.runs[-1] == ended(5)
        assert found.runs[0].run == "nightly-1"
        assert ledger.read_bytes().startswith(whole[:-cut])


def test_a_refusal_of_the_disk_leaves_the_ledger_as_it_was(parent: Path) -> None:
    (parent / "runs.ndjson").mkdir()
    (parent / "runs.ndjson" / "x").touch()
    (parent / "locks").mkdir()
    (parent / "locks" / "runs.ndjson.lock").mkdir()

    with pytest.raises(LedgerError, match=r"runs\.ndjson"):
        append(parent, START)


def test_a_home_that_is_not_there_is_not_invented(tmp_path: Path) -> None:
    with pytest.raises(LedgerError):
        append(tmp_path / "gone" / "away" / "state" / "zecher", START)

    assert not (tmp_path / "gone").exists()


# -- what should not be there --------------------------------------------------------------------------------


def test_garbage_is_counted_and_never_fatal(state: Path) -> None:
    append(state, START, END)
    lines = [
        b"\xff\xfe\x00garbage",
        b"{",
        b"[]",
        b"null",
        b'{"run":"x"}',
        b'{"run":"x","job":"nightly","slot":"s","state":"start"}',
        b'{"run":"x","job":"nightly","slot":"s","state":"begun","start":"2026-11-30T03:17:04Z"}',
        b'{"run":"x","job":"nightly","slot":"s","state":"ok","start":1796008624}',
        b'{"run":"x","job":"nightly","slot":"s","state":"ok","start":"2026-13-45T99:99:99Z"}',
        b'{"run":1,"job":["nightly"],"slot":{},"state":"ok","start":NaN}',
        b"[" * 100_000,
        b'{"a":' * 10_000,
    ]
    with (state / "runs.ndjson").open("ab") as file:
        file.write(b"\n".join(lines) + b"\n\n  \n")
    append(state, ended(5))

    found = read_runs(str(state))
    assert found.runs == (END, ended(5))
    assert (found.damaged, found.duplicates) == (len(lines), 0)


def test_fields_of_the_wrong_kind_are_left_out(parent: Path) -> None:
    line = json.loads(to_line(END)) | {
        "end": 5,
        "dur_s": "long",
        "pid": -1,
        "counts": {"projects": "many", "roots": 2, "bad": True, "less": -4},
        "missed_slots": 1.5,
        "outputs": [1, {"path": 2}, {"path": "/x"}],
        "error": "oh",
        "zone": 7,
        "trigger": None,
    }
    (parent / "runs.ndjson").write_text(json.dumps(line) + "\n")

    (found,) = read(parent)
    assert (found.end, found.duration, found.pid, found.missed_slots) == (None, None, 0, 0)
    assert (found.zone, found.trigger, found.error, found.error_type) == ("", "", "", "")
    assert dict(found.counts) == {"roots": 2, "bad": 0, "less": 0}
    assert found.outputs == (("/x", "", 0),)


def test_what_is_said_twice_is_counted_and_the_first_end_stays(state: Path) -> None:
    append(state, START, START, END, replace(END, state="crashed"), replace(END, job="weekly"))

    found = read_runs(str(state))
    assert found.runs == (END,)
    assert found.duplicates == 3


def test_runs_in_the_future_are_counted(state: Path) -> None:
    append(state, END, ended(3650))

    assert read_runs(str(state)).future(NOW) == 1


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.integers(0, 2000))
def test_no_bytes_anywhere_keep_a_new_run_from_being_read(state: Path, junk: bytes, place: int) -> None:
    state.mkdir(parents=True, exist_ok=True)
    whole = to_line(START) + b"\n" + to_line(END) + b"\n"
    (state / "runs.ndjson").write_bytes(whole[:place] + junk + whole[place:])

    append(state, ended(9))

    assert ended(9) in read(state)
    assert read_last_runs(str(state)).runs[-1] == ended(9)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "huge"])
def test_what_is_no_ledger_is_said_and_moved_aside_by_the_next_run(parent: Path, kind: str) -> None:
    ledger = parent / "runs.ndjson"
    if kind == "link":
        (parent / "secret").write_text("{}\n")
        ledger.symlink_to(parent / "secret")
    elif kind == "pipe":
        os.mkfifo(ledger)
    elif kind == "folder":
        ledger.mkdir()
    else:
        with ledger.open("wb") as file:
            file.truncate(1 << 40)

    with pytest.raises(LedgerError) as caught:
        read_runs(str(parent))
    assert caught.value.is_foreign
    assert read_last_runs(str(parent)).runs == ()

    append(parent, START)
    assert read(parent) == (START,)
    assert [path.name for path in parent.glob("runs.ndjson.corrupt-*")] == [
        "runs.ndjson.corrupt-2026-11-30T031704.000Z"
    ]
    assert kind != "link" or (parent / "secret").read_text() == "{}\n"


# -- rotation ------------------------------------------------------------------------------------------------


def test_a_full_ledger_is_set_aside_and_both_are_read(parent: Path) -> None:
    (parent / "runs.1.ndjson").write_bytes(to_line(ended(1)) + b"\n")
    filler = to_line(ended(2, error="x" * 400)) + b"\n"
    (parent / "runs.ndjson").write_bytes(filler + b"\n" * (ROTATE_BYTES - len(filler)))

    append(parent, ended(3))

    assert [run.run for run in read(parent)] == ["r2", "r3"]
    assert (parent / "runs.ndjson").stat().st_size < 1000
    assert (parent / "runs.1.ndjson").stat().st_size == ROTATE_BYTES


def test_a_ledger_below_its_mark_stays(state: Path) -> None:
    append(state, ended(1), ended(400), ended(401))

    assert not (state / "runs.1.ndjson").exists()


def test_a_ledger_that_spans_more_than_400_days_is_set_aside(state: Path) -> None:
    append(state, ended(1), ended(402), ended(403))

    assert (state / "runs.1.ndjson").exists()
    assert [run.run for run in read(state)] == ["r1", "r402", "r403"]


def test_a_start_before_and_an_end_after_the_rotation_are_one_run(parent: Path) -> None:
    (parent / "runs.1.ndjson").write_bytes(to_line(START) + b"\n")

    append(parent, END)

    assert read(parent) == (END,)


def test_an_older_ledger_that_is_none_hides_no_newer_run(parent: Path) -> None:
    os.mkfifo(parent / "runs.1.ndjson")
    append(parent, END)

    found = read_runs(str(parent))
    assert (found.runs, found.damaged) == ((END,), 1)


def test_a_ledger_that_cannot_be_set_aside_is_appended_to_up_to_its_cap(parent: Path) -> None:
    (parent / "runs.1.ndjson").mkdir()
    (parent / "runs.1.ndjson" / "x").touch()
    (parent / "runs.ndjson").write_bytes(b"\n" * ROTATE_BYTES)

    append(parent, END)
    assert read_runs(str(parent)).unusable == ""
    assert (parent / "runs.ndjson").read_bytes().endswith(to_line(END) + b"\n")

    (parent / "runs.ndjson").write_bytes(b"\n" * CAP)
    with pytest.raises(LedgerError, match="is full"):
        append(parent, END)


# -- questions -----------------------------------------------------------------------------------------------


def test_the_last_success_and_the_last_try_are_found_by_job(state: Path) -> None:
    other = replace(ended(9), job="weekly")
    append(state, ended(1), ended(2, "partial"), ended(3, "failed"), ended(4, "skipped"), other)
    found = read_runs(str(state))

    last_ok, last_try = found.last_ok("nightly"), found.last_try("nightly")
    assert last_ok is not None
    assert last_try is not None
    assert (last_ok.run, last_try.run) == ("r2", "r3")
    assert (found.last_ok("none"), found.last_try("none")) == (None, None)


def test_the_attempts_for_a_slot_are_all_runs_for_it(state: Path) -> None:
    append(state, START, replace(END, run="r8", state="failed"), ended(2))

    assert [run.run for run in read_runs(str(state)).attempts("nightly", "2026-11-30")] == ["nightly-1", "r8"]


def test_the_median_is_that_of_the_last_ten_successes(state: Path) -> None:
    for number in range(12):
        append(state, ended(number, duration=float(number)))
    append(state, ended(20, "failed", duration=9000.0))

    assert read_runs(str(state)).median_duration("nightly") == 6.5
    assert read_runs(str(state)).median_duration("weekly") is None


def test_the_tail_of_a_long_ledger_is_read_in_a_few_milliseconds(parent: Path) -> None:
    lines = [to_line(ended(number)) for number in range(2000)]
    (parent / "runs.ndjson").write_bytes(b"\n".join(lines) + b"\n")
    read_last_runs(str(parent))
    times = []
    for _ in range(5):
        begun = time.process_time()
        found = read_last_runs(str(parent))
        times.append(time.process_time() - begun)

    assert found.runs[-1].run == "r1999"
    assert 50 < len(found.runs) < 2000
    assert found.damaged == 0
    assert min(times) < 0.02
