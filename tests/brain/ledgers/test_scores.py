"""Scores of patterns: the published figures and bytes, and a damaged file that is never written over."""

from __future__ import annotations

import json
import os
import re
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.files.errors import MemError
from brain.ledgers import scores
from brain.ledgers.promotions import reinforce
from tests.brain.ledgers.projects import make_memory, memory, names
from tests.support import NOW

COPY = "pattern-scores.json.corrupt-20261130T031704Z"
TS = "2026-01-01T00:00:00.000Z"
GOLDEN = """{
  "7": {
    "elo": 1216,
    "alpha": 2,
    "beta": 1,
    "mean": 0.6666666666666666,
    "updates": 1,
    "lastTs": "2026-11-30T03:17:04.000Z"
  },
  "rate limit": {
    "elo": 1216,
    "alpha": 2,
    "beta": 1,
    "mean": 0.6666666666666666,
    "updates": 1,
    "lastTs": "2026-11-30T03:17:04.000Z"
  }
}
"""


def after(rewards: list[float], ts: str | None = TS) -> scores.Record:
    record = None
    for reward in rewards:
        record = scores.update(record, reward, ts)
    assert record
    return record


def test_the_first_full_reward_gives_the_published_figures() -> None:
    """BMAD+ 0.22, the formulas of pattern scores: the first step from the prior."""
    assert scores.update(None, 1.0, TS) == {
        "elo": 1216, "alpha": 2, "beta": 1, "mean": 2 / 3, "updates": 1, "lastTs": TS,
    }  # fmt: skip


def test_an_hour_later_the_second_gives_the_published_figures() -> None:
    """BMAD+ 0.22, the formulas of pattern scores: with the decay of an hour."""
    record = scores.update(after([1.0]), 1.0, "2026-01-01T01:00:00.000Z")
    assert (record["elo"], record["alpha"], record["mean"], record["updates"]) == (
        1231.263693206478, 2.979685567010671, 0.7487238669583771, 2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rewards", "mean"), [([1, 1, 0], 0.595174), ([0.8, 0.8, 0.8], 0.678552), ([0, 1, 1, 1], 0.669955)]
)
def test_sequences_at_one_time_give_the_published_means(rewards: list[float], mean: float) -> None:
    """BMAD+ 0.22, the formulas of pattern scores: the mean after three or four steps."""
    found = after(rewards)["mean"]
    assert isinstance(found, float)
    assert round(found, 6) == mean


def test_the_fields_stand_in_the_published_order() -> None:
    assert tuple(scores.update(None, 0.5, TS)) == scores.FIELDS == tuple(scores.prior())


def test_half_of_what_was_learnt_is_left_after_ninety_days() -> None:
    record = scores.update({"alpha": 3, "beta": 1, "lastTs": TS}, 0.0, "2026-04-01T00:00:00.000Z")
    assert record["alpha"] == pytest.approx(1 + 2 * 0.5 * 0.98)


@pytest.mark.parametrize("last", [None, "never", TS, "2027-01-01T00:00:00.000Z", True, [], "2026-13-01"])
def test_nothing_fades_without_a_time_that_has_passed(last: object) -> None:
    record = scores.update({"alpha": 3, "beta": 1, "lastTs": last}, 0.0, TS)
    assert record["alpha"] == 1 + 2 * 0.98


def test_a_time_in_milliseconds_is_understood() -> None:
    milliseconds = int(datetime.fromisoformat(TS).timestamp() * 1000)
    later = "2026-04-01T00:00:00.000Z"
    record = {"alpha": 3, "beta": 1}
    assert scores.update(record | {"lastTs": milliseconds}, 0.0, later) == scores.update(
        record | {"lastTs": TS}, 0.0, later
    )


@pytest.mark.parametrize("last", [10**400, -(10**400)])
def test_a_time_beyond_all_times_does_not_crash(last: int) -> None:
    """A file of scores may hold any number; it ended in an OverflowError."""
    assert scores.update({"alpha": 3, "beta": 1, "lastTs": last}, 0.0, TS)["updates"] == 1


