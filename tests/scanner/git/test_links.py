"""A link in the place of a folder of the repository leads nowhere but below the roots."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scanner.git import Repository, open_repository
from scanner.git.folders import GitFolder
from scanner.git.problems import ProblemLog
from tests.scanner.git.reftable_writer import Log, repository, table
from tests.support import Git, write

FOLDERS = (
    "refs",
    "refs/heads",
    "refs/heads/feat",
    "objects",
    "objects/{ab}",
    "objects/pack",
    "logs",
    "logs/refs",
    "logs/refs/heads",
    "worktrees",
    "worktrees/linked",
    "worktrees/linked/logs",
    "sequencer",
)


def everything(repository: Repository) -> list[object]:
    """All that can be asked of a repository."""
    heads = repository.local_heads()
    return [
        repository.head(),
        heads,
        repository.remote_heads(),
        repository.stash(),
        [repository.commit(oid) for oid in heads.values()],
        repository.worktrees(),
        list(repository.reflogs()),
        repository.newest_own_work(1e12),
        repository.in_progress(),
        repository.shallow,
    ]


@contextmanager
def opened_below(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The files and folders below ``folder`` that are opened meanwhile, by their real paths."""
    seen: list[str] = []

    def watched(original: Callable[..., object]) -> Callable[..., object]:
        def call(path: str, *args: object, **named: object) -> object:
            result = original(path, *args, **named)
            real = os.path.realpath(path)
            if real.startswith(str(folder)):
                seen.append(real)
            return result

        return call

    with monkeypatch.context() as patch:
        for name in ("open", "scandir", "listdir"):
            patch.setattr(os, name, watched(getattr(os, name)))
        yield seen


def rich(git: Git) -> Path:
    """A repository with something in each folder that a reader may enter."""
    path = git.repository("root/p", days=40)
    git("commit", "-q", "--allow-empty", "-m", "packed", cwd=path, days=30)
    git("gc", "-q", cwd=path)
    git("commit", "-q", "--allow-empty", "-m", "loose", cwd=path, days=20)
    git("branch", "feat/x", cwd=path)
    git("branch", "old", "HEAD~1", cwd=path)
    write(path / "README.md", "changed\n")
    git("stash", "-q", cwd=path, days=10)
    git("worktree", "add", "-q", "-b", "side", "../linked", cwd=path, days=9)
    git("commit", "-q", "--allow-empty", "-m", "aside", cwd=git.root / "root" / "linked", days=5)
    write(path / ".git" / "sequencer" / "todo", "pick 1234 x\n")
    return path


def moved(path: Path, folder: str, target: Path) -> Path:
    """Move a folder of the repository to ``target`` and leave a link in its place."""
    head = (path / ".git" / "refs" / "heads" / "main").read_text()
    place = path / ".git" / folder.format(ab=head[:2])
    target.parent.mkdir(parents=True, exist_ok=True)
    place.rename(target)
    place.symlink_to(target)
    return place


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_link_that_leads_out_of_the_roots_is_not_followed(
    git: Git, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = rich(git)
    place = moved(path, folder, git.root / "outside" / "target")

    with (
        opened_below(git.root / "outside", monkeypatch) as seen,
        open_repository(str(path), allowed=[str(git.root / "root")]) as repository,
    ):
        everything(repository)
        told = [(problem.code, problem.path) for problem in repository.problems]

    assert seen == []
    assert told.count(("git-link", str(place))) == 1


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_link_to_a_place_below_a_root_is_read_like_a_folder(
    git: Git, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = rich(git)
    with open_repository(str(path)) as repository:
        before = everything(repository)
    target = git.root / "outside" / "target"
    moved(path, folder, target)

    with (
        opened_below(target, monkeypatch) as seen,
        open_repository(str(path), allowed=[str(git.root)]) as repository,
    ):
        after = everything(repository)

    assert after == before
    assert repository.problems == ()
    assert seen  # the eyes of the test above do see what is opened


def test_a_linked_reftable_is_read_only_below_a_root(git: Git) -> None:
    path = git.root / "root" / "p"
    log = Log("HEAD", 1, 1_700_000_000, "commit: x")
    repository(path, [table({"HEAD": "ref: refs/heads/main", "refs/heads/main": "a" * 40}, [log])])
    place = path / ".git" / "reftable"
    place.rename(git.root / "tables")
    place.symlink_to(git.root / "tables")

    with open_repository(str(path), allowed=[str(git.root)]) as inside:
        assert inside.head().oid == "a" * 40
        assert inside.newest_own_work(1e12) is not None
    with open_repository(str(path), allowed=[str(git.root / "root")]) as outside:
        assert outside.head().oid is None
        assert outside.newest_own_work(1e12) is None
        assert [problem.code for problem in outside.problems] == ["git-link"]


def test_a_work_tree_that_shares_its_folders_by_links_is_read(git: Git) -> None:
    # The layout of git's own contributed script for a second work tree.
    main = git.repository("main", days=3)
    second = git.root / "second" / ".git"
    (second / "logs").mkdir(parents=True)
    for name in ("refs", "objects", "info", "logs/refs"):
        (second / name).symlink_to(main / ".git" / name)
    (second / "HEAD").write_text("ref: refs/heads/main\n")

    with open_repository(str(git.root / "second"), allowed=[str(git.root)]) as repository:
        oid = repository.head().oid
        assert oid == git("rev-parse", "HEAD", cwd=main)
        assert repository.commit(oid) is not None
        assert repository.newest_own_work(1e12) is not None
        assert repository.problems == ()


def test_rings_of_links_are_entered_once(git: Git) -> None:
    path = git.repository("p")
    heads = path / ".git" / "refs" / "heads"
    for name in ("one", "two"):
        (heads / name).symlink_to(heads)
    (path / ".git" / "logs" / "refs" / "up").symlink_to("..")

    with open_repository(str(path), allowed=[str(git.root)]) as repository:
        assert len(repository.local_heads()) < 10
        assert len(list(repository.reflogs())) < 10


def test_a_git_folder_with_too_many_entries_is_asked_name_by_name(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = rich(git)
    write(path / ".git" / "MERGE_HEAD", "a" * 40 + "\n")
    place = moved(path, "logs", git.root / "outside" / "target")
    with open_repository(str(path)) as repository:
        listed = everything(repository)
    monkeypatch.setattr("scanner.git.folders._ENTRIES", 3)

    with open_repository(str(path)) as repository:
        assert everything(repository) == listed
        assert repository.in_progress() == "merge"
        assert [problem.path for problem in repository.problems] == [str(place)]


def test_what_is_no_folder_leads_nowhere(tmp_path: Path) -> None:
    write(tmp_path / "file")
    (tmp_path / "folder").mkdir()
    folder = GitFolder(str(tmp_path), (), ProblemLog())

    assert folder.leads_to("folder")
    assert not folder.leads_to("missing")
    assert not folder.leads_to("missing/below")
    assert not folder.leads_to("file/below")
    assert not folder.leads_to("folder/a\0b")
    assert folder.names_below("", "file/", bool, 10) == []
