"""The journal: published bytes, published identifiers, several writers, nothing acknowledged is lost."""

from __future__ import annotations

import hashlib
import json
import re
import signal
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.files.errors import MemError, OccupiedError
from brain.files.writer_lock import WriterLock
from brain.ledgers.journal import CLIS, OUTCOMES, event_id, make_event, read_journal, write_event
from brain.times import iso_time
from tests.brain.ledgers.projects import make_memory, memory, names, records, start
from tests.support import NOW

CAP = 2 * 1024 * 1024
GOLDEN = (
    '{"ts":"2026-01-01T00:00:00.000Z","agent":"forge","cli":null,"model":null,"task":"alpha beta gamma",'
    '"outcome":null,"signals":{},"artifactHashes":[],"id":"e29d39f52e49"}\n'
)


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def forge(**changes: object) -> dict[str, object]:
    given: dict[str, object] = {
        "now": at("2026-01-01T00:00:00.000Z"), "agent": "forge", "cli": None, "model": None,
        "task": "alpha beta gamma", "outcome": None, "signals": {},
    }  # fmt: skip
    return make_event(**(given | changes))  # type: ignore[arg-type] # names and kinds as declared


def test_the_published_event_has_its_identifier() -> None:
    """An event that BMAD+ 0.22 wrote, with the identifier that it got there."""
    event = make_event(
        now=at("2026-10-19T02:13:48.840Z"), agent="atelier", cli="claude-code", model=None, outcome="success",
        task="Design read for the Orbit landing page: one job, the loyalty card sign-up",
        signals={"ci": "pass"},
    )  # fmt: skip
    assert (event["id"], event["ts"]) == ("912e91734848", "2026-10-19T02:13:48.840Z")


def test_an_event_is_stored_in_the_published_bytes(project: Path) -> None:
    """The line that BMAD+ 0.22 stores for the same facts."""
    write_event(str(project), forge())
    assert (memory(project) / "journal.ndjson").read_text() == GOLDEN


def test_an_event_follows_those_that_bmad_plus_wrote(project: Path) -> None:
    (make_memory(project) / "journal.ndjson").write_text(GOLDEN)
    write_event(str(project), forge(task="é \u2028 \x7f\n"))
    first, second = records(memory(project) / "journal.ndjson")
    assert (first["id"], second["task"]) == ("e29d39f52e49", "é \u2028 \x7f\n")
    digest = hashlib.sha256(b"2026-01-01T00:00:00.000Z\0forge\0" + second["task"].encode()).hexdigest()
    assert second["id"] == digest[:12]


def test_a_lone_surrogate_is_hashed_as_javascript_does_and_stored_escaped(project: Path) -> None:
    event = forge(agent="a\udcff")
    assert (
        event["id"]
        == hashlib.sha256("2026-01-01T00:00:00.000Z\0a\ufffd\0alpha beta gamma".encode()).hexdigest()[:12]
    )
    write_event(str(project), event)
    assert b'"agent":"a\\udcff"' in (memory(project) / "journal.ndjson").read_bytes()


def test_the_same_facts_have_the_same_identifier() -> None:
    assert event_id("t", "a", "b") == event_id("t", "a", "b")
    assert event_id("t", "a", "b") != event_id("t", "ab", "")


@pytest.mark.parametrize("agent", ["", " "])
def test_an_event_without_an_agent_is_refused(agent: str) -> None:
    with pytest.raises(MemError, match="--agent"):
        forge(agent=agent)


@pytest.mark.parametrize("outcome", ["", "Success", "ok"])
def test_an_outcome_that_is_not_on_the_list_is_refused(outcome: str) -> None:
    with pytest.raises(MemError, match="success, failure, partial, abandoned"):
        forge(outcome=outcome)


def test_an_assistant_that_is_not_on_the_list_is_refused_with_its_neighbour() -> None:
    with pytest.raises(MemError, match="did you mean claude-code"):
        forge(cli="claude-cod")


def test_an_event_that_was_not_made_here_is_checked_before_it_is_written(project: Path) -> None:
    with pytest.raises(MemError, match="--outcome"):
        write_event(str(project), forge() | {"outcome": "ok"})
    assert list(project.iterdir()) == []


def test_a_project_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(MemError, match="no project folder"):
        write_event(str(tmp_path / "none"), forge())
    assert list(tmp_path.iterdir()) == []


def test_a_linked_journal_is_neither_written_nor_read(project: Path) -> None:
    (project / "real").write_text(GOLDEN)
    (make_memory(project) / "journal.ndjson").symlink_to(project / "real")
    with pytest.raises(MemError, match="symbolic link"):
        write_event(str(project), forge())
    with pytest.raises(MemError, match="symbolic link"):
        read_journal(str(project))
    assert (project / "real").read_text() == GOLDEN


