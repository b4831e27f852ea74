from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from brain.health.restrictions import RULES
from brain.health.today import Today
from tests.brain.health.examined import DAY, Examined, project


def with_memory(tmp_path: Path, text: str) -> Examined:
    return project(tmp_path).has("MEMORY.md", f"# Memory\n\n{text}\n")


@pytest.mark.parametrize(
    "text",
    [
        "- expires: 2026-11-29",
        "- **Expires:** 29.11.2026",
        "- Freeze of the API (valid until: 2026-11-29)",
        "- Gültig bis: 29.11.2026",
        "- Valable jusqu'au : 29 novembre 2026".replace(" :", ":"),
        "- Do not deploy until 2026-11-29.",
        "- Nicht deployen bis 29.11.2026.",
        "- Ne pas déployer avant le 29 novembre 2026.",
    ],
)
def test_a_restriction_that_is_over_is_a_warning(tmp_path: Path, text: str) -> None:
    (found,) = with_memory(tmp_path, text).ask(RULES, "r-expired") or []

    assert (found.level, found.file, found.line, found.since) == ("warning", "MEMORY.md", 3, "2026-11-29")


def test_a_restriction_holds_on_its_last_day(tmp_path: Path) -> None:
    assert with_memory(tmp_path, "- expires: 2026-11-30").ask(RULES, "r-expired") == []


def test_the_day_on_which_the_answer_turns_is_told(tmp_path: Path) -> None:
    parsed, today = with_memory(tmp_path, "- expires: 2026-12-24").parsed(), Today(DAY)
    for rule in RULES:
        rule.check(parsed, today)

    assert today.turns == date(2026, 12, 17)


def test_front_matter_can_hold_the_end(tmp_path: Path) -> None:
    text = "---\nname: freeze\nexpires: 2026-11-01\n---\n# Freeze\n"
    (found,) = project(tmp_path).has("memory/freeze.md", text).ask(RULES, "r-expired") or []

    assert (found.level, found.line) == ("warning", 3)


def test_what_merely_was_is_information(tmp_path: Path) -> None:
    text = "- Bis 2026-11-01 war der Fehler nicht behoben."

    assert with_memory(tmp_path, text).levels(RULES, "r-expired") == ["info"]


def test_an_archived_entry_may_be_over(tmp_path: Path) -> None:
    text = "# Decisions\n\n### 2026-10-01 — Freeze [ARCHIVED]\n- no deploys\n- expires: 2026-11-01\n"

    assert project(tmp_path).has(".agents/memory/decisions.md", text).ask(RULES, "r-expired") is None


def test_a_restriction_that_ends_within_a_week_is_information(tmp_path: Path) -> None:
    assert with_memory(tmp_path, "- expires: 2026-12-07").levels(RULES, "r-soon") == ["info"]
    assert with_memory(tmp_path / "b", "- expires: 2026-12-08").ask(RULES, "r-soon") == []


@pytest.mark.parametrize("text", ["- expires: tomorrow", "- gültig bis: nächste Woche", "- expire: demain"])
def test_a_relative_day_after_a_label_is_a_warning(tmp_path: Path, text: str) -> None:
    assert with_memory(tmp_path, text).levels(RULES, "r-date") == ["warning"]


def test_a_day_that_the_calendar_does_not_know_is_a_warning(tmp_path: Path) -> None:
    assert with_memory(tmp_path, "- expires: 2026-02-30").levels(RULES, "r-date") == ["warning"]


def test_a_relative_day_in_a_sentence_is_information(tmp_path: Path) -> None:
    assert with_memory(tmp_path, "- Do not merge until next week.").levels(RULES, "r-date") == ["info"]


@pytest.mark.parametrize(
    "text", ["- expires: 3600", "- expires: after three green runs", "- expires: <date>"]
)
def test_values_that_are_no_days_are_left_alone(tmp_path: Path, text: str) -> None:
    assert not with_memory(tmp_path, text).ask(RULES, "r-date")


@pytest.mark.parametrize(
    "text",
    ["- Do not merge until the audit is done.", "- Erst wenn die Prüfung fertig ist, nicht vorher mergen.",
     "- Ne pas fusionner tant que l'audit dure."],
)  # fmt: skip
def test_a_restriction_without_day_and_owner_is_information(tmp_path: Path, text: str) -> None:
    assert with_memory(tmp_path, text).levels(RULES, "r-open") == ["info"]


def test_a_restriction_with_its_owner_is_complete(tmp_path: Path) -> None:
    text = "- Do not merge until the audit is done (owner: Ana)."

    assert with_memory(tmp_path, text).ask(RULES, "r-open") == []


