"""Reports of nights and weeks from values made by hand: their length, and foreign text in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reports.changes import KINDS, change_lines, changes_between
from reports.nightly import LINES, NightlyReport, nightly_markdown, portfolio_words, verdict
from reports.snapshot import MISSING, Noted, RunHealth, Snapshot
from reports.view import is_hostile
from reports.weekly import LINES as WEEKLY_LINES
from reports.weekly import QUIET_LINES, Memory, WeeklyReport, weekly_markdown, weeks_of_actions
from scanner.project import (
    Activity,
    Branch,
    Coverage,
    Problem,
    Project,
    Risk,
    Stacks,
    Status,
    Thresholds,
    Unsaved,
    Vcs,
)
from scanner.value import replace
from tests.support import DAY, NOW

HOME = "/home/ana"
NIGHTS = tuple((f"2026-11-{day}", "ok") for day in range(24, 31))


def noted(number: int, **more: object) -> Noted:
    values: dict[str, object] = {
        "id": f"id{number}",
        "path": f"{HOME}/dev/p{number:03d}",
        "name": f"p{number}",
        "status": "active",
        "stack": "Python",
        "labels": ("Python",),
        "first_seen": "2026-11-01",
    }
    return Noted(**values | more)  # type: ignore[arg-type] # the tests give the right ones


def snapshot(*projects: Noted, days: float = 0) -> Snapshot:
    return Snapshot("nightly", "2026-11-30", NOW - days * DAY, Thresholds(), projects)


def told(before: Noted | None, after: Noted | None) -> list[str]:
    old = snapshot(*([before] if before else []), days=1)
    return change_lines(changes_between(old, snapshot(*([after] if after else []))), HOME, room=12)


def night(projects: tuple[Noted, ...], before: tuple[Noted, ...], **more: object) -> NightlyReport:
    values: dict[str, object] = {
        "date": "2026-11-30",
        "taken": NOW,
        "home": HOME,
        "projects": projects,
        "changes": changes_between(snapshot(*before, days=1), snapshot(*projects)),
        "coverage": Coverage(directories=1200, entries=34000, pruned=(("hidden", 3),), cut_by_depth=7),
    }
    return NightlyReport(**values | more)  # type: ignore[arg-type] # as above


def test_each_kind_of_change_has_its_words() -> None:
    plain = noted(1)

    assert told(plain, plain) == []
    assert told(None, replace(plain, first_seen="2026-11-29")) == ["- new: p1, `~/dev/p001`: Python, active"]
    assert told(None, plain) == ["- back: p1, `~/dev/p001`: Python, active"]
    assert told(replace(plain, status=MISSING), plain) == ["- back: p1, `~/dev/p001`: Python, active"]
    assert told(plain, replace(plain, status=MISSING)) == ["- gone: p1, `~/dev/p001`, was active"]
    assert told(plain, replace(plain, path=f"{HOME}/x")) == ["- moved: p1, `~/dev/p001` -> `~/x`"]
    assert told(plain, replace(plain, status="paused", reason="last commit 31 days ago")) == [
        "- gone quiet: p1, `~/dev/p001`: active -> paused (last commit 31 days ago)"
    ]
    assert told(replace(plain, status="archived"), plain) == [
        "- revived: p1, `~/dev/p001`: archived -> active"
    ]
    assert told(plain, replace(plain, stack="Rust", labels=("Rust", "Docker"))) == [
        "- stack: p1, `~/dev/p001`: Python -> Rust, with Docker"
    ]
    assert told(replace(plain, labels=("Python", "Docker")), plain) == [
        "- stack: p1, `~/dev/p001`: without Docker"
    ]
    assert told(replace(plain, risks=("stash",)), replace(plain, risks=("uncommitted", "stash"))) == [
        "- at risk: p1, `~/dev/p001`: uncommitted"
    ]
    assert told(plain, None) == ["- not looked at this time: 1"]


def test_a_project_that_stays_missing_is_no_news_and_one_that_ages_past_no_threshold_neither() -> None:
    gone = noted(1, status=MISSING)

    assert told(gone, gone) == []
    assert told(noted(1, reason="yesterday"), noted(1, reason="two days ago")) == []


def test_two_projects_that_share_an_identifier_are_kept_apart_by_their_paths() -> None:
    one, two = noted(1), noted(2, id="id1")

    assert changes_between(snapshot(one, two, days=1), snapshot(one, two)).all == ()


def test_all_kinds_of_change_in_500_projects_stay_on_forty_lines() -> None:
    before = [noted(number) for number in range(500)]
    after = list(before)
    for number in range(0, 490, 8):
        after[number] = replace(before[number], risks=("stash",))
        after[number + 1] = replace(before[number + 1], status=MISSING)
        after[number + 2] = replace(before[number + 2], path=f"/moved/{number}")
        after[number + 3] = replace(before[number + 3], id=f"fresh{number}", first_seen="2026-11-30")
        before[number + 4] = replace(before[number + 4], status=MISSING)
        before[number + 5] = replace(before[number + 5], status="archived")
        after[number + 6] = replace(before[number + 6], status="archived")
        after[number + 7] = replace(before[number + 7], stack="Rust")
    problems = tuple(Problem("unreadable", "error", f"/p/{n}", "no way in", "Mend it.") for n in range(99))
    coverage = Coverage(unreadable=("/a", "/b"), deadline_hit=True, cut_by_depth=9)
    report = night(tuple(after), tuple(before), problems=problems, coverage=coverage, skipped=3)
    assert report.changes is not None
    changed = replace(report.changes, rules_changed=True)

    text = nightly_markdown(replace(report, changes=changed))

    assert {change.kind for change in report.changes.all} == set(KINDS)
    assert 30 < len(text.splitlines()) <= LINES
    assert "- gone: 61 more\n" in text
    assert "- 95 more\n" in text


def test_a_night_of_one_kind_only_shows_a_dozen() -> None:
    before = tuple(noted(number) for number in range(500))
    after = tuple(replace(one, status=MISSING) for one in before)

    lines = change_lines(changes_between(snapshot(*before), snapshot(*after)), HOME, room=12)

    assert len(lines) == 13
    assert lines[-1] == "- gone: 488 more"


def test_the_verdict_names_what_is_unusual() -> None:
    report = night(
        (noted(1, risks=("stash",)),),
        (noted(1, risks=("stash",)),),
        problems=(Problem("x", "error", "", "m"), Problem("y", "warning", "", "m")),
        missed_slots=2,
        clock_suspicious=True,
    )

    assert verdict(report) == (
        "1 project: 1 active; nothing changed since 2026-11-29 03:17 UTC; 1 at risk; 1 error; "
        "2 runs missed before; the clock is suspicious, so that every status stays as it was."
    )


def test_an_empty_portfolio_is_said_in_words() -> None:
    assert portfolio_words(()) == "0 projects"


def test_problems_have_their_code_and_what_to_do_errors_first() -> None:
    problems = (
        Problem("odd", "warning", "", "it is odd"),
        Problem("root-missing", "error", f"{HOME}/x", "no such folder", "Check the path."),
    )

    text = nightly_markdown(night((), (), problems=problems))

    assert (
        "## Problems\n\n- error: `~/x`: no such folder. Check the path. (`root-missing`)\n"
        "- warning: it is odd. (`odd`)\n"
    ) in text


HOSTILE = st.text(
    st.sampled_from(list("a `*_[]()<>#!|\\\n\r\t&:/-+.\x1b\u202e\udcff\U000e0041")), min_size=1, max_size=12
)


@given(name=HOSTILE, path=HOSTILE, reason=HOSTILE, risk=HOSTILE, code=HOSTILE)
def test_foreign_text_makes_no_mark_up_and_no_line_of_its_own(
    name: str, path: str, reason: str, risk: str, code: str
) -> None:
    old = noted(1, name=name, path=path, status="archived")
    new = noted(1, name=name, path="/" + path, reason=reason, stack=name, labels=(risk,), risks=(risk,))
    problem = Problem(code, "error", path, reason, risk)

    report = night((new,), (old,), problems=(problem,))
    text = nightly_markdown(report)

    assert report.changes is not None
    harmless(text, items=len(report.changes.all) + 1 + 1 + 0)


def harmless(text: str, *, items: int) -> None:
    """``text`` has just our headings and so many list items, and no link, picture or HTML."""
    assert not [letter for letter in text if is_hostile(ord(letter)) and letter != "\n"]
    tokens = MarkdownIt().parse(text)
    kinds = [token.type for token in tokens]
    inner = {child.type for token in tokens for child in token.children or ()}
    assert kinds.count("list_item_open") == items
    assert not {"link_open", "image", "html_inline", "em_open", "strong_open", "hardbreak"} & inner
    assert "html_block" not in kinds
    assert "fence" not in kinds


# -- weeks ---------------------------------------------------------------------------------------------------


def project(number: int, *, risky: bool = False) -> Project:
    risk = Risk(("uncommitted", "unpushed", "stash"), 7, NOW - 40 * DAY) if risky else None
    git = Unsaved(
        modified=2,
        untracked=1,
        branches=(Branch("main", None, 2), Branch("next", "origin/next", 1)),
        only_here=3 if risky else 0,
        stashes=1 if risky else 0,
        has_remote=True,
        risk=risk,
    )
    return Project(
        path=f"{HOME}/dev/p{number:03d}",
        name=f"p{number}",
        stacks=Stacks("Python"),
        activity=Activity(NOW),
        status=Status("active", "today"),
        vcs=Vcs("git", branch="main"),
        has_git=True,
        bmad_installed=False,
        git=git,
    )


def week(
    projects: tuple[Project, ...], now: Snapshot, before: Snapshot | None, **more: object
) -> WeeklyReport:
    identifiers = {one.path: one.id for one in now.projects}
    values: dict[str, object] = {
        "now": replace(now, slot="2026-W49", actions=weeks_of_actions(projects, identifiers, before)),
        "before": before,
        "changes": changes_between(before, now) if before is not None else None,
        "projects": projects,
        "memories": {},
        "brain": Memory(*(now.brain or (9, 9))),
        "brain_path": f"{HOME}/.bmad-plus/brain",
        "home": HOME,
        "version": "1.2.3",
        "runs": RunHealth(NIGHTS, 2.0, 3.5, {"scanned": 50}, next_run=NOW + DAY),
    }
    return WeeklyReport(**values | more)  # type: ignore[arg-type] # as above


def test_a_week_in_which_all_is_well_is_a_page_of_at_most_25_lines() -> None:
    projects = tuple(project(number) for number in range(50))
    now = replace(snapshot(*(noted(number, memory=(9, 9)) for number in range(50))), brain=(9, 9))

    text = weekly_markdown(week(projects, now, replace(now, taken=NOW - 7 * DAY), export="/x/export.md"))

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
        "# 2026-W49: nothing needs you; 50 projects: 50 active; memory 100 %\n"
        "\n"
        "## Do this first\n"
        "\n"
        "Nothing exists only here.\n"
        "\n"
        "## Run health\n"
        "\n"
        "- nights: ✓ ✓ ✓ ✓ ✓ ✓ ✓ (✓ done, ◐ in part, ✗ failed, · not run); median 2.0 s, longest 3.5 s, "
        "50 scanned; next 2026-12-01 03:17 UTC\n"
        "\n"
        "Memory is the share of its checks that passed: `zecher memory status` shows each. "
        "The brain was exported to `/x/export.md`. Zecher 1.2.3.\n"
    )


def test_the_worst_week_of_50_projects_has_at_most_120_lines() -> None:
    projects = tuple(project(number, risky=True) for number in range(50))
    before = snapshot(*(noted(number, memory=(8, 9), status="archived") for number in range(50)), days=7)
    after = snapshot(
        *(noted(n, memory=(n % 9, 9), stack="Rust", risks=("stash",), path=f"/m/{n}") for n in range(50))
    )
    runs = RunHealth(
        nights=NIGHTS,
        errors=tuple((slot, "No space left on device") for slot, _ in NIGHTS),
        missed_weeks=2,
        damaged=3,
    )
    problems = tuple(Problem("unreadable", "error", f"/p/{n}", "no way in") for n in range(99))
    report = week(projects, replace(after, brain=(1, 9)), before, runs=runs, problems=problems)

    text = weekly_markdown(report)

    assert 60 < len(text.splitlines()) <= WEEKLY_LINES
    assert "- + 143 more below\n" in text


def test_memory_is_told_worst_first_with_its_change_and_its_finding() -> None:
    before = replace(snapshot(noted(1, memory=(9, 10)), noted(2, memory=(5, 10)), days=7), brain=(5, 5))
    now = replace(snapshot(noted(1, memory=(8, 10)), noted(2, memory=(6, 10)), noted(3)), brain=(4, 5))
    memories = {
        f"{HOME}/dev/p001": Memory(8, 10, "context.md: *old*"),
        f"{HOME}/dev/p002": Memory(6, 10, "sessions: none"),
    }

    text = weekly_markdown(
        week((), now, before, memories=memories, brain=Memory(4, 5, "lessons.md: missing"))
    )

    assert (
        "## Memory health\n\n"
        "- brain: 80 % (-20), lessons.md: missing\n"
        "- p2: 60 % (+10), sessions: none\n"
        "- p1: 80 % (-10), context.md: \\*old\\*\n"
        "- without a memory: 1 project\n"
    ) in text


def test_the_age_of_a_thing_to_do_is_counted_in_weeks() -> None:
    one = project(1, risky=True)
    now = snapshot(noted(1))
    known = {"id1:uncommitted": 1, "id1:unpushed": 2, "id1:stash": 20}

    text = weekly_markdown(week((one,), now, replace(now, taken=NOW - 7 * DAY, actions=known)))

    assert [age for age in ("new", "2nd week", "3rd week", "21st week") if f", {age})\n" in text] == [
        "2nd week",
        "3rd week",
        "21st week",
    ]


@given(text=HOSTILE)
def test_foreign_text_in_a_week_makes_no_mark_up(text: str) -> None:
    risky = replace(project(1, risky=True), name=text, path=f"/{text}")
    git = replace(risky.git or Unsaved(), branches=(Branch(text, None, 2),), in_progress=text)
    now = snapshot(noted(1, name=text, path=f"/{text}", memory=(1, 2), stack=text))
    before = snapshot(noted(1, name=text, memory=(2, 2)), days=7)
    report = week(
        (replace(risky, git=git),),
        now,
        before,
        memories={f"/{text}": Memory(1, 2, text)},
        brain=Memory(1, 2, text),
        runs=RunHealth(((text, "failed"),), errors=((text, text),)),
        problems=(Problem(text, "error", text, text),),
        export=f"/{text}",
        brain_path=f"/{text}",
    )

    page = weekly_markdown(report).partition("\n---\n\n")[2]

    assert report.changes is not None
    harmless(page, items=3 + len(report.changes.all) + 1 + 2 + 3)
