"""What the index keeps of unsaved work: lasting facts only, and nothing that was not asked about is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.portfolio import Card, read_portfolio
from jobs.portfolio import Survey, index, survey
from jobs.settings import RootGroup, ScanSettings
from scanner.project import Branch, Project, Risk, Root, Scan, Thresholds, Unsaved
from scanner.risk import changed_files, flags_of, with_changes
from scanner.value import replace
from tests.jobs.program import Program
from tests.support import DAY, NOW

OLD = NOW - 40 * DAY
OLD_ISO = "2026-10-21T03:17:04Z"

PUSHED = Unsaved(branches=(Branch("main", "origin/main", 0, 0),), has_remote=True)
DIRTY = replace(PUSHED, modified=2, risk=Risk(("uncommitted",), 2, NOW - DAY))
UNPUSHED = Unsaved(
    branches=(Branch("main", "origin/main", 3, 0), Branch("side"), Branch("old", "origin/old", gone=True)),
    only_here=3,
    has_remote=True,
    stashes=1,
    oldest_stash=NOW - 9 * DAY,
    risk=Risk(("unpushed", "stash"), 4, OLD),
)


@pytest.fixture
def settings(home: Path, dev: Path) -> ScanSettings:
    return ScanSettings(
        groups=(RootGroup((Root(str(dev)),), "none", ()),),
        thresholds=Thresholds(),
        brain=str(home / ".bmad-plus/brain"),
        state=str(home / ".local/state/zecher"),
        home=str(home),
        now=NOW,
    )


def surveyed(settings: ScanSettings, git: Unsaved | None) -> Survey:
    """A survey in which the project called shop has this unsaved work, and nobody asked about others."""

    def known(project: Project) -> Project:
        return replace(project, git=git if project.name == "shop" else None)

    def refine(scan: Scan) -> Scan:
        return replace(scan, projects=tuple(map(known, scan.projects)))

    return survey(settings, refine=refine)


def indexed(settings: ScanSettings, git: Unsaved | None) -> Card:
    index(surveyed(settings, git))
    return next(card for card in read_portfolio(settings.brain).cards if card.name == "shop")


def kind(seen: Survey) -> str:
    return next(change.kind for change in seen.changes if change.name == "shop")


KEYS = ("at_risk", "at_risk_since", "commits_only_here", "stashes")


def kept(card: Card) -> dict[str, object]:
    return {key: card.extras[key] for key in KEYS if key in card.extras}


def flags(card: Card) -> list[object]:
    stored = card.extras.get("flags")
    assert isinstance(stored, list)
    return [flag for flag in stored if flag not in ("no-remote", "no-readme", "no-license")]


def test_the_card_holds_the_lasting_part_of_the_work_at_risk(settings: ScanSettings) -> None:
    card = indexed(settings, UNPUSHED)

    assert flags(card) == ["at-risk", "unpushed", "no-upstream", "upstream-gone", "stash"]
    assert kept(card) == {
        "at_risk": ["unpushed", "stash"],
        "at_risk_since": OLD_ISO,
        "commits_only_here": 3,
        "stashes": 1,
    }


def test_changed_files_make_a_project_at_risk_and_nothing_else_in_its_card(settings: ScanSettings) -> None:
    card = indexed(settings, DIRTY)

    assert flags(card) == ["at-risk"]
    assert kept(card) == {}


def test_another_changed_file_is_no_change_of_the_index(settings: ScanSettings) -> None:
    indexed(settings, DIRTY)

    assert kind(surveyed(settings, replace(DIRTY, modified=7, conflicted=1))) == "same"


def test_a_changed_file_does_not_move_the_date_of_what_lasts(settings: ScanSettings) -> None:
    indexed(settings, UNPUSHED)
    risk = Risk(("uncommitted", "unpushed", "stash"), 9, OLD - DAY)

    seen = surveyed(settings, replace(UNPUSHED, modified=5, risk=risk))

    assert kind(seen) == "same"


def test_the_first_card_of_a_project_with_both_is_dated_by_its_stash(settings: ScanSettings) -> None:
    risk = Risk(("uncommitted", "unpushed", "stash"), 9, OLD)

    card = indexed(settings, replace(UNPUSHED, modified=5, risk=risk))

    assert kept(card)["at_risk_since"] == "2026-11-21T03:17:04Z"


def test_a_scan_that_did_not_ask_changes_nothing(settings: ScanSettings) -> None:
    before = indexed(settings, UNPUSHED)

    seen = surveyed(settings, None)
    index(seen)

    assert kind(seen) == "same"
    assert kept(indexed(settings, None)) == kept(before)
    assert flags(indexed(settings, None)) == flags(before)


def test_what_was_pushed_is_at_risk_no_more(settings: ScanSettings) -> None:
    indexed(settings, UNPUSHED)

    card = indexed(settings, PUSHED)

    assert (flags(card), kept(card)) == ([], {})


def test_the_index_is_searched_by_flag(settings: ScanSettings, zecher: Program) -> None:
    indexed(settings, UNPUSHED)

    shown = {
        flag: zecher("projects", "--flag", flag).out for flag in ("at-risk", "stash", "detached", "dirty")
    }

    assert {flag for flag, out in shown.items() if "\tshop\t" in out} == {"at-risk", "stash"}


def test_the_index_gives_a_program_what_it_keeps(settings: ScanSettings, zecher: Program) -> None:
    indexed(settings, UNPUSHED)

    found = {project["name"]: project for project in zecher("projects", "--json").data["projects"]}

    assert found["shop"]["at_risk"] == {
        "what": ["unpushed", "stash"],
        "commits": 3,
        "stashes": 1,
        "since": OLD_ISO,
    }
    assert found["old"]["at_risk"] is None


@pytest.mark.parametrize(
    ("git", "expected"),
    [
        (Unsaved(), ()),
        (PUSHED, ()),
        (Unsaved(only_here=4, branches=(Branch("main"),), risk=Risk(("no-remote",), 4)), ("at-risk",)),
        (DIRTY, ("at-risk", "dirty")),
        (replace(DIRTY, conflicted=1), ("at-risk", "dirty", "conflicted")),
        (replace(PUSHED, branches=(Branch("(detached)"),), only_here=1), ("unpushed", "detached")),
        (replace(PUSHED, stashes=1), ("stash",)),
    ],
)
def test_flags_say_what_kind_of_work_it_is(git: Unsaved, expected: tuple[str, ...]) -> None:
    assert flags_of(git) == expected


def test_what_somebody_else_counted_is_judged_anew() -> None:
    told = Unsaved(modified=5, untracked=1)
    own = replace(UNPUSHED, modified=1, risk=Risk(("uncommitted", "stash"), 5, OLD))

    found = with_changes(own, told, 5, NOW)

    assert (found.modified, found.untracked, changed_files(found)) == (5, 1, 5)
    assert found.risk == Risk(("uncommitted", "stash"), 9, OLD)


def test_what_turns_out_to_be_clean_is_no_risk() -> None:
    assert with_changes(DIRTY, Unsaved(), 0, None).risk is None
    assert with_changes(UNPUSHED, Unsaved(), 0, None).risk == UNPUSHED.risk


def test_what_turns_out_to_be_changed_is_a_risk() -> None:
    found = with_changes(PUSHED, Unsaved(deleted=1), 1, None)

    assert found.risk == Risk(("uncommitted",), 1, None)