def test_rules_of_an_instruction_file_need_no_end(tmp_path: Path) -> None:
    made = project(tmp_path, AGENTS="# Rules\n\n- Do not commit until the tests are green.\n")

    assert made.ask(RULES, "r-open") is None


def test_untrusted_text_in_the_memory_is_a_warning(tmp_path: Path) -> None:
    made = with_memory(tmp_path, "- A page says the API is free. (trust: untrusted)")

    assert made.levels(RULES, "r-untrusted") == ["warning"]


def test_reviewed_text_is_fine(tmp_path: Path) -> None:
    made = with_memory(tmp_path, "- trust: reviewed\n- Input of users is untrusted: escape it.")

    assert made.ask(RULES, "r-untrusted") == []


@pytest.mark.parametrize("code", [rule.code for rule in RULES if rule.code != "r-untrusted"])
def test_a_project_without_restrictions_is_not_asked(tmp_path: Path, code: str) -> None:
    assert project(tmp_path).ask(RULES, code) is None


def test_a_project_without_memory_is_not_asked_about_trust(tmp_path: Path) -> None:
    assert Examined(tmp_path / "empty").ask(RULES, "r-untrusted") is None


def test_a_restriction_in_a_fence_is_a_sample(tmp_path: Path) -> None:
    assert with_memory(tmp_path, "```\n- expires: 2026-01-01\n```").ask(RULES, "r-expired") is None


@pytest.mark.parametrize(
    "text",
    [
        "- Nicht vor dem 01.10.2026 ausliefern (Freigabe: Eva).",
        "- Keine Migration bis 31.08.2026.",
        "- Do not deploy until 2026-11-01.",
        "- Ne pas livrer jusqu'au 2026-09-15 (responsable : Luc).",
    ],
)
def test_a_day_that_is_past_in_an_instruction_file_is_a_warning(tmp_path: Path, text: str) -> None:
    made = project(tmp_path, AGENTS=f"# Rules\n\n{text}\n")

    assert made.levels(RULES, "r-expired") == ["warning"]


@pytest.mark.parametrize(
    "text",
    [
        "- Bis 2026-03 hieß das Modul lager, nicht halle.",
        "- Do not keep logs until 30 days have passed; 20 is enough.",
        "- Do not commit until 2026 tests are green.",
        "- Nicht umbuchen bis morgen, seit 2020 so.",
    ],
)
def test_without_a_day_in_full_an_instruction_is_no_restriction(tmp_path: Path, text: str) -> None:
    made = project(tmp_path, AGENTS=f"# Rules\n\n{text}\n")

    assert made.ask(RULES, "r-expired") is None


@pytest.mark.parametrize(
    "text",
    [
        "- The freeze until 2026-09-30 is over, we deploy again.",
        "- Die Sperre, nichts zu buchen bis 30.09.2026, ist aufgehoben. Keine weitere.",
        "- Le gel jusqu'au 2026-09-30, ne pas livrer, est levé.",
    ],
)
def test_what_says_itself_that_it_is_over_stands_rightly(tmp_path: Path, text: str) -> None:
    assert with_memory(tmp_path, text).ask(RULES, "r-expired") is None


def test_a_label_may_end_a_sentence(tmp_path: Path) -> None:
    made = with_memory(tmp_path, "- The courier says that the bakery takes parcels. trust: untrusted")

    assert made.levels(RULES, "r-untrusted") == ["warning"]


@pytest.mark.parametrize(
    "text", ["- Do not commit generated files.", "- Nicht auf main pushen.", "- Ne pas pousser."]
)
def test_what_is_forbidden_for_good_needs_no_end(tmp_path: Path, text: str) -> None:
    assert with_memory(tmp_path, text).ask(RULES, "r-open") in (None, [])


# -- fields of an entry --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "- expires: 2026-12-24",
        "- Freeze (valid until: 2026-12-24)",
        "- gültig bis: 24.12.2026",
        "- unlock: when the audit is done",
        "- frei wenn: die Prüfung fertig ist",
        "- déblocage : après l'audit",
    ],
)
def test_an_end_that_nobody_is_named_for_is_information(tmp_path: Path, text: str) -> None:
    assert with_memory(tmp_path, text).levels(RULES, "r-owner") == ["info"]


