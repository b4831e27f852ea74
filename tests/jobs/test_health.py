"""The health of a portfolio: every memory examined, what did not change from the cache."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.health.silence import Ack
from jobs import health as examining
from jobs import health_cache
from jobs.acks import add_ack, read_acks
from jobs.health import HealthSettings, PortfolioHealth, Subject, examine_all, remember_ages
from scanner.mounts import Mount, Mounts
from tests.support import DAY, NOW, Git, write

PROGRESS = (
    "# Shop\n\n## Goal\nSell tea.\n\n## State\nHEAD: {head}\nTests: 3 passed (`make test`).\n\n"
    "## Blockers\nNone.\n\n## Next step\nRun `make test` on the till.\n"
)
LESSONS = (
    "# Lessons\n\n### 2026-10-01 — Pin the clock in every test\n"
    "- **Context**: tests failed at midnight in March\n"
    "- **Lesson**: pass the time as an argument and never read the clock inside of a function\n"
)


@pytest.fixture
def asked(tmp_path: Path) -> HealthSettings:
    return HealthSettings(None, str(tmp_path / "home"), str(tmp_path / "state"), NOW, user=os.getuid())


def subject(path: Path, status: str = "active") -> Subject:
    return Subject(str(path), path.name, status, f"id-{path.name}")


@pytest.fixture
def shop(git: Git) -> Path:
    """A project whose handover names the commit before it."""
    path = git.repository("shop", days=3, files={"src/a.py": "a\n", "README.md": "# Shop\n"})
    write(path / "PROGRESS.md", PROGRESS.format(head=git("rev-parse", "--short", "HEAD", cwd=path)))
    git("add", "-A", cwd=path)
    git("commit", "-qm", "Hand over the till and its tests", cwd=path, days=2)
    return path


def codes(seen: PortfolioHealth, path: Path) -> list[str]:
    return [one.code for one in seen.open_findings(str(path))]


def test_a_handover_that_is_true_has_no_finding_on_its_commit(shop: Path, asked: HealthSettings) -> None:
    assert not [
        code for code in codes(examine_all([subject(shop)], asked), shop) if code.startswith("p-head")
    ]


def test_work_after_the_handover_is_found_in_the_history(git: Git, shop: Path, asked: HealthSettings) -> None:
    write(shop / "src/a.py", "b\n")
    git("commit", "-qam", "Sell coffee, too", cwd=shop, days=1)

    assert "p-head-drift" in codes(examine_all([subject(shop)], asked), shop)


def test_a_handover_that_names_nothing_real_is_found(shop: Path, asked: HealthSettings) -> None:
    write(shop / "PROGRESS.md", PROGRESS.format(head="deadbee"))

    assert "p-head-unknown" in codes(examine_all([subject(shop)], asked), shop)


def test_a_linked_worktree_is_asked_for_its_history(git: Git, shop: Path, asked: HealthSettings) -> None:
    from jobs.portfolio import survey  # noqa: PLC0415 - only here
    from jobs.settings import RootGroup, ScanSettings  # noqa: PLC0415 - only here
    from scanner.project import Root, Thresholds  # noqa: PLC0415 - only here

    tree = shop.parent / "apart" / "tree"
    git("worktree", "add", "-q", "-b", "side", str(tree), cwd=shop)
    write(tree / "src/a.py", "b\n")
    git("commit", "-qam", "Sell coffee, too", cwd=tree, days=1)
    group = RootGroup((Root(str(tree.parent)),), "all", ())
    scanned = ScanSettings(
        (group,), Thresholds(), str(shop.parent / "brain"), asked.state, asked.home, NOW, unsaved=True
    )
    (found,) = [one for one in survey(scanned).scan.projects if one.path == str(tree)]

    seen = examine_all([examining.subject_of(found, "tree")], asked)

    assert found.vcs is not None
    assert found.vcs.role == "worktree"
    assert "p-head-drift" in codes(seen, tree)


def test_one_project_that_fails_never_stops_the_rest(
    shop: Path, asked: HealthSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain.health.examine import examine  # noqa: PLC0415 - beside what replaces it

    def failing(memory: object, *args: object, **kwargs: object) -> object:
        if getattr(memory, "name", "") == "bad":
            raise RuntimeError("a rule is wrong")
        return examine(memory, *args, **kwargs)  # type: ignore[arg-type] # passed through

    monkeypatch.setattr(examining, "examine", failing)
    bad = shop.parent / "bad"
    bad.mkdir()

    seen = examine_all([subject(bad), subject(shop)], asked)

    assert list(seen.healths) == [str(shop)]
    assert [(one.code, one.level, one.path) for one in seen.problems] == [
        ("project-failed", "error", str(bad))
    ]


@pytest.mark.parametrize("what", ["missing", "file", "loop", "pipe"])
def test_a_folder_that_cannot_be_read_is_no_reason_to_stop(
    tmp_path: Path, shop: Path, asked: HealthSettings, what: str
) -> None:
    odd = tmp_path / "odd"
    if what == "file":
        odd.write_text("no folder")
    elif what == "loop":
        odd.symlink_to(odd)
    elif what == "pipe":
        odd.mkdir()
        os.mkfifo(odd / "PROGRESS.md")

    assert str(shop) in examine_all([subject(odd), subject(shop)], asked).healths


def test_whoever_cancels_is_heard_between_projects(shop: Path, asked: HealthSettings) -> None:
    calls = iter([None, None])

    def cancel() -> None:
        if next(calls, "over") == "over":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        examine_all([subject(shop)] * 5, asked, cancel)


def test_silenced_findings_are_counted_and_not_shown(shop: Path, asked: HealthSettings) -> None:
    write(shop / "PROGRESS.md", PROGRESS.format(head="deadbee"))
    add_ack(read_acks(asked.state), Ack("p-head-unknown", str(shop)), when="2026-11-30T00:00:00Z")

    seen = examine_all([subject(shop)], asked)

    assert "p-head-unknown" not in codes(seen, shop)
    assert {code for code, *_ in seen.silenced[str(shop)]} == {"p-head-unknown"}


def test_a_silence_that_is_over_returns_the_finding(shop: Path, asked: HealthSettings) -> None:
    write(shop / "PROGRESS.md", PROGRESS.format(head="deadbee"))
    ack = Ack("p-head-unknown", "", date(2026, 11, 30))
    add_ack(read_acks(asked.state), ack, when="2026-11-01T00:00:00Z")

    assert "p-head-unknown" not in codes(examine_all([subject(shop)], asked), shop)
    assert "p-head-unknown" in codes(examine_all([subject(shop)], replace_now(asked, NOW + DAY)), shop)


def replace_now(asked: HealthSettings, now: float) -> HealthSettings:
    return replace(asked, now=now)


def test_ages_are_written_by_who_remembers_and_stay(shop: Path, asked: HealthSettings) -> None:
    write(shop / "PROGRESS.md", PROGRESS.format(head="deadbee"))
    key = ("id-shop", "p-head-unknown", "PROGRESS.md")
    assert examine_all([subject(shop)], asked).ages == {}

    remember_ages(examine_all([subject(shop)], asked), asked)
    later = replace_now(asked, NOW + 7 * DAY)
    seen = remember_ages(examine_all([subject(shop)], later), later)

    assert {day for known, day in seen.ages.items() if known[:3] == key} == {"2026-11-30"}


def test_a_project_without_findings_forgets_its_ages(shop: Path, asked: HealthSettings) -> None:
    good = (shop / "PROGRESS.md").read_text()
    write(shop / "PROGRESS.md", PROGRESS.format(head="deadbee"))
    remember_ages(examine_all([subject(shop)], asked), asked)
    write(shop / "PROGRESS.md", good)

    seen = remember_ages(examine_all([subject(shop)], asked), asked)

    assert not [known for known in seen.ages if known[1] == "p-head-unknown"]


def test_a_lesson_that_two_projects_learned_is_repeated(tmp_path: Path, asked: HealthSettings) -> None:
    paths = [tmp_path / "one", tmp_path / "two"]
    for path in paths:
        write(path / ".agents/memory/lessons.md", LESSONS)

    seen = examine_all([subject(path) for path in paths], asked)

    assert [one.projects for one in seen.repeats] == [("one", "two")]


def test_archived_projects_are_out_of_scope(shop: Path, asked: HealthSettings) -> None:
    bad = shop.parent / "bad"
    write(bad / "PROGRESS.md", "# Bad\n\n## Goal\n\n## State\nEverything works.\n\n## Next step\nTBD\n")
    alone = examine_all([subject(shop)], asked).percent

    assert examine_all([subject(shop), subject(bad, "archived")], asked).percent == alone
    assert examine_all([subject(shop), subject(bad)], asked).percent != alone


def test_the_brain_is_examined_with_the_rules_that_make_sense_for_it(
    tmp_path: Path, asked: HealthSettings
) -> None:
    brain = tmp_path / "brain"
    write(brain / "lessons.md", LESSONS)

    seen = examine_all([], replace(asked, brain=str(brain)))

    assert seen.brain is not None
    assert not [one for one in seen.brain.findings if one.code.startswith(("g-", "i-", "b-"))]


def test_days_of_commits_are_summed_over_the_portfolio(git: Git, shop: Path, asked: HealthSettings) -> None:
    other = git.repository("other", days=2)

    seen = examine_all([subject(shop), subject(other)], replace(asked, wants_days=True))

    assert seen.days == {"2026-11-27": 1, "2026-11-28": 2}


# -- the cache ----------------------------------------------------------------------------------------------


@pytest.fixture
def cached(asked: HealthSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HealthSettings:
    """With a cache that believes stamps as soon as the clock moved on."""
    monkeypatch.setattr(health_cache, "_RACY_NS", 0)
    return replace(asked, cache=str(tmp_path / "cache" / "health-cache"))


def settled(subjects: Sequence[Subject], asked: HealthSettings) -> PortfolioHealth:
    """Examined when the stamps of all files lie behind."""
    time.sleep(0.02)
    seen = examine_all(subjects, asked)
    time.sleep(0.02)
    return seen


def test_what_did_not_change_is_not_judged_again(
    shop: Path, cached: HealthSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = settled([subject(shop)], cached)
    monkeypatch.setattr(examining, "examine", None)

    again = settled([subject(shop)], cached)

    assert (again.kept, again.healths, again.percent) == (1, first.healths, first.percent)


def test_a_memory_on_a_far_disk_stays_in_the_cache_without_a_question(
    git: Git, shop: Path, cached: HealthSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks a disk that does not answer never comes back: a weekly run hung there."""
    far = git.repository("far", days=2)
    settled([subject(shop), subject(far)], cached)
    mount = Mount("0:9", stable_inodes=False, kind="nfs4", point=str(far))
    monkeypatch.setattr(health_cache, "read_mounts", lambda: Mounts({str(far): mount}))
    asked_of: list[str] = []
    is_folder = os.path.isdir

    def told(path: str) -> bool:
        asked_of.append(str(path))
        return is_folder(path)

    monkeypatch.setattr(os.path, "isdir", told)
    write(shop / "PROGRESS.md", "# Shop\n")

    settled([subject(shop)], cached)

    assert str(far) not in asked_of
    assert settled([subject(shop), subject(far)], cached).kept == 2


