"""Histories that nobody wrote down: random acts at falling ages, dated by the last one that was work.

The generator keeps its own account of when work happened; the scan only sees what git left on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from tests.scanner.support_cases import Desk, age, one
from tests.support import Git, write


@dataclass
class History:
    """A repository with its developer; ``worked`` is the age of the last act that was work."""

    desk: Desk
    random: Random
    path: Path
    worked: float
    acts: list[str] = field(default_factory=list)
    number: int = 0

    def git(self, *arguments: str, days: float) -> None:
        self.desk.git(*arguments, cwd=self.path, days=days)

    def name(self) -> str:
        self.number += 1
        return f"n{self.number}"

    def dirty(self) -> bool:
        return bool(self.desk.git("status", "--porcelain", cwd=self.path))

    def some_file(self) -> Path:
        tracked = self.desk.git("ls-files", cwd=self.path).splitlines()
        present = [name for name in tracked if name != ".gitignore"]
        return self.path / self.random.choice(present)


# Work


def commit(history: History, days: float) -> None:
    write(history.path / f"src/{history.name()}.py", f"{days}\n", days=days)
    history.git("add", "-A", days=days)
    history.git("commit", "-q", "-m", "work", days=days)


def amend(history: History, days: float) -> None:
    history.git("commit", "-q", "--amend", "-m", f"better {days}", days=days)


def commit_on_a_branch_and_back(history: History, days: float) -> None:
    _put_aside(history, days)
    history.git("checkout", "-q", "-b", history.name(), days=days)
    commit(history, days)
    history.git("checkout", "-q", "main", days=days)


def commit_on_a_branch_deleted_at_once(history: History, days: float) -> None:
    commit_on_a_branch_and_back(history, days)
    history.git("branch", "-q", "-D", f"n{history.number - 1}", days=days)


def commit_detached_and_back(history: History, days: float) -> None:
    _put_aside(history, days)
    history.git("checkout", "-q", "--detach", days=days)
    commit(history, days)
    history.git("checkout", "-q", "main", days=days)


def commit_in_a_worktree(history: History, days: float) -> None:
    tree = history.desk.root / history.name()
    history.git("worktree", "add", "-q", "--detach", str(tree), days=days)
    history.desk.git("commit", "-q", "--allow-empty", "-m", "work", cwd=tree, days=days)


def edit_in_place(history: History, days: float) -> None:
    write(history.some_file(), f"edited {days}\n", days=days)


def new_file(history: History, days: float) -> None:
    write(history.path / f"lab/{history.name()}.py", f"{days}\n", days=days)


def stage(history: History, days: float) -> None:
    edit_in_place(history, days)
    history.git("add", "-A", days=days)


def stash(history: History, days: float) -> None:
    edit_in_place(history, days)
    history.git("stash", "-q", days=days)


def merge(history: History, days: float) -> None:
    commit_on_a_branch_and_back(history, days)
    history.git("merge", "-q", "--no-ff", "-m", "merge", f"n{history.number - 1}", days=days)


# No work


def touch(history: History, days: float) -> None:
    if not history.dirty():
        file = history.some_file()
        write(file, file.read_text(), days=days)


def junk(history: History, days: float) -> None:
    for name in (".DS_Store", f"src/.{history.name()}.swp", "build/x.pyc", "run.log"):
        write(history.path / name, f"{days}\n", days=days)


def status(history: History, days: float) -> None:
    history.git("status", days=days)


def fetch(history: History, days: float) -> None:
    history.desk.git("commit", "-q", "--allow-empty", "-m", "theirs", cwd=_upstream(history), days=days)
    history.git("fetch", "-q", str(_upstream(history)), "main:refs/remotes/origin/main", days=days)


def look_at_an_old_commit(history: History, days: float) -> None:
    _put_aside(history, days)
    first = history.desk.git("rev-list", "--max-parents=0", "HEAD", cwd=history.path)
    history.git("checkout", "-q", first, days=days)
    history.git("checkout", "-q", "main", days=days)


def collect_garbage(history: History, days: float) -> None:
    history.git("gc", "-q", days=days)


def pack_references(history: History, days: float) -> None:
    history.git("pack-refs", "--all", days=days)


def new_branch(history: History, days: float) -> None:
    history.git("branch", history.name(), days=days)


def new_worktree(history: History, days: float) -> None:
    history.git("worktree", "add", "-q", "--detach", str(history.desk.root / history.name()), days=days)


def _upstream(history: History) -> Path:
    path = history.desk.outside / "upstream"
    if not path.exists():
        history.desk.git("clone", "-q", str(history.path), str(path))
        history.desk.git("checkout", "-q", "-B", "main", cwd=path)
    return path


def _put_aside(history: History, days: float) -> None:
    """Commit what is open, so that a checkout takes nothing along."""
    if history.dirty():
        history.git("add", "-A", days=days)
        history.git("commit", "-q", "-m", "open ends", days=days)
        history.worked = days


Act = Callable[[History, float], None]
WORK: tuple[Act, ...] = (
    commit,
    amend,
    commit_on_a_branch_and_back,
    commit_on_a_branch_deleted_at_once,
    commit_detached_and_back,
    commit_in_a_worktree,
    edit_in_place,
    new_file,
    stage,
    stash,
    merge,
)
NO_WORK: tuple[Act, ...] = (
    touch,
    junk,
    status,
    fetch,
    look_at_an_old_commit,
    collect_garbage,
    pack_references,
    new_branch,
    new_worktree,
)


def live(desk: Desk, seed: int) -> History:
    """A repository after 4 to 10 random acts, the oldest less than 80 days ago."""
    random = Random(seed)  # noqa: S311 - a story is told again by its number, nothing is kept secret
    path = desk.git.repository(
        "dev/shop",
        days=80,
        files={".gitignore": "*.log\nbuild/\n.DS_Store\n*.swp\n", "README.md": "x\n", "src/a.py": "x\n"},
    )
    # Else a collection would drop what only the reflog still knows, by the real clock.
    desk.git("config", "gc.reflogExpireUnreachable", "never", cwd=path)
    history = History(desk, random, path, worked=80)
    for days in sorted((random.uniform(0, 79) for _ in range(random.randint(4, 10))), reverse=True):
        work = random.random() < 0.4
        act = random.choice(WORK if work else NO_WORK)
        if work:
            history.worked = days
        act(history, days)
        history.acts.append(f"{days:.2f} {act.__name__}")
    return history


@pytest.mark.parametrize("seed", range(12))
def test_a_random_history_is_dated_by_its_last_work(git: Git, seed: int) -> None:
    history = live(Desk.at(git), seed)

    project = one(history.desk.scan(), "shop")

    assert age(project) == pytest.approx(history.worked, abs=0.001), f"{project.activity} {history.acts}"


def test_many_random_histories_are_dated_by_their_last_work(git: Git, full: bool) -> None:
    if not full:
        pytest.skip("the long form runs with --full")
    for seed in range(1000, 1300):
        (git.root / str(seed)).mkdir()
        history = live(Desk.at(Git(git.root / str(seed))), seed)
        project = one(history.desk.scan(), "shop")
        assert age(project) == pytest.approx(history.worked, abs=0.001), (
            seed,
            project.activity,
            history.acts,
        )
