from __future__ import annotations

import json
from pathlib import Path

import pytest

from brain.health.bootstrap import RULES
from tests.brain.health.examined import PROGRESS, Examined, project

START, VERIFY, TAKE_OVER = "b-start", "b-verify", "b-tasks"
FEATURES = [
    {"name": "search", "passes": True, "steps": ["open /search", "see ten results"]},
    {"name": "paging", "passes": False, "steps": ["open page 2"]},
]


def whole(tmp_path: Path) -> Examined:
    made = project(tmp_path)
    made.has("Makefile", "setup: deps\n\tuv sync\ntest:\n\tpytest\n").has(
        "tests/test_shop.py", "def test_a():\n    pass\n"
    )
    return made.has("feature_list.json", json.dumps(FEATURES))


def test_a_project_that_can_be_taken_over_has_no_finding(tmp_path: Path) -> None:
    assert whole(tmp_path).codes(RULES) == []


def test_a_bare_project_that_hands_over_lacks_a_start_a_check_and_tasks(tmp_path: Path) -> None:
    assert project(tmp_path).codes(RULES, "warning") == ["b-start", "b-tasks", "b-verify"]


def test_a_bare_project_that_hands_nothing_over_gets_information_only(tmp_path: Path) -> None:
    made = Examined(tmp_path / "plain").has("main.c", "int main;\n")

    assert made.codes(RULES) == made.codes(RULES, "info") == ["b-progress", "b-start", "b-tasks", "b-verify"]


@pytest.mark.parametrize("code", [rule.code for rule in RULES if rule.code != "b-progress"])
def test_a_folder_of_notes_has_nothing_to_start(tmp_path: Path, code: str) -> None:
    made = (
        Examined(tmp_path / "notes")
        .has("PROGRESS.md", PROGRESS)
        .has("docs/a.md", "# A\n")
        .has("LICENSE", "MIT\n")
    )

    assert made.ask(RULES, code) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Makefile", "dev:\n\tnode .\n"),
        ("Makefile", ".PHONY: all\nall install: x\n\tmake x\n"),
        ("justfile", "setup *args:\n  uv sync\n"),
        ("Taskfile.yml", "version: '3'\ntasks:\n  setup:\n    cmds: [uv sync]\n"),
        ("package.json", '{"scripts": {"start": "node ."}}'),
        ("package.json", '{"scripts": {"dev:server": "node ."}}'),
        ("Dockerfile", "FROM scratch\n"),
        ("compose.yaml", "services: {}\n"),
        (".devcontainer/devcontainer.json", "{}"),
        ("Cargo.toml", "[package]\n"),
        ("README.md", "# Shop\n\n```sh\npip install shop\n```\n"),
        ("README.md", "# Shop\n\n~~~\n$ npm ci\n~~~\n"),
    ],
)
def test_every_equivalent_of_a_start_is_accepted(tmp_path: Path, path: str, text: str) -> None:
    assert project(tmp_path).has(path, text).ask(RULES, START) == []


def test_a_manifest_with_its_lock_file_is_a_start(tmp_path: Path) -> None:
    made = project(tmp_path).has("pyproject.toml", "[project]\n")

    assert made.levels(RULES, START) == ["warning"]
    assert made.has("uv.lock", "").ask(RULES, START) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Makefile", "build:\n\tcc\nDEV := 1\n"),
        ("package.json", '{"scripts": {"lint": "eslint"}}'),
        ("package.json", "{ broken"),
        ("package.json", '["scripts"]'),
        ("README.md", "# Shop\n\nRun pip install shop.\n"),
    ],
)
def test_what_starts_nothing_is_not_accepted(tmp_path: Path, path: str, text: str) -> None:
    assert project(tmp_path).has(path, text).levels(RULES, START) == ["warning"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Makefile", "check:\n\tpytest\n"),
        ("justfile", "test:\n  pytest\n"),
        ("package.json", '{"scripts": {"test": "vitest"}}'),
        ("package.json", '{"scripts": {"test:unit": "vitest"}}'),
        ("tox.ini", "[tox]\n"),
        ("noxfile.py", "import nox\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n'),
        ("setup.cfg", "[tool:pytest]\n"),
    ],
)
def test_every_equivalent_of_a_check_is_accepted(tmp_path: Path, path: str, text: str) -> None:
    made = project(tmp_path).has("tests/test_shop.py", "def test_a():\n    pass\n").has(path, text)

    assert made.ask(RULES, VERIFY) == []


