"""Whatever happens to a portfolio, a scan with a cache says what a scan from nothing says."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from scanner.cache.keeper import ScanCache
from scanner.cache.record import Again, Record
from scanner.project import Identity, Root, Thresholds
from scanner.scan import Request, scan
from scanner.value import replace
from tests.scanner.cache_world import World, act

TICK = 0.012
"""Longer than a tick of any file system here: the window of two seconds is waited for by no test."""

STEPS = 30
WORLDS = 10
LONG_STEPS = 100
LONG_WORLDS = 100


def random_of(seed: int) -> Random:
    """The same acts for the same seed."""
    return Random(seed)  # noqa: S311 - nothing is hidden by it


class Asker:
    """Asks about one world; now and then otherwise than before."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.known: dict[str, Identity] = {}
        self.request = self.another()

    def another(self) -> Request:
        random = self.world.random
        roots: tuple[Root, ...] = (Root(str(self.world.root), random.choice((4, 4, 4, 2))),)
        if random.random() < 0.2:
            roots += (Root(str(self.world.outside)),)
        return Request(
            roots=roots,
            thresholds=Thresholds(),
            now=0.0,
            nested=random.choice(("none", "none", "repos", "all")),
            user_ignore=(str(self.world.ignore),),
            emails=("ana@example.com",) if random.random() < 0.7 else (),
        )

    def next(self) -> Request:
        random = self.world.random
        if random.random() < 0.08:
            self.request = self.another()
        days = random.choice((0,) * 12 + (1, -2, -100))
        known = self.known if random.random() < 0.5 else None
        return replace(
            self.request,
            known=known,
            now=float(int(time.time())) + days * 86_400,
            unsaved=random.random() < 0.3,
        )


def live(world: World, steps: int) -> tuple[int, int]:
    """Do ``steps`` acts and compare after each; how many projects were believed, and how many were read."""
    records: Mapping[str, Record] = {}
    asker = Asker(world)
    kept = read = 0
    for _ in range(steps):
        for _ in range(world.random.choice((0, 1, 1, 1, 2))):
            act(world)
        time.sleep(TICK)
        request = asker.next()
        cache = ScanCache(records, time.time() + 10)
        found = scan(request, cache=cache)
        expected = scan(request)
        assert found == expected, f"after {world.acts[-12:]}"
        records = {**records, **cache.fresh}
        if world.random.random() < 0.3:
            asker.known = {project.path: project.identity for project in found.projects}
        kept += cache.kept
        read += cache.read
    return kept, read


def test_the_cache_never_says_what_a_scan_from_nothing_does_not_say(tmp_path: Path, full: bool) -> None:
    steps, worlds = (LONG_STEPS, LONG_WORLDS) if full else (STEPS, WORLDS)
    kept = read = 0
    for seed in range(worlds):
        place = tmp_path / str(seed)
        place.mkdir()
        believed, anew = live(World.made(place, random_of(seed)), steps)
        kept += believed
        read += anew

    assert kept > read / 3, "hardly anything was believed: the comparison says nothing"


def test_a_cache_that_believes_everything_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scanner.cache.evidence.Evidence.holds", lambda *_: True)

    with pytest.raises(AssertionError, match="after"):
        live(World.made(tmp_path, random_of(1)), 60)


def test_a_cache_that_looks_at_no_tracked_file_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scanner.cache.record.Looked.again", lambda *_, **__: Again(True, []))

    with pytest.raises(AssertionError, match="after"):
        live(World.made(tmp_path, random_of(2)), 60)
