"""One reftable file: its references and its reflog records.

Format: the "reftable" technical document of git, versions 1 (SHA-1) and 2 (SHA-1 or SHA-256). Blocks are
found through the index where there is one, records through the restart table of their block.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator

from scanner.git.refs import is_valid_name
from scanner.git.view import FileView
from scanner.value import dataclass

_WHOLE_TABLE = 256 * 1024
_LOG_BLOCK_CAP = 1024 * 1024
_KEY_CAP = 4096
_INDEX_LEVELS = 8
_MESSAGE_CAP = 1024
_RECORDS = 200_000


class DamagedTableError(Exception):
    """Bytes that do not follow the format."""


MALFORMED = (DamagedTableError, IndexError, ValueError, OverflowError, zlib.error)


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One reflog record; ``time`` is ``None`` when it takes an older record of the same key away.

    ``email`` is the address of whoever did it.
    """

    ref: str
    update_index: int
    time: int | None
    message: str
    email: str = ""


class _Records:
    """Walks the records of one block: ``step`` reads a key, then the caller takes exactly its value."""

    __slots__ = ("_end", "at", "data", "key")

    def __init__(self, data: bytes, at: int) -> None:
        restarts = int.from_bytes(data[-2:], "big")
        self.data = data
        self.at = at
        self.key = b""
        self._end = len(data) - 2 - 3 * restarts
        if self._end < at:
            raise DamagedTableError("a restart table larger than its block")

    def step(self) -> int | None:
        """Read the next key; the three bits beside its length, or ``None`` at the end."""
        if self.at >= self._end:
            return None
        shared = self.number()
        tail = self.number()
        suffix = self.take(tail >> 3)
        if shared > len(self.key) or shared + len(suffix) > _KEY_CAP:
            raise DamagedTableError("a key that does not follow from the one before it")
        self.key = self.key[:shared] + suffix
        return tail & 7

    def number(self) -> int:
        """A number of variable length, as in the offsets of pack files."""
        byte = self.data[self.at]
        self.at += 1
        value = byte & 0x7F
        while byte & 0x80:
            byte = self.data[self.at]
            self.at += 1
            value = (value + 1) << 7 | byte & 0x7F
            if value >> 64:
                raise DamagedTableError("a number longer than 64 bits")
        return value

    def take(self, length: int) -> bytes:
        """The next ``length`` bytes."""
        taken = self.data[self.at : self.at + length]
        if len(taken) < length:
            raise DamagedTableError("a value that is cut")
        self.at += length
        return taken

    def seek(self, key: bytes) -> None:
        """Go to the last restart whose key is smaller than ``key``; restarts carry their whole key."""
        first = self.at
        low, high = 0, (len(self.data) - 2 - self._end) // 3
        start = first
        while low < high:
            middle = (low + high) // 2
            place = self._end + 3 * middle
            self.at = at = int.from_bytes(self.data[place : place + 3], "big")
            self.number()
            if self.take(self.number() >> 3) < key:
                low, start = middle + 1, at
            else:
                high = middle
        self.at = max(start, first)


