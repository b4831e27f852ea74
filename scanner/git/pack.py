"""Pack files: an object's place from an index, its first bytes from the pack.

Formats: gitformat-pack (pack, pack index versions 1 and 2, multi-pack index). Indexes are searched in place by
their fan-out table, never parsed whole. A delta is applied to as much of its base as was inflated, which
gives the beginning of the object: that is all a commit's header needs.
"""

from __future__ import annotations

import os
import re
import zlib
from struct import unpack_from

from scanner.git.problems import ProblemLog
from scanner.git.view import FileView
from scanner.reading import UnreadableError

_CHAIN = 60
_INFLATED = 64 * 1024
_CHUNK = 4096
_WHOLE_INDEX = 32 * 1024
_BUCKET = 64 * 1024
_PACKS = 1_000
_OPEN_PACKS = 32
_PROBES = 200_000
_PACK_NAMES_CAP = 1024 * 1024
# A commit's deltas take a few hundred bytes each; what goes far beyond was made to burn time.
_DELTA_BYTES = 128 * 1024
_WORK = 16 * 1024 * 1024

_PACK_NAME = re.compile(r"[A-Za-z0-9._-]{1,200}\.idx")
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _NAMED_DELTA = 6, 7


class DamagedError(Exception):
    """Bytes that do not follow the format; never leaves ``PackFolder``."""


_MALFORMED = (DamagedError, IndexError, ValueError, OverflowError, zlib.error)


class PackFolder:
    """The packs of one object folder, looked up through the multi-pack index first, then one by one."""

    def __init__(self, folder: str, problems: ProblemLog) -> None:
        self._folder = folder
        self._problems = problems
        self._names: list[str] | None = None
        self._multi: MultiPackIndex | None = None
        self._open: dict[str, Pack | None] = {}
        self._probes = 0
        self._listed_twice = False

    def start_of(self, oid: str) -> tuple[str, bytes] | None:
        """The type and the first bytes of a packed object; ``None`` when no readable pack has it."""
        if self._names is None:
            self._list()
        if not self._names:
            return None
        raw = bytes.fromhex(oid)
        try:
            found = self._in_multi_pack_index(raw)
        except _MALFORMED as error:
            self._damaged(self._folder + "/multi-pack-index", error)
            found, self._multi = None, None
        return found or self._in_packs(raw)

    def start_of_after_repack(self, oid: str) -> tuple[str, bytes] | None:
        """Look once more, with a fresh list: a repack may have moved the object since the first one.

        Only the first miss pays for it; later ones are misses.
        """
        if self._listed_twice:
            return None
        self._listed_twice = True
        before, self._names = self._names, None
        self._list()
        return self.start_of(oid) if self._names != before else None

    def close(self) -> None:
        """Give every open file back."""
        for pack in self._open.values():
            if pack is not None:
                pack.close()
        self._open.clear()
        if self._multi is not None:
            self._multi.close()

    def _list(self) -> None:
        try:
            found = os.listdir(self._folder)
        except OSError:
            found = []
        self._names = [
            name[:-4] for name in sorted(found) if name.endswith(".idx") and _PACK_NAME.fullmatch(name)
        ]
        if len(self._names) > _PACKS:
            self._problems.add("git-budget", self._folder, f"only the first {_PACKS} packs are read")
            del self._names[_PACKS:]
        if "multi-pack-index" not in found:
            return
        try:
            self._multi = MultiPackIndex(self._folder + "/multi-pack-index")
            self._names = self._names or list(self._multi.names)
        except FileNotFoundError:
            return
        except UnreadableError as error:
            self._problems.unreadable(error)
        except _MALFORMED as error:
            self._damaged(self._folder + "/multi-pack-index", error)

    def _in_multi_pack_index(self, raw: bytes) -> tuple[str, bytes] | None:
        place = self._multi.find(raw) if self._multi is not None else None
        if place is None:
            return None
        name, offset = place
        pack = self._pack(name)
        return self._read(pack, offset) if pack is not None else None

    def _in_packs(self, raw: bytes) -> tuple[str, bytes] | None:
        for name in self._names or ():
            self._probes += 1
            if self._probes > _PROBES:
                self._problems.add("git-budget", self._folder, f"more than {_PROBES} searches in packs")
                return None
            pack = self._pack(name)
            if pack is None:
                continue
            try:
                offset = pack.find(raw)
            except _MALFORMED as error:
                self._damaged(f"{self._folder}/{name}.idx", error)
                continue
            found = self._read(pack, offset) if offset is not None else None
            if found is not None:
                return found
        return None

    def _read(self, pack: Pack, offset: int) -> tuple[str, bytes] | None:
        if pack.work > _WORK:
            self._problems.add("git-budget", pack.path + ".pack", f"more than {_WORK} bytes of deltas")
            return None
        try:
            return pack.start_of(offset)
        except FileNotFoundError:
            return None
        except UnreadableError as error:
            self._problems.unreadable(error)
        except _MALFORMED as error:
            self._damaged(pack.path + ".pack", error)
        return None

    def _pack(self, name: str) -> Pack | None:
        if name in self._open:
            return self._open[name]
        if len(self._open) >= _OPEN_PACKS:
            for pack in self._open.values():
                if pack is not None:
                    pack.close()
            self._open.clear()
        self._open[name] = opened = self._opened(name)
        return opened

    def _opened(self, name: str) -> Pack | None:
        try:
            return Pack(f"{self._folder}/{name}")
        except FileNotFoundError:
            # With a multi-pack index, a pack may stand without its own index.
            return Pack(f"{self._folder}/{name}", indexed=False) if self._multi is not None else None
        except UnreadableError as error:
            self._problems.unreadable(error)
        except _MALFORMED as error:
            self._damaged(f"{self._folder}/{name}.idx", error)
        return None

    def _damaged(self, path: str, error: Exception) -> None:
        self._problems.add("git-pack-damaged", path, str(error) or "does not follow the format")


