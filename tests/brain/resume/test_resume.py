"""Where were we: a card of quotations, nothing in it guessed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.health import roles
from brain.health.gather import gather
from brain.health.parsed import ParsedMemory
from brain.health.values import FileHistory, GitFacts, Memory, MemoryFile, RecordedCommit
from brain.resume import ResumeCard, resume
from tests.brain.health.examined import DECISIONS, PROGRESS, Examined, project
from tests.support import DAY, NOW

FRENCH = """\
# Avancement

## Objectif actuel
Recherche dans le catalogue

## État actuel
- HEAD: 4f2a9c1
- make check: 12 passed

## Blocages
- aucun

## Prochaine étape
Pagination de la recherche, critère : le test de la page 2
"""
ENGLISH = """\
# PROGRESS

## Goal
Search in the product catalogue

## Current state
- HEAD: 4f2a9c1
- make check: green, 12/12 tests

## Blockers
- The licence of the word list is not clear,
  we wait for an answer
- No test data for Kazakh

## Open questions
- How long may a query take?

## Next step
Paging for GET /search, done when the test for page 2 is green
"""
LOG = """\
# Decisions

## 2026-05-01 - Searching with tsvector
- Decision: the catalogue is searched with tsvector.
- Reason: LIKE takes 1.8 s.
- Rejected: a search server, one more thing to run.

## 2026-04-01 - Colours of the logo
- Decision: blue.
- Reason: it is calm.

## 2026-02-01 - Search by LIKE (superseded by 2026-05-01)
- Decision: search with LIKE.
- Reason: simple.

## 2026-06-01 - Search suggestions
- Decision: suggestions while typing.
- Reason: users ask for them.
- Status: proposed
"""
LESSONS = """\
# Lessons

### 2026-04-02 — The index of the catalogue was not rebuilt
- **Context**: a release
- **Impact**: searches found nothing for a day
- **Lesson**: rebuild the search index in the same step

### 2026-03-02 — Pin the clock
- **Context**: tests at midnight
- **Impact**: red builds
- **Lesson**: pass now in

