from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from brain.health.decisions import RULES
from brain.health.today import Today
from brain.health.values import FileHistory, GitFacts
from tests.brain.health.examined import DAY, DECISIONS, Examined, project

SECOND = """
## 2026-04-02 - Search by tsvector
- Decision: tsvector with a GIN index
- Rationale: LIKE needs 1.8 s for 200k products
- Rejected: Elasticsearch, one more service to run
- Constraint: German and English only
"""
LOG = DECISIONS + SECOND
NEEDS_ENTRIES = [rule.code for rule in RULES if rule.code not in {"d-missing", "d-broken-link"}]


def log(tmp_path: Path, text: str, *earlier: str) -> Examined:
    made = project(tmp_path, DECISIONS=text)
    if earlier:
        contents = tuple(one.encode() for one in earlier)
        made.git = GitFacts(histories=(FileHistory("DECISIONS.md", earlier=contents),))
    return made


def adr(number: int, title: str, status: str = "Accepted", more: str = "") -> str:
    return (
        f"# {number}. {title}\n\nDate: 2026-03-{number:02}\n\n## Status\n\n{status}\n\n"
        f"## Context\n\nWe need it.\n\n## Decision\n\nWe use it.\n\n## Consequences\n\nIt is used.\n{more}"
    )


def folder(tmp_path: Path, *texts: str, hands_over: bool = True) -> Examined:
    made = (
        project(tmp_path, DECISIONS="")
        if hands_over
        else Examined(tmp_path / "plain").has("main.c", "int main;\n")
    )
    for text in texts:
        number = int(text[2:].split(".", 1)[0])
        made.has(f"docs/adr/{number:04}-record.md", text)
    return made


def test_the_model_log_has_no_finding(tmp_path: Path) -> None:
    assert log(tmp_path, LOG).codes(RULES) == []


@pytest.mark.parametrize("code", NEEDS_ENTRIES)
def test_without_a_log_only_its_absence_is_told(tmp_path: Path, code: str) -> None:
    made = log(tmp_path, "")

    assert made.ask(RULES, code) is None
    assert made.levels(RULES, "d-missing") == ["info"]


def test_entries_without_a_reason_are_counted_and_the_first_five_named(tmp_path: Path) -> None:
    entries = "".join(f"\n## D-{n:03} - choice {n}\n- Decision: {n}\n- Rejected: 0\n" for n in range(1, 8))
    found = log(tmp_path, f"# Decisions\n{entries}").ask(RULES, "d-fields")

    assert found is not None
    assert [(one.level, one.message) for one in found] == [
        (
            "warning",
            "7 of 7 entries without decision or rationale: D-001; D-002; D-003; D-004; D-005 and 2 more.",
        )
    ]


@pytest.mark.parametrize(
    ("line", "code", "level"),
    [
        ("- Rejected: Elasticsearch, one more service to run\n", "d-rejected", "warning"),
        ("- Rationale: LIKE needs 1.8 s for 200k products\n", "d-fields", "warning"),
        ("- Decision: tsvector with a GIN index\n", "d-fields", "warning"),
        ("- Constraint: German and English only\n", "d-constraint", "info"),
    ],
)
def test_an_entry_that_lacks_a_part_is_told(tmp_path: Path, line: str, code: str, level: str) -> None:
    assert log(tmp_path, LOG.replace(line, "")).levels(RULES, code) == [level]


@pytest.mark.parametrize(
    "clause", ["statt LIKE", "instead of LIKE", "LIKE wurde verworfen", "plutôt que LIKE"]
)
def test_a_clause_may_say_what_was_rejected(tmp_path: Path, clause: str) -> None:
    text = LOG.replace("- Rejected: Elasticsearch, one more service to run\n", "").replace(
        "tsvector with a GIN index", f"tsvector {clause}"
    )

    assert log(tmp_path, text).ask(RULES, "d-rejected") == []


@pytest.mark.parametrize("status", ["superseded by 2026-03-14", "proposed", "archived"])
def test_entries_that_do_not_hold_need_not_be_whole(tmp_path: Path, status: str) -> None:
    text = f"{DECISIONS}\n## 2026-02-01 - Old cache\n- Decision: memcached\n- Status: {status}\n"

    assert log(tmp_path, text).ask(RULES, "d-fields") == []


def test_an_entry_without_a_date_is_information(tmp_path: Path) -> None:
    assert log(tmp_path, LOG.replace("2026-04-02 - Search", "Search")).levels(RULES, "d-date") == ["info"]


