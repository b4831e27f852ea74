"""Every answer of the reader equals git's own, on generated repositories of every kind."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scanner.git import open_repository
from tests.scanner.git.repositories import KINDS, Made, run, seeded

SOME, MANY = 38, 120  # of each of 27 kinds: more than a thousand in every run


def answers_of_git(path: Path) -> tuple[str | None, str | None, dict[str, tuple[str, int]], int | None]:
    """HEAD's object and branch, all local branches with object and date, and the newest of all dates."""
    listed = run(
        "for-each-ref",
        "--format=%(HEAD)%(objectname) %(committerdate:raw) %(refname)",
        "refs/heads",
        cwd=path,
    )
    heads = {}
    branch = None
    for line in listed.splitlines():
        oid, when, _, name = line[1:].split(" ", 3)
        heads[name] = (oid, int(when))
        branch = name if line[0] == "*" else branch
    # Only the branch of HEAD is marked; where none is, HEAD may be unborn or detached.
    branch = branch or run("symbolic-ref", "-q", "HEAD", cwd=path, check=False).strip() or None
    dates = [when for _, when in heads.values()]
    if branch is not None:
        tip = heads[branch][0] if branch in heads else None
        return tip, branch.removeprefix("refs/heads/"), heads, max(dates, default=None)
    oid, when = run("log", "-1", "--format=%H %ct", "HEAD", cwd=path).split()
    return oid, None, heads, max([*dates, int(when)])


def answers_of_ours(
    path: Path, made: Made
) -> tuple[str | None, str | None, dict[str, tuple[str, int]], int | None]:
    with open_repository(str(path), allowed=made.allowed) as repository:
        head = repository.head()
        heads = {}
        for name, oid in repository.local_heads().items():
            commit = repository.commit(oid)
            assert commit is not None, repository.problems
            heads[name] = (oid, commit.committer_time)
        dates = [when for _, when in heads.values()]
        if head.branch is None and head.oid:
            commit = repository.commit(head.oid)
            assert commit is not None, repository.problems
            dates.append(commit.committer_time)
        return head.oid, head.branch, heads, max(dates, default=None)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_head_branches_and_newest_date_equal_those_of_git(
    kind: Callable[[Path, random.Random], Made], tmp_path: Path, full: bool
) -> None:
    def differences(seed: int) -> list[str]:
        folder = tmp_path / str(seed)
        folder.mkdir()
        made = kind(folder, seeded(f"{kind.__name__} {seed}"))
        places = [made.path, *made.also]
        return [
            f"{place}: ours {ours}, git's {gits}"
            for place in places
            if (ours := answers_of_ours(place, made)) != (gits := answers_of_git(place))
        ]

    with ThreadPoolExecutor(2) as pool:
        found = [line for lines in pool.map(differences, range(MANY if full else SOME)) for line in lines]

    assert found == []
