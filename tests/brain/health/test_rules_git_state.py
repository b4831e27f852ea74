from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from brain.health.git_state import RULES, is_vague
from brain.health.values import GitFacts
from tests.brain.health.examined import Examined, project

CLEAN = GitFacts(
    head="4f2a9c1" + 33 * "0",
    branch="main",
    commits=tuple((f"{n:040x}", 1e9 - n, f"search: paging of result page {n}", False) for n in range(20)),
    last_files=2,
    last_lines=30,
)


def shop(tmp_path: Path, **facts: object) -> Examined:
    made = project(tmp_path)
    made.git = replace(CLEAN, **facts)  # type: ignore[arg-type] # the names and types of GitFacts
    return made


def test_a_clean_tree_with_telling_commits_has_no_finding(tmp_path: Path) -> None:
    assert shop(tmp_path).codes(RULES) == []


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_without_version_control_nothing_is_asked(tmp_path: Path, code: str) -> None:
    assert project(tmp_path).ask(RULES, code) is None


def test_uncommitted_files_are_counted_apart(tmp_path: Path) -> None:
    found = shop(tmp_path, staged=1, modified=2, untracked=3).ask(RULES, "g-dirty")

    assert found is not None
    assert [(one.level, one.message) for one in found] == [
        ("warning", "Uncommitted files: 1 staged, 2 unstaged, 3 untracked.")
    ]


def test_conflicts_are_named(tmp_path: Path) -> None:
    found = shop(tmp_path, conflicted=2).ask(RULES, "g-dirty")

    assert found is not None
    assert found[0].message == "Uncommitted files: 2 in conflict."


@pytest.mark.parametrize(("state", "level"), [("merge", "error"), ("rebase", "error"), ("bisect", "warning")])
def test_a_half_done_merge_is_an_error_a_bisection_a_warning(tmp_path: Path, state: str, level: str) -> None:
    found = shop(tmp_path, in_progress=state, staged=4).ask(RULES, "g-dirty")

    assert found is not None
    assert [(one.level, one.message) for one in found] == [(level, f"A {state} is in progress (4 staged).")]


def test_a_project_that_hands_nothing_over_gets_information_only(tmp_path: Path) -> None:
    made = Examined(tmp_path / "plain").has("main.c", "int main;\n")
    made.git = replace(CLEAN, modified=2)

    assert made.levels(RULES, "g-dirty") == ["info"]


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        ("g-stash", {"stashes": 1}),
        ("g-unpushed", {"unpushed": 3}),
        ("g-big", {"last_files": 51}),
        ("g-big", {"last_lines": 1001}),
    ],
)
def test_stashes_unpushed_and_big_commits_are_information(
    tmp_path: Path, code: str, facts: dict[str, int]
) -> None:
    assert shop(tmp_path, **facts).levels(RULES, code) == ["info"]


def test_fifty_files_and_a_thousand_lines_are_not_big(tmp_path: Path) -> None:
    assert shop(tmp_path, last_files=50, last_lines=1000).ask(RULES, "g-big") == []


def with_vague(count: int, *, has_body: bool = False) -> tuple[tuple[str, float, str, bool], ...]:
    vague = (("0" * 40, 1e9, "update a.py", has_body),) * count
    return vague + CLEAN.commits[count:]


def test_seven_of_twenty_vague_commits_are_too_many(tmp_path: Path) -> None:
    found = shop(tmp_path, commits=with_vague(7)).ask(RULES, "g-vague")

    assert found is not None
    assert [(one.level, one.message) for one in found] == [
        ("warning", '7 of the last 20 commits say only something like "update a.py".')
    ]


@pytest.mark.parametrize("count", [5, 6])
def test_up_to_thirty_in_a_hundred_may_be_vague(tmp_path: Path, count: int) -> None:
    assert shop(tmp_path, commits=with_vague(count)).ask(RULES, "g-vague") == []


def test_a_body_explains_a_vague_subject(tmp_path: Path) -> None:
    assert shop(tmp_path, commits=with_vague(20, has_body=True)).ask(RULES, "g-vague") == []


def test_fewer_than_ten_commits_are_no_habit(tmp_path: Path) -> None:
    assert shop(tmp_path, commits=with_vague(20)[:9]).ask(RULES, "g-vague") is None


@pytest.mark.parametrize(
    "subject",
    [
        "update a.py",
        "Update README.",
        "wip",
        "fix",
        "fixes #12",
        "chore: cleanup",
        "feat(api): tweak it",
        "misc",
        "🎨 refactor code",
        "Änderung",
        "aktualisiert",
        "Anpassung Doku",
        "maj readme",
        ":memo: update docs",
    ],
)
def test_a_subject_without_an_intent_is_vague(subject: str) -> None:
    assert is_vague(subject)


@pytest.mark.parametrize(
    "subject",
    [
        "search: tsvector instead of LIKE",
        "update the pager when a page is empty",
        "fix: crash of the empty page",
        "Add paging",
        "",
        "fixture for pages",
        "Release 1.2",
    ],
)
def test_a_subject_that_says_something_is_not_vague(subject: str) -> None:
    assert not is_vague(subject)