def test_the_classic_record_knows_no_alternatives(tmp_path: Path) -> None:
    made = folder(tmp_path, adr(1, "Record decisions"), adr(2, "Use Redis"))

    assert made.levels(RULES, "d-rejected") == ["info"]
    assert made.codes(RULES, "warning", "error") == []


def test_entries_of_an_installed_memory_know_no_alternatives(tmp_path: Path) -> None:
    entry = "### 2026-11-01 — Cache\n- **Decision**: Redis\n- **Rationale**: fast\n- **Status**: active\n"
    made = Examined(tmp_path / "plain").has(".agents/memory/decisions.md", f"# Decisions\n\n{entry}")

    assert made.levels(RULES, "d-rejected") == ["info"]


def test_a_project_with_records_only_gets_information_only(tmp_path: Path) -> None:
    made = folder(tmp_path, adr(1, "A record", "Superseded by [9. None](0009-none.md)"), hands_over=False)

    assert made.codes(RULES, "warning", "error") == []
    assert "d-super-dangling" in made.codes(RULES, "info")


def test_rows_of_a_table_are_entries(tmp_path: Path) -> None:
    rows = "| a | b | c |\n| d | e | f |\n| g | h | |\n"
    table = f"# Entscheidungen\n\n| Thema | Entscheidung | Grund |\n|---|---|---|\n{rows}"
    found = log(tmp_path, table).ask(RULES, "d-fields")

    assert found is not None
    assert [one.message.split(":")[0] for one in found] == ["1 of 3 entries without decision or rationale"]


def test_the_template_in_a_fence_is_no_entry(tmp_path: Path) -> None:
    template = "```md\n## D-001 - title\n- Decision: what\n```\n"

    assert log(tmp_path, LOG.replace("# DECISIONS.md\n", f"# DECISIONS.md\n\n{template}")).codes(RULES) == []


def numbered(*numbers: int) -> str:
    return "# Decisions\n" + "".join(SECOND.replace("2026-04-02 -", f"D-{n:03} -") for n in numbers)


def test_a_number_that_is_used_twice_is_an_error(tmp_path: Path) -> None:
    found = log(tmp_path, numbered(4, 5, 5)).ask(RULES, "d-dupid")

    assert found is not None
    assert [(one.level, one.anchor) for one in found] == [("error", "D-005")]


def test_numbers_that_differ_are_no_error(tmp_path: Path) -> None:
    assert log(tmp_path, numbered(4, 5, 6)).ask(RULES, "d-dupid") == []


def test_two_records_of_the_same_number_are_an_error(tmp_path: Path) -> None:
    made = folder(tmp_path, adr(1, "A"), adr(2, "B")).has("docs/adr/0002-again.md", adr(2, "C"))

    assert made.levels(RULES, "d-dupid") == ["error"]


def test_a_gap_in_the_numbers_of_records_is_information(tmp_path: Path) -> None:
    found = folder(tmp_path, adr(1, "A"), adr(2, "B"), adr(5, "C")).ask(RULES, "d-gap")

    assert found is not None
    assert [(one.level, one.message) for one in found] == [("info", "2 numbers of ADRs missing: 3, 4.")]


def test_records_without_a_gap_are_passed(tmp_path: Path) -> None:
    assert folder(tmp_path, adr(1, "A"), adr(2, "B")).ask(RULES, "d-gap") == []


def test_logs_have_no_numbers_to_miss(tmp_path: Path) -> None:
    assert log(tmp_path, numbered(1, 9)).ask(RULES, "d-gap") is None


def superseded(by: str) -> str:
    return DECISIONS + f"- Status: superseded by {by}\n" + SECOND


@pytest.mark.parametrize("by", ["2026-04-02", "2026-04-02 - Search by tsvector", "Search by tsvector"])
def test_a_successor_is_found_by_its_day_or_title(tmp_path: Path, by: str) -> None:
    assert log(tmp_path, superseded(by)).ask(RULES, "d-super-dangling") == []


@pytest.mark.parametrize("by", ["2026-05-01", "D-099", "Cache in memcached"])
def test_a_successor_that_is_not_there_is_a_warning(tmp_path: Path, by: str) -> None:
    assert log(tmp_path, superseded(by)).levels(RULES, "d-super-dangling") == ["warning"]


def test_logs_without_successors_are_not_asked(tmp_path: Path) -> None:
    assert log(tmp_path, LOG).ask(RULES, "d-super-dangling") is None
    assert log(tmp_path, LOG).ask(RULES, "d-super-oneway") is None
    assert log(tmp_path, LOG).ask(RULES, "d-super-cycle") is None


