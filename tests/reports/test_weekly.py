"""The report of a week from snapshots made by hand: its sections, their order, its length, its words."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from reports.render import render_markdown
from reports.snapshot import HealthNote, Noted, Repeat, RiskNote, RunHealth, Snapshot
from reports.weekly import LINES, QUIET_LINES, verdict, weekly_markdown, weeks_words
from scanner.value import replace
from tests.reports.weeks import HOME, action, dream, dreaming, finding, loop, noted, week, worst_weeks
from tests.support import DAY, NOW

ALL_WELL = week(*(noted(number) for number in range(50)), tokens=60_000, export="/x/export.md")


def section(text: str, title: str) -> list[str]:
    """The lines of one section; none where it is not there."""
    _, _, rest = text.partition(f"\n## {title}\n\n")
    return rest.split("\n\n")[0].splitlines() if rest else []


def test_a_week_in_which_all_is_well_is_a_page_of_at_most_25_lines() -> None:
    text = weekly_markdown(ALL_WELL, replace(ALL_WELL, taken=NOW - 7 * DAY))

    assert len(text.splitlines()) <= QUIET_LINES
    assert text == (
        "---\n"
        "type: weekly-health\n"
        "schema_version: 1\n"
        'week: "2026-W49"\n'
        'generated_at: "2026-11-30T03:17:04Z"\n'
        'brain: "/home/ana/.bmad-plus/brain"\n'
        'tool_version: "1.2.3"\n'
        "projects: 50\n"
        "actions: 0\n"
        "health: 100\n"
        "---\n"
        "\n"
        "# 2026-W49: nothing needs you; 50 projects; memory 100 %\n"
        "\n"
        "50 active; compared with 2026-11-23 03:17 UTC\n"
        "\n"
        "## Do this first\n"
        "\n"
        "Nothing needs you.\n"
        "\n"
        "## Run health\n"
        "\n"
        "- nights: ✓ ✓ ✓ ✓ ✓ ✓ ✓ (✓ done, ◐ in part, ✗ failed, · not run); median 2.0 s, longest 3.5 s, "
        "50 scanned; next 2026-12-01 03:17 UTC\n"
        "\n"
        "A score is the weighted share of rules that a memory passes: `zecher memory check` shows them, "
        "`zecher explain CODE` one, `zecher ack CODE` silences it. "
        "The brain was exported to `/x/export.md`. Zecher 1.2.3.\n"
    )


def test_the_first_week_of_a_portfolio_that_is_well_is_no_longer() -> None:
    text = weekly_markdown(ALL_WELL, None)

    assert len(text.splitlines()) <= QUIET_LINES
    assert "\n50 active; first report, no comparison\n" in text


@pytest.mark.parametrize("count", [50, 500])
def test_the_worst_week_has_every_section_and_at_most_120_lines(count: int) -> None:
    now, before = worst_weeks(count)

    text = weekly_markdown(now, before)

    assert 80 < len(text.splitlines()) <= LINES
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [
        "Do this first",
        "What changed",
        "Work at risk",
        "Open loops and due items",
        "Dreaming",
        "Memory health",
        "Decisions to review",
        "Lessons that repeat",
        "Run health",
        "Cost of memory",
    ]


def test_the_first_line_counts_with_changes_and_can_be_the_subject_of_a_mail() -> None:
    before = week(noted(1), days=7, todo=(action(1),), health=81)
    old = action(2, since=NOW - 9 * DAY)  # in its second week, and grave
    now = week(noted(1), noted(2, status="paused"), todo=(action(1), old), health=78)

    text = weekly_markdown(now, before)

    assert "\n# 2026-W49: 2 things to do (+1), 1 urgent; 2 projects (+1); memory 78 % (-3)\n" in text
    assert verdict(now, before) in text
    assert "\n1 active, 1 paused (+1); compared with 2026-11-23 03:17 UTC\n" in text


def test_a_clock_that_is_not_believed_is_said() -> None:
    assert "first report, no comparison; the clock is suspicious" in weekly_markdown(
        week(noted(1), clock_suspicious=True), None
    )


def test_what_is_to_do_has_its_number_its_reason_a_command_a_code_and_an_age() -> None:
    todo = tuple(action(number, weeks=number) for number in range(1, 10))

    lines = section(weekly_markdown(week(noted(1), todo=todo), None), "Do this first")

    assert lines[0] == (
        "- p1: 3 files are not committed; git could not bring that back: "
        "`git -C ~/dev/p001 status` (`dirty`, new)"
    )
    assert lines[2].endswith("(`dirty`, 3rd week)")
    assert lines[7:] == ["- +2 more below: `zecher status -v`"]


def test_weeks_are_counted_as_people_count_them() -> None:
    assert [weeks_words(number) for number in (0, 1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 111)] == [
        "new",
        "new",
        "2nd week",
        "3rd week",
        "4th week",
        "11th week",
        "12th week",
        "13th week",
        "21st week",
        "22nd week",
        "23rd week",
        "111th week",
    ]


def test_work_at_risk_is_told_gravest_first_with_all_that_exists_only_here() -> None:
    stash = noted(1, risks=("stash",), risk=RiskNote(stashes=1, since=NOW - 90 * DAY))
    lone = noted(2, risks=("no-remote",), risk=RiskNote(only_here=4, no_remote=True))
    full = RiskNote(1, False, 500, True, ("main", "a", "b", "c"), 2, "rebase", False, NOW - 3 * DAY)

    lines = section(
        weekly_markdown(week(stash, lone, noted(3, risks=("uncommitted",), risk=full)), None), "Work at risk"
    )

    assert lines == [
        (
            "- p3, `~/dev/p003`: 1 changed file, 500+ commits not pushed (main, a, b, …), 2 stashes, "
            "rebase in progress, oldest 3d"
        ),
        "- p1, `~/dev/p001`: 1 stash, oldest 2mo",
        "- p2, `~/dev/p002`: 4 commits not pushed, no remote",
    ]


def ill(number: int, percent: int | None, **more: object) -> Noted:
    top = {"top": "3 of 9 decisions lack *why*", "top_code": "d-fields"} if percent != 100 else {}
    return noted(number, health=HealthNote(percent=percent, **top), **more)  # type: ignore[arg-type] # texts


def test_memory_is_told_worst_first_with_its_change_and_its_finding() -> None:
    before = week(ill(1, 90), ill(2, 50), days=7, brain_health=HealthNote(percent=100))
    now = week(
        ill(1, 80),
        ill(2, 60),
        ill(3, 100),
        ill(4, None),
        ill(5, 10, status="archived"),
        ill(6, 0),
        brain_health=HealthNote(80, 10, "2 lessons are said twice", "l-repeats"),
        rules={"d-fields": (3, 2, 1), "p-goal": (5, 0, 1), "l-repeats": (1, 3, 0)},
    )

    assert section(weekly_markdown(now, before), "Memory health") == [
        "- brain: 80 % (-20), 2 lessons are said twice (`l-repeats`)",
        "- p6: 0 %, 3 of 9 decisions lack \\*why\\* (`d-fields`)",
        "- p2: 60 % (+10), 3 of 9 decisions lack \\*why\\* (`d-fields`)",
        "- p1: 80 % (-10), 3 of 9 decisions lack \\*why\\* (`d-fields`)",
        "- rules: 9 passed, 5 failed, 2 not applicable; most often failed: `l-repeats` 3, `d-fields` 2",
    ]


def test_a_project_that_was_moved_is_compared_with_itself() -> None:
    before = week(ill(1, 90), days=7)

    lines = section(weekly_markdown(week(ill(1, 80, path="/moved")), before), "Memory health")

    assert lines[0].startswith("- p1: 80 % (-10), ")


def test_the_ten_worst_memories_are_shown_and_the_others_counted() -> None:
    now = week(*(ill(number, number) for number in range(30)))

    lines = section(weekly_markdown(now, None), "Memory health")

    assert [line.partition(":")[0] for line in lines[:11]] == [*(f"- p{n}" for n in range(10)), "- 20 more"]


def test_decisions_to_review_are_told_with_file_and_line() -> None:
    told = finding(1, code="d-review", since="2026-05-02", message="“Use SQLite” is active since 2026-05-02")

    lines = section(
        weekly_markdown(week(noted(1), review=(told, finding(2, line=0))), None), "Decisions to review"
    )

    assert lines == [
        "- 2026-05-02 p1, `docs/decisions.md:12`: “Use SQLite” is active (`d-review`)",
        "- p2, `docs/decisions.md`: 3 of 9 decisions do not say what was rejected (`d-rejected`)",
    ]


def test_lessons_that_repeat_name_their_projects_and_the_command() -> None:
    repeats = (
        Repeat(("Ask first", "Always ask first"), ("engine", "shop"), "zecher memory consolidate --all"),
        Repeat(("Pin it",), ("a", "b", "c", "d", "e", "f")),
    )

    assert section(weekly_markdown(week(noted(1), repeats=repeats), None), "Lessons that repeat") == [
        "- Ask first: engine, shop: `zecher memory consolidate --all`",
        "- Pin it: a, b, c, d and 2 more",
    ]


SIZE = finding(9, code="m-size", message="MEMORY.md has 190 of 200 lines")


def test_the_cost_of_memory_names_the_largest_files_and_those_near_a_limit() -> None:
    loads = tuple((f"p{number}", "CLAUDE.md", 9_000 - number, None) for number in range(1, 8))
    earlier = (("p2", "CLAUDE.md", 8_000, None), ("p3", "CLAUDE.md", 8_997, None))
    before = week(noted(1), days=7, tokens=80_000, loads=earlier, todo=(action(1),))
    now = week(noted(1), loads=loads, tokens=81_000, todo=(action(1),), sizes=(SIZE,) * 5)

    assert section(weekly_markdown(now, before), "Cost of memory") == [
        "- about 81,000 (+1,000) tokens are loaded when assistants begin to work",
        "- p1, `CLAUDE.md`: 8,999",
        "- p2, `CLAUDE.md`: 8,998 (+998)",
        *(f"- p{number}, `CLAUDE.md`: {9_000 - number:,}" for number in range(3, 6)),
        *(["- p9: MEMORY.md has 190 of 200 lines (`m-size`)"] * 2),
        "- 3 more near or over a limit",
    ]


def test_a_file_near_its_limit_is_said_even_when_nothing_else_is() -> None:
    assert section(weekly_markdown(ALL_WELL, None), "Cost of memory") == []
    assert section(weekly_markdown(replace(ALL_WELL, sizes=(SIZE,)), None), "Cost of memory")


def test_what_is_overdue_is_told_with_its_day_place_and_id() -> None:
    late = loop(1, state="overdue", due="2026-11-28", owner="Ana")
    now = week(noted(1), loops=(late, loop(2)), loop_counts={"overdue": 1, "open": 1, "done": 7})

    assert section(weekly_markdown(now, None), "Open loops and due items") == [
        "- overdue 2026-11-28: p1, `MEMORY.md:4`: the contract (`00000001`, Ana)",
        "- open: p2, `MEMORY.md:4`: the contract (`00000002`)",
    ]


@pytest.mark.parametrize(("count", "lines", "last"), [(10, 10, 9), (11, 10, None), (400, 10, None)])
def test_at_most_ten_lines_tell_of_open_loops(count: int, lines: int, last: int | None) -> None:
    some = tuple(loop(number) for number in range(count))
    now = week(noted(1), loops=some, loop_counts={"open": count, "snoozed": 5})

    told = section(weekly_markdown(now, None), "Open loops and due items")

    expected = f"- open: p{last}, `MEMORY.md:4`: the contract (`0000000{last}`)"
    assert (len(told), told[-1]) == (lines, expected if last else f"- {count - 9} more: `zecher loops`")


def test_where_nothing_is_open_there_is_no_section_about_it() -> None:
    now = week(noted(1), loop_counts={"overdue": 0, "open": 0, "done": 7})

    assert "Open loops" not in weekly_markdown(now, None)


def test_what_was_silenced_is_counted_below() -> None:
    assert "`zecher ack CODE` silences it (7 silenced). Zecher 1.2.3.\n" in weekly_markdown(
        week(noted(1), silenced=7), None
    )


def test_the_nights_of_the_week_are_shown_with_what_went_wrong() -> None:
    runs = RunHealth(
        (("2026-11-29", "failed"), ("2026-11-30", "none"), ("2026-12-01", "partial")),
        errors=(("2026-11-29", "No *space*"),),
        missed_weeks=1,
        damaged=1,
    )

    assert section(weekly_markdown(week(noted(1), runs=runs), None), "Run health") == [
        "- nights: ✗ · ◐ (✓ done, ◐ in part, ✗ failed, · not run)",
        "- the report before this one is missing: 1 week not run",
        "- 1 line of the ledger of runs could not be read",
        "- 2026-11-29: No \\*space\\*",
    ]


def test_where_no_run_is_known_that_is_said() -> None:
    assert section(weekly_markdown(week(noted(1), runs=RunHealth()), None), "Run health") == [
        "- nights: no run is recorded"
    ]


_SEEDED = """
from tests.reports.weeks import worst_weeks
from reports.weekly import weekly_markdown
from jobs.snapshot_format import parse_snapshot, snapshot_bytes
now, before = (parse_snapshot(snapshot_bytes(one)) for one in worst_weeks(50))
print(weekly_markdown(now, before))
"""


def test_the_same_snapshots_make_the_same_bytes_whatever_the_seed_of_hashes() -> None:
    root = Path(__file__).parents[2]

    def said(seed: int) -> bytes:
        environ = os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(root)}
        return subprocess.run(
            [sys.executable, "-c", _SEEDED], cwd=root, env=environ, check=True, capture_output=True
        ).stdout

    texts = {said(seed) for seed in range(5)}

    assert texts == {weekly_markdown(*worst_weeks(50)).encode() + b"\n"}


def test_home_is_written_short_in_what_people_read() -> None:
    now, before = worst_weeks(50)

    body = weekly_markdown(now, before).partition("\n---\n\n")[2]

    assert HOME not in body


def test_a_template_that_asks_for_what_is_not_there_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render_markdown("weekly.md.j2", now=Snapshot("w", "s", NOW, ALL_WELL.thresholds, ()))


def test_what_dreaming_proposes_stands_there_with_the_command_that_shows_it() -> None:
    now = week(
        noted(1),
        dreaming=dreaming(
            dream(1, proposed=2, near=5, unchanged=3),
            dream(2, near=1),
            dream(3, size=12_000),
            dream(4, outcome="partial"),
            promoted=3,
            archived=1,
        ),
    )

    assert section(weekly_markdown(now, None), "Dreaming") == [
        "- 3 promoted, 1 archived in seven days",
        (
            "- c1, `~/claws/c1`: 2 proposals wait for 4 runs, 5 near misses on 2026-11-30: "
            "`zecher memory promote -d ~/claws/c1`"
        ),
        (
            "- c3, `~/claws/c3`: MEMORY.md 12,000 of 10,000 characters on 2026-11-30: "
            "`zecher memory promote -d ~/claws/c3`"
        ),
        (
            "- c4, `~/claws/c4`: many notes vanished, nothing was written on 2026-11-30: "
            "`zecher memory promote -d ~/claws/c4`"
        ),
    ]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"outcome": "failed"}, ["- last run failed"]),
        ({"done": NOW - 3 * DAY}, ["- no run for 3 days"]),
        ({"at": None, "done": None, "outcome": ""}, None),
        ({}, None),
    ],
)
def test_a_job_of_dreaming_that_does_not_run_is_told(more: dict[str, object], told: list[str] | None) -> None:
    text = weekly_markdown(week(noted(1), dreaming=dreaming(dream(1, near=4), **more)), None)

    assert ("## Dreaming" in text) == (told is not None)
    assert told is None or section(text, "Dreaming") == told


def test_a_week_without_dreaming_says_nothing_of_it() -> None:
    assert "Dreaming" not in weekly_markdown(week(noted(1)), None)