def test_the_placeholder_of_a_package_is_no_check(tmp_path: Path) -> None:
    scripts = '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'
    made = project(tmp_path).has("test/a.test.js", "it('adds', () => {})\n").has("package.json", scripts)

    assert made.levels(RULES, VERIFY) == ["warning"]


def test_a_check_without_any_test_is_told(tmp_path: Path) -> None:
    found = project(tmp_path).has("Makefile", "test:\n\tpytest\n").ask(RULES, VERIFY)

    assert found is not None
    assert [one.message for one in found] == ["There is a way to run tests and no test."]


@pytest.mark.parametrize("folder", ["src", "lib"])
def test_sources_without_a_file_of_tests_among_them_are_no_test(tmp_path: Path, folder: str) -> None:
    made = project(tmp_path).has("package.json", '{"scripts": {"test": "vitest"}}')
    made.has(f"{folder}/board.ts", "export const column = () => [];\n")

    assert made.levels(RULES, VERIFY) == ["warning"]
    assert made.has(f"{folder}/board.test.ts", "it('has a column', () => {})\n").ask(RULES, VERIFY) == []


def test_folders_of_sources_that_are_not_looked_into_are_believed(tmp_path: Path) -> None:
    made = project(tmp_path).has("package.json", '{"scripts": {"test": "vitest"}}')
    made.has("src/board/column.ts", "export const column = () => [];\n")

    assert made.ask(RULES, VERIFY) == []


def test_a_file_with_fields_shows_progress(tmp_path: Path) -> None:
    assert whole(tmp_path).ask(RULES, "b-progress") == []


def test_a_shape_that_is_not_known_is_not_called_missing_progress(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS="# 진행\n\n| 단계 | 상태 |\n|---|---|\n| 1 | 완료 |\n")

    assert made.ask(RULES, "b-progress") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{ broken", "The list of tasks is no valid JSON."),
        ("[" * 100_000, "The list of tasks is no valid JSON."),
        ("[]", "The list of tasks holds no task."),
        ("3", "The list of tasks holds no task."),
        ('[{"name": "a"}]', "1 of 1 task without a state (passes) or without steps."),
        (
            '[{"passes": false, "steps": ["x"]}, {"passes": "no", "steps": ["x"]}]',
            "1 of 2 tasks without a state (passes) or without steps.",
        ),
        ('[{"passes": true, "steps": []}]', "1 of 1 task without a state (passes) or without steps."),
    ],
)
def test_a_list_of_features_that_cannot_be_taken_over_is_told(
    tmp_path: Path, text: str, message: str
) -> None:
    found = project(tmp_path).has("feature_list.json", text).ask(RULES, TAKE_OVER)

    assert found is not None
    assert [(one.level, one.file, one.message) for one in found] == [
        ("warning", "feature_list.json", message)
    ]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"features": FEATURES}),
        json.dumps([{"status": "open", "acceptance": "page 2 is shown"}]),
    ],
)
def test_other_forms_of_a_list_of_features_are_accepted(tmp_path: Path, text: str) -> None:
    assert project(tmp_path).has("feature_list.json", text).ask(RULES, TAKE_OVER) == []


@pytest.mark.parametrize(
    "text",
    [
        "- [x] a\n- [ ] paging, done when page 2 is shown\n- [ ] b\n",
        "- [ ] Seiten: fertig wenn Seite 2 erscheint\n",
        "- [ ] paging\n  - Acceptance: page 2 is shown\n",
        "- [ ] run `make check`\n",
        "- [x] everything\n",
    ],
)
def test_a_list_whose_open_tasks_name_what_proves_them_is_accepted(tmp_path: Path, text: str) -> None:
    assert project(tmp_path).has("TASKS.md", f"# Tasks\n\n{text}").ask(RULES, TAKE_OVER) == []


def test_a_list_that_mostly_lacks_criteria_is_told(tmp_path: Path) -> None:
    text = "# Tasks\n\n- [ ] paging\n- [ ] sorting\n- [ ] filter, done when the list is shorter\n"
    found = project(tmp_path).has("TASKS.md", text).ask(RULES, TAKE_OVER)

    assert found is not None
    assert [one.message for one in found] == [
        "More than half of 3 open tasks without a criterion that proves it."
    ]
