"""The reftable backend, against tables of a real git and of an independent writer."""

from __future__ import annotations

import base64
import hashlib
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scanner.git import open_repository
from tests.scanner.git.reftable_writer import Log, Value, repository, stack, table

GOLDEN = tomllib.loads((Path(__file__).parent / "golden_reftables.toml").read_text())
SETTINGS = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def oid(seed: object, length: int = 40) -> str:
    return hashlib.sha256(str(seed).encode()).hexdigest()[:length]


def heads(folder: Path) -> dict[str, str]:
    with open_repository(str(folder)) as opened:
        found = dict(opened.local_heads())
        assert opened.problems == ()
        return found


@pytest.mark.parametrize("name", GOLDEN)
def test_tables_of_a_real_git_give_what_git_says(name: str, tmp_path: Path) -> None:
    golden = GOLDEN[name]
    repository(tmp_path, [])
    folder = tmp_path / ".git" / "reftable"
    for entry in golden["tables"]:
        (folder / entry["name"]).write_bytes(base64.b85decode(entry["bytes"].replace("\n", "")))
    (folder / "tables.list").write_text("".join(entry["name"] + "\n" for entry in golden["tables"]))

    with open_repository(str(tmp_path)) as opened:
        head = opened.head()
        log = [f"HEAD@{{{entry.time}}}|{entry.message}" for entry in opened.reflogs() if entry.ref == "HEAD"]
        found = dict(opened.local_heads())
        problems = opened.problems

    assert found == {ref: oid for ref, oid in golden["refs"].items() if ref.startswith("refs/heads/")}
    assert (head.branch, head.oid) == ("main", golden["refs"]["refs/heads/main"])
    assert log == golden["log"]
    assert problems == ()


@pytest.mark.parametrize("aligned", [True, False], ids=["aligned", "unaligned"])
@pytest.mark.parametrize("sha256", [False, True], ids=["sha1", "sha256"])
@pytest.mark.parametrize("count", [1, 20, 700])
def test_one_table_of_any_shape_is_read_whole(
    tmp_path: Path, count: int, *, sha256: bool, aligned: bool
) -> None:
    length = 64 if sha256 else 40
    refs: dict[str, Value] = {f"refs/heads/n{number:04d}": oid(number, length) for number in range(count)}
    others: dict[str, Value] = {f"refs/changes/{number}": oid(number, length) for number in range(count)}
    others |= {f"refs/tags/{number}": (oid(number, length), oid(-number, length)) for number in range(count)}
    data = table(
        {"HEAD": "ref: refs/heads/n0000", **refs, **others},
        block_size=512,
        restart_every=5,
        sha256=sha256,
        aligned=aligned,
    )
    repository(tmp_path, [data], object_format="sha256" if sha256 else "sha1")

    assert heads(tmp_path) == refs
    with open_repository(str(tmp_path)) as opened:
        assert opened.head().oid == oid(0, length)
        assert opened.ref_storage == "reftable"
        assert opened.object_format == ("sha256" if sha256 else "sha1")


NAME = st.sampled_from([f"refs/heads/{a}{b}" for a in ("x", "xy", "xyz/", "ä") for b in range(12)])
STACK = st.lists(
    st.dictionaries(
        NAME, st.one_of(st.none(), st.integers(0, 9), st.just("ref: refs/heads/x1")), max_size=30
    ),
    max_size=5,
)


@SETTINGS
@given(layers=STACK, block_size=st.sampled_from([128, 300, 4096]), restart_every=st.integers(1, 20))
def test_newer_tables_and_their_deletions_win(
    tmp_path_factory: pytest.TempPathFactory,
    layers: list[dict[str, int | str | None]],
    block_size: int,
    restart_every: int,
) -> None:
    folder = tmp_path_factory.mktemp("stack")
    merged: dict[str, str | None] = {}
    tables = []
    for layer in layers:
        values: dict[str, Value] = {
            name: oid(value) if isinstance(value, int) else value for name, value in layer.items()
        }
        merged.update({name: value for name, value in values.items() if not isinstance(value, tuple)})
        tables.append(table(values, block_size=block_size, restart_every=restart_every))
    expected = {}
    for name, value in merged.items():
        target = merged.get("refs/heads/x1") if value == "ref: refs/heads/x1" else value
        if target and not target.startswith("ref: "):
            expected[name] = target
    repository(folder, tables)

    with open_repository(str(folder)) as opened:
        assert dict(opened.local_heads()) == expected


