"""Which wordings are one claim, which contradict each other, and what MEMORY.md knows: G25, G29."""

from __future__ import annotations

import pytest

from brain.dreaming.claim_id import claim_id
from brain.dreaming.cues import standard_cues
from brain.dreaming.tags import tags_of
from brain.dreaming.values import Marks
from brain.dreaming.wording import contrast, is_known, is_same, wording
from tests.brain.dreaming.writing import PORT, days, failed, note, proposed, swept

WEEK = ("2026-06-01", "2026-06-02", "2026-06-03")
NEXT = ("2026-06-08", "2026-06-09", "2026-06-10")


@pytest.mark.parametrize(
    "text",
    [
        "- The port is 5433.",
        "* the  PORT is 5433",
        "1. The **port** is `5433`.",
        "The port\tis 5433.",
        "\uff34he port is 5433",
        "_The port is 5433_",
    ],
)
def test_the_id_knows_a_text_however_it_is_marked_up(text: str) -> None:
    assert claim_id(text) == claim_id("The port is 5433")


def test_the_id_tells_texts_apart() -> None:
    assert (
        len({claim_id(text) for text in ("Port 5433", "Port 5434", "snake_case", "snakecase", "Why...")}) == 5
    )


def test_the_same_bullet_in_notes_of_three_days_is_one_claim_with_three_dates() -> None:
    found = swept(*days(PORT, *WEEK))
    (one,) = found.proposals
    assert found.claims == 1
    assert one.claim.days == WEEK
    assert [place.line for place in one.claim.evidence] == [1, 1, 1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PORT, "Staging database listens on port 5433"),
        ("Rule: no deploys on Fridays.", "No deploys on Fridays"),
        ("Die Datenbank lauscht auf Port 5433.", "Datenbank lauscht auf Port 5433"),
        ("La base écoute sur le port 5433.", "Base écoute sur le port 5433"),
        ("The wiki is **the** source of truth.", "The wiki is the source of truth"),
    ],
)
def test_wordings_that_differ_in_nothing_that_counts_are_one_claim(one: str, other: str) -> None:
    found = swept(note(WEEK[0], f"- {one}"), note(WEEK[1], f"- {other}"), note(WEEK[2], f"- {one}"))
    assert found.claims == 1
    assert proposed(found) == [one]


def test_the_first_wording_stays_the_one_that_is_shown_when_others_come() -> None:
    first = swept(*days(PORT, *WEEK)).proposals[0].claim
    later = (
        swept(*days(PORT, *WEEK), note(NEXT[0], "- Staging database listens on port 5433")).proposals[0].claim
    )
    assert (later.id, later.text) == (first.id, first.text)
    assert later.also == (claim_id("Staging database listens on port 5433"),)


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ("The API listens on port 8080.", "The API listens on port 9090.", "number"),
        ("Die API lauscht auf Port 8080.", "Die API lauscht auf Port 9090.", "number"),
        ("L'API écoute sur le port 8080.", "L'API écoute sur le port 9090.", "number"),
        ("Support takes five days.", "Support takes ten days.", "number"),
        ("Deploys are allowed on Fridays.", "Deploys are not allowed on Fridays.", "negation"),
        ("We deploy on Fridays.", "We never deploy on Fridays.", "negation"),
        ("The API is public.", "The API isn't public.", "negation"),
        ("Deploys am Freitag sind erlaubt.", "Deploys am Freitag sind nicht erlaubt.", "negation"),
        ("Wir nutzen Docker in Produktion.", "Wir nutzen kein Docker in Produktion.", "negation"),
        ("Les journaux sont traduits.", "Les journaux ne sont pas traduits.", "negation"),
        ("On déploie le vendredi.", "On ne déploie jamais le vendredi.", "negation"),
        ("The contract runs until 2026-03-01.", "The contract runs until 2026-06-01.", "date"),
        ("Der Vertrag läuft bis 01.03.2026.", "Der Vertrag läuft bis 01.06.2026.", "date"),
        ("Le contrat court jusqu'au 01/03/2026.", "Le contrat court jusqu'au 15/06/2026.", "date"),
    ],
)
def test_a_number_a_date_or_a_negation_makes_a_contradiction_and_never_one_claim(
    one: str, other: str, what: str
) -> None:
    left, right = wording(one, standard_cues()), wording(other, standard_cues())
    assert not is_same(left, right)
    assert not is_known(left, right)
    assert contrast(left, right) == ((what,), True)
    assert contrast(right, left) == ((what,), True)


def test_two_that_speak_of_two_things_are_shown_and_hold_nothing_up() -> None:
    one, other = "The test server has 8 GB of memory.", "The live server has 32 GB of memory."
    found = swept(*(note(day, f"- {one}", f"- {other}") for day in WEEK))
    assert sorted(proposed(found)) == sorted([one, other])
    assert [pair.is_certain for pair in found.contradictions] == [False]


