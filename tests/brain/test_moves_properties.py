"""Whatever is moved, copied and deleted: each word of a person stays, each project has its one card."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.portfolio import Facts, read_portfolio
from tests.brain.brains import ROOT, extra, facts, index

FOLDERS = [f"{ROOT}/{name}" for name in "abcdef"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["create", "clone", "move", "copy and delete", "delete", "write", "index", "index"]),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    max_size=30,
)


class Desk:
    """Folders with a history and an inode each, and what a person wrote in the cards."""

    def __init__(self, brain: Path) -> None:
        self.brain = brain
        self.folders: dict[str, tuple[str, int]] = {}
        self.inodes = 0
        self.notes: list[str] = []

    def new_inode(self) -> int:
        self.inodes += 1
        return self.inodes

    def facts(self, path: str) -> Facts:
        root, inode = self.folders[path]
        return facts(path, extra=extra(id=f"{path}-{inode}", root_commit=root, inode=f"8:{inode}"))

    def step(self, act: str, one: str, other: str) -> None:
        if act == "create" and one not in self.folders:
            inode = self.new_inode()
            self.folders[one] = (f"{inode:040x}", inode)
        elif act in ("clone", "copy and delete") and one in self.folders and other not in self.folders:
            self.folders[other] = (self.folders[one][0], self.new_inode())
            if act == "copy and delete":
                del self.folders[one]
        elif act == "move" and one in self.folders and other not in self.folders:
            self.folders[other] = self.folders.pop(one)
        elif act == "delete":
            self.folders.pop(one, None)
        elif act == "write":
            self.write(one)
        elif act == "index":
            self.index()

    def write(self, path: str) -> None:
        for card in read_portfolio(str(self.brain)).cards:
            if card.path == path and path in self.folders:
                note = f"note {len(self.notes)}"
                file = self.brain / "projects" / card.file
                file.write_bytes(file.read_bytes() + f"\n# {note}.".encode())
                self.notes.append(note)

    def index(self) -> None:
        there = {*self.folders, ROOT}
        found = [self.facts(path) for path in sorted(self.folders)]
        assert index(self.brain, *found, exists=there.__contains__).plan is not None


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_no_word_is_lost_and_no_project_is_without_its_one_card(steps: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder) / ".bmad-plus" / "brain")
        for act, one, other in steps:
            desk.step(act, FOLDERS[one], FOLDERS[other])
        desk.index()

        cards = read_portfolio(str(desk.brain)).cards
        text = "".join(file.read_text() for file in desk.brain.glob("projects/*.yaml"))
        assert [text.count(f"# {note}.") for note in desk.notes] == [1] * len(desk.notes)
        alive = [card.path for card in cards if not card.missing_since]
        assert alive == sorted(desk.folders)
        identifiers = [card.extras["id"] for card in cards]
        assert len(set(identifiers)) == len(identifiers)
        before = {file.name: file.read_bytes() for file in desk.brain.rglob("*.yaml")}
        desk.index()
        assert {file.name: file.read_bytes() for file in desk.brain.rglob("*.yaml")} == before


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=6))
def test_a_folder_that_is_moved_any_number_of_times_is_one_project(moves: list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder) / ".bmad-plus" / "brain")
        desk.step("create", FOLDERS[moves[0][0]], "")
        desk.index()
        desk.write(FOLDERS[moves[0][0]])
        place = FOLDERS[moves[0][0]]
        for _, to in moves:
            desk.step("move", place, FOLDERS[to])
            place = FOLDERS[to]
            desk.index()
        (card,) = read_portfolio(str(desk.brain)).cards
        assert (card.path, card.missing_since) == (place, "")
        assert "# note 0." in (desk.brain / "projects" / card.file).read_text()
