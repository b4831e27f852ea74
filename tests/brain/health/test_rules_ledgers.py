from __future__ import annotations

import json
from pathlib import Path

import pytest

from brain.health.ledgers import RULES
from tests.brain.health.examined import Examined, project

FOLDER = ".bmad/memory"
EVENT = json.dumps({"ts": "2026-11-01T10:00:00.000Z", "agent": "forge", "id": "e29d39f52e49"})
SCORE = {"elo": 1216, "alpha": 2, "beta": 1, "mean": 0.66, "updates": 1, "lastTs": None}


def promotion(status: str, pattern: str = "retry-once", identifier: str = "a1") -> str:
    return json.dumps(
        {"id": identifier, "patternId": pattern, "ts": "2026-11-02T10:00:00.000Z", "status": status}
    )


def with_ledger(tmp_path: Path, name: str, text: str | bytes) -> Examined:
    return project(tmp_path).has(f"{FOLDER}/{name}", text)


def test_a_damaged_line_of_the_journal_is_a_warning_with_its_number(tmp_path: Path) -> None:
    made = with_ledger(tmp_path, "journal.ndjson", f'{EVENT}\n{{"ts": "2026\n{EVENT}\n')
    (found,) = made.ask(RULES, "m-ledger") or []

    assert (found.level, found.line) == ("warning", 2)


def test_damaged_evidence_is_an_error(tmp_path: Path) -> None:
    made = with_ledger(
        tmp_path, "outcomes.ndjson", '{"schemaVersion":1,"kind":"accepted-outcome","id":"x"}\n'
    )
    (found,) = made.ask(RULES, "m-ledger") or []

    assert found.level == "error"
    assert "line 1" in found.message


@pytest.mark.parametrize("data", [b"\xff\xfe\n", b"[]\n"])
def test_evidence_that_is_no_ledger_is_an_error(tmp_path: Path, data: bytes) -> None:
    assert with_ledger(tmp_path, "outcomes.ndjson", data).levels(RULES, "m-ledger") == ["error"]


def test_scores_that_are_no_scores_are_an_error(tmp_path: Path) -> None:
    made = with_ledger(tmp_path, "pattern-scores.json", '{"retry": {"elo": "high"}}')

    assert made.levels(RULES, "m-ledger") == ["error"]


def test_whole_ledgers_are_silent(tmp_path: Path) -> None:
    made = with_ledger(tmp_path, "journal.ndjson", f"{EVENT}\n\n")
    made.has(f"{FOLDER}/pattern-scores.json", json.dumps({"retry": SCORE}))
    made.has(f"{FOLDER}/promotions.ndjson", promotion("APPLIED") + "\n")

    assert made.codes(RULES) == []


def test_a_ledger_near_its_limit_is_a_warning(tmp_path: Path) -> None:
    made = with_ledger(tmp_path, "journal.ndjson", (EVENT + "\n") * (1_800_000 // (len(EVENT) + 1)))

    assert made.levels(RULES, "m-ledger-size") == ["warning"]


def test_a_full_ledger_is_an_error(tmp_path: Path) -> None:
    made = with_ledger(tmp_path, "journal.ndjson", (EVENT + "\n") * (2_100_000 // len(EVENT)))

    assert made.levels(RULES, "m-ledger-size") == ["error"]


def test_many_receipts_are_told_before_there_is_no_room(tmp_path: Path) -> None:
    assert with_ledger(tmp_path, "outcomes.ndjson", "{}\n" * 850).levels(RULES, "m-ledger-size") == [
        "warning"
    ]
    assert with_ledger(tmp_path / "b", "outcomes.ndjson", "{}\n" * 849).ask(RULES, "m-ledger-size") == []


def test_a_proposed_promotion_is_information_with_its_day(tmp_path: Path) -> None:
    made = with_ledger(tmp_path, "promotions.ndjson", promotion("PROPOSED") + "\n")
    (found,) = made.ask(RULES, "m-promotion") or []

    assert (found.level, found.since, found.anchor) == ("info", "2026-11-02", "retry-once")


def test_the_last_word_on_a_promotion_counts(tmp_path: Path) -> None:
    lines = [promotion("PROPOSED"), promotion("REJECTED"), promotion("APPROVED", "cache-first", "b2")]
    made = with_ledger(tmp_path, "promotions.ndjson", "\n".join(lines) + "\n")
    (found,) = made.ask(RULES, "m-promotion") or []

    assert found.anchor == "cache-first"
    assert "not applied" in found.message


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_a_project_without_ledgers_is_not_asked(tmp_path: Path, code: str) -> None:
    assert project(tmp_path).ask(RULES, code) is None
