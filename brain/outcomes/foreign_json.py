"""Typed access to JSON that somebody else wrote; what is not of its kind makes a source ineligible."""

from __future__ import annotations

import json
from hashlib import sha256

from brain.files.errors import MemError
from brain.files.javascript_json import to_compact

Object = dict[str, object]


class NotEligibleError(MemError):
    """A task that cannot be evidence now. The text is the cause, one line without any absolute path."""


def parse(data: bytes) -> object:
    """The JSON value in ``data``; ``ValueError`` for everything that a strict JSON reader refuses.

    That is: bytes that are not UTF-8, a byte order mark, ``NaN`` and its like, nesting beyond the reader's
    stack, whole numbers beyond its digits.
    """
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def digest(value: object) -> str:
    """SHA-256 in hex of the compact JSON text of ``value``, keys in their order."""
    return sha256(_text(value).encode("utf-8")).hexdigest()


def same(left: object, right: object) -> bool:
    """Whether both values have the same compact JSON text, so that the order of keys counts."""
    return _text(left) == _text(right)


def an_object(value: object, what: str) -> Object:
    """``value`` when it is a JSON object; ``what`` names it in the error."""
    if isinstance(value, dict):
        return value
    raise NotEligibleError(f"the run is damaged: {what} is not an object")


def a_list(value: object, what: str, most: int) -> list[object]:
    """``value`` when it is a JSON array of at most ``most`` items."""
    if isinstance(value, list) and len(value) <= most:
        return value
    raise NotEligibleError(f"the run is damaged: {what} is not a list of at most {most} items")


def a_text(value: object, what: str) -> str:
    """``value`` when it is a non-empty string."""
    if isinstance(value, str) and value:
        return value
    raise NotEligibleError(f"the run is damaged: {what} is not a text")


def texts(value: object, what: str, most: int) -> list[str]:
    """``value`` when it is an array of non-empty strings."""
    return [a_text(item, what) for item in a_list(value, what, most)]


def is_whole(value: object) -> bool:
    """Whether ``value`` is a whole number as JSON knows it, in which ``1`` and ``1.0`` are one number."""
    return not isinstance(value, bool) and isinstance(value, int | float) and value == value // 1


def is_zero(value: object) -> bool:
    """Whether ``value`` is the number nought and not ``false``."""
    return is_whole(value) and value == 0


def is_said(value: object) -> bool:
    """Whether ``value`` says something: not null, false, nought or an empty text."""
    return isinstance(value, dict | list) or bool(value)


def _text(value: object) -> str:
    try:
        return to_compact(value)
    except ValueError as error:
        raise NotEligibleError(str(error)) from None


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
