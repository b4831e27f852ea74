"""Active, paused, archived: the day thresholds, to the second, and the words that explain them."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from scanner.project import Activity, Root, Status, Thresholds
from scanner.status import classify
from tests.scanner.support_cases import Desk, age, scan_of
from tests.support import DAY, NOW, Git, write

MINUTE = 60 / DAY
SECOND = 1 / DAY


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


@pytest.mark.parametrize(
    ("days", "status"),
    [
        (0, "active"),
        (29, "active"),
        (29.99, "active"),
        (30 - 2 * MINUTE, "active"),
        (30 - 1.5 * SECOND, "active"),
        (30, "paused"),
        (30 + 5 * SECOND, "paused"),
        (179.99, "paused"),
        (180 - 2 * MINUTE, "paused"),
        (180 - 1.5 * SECOND, "paused"),
        (180, "archived"),
        (180 + 5 * SECOND, "archived"),
        (4000, "archived"),
        (-0.5, "active"),
        (-1, "active"),
    ],
)
def test_a_commit_of_this_age_gives_this_status(desk: Desk, days: float, status: str) -> None:
    desk.repository("shop", days=days)

    assert desk.only().status.value == status


@pytest.mark.parametrize(
    ("days", "status"),
    [(29.99, "active"), (30, "paused"), (179.99, "paused"), (180, "archived"), (-0.5, "active")],
)
def test_a_plain_folder_is_judged_by_the_same_thresholds(desk: Desk, days: float, status: str) -> None:
    desk.manifest("shop", days=days)

    assert desk.only().status.value == status


@pytest.mark.parametrize(
    ("days", "status"),
    [(6.99, "active"), (7, "paused"), (20.9, "paused"), (21, "archived")],
)
def test_other_thresholds_move_the_borders(desk: Desk, days: float, status: str) -> None:
    desk.repository("shop", days=days)

    assert desk.only(thresholds=Thresholds(7, 21)).status.value == status


@pytest.mark.parametrize(
    ("days", "status"), [(-0.9, "active"), (0.49, "active"), (0.5, "paused"), (1.5, "archived")]
)
def test_thresholds_may_be_parts_of_a_day(desk: Desk, days: float, status: str) -> None:
    desk.repository("shop", days=days)

    assert desk.only(thresholds=Thresholds(0.5, 1.5)).status.value == status


def test_the_same_folder_grows_old_as_the_clock_moves(desk: Desk) -> None:
    desk.repository("shop", days=0)

    seen = [desk.only(now=NOW + days * DAY).status.value for days in (0, 29.9, 30, 179.9, 180)]

    assert seen == ["active", "active", "paused", "paused", "archived"]


def test_the_scan_says_which_thresholds_it_used(desk: Desk) -> None:
    assert desk.scan(thresholds=Thresholds(7, 21)).thresholds == Thresholds(7, 21)


def test_thirty_calendar_days_over_the_spring_change_are_an_hour_short_of_paused(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Berlin the clocks go forward on 2027-03-28: thirty dates on the wall are 719 hours."""
    _berlin(monkeypatch)
    written = datetime(2027, 3, 21, 12, tzinfo=timezone(timedelta(hours=1)))
    now = datetime(2027, 4, 20, 12, tzinfo=timezone(timedelta(hours=2)))
    _commit_at(desk, written)

    assert desk.only(now=now.timestamp()).status.value == "active"
    assert desk.only(now=now.timestamp() + 3600).status.value == "paused"


