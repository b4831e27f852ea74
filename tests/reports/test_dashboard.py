"""The page as text: what it holds, what it asks for, what foreign text can do to it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reports.dashboard import SIZE, dashboard_html
from reports.snapshot import FindingNote, HealthNote, Noted, Repeat, RiskNote, RunHealth, Snapshot
from reports.todo import is_urgent
from reports.view import safe_display
from scanner.project import Problem, Thresholds
from scanner.value import replace
from tests.reports.portfolio import HOME, portfolio
from tests.support import DAY, NOW

HOUR = 3600.0
TEMPLATES = Path(__file__).parents[2] / "reports" / "templates"

HOSTILE = (
    *("<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>"),
    *('"><svg onload=alert(1)>', "'><b>", '" onmouseover="alert(1)', "' onfocus='alert(1)' autofocus='"),
    *(
        "</td></tr></table><h1>",
        "</title><script>1</script>",
        "</style><style>*{display:none}",
        "<!--",
        "-->",
    ),
    *(
        "]]>",
        "<![CDATA[",
        "<?php echo 1 ?>",
        "&lt;script&gt;",
        "&amp;",
        "&#60;b&#62;",
        "&",
        "&copy",
        "<",
        ">",
    ),
    *(
        "javascript:alert(1)",
        "data:text/html,<b>",
        "https://example.com/x.js",
        "//example.com/x",
        "<a href=x>",
    ),
    *(
        "{{ 7 * 7 }}",
        "{% raw %}",
        "{# x #}",
        "${7*7}",
        "<%= 1 %>",
        "\x00",
        "\x1b[31mred",
        "\x9b31m",
        "\r\n<b>",
    ),
    *("\u202eevil", "\u200b", "\ufeff", "\U000e0041", "\udcff\udcfe", "\ud800", "a\u0301" * 40, "x" * 5000),
    *("<iframe src=//example.com>", "<base href=//example.com>", "<meta http-equiv=refresh content=0>"),
    *("<form action=//example.com><input>", "<textarea>", "<plaintext>", "<noscript>", "<template>"),
)


class Outline(HTMLParser):
    """Every element in order with the names of its attributes, all attributes, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_asks_for_nothing_from_anywhere() -> None:
    page = dashboard_html(portfolio(30), NOW)
    outline = Outline(page)
    addresses = [
        value for name, value in outline.attributes if name in ("src", "href", "action", "srcset", "data")
    ]
    assert addresses
    assert [one for one in addresses if not re.fullmatch(r"#[a-z0-9-]+", one)] == []
    assert not re.search(r"https?:|url\(|@import|fetch\(|XMLHttpRequest|import\(|\bsrc=", page)


def test_the_policy_allows_the_page_its_own_style_and_script_and_nothing_else() -> None:
    page = dashboard_html(portfolio(3), NOW)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert policy is not None
    assert style is not None
    assert script is not None
    assert policy[1].split("; ") == [
        "default-src 'none'",
        f"style-src '{_hash(style[1])}'",
        f"script-src '{_hash(script[1])}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_no_element_carries_a_handler_or_a_style() -> None:
    names = {name for name, _ in Outline(dashboard_html(portfolio(30), NOW)).attributes}
    assert "class" in names
    assert [name for name in names if name.startswith("on") or name == "style"] == []


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_foreign_text_changes_no_element_of_the_page(text: str) -> None:
    outline = Outline(dashboard_html(_filled_with(text), NOW, notes={f"/x/{text}": [(text, text)]}))
    harmless = (
        "tame" if len(safe_display(text)) <= 72 else "t" * 5000
    )  # a long next step has a place of its own
    tame = Outline(dashboard_html(_filled_with(harmless), NOW, notes={f"/x/{harmless}": [("tame", "tame")]}))
    assert outline.elements == tame.elements
    assert not re.search(
        r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b-\u200f\ufeff]", "".join(outline.text)
    )


def test_there_are_fifty_hostile_texts_and_unescaped_they_would_be_elements() -> None:
    assert len(set(HOSTILE)) >= 50
    assert sum(len(Outline(text).elements) > 0 for text in HOSTILE) >= 15