@SETTINGS
@given(
    logs=st.lists(
        st.tuples(
            st.sampled_from(["HEAD", "refs/heads/a", "refs/stash"]), st.integers(1, 60), st.integers(0, 2**40)
        ),
        unique_by=lambda log: log[:2],
        max_size=60,
    ),
    dropped=st.sets(st.integers(1, 60), max_size=20),
    block_size=st.sampled_from([256, 4096]),
)
def test_reflogs_come_newest_first_without_what_was_dropped(
    tmp_path_factory: pytest.TempPathFactory,
    logs: list[tuple[str, int, int]],
    dropped: set[int],
    block_size: int,
) -> None:
    folder = tmp_path_factory.mktemp("logs")
    written = [Log(ref, index, when, f"commit: {ref} {index}") for ref, index, when in logs]
    gone = [Log(log.ref, log.index) for log in written if log.index in dropped]
    tables = [
        table({"HEAD": "ref: refs/heads/a"}, written, block_size=block_size),
        table({}, gone, block_size=block_size),
    ]
    repository(folder, tables)
    kept = sorted((log for log in written if log.index not in dropped), key=lambda log: (log.ref, -log.index))

    with open_repository(str(folder)) as opened:
        found = [(entry.ref, entry.time, entry.message) for entry in opened.reflogs()]

    assert sorted(found, key=lambda entry: entry[0]) == [(log.ref, log.time, log.message) for log in kept]


def test_a_linked_worktree_has_a_head_and_a_reflog_of_its_own(tmp_path: Path) -> None:
    main = repository(
        tmp_path / "main",
        [table({"HEAD": "ref: refs/heads/a", "refs/heads/a": oid(1), "refs/heads/b": oid(2)})],
    )
    record = main / ".git" / "worktrees" / "side"
    record.mkdir(parents=True)
    (record / "HEAD").write_text("ref: refs/heads/.invalid\n")
    (record / "commondir").write_text("../..\n")
    (record / "gitdir").write_text(f"{tmp_path / 'side' / '.git'}\n")
    stack(record, [table({"HEAD": "ref: refs/heads/b"}, [Log("HEAD", 1, 5, "commit: beside")])])
    (tmp_path / "side").mkdir()
    (tmp_path / "side" / ".git").write_text(f"gitdir: {record}\n")

    with open_repository(str(tmp_path / "side")) as opened:
        assert (opened.head().branch, opened.head().oid) == ("b", oid(2))
    with open_repository(str(main)) as opened:
        assert opened.worktrees()[0].head.oid == oid(2)
        newest = opened.newest_own_work(10)
    assert newest is not None
    assert (newest.worktree, newest.message) == ("side", "commit: beside")


def test_a_table_that_vanished_or_is_damaged_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    repository(
        tmp_path,
        [table({"refs/heads/a": oid(1)}), table({"refs/heads/b": oid(2)}), table({"refs/heads/c": oid(3)})],
    )
    folder = tmp_path / ".git" / "reftable"
    names = (folder / "tables.list").read_text().split()
    (folder / names[1]).write_bytes(b"REFT\1 nonsense")
    (folder / names[2]).unlink()

    with open_repository(str(tmp_path)) as opened:
        assert dict(opened.local_heads()) == {"refs/heads/a": oid(1)}
        assert {problem.code for problem in opened.problems} == {
            "git-reftable-damaged",
            "git-reftable-missing",
        }


@pytest.mark.parametrize(
    "name", ["../../../../etc/passwd", "/etc/passwd", "a/b.ref", "x.ref\0", ".ref", "x.txt"]
)
def test_a_list_that_names_anything_but_tables_is_refused(tmp_path: Path, name: str) -> None:
    repository(tmp_path, [table({"refs/heads/a": oid(1)})])
    (tmp_path / ".git" / "reftable" / "tables.list").write_text(name + "\n")

    with open_repository(str(tmp_path)) as opened:
        assert dict(opened.local_heads()) == {}
        assert [problem.code for problem in opened.problems] == ["git-reftable-damaged"]


def test_a_table_whose_footer_has_a_wrong_checksum_is_refused(tmp_path: Path) -> None:
    data = table({"refs/heads/a": oid(1)})
    repository(tmp_path, [data[:-1] + bytes([data[-1] ^ 1])])

    with open_repository(str(tmp_path)) as opened:
        assert dict(opened.local_heads()) == {}
        assert [problem.code for problem in opened.problems] == ["git-reftable-damaged"]


def test_a_large_table_is_searched_through_its_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refs: dict[str, Value] = {f"refs/changes/{number:06d}": oid(number) for number in range(60_000)}
    refs |= {"HEAD": "ref: refs/heads/main", "refs/heads/main": oid("main"), "refs/heads/z": oid("z")}
    repository(tmp_path, [table(refs, objects=False)])
    monkeypatch.setattr("scanner.git.reftable._RECORDS", 200)  # records and blocks that may be looked at

    began = time.process_time()
    found = heads(tmp_path)
    took = time.process_time() - began

    assert found == {"refs/heads/main": oid("main"), "refs/heads/z": oid("z")}
    assert took < 0.1


def test_symbolic_references_that_never_end_give_nothing_and_a_problem(tmp_path: Path) -> None:
    loop: dict[str, Value] = {
        "HEAD": "ref: refs/heads/a",
        "refs/heads/a": "ref: refs/heads/b",
        "refs/heads/b": "ref: refs/heads/a",
    }
    repository(tmp_path, [table(loop)])

    with open_repository(str(tmp_path)) as opened:
        assert opened.head().oid is None
        assert dict(opened.local_heads()) == {}
        assert {problem.code for problem in opened.problems} == {"git-ref-loop"}
