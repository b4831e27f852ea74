from __future__ import annotations

import os
import re
import struct
from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.git import open_repository
from scanner.git.entry import Entry
from scanner.git.ewah import set_bits
from scanner.git.index import ENTRIES_CAP, DamagedError, Index, LastIndex, load_index, parse_index
from tests.support import Git, write

_DEBUG = re.compile(
    rb"([0-7]{6}) ([0-9a-f]+) ([0-3])\t(.*)\n"
    rb"  ctime: (\d+):\d+\n"
    rb"  mtime: (\d+):(\d+)\n"
    rb"  dev: \d+\tino: (\d+)\n"
    rb"  uid: \d+\tgid: \d+\n"
    rb"  size: (\d+)\tflags: ([0-9a-f]+)\n",
)


def index_of(path: Path) -> Index:
    with open_repository(str(path)) as repository:
        index, problems = load_index(repository)
    assert problems == ()
    assert index is not None
    return index


def by_git(git: Git, path: Path) -> list[Entry]:
    """What the real git reads, in the shape of our entries."""
    shown = git("-c", "core.quotePath=false", "ls-files", "-s", "--debug", "--sparse", cwd=path) + "\n"
    entries = []
    for match in _DEBUG.finditer(os.fsencode(shown)):
        mode, oid, stage, name, changed, seconds, rest, inode, size, flags = match.groups()
        bits = int(flags, 16)
        if name.endswith(b"/"):
            continue
        entries.append(
            Entry(
                name,
                int(seconds),
                int(rest),
                int(mode, 8),
                int(size),
                oid.decode(),
                int(stage),
                bool(bits & 0x8000),
                bool(bits & 0x40000000),
                bool(bits & 0x20000000),
                int(changed),
                int(inode),
            )
        )
    return entries


def by_us(path: Path) -> list[Entry]:
    index = index_of(path)
    return [index.entry(position) for position in range(len(index.names))]


def hold_against_git(git: Git, path: Path, count: int) -> None:
    expected = by_git(git, path)
    assert len(expected) == count
    assert list(map(astuple, by_us(path))) == list(map(astuple, expected))


def tree(count: int) -> dict[str, str]:
    """Files whose path lengths go through every padding, in nested folders."""
    files = {f"f{'x' * (number % 11)}{number}": f"{number}\n" for number in range(count)}
    return files | {
        f"d{number % 3}/e{number % 2}/{'y' * number}.txt": f"{number}\n" for number in range(count)
    }


def test_version_2_is_read_like_git_reads_it(git: Git) -> None:
    path = git.repository("a", files=tree(20))
    assert (path / ".git/index").read_bytes()[4:8] == b"\0\0\0\2"
    hold_against_git(git, path, 40)


def test_version_3_carries_what_is_only_meant_to_be_added_or_kept_out_of_the_work_tree(git: Git) -> None:
    path = git.repository("a", files=tree(9))
    write(path / "soon", "x")
    git("add", "-N", "soon", cwd=path)
    git("update-index", "--skip-worktree", "f0", cwd=path)
    git("update-index", "--assume-unchanged", "fx1", cwd=path)
    assert (path / ".git/index").read_bytes()[4:8] == b"\0\0\0\3"
    hold_against_git(git, path, 19)
    assert {entry.name for entry in by_us(path) if entry.intent_to_add} == {b"soon"}
    assert {entry.name for entry in by_us(path) if entry.skip_worktree} == {b"f0"}
    assert {entry.name for entry in by_us(path) if entry.assume_valid} == {b"fx1"}


def test_version_4_unfolds_its_paths(git: Git) -> None:
    path = git.repository("a", files=tree(20) | {"z" * 200: "long\n", "z" * 199 + "a": "b\n"})
    git("update-index", "--index-version", "4", cwd=path)
    assert (path / ".git/index").read_bytes()[4:8] == b"\0\0\0\4"
    hold_against_git(git, path, 42)
    git("update-index", "--skip-worktree", "f0", cwd=path)
    hold_against_git(git, path, 42)


def test_sha256_is_read_by_its_length(git: Git) -> None:
    path = git.root / "a"
    git("init", "-q", "--object-format=sha256", "a")
    for name, text in tree(12).items():
        write(path / name, text)
    git("add", "-A", cwd=path)
    hold_against_git(git, path, 24)
    assert {len(entry.oid) for entry in by_us(path)} == {64}


