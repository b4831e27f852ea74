"""What a progress file hands over, and what it records of commits and tests."""

# ruff: noqa: RUF001 - texts keep the signs of their languages

from __future__ import annotations

import time
import unicodedata

import pytest

from brain.health import roles
from brain.health.evidence import commit_in, run_in
from brain.health.handover import Handover
from brain.health.page import Page
from brain.health.values import MemoryFile
from tests.brain.health import shapes


def handover(text: str) -> Handover:
    file = MemoryFile(roles.PROGRESS, "PROGRESS.md", text.encode())
    return Handover(file, Page(file.path, file.data))


def test_the_seed_hands_over_all_four_fields() -> None:
    read = handover(shapes.SEED_PROGRESS)

    assert read.recognised
    assert {"goal", "state", "head", "blockers", "next", "done"} <= read.fields.keys()
    assert read.commit is not None
    assert (read.commit.text, read.commit.line) == ("4f2a9c1", 7)
    assert read.tests is not None
    assert (read.tests.passed, read.tests.total, read.tests.is_red, read.tests.command) == (
        142,
        142,
        False,
        "make check",
    )
    assert read.next_has_criterion
    assert read.has_verified
    assert not read.soft_blocker


def test_a_next_step_in_a_fence_is_none() -> None:
    read = handover("# P\n\n## Goal\nSearch\n\n```\n## Next Step\nPaging\n```\n\n## Blockers\nNone\n")

    assert read.recognised
    assert "next" not in read.present


def test_decomposed_umlauts_and_cr_lf_do_not_hide_the_next_step() -> None:
    text = unicodedata.normalize("NFD", "# P\r\n\r\n## Nächster Schritt\r\nSeiten\r\n")

    assert handover(text).fields["next"].text == "Seiten"


@pytest.mark.parametrize(
    "word", ["None", "keine.", "- none", "Keine bekannt", "n/a", "-", "aucun", "なし", "None – all clear"]
)
def test_a_word_for_none_answers_what_blocks(word: str) -> None:
    read = handover(f"# P\n\n## Goal\nx\n\n## Blockers\n{word}\n\n## Next\ny\n")

    assert "blockers" in read.fields
    assert read.is_none("blockers")


@pytest.mark.parametrize(
    "value",
    [
        "-",
        "TBD",
        "{what comes next}",
        "[next step]",
        "…",
        "None",
        "XX",
        "D-NNN",
        "<!-- fill in -->",
        "- ",
        "keine",
    ],
)
def test_a_placeholder_or_none_is_no_next_step(value: str) -> None:
    read = handover(f"# P\n\n## Goal\nx\n\n## Next step\n{value}\n")

    assert "next" not in read.fields
    assert read.places["next"] == 6


@pytest.mark.parametrize(
    "value", ["No API key yet", "Keine Daten zur Morphologie", "Nothing works without the key"]
)
def test_a_sentence_that_begins_like_none_is_a_blocker(value: str) -> None:
    assert not handover(f"# P\n\n## Blockers\n{value}\n").is_none("blockers")


def test_open_points_answer_softly() -> None:
    read = handover("# P\n\n## Goal\nx\n\n## Open questions\n- Which port?\n")

    assert read.soft_blocker


def test_a_date_after_the_word_stand_is_no_state() -> None:
    assert (
        "state" not in handover("# P\n\nStand: 19.09.2026.\n\n## Ziel\nx\n\n## Nächster Schritt\ny\n").present
    )


def test_of_stacked_sessions_the_newest_says_what_comes_next() -> None:
    newest_first = "# P\n\n## 2026-03-02\n\n**Next:** b\n\n## 2026-03-01\n\n**Next:** a\n"
    oldest_first = "# P\n\n## Session 1\n\n**Next:** a\n\n## Session 2\n\n**Next:** b\n"

    assert handover(newest_first).fields["next"].text == "b"
    assert handover(oldest_first).fields["next"].text == "b"


@pytest.mark.parametrize(
    "text", ["# P\n\nSome notes.\n", "", "# 進捗\n\n## 概要\n文\n", "# P\n\n## Overview\nx\n\n## Team\ny\n"]
)
def test_an_unknown_shape_is_not_recognised(text: str) -> None:
    assert not handover(text).recognised


@pytest.mark.parametrize(
    "text",
    [
        "HEAD: 4f2a9c1",
        "commit 4f2a9c1",
        "**Commit:** `4f2a9c1`",
        "main == remote @ 4f2a9c1",
        "main@4f2a9c1",
        "SHA = 4f2a9c1",
        "Revision 4f2a9c1,",
        "(commit: 4f2a9c1)",
    ],
)
def test_a_hash_after_a_word_for_it_is_a_commit(text: str) -> None:
    assert commit_in(text) == "4f2a9c1"


