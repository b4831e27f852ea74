"""Which project a person means: by path, by name, by a part of either; asked of the index."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from jobs.errors import UsageError, nearest
from reports.view import below_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.project_cards import Card

_NAMED = 5
"""So many of several are named."""


def chosen_project(word: str, cards: Sequence[Card], *, absolute: Callable[[str], str], home: str) -> Card:
    """The card of the one project that ``word`` means.

    A path (anything with a separator, ``.``, ``..``, ``~``) means the project that lies there or around it; a
    word means the project of that name, else the only one whose name begins so, holds it, or whose path ends
    so. Case is no matter. ``UsageError`` with the neighbours where it is none or several.
    """
    if not word:
        raise UsageError(
            "empty-path", "an empty PROJECT", "it names no project", "Name one: zecher projects lists them."
        )
    if is_path(word):
        found = _around(absolute(word), cards)
        if found is not None:
            return found
    folded = word.casefold()
    for fits in _LADDER:
        matching = [card for card in cards if fits(card, folded)]
        if len(matching) == 1:
            return matching[0]
        if matching:
            raise _several(word, matching, home)
    neighbour = nearest(word, [card.name for card in cards])
    raise UsageError(
        "project-unknown",
        f"no project {word!r}",
        "the index holds no project of that name or path",
        f"Did you mean {neighbour}?" if neighbour else "zecher projects lists them.",
    )


def is_path(word: str) -> bool:
    """Whether ``word`` is meant as a path."""
    return word in (".", "..", "~") or os.sep in word


def _around(path: str, cards: Sequence[Card]) -> Card | None:
    """The project at ``path``, else the innermost one that holds it."""
    holding = [card for card in cards if path == card.path or path.startswith(card.path.rstrip("/") + "/")]
    return max(holding, key=lambda card: len(card.path), default=None)


_LADDER: tuple[Callable[[Card, str], bool], ...] = (
    lambda card, word: card.name.casefold() == word,
    lambda card, word: os.path.basename(card.path).casefold() == word,
    lambda card, word: card.name.casefold().startswith(word),
    lambda card, word: word in card.name.casefold(),
    lambda card, word: ("/" + word.strip("/")) in card.path.casefold(),
)


def _several(word: str, matching: Sequence[Card], home: str) -> UsageError:
    paths = sorted(below_home(card.path, home) for card in matching)
    more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    return UsageError(
        "project-ambiguous",
        f"{len(matching):,} projects are meant by {word!r}",
        ", ".join(paths[:_NAMED]) + more,
        "Name one of them by its path.",
    )
