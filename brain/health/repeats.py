"""Lessons that were learned more than once: near-duplicates by the word pairs they share, without a model.

A lesson is sketched as the smallest hashes of its word pairs (a bottom-k sketch). Two sketches alone tell how
much two texts have in common, so sketches can be kept in a cache as numbers and the texts be forgotten.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from unicodedata import normalize
from zlib import crc32

from brain.health.folding import FOLDED
from brain.value import dataclass

SKETCH = 32
"""Hashes a sketch keeps; a lesson with fewer word pairs is kept whole, and compared exactly."""

ALIKE = 0.6
"""The share of common word pairs from which two lessons count as one."""

# Two texts as like as that miss each other in all of these buckets once in 1,500 times.
_BUCKETS = 8
# In a crowded bucket only neighbours in sorted order are compared: the time stays near linear.
_CROWD = 48
_NEIGHBOURS = 12
_LEAST_PAIRS = 4
_LEAST_TITLE_WORDS = 3

_WORD = re.compile(r"[^\W_]+")
_ENGLISH = (
    "a an and are as at be but by for from has have in is it its not of on or our so that the their then "
    "there this to was we were when which with you your"
)
_GERMAN = (
    "aber als am an auf aus bei das dass dem den der des die ein eine einem einen einer es für hat ich im in "
    "ist man mit nach nicht oder sich sie sind und von war weil wenn wird wir zu zum zur"
)
_FRENCH = (
    "au aux ce cette dans de des du elle en est et il ils la le les mais ne nous on ou par pas pour que qui "
    "se sont sur un une"
)
_SILENT = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH}".encode().split())


# Not frozen, for speed: a portfolio has them by the ten thousand.
@dataclass(slots=True, unsafe_hash=True)
class Sketch:
    """One lesson as numbers, and where it stands.

    ``project`` tells projects apart (clones of one repository share it), ``name`` is for people.
    ``title_key`` is a hash of its words that count, 0 for a title too short to mean anything. ``pairs`` are
    the smallest hashes of its word pairs, ascending. ``in_brain`` marks a lesson of the global brain.
    """

    project: str
    name: str
    file: str
    line: int
    title: str
    title_key: int
    pairs: tuple[int, ...]
    in_brain: bool = False


@dataclass(frozen=True, slots=True)
class Cluster:
    """Lessons that say the same, ordered by project, file and line, those of the brain last."""

    members: tuple[Sketch, ...]

    @property
    def title(self) -> str:
        """The title under which most of them stand; of equals the first in order of the alphabet."""
        titles = [one.title for one in self.members]
        return min(titles, key=lambda title: (-titles.count(title), title))

    @property
    def projects(self) -> tuple[str, ...]:
        """The names of the projects, each once, without the brain."""
        named = {one.project: one.name for one in self.members if not one.in_brain}
        return tuple(sorted(named.values()))

    @property
    def in_brain(self) -> bool:
        """Whether the brain knows it already."""
        return any(one.in_brain for one in self.members)


def sketch(
    title: str, text: str, *, project: str, name: str, file: str, line: int, in_brain: bool = False
) -> Sketch:
    """The sketch of the lesson ``title`` with the body ``text``."""
    title_words = _words(title)
    pairs = set(map(crc32, map(b" ".join, pairwise(title_words + _words(text)))))
    return Sketch(
        project=project,
        name=name,
        file=file,
        line=line,
        title=title,
        title_key=crc32(b" ".join(sorted(title_words))) if len(title_words) >= _LEAST_TITLE_WORDS else 0,
        pairs=tuple(sorted(pairs)[:SKETCH]),
        in_brain=in_brain,
    )


def alike(one: Sketch, other: Sketch) -> float:
    """How much two lessons have in common, 0 to 1: of their word pairs, or 1 for titles of the same words."""
    if one.title_key and one.title_key == other.title_key:
        return 1.0
    if min(len(one.pairs), len(other.pairs)) < _LEAST_PAIRS:
        return 0.0
    mine, theirs = set(one.pairs), set(other.pairs)
    union: set[int] | list[int] = mine | theirs
    if max(len(mine), len(theirs)) >= SKETCH:  # beyond the smallest that are kept nothing is known
        union = sorted(union)[:SKETCH]
    return len(mine.intersection(theirs).intersection(union)) / len(union)


def repeated_lessons(sketches: Iterable[Sketch]) -> tuple[Cluster, ...]:
    """The lessons that two or more projects learned, most projects first.

    The order of the input does not matter. The time grows nearly linearly with the number of lessons.
    """
    found = [one for one in alike_lessons(sketches) if len({member.project for member in one.members}) > 1]
    return tuple(
        sorted(found, key=lambda one: (-len(one.projects), one.title, [_place(each) for each in one.members]))
    )


def alike_lessons(sketches: Iterable[Sketch], least: float = ALIKE) -> tuple[Cluster, ...]:
    """All groups of two or more lessons of which each is at least ``least`` alike to the group's first."""
    ordered = sorted(sketches, key=_place)
    if _are_strangers(ordered):
        return ()
    roots = list(range(len(ordered)))
    sets = [frozenset(one.pairs) for one in ordered]
    titles = [one.title_key for one in ordered]
    masks = [_mask(pairs) for pairs in sets]
    # How many bits of its mask another must have, too: so many hashes of its own cannot share them.
    floors = [
        least * min(len(pairs), SKETCH) - (len(pairs) - mask.bit_count())
        for pairs, mask in zip(sets, masks, strict=True)
    ]
    for one, other in _candidates(ordered):
        # Most have too little in common for any order to matter: this tells it in a fifth of a microsecond.
        if (masks[one] & masks[other]).bit_count() < floors[one] and titles[one] != titles[other]:
            continue
        common = len(sets[one] & sets[other])
        if common < least * min(len(sets[one]) + len(sets[other]) - common, SKETCH) and (
            not titles[one] or titles[one] != titles[other]
        ):
            continue
        first, second = _root(roots, one), _root(roots, other)
        if first != second and alike(ordered[one], ordered[other]) >= least:
            roots[max(first, second)] = min(first, second)
    groups: dict[int, list[Sketch]] = {}
    for index, each in enumerate(ordered):
        groups.setdefault(_root(roots, index), []).append(each)
    return tuple(
        Cluster(tuple(part))
        for group in groups.values()
        if len(group) > 1
        for part in _parts(group, least)
        if len(part) > 1
    )


