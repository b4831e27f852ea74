"""What reports show of the health of memories, from healths made by hand."""

from __future__ import annotations

from dataclasses import replace

from brain.health.repeats import Cluster, Sketch
from brain.health.rules import ALL
from brain.health.values import Finding, Health, Outcome
from jobs import health_notes
from jobs.health import PortfolioHealth
from reports.snapshot import HealthNote, Noted, Repeat
from tests.support import NOW

SHOP, OLD, BRAIN = "/dev/shop", "/dev/old", "/home/ana/brain"
SECRET = Finding("m-secret", "error", SHOP, "AGENTS.md", 3, "a token stands in line 3", "Take it out.", "t")
OLD_ONE = Finding("d-old", "info", SHOP, "decisions.md", 9, "“X” is active", "Review it.", "x", "2026-05-02")
NEXT = Finding("p-next", "warning", SHOP, "STATE.md", 0, "no next step", "Say it.")
OUTCOMES = (
    Outcome("m-secret", 10, passed=False),
    Outcome("p-next", 5, passed=False),
    Outcome("d-old", 5, passed=True),
)


def health(path: str, *findings: Finding, **more: object) -> Health:
    found = tuple(replace(one, project=path) for one in findings) if path != SHOP else findings
    return Health(path, OUTCOMES, found, **more)  # type: ignore[arg-type] # the tests give the right ones


def seen(*healths: Health, **more: object) -> PortfolioHealth:
    return PortfolioHealth({one.path: one for one in healths}, **more)  # type: ignore[arg-type] # as above


PROJECTS = (
    Noted("id1", OLD, "old", "archived"),
    Noted("id2", SHOP, "shop", "active"),
)


def test_a_note_counts_what_nobody_silenced_and_names_the_worst() -> None:
    all_of = health(SHOP, SECRET, NEXT, OLD_ONE, tokens=1200)

    assert health_notes.note(all_of, seen(all_of)) == HealthNote(
        25, 1200, "a token stands in line 3", "m-secret", errors=1, warnings=1, infos=1
    )
    quiet = seen(all_of, silenced={SHOP: frozenset({SECRET.key})})
    assert health_notes.note(all_of, quiet) == HealthNote(
        25, 1200, "no next step", "p-next", warnings=1, infos=1, silenced=1
    )


def test_information_is_never_the_worst_finding() -> None:
    one = health(SHOP, OLD_ONE)

    assert health_notes.note(one, seen(one)).top == ""


def test_findings_come_errors_first_the_brain_before_the_projects_with_the_day_they_are_known_from() -> None:
    portfolio = seen(
        health(SHOP, NEXT, SECRET),
        brain=health(BRAIN, NEXT),
        ages={("id2", *SECRET.key): "2026-11-02", ("", *NEXT.key): "2026-10-01"},
    )

    found = health_notes.findings(PROJECTS, portfolio, NOW)

    assert [(one.code, one.name, one.first_seen) for one in found] == [
        ("m-secret", "shop", "2026-11-02"),
        ("p-next", "brain", "2026-10-01"),
        ("p-next", "shop", "2026-11-30"),
    ]


def test_of_an_archived_project_only_errors_are_told_and_no_score_counts() -> None:
    portfolio = seen(health(OLD, SECRET, NEXT, loads=(("AGENTS.md", 900),)))

    assert [one.code for one in health_notes.findings(PROJECTS, portfolio, NOW)] == ["m-secret"]
    assert health_notes.rules(PROJECTS, portfolio) == {}
    assert health_notes.loads(PROJECTS, portfolio) == ()


def test_rules_are_counted_over_all_memories_and_the_brain() -> None:
    portfolio = seen(health(SHOP), brain=Health(BRAIN, (Outcome("p-next", 5, passed=None),)))

    assert health_notes.rules(PROJECTS, portfolio) == {
        "d-old": (1, 0, 0),
        "m-secret": (0, 1, 0),
        "p-next": (0, 1, 1),
    }


def test_decisions_to_review_come_oldest_first() -> None:
    cited = replace(OLD_ONE, code="d-cited", since="", anchor="c")
    older = replace(OLD_ONE, since="2025-01-01", anchor="o")

    found = health_notes.findings(PROJECTS, seen(health(SHOP, OLD_ONE, cited, older, NEXT)), NOW)

    assert [(one.code, one.since) for one in health_notes.review(found)] == [
        ("d-old", "2025-01-01"),
        ("d-old", "2026-05-02"),
        ("d-cited", ""),
    ]


def test_every_code_of_the_decisions_to_review_is_that_of_a_rule() -> None:
    assert {rule.code for rule in ALL} >= health_notes.REVIEWED


def test_lessons_that_the_brain_knows_already_are_no_proposal() -> None:
    one, two = (Sketch(name, name, "lessons.md", 1, "Ask first", 1, (1,)) for name in ("a", "b"))
    known = Cluster((replace(one, in_brain=True), two))

    found = health_notes.repeats(seen(repeats=(Cluster((one, two)), known)))

    assert found == (Repeat(("Ask first",), ("a", "b"), health_notes.PROMOTE),)


def test_loads_come_largest_first_with_the_limit_that_is_known() -> None:
    loads = (("AGENTS.md", 900), ("docs/x.md", 1_000), (".claude/MEMORY.md", 80))

    assert health_notes.loads(PROJECTS, seen(health(SHOP, loads=loads))) == (
        ("shop", "docs/x.md", 1_000, None),
        ("shop", "AGENTS.md", 900, None),
        ("shop", ".claude/MEMORY.md", 80, 6_400),
    )


def test_a_message_without_end_is_cut() -> None:
    long = health(SHOP, replace(NEXT, message="x" * 5_000, fix="y" * 5_000), next_step="z" * 5_000)

    (found,) = health_notes.findings(PROJECTS, seen(long), NOW)
    (_, shop) = (health_notes.with_health(one, seen(long)) for one in PROJECTS)

    assert [len(text) for text in (found.message, found.fix, shop.next_step)] == [300, 300, 300]


def test_why_a_finding_matters_comes_from_its_page_and_its_weight_from_its_rule() -> None:
    reasons = health_notes.reasons(seen(health(SHOP)))

    assert reasons["p-next"].weight == 5
    assert reasons["p-next"].why.startswith("It is the question that every session begins with")
