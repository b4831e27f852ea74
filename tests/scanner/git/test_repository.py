"""Facts of a repository beside its commits; and that reading them leaves no trace."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scanner.git import open_repository
from tests.support import Git, write


def state(path: Path) -> str | None:
    with open_repository(str(path)) as repository:
        return repository.in_progress()


def diverged(git: Git) -> Path:
    """Branches ``main`` and ``side`` that conflict."""
    path = git.repository("p", days=9)
    git("checkout", "-q", "-b", "side", cwd=path)
    for branch in ("side", "main"):
        git("checkout", "-q", branch, cwd=path)
        write(path / "README.md", f"{branch} one\n")
        git("commit", "-q", "-a", "-m", f"{branch} one", cwd=path, days=8)
        write(path / "README.md", f"{branch} two\n")
        git("commit", "-q", "-a", "-m", f"{branch} two", cwd=path, days=7)
    return path


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("status",), None),
        (("merge", "side"), "merge"),
        (("rebase", "side"), "rebase"),
        (("rebase", "--apply", "side"), "rebase"),
        (("cherry-pick", "side"), "cherry-pick"),
        (("cherry-pick", "side~1", "side"), "cherry-pick"),
        (("revert", "--no-edit", "HEAD~1"), "revert"),
        (("bisect", "start", "main", "main~2"), "bisect"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else str(value),
)
def test_what_was_begun_and_not_ended_is_told(
    git: Git, command: tuple[str, ...], expected: str | None
) -> None:
    path = diverged(git)
    git(*command, cwd=path, check=False)

    assert state(path) == expected


def test_a_patch_that_does_not_apply_is_told_as_am(git: Git) -> None:
    path = diverged(git)
    patch = git("format-patch", "-1", "--stdout", "side", cwd=path)
    write(path / "x.patch", patch + "\n")
    git("am", "x.patch", cwd=path, check=False)

    assert state(path) == "am"


def test_a_sequence_goes_on_after_its_first_commit_was_made(git: Git) -> None:
    path = diverged(git)
    git("cherry-pick", "side~1", "side", cwd=path, check=False)
    git("commit", "-q", "-a", "-m", "solved", cwd=path)

    assert state(path) == "cherry-pick"


def test_the_state_of_a_linked_worktree_is_its_own(git: Git) -> None:
    path = diverged(git)
    git("worktree", "add", "-q", "--detach", "../linked", "main", cwd=path)
    git("merge", "side", cwd=git.root / "linked", check=False)

    assert state(path) is None
    assert state(git.root / "linked") == "merge"


def test_the_stash_is_the_newest_one(git: Git) -> None:
    path = git.repository("p")
    with open_repository(str(path)) as repository:
        assert repository.stash() is None
    write(path / "README.md", "changed\n")
    git("stash", "-q", cwd=path)

    with open_repository(str(path)) as repository:
        assert repository.stash() == git("rev-parse", "stash", cwd=path)


def test_a_shallow_clone_is_told_from_a_whole_one(git: Git) -> None:
    path = git.repository("p")
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=path)
    git("clone", "-q", "--depth", "1", path.as_uri(), "cut")
    git("clone", "-q", path.as_uri(), "whole")

    with open_repository(str(git.root / "cut")) as cut, open_repository(str(git.root / "whole")) as whole:
        assert (cut.shallow, whole.shallow) == (True, False)


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_the_object_format_is_told(git: Git, kind: str) -> None:
    git("init", "-q", f"--object-format={kind}", "p")

    with open_repository(str(git.root / "p")) as repository:
        assert repository.object_format == kind
        assert repository.ref_storage == "files"


def every_fact(path: Path) -> None:
    with open_repository(str(path)) as repository:
        _ = (repository.head(), repository.stash(), repository.worktrees(), repository.remote_url())
        _ = (repository.in_progress(), repository.shallow, repository.is_bare, repository.object_format)
        _ = (list(repository.reflogs()), repository.newest_own_work(1e12), repository.remote_heads())
        for oid in repository.local_heads().values():
            repository.commit(oid)
        head = repository.head().oid
        if head:
            repository.first_sane_commit(head, 0, 1)
        _ = repository.problems


def snapshot(folder: Path) -> dict[str, tuple[int, int, int]]:
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_size, path.lstat().st_ino)
        for path in folder.rglob("*")
    }


def test_reading_every_fact_changes_no_file_and_makes_none(git: Git) -> None:
    path = diverged(git)
    git("gc", "-q", cwd=path)
    before = snapshot(path)

    every_fact(path)

    assert snapshot(path) == before


HOSTILE_KEYS = (
    ("core.fsmonitor", "touch {mark}"),
    ("core.sshCommand", "touch {mark}"),
    ("core.hooksPath", "{hooks}"),
    ("core.pager", "touch {mark}"),
    ("gpg.program", "touch {mark}"),
    ("log.showSignature", "true"),
    ("filter.x.clean", "touch {mark}"),
    ("filter.x.process", "touch {mark}"),
    ("diff.external", "touch {mark}"),
    ("remote.origin.url", "ext::touch% {mark}"),
    ("remote.origin.uploadpack", "touch {mark}"),
    ("remote.origin.promisor", "true"),
    ("extensions.partialClone", "origin"),
    ("alias.log", "!touch {mark}"),
    ("credential.helper", "!touch {mark}"),
)


def hostile(git: Git) -> tuple[Path, Path]:
    path = git.repository("p")
    mark = git.root / "RAN"
    hooks = git.root / "hooks"
    for hook in ("post-index-change", "reference-transaction", "post-checkout"):
        write(hooks / hook, f"#!/bin/sh\ntouch {mark}\n").chmod(0o755)
    for key, value in HOSTILE_KEYS:
        git("config", key, value.format(mark=mark, hooks=hooks), cwd=path)
    write(path / ".gitattributes", "* filter=x\n")
    return path, mark


def test_no_key_of_a_configuration_runs_anything(git: Git) -> None:
    path, mark = hostile(git)
    mark.unlink(missing_ok=True)

    every_fact(path)

    assert not mark.exists()


def test_the_hostile_configuration_does_run_with_git_itself(git: Git) -> None:
    path, mark = hostile(git)
    mark.unlink(missing_ok=True)
    write(path / "README.md", "changed\n")

    git("status", cwd=path, check=False)

    assert mark.exists()


def test_no_process_is_started_and_no_file_opened_for_writing(git: Git) -> None:
    path = diverged(git)
    script = (
        "import sys\n"
        "def watch(event, args):\n"
        "    if event in ('subprocess.Popen', 'os.exec', 'os.fork', 'os.posix_spawn', 'os.system'):\n"
        "        print('BAD', event)\n"
        "    if event == 'open' and args[2] & 3:\n"
        "        print('BAD', event, args)\n"
        "    if event in ('os.remove', 'os.rename', 'os.mkdir', 'os.utime', 'os.chmod', 'os.link'):\n"
        "        print('BAD', event)\n"
        "sys.dont_write_bytecode = True\n"
        "from tests.scanner.git.test_repository import every_fact\n"
        "from pathlib import Path\n"
        "sys.addaudithook(watch)\n"
        "every_fact(Path(sys.argv[1]))\n"
        "if len(sys.argv) > 2:\n"
        "    open(sys.argv[2], 'w').close()\n"
    )
    here = Path(__file__).parents[3]

    def watched(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", script, str(path), *arguments],
            cwd=here,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    assert watched() == ""
    assert "BAD open" in watched(str(git.root / "written"))  # the watch itself works


def test_nothing_heavy_is_imported_for_reading(git: Git) -> None:
    path = git.repository("p")
    heavy = ("typing", "pathlib", "subprocess", "asyncio", "logging", "yaml", "pathspec", "rich", "jinja2")
    script = (
        "import sys; before = set(sys.modules)\n"
        "from scanner.git import open_repository\n"
        "with open_repository(sys.argv[1]) as r:\n"
        "    r.head(), r.local_heads(), r.remote_url(), r.newest_own_work(9)\n"
        f"print(sorted((set(sys.modules) - before) & set({heavy!r})))\n"
    )
    here = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-S", "-c", script, str(path)], cwd=here, check=True, capture_output=True, text=True
    )

    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_reported(git: Git) -> None:
    path = git.repository("p")
    (path / ".git" / "refs" / "heads" / "main").chmod(0)

    with open_repository(str(path)) as repository:
        assert repository.head().oid is None
        assert [problem.code for problem in repository.problems] == ["git-permission"]
