"""Writers that are killed, and several writers at once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from brain.files.atomic import is_temporary
from brain.portfolio import read_portfolio
from tests.brain import bmad
from tests.brain.brains import ROOT, extra, facts, index

TOP = Path(__file__).parents[2]


def start(*args: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.brain.writer", *map(str, args)],
        cwd=TOP,
        stdout=subprocess.PIPE,
        text=True,
    )


def kill_at_random(target: Path, chance: random.Random, mode: str = "hot") -> int:
    """Let a writer run for a moment, kill it, and return the last generation that it acknowledged."""
    process = start(mode, target)
    assert process.stdout
    acknowledged = int(process.stdout.readline())
    time.sleep(chance.uniform(0, 0.05))
    process.send_signal(signal.SIGKILL)
    lines = process.stdout.read().split("\n")
    process.wait()
    process.stdout.close()
    # The last line may be torn; what is whole was acknowledged.
    return max([acknowledged, *(int(line) for line in lines[:-1])])


def _is_whole(file: Path) -> bool:
    try:
        return len(json.loads(file.read_bytes())) == 500
    except ValueError:
        return False


def test_a_plain_writer_that_is_killed_leaves_a_damaged_file(tmp_path: Path) -> None:
    chance = random.Random(6)  # noqa: S311 - moments to kill, no secrets
    for _ in range(100):  # the first or the second already, as a rule
        kill_at_random(tmp_path / "file", chance, "naive")
        if not _is_whole(tmp_path / "file"):
            return
    pytest.fail("a hundred kills hit no write: whoever survives them proves nothing")


def test_a_killed_writer_leaves_old_or_new_and_nothing_acknowledged_is_lost(brain: Path, full: bool) -> None:
    brain.mkdir(parents=True)
    chance = random.Random(7)  # noqa: S311 - moments to kill, no secrets
    for _ in range(1000 if full else 25):
        acknowledged = kill_at_random(brain, chance)
        cards = sorted((brain / "projects").glob("*.yaml"))
        assert len(cards) == 6
        for card in cards:
            values = yaml.safe_load(card.read_bytes())
            assert bmad.read_card(card.read_bytes()) == values
            assert values["generation"] in (acknowledged, acknowledged + 1)
        assert bmad.check_index((brain / "projects-index.md").read_bytes()).total == 6
        assert read_portfolio(str(brain)).problems == ()
        others = {path.name for path in (brain / "projects").iterdir()} - {card.name for card in cards}
        assert all(is_temporary(name) for name in others)


def test_what_a_killed_writer_left_is_gone_after_the_next_run_an_hour_later(brain: Path) -> None:
    brain.mkdir(parents=True)
    chance = random.Random(8)  # noqa: S311 - moments to kill, no secrets
    for _ in range(5):
        kill_at_random(brain, chance)
    for folder in (brain, brain / "projects"):
        for path in folder.iterdir():
            if is_temporary(path.name):
                os.utime(path, (0, 0))
    index(brain, *(facts(f"{ROOT}/p{n}", extra=extra(generation=0, padding="")) for n in range(6)))
    names = {path.name for path in brain.iterdir()} | {path.name for path in (brain / "projects").iterdir()}
    assert [name for name in names if is_temporary(name)] == []
    assert len(read_portfolio(str(brain)).cards) == 6


@pytest.mark.parametrize("writers", [4])
def test_writers_at_once_lose_nothing(brain: Path, writers: int) -> None:
    brain.parent.mkdir(parents=True)
    running = [start("own", brain, f"w{number}", "50") for number in range(writers)]
    for process in running:
        process.communicate(timeout=120)
    assert [process.returncode for process in running] == [0] * writers
    portfolio = read_portfolio(str(brain))
    expected = {f"{ROOT}/w{writer}-{number}" for writer in range(writers) for number in range(50)}
    assert {card.path for card in portfolio.cards} == expected
    checked = bmad.check_index((brain / "projects-index.md").read_bytes())
    assert {row.split("`")[1] for row in checked.rows} == expected