def test_a_conflict_has_one_entry_for_each_side_but_one_path(git: Git) -> None:
    path = git.repository("a", files={"both": "1\n", "other": "1\n"})
    git("checkout", "-q", "-b", "side", cwd=path)
    write(path / "both", "2\n")
    git("commit", "-qam", "2", cwd=path)
    git("checkout", "-q", "main", cwd=path)
    write(path / "both", "3\n")
    git("commit", "-qam", "3", cwd=path)
    git("merge", "-q", "side", cwd=path, check=False)
    hold_against_git(git, path, 4)
    index = index_of(path)
    assert index.names == [b"both", b"both", b"both", b"other"]
    assert index.tracked_paths() == ["both", "other"]
    assert [len(index.oids_of(position)) for position in range(4)] == [3, 3, 3, 1]


def test_a_split_index_is_its_base_with_what_was_changed_after(git: Git) -> None:
    path = git.repository("a", files=tree(80))
    git("update-index", "--split-index", cwd=path)
    hold_against_git(git, path, 160)
    write(path / "f0", "changed\n")
    write(path / "new", "new\n")
    (path / "fx1").unlink()
    for number in range(2, 70):
        (path / f"f{'x' * (number % 11)}{number}").unlink()
    git("add", "-A", cwd=path)
    assert list((path / ".git").glob("sharedindex.*"))
    hold_against_git(git, path, 160 - 69 + 1)
    git("update-index", "--skip-worktree", "new", cwd=path)
    hold_against_git(git, path, 160 - 69 + 1)


def test_a_split_index_without_its_base_is_a_problem(git: Git) -> None:
    path = git.repository("a", files=tree(5))
    git("update-index", "--split-index", cwd=path)
    for shared in (path / ".git").glob("sharedindex.*"):
        shared.unlink()
    with open_repository(str(path)) as repository:
        index, problems = load_index(repository)
    assert index is None
    assert [problem.code for problem in problems] == ["git-index-damaged"]
    assert "shared part" in problems[0].message


def test_a_sparse_index_leaves_out_the_folders_that_it_keeps_folded(git: Git) -> None:
    path = git.repository("a", files=tree(8))
    git("sparse-checkout", "init", "--cone", "--sparse-index", cwd=path)
    git("sparse-checkout", "set", "d0", cwd=path)
    assert b"sdir" in (path / ".git/index").read_bytes()
    names = index_of(path).names
    hold_against_git(git, path, len(names))
    assert not any(name.endswith(b"/") for name in names)
    assert any(name.startswith(b"d0/") for name in names)
    assert not any(name.startswith(b"d1/") for name in names)


def test_links_and_submodules_keep_their_kind(git: Git) -> None:
    inner = git.repository("inner")
    path = git.repository("a")
    (path / "link").symlink_to("README.md")
    git("submodule", "add", "-q", str(inner), "sub", cwd=path)
    git("add", "-A", cwd=path)
    hold_against_git(git, path, 4)
    assert {entry.name: entry.kind for entry in by_us(path)} == {
        b".gitmodules": 0o100000,
        b"README.md": 0o100000,
        b"link": 0o120000,
        b"sub": 0o160000,
    }


def test_names_with_newlines_and_odd_bytes_are_kept(git: Git) -> None:
    path = git.repository("a")
    names = [b"new\nline", b"caf\xe9", "café".encode(), b' sp"ace ']
    for name in names:
        with open(os.fsencode(path) + b"/" + name, "wb") as file:
            file.write(b"x")
    git("add", "-A", cwd=path)
    assert sorted(index_of(path).names) == sorted([*names, b"README.md"])


def test_the_root_tree_is_known_while_nothing_is_staged(git: Git) -> None:
    path = git.repository("a", files=tree(3))
    assert index_of(path).root_tree == git("rev-parse", "HEAD^{tree}", cwd=path)
    write(path / "f0", "staged\n")
    git("add", "f0", cwd=path)
    assert index_of(path).root_tree == ""
    git("commit", "-qm", "second", cwd=path)
    assert index_of(path).root_tree == git("rev-parse", "HEAD^{tree}", cwd=path)


