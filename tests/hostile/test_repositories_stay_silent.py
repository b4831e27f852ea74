"""No command of ours starts, prints or waits for what a repository planted, or changes a byte of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hostile.command import Run, Zecher, paths_of
from tests.hostile.conftest import Workshop
from tests.hostile.harmless import check_shape, check_streams
from tests.hostile.plain_git import git
from tests.hostile.tracing import (
    changes_below,
    differences,
    opened,
    picture,
    started_processes,
    watched,
    why_no_strace,
)
from tests.hostile.vectors import PROGRAMS, SECRET, VECTORS, Vector


@dataclass(frozen=True)
class Zoo:
    """One root with every vector planted in it, and what all commands said about it."""

    root: Path
    marks: Path
    zecher: Zecher
    runs: tuple[Run, ...]
    touched: tuple[bytes, ...]

    @property
    def fired(self) -> set[str]:
        """The programs that were started."""
        return {mark.name for mark in self.marks.iterdir()}

    def in_format(self, shown: str) -> Iterator[Run]:
        """All runs that show projects in one format."""
        return (run for run in self.runs if run.format == shown and run.words[0] != "explain")


_EXPLAINED = (
    "fsmonitor",
    "promisor-ssh-command",
    "gitfile-outside",
    "remote-with-escapes",
    "object-is-a-pipe",
)


@pytest.fixture(scope="module")
def zoo(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory, full: bool) -> Zoo:
    base = tmp_path_factory.mktemp("zoo")
    root, marks = base / "root", base / "marks"
    for vector in VECTORS:
        workshop.plant(vector, root, marks)
    zecher = Zecher(base, marks)
    for mark in marks.iterdir():
        mark.unlink()  # planting itself runs plain git
    before = picture(root)
    explained = [vector.name for vector in VECTORS] if full else _EXPLAINED
    runs = [*zecher.scans(root, full=full), *zecher.reads([root / name for name in explained], root)]
    return Zoo(root, marks, zecher, tuple(runs), tuple(differences(before, picture(root))))


@pytest.mark.parametrize("vector", PROGRAMS, ids=lambda vector: vector.name)
def test_the_planted_program_never_runs(zoo: Zoo, vector: Vector) -> None:
    assert vector.name not in zoo.fired


def test_no_program_on_the_path_is_run(zoo: Zoo) -> None:
    assert zoo.fired == set()


def test_no_command_fails_or_shows_a_traceback(zoo: Zoo) -> None:
    for run in zoo.runs:
        check_shape(run) if run.words[0] != "explain" else check_streams(run)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_the_project_is_listed_by_every_scan(zoo: Zoo, vector: Vector) -> None:
    path = bytes(zoo.root / vector.name)
    runs = list(zoo.in_format("json"))
    assert len(runs) >= 6
    for run in runs:
        assert path in paths_of(run), str(run)


def test_nothing_from_outside_the_roots_is_shown(zoo: Zoo) -> None:
    for run in zoo.runs:
        assert SECRET.encode() not in run.out + run.err, str(run)


def test_nothing_from_outside_the_roots_reaches_the_index(zoo: Zoo) -> None:
    files = [path for path in zoo.zecher.home.rglob("*") if path.is_file()]
    assert any(path.name == "projects-index.md" for path in files)
    for path in files:
        assert SECRET.encode() not in path.read_bytes(), str(path)


def test_nothing_below_the_root_is_changed(zoo: Zoo) -> None:
    assert zoo.touched == ()


def test_plain_git_would_have_changed_the_index(workshop: Workshop, tmp_path: Path) -> None:
    # The sibling of the test above: the picture does show what a git that takes locks leaves behind.
    copy = workshop.template.copy(tmp_path / "copy")
    before = picture(copy)

    git("status", cwd=copy)

    assert bytes(copy / ".git" / "index") in differences(before, picture(copy))


def test_a_hostile_repository_is_harmless_as_the_root_itself(zoo: Zoo, full: bool) -> None:
    for name in [vector.name for vector in VECTORS] if full else _EXPLAINED:
        run = zoo.zecher("scan", str(zoo.root / name), "--dry-run", "--json", "--nested", "all")
        check_shape(run)
        assert SECRET.encode() not in run.out + run.err, name
        assert zoo.fired == set(), name


@pytest.mark.parametrize(
    "words", [("--dry-run",), ("--yes", "--nested", "all", "--respect-ignore")], ids=["dry", "yes"]
)
def test_the_system_calls_start_no_process_and_change_nothing(
    zoo: Zoo, words: tuple[str, ...], tmp_path: Path
) -> None:
    if why_no_strace():
        pytest.skip(why_no_strace())
    zecher = Zecher(tmp_path)
    command = zecher.argv(("scan", str(zoo.root), "--json", *words))

    calls = watched([str(word) for word in command], tmp_path / "calls", zecher.home, zecher.environment())

    assert any(str(zoo.root) in line for line in calls)
    assert started_processes(calls) == []
    assert changes_below(calls, zoo.root) == []


def test_the_system_calls_open_no_private_file_outside(workshop: Workshop, tmp_path: Path) -> None:
    if why_no_strace():
        pytest.skip(why_no_strace())
    root = tmp_path / "root"
    for vector in VECTORS:
        if vector.name != "alternates-outside":  # a shared clone reads its objects from elsewhere by nature
            workshop.plant(vector, root, tmp_path / "marks")
    zecher = Zecher(tmp_path, tmp_path / "marks")
    command = zecher.argv(("scan", str(root), "--json", "--dry-run", "--nested", "all", "--respect-ignore"))

    calls = watched([str(word) for word in command], tmp_path / "calls", zecher.home, zecher.environment())

    assert opened(calls, root)
    assert opened(calls, workshop.outside.path) == []


def test_strace_sees_what_plain_git_does(workshop: Workshop, tmp_path: Path) -> None:
    # The sibling of the tests above: the same eyes on plain git see a program, a lock and a write.
    if why_no_strace():
        pytest.skip(why_no_strace())
    vector = next(vector for vector in PROGRAMS if vector.name == "fsmonitor")
    ground = workshop.plant(vector, tmp_path / "root", tmp_path / "marks")
    program = shutil.which("git") or "git"

    calls = watched(
        [program, "-C", str(ground.repository), "status"],
        tmp_path / "calls",
        tmp_path,
        {"HOME": str(tmp_path)},
    )

    assert any(ground.program.name in line for line in started_processes(calls))
    assert any("index.lock" in line for line in changes_below(calls, tmp_path / "root"))


def test_a_project_cannot_hide_another_by_sharing_its_repository(workshop: Workshop, tmp_path: Path) -> None:
    root = tmp_path / "root"
    victim = workshop.template.copy(root / "victim")
    thief = root / "a-thief"
    thief.mkdir()
    (thief / ".git").write_text(f"gitdir: {victim}/.git\n")
    (thief / "package.json").write_text('{"name": "thief", "scripts": {}}')

    run = Zecher(tmp_path)("scan", str(root), "--dry-run", "--json")

    check_shape(run)
    assert bytes(victim) in paths_of(run)


@pytest.mark.parametrize("path", ["../victim", "{victim}", "./../victim/", "x/../../victim"])
def test_a_project_cannot_hide_another_as_its_submodule(
    workshop: Workshop, tmp_path: Path, path: str
) -> None:
    root = tmp_path / "root"
    victim = workshop.template.copy(root / "victim")
    thief = workshop.template.copy(root / "a-thief")
    spelled = path.format(victim=victim)
    (thief / ".gitmodules").write_text(f'[submodule "v"]\n\tpath = {spelled}\n\turl = x\n')

    run = Zecher(tmp_path)("scan", str(root), "--dry-run", "--json")

    check_shape(run)
    assert bytes(victim) in paths_of(run)


def test_a_project_cannot_hide_another_as_its_worktree(workshop: Workshop, tmp_path: Path) -> None:
    root = tmp_path / "root"
    victim = workshop.template.copy(root / "victim")
    thief = workshop.template.copy(root / "a-thief")
    admin = thief / ".git" / "worktrees" / "v"
    admin.mkdir(parents=True)
    (admin / "gitdir").write_text(f"{victim}/.git\n")
    (admin / "commondir").write_text("../..\n")
    (admin / "HEAD").write_text("ref: refs/heads/main\n")

    run = Zecher(tmp_path)("scan", str(root), "--dry-run", "--json")

    check_shape(run)
    assert bytes(victim) in paths_of(run)
