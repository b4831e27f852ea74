"""What a piece of work begins with, in one bundle within a budget.

The parts come in the order in which they are read; first each has a quarter of the budget, then what is left
is filled in the same order. Items are whole, but for longer texts, which are cut where a sentence, an item
or a block ends when nothing of their part would stand there otherwise. What is missing is counted in the
bundle and named beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.bundle.blocks import HEAD, fenced, visible
from brain.bundle.packing import BUDGET, REST
from brain.bundle.parts import PARTS, Item
from brain.bundle.passages import passage
from brain.bundle.tokens import tokens
from brain.display import one_line
from brain.secrets import find, redact
from brain.value import Value

MUTED = "muted"

_PLACE_CAP = 400
_COUNTS = 60  # tokens that are kept for what is missing


class Missing(Value):
    """What is not in the brief: the part it belongs to, its place, its size, and why (budget, cut, muted)."""

    __slots__ = ("file", "line", "part", "tokens", "why")

    def __init__(self, part: str, item: Item, size: int, why: str) -> None:
        self.part = part
        self.file = item.file
        self.line = item.line
        self.tokens = size
        self.why = why


class Shown(Value):
    """A part as it stands in the brief: its items, and the tokens that it takes."""

    __slots__ = ("items", "name", "tokens")

    def __init__(self, name: str, items: tuple[Item, ...], size: int) -> None:
        self.name = name
        self.items = items
        self.tokens = size


class Brief(Value):
    """The whole: ``used`` tokens of ``context``; ``empty`` are the parts about which nothing is written."""

    __slots__ = ("context", "empty", "left_out", "parts", "used")

    def __init__(
        self, context: str, parts: tuple[Shown, ...], left_out: tuple[Missing, ...], empty: tuple[str, ...]
    ) -> None:
        self.context = context
        self.parts = parts
        self.left_out = left_out
        self.empty = empty
        self.used = tokens(context)

    @property
    def is_truncated(self) -> bool:
        """Whether something is missing for want of room."""
        return any(one.why != MUTED for one in self.left_out)


def brief(parts: Mapping[str, Sequence[Item]], budget: int) -> Brief:
    """As much of ``parts`` as ``budget`` tokens hold, visible and without secrets."""
    clean = _clean(parts)
    whole = _Filling(clean, budget)
    whole.fill()
    if not whole.is_short:
        return whole.brief()
    short = _Filling(clean, budget, kept=min(_COUNTS, budget // 10))
    short.fill()
    return short.brief()


class _Filling:
    """One brief on its way."""

    def __init__(self, parts: Mapping[str, Sequence[Item]], budget: int, kept: int = 0) -> None:
        self._parts = parts
        self._budget = budget
        self._room = budget - tokens(HEAD) - kept
        self._share = budget // 4
        self._chosen: dict[str, dict[int, Item]] = {name: {} for name in PARTS}
        self._sizes = dict.fromkeys(PARTS, 0)
        self._cut: list[Missing] = []

    @property
    def is_short(self) -> bool:
        """Whether something did not fit."""
        return bool(self._cut) or any(
            not item.muted and at not in self._chosen[name]
            for name in PARTS
            for at, item in enumerate(self._parts.get(name, ()))
        )

    def fill(self) -> None:
        for share in (self._share, self._budget):
            for name in PARTS:
                for at, item in enumerate(self._parts.get(name, ())):
                    if not item.muted and at not in self._chosen[name]:
                        self._put(name, at, item, share)

    def _put(self, name: str, at: int, item: Item, share: int) -> None:
        room = min(share, self._room + self._sizes[name])
        # Of hundreds most do not fit, which is known without writing the part anew: joined, two texts take
        # a token less than both at the most.
        if self._chosen[name] and self._sizes[name] + tokens(_line(item)) - 1 > room:
            return
        size = self._with(name, at, item)
        if size > room and item.is_long and not self._chosen[name]:
            frame = self._with(name, at, _with_text(item, "```" if "```" in item.text else ""))
            # Each line is indented by two blanks; what is cut away is not.
            lines = item.text.count("\n", 0, 4 * max(room, 0))
            found = passage(item.text, room - frame - lines // 2, ())
            if found is None:
                return
            cut = _with_text(item, found.text)
            cut_size = self._with(name, at, cut)
            if cut_size > room:
                return
            self._cut.append(Missing(name, item, max(1, size - cut_size), REST))
            item, size = cut, cut_size
        if size <= room:
            self._chosen[name][at] = item
            self._room -= size - self._sizes[name]
            self._sizes[name] = size

    def _with(self, name: str, at: int, item: Item) -> int:
        """What the part takes with that item."""
        return tokens("\n" + _part(name, {**self._chosen[name], at: item}))

    def brief(self) -> Brief:
        blocks = [_part(name, self._chosen[name]) for name in PARTS if self._chosen[name]]
        missing = list(self._cut)
        for name in PARTS:
            for at, item in enumerate(self._parts.get(name, ())):
                if at not in self._chosen[name]:
                    why = MUTED if item.muted else BUDGET
                    missing.append(Missing(name, item, tokens(_line(item)), why))
        missing.sort(key=lambda one: PARTS.index(one.part))
        context = "\n".join((HEAD, *blocks)) if blocks else ""
        counted = _counted(missing)
        if context and counted and tokens(context + counted) <= self._budget:
            context += counted
        shown = tuple(
            Shown(name, tuple(item for _, item in sorted(self._chosen[name].items())), self._sizes[name])
            for name in PARTS
            if self._chosen[name]
        )
        empty = tuple(name for name in PARTS if not self._parts.get(name))
        return Brief(context, shown, tuple(missing), empty)


def _part(name: str, items: Mapping[int, Item]) -> str:
    return f"## {name}\n\n" + fenced("\n".join(_line(items[at]) for at in sorted(items)))


def _line(item: Item) -> str:
    place = one_line(f"{item.shown}:{item.line}", _PLACE_CAP)
    return f"{place}: " + item.text.replace("\n", "\n  ")


def _with_text(item: Item, text: str) -> Item:
    return Item(text, item.file, item.shown, item.line, is_long=True)


def _counted(missing: Sequence[Missing]) -> str:
    """How much of each part is missing for want of room."""
    counts: dict[str, tuple[int, int]] = {}
    for one in missing:
        if one.why != MUTED:
            count, size = counts.get(one.part, (0, 0))
            counts[one.part] = (count + 1, size + one.tokens)
    if not counts:
        return ""
    words = ", ".join(f"{name} {count:,} ({size:,} tokens)" for name, (count, size) in counts.items())
    return f"\nLeft out for want of room: {words}.\n"


def _clean(parts: Mapping[str, Sequence[Item]]) -> dict[str, tuple[Item, ...]]:
    """The same items with marks in place of secrets, and with everything hidden made visible."""
    holds = bool(find("\n\n".join(item.text for items in parts.values() for item in items)))
    return {
        name: tuple(
            Item(
                visible(redact(item.text).text if holds else item.text),
                item.file,
                item.shown,
                item.line,
                is_long=item.is_long,
                muted=item.muted,
            )
            for item in items
        )
        for name, items in parts.items()
    }
