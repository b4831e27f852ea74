"""A small writer of reftables after git's format document, independent of the reader under test."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Value = str | tuple[str, str] | None  # hex, 'ref: name'; (tag, peeled); None deletes


@dataclass(frozen=True)
class Log:
    ref: str
    index: int
    time: int | None = None  # None takes the record away
    message: str = ""


def varint(value: int) -> bytes:
    out = [value & 0x7F]
    value >>= 7
    while value:
        value -= 1
        out.append(0x80 | value & 0x7F)
        value >>= 7
    return bytes(reversed(out))


def shared_length(one: bytes, other: bytes) -> int:
    length = min(len(one), len(other))
    return next((at for at in range(length) if one[at] != other[at]), length)


class Block:
    """Collects records of one block; ``add`` refuses what would not fit any more."""

    def __init__(self, kind: bytes, room: int, header: int, restart_every: int) -> None:
        self.kind, self.room, self.header, self.every = kind, room, header, restart_every
        self.body = b""
        self.restarts: list[int] = []
        self.count = 0
        self.last = b""

    def add(self, key: bytes, extra: int, value: bytes) -> bool:
        restart = self.count % self.every == 0
        shared = 0 if restart else shared_length(self.last, key)
        record = varint(shared) + varint((len(key) - shared) << 3 | extra) + key[shared:] + value
        size = self.header + 4 + len(self.body) + len(record) + 3 * (len(self.restarts) + restart) + 2
        if self.count and size > self.room:
            return False
        if restart:
            self.restarts.append(self.header + 4 + len(self.body))
        self.body += record
        self.count += 1
        self.last = key
        return True

    def bytes(self) -> bytes:
        body = self.body + b"".join(at.to_bytes(3, "big") for at in self.restarts)
        body += struct.pack(">H", len(self.restarts))
        length = self.header + 4 + len(body)
        content = zlib.compress(body) if self.kind == b"g" else body
        return self.kind + length.to_bytes(3, "big") + content


class Writer:
    def __init__(
        self, *, block_size: int, restart_every: int, sha256: bool, low: int, high: int, aligned: bool
    ) -> None:
        self.size, self.every, self.sha256, self.aligned = block_size, restart_every, sha256, aligned
        stated = block_size if aligned else 0
        self.head = (
            b"REFT" + bytes([2 if sha256 else 1]) + stated.to_bytes(3, "big") + struct.pack(">QQ", low, high)
        )
        if sha256:
            self.head += b"s256"
        self.low = low
        self.out = self.head

    def section(self, kind: bytes, records: Sequence[tuple[bytes, int, bytes]]) -> tuple[int, int, list[int]]:
        """Write blocks of one kind and their index: where the first block, the index and all blocks lie."""
        if not records:
            return 0, 0, []
        first_table = len(self.out) == len(self.head)
        blocks: list[tuple[bytes, int]] = []
        rest = list(reversed(records))
        while rest:
            header = len(self.head) if first_table and not blocks else 0
            block = Block(kind, self.size, header, self.every)
            while rest and block.add(*rest[-1]):
                rest.pop()
            start = 0 if header else len(self.out)
            blocks.append((block.last, start))
            self.out += block.bytes()
            if kind != b"g" and self.aligned and (rest or kind != b"r"):
                self.out += bytes(-len(self.out) % self.size)
        start = blocks[0][1] or (len(self.head) if kind == b"g" else 0)
        positions = [place for _, place in blocks]
        return start, self.index(blocks), positions

    def index(self, blocks: list[tuple[bytes, int]]) -> int:
        """Index levels above ``blocks`` until one block is the root; its place, or 0 for few blocks."""
        if len(blocks) < (4 if self.aligned else 2):
            return 0
        while len(blocks) > 1:
            level: list[tuple[bytes, int]] = []
            rest = list(reversed(blocks))
            while rest:
                block = Block(b"i", self.size, 0, self.every)
                while rest and block.add(rest[-1][0], 0, varint(rest[-1][1])):
                    rest.pop()
                level.append((block.last, len(self.out)))
                self.out += block.bytes()
                if self.aligned:
                    self.out += bytes(-len(self.out) % self.size)
            blocks = level
        return blocks[0][1]

    def footer(self, ref_index: int, obj: int, obj_index: int, log: int, log_index: int) -> bytes:
        foot = self.head + struct.pack(
            ">5Q", ref_index, obj << 5 | 4 if obj else 0, obj_index, log, log_index
        )
        return self.out + foot + struct.pack(">I", zlib.crc32(foot))


def table(
    refs: Mapping[str, Value],
    logs: Sequence[Log] = (),
    *,
    block_size: int = 4096,
    restart_every: int = 16,
    sha256: bool = False,
    low: int = 1,
    high: int = 1,
    aligned: bool = True,
    objects: bool = True,
) -> bytes:
    """The bytes of one table."""
    writer = Writer(
        block_size=block_size, restart_every=restart_every, sha256=sha256, low=low, high=high, aligned=aligned
    )
    records = [(name.encode("utf-8", "surrogateescape"), *_reference(value)) for name, value in refs.items()]
    _, ref_index, blocks = writer.section(b"r", sorted(records))
    obj = obj_index = 0
    if objects and len(blocks) > 1:
        names = sorted({_hashes(value)[:4] for value in refs.values() if _hashes(value)})
        obj, obj_index, _ = writer.section(b"o", [(name, 1, varint(blocks[-1])) for name in names])
    zone = struct.pack(">h", 60)
    hashes = bytes(64 if sha256 else 40)
    log_records = []
    for log in logs:
        key = log.ref.encode() + b"\0" + struct.pack(">Q", 2**64 - 1 - log.index)
        if log.time is None:
            log_records.append((key, 0, b""))
            continue
        texts = [varint(len(text)) + text for text in (b"Ana", b"a@example.com")]
        message = log.message.encode() + b"\n"
        value = hashes + b"".join(texts) + varint(log.time) + zone + varint(len(message)) + message
        log_records.append((key, 1, value))
    log_at, log_index, _ = writer.section(b"g", sorted(log_records))
    return writer.footer(ref_index, obj, obj_index, log_at, log_index)


def _hashes(value: Value) -> bytes:
    """The raw object name that a value has, if it has one of its own."""
    return bytes.fromhex(value) if isinstance(value, str) and not value.startswith("ref: ") else b""


def _reference(value: Value) -> tuple[int, bytes]:
    if value is None:
        return 0, varint(0)
    if isinstance(value, tuple):
        return 2, varint(0) + bytes.fromhex(value[0]) + bytes.fromhex(value[1])
    if value.startswith("ref: "):
        target = value[5:].encode("utf-8", "surrogateescape")
        return 3, varint(0) + varint(len(target)) + target
    return 1, varint(0) + bytes.fromhex(value)


def repository(folder: Path, tables: Sequence[bytes], *, object_format: str = "sha1") -> Path:
    """A repository whose references are ``tables``, oldest first; it has no objects."""
    git_dir = folder / ".git"
    for name in ("objects", "refs", "reftable"):
        (git_dir / name).mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/.invalid\n")
    (git_dir / "refs" / "heads").write_text("this repository uses the reftable format\n")
    extensions = f"\trefStorage = reftable\n\tobjectFormat = {object_format}\n"
    (git_dir / "config").write_text(f"[core]\n\trepositoryformatversion = 1\n[extensions]\n{extensions}")
    stack(git_dir, tables)
    return folder


def stack(git_dir: Path, tables: Sequence[bytes]) -> None:
    """Put ``tables`` into the stack of a git directory."""
    (git_dir / "reftable").mkdir(exist_ok=True)
    names = [f"0x{number:012x}-0x{number:012x}-00000000.ref" for number in range(1, len(tables) + 1)]
    for name, data in zip(names, tables, strict=True):
        (git_dir / "reftable" / name).write_bytes(data)
    (git_dir / "reftable" / "tables.list").write_text("".join(name + "\n" for name in names))