def test_extensions_that_only_make_git_faster_are_passed_over(git: Git) -> None:
    path = git.repository("a", files=tree(200))
    git("config", "index.threads", "2", cwd=path)
    git("update-index", "--untracked-cache", cwd=path)
    git("status", cwd=path)
    git("update-index", "--force-write-index", cwd=path)
    assert b"UNTR" in (path / ".git/index").read_bytes()
    hold_against_git(git, path, 400)


def test_a_linked_worktree_has_an_index_of_its_own(git: Git) -> None:
    path = git.repository("a", files={"one": "1\n"})
    git("worktree", "add", "-q", str(git.root / "b"), cwd=path)
    write(git.root / "b" / "two", "2\n")
    git("add", "two", cwd=git.root / "b")
    with open_repository(str(git.root / "b"), allowed=[str(git.root)]) as repository:
        index = load_index(repository)[0]
    assert index is not None
    assert index.names == [b"one", b"two"]
    assert index_of(path).names == [b"one"]


def test_no_index_is_no_problem(git: Git) -> None:
    git("init", "-q", "a")
    with open_repository(str(git.root / "a")) as repository:
        assert load_index(repository) == (None, ())


def _unreadable(path: Path) -> str:
    with open_repository(str(path)) as repository:
        index, problems = load_index(repository)
    assert index is None
    return problems[0].code


def test_an_index_that_is_no_regular_file_is_refused(git: Git) -> None:
    path = git.repository("a")
    (path / ".git/index").rename(path / "elsewhere")
    (path / ".git/index").symlink_to("../elsewhere")
    assert _unreadable(path) == "git-index-unreadable"
    (path / ".git/index").unlink()
    os.mkfifo(path / ".git/index")
    assert _unreadable(path) == "git-index-unreadable"


def test_an_index_beyond_the_cap_is_refused_by_its_size(git: Git) -> None:
    path = git.repository("a")
    os.truncate(path / ".git/index", 1 << 40)
    assert _unreadable(path) == "git-index-unreadable"


def _header(version: int, count: int) -> bytes:
    return struct.pack(">4sII", b"DIRC", version, count)


def _raw_entry(name: bytes) -> bytes:
    entry = (
        b"\0" * 24
        + struct.pack(">I", 0o100644)
        + b"\0" * 12
        + b"\1" * 20
        + struct.pack(">H", len(name))
        + name
    )
    return entry + b"\0" * (8 - len(entry) % 8)


def _parse(data: bytes) -> Index:
    def no_base(oid: str) -> bytes:
        raise DamagedError(oid)

    return parse_index(data, 0, 20, no_base)


def _with(*names: bytes, extensions: bytes = b"") -> bytes:
    return _header(2, len(names)) + b"".join(map(_raw_entry, names)) + extensions + b"\0" * 20


def test_the_smallest_index_made_by_hand_is_read() -> None:
    assert _parse(_with(b"a", b"b/c")).names == [b"a", b"b/c"]
    assert _parse(_with(b"a", b"b/c")).folders == {b"", b"b"}


@pytest.mark.parametrize("name", [b"/etc/passwd", b"/x", b"../x", b"a/../../x", b"../../a/x"])
def test_a_path_that_leads_out_of_the_work_tree_is_refused(name: bytes) -> None:
    with pytest.raises(DamagedError, match="out of the work tree"):
        _parse(_with(b"a", name))


def _growing(count: int) -> bytes:
    """Version 4: each path is the one before and one byte more."""
    entry = b"\1" * 60 + struct.pack(">H", 0xFFF) + b"\0" + b"a\0"
    return _header(4, count) + entry * count + b"\0" * 20


def test_compressed_paths_may_be_as_long_as_a_system_opens_them_and_no_longer() -> None:
    assert len(_parse(_growing(4_096)).names[-1]) == 4_096
    with pytest.raises(DamagedError, match="unfold"):
        _parse(_growing(100_000))


def test_tracked_paths_are_text_and_each_stands_once() -> None:
    assert _parse(_with()).tracked_paths() == []
    paths = _parse(_with(b"a", b"a", b"caf\xe9", b"d/e f")).tracked_paths()
    assert paths == ["a", os.fsdecode(b"caf\xe9"), "d/e f"]


def test_what_is_tracked_below_a_folder_is_known() -> None:
    index = _parse(_with(b"a/b/c", b"ab"))
    assert [index.tracks_below(folder) for folder in ("a", "a/b", "ab", "b", "a/b/c")] == [True, True] + [
        False
    ] * 3


