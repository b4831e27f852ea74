"""Between scan and index: what a project is known by, as its card keeps it, and what programs call it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable

from brain.files.outline import Json
from brain.moves import alike
from brain.project_cards import PLACE, ROOT_COMMIT, SIGNATURE, Card
from scanner.project import Identity, Project

_CUT = "cut"
"""Stands in a card for the beginning of a history that is too long to be followed."""

_SAME_LOOKS = 0.75


def known_identities(cards: Iterable[Card]) -> dict[str, Identity]:
    """By path, what the cards say that their projects are known by."""
    return {card.path: found for card in cards if (found := _identity_of(card)) is not None}


def _identity_of(card: Card) -> Identity | None:
    device, _, inode = _text(card, PLACE).partition(":")
    root = _text(card, ROOT_COMMIT)
    if not (device.isdecimal() and inode.isdecimal()) or not root:
        return None
    return Identity(
        root_commits=(root,) if root != _CUT else (),
        cut=root == _CUT,
        remote=_text(card, "remote") or None,
        device=int(device),
        inode=int(inode),
        signature=_text(card, SIGNATURE),
    )


def identity_keys(project: Project, card: Card | None) -> tuple[tuple[str, Json], ...]:
    """The lines of a card by which its project is known again after a move.

    A project that could not be read leaves them as they are in ``card``; and looks that changed but a little
    are still the same, so that not every new file makes a new card.
    """
    found = project.identity
    old = {key: _text(card, key) for key in (ROOT_COMMIT, PLACE, SIGNATURE)} if card is not None else {}
    if not found.inode:
        return tuple((key, value or None) for key, value in old.items())
    signature = old.get(SIGNATURE, "")
    return (
        (ROOT_COMMIT, found.root_commits[0] if found.root_commits else _CUT if found.cut else None),
        (PLACE, f"{found.device}:{found.inode}"),
        (SIGNATURE, signature if alike(signature, found.signature) >= _SAME_LOOKS else found.signature),
    )


def new_identifier(project: Project) -> str:
    """What programs call a project that has no card yet: from its first commit, its remote and its place.

    Two clones of one repository lie in two places and are called two names. Once a card has it, it stays.
    """
    found = project.identity
    parts = (*found.root_commits, found.remote or "", project.path)
    return hashlib.sha256(b"\0".join(map(os.fsencode, parts))).hexdigest()[:12]


def _text(card: Card, key: str) -> str:
    value = card.extras.get(key)
    return value if isinstance(value, str) else ""