def test_a_file_that_was_just_changed_is_not_believed(
    shop: Path, asked: HealthSettings, tmp_path: Path
) -> None:
    cache = replace(asked, cache=str(tmp_path / "health-cache"))
    examine_all([subject(shop)], cache)

    assert examine_all([subject(shop)], cache).kept == 0


def test_the_cache_keeps_no_secret_that_a_link_leads_to(shop: Path, cached: HealthSettings) -> None:
    key = "ghp_" + "a1B2" * 9
    write(shop / "AGENTS.md", f"# Rules\n\nSee [it](docs/{key}.md) and [that](docs/gone.md).\n")

    assert settled([subject(shop)], cached).kept == 0
    place = Path(cached.cache or "")
    assert not place.exists() or key.encode() not in place.read_bytes()


def test_the_cache_keeps_what_has_long_names(shop: Path, cached: HealthSettings) -> None:
    write(shop / "AGENTS.md", "# Rules\n\nSee [it](docs/how-the-search-in-the-catalogue-works.md).\n")
    settled([subject(shop)], cached)

    assert settled([subject(shop)], cached).kept == 1


@pytest.mark.parametrize("harm", [b"", b"x", b"\0" * 100])
def test_a_damaged_cache_is_none(shop: Path, cached: HealthSettings, harm: bytes) -> None:
    first = settled([subject(shop)], cached)
    assert cached.cache is not None
    place = Path(cached.cache)
    place.write_bytes(place.read_bytes()[:-20] + harm)

    again = settled([subject(shop)], cached)

    assert (again.kept, again.healths) == (0, first.healths)
    assert settled([subject(shop)], cached).kept == 1


