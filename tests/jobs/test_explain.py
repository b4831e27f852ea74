from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain.health.rules import ALL
from jobs.codes import read_codes
from scanner.explain import _DECISIONS
from tests.jobs.program import ROOT, Program
from tests.support import write

# Calls that carry a code, with the place of the code among their arguments.
CARRIERS = {
    "Problem": 0,
    "UsageError": 0,
    "ExpectedError": 0,
    "EntryProblem": 0,
    "LockedError": 0,
    "Locked": 0,
    "NotARepositoryError": 0,
    "GarbageError": 0,
    "_report": 0,
    "_problem": 0,
    "_warn": 0,
    "_prune": 1,
}
READING = ("io", "link", "not-regular", "permission", "too-large")


def codes_in(path: Path) -> Iterator[str]:
    """Every code that a module hands to something that carries codes."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == [
            "code"
        ]:
            yield from texts(node.value)
        if not isinstance(node, ast.Call):
            continue
        function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if function == "append" and getattr(getattr(node.func, "value", None), "id", "") == "flags":
            yield from texts(node.args[0])
        place = CARRIERS.get(function, 0 if function == "add" and path.parent.name == "git" else None)
        if place is not None and len(node.args) > place:
            yield from texts(node.args[place])
        for keyword in node.keywords:
            if keyword.arg == "code":
                yield from texts(keyword.value)


def texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)
    elif isinstance(node, ast.JoinedStr):
        # Codes that are put together: a place and what the reading door said.
        start = node.values[0]
        if isinstance(start, ast.Constant) and isinstance(start.value, str) and start.value.endswith("-"):
            yield from (start.value + word for word in READING)


def all_codes() -> dict[str, str]:
    found: dict[str, str] = {}
    for package in ("scanner", "brain", "reports", "jobs"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for code in codes_in(path):
                found.setdefault(code, str(path.relative_to(ROOT)))
    return found


def test_every_code_in_the_sources_has_its_explanation() -> None:
    used = all_codes()

    assert len(used) > 60
    assert {code: place for code, place in used.items() if code not in read_codes()} == {}


def test_every_decision_of_the_walk_and_every_flag_has_its_explanation() -> None:
    states = ("merge", "rebase", "cherry-pick", "revert", "bisect", "am")
    from_files = ("env-file", "migrations", "mixed-lockfiles", "no-readme", "no-license")
    verdicts = ("outside", "missing", "not-a-folder", "container", "outranked", "worktree", "no-marker")

    known = read_codes()

    assert [word for word in (*_DECISIONS, *states, *from_files, *verdicts) if word not in known] == []


def test_every_rule_of_memory_health_has_its_page_and_no_page_lacks_its_rule() -> None:
    pages = [code for code, page in read_codes().items() if page.kind == "finding"]
    rules = [rule.code for rule in ALL]

    assert len(set(rules)) == len(rules)
    assert sorted(pages) == sorted(rules)


def test_every_explanation_is_whole_and_short() -> None:
    for code in read_codes().values():
        assert code.kind in ("error", "warning", "flag", "rule", "finding"), code
        for text in (code.means, code.why, code.fix):
            assert text[0].isupper() or text.startswith(("zecher", "--", "git")), code
            assert text.endswith("."), code
            assert len(text) <= 140, code


def test_why_a_finding_matters_is_told_in_twelve_words_before_more_is_said() -> None:
    """Reports show the first sentence and never cut it."""
    firsts = {
        code: page.why.partition(". ")[0].rstrip(".").split()
        for code, page in read_codes().items()
        if page.kind == "finding"
    }

    assert {code: words for code, words in firsts.items() if len(words) > 12} == {}


def test_a_code_may_be_written_in_capitals(zecher: Program) -> None:
    """The contract of the harness writes P-NEXT."""
    assert zecher("explain", "P-NEXT").out.startswith("p-next (finding)\n")
    assert zecher("explain", "P-NEXT").out == zecher("explain", "p-next").out
    assert "Did you mean p-next?" in zecher("explain", "P-NETX").err


def test_a_code_is_explained_in_three_lines(zecher: Program) -> None:
    done = zecher("explain", "root-missing")

    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "root-missing (error)\n"
        "  means: A root does not exist.\n"
        "  why:   It was mistyped, moved, or lies on a disk that is not there.\n"
        "  fix:   Check the path. Cards of its projects are kept as they are.\n"
    )


def test_a_code_is_a_document_for_programs(zecher: Program) -> None:
    document = zecher("explain", "root-missing", "--json").document

    assert (document["schema"], document["ok"]) == ("zecher.explain", True)
    assert list(document["data"]) == ["code", "kind", "means", "why", "fix"]


def test_a_code_that_can_be_silenced_says_how_to_programs_as_well(zecher: Program) -> None:
    data = zecher("explain", "no-remote", "--json").data

    assert list(data) == ["code", "kind", "means", "why", "fix", "silence"]


def test_an_unknown_word_gets_its_neighbour(zecher: Program) -> None:
    done = zecher("explain", "root-mising")

    assert done.code == 2
    assert "Did you mean root-missing?" in done.err


@pytest.mark.parametrize("words", [[], ["a", "b"]])
def test_one_thing_is_explained_at_a_time(zecher: Program, words: list[str]) -> None:
    done = zecher("explain", *words)

    assert (done.code, "[explain-what]" in done.err) == (2, True)


def test_a_project_is_explained_with_its_date(zecher: Program, dev: Path) -> None:
    done = zecher("explain", dev / "shop", "-d", dev)

    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == f"{dev}/shop: project [vcs]"
    assert any("Status active" in line for line in lines)
    assert any("commit" in line for line in lines)


@pytest.mark.parametrize(
    ("relative", "verdict", "code"),
    [
        ("node_modules/x", "pruned", "tool-cache"),
        ("shop/src", "inside-a-project", "inside-a-project"),
        ("notes", "not-a-project", "no-marker"),
        ("notes/list.txt", "not-a-project", "not-a-folder"),
        ("a/b/c/d/e/f", "pruned", "too-deep"),
    ],
)
def test_a_folder_that_is_no_project_names_the_rule(
    zecher: Program, dev: Path, relative: str, verdict: str, code: str
) -> None:
    for folder in ("node_modules/x", "shop/src", "a/b/c/d/e/f"):
        write(dev / folder / "file.txt")

    data = zecher("explain", dev / relative, "-d", dev, "--json").data

    assert (data["verdict"], data["code"]) == (verdict, code)
    assert code in read_codes()


def test_an_exclude_pattern_is_named_as_the_reason(zecher: Program, dev: Path) -> None:
    data = zecher("explain", dev / "old", "-d", dev, "--exclude", "old/", "--json").data

    assert list(data) == ["path", "verdict", "code", "lines", "project"]
    assert (data["verdict"], data["code"], data["project"]) == ("pruned", "excluded", None)


def test_a_path_that_is_not_there_fails(zecher: Program, dev: Path) -> None:
    done = zecher("explain", dev / "nope")

    assert (done.code, "nothing at this path" in done.out) == (1, True)


def test_without_any_root_the_folder_around_is_searched(zecher: Program, dev: Path) -> None:
    data = zecher("explain", dev / "shop", "--json").data

    assert (data["verdict"], data["project"]["name"]) == ("project", "shop")


def test_a_folder_of_the_name_of_a_code_needs_a_slash(zecher: Program) -> None:
    (zecher.cwd / "missing").mkdir()

    assert zecher("explain", "missing").out.startswith("missing (rule)")
    assert zecher("explain", "./missing").out.startswith(f"{zecher.cwd}/missing: ")