def test_what_else_a_person_wrote_into_a_record_stays() -> None:
    record = scores.update({"note": "mine", **scores.prior()}, 1.0, TS)
    assert list(record) == [*scores.FIELDS, "note"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_any_rewards_give_a_mean_between_0_and_1_and_a_rating(rewards: list[float]) -> None:
    record = after(rewards, None)
    mean, elo = record["mean"], record["elo"]
    assert isinstance(mean, float)
    assert isinstance(elo, float)
    assert 0 < mean < 1
    assert abs(elo - 1200) <= 32 * len(rewards)
    assert record["updates"] == len(rewards)


def test_the_file_is_stored_in_the_bytes_of_javascript(project: Path) -> None:
    for pattern in ("rate limit", "7"):
        reinforce(str(project), pattern, {"ci": "pass"}, now=NOW)
    assert (memory(project) / "pattern-scores.json").read_text() == GOLDEN


def test_a_file_of_bmad_plus_is_continued_and_other_patterns_stay(project: Path) -> None:
    file = make_memory(project) / "pattern-scores.json"
    file.write_text(GOLDEN)
    reinforce(str(project), "rate limit", {"ci": "pass"}, now=NOW)
    stored = json.loads(file.read_text())
    assert stored["7"] == json.loads(GOLDEN)["7"]
    assert stored["rate limit"]["updates"] == 2


@pytest.mark.parametrize(
    "pattern", ["__proto__", "constructor", "toString", "é 🍮", 'a"b\\c', "\ud800", "1e3"]
)
def test_any_pattern_has_a_score(project: Path, pattern: str) -> None:
    assert reinforce(str(project), pattern, {"ci": "pass"}, now=NOW).previous is None
    again = reinforce(str(project), pattern, {"ci": "pass"}, now=NOW + 1)
    assert again.previous
    assert (again.previous["updates"], again.next["updates"]) == (1, 2)
    assert list(json.loads((memory(project) / "pattern-scores.json").read_text())) == [pattern]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1]",
        b"null",
        b"1",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b'{"a":NaN}',
        b'{"a":1}',
        b'{"a":null}',
        b'{"a":{"elo":"1200"}}',
        b'{"a":{"alpha":0}}',
        b'{"a":{"beta":-1}}',
        b'{"a":{"elo":1e300}}',
        b'{"a":{"updates":true}}',
        b"[" * 100_000,
        b'{"a":{"elo":' + b"9" * 5000 + b"}}",
    ],
    ids=lambda content: repr(content[:24]),
)
def test_a_damaged_file_is_refused_and_kept_aside(project: Path, content: bytes) -> None:
    """BMAD+ 0.22 begins anew and loses the history; ours does not."""
    file = make_memory(project) / "pattern-scores.json"
    file.write_bytes(content)
    with pytest.raises(MemError, match=rf"damaged.*\(copy: {re.escape(COPY)}\)"):
        reinforce(str(project), "a", {"ci": "pass"}, now=NOW)
    copy = memory(project) / COPY
    assert file.read_bytes() == copy.read_bytes() == content
    assert copy.stat().st_mode & 0o777 == 0o600
    assert names(project) == {file.name, copy.name}


def test_a_damaged_file_is_kept_aside_once(project: Path) -> None:
    (make_memory(project) / "pattern-scores.json").write_bytes(b"[1]")
    for second in range(3):
        with pytest.raises(MemError, match=re.escape(f"(copy: {COPY})")):
            reinforce(str(project), "a", {"ci": "pass"}, now=NOW + second)
    assert len(names(project)) == 2


def test_another_damage_in_the_same_second_has_a_copy_of_its_own(project: Path) -> None:
    file = make_memory(project) / "pattern-scores.json"
    for content in (b"[1]", b"[2]"):
        file.write_bytes(content)
        with pytest.raises(MemError, match="damaged"):
            reinforce(str(project), "a", {"ci": "pass"}, now=NOW)
    copies = {path.name: path.read_bytes() for path in memory(project).glob("*.corrupt-*")}
    assert copies == {COPY: b"[1]", f"{COPY}-2": b"[2]"}


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "huge"])
def test_a_file_that_is_not_read_is_not_replaced(project: Path, kind: str) -> None:
    file = make_memory(project) / "pattern-scores.json"
    if kind == "link":
        (project / "real").write_text("{}\n")
        file.symlink_to(project / "real")
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    else:
        file.write_bytes(b" " * (2 * 1024 * 1024) + b"{}")
    before = os.lstat(file)
    with pytest.raises(MemError):
        reinforce(str(project), "a", {"ci": "pass"}, now=NOW)
    assert os.lstat(file).st_ino == before.st_ino
    assert names(project) == {file.name}


def test_scores_that_would_outgrow_the_limit_are_refused(project: Path) -> None:
    file = make_memory(project) / "pattern-scores.json"
    file.write_text(json.dumps({"a": {"note": "x" * (2 * 1024 * 1024 - 100)}}))
    before = file.read_bytes()
    with pytest.raises(MemError, match="would grow past"):
        reinforce(str(project), "b", {"ci": "pass"}, now=NOW)
    assert file.read_bytes() == before


def test_the_mode_of_the_file_stays_and_a_new_one_is_its_owner_s(project: Path) -> None:
    reinforce(str(project), "a", {"ci": "pass"}, now=NOW)
    file = memory(project) / "pattern-scores.json"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o640)
    reinforce(str(project), "a", {"ci": "pass"}, now=NOW)
    assert file.stat().st_mode & 0o777 == 0o640


def test_what_a_killed_writer_left_is_swept_and_nothing_else(project: Path) -> None:
    folder = make_memory(project)
    litter = [".pattern-scores.json.123.0a1b2c3d.tmp", ".pattern-scores.json.corrupt-X.1.00000000.tmp"]
    kept = [".pattern-scores.json.notes.tmp", "pattern-scores.json.1.0a1b2c3d.tmp", ".other.1.0a1b2c3d.tmp"]
    for name in litter + kept:
        (folder / name).write_text("x")
    reinforce(str(project), "a", {"ci": "pass"}, now=NOW)
    assert names(project) == {*kept, "pattern-scores.json"}
