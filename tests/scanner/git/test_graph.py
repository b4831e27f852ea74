"""Comparing two tips of a history equals the arithmetic of sets, within bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanner.git import graph, open_repository
from scanner.git.graph import Comparison, Graph, Own
from tests.scanner.git.histories import (
    GRAPHS,
    Commits,
    seeded_history,
    shape,
    write_commit_graph,
    write_commits,
    write_object,
)
from tests.scanner.git.repositories import run, seeded, skeleton


def line(git_dir: Path, *, ours: int, theirs: int, shared: int = 3) -> Commits:
    """A line of ``shared`` commits from which two others fork; the marks of theirs are the last."""
    commits = Commits()
    for mark in range(1, shared + ours + theirs + 1):
        start = shared if mark == shared + ours + 1 else mark - 1
        commits.parents[mark] = [start] if start else []
        commits.dates[mark] = 1_700_000_000 + mark
    write_commits(git_dir, commits, packed=True)
    return commits


def compared(folder: Path, ours: str, theirs: str) -> Comparison:
    with open_repository(str(folder)) as repository:
        return Graph(repository).compare(ours, theirs)


def alone(folder: Path, ours: str, *theirs: str) -> Own:
    with open_repository(str(folder)) as repository:
        return Graph(repository).only_in([ours], theirs)


@pytest.mark.parametrize("dates", ["plain", "near", "equal", "skewed"])
def test_any_two_commits_compare_as_the_sets_that_they_reach(dates: str, tmp_path: Path, full: bool) -> None:
    for seed in range(400 if full else 60):
        rng = seeded(f"{dates} {seed}")
        folder = tmp_path / str(seed)
        commits = shape(rng, rng.choice((5, 20, 60)), dates)
        write_commits(skeleton(folder / ".git"), commits, packed=True)
        pairs = [(rng.choice(list(commits.oids)), rng.choice(list(commits.oids))) for _ in range(12)]
        expected = [
            Comparison(
                len(commits.ancestors(one) - commits.ancestors(other)),
                len(commits.ancestors(other) - commits.ancestors(one)),
                False,
            )
            for one, other in pairs
        ]

        found = [compared(folder, commits.oids[one], commits.oids[other]) for one, other in pairs]

        assert found == expected, seed


@pytest.mark.parametrize("how", sorted(set(GRAPHS) - {"none"}))
def test_a_commit_graph_changes_no_answer(how: str, tmp_path: Path, full: bool) -> None:
    for seed in range(60 if full else 6):
        folder = tmp_path / str(seed)
        commits, rng = seeded_history(folder, f"{how} {seed}", dates="skewed")
        pairs = [(rng.choice(list(commits.oids)), rng.choice(list(commits.oids))) for _ in range(20)]
        before = [compared(folder, commits.oids[one], commits.oids[other]) for one, other in pairs]
        write_commit_graph(folder / ".git", rng, how, commits)

        after = [compared(folder, commits.oids[one], commits.oids[other]) for one, other in pairs]

        assert before == after, seed


def test_five_hundred_commits_are_counted(tmp_path: Path) -> None:
    commits = line(skeleton(tmp_path / ".git"), ours=500, theirs=1)

    assert compared(tmp_path, commits.oids[503], commits.oids[504]) == Comparison(500, 1, False)


def test_more_than_five_hundred_are_said_to_be_more(tmp_path: Path) -> None:
    commits = line(skeleton(tmp_path / ".git"), ours=501, theirs=2)

    assert compared(tmp_path, commits.oids[504], commits.oids[506]) == Comparison(500, 2, True)


def test_many_newer_commits_of_theirs_do_not_hide_the_few_of_ours(tmp_path: Path) -> None:
    commits = line(skeleton(tmp_path / ".git"), ours=2, theirs=1_500)

    assert compared(tmp_path, commits.oids[5], commits.oids[1_505]) == Comparison(2, 500, True)


def test_what_one_side_has_alone_is_capped_and_dated_by_the_oldest_met(tmp_path: Path) -> None:
    commits = line(skeleton(tmp_path / ".git"), ours=700, theirs=1)

    found = alone(tmp_path, commits.oids[703], commits.oids[704])

    assert (found.count, found.capped, found.complete) == (500, True, True)
    assert found.oldest == commits.dates[703 - 499]


def test_a_tip_that_both_have_is_not_even_read(tmp_path: Path) -> None:
    skeleton(tmp_path / ".git")

    with open_repository(str(tmp_path)) as repository:
        found = Graph(repository).only_in(["12" * 20], ["12" * 20])
        assert (found, repository.problems) == (Own(0, False, None, True), ())


def test_a_tag_among_theirs_stands_for_its_commit(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    commits = line(git_dir, ours=2, theirs=0)
    tag = f"object {commits.oids[4]}\ntype commit\ntag v1\ntagger Bo <b@example.com> 1700000000 +0000\n\nv1\n"
    inner = write_object(git_dir, "tag", tag.encode())
    outer = write_object(git_dir, "tag", f"object {inner}\ntype tag\ntag v2\n\nv2\n".encode())

    assert alone(tmp_path, commits.oids[5], outer).count == 1


def test_a_tree_among_theirs_holds_no_commit(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    commits = line(git_dir, ours=0, theirs=0)

    with open_repository(str(tmp_path)) as repository:
        found = Graph(repository).only_in([commits.oids[3]], [write_object(git_dir, "tree", b"")])
        assert (found.count, found.complete, repository.problems) == (3, True, ())


def test_a_history_that_is_too_long_is_not_told_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = line(skeleton(tmp_path / ".git"), ours=1, theirs=400)
    monkeypatch.setattr(graph, "_READS", 100)

    with open_repository(str(tmp_path)) as repository:
        found = Graph(repository).compare(commits.oids[4], commits.oids[404])
        assert found == Comparison(None, None, False)
        assert [problem.code for problem in repository.problems] == ["git-budget"]


def test_the_steps_of_all_questions_have_one_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = line(skeleton(tmp_path / ".git"), ours=1, theirs=100)
    monkeypatch.setattr(graph, "_STEPS", 250)

    with open_repository(str(tmp_path)) as repository:
        asked = Graph(repository)
        answers = [asked.compare(commits.oids[4], commits.oids[104]) for _ in range(4)]
        assert answers[0] == Comparison(1, 100, False)
        assert answers[-1] == Comparison(None, None, False)
        assert [problem.code for problem in repository.problems] == ["git-budget"]


def test_a_commit_graph_spares_the_commits_from_being_opened(tmp_path: Path) -> None:
    commits = line(skeleton(tmp_path / ".git"), ours=50, theirs=50)
    tips = f"{commits.oids[53]}\n{commits.oids[103]}\n"
    run("commit-graph", "write", "--stdin-commits", cwd=tmp_path / ".git", stdin=tips.encode())
    for pack in (tmp_path / ".git" / "objects" / "pack").iterdir():
        pack.unlink()

    assert compared(tmp_path, commits.oids[53], commits.oids[103]) == Comparison(50, 50, False)
