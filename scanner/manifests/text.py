"""Bytes to text, JSON and TOML; foreign text to one clean line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

NAME_CAP = 80
DESCRIPTION_CAP = 200
VALUE_CAP = 256

# Patterns stand as text: most scans need none of them, and ``re`` keeps what it compiled once.
# Control characters, bidirectional overrides, zero-width and tag characters: nobody is meant to see them.
_HIDDEN = (
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]+"
)
_SURROGATE = "[\ud800-\udfff]"
# A lone ``"`` or an unclosed comment runs to the end: every character is looked at once, whatever the input.
_JSON_NOISE = r'(?s)("(?:[^"\\]|\\.)*+(?:"|\\?\Z))|//[^\n]*+|/\*(?:.*?\*/|.*\Z)'
_TRAILING_COMMA = r'(?s)("(?:[^"\\]|\\.)*+(?:"|\\?\Z))|,(?=\s*+[}\]])'


def loose_text(data: bytes) -> str:
    """Text whatever the encoding: UTF-8 with or without BOM, UTF-16 by its BOM, odd bytes replaced."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").removeprefix("\ufeff")
    return data.decode("utf-8-sig", "replace")


def strict_text(data: bytes) -> str:
    """UTF-8 with or without BOM; ``ValueError`` for anything else."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError("UTF-16, where UTF-8 is asked for")
    return data.decode("utf-8-sig")


def load_json(data: bytes) -> tuple[object, str]:
    """The JSON value, and a warning where it was only just readable (a key given twice).

    Strict JSON first; then with comments and trailing commas, as many tools allow them. ``ValueError`` or
    ``RecursionError`` for all else, for ``NaN`` and for integers of more than some thousand digits.
    """
    text = strict_text(data)
    try:
        return _decode(text)
    except json.JSONDecodeError:
        without_comments = re.sub(_JSON_NOISE, r"\1", text)
        return _decode(re.sub(_TRAILING_COMMA, r"\1", without_comments))


def load_object(data: bytes) -> tuple[dict[str, object], str]:
    """As ``load_json``, for files that must hold an object; ``ValueError`` for any other value."""
    value, warning = load_json(data)
    if isinstance(value, dict):
        return value, warning
    raise ValueError("not a JSON object")


def load_toml(data: bytes) -> dict[str, object]:
    """The TOML table; ``ValueError`` or ``RecursionError`` where it is none.

    ``tomli`` rather than ``tomllib``: its compiled wheel is faster, and it bounds the depth of keys.
    """
    import tomli  # noqa: PLC0415 - start-up: 10 ms, and many scans meet no TOML

    return tomli.loads(strict_text(data))


def table(value: object, *keys: str) -> dict[str, object]:
    """The table at a path of keys, or an empty one where anything else stands there."""
    for key in keys:
        if not isinstance(value, dict):
            return {}
        value = value.get(key)
    return value if isinstance(value, dict) else {}


def string(value: object, key: str) -> str:
    """The string at ``key``, or nothing where anything else stands there."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def strings(value: object) -> list[str]:
    """The strings of a list; whatever else stands in it is left out, and anything but a list is empty."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def one_line(text: str, cap: int) -> str:
    """``text`` without control and hidden characters, on one line, at most ``cap`` characters.

    Surrogates from JSON escapes go, because they cannot be written to a file.
    """
    if not text:
        return ""
    text = text[: cap * 16]
    if not text.isascii() or not text.isprintable():
        text = re.sub(_SURROGATE, "", re.sub(_HIDDEN, " ", text))
    text = " ".join(text.split())
    return text[:cap].rstrip()


def without(text: str, opening: str, closing: str) -> str:
    """``text`` without what stands between two marks. One pass, whatever the input: an open block ends it."""
    kept: list[str] = []
    position = 0
    while (start := text.find(opening, position)) >= 0:
        kept.append(text[position:start])
        end = text.find(closing, start + len(opening))
        if end < 0:
            return "".join(kept)
        position = end + len(closing)
    kept.append(text[position:])
    return "".join(kept)


def folder_name(name: str) -> str:
    """A folder's own name as a project's name: as ``one_line``, but bytes that are no UTF-8 stay readable."""
    clean = " ".join(re.sub(_HIDDEN, " ", name).split())
    return clean[:NAME_CAP].rstrip() or "?"


def _decode(text: str) -> tuple[object, str]:
    repeated: list[str] = []

    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        value = dict(items)
        if len(value) != len(items) and not repeated:
            repeated.append(_first_twice(key for key, _ in items))
        return value

    value = json.JSONDecoder(object_pairs_hook=pairs, parse_constant=_no_constant).decode(text)
    return value, f"the key {one_line(repeated[0], 40)!r} is given twice" if repeated else ""


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _first_twice(keys: Iterable[str]) -> str:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            return key
        seen.add(key)
    return ""
