"""JSON text exactly as JavaScript's ``JSON.stringify`` writes it: hashes and files of BMAD+ depend on it.

The differences from Python's ``json``: whole floats print as integers, numbers follow ECMAScript's
Number::toString, what is no finite number is ``null``, integer-like keys come first in ascending order, and
lone surrogates are escaped. Everything else is the same text.
"""

from __future__ import annotations

import re
from json.encoder import JSONEncoder, encode_basestring

# A number that the two print differently, or a key that JavaScript moves to the front. A false hit inside a
# text only costs time, so the text is searched instead of the value: that is ten times faster.
# It begins with a set of characters, which the engine looks for in one quick loop.
_DIFFERS = r'[:,\[{](?:-?(?:\d{16,}|\d+(?=[.e])[\d.e+-]+|NaN|Infinity)(?=[,\]}])|"(?:0|[1-9]\d{0,9})":)'
_SURROGATES = "[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]"
_SAFE_INTEGER = 2**53
_LAST_INDEX = 2**32 - 2

_encoder = JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


def to_compact(value: object) -> str:
    """The text of ``JSON.stringify(value)``; ``value`` is made of what ``json.loads`` returns.

    ``ValueError`` when it is nested too deeply to be written.
    """
    try:
        text = _encoder.encode(value) if isinstance(value, dict | list) else _text(value, "", "")
        if re.search(_DIFFERS, text):
            text = _text(value, "", "")
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return _escaped(text)


def to_indented(value: object) -> str:
    """The text of ``JSON.stringify(value, null, 2)``, without a final newline; ``ValueError`` as above."""
    try:
        return _escaped(_text(value, "\n", "  "))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def to_fixed(value: float, digits: int) -> str:
    """``value.toFixed(digits)`` for a finite value below 1e21; ties go up, Python's go to the even."""
    numerator, denominator = abs(float(value)).as_integer_ratio()
    scaled = (2 * numerator * 10**digits + denominator) // (2 * denominator)
    whole, part = divmod(scaled, 10**digits)
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"


def number(value: float) -> str:
    """A number as JavaScript prints it within JSON, after it went through a 64-bit float as it does there."""
    if isinstance(value, int):
        if -_SAFE_INTEGER <= value <= _SAFE_INTEGER:
            return str(int(value))
        try:
            value = float(value)
        except OverflowError:
            return "null"
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - only NaN differs from itself
        return "null"
    if value == 0:
        return "0"
    return ("-" if value < 0 else "") + _positive(repr(abs(value)))


def _positive(shortest: str) -> str:
    """Python's shortest digits, laid out by the rules of ECMAScript (Number::toString)."""
    mantissa, _, exponent = shortest.partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).rstrip("0") or "0"
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = f"e{point - 1:+d}"
    return digits + power if count == 1 else f"{digits[0]}.{digits[1:]}{power}"


def _text(value: object, newline: str, step: str) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return number(value)
    inner = newline + step
    if isinstance(value, dict):
        colon = ": " if newline else ":"
        parts = [f"{encode_basestring(key)}{colon}{_text(value[key], inner, step)}" for key in _keys(value)]
        marks = "{}"
    elif isinstance(value, list | tuple):
        parts = [_text(item, inner, step) for item in value]
        marks = "[]"
    else:
        raise TypeError(f"{type(value).__name__} is no JSON value")
    return f"{marks[0]}{inner}{f',{inner}'.join(parts)}{newline}{marks[1]}" if parts else marks


def _keys(value: dict[str, object]) -> list[str]:
    """The keys in JavaScript's order: array indices ascending, then the others as they came."""
    indices = [key for key in value if _is_index(key)]
    if not indices:
        return list(value)
    return sorted(indices, key=int) + [key for key in value if not _is_index(key)]


def _is_index(key: str) -> bool:
    return (
        key.isascii()
        and key.isdigit()
        and len(key) <= 10
        and (key == "0" or key[0] != "0")
        and int(key) <= _LAST_INDEX
    )


def _escaped(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()  # ten times faster than searching for what it cannot encode
    except UnicodeEncodeError:
        return re.sub(_SURROGATES, _escape, text)
    return text


def _escape(match: re.Match[str]) -> str:
    found = match.group()
    if len(found) == 2:  # two halves that JavaScript would see as one character
        return found.encode("utf-16", "surrogatepass").decode("utf-16")
    return f"\\u{ord(found):04x}"