def test_the_same_snapshot_makes_the_same_bytes_whatever_the_hash_seed() -> None:
    program = (
        "import hashlib; from tests.reports.portfolio import portfolio; from tests.support import NOW;"
        "from reports.dashboard import dashboard_html;"
        "print(hashlib.sha256(dashboard_html(portfolio(60), NOW).encode()).hexdigest())"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parents[2],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1", "2", "3", "4")
    }
    assert len(made) == 1


@pytest.mark.parametrize("findings", [0, 1, 4])
def test_five_hundred_projects_take_at_most_400_kib(findings: int) -> None:
    page = dashboard_html(portfolio(500, findings=findings), NOW)
    assert len(page.encode()) <= SIZE == 400 * 1024
    assert page.count('<tr class="') == 500


def test_wordy_findings_are_cut_before_the_page_grows_beyond_its_limit() -> None:
    wordy = portfolio(500, findings=4)
    wordy = replace(
        wordy,
        findings=tuple(
            replace(one, message=f"{one.message}, {'which is told at length, ' * 12}", fix=f"{one.fix} " * 8)
            for one in wordy.findings
        ),
        projects=tuple(
            replace(one, reason=one.reason * 4, next_step="say it again, " * 20) for one in wordy.projects
        ),
    )
    page = dashboard_html(wordy, NOW)
    assert len(page.encode()) <= SIZE
    assert "only the gravest stand here" in page
    assert page.count("<dt><code>") == len({one.code for one in wordy.findings}), (
        "how to mend, once for each code"
    )
    assert page.count('<li class="') >= 300, "at least the gravest of each project"


def test_the_script_takes_at_most_six_kib() -> None:
    assert (TEMPLATES / "dashboard.js").stat().st_size <= 6 * 1024


def test_paths_are_relative_to_home() -> None:
    page = dashboard_html(portfolio(40), NOW)
    assert "~/dev/" in page
    assert HOME not in page


def test_redacted_the_page_holds_no_path_of_a_project_or_of_home() -> None:
    snapshot = portfolio(40)
    page = dashboard_html(snapshot, NOW, redact_paths=True)
    assert HOME not in page
    assert "~/" not in page
    assert [one.path for one in snapshot.projects if one.path.removeprefix(HOME) in page] == []
    assert "Paths are left out." in page


def test_bodies_of_memories_stand_in_the_page_only_where_they_were_given() -> None:
    snapshot = portfolio(5)
    notes = {snapshot.projects[2].path: [("decisions.md", "# Decisions\n\nUse <SQLite>.\n")]}
    assert "&lt;SQLite&gt;" not in dashboard_html(snapshot, NOW)
    page = dashboard_html(snapshot, NOW, notes=notes)
    assert "# Decisions\n\nUse &lt;SQLite&gt;.\n</pre>" in page


@pytest.mark.parametrize(
    ("hours", "age"), [(1, "fresh"), (25, "fresh"), (27, "ageing"), (36, "ageing"), (37, "dead")]
)
def test_the_page_says_how_old_it_was_when_it_was_made(hours: int, age: str) -> None:
    page = dashboard_html(portfolio(3), NOW + hours * HOUR)
    assert f'<p id="as-of" class="{age}" data-taken="{int(NOW)}">' in page
    assert '<time datetime="2026-11-30T03:17:04Z">2026-11-30 03:17 UTC</time>' in page


def test_the_verdict_counts_what_needs_a_person_and_what_is_urgent() -> None:
    snapshot = portfolio(41)
    waiting = [one for one in snapshot.todo if is_urgent(one, NOW)]
    assert 0 < len(waiting) < len(snapshot.todo)
    page = dashboard_html(snapshot, NOW)
    assert f"<h1>{len(snapshot.todo)} things need you, {len(waiting)} of them urgent.</h1>" in page
    assert f"Begin with {snapshot.todo[0].name}: {snapshot.todo[0].fact}." in page