class Budget:
    """How many records and blocks may still be looked at in one stack."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = _RECORDS

    def spend(self) -> None:
        """Count one; ``DamagedTableError`` when none is left."""
        self.left -= 1
        if self.left < 0:
            raise DamagedTableError(f"more than {_RECORDS} records to read")


class Table:
    """One table of a stack.

    ``FileNotFoundError``, ``UnreadableError`` or one of ``MALFORMED`` when it is missing or unfit.
    """

    def __init__(self, path: str, budget: Budget) -> None:
        self._budget = budget
        self._view = FileView(path, whole_up_to=_WHOLE_TABLE)
        header = self._view.read(0, 28)
        if len(header) < 24 or header[:4] != b"REFT" or header[4] not in (1, 2):
            raise DamagedTableError("not a reftable of version 1 or 2")
        self._header_size = 24 if header[4] == 1 else 28
        self._hash_size = 32 if header[4] == 2 and header[24:28] == b"s256" else 20
        self._block_size = int.from_bytes(header[5:8], "big")
        self._read_footer(header)

    def _read_footer(self, header: bytes) -> None:
        size = self._header_size + 44
        self._end = self._view.size - size
        footer = self._view.read(self._end, size)
        if len(footer) < size or self._end < self._header_size or footer[:24] != header[:24]:
            raise DamagedTableError("a table without its footer")
        if zlib.crc32(footer[:-4]) != int.from_bytes(footer[-4:], "big"):
            raise DamagedTableError("a footer whose checksum is wrong")
        at = self._header_size
        positions = [int.from_bytes(footer[at + 8 * row : at + 8 * row + 8], "big") for row in range(5)]
        self._ref_index, _, _, self._log, self._log_index = positions

    def close(self) -> None:
        """Give the file back."""
        self._view.close()

    def refs(self, prefix: bytes) -> Iterator[tuple[bytes, str | None]]:
        """References whose name starts with ``prefix``, sorted: a value as ``RefStore`` has it.

        ``None`` is a deletion, the empty text a value that is not valid.
        """
        position = self._find_block(prefix)
        while position is not None:
            block = self._block(position, b"r")
            if block is None:
                return
            records, position = block
            records.seek(prefix)
            while (kind := records.step()) is not None:
                value = self._ref_value(records, kind)
                if records.key.startswith(prefix):
                    yield records.key, value
                elif records.key > prefix:
                    return

    def logs(self) -> Iterator[LogRecord]:
        """Every reflog record, by reference, newest first."""
        is_log_only = self._view.read(self._header_size, 1) == b"g"
        position = 0 if is_log_only else self._log
        if not position and not is_log_only:
            return
        limit = self._log_index or self._end
        while position < limit:
            block = self._log_block(position)
            if block is None:
                return
            records, position = block
            while (kind := records.step()) is not None:
                yield self._log_record(records, kind)

    def _find_block(self, prefix: bytes) -> int | None:
        """Where the first block lies that can hold ``prefix``; ``None`` when all names are smaller."""
        position = self._ref_index
        for _ in range(_INDEX_LEVELS):
            block = self._block(position, b"i") if position else None
            if block is None:
                return position
            records, _ = block
            records.seek(prefix)
            found = None
            while found is None and records.step() is not None:
                self._budget.spend()
                place = records.number()
                found = place if records.key >= prefix else None
            if found is None:
                return None
            if not found:
                return 0
            position = found
        raise DamagedTableError("an index of too many levels")

    def _block(self, position: int, kind: bytes) -> tuple[_Records, int] | None:
        """The records of a block and where the next block starts; ``None`` if there is none of this kind."""
        skip = self._header_size if position == 0 else 0
        head = self._view.read(position + skip, 4) if position + skip < self._end else b""
        if head[:1] != kind:
            return None
        length = int.from_bytes(head[1:4], "big")
        data = self._view.read(position, length)
        if len(data) < length or length < skip + 6:
            raise DamagedTableError("a block that is cut")
        self._budget.spend()
        following = position + length
        # Padding up to the block size is optional; it is made of NUL bytes, a block starts with a letter.
        if length < self._block_size and self._view.read(following, 1) == b"\0":
            following = position + self._block_size
        return _Records(data, skip + 4), following

    def _log_block(self, position: int) -> tuple[_Records, int] | None:
        """As ``_block`` for a deflated log block, whose length is that of its inflated form."""
        skip = self._header_size if position == 0 else 0
        start = position + skip + 4
        head = self._view.read(start - 4, 4)
        if head[:1] != b"g":
            return None
        length = int.from_bytes(head[1:4], "big")
        if not skip + 6 <= length <= _LOG_BLOCK_CAP:
            raise DamagedTableError("a log block of a length that cannot be")
        packed = self._view.read(start, length + 1024)
        stream = zlib.decompressobj()
        # One byte more than announced: only a stream that came to its end tells where the next block starts.
        inflated = stream.decompress(packed, length - skip - 3)
        if len(inflated) != length - skip - 4 or not stream.eof:
            raise DamagedTableError("a log block that is cut")
        self._budget.spend()
        return _Records(bytes(skip + 4) + inflated, skip + 4), start + len(packed) - len(stream.unused_data)

    def _ref_value(self, records: _Records, kind: int) -> str | None:
        self._budget.spend()
        records.number()
        if kind == 0:
            return None
        if kind in (1, 2):
            return records.take(self._hash_size * kind)[: self._hash_size].hex()
        if kind != 3:
            raise DamagedTableError(f"unknown kind of reference {kind}")
        target = os.fsdecode(records.take(records.number()))
        return "ref: " + target if is_valid_name(target) else ""

    def _log_record(self, records: _Records, kind: int) -> LogRecord:
        self._budget.spend()
        if len(records.key) < 9 or records.key[-9]:
            raise DamagedTableError("a reflog record without its number")
        ref = os.fsdecode(records.key[:-9])
        update_index = 0xFFFFFFFFFFFFFFFF - int.from_bytes(records.key[-8:], "big")
        if kind == 0:
            return LogRecord(ref, update_index, None, "")
        if kind != 1:
            raise DamagedTableError(f"unknown kind of reflog record {kind}")
        records.take(2 * self._hash_size)
        records.take(records.number())  # name
        email = records.take(records.number()).decode("utf-8", "replace")
        time = records.number()
        records.take(2)  # zone
        message = records.take(records.number())[:_MESSAGE_CAP].decode("utf-8", "replace")
        return LogRecord(ref, update_index, time, message.rstrip("\n"), email)
