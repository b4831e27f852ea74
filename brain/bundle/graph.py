"""Goes from the hits along the links, in both directions, within what may be seen.

What lies outside of the scope or is muted is not only left out: no way leads through it either. A link weighs
less the more hops it takes, and less again where it stands in another section of the file than the hit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from brain.bundle.links import Link, links_in
from brain.bundle.names import Names, key, stem
from brain.search.analyser import terms
from brain.search.store import Store

DECAY = 0.5
"""What is left of a relevance after a hop."""
_ASIDE = 0.5
_NEXT = 0.95

_MOST_FROM = 40  # nodes that a hop starts from, the strongest
_MOST_REACHED = 60  # nodes that a hop leads to, the strongest
_MOST_OF_FILE = 12  # notes of a file that is linked to
_MOST_LINKING = 2000  # notes that are looked at for links back

Row = tuple[int, str, int, str, str, int]
"""A note: id, file, line, heading, text, position in its file."""
_Node = tuple[str, int]
"""A file and the position of a note in it, or all of it."""
_ALL = -1

_ROW = (
    "note.id, note.file, note.line, note.heading, text.raw, note.place FROM note"
    " JOIN text ON text.rowid = note.id"
)
_IN_FILE = "note.source = (SELECT id FROM source WHERE path = ?)"
_HAS_LINK = "(instr(text.raw, '[[') OR instr(text.raw, '](') OR instr(text.raw, ']:'))"


class Reached:
    """A neighbour: the note ``id``, after how many hops, and what is left of its seed's relevance."""

    __slots__ = ("file", "hop", "id", "line", "strength")

    def __init__(self, row: Row, hop: int, strength: float) -> None:
        self.id, self.file, self.line = row[:3]
        self.hop = hop
        self.strength = strength


