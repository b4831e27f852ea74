from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from brain.health import progress
from brain.health.memory_files import RULES
from brain.layout import CONTEXT, MEMORY_FILES, template
from tests.brain.health.examined import Examined, project

FOLDER = ".agents/memory"
ENTRIES = {
    "decisions.md": "### 2026-11-01 — Redis\n- **Decision**: Redis\n- **Rationale**: fast\n",
    "lessons.md": "### 2026-11-01 — Wait\n- **Lesson**: wait for the health check\n",
    "patterns.md": "### Retry once\n- **Problem**: hiccups\n- **Shape**: try again\n",
}


def fresh(name: str, day: str = "2026-11-01") -> str:
    values = {"date": day, "project": "shop", "path": "/p/shop"}
    return template(name, values).decode()


def filled(name: str) -> str:
    text = fresh(name)
    return text + "\n" + ENTRIES[name] if name in ENTRIES else text + "\nThe search is being built.\n"


def remembered(tmp_path: Path, *, without: str = "", **changed: str) -> Examined:
    """A project with a whole memory, but for what is ``changed``."""
    made = project(tmp_path).has(f"{FOLDER}/.brain-link", "{}")
    for name in MEMORY_FILES:
        if name != without:
            made.has(f"{FOLDER}/{name}", changed.get(name.removesuffix(".md"), filled(name)))
    return made


def topics(tmp_path: Path, index: str, *names: str) -> Examined:
    made = project(tmp_path).has("memory/MEMORY.md", f"# Memory\n\n{index}\n")
    for name in names:
        made.has(f"memory/{name}.md", f"---\nname: {name}\n---\n# {name}\n")
    return made


def test_a_whole_memory_is_silent(tmp_path: Path) -> None:
    assert remembered(tmp_path).codes(RULES) == []


def test_a_file_that_an_installation_lost_is_a_warning(tmp_path: Path) -> None:
    (found,) = remembered(tmp_path, without="lessons.md").ask(RULES, "m-missing") or []

    assert (found.level, found.file) == ("warning", f"{FOLDER}/lessons.md")


def test_a_memory_made_by_hand_may_lack_files(tmp_path: Path) -> None:
    made = project(tmp_path).has(f"{FOLDER}/decisions.md", filled("decisions.md"))

    assert made.levels(RULES, "m-missing") == ["info"]


def test_a_fence_that_never_ends_is_a_warning_with_its_line(tmp_path: Path) -> None:
    made = remembered(tmp_path, lessons="# Lessons\n\n```\n### 2026-11-01 — Wait\n")
    (found,) = made.ask(RULES, "m-malformed") or []

    assert (found.level, found.file, found.line) == ("warning", f"{FOLDER}/lessons.md", 3)


def test_front_matter_that_is_no_yaml_is_a_warning(tmp_path: Path) -> None:
    made = remembered(tmp_path, lessons='---\ntitle: "Lessons\n---\n' + ENTRIES["lessons.md"])

    assert made.levels(RULES, "m-malformed") == ["warning"]


def test_an_entry_whose_date_no_calendar_knows_is_information(tmp_path: Path) -> None:
    made = remembered(tmp_path, lessons="# Lessons\n\n### 2026-02-30 — Wait\n- **Lesson**: wait\n")

    assert made.levels(RULES, "m-entry") == ["info"]


@pytest.mark.parametrize("name", ["decisions.md", CONTEXT])
def test_a_template_left_for_a_month_is_a_warning(tmp_path: Path, name: str) -> None:
    made = remembered(tmp_path, **{name.removesuffix(".md"): fresh(name, "2026-10-31")})
    (found,) = made.ask(RULES, "m-template") or []

    assert (found.level, found.file, found.since) == ("warning", f"{FOLDER}/{name}", "2026-10-31")


def test_a_fresh_template_is_information(tmp_path: Path) -> None:
    made = remembered(tmp_path, decisions=fresh("decisions.md", "2026-11-02"))

    assert made.levels(RULES, "m-template") == ["info"]
    assert made.levels(RULES, "m-template", date(2026, 12, 2)) == ["warning"]


