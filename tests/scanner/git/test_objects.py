"""Commits from loose objects, packs and alternates; and what oversized or damaged ones cost."""

from __future__ import annotations

import hashlib
import os
import struct
import time
import zlib
from pathlib import Path

import pytest

from scanner.git import Commit, Repository, open_repository
from scanner.git.delta import apply_delta
from scanner.git.objects import parse_commit
from scanner.git.pack_index import DamagedError, PackIndex
from tests.scanner.git.repositories import run, skeleton
from tests.support import DAY, NOW, Git

TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def commit_text(
    *, committer: str = "Bo <bo@example.com> 1700000000 +0100", message: str = "x\n", parents: int = 0
) -> bytes:
    named = "".join(f"parent {hashlib.sha1(bytes(n)).hexdigest()}\n" for n in range(parents))
    author = "Ana <ana@example.com> 1600000000 +0000"
    return f"tree {TREE}\n{named}author {author}\ncommitter {committer}\n\n{message}".encode()


def store(git_dir: Path, content: bytes, kind: str = "commit") -> str:
    data = f"{kind} {len(content)}\0".encode() + content
    oid = hashlib.sha1(data).hexdigest()
    folder = git_dir / "objects" / oid[:2]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / oid[2:]).write_bytes(zlib.compress(data))
    return oid


def read(path: Path, oid: str, *allowed: str) -> tuple[Commit | None, list[str]]:
    with open_repository(str(path), allowed=allowed) as repository:
        return repository.commit(oid), [problem.code for problem in repository.problems]


def test_a_commit_has_its_dates_parents_address_and_tree(git: Git) -> None:
    path = git.repository("p", days=9)
    first = git("rev-parse", "HEAD", cwd=path)
    git("commit", "-q", "--allow-empty", "-m", "next", cwd=path, days=4)
    oid = git("rev-parse", "HEAD", cwd=path)

    when = int(NOW - 4 * DAY)
    expected = Commit(oid, when, when, (first,), "ana@example.com", git("rev-parse", "HEAD^{tree}", cwd=path))
    assert read(path, oid) == (expected, [])


@pytest.mark.parametrize(
    ("committer", "when"),
    [
        ("Bo <b@e> 0 +0000", 0),
        ("Bo <b@e> 1 -0000", 1),
        ("Bo <b@e> 2147483648 +0000", 2**31),
        ("Bo <b@e> 99999999999999 +0000", 99_999_999_999_999),
        ("Bo <b@e> -100 +0000", -100),
        ("Bo <b@e>  12  +0000", 12),
        ("<> 7 +0000", 7),
        ("Bo > x <b> odd@e> 8 +0000", 8),
        ("Bo <b@e>9 +0000", 9),
        ("Bo <b@e> 10", 10),
        ("Bo <b@e>", None),
        ("Bo <b@e> soon", None),
        ("Bo <b@e> 1_0 +0000", None),
        ("Bo <b@e> " + "9" * 30, None),
    ],
)
def test_the_date_of_an_odd_committer_line(committer: str, when: int | None) -> None:
    commit = parse_commit("x", commit_text(committer=committer))

    assert (commit.committer_time if commit else None) == when