def test_other_rules_believe_nothing(
    shop: Path, cached: HealthSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled([subject(shop)], cached)
    monkeypatch.setattr(examining, "VERSION", 999)

    assert settled([subject(shop)], cached).kept == 0


def test_a_cache_that_cannot_be_written_is_no_problem(shop: Path, asked: HealthSettings) -> None:
    seen = examine_all([subject(shop)], replace(asked, cache="/dev/null/cache/health-cache"))

    assert (list(seen.healths), seen.problems) == ([str(shop)], ())


def test_a_project_that_is_gone_leaves_the_cache(shop: Path, tmp_path: Path, cached: HealthSettings) -> None:
    other = tmp_path / "other"
    write(other / "PROGRESS.md", PROGRESS.format(head="deadbee"))
    settled([subject(shop), subject(other)], cached)
    shutil.rmtree(other)
    write(shop / "PROGRESS.md", "# Shop\n")
    settled([subject(shop)], cached)

    assert cached.cache is not None
    assert str(other).encode() not in Path(cached.cache).read_bytes()


def _edit(path: str, text: str) -> Callable[[Path], None]:
    return lambda root: void(write(root / path, text))


def void(_: object) -> None:
    """Nothing: for what is done and not asked."""


def _remove(path: str) -> Callable[[Path], None]:
    return lambda root: (root / path).unlink(missing_ok=True)


def _link(path: str, target: str) -> Callable[[Path], None]:
    def link(root: Path) -> None:
        (root / path).unlink(missing_ok=True)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)

    return link


