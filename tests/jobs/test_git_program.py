"""The real git: what it says is counted right, and nothing that a repository planted runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from jobs import git_program
from jobs.errors import ExpectedError
from jobs.git_program import GitError, GitProgram, Told, ask_git, find_git
from scanner.git import open_repository
from scanner.project import Activity, Project, Stacks, Status
from tests.support import NOW, Git, write


@pytest.fixture
def program() -> GitProgram:
    return GitProgram(find_git(os.environ))


def told(program: GitProgram, path: Path) -> Told:
    with open_repository(str(path)) as repository:
        return program.status(repository)


def as_project(path: Path) -> Project:
    return Project(
        str(path),
        path.name,
        Stacks(),
        Activity(),
        Status("active", ""),
        None,
        has_git=True,
        bmad_installed=False,
    )


def test_a_clean_repository_has_nothing_to_tell(git: Git, program: GitProgram) -> None:
    path = git.repository("clean")
    write(path / "build.log", "x")
    write(path / ".git" / "info" / "exclude", "*.log\n")

    assert Told() == told(program, path)


def test_every_kind_of_change_is_counted(git: Git, program: GitProgram) -> None:
    files = {name: f"{name}\n" * 3 for name in ("kept", "edited", "gone", "staged", "both", "removed")}
    path = git.repository("busy", files=files)
    write(path / "edited", "new\n", days=5)
    (path / "gone").unlink()
    write(path / "staged", "new\n", days=3)
    write(path / "both", "new\n")
    git("add", "staged", "both", cwd=path)
    write(path / "both", "newer\n", days=4)
    git("rm", "-q", "--cached", "removed", cwd=path)
    write(path / "folder" / "a")
    write(path / "folder" / "b")

    found = told(program, path)

    assert found == Told(staged=3, modified=2, deleted=1, untracked=2, files=7, oldest=NOW - 5 * 86_400)


def test_a_conflict_is_counted_as_one(git: Git, program: GitProgram) -> None:
    path = git.repository("conflict", files={"a": "1\n"})
    git("checkout", "-q", "-b", "side", cwd=path)
    write(path / "a", "2\n")
    git("commit", "-q", "-a", "-m", "two", cwd=path)
    git("checkout", "-q", "main", cwd=path)
    write(path / "a", "3\n")
    git("commit", "-q", "-a", "-m", "three", cwd=path)
    git("merge", "side", cwd=path, check=False)

    found = told(program, path)

    assert (found.conflicted, found.staged, found.modified) == (1, 0, 0)


def test_linked_worktrees_below_the_roots_count_too(git: Git, program: GitProgram) -> None:
    path = git.repository("main")
    git("worktree", "add", "-q", "../inside", cwd=path)
    git("worktree", "add", "-q", "../../elsewhere", cwd=path)
    write(path.parent / "inside" / "new")
    write(path.parent.parent / "elsewhere" / "new")

    found, problems = ask_git(as_project(path), program, [str(path.parent)])

    assert problems == ()
    assert found is not None
    assert found.untracked == 1


def test_the_users_ignore_file_holds(git: Git, tmp_path: Path) -> None:
    path = git.repository("mine")
    write(path / "notes.tmp")
    excludes = write(tmp_path / "ignore file", "*.tmp\n")

    with_file = GitProgram(find_git(os.environ), str(excludes))

    assert told(GitProgram(find_git(os.environ)), path).untracked == 1
    assert told(with_file, path).untracked == 0


def test_settings_and_variables_of_the_caller_do_not_act(
    git: Git, program: GitProgram, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = git.repository("clean")
    other = git.repository("other")
    write(other / "new")
    write(home / ".gitconfig", f'[core]\n\tfsmonitor = "{planted(tmp_path)}"\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))

    assert told(program, path) == Told()
    assert not (tmp_path / "trace").exists()
    assert not (tmp_path / "ran").exists()


def planted(tmp_path: Path, text: str = "exit 0") -> Path:
    path = write(tmp_path / "planted", f"#!/bin/sh\necho ran >> '{tmp_path}/ran'\n{text}\n")
    path.chmod(0o755)
    return path


def configure(path: Path, text: str) -> None:
    with (path / ".git" / "config").open("a") as file:
        file.write(text)


def test_a_filter_does_not_run_though_plain_git_runs_it(
    git: Git, program: GitProgram, tmp_path: Path
) -> None:
    path = git.repository("filtered", files={".gitattributes": "* filter=x.y\n", "a": "1\n"})
    configure(path, f'[filter "x.y"]\n\tclean = "{planted(tmp_path, "cat")}"\n\trequired = true\n')
    write(path / "a", "2\n")

    found = told(program, path)

    assert not (tmp_path / "ran").exists()
    assert (found.modified, found.blanked) == (1, True)
    git("status", cwd=path)
    assert (tmp_path / "ran").exists()


def test_what_went_through_a_filter_is_told_with_a_warning(
    git: Git, program: GitProgram, tmp_path: Path
) -> None:
    path = git.repository("filtered", files={"a": "1\n"})
    configure(path, f'[filter "x"]\n\tclean = "{planted(tmp_path)}"\n')
    write(path / "a", "2\n")

    _, problems = ask_git(as_project(path), program, [])

    assert [(one.code, one.level, one.path) for one in problems] == [
        ("git-filters-blanked", "warning", str(path))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[include]\n\tpath = ../more\n",
        '[includeIf "gitdir:**"]\n\tpath = ../more\n',
        '[filter "a=b"]\n\tclean = false\n',
        '[filter "x"\n\tclean = false\n',
        "# " + "x" * 300_000 + "\n",
    ],
    ids=["include", "include-if", "name-with-equals", "damaged", "too-large"],
)
def test_git_is_not_asked_where_its_programs_cannot_be_known(
    git: Git, program: GitProgram, text: str
) -> None:
    path = git.repository("odd")
    configure(path, text)

    found, problems = ask_git(as_project(path), program, [])

    assert found is None
    assert [one.code for one in problems] == ["git-not-asked"]


def test_asking_writes_and_locks_nothing(git: Git, program: GitProgram) -> None:
    path = git.repository("touched")
    stamp = NOW + 5
    os.utime(path / "README.md", (stamp, stamp))
    before = (path / ".git" / "index").stat().st_mtime_ns

    told(program, path)

    assert before == (path / ".git" / "index").stat().st_mtime_ns
    git("status", cwd=path)
    assert before != (path / ".git" / "index").stat().st_mtime_ns


def script(tmp_path: Path, text: str) -> GitProgram:
    path = write(tmp_path / "bin" / "git", f"#!/bin/sh\nPATH=/usr/bin:/bin\n{text}\n")
    path.chmod(0o755)
    return GitProgram(str(path), seconds=0.5)


def test_a_git_that_waits_is_ended_with_all_that_it_started(git: Git, tmp_path: Path) -> None:
    path = git.repository("slow")
    slow = script(tmp_path, f"sleep 60 & echo $! > '{tmp_path}/child'; wait")
    start = time.monotonic()

    with pytest.raises(GitError) as caught:
        told(slow, path)

    assert caught.value.code == "git-timeout"
    assert time.monotonic() - start < 30
    assert not alive(int((tmp_path / "child").read_text()))


def test_a_child_that_outlives_git_is_ended_too(git: Git, tmp_path: Path) -> None:
    path = git.repository("stray")
    stray = script(tmp_path, f"sleep 60 >/dev/null & echo $! > '{tmp_path}/child'")

    assert told(stray, path) == Told()

    assert not alive(int((tmp_path / "child").read_text()))


def alive(number: int) -> bool:
    """Whether the process runs: one that only waits to be reaped does not."""
    for _ in range(500):
        done = subprocess.run(["ps", "-o", "stat=", "-p", str(number)], capture_output=True, check=False)
        if not done.stdout.strip() or done.stdout.startswith(b"Z"):
            return False
        time.sleep(0.02)
    return True


def test_more_than_the_cap_is_cut_and_said_to_be_cut(
    git: Git, program: GitProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = git.repository("many")
    for number in range(60):
        write(path / f"new-{number:02}")
    monkeypatch.setattr(git_program, "OUTPUT_CAP", 100)

    found = told(program, path)

    assert (found.untracked, found.truncated) == (11, True)


def test_endless_output_is_cut(git: Git, tmp_path: Path) -> None:
    path = git.repository("endless")

    assert told(script(tmp_path, "yes"), path).truncated


def test_a_git_that_fails_is_a_problem_of_that_project(git: Git, tmp_path: Path) -> None:
    path = git.repository("failing")

    found, problems = ask_git(as_project(path), script(tmp_path, "exit 128"), [])

    assert found is None
    assert [(one.code, one.path) for one in problems] == [("git-failed", str(path))]


def test_a_git_that_cannot_be_started_is_a_problem_too(git: Git, tmp_path: Path) -> None:
    path = git.repository("failing")

    found, problems = ask_git(as_project(path), GitProgram(str(tmp_path / "none")), [])

    assert found is None
    assert [one.code for one in problems] == ["git-failed"]


def test_git_is_looked_for_on_absolute_folders_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "bin" / "git", "#!/bin/sh\n").chmod(0o755)
    monkeypatch.chdir(tmp_path)

    assert find_git({"PATH": f"bin::.:{tmp_path}/bin"}) == f"{tmp_path}/bin/git"
    with pytest.raises(ExpectedError) as caught:
        find_git({"PATH": "bin::."})

    assert (caught.value.code, caught.value.exit_code) == ("no-git", 1)


def test_a_folder_that_is_no_repository_any_more_is_a_problem(git: Git, program: GitProgram) -> None:
    path = git.repository("gone")
    shutil.rmtree(path / ".git")

    found, problems = ask_git(as_project(path), program, [])

    assert found is None
    assert len(problems) == 1