def test_a_commit_with_a_huge_message_or_very_many_parents_is_still_dated(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    long = store(git_dir, commit_text(message=os.urandom(400_000).hex()))
    wide = store(git_dir, commit_text(parents=900))

    found, problems = read(tmp_path, long)
    assert found is not None
    assert found.committer_time == 1_700_000_000
    found, problems = read(tmp_path, wide)
    assert found is not None
    assert len(found.parents) == 900
    assert problems == []


@pytest.mark.parametrize("start", [commit_text(), b""], ids=["a commit", "nothing but zeros"])
def test_an_object_that_inflates_to_268_megabytes_costs_little(tmp_path: Path, start: bytes) -> None:
    git_dir = skeleton(tmp_path / ".git")
    size = 256 * 1024 * 1024
    bomb = zlib.compressobj()
    data = bomb.compress(f"commit {size}\0".encode() + start)
    for _ in range(256):
        data += bomb.compress(bytes(1024 * 1024))
    oid = "ab" + "c" * 38
    (git_dir / "objects" / "ab").mkdir()
    (git_dir / "objects" / "ab" / oid[2:]).write_bytes(data + bomb.flush())

    began = time.process_time()
    found, _ = read(tmp_path, oid)
    took = time.process_time() - began

    assert (found is not None) == bool(start)
    assert took < 0.1  # the beginning takes 0.5 ms; all of it would take 560


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "git-object-damaged"),
        (b"not zlib", "git-object-damaged"),
        (zlib.compress(b"no header"), "git-object-damaged"),
        (zlib.compress(b"commit x\0"), "git-object-damaged"),
        (zlib.compress(b"blob 3\0abc"), "git-commit-malformed"),
        (zlib.compress(b"commit 3\0abc"), "git-commit-malformed"),
        (zlib.compress(b"commit 200\0" + commit_text())[:60], "git-commit-malformed"),
    ],
)
def test_a_damaged_object_gives_nothing_and_a_problem(tmp_path: Path, data: bytes, code: str) -> None:
    git_dir = skeleton(tmp_path / ".git")
    (git_dir / "objects" / "ab").mkdir()
    (git_dir / "objects" / "ab" / ("c" * 38)).write_bytes(data)

    found, problems = read(tmp_path, "ab" + "c" * 38)

    assert found is None
    assert code in problems


@pytest.mark.parametrize("oid", ["", "x", "../../../../etc/passwd", "a" * 39, "A" * 40, "a" * 40 + "\n"])
def test_what_is_no_object_name_is_never_looked_up(git: Git, oid: str) -> None:
    path = git.repository("p")

    assert read(path, oid) == (None, [])


def test_a_link_in_the_place_of_an_object_is_not_followed(git: Git) -> None:
    path = git.repository("p")
    other = git.repository("other")
    oid = git("commit-tree", "-m", "only there", "HEAD^{tree}", cwd=other)
    place = path / ".git" / "objects" / oid[:2]
    place.mkdir(exist_ok=True)
    (place / oid[2:]).symlink_to(other / ".git" / "objects" / oid[:2] / oid[2:])

    found, problems = read(path, oid)

    assert found is None
    assert "git-link" in problems


def test_alternates_are_followed_over_five_levels_and_loops_end(git: Git) -> None:
    deepest = git.repository("r0")
    oid = git("rev-parse", "HEAD", cwd=deepest)
    for number in range(1, 7):
        objects = skeleton(git.root / f"r{number}" / ".git") / "objects"
        (objects / "info" / "alternates").write_text(f"{git.root}/r{number - 1}/.git/objects\n{objects}\n")
    (deepest / ".git" / "objects" / "info" / "alternates").write_text(f"{git.root}/r5/.git/objects\n")

    assert read(git.root / "r5", oid)[0] is not None
    assert read(git.root / "r6", oid) == (None, ["git-object-missing"])


@pytest.mark.parametrize("form", ["{}", "../../../other/.git/objects", '"{}"', "# comment\n\n{}\n"])
def test_alternates_may_be_named_in_every_form_git_writes(git: Git, form: str) -> None:
    other = git.repository("other")
    path = git.repository("p")
    oid = git("commit-tree", "-m", "only there", "HEAD^{tree}", cwd=other)
    (path / ".git" / "objects" / "info" / "alternates").write_text(form.format(other / ".git" / "objects"))

    assert read(path, oid)[0] is not None


def test_hostile_alternates_open_nothing_but_objects(git: Git, tmp_path: Path) -> None:
    path = git.repository("p")
    os.mkfifo(tmp_path / "pipe")
    lines = ["/dev", "/proc/self", str(tmp_path / "pipe"), "\0", "x" * 5_000, "."] + [
        f"/n{n}" for n in range(9_000)
    ]
    (path / ".git" / "objects" / "info" / "alternates").write_text("\n".join(lines)[:60_000])

    began = time.process_time()
    assert read(path, "d" * 40)[0] is None
    assert time.process_time() - began < 1.0


def test_closing_gives_every_descriptor_back(git: Git) -> None:
    path = git.repository("p")
    git("gc", "-q", cwd=path)
    oid = git("rev-parse", "HEAD", cwd=path)
    before = len(os.listdir("/dev/fd"))

    with open_repository(str(path)) as repository:
        assert repository.commit(oid) is not None
        assert len(os.listdir("/dev/fd")) > before

    assert len(os.listdir("/dev/fd")) == before
    assert repository.commit(oid) is not None  # what was read stays