def test_the_spelling_of_the_old_tools_is_known(tmp_path: Path) -> None:
    made = folder(
        tmp_path,
        adr(1, "Use memcached", "Superceded by [2. Use Redis](0002-record.md)"),
        adr(2, "Use Redis", "Accepted\n\nSupercedes [1. Use memcached](0001-record.md)"),
    )

    assert made.ask(RULES, "d-super-dangling") == []
    assert made.ask(RULES, "d-super-oneway") == []


def test_a_successor_that_does_not_name_what_it_replaced_is_information(tmp_path: Path) -> None:
    made = folder(
        tmp_path,
        adr(1, "Use memcached", "Superseded by [2. Use Redis](0002-record.md)"),
        adr(2, "Use Redis"),
    )

    assert made.levels(RULES, "d-super-oneway") == ["info"]


def test_decisions_that_supersede_one_another_in_a_ring_are_one_error(tmp_path: Path) -> None:
    entries = (
        "\n## D-001 - a\n- Decision: x\n- Status: superseded by D-002\n"
        "\n## D-002 - b\n- Decision: y\n- Status: superseded by D-003\n"
        "\n## D-003 - c\n- Decision: z\n- Status: superseded by D-001\n"
    )

    assert log(tmp_path, f"# Decisions\n{entries}").levels(RULES, "d-super-cycle") == ["error"]


def test_a_chain_of_decisions_is_no_ring(tmp_path: Path) -> None:
    entries = (
        "\n## D-001 - a\n- Decision: x\n- Status: superseded by D-002\n"
        "\n## D-002 - b\n- Decision: y\n- Status: superseded by D-003\n"
        "\n## D-003 - c\n- Decision: z\n"
    )

    assert log(tmp_path, f"# Decisions\n{entries}").ask(RULES, "d-super-cycle") == []


def test_a_decision_that_was_deleted_is_an_error(tmp_path: Path) -> None:
    found = log(tmp_path, DECISIONS, LOG, LOG).ask(RULES, "d-shrunk")

    assert found is not None
    assert [(one.level, one.anchor) for one in found] == [("error", "2026-04-02 Search by tsvector")]


@pytest.mark.parametrize(
    "now",
    [
        LOG,
        LOG.replace("in Redis\n", "in Redis (ersetzt durch 2026-04-02)\n", 1),
        LOG.replace("in Redis\n", "in Redis\n- Status: superseded by 2026-04-02\n", 1),
        LOG + SECOND.replace("2026-04-02", "2026-05-02").replace("Search by", "Sort by"),
        SECOND.lstrip() + DECISIONS.split("\n", 1)[1],
    ],
)
def test_marking_adding_and_sorting_lose_nothing(tmp_path: Path, now: str) -> None:
    made = log(tmp_path, now, LOG, DECISIONS)

    assert made.ask(RULES, "d-shrunk") == []
    assert made.ask(RULES, "d-edited") == []


def test_without_earlier_contents_nothing_can_be_lost(tmp_path: Path) -> None:
    made = log(tmp_path, LOG)
    made.git = GitFacts()

    assert made.ask(RULES, "d-shrunk") is None
    assert made.ask(RULES, "d-edited") is None


def test_what_moved_to_another_log_is_not_lost(tmp_path: Path) -> None:
    made = log(tmp_path, DECISIONS, LOG).has("docs/DECISIONS.md", f"# Decisions\n{SECOND}")

    assert made.ask(RULES, "d-shrunk") == []


def test_an_old_decision_that_was_rewritten_is_a_warning(tmp_path: Path) -> None:
    found = log(tmp_path, LOG.replace("TTL 5 Minuten", "TTL 10 Minuten"), LOG).ask(RULES, "d-edited")

    assert found is not None
    assert [(one.level, one.line) for one in found] == [("warning", 3)]


def test_a_line_that_only_begins_like_a_status_is_part_of_the_decision(tmp_path: Path) -> None:
    before = LOG.replace("in Redis\n", "in Redis\n- Standard cache is Redis here\n", 1)

    assert log(tmp_path, before.replace("is Redis here", "is Postgres here"), before).levels(
        RULES, "d-edited"
    ) == ["warning"]


def test_the_newest_decision_may_still_be_written(tmp_path: Path) -> None:
    assert log(tmp_path, LOG.replace("1.8 s", "2.1 s"), LOG).ask(RULES, "d-edited") == []


def test_broken_lines_are_no_rewriting(tmp_path: Path) -> None:
    now = LOG.replace("wird bei jeder Anfrage gelesen, das", "wird bei jeder Anfrage\n  gelesen, das")

    assert log(tmp_path, now, LOG).ask(RULES, "d-edited") == []


