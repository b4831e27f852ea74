from __future__ import annotations

from pathlib import Path
from unicodedata import normalize

import pytest

from brain.health.progress import RULES
from brain.health.values import FileHistory, GitFacts, RecordedCommit
from tests.brain.health.examined import ENGLISH, PROGRESS, Examined, project

HASH = "4f2a9c1"
FOUND = RecordedCommit(HASH, known=True, ancestor=True, drift=0)
DAY = 86_400.0
FIELDS = ("p-goal", "p-state", "p-block", "p-next", "p-tests", "p-head-missing")


def shop(tmp_path: Path, text: str = PROGRESS, *recorded: RecordedCommit) -> Examined:
    made = project(tmp_path, PROGRESS=text)
    made.git = GitFacts(head=HASH + 33 * "0", recorded=recorded)
    return made


def without(heading: str, text: str = ENGLISH) -> str:
    """``text`` without the section under ``heading``."""
    kept, skipping = [], False
    for line in text.splitlines(keepends=True):
        if line.startswith("## "):
            skipping = line.strip() == f"## {heading}"
        if not skipping:
            kept.append(line)
    return "".join(kept)


@pytest.mark.parametrize("text", [PROGRESS, ENGLISH])
def test_the_model_file_has_no_finding(tmp_path: Path, text: str) -> None:
    assert shop(tmp_path, text, FOUND).codes(RULES) == []


def test_only_a_commit_that_does_not_exist_spoils_the_model_file(tmp_path: Path) -> None:
    made = shop(tmp_path, PROGRESS, RecordedCommit(HASH, known=False))

    assert made.codes(RULES, "warning", "error") == ["p-head-unknown"]


@pytest.mark.parametrize(
    "code", [rule.code for rule in RULES if rule.code not in {"p-missing", "p-shape", "p-mixed"}]
)
def test_without_a_progress_file_only_its_absence_is_told(tmp_path: Path, code: str) -> None:
    made = shop(tmp_path, "")

    assert made.ask(RULES, code) is None


def test_a_missing_progress_file_is_a_warning_where_the_instructions_name_it(tmp_path: Path) -> None:
    found = shop(tmp_path, "").ask(RULES, "p-missing")

    assert found is not None
    assert [(one.level, one.file, one.line) for one in found] == [("warning", "AGENTS.md", 4)]


def test_a_missing_progress_file_is_information_elsewhere(tmp_path: Path) -> None:
    assert project(tmp_path, PROGRESS="", AGENTS="").levels(RULES, "p-missing") == ["info"]


@pytest.mark.parametrize(
    ("heading", "code"),
    [("Goal", "p-goal"), ("State", "p-state"), ("Blockers", "p-block"), ("Next step", "p-next")],
)
def test_a_field_that_is_missing_is_a_warning(tmp_path: Path, heading: str, code: str) -> None:
    assert shop(tmp_path, without(heading), FOUND).levels(RULES, code) == ["warning"]


@pytest.mark.parametrize("value", ["-", "TBD", "{what comes next}", "none", "[next step]", "...", ""])
def test_a_placeholder_is_no_next_step(tmp_path: Path, value: str) -> None:
    text = f"{without('Next step')}\n## Next step\n{value}\n"

    found = shop(tmp_path, text).ask(RULES, "p-next")

    assert found is not None
    assert [(one.level, one.message) for one in found] == [
        ("warning", "The next step is empty or a placeholder.")
    ]


def test_a_heading_inside_of_a_fence_is_no_field(tmp_path: Path) -> None:
    text = f"{without('Next step')}\n```\n## Next step\nPaging\n```\n"

    assert shop(tmp_path, text).levels(RULES, "p-next") == ["warning"]


def test_decomposed_letters_and_foreign_line_ends_do_not_hide_a_field(tmp_path: Path) -> None:
    text = normalize("NFD", PROGRESS).replace("\n", "\r\n")

    assert shop(tmp_path, text, FOUND).codes(RULES, "warning", "error") == []


def test_a_field_may_have_ornaments_and_headings_below_it(tmp_path: Path) -> None:
    text = f"{without('Next step')}\n## 🚀 Next Steps (In Priority Order)\n\n### IMMEDIATE\n- paging\n"

    assert shop(tmp_path, text).ask(RULES, "p-next") == []


@pytest.mark.parametrize("line", ["Blockers: None", "## Blockers\nkeine", "**Blockers:** aucun"])
def test_that_nothing_blocks_is_an_answer(tmp_path: Path, line: str) -> None:
    assert shop(tmp_path, f"{without('Blockers')}\n{line}\n").ask(RULES, "p-block") == []