def test_names_with_digits_are_names() -> None:
    left, right = (wording(f"{name} runs Debian.", standard_cues()) for name in ("web01", "web02"))
    assert contrast(left, right) is None
    assert not is_same(left, right)


def test_what_is_newer_than_all_of_the_other_stands_for_it() -> None:
    old, new = "The API listens on port 8080.", "The API listens on port 9090."
    found = swept(*days(old, *WEEK), *days(new, *NEXT))
    assert proposed(found) == [new]
    assert found.proposals[0].supersedes == (claim_id(old),)
    assert failed(found, old) == ("contradicted",)
    (pair,) = found.contradictions
    assert (pair.earlier.text, pair.later.text, pair.differ, pair.is_ordered) == (old, new, ("number",), True)


def test_the_older_falls_with_the_first_note_that_says_otherwise() -> None:
    old, new = "The API listens on port 8080.", "The API listens on port 9090."
    found = swept(*days(old, *WEEK), *days(new, NEXT[0]))
    assert proposed(found) == []
    assert "contradicted" in failed(found, old)


def test_two_that_take_turns_both_fall() -> None:
    old, new = "The API listens on port 8080.", "The API listens on port 9090."
    found = swept(*days(old, WEEK[0], WEEK[2], NEXT[1]), *days(new, WEEK[1], NEXT[0], NEXT[2]))
    assert proposed(found) == []
    assert "contradicted" in failed(found, old)
    assert "contradicted" in failed(found, new)


def test_one_that_was_written_once_more_in_its_old_form_falls_for_good_after_three_days() -> None:
    old, new = "The API listens on port 8080.", "The API listens on port 9090."
    notes = [*days(old, *WEEK, "2026-06-05"), *days(new, "2026-06-04", *NEXT)]
    assert proposed(swept(*notes)) == [new]


def test_what_a_person_wrote_in_memory_is_never_superseded() -> None:
    found = swept(*days(PORT, *WEEK), memory=b"# Memory\n\n- The staging database listens on port 5432.\n")
    assert proposed(found) == []
    assert failed(found, PORT) == ("contradicted",)
    (pair,) = found.contradictions
    assert (pair.earlier.is_human, pair.earlier.line, pair.earlier.path) == (True, 3, "MEMORY.md")


@pytest.mark.parametrize(
    "line",
    [
        PORT,
        "- staging database **listens** on port 5433",
        "1. On port 5433 the staging database listens.",
        "Much more is known. The staging database listens on port 5433. It is old.",
        "- The staging database listens on port 5433 and only on the inner network.",
    ],
)
def test_what_memory_says_in_the_same_or_other_words_is_known(line: str) -> None:
    found = swept(*days(PORT, *WEEK), memory=f"# Memory\n\n{line}\n".encode())
    assert proposed(found) == []
    (skipped,) = [one for one in found.skipped if one.reason == "already-known"]
    assert (skipped.count, skipped.examples[0].path, skipped.examples[0].line) == (
        1,
        f"memory/{WEEK[2]}.md",
        1,
    )


@pytest.mark.parametrize(
    "line", ["- The staging database is old.", "# The staging database listens on port 5433."]
)
def test_what_memory_does_not_say_is_not_known(line: str) -> None:
    assert proposed(swept(*days(PORT, *WEEK), memory=f"{line}\n".encode())) == [PORT]


def test_what_was_promoted_is_not_proposed_in_other_words_either() -> None:
    longer = "The staging database listens on port 5433 of the inner network."
    notes = [*days(longer, *WEEK), *days(PORT, *NEXT)]
    assert proposed(swept(*notes, marks=Marks(promoted={"0" * 12: ""}))) != []
    assert proposed(swept(*notes, marks=Marks(promoted={claim_id(longer): ""}))) == []


def test_of_two_that_say_the_same_in_one_run_the_better_is_proposed() -> None:
    longer = "The staging database listens on port 5433 of the inner network."
    found = swept(*days(longer, *WEEK, *NEXT), *days(PORT, *WEEK))
    assert proposed(found) == [longer]
    assert [one.count for one in found.skipped if one.reason == "already-known"] == [1]


def test_tags_are_names_first_and_no_words_of_grammar_numbers_or_dates() -> None:
    text = "On 2026-05-01 the server of git.example.com uses docs/errors.md and 5433."
    assert tags_of(text) == ("git.example.com", "docs/errors.md", "server", "uses")


def test_no_more_than_eight_tags() -> None:
    assert len(tags_of(" ".join(f"word{chr(97 + number)}" for number in range(20)))) == 8
