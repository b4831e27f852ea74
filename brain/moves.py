"""Which of the new projects are old ones that were moved or renamed. Pure, but for the question what is gone.

A project is known again by its first commit together with its remote, or by device and inode of its folder
together with its first commit; where there is no history, with what its folder looks like. Inode numbers are
given out anew as soon as a folder is deleted, so that they never count alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from brain.files.outline import Json
from brain.files.reading import inside
from brain.project_cards import PLACE, ROOT_COMMIT, SIGNATURE, Card, Facts
from brain.value import Value

_LEAST_ALIKE = 0.5
_HEX = frozenset("0123456789abcdef")
# The best evidence first: the very folder, then a card whose folder was there last time, then any other card.
_SAME_FOLDER, _JUST_GONE, _LONG_GONE = range(3)


class Mark(Value):
    """What a project is known by. An empty string: not known.

    ``root_commit`` is an object name in hex, ``place`` is ``device:inode`` of the folder, ``signature`` see
    ``alike``; ``remote`` is the address of the default remote, without credentials.
    """

    __slots__ = ("place", "remote", "root_commit", "signature")

    def __init__(
        self, *, root_commit: str = "", remote: str = "", place: str = "", signature: str = ""
    ) -> None:
        self.root_commit = root_commit
        self.remote = remote
        self.place = place
        self.signature = signature


class Moves:
    """Pairs of card and facts that are one project, and those of which more than one would fit.

    ``unclear`` are the facts with the cards that might be theirs, each ordered as they came.
    """

    __slots__ = ("pairs", "unclear")

    def __init__(
        self, pairs: tuple[tuple[Card, Facts], ...], unclear: tuple[tuple[Facts, tuple[Card, ...]], ...]
    ) -> None:
        self.pairs = pairs
        self.unclear = unclear


def mark_of(values: Mapping[str, Json]) -> Mark:
    """The mark that the keys of a card, or the further facts of a project, make."""
    root = _text(values.get(ROOT_COMMIT))
    return Mark(
        root_commit=root if len(root) in (40, 64) and _HEX.issuperset(root) else "",
        remote=_text(values.get("remote")),
        place=_text(values.get(PLACE)),
        signature=_text(values.get(SIGNATURE)),
    )


def find_moves(
    cards: Sequence[Card],
    facts: Sequence[Facts],
    *,
    roots: Collection[str],
    exists: Callable[[str], bool],
) -> Moves:
    """Which of ``facts``, that have no card, are the projects of ``cards``, that no facts name.

    ``exists`` says no only where it is clear that nothing stands at a path; it is asked only where the marks
    agree. A card outside of ``roots`` may lie on a disk that is not there today: it is believed to be gone
    only when the very folder was found again, or when the folder that held it is still there.
    """
    finder = _Finder(cards, facts, roots, exists)
    for rank in (_SAME_FOLDER, _JUST_GONE, _LONG_GONE):
        finder.decide(rank)
    return Moves(tuple(finder.pairs), tuple(finder.unclear))


def find_same_folders(
    cards: Sequence[Card], facts: Sequence[Facts], *, exists: Callable[[str], bool]
) -> tuple[tuple[Card, Facts], ...]:
    """Pairs of a card and facts where the very folder of the card, which is gone, was found elsewhere."""
    finder = _Finder(cards, facts, (), exists)
    finder.decide(_SAME_FOLDER)
    return tuple(finder.pairs)


class _Finder:
    def __init__(
        self,
        cards: Sequence[Card],
        facts: Sequence[Facts],
        roots: Collection[str],
        exists: Callable[[str], bool],
    ) -> None:
        self._roots = roots
        self._exists = exists
        self._cards = [(card, mark_of(card.extras)) for card in cards]
        self._facts = [(one, mark_of(dict(one.extra))) for one in facts]
        self._gone: dict[str, bool] = {}
        self.pairs: list[tuple[Card, Facts]] = []
        self.unclear: list[tuple[Facts, tuple[Card, ...]]] = []

    def decide(self, rank: int) -> None:
        """Pair what fits by the evidence of ``rank`` and fits nothing else by it; the rest is unclear."""
        fits = list(self._fits(rank))
        cards_of, facts_of = Counter(number for number, _ in fits), Counter(number for _, number in fits)
        unclear: dict[int, list[Card]] = {}
        for card, one in fits:
            if cards_of[card] == facts_of[one] == 1:
                self.pairs.append((self._cards[card][0], self._facts[one][0]))
            else:
                unclear.setdefault(one, []).append(self._cards[card][0])
        self.unclear += ((self._facts[one][0], tuple(cards)) for one, cards in unclear.items())
        self._cards = [pair for number, pair in enumerate(self._cards) if number not in cards_of]
        self._facts = [pair for number, pair in enumerate(self._facts) if number not in facts_of]

    def _fits(self, rank: int) -> Iterator[tuple[int, int]]:
        """The numbers of each card and of each project that might be one."""
        key = _place_of if rank == _SAME_FOLDER else _history_of
        by_key: dict[object, list[int]] = {}
        for number, (_, known) in enumerate(self._cards):
            if marked := key(known):
                by_key.setdefault(marked, []).append(number)
        for one, (_, mark) in enumerate(self._facts):
            for number in by_key.get(key(mark), ()):
                card, known = self._cards[number]
                if self._is_one(card, known, mark, rank):
                    yield number, one

    def _is_one(self, card: Card, known: Mark, mark: Mark, rank: int) -> bool:
        if rank == _SAME_FOLDER:
            return _is_same_content(known, mark) and self._has_gone(card.path)
        return (
            bool(card.missing_since) == (rank == _LONG_GONE)
            and self._has_gone(card.path)
            and self._was_taken_away(card.path)
        )

    def _has_gone(self, path: str) -> bool:
        if path not in self._gone:
            self._gone[path] = not self._exists(path)
        return self._gone[path]

    def _was_taken_away(self, path: str) -> bool:
        """Whether the folder itself went, and not the disk on which it lies."""
        if any(inside(path, root) for root in self._roots):
            return True
        parent = path.rstrip("/").rpartition("/")[0]
        return bool(parent) and not self._has_gone(parent)


def _place_of(mark: Mark) -> object:
    return mark.place


def _history_of(mark: Mark) -> object:
    return (mark.root_commit, mark.remote) if mark.root_commit else None


def _is_same_content(known: Mark, mark: Mark) -> bool:
    """Whether two folders of one inode number hold the same project: the number may have been given anew."""
    if known.root_commit and mark.root_commit:
        if known.root_commit == mark.root_commit:
            return True
        # A history that was written anew has another beginning.
        if not known.remote or known.remote != mark.remote:
            return False
    return alike(known.signature, mark.signature) >= _LEAST_ALIKE


def alike(one: str, other: str) -> float:
    """How much two signatures have in common, 0 to 1; 0 where the declared names differ.

    A signature is the declared name of a project and a sample of the names in its folder, as hexadecimal
    digests: ``<name>:<entry>.<entry>...``, the smallest entries of all.
    """
    name, _, listed = one.partition(":")
    other_name, _, others = other.partition(":")
    if not one or not other or name != other_name:
        return 0.0
    mine, theirs = set(listed.split(".")), set(others.split("."))
    sample = sorted(mine | theirs)[: max(len(mine), len(theirs))]
    return sum(entry in mine and entry in theirs for entry in sample) / len(sample)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
