"""Records as bytes and back: a line of JSON for each, and beside it what is bytes already, raw.

JSON is read safely whatever it holds. Layout: how long all lines are together (8 bytes, little endian), the
lines, then the raw parts in the order in which the lines ask for them, each by its length. Numbers are
machine words: such bytes are only read where they were written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from scanner.cache.evidence import Evidence
from scanner.cache.record import Located, Looked, Record, Roots, Saved, Told
from scanner.select import Place
from scanner.trace import Seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = list[Any]

_LENGTH = 8


def packed(records: Mapping[str, Record]) -> list[bytes]:
    """All records in the order of their paths, in pieces that follow each other."""
    writer = _Writer()
    lines = [_line([path, *writer.record(records[path])]) for path in sorted(records)]
    return [sum(map(len, lines)).to_bytes(_LENGTH, "little"), *lines, *writer.parts]


def unpacked(data: memoryview) -> dict[str, Record]:
    """The records in ``data``; any of the built-in errors for bytes that ``packed`` did not make.

    The records keep ``data`` and share its bytes.
    """
    start = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
    reader = _Reader(data, start)
    rows = map(json.loads, bytes(data[_LENGTH:start]).splitlines())
    found = {row[0]: reader.record(*row[1:]) for row in rows}
    if reader.at != len(data):
        raise ValueError("more or less than the lines ask for")
    return found


def _line(row: Row) -> bytes:
    return json.dumps(row, separators=(",", ":")).encode("ascii") + b"\n"


class _Writer:
    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def record(self, record: Record) -> Row:
        located, told, saved = record.located, record.told, record.saved
        return [
            record.key,
            self.located(located) if located else None,
            self.told(told) if told else None,
            [self.part(saved.facts), saved.trees, *self.evidence(saved.evidence)] if saved else None,
        ]

    def located(self, located: Located) -> Row:
        place = located.place
        folders = [place.work_tree, place.git_dir, place.common_dir]
        kind = [place.is_bare, place.is_linked_worktree, place.is_submodule]
        return [folders, kind, place.submodules, located.fingerprint, *self.evidence(located.evidence)]

    def told(self, told: Told) -> Row:
        facts, evidence = self.part(told.facts), self.evidence(told.evidence)
        looks = [self.look(look) for look in told.looks]
        return [facts, told.context, told.rests_on, told.given, *evidence, looks]

    def evidence(self, evidence: Evidence) -> Row:
        raw = (evidence.own, evidence.followed, evidence.numbers)
        return [[*map(self.part, raw)], evidence.resolved, evidence.roots, evidence.dates]

    def look(self, look: Looked) -> Row:
        seen = look.seen
        raw = (look.names, look.folders, *seen.files, *seen.listed, seen.replaced, seen.closed)
        return [look.work_tree, look.since, look.written_ns, [*map(self.part, raw)]]

    def part(self, data: bytes) -> int:
        self.parts.append(data)
        return len(data)


class _Reader:
    def __init__(self, data: memoryview, at: int) -> None:
        self.data = data
        self.at = at

    def record(self, key: str, located: Row | None, told: Row | None, saved: Row | None) -> Record:
        return Record(
            key,
            self.located(*located) if located else None,
            self.told(*told) if told else None,
            self.saved(*saved) if saved else None,
        )

    def located(self, folders: Row, kind: Row, submodules: Row, fingerprint: str, *rest: Any) -> Located:
        work_tree, git_dir, common_dir = folders
        bare, linked, submodule = kind
        place = Place((work_tree, git_dir, common_dir), (bare, linked, submodule), tuple(submodules))
        return Located(place, self.evidence(*rest), fingerprint)

    def told(self, facts: int, context: Row, rests_on: Row, given: Row | None, *rest: Any) -> Told:
        *evidence, looks = rest
        roots: Roots | None = (tuple(given[0]), given[1]) if given else None
        ground = tuple(context), tuple(rests_on), roots
        return Told(
            self.part(facts), ground, self.evidence(*evidence), tuple([self.look(*look) for look in looks])
        )

    def saved(self, facts: int, trees: Row, *rest: Any) -> Saved:
        return Saved(self.part(facts), self.evidence(*rest), tuple(trees))

    def evidence(self, raw: Row, resolved: Row, roots: str, dates: Row) -> Evidence:
        own, followed, numbers = map(self.part, raw)
        pairs = tuple([(name, real) for name, real in resolved])
        return Evidence((own, followed), numbers, pairs, roots, (dates[0], dates[1]))

    def look(self, work_tree: str, since: float, written_ns: int, raw: Row) -> Looked:
        names, folders, *seen = map(self.part, raw)
        files, listed = (seen[0], seen[1]), (seen[2], seen[3])
        return Looked(work_tree, (names, folders), since, written_ns, Seen(files, listed, seen[4], seen[5]))

    def part(self, length: int) -> bytes:
        start, self.at = self.at, self.at + length
        # As good as bytes for whoever compares it; a copy is made where it is taken apart.
        return self.data[start : self.at]  # type: ignore[return-value] # see above