### 2026-01-02 — [ARCHIVED] Search needs a warm cache
- **Context**: x
- **Impact**: y
- **Lesson**: warm it
"""


def card(examined: Examined) -> ResumeCard:
    return resume(examined.parsed())


def told(card: ResumeCard, section: str) -> list[tuple[str, str, int]]:
    return [(one.text, one.file, one.line) for one in getattr(card, section)]


def unfound(card: ResumeCard) -> dict[str, str]:
    return {one.section: one.why for one in card.not_found}


def test_the_handover_is_quoted_with_file_and_line(tmp_path: Path) -> None:
    found = card(project(tmp_path))

    assert told(found, "goal") == [("Suche im Produktkatalog (Funktion search-01)", "PROGRESS.md", 4)]
    assert told(found, "blockers") == [
        ("Keine Daten zur Morphologie für Kasachisch, warten auf Entscheidung", "PROGRESS.md", 13)
    ]
    assert told(found, "next_step") == [
        ("Paginierung für GET /search ergänzen, Kriterium: Test für die 2. Seite", "PROGRESS.md", 16)
    ]
    assert told(found, "tests") == [("make check: grün, 142/142 Tests", "PROGRESS.md", 8)]
    assert told(found, "state")[0][0].splitlines()[0] == "HEAD: 4f2a9c1"
    assert found.last_handover[0].commit == "4f2a9c1"


def test_every_quotation_stands_where_it_says(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS=ENGLISH, DECISIONS=LOG).has(".agents/memory/lessons.md", LESSONS)
    found = card(made)

    places = [
        one
        for section in ("goal", "next_step", "blockers", "state", "tests", "last_handover", "open_questions")
        for one in getattr(found, section)
    ]
    assert len(places) == 8
    for one in (*places, *found.decisions, *found.lessons):
        line = (made.root / one.file).read_text().splitlines()[one.line - 1]
        first = one.text.split("\n")[0].split(": ")[-1]
        assert first[:20] in line


def test_the_cold_start_of_a_whole_handover_is_five_of_five_with_places(tmp_path: Path) -> None:
    start = card(project(tmp_path)).cold_start

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
    ("heading", "section", "question"),
    [
        ("## Aktuelles Ziel\nSuche im Produktkatalog (Funktion search-01)\n", "goal", "goal"),
        (
            "## Blockaden\n- Keine Daten zur Morphologie für Kasachisch, warten auf Entscheidung\n",
            "blockers",
            "blocker",
        ),
        (
            "## Nächster Schritt\nPaginierung für GET /search ergänzen, Kriterium: Test für die 2. Seite\n",
            "next_step",
            "next",
        ),
        ("- make check: grün, 142/142 Tests\n", "tests", "tests"),
    ],
)
def test_a_fact_that_is_missing_is_named(tmp_path: Path, heading: str, section: str, question: str) -> None:
    assert heading in PROGRESS
    found = card(project(tmp_path, PROGRESS=PROGRESS.replace(heading, "")))

    assert getattr(found, section) == ()
    assert unfound(found)[section] == "PROGRESS.md does not say it"
    assert found.cold_start.missing == (question,)
    assert str(found.cold_start) == "4/5"


def test_without_any_memory_everything_is_named_as_missing(tmp_path: Path) -> None:
    found = card(Examined(tmp_path / "bare").has("main.c", "int main;\n"))

    assert list(unfound(found)) == [
        *("goal", "next_step", "blockers", "state", "tests", "last_handover", "decisions"),
        *("open_questions", "lessons", "commits"),
    ]
    assert str(found.cold_start) == "0/5"


def test_a_shape_that_is_not_known_is_not_called_empty(tmp_path: Path) -> None:
    found = card(Examined(tmp_path / "x").has("PROGRESS.md", "| Step | Agent |\n|---|---|\n| 1 | me |\n"))

    assert unfound(found)["goal"] == "the shape of PROGRESS.md is not recognised"
    assert found.cold_start.score is None


def test_a_placeholder_is_no_fact(tmp_path: Path) -> None:
    text = ENGLISH.replace("Search in the product catalogue", "TBD").replace("Paging for GET /search", "{…}")
    found = card(project(tmp_path, PROGRESS=text))

    assert "goal" in unfound(found)


@pytest.mark.parametrize(
    ("text", "goal"), [(FRENCH, "Recherche dans le catalogue"), (ENGLISH, "Search in the product catalogue")]
)
def test_other_languages_are_read_as_well(tmp_path: Path, text: str, goal: str) -> None:
    found = card(project(tmp_path, PROGRESS=text))

    assert found.goal[0].text == goal
    assert str(found.cold_start) == "5/5"


def test_an_explicit_none_is_an_answer(tmp_path: Path) -> None:
    (blocker,) = card(project(tmp_path, PROGRESS=FRENCH)).blockers

    assert (blocker.text, blocker.is_none) == ("aucun", True)


def test_a_list_is_told_item_by_item_and_a_wrapped_line_belongs_to_its_item(tmp_path: Path) -> None:
    found = card(project(tmp_path, PROGRESS=ENGLISH))

    assert told(found, "blockers") == [
        ("The licence of the word list is not clear, we wait for an answer", "PROGRESS.md", 11),
        ("No test data for Kazakh", "PROGRESS.md", 13),
    ]
    assert told(found, "open_questions") == [("How long may a query take?", "PROGRESS.md", 16)]


# -- what matches the goal ----------------------------------------------------------------------------------


def test_decisions_in_force_that_share_words_with_the_goal_are_shown(tmp_path: Path) -> None:
    (only,) = card(project(tmp_path, PROGRESS=ENGLISH, DECISIONS=LOG)).decisions

    assert only.text == "the catalogue is searched with tsvector."
    assert (only.file, only.line, only.day) == ("DECISIONS.md", 4, "2026-05-01")
    assert (only.title, only.title_line) == ("Searching with tsvector", 3)
    assert only.why == "LIKE takes 1.8 s."
    assert only.rejected == "a search server, one more thing to run."
    assert only.matched == ("catalogue", "search")


def test_decisions_that_do_not_match_are_counted(tmp_path: Path) -> None:
    found = card(project(tmp_path))

    assert found.decisions == ()
    assert unfound(found)["decisions"] == "1 in force, none shares a word with the goal"


def test_without_a_goal_nothing_is_said_to_match(tmp_path: Path) -> None:
    found = card(project(tmp_path, PROGRESS=""))

    assert unfound(found)["decisions"] == "1 in force, no goal to match them with"


def test_lessons_in_force_that_match_are_shown(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS=ENGLISH).has(".agents/memory/lessons.md", LESSONS)
    (only,) = card(made).lessons

    assert only.text == "rebuild the search index in the same step"
    assert (only.file, only.line) == (".agents/memory/lessons.md", 6)
    assert (only.title, only.title_line) == ("The index of the catalogue was not rebuilt", 3)


def test_a_part_of_a_german_compound_matches(tmp_path: Path) -> None:
    log = DECISIONS.replace("Cache der Benutzereinstellungen in Redis", "Katalogsuche mit tsvector")
    (only,) = card(project(tmp_path, DECISIONS=log)).decisions

    assert only.matched == ("suche",)


def test_japanese_words_match_by_pairs_of_signs(tmp_path: Path) -> None:
    text = ENGLISH.replace("Search in the product catalogue", "検索機能の改善").replace(
        "Paging for GET /search", "頁"
    )
    log = "# Log\n\n## 2026-05-01 - 検索エンジン\n- Decision: tsvector\n- Reason: 速い\n"

    assert len(card(project(tmp_path, PROGRESS=text, DECISIONS=log)).decisions) == 1


def test_of_many_matches_the_best_five_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    log = "# Log\n" + "".join(
        f"\n## 2026-05-{day:02d} - Search {day}\n- Decision: number {day}\n- Reason: x\n"
        for day in range(1, 9)
    )
    found = card(project(tmp_path, PROGRESS=ENGLISH, DECISIONS=log))

    assert [one.day for one in found.decisions] == [f"2026-05-{day:02d}" for day in (8, 7, 6, 5, 4)]
    assert dict(found.more) == {"decisions": 3}


# -- several sources ----------------------------------------------------------------------------------------

OTHER = ENGLISH.replace("Search in the product catalogue", "Checkout without an account")


def dated(made: Examined, **days: float) -> Examined:
    for path, day in days.items():
        stamp = NOW - day * DAY
        os.utime(made.root / path.replace("__", "/").replace("_md", ".md"), (stamp, stamp))
    return made


def test_of_two_progress_files_the_newer_one_counts_and_the_other_is_named(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS=ENGLISH).has("docs/PROGRESS.md", OTHER)

    found = card(dated(made, PROGRESS_md=20, docs__PROGRESS_md=2))

    assert found.goal[0].text == "Checkout without an account"
    assert [(one.section, one.said.text, one.said.file, one.day) for one in found.conflicts] == [
        ("goal", "Search in the product catalogue", "PROGRESS.md", "2026-11-10")
    ]
    goal = found.cold_start.questions[0].fact
    assert goal is not None
    assert goal.file == "docs/PROGRESS.md"


def test_a_commit_tells_better_than_the_disk_which_file_is_newer(tmp_path: Path) -> None:
    made = dated(
        project(tmp_path, PROGRESS=ENGLISH).has("docs/PROGRESS.md", OTHER),
        PROGRESS_md=20,
        docs__PROGRESS_md=2,
    )
    sizes = {path: len((made.root / path).read_bytes()) for path in ("PROGRESS.md", "docs/PROGRESS.md")}
    committed = {"PROGRESS.md": NOW - 3 * DAY, "docs/PROGRESS.md": NOW - 9 * DAY}
    made.git = GitFacts(
        histories=tuple(
            FileHistory(path, changes=((when, 1, 0, sizes[path]),)) for path, when in committed.items()
        )
    )

    found = card(made)

    assert found.goal[0].file == "PROGRESS.md"
    assert (found.last_handover[0].day, found.last_handover[0].dated_by) == ("2026-11-27", "commit")


def test_a_file_that_was_edited_after_its_commit_is_as_new_as_the_disk_says(tmp_path: Path) -> None:
    made = dated(project(tmp_path, PROGRESS=ENGLISH), PROGRESS_md=1)
    made.git = GitFacts(histories=(FileHistory("PROGRESS.md", changes=((NOW - 9 * DAY, 1, 0, 3),)),))

    (handed,) = card(made).last_handover

    assert (handed.day, handed.dated_by) == ("2026-11-29", "file")


def test_equal_statements_of_two_files_are_no_conflict(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS=ENGLISH).has("docs/PROGRESS.md", ENGLISH.replace("Search", "SEARCH"))

    assert card(made).conflicts == ()


CONTEXT = """\
---
title: "Context"
last_updated: "2026-11-20"
---