def test_lessons_that_never_came_are_information(tmp_path: Path) -> None:
    made = remembered(tmp_path, lessons=fresh("lessons.md", "2026-01-01"))

    assert made.levels(RULES, "m-template") == ["info"]


def test_the_template_of_a_paused_project_is_information(tmp_path: Path) -> None:
    made = remembered(tmp_path, context=fresh(CONTEXT, "2026-01-01"))
    made.status = "paused"

    assert made.levels(RULES, "m-template") == ["info"]


def test_an_index_line_to_a_missing_file_is_a_warning(tmp_path: Path) -> None:
    made = topics(tmp_path, "- [Build](build.md): how it is built\n- [Gone](gone.md): what was", "build")
    (found,) = made.ask(RULES, "m-index") or []

    assert (found.level, found.file, found.line, found.anchor) == (
        "warning",
        "memory/MEMORY.md",
        4,
        "memory/gone.md",
    )


def test_a_topic_that_the_index_does_not_name_is_a_warning(tmp_path: Path) -> None:
    made = topics(tmp_path, "- [Build](build.md): how it is built", "build", "tests")
    (found,) = made.ask(RULES, "m-unlisted") or []

    assert (found.level, found.file) == ("warning", "memory/tests.md")


def test_an_index_that_names_all_topics_is_silent(tmp_path: Path) -> None:
    made = topics(tmp_path, "- [Build](build.md): how\n- `tests.md`: which", "build", "tests")

    assert made.codes(RULES) == []


def test_a_page_that_lists_little_was_not_meant_as_an_index(tmp_path: Path) -> None:
    made = topics(tmp_path, "See [Build](build.md).", "build", "a-topic", "b-topic", "c-topic")

    assert set(made.levels(RULES, "m-unlisted") or ()) == {"info"}


def test_a_memory_page_without_links_is_no_index(tmp_path: Path) -> None:
    assert topics(tmp_path, "- The user likes tabs.", "build").ask(RULES, "m-index") is None


def test_notes_of_days_need_no_place_in_the_index(tmp_path: Path) -> None:
    made = topics(tmp_path, "- [Build](build.md): how", "build").has("memory/2026-11-30.md", "# Day\n")

    assert made.ask(RULES, "m-unlisted") == []


def test_two_topics_with_one_name_are_a_warning(tmp_path: Path) -> None:
    made = topics(tmp_path, "- [a](build.md)\n- [b](other.md)", "build")
    made.has("memory/other.md", "---\nname: Build\n---\n# Other\n")
    (found,) = made.ask(RULES, "m-same-name") or []

    assert (found.level, found.file, found.anchor) == ("warning", "memory/other.md", "memory/build.md")


def test_an_observation_that_stands_twice_is_a_warning(tmp_path: Path) -> None:
    line = "- The deploy needs the VPN to be up before it starts.\n"
    (found,) = topics(tmp_path, line + "- Something else\n\n" + line).ask(RULES, "m-duplicate") or []

    assert (found.level, found.line) == ("warning", 6)


def test_short_and_ticked_lines_may_stand_twice(tmp_path: Path) -> None:
    text = "- Use tabs.\n- Use tabs.\n" + "- [ ] read the whole manual of the pump\n" * 2

    assert topics(tmp_path, text).ask(RULES, "m-duplicate") == []


def test_lines_that_go_on_differently_are_different(tmp_path: Path) -> None:
    first = "- The deploy needs the VPN to be up\n"
    text = f"{first}  before it starts.\n{first}  until it ends."

    assert topics(tmp_path, text).ask(RULES, "m-duplicate") == []


def test_a_summary_far_behind_the_observations_is_a_warning(tmp_path: Path) -> None:
    text = "*Last consolidated: 2026-09-01*\n\n- 2026-08-20: first\n- 2026-10-02: the newest one"
    (found,) = topics(tmp_path, text).ask(RULES, "m-summary") or []

    assert (found.level, found.line, found.since) == ("warning", 3, "2026-10-02")


