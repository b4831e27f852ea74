"""What is worked out once and holds for every sweep: what a note gives, and which wordings are near another.

Both depend on texts alone, never on the day or on what else there is, so that they can be kept between sweeps
of one process, and what notes give between processes too (``rows``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from brain.dreaming.cues import Cues, standard_cues
from brain.dreaming.extract import Extraction, extract, extraction_of
from brain.dreaming.values import Note
from brain.dreaming.wording import NEAR, Wording, contrast, is_known, is_same, wording


class Kept:
    """Keeps what sweeps with the same cues have in common; an empty one gives the same answers, later."""

    def __init__(self, cues: Cues | None = None, rows: Mapping[str, object] | None = None) -> None:
        self.cues = cues or standard_cues()
        self._rows = dict(rows or {})
        self._extractions: dict[str, Extraction] = {}
        self._wordings: dict[str, Wording] = {}
        self._with_stem: dict[str, list[str]] = {}
        self._same: dict[str, set[str]] = {}
        self._alike: dict[str, set[str]] = {}
        self._contrasts: dict[tuple[str, str], tuple[tuple[str, ...], bool]] = {}

    def of_note(self, note: Note) -> Extraction:
        """The candidates of a note; its bytes are read once."""
        found = self._extractions.get(note.digest)
        if found is None:
            found = extraction_of(self._rows.get(note.digest)) or extract(note.data, self.cues)
            self._extractions[note.digest] = found
            for line in found.lines:
                self._meet(line.id, line.text)
        return found

    def rows(self, digests: Iterable[str] | None = None) -> dict[str, object]:
        """What is to be kept of the notes of these digests, all by default, as JSON can say it."""
        wanted = self._extractions if digests is None else digests
        return {one: self._extractions[one].row() for one in sorted(wanted) if one in self._extractions}

    def wording(self, id_: str) -> Wording:
        """The wording of a text that some note gave."""
        return self._wordings[id_]

    def same(self, id_: str) -> set[str]:
        """The ids of other wordings that say the same."""
        return self._same.get(id_, _NONE)

    def alike(self, id_: str) -> set[str]:
        """The ids of wordings after which this one is known."""
        return self._alike.get(id_, _NONE)

    def contrasts(self) -> Iterator[tuple[str, str, tuple[str, ...], bool]]:
        """Two ids each, in what they differ, and whether that is certain."""
        for (left, right), (differ, certain) in self._contrasts.items():
            yield left, right, differ, certain

    def _meet(self, id_: str, text: str) -> None:
        """Compare a wording with all that were met before; each pair is compared once, ever."""
        if id_ in self._wordings:
            return
        new = wording(text, self.cues)
        shared: dict[str, int] = {}
        for stem in new.stems:
            for other in self._with_stem.get(stem, ()):
                shared[other] = shared.get(other, 0) + 1
        for other, count in shared.items():
            old = self._wordings[other]
            smaller = min(len(new.stems), len(old.stems))
            if count < NEAR * max(len(new.stems), len(old.stems)) and count < smaller:
                continue
            self._relate(id_, new, other, old)
        self._wordings[id_] = new
        for stem in new.stems:
            self._with_stem.setdefault(stem, []).append(id_)

    def _relate(self, id_: str, new: Wording, other: str, old: Wording) -> None:
        if is_same(new, old):
            self._same.setdefault(id_, set()).add(other)
            self._same.setdefault(other, set()).add(id_)
        if is_known(new, old):
            self._alike.setdefault(id_, set()).add(other)
        if is_known(old, new):
            self._alike.setdefault(other, set()).add(id_)
        found = contrast(new, old)
        if found:
            self._contrasts[id_, other] = found


_NONE: set[str] = set()