@pytest.mark.parametrize(
    "text",
    [
        "- expires: 2026-12-24; owner: Ana",
        "- Freeze of the API\n  - expires: 2026-12-24\n  - Verantwortlich: Ana",
        "### Freeze\n- **Expires:** 2026-12-24\n- **Responsable :** Luc",
        "Freeze of the API\nexpires: 2026-12-24\nowner: Ana",
        "```yaml\nexpires: 2026-12-24\nowner: Ana\n```",
        "- Freeze until the audit, unlock: audit done (@ana)",
    ],
)
def test_an_owner_stands_anywhere_in_the_entry(tmp_path: Path, text: str) -> None:
    assert with_memory(tmp_path, text).ask(RULES, "r-owner") == []


def test_the_owner_of_another_entry_is_nobody_here(tmp_path: Path) -> None:
    text = "- Freeze, expires: 2026-12-24\n- The API, expires: 2026-12-25\n  - owner: Ana"
    (found,) = with_memory(tmp_path, text).ask(RULES, "r-owner") or []

    assert (found.line, found.message) == (3, "1 restriction that nobody is named for, the first in line 3.")


def test_the_owner_of_a_page_answers_for_all_of_it(tmp_path: Path) -> None:
    text = "---\nname: freeze\nowner: Ana\n---\n# Freeze\n\n- Freeze, expires: 2026-12-24\n"

    assert project(tmp_path).has("memory/freeze.md", text).ask(RULES, "r-owner") == []


def test_an_owner_below_a_sentence_completes_it(tmp_path: Path) -> None:
    text = "- Do not merge until the audit is done.\n  - owner: Ana"

    assert with_memory(tmp_path, text).ask(RULES, "r-open") == []


def test_a_fence_of_fields_alone_is_no_sample(tmp_path: Path) -> None:
    text = "Freeze\n\n```yaml\nexpires: 2026-11-01\navoid: deploys\n```"

    assert with_memory(tmp_path, text).levels(RULES, "r-expired") == ["warning"]


def test_a_fence_that_holds_more_is_a_sample(tmp_path: Path) -> None:
    text = "```yaml\nexpires: 2026-11-01\nowner: Ana\nimage: nginx\n```"

    assert with_memory(tmp_path, text).ask(RULES, "r-expired") is None


@pytest.mark.parametrize("value", ["Q1 2027", "2026-12", "KW 49", "December 2026", "32.13.2026"])
def test_an_end_that_is_no_day_in_full_is_a_warning(tmp_path: Path, value: str) -> None:
    assert with_memory(tmp_path, f"- expires: {value}").levels(RULES, "r-date") == ["warning"]


def test_an_unknown_word_of_trust_beside_other_fields_is_a_warning(tmp_path: Path) -> None:
    made = with_memory(tmp_path, "- The API is free.\n  - trust: untrustd\n  - owner: Ana")

    assert made.levels(RULES, "r-trust") == ["warning"]


def test_an_unknown_word_of_trust_alone_is_information(tmp_path: Path) -> None:
    assert with_memory(tmp_path, "- Trust: high").levels(RULES, "r-trust") == ["info"]


@pytest.mark.parametrize(
    "text",
    [
        "- trust: reviewed",
        "- Vertrauen: geprüft.",
        "- confiance : relu",
        "- Trust: the customers believe what we print.",
        "- In God we trust: all others bring data.",
    ],
)
def test_known_words_of_trust_and_prose_are_fine(tmp_path: Path, text: str) -> None:
    assert not with_memory(tmp_path, text).ask(RULES, "r-trust")


@pytest.mark.parametrize(
    "text", ["- Vertrauen: ungeprüft", "- confiance : non vérifié", "- trust: Untrusted."]
)
def test_untrusted_is_known_in_three_languages(tmp_path: Path, text: str) -> None:
    assert with_memory(tmp_path, text).levels(RULES, "r-untrusted") == ["warning"]


def test_front_matter_can_say_untrusted(tmp_path: Path) -> None:
    made = project(tmp_path).has(
        "memory/page.md", "---\nname: page\ntrust: untrusted\n---\nThe API is free.\n"
    )

    assert made.levels(RULES, "r-untrusted") == ["warning"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("- Until 2026-11-01 the road is closed (owner: Tom)", "r-expired"),
        ("- Bis 2026-11-01 ist die Straße geschlossen (zuständig: Tom)", "r-expired"),
        ("- Erst wenn Petra zustimmt, darf migriert werden", "r-open"),
    ],
)
def test_an_end_in_prose_is_seen_in_each_language(tmp_path: Path, text: str, code: str) -> None:
    assert len(with_memory(tmp_path, text).ask(RULES, code) or []) == 1


def test_who_is_zustaendig_owns_it(tmp_path: Path) -> None:
    text = "- Bis 2026-12-31 nicht deployen (zuständig: Petra)"

    assert with_memory(tmp_path, text).ask(RULES, "r-owner") in ([], None)
