"""A memory is examined as a whole: order, score, gains, the cold start, questions to the history."""

from __future__ import annotations

import gc
import json
import time
import weakref
from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path

import pytest

from brain.health.cold_start import cold_start
from brain.health.examine import examine
from brain.health.gather import gather, gather_with_evidence
from brain.health.parsed import ParsedMemory
from brain.health.questions import questions
from brain.health.score import gains, portfolio_gains, portfolio_percent
from brain.health.today import Today
from brain.health.values import (
    ERROR,
    INFO,
    LEVELS,
    WARNING,
    Finding,
    GitFacts,
    Health,
    Memory,
    Outcome,
    RecordedCommit,
    Rule,
)
from tests.brain.health import shapes
from tests.support import write

DAY = date(2026, 11, 30)


@pytest.fixture
def seed(tmp_path: Path) -> Path:
    write(tmp_path / "PROGRESS.md", shapes.SEED_PROGRESS)
    write(tmp_path / "DECISIONS.md", shapes.SEED_DECISIONS)
    write(tmp_path / "AGENTS.md", shapes.SEED_PROTOCOL)
    return tmp_path


def parsed_of(path: Path) -> ParsedMemory:
    return ParsedMemory(gather(str(path)))


def test_the_cold_start_of_the_seed_has_five_answers_with_their_places(seed: Path) -> None:
    start = cold_start(parsed_of(seed))

    assert str(start) == "5/5"
    assert [(one.question, one.answer) for one in start.questions] == [
        (name, "yes") for name in ("goal", "tests", "decision", "blocker", "next")
    ]
    assert [(one.fact.file, one.fact.line) for one in start.questions if one.fact] == [
        ("PROGRESS.md", 4),
        ("PROGRESS.md", 8),
        ("DECISIONS.md", 4),
        ("PROGRESS.md", 13),
        ("PROGRESS.md", 16),
    ]


@pytest.mark.parametrize(
    ("heading", "question"),
    [("## Aktuelles Ziel", "goal"), ("## Blockaden", "blocker"), ("## Nächster Schritt", "next")],
)
def test_a_field_that_is_gone_is_an_answer_that_is_missing(seed: Path, heading: str, question: str) -> None:
    before, _, rest = shapes.SEED_PROGRESS.partition(heading)
    after = rest.partition("\n\n")[2]
    write(seed / "PROGRESS.md", before + after)

    assert cold_start(parsed_of(seed)).missing == (question,)


def test_an_unknown_shape_has_no_score(tmp_path: Path) -> None:
    write(tmp_path / "PROGRESS.md", shapes.PHASE_TABLES)

    assert str(cold_start(parsed_of(tmp_path))) == "?/5"


def test_without_files_nothing_is_answered(tmp_path: Path) -> None:
    start = cold_start(parsed_of(tmp_path))

    assert (str(start), len(start.missing)) == ("0/5", 5)


def test_open_points_and_a_first_sentence_are_weak_answers(tmp_path: Path) -> None:
    write(
        tmp_path / "PROGRESS.md",
        "# P\n\nWe build the search of the shop.\n\n## State\nx\n\n## Known issues\n- slow\n\n## Next\ny\n",
    )

    answers = {one.question: one.answer for one in cold_start(parsed_of(tmp_path)).questions}

    assert answers == {"goal": "weak", "tests": "no", "decision": "no", "blocker": "weak", "next": "yes"}


def test_a_decision_about_the_goal_is_strong_and_one_that_was_replaced_is_none(seed: Path) -> None:
    write(
        seed / "DECISIONS.md",
        "# D\n\n## D-1 Index der Suche im Produktkatalog\n- Entscheidung: tsvector\n- Grund: da\n",
    )
    decision = cold_start(parsed_of(seed)).questions[2]
    assert decision.is_strong

    write(
        seed / "DECISIONS.md",
        "# D\n\n## D-1 Suche (ersetzt durch D-2)\n- Entscheidung: tsvector\n- Grund: da\n",
    )
    assert cold_start(parsed_of(seed)).questions[2].answer == "no"


def test_drift_weakens_what_is_known_of_tests(seed: Path) -> None:
    memory = gather(str(seed))
    fresh = replace(memory, git=GitFacts(recorded=(RecordedCommit("4f2a9c1", True, True, 0),)))
    drifted = replace(memory, git=GitFacts(recorded=(RecordedCommit("4f2a9c1", True, True, 4),)))

    assert cold_start(ParsedMemory(fresh)).questions[1].is_strong
    assert not cold_start(ParsedMemory(drifted)).questions[1].is_strong


