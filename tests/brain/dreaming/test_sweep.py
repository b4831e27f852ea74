"""A whole sweep: deterministic, fed by nothing of its own, within its limit; G24."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.dreaming.claim_id import claim_id
from brain.dreaming.kept import Kept
from brain.dreaming.notes import note_of
from brain.dreaming.sweep import judged, select, sweep
from brain.dreaming.values import Gates, Marks, Note, Sweep, Workspace
from tests.brain.dreaming.writing import PORT, TODAY, days, failed, note, proposed, recalls, swept

WEEK = ("2026-06-08", "2026-06-09", "2026-06-10")
SENTENCES = (
    PORT,
    "Staging database listens on port 5433",
    "The staging database listens on port 6000.",
    "Alex prefers weekly summaries.",
    "Regel: freitags wird nicht deployt.",
    "Kranich zahlt nur im Voraus.",
    "Les factures vont toujours au comptable.",
    "Die Tabellen bis 2026-06-09 nicht anfassen.",
    "ran the tests",
    "Weekend!",
)
KEPT = Kept()


def test_one_note_swept_on_eight_nights_never_rises() -> None:
    scores = []
    for night in range(8):
        found = swept(note("2026-06-01", f"- {PORT}"), today=date(2026, 6, 2) + timedelta(days=night))
        assert found.proposals == ()
        scores.append(found.near_misses[0].verdict.score)
    assert scores == sorted(scores, reverse=True)
    assert scores[0] < 0.75


def test_a_sweep_without_notes_finds_nothing() -> None:
    found = swept()
    assert (found.proposals, found.near_misses, found.claims, found.notes, found.days) == ((), (), 0, 0, 0)


def test_a_note_of_a_day_to_come_is_left_out_and_said() -> None:
    found = swept(*days(PORT, *WEEK), note("2026-06-12", "- Alex prefers tea."))
    assert (found.notes, found.claims) == (3, 1)
    (future,) = [one for one in found.skipped if one.reason == "future"]
    assert (future.count, future.examples[0].path) == (1, "memory/2026-06-12.md")


def test_the_best_ten_are_proposed_and_the_others_wait() -> None:
    names = (
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "mu",
        "nu",
    )
    facts = [f"The {name} server is always kept in room {name}." for name in names]
    found = swept(*(note(day, *(f"- {fact}" for fact in facts)) for day in WEEK))
    assert len(found.proposals) == 10
    assert [one.verdict.failed for one in found.near_misses] == [("limit",), ("limit",)]
    more = Marks(promoted={id_: "" for one in found.proposals for id_ in one.claim.ids})
    assert (
        len(swept(*(note(day, *(f"- {fact}" for fact in facts)) for day in WEEK), marks=more).proposals) == 2
    )


def test_what_is_promoted_is_not_proposed_again() -> None:
    assert proposed(swept(*days(PORT, *WEEK), marks=Marks(promoted={claim_id(PORT): ""}))) == []


def test_what_was_archived_returns_only_with_newer_notes() -> None:
    assert proposed(swept(*days(PORT, *WEEK), marks=Marks(promoted={claim_id(PORT): WEEK[2]}))) == []
    assert proposed(swept(*days(PORT, *WEEK), marks=Marks(promoted={claim_id(PORT): WEEK[1]}))) == [PORT]


def test_what_is_expired_is_no_proposal_and_named() -> None:
    text = "The discount holds until 2026-06-10."
    assert proposed(swept(*days(text, *WEEK), today=date(2026, 6, 10))) == [text]
    found = swept(*days(text, *WEEK), today=date(2026, 6, 11))
    assert (proposed(found), found.expired) == ([], (claim_id(text),))
    assert [one.count for one in found.skipped if one.reason == "expired"] == [1]


def test_a_line_that_stands_in_most_notes_is_a_form() -> None:
    every = [(date(2026, 5, 20) + timedelta(days=number)).isoformat() for number in range(20)]
    notes = [note(day, "- The day is what we make of it.") for day in every]
    assert proposed(swept(*notes)) == []
    assert [one.count for one in swept(*notes).skipped if one.reason == "template"] == [1]


def test_recalls_and_stages_of_any_wording_count_for_the_claim() -> None:
    other = "Staging database listens on port 5433"
    notes = [note("2026-06-01", f"- {PORT}"), note("2026-06-02", f"- {other}")]
    found = recalls(("a", "2026-06-03"), ("b", "2026-06-04"), ("c", "2026-06-05"), ("c", "2026-06-06"))
    assert proposed(swept(*notes)) == []
    assert proposed(swept(*notes, marks=Marks(recalls={claim_id(other): found}))) == [PORT]
    assert proposed(swept(*notes, marks=Marks(staged={claim_id(other): "2026-06-10"}))) == [PORT]


def test_a_claim_of_one_note_is_shown_with_the_gates_that_it_failed() -> None:
    assert failed(swept(note("2026-06-10", f"- {PORT}")), PORT) == ("recurrence", "score")


def test_themes_are_what_claims_of_the_week_share() -> None:
    found = swept(
        note("2026-06-09", "- The gateway is in the cellar.", "- The gateway has two cards."),
        note("2026-06-10", "- The gateway belongs to Nadia."),
        note("2026-05-01", "- The gateway is old."),
    )
    assert (found.themes[0].tag, found.themes[0].claims, found.themes[0].days) == ("gateway", 3, 2)


def test_a_claim_can_be_asked_for_by_id_text_or_place() -> None:
    space = Workspace((note("2026-06-10", f"- {PORT}", "- Alex prefers tea."),))
    for selector in (claim_id(PORT), claim_id(PORT)[:7], "STAGING data", "memory/2026-06-10.md:1"):
        assert [claim.text for claim, _ in select(judged(space, today=TODAY), selector)] == [PORT]
    assert select(judged(space, today=TODAY), "nothing like it") == []


def test_what_is_asked_for_is_judged_as_the_sweep_judges() -> None:
    space = Workspace(tuple(days(PORT, *WEEK)))
    (one,) = select(judged(space, today=TODAY), PORT)
    assert one[1] == sweep(space, today=TODAY).proposals[0].verdict


def test_what_is_kept_changes_no_answer() -> None:
    notes = [*days(PORT, *WEEK), *days("Alex prefers tea.", *WEEK[:2])]
    kept = Kept()
    first = swept(*notes, kept=kept)
    again = Kept(rows=kept.rows())
    assert first == swept(*notes) == swept(*notes, kept=kept) == swept(*notes, kept=again)


_lines = st.lists(st.sampled_from(SENTENCES), max_size=5)
_notes = st.lists(st.tuples(st.integers(1, 12), st.sampled_from(["", "-a", "-b"]), _lines), max_size=12)


def _written(rows: list[tuple[int, str, list[str]]]) -> list[Note]:
    """Of each file the last version."""
    found = {(day, slug): lines for day, slug, lines in rows}
    return [
        note(f"2026-06-{day:02}", *(f"- {line}" for line in lines), slug=slug)
        for (day, slug), lines in found.items()
    ]


@given(_notes, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_notes_in_any_order_give_the_same(rows: list[tuple[int, str, list[str]]], draw: object) -> None:
    notes = _written(rows)
    mixed = list(notes)
    draw.shuffle(mixed)  # type: ignore[attr-defined] # hypothesis gives a Random
    assert swept(*notes, kept=KEPT) == swept(*mixed)


@given(_notes)
@settings(max_examples=60)
def test_a_note_of_another_matter_changes_no_evidence(rows: list[tuple[int, str, list[str]]]) -> None:
    notes = _written(rows)
    other = note("2026-06-05", "- Every zebra is allowed on the motorway.", slug="-zoo")
    before = {claim.id: claim for claim, _ in judged(Workspace(tuple(notes)), today=TODAY, kept=KEPT)}
    after = {claim.id: claim for claim, _ in judged(Workspace((*notes, other)), today=TODAY, kept=KEPT)}
    assert {id_: after[id_] for id_ in before} == before
    assert len(after) == len(before) + 1


@given(_notes)
@settings(max_examples=60)
def test_what_a_sweep_says_fed_back_as_a_block_changes_nothing(
    rows: list[tuple[int, str, list[str]]],
) -> None:
    notes = _written(rows)
    found = swept(*notes, kept=KEPT)
    said = [f"- {one.claim.text} [score={one.verdict.score:.2f} days=3]" for one in found.proposals]
    said += [f"- {one.claim.text}" for one in found.near_misses]
    blocks = (
        ["<!-- zecher:dream run=1 -->", *said, "<!-- /zecher:dream -->"],
        ["<!-- zecher:backfill day=2026-06-01 source=a sha=12345678 -->", *said],
        [line for text in said for line in (f"<!-- zecher:promoted {claim_id(text)} run=1 sha=1 -->", text)],
    )
    for block in blocks:
        again = swept(*notes, note("2026-06-10", *block, slug="-fed"), kept=KEPT)
        assert _without_counts(again) == _without_counts(found)


def _without_counts(found: Sweep) -> list[object]:
    """What was found; a form is one by the share of days, which any note changes."""
    return [
        found.proposals,
        found.near_misses,
        found.contradictions,
        found.themes,
        found.claims,
        found.expired,
    ]


@given(_notes)
@settings(max_examples=60)
def test_nothing_is_proposed_twice_and_all_that_is_has_passed(rows: list[tuple[int, str, list[str]]]) -> None:
    found = swept(*_written(rows), kept=KEPT)
    ids = [id_ for one in found.proposals for id_ in one.claim.ids]
    assert len(ids) == len(set(ids))
    assert all(one.verdict.passed for one in found.proposals)
    assert not any(one.verdict.passed for one in found.near_misses)


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_no_order_of_a_set_shows(hash_seed: str) -> None:
    program = (
        "from tests.brain.dreaming.half_year import *\n"
        "written = half_year(3, HELD_OUT)\n"
        "print(sweep(Workspace(tuple(written.notes[:90])), today=date(2026, 4, 2)))\n"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[3],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("7", hash_seed)
    }
    assert len(answers) == 1
    assert "Proposal(" in answers.pop()


def test_a_note_of_bytes_that_are_no_text_stops_nothing() -> None:
    strange = note_of("memory/2026-06-10-x.md", b"\xff\x00" * 5000)
    assert proposed(swept(*days(PORT, *WEEK), strange, gates=Gates())) == [PORT]
