"""Under which options, and by which program, a record was made: all that decides a reading but the disk."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b

from scanner.cache.plain import shape
from scanner.request import Ground
from scanner.stacks import UserRule

_HOUSE = os.path.dirname(os.path.dirname(__file__))


def key_of(ground: Ground) -> str:
    """The key of every record that a scan on this ground makes."""
    request = ground.request
    who = f"{os.geteuid()}:{os.getegid()}" if hasattr(os, "geteuid") else ""
    parts: list[str | bytes] = [_program(), who, request.nested, *map(_rule, request.user_rules)]
    for rules in ground.user_ignore:
        parts += (rules.source, rules.data)
    parts += ("", *sorted(request.emails))
    return _digest(parts)


def roots_key(roots: Iterable[str]) -> str:
    """Stands for a set of roots."""
    return _digest(sorted(roots))


def _rule(rule: UserRule) -> str:
    return repr((rule.glob, rule.label, rule.root_class, rule.priority))


@cache
def _program() -> str:
    """The program itself, by the dates and sizes of its files: a version may stay while they change."""
    return _digest([sys.version, shape(), *sorted(_files(_HOUSE))])


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _files(entry.path)
            elif entry.name.endswith((".py", ".toml")):
                status = entry.stat()
                yield f"{entry.path}:{status.st_size}:{status.st_mtime_ns}"


def _digest(parts: Iterable[str | bytes]) -> str:
    digest = blake2b(digest_size=16)
    for part in parts:
        data = os.fsencode(part)
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()
