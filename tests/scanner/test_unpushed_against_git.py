"""Upstreams, ahead and behind, what is only here and stashes equal git's own answers, history by history."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scanner.git import open_repository
from scanner.unpushed import DETACHED, unpushed
from tests.scanner.git.histories import Answer, answer_of_git, only_here, repository
from tests.scanner.git.repositories import KINDS, run, seeded

SOME, MANY = 1_000, 5_000


def answer_of_ours(folder: Path, allowed: tuple[str, ...] = ()) -> Answer:
    with open_repository(str(folder), allowed=allowed) as opened:
        found = unpushed(opened)
    assert found.problems == ()
    branches = tuple(
        (branch.name, branch.upstream or "", branch.ahead, branch.behind, branch.gone)
        for branch in found.branches
        if branch.name != DETACHED
    )
    return Answer(branches, found.only_here, found.stashes)


def test_a_thousand_random_histories_are_told_as_by_git(tmp_path: Path, full: bool) -> None:
    """Where dates run backwards git counts too many now and then: the arithmetic of sets decides then."""

    def difference(seed: int) -> str:
        folder = tmp_path / str(seed)
        commits = repository(folder, seeded(f"history {seed}"))
        ours, gits = answer_of_ours(folder), answer_of_git(folder)
        if ours != gits and commits.is_skewed:
            gits = Answer(gits.branches, only_here(folder, commits), gits.stashes)
        shutil.rmtree(folder)
        return "" if ours == gits else f"{seed}: ours {ours}, git's {gits}"

    with ThreadPoolExecutor(2) as pool:
        found = [line for line in pool.map(difference, range(MANY if full else SOME)) if line]

    assert found == []


@pytest.mark.parametrize(
    "kind",
    [kind for kind in KINDS if kind.__name__ not in ("bare_hub", "shared_clone")],
    ids=lambda kind: kind.__name__,
)
def test_every_kind_of_repository_is_counted_as_by_git(kind, tmp_path: Path) -> None:  # type: ignore[no-untyped-def] # one of KINDS
    made = kind(tmp_path, seeded(f"unpushed {kind.__name__}"))
    for place in [made.path, *made.also]:
        with open_repository(str(place), allowed=made.allowed) as opened:
            found = unpushed(opened)
        detached = [
            oid
            for line in run("worktree", "list", "--porcelain", cwd=place).split("\n\n")
            if "\ndetached" in line
            for oid in [line.split("HEAD ")[1].split("\n")[0]]
        ]
        count = run("rev-list", "--count", "--branches", *detached, "--not", "--remotes", cwd=place)
        assert found.problems == ()
        assert found.only_here == int(count)