# Context

## Project Identity

- **Name**: shop
- **Status**: active

## Current Focus

Search in the catalogue.

## Recent Changes

- the index is built

## Open Questions

- How long may a query take?
"""
SESSION = """\
# Search paging

## What changed

- the endpoint pages

## Open questions

- Which size has a page?

## Next steps

1. A test for page 2
2. The same for page 3
"""


def test_a_context_that_is_still_its_template_is_no_handover(tmp_path: Path) -> None:
    template = (
        CONTEXT.split("## Current Focus", maxsplit=1)[0] + "## Current Focus\n\n<!-- what is worked on -->\n"
    )
    found = card(Examined(tmp_path / "x").has(".agents/memory/context.md", template))

    assert found.last_handover == ()
    assert unfound(found)["last_handover"] == ".agents/memory/context.md says nothing yet"


def test_a_template_does_not_hide_an_older_session(tmp_path: Path) -> None:
    made = Examined(tmp_path / "x").has(".agents/memory/sessions/2026-11-22-search.md", SESSION)
    made.has(
        ".agents/memory/context.md",
        CONTEXT.split("## Current Focus", maxsplit=1)[0].replace("11-20", "11-30"),
    )

    assert told(card(made), "last_handover")[0][0] == "Search paging"


def test_a_progress_file_without_a_word_below_its_headings_is_no_handover(tmp_path: Path) -> None:
    empty = "# PROGRESS\n\n## Goal\nTBD\n\n## State\n\n## Blockers\n\n## Next step\n{what}\n"
    found = card(project(tmp_path, PROGRESS=empty))

    assert found.last_handover == ()
    assert unfound(found)["last_handover"] == "PROGRESS.md says nothing yet"


@pytest.mark.parametrize("data", [b"", b"\x00\x01\x02", b"---\n\n***\n"])
def test_a_file_in_which_no_line_says_anything_is_no_handover(tmp_path: Path, data: bytes) -> None:
    assert card(project(tmp_path, PROGRESS="").has("PROGRESS.md", data)).last_handover == ()


def test_the_handover_of_a_file_of_unknown_shape_is_a_line_of_it(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS="").has("PROGRESS.md", b"\n---\n\nsomething was done\n")

    assert told(card(made), "last_handover") == [("something was done", "PROGRESS.md", 4)]


def test_a_progress_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS="")
    os.mkfifo(made.root / "PROGRESS.md")
    found = unfound(card(made))

    assert found["goal"] == "PROGRESS.md cannot be read"
    assert found["last_handover"] == "PROGRESS.md cannot be read"


def test_a_memory_of_bmad_alone_tells_goal_next_step_and_handover(tmp_path: Path) -> None:
    made = Examined(tmp_path / "x")
    made.has(".agents/memory/context.md", CONTEXT)
    made.has(".agents/memory/sessions/2026-11-19-older.md", SESSION.replace("Search paging", "Older"))
    made.has(".agents/memory/sessions/2026-11-22-search.md", SESSION)
    found = card(made)

    session = ".agents/memory/sessions/2026-11-22-search.md"
    assert told(found, "goal") == [("Search in the catalogue.", ".agents/memory/context.md", 15)]
    assert told(found, "next_step") == [("A test for page 2\nThe same for page 3", session, 13)]
    assert told(found, "last_handover") == [("Search paging", session, 1)]
    assert found.last_handover[0].day == "2026-11-22"
    assert found.state[0].text == "the index is built"
    assert [one[0] for one in told(found, "open_questions")] == [
        "Which size has a page?",
        "How long may a query take?",
    ]
    assert {one.question: one.answer for one in found.cold_start.questions} == {
        "goal": "yes",
        "tests": "no",
        "decision": "no",
        "blocker": "weak",
        "next": "yes",
    }
    assert found.cold_start.score == 2.5


def test_a_status_in_the_identity_of_a_context_is_no_state(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS=ENGLISH).has(".agents/memory/context.md", CONTEXT)
    dated(made, PROGRESS_md=40)

    assert card(made).state[0].file == "PROGRESS.md"


def test_a_newer_session_counts_more_than_an_older_progress_file(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS=ENGLISH).has(".agents/memory/sessions/2026-11-22-search.md", SESSION)
    found = card(dated(made, PROGRESS_md=30))

    assert found.next_step[0].file.endswith("search.md")
    assert [one.section for one in found.conflicts] == ["next_step"]


def test_the_last_event_of_the_journal_is_a_handover_where_nothing_newer_is(tmp_path: Path) -> None:
    events = (
        '{"ts":"2026-11-20T10:00:00.000Z","agent":"dev","task":"older","outcome":null}\n'
        'no json\n{"ts":"2026-11-24T10:00:00.000Z","agent":"dev","task":"paging","outcome":"success"}\n'
    )
    made = Examined(tmp_path / "x").has(".bmad/memory/journal.ndjson", events)
    (handed,) = card(made).last_handover

    assert (handed.text, handed.line, handed.day, handed.kind) == (
        "dev: paging (success)",
        3,
        "2026-11-24",
        "journal",
    )


def test_the_newest_daily_note_counts(tmp_path: Path) -> None:
    made = Examined(tmp_path / "x").has("memory/2026-11-20.md", "# Day\n\n## Next steps\n\n- call Ana\n")
    made.has("memory/2026-11-21.md", "# Day\n\n## Next steps\n\n- call Ben\n")
    found = card(made)

    assert told(found, "next_step") == [("call Ben", "memory/2026-11-21.md", 5)]
    assert found.last_handover[0].kind == "daily"


def test_the_recorded_commit_is_told_against_the_history(tmp_path: Path) -> None:
    made = project(tmp_path)
    made.git = GitFacts(recorded=(RecordedCommit("4f2a9c1", known=True, ancestor=True, drift=3),))
    (handed,) = card(made).last_handover

    assert (handed.is_known, handed.drift) == (True, 3)


def test_ten_commits_are_shown(tmp_path: Path) -> None:
    made = project(tmp_path)
    made.git = GitFacts(commits=tuple((f"{n:040x}", NOW - n, f"commit {n}", False) for n in range(20)))

    assert [one.subject for one in card(made).commits] == [f"commit {n}" for n in range(10)]


# -- hostile ------------------------------------------------------------------------------------------------


def test_secrets_are_replaced_wherever_they_stand(tmp_path: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    text = ENGLISH.replace("No test data for Kazakh", f"token {key}").replace("1.8 s", key)
    made = project(tmp_path, PROGRESS=text, DECISIONS=LOG.replace("1.8 s", key))
    made.git = GitFacts(commits=(("0" * 40, NOW, f"use {key}", False),))
    found = card(made)

    assert key not in repr(found)
    assert "[REDACTED:" in found.blockers[1].text
    assert "[REDACTED:" in found.decisions[0].why
    assert "[REDACTED:" in found.commits[0].subject


@given(
    st.binary(max_size=400),
    st.sampled_from(["PROGRESS.md", ".agents/memory/context.md", "memory/2026-11-20.md"]),
)
def test_no_file_however_strange_makes_it_fail(data: bytes, path: str) -> None:
    for text in (data, ENGLISH.encode()[: len(data)] + data, data + ENGLISH.encode()):
        file = MemoryFile(roles.main_role(path), path, text)
        found = resume(ParsedMemory(Memory("/x", "x", files=(file,))))
        for one in (*found.goal, *found.next_step, *found.blockers, *found.state, *found.open_questions):
            assert one.file == path
            assert one.line >= 1


def test_a_giant_file_is_read_in_time_and_its_facts_are_bounded(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS=ENGLISH + "\n## Known issues\n" + "- an open point\n" * 30_000)
    made.has("docs/PROGRESS.md", "# x\n\n## Next step\n" + "word " * 150_000)
    found = card(made)

    assert all(len(one.text) <= 2000 for one in (*found.next_step, *found.goal))
    assert len(found.open_questions) <= 20


def test_the_same_memory_gives_the_same_card(tmp_path: Path) -> None:
    made = project(tmp_path, PROGRESS=ENGLISH, DECISIONS=LOG).has(".agents/memory/lessons.md", LESSONS)

    assert card(made) == card(made)
    again = replace(gather(str(made.root)), git=None)
    assert resume(ParsedMemory(again)) == card(made)