def test_a_commit_is_found_though_a_repack_moved_it_meanwhile(git: Git) -> None:
    path = git.repository("p")
    first = git("rev-parse", "HEAD", cwd=path)
    git("commit", "-q", "--allow-empty", "-m", "next", cwd=path)
    git("gc", "-q", cwd=path)
    with open_repository(str(path)) as repository:
        assert repository.commit(first) is not None
        git("commit", "-q", "--allow-empty", "-m", "third", cwd=path)
        git("gc", "-q", cwd=path)

        assert repository.commit(git("rev-parse", "HEAD", cwd=path)) is not None


def test_packs_without_their_own_index_are_read_through_the_common_one(git: Git) -> None:
    path = git.repository("p")
    git("repack", "-qad", cwd=path)
    git("multi-pack-index", "write", cwd=path)
    for index in (path / ".git" / "objects" / "pack").glob("*.idx"):
        index.unlink()

    assert read(path, git("rev-parse", "HEAD", cwd=path))[0] is not None


def test_a_damaged_common_index_does_not_hide_the_packs(git: Git) -> None:
    path = git.repository("p")
    git("repack", "-qad", cwd=path)
    git("multi-pack-index", "write", cwd=path)
    common = path / ".git" / "objects" / "pack" / "multi-pack-index"
    common.chmod(0o600)
    common.write_bytes(common.read_bytes()[:40])

    found, problems = read(path, git("rev-parse", "HEAD", cwd=path))

    assert found is not None
    assert problems == ["git-pack-damaged"]


def test_an_offset_beyond_two_gigabytes_is_read_from_its_own_table(tmp_path: Path) -> None:
    names = sorted(hashlib.sha1(bytes([number])).digest() for number in range(40))
    fanout = [sum(name[0] <= first for name in names) for first in range(256)]
    data = b"\377tOc" + struct.pack(">I256I", 2, *fanout) + b"".join(names) + bytes(4 * 40)
    data += struct.pack(">40I", *([5] * 39 + [0x80000001])) + struct.pack(">2Q", 1, 2**33 + 7) + bytes(40)
    (tmp_path / "x.idx").write_bytes(data)

    index = PackIndex(str(tmp_path / "x.idx"))

    assert index.find(names[-1]) == 2**33 + 7
    assert index.find(names[0]) == 5
    assert index.find(b"\0" * 20) is None


def test_a_large_index_is_searched_without_reading_it_whole(tmp_path: Path) -> None:
    count = 1_000_000
    rows = b"".join(b"\x11" + number.to_bytes(19, "big") for number in range(count))
    fanout = [0] * 0x11 + [count] * (256 - 0x11)
    data = b"\377tOc" + struct.pack(">I256I", 2, *fanout) + rows + bytes(4 * count)
    (tmp_path / "x.idx").write_bytes(data + struct.pack(f">{count}I", *range(count)))
    index = PackIndex(str(tmp_path / "x.idx"))
    rows_asked = [0, 1, 249_999, 250_000, 499_999, 500_000, 500_001, count - 1]

    began = time.process_time()
    found = [index.find(b"\x11" + number.to_bytes(19, "big")) for number in rows_asked]
    took = time.process_time() - began
    index.close()

    assert found == rows_asked
    assert took < 0.01


def test_a_name_that_only_stands_across_two_rows_is_not_found(tmp_path: Path) -> None:
    first = b"\x11\x22\x11" + b"\x33" * 17
    second = b"\x11\x44" + b"\x55" * 18
    fanout = [0] * 0x11 + [2] * (256 - 0x11)
    data = (
        b"\377tOc" + struct.pack(">I256I", 2, *fanout) + first + second + bytes(8) + struct.pack(">2I", 3, 4)
    )
    (tmp_path / "x.idx").write_bytes(data + bytes(40))

    index = PackIndex(str(tmp_path / "x.idx"))

    assert index.find(first[2:] + second[:2]) is None
    assert (index.find(first), index.find(second)) == (3, 4)


def test_a_fanout_table_that_is_not_sorted_is_damaged(tmp_path: Path) -> None:
    data = b"\377tOc" + struct.pack(">I256I", 2, *range(255, -1, -1)) + bytes(9_000)
    (tmp_path / "x.idx").write_bytes(data)

    with pytest.raises(DamagedError):
        PackIndex(str(tmp_path / "x.idx")).find(b"\x05" * 20)