class Pack:
    """One pack with its index. ``path`` is the common part of both names; ``work`` counts bytes of deltas."""

    def __init__(self, path: str, *, indexed: bool = True) -> None:
        self.path = path
        self._index = PackIndex(path + ".idx") if indexed else None
        self._view: FileView | None = None
        self.work = 0

    def find(self, raw: bytes) -> int | None:
        """The offset of the object with the raw name ``raw``."""
        return self._index.find(raw) if self._index is not None else None

    def close(self) -> None:
        """Give both files back."""
        if self._index is not None:
            self._index.close()
        if self._view is not None:
            self._view.close()
            self._view = None

    def start_of(self, offset: int) -> tuple[str, bytes]:
        """The type and the first bytes of the object at ``offset``, deltas applied."""
        if self._view is None:
            self._view = FileView(self.path + ".pack")
        view = self._view
        hash_size = self._index.hash_size if self._index is not None else 20
        deltas: list[bytes] = []
        left = _DELTA_BYTES
        for _ in range(_CHAIN + 1):
            chunk = view.read(offset, _CHUNK)
            kind, size, at = _entry_header(chunk)
            if kind in _KINDS:
                content = _inflate(view, offset, chunk, at, size)
                for delta in reversed(deltas):
                    content = apply_delta(content, delta)
                return _KINDS[kind], content
            if kind == _OFFSET_DELTA:
                back, at = _base_distance(chunk, at)
                base: int | None = offset - back
            elif kind == _NAMED_DELTA:
                base = self.find(chunk[at : at + hash_size])
                at += hash_size
            else:
                raise DamagedError(f"unknown entry type {kind}")
            if base is None or base < 0 or base == offset:
                raise DamagedError("a delta whose base is not in the pack")
            deltas.append(_inflate(view, offset, chunk, at, size))
            left -= len(deltas[-1])
            self.work += len(deltas[-1]) + _CHUNK
            if left < 0:
                raise DamagedError("deltas too large for a commit")
            offset = base
        raise DamagedError(f"a chain of more than {_CHAIN} deltas")


