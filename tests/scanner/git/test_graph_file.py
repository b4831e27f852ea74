"""Commit-graph files: where git would use them, and what happens to damaged ones."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scanner.git import open_repository
from scanner.git.commit_graph import open_commit_graph
from scanner.git.graph import Comparison, Graph
from scanner.git.problems import ProblemLog
from tests.scanner.git.histories import seeded_history
from tests.scanner.git.repositories import run, skeleton


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A history with merges of many parents, and one commit-graph of all of it."""
    folder = tmp_path / "r"
    commits, _ = seeded_history(folder, "octopus", count=60)
    (folder / ".git" / "refs" / "heads" / "main").write_text(commits.oids[60] + "\n")
    stdin = "".join(oid + "\n" for oid in commits.oids.values())
    run("commit-graph", "write", "--stdin-commits", cwd=folder / ".git", stdin=stdin.encode())
    return folder


def file_of(folder: Path) -> Path:
    path = folder / ".git" / "objects" / "info" / "commit-graph"
    path.chmod(0o644)
    return path


def answer(folder: Path) -> tuple[list[Comparison], list[str]]:
    """Comparisons of the newest commit with all others, and the codes of the problems."""
    oids = run(
        "-c", "core.commitGraph=false", "rev-list", "--no-commit-header", "--format=%H", "main", cwd=folder
    ).split()
    with open_repository(str(folder)) as opened:
        graph = Graph(opened)
        found = [graph.compare(oids[0], oid) for oid in oids]
        return found, [problem.code for problem in opened.problems]


def uses_file(folder: Path) -> bool:
    with open_repository(str(folder)) as opened:
        return opened.commit_graph() is not None


def test_every_commit_reads_as_from_its_object(repository: Path) -> None:
    with open_repository(str(repository)) as opened:
        graph = opened.commit_graph()
        assert graph is not None
        for oid in run("rev-list", "main", cwd=repository).split():
            commit, recorded = graph.commit(oid), opened.commit(oid)
            assert commit is not None
            assert recorded is not None
            assert (commit.parents, commit.date) == (recorded.parents, recorded.committer_time)
            assert all(graph.commit(parent).generation < commit.generation for parent in commit.parents)  # type: ignore[union-attr] # all are in it


def test_a_commit_that_came_later_is_not_in_it(repository: Path) -> None:
    with open_repository(str(repository)) as opened:
        graph = opened.commit_graph()
        assert graph is not None
        assert graph.commit("ab" * 20) is None