def test_a_summary_within_a_month_of_the_newest_observation_is_silent(tmp_path: Path) -> None:
    text = "## Zusammenfassung 01.09.2026\n\n- 01.10.2026: die neueste"

    assert topics(tmp_path, text).ask(RULES, "m-summary") == []


def test_a_page_without_a_summary_is_not_asked_for_its_age(tmp_path: Path) -> None:
    assert topics(tmp_path, "- 2026-10-02: something").ask(RULES, "m-summary") is None


def test_a_brain_is_asked_about_its_own_files(tmp_path: Path) -> None:
    made = Examined(tmp_path / "brain", kind="brain").has("lessons.md", filled("lessons.md"))

    assert [one.message for one in made.ask(RULES, "m-missing") or ()] == [
        "Not there: decisions.md, patterns.md."
    ]


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_a_project_without_such_files_is_not_asked(tmp_path: Path, code: str) -> None:
    assert project(tmp_path).ask(RULES, code) is None


def test_a_progress_file_in_another_encoding_is_told_with_its_line(tmp_path: Path) -> None:
    made = project(tmp_path).has("PROGRESS.md", "# Stand\n\n## Nächster Schritt\nweiter\n".encode("latin-1"))

    (found,) = made.ask(RULES, "m-malformed") or []

    assert (found.level, found.file, found.line) == ("warning", "PROGRESS.md", 3)


@pytest.mark.parametrize(
    ("below", "level"), [("make\n\n## Next step\npaging\n", "warning"), ("make\n", "info")]
)
def test_a_fence_that_never_ends_is_a_warning_where_it_hides_headings(
    tmp_path: Path, below: str, level: str
) -> None:
    made = project(tmp_path, PROGRESS=f"# Progress\n\n## Goal\nsearch\n\n```sh\n{below}")

    assert made.levels(RULES, "m-malformed") == [level]


def test_front_matter_that_is_no_yaml_is_information_outside_of_notes(tmp_path: Path) -> None:
    """Rules of Cursor and the template of MADR are written so."""
    made = project(tmp_path).has(".cursor/rules/a.mdc", "---\nglobs: **/*.py\n---\nUse tables.\n")

    assert made.levels(RULES, "m-malformed") == ["info"]


@pytest.mark.parametrize(
    ("text", "level", "message"),
    [
        ("user_name: [Ana\n", "warning", "Not read as YAML"),
        ("user_name: Ana\n", "info", "Says nothing for communication_language."),
    ],
)
def test_what_is_wrong_with_the_identity_of_a_brain_is_told(
    tmp_path: Path, text: str, level: str, message: str
) -> None:
    made = Examined(tmp_path / "brain", kind="brain").has("identity.yaml", text)

    (found,) = made.ask(RULES, "m-malformed") or []

    assert (found.file, found.level) == ("identity.yaml", level)
    assert found.message.startswith(message)
    assert "\n" not in found.message


def test_a_whole_identity_is_fine(tmp_path: Path) -> None:
    whole = "user_name: Ana\ncommunication_language: English\n"

    assert (
        not Examined(tmp_path / "brain", kind="brain").has("identity.yaml", whole).ask(RULES, "m-malformed")
    )


def test_notes_as_they_were_made_are_told_once(tmp_path: Path) -> None:
    made = remembered(tmp_path, decisions=fresh("decisions.md"))

    assert [one.message for one in made.ask(RULES, "m-template") or ()] == ["Holds no entry yet."]
    assert made.ask(progress.RULES, "p-shape") == []


def test_decisions_of_another_shape_are_no_template(tmp_path: Path) -> None:
    entry = "## 2026-11-01 - Redis\n- Decision: Redis\n- Rationale: it is fast\n- Rejected: memcached\n"
    made = remembered(tmp_path, decisions=f"# Decisions\n\n{entry}")

    assert not made.ask(RULES, "m-template")
