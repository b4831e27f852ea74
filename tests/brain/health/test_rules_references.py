from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.health import memory_files as index_rules
from brain.health.page import Page
from brain.health.references import COMMAND, FILE, RULES, SYMBOL, URL, references, wanted
from brain.health.values import Finding
from tests.brain.health.examined import Examined, project


def found(made: Examined) -> list[tuple[str, str, int]]:
    return [(one.level, one.anchor, one.line) for one in made.ask(RULES, "x-reference") or ()]


def agents(tmp_path: Path, text: str) -> Examined:
    return project(tmp_path, AGENTS=f"# Rules\n\n{text}\n").has("src/main.py", "def main():\n    pass\n")


def kinds(text: str, page: str = "AGENTS.md") -> list[tuple[str, str]]:
    return [(one.kind, one.written) for one in references(Page(page, text.encode()))]


def test_a_link_to_a_missing_file_is_a_warning(tmp_path: Path) -> None:
    assert found(agents(tmp_path, "See [the guide](docs/guide.md#start).")) == [
        ("warning", "docs/guide.md#start", 3)
    ]


def test_a_link_of_a_project_that_does_not_hand_over_is_information(tmp_path: Path) -> None:
    made = Examined(tmp_path / "plain").has("AGENTS.md", "# Rules\n\nSee [the guide](docs/guide.md).\n")

    assert found(made) == [("info", "docs/guide.md", 3)]


def test_a_link_to_a_file_that_is_there_is_fine(tmp_path: Path) -> None:
    made = agents(
        tmp_path,
        "See [main](src/main.py), [up](./PROGRESS.md), [space](my%20notes.md), [x]( <my notes.md> ).",
    )

    assert found(made.has("my notes.md", "x\n")) == []


def test_a_reference_definition_is_a_link(tmp_path: Path) -> None:
    assert found(agents(tmp_path, "See [guide].\n\n[guide]: docs/guide.md")) == [
        ("warning", "docs/guide.md", 5)
    ]


def test_a_link_is_relative_to_its_page(tmp_path: Path) -> None:
    made = project(tmp_path).has(
        "docs/PROGRESS.md", "# P\n\n## Goal\nSee [a](guide.md) and [b](../PROGRESS.md).\n"
    )

    assert found(made.has("docs/guide.md", "x\n")) == []


def test_a_path_in_code_marks_that_is_gone_is_information(tmp_path: Path) -> None:
    assert found(agents(tmp_path, "The entry is `src/app.py`.")) == [("info", "src/app.py", 3)]


def test_a_path_in_code_marks_that_is_there_is_fine(tmp_path: Path) -> None:
    assert found(agents(tmp_path, "The entry is `src/main.py` and `./src/main.py:1`.")) == []


@pytest.mark.parametrize(
    "text",
    [
        "`src/*.py` `src/<name>.py` `path/to/file.py` `src/{a,b}.py`",
        "`~/x/y.md` `/etc/app/x.conf` `@org/pkg/x.js`",
        "`origin/main` `text/html` `and/or` `feature/search` `user/repo` `2026/03/14`",
        "`main.py` `config.yaml` `README.md`",
        "Removed `src/old.py` and renamed `src/b.py`.",
        "Wir haben `src/alt.py` gelöscht.",
        "`src/vieux.py` a été supprimé.",
        "[mail](mailto:a@example.com) [web](https://example.com/x) [anchor](#top) [scheme](vscode://x/y)",
        "`[a](missing.md)`",
        "```\n[a](missing.md) `src/app.py`\n```",
        "<!-- [a](missing.md) -->",
        "[out](../../elsewhere/x.md)",
        "[placeholder](docs/<name>.md) [dots](docs/...) [date](docs/YYYY-MM-DD.md)",
    ],
)
def test_what_only_looks_like_a_reference_is_left_alone(tmp_path: Path, text: str) -> None:
    assert found(agents(tmp_path, text)) == []


def test_links_of_decisions_belong_to_another_rule(tmp_path: Path) -> None:
    made = project(tmp_path).has("DECISIONS.md", "# D\n\n## 2026-03-14 - A\n- Decision: see [b](gone.md)\n")

    assert found(made) == []


def test_one_target_is_told_once_a_file(tmp_path: Path) -> None:
    assert len(found(agents(tmp_path, "[a](gone.md) and [b](gone.md)\n\n[c](gone.md)"))) == 1


def test_a_file_address_is_of_kind_url_and_information(tmp_path: Path) -> None:
    made = agents(tmp_path, "See [a](file:///home/ana/notes.md).")

    assert found(made) == [("info", "file:///home/ana/notes.md", 3)]


@pytest.mark.parametrize("target", ["http:/example.com", "https//example.com", "https://https://example.com"])
def test_a_broken_address_is_told(target: str) -> None:
    assert kinds(f"[a]({target})") == [(URL, target)]


def test_a_make_target_that_is_gone_is_information(tmp_path: Path) -> None:
    made = agents(tmp_path, "Run `make check`, then `make deploy`.").has("Makefile", "check test:\n\ttrue\n")

    assert found(made) == [("info", "make deploy", 3)]


def test_a_makefile_that_includes_others_is_not_judged(tmp_path: Path) -> None:
    made = agents(tmp_path, "Run `make deploy`.").has("Makefile", "include other.mk\ncheck:\n\ttrue\n")

    assert found(made) == []