def _commit(root: Path) -> None:
    git = Git(root.parent)
    git("add", "-A", cwd=root)
    git("commit", "-q", "--allow-empty", "-m", "Work on it", cwd=root, days=1)


def _same_size(root: Path) -> None:
    """Another content of the same size, with the old date put back."""
    path = root / "PROGRESS.md"
    if not path.is_symlink() and path.is_file():
        status = path.stat()
        path.write_bytes(path.read_bytes().swapcase())
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _amend(root: Path) -> None:
    Git(root.parent)("commit", "-q", "--amend", "--allow-empty", "-m", "Otherwise", cwd=root, days=1)


EDITS: dict[str, Callable[[Path], None]] = {
    "good handover": _edit("PROGRESS.md", PROGRESS.format(head="4f2a9c1")),
    "empty handover": _edit("PROGRESS.md", "# Shop\n\n## Goal\n\n## Next step\nTBD\n"),
    "no handover": _remove("PROGRESS.md"),
    "same size": _same_size,
    "decisions": _edit("DECISIONS.md", "# Decisions\n\n## 2026-03-01 Tea\n**Decision:** tea\n"),
    "other decisions": _edit(
        "DECISIONS.md", "# Decisions\n\n## 2026-09-10 Tea\n**Decision:** x\n**Status:** active\n"
    ),
    "record": _edit("docs/adr/0001-tea.md", "# 1. Tea\n\nDate: 2026-01-01\n\n## Status\nAccepted\n"),
    "deep record": _edit("docs/architecture/decisions/0001-tea.md", "# 1. Tea\n\n## Status\nAccepted\n"),
    "package record": _edit("packages/till/adr/0001-tea.md", "# 1. Tea\n\n## Decision\nTea\n"),
    "lessons": _edit(".agents/memory/lessons.md", LESSONS),
    "session": _edit(".agents/memory/sessions/2026-11-01.md", "# Session\n"),
    "ledger": _edit(".bmad/memory/journal.ndjson", "{broken\n"),
    "entry": _edit(
        "AGENTS.md", "# Agents\n\nRead PROGRESS.md and [rules](docs/rules.md).\n\n@docs/more.md\n"
    ),
    "imported": _edit("docs/more.md", "# More\n\nAlways be kind.\n"),
    "named": _edit("docs/rules.md", "# Rules\n"),
    "not named": _remove("docs/rules.md"),
    "linked entry": _link("CLAUDE.md", "AGENTS.md"),
    "link outside": _link("GEMINI.md", "../outside.md"),
    "init": _edit("scripts/init.sh", "#!/bin/sh\nmkdir x\n"),
    "mode": lambda root: (root / "README.md").chmod(0o666),
    "manifest": _edit("package.json", '{"scripts": {"test": "x"}}\n'),
    "test file": _edit("tests/test_a.py", "def test_a():\n    pass\n"),
    "adr folder": _edit(".adr-dir", "records\n"),
    "named record": _edit("records/0001-a.md", "# 1. A\n\n## Decision\nx\n"),
    "bank": _edit("memory-bank/activeContext.md", "# Active\n\n## Current Focus\nTea\n"),
    "commit": _commit,
    "amend": _amend,
    "stash": lambda root: void(Git(root.parent)("stash", "-q", "-u", cwd=root, check=False)),
    "gc": lambda root: void(
        Git(root.parent)("-c", "gc.reflogExpire=now", "reflog", "expire", "--expire=now", "--all", cwd=root)
        + Git(root.parent)("gc", "-q", "--prune=now", cwd=root)
    ),
}


