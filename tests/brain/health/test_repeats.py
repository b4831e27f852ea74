from __future__ import annotations

import random
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from brain.health import repeats
from brain.health.repeats import SKETCH, Sketch, alike, repeated_lessons, sketch
from tests.timing import processor_seconds

TIMEOUTS = (
    "Integration tests timed out because the database container was not ready. Wait for the health check of "
    "the container before the first query, never for a fixed number of seconds."
)
TIMEOUTS_AGAIN = (
    "Integration tests timed out because the database container was not ready yet. Wait for the health check "
    "of the container before the first query, not for a fixed number of seconds."
)
MIGRATION = (
    "A migration dropped a column that an old worker still wrote. Deploy in two steps: stop writing first, "
    "drop the column in the release after it."
)
GERMAN = (
    "Beim Umbenennen der Tabelle liefen alte Abfragen ins Leere. Erst eine Sicht mit dem alten Namen "
    "anlegen, dann alle Aufrufer umstellen, zuletzt die Sicht entfernen."
)
GERMAN_AGAIN = (
    "Beim Umbenennen der Tabelle liefen alte Abfragen ins Leere! Erst eine Sicht mit dem alten Namen "
    "anlegen, danach alle Aufrufer umstellen, zuletzt die Sicht entfernen."
)
FRENCH = (
    "Le cache gardait les droits d'un utilisateur supprimé. Vider le cache des droits à chaque changement de "
    "rôle, et jamais seulement à l'expiration."
)
FRENCH_AGAIN = (
    "Le cache gardait les droits d'un utilisateur supprimé ; vider le cache des droits à chaque changement "
    "de rôle et jamais seulement à l'expiration."
)


def lesson(project: str, title: str, text: str, line: int = 3, *, in_brain: bool = False) -> Sketch:
    return sketch(
        title, text, project=f"/p/{project}", name=project, file="lessons.md", line=line, in_brain=in_brain
    )


def test_a_lesson_that_two_projects_learned_is_one_cluster() -> None:
    found = repeated_lessons(
        [lesson("shop", "Slow container", TIMEOUTS), lesson("blog", "Database late", TIMEOUTS_AGAIN)]
    )

    assert [cluster.projects for cluster in found] == [("blog", "shop")]


def test_german_lessons_are_known_again() -> None:
    assert alike(lesson("a", "Tabelle", GERMAN), lesson("b", "Sicht zuerst", GERMAN_AGAIN)) >= 0.6


def test_french_lessons_are_known_again() -> None:
    assert alike(lesson("a", "Cache", FRENCH), lesson("b", "Droits", FRENCH_AGAIN)) >= 0.6


def test_lessons_of_one_kind_that_say_different_things_stay_apart() -> None:
    assert repeated_lessons([lesson("a", "Slow", TIMEOUTS), lesson("b", "Columns", MIGRATION)]) == ()


def test_the_same_title_in_other_order_and_case_is_the_same_lesson() -> None:
    one = lesson("a", "Never deploy migrations on Friday", "It broke.")
    other = lesson("b", "migrations: never deploy on friday!", "Whole night lost in rollbacks of tables.")

    assert len(repeated_lessons([one, other])) == 1


def test_a_short_title_alone_is_no_likeness() -> None:
    assert (
        repeated_lessons([lesson("a", "Flaky tests", TIMEOUTS), lesson("b", "Flaky tests", MIGRATION)]) == ()
    )


def test_what_one_project_learned_twice_is_no_repeat_across_projects() -> None:
    assert repeated_lessons([lesson("a", "Slow", TIMEOUTS), lesson("a", "Late", TIMEOUTS_AGAIN, 9)]) == ()


def test_clones_of_one_repository_learned_a_lesson_once() -> None:
    one = sketch("T", TIMEOUTS, project="root-commit", name="shop", file="lessons.md", line=3)
    other = sketch("T", TIMEOUTS, project="root-commit", name="shop-2", file="lessons.md", line=3)

    assert repeated_lessons([one, other]) == ()


def test_a_cluster_tells_whether_the_brain_knows_it() -> None:
    known = lesson("brain", "Wait", TIMEOUTS, in_brain=True)
    (cluster,) = repeated_lessons([known, lesson("a", "Slow", TIMEOUTS), lesson("b", "Late", TIMEOUTS)])

    assert cluster.in_brain
    assert cluster.projects == ("a", "b")


def test_the_order_of_the_input_does_not_matter() -> None:
    texts = [TIMEOUTS, TIMEOUTS_AGAIN, MIGRATION, GERMAN, GERMAN_AGAIN, FRENCH, FRENCH_AGAIN]
    sketches = [lesson(f"p{number}", f"Title {number}", text) for number, text in enumerate(texts)]
    expected = repeated_lessons(sketches)

    assert len(expected) == 3
    assert repeated_lessons(reversed(sketches)) == expected


def test_a_sketch_is_bounded_however_long_the_lesson() -> None:
    assert len(lesson("a", "Long", " ".join(f"word{number}" for number in range(9000))).pairs) == SKETCH


@given(st.lists(st.tuples(st.sampled_from("abc"), st.text(max_size=60), st.text(max_size=200)), max_size=12))
def test_any_text_can_be_sketched_and_compared(rows: list[tuple[str, str, str]]) -> None:
    sketches = [lesson(project, title, text, line) for line, (project, title, text) in enumerate(rows)]

    for cluster in repeated_lessons(sketches):
        assert len({one.project for one in cluster.members}) > 1


def portfolio(projects: int, words: int) -> list[Sketch]:
    """Forty lessons a project that have nothing in common but their words; the same ones in every run."""
    dice = random.Random(7)  # noqa: S311 - made-up words, no secrets
    known = [f"w{number}" for number in range(words)]
    return [
        lesson(f"p{project}", f"Lesson {line} of {project}", " ".join(dice.choices(known, k=40)), line)
        for project in range(projects)
        for line in range(40)
    ]


def test_twenty_thousand_lessons_are_compared_in_nearly_linear_time() -> None:
    small, large = portfolio(50, words=3000), portfolio(500, words=3000)

    least = max(0.01, processor_seconds(partial(repeated_lessons, small), rounds=3))

    # Ten times as many take 12 times as long; were each compared with each, it would be 100 times.
    assert processor_seconds(partial(repeated_lessons, large), rounds=3) < 40 * least


def test_however_many_lessons_are_of_the_same_few_words_each_is_compared_with_some() -> None:
    lessons = portfolio(100, words=30)

    compared = sum(1 for _ in repeats._candidates(lessons))

    # With as many in each bucket as share it, these would be five times as many.
    assert compared <= len(lessons) * repeats._BUCKETS * repeats._NEIGHBOURS


def test_the_same_lesson_in_every_project_is_one_cluster() -> None:
    (cluster,) = repeated_lessons([lesson(f"p{number:03}", "Slow", TIMEOUTS) for number in range(500)])

    assert len(cluster.projects) == 500
