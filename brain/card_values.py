"""What a card shall say: the facts of a scan, typed and capped, under the pins of a person. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from brain.display import one_line, sayable
from brain.files.cards import ABSENT, Absent, Update, says
from brain.files.outline import Json
from brain.project_cards import (
    CARD_KEYS,
    MOVED_FROM,
    PINS,
    QUIET_KEYS,
    SUFFIX,
    Facts,
    path_bytes,
    pinned,
    text_of,
)

KEY_CAP = 40
NAME_CAP = 80
TEXT_CAP = 200
LIST_CAP = 100
DEPTH_CAP = 4

_RESERVED = frozenset((*CARD_KEYS, *PINS.values(), "path_b64", "missing_since", MOVED_FROM))
_NO_NEWS = QUIET_KEYS | {"last_scanned"}
_DATE = r"\d{4}-\d\d-\d\d"


def path_hash(path: str) -> str:
    """SHA-256 of the path's bytes in hex; its first eight digits name the card."""
    from hashlib import sha256  # noqa: PLC0415 - start-up: 3 ms, and a recall needs none

    return sha256(path_bytes(path)).hexdigest()


def card_updates(
    facts: Facts, path: str, file: str, values: Mapping[str, Json], date: str
) -> dict[str, Update]:
    """What the card in ``file`` shall say of the project at ``path``, in the order in which new lines stand.

    ``values`` are what the card says now: pins win over the facts, identity and first date stay. ``date`` is
    that of the scan. ``ValueError`` for a further key that has a meaning of its own or is no plain word.
    """
    pins = {PINS[key]: one_line(value, NAME_CAP) for key, value in facts.pins}
    values = {**values, **pins}
    shown = sayable(path)
    digest, stem = path_hash(path), file.removesuffix(SUFFIX)
    name = facts.name or path.rstrip("/").rpartition("/")[2] or path
    updates: dict[str, Update] = {
        "path": shown,
        "name": one_line(pinned(values, "name") or name, NAME_CAP),
        "hash": stem if len(stem) >= 8 and digest.startswith(stem) else digest[:8],
        "stack": one_line(pinned(values, "stack") or facts.stack, NAME_CAP),
        "status": one_line(pinned(values, "status") or facts.status, NAME_CAP),
        "bmad_installed": facts.bmad_installed,
        "has_git": facts.has_git,
        "last_scanned": date,
    }
    for key, value in facts.extra:
        if key in _RESERVED or not _is_key(key):
            raise ValueError(f"not a key for a project's card: {key!r}")
        updates[key] = ABSENT if value is None else typed(value)
    for key in ("id", "first_seen"):
        if text_of(values.get(key)):
            updates[key] = values[key]
    if "first_seen" not in updates:
        scanned = text_of(values.get("last_scanned"))
        updates["first_seen"] = min(scanned, date) if re.fullmatch(_DATE, scanned) else date
    updates.update(pins)
    updates["path_b64"] = _base64(path_bytes(path)) if shown != path else ABSENT
    updates["missing_since"] = ABSENT
    return updates


def differences_between(
    values: Mapping[str, Json], updates: Mapping[str, Update]
) -> tuple[tuple[str, Json, Json], ...]:
    """What is news in ``updates`` for a card that says ``values``: (key, old, new), None for no such line."""
    found: list[tuple[str, Json, Json]] = []
    for key, value in updates.items():
        old = values.get(key)
        if isinstance(value, Absent):
            if key in values:
                found.append((key, old, None))
        elif not says(old, value):
            found.append((key, old, value))
    return tuple(change for change in found if change[0] not in _NO_NEWS)


def is_marked_anew(values: Mapping[str, Json], updates: Mapping[str, Update]) -> bool:
    """Whether what a project is known by changed, which is to be kept and no news."""
    return any(
        key in values if isinstance(value, Absent) else values.get(key) != value
        for key, value in updates.items()
        if key in QUIET_KEYS
    )


def typed(value: Json, depth: int = 0) -> Json:
    """A value for a card: visible text on one line, capped in length, number and depth; no odd numbers."""
    if isinstance(value, str):
        return one_line(value, TEXT_CAP)
    if isinstance(value, float):
        return value if value - value == 0.0 else None  # neither NaN nor infinite, which JSON has not
    if isinstance(value, list | tuple):
        return [typed(item, depth + 1) for item in value[:LIST_CAP]] if depth < DEPTH_CAP else []
    if isinstance(value, dict):
        if depth >= DEPTH_CAP:
            return {}
        return {one_line(key, NAME_CAP): typed(item, depth + 1) for key, item in [*value.items()][:LIST_CAP]}
    return value


def _is_key(text: str) -> bool:
    return text.isascii() and text.isidentifier() and text.islower() and len(text) <= KEY_CAP


def _base64(data: bytes) -> str:
    from binascii import b2a_base64  # noqa: PLC0415 - start-up: only odd paths need it

    return b2a_base64(data, newline=False).decode()
