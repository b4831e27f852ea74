"""The file in which scans leave what they learned: ``$XDG_CACHE_HOME/zecher/scan-cache``.

Anybody may delete it. It is replaced as a whole and never locked: of two scans at once the last one wins,
and each record proves itself anew before it is believed. It is not made durable: a checksum tells.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from hashlib import blake2b

from jobs import __version__
from jobs.cache_file import write_cache
from scanner.cache.keeper import ScanCache
from scanner.cache.record import Record
from scanner.cache.rows import packed, unpacked
from scanner.mounts import read_mounts
from scanner.places import Places
from scanner.project import Problem, Scan
from scanner.reading import UnreadableError, read_file
from scanner.roots import is_below

CAP = 64 * 1024 * 1024
"""How large the file may become, in bytes."""

_NAME = b"zecher scan cache "
_MAGIC = _NAME + b"1\n"
_HEADER_CAP = 1024
_DIGEST = 16


class CacheFile:
    """The records of one file while a command runs.

    ``state`` tells what was found: ``read``, ``none``, ``damaged`` or ``other-version``; in the last two
    cases it is rebuilt. Nothing that goes wrong with a cache is an error.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.records, self.state = _read(path)
        self.kept = 0
        self.read = 0
        self._fresh: dict[str, Record] = {}
        self._searched: list[str] = []

    @property
    def story(self) -> str:
        """What the cache was good for, in a line."""
        rebuilt = {
            "damaged": ", rebuilt: it was damaged",
            "other-version": ", rebuilt: another version wrote it",
        }
        return f"cache: {self.kept} unchanged, {self.read} read{rebuilt.get(self.state, '')}"

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Says so where the file was no good."""
        if self.state != "damaged":
            return ()
        return (
            Problem(
                "cache-damaged",
                "warning",
                self.path,
                "the scan cache is damaged: everything was read afresh",
                "Nothing has to be done: it is written anew.",
            ),
        )

    def for_scan(self) -> ScanCache:
        """The cache for a scan that begins now."""
        return ScanCache(self.records, time.time())

    def take(self, cache: ScanCache, found: Scan) -> None:
        """Take what a scan learned; where it was cut short, the rest of what was known stands."""
        self._fresh.update(cache.fresh)
        self.kept += cache.kept
        self.read += cache.read
        if not found.coverage.deadline_hit:
            cut = found.coverage.over_budget
            self._searched += [root.path for root in found.roots if root.path not in cut]

    def save(self) -> bool:
        """Write the file if there is anything new to be written; whether it was."""
        known = {path: record for path, record in self.records.items() if not self._was_searched(path)}
        records = known | self._fresh
        same = len(records) == len(self.records) and all(
            self.records.get(path) is record for path, record in self._fresh.items()
        )
        if same:
            return False
        places = Places(read_mounts())
        known = {  # others are gone
            path: record for path, record in known.items() if places.may_hang(path) or os.path.isdir(path)
        }
        for kept in (known | self._fresh, self._fresh):
            pieces = packed(kept)
            if sum(map(len, pieces)) <= CAP:
                return write_cache(self.path, [_header(pieces), *pieces])
        return False

    def _was_searched(self, path: str) -> bool:
        return any(path == root or is_below(path, root) for root in self._searched)


def _read(path: str) -> tuple[Mapping[str, Record], str]:
    try:
        data = read_file(path, CAP + _HEADER_CAP)
    except UnreadableError as error:
        return {}, "none" if error.code == "missing" else "damaged"
    start = data.find(b"\n", len(_MAGIC)) + 1 + _DIGEST
    body = memoryview(data)[start:]
    if data[:start] != _header([body]):
        is_ours = data.startswith(_NAME) and not data.startswith(_MAGIC + _version())
        return {}, "other-version" if is_ours else "damaged"
    try:
        return unpacked(body), "read"
    except Exception:  # noqa: BLE001 - whatever the bytes hold, they are a cache
        return {}, "damaged"


def _version() -> bytes:
    return __version__.encode() + b"\n"


def _header(pieces: Iterable[bytes | memoryview]) -> bytes:
    digest = blake2b(digest_size=_DIGEST)
    for piece in pieces:
        digest.update(piece)
    return _MAGIC + _version() + digest.digest()
