"""Whatever bytes stand in a repository: no exception but the documented one, and never more than a second."""

from __future__ import annotations

import contextlib
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scanner.git import NotARepositoryError, open_repository
from scanner.git.config import parse_config
from scanner.git.delta import apply_delta
from scanner.git.objects import parse_commit
from scanner.git.pack_index import DamagedError
from scanner.git.problems import ProblemLog
from scanner.git.refs import parse_value
from tests.scanner.git import repositories
from tests.scanner.git.reftable_writer import Log, repository, table
from tests.scanner.git.test_repository import every_fact
from tests.support import write

CALM = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
SOME, MANY = 40, 1_500


def with_tables(folder: Path, rng: random.Random) -> None:
    refs = {f"refs/heads/n{number:03d}": f"{rng.getrandbits(160):040x}" for number in range(90)}
    logs = [Log("HEAD", number, number, f"commit: {number}") for number in range(1, 40)]
    first = table({"HEAD": "ref: refs/heads/n001", **refs}, logs, block_size=256, restart_every=4)
    repository(folder, [first, table({"refs/heads/n002": None, "refs/heads/new": "ref: refs/heads/n001"})])


def with_loose(folder: Path, rng: random.Random) -> None:
    repositories.worktrees(folder, rng)
    write(folder / "main" / ".git" / "shallow", "a" * 40 + "\n")
    write(folder / "main" / ".git" / "objects" / "info" / "alternates", "../../../x\n")
    write(folder / "main" / ".gitmodules", '[submodule "a"]\n\tpath = b\n')


def with_packs(folder: Path, rng: random.Random) -> None:
    repositories.several_packs(folder, rng)


def with_deltas(folder: Path, rng: random.Random) -> None:
    repositories.deltas(folder, rng)
    repositories.run("pack-refs", "--all", cwd=folder)


def with_old_index(folder: Path, rng: random.Random) -> None:
    repositories.old_index(folder, rng)


SEEDS: tuple[Callable[[Path, random.Random], None], ...] = (
    with_tables,
    with_loose,
    with_packs,
    with_deltas,
    with_old_index,
)


def damage(data: bytes, rng: random.Random) -> bytes:
    """A copy with one to several kinds of damage."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 30))):
        at = rng.randrange(len(changed) + 1)
        kind = rng.randrange(7)
        if kind == 0:
            del changed[at:]
        elif kind == 1:
            changed[at:at] = rng.randbytes(rng.choice((1, 4, 300)))
        elif kind == 2:
            del changed[at : at + rng.choice((1, 4, 300))]
        elif kind == 3:
            changed[at : at + 4] = rng.choice((b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff", b"\x80\0\0\0"))
        elif kind == 4:
            changed[at:at] = changed * rng.choice((1, 3))
        elif at < len(changed):
            changed[at] = rng.randrange(256) if kind == 5 else changed[at] ^ (1 << rng.randrange(8))
    return bytes(changed)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.__name__)
def test_damaged_bytes_anywhere_in_a_repository_raise_nothing_and_take_no_time(
    seed: Callable[[Path, random.Random], None], tmp_path: Path, full: bool
) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    seed(whole, repositories.seeded(seed.__name__))
    tops = sorted({path.parent for path in whole.rglob(".git")})
    files = sorted(path for path in whole.rglob("*") if path.is_file() and ".sample" not in path.name)
    slowest = 0.0
    for number in range(MANY if full else SOME):
        rng = repositories.seeded(f"{seed.__name__} {number}")
        victims = rng.sample(files, min(len(files), rng.choice((1, 1, 3, len(files)))))
        kept = [(victim, victim.read_bytes()) for victim in victims]
        for victim, data in kept:
            victim.chmod(0o600)
            victim.write_bytes(damage(data, rng))
        for top in tops:
            began = time.process_time()
            with contextlib.suppress(NotARepositoryError):
                every_fact(top)
            slowest = max(slowest, time.process_time() - began)
        for victim, data in kept:
            victim.write_bytes(data)

    assert slowest < 1.0
    shutil.rmtree(whole)


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=300))
def test_any_bytes_parse_as_a_configuration_or_as_problems(data: bytes) -> None:
    parse_config(b"[a]\n" + data, "x", ProblemLog())


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_reference_or_none(data: bytes) -> None:
    value = parse_value(data)

    assert value is None or value.startswith("ref: refs/") or len(value) in (40, 64)


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200), st.integers(0, 160))
def test_any_bytes_are_a_commit_or_none(noise: bytes, at: int) -> None:
    good = b"tree " + b"a" * 40 + b"\nauthor A <a@e> 1 +0000\ncommitter B <b@e> 2 +0000\n\nx\n"

    parse_commit("x", good[:at] + noise + good[at:])
    parse_commit("x", noise)


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=60), st.binary(max_size=80))
def test_any_delta_gives_bytes_or_is_damaged(base: bytes, delta: bytes) -> None:
    try:
        made = apply_delta(base, delta)
    except (DamagedError, IndexError):
        return

    assert len(made) <= 64 * 1024


@settings(deadline=None, max_examples=80, suppress_health_check=CALM)
@given(
    data=st.binary(max_size=120),
    name=st.sampled_from(["HEAD", "packed-refs", "config", "logs/HEAD", "shallow"]),
)
def test_any_bytes_in_any_of_gits_text_files_raise_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    git_dir = repositories.skeleton(folder / ".git")
    (git_dir / "logs").mkdir()
    (git_dir / name).write_bytes(data)

    every_fact(folder)


@settings(deadline=None, max_examples=80, suppress_health_check=CALM)
@given(data=st.binary(max_size=80))
def test_any_gitfile_is_followed_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / ".git").write_bytes(b"gitdir: " + data)

    with pytest.raises(NotARepositoryError):
        open_repository(str(folder))
