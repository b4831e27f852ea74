"""The checker accepts what BMAD+ makes and refuses each damage, so that its silence means something."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interop import checker, golden, nexus_run

LOCK = '{"pid":7,"hostname":"h","token":"0b8f3cfb-9f0a-4c6e-8d3a-1f2e3d4c5b6a"}'
LINK = (
    '{\n  "linked_brain": "/b",\n  "brain_type": "portfolio",\n  "linked_at": "2026-10-19T02:13:36.733Z"\n}'
)


def card(data: bytes) -> list[str]:
    return checker.card_faults("af7574b5.yaml", data)


def index(data: bytes) -> list[str]:
    cards = {"af7574b5.yaml": golden.CARD_BY_SCAN, "e788e597.yaml": golden.CARD_BY_INSTALL}
    return checker.index_faults(data, {name: text.encode() for name, text in cards.items()})


def _receipts(tmp_path: Path) -> str:
    (tmp_path / "src/auth").mkdir(parents=True)
    for name in ("src/auth/limit.go", "go.mod", "go"):
        (tmp_path / name).write_text(name)
    run = nexus_run.accepted_run(tmp_path, tmp_path / "go", tasks=("a", "b"))
    first = nexus_run.receipt(run, ".bmad/memory/lessons.md", "h", "b")
    second = nexus_run.receipt(run, ".bmad/memory/lessons.md", "h", "b", task=1, supersedes=[first["id"]])
    return golden.compact(first) + "\n" + golden.compact(second) + "\n"


GOOD: list[tuple[Callable[[bytes], list[str]], str]] = [
    (card, golden.CARD_BY_SCAN),
    (index, golden.INDEX_BY_SCAN),
    (checker.journal_faults, golden.S0_EVENT + golden.ALPHA_EVENT),
    (checker.scores_faults, golden.SCORES),
    (checker.promotions_faults, golden.promotion("p", "2026-10-18T09:30:00.000Z")),
    (checker.lock_faults, LOCK),
    (checker.link_faults, LINK),
]

DAMAGED: list[tuple[Callable[[bytes], list[str]], str, str, str]] = [
    (card, golden.CARD_BY_SCAN, "\n", "\r\n"),
    (card, golden.CARD_BY_SCAN, "/home/ana/dev/shop", "/home/ana/dev/other"),
    (card, golden.CARD_BY_SCAN, "has_git: true", 'has_git: "true"'),
    (card, golden.CARD_BY_SCAN, '"active"', "active # today"),
    (card, golden.CARD_BY_SCAN, 'stack: "Go"', 'status: "paused"'),
    (index, golden.INDEX_BY_SCAN, "total_projects: 2", "total_projects: 3"),
    (index, golden.INDEX_BY_SCAN, "| shop |", "| shop | oops |"),
    (index, golden.INDEX_BY_SCAN, "| ✓ |", "| · |"),
    (checker.journal_faults, golden.S0_EVENT, "912e91734848", "912e91734849"),
    (checker.journal_faults, golden.S0_EVENT, "atelier", "Atelier"),
    (checker.journal_faults, golden.S0_EVENT, '"model":null,', ""),
    (checker.journal_faults, golden.S0_EVENT, "\n", ""),
    (checker.journal_faults, golden.S0_EVENT, '","', '", "'),
    (checker.journal_faults, golden.S0_EVENT, ".840Z", "Z"),
    (checker.scores_faults, golden.SCORES, "1216", "1216.0"),
    (checker.scores_faults, golden.SCORES, "}\n}\n", "}\n}"),
    (checker.scores_faults, golden.SCORES, "0.6666666666666666", "0.6667"),
    (checker.promotions_faults, golden.promotion("p", "2026-10-18T09:30:00.000Z"), "PROPOSED", "APPROVED"),
    (checker.promotions_faults, golden.promotion("p", "2026-10-18T09:30:00.000Z"), '"p"', '"q"'),
    (checker.lock_faults, LOCK, '"pid":7', '"pid":"7"'),
    (checker.lock_faults, LOCK, "-4c6e-", "-1c6e-"),
    (checker.link_faults, LINK, "\n}", "\n}\n"),
]


@pytest.mark.parametrize(("reader", "text"), GOOD)
def test_what_bmad_makes_is_accepted(reader: Callable[[bytes], list[str]], text: str) -> None:
    assert reader(text.encode()) == []


@pytest.mark.parametrize(("reader", "text", "old", "new"), DAMAGED)
def test_each_damage_is_seen(reader: Callable[[bytes], list[str]], text: str, old: str, new: str) -> None:
    assert text.count(old)

    assert reader(text.replace(old, new).encode()) != []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("größer", "grösser"),
        ("accepted-outcome", "outcome"),
        ('"scope":["src/auth"]', '"scope":[]'),
        ("unmeasured", "measured"),
        ("\n", ""),
    ],
)
def test_a_receipt_accepts_no_change(tmp_path: Path, old: str, new: str) -> None:
    text = _receipts(tmp_path)
    assert checker.receipts_faults(text.encode()) == []

    assert checker.receipts_faults(text.replace(old, new, 1 if new else -1).encode()) != []


def test_a_relation_to_a_later_receipt_is_seen(tmp_path: Path) -> None:
    first, second = _receipts(tmp_path).splitlines(keepends=True)

    assert checker.receipts_faults((second + first).encode()) != []


def test_a_section_has_the_published_hash() -> None:
    ((heading, body),) = checker.sections("text\n###  A \nalpha text\n\n")

    assert checker.section_sha256(heading, body) == (
        "3e23fbf6a865bf89c99e881b4bf8f6d7cfd57cded8126bbc30f47c177fe72ea8"
    )


def test_the_checker_runs_alone_and_answers_with_its_exit_code(tmp_path: Path) -> None:
    journal = tmp_path / "journal.ndjson"
    command = [sys.executable, "-I", checker.__file__, str(tmp_path)]
    journal.write_text(golden.S0_EVENT)
    good = subprocess.run(command, capture_output=True, check=False)
    journal.write_text(golden.S0_EVENT.replace("atelier", "x"))
    bad = subprocess.run(command, capture_output=True, check=False)

    assert (good.returncode, good.stderr) == (0, b"")
    assert (bad.returncode, bad.stderr) == (1, b"journal.ndjson: line 1: id\n")


def test_the_events_of_the_generator_are_those_of_the_documentation() -> None:
    event = json.loads(golden.S0_EVENT)

    assert (
        golden.event(
            event["ts"],
            "atelier",
            golden.S0_TASK,
            cli="claude-code",
            outcome="success",
            signals={"ci": "pass"},
        )
        == golden.S0_EVENT
    )