def test_dates_far_apart_are_read_from_their_own_table(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    stream = "".join(
        f"commit refs/heads/main\nmark :{mark}\ncommitter Bo <b@example.com> {date} +0000\ndata 1\nx\n"
        for mark, date in ((1, 8_000_000_000), (2, 1_000), (3, 2_000))
    )
    run("fast-import", "--quiet", cwd=git_dir, stdin=stream.encode())
    run("commit-graph", "write", "--reachable", cwd=git_dir)

    assert b"GDO2" in file_of(tmp_path).read_bytes()
    with open_repository(str(tmp_path)) as opened:
        graph = opened.commit_graph()
        assert graph is not None
        found = [graph.commit(oid) for oid in run("rev-list", "--reverse", "main", cwd=tmp_path).split()]
        assert [(commit.date, commit.generation) for commit in found if commit] == [
            (8_000_000_000, 8_000_000_000),
            (1_000, 8_000_000_001),
            (2_000, 8_000_000_002),
        ]


def test_it_is_not_used_in_a_shallow_clone(repository: Path) -> None:
    (repository / ".git" / "shallow").write_text("12" * 20 + "\n")

    assert not uses_file(repository)


def test_it_is_not_used_beside_grafts(repository: Path) -> None:
    (repository / ".git" / "info" / "grafts").write_text("12" * 20 + "\n")

    assert not uses_file(repository)


def test_it_is_not_used_where_the_configuration_says_so(repository: Path) -> None:
    run("config", "core.commitGraph", "off", cwd=repository)

    assert not uses_file(repository)


def test_a_clone_that_shares_objects_uses_that_of_the_other(repository: Path, tmp_path: Path) -> None:
    run("clone", "-q", "-s", "-n", repository, tmp_path / "clone", cwd=tmp_path)

    assert uses_file(tmp_path / "clone")


def test_a_chain_whose_base_lies_in_the_other_repository_is_read(repository: Path, tmp_path: Path) -> None:
    shutil.rmtree(repository / ".git" / "objects" / "info")
    run("commit-graph", "write", "--reachable", "--split", cwd=repository)
    run("clone", "-q", "-s", "-n", repository, tmp_path / "clone", cwd=tmp_path)
    run("commit", "-q", "--allow-empty", "-m", "more", cwd=tmp_path / "clone")
    run("commit-graph", "write", "--reachable", "--split=no-merge", cwd=tmp_path / "clone")
    own = list((tmp_path / "clone" / ".git" / "objects" / "info" / "commit-graphs").glob("*.graph"))
    newest, old = run("rev-list", "-2", "HEAD", cwd=tmp_path / "clone").split()

    with open_repository(str(tmp_path / "clone")) as opened:
        graph = opened.commit_graph()
        assert graph is not None
        assert len(own) == 1
        assert graph.commit(newest) is not None
        assert graph.commit(old) is not None


def test_a_chain_without_one_of_its_layers_is_left_out(repository: Path) -> None:
    expected, _ = answer(repository)
    file_of(repository).unlink()
    run("commit-graph", "write", "--reachable", "--split", cwd=repository)
    for layer in (repository / ".git" / "objects" / "info" / "commit-graphs").glob("*.graph"):
        layer.unlink()

    assert answer(repository) == (expected, ["git-commit-graph"])


def test_a_link_in_its_place_is_not_followed(repository: Path, tmp_path: Path) -> None:
    expected, _ = answer(repository)
    shutil.move(file_of(repository), tmp_path / "elsewhere")
    (repository / ".git" / "objects" / "info" / "commit-graph").symlink_to(tmp_path / "elsewhere")

    assert answer(repository) == (expected, ["git-link"])


@pytest.mark.parametrize("place", [0, 4, 5, 6, 7, 9, 30, 300, 1_200, 2_500, -30, -1])
def test_one_changed_byte_makes_it_be_left_out(place: int, repository: Path) -> None:
    expected, _ = answer(repository)
    data = bytearray(file_of(repository).read_bytes())
    data[place] ^= 0x55
    file_of(repository).write_bytes(data)

    assert answer(repository) == (expected, ["git-commit-graph"])


@pytest.mark.parametrize("length", [0, 7, 100, 1_100, 3_000])
def test_one_that_is_cut_is_left_out(length: int, repository: Path) -> None:
    expected, _ = answer(repository)
    file_of(repository).write_bytes(file_of(repository).read_bytes()[:length])

    assert answer(repository) == (expected, ["git-commit-graph"])


def test_a_parent_beyond_the_end_is_found_while_walking_and_the_objects_decide(repository: Path) -> None:
    expected, _ = answer(repository)
    data = file_of(repository).read_bytes()
    table = data[8 : 8 + 12 * (data[6] + 1)]
    rows = {
        table[at : at + 4]: int.from_bytes(table[at + 4 : at + 12], "big") for at in range(0, len(table), 12)
    }
    damaged = bytearray(data)
    for row in range(60):
        at = rows[b"CDAT"] + row * 36 + 20
        damaged[at : at + 4] = (0x00FFFFFF).to_bytes(4, "big")
    damaged[-20:] = hashlib.sha1(bytes(damaged[:-20])).digest()
    file_of(repository).write_bytes(damaged)

    assert uses_file(repository)
    assert answer(repository) == (expected, ["git-commit-graph"])


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=8))
def test_whatever_stands_in_it_the_walk_ends(repository: Path, edits: list[tuple[int, int]]) -> None:
    """With a checksum that is right: what somebody made on purpose, with rings and wrong numbers."""
    kept = repository / "kept"
    if not kept.exists():
        shutil.copy(file_of(repository), kept)
    data = bytearray(kept.read_bytes())
    for place, value in edits:
        data[place % (len(data) - 20)] = value
    data[-20:] = hashlib.sha1(bytes(data[:-20])).digest()
    file_of(repository).write_bytes(data)

    with open_repository(str(repository)) as opened:
        graph = Graph(opened)
        tip = opened.local_heads()["refs/heads/main"]
        commit = opened.commit(tip)
        assert commit is not None
        found = graph.compare(tip, commit.parents[0])
        assert found.ahead is None or 0 <= found.ahead <= 500


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=3_000))
def test_garbage_is_no_commit_graph(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "commit-graph").write_bytes(b"CGPH\1\1" + data)
    problems = ProblemLog()

    assert open_commit_graph([str(tmp_path)], 20, problems) is None
    assert len(problems.found) == 1