def test_open_points_answer_the_question_for_blockers_softly(tmp_path: Path) -> None:
    text = f"{without('Blockers')}\n## Open questions\n- which stemmer?\n"

    assert shop(tmp_path, text).levels(RULES, "p-block") == ["info"]


def test_a_next_step_without_a_criterion_is_information(tmp_path: Path) -> None:
    text = f"{without('Next step')}\n## Next step\nPaging for the search\n"

    assert shop(tmp_path, text).levels(RULES, "p-next-crit") == ["info"]


@pytest.mark.parametrize("code", FIELDS)
def test_a_shape_that_is_not_known_lacks_nothing(tmp_path: Path, code: str) -> None:
    made = shop(tmp_path, "# 진행\n\n| 단계 | 설명 |\n|---|---|\n| 1 | 검색 |\n| 2 | 페이지 |\n")

    assert made.ask(RULES, code) is None
    assert made.levels(RULES, "p-shape") == ["info"]


@pytest.mark.parametrize(
    "line",
    ["1164 passed, 10 skipped", "Tests: 141/141", "npm test: green", "make check ist grün", "CI is green"],
)
def test_every_form_of_a_result_is_evidence(tmp_path: Path, line: str) -> None:
    text = ENGLISH.replace("- `make check`: green, 142/142 tests", f"- {line}")

    assert shop(tmp_path, text).ask(RULES, "p-tests") == []
    assert shop(tmp_path, text).ask(RULES, "p-tests-red") == []


def test_a_state_without_a_result_is_a_warning(tmp_path: Path) -> None:
    text = ENGLISH.replace("- `make check`: green, 142/142 tests", "- the index is written")

    assert shop(tmp_path, text).levels(RULES, "p-tests") == ["warning"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("12 passed, 3 failed", "The work was handed over with 3 failed tests."),
        ("141/142 Tests", "The work was handed over with 141 of 142 tests passed."),
        ("make check: red", "The work was handed over with a check that was not green."),
    ],
)
def test_red_tests_are_told_with_their_number(tmp_path: Path, line: str, message: str) -> None:
    found = shop(tmp_path, ENGLISH.replace("- `make check`: green, 142/142 tests", f"- {line}")).ask(
        RULES, "p-tests-red"
    )

    assert found is not None
    assert [(one.level, one.message) for one in found] == [("warning", message)]


@pytest.mark.parametrize(
    "words",
    [
        "Everything works.",
        "Alles funktioniert.",
        "Es scheint zu laufen.",
        "Tout fonctionne.",
        "It should work.",
    ],
)
def test_a_feeling_is_no_result(tmp_path: Path, words: str) -> None:
    text = ENGLISH.replace("- `make check`: green, 142/142 tests", f"- {words}")

    assert shop(tmp_path, text).levels(RULES, "p-feel") == ["warning"]
    assert shop(tmp_path, text).levels(RULES, "p-tests") == ["warning"]


def test_a_feeling_beside_a_result_is_welcome(tmp_path: Path) -> None:
    text = ENGLISH.replace("142/142 tests", "142/142 tests\n- everything works")

    assert shop(tmp_path, text).ask(RULES, "p-feel") == []


@pytest.mark.parametrize("line", ["not everything works", "nicht alles funktioniert"])
def test_what_is_denied_is_no_feeling(tmp_path: Path, line: str) -> None:
    text = ENGLISH.replace("- `make check`: green, 142/142 tests", f"- {line}")

    assert shop(tmp_path, text).ask(RULES, "p-feel") == []


def test_a_wish_in_the_goal_is_no_feeling(tmp_path: Path) -> None:
    text = ENGLISH.replace("Search in the catalogue", "The search should work offline")

    assert shop(tmp_path, text).ask(RULES, "p-feel") == []


def test_a_state_that_nobody_checked_is_information(tmp_path: Path) -> None:
    text = ENGLISH.replace("- `make check`: green, 142/142 tests", "- the index is written")

    assert shop(tmp_path, text).levels(RULES, "p-verified") == ["info"]


@pytest.mark.parametrize(
    ("size", "levels"), [(120, []), (121, ["warning"]), (300, ["warning"]), (301, ["error"])]
)
def test_the_length_of_the_file_in_lines(tmp_path: Path, size: int, levels: list[str]) -> None:
    lines = ENGLISH.count("\n")

    assert shop(tmp_path, ENGLISH + "- more\n" * (size - lines)).levels(RULES, "p-long") == levels


@pytest.mark.parametrize(
    ("size", "levels"), [(8192, []), (8193, ["warning"]), (32_768, ["warning"]), (32_769, ["error"])]
)
def test_the_length_of_the_file_in_bytes(tmp_path: Path, size: int, levels: list[str]) -> None:
    text = ENGLISH + "x" * (size - len(ENGLISH) - 1) + "\n"

    assert shop(tmp_path, text).levels(RULES, "p-long") == levels