@settings(max_examples=10)
@given(data=st.data())
def test_with_a_cache_nothing_is_judged_otherwise(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, full: bool
) -> None:
    folder = tmp_path_factory.mktemp("world")
    git = Git(folder)
    paths = [
        git.repository(name, days=3, files={"src/a.py": "a\n", "README.md": "# A\n"}) for name in ("a", "b")
    ]
    asked = HealthSettings(None, str(folder / "home"), str(folder / "state"), NOW, user=os.getuid())
    cached = replace(asked, cache=str(folder / "cache"))
    rng = random.Random(data.draw(st.integers(0, 2**32)))  # noqa: S311 - drawn, so that it can be drawn again
    now, before = NOW, health_cache._RACY_NS
    health_cache._RACY_NS = 0
    try:
        for _ in range(60 if full else 12):
            names = rng.sample(sorted(EDITS), rng.choice((0, 1, 1, 2)))
            for name in names:
                EDITS[name](rng.choice(paths))
            now += rng.choice((0, 0, 0, 1, 30, -1)) * DAY
            subjects = [subject(path, rng.choice(("active", "active", "archived"))) for path in paths]
            kept = settled(subjects, replace(cached, now=now))
            judged = examine_all(subjects, replace(asked, now=now))
            assert kept.healths == judged.healths, names
            assert (kept.percent, kept.repeats) == (judged.percent, judged.repeats)
    finally:
        health_cache._RACY_NS = before