class PackIndex:
    """One ``.idx`` file, version 1 or 2, for SHA-1 or SHA-256: which one is known from the names asked for."""

    __slots__ = ("_fanout", "_fanout_at", "_total", "_version", "_view", "hash_size")

    def __init__(self, path: str) -> None:
        self._view = FileView(path, whole_up_to=_WHOLE_INDEX)
        start = self._view.read(0, 1032)
        if len(start) < 1024:
            raise DamagedError("an index shorter than its fan-out table")
        self._version = 1
        if start[:4] == b"\377tOc":
            self._version = int.from_bytes(start[4:8], "big")
        if self._version not in (1, 2) or (self._version == 2 and len(start) < 1032):
            raise DamagedError(f"index version {self._version}")
        self._fanout_at = 8 if self._version == 2 else 0
        self._fanout = start[self._fanout_at : self._fanout_at + 1024]
        self._total = int.from_bytes(self._fanout[-4:], "big")
        self.hash_size = 20

    def find(self, raw: bytes) -> int | None:
        """The offset in the pack of the object with the raw name ``raw``, or ``None``."""
        self.hash_size = len(raw)
        low, high = fanout_range(self._fanout, raw[0], self._total)
        names_at = self._fanout_at + 1024
        if self._version == 1:
            width = len(raw) + 4
            row = find_row(self._view, names_at, width, 4, raw, low, high)
            return None if row is None else unpack_from(">I", self._view.read(names_at + row * width, 4))[0]
        row = find_row(self._view, names_at, len(raw), 0, raw, low, high)
        if row is None:
            return None
        offsets_at = names_at + self._total * (len(raw) + 4)
        return self._offset(offsets_at, row)

    def _offset(self, offsets_at: int, row: int) -> int:
        offset = _number(self._view.read(offsets_at + row * 4, 4), 4)
        if offset < 0x80000000:
            return offset
        large_at = offsets_at + self._total * 4
        return _number(self._view.read(large_at + (offset - 0x80000000) * 8, 8), 8)

    def close(self) -> None:
        """Give the file back."""
        self._view.close()


class MultiPackIndex:
    """``objects/pack/multi-pack-index``: one search for many packs. ``names`` are packs without extension."""

    __slots__ = ("_chunks", "_fanout", "_total", "_view", "names")

    def __init__(self, path: str) -> None:
        self._view = FileView(path, whole_up_to=_WHOLE_INDEX)
        header = self._view.read(0, 12)
        if len(header) < 12 or header[:4] != b"MIDX" or header[4] != 1:
            raise DamagedError("not a multi-pack index of version 1")
        table = self._view.read(12, (header[6] + 1) * 12)
        rows = [(table[at : at + 4], _number(table[at + 4 : at + 12], 8)) for at in range(0, len(table), 12)]
        self._chunks = {name: (start, end) for (name, start), (_, end) in zip(rows, rows[1:], strict=False)}
        if not {b"PNAM", b"OIDF", b"OIDL", b"OOFF"} <= self._chunks.keys():
            raise DamagedError("a multi-pack index without its tables")
        start, end = self._chunks[b"PNAM"]
        listed = self._view.read(start, min(end - start, _PACK_NAMES_CAP)).split(b"\0")
        self.names = [name.decode("ascii", "replace").rpartition(".")[0] for name in listed if name]
        if not all(_PACK_NAME.fullmatch(name + ".idx") for name in self.names):
            raise DamagedError("a pack name that is no file name")
        self._fanout = self._view.read(self._chunks[b"OIDF"][0], 1024)
        if len(self._fanout) < 1024:
            raise DamagedError("a fan-out table that is cut")
        self._total = int.from_bytes(self._fanout[-4:], "big")

    def find(self, raw: bytes) -> tuple[str, int] | None:
        """The pack's name and the offset in it of the object with the raw name ``raw``, or ``None``."""
        low, high = fanout_range(self._fanout, raw[0], self._total)
        row = find_row(self._view, self._chunks[b"OIDL"][0], len(raw), 0, raw, low, high)
        if row is None:
            return None
        place = self._view.read(self._chunks[b"OOFF"][0] + row * 8, 8)
        pack, offset = _number(place[:4], 4), _number(place[4:], 4)
        # Without a table of large offsets all 32 bits are the offset.
        if offset >= 0x80000000 and b"LOFF" in self._chunks:
            large_at = self._chunks[b"LOFF"][0]
            offset = _number(self._view.read(large_at + (offset - 0x80000000) * 8, 8), 8)
        return self.names[pack], offset

    def close(self) -> None:
        """Give the file back."""
        self._view.close()


