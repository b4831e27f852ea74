"""What an observation may say: bounded texts, scopes, and when two scopes touch."""

from __future__ import annotations

from brain.display import one_line
from brain.files.errors import MemError
from brain.notes import BLANKS

MAX_SCOPE = 30


def bounded_text(value: object, what: str, most: int) -> str:
    """``value`` when it is a text that says something in at most ``most`` UTF-16 units; ``what`` names it.

    The limit counts as the original counts: a character beyond 16 bits is two. ``MemError`` otherwise.
    """
    if not isinstance(value, str) or not value.strip(BLANKS):
        raise MemError(f"{what} is missing: give a text that is not blank")
    if len(_units(value)) > 2 * most:
        raise MemError(f"{what} is too long: at most {most} characters")
    return value


def scope_paths(value: object) -> list[str]:
    """The paths of a scope without repetitions, sorted; ``MemError`` when one is not normal.

    1 to 30 paths, counted with the repetitions, each relative to the project with ``/`` between its parts.
    """
    if not isinstance(value, list | tuple) or not value or len(value) > MAX_SCOPE:
        raise MemError(
            f"the scope must be a list of 1 to {MAX_SCOPE} paths below the project, such as src/auth"
        )
    return in_order({_scope_path(path) for path in value})


def in_order(values: set[str]) -> list[str]:
    """``values`` sorted by UTF-16 units, as JavaScript sorts and receipts are hashed."""
    return sorted(values, key=_units)


def within(path: str, parent: str) -> bool:
    """Whether ``path`` is ``parent`` or lies below it, letter by letter."""
    return path == parent or path.startswith(parent + "/")


def overlap(left: list[str], right: list[str]) -> bool:
    """Whether a path of one scope is, holds, or lies below a path of the other."""
    return any(within(one, other) or within(other, one) for one in left for other in right)


def _scope_path(path: object) -> str:
    if not isinstance(path, str):
        raise MemError("a path of the scope is not a text")
    if "\\" in path or ":" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise MemError(
            f"the scope path {one_line(path, 80)!r} is not normal: write it relative to the project, with / "
            "between its parts, without . and .. and without a / at either end"
        )
    return path


def _units(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")
