"""What is said of histories is what git says, on generated repositories with merges of every outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanner.git.repository import open_repository
from scanner.history import Asked, history
from scanner.history.lines import changed_lines
from tests.scanner.git.repositories import run, seeded
from tests.scanner.history.grown import HANDOVER, PATHS, Grown, count_since, grow, log_of


def _ancestors(made: Grown, mark: int) -> set[int]:
    found: set[int] = set()
    pending = [mark]
    while pending:
        one = pending.pop()
        if one not in found:
            found.add(one)
            pending += made.parents[one - 1]
    return found


@pytest.mark.parametrize("part", range(8))
def test_history_is_told_as_git_tells_it(tmp_path: Path, part: int, full: bool) -> None:
    for number in range(150 if full else 26):
        folder = tmp_path / str(number)
        folder.mkdir()
        rng = seeded(f"history {part} {number}")
        made = grow(folder, rng)
        bases = rng.sample(range(1, len(made.oids) + 1), min(3, len(made.oids)))
        excluded = rng.choice((HANDOVER, HANDOVER[:1], ("docs",), ()))
        names = tuple(made.oids[mark - 1][: rng.choice((12, 40))] for mark in bases)
        paths = rng.sample(PATHS, 2)
        asked = Asked(names, tuple((path, True) for path in paths), excluded)
        with open_repository(str(folder)) as repository:
            told = history(repository, asked)
            assert repository.problems == ()
        reached = _ancestors(made, len(made.oids))
        for mark, one in zip(bases, told.recorded, strict=True):
            where = f"seed {part} {number}, base {mark}, without {excluded}"
            assert (one.known, one.ancestor) == (True, mark in reached), where
            if one.ancestor:
                assert count_since(folder, made.oids[mark - 1], excluded) == one.drift, where
        for path, one_file in zip(paths, told.files, strict=True):
            listed = log_of(folder, path, 60)
            changes = [(one.commit, one.when, one.added, one.deleted) for one in one_file.changes]
            assert listed[:10] == changes, f"seed {part} {number}, {path}"
            texts = [made.trees[made.oids.index(commit)].get(path, "") for commit, *_ in listed]
            assert [len(text) for text in texts[:10]] == [one.size for one in one_file.changes]
            assert tuple(dict.fromkeys(text.encode() for text in texts if text))[:50] == one_file.earlier
            since = count_since(folder, listed[0][0], excluded) if listed else 0
            assert since == one_file.commits_since
        listed_commits = run("log", "--no-merges", "-20", "--format=%H %s", "main", cwd=folder / ".git")
        assert listed_commits.splitlines() == [f"{one.name} {one.subject}" for one in told.recent]


@pytest.mark.parametrize("seed", range(12))
def test_the_size_of_a_commit_is_that_of_its_diff(tmp_path: Path, seed: int) -> None:
    made = grow(tmp_path, seeded(f"size {seed}"))
    base = made.parents[-1]
    trees = [made.oids[base[0] - 1], made.head] if base else ["--root", made.head]
    listed = run(
        "diff-tree",
        "--no-commit-id",
        "--numstat",
        "--minimal",
        "--no-renames",
        "-r",
        *trees,
        cwd=tmp_path / ".git",
    ).splitlines()

    with open_repository(str(tmp_path)) as repository:
        size = history(repository, Asked()).size

    lines = sum(int(count) for line in listed for count in line.split("\t")[:2])
    assert size is not None
    assert (len(listed), lines) == (size.files, size.lines)


@pytest.mark.parametrize("seed", range(40))
def test_lines_are_counted_as_git_counts_them(tmp_path: Path, seed: int) -> None:
    rng = seeded(f"lines {seed}")
    words = [f"{number}\n" for number in range(rng.choice((3, 20, 200)))]
    texts = ["".join(rng.choice(words) for _ in range(rng.randrange(120))) for _ in range(2)]
    texts = [text.rstrip("\n") if rng.random() < 0.2 else text for text in texts]
    for name, text in zip("ab", texts, strict=True):
        (tmp_path / name).write_text(text)

    told = run("diff", "--no-index", "--numstat", "--minimal", "a", "b", cwd=tmp_path, check=False)

    expected = tuple(int(count) for count in told.split("\t")[:2]) if told else (0, 0)
    assert expected == changed_lines(texts[0].encode(), texts[1].encode())
