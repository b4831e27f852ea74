from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from brain.health.lessons import RULES, sketches
from brain.health.parsed import ParsedMemory
from brain.health.repeats import repeated_lessons
from tests.brain.health.examined import Examined, project

HEAD = "# Lessons\n\n## Format\n\n```md\n### YYYY-MM-DD — <title>\n- **Lesson**: what to do\n```\n\n"
WAIT = (
    "- **Context**: integration tests timed out because the database container was not ready\n"
    "- **Impact**: two hours\n"
    "- **Lesson**: wait for the health check of the container before the first query\n\n"
)
OTHER = (
    "- **Context**: a migration dropped a column that an old worker still wrote\n"
    "- **Lesson**: stop writing first, drop the column in the release after it\n\n"
)


def with_lessons(tmp_path: Path, *entries: tuple[str, str], name: str = "shop") -> Examined:
    text = HEAD + "".join(f"### {heading}\n{body}" for heading, body in entries)
    return project(tmp_path / name).has(".agents/memory/lessons.md", text)


def test_a_lesson_learned_twice_is_a_warning(tmp_path: Path) -> None:
    made = with_lessons(tmp_path, ("2026-03-01 — Slow container", WAIT), ("2026-06-01 — Database late", WAIT))
    (found,) = made.ask(RULES, "l-repeats") or []

    assert (found.level, found.file, found.line) == ("warning", ".agents/memory/lessons.md", 10)
    assert "2 times" in found.message
    assert ".agents/memory/lessons.md:15" in found.message


def test_different_lessons_are_silent(tmp_path: Path) -> None:
    made = with_lessons(tmp_path, ("2026-03-01 — Slow container", WAIT), ("2026-06-01 — Columns", OTHER))

    assert made.ask(RULES, "l-repeats") == []


def test_an_archived_lesson_is_not_counted(tmp_path: Path) -> None:
    made = with_lessons(tmp_path, ("2026-03-01 — Slow [ARCHIVED]", WAIT), ("2026-06-01 — Late", WAIT))

    assert made.ask(RULES, "l-repeats") == []


def test_samples_of_the_format_are_no_lessons(tmp_path: Path) -> None:
    assert with_lessons(tmp_path).ask(RULES, "l-repeats") is None


def test_a_project_without_lessons_is_not_asked(tmp_path: Path) -> None:
    assert project(tmp_path).ask(RULES, "l-repeats") is None


def test_the_same_lesson_of_two_projects_is_a_repeat(tmp_path: Path) -> None:
    one = with_lessons(tmp_path, ("2026-03-01 — Slow container", WAIT), name="one")
    other = with_lessons(tmp_path, ("2026-06-01 — Database late", WAIT), name="other")
    (cluster,) = repeated_lessons([*sketches(one.parsed()), *sketches(other.parsed())])

    assert [member.line for member in cluster.members] == [10, 10]


def test_two_clones_of_a_repository_are_one_project(tmp_path: Path) -> None:
    made = with_lessons(tmp_path, ("2026-03-01 — Slow container", WAIT))
    memory = replace(made.parsed().memory, identifier="root:abc")
    clone = replace(memory, path="/elsewhere", name="clone")

    assert repeated_lessons([*sketches(ParsedMemory(memory)), *sketches(ParsedMemory(clone))]) == ()


def test_a_lesson_without_fields_counts_by_its_prose(tmp_path: Path) -> None:
    prose = "Wait for the health check of the container before the first query, never for a fixed time.\n\n"
    made = with_lessons(tmp_path, ("2026-03-01 — Slow", prose), ("2026-06-01 — Late", prose))

    assert made.levels(RULES, "l-repeats") == ["warning"]


def test_the_same_lesson_after_another_mishap_came_back(tmp_path: Path) -> None:
    """What led to it may differ as a whole: what was learned is the same."""
    first = "- **Context**: Fronleichnam gemahnt.\n- **Impact**: drei böse Anrufe.\n"
    second = "- **Context**: Reformationstag gemahnt, im Norden.\n- **Impact**: zwei Mails.\n"
    learned = "- **Lesson**: Feiertage hängen am Empfänger und nicht am Absender.\n"
    entries = (f"### 2026-10-03 — Feiertage je Land\n{first}", f"### 2026-11-15 — Schon wieder\n{second}")
    text = "# Lessons\n\n" + "\n".join(entry + learned for entry in entries)
    made = project(tmp_path).has(".agents/memory/lessons.md", text)

    (found,) = made.ask(RULES, "l-repeats") or []

    assert (found.level, found.line) == ("warning", 3)


def test_a_lesson_of_few_words_may_stand_twice(tmp_path: Path) -> None:
    one = "- **Context**: the till stood still\n- **Lesson**: write a test first\n"
    other = "- **Context**: mails went to the wrong shop\n- **Lesson**: write a test first\n"
    text = f"# Lessons\n\n### 2026-10-03 — Till\n{one}\n### 2026-11-15 — Mails\n{other}"

    assert project(tmp_path).has(".agents/memory/lessons.md", text).ask(RULES, "l-repeats") == []
