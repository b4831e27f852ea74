"""Name, status and stack as a person set them: written into the card, so that scans leave them alone."""

from __future__ import annotations

import os
from collections.abc import Mapping

from brain.files.atomic import Write, replace_all
from brain.files.cards import CARD_CAP, rewrite
from brain.files.lock import BrainLock
from brain.files.reading import read_seen
from brain.portfolio import LOCK_NAME
from brain.project_cards import PINS, PROJECTS


def pin(brain: str, pins: Mapping[str, Mapping[str, str]], *, wait: float) -> int:
    """Pin facts in cards that exist; returns how many cards were changed.

    ``pins`` maps the name of a card's file to what to pin (``name``, ``status``, ``stack``). Raises
    ``LockedError``, ``WriteError``, ``ChangedError`` and ``OutsideError`` of ``brain.files``, and
    ``UnreadableError`` and ``GarbageError`` for a card that cannot be read.
    """
    base = os.path.realpath(brain)
    with BrainLock(os.path.join(base, LOCK_NAME), wait=wait):
        return replace_all([_write(base, file, wanted) for file, wanted in sorted(pins.items())], base)


def _write(base: str, file: str, wanted: Mapping[str, str]) -> Write:
    path = os.path.join(base, PROJECTS, file)
    seen = read_seen(path, CARD_CAP)
    data, _ = rewrite(seen.data or b"", {PINS[key]: value for key, value in wanted.items()})
    return Write(path, data, seen)