class Graph:
    """The links of an index. ``files`` are those that may be seen, each with its root."""

    def __init__(self, store: Store, files: dict[str, str], is_muted: Callable[[str], bool]) -> None:
        self._execute = store.connection.execute
        self._full_text = store.engine == "fts5"
        self._files = files
        self._is_muted = is_muted
        self._names = Names(files, self._titles)
        self._rows: dict[str, list[Row]] = {}
        self._links: dict[int, tuple[Link, ...]] = {}
        self._headings: dict[str, dict[str, int]] = {}

    def neighbours(self, seeds: Sequence[tuple[int, str, float]], depth: int) -> list[Reached]:
        """What at most ``depth`` hops lead to from the ``seeds`` (note, file, relevance), without these."""
        seen = {note for note, _, _ in seeds}
        found: dict[int, Reached] = {}
        start = {(file, self._position(file, note)): strength for note, file, strength in reversed(seeds)}
        for hop in range(1, depth + 1):
            reached = self._hop(start)
            start = {}
            for node in reached:
                for place, row in enumerate(self._notes(*node)):
                    if row[0] not in seen and row[0] not in found:
                        found[row[0]] = Reached(row, hop, reached[node] * _NEXT**place)
                        start.setdefault(node, reached[node])
            if not start:
                break
        return list(found.values())

    def _hop(self, start: dict[_Node, float]) -> dict[_Node, float]:
        """What is one link away, the strongest first, each with the strongest way to it."""
        strongest = sorted(start, key=lambda node: (-start[node], node))[:_MOST_FROM]
        reached: dict[_Node, float] = {}
        for node in strongest:
            for target, weight in self._ahead(node):
                _raise(reached, target, start[node] * weight)
        for source, node, weight in self._behind(strongest):
            _raise(reached, source, start[node] * weight)
        kept: dict[_Node, float] = {}
        for node in sorted(reached, key=lambda node: (-reached[node], node)):
            if not self._is_muted(node[0]):
                kept[node] = reached[node]
                if len(kept) == _MOST_REACHED:
                    break
        return kept

    def _ahead(self, node: _Node) -> Iterator[tuple[_Node, float]]:
        """What the file of ``node`` links to."""
        file, position = node
        for row in self._of_file(file):
            weight = DECAY * (1.0 if position in (_ALL, row[5]) else _ASIDE)
            for link in self._links_of(row):
                target = self._names.meant(link, file)
                if target is not None and target != file:
                    yield (target, self._headed(target, link.heading)), weight

    def _behind(self, nodes: Sequence[_Node]) -> Iterator[tuple[_Node, _Node, float]]:
        """The notes that link to the files of ``nodes``, each with the node that it links to."""
        targets: dict[str, list[_Node]] = {}
        for node in nodes:
            targets.setdefault(node[0], []).append(node)
        for row in self._linking(list(targets)):
            for link in self._links_of(row):
                meant = self._names.meant(link, row[1])
                if meant is None or meant == row[1]:
                    continue
                for node in targets.get(meant, ()):
                    headed = self._headed(meant, link.heading)
                    aside = _ALL not in (headed, node[1]) and headed != node[1]
                    yield (row[1], row[5]), node, DECAY * (_ASIDE if aside else 1.0)

    def _notes(self, file: str, position: int) -> list[Row]:
        rows = self._of_file(file)
        return rows[:_MOST_OF_FILE] if position == _ALL else [row for row in rows if row[5] == position]

    def _position(self, file: str, note: int) -> int:
        return next((row[5] for row in self._of_file(file) if row[0] == note), _ALL)

    def _headed(self, file: str, heading: str) -> int:
        """The position of the note below ``heading``; all of the file where there is none, or none asked."""
        if not heading:
            return _ALL
        # Made once: a note may link to hundreds of headings of a file that has thousands.
        known = self._headings.get(file)
        if known is None:
            known = self._headings[file] = {}
            for row in self._of_file(file):
                known.setdefault(key(row[3].rpartition(" > ")[2]), row[5])
        return known.get(key(heading), _ALL)

    def _links_of(self, row: Row) -> tuple[Link, ...]:
        links = self._links.get(row[0])
        if links is None:
            links = self._links[row[0]] = links_in(row[4])
        return links

    # What the index is asked

    def _of_file(self, file: str) -> list[Row]:
        rows = self._rows.get(file)
        if rows is None:
            rows = self._rows[file] = self._execute(
                f"SELECT {_ROW} WHERE {_IN_FILE} ORDER BY note.place",
                (file,),
            ).fetchall()
        return rows

    def _linking(self, files: Sequence[str]) -> list[Row]:
        """The notes with a link in which the words of the name or title of one of ``files`` stand."""
        order = f"ORDER BY note.file, note.place LIMIT {_MOST_LINKING}"
        if self._full_text:
            asked = " OR ".join(dict.fromkeys(one for file in files for one in self._called(file)))
            if not asked:
                return []
            rows = self._execute(f"SELECT {_ROW} WHERE text MATCH ? AND {_HAS_LINK} {order}", (asked,))
        else:
            rows = self._execute(f"SELECT {_ROW} WHERE {_HAS_LINK} {order}")
        return [row for row in rows if row[1] in self._files]

    def _called(self, file: str) -> list[str]:
        """What a note holds that names ``file``, as questions to the full text: terms, never foreign text."""
        asked = []
        titles = [row[3].partition(" > ")[0] for row in self._of_file(file)[:1]]
        for name in (stem(file), *titles):
            ordered, more = terms(name)
            if ordered:
                asked.append("(" + " AND ".join(f'"{term}"' for term in dict.fromkeys(ordered)) + ")")
                joined = "".join(ordered)
                asked += [f'"{term}"' for term in more if term == joined]
        return asked

    def _titles(self) -> list[tuple[str, str]]:
        rows = self._execute("SELECT file, heading FROM note WHERE place = 0 AND heading <> '' ORDER BY file")
        return [(file, heading.partition(" > ")[0]) for file, heading in rows]


def _raise(reached: dict[_Node, float], node: _Node, strength: float) -> None:
    if strength > reached.get(node, 0.0):
        reached[node] = strength


def notes_at(store: Store, places: Sequence[tuple[str, int, str]]) -> list[int | None]:
    """The notes in those files, at those lines, with those texts."""
    asking = store.connection.execute
    found: list[int | None] = []
    for file, line, text in places:
        rows = asking(
            "SELECT note.id, text.raw FROM note JOIN text ON text.rowid = note.id"  # noqa: S608 - our own words
            f" WHERE {_IN_FILE} AND note.line = ? ORDER BY note.place",
            (file, line),
        ).fetchall()
        same = [note for note, raw in rows if raw == text]
        found.append(same[0] if same else None)
    return found
