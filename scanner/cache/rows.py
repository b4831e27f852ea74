"""Records as bytes and back: facts as JSON, which any Python reads safely; names and numbers beside it, raw.

Layout: the length of the JSON (8 bytes, little endian), the JSON, then all raw parts in the order in which
the rows of the JSON ask for them, each by its length. Numbers are machine words: such bytes are only read
where they were written.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterable, Mapping

from scanner.cache.evidence import Evidence
from scanner.cache.record import Located, Looked, Record, Roots, Saved, Told
from scanner.select import Place
from scanner.trace import Seen, Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = list[Any]

_LENGTH = 8


def packed(records: Mapping[str, Record]) -> bytes:
    """All records, in the order of their paths."""
    writer = _Writer()
    rows = [[path, *writer.record(records[path])] for path in sorted(records)]
    text = json.dumps(rows, separators=(",", ":")).encode("ascii")
    return b"".join((len(text).to_bytes(_LENGTH, "little"), text, *writer.parts))


def unpacked(data: bytes) -> dict[str, Record]:
    """The records in ``data``; any of the built-in errors for bytes that ``packed`` did not make."""
    start = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
    reader = _Reader(data, start)
    found = {row[0]: reader.record(row) for row in json.loads(data[_LENGTH:start])}
    if reader.at != len(data):
        raise ValueError("more or less than the rows ask for")
    return found


class _Writer:
    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def record(self, record: Record) -> Row:
        located, told, saved = record.located, record.told, record.saved
        return [
            record.key,
            [*self.place(located.place), *self.evidence(located.evidence), located.fingerprint]
            if located
            else None,
            self.told(told) if told else None,
            [saved.facts, saved.trees, *self.evidence(saved.evidence)] if saved else None,
        ]

    def place(self, place: Place) -> Row:
        folders = [place.work_tree, place.git_dir, place.common_dir]
        return [
            folders,
            [place.is_bare, place.is_linked_worktree, place.is_submodule],
            place.submodules,
        ]

    def told(self, told: Told) -> Row:
        looks = [self.look(look) for look in told.looks]
        return [told.facts, told.context, told.rests_on, told.given, looks, *self.evidence(told.evidence)]

    def evidence(self, evidence: Evidence) -> Row:
        own, followed = (
            self.part(os.fsencode("\0".join(names))) for names in (evidence.own, evidence.followed)
        )
        numbers = self.part(evidence.numbers)
        return [own, followed, numbers, evidence.resolved, evidence.roots, evidence.dates]

    def look(self, look: Looked) -> Row:
        seen = look.seen
        return [
            look.work_tree,
            self.part(look.names),
            self.part(look.folders),
            look.since,
            look.written_ns,
            *self.signed(seen.files),
            *self.signed(seen.listed),
            self.part(b"\0".join(seen.replaced)),
            self.part(b"\0".join(seen.closed)),
        ]

    def signed(self, seen: Mapping[bytes, Signature]) -> tuple[int, int]:
        numbers = array("q", [number for found in seen.values() for number in found])
        return self.part(b"\0".join(seen)), self.part(numbers.tobytes())

    def part(self, data: bytes) -> int:
        self.parts.append(data)
        return len(data)


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def record(self, row: Row) -> Record:
        _, key, located, told, saved = row
        return Record(
            key,
            self.located(*located) if located else None,
            self.told(*told) if told else None,
            self.saved(*saved) if saved else None,
        )

    def located(self, folders: Row, kind: Row, submodules: Row, *rest: Any) -> Located:
        *evidence, fingerprint = rest
        work_tree, git_dir, common_dir = folders
        bare, linked, submodule = kind
        place = Place((work_tree, git_dir, common_dir), (bare, linked, submodule), tuple(submodules))
        return Located(place, self.evidence(*evidence), fingerprint)

    def told(
        self, facts: object, context: Row, rests_on: Row, given: Row | None, looks: Row, *rest: Any
    ) -> Told:
        read = tuple([self.look(*look) for look in looks])
        roots: Roots | None = (tuple(given[0]), given[1]) if given else None
        return Told(facts, (tuple(context), tuple(rests_on), roots), self.evidence(*rest), read)

    def saved(self, facts: object, trees: Row, *rest: Any) -> Saved:
        return Saved(facts, self.evidence(*rest), tuple(trees))

    def evidence(self, own: int, followed: int, numbers: int, *rest: Any) -> Evidence:
        resolved, roots, (latest, following) = rest
        names = self.texts(own), self.texts(followed)
        pairs = tuple([(name, real) for name, real in resolved])
        return Evidence(names, self.part(numbers), pairs, roots, (latest, following))

    def look(
        self, work_tree: str, names: int, folders: int, since: float, written_ns: int, *rest: int
    ) -> Looked:
        asked = self.part(names), self.part(folders)
        files, listed = self.signed(*rest[:2]), self.signed(*rest[2:4])
        replaced, closed = (_apart(self.part(length)) for length in rest[4:])
        seen = Seen(files, listed, tuple(replaced), tuple(closed))
        return Looked(work_tree, asked, since, written_ns, seen)

    def signed(self, names: int, numbers: int) -> dict[bytes, Signature]:
        words = self.part(names), array("q", self.part(numbers))
        signatures: Iterable[Any] = zip(*[iter(words[1])] * 6, strict=True)
        return dict(zip(_apart(words[0]), signatures, strict=True))

    def texts(self, length: int) -> tuple[str, ...]:
        return tuple(os.fsdecode(self.part(length)).split("\0")) if length else ()

    def part(self, length: int) -> bytes:
        start, self.at = self.at, self.at + length
        return self.data[start : self.at]


def _apart(joined: bytes) -> list[bytes]:
    return joined.split(b"\0") if joined else []