def test_without_a_makefile_its_targets_are_not_judged(tmp_path: Path) -> None:
    assert found(agents(tmp_path, "Run `make deploy`.")) == []


def test_a_just_recipe_with_parameters_is_known(tmp_path: Path) -> None:
    made = agents(tmp_path, "`just test` `just serve` `just gone`").has(
        "justfile", "test name='':\n  x\nalias serve := test\n"
    )

    assert [anchor for _, anchor, _ in found(made)] == ["just gone"]


def test_a_script_of_npm_that_is_gone_is_information(tmp_path: Path) -> None:
    made = agents(tmp_path, "`npm run build` `npm test` `npm run gone` `npm install`")
    made.has("package.json", json.dumps({"scripts": {"build": "tsc", "test": "vitest"}}))

    assert [anchor for _, anchor, _ in found(made)] == ["npm run gone"]


def test_a_package_json_that_is_no_json_is_not_judged(tmp_path: Path) -> None:
    assert found(agents(tmp_path, "`npm run gone`").has("package.json", "{")) == []


def test_a_line_beyond_the_end_of_a_file_that_was_read_is_told(tmp_path: Path) -> None:
    made = (
        project(tmp_path)
        .has("docs/PROGRESS.md", "# P\n")
        .has("HANDOFF.md", "# H\n\nSee `docs/PROGRESS.md:99`.\n")
    )

    assert found(made) == [("info", "docs/PROGRESS.md:99", 3)]


def test_a_symbol_that_a_file_lacks_is_told(tmp_path: Path) -> None:
    made = project(tmp_path).has("scripts/init.sh", "set -e\ncheck() { true; }\n")
    made.has("HANDOFF.md", "# H\n\nSee `scripts/init.sh::check` and `scripts/init.sh::prepare`.\n")

    assert found(made) == [("info", "scripts/init.sh::prepare", 3)]


def test_the_kinds_are_told_apart() -> None:
    text = "[a](b.md) `src/a.py` `src/a.py:3` `src/a.py::run` `make x` [c](file:///x)"

    assert {kind for kind, _ in kinds(text)} == {FILE, SYMBOL, COMMAND, URL}


def test_what_must_be_asked_after_is_bounded_to_the_project(tmp_path: Path) -> None:
    places = wanted(agents(tmp_path, "[a](../../x.md) [b](docs/b.md) `src/c.py`").parsed())

    assert places == ("docs/b.md", "src/c.py")


def test_what_nobody_asked_after_may_be_there(tmp_path: Path) -> None:
    from dataclasses import replace  # noqa: PLC0415 - only this test takes answers away

    from brain.health.parsed import ParsedMemory  # noqa: PLC0415
    from brain.health.today import Today  # noqa: PLC0415
    from tests.brain.health.examined import DAY  # noqa: PLC0415

    memory = replace(agents(tmp_path, "[a](docs/b.md)").parsed().memory, probes={})
    answer = RULES[0].check(ParsedMemory(memory), Today(DAY))
    assert list[Finding](answer or ()) == []


@given(st.text(alphabet="[]()`<>/.:#%*ab\n \\&@{}é", max_size=200))
def test_no_text_breaks_the_search(text: str) -> None:
    for one in references(Page("docs/a.md", text.encode())):
        assert all(place and not place.startswith(("/", "..")) for place in one.places)


def test_a_healthy_project_is_silent(tmp_path: Path) -> None:
    assert project(tmp_path).ask(RULES, "x-reference") == []


def test_without_memory_nothing_is_asked(tmp_path: Path) -> None:
    assert Examined(tmp_path / "empty").ask(RULES, "x-reference") is None


def test_an_import_that_leads_nowhere_is_a_warning(tmp_path: Path) -> None:
    made = project(tmp_path).has("CLAUDE.md", "# Rules\n\n@AGENTS.md\n@docs/office.md\n")

    (found,) = made.ask(RULES, "x-reference") or []

    assert (found.level, found.file, found.line) == ("warning", "CLAUDE.md", 4)


@pytest.mark.parametrize(
    "text", ["@types/node is there.", "Mail dev@example.com.", "Write `@docs/none.md`.", "@~/.claude/mine.md"]
)
def test_what_only_looks_like_an_import_is_none(tmp_path: Path, text: str) -> None:
    assert project(tmp_path).has("CLAUDE.md", f"# Rules\n\n{text}\n").ask(RULES, "x-reference") == []


def test_an_import_of_a_handover_file_is_told_once(tmp_path: Path) -> None:
    """s-ref-missing names it already."""
    made = project(tmp_path, PROGRESS="").has("CLAUDE.md", "# Rules\n\n@PROGRESS.md\n")

    assert made.ask(RULES, "x-reference") == []


def test_a_line_of_an_index_is_told_by_the_rule_of_indexes_alone(tmp_path: Path) -> None:
    index = "# Memory\n\n- [deploy](deploy.md) how\n- [gone](gone.md) what\n- [guide](../docs/guide.md)\n"
    made = project(tmp_path).has("memory/MEMORY.md", index).has("memory/deploy.md", "# Deploy\n\nBy hand.\n")

    assert [one.line for one in made.ask(index_rules.RULES, "m-index") or ()] == [4]
    assert [line for _, _, line in found(made)] == [5]