def varsize(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def test_a_delta_copies_and_inserts() -> None:
    delta = varsize(10) + varsize(9) + b"\x91\x02\x03" + b"\x03xyz" + b"\xb0\x03\x00"

    assert apply_delta(b"0123456789", delta) == b"234xyz012"


def test_a_delta_beyond_its_base_or_its_end_gives_the_part_that_is_there() -> None:
    assert apply_delta(b"0123", varsize(99) + varsize(8) + b"\x91\x02\x06") == b"23"
    assert apply_delta(b"0123", varsize(4) + varsize(8) + b"\x05ab") == b"ab"


def test_a_delta_that_promises_gigabytes_gives_64_kilobytes() -> None:
    delta = varsize(9) + varsize(2**40) + b"\xf0\xff\xff\xff" * 10_000

    assert len(apply_delta(bytes(2**24), delta)) == 64 * 1024


def pack_of(entries: list[tuple[int, bytes, bytes]]) -> tuple[bytes, list[int]]:
    """A pack of (type, bytes before the zlib stream, content); and where each entry starts."""
    data = b"PACK" + struct.pack(">2I", 2, len(entries))
    places = []
    for kind, before, content in entries:
        places.append(len(data))
        size = len(content)
        head = [kind << 4 | size & 15]
        size >>= 4
        while size:
            head[-1] |= 0x80
            head.append(size & 0x7F)
            size >>= 7
        data += bytes(head) + before + zlib.compress(content)
    return data + bytes(20), places


def install(git_dir: Path, pack: bytes, offset: int) -> str:
    """Put a pack into a repository, under an index that knows one object."""
    name = bytes([7]) * 20
    fanout = [0] * 7 + [1] * 249
    index = (
        b"\377tOc"
        + struct.pack(">I256I", 2, *fanout)
        + name
        + bytes(4)
        + struct.pack(">I", offset)
        + bytes(40)
    )
    (git_dir / "objects" / "pack" / "pack-x.idx").write_bytes(index)
    (git_dir / "objects" / "pack" / "pack-x.pack").write_bytes(pack)
    return name.hex()


def chain(length: int) -> tuple[bytes, int]:
    """A pack whose last entry stands on a chain of ``length`` deltas that change nothing."""
    base = commit_text()
    same = varsize(len(base)) + varsize(len(base)) + b"\xb0" + struct.pack("<H", len(base))
    pack, places = pack_of([(1, b"", base)])
    for _ in range(length):
        body = pack[:-20]
        back = len(body) - places[-1]
        distance = bytes([back]) if back < 128 else bytes([0x80 | ((back >> 7) - 1), back & 0x7F])
        places.append(len(body))
        pack = body + bytes([6 << 4 | len(same)]) + distance + zlib.compress(same) + bytes(20)
    return pack, places[-1]


@pytest.mark.parametrize(("length", "is_read"), [(0, True), (1, True), (60, True), (61, False), (500, False)])
def test_a_chain_of_deltas_is_followed_sixty_steps(tmp_path: Path, length: int, *, is_read: bool) -> None:
    git_dir = skeleton(tmp_path / ".git")
    oid = install(git_dir, *chain(length))

    found, problems = read(tmp_path, oid)

    assert (found is not None) == is_read
    assert ("git-pack-damaged" in problems) != is_read


@pytest.mark.parametrize(
    "entry",
    [
        (6, b"\x00", b"\x01\x01\x01x"),
        (6, b"\x7f", b"\x01\x01\x01x"),
        (6, b"\xff" * 40, b"\x01\x01\x01x"),
        (7, b"\x07" * 20, b"\x01\x01\x01x"),
        (7, b"\x08" * 20, b"\x01\x01\x01x"),
        (5, b"", b"x"),
        (0, b"", b"x"),
        (1, b"\0\0\0", b"x"),
        (1, b"", b""),
        (3, b"", b"x"),
    ],
)
def test_an_entry_that_cannot_be_gives_nothing_and_a_problem(
    tmp_path: Path, entry: tuple[int, bytes, bytes]
) -> None:
    git_dir = skeleton(tmp_path / ".git")
    pack, places = pack_of([entry])
    oid = install(git_dir, pack, places[0])

    found, problems = read(tmp_path, oid)

    assert found is None
    assert problems


def test_deltas_made_to_burn_time_are_given_up(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    base = commit_text(message="x" * 65_000)
    crumbs = varsize(len(base)) + varsize(60_000) + b"\x90\x01" * 30_000
    pack, places = pack_of([(1, b"", base)])
    for _ in range(55):
        body = pack[:-20]
        back = len(body) - places[-1]
        distance = bytes([back & 0x7F])
        back >>= 7
        while back:
            back -= 1
            distance = bytes([0x80 | back & 0x7F]) + distance
            back >>= 7
        places.append(len(body))
        size = len(crumbs)
        head = bytes([6 << 4 | size & 15 | 0x80]) + varsize(size >> 4)
        pack = body + head + distance + zlib.compress(crumbs) + bytes(20)
    oid = install(git_dir, pack, places[-1])

    began = time.process_time()
    found, problems = read(tmp_path, oid)

    assert found is None
    assert "git-pack-damaged" in problems
    assert time.process_time() - began < 1.0


def test_a_stream_of_empty_blocks_in_a_pack_comes_to_an_end(tmp_path: Path) -> None:
    git_dir = skeleton(tmp_path / ".git")
    pack = (
        b"PACK" + struct.pack(">2I", 2, 1) + bytes([1 << 4 | 9]) + b"\x78\x9c" + b"\0\0\0\xff\xff" * 8_000_000
    )
    oid = install(git_dir, pack, 12)

    began = time.process_time()
    assert read(tmp_path, oid)[0] is None
    assert time.process_time() - began < 0.2


def test_the_first_sane_commit_skips_those_of_the_future(git: Git) -> None:
    path = git.repository("p", days=100)
    for days in (50, -4_000, -5_000, -3_000):
        git("commit", "-q", "--allow-empty", "-m", f"{days}", cwd=path, days=days)
    head = git("rev-parse", "HEAD", cwd=path)

    with open_repository(str(path)) as repository:
        sane = repository.first_sane_commit(head, 0, NOW)
        assert sane is not None
        assert sane.committer_time == int(NOW - 50 * DAY)
        assert repository.first_sane_commit(head, 0, NOW, max_steps=3) is None
        assert repository.first_sane_commit(head, 0, 0) is None
        assert repository.problems == ()


def test_the_first_sane_commit_skips_those_before_the_window(git: Git) -> None:
    path = git.repository("p", days=100)
    git("commit", "-q", "--allow-empty", "-m", "a clock of 1974", cwd=path, days=(NOW - 150_000_000) / DAY)
    head = git("rev-parse", "HEAD", cwd=path)

    with open_repository(str(path)) as repository:
        sane = repository.first_sane_commit(head, 200_000_000, NOW)

    assert sane is not None
    assert sane.committer_time == int(NOW - 100 * DAY)


def test_the_search_for_a_sane_commit_ends_where_a_shallow_clone_is_cut(git: Git) -> None:
    path = git.repository("p", days=100)
    git("commit", "-q", "--allow-empty", "-m", "late", cwd=path, days=-4_000)
    git("clone", "-q", "--depth", "1", path.as_uri(), "cut")

    with open_repository(str(git.root / "cut")) as repository:
        head = repository.head().oid
        assert head is not None
        assert repository.first_sane_commit(head, 0, NOW) is None
        assert repository.problems == ()
        assert repository.shallow


def test_many_missing_objects_in_many_packs_end_in_a_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scanner.git.pack._PROBES", 50)
    git_dir = skeleton(tmp_path / ".git")
    oid = install(git_dir, *chain(0))
    with open_repository(str(tmp_path)) as repository:
        for number in range(60):
            repository.commit(f"{number:040x}")

        assert "git-budget" in {problem.code for problem in repository.problems}
        assert isinstance(repository, Repository)
        assert oid


def test_git_agrees_on_a_hand_made_chain(tmp_path: Path) -> None:
    skeleton(tmp_path / ".git")
    oid = run(
        "hash-object", "-w", "-t", "commit", "--stdin", "--literally", cwd=tmp_path, stdin=commit_text()
    ).strip()

    found, _ = read(tmp_path, oid)

    assert found is not None
    assert str(found.committer_time) == run("log", "-1", "--format=%ct", oid, cwd=tmp_path).strip()
