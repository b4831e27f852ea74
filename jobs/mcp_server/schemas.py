"""What tools take and give, as JSON Schema, and whether arguments fit: closed, nothing is converted.

Of the schema language only what is used here is understood: type, enum, minLength, maxLength, minimum,
maximum, required. What is wrong is named by argument and rule, never by the value that was rejected.
"""

from __future__ import annotations

from collections.abc import Mapping

from jobs.errors import nearest
from jobs.mcp_server.refusal import RefusedError

Schema = dict[str, object]

_TYPES = {"string": str, "integer": int, "boolean": bool}


def text(what: str, *, least: int = 1, most: int = 10_000) -> Schema:
    """A string of ``least`` to ``most`` characters."""
    return {"type": "string", "description": what, "minLength": least, "maxLength": most}


def choice(what: str, *words: str, default: str | None = None) -> Schema:
    """One of ``words``."""
    schema: Schema = {"type": "string", "description": what, "enum": list(words)}
    return schema if default is None else {**schema, "default": default}


def number(what: str, least: int, most: int, default: int | None = None) -> Schema:
    """A whole number."""
    schema: Schema = {"type": "integer", "description": what, "minimum": least, "maximum": most}
    return schema if default is None else {**schema, "default": default}


def switch(what: str) -> Schema:
    """True or false; false where it is not given."""
    return {"type": "boolean", "description": what, "default": False}


def closed(properties: Mapping[str, Schema], *required: str) -> Schema:
    """An object that holds nothing else."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def output(**types: str) -> Schema:
    """An object with at least these keys; a type that ends in ``?`` may be null."""
    return {
        "type": "object",
        "properties": {
            name: {"type": [kind[:-1], "null"] if kind.endswith("?") else kind}
            for name, kind in types.items()
        },
        "required": list(types),
    }


def check(arguments: object, schema: Schema) -> dict[str, object]:
    """``arguments`` if they fit ``schema``, null ones left out; else ``RefusedError``."""
    if arguments is None:
        arguments = {}
    properties, required = schema["properties"], schema["required"]
    if not isinstance(arguments, dict) or not isinstance(properties, dict) or not isinstance(required, list):
        raise RefusedError("bad-arguments", "The arguments are no object", "Give them by name.")
    for name in arguments:
        if name not in properties:
            raise _unknown(name, list(properties))
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in required:
        if name not in given:
            raise RefusedError("bad-arguments", f"{name} is missing", f"Give {name}.")
    return {name: _fitting(name, value, properties[name]) for name, value in given.items()}


def _unknown(name: object, known: list[str]) -> RefusedError:
    neighbour = nearest(name[:100], known) if isinstance(name, str) else None
    fix = f"Did you mean {neighbour}?" if neighbour else f"There are: {', '.join(known) or 'none'}."
    return RefusedError("bad-arguments", "There is an argument that the tool does not have", fix)


def _fitting(name: str, value: object, schema: Schema) -> object:
    kind = str(schema["type"])
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, _TYPES[kind]) or (kind == "integer" and isinstance(value, bool)):
        raise _wrong(name, f"is no {kind}")
    if isinstance(value, str):
        _check_text(name, value, schema)
    elif kind == "integer":
        least, most = schema["minimum"], schema["maximum"]
        if not (isinstance(value, int) and isinstance(least, int) and isinstance(most, int)):
            raise TypeError(name)
        if not least <= value <= most:
            raise _wrong(name, f"is not from {least:,} to {most:,}")
    return value


def _check_text(name: str, value: str, schema: Schema) -> None:
    words = schema.get("enum")
    if isinstance(words, list):
        if value not in words:
            raise _wrong(name, f"is not one of {', '.join(words)}")
        return
    least, most = schema["minLength"], schema["maxLength"]
    if not isinstance(least, int) or not isinstance(most, int):
        raise TypeError(name)
    if len(value) < least or (least and not value.strip()):
        raise _wrong(name, "is blank")
    if len(value) > most:
        raise _wrong(name, f"is longer than {most:,} characters")
    if "\0" in value or any("\ud800" <= sign <= "\udfff" for sign in value):
        raise _wrong(name, "holds a character that no text has")


def _wrong(name: str, why: str) -> RefusedError:
    return RefusedError("bad-arguments", f"{name} {why}", "Nothing was done; call again with one that fits.")
