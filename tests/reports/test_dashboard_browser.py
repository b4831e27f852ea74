"""The page in a real browser: sort, filter, keys, address, modes, width, print, access for everybody."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reports.dashboard import dashboard_html
from scanner.value import replace
from tests.browser import AXE, Chromium, chromium
from tests.reports.portfolio import portfolio
from tests.reports.test_dashboard import HOSTILE
from tests.support import DAY, NOW

FOUND = chromium()
pytestmark = pytest.mark.skipif(
    FOUND is None, reason="no Chromium on this machine (set CHROMIUM to its path)"
)

MODES: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {"dark": True},
    "tablet": {"width": 820},
    "narrow": {"width": 320},
    "narrow and dark": {"width": 320, "dark": True},
    "print": {"width": 760, "media": "print"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def browser(folder: Path) -> Iterator[Chromium]:
    assert FOUND is not None
    with Chromium(FOUND, folder / "profile") as opened:
        yield opened


@pytest.fixture(scope="module")
def page(folder: Path) -> Path:
    """The page of 41 projects."""
    path = folder / "dashboard.html"
    path.write_text(dashboard_html(portfolio(41), NOW))
    return path


def _shown(browser: Chromium, column: int = 0) -> list[str]:
    """The texts of one column of the rows that are shown."""
    rows = "[...document.querySelectorAll('#table tbody tr:not([hidden])')]"
    return list(browser.run(f"{rows}.map((tr) => tr.cells[{column}].textContent.trim())"))


def _sort(browser: Chromium, column: str) -> str | None:
    """Press the head of a column; how it is sorted then."""
    browser.run(f"document.querySelector('[data-k={column}] button').click()")
    told = browser.run(f"document.querySelector('[data-k={column}]').getAttribute('aria-sort')")
    return None if told is None else str(told)


@pytest.mark.parametrize("mode", MODES)
def test_no_mode_complains_asks_for_anything_or_scrolls_sideways(
    browser: Chromium, page: Path, mode: str
) -> None:
    browser.open(page, **MODES[mode])
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browser.complaints() == []
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


def test_the_browser_of_the_tests_tells_of_complaints_and_requests(browser: Chromium, folder: Path) -> None:
    bad = folder / "bad.html"
    bad.write_text("<img src='other.png'><script>console.error('told'); nothing.at.all</script>")
    browser.open(bad)
    told = browser.complaints()
    assert any("other.png" in one for one in told)
    assert any("told" in one for one in told)
    assert any("nothing is not defined" in one for one in told)


def test_the_policy_stops_what_is_not_the_pages_own(browser: Chromium, page: Path, folder: Path) -> None:
    harmed = folder / "harmed.html"
    harmed.write_text(
        page.read_text().replace(
            "<footer>", "<script>document.title = 'taken'</script><img src='x.png'><footer>"
        )
    )
    browser.open(harmed)
    assert browser.run("document.title") != "taken"
    assert any("Content Security Policy" in one for one in browser.complaints())


def test_typing_filters_rows_and_details_by_all_words_and_counts_them(browser: Chromium, page: Path) -> None:
    browser.open(page)
    browser.press("/")
    assert browser.run("document.activeElement.id") == "filter"
    browser.type("infra DEV")
    names, paths = _shown(browser), _shown(browser, 8)
    assert names
    assert all("infra" in name for name in names)
    assert all(path.startswith("~/dev/") for path in paths)
    assert browser.run("document.querySelector('#count').textContent") == f"{len(names)} of 41 projects"
    blocks = "[...document.querySelectorAll('#details ~ .about:not([hidden], .quiet) summary b')]"
    details = browser.run(f"{blocks}.map((b) => b.textContent)")
    assert details
    assert set(details) - {"The brain"} <= set(names)
    browser.press("Escape")
    assert len(_shown(browser)) == 41


def test_nothing_found_says_so_and_offers_the_way_back(browser: Chromium, page: Path) -> None:
    browser.open(page)
    browser.press("/")
    browser.type("no such thing")
    assert _shown(browser) == []
    assert browser.run("document.querySelector('#none').checkVisibility()")
    browser.run("document.querySelector('#clear').click()")
    assert len(_shown(browser)) == 41


def test_chips_choose_statuses_and_what_is_at_risk(browser: Chromium, page: Path) -> None:
    browser.open(page)
    chip = "document.querySelector('.chip[data-s=\"%s\"]')"
    browser.run(chip % "paused" + ".click()")
    assert set(_shown(browser, 1)) == {"paused"}
    assert browser.run(chip % "paused" + ".getAttribute('aria-pressed')") == "true"
    browser.run(chip % "archived" + ".click()")
    assert set(_shown(browser, 1)) == {"paused", "archived"}
    browser.run(chip % "!" + ".click()")
    assert all(_shown(browser, 4))
    for name in ("paused", "archived", "!"):
        browser.run(chip % name + ".click()")
    assert len(_shown(browser)) == 41


@pytest.mark.parametrize(("column", "place"), [("memory", 5), ("tokens", 6)])
def test_numbers_are_sorted_as_numbers_with_the_unknown_last(
    browser: Chromium, page: Path, column: str, place: int
) -> None:
    browser.open(page)
    before = _shown(browser)

    def numbers() -> list[float | None]:
        return [float(text.replace(",", "").rstrip("%")) if text else None for text in _shown(browser, place)]

    assert _sort(browser, column) == "ascending"
    found = numbers()
    known = [one for one in found if one is not None]
    assert known == sorted(known)
    assert found[len(known) :] == [None] * (41 - len(known))
    assert _sort(browser, column) == "descending"
    assert [one for one in numbers() if one is not None] == sorted(known, reverse=True)
    assert numbers()[-1] is None
    assert _sort(browser, column) is None
    assert _shown(browser) == before


def test_idle_is_sorted_by_days_and_not_by_letters(browser: Chromium, page: Path) -> None:
    browser.open(page)
    _sort(browser, "idle")
    days = browser.run(
        "[...document.querySelectorAll('#table tbody tr')].map((tr) => +tr.cells[3].dataset.v)"
    )
    assert days == sorted(days)
    assert _shown(browser, 3)[-1].endswith("y")


def test_equal_rows_keep_their_order_both_ways(browser: Chromium, page: Path) -> None:
    browser.open(page)
    first = [
        name for name, status in zip(_shown(browser), _shown(browser, 1), strict=True) if status == "active"
    ]
    for expected in ("ascending", "descending"):
        assert _sort(browser, "status") == expected
        now = zip(_shown(browser), _shown(browser, 1), strict=True)
        assert [name for name, status in now if status == "active"] == first


def test_the_keyboard_alone_sorts_and_only_one_column_says_so(browser: Chromium, page: Path) -> None:
    browser.open(page)
    browser.run("document.querySelector('[data-k=name] button').focus()")
    browser.press("Enter")
    assert [name.casefold() for name in _shown(browser)] == sorted(
        name.casefold() for name in _shown(browser)
    )
    browser.run("document.querySelector('[data-k=stack] button').focus()")
    browser.press("Enter")
    assert browser.run("document.querySelectorAll('[aria-sort]').length") == 1
    assert browser.run("document.activeElement.parentElement.dataset.k") == "stack"


def test_the_state_stands_in_the_address_and_comes_back_from_it(browser: Chromium, page: Path) -> None:
    browser.open(page)
    browser.press("/")
    browser.type("a")
    browser.run("document.querySelector('.chip[data-s=active]').click()")
    _sort(browser, "tokens")
    _sort(browser, "tokens")
    anchor, shown = browser.run("location.hash"), _shown(browser)
    assert anchor == "#q=a&s=active&o=-tokens"
    browser.open(page, anchor=anchor)
    assert _shown(browser) == shown
    assert browser.run("document.querySelector('#filter').value") == "a"
    assert browser.run("document.querySelector('[data-k=tokens]').getAttribute('aria-sort')") == "descending"


@pytest.mark.parametrize("anchor", ["#q=%00%ff&s=<b>&o=--nothing", "#p99999", "#=", "#o=constructor", "#%"])
def test_an_address_that_makes_no_sense_shows_everything_or_nothing_but_never_fails(
    browser: Chromium, page: Path, anchor: str
) -> None:
    browser.open(page, anchor=anchor)
    assert browser.complaints() == []
    assert browser.run("document.querySelector('#count').textContent").endswith(" of 41 projects")


def test_a_name_leads_to_its_details_and_opens_them(browser: Chromium, page: Path) -> None:
    browser.open(page)
    browser.press("/")
    browser.type("garnet")
    browser.run("document.querySelector('#table tbody tr:not([hidden]) a').click()")
    browser.run("new Promise((done) => setTimeout(done, 50))")
    assert browser.run("document.querySelector(location.hash).closest('details').open")
    assert browser.run("document.querySelector('#filter').value") == "garnet"


def test_a_question_mark_shows_the_keys_and_escape_closes_them(browser: Chromium, page: Path) -> None:
    browser.open(page)
    browser.press("?")
    assert browser.run("document.querySelector('#help').open")
    browser.press("Escape")
    assert not browser.run("document.querySelector('#help').open")
    browser.press("/")
    browser.type("?/")
    assert browser.run("document.querySelector('#filter').value") == "?/"


@pytest.mark.parametrize(("hours", "age"), [(1, "fresh"), (27, "ageing"), (40, "dead")])
def test_the_page_ages_while_it_lies_there(browser: Chromium, folder: Path, hours: int, age: str) -> None:
    taken = time.time() - hours * 3600 - 60
    old = folder / "old.html"
    old.write_text(dashboard_html(replace(portfolio(3), taken=taken), taken))
    browser.open(old)
    assert browser.run("document.querySelector('#as-of').className") == age
    assert browser.run("document.querySelector('.late.dead').checkVisibility()") == (age == "dead")
    assert f"{hours} hour{'s' * (hours > 1)} ago" in browser.run("document.querySelector('#as-of').innerText")


def test_without_scripts_all_is_there_and_no_control_that_does_nothing(browser: Chromium, page: Path) -> None:
    browser.open(page, script=False)
    assert browser.complaints() == []
    tree = browser.outline()
    assert tree.count("row") >= 42
    assert tree.count("image") >= 5
    assert "searchbox" not in tree
    assert "button" not in tree


def test_dark_and_light_have_their_own_colours(browser: Chromium, page: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    browser.open(page)
    assert browser.run(ground) == "rgb(255, 255, 255)"
    browser.open(page, dark=True)
    assert browser.run(ground) == "rgb(18, 20, 23)"
    browser.open(page, dark=True, media="print")
    assert browser.run(ground) == "rgb(255, 255, 255)"


def test_motion_is_reduced_for_those_who_asked_for_it(browser: Chromium, page: Path) -> None:
    browser.open(page)
    assert browser.run("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    assert browser.run("getComputedStyle(document.querySelector('.chip')).transitionDuration") == "0s"


def test_printed_the_findings_are_open_and_the_controls_are_gone(browser: Chromium, page: Path) -> None:
    browser.open(page, width=760, media="print")
    assert not browser.run("document.querySelector('#tools').checkVisibility()")
    closed = "document.querySelector('.about:not([open]) .findings li').getBoundingClientRect().height"
    assert browser.run(closed) > 10
    assert browser.pdf().startswith(b"%PDF")


def test_narrow_rows_are_cards_that_name_their_numbers(browser: Chromium, page: Path) -> None:
    browser.open(page, width=320)
    assert browser.run("getComputedStyle(document.querySelector('#table tbody tr')).display") == "grid"
    label = "getComputedStyle(document.querySelector('#table tbody td:nth-child(6)'), '::before').content"
    assert browser.run(label) == '"memory "'


@pytest.mark.parametrize("width", [320, 820, 1280])
def test_the_longest_names_widen_no_page(browser: Chromium, folder: Path, width: int) -> None:
    made = portfolio(6)
    projects = [
        replace(
            one, name="w" * 300, stack="s" * 300, path="/" + "p" * 900, reason="r" * 500, next_step="n" * 500
        )
        for one in made.projects
    ]
    wide = folder / "wide.html"
    wide.write_text(dashboard_html(replace(made, projects=tuple(projects)), NOW))
    browser.open(wide, width=width)
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_hostile_names_are_no_elements_in_a_real_browser(browser: Chromium, folder: Path) -> None:
    outlines = []
    for texts in (HOSTILE, tuple(f"tame {number}" for number in range(len(HOSTILE)))):
        made = portfolio(len(HOSTILE))
        projects = tuple(
            replace(
                one,
                status="active",
                stack="Python",
                name=text,
                reason=text,
                path=f"/x/{text}",
                next_step="step",
                last_activity=NOW - number * DAY,
            )
            for number, (one, text) in enumerate(zip(made.projects, texts, strict=True))
        )
        hostile = folder / "hostile.html"
        hostile.write_text(dashboard_html(replace(made, projects=projects, todo=(), findings=()), NOW))
        browser.open(hostile)
        assert browser.complaints() == []
        assert len(_shown(browser)) == len(HOSTILE)
        outlines.append(browser.run("[...document.querySelectorAll('*')].map((one) => one.tagName).join()"))
    assert outlines[0] == outlines[1]


def test_five_hundred_rows_are_filtered_and_sorted_in_a_blink(browser: Chromium, folder: Path) -> None:
    large = folder / "large.html"
    large.write_text(dashboard_html(portfolio(500, findings=2), NOW))
    browser.open(large)
    took = browser.run(
        "(() => { const start = performance.now();"
        "document.querySelector('[data-k=memory] button').click();"
        "filter.value = 'infra'; filter.dispatchEvent(new Event('input'));"
        "return performance.now() - start; })()"
    )
    assert 0 < len(_shown(browser)) < 500
    assert took < 1000


@pytest.mark.skipif(not AXE.exists(), reason="no axe-core: npm ci in tests/accessibility brings it")
@pytest.mark.parametrize(("count", "mode"), [(0, "light"), *((41, mode) for mode in MODES)])
def test_everybody_can_use_the_page(browser: Chromium, folder: Path, count: int, mode: str) -> None:
    path = folder / f"access-{count}.html"
    path.write_text(dashboard_html(portfolio(count), NOW))
    browser.open(path, **MODES[mode])
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert _violations(browser) == []


@pytest.mark.skipif(not AXE.exists(), reason="no axe-core: npm ci in tests/accessibility brings it")
def test_the_help_is_for_everybody_too(browser: Chromium, page: Path) -> None:
    browser.open(page)
    browser.press("?")
    assert _violations(browser) == []


@pytest.mark.skipif(not AXE.exists(), reason="no axe-core: npm ci in tests/accessibility brings it")
def test_the_check_finds_what_shuts_people_out(browser: Chromium, folder: Path) -> None:
    bad = folder / "shut.html"
    bad.write_text(
        "<!doctype html><title>x</title><main><input><svg role='img'></svg><p style='color:#aaa'>pale</main>"
    )
    browser.open(bad)
    assert {"color-contrast", "html-has-lang", "label", "svg-img-alt"} <= {
        rule for rule, _ in _violations(browser)
    }


def _violations(browser: Chromium) -> list[tuple[str, list[str]]]:
    browser.run(AXE.read_text() + ";0")
    told = browser.run("axe.run(document).then((found) => JSON.stringify(found.violations))")
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in json.loads(told)]
