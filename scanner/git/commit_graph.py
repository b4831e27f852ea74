"""Commit-graph files: parents, dates and generations of commits without opening the commits.

Format: gitformat-commit-graph, version 1; one file or a chain of layers. A generation is greater than that
of every ancestor: the corrected date where every layer carries one, else the topological level.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from hashlib import sha1, sha256
from itertools import pairwise

from scanner import trace
from scanner.git.pack_index import DamagedError, NameTable, number
from scanner.git.problems import ProblemLog
from scanner.git.view import FileView
from scanner.reading import UnreadableError, read_optional
from scanner.value import Value

# Files up to this size are held in memory, and then their checksum is looked at, too.
_WHOLE = 256 * 1024
_CHAIN_CAP = 16 * 1024
_LAYERS = 64
_PARENTS = 10_000

_NO_PARENT = 0x70000000
_TOP_BIT = 0x80000000
_PARENTS_AND_DATE = struct.Struct(">IIII")
_LAYER_NAME = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MALFORMED = (DamagedError, IndexError, ValueError, OverflowError)


class GraphCommit(Value):
    """What a commit-graph says of one commit. ``date`` is the committer's, in epoch seconds."""

    __slots__ = ("date", "generation", "parents")

    def __init__(self, date: int, generation: int, parents: tuple[str, ...]) -> None:
        self.date = date
        self.generation = generation
        self.parents = parents


class CommitGraph:
    """The layers of one commit-graph, lowest first. A position counts commits through all of them."""

    def __init__(self, layers: list[_Layer]) -> None:
        self._layers = layers
        self._newest_first = layers[::-1]
        self._total = layers[-1].base + layers[-1].count
        self._corrected = all(layer.has_corrected_dates for layer in layers)
        self._positions: dict[str, int] = {}

    def commit(self, oid: str) -> GraphCommit | None:
        """The commit ``oid``; ``None`` when it is in no layer. ``DamagedError`` when that cannot be read."""
        position = self._positions.get(oid)
        layer = self._layer(position) if position is not None else None
        if position is None or layer is None:
            raw = bytes.fromhex(oid)
            for layer in self._newest_first:
                row = layer.names.row(raw)
                if row is not None:
                    return self._read(layer, row)
            return None
        return self._read(layer, position - layer.base)

    def close(self) -> None:
        """Give every open file back."""
        for layer in self._layers:
            layer.close()

    def _read(self, layer: _Layer, row: int) -> GraphCommit | None:
        date, level, positions = layer.commit(row)
        if not level:
            return None  # written by a git that did not know generations
        generation = layer.corrected_date(row, date) if self._corrected else level
        return GraphCommit(date, generation, tuple(self._name(position) for position in positions))

    def _name(self, position: int) -> str:
        layer = self._layer(position)
        if layer is None:
            raise DamagedError("a parent that is not in the commit-graph")
        oid = layer.oid(position - layer.base)
        self._positions[oid] = position
        return oid

    def _layer(self, position: int) -> _Layer | None:
        if position >= self._total:
            return None
        for layer in self._newest_first:
            if position >= layer.base:
                return layer
        return None


