"""The report of a night from snapshots made by hand: its length, its words, and foreign text in it."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reports.changes import KINDS, change_lines, changes_between
from reports.nightly import LINES, nightly_markdown, portfolio_words, verdict
from reports.snapshot import MISSING, Noted, Snapshot
from reports.view import is_hostile
from scanner.project import Coverage, Problem, Thresholds
from scanner.value import replace
from tests.reports.weeks import dream, dreaming
from tests.support import DAY, NOW

HOME = "/home/ana"


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


def night(projects: tuple[Noted, ...], **more: object) -> Snapshot:
    coverage = Coverage(directories=1200, entries=34000, pruned=(("hidden", 3),), cut_by_depth=7)
    problems: tuple[Problem, ...] = more.get("problems", ())  # type: ignore[assignment] # the tests give those
    return replace(
        snapshot(*projects),
        **{  # type: ignore[arg-type] # the tests give the right ones
            "home": HOME,
            "coverage": coverage,
            "problem_counts": dict(Counter(one.level for one in problems)),
            **more,
        },
    )


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
    waiting = dreaming(dream(1, proposed=2), outcome="failed")
    now = night(tuple(after), problems=problems, coverage=coverage, skipped=3, dreaming=waiting)
    earlier = replace(snapshot(*before, days=1), thresholds=Thresholds(active=1.0))

    text = nightly_markdown(now, earlier)

    assert {change.kind for change in changes_between(earlier, now).all} == set(KINDS)
    assert 30 < len(text.splitlines()) <= LINES
    assert "- gone: 61 more\n" in text
    assert "- 97 more\n" in text


def test_a_night_of_one_kind_only_shows_a_dozen() -> None:
    before = tuple(noted(number) for number in range(500))
    after = tuple(replace(one, status=MISSING) for one in before)

    lines = change_lines(changes_between(snapshot(*before), snapshot(*after)), HOME, room=12)

    assert len(lines) == 13
    assert lines[-1] == "- gone: 488 more"


def test_the_verdict_names_what_is_unusual() -> None:
    risky = noted(1, risks=("stash",))
    now = night(
        (risky,),
        problems=(Problem("x", "error", "", "m"), Problem("y", "warning", "", "m")),
        missed_slots=2,
        clock_suspicious=True,
    )

    assert verdict(now, snapshot(risky, days=1)) == (
        "1 project: 1 active; nothing changed since 2026-11-29 03:17 UTC; 1 at risk; 1 error; "
        "2 runs missed before; the clock is suspicious, so that every status stays as it was."
    )


def test_an_empty_portfolio_is_said_in_words() -> None:
    assert portfolio_words(()) == "0 projects"


def test_problems_have_their_code_and_what_to_do() -> None:
    problems = (
        Problem("root-missing", "error", f"{HOME}/x", "no such folder", "Check the path."),
        Problem("odd", "warning", "", "it is odd"),
    )

    text = nightly_markdown(night((), problems=problems), None)

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
    now = night((new,), problems=(Problem(code, "error", path, reason, risk),), slot=name)
    before = snapshot(old, days=1)

    harmless(nightly_markdown(now, before), items=len(changes_between(before, now).all) + 1 + 1)


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


def test_one_line_tells_what_dreaming_proposes() -> None:
    waiting = dreaming(dream(1, proposed=2), dream(2, proposed=1, size=12_000), outcome="failed")

    assert (
        "\nDreaming: 3 proposals wait in 2 workspaces, 1 MEMORY.md over budget, last run failed: "
        "`zecher memory promote --all`\n" in nightly_markdown(night((noted(1),), dreaming=waiting), None)
    )


def test_where_dreaming_is_off_or_has_nothing_to_say_the_night_says_nothing_of_it() -> None:
    quiet = dreaming(dream(1, near=7))

    assert "Dreaming" not in nightly_markdown(night((noted(1),)), None)
    assert "Dreaming" not in nightly_markdown(night((noted(1),), dreaming=quiet), None)