def test_a_hash_without_digits_or_letters_needs_a_clear_place() -> None:
    assert commit_in("HEAD `deadbee`") == "deadbee"
    assert commit_in("commit: `deadbee`") == "deadbee"
    assert commit_in("HEAD 1234567") == "1234567"
    assert commit_in("we commit defaced walls") == ""
    assert commit_in("commit: 20260314") == ""


@pytest.mark.parametrize(
    "text",
    [
        "colour #1a2b3c4",
        "on 20260314",
        "ana@1abcde2.example.com",
        "heading 4f2a9c1",
        "4f2a9c1",
        "sha 4f2a9c1z",
    ],
)
def test_other_hexadecimal_is_no_commit(text: str) -> None:
    assert commit_in(text) == ""
    assert handover(f"# P\n\n## Goal\n{text}\n").commit is None


def test_a_label_for_the_head_may_say_more() -> None:
    assert handover("# P\n\n- HEAD (main): branch at 4f2a9c1\n")._any_commit() is None
    commit = handover("# P\n\n- HEAD (main): branch at 4f2a9c1\n").commit
    assert commit is not None
    assert commit.text == "4f2a9c1"


@pytest.mark.parametrize(
    ("text", "numbers", "red"),
    [
        ("142/142 tests", (142, 142, None), False),
        ("Tests: 142/142", (142, 142, None), False),
        ("141/142 Tests", (141, 142, None), True),
        ("1164 passed, 10 skipped", (1164, None, None), False),
        ("3 failed", (None, None, 3), True),
        ("0 failed, 12 passed", (12, 12, 0), False),
        ("5 passed, 1 failed", (5, 6, 1), True),
        ("12 Tests bestanden", (12, None, None), False),
        ("57 tests passent", (57, None, None), False),
        ("142 of 142 tests", (142, 142, None), False),
        ("CI is green", (None, None, None), False),
        ("build: ✅", (None, None, None), False),
        ("tests are red", (None, None, None), True),
        ("Testlauf fehlgeschlagen", (None, None, None), True),
        ("`make check`: grün", (None, None, None), False),
        ("142/142 tests pass, no failures", (142, 142, None), False),
        ("Test: 533 ✅", (533, None, None), False),
    ],
)
def test_evidence_of_tests(text: str, numbers: tuple[int | None, int | None, int | None], red: bool) -> None:
    run = run_in(text)

    assert run is not None
    assert (run.passed, run.total, run.failed) == numbers
    assert run.is_red is red


@pytest.mark.parametrize(
    "text",
    [
        "Everything works.",
        "2/4 features",
        "Phase 2/5: tests",
        "12/18/25 tests",
        "84 tests",
        "should pass the tests",
        "No failing tests",
        "until the tests are green",
        "Unit tests by hand",
        "3/4 of the users",
        "wenn die Tests grün sind",
    ],
)
def test_what_is_no_evidence_of_tests(text: str) -> None:
    assert run_in(text) is None


def test_a_wish_in_the_next_step_is_no_evidence() -> None:
    assert handover("# P\n\n## Goal\nx\n\n## Next\nAll 12 tests pass\n").tests is None


@pytest.mark.parametrize(
    "step",
    [
        "Paging, done when page 2 works",
        "Fertig, wenn Seite 2 geht",
        "Kriterium: Seite 2",
        "Paging; `make check` passes",
        "critère : page 2",
        "the test for page 2",
    ],
)
def test_a_next_step_with_a_criterion(step: str) -> None:
    assert handover(f"# P\n\n## Next\n{step}\n").next_has_criterion


def test_a_next_step_without_a_criterion() -> None:
    assert not handover("# P\n\n## Next\nWork on `search.py` and the contest\n").next_has_criterion


def test_a_hostile_progress_file_takes_linear_time() -> None:
    began = time.process_time()
    for text in (
        "HEAD @ " * 150_000,
        "1 passed " * 100_000,
        "## Next\n1/2 tests commit abc\n" * 30_000,
        "tests " * 170_000,
        "make " * 200_000,
    ):
        read = handover(text)
        assert isinstance(read.recognised, bool)
        assert read.commit is None or read.commit.text
        assert read.tests is None or read.tests.fact.text
    assert time.process_time() - began < 40


@pytest.mark.parametrize(
    "text",
    ["**Next step: print the week.**", "__Next step: print the week.__", "**Sıradaki adım: yazdırmak.**"],
)
def test_a_sentence_that_is_bold_as_a_whole_can_be_a_label(text: str) -> None:
    read = handover(f"# Progress\n\n## Goal\nPaper\n\n{text}\n")

    assert read.fields["next"].text.rstrip(".*_ ").endswith(("print the week", "yazdırmak"))