def test_a_decision_under_a_new_title_is_rewritten_not_lost(tmp_path: Path) -> None:
    made = log(
        tmp_path, LOG.replace("Cache der Benutzereinstellungen in Redis", "Cache der Einstellungen"), LOG
    )

    assert made.ask(RULES, "d-shrunk") == []
    assert made.levels(RULES, "d-edited") == ["warning"]


def test_a_link_to_a_missing_file_is_a_warning(tmp_path: Path) -> None:
    made = log(tmp_path, f"{LOG}\nSee [the sketch](docs/sketch.md) and [the code](main.c).\n")

    found = made.ask(RULES, "d-broken-link")

    assert found is not None
    assert [(one.level, one.anchor) for one in found] == [("warning", "docs/sketch.md")]


@pytest.mark.parametrize(
    "link",
    [
        "[a](https://example.com/x.md)",
        "[a](#top)",
        "[a](main.c#L3)",
        "`[a](x.md)`",
        "[a](mailto:a@b.c)",
        "[a](/x.md)",
    ],
)
def test_links_that_lead_elsewhere_are_not_asked_after(tmp_path: Path, link: str) -> None:
    assert log(tmp_path, f"{LOG}\nSee {link}.\n").ask(RULES, "d-broken-link") == []


@pytest.mark.parametrize("mark", ["[ARCHIVED]", "[archiviert]", "[Archivé]", "[ARCHIVED 2026-11-30]"])
def test_an_archived_decision_is_old_no_more(tmp_path: Path, mark: str) -> None:
    text = active("2026-01-01")
    assert "### " in text
    assert memory(tmp_path, text.replace("### ", f"### {mark} ")).ask(RULES, "d-old") is None


def active(day: str, status: str = "active") -> str:
    entry = f"### {day} — Cache\n- **Decision**: Redis\n- **Rationale**: fast\n- **Status**: {status}\n"
    return f"# Decisions\n\n{entry}"


def memory(tmp_path: Path, text: str) -> Examined:
    return Examined(tmp_path / "plain").has(".agents/memory/decisions.md", text)


def test_a_decision_that_is_active_for_ninety_days_is_to_be_reviewed(tmp_path: Path) -> None:
    found = memory(tmp_path, active("2026-09-01")).ask(RULES, "d-old", date(2026, 11, 30))

    assert found is not None
    assert [(one.level, one.since) for one in found] == [("info", "2026-09-01")]


def test_a_day_earlier_it_is_not_and_the_day_is_remembered(tmp_path: Path) -> None:
    made = memory(tmp_path, active("2026-09-01"))
    rule = next(rule for rule in RULES if rule.code == "d-old")
    today = Today(date(2026, 11, 29))

    assert list(rule.check(made.parsed(), today) or ()) == []
    assert today.turns == date(2026, 11, 30)


@pytest.mark.parametrize("status", ["superseded", "rolled-back"])
def test_what_is_not_active_is_not_reviewed(tmp_path: Path, status: str) -> None:
    assert memory(tmp_path, active("2026-01-01", status)).ask(RULES, "d-old") is None


def test_accepted_records_are_meant_to_last(tmp_path: Path) -> None:
    assert folder(tmp_path, adr(1, "A")).ask(RULES, "d-old", DAY) is None


DEAD = numbered(7) + "- Status: superseded by D-008\n" + numbered(8).split("\n", 1)[1]


def test_a_dead_decision_that_the_progress_file_cites_is_a_warning(tmp_path: Path) -> None:
    made = log(tmp_path, DEAD)
    made.has("PROGRESS.md", "# P\n\n## Goal\nSearch as in D-007\n\n## Next step\ntest it\n")

    found = made.ask(RULES, "d-cited")

    assert found is not None
    assert [(one.level, one.file, one.line) for one in found] == [("warning", "PROGRESS.md", 4)]


@pytest.mark.parametrize(
    "line",
    ["Search as in D-008", "D-007 was replaced", "D-007 ist überholt", "D-0071", "XD-007", "`x-d-007-y`"],
)
def test_what_cites_the_living_or_speaks_of_history_is_silent(tmp_path: Path, line: str) -> None:
    made = log(tmp_path, DEAD).has("PROGRESS.md", f"# P\n\n## Goal\n{line}\n\n## Next step\ntest it\n")

    assert made.ask(RULES, "d-cited") == []