@pytest.mark.parametrize(
    "headings",
    [
        [f"2026-03-{day}" for day in (16, 15, 14, 13, 12)],
        ["March 16, 2026 - Ana", "March 15, 2026 - Ana", "March 14, 2026 - Ana"],
        ["14.03.2026", "13.03.2026", "4.3.2026"],
        ["Session 3", "Session 2", "Session 1"],
        ["Sitzung 3: Suche", "Sitzung 2: Index", "Sitzung 1"],
        ["Previous session", "Previous session (2)", "Previous session (3)"],
    ],
)
def test_headings_of_days_or_sessions_make_a_diary(tmp_path: Path, headings: list[str]) -> None:
    text = ENGLISH + "".join(f"\n## {heading}\n- something\n" for heading in headings)

    assert shop(tmp_path, text).levels(RULES, "p-journal") == ["warning"]


def test_two_days_and_a_dated_state_are_no_diary(tmp_path: Path) -> None:
    text = (
        ENGLISH.replace("## State", "## State (2026-03-16)") + "\n## 2026-03-16\n- a\n\n## 2026-03-15\n- b\n"
    )

    assert shop(tmp_path, text).ask(RULES, "p-journal") == []


def test_rules_in_the_progress_file_are_information(tmp_path: Path) -> None:
    rules = "- Always run the check\n- Never push\n- Immer Tests\n- **Nie** ohne Review\n- must be green\n"
    made = shop(tmp_path, f"{ENGLISH}\n## Rules\n{rules}")

    assert made.levels(RULES, "p-mixed") == ["info"]
    assert shop(tmp_path, f"{ENGLISH}\n## Rules\n{rules[24:]}").ask(RULES, "p-mixed") == []


def test_a_dated_state_among_the_rules_is_information(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS="# Rules\n\n## Current state\nIndex written on 2026-03-16\n")

    assert made.levels(RULES, "p-mixed") == ["info"]


@pytest.mark.parametrize(
    "line", ["Colour #1a2b3c4 for links", "As of 20260314", "Version 1.2.3", "Checked on 2026-03-14"]
)
def test_colours_and_dates_are_no_commits(tmp_path: Path, line: str) -> None:
    made = shop(tmp_path, ENGLISH.replace("- HEAD: 4f2a9c1", f"- {line}"))

    assert made.levels(RULES, "p-head-missing") == ["warning"]


def test_without_version_control_no_commit_is_missed(tmp_path: Path) -> None:
    assert (
        project(tmp_path, PROGRESS=ENGLISH.replace("- HEAD: 4f2a9c1\n", "")).ask(RULES, "p-head-missing")
        is None
    )


@pytest.mark.parametrize(
    ("code", "recorded", "levels"),
    [
        ("p-head-unknown", RecordedCommit(HASH, known=False), ["error"]),
        ("p-head-unknown", RecordedCommit(HASH, known=None), []),
        ("p-head-unknown", FOUND, []),
        ("p-head-foreign", RecordedCommit(HASH, known=True, ancestor=False), ["warning"]),
        ("p-head-foreign", FOUND, []),
        ("p-head-foreign", RecordedCommit(HASH, known=False), None),
        ("p-head-drift", FOUND, []),
        ("p-head-drift", RecordedCommit(HASH, known=True, ancestor=True, drift=1), ["warning"]),
        ("p-head-drift", RecordedCommit(HASH, known=True, ancestor=True, drift=9), ["warning"]),
        ("p-head-drift", RecordedCommit(HASH, known=True, ancestor=True, drift=10), ["error"]),
        ("p-head-drift", RecordedCommit(HASH, known=True, ancestor=False), None),
        ("p-head-drift", RecordedCommit("0000000", known=True, ancestor=True, drift=3), None),
    ],
)
def test_the_named_commit_against_the_history(
    tmp_path: Path, code: str, recorded: RecordedCommit, levels: list[str] | None
) -> None:
    assert shop(tmp_path, PROGRESS, recorded).levels(RULES, code) == levels


def test_in_a_shallow_clone_an_unknown_commit_is_information(tmp_path: Path) -> None:
    made = shop(tmp_path)
    made.git = GitFacts(shallow=True, recorded=(RecordedCommit(HASH, known=None),))

    assert made.levels(RULES, "p-head-unknown") == ["info"]


def with_history(tmp_path: Path, history: FileHistory, status: str = "active") -> Examined:
    made = shop(tmp_path)
    made.git = GitFacts(histories=(history,))
    made.status = status
    return made


def grown(only_added: int, first: int, last: int) -> FileHistory:
    """Ten changes, ``only_added`` of them without a deletion, from ``first`` to ``last`` bytes."""
    sizes = [last, *[first] * 9]
    changes = tuple((1e9 - n * DAY, 3, 0 if n < only_added else 2, size) for n, size in enumerate(sizes))
    return FileHistory("PROGRESS.md", changes=changes)


