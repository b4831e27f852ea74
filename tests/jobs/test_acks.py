"""What is remembered of silences and of the ages of findings."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.files.errors import ChangedError
from brain.health.silence import Ack
from jobs.acks import add_ack, followed, read_acks, remove_ack
from jobs.finding_ages import Key, aged, read_ages, save_ages

WHEN = "2026-11-30T03:17:04Z"
ACK = Ack("p-goal", "/home/ana/dev/shop", date(2026, 12, 31), "the goal is in the tracker")
KEY: Key = ("id-1", "p-goal", "PROGRESS.md", "")


def test_nothing_is_silenced_at_first(tmp_path: Path) -> None:
    assert read_acks(str(tmp_path)).acks == ()
    assert list(tmp_path.iterdir()) == []


def test_a_silence_is_read_as_it_was_said(tmp_path: Path) -> None:
    odd = Ack("m-secret", "/home/ana/\udcff", None, 'a "reason" \u202e')
    acks = add_ack(read_acks(str(tmp_path / "state")), ACK, when=WHEN)
    add_ack(acks, odd, when=WHEN)

    said = read_acks(str(tmp_path / "state"))

    assert (said.problems, {one.since for one in said.said}) == ((), {WHEN})
    assert {(one.code, one.project, one.until) for one in (ACK, odd)} == {
        (one.code, one.project, one.until) for one in said.acks
    }
    assert said.acks[1] == ACK


def test_a_new_silence_for_the_same_replaces_the_old_one(tmp_path: Path) -> None:
    acks = add_ack(read_acks(str(tmp_path)), ACK, when=WHEN)
    endless = Ack(ACK.code, ACK.project)

    assert add_ack(acks, endless, when=WHEN).acks == (endless,)


def test_a_silence_follows_a_project_that_moved(tmp_path: Path) -> None:
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    add_ack(read_acks(str(tmp_path)), Ack("p-goal", old), when=WHEN, identifier="id-1")
    acks = followed(read_acks(str(tmp_path)), {new: "id-1", str(tmp_path / "other"): "id-2"})

    assert acks.acks == (Ack("p-goal", new),)


def test_a_silence_stays_with_its_project_while_a_clone_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    ack = Ack("p-goal", str(tmp_path / "shop"))
    acks = add_ack(read_acks(str(tmp_path)), ack, when=WHEN, identifier="id-1")

    assert followed(acks, {str(tmp_path / "clone"): "id-1"}).acks == (ack,)


def test_a_silence_goes_to_neither_of_two_clones(tmp_path: Path) -> None:
    ack = Ack("p-goal", str(tmp_path / "gone"))
    acks = add_ack(read_acks(str(tmp_path)), ack, when=WHEN, identifier="id-1")

    assert followed(acks, {"/one": "id-1", "/two": "id-1"}).acks == (ack,)


def test_a_silence_that_was_kept_by_path_alone_is_still_read(tmp_path: Path) -> None:
    add_ack(read_acks(str(tmp_path)), ACK, when=WHEN)

    assert b'"id"' not in (tmp_path / "acks.json").read_bytes()
    assert followed(read_acks(str(tmp_path)), {"/elsewhere": "id-1"}).acks == (ACK,)


def test_a_silence_can_be_taken_back(tmp_path: Path) -> None:
    everywhere = Ack("p-goal")
    acks = add_ack(add_ack(read_acks(str(tmp_path)), ACK, when=WHEN), everywhere, when=WHEN)

    assert remove_ack(acks, ACK.code, ACK.project, when=WHEN).acks == (everywhere,)


def test_two_at_once_do_not_overwrite_each_other(tmp_path: Path) -> None:
    one, other = read_acks(str(tmp_path)), read_acks(str(tmp_path))
    add_ack(one, ACK, when=WHEN)

    with pytest.raises(ChangedError):
        add_ack(other, Ack("d-fields"), when=WHEN)


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b'{"acks": [1]}', b'{"acks": 5}', b"\xff" * 10, b"[" * 9999]
)
def test_a_damaged_file_silences_nothing_and_is_moved_aside(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "acks.json").write_bytes(data)
    acks = read_acks(str(tmp_path))
    assert (acks.acks, [problem.code for problem in acks.problems]) == ((), ["acks-damaged"])

    assert add_ack(acks, ACK, when=WHEN).acks == (ACK,)
    assert [path.read_bytes() for path in tmp_path.glob("acks.json.corrupt-*")] == [data]


def test_ages_begin_today_and_stay(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    save_ages(read_ages(state), aged(read_ages(state), [KEY], {"id-1"}, "2026-11-01"))

    assert aged(read_ages(state), [KEY], {"id-1"}, "2026-11-30") == {KEY: "2026-11-01"}


def test_what_was_mended_is_new_when_it_comes_again(tmp_path: Path) -> None:
    state = str(tmp_path)
    save_ages(read_ages(state), {KEY: "2026-11-01"})
    save_ages(read_ages(state), aged(read_ages(state), [], {"id-1"}, "2026-11-02"))

    assert aged(read_ages(state), [KEY], {"id-1"}, "2026-11-30") == {KEY: "2026-11-30"}


def test_ages_of_a_project_that_was_not_examined_stay(tmp_path: Path) -> None:
    save_ages(read_ages(str(tmp_path)), {KEY: "2026-11-01"})

    assert aged(read_ages(str(tmp_path)), [], {"id-2"}, "2026-11-30") == {KEY: "2026-11-01"}


@given(
    st.dictionaries(st.tuples(*[st.text()] * 4), st.dates(date(2000, 1, 1)).map(date.isoformat), max_size=8)
)
def test_ages_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, days: dict[Key, str]) -> None:
    state = str(tmp_path_factory.mktemp("state"))
    save_ages(read_ages(state), days)

    assert read_ages(state).days == days


@pytest.mark.parametrize("data", [b"{", b"5", b'{"projects": {"a": [[1]]}}', b"[" * 9999])
def test_damaged_ages_are_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "finding-ages.json").write_bytes(data)
    ages = read_ages(str(tmp_path))
    assert (ages.days, [problem.code for problem in ages.problems]) == ({}, ["ages-damaged"])

    save_ages(ages, {KEY: "2026-11-30"})

    assert read_ages(str(tmp_path)).days == {KEY: "2026-11-30"}
    assert (tmp_path / "finding-ages.json.corrupt").read_bytes() == data