def test_without_dead_decisions_no_citation_is_looked_for(tmp_path: Path) -> None:
    assert log(tmp_path, numbered(7, 8)).ask(RULES, "d-cited") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sessions expire after 5 minutes", "sessions expire after 10 minutes"),
        ("store images in the database", "do not store images in the database"),
        ("die Suche läuft nicht offline weiter", "die Suche läuft offline weiter"),
        ("support ends on 2026-05-01 for all", "support ends on 2027-05-01 for all"),
    ],
)
def test_decisions_that_differ_in_a_number_or_a_negation_are_shown_side_by_side(
    tmp_path: Path, one: str, other: str
) -> None:
    entries = f"\n## 2026-01-02 - First\n- Decision: {one}\n\n## 2026-02-03 - Second\n- Decision: {other}\n"
    found = log(tmp_path, f"# Decisions\n{entries}").ask(RULES, "d-contradiction")

    assert found is not None
    assert [one_found.level for one_found in found] == ["info"]
    assert one[:20] in found[0].message
    assert other[:20] in found[0].message


@pytest.mark.parametrize(
    "other",
    [
        "sessions expire after 5 minutes",
        "passwords expire after 10 days of silence",
        "sessions expire after 10 minutes\n- Status: superseded by 2026-01-02",
    ],
)
def test_decisions_that_agree_or_are_of_other_things_are_not(tmp_path: Path, other: str) -> None:
    first = "sessions expire after 5 minutes"
    entries = f"\n## 2026-01-02 - First\n- Decision: {first}\n\n## 2026-02-03 - Second\n- Decision: {other}\n"

    assert not log(tmp_path, f"# Decisions\n{entries}").ask(RULES, "d-contradiction")


def test_a_log_in_columns_has_its_reasons_beside(tmp_path: Path) -> None:
    """Roo's decisionLog.md has one heading for all decisions and one for all reasons."""
    text = "# Decision Log\n\n## Decision\n* [2026-11-10 10:00:00] - steps in the URL\n"
    bare = project(tmp_path / "bare", DECISIONS=text)
    whole = project(tmp_path / "whole", DECISIONS=f"{text}\n## Rationale\n* reload works\n")

    assert (bare.levels(RULES, "d-fields"), whole.levels(RULES, "d-fields")) == (["warning"], [])


@pytest.mark.parametrize("said", ["überholt durch", "abgelöst durch", "ersetzt durch", "replaced by"])
def test_whatever_word_says_that_a_decision_was_replaced_its_successor_is_looked_for(
    tmp_path: Path, said: str
) -> None:
    text = (
        f"# Log\n\n## D-2: Letzter gewinnt (2026-08-20), {said} D-4\n- Entscheidung: der letzte.\n"
        "- Begründung: einfach.\n- Verworfen: fragen.\n"
    )
    there = (
        f"{text}\n## D-4: Je Feld\n- Entscheidung: Felder.\n- Begründung: Verluste.\n- Verworfen: nichts.\n"
    )

    assert project(tmp_path / "a", DECISIONS=text).levels(RULES, "d-super-dangling") == ["warning"]
    assert project(tmp_path / "b", DECISIONS=there).levels(RULES, "d-super-dangling") == []


def test_a_log_may_count_in_a_manner_of_its_own(tmp_path: Path) -> None:
    text = (
        "# Log\n\n### E-2: Letzter gewinnt, ersetzt durch E-4\n**Entscheidung:** der letzte.\n\n"
        "### E-4: Je Feld\n**Entscheidung:** Felder.\n"
    )

    assert project(tmp_path, DECISIONS=text).ask(RULES, "d-super-dangling") == []


def test_one_that_counts_in_its_own_manner_names_what_it_replaced(tmp_path: Path) -> None:
    old = "### E-2: Letzter gewinnt, ersetzt durch E-4\n**Entscheidung:** der letzte.\n\n"
    new = "### E-4: Je Feld (ersetzt E-2)\n**Entscheidung:** Felder.\n"
    silent = new.replace(" (ersetzt E-2)", "")

    assert project(tmp_path / "a", DECISIONS=f"# Log\n\n{old}{new}").ask(RULES, "d-super-oneway") == []
    assert project(tmp_path / "b", DECISIONS=f"# Log\n\n{old}{silent}").levels(RULES, "d-super-oneway") == [
        "info"
    ]


def test_a_log_that_cannot_be_read_is_not_called_missing(tmp_path: Path) -> None:
    made = project(tmp_path, DECISIONS="")
    (made.root / "DECISIONS.md").mkdir()

    assert made.ask(RULES, "d-missing") is None