def test_the_history_is_asked_for_the_commit_the_logs_and_what_is_no_code(seed: Path) -> None:
    asked = questions(gather(str(seed)))

    assert asked.hashes == ("4f2a9c1",)
    assert asked.histories == (("PROGRESS.md", False), ("DECISIONS.md", True))
    assert asked.handover_files == ("DECISIONS.md", "PROGRESS.md")


def test_of_a_link_the_history_of_its_target_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "notes/where.md", shapes.SEED_PROGRESS)
    (tmp_path / "PROGRESS.md").symlink_to("notes/where.md")

    assert questions(gather(str(tmp_path))).histories == (("notes/where.md", False),)


def test_of_the_brain_no_history_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "decisions.md")

    assert questions(gather(str(tmp_path), kind="brain")).histories == ()


def finding(level: str, code: str = "x", file: str = "", line: int = 0) -> Finding:
    return Finding(code, level, "/p", file, line, "m", "f")


def rule(code: str, weight: float, *found: Finding, applies: bool = True) -> Rule:
    def check(_parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
        return found if applies else None

    return Rule(code, weight, f"what {code}", check)


def test_findings_stand_by_level_file_line_and_code() -> None:
    some = (
        finding(INFO),
        finding(WARNING, file="b", line=2),
        finding(WARNING, file="b", line=1),
        finding(WARNING, file="a"),
        finding(ERROR),
    )

    health = examine(Memory("/p", "p"), DAY, (rule("x", 5.0, *some),))

    assert [(one.level, one.file, one.line) for one in health.findings] == [
        ("error", "", 0),
        ("warning", "a", 0),
        ("warning", "b", 1),
        ("warning", "b", 2),
        ("info", "", 0),
    ]


def test_information_passes_and_what_does_not_apply_does_not_count() -> None:
    rules = (
        rule("a", 10.0, finding(INFO)),
        rule("b", 5.0, finding(WARNING)),
        rule("c", 7.5, applies=False),
        rule("d", 5.0),
    )

    health = examine(Memory("/p", "p"), DAY, rules)

    assert [one.passed for one in health.outcomes] == [True, False, None, True]
    assert health.percent == 75


def test_the_day_that_would_change_an_answer_is_told() -> None:
    def ageing(_parsed: ParsedMemory, today: Today) -> Iterable[Finding]:
        return [finding(WARNING)] if today.reached(date(2026, 11, 1), 90) else []

    assert examine(Memory("/p", "p"), DAY, (Rule("x", 5.0, "", ageing),)).turns == "2027-01-30"


def test_the_next_step_of_a_handover_is_part_of_its_health(seed: Path) -> None:
    assert examine(gather(str(seed)), DAY).next_step.startswith("Paginierung für GET /search")


def test_twice_the_same_and_nothing_is_changed(seed: Path) -> None:
    before = {path: path.read_bytes() for path in seed.rglob("*") if path.is_file()}

    first = json.dumps(asdict(examine(gather(str(seed)), DAY)))
    second = json.dumps(asdict(examine(gather(str(seed)), DAY)))

    assert first == second
    assert {path: path.read_bytes() for path in seed.rglob("*") if path.is_file()} == before


def test_what_was_parsed_stays_parsed(seed: Path) -> None:
    read = gather_with_evidence(str(seed))
    page = read.parsed.page(read.memory.files[0])

    assert read.parsed.renewed(replace(read.memory, git=GitFacts())).page(read.memory.files[0]) is page
    assert examine(read.memory, DAY, parsed=read.parsed) == examine(read.memory, DAY)


def test_the_seed_has_no_error_and_knows_its_levels(seed: Path) -> None:
    levels = {one.level for one in examine(gather(str(seed)), DAY).findings}

    assert levels <= set(LEVELS) - {ERROR}


def health(*outcomes: tuple[str, float, bool | None]) -> Health:
    return Health("/p", tuple(Outcome(*one) for one in outcomes))


def test_the_five_best_gains_are_named() -> None:
    some = health(
        ("ok", 50.0, True),
        ("na", 10.0, None),
        *((f"c{at}", weight, False) for at, weight in enumerate((2.5, 10.0, 5.0, 7.5, 10.0, 15.0))),
    )

    found = gains(some, (rule("c1", 10.0),))

    assert [one.code for one in found] == ["c5", "c1", "c4", "c3", "c2"]
    assert [one.points for one in found] == [15.0, 10.0, 10.0, 7.5, 5.0]
    assert found[1].what == "what c1"


def test_archived_projects_do_not_count() -> None:
    good, bad, empty = health(("a", 5.0, True)), health(("a", 5.0, False)), health(("a", 5.0, None))

    assert portfolio_percent([(good, "active"), (bad, "archived"), (empty, "active")]) == 100
    assert portfolio_percent([(good, "active"), (bad, "paused")]) == 50
    assert portfolio_percent([(bad, "archived")]) is None
    assert gains(empty) == ()


def test_gains_of_a_portfolio_are_in_its_points() -> None:
    some = [
        (health(("a", 5.0, False), ("b", 5.0, True)), "active"),
        (health(("a", 5.0, True), ("b", 5.0, True)), "active"),
        (health(("a", 5.0, False)), "archived"),
    ]

    assert [(one.code, one.points) for one in portfolio_gains(some)] == [("a", 25.0)]


def test_a_memory_that_was_examined_is_let_go_of_without_the_collector_of_garbage(seed: Path) -> None:
    # Commands run without it: what refers to itself would stay until they end, a memory for each project.
    write(seed / "CLAUDE.md", "@AGENTS.md\n")
    write(seed / ".agents/memory/lessons.md", "# Lessons\n\n### 2026-11-01 — Ask first\n- **Lesson**: ask.\n")
    gc.collect()
    gc.disable()
    try:
        parsed = parsed_of(seed)
        examine(parsed.memory, DAY, parsed=parsed)
        kept = weakref.ref(parsed)
        other = ParsedMemory(replace(parsed.memory, files=()))
        examine(other.memory, DAY, parsed=other)  # what rules keep of the last memory is now of this one
        del parsed
        assert kept() is None
    finally:
        gc.enable()


TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def test_no_secret_stands_in_what_is_told_of_a_memory(tmp_path: Path) -> None:
    """Titles, links and next steps are quoted; reports, caches and snapshots would keep them."""
    write(tmp_path / "PROGRESS.md", f"# P\n\n## Goal\nSearch\n\n## Next step\nUse {TOKEN} for the test\n")
    write(tmp_path / "DECISIONS.md", f"# D\n\n## 2026-01-01 - Use {TOKEN}\n- Decision: it\n")
    write(tmp_path / "AGENTS.md", f"Read [it]({TOKEN}.md).\n")

    health = examine(gather(str(tmp_path)), DAY)

    codes = {one.code for one in health.findings}
    assert {"m-secret", "d-fields", "x-reference"} <= codes
    assert TOKEN not in json.dumps(asdict(health))
    assert "[REDACTED:github:" in health.next_step


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PROGRESS.md", "## Goal\n" + "a" * 400_000 + "\n"),
        ("PROGRESS.md", "## Goal\n" + "-" * 300_000 + "\n"),
        ("AGENTS.md", "eyJ" * 160_000 + "\n"),
        ("AGENTS.md", 'api_key = "' * 40_000 + "\n"),
        ("AGENTS.md", "password=hunter2Super9 " + "key" * 100_000 + "\n"),
        ("AGENTS.md", "password=hunter2Super9 key: `" + " " * 200_000 + "\n"),
        ("init.sh", "$(" * 100_000 + "\n"),
        (
            "DECISIONS.md",
            "".join(
                f"## D-{one} - a thing\n- Decision: b\n- Status: superseded by D-{one + 1}\n"
                for one in range(4_000)
            ),
        ),
    ],
    ids=["letters", "dashes", "base64", "labels", "stems", "blanks", "brackets", "superseded"],
)
def test_a_line_or_a_log_that_is_far_too_long_takes_seconds_at_most(
    tmp_path: Path, name: str, text: str
) -> None:
    """Each of these took from nine seconds to more than a minute; now the slowest takes 1.4."""
    write(tmp_path / name, text)

    began = time.process_time()
    examine(gather(str(tmp_path)), DAY)

    assert time.process_time() - began < 5


def test_a_piece_of_a_secret_does_not_stay_where_a_title_was_cut(tmp_path: Path) -> None:
    title = f"use of the payment service with its new key {TOKEN}"
    write(tmp_path / "DECISIONS.md", f"# Decisions\n\n## 2026-01-01 - {title}\n- Decision: yes\n")
    write(tmp_path / "PROGRESS.md", "# Progress\n")

    told = repr(examine(gather(str(tmp_path)), DAY))

    assert "payment service" in told
    assert TOKEN[:9] not in told
