"""Pack indexes: the place of an object by its name, found without reading the whole index.

Formats: gitformat-pack, "pack-*.idx files have the following format" and "multi-pack-index (MIDX) files".
"""

from __future__ import annotations

import re
from itertools import pairwise

from scanner.git.view import FileView

_WHOLE_INDEX = 32 * 1024
_BUCKET = 64 * 1024
_PACK_NAMES_CAP = 1024 * 1024
_LARGE = 0x80000000

PACK_NAME = re.compile(r"[A-Za-z0-9._-]{1,200}\.idx")


class DamagedError(Exception):
    """Bytes that do not follow the format; never leaves ``PackFolder``."""


class NameTable:
    """A sorted table of raw object names with its fan-out table; ``beside`` bytes stand before each name."""

    __slots__ = ("_at", "_beside", "_fanout", "_view", "total")

    def __init__(self, view: FileView, fanout: bytes, at: int, beside: int = 0) -> None:
        if len(fanout) < 1024:
            raise DamagedError("a fan-out table that is cut")
        self._view = view
        self._fanout = fanout
        self._at = at
        self._beside = beside
        self.total = int.from_bytes(fanout[1020:], "big")

    def row(self, raw: bytes) -> int | None:
        """The row of the name ``raw``, or ``None``."""
        low, high = self._bucket(raw[0])
        width = len(raw) + self._beside
        while (high - low) * width > _BUCKET:
            middle = (low + high) // 2
            name = self._view.read(self._at + middle * width + self._beside, len(raw))
            if len(name) < len(raw):
                raise DamagedError("a table that is cut")
            low, high = (middle, high) if name <= raw else (low, middle)
        rows = self._view.read(self._at + low * width, (high - low) * width)
        place = rows.find(raw)
        while place >= 0 and (place - self._beside) % width:
            place = rows.find(raw, place + 1)
        return low + (place - self._beside) // width if place >= 0 else None

    def starting(self, prefix: str, hash_size: int, most: int) -> list[str]:
        """The first ``most`` names that begin with the hexadecimal digits ``prefix``, two or more."""
        low, high = self._bucket(int(prefix[:2], 16))
        end = high
        while low < high:
            middle = (low + high) // 2
            if self._name(middle, hash_size) < prefix:
                low = middle + 1
            else:
                high = middle
        found: list[str] = []
        while low < end and len(found) < most and (name := self._name(low, hash_size)).startswith(prefix):
            found.append(name)
            low += 1
        return found

    def _bucket(self, first_byte: int) -> tuple[int, int]:
        """The rows of the names that begin with a byte: the first, and the one behind the last."""
        first = first_byte * 4
        low = int.from_bytes(self._fanout[first - 4 : first], "big") if first else 0
        high = int.from_bytes(self._fanout[first : first + 4], "big")
        if not low <= high <= self.total:
            raise DamagedError("a fan-out table that is not sorted")
        return low, high

    def _name(self, row: int, hash_size: int) -> str:
        name = self._view.read(self._at + row * (hash_size + self._beside) + self._beside, hash_size)
        if len(name) < hash_size:
            raise DamagedError("a table that is cut")
        return name.hex()


class PackIndex:
    """One ``.idx`` file, version 1 or 2, for SHA-1 or SHA-256, as the names asked for tell."""

    __slots__ = ("_names", "_names_at", "_version", "_view", "hash_size")

    def __init__(self, path: str) -> None:
        self._view = FileView(path, whole_up_to=_WHOLE_INDEX)
        start = self._view.read(0, 1032)
        self._version = number(start[4:], 4) if start[:4] == b"\377tOc" else 1
        if self._version not in (1, 2):
            raise DamagedError(f"index version {self._version}")
        fanout_at = 8 if self._version == 2 else 0
        self._names_at = fanout_at + 1024
        beside = 0 if self._version == 2 else 4
        self._names = NameTable(self._view, start[fanout_at : self._names_at], self._names_at, beside)
        self.hash_size = 20

    def find(self, raw: bytes) -> int | None:
        """The offset in the pack of the object with the raw name ``raw``, or ``None``."""
        self.hash_size = len(raw)
        row = self._names.row(raw)
        if row is None:
            return None
        if self._version == 1:
            return number(self._view.read(self._names_at + row * (len(raw) + 4), 4), 4)
        total = self._names.total
        offsets_at = self._names_at + total * (len(raw) + 4)
        offset = number(self._view.read(offsets_at + row * 4, 4), 4)
        if offset < _LARGE:
            return offset
        return number(self._view.read(offsets_at + total * 4 + (offset - _LARGE) * 8, 8), 8)

    def names_starting(self, prefix: str, hash_size: int, most: int) -> list[str]:
        """At most ``most`` names of objects that begin with ``prefix``; each has ``hash_size`` bytes."""
        return self._names.starting(prefix, hash_size, most)

    def close(self) -> None:
        """Give the file back."""
        self._view.close()


class MultiPackIndex:
    """``objects/pack/multi-pack-index``: one search for many packs. ``names`` are packs without extension."""

    __slots__ = ("_chunks", "_names", "_view", "names")

    def __init__(self, path: str) -> None:
        self._view = FileView(path, whole_up_to=_WHOLE_INDEX)
        header = self._view.read(0, 12)
        if len(header) < 12 or header[:4] != b"MIDX" or header[4] != 1:
            raise DamagedError("not a multi-pack index of version 1")
        table = self._view.read(12, (header[6] + 1) * 12)
        rows = [(table[at : at + 4], number(table[at + 4 : at + 12], 8)) for at in range(0, len(table), 12)]
        self._chunks = {name: (start, end) for (name, start), (_, end) in pairwise(rows)}
        if not {b"PNAM", b"OIDF", b"OIDL", b"OOFF"} <= self._chunks.keys():
            raise DamagedError("a multi-pack index without its tables")
        start, end = self._chunks[b"PNAM"]
        listed = self._view.read(start, min(end - start, _PACK_NAMES_CAP)).split(b"\0")
        self.names = [name.decode("ascii", "replace").rpartition(".")[0] for name in listed if name]
        if not all(PACK_NAME.fullmatch(name + ".idx") for name in self.names):
            raise DamagedError("a pack name that is no file name")
        fanout = self._view.read(self._chunks[b"OIDF"][0], 1024)
        self._names = NameTable(self._view, fanout, self._chunks[b"OIDL"][0])

    def find(self, raw: bytes) -> tuple[str, int] | None:
        """The pack's name and the offset in it of the object with the raw name ``raw``, or ``None``."""
        row = self._names.row(raw)
        if row is None:
            return None
        place = self._view.read(self._chunks[b"OOFF"][0] + row * 8, 8)
        pack, offset = number(place, 4), number(place[4:], 4)
        # Without a table of large offsets all 32 bits are the offset.
        if offset >= _LARGE and b"LOFF" in self._chunks:
            large_at = self._chunks[b"LOFF"][0]
            offset = number(self._view.read(large_at + (offset - _LARGE) * 8, 8), 8)
        return self.names[pack], offset

    def names_starting(self, prefix: str, hash_size: int, most: int) -> list[str]:
        """As that of a pack's index."""
        return self._names.starting(prefix, hash_size, most)

    def close(self) -> None:
        """Give the file back."""
        self._view.close()


def number(data: bytes, length: int) -> int:
    """The first ``length`` bytes as a number in network order; ``DamagedError`` when there are fewer."""
    if len(data) < length:
        raise DamagedError("a table that is cut")
    return int.from_bytes(data[:length], "big")