@pytest.mark.parametrize(
    ("only_added", "last", "levels"),
    [(8, 1501, ["warning"]), (7, 1501, []), (8, 1500, []), (10, 9000, ["warning"])],
)
def test_a_file_that_is_only_appended_to_grows(
    tmp_path: Path, only_added: int, last: int, levels: list[str]
) -> None:
    assert with_history(tmp_path, grown(only_added, 1000, last)).levels(RULES, "p-grows") == levels


@pytest.mark.parametrize(
    ("commits", "days", "levels"),
    [(9, 1, []), (10, 1, ["warning"]), (2, 13, []), (2, 14, ["warning"]), (0, 0, []), (500, 40, ["warning"])],
)
def test_a_file_that_the_work_left_behind_is_stale(
    tmp_path: Path, commits: int, days: int, levels: list[str]
) -> None:
    history = FileHistory(
        "PROGRESS.md",
        ((1e9, 5, 0, 500),),
        commits_since=commits,
        last_commit=1e9 + days * DAY if commits else None,
    )

    assert with_history(tmp_path, history).levels(RULES, "p-stale") == levels


@pytest.mark.parametrize("status", ["paused", "archived", "unknown"])
def test_only_active_projects_have_stale_files(tmp_path: Path, status: str) -> None:
    history = FileHistory("PROGRESS.md", ((1e9, 5, 0, 500),), commits_since=20, last_commit=1e9 + DAY)

    assert with_history(tmp_path, history, status).ask(RULES, "p-stale") is None


def test_the_files_of_a_memory_bank_complete_one_another(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS="")
    made.git = GitFacts()
    made.has(
        "memory-bank/activeContext.md",
        "# Active Context\n\n## Current Focus\nSearch\n\n## Next Steps\n- test paging\n",
    )
    made.has(
        "memory-bank/progress.md",
        "# Progress\n\n## What Works\n- index, 12/12 tests\n\n## What's Left to Build\n- paging\n",
    )

    assert made.codes(RULES, "warning", "error") == []


def test_a_memory_bank_hands_over_blockers_and_tests_like_any_progress_file(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS="")
    made.has(
        "memory-bank/activeContext.md",
        "# Active Context\n\n## Current Focus\nSearch\n\n## Status\nbroken\n\n## Next Steps\n- paging\n",
    )

    assert made.codes(RULES, "warning") == ["p-block", "p-tests"]


def test_a_state_that_is_nothing_but_a_feeling_lacks_a_result(tmp_path: Path) -> None:
    made = project(tmp_path / "felt", PROGRESS="# Progress\n\n## State\nEverything works.\n")
    other = project(tmp_path / "told", PROGRESS="# Progress\n\n## State\nThe index is built.\n")

    assert made.codes(RULES, "warning") == ["p-feel", "p-tests"]
    assert other.codes(RULES, "warning") == []


def test_earlier_sessions_in_turkish_are_a_diary(tmp_path: Path) -> None:
    text = "# İlerleme\n\n" + "".join(f"## Önceki oturum: 2026-11-{day}\nform\n\n" for day in (12, 15, 18))

    assert project(tmp_path, PROGRESS=text).levels(RULES, "p-journal") == ["warning"]


def test_a_rule_may_name_first_whom_it_binds(tmp_path: Path) -> None:
    rules = "- You must ask first.\n- Jeder muss fragen.\n- Never push.\n- Always test.\n- Immer zweimal.\n"
    made = project(tmp_path, PROGRESS=f"{PROGRESS}\n## Rules\n{rules}")

    assert made.levels(RULES, "p-mixed") == ["info"]


@pytest.mark.parametrize(
    "text",
    [
        "# Etkin bağlam\n\n## Odak\nFatura\n\n## Sonraki adımlar\n- A5 denemesi\n",  # noqa: RUF001 - the Turkish word
        "# アクティブ\n\n## 現在のフォーカス\n減圧表\n\n## 次のステップ\nテスト\n",
    ],
)
def test_in_a_language_of_few_known_words_nothing_is_missing(tmp_path: Path, text: str) -> None:
    """A Turkish bank names its goal "Odak", which the vocabulary does not know."""
    made = project(tmp_path, PROGRESS=text)

    assert made.codes(RULES, "warning", "error") == []
    assert made.levels(RULES, "p-shape") == ["info"]


def test_a_known_field_that_is_empty_is_told_in_any_language(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS="# アクティブ\n\n## 現在のフォーカス\n減圧表\n\n## 次のステップ\nTBD\n")

    assert made.levels(RULES, "p-next") == ["warning"]