def test_a_run_that_took_no_second_takes_no_zero_seconds() -> None:
    short = replace(_one(), runs=RunHealth(median=0.2, longest=0.9))
    long = replace(_one(), runs=RunHealth(median=0.2, longest=75.0))

    assert "under a second" in dashboard_html(short, now=NOW)
    assert "under a second in the middle, at most 1 min" in dashboard_html(long, now=NOW)
    assert "0 s" not in dashboard_html(short, now=NOW)


def test_a_late_weekly_report_compares_its_own_week_and_ends_the_trend_with_it() -> None:
    late = replace(
        _one(), job="weekly", slot="2026-W48", health=50, trend=(("2026-W47", 40), ("2026-W48", 50))
    )
    page = dashboard_html(late, now=NOW)

    assert "▲ 10 since 2026-W47" in page
    assert "rose from 40% in 2026-W47 to 50% in 2026-W48." in page


def test_all_is_well_says_so() -> None:
    page = dashboard_html(replace(portfolio(3), todo=(), actions={}), NOW)
    assert "<h1>Nothing needs you.</h1>" in page
    assert "Do this first" not in page


def test_the_blocks_stand_in_their_order() -> None:
    page = dashboard_html(portfolio(20), NOW)
    marks = [
        "<h1>",
        'class="tiles"',
        'id="actions"',
        'id="charts"',
        'id="projects"',
        'id="details"',
        'id="runs"',
        'id="rules"',
    ]
    assert sorted(marks, key=page.index) == marks


def test_every_chart_is_an_image_with_a_name_one_sentence_and_its_numbers() -> None:
    page = dashboard_html(portfolio(60), NOW)
    for chart in ("status", "stacks", "care", "commits", "health"):
        assert re.search(
            rf'<svg role="img" aria-labelledby="{chart}-t {chart}-d"[^>]*><title id="{chart}-t">[^<]+</title>'
            rf'<desc id="{chart}-d">[^<]+\.</desc>',
            page,
        ), chart
    assert page.count("<summary>Numbers</summary>") == 5


def test_no_identifier_stands_twice_and_every_reference_finds_its_own() -> None:
    attributes = Outline(dashboard_html(portfolio(60), NOW)).attributes
    known = [value for name, value in attributes if name == "id"]
    assert len(known) == len(set(known))
    wanted = {value[1:] for name, value in attributes if name == "href"}
    wanted |= {
        one for name, value in attributes if name in ("aria-labelledby", "for") for one in value.split()
    }
    assert wanted - set(known) == set()


def test_the_table_has_the_columns_and_a_row_for_each_project() -> None:
    page = dashboard_html(_one(), NOW)
    table = re.search(r'<table id="table">.*?</table>', page, re.DOTALL)
    assert table is not None
    heads = re.findall(r'<th scope="col"[^>]*>([^<]+)', table[0])
    assert heads == ["Name", "Status", "Stack", "Idle", "At risk", "Memory", "Tokens", "Next step", "Path"]
    row = re.findall(r"<t[hd][^>]*>(?:<a[^>]*>)?([^<\n]*)", table[0].split("<tbody>")[1])
    assert row == [
        *(
            "shop",
            "active",
            "Python",
            "3d",
            "12+ changed, 3 unpushed, 1 stash, rebase, no remote",
            "84%",
            "1,200",
        ),
        *("measure the export", "~/dev/shop"),
    ]


def test_the_details_hold_each_finding_with_code_place_and_fix() -> None:
    page = dashboard_html(_one(), NOW)
    assert "<dt>Why active<dd>last commit 3 days ago" in page
    assert (
        '<li class="warning"><b>warning</b> no criterion <code>p-next '
        ".agents/memory/context.md:7</code><p>Say how it ends." in page
    )
    assert '<p class="more">4 more</p>' in page


def test_the_brain_stands_first_among_the_details() -> None:
    page = dashboard_html(portfolio(20), NOW)
    first = page[page.index('id="details"') :].split("<details")[1]
    assert "<b>The brain</b> <small>92%, 1 warning</small>" in first
    assert "a decision is older than 90 days" in first