def test_the_last_index_is_read_once(git: Git) -> None:
    paths = [git.repository(name, files={name: "x\n"}) for name in ("a", "b")]
    last = LastIndex()
    with open_repository(str(paths[0])) as one, open_repository(str(paths[1])) as two:
        first, _ = last.load(one)
        assert last.load(one)[0] is first
        other, _ = last.load(two)
        assert other is not None
        assert other.names == [b"b"]
        again, _ = last.load(one)
        assert again is not None
        assert again.names == [b"a"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"DIRC",
        b"XXXX" + _header(2, 0)[4:] + b"\0" * 20,
        _header(5, 0) + b"\0" * 20,
        _header(2, ENTRIES_CAP + 1) + b"\0" * 20,
        _header(2, 1_000) + _raw_entry(b"a") + b"\0" * 20,
        _header(2, 1) + _raw_entry(b"a")[:-3],
        _with(b"a", extensions=b"TREE" + struct.pack(">I", 1 << 30)),
        _with(b"a", extensions=b"need" + struct.pack(">I", 0)),
        _with(b"a", extensions=b"link" + struct.pack(">I", 4) + b"abcd"),
    ],
)
def test_what_is_no_index_raises_only_the_documented_errors(data: bytes) -> None:
    with pytest.raises((DamagedError, struct.error, IndexError, ValueError)):
        _parse(data)


def test_any_change_of_an_index_gives_an_index_or_a_problem(git: Git, full: bool) -> None:
    seeds: list[bytes] = []
    path = git.repository("a", files=tree(9))
    seeds.append((path / ".git/index").read_bytes())
    git("update-index", "--index-version", "4", cwd=path)
    seeds.append((path / ".git/index").read_bytes())
    git("update-index", "--index-version", "2", cwd=path)
    git("update-index", "--split-index", cwd=path)
    write(path / "f0", "changed\n")
    git("add", "-A", cwd=path)
    seeds.append((path / ".git/index").read_bytes())
    base = next((path / ".git").glob("sharedindex.*")).read_bytes()

    @settings(max_examples=20_000 if full else 600, deadline=None, database=None)
    @given(
        seed=st.sampled_from(seeds),
        at=st.integers(0, 2_000),
        put=st.binary(max_size=8),
        cut=st.integers(0, 16),
        in_base=st.booleans(),
    )
    def survive(seed: bytes, at: int, put: bytes, cut: int, in_base: bool) -> None:
        def changed(data: bytes) -> bytes:
            place = at % (len(data) + 1)
            return data[:place] + put + data[place + cut :]

        shared = changed(base) if in_base else base
        data = seed if in_base else changed(seed)
        try:
            index = parse_index(data, 0, 20, lambda _: shared)
        except (DamagedError, struct.error, IndexError, ValueError):
            return
        for position in range(len(index.names)):
            index.entry(position)
        assert not any(b".." in folder.split(b"/") or folder.startswith(b"/") for folder in index.folders)

    survive()


def test_an_entry_is_trusted_only_if_it_is_older_than_the_index(git: Git) -> None:
    path = git.repository("a", files={"f": "1\n"})
    status = os.lstat(path / "f")
    index = index_of(path)
    index.changed_ns = status.st_mtime_ns + 1
    assert index.looks_unchanged(0, status)
    index.changed_ns = status.st_mtime_ns
    assert not index.looks_unchanged(0, status)


def _bitmap(*words: int) -> bytes:
    return (
        struct.pack(">II", 64, len(words)) + b"".join(struct.pack(">Q", word) for word in words) + b"\0" * 4
    )


def test_a_bitmap_of_runs_and_literal_words_gives_its_positions() -> None:
    run_of_ones = 1 | 1 << 1
    literal = 1 << 33
    data = b"??" + _bitmap(run_of_ones | literal, 0b101)
    bits, end = set_bits(data, 2, 1_000)
    assert bits == [*range(64), 64, 66]
    assert end == len(data)


def test_a_bitmap_that_runs_on_for_ever_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="longer"):
        set_bits(_bitmap(1 | ((1 << 32) - 1) << 1), 0, 1_000)
    with pytest.raises(ValueError, match="longer"):
        set_bits(_bitmap(1 << 33, 1 << 63), 0, 10)
    with pytest.raises(ValueError, match="cut off"):
        set_bits(struct.pack(">II", 64, 1 << 30), 0, 10)