_BITS = tuple(1 << bit for bit in range(128))


def _mask(pairs: Iterable[int]) -> int:
    """A bit for each hash, by its last seven; some share one."""
    mask = 0
    for pair in pairs:
        mask |= _BITS[pair & 127]
    return mask


def _are_strangers(ordered: Sequence[Sketch]) -> bool:
    """Whether no two share what makes candidates: of the lessons of one memory this is soon told."""
    heads = [pair for one in ordered for pair in one.pairs[:_BUCKETS]]
    titles = [one.title_key for one in ordered if one.title_key]
    return len(set(heads)) == len(heads) and len(set(titles)) == len(titles)


def _candidates(ordered: Sequence[Sketch]) -> Iterator[tuple[int, int]]:
    """Pairs of places that may be alike: they share a small hash, or the words of the title."""
    titles: dict[int, list[int]] = defaultdict(list)
    buckets: dict[int, list[int]] = defaultdict(list)
    for index, one in enumerate(ordered):
        if one.title_key:
            titles[one.title_key].append(index)
        for pair in one.pairs[:_BUCKETS]:
            buckets[pair].append(index)
    for places in titles.values():
        yield from pairwise(places)
    for places in buckets.values():
        if len(places) <= _CROWD:
            yield from combinations(places, 2)
        else:
            near = sorted(places, key=lambda place: (ordered[place].pairs, place))
            yield from (
                (near[first], near[second])
                for second in range(1, len(near))
                for first in range(max(0, second - _NEIGHBOURS), second)
            )


def _parts(group: list[Sketch], least: float) -> list[list[Sketch]]:
    """A chain of likenesses cut where its ends have nothing to do with each other any more."""
    parts: list[list[Sketch]] = []
    for one in group:
        home = next((part for part in parts if alike(part[0], one) >= least), None)
        if home is None:
            parts.append([one])
        else:
            home.append(one)
    return parts


def _root(roots: list[int], place: int) -> int:
    while roots[place] != place:
        roots[place] = roots[roots[place]]
        place = roots[place]
    return place


def _place(one: Sketch) -> tuple[bool, str, str, int, str, tuple[int, ...]]:
    return (one.in_brain, one.project, one.file, one.line, one.title, one.pairs)


def counted_words(text: str) -> tuple[bytes, ...]:
    """The words of ``text`` that count when lessons are compared, in their order."""
    return tuple(_words(text))


def _words(text: str) -> list[bytes]:
    """The words of a text that count, in UTF-8; those of ASCII need no pattern to be found."""
    if text.isascii():
        words = text.encode().translate(FOLDED).split()
    else:
        folded = normalize("NFKC", text).casefold()
        words = [word.encode("utf-8", "replace") for word in _WORD.findall(folded)]
    return [word for word in words if word not in _SILENT]