def _inflate(view: FileView, offset: int, chunk: bytes, at: int, size: int) -> bytes:
    """Up to 64 KiB of the zlib stream that starts ``at`` bytes into ``chunk``, which was read at ``offset``."""
    wanted = min(size, _INFLATED)
    stream = zlib.decompressobj()
    content = stream.decompress(chunk[at:], wanted) if wanted else b""
    # Empty deflate blocks inflate to nothing: their number has an end here.
    for position in range(offset + len(chunk), offset + 2 * _INFLATED, _CHUNK):
        if len(content) >= wanted or stream.eof:
            break
        content += stream.decompress(view.read(position, _CHUNK), wanted - len(content))
    if len(content) < wanted:
        raise DamagedError("an object is shorter than its entry says")
    return content


def fanout_range(fanout: bytes, first: int, total: int) -> tuple[int, int]:
    """The rows of all names that start with the byte ``first``."""
    low = int.from_bytes(fanout[first * 4 - 4 : first * 4], "big") if first else 0
    high = int.from_bytes(fanout[first * 4 : first * 4 + 4], "big")
    if not low <= high <= total:
        raise DamagedError("a fan-out table that is not sorted")
    return low, high


def find_row(
    view: FileView, table: int, width: int, skip: int, raw: bytes, low: int, high: int
) -> int | None:
    """The row in ``low..high`` of a sorted table at ``table`` whose bytes from ``skip`` on equal ``raw``."""
    while (high - low) * width > _BUCKET:
        middle = (low + high) // 2
        name = view.read(table + middle * width + skip, len(raw))
        if len(name) < len(raw):
            raise DamagedError("a table that is cut")
        low, high = (middle, high) if name <= raw else (low, middle)
    rows = view.read(table + low * width, (high - low) * width)
    at = rows.find(raw, skip)
    while at >= 0 and (at - skip) % width:
        at = rows.find(raw, at + 1)
    return low + (at - skip) // width if at >= 0 else None


def apply_delta(base: bytes, delta: bytes) -> bytes:
    """The first bytes (64 KiB at most) of what ``delta`` makes of ``base``.

    Both may be cut: the result ends where the first missing byte would be needed.
    """
    _, at = _size(delta, 0)
    size, at = _size(delta, at)
    wanted = min(size, _INFLATED)
    made: list[bytes] = []
    length = 0
    while length < wanted and at < len(delta):
        command = delta[at]
        at += 1
        if command & 0x80:
            start, count, at = _copy(command, delta, at)
            piece = base[start : start + count]
        else:
            count = command
            piece = delta[at : at + count]
            at += count
        made.append(piece)
        length += len(piece)
        if len(piece) < count or not count:
            break
    return b"".join(made)[:wanted]


def _copy(command: int, delta: bytes, at: int) -> tuple[int, int, int]:
    """Offset and count of a copy command, and where the next command starts."""
    start = count = 0
    for bit in range(4):
        if command & (1 << bit):
            start |= delta[at] << (8 * bit)
            at += 1
    for bit in range(3):
        if command & (0x10 << bit):
            count |= delta[at] << (8 * bit)
            at += 1
    return start, count or 0x10000, at


def _size(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at
        if shift > 63:
            raise DamagedError("a number longer than 64 bits")


def _entry_header(chunk: bytes) -> tuple[int, int, int]:
    """Type and inflated size of a pack entry, and where its content starts."""
    byte = chunk[0]
    kind = byte >> 4 & 7
    size = byte & 15
    at, shift = 1, 4
    while byte & 0x80:
        byte = chunk[at]
        at += 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if shift > 70:
            raise DamagedError("a size longer than 64 bits")
    return kind, size, at


def _base_distance(chunk: bytes, at: int) -> tuple[int, int]:
    """How far before this entry its base starts, and where the content starts."""
    byte = chunk[at]
    at += 1
    back = byte & 0x7F
    while byte & 0x80:
        byte = chunk[at]
        at += 1
        back = (back + 1) << 7 | byte & 0x7F
        if at > 32:
            raise DamagedError("a distance longer than 64 bits")
    return back, at


def _number(data: bytes, length: int) -> int:
    if len(data) < length:
        raise DamagedError("a table that is cut")
    return int.from_bytes(data, "big")
