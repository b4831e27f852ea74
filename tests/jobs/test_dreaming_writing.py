"""MEMORY.md is written under a lock, kept before, and given back exactly."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brain.dreaming.memory_file import BUDGET, Promotion, characters, items_of
from brain.files.lock import BrainLock
from jobs.dreaming_state import WorkspaceState, archive_files, fates, read_archive, taken_out
from jobs.dreaming_undo import Undone, find_run, undo
from jobs.dreaming_writing import Wanted, Written, kept, locked, read_memory, write
from jobs.errors import ExpectedError
from jobs.errors import LockedError as Locked
from jobs.kept_runs import state_of
from tests.support import NOW

WHEN, LATER = "2026-12-01T03:47:00Z", "2026-12-02T03:47:00Z"
DAY, NEXT = "2026-12-01", "2026-12-02"
HUMAN = b"# Mine\r\n\r\n- likes tea\r\nno end"


def promotion(number: int, text: str = "", supersedes: tuple[str, ...] = ()) -> Promotion:
    return Promotion(
        f"{number:012x}", text or f"Fact number {number}", f"score=0.81 days={number}", supersedes
    )


class Desk:
    """A workspace, and the state folder."""

    def __init__(self, root: Path) -> None:
        self.root = root / "claw"
        self.root.mkdir()
        self.base = str(root / "state" / "zecher")
        self.state = WorkspaceState(self.base, str(self.root))
        self.memory = self.root / "MEMORY.md"

    def write(
        self,
        *promotions: Promotion,
        when: str = WHEN,
        day: str = DAY,
        budget: int = BUDGET,
        expired: frozenset[str] = frozenset(),
    ) -> Written:
        with locked(self.state):
            return write(self.state, self.base, Wanted(promotions, day, budget, expired), when=when, now=NOW)

    def undo(self, name: str) -> Undone:
        with locked(self.state):
            return undo(self.state, self.base, find_run(self.base, name), when=LATER, day=NEXT, budget=BUDGET)

    def fates(self, today: str = NEXT) -> dict[str, str]:
        seen = read_memory(str(self.root))
        return fates(self.state.history(), seen.data if seen else None, read_archive(str(self.root)), today)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_run_is_taken_back_to_the_very_bytes(desk: Desk) -> None:
    """G42."""
    desk.memory.write_bytes(HUMAN)
    os.chmod(desk.memory, 0o640)

    done = desk.write(promotion(1), promotion(2))

    assert done.run is not None
    assert desk.memory.read_bytes().startswith(HUMAN)
    assert len(items_of(desk.memory.read_bytes())) == 2
    undone = desk.undo(done.run.name)
    assert (undone.exact, undone.removed) == (True, (promotion(1).id, promotion(2).id))
    assert (desk.memory.read_bytes(), desk.memory.stat().st_mode & 0o777) == (HUMAN, 0o640)


def test_where_there_was_no_file_there_is_none_again(desk: Desk) -> None:
    done = desk.write(promotion(1))

    assert done.run is not None
    assert desk.memory.read_bytes().startswith(b"# Long-Term Memory\n")
    assert desk.undo(done.run.name).exact
    assert not desk.memory.exists()


def test_a_second_undo_changes_nothing(desk: Desk) -> None:
    desk.memory.write_bytes(HUMAN)
    done = desk.write(promotion(1))
    assert done.run is not None
    desk.undo(done.run.name)

    assert desk.undo(done.run.name).exact
    assert desk.memory.read_bytes() == HUMAN


def test_what_a_person_wrote_since_stays_when_a_run_is_taken_back(desk: Desk) -> None:
    desk.memory.write_bytes(b"# Mine\n")
    done = desk.write(promotion(1), promotion(2))
    assert done.run is not None
    text = desk.memory.read_bytes().replace(b"Fact number 2", b"Fact number two, mended")
    desk.memory.write_bytes(b"new first line\n" + text + b"\nnew last line\n")

    undone = desk.undo(done.run.name)

    assert (undone.exact, undone.removed, undone.left) == (False, (promotion(1).id,), (promotion(2).id,))
    now = desk.memory.read_bytes()
    assert now.startswith(b"new first line\n# Mine\n")
    assert now.endswith(b"\nnew last line\n")
    assert b"Fact number two, mended" in now
    assert b"Fact number 1" not in now


def test_later_runs_stay_when_an_earlier_one_is_taken_back(desk: Desk) -> None:
    desk.memory.write_bytes(b"# Mine\n")
    first = desk.write(promotion(1))
    desk.write(promotion(2), when=LATER, day=NEXT)
    assert first.run is not None

    undone = desk.undo(first.run.name)

    assert not undone.exact
    assert [one.id for one in items_of(desk.memory.read_bytes())] == [promotion(2).id]


def test_archived_items_come_back_with_the_run_that_archived_them(desk: Desk) -> None:
    desk.memory.write_bytes(b"# Mine\n")
    desk.write(promotion(1), promotion(2))
    before = desk.memory.read_bytes()
    done = desk.write(promotion(3), when=LATER, day=NEXT, expired=frozenset({promotion(1).id}))

    assert done.run is not None
    assert done.archive == "memory/archive/promoted-2026.md"
    archive = desk.root / done.archive
    assert b"Fact number 1" in archive.read_bytes()
    assert desk.fates() == {promotion(1).id: NEXT, promotion(2).id: "", promotion(3).id: ""}
    undone = desk.undo(done.run.name)
    assert (undone.exact, undone.restored) == (True, (promotion(1).id,))
    assert desk.memory.read_bytes() == before
    assert not archive.exists()
    assert desk.fates()[promotion(1).id] == ""


def test_archived_items_come_back_even_if_the_file_was_edited(desk: Desk) -> None:
    desk.memory.write_bytes(b"# Mine\n")
    desk.write(promotion(1), promotion(2))
    done = desk.write(promotion(3), when=LATER, day=NEXT, expired=frozenset({promotion(1).id}))
    desk.memory.write_bytes(desk.memory.read_bytes() + b"mine\n")

    assert done.run is not None
    undone = desk.undo(done.run.name)

    assert (undone.exact, undone.removed, undone.restored) == (False, (promotion(3).id,), (promotion(1).id,))
    now = desk.memory.read_bytes()
    assert sorted(one.id for one in items_of(now)) == [promotion(1).id, promotion(2).id]
    assert b"mine\n" in now


def test_what_a_person_took_out_is_known_to_be_unwanted(desk: Desk) -> None:
    desk.memory.write_bytes(b"# Mine\n")
    desk.write(promotion(1))
    desk.memory.write_bytes(b"# Mine\n")

    assert desk.fates("2026-12-09") == {promotion(1).id: "2026-12-09"}
    assert [one.id for one in taken_out(desk.state.history(), b"# Mine\n")] == [promotion(1).id]


def test_a_full_archive_is_continued_in_another_file(desk: Desk) -> None:
    desk.memory.write_bytes(b"# Mine\n")
    desk.write(promotion(1))
    archive = desk.root / "memory/archive/promoted-2026.md"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"x" * (1024 * 1024 - 10))

    done = desk.write(when=LATER, day=NEXT, expired=frozenset({promotion(1).id}))

    assert done.archive == "memory/archive/promoted-2026-2.md"
    assert archive_files(str(desk.root)) == (
        "memory/archive/promoted-2026.md",
        "memory/archive/promoted-2026-2.md",
    )
    assert archive.stat().st_size == 1024 * 1024 - 10


@pytest.mark.parametrize("kind", ["link", "folder", "large", "nul", "pipe"])
def test_a_file_that_is_none_is_left_alone_and_the_refusal_says_what_to_do(desk: Desk, kind: str) -> None:
    target = desk.root / "other.md"
    target.write_bytes(b"# Other\n")
    if kind == "link":
        desk.memory.symlink_to(target)
    elif kind == "folder":
        desk.memory.mkdir()
    elif kind == "pipe":
        os.mkfifo(desk.memory)
    else:
        desk.memory.write_bytes(b"x" * (1024 * 1024 + 1) if kind == "large" else b"a\0b")

    with pytest.raises(ExpectedError) as caught:
        desk.write(promotion(1))

    assert (caught.value.code, caught.value.path) == ("memory-unusable", str(desk.memory))
    assert caught.value.fix.startswith("Put a regular file there")
    assert target.read_bytes() == b"# Other\n"
    assert kept(desk.base).runs() == ((), ())


def test_an_archive_behind_a_link_is_not_written(desk: Desk, tmp_path: Path) -> None:
    desk.memory.write_bytes(b"# Mine\n")
    desk.write(promotion(1))
    before = desk.memory.read_bytes()
    (tmp_path / "elsewhere").mkdir()
    (desk.root / "memory").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(ExpectedError):
        desk.write(when=LATER, day=NEXT, expired=frozenset({promotion(1).id}))

    assert desk.memory.read_bytes() == before
    assert not list((tmp_path / "elsewhere").rglob("*.md"))


def test_while_another_run_works_there_nothing_is_done(desk: Desk) -> None:
    desk.state.make()

    with BrainLock(desk.state.lock, wait=0.1), pytest.raises(Locked) as caught:
        desk.write(promotion(1))

    assert caught.value.code == "dreaming-locked"
    assert not desk.memory.exists()


def test_what_is_kept_of_a_run_tells_where_it_stands(desk: Desk) -> None:
    desk.memory.write_bytes(b"# Mine\n")
    done = desk.write(promotion(1))
    assert done.run is not None

    (run,), problems = kept(desk.base).runs()

    assert problems == ()
    assert run.done == ((promotion(1).id, "Fact number 1", str(desk.memory)),)
    assert state_of(run) == "done"
    desk.undo(run.name)
    assert state_of(kept(desk.base).read(run.name)) == "undone"


def test_the_budget_is_a_bound_for_what_is_put_back_as_well(desk: Desk) -> None:
    desk.memory.write_bytes(b"# Mine\n")
    desk.write(promotion(1, "w" * 600))
    done = desk.write(promotion(2), when=LATER, day=NEXT, expired=frozenset({promotion(1).id}))
    desk.memory.write_bytes(desk.memory.read_bytes() + b"h" * 9_500)

    assert done.run is not None
    undone = desk.undo(done.run.name)

    assert (undone.restored, undone.left) == ((), (promotion(1).id,))
    assert characters(desk.memory.read_bytes()) <= BUDGET
    assert (desk.root / done.archive).exists()