def test_without_anything_the_page_still_stands() -> None:
    page = dashboard_html(Snapshot("nightly", "2026-11-30", NOW, Thresholds(), ()), NOW)
    assert "Nothing needs you." in page
    assert "There is no project yet." in page
    assert "Memory health was not measured yet." in page


def test_a_time_that_no_calendar_has_does_no_harm() -> None:
    assert "As of" in dashboard_html(replace(portfolio(3), taken=1e18), 1e18)


def _contrast(one: str, other: str) -> float:
    """As the guidelines for accessible pages define it."""

    def light(colour: str) -> float:
        digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
        parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def _palettes() -> dict[str, dict[str, str]]:
    roots = re.findall(r":root \{(.*?)\}", (TEMPLATES / "dashboard.css").read_text(), re.DOTALL)
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", root)) for root in roots]
    return dict(zip(("light", "dark", "print"), found, strict=True))


@pytest.mark.parametrize("mode", ["light", "dark", "print"])
def test_text_of_every_colour_can_be_read(mode: str) -> None:
    colours = _palettes()[mode]
    for name in ("ink", "soft", "link", "active", "paused", "archived", "missing", "good"):
        for ground in ("paper", "tint"):
            assert _contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    assert _contrast(colours["l3"], colours["paper"]) >= 3


def test_the_colours_of_statuses_are_the_ones_that_were_chosen() -> None:
    chosen = {
        "light": ("#ffffff", "#0072b2", "#8a5200", "#595959", "#b3261e"),
        "dark": ("#121417", "#6bbcf5", "#f0b44c", "#a7adb4", "#ff9a8a"),
    }
    for mode, colours in chosen.items():
        have = _palettes()[mode]
        names = ("paper", "active", "paused", "archived", "missing")
        assert (
            tuple(
                have[name].replace("#fff", "#ffffff") if have[name] == "#fff" else have[name]
                for name in names
            )
            == colours
        )


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _one() -> Snapshot:
    """One project about which everything is known."""
    path = f"{HOME}/dev/shop"
    project = Noted(
        id="1",
        path=path,
        name="shop",
        status="active",
        stack="Python",
        labels=("Python", "Docker"),
        reason="last commit 3 days ago",
        risks=("uncommitted",),
        last_activity=NOW - 3.5 * DAY,
        risk=RiskNote(12, True, 3, False, ("main",), 1, "rebase", True, NOW - 20 * DAY),
        health=HealthNote(percent=84, tokens=1200, warnings=5),
        next_step="measure the export",
    )
    finding = FindingNote(
        "p-next", "warning", path, "shop", ".agents/memory/context.md", 7, "no criterion", "Say how it ends."
    )
    return Snapshot("nightly", "2026-11-30", NOW, Thresholds(), (project,), home=HOME, findings=(finding,))


def _filled_with(text: str) -> Snapshot:
    """A portfolio of one whose every word is ``text``."""
    project = replace(
        _one().projects[0],
        path=f"/x/{text}",
        name=text,
        stack=text,
        labels=(text, "more"),
        reason=text,
        risk=RiskNote(1, branches=(text,), in_progress=text),
        next_step=text,
    )
    finding = FindingNote(text, text, project.path, text, text, 3, text, text)
    action = portfolio(41).todo[0]
    return replace(
        _one(),
        projects=(project,),
        findings=(finding, replace(finding, path="/brain")),
        brain_path="/brain",
        brain_health=HealthNote(percent=1, warnings=1),
        tool_version=text,
        todo=(replace(action, path=project.path, name=text, fact=text, why=text, command=text, code=text),),
        rules={text: (1, 1, 1)},
        review=(finding,),
        repeats=(Repeat((text,), (text,), text),),
        loads=((text, text, 5, None),),
        health=50,
        trend=(("2026-W47", 40), ("2026-W48", 50)),
        days={"2026-11-28": 3, text: 4},
        runs=RunHealth(nights=((text, text),), errors=((text, text),), next_run=NOW),
        problems=(Problem(text, text, text, text, text),),
        problem_counts={text: 3},
    )