def test_thirty_calendar_days_over_the_autumn_change_are_an_hour_past_paused(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Berlin the clocks go back on 2026-10-25: thirty dates on the wall are 721 hours."""
    _berlin(monkeypatch)
    written = datetime(2026, 10, 10, 12, tzinfo=timezone(timedelta(hours=2)))
    now = datetime(2026, 11, 9, 12, tzinfo=timezone(timedelta(hours=1)))
    _commit_at(desk, written)

    assert desk.only(now=now.timestamp()).status.value == "paused"
    assert desk.only(now=now.timestamp() - 3601).status.value == "active"


def test_the_two_half_past_twos_of_an_autumn_night_lie_an_hour_apart(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    _berlin(monkeypatch)
    dates = []
    for hours in (2, 1):
        written = datetime(2026, 10, 25, 2, 30, tzinfo=timezone(timedelta(hours=hours)))
        _commit_at(desk, written, f"shop{hours}")
        dates.append(written.timestamp())

    later, earlier = (project.activity.when for project in desk.scan().projects)

    assert [earlier, later] == dates
    assert dates[1] - dates[0] == 3600


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu"])
def test_the_time_zone_of_the_machine_changes_nothing(
    desk: Desk, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.repository("commit", days=30)
    desk.manifest("file", days=180)
    monkeypatch.setenv("TZ", zone)
    time.tzset()

    assert [project.status.value for project in desk.scan().projects] == ["paused", "archived"]


def test_an_unknown_date_gives_unknown_with_a_reason(desk: Desk) -> None:
    write(desk.root / "shop/.hg/hgrc", "")

    status = desk.only().status

    assert status.value == "unknown"
    assert status.reason


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0, "last commit today"),
        (0.9, "last commit today"),
        (1, "last commit 1 day ago"),
        (1.99, "last commit 1 day ago"),
        (2, "last commit 2 days ago"),
        (29.99, "last commit 29 days ago"),
        (400, "last commit 400 days ago"),
        (-0.9, "last commit today"),
    ],
)
def test_the_reason_tells_source_and_age_in_words(desk: Desk, days: float, words: str) -> None:
    desk.repository("shop", days=days)

    assert words in desk.only().status.reason


@pytest.mark.parametrize(
    ("days", "threshold"), [(3, "less than 30 days"), (60, "less than 180 days"), (200, "180 days or more")]
)
def test_the_reason_tells_the_threshold_that_decided(desk: Desk, days: float, threshold: str) -> None:
    desk.repository("shop", days=days)

    assert threshold in desk.only().status.reason


def test_the_reason_writes_the_threshold_that_was_set(desk: Desk) -> None:
    desk.repository("shop", days=3)

    assert "less than 7.5 days" in desk.only(thresholds=Thresholds(7.5, 21)).status.reason


def test_one_scan_judges_every_project_by_the_same_clock(desk: Desk) -> None:
    for number, days in enumerate((1, 31, 181)):
        desk.repository(f"p{number}", days=days)

    projects = desk.scan().projects

    assert [project.status.value for project in projects] == ["active", "paused", "archived"]
    assert [age(project) for project in projects] == [1, 31, 181]


def test_a_wrong_order_of_thresholds_still_gives_one_of_the_three(desk: Desk) -> None:
    """Whoever reads the settings refuses them; the rule itself must not fall over."""
    desk.repository("shop", days=60)

    assert desk.only(thresholds=Thresholds(180, 30)).status.value == "active"


@pytest.mark.parametrize("source", ["commit", "reflog", "stash", "worktree", "edit", "file"])
def test_every_source_has_words_of_its_own(source: str) -> None:
    status = classify(Activity(NOW - 3 * DAY, source), Thresholds(), NOW)

    assert status.value == "active"
    assert "3 days ago" in status.reason
    assert status.reason != source


def test_no_date_at_all_is_unknown() -> None:
    status = classify(Activity(), Thresholds(), NOW)

    assert status == Status("unknown", status.reason)
    assert "date" in status.reason


def test_the_status_is_a_function_of_the_clock_that_was_handed_in(desk: Desk) -> None:
    desk.repository("shop", days=10)
    root = Root(str(desk.root))

    assert scan_of(root, now=NOW) == scan_of(root, now=NOW)


def _berlin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()


def _commit_at(desk: Desk, moment: datetime, name: str = "shop") -> None:
    path = desk.root / name
    path.mkdir()
    desk.git("init", "-q", cwd=path)
    days = (NOW - moment.astimezone(UTC).timestamp() - 0.5) / DAY
    desk.git("commit", "-q", "--allow-empty", "-m", "x", cwd=path, days=days)
    assert int(desk.git("log", "-1", "--format=%ct", cwd=path)) == moment.timestamp()
