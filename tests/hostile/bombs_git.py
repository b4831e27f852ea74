"""Repositories whose own records are the attack: endless, circular, explosive or false."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.plain_git import configure, loose_object, raw_commit, tree_of

TERABYTE = 1 << 40
_PERSON = b"Ana <ana@example.com> 1795700000 +0000"


_Step = Callable[[Path, str], object]


@dataclass(frozen=True)
class GitBomb:
    """``build`` turns a copy of the template repository, whose newest commit is ``head``, into the attack."""

    name: str
    build: _Step
    long: bool = False
    """Whether building it takes seconds, so that only the long form runs it."""


def _write(relative: str, content: bytes | str) -> _Step:
    def build(repository: Path, head: str) -> None:
        place = repository / ".git" / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        place.write_bytes(data.replace(b"<head>", head.encode()))

    return build


def _all(*steps: _Step) -> _Step:
    def build(repository: Path, head: str) -> None:
        for step in steps:
            step(repository, head)

    return build


def _sparse(relative: str, start: bytes = b"", size: int = TERABYTE) -> _Step:
    def build(repository: Path, _: str) -> None:
        place = repository / ".git" / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)  # git writes objects read-only
        with place.open("wb") as file:
            file.write(start)
            file.truncate(size)

    return build


def _config(text: str) -> _Step:
    def build(repository: Path, _: str) -> None:
        configure(repository, text)

    return build


def _gitfile(text: bytes) -> _Step:
    def build(repository: Path, _: str) -> None:
        shutil.rmtree(repository / ".git")
        (repository / ".git").write_bytes(text)

    return build


# -- objects ---------------------------------------------------------------------------------------


def _loose(start: bytes, filler: bytes, megabytes: int) -> _Step:
    """The newest commit as a loose object that inflates to ``megabytes``."""

    def build(repository: Path, head: str) -> None:
        place = loose_object(repository, head)
        place.unlink()
        packer = zlib.compressobj(1)
        block = filler * ((1 << 20) // len(filler))
        with place.open("wb") as file:
            file.write(packer.compress(b"commit %d\0" % ((megabytes << 20) + len(start)) + start))
            for _ in range(megabytes):
                file.write(packer.compress(block))
            file.write(packer.flush())

    return build


def _undated(start: bytes, filler: bytes, megabytes: int) -> _Step:
    """The same without reflogs, so that nothing but the object can tell a date."""
    return _all(
        _loose(start, filler, megabytes), lambda repository, _: shutil.rmtree(repository / ".git" / "logs")
    )


def _loose_raw(content: bytes) -> _Step:
    def build(repository: Path, head: str) -> None:
        place = loose_object(repository, head)
        place.unlink()
        place.write_bytes(content)

    return build


def _commit(content: bytes) -> _Step:
    def build(repository: Path, head: str) -> None:
        filled = content.replace(b"<tree>", tree_of(repository).encode()).replace(b"<head>", head.encode())
        raw_commit(repository, filled)

    return build


def _size(kind: int, size: int) -> bytes:
    out = [kind << 4 | size & 15]
    size >>= 4
    while size:
        out[-1] |= 0x80
        out.append(size & 0x7F)
        size >>= 7
    return bytes(out)


def _delta_size(size: int) -> bytes:
    out = bytearray([size & 0x7F])
    size >>= 7
    while size:
        out[-1] |= 0x80
        out.append(size & 0x7F)
        size >>= 7
    return bytes(out)


def _offset(back: int) -> bytes:
    out = [back & 0x7F]
    back >>= 7
    while back:
        back -= 1
        out.append(0x80 | back & 0x7F)
        back >>= 7
    return bytes(reversed(out))


def _delta(base: int, result: int, commands: bytes) -> bytes:
    return _delta_size(base) + _delta_size(result) + commands


_COPY_64K = b"\x80"  # offset 0, count 0, which means 65,536


def _pack(
    entries: Iterable[tuple[str, bytes]], repository: Path, head: str, *, index: bytes | None = None
) -> None:
    """A pack with raw ``entries`` (object name, bytes) and its index; the loose newest commit is removed."""
    loose_object(repository, head).unlink(missing_ok=True)
    body = bytearray()
    offsets: dict[str, int] = {}
    for oid, entry in entries:
        offsets[oid] = 12 + len(body)
        body += entry
    data = b"PACK" + struct.pack(">II", 2, len(offsets)) + bytes(body)
    data += hashlib.sha1(data).digest()
    folder = repository / ".git" / "objects" / "pack"
    folder.mkdir(parents=True, exist_ok=True)
    stem = "pack-" + data[-20:].hex()
    (folder / f"{stem}.pack").write_bytes(data)
    (folder / f"{stem}.idx").write_bytes(_pack_index(offsets, data[-20:]) if index is None else index)


def _pack_index(offsets: dict[str, int], trailer: bytes) -> bytes:
    names = sorted(offsets)
    fanout = [sum(int(name[:2], 16) <= first for name in names) for first in range(256)]
    index = b"\377tOc" + struct.pack(">I256I", 2, *fanout)
    index += b"".join(bytes.fromhex(name) for name in names)
    index += b"".join(struct.pack(">I", 0) for _ in names)
    index += b"".join(struct.pack(">I", offsets[name]) for name in names)
    index += trailer
    return index + hashlib.sha1(index).digest()


def _reference_loop(repository: Path, head: str) -> None:
    """Two deltas, each the base of the other."""
    other = "ab" * 20
    delta = zlib.compress(_delta(100, 100, _COPY_64K))
    first = _size(7, 6) + bytes.fromhex(other) + delta
    second = _size(7, 6) + bytes.fromhex(head) + delta
    _pack([(head, first), (other, second)], repository, head)


def _reference_to_itself(repository: Path, head: str) -> None:
    _pack(
        [(head, _size(7, 6) + bytes.fromhex(head) + zlib.compress(_delta(9, 9, _COPY_64K)))], repository, head
    )


def _offset_to_itself(repository: Path, head: str) -> None:
    _pack([(head, _size(6, 6) + _offset(0) + zlib.compress(_delta(9, 9, _COPY_64K)))], repository, head)


def _offset_before_the_start(repository: Path, head: str) -> None:
    _pack([(head, _size(6, 6) + _offset(1 << 60) + zlib.compress(_delta(9, 9, _COPY_64K)))], repository, head)


def _delta_bomb(repository: Path, head: str) -> None:
    """Fifty deltas, each of which repeats its base 60,000 times."""
    base = b"x" * 65_536
    entries = [(f"{0:040x}", _size(1, len(base)) + zlib.compress(base))]
    length, result = len(entries[0][1]), 65_536
    for number in range(1, 51):
        commands = _COPY_64K * 60_000
        delta = _delta(result, min(65_536 * 60_000, (1 << 62)), commands)
        entry = _size(6, len(delta)) + _offset(length) + zlib.compress(delta)
        entries.append((head if number == 50 else f"{number:040x}", entry))
        length, result = len(entry), 65_536 * 60_000
    _pack(entries, repository, head)


def _delta_chain(repository: Path, head: str) -> None:
    """A chain of 6,000 deltas."""
    base = b"x" * 100
    entries = [(f"{0:040x}", _size(1, len(base)) + zlib.compress(base))]
    length = len(entries[0][1])
    for number in range(1, 6_001):
        delta = _delta(100, 100, b"\x90\x64")
        entry = _size(6, len(delta)) + _offset(length) + zlib.compress(delta)
        entries.append((head if number == 6_000 else f"{number:040x}", entry))
        length = len(entry)
    _pack(entries, repository, head)


def _packed_zip_bomb(repository: Path, head: str) -> None:
    size = 256 << 20
    packer = zlib.compressobj(1)
    block = bytes(1 << 20)
    parts = [_size(1, size)] + [packer.compress(block) for _ in range(256)] + [packer.flush()]
    _pack([(head, b"".join(parts))], repository, head)


def _false_index(index: bytes) -> _Step:
    def build(repository: Path, head: str) -> None:
        _pack([(head, _size(1, 5) + zlib.compress(b"hello"))], repository, head, index=index)

    return build


_FULL_FANOUT = struct.pack(">256I", *([0xFFFFFFFF] * 256))
_FALLING_FANOUT = struct.pack(">256I", *range(256, 0, -1))


def _many_packs(repository: Path, head: str) -> None:
    loose_object(repository, head).unlink()
    folder = repository / ".git" / "objects" / "pack"
    folder.mkdir(parents=True, exist_ok=True)
    index = _pack_index({f"{number:040x}": 12 for number in range(1, 20)}, bytes(20))
    for number in range(1000):
        (folder / f"pack-{number:040x}.idx").write_bytes(index)
        (folder / f"pack-{number:040x}.pack").write_bytes(b"PACK" + bytes(28))


def _multi_pack_index(repository: Path, head: str) -> None:
    """Four billion packs and objects, chunks that lie behind the end and over each other."""
    loose_object(repository, head).unlink()
    header = b"MIDX" + bytes([1, 1, 4, 0]) + struct.pack(">I", 0xFFFFFFFF)
    chunks = b"".join(name + struct.pack(">Q", 12) for name in (b"PNAM", b"OIDF", b"OIDL", b"OOFF"))
    chunks += bytes(4) + struct.pack(">Q", 1 << 62)
    _write("objects/pack/multi-pack-index", header + chunks + _FULL_FANOUT)(repository, head)


# -- references ------------------------------------------------------------------------------------


def _packed_references(count: int, padding: int = 0) -> _Step:
    def build(repository: Path, head: str) -> None:
        filler = "x" * padding
        with (repository / ".git" / "packed-refs").open("w") as file:
            file.write("# pack-refs with: peeled fully-peeled sorted \n")
            file.writelines(f"{head} refs/heads/b{number:07}{filler}\n" for number in range(count))

    return build


def _packed_missing(repository: Path, _: str) -> None:
    """30,000 branches, each at an object of its own that is not there."""
    lines = [f"{number:040x} refs/heads/b{number}\n" for number in range(1, 30_001)]
    (repository / ".git" / "packed-refs").write_text("".join(lines))


def _loose_references(count: int) -> _Step:
    def build(repository: Path, head: str) -> None:
        folder = repository / ".git" / "refs" / "heads"
        for number in range(count):
            if number % 1000 == 0:
                (folder / str(number // 1000)).mkdir()
            (folder / str(number // 1000) / str(number)).write_text(head + "\n")

    return build


def _deep_references(repository: Path, head: str) -> None:
    """Folders as deep as a path can be."""
    path = repository / ".git" / "refs" / "heads"
    while len(os.fsencode(path)) < 3900:
        path = path / ("d" * 20)
    path.mkdir(parents=True)
    (path / "x").write_text(head + "\n")


def _looped_references(repository: Path, _: str) -> None:
    heads = repository / ".git" / "refs" / "heads"
    (heads / "loop").symlink_to("..")
    (heads / "up").symlink_to("/")
    (heads / "main").write_text("ref: refs/heads/other\n")
    (heads / "other").write_text("ref: refs/heads/main\n")


def _escaping_references(repository: Path, _: str) -> None:
    heads = repository / ".git" / "refs" / "heads"
    (heads / "main").write_text("ref: ../../../../../../../../etc/passwd\n")
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/../../../../../../../../../../etc/passwd\n")


def _reftable(**tables: bytes) -> _Step:
    def build(repository: Path, _: str) -> None:
        configure(
            repository, "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n"
        )
        folder = repository / ".git" / "reftable"
        folder.mkdir()
        for name, content in tables.items():
            (folder / name.replace("_", ".")).write_bytes(content)

    return build


def _table(body: bytes) -> bytes:
    """A reftable of version 1 with ``body`` as its blocks and a footer that fits the header."""
    header = b"REFT" + bytes([1]) + (4096).to_bytes(3, "big") + struct.pack(">QQ", 1, 1)
    footer = header + struct.pack(">QQQQQ", 0, 0, 0, 24, 0)
    return header + body + footer + struct.pack(">I", zlib.crc32(footer))


def _log_block() -> bytes:
    packed = zlib.compress(bytes(64 << 20), 9)
    return b"g" + (0xFFFFFF).to_bytes(3, "big") + packed


# -- index -----------------------------------------------------------------------------------------


def _index(version: int, count: int, body: bytes) -> bytes:
    data = b"DIRC" + struct.pack(">II", version, count) + body
    return data + hashlib.sha1(data).digest()


def _entry(name: bytes, flags: int | None = None) -> bytes:
    fixed = (
        bytes(40) + bytes(20) + struct.pack(">H", min(len(name), 0xFFF) if flags is None else flags) + name
    )
    return fixed + bytes(8 - len(fixed) % 8)


def _entries_outside(repository: Path, head: str) -> None:
    """An index whose entries climb out of the work tree or are no path at all."""
    names = (
        b"../../../../../../../../etc/passwd",
        b"/etc/passwd",
        b"a//b",
        b".git/config",
        b"",
        b"x\x1b[2J",
        b".",
    )
    body = b"".join(map(_entry, sorted(names)))
    _write("index", _index(2, len(names), body))(repository, head)


def _index_through_link(repository: Path, head: str) -> None:
    """A tracked path that leads through a link out of the work tree."""
    (repository / "link").symlink_to("/etc")
    _write("index", _index(2, 1, _entry(b"link/passwd")))(repository, head)


def _index_of_pipes(repository: Path, head: str) -> None:
    """Tracked files that are now pipes, devices and a terabyte: to compare them would be to read them."""
    os.mkfifo(repository / "pipe")
    (repository / "zero").symlink_to("/dev/zero")
    with (repository / "huge").open("wb") as file:
        file.truncate(TERABYTE)
    body = b"".join(map(_entry, (b"huge", b"pipe", b"zero")))
    _write("index", _index(2, 3, body))(repository, head)


# -- worktrees and logs ----------------------------------------------------------------------------


def _many_worktrees(repository: Path, head: str) -> None:
    for number in range(1500):
        admin = repository / ".git" / "worktrees" / f"w{number}"
        admin.mkdir(parents=True)
        (admin / "gitdir").write_text(f"/nowhere/w{number}/.git\n")
        (admin / "HEAD").write_text(head + "\n")


def _many_logs(repository: Path, head: str) -> None:
    line = f"{head} {head} A <a@b.c> 1795900000 +0000\tcommit: x\n" * 50
    folder = repository / ".git" / "logs" / "refs" / "heads"
    for number in range(2500):
        (folder / f"b{number}").write_text(line)


_LOG = "<head> <head> A <a@b.c> 1795900000 +0000\tcommit: x\n"

COMMITS = (
    (
        "date-of-19-digits",
        b"tree <tree>\nauthor A <a> 1 +0000\ncommitter A <a> 9999999999999999999 +0000\n\nx",
    ),
    (
        "date-of-40-digits",
        b"tree <tree>\nauthor A <a> 1 +0000\ncommitter A <a> " + b"9" * 40 + b" +0000\n\nx",
    ),
    ("date-below-zero", b"tree <tree>\nauthor A <a> 1 +0000\ncommitter A <a> -999999999999999999 +0000\n\nx"),
    ("date-in-year-9999", b"tree <tree>\nauthor A <a> 1 +0000\ncommitter A <a> 253402300799 +0000\n\nx"),
    ("date-missing", b"tree <tree>\nauthor A <a>\ncommitter A <a>\n\nx"),
    ("date-of-words", b"tree <tree>\nauthor A <a> x y\ncommitter A <a> <> now +9999999999\n\nx"),
    ("date-with-nul", b"tree <tree>\nauthor A <a> 1 +0000\ncommitter A\0 <a> 17\0 +0000\n\nx"),
    (
        "parents-of-itself",
        b"tree <tree>\nparent <head>\n"
        + b"parent <head>\n" * 5000
        + b"author A <a> 1 +0000\ncommitter A <a> 1795700000 +0000\n\nx",
    ),
    (
        "future-with-missing-parent",
        b"tree <tree>\nparent "
        + b"ab" * 20
        + b"\nauthor A <a> 1 +0000\ncommitter A <a> 5000000000 +0000\n\nx",
    ),
    (
        "author-of-60-kilobytes",
        b"tree <tree>\nauthor " + b"A" * 60_000 + b" <a> 1 +0000\ncommitter A <a> 1795700000 +0000\n\nx",
    ),
    (
        "author-of-one-megabyte",
        b"tree <tree>\nauthor " + b"A" * 1_000_000 + b" <a> 1 +0000\ncommitter A <a> 1795700000 +0000\n\nx",
    ),
)

BOMBS = (
    *(GitBomb("commit-" + name, _commit(content)) for name, content in COMMITS),
    GitBomb("loose-256-megabytes", _loose(b"", b"\0", 256)),
    GitBomb(
        "loose-256-megabytes-of-message",
        _undated(
            b"tree " + b"a" * 40 + b"\nauthor " + _PERSON + b"\ncommitter " + _PERSON + b"\n\n", b"m", 256
        ),
    ),
    GitBomb(
        "loose-256-megabytes-of-parents",
        _loose(b"tree " + b"a" * 40 + b"\n", b"parent " + b"b" * 40 + b"\n", 256),
    ),
    GitBomb("loose-header-without-end", _loose_raw(zlib.compress(b"commit " + b"9" * 1_000_000))),
    GitBomb("loose-not-compressed", _loose_raw(b"commit 5\0hello" * 9)),
    GitBomb("loose-dictionary", _loose_raw(b"\x78\xbb\0\0\0\0" + b"x" * 100)),
    GitBomb(
        "loose-terabyte", lambda repository, head: _sparse(f"objects/{head[:2]}/{head[2:]}")(repository, head)
    ),
    GitBomb("pack-reference-loop", _reference_loop),
    GitBomb("pack-reference-to-itself", _reference_to_itself),
    GitBomb("pack-offset-to-itself", _offset_to_itself),
    GitBomb("pack-offset-before-the-start", _offset_before_the_start),
    GitBomb("pack-delta-bomb", _delta_bomb),
    GitBomb("pack-delta-chain", _delta_chain),
    GitBomb("pack-256-megabytes", _packed_zip_bomb),
    GitBomb("pack-index-empty", _false_index(b"")),
    GitBomb("pack-index-full-fanout", _false_index(b"\377tOc\0\0\0\2" + _FULL_FANOUT + bytes(200))),
    GitBomb("pack-index-falling-fanout", _false_index(b"\377tOc\0\0\0\2" + _FALLING_FANOUT + bytes(9000))),
    GitBomb("pack-index-version-1", _false_index(_FULL_FANOUT + bytes(200))),
    GitBomb("pack-index-version-9", _false_index(b"\377tOc\0\0\0\x09" + bytes(2000))),
    GitBomb("pack-1000-indexes", _many_packs),
    GitBomb(
        "pack-terabyte-index",
        _all(
            lambda repository, head: loose_object(repository, head).unlink(),
            _sparse(f"objects/pack/pack-{'a' * 40}.idx", b"\377tOc\0\0\0\2" + _FULL_FANOUT),
            _sparse(f"objects/pack/pack-{'a' * 40}.pack", b"PACK"),
        ),
    ),
    GitBomb("multi-pack-index", _multi_pack_index),
    GitBomb("commit-graph-noise", _write("objects/info/commit-graph", b"CGPH\1\1\4\0" + b"\xff" * 5000)),
    GitBomb("packed-refs-80-megabytes", _packed_references(1_300_000)),
    GitBomb("packed-refs-60-megabytes", _packed_references(970_000)),
    GitBomb("packed-refs-100000", _packed_references(100_000)),
    GitBomb("packed-refs-missing-objects", _packed_missing),
    GitBomb("packed-refs-one-line", _write("packed-refs", b"a" * 5_000_000)),
    GitBomb("packed-refs-blank-lines", _write("packed-refs", b"\n" * 20_000_000)),
    GitBomb("refs-3000-loose", _loose_references(3_000)),
    GitBomb("refs-100000-loose", _loose_references(100_000), long=True),
    GitBomb("refs-deep", _deep_references),
    GitBomb("refs-loops", _looped_references),
    GitBomb("refs-that-climb", _escaping_references),
    GitBomb("refs-of-one-megabyte", _write("refs/heads/main", b"a" * 1_000_000)),
    GitBomb("refs-with-nul", _write("refs/heads/main", b"ref: refs/heads/\0\n")),
    GitBomb("head-to-itself", _write("HEAD", "ref: HEAD\n")),
    GitBomb("head-with-nul", _write("HEAD", b"ref: refs/heads/\0x\n")),
    GitBomb(
        "head-to-pipe",
        _all(
            lambda repository, _: os.mkfifo(repository / "pipe"),
            _write("HEAD", "ref: refs/../../pipe\n"),
        ),
    ),
    GitBomb("head-long", _write("HEAD", "ref: refs/heads/" + "x" * 5000 + "\n")),
    GitBomb("head-of-zeros", _write("HEAD", "0" * 40 + "\n")),
    GitBomb("reftable-without-tables", _reftable()),
    GitBomb(
        "reftable-names-that-climb",
        _reftable(tables_list=b"../../../../etc/passwd\n/etc/passwd\n\0\n..\n.\n"),
    ),
    GitBomb(
        "reftable-100000-names", _reftable(tables_list=b"x.ref\n" * 100_000, x_ref=b"REFT\1" + bytes(200))
    ),
    GitBomb("reftable-noise", _reftable(tables_list=b"x.ref\n", x_ref=b"REFT\1" + b"\xff" * 9000)),
    GitBomb("reftable-empty-blocks", _reftable(tables_list=b"x.ref\n", x_ref=_table(b"r\0\0\0" * 50_000))),
    GitBomb(
        "reftable-endless-block",
        _reftable(tables_list=b"x.ref\n", x_ref=_table(b"r\xff\xff\xff" + b"\x80" * 9000)),
    ),
    GitBomb("reftable-log-bomb", _reftable(tables_list=b"x.ref\n", x_ref=_table(_log_block()))),
    GitBomb(
        "reftable-terabyte",
        _all(
            _reftable(tables_list=b"x.ref\n"),
            _sparse("reftable/x.ref", b"REFT\1\0\x10\0" + bytes(16) + b"r"),
        ),
    ),
    GitBomb("index-4-billion-entries", _write("index", _index(2, 0xFFFFFFFF, _entry(b"a")))),
    GitBomb(
        "index-4-billion-in-300-megabytes",
        _sparse("index", b"DIRC" + struct.pack(">II", 2, 0xFFFFFFFF), size=300 << 20),
    ),
    GitBomb(
        "index-4-billion-in-60-megabytes",
        _sparse("index", b"DIRC" + struct.pack(">II", 2, 0xFFFFFFFF), size=60 << 20),
    ),
    GitBomb(
        "index-version-4-prefix", _write("index", _index(4, 2, bytes(62) + b"\xff" * 12 + b"\0" + bytes(62)))
    ),
    GitBomb(
        "index-version-4-endless", _write("index", _index(4, 100_000, (bytes(60) + b"\0\x01\0a\0") * 100_000))
    ),
    GitBomb("index-version-9", _write("index", _index(9, 1, _entry(b"a")))),
    GitBomb("index-long-extension", _write("index", _index(2, 0, b"TREE\xff\xff\xff\xff" + bytes(100)))),
    GitBomb(
        "index-link-to-itself", _write("index", _index(2, 0, b"link" + struct.pack(">I", 20) + b"\xab" * 20))
    ),
    GitBomb(
        "index-required-extension", _write("index", _index(2, 0, b"zzzz" + struct.pack(">I", 4) + bytes(4)))
    ),
    GitBomb("index-flag-of-long-names", _write("index", _index(2, 1, _entry(b"a" * 5000, 0xFFF)))),
    GitBomb("index-entries-outside", _entries_outside),
    GitBomb("index-through-a-link", _index_through_link),
    GitBomb("index-of-pipes-and-monsters", _index_of_pipes),
    GitBomb("config-line-of-one-megabyte", _config("[a]\n\tb = " + "x" * 1_000_000)),
    GitBomb("config-line-of-200-kilobytes", _config("[a]\n\tb = " + "x" * 200_000)),
    GitBomb("config-quotes", _config("[a]\n\tb = " + '"\\"' * 60_000)),
    GitBomb("config-continued-lines", _config("[a]\n\tb = " + "x\\\n" * 60_000)),
    GitBomb("config-open-subsections", _config('[a "' + "\\a" * 100_000)),
    GitBomb("config-many-open-sections", _config('[a "\\' * 40_000)),
    GitBomb("config-many-sections", _config('[a "b"]\nc=d\n' * 18_000)),
    GitBomb("config-many-includes", _config("[include]\npath = /dev/zero\n" * 8000)),
    GitBomb(
        "config-many-remotes", _config("".join(f'[remote "r{n}"]\nurl=https://h/{n}\n' for n in range(6000)))
    ),
    GitBomb("config-with-nul", _config('[remote "origin"]\n\turl = "a\0b"\n[core]\n\tbare = \0\n')),
    GitBomb("config-bare-lie", _config("[core]\n\tbare = true\n")),
    GitBomb(
        "config-unknown-format",
        _config(
            "[core]\n\trepositoryformatversion = 999999999999999999999\n"
            "[extensions]\n\tobjectFormat = x\n\trefStorage = ../..\n"
        ),
    ),
    GitBomb("gitfile-to-its-folder", _gitfile(b"gitdir: .\n")),
    GitBomb("gitfile-to-itself", _gitfile(b"gitdir: .git\n")),
    GitBomb("gitfile-to-the-root", _gitfile(b"gitdir: /\n")),
    GitBomb("gitfile-to-a-device", _gitfile(b"gitdir: /dev/zero\n")),
    GitBomb("gitfile-empty", _gitfile(b"gitdir: \n")),
    GitBomb("gitfile-with-nul", _gitfile(b"gitdir: a\0b\n")),
    GitBomb("gitfile-with-escapes", _gitfile(b"gitdir: \x1b[2J\x1b]52;c;AA\x07\n")),
    GitBomb("gitfile-of-one-megabyte", _gitfile(b"gitdir: " + b"a/" * 500_000)),
    GitBomb("gitfile-with-newlines", _gitfile(b"gitdir: a\nb\nc\n")),
    GitBomb("gitfile-not-utf-8", _gitfile(b"gitdir: \xe9\xff\n")),
    GitBomb("common-dir-to-itself", _write("commondir", ".\n")),
    GitBomb("common-dir-to-its-folder", _write("commondir", "..\n")),
    GitBomb("common-dir-to-the-root", _write("commondir", "/\n")),
    GitBomb("common-dir-with-nul", _write("commondir", b"a\0b\n")),
    GitBomb("common-dir-of-one-megabyte", _write("commondir", b"../" * 300_000)),
    GitBomb("alternates-of-itself", _write("objects/info/alternates", ".\n../objects\n")),
    GitBomb(
        "alternates-many", _write("objects/info/alternates", "".join(f"/nowhere/{n}\n" for n in range(3000)))
    ),
    GitBomb("alternates-with-nul", _write("objects/info/alternates", b'a\0b\n"\\x\n')),
    GitBomb("shallow-80-megabytes", _sparse("shallow", size=80 << 20)),
    GitBomb("worktrees-1500", _many_worktrees),
    GitBomb("worktree-to-itself", _write("worktrees/x/gitdir", "../../../.git\n")),
    GitBomb("worktree-with-nul", _write("worktrees/x/gitdir", b"a\0b\n")),
    GitBomb("logs-2500", _many_logs),
    GitBomb("log-one-line-of-50-megabytes", _write("logs/HEAD", b"x" * 50_000_000)),
    GitBomb("log-of-60-megabytes", _write("logs/HEAD", _LOG * 400_000)),
    GitBomb(
        "log-of-false-dates",
        _write(
            "logs/HEAD",
            (
                "<head> <head> A <a> 99999999999999999999999 +0000\tcommit: x\n"
                "<head> <head> A <a> -5 +9\tcommit: y\n"
                "<head> <head> A <a> 5000000000 +0000\tcommit: z\n<head>\n\t\n <> \n"
            ),
        ),
    ),
    GitBomb("stash-of-nothing", _write("refs/stash", "a" * 40 + "\n")),
    GitBomb(
        "modules-many",
        _write("../.gitmodules", "".join(f'[submodule "s{n}"]\n\tpath = s{n}\n' for n in range(5000))),
    ),
    GitBomb(
        "modules-elsewhere",
        _write(
            "../.gitmodules",
            '[submodule "a"]\n\tpath = ../../..\n[submodule "b"]\n\tpath = "\\n\x1b[2J"\n'
            '[submodule "c"]\n\tpath =\n',
        ),
    ),
)
