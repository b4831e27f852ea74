"""Pack files: an object's place from an index, its first bytes from the pack.

Formats: gitformat-pack (pack, pack index versions 1 and 2, multi-pack index). Indexes are searched in place
by their fan-out table, never parsed whole. A delta is applied to as much of its base as was inflated, which
gives the beginning of the object: that is all a commit's header needs.
"""

from __future__ import annotations

import zlib

from scanner import trace
from scanner.git.delta import CUT, apply_delta
from scanner.git.folders import GitFolder
from scanner.git.pack_index import PACK_NAME, DamagedError, MultiPackIndex, PackIndex
from scanner.git.problems import ProblemLog
from scanner.git.view import FileView
from scanner.reading import UnreadableError

_CHAIN = 60
_CHUNK = 4096
_PACKS = 1_000
_OPEN_PACKS = 32
_PROBES = 50_000
# A commit's deltas take a few hundred bytes each; what goes far beyond was made to burn time.
_DELTA_BYTES = 128 * 1024
_WORK = 16 * 1024 * 1024
_TREE_WORK = 16
"""For larger objects, how many times as much."""

_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _NAMED_DELTA = 6, 7


_MALFORMED = (DamagedError, IndexError, ValueError, OverflowError, zlib.error)


class PackFolder:
    """The packs of one object folder, looked up through the multi-pack index first, then one by one."""

    def __init__(self, folder: str, problems: ProblemLog, common: GitFolder | None = None) -> None:
        """``common`` tells whether ``folder`` may be entered, where it is that of the repository itself."""
        self._folder = folder
        self._common = common
        self._problems = problems
        self._names: list[str] | None = None
        self._multi: MultiPackIndex | None = None
        self._open: dict[str, Pack | None] = {}
        self._probes = 0
        self._listed_twice = False

    def start_of(self, oid: str, cap: int = CUT) -> tuple[str, bytes] | None:
        """The type and the first bytes of a packed object; ``None`` when no readable pack has it."""
        if self._names is None:
            self._list()
        if not self._names:
            return None
        raw = bytes.fromhex(oid)
        try:
            found = self._in_multi_pack_index(raw, cap)
        except _MALFORMED as error:
            self._damaged(self._folder + "/multi-pack-index", error)
            found, self._multi = None, None
        return found or self._in_packs(raw, cap)

    def start_of_after_repack(self, oid: str, cap: int = CUT) -> tuple[str, bytes] | None:
        """Look once more, with a fresh list: a repack may have moved the object since the first one.

        Only the first miss pays for it; later ones are misses.
        """
        if self._listed_twice:
            return None
        self._listed_twice = True
        before, self._names = self._names, None
        self._list()
        return self.start_of(oid, cap) if self._names != before else None

    def names_starting(self, prefix: str, hash_size: int, most: int) -> list[str]:
        """The names of objects in these packs that begin with ``prefix``, at most ``most`` of each index."""
        if self._names is None:
            self._list()
        found: list[str] = []
        try:
            if self._multi is not None:
                found += self._multi.names_starting(prefix, hash_size, most)
        except _MALFORMED as error:
            self._damaged(self._folder + "/multi-pack-index", error)
            self._multi = None
        for name in self._names or ():
            pack = self._pack(name)
            try:
                found += pack.names_starting(prefix, hash_size, most) if pack is not None else ()
            except _MALFORMED as error:
                self._damaged(f"{self._folder}/{name}.idx", error)
        return found

    def close(self) -> None:
        """Give every open file back."""
        for pack in self._open.values():
            if pack is not None:
                pack.close()
        self._open.clear()
        if self._multi is not None:
            self._multi.close()

    def _list(self) -> None:
        found: list[str] = []
        if self._common is None or self._common.leads_to("objects/pack"):
            try:
                found = trace.listdir(self._folder)
            except OSError:
                found = []
        self._names = [
            name[:-4] for name in sorted(found) if name.endswith(".idx") and PACK_NAME.fullmatch(name)
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

    def _in_multi_pack_index(self, raw: bytes, cap: int) -> tuple[str, bytes] | None:
        place = self._multi.find(raw) if self._multi is not None else None
        if place is None:
            return None
        name, offset = place
        pack = self._pack(name)
        return self._read(pack, offset, cap) if pack is not None else None

    def _in_packs(self, raw: bytes, cap: int) -> tuple[str, bytes] | None:
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
            found = self._read(pack, offset, cap) if offset is not None else None
            if found is not None:
                return found
        return None

    def _read(self, pack: Pack, offset: int, cap: int) -> tuple[str, bytes] | None:
        if pack.work > max(_WORK, _TREE_WORK * cap):
            self._problems.add("git-budget", pack.path + ".pack", f"more than {_WORK} bytes of deltas")
            return None
        try:
            return pack.start_of(offset, cap)
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

    def names_starting(self, prefix: str, hash_size: int, most: int) -> list[str]:
        """The names of its objects that begin with ``prefix``."""
        return self._index.names_starting(prefix, hash_size, most) if self._index is not None else []

    def close(self) -> None:
        """Give both files back."""
        if self._index is not None:
            self._index.close()
        if self._view is not None:
            self._view.close()
            self._view = None

    def start_of(self, offset: int, cap: int = CUT) -> tuple[str, bytes]:
        """The type and the first bytes (``cap`` at most) of the object at ``offset``, deltas applied."""
        if self._view is None:
            self._view = FileView(self.path + ".pack")
        view = self._view
        hash_size = self._index.hash_size if self._index is not None else 20
        deltas: list[bytes] = []
        left = max(_DELTA_BYTES, cap)
        for _ in range(_CHAIN + 1):
            chunk = view.read(offset, _CHUNK)
            kind, size, at = _entry_header(chunk)
            if kind in _KINDS:
                content = _inflate(view, offset, chunk, at, min(size, cap))
                for delta in reversed(deltas):
                    content = apply_delta(content, delta, cap)
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
            deltas.append(_inflate(view, offset, chunk, at, min(size, cap)))
            left -= len(deltas[-1])
            self.work += len(deltas[-1]) + _CHUNK
            if left < 0:
                raise DamagedError("deltas too large for a commit")
            offset = base
        raise DamagedError(f"a chain of more than {_CHAIN} deltas")


def _inflate(view: FileView, offset: int, chunk: bytes, at: int, wanted: int) -> bytes:
    """The first bytes of the zlib stream that starts at ``at`` in ``chunk``, which was read at ``offset``."""
    stream = zlib.decompressobj()
    content = stream.decompress(chunk[at:], wanted) if wanted else b""
    # Empty deflate blocks inflate to nothing: their number has an end here.
    for position in range(offset + len(chunk), offset + 2 * max(wanted, CUT), _CHUNK):
        if len(content) >= wanted or stream.eof:
            break
        content += stream.decompress(view.read(position, _CHUNK), wanted - len(content))
    if len(content) < wanted:
        raise DamagedError("an object is shorter than its entry says")
    return content


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