def test_a_journal_that_is_full_is_refused_and_stays(project: Path) -> None:
    file = make_memory(project) / "journal.ndjson"
    file.write_bytes(b"{}\n" * (CAP // 3))
    with pytest.raises(MemError, match="is full"):
        write_event(str(project), forge())
    assert file.stat().st_size == CAP // 3 * 3


def test_a_journal_may_be_filled_to_the_last_byte(project: Path) -> None:
    file = make_memory(project) / "journal.ndjson"
    file.write_bytes(b" " * (CAP - len(GOLDEN) - 1) + b"\n")
    write_event(str(project), forge())
    assert file.stat().st_size == CAP


def test_an_occupied_lock_refuses_the_event_and_reading_goes_on(project: Path) -> None:
    """BMAD+ 0.22, presence lock: it keeps writers out and readers not."""
    write_event(str(project), forge())
    lock = memory(project) / "writer.lock"
    lock.write_text("{}")
    with pytest.raises(OccupiedError):
        write_event(str(project), forge(), wait=0.05)
    assert len(read_journal(str(project)).lines) == 1
    assert lock.read_text() == "{}"


def test_a_writer_that_holds_the_lock_already_may_write(project: Path) -> None:
    with WriterLock(str(project)):
        write_event(str(project), forge(), wait=0)
    assert names(project) == {"journal.ndjson"}


def test_a_damaged_line_is_never_fatal(project: Path) -> None:
    """BMAD+ 0.22 skips such lines without a word; ours are counted."""
    (make_memory(project) / "journal.ndjson").write_text(f"no JSON\n\n \nnull\n{GOLDEN}")
    found = read_journal(str(project))
    assert ([line for line, _ in found.lines], found.damaged) == ([5], [1, 4])


def test_a_project_without_a_journal_has_no_events(project: Path) -> None:
    assert read_journal(str(project)).lines == []


KEYS = ["ts", "agent", "cli", "model", "task", "outcome", "signals", "artifactHashes", "id"]
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


EVENTS = st.fixed_dictionaries(
    {
        "agent": WORDS.filter(str.strip),
        "cli": st.none() | st.sampled_from(CLIS),
        "model": st.none() | WORDS,
        "task": WORDS,
        "outcome": st.none() | st.sampled_from(OUTCOMES),
        "signals": st.fixed_dictionaries({}, optional={"evalScore": st.floats(0, 1), "ci": st.just("fail")}),
    }
)


@given(facts=EVENTS, now=st.integers(0, 4_102_444_800_000).map(lambda milliseconds: milliseconds / 1000))
@settings(max_examples=50, deadline=None)
def test_any_event_passes_the_documented_rules(facts: dict[str, object], now: float) -> None:
    """The rules are written down here again, from the format's description."""
    with TemporaryDirectory() as folder:
        write_event(folder, make_event(now=now, **facts))  # type: ignore[arg-type] # drawn as declared
        data = (memory(Path(folder)) / "journal.ndjson").read_bytes()
    assert data.count(b"\n") == 1
    event = json.loads(data)
    assert list(event) == KEYS
    assert event == {"ts": event["ts"], **facts, "artifactHashes": [], "id": event["id"]}
    key = f"{event['ts']}\0{facts['agent']}\0{facts['task']}".encode()
    assert event["id"] == hashlib.sha256(key).hexdigest()[:12]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["ts"])
    assert datetime.fromisoformat(event["ts"]).timestamp() == pytest.approx(now, abs=0.0006)


def test_eight_writers_at_once_lose_nothing_and_damage_nothing(project: Path, full: bool) -> None:
    count = 200 if full else 50
    running = [start("events", project, f"w{number}", str(count)) for number in range(8)]
    for process in running:
        _, errors = process.communicate(timeout=300)
        assert (process.returncode, errors) == (0, "")
    found = records(memory(project) / "journal.ndjson")
    assert len({event["id"] for event in found}) == len(found) == 8 * count
    for number in range(8):
        mine = [event["ts"] for event in found if event["agent"] == f"w{number}"]
        assert mine == [iso_time(NOW + second) for second in range(count)]
    assert names(project) == {"journal.ndjson"}


def test_writers_of_both_tools_at_once_lose_nothing(project: Path) -> None:
    running = [start(kind, project, f"{kind}{n}", "25") for kind in ("events", "foreign") for n in range(3)]
    for process in running:
        _, errors = process.communicate(timeout=300)
        assert (process.returncode, errors) == (0, "")
    found = records(memory(project) / "journal.ndjson")
    assert len({event["id"] for event in found}) == len(found) == 6 * 25
    assert names(project) == {"journal.ndjson"}


def test_writers_that_are_killed_lose_nothing_that_they_acknowledged(project: Path, full: bool) -> None:
    for round_ in range(40 if full else 6):
        running = [start("events", project, f"r{round_}w{number}", "100000") for number in range(3)]
        acknowledged = []
        for process in running:
            assert process.stdout
            process.stdout.readline()
        for process in running:
            process.send_signal(signal.SIGKILL)
            assert process.stdout
            acknowledged.append([0, *map(int, process.stdout.read().split("\n")[:-1])])
            process.communicate()
        stored = {(event["agent"], event["ts"]) for _, event in read_journal(str(project)).lines}
        for number, numbers in enumerate(acknowledged):
            assert {(f"r{round_}w{number}", iso_time(NOW + second)) for second in numbers} <= stored
        if round_ % 2:
            (memory(project) / "journal.ndjson").unlink()
    write_event(str(project), forge(), wait=0)
    assert read_journal(str(project)).damaged == []
    assert names(project) == {"journal.ndjson"}
