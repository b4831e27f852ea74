"""Which upstream a branch has: the rules of git, one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanner.git import open_repository
from scanner.git.upstream import Refspec, Upstreams, parse_refspec, tracking_name
from tests.support import Git


def upstream(path: Path, branch: str = "main") -> tuple[str | None, str]:
    """Ours, and git's; both short."""
    with open_repository(str(path)) as repository:
        upstreams = Upstreams(repository)
        found = upstreams.of(branch)
        return upstreams.short_name(found) if found is not None else None, Git(path)(
            "for-each-ref", "--format=%(upstream:short)", f"refs/heads/{branch}"
        )


@pytest.fixture
def path(git: Git) -> Path:
    """A repository whose main branch follows that of a remote."""
    path = git.repository("r")
    git("remote", "add", "origin", "https://example.com/r.git", cwd=path)
    git("update-ref", "refs/remotes/origin/main", "HEAD", cwd=path)
    git("branch", "-q", "--set-upstream-to=origin/main", cwd=path)
    return path


def test_the_remote_and_its_refspec_name_the_upstream(path: Path) -> None:
    assert upstream(path) == ("origin/main", "origin/main")


def test_a_branch_without_configuration_has_none(git: Git, path: Path) -> None:
    git("branch", "idea", cwd=path)

    assert upstream(path, "idea") == (None, "")


def test_where_one_pushes_to_has_no_part_in_it(git: Git, path: Path) -> None:
    git("config", "branch.main.pushRemote", "fork", cwd=path)
    git("config", "remote.pushDefault", "fork", cwd=path)

    assert upstream(path) == ("origin/main", "origin/main")


def test_the_last_remote_and_the_first_merge_count(git: Git, path: Path) -> None:
    git("config", "--add", "branch.main.remote", "up", cwd=path)
    git("config", "--add", "branch.main.merge", "refs/heads/other", cwd=path)
    git("config", "remote.up.fetch", "refs/heads/*:refs/remotes/up/*", cwd=path)

    assert upstream(path) == ("up/main", "up/main")


def test_a_remote_that_keeps_nothing_gives_none(git: Git, path: Path) -> None:
    git("config", "--unset", "remote.origin.fetch", cwd=path)

    assert upstream(path) == (None, "")


def test_a_branch_of_the_same_repository_can_be_followed(git: Git, path: Path) -> None:
    git("checkout", "-q", "-b", "idea", "--track", "main", cwd=path)

    assert upstream(path, "idea") == ("main", "main")


def test_a_short_name_that_a_tag_has_too_is_made_longer(git: Git, path: Path) -> None:
    git("tag", "origin/main", cwd=path)

    assert upstream(path) == ("remotes/origin/main", "remotes/origin/main")


def test_a_short_name_that_a_packed_tag_has_too_is_made_longer(git: Git, path: Path) -> None:
    git("tag", "origin/main", cwd=path)
    git("pack-refs", "--all", cwd=path)

    assert upstream(path) == ("remotes/origin/main", "remotes/origin/main")


def test_a_short_name_that_a_local_branch_has_too_is_made_longer(git: Git, path: Path) -> None:
    git("branch", "origin/main", cwd=path)

    assert upstream(path) == ("remotes/origin/main", "remotes/origin/main")


@pytest.mark.parametrize("name", ["feat/x", "Ünï", "with.dots", 'quo"te', "semi;colon", "UPPER", "a=b", "#1"])
def test_a_branch_may_be_called_anything(name: str, git: Git, path: Path) -> None:
    git("branch", name, cwd=path)
    git("update-ref", f"refs/remotes/origin/{name}", "HEAD", cwd=path)
    git("branch", "-q", f"--set-upstream-to=origin/{name}", name, cwd=path)

    assert upstream(path, name) == (f"origin/{name}", f"origin/{name}")


def test_a_worktree_may_have_its_own_configuration(git: Git, path: Path) -> None:
    git("config", "extensions.worktreeConfig", "true", cwd=path)
    git("config", "--worktree", "branch.main.merge", "refs/heads/other", cwd=path)
    git("config", "--unset", "branch.main.merge", cwd=path)

    assert upstream(path) == ("origin/other", "origin/other")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+refs/heads/*:refs/remotes/o/*", Refspec("refs/heads/*", "refs/remotes/o/*", True, False)),
        ("refs/heads/a:refs/x", Refspec("refs/heads/a", "refs/x", False, False)),
        ("^refs/heads/a*", Refspec("refs/heads/a*", None, True, True)),
        ("@", Refspec("HEAD", None, False, False)),
        ("refs/heads/a:", Refspec("refs/heads/a", "", False, False)),
        ("refs/heads/*:refs/x", None),
        ("refs/heads/*", None),
        ("refs/heads/**:refs/x/*", None),
        ("^a:b", None),
        ("^", None),
        ("refs/../x:refs/y", None),
    ],
)
def test_refspecs_are_read_as_git_reads_them(text: str, expected: Refspec | None) -> None:
    assert parse_refspec(text) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["refs/heads/*:refs/remotes/o/*"], "refs/remotes/o/main"),
        (["refs/heads/m*n:refs/o/<*>"], "refs/o/<ai>"),
        (["refs/heads/main*ain:refs/o/*"], None),
        (["refs/heads/main:refs/o/m", "refs/heads/*:refs/p/*"], "refs/o/m"),
        (["refs/heads/main"], None),
        (["^refs/heads/main", "refs/heads/*:refs/remotes/o/*"], "refs/remotes/o/main"),
        (["^refs/heads/m*", "refs/heads/main:refs/remotes/o/main"], None),
        (["refs/heads/*:refs/heads/*", "^refs/heads/main"], None),
    ],
)
def test_the_first_refspec_that_fits_says_where_a_branch_is_kept(
    texts: list[str], expected: str | None
) -> None:
    refspecs = tuple(refspec for text in texts if (refspec := parse_refspec(text)))

    assert tracking_name(refspecs, "refs/heads/main") == expected


def test_packed_references_are_not_searched_once_for_each_of_thousands_of_branches(
    git: Git, path: Path
) -> None:
    oid = git("rev-parse", "HEAD", cwd=path)
    count = 3_000
    packed = "# pack-refs with: sorted \n" + "".join(
        f"{oid} refs/heads/b{number:05}\n" for number in range(count)
    )
    packed += "".join(f"{oid} refs/tags/v{number:06}\n" for number in range(200_000))
    (path / ".git" / "packed-refs").write_text(packed)
    with (path / ".git" / "config").open("a") as config:
        for number in range(count):
            config.write(f'[branch "b{number:05}"]\n\tremote = origin\n\tmerge = refs/heads/b{number:05}\n')

    with open_repository(str(path)) as repository:
        upstreams = Upstreams(repository)
        names = [upstreams.of(name.removeprefix("refs/heads/")) for name in repository.local_heads()]
        short = {upstreams.short_name(name) for name in names if name is not None}
        assert short == {"origin/main", *(f"origin/b{number:05}" for number in range(count))}
        assert repository.problems == ()