class _Layer:
    """One file. ``base`` is the number of commits in all layers below it, ``count`` that of its own."""

    base: int
    count: int
    names: NameTable
    has_corrected_dates: bool

    def __init__(self, path: str, hash_size: int, below: list[_Layer], names_below: list[str]) -> None:
        self._view = view = FileView(path, whole_up_to=_WHOLE)
        self._hash_size = hash_size
        header = view.read(0, 8)
        if header[:4] != b"CGPH" or header[4] != 1 or header[5] != (1 if hash_size == 20 else 2):
            raise DamagedError("not a commit-graph of version 1 for these object names")
        if header[7] != len(below):
            raise DamagedError("a layer that stands on another number of layers")
        self._verify_checksum()
        chunks = self._chunks(header[6])
        fanout = self._chunk(chunks, b"OIDF", 1024)
        names_at = chunks.get(b"OIDL", (0, 0))[0]
        self.names = NameTable(view, view.read(fanout, 1024), names_at)
        self._names_at = names_at
        self.count = self.names.total
        self.base = below[-1].base + below[-1].count if below else 0
        self._chunk(chunks, b"OIDL", self.count * hash_size)
        self._data_at = self._chunk(chunks, b"CDAT", self.count * (hash_size + 16))
        self._edges = chunks.get(b"EDGE", (0, 0))
        self._large = chunks.get(b"GDO2", (0, 0))
        self.has_corrected_dates = b"GDA2" in chunks
        self._dates_at = self._chunk(chunks, b"GDA2", self.count * 4) if self.has_corrected_dates else 0
        if below:
            at = self._chunk(chunks, b"BASE", len(below) * hash_size)
            if view.read(at, len(below) * hash_size).hex() != "".join(names_below):
                raise DamagedError("a layer that stands on other layers")

    def close(self) -> None:
        self._view.close()

    def oid(self, row: int) -> str:
        raw = self._view.read(self._names_at + row * self._hash_size, self._hash_size)
        if len(raw) < self._hash_size:
            raise DamagedError("a table that is cut")
        return raw.hex()

    def commit(self, row: int) -> tuple[int, int, list[int]]:
        """Date, topological level and the positions of the parents."""
        size = self._hash_size
        data = self._view.read(self._data_at + row * (size + 16), size + 16)
        if len(data) < size + 16:
            raise DamagedError("a table that is cut")
        first, second, high, low = _PARENTS_AND_DATE.unpack_from(data, size)
        parents = [first] if first != _NO_PARENT else []
        if second & _TOP_BIT:
            parents += self._further_parents(second ^ _TOP_BIT)
        elif second != _NO_PARENT:
            parents.append(second)
        return (high & 3) << 32 | low, high >> 2, parents

    def corrected_date(self, row: int, date: int) -> int:
        """The date, moved past those of all ancestors."""
        offset = number(self._view.read(self._dates_at + row * 4, 4), 4)
        if not offset & _TOP_BIT:
            return date + offset
        start, end = self._large
        at = start + (offset ^ _TOP_BIT) * 8
        if at + 8 > end:
            raise DamagedError("a date that is not there")
        return date + number(self._view.read(at, 8), 8)

    def _further_parents(self, index: int) -> list[int]:
        start, end = self._edges
        found: list[int] = []
        for at in range(start + index * 4, min(end, start + (index + _PARENTS) * 4), 4):
            position = number(self._view.read(at, 4), 4)
            found.append(position & ~_TOP_BIT)
            if position & _TOP_BIT:
                return found
        raise DamagedError("a list of parents without an end")

    def _chunks(self, count: int) -> dict[bytes, tuple[int, int]]:
        table = self._view.read(8, (count + 1) * 12)
        if len(table) < (count + 1) * 12:
            raise DamagedError("a table of contents that is cut")
        rows = [(table[at : at + 4], number(table[at + 4 : at + 12], 8)) for at in range(0, len(table), 12)]
        chunks = {name: (start, end) for (name, start), (_, end) in pairwise(rows)}
        if any(not 8 <= start <= end <= self._view.size for start, end in chunks.values()):
            raise DamagedError("a table of contents that leads out of the file")
        return chunks

    def _chunk(self, chunks: dict[bytes, tuple[int, int]], name: bytes, size: int) -> int:
        start, end = chunks.get(name, (0, -1))
        if end - start != size:
            raise DamagedError(f"no {name.decode()} of the right size")
        return start

    def _verify_checksum(self) -> None:
        if self._view.size > _WHOLE:
            return
        data = self._view.read(0, self._view.size)
        written = data[-self._hash_size :]
        digest = sha1 if self._hash_size == 20 else sha256
        if written.strip(b"\0") and digest(data[: -self._hash_size]).digest() != written:
            raise DamagedError("the checksum is wrong")


def open_commit_graph(folders: Sequence[str], hash_size: int, problems: ProblemLog) -> CommitGraph | None:
    """The commit-graph of the first of the ``info`` ``folders`` of object folders that has one.

    ``hash_size`` is 20 or 32 bytes. One that is damaged is left out, with a problem.
    """
    for folder in folders:
        for path, names in ((folder + "/commit-graph", [""]), (folder + "/commit-graphs", None)):
            try:
                # To ask costs half of a failed attempt, and most repositories have none.
                listed = [] if not trace.lexists(path) else _chain(path) if names is None else names
                if listed:
                    return CommitGraph(_layers(path, listed, folders, hash_size))
            except FileNotFoundError:
                if names is None:
                    problems.add("git-commit-graph", path, "a layer of the chain is missing")
            except UnreadableError as error:
                problems.unreadable(error)
            except _MALFORMED as error:
                problems.add("git-commit-graph", path, str(error) or "does not follow the format")
    return None


def _chain(folder: str) -> list[str]:
    """The names of the layers, lowest first."""
    data = read_optional(folder + "/commit-graph-chain", _CHAIN_CAP)
    lines = data.split() if data else []
    if len(lines) > _LAYERS or not all(_LAYER_NAME.fullmatch(line) for line in lines):
        raise DamagedError("not a chain of layers")
    return [line.decode() for line in lines]


def _layers(path: str, names: list[str], folders: Sequence[str], hash_size: int) -> list[_Layer]:
    layers: list[_Layer] = []
    for number_below, name in enumerate(names):
        place = _layer_path(name, folders) if name else path
        layers.append(_Layer(place, hash_size, layers, names[:number_below]))
    return layers


def _layer_path(name: str, folders: Sequence[str]) -> str:
    """A clone that shares objects may build its layers on those of the other repository."""
    for folder in folders:
        path = f"{folder}/commit-graphs/graph-{name}.graph"
        if trace.lexists(path):
            return path
    raise FileNotFoundError(name)
