"""What was judged of memories that did not change since: ``$XDG_CACHE_HOME/zecher/health-cache``.

Anybody may delete it. A record is believed when everything that was looked at for it stands as it stood: each
file and folder by its stamps, each path that was asked after by its answer, the newest commit, the counts of
unsaved work, the rules, and the day, as far as one matters.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from hashlib import blake2b

from brain.health.gather import there
from brain.health.repeats import Sketch
from brain.health.rules import ALL
from brain.health.values import Finding, Health, Outcome
from jobs import __version__
from jobs.cache_file import write_cache
from scanner.mounts import read_mounts
from scanner.places import Places
from scanner.reading import UnreadableError, read_file
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from brain.loops.values import Loop

CAP = 64 * 1024 * 1024
"""How large the file may become, in bytes."""

_MAGIC = b"zecher health cache 1\n"
_DIGEST = 16
_SHORTEST_SECRET = 20
_RACY_NS = 1_000_000_000
"""What changed so shortly before it was read may have changed once more without another stamp."""

Stamp = tuple[int, ...]
"""Of a file, folder or link: mode, owner, device, inode, size, times of change; empty: nothing was there."""


def stamp_of(path: str) -> Stamp:
    """The stamp of ``path`` as it is now, empty where there is nothing. Links are not followed."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return ()
    # Of a folder the size says nothing; the time of its last reading is never part of a stamp.
    size = 0 if stat.S_ISDIR(found.st_mode) else found.st_size
    times = (found.st_mtime_ns, found.st_ctime_ns)
    return (found.st_mode, found.st_uid, found.st_dev, found.st_ino, size, *times)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a judgement of the memory at ``path`` rests on, beside what its key says.

    ``stamps`` are by absolute path; ``probes`` are relative paths with whether something was there.
    """

    path: str
    stamps: Mapping[str, Stamp]
    probes: Mapping[str, bool]

    def holds(self) -> bool:
        """Whether all of it stands as it stood."""
        return all(stamp_of(path) == stamp for path, stamp in self.stamps.items()) and all(
            there(self.path, relative) == answer for relative, answer in self.probes.items()
        )

    def is_sound(self, started_ns: int) -> bool:
        """Whether nothing changed so shortly before ``started_ns``, or since, that a stamp proves nothing."""
        limit = started_ns - _RACY_NS
        return all(not stamp or max(stamp[-2:]) < limit for stamp in self.stamps.values())


def evidence_of(
    path: str, looked_at: Iterable[tuple[str, tuple[int, int, int]]], probes: Mapping[str, bool]
) -> Evidence | None:
    """The evidence for what was read at ``path``; None where something changed meanwhile.

    None as well where a link leads to what looks like a secret: a cache keeps none.

    ``looked_at`` are absolute paths with (modification time in ns, size, inode) as the reading saw them.
    """
    if _holds_secret(probes):
        return None
    stamps = {}
    for place, (modified, size, inode) in looked_at:
        stamp = stamp_of(place)
        if stamp and (stamp[-2], stamp[3]) != (modified, inode):
            return None
        if not stamp and inode != -1:
            return None
        if stamp and stamp[4] not in (0, size):
            return None
        stamps[place] = stamp
    return Evidence(path, stamps, probes)


def _holds_secret(probes: Iterable[str]) -> bool:
    long = [path for path in probes if any(len(part) >= _SHORTEST_SECRET for part in path.split("/"))]
    if not long:
        return False
    from brain.secrets import find  # noqa: PLC0415 - start-up: 5 ms, and most names are shorter

    return bool(find("\n\n".join(long)))


@dataclass(frozen=True, slots=True)
class Kept:
    """One judgement: of ``day`` (``YYYY-MM-DD``), for ``key``; ``lessons`` are sketched for the portfolio,
    ``loops`` are what is open, None where nobody asked. ``evidence`` is None for one that must not be kept.
    """

    key: str
    day: str
    evidence: Evidence | None
    health: Health
    lessons: tuple[Sketch, ...]
    loops: tuple[Loop, ...] | None = None

    def stands(self, key: str, today: str) -> bool:
        """Whether it would come out the same today."""
        if key != self.key or today < self.day or (self.health.turns and today >= self.health.turns):
            return False
        return self.evidence is not None and self.evidence.holds()


class HealthCache:
    """The judgements of one file while a run lasts; ``path`` None: there are none, and none are kept."""

    def __init__(self, path: str | None, rules: str) -> None:
        """``rules`` names the rules: judgements by others are none."""
        self._path = path
        self._rules = f"{__version__} {rules}".encode()
        self._known = _read(path, self._rules) if path is not None else {}
        self._fresh: dict[str, Any] = {}
        self._has_news = False
        self.kept = 0

    def find(self, path: str, key: str, today: str) -> Kept | None:
        """What was judged of the memory at ``path``, if that still stands."""
        plain = self._known.get(path)
        kept = _kept(path, plain) if plain is not None else None
        if kept is None or not kept.stands(key, today):
            return None
        self._fresh[path] = plain
        self.kept += 1
        return kept

    def keep(self, path: str, kept: Kept, started_ns: int) -> None:
        """Take a judgement that was begun at ``started_ns``, by the clock of the machine."""
        evidence = kept.evidence
        if self._path is not None and evidence is not None and evidence.is_sound(started_ns):
            self._fresh[path] = _plain(kept, evidence)
            self._has_news = True

    def save(self, examined: Iterable[str]) -> None:
        """Write the file if anything is new; what was not ``examined`` stays, as long as it is there."""
        if self._path is None:
            return
        looked = set(examined)
        others = {path: plain for path, plain in self._known.items() if path not in looked}
        gone = _gone(others) if self._has_news else []
        records = {path: plain for path, plain in others.items() if path not in gone} | self._fresh
        if self._has_news or len(records) != len(self._known):
            body = _json(records)
            if len(body) <= CAP:
                write_cache(self._path, [_header(body, self._rules), body])


def _gone(paths: Iterable[str]) -> list[str]:
    """Those that are there no more. A far disk is not asked: one that does not answer would never let go."""
    places = Places(read_mounts())
    return [path for path in paths if not places.may_hang(path) and not os.path.isdir(path)]


def started() -> int:
    """This moment by the clock of the machine, in ns, against which stamps are compared."""
    return time.time_ns()


def _read(path: str, rules: bytes) -> dict[str, Any]:
    import json  # noqa: PLC0415 - start-up: 7 ms, only where memories are examined

    try:
        data = read_file(path, CAP + 1024)
    except UnreadableError:
        return {}
    size = len(_MAGIC) + len(rules) + 1 + _DIGEST
    body = data[size:]
    if data[:size] != _header(body, rules):
        return {}
    try:
        records = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return records if isinstance(records, dict) else {}


def _header(body: bytes, rules: bytes) -> bytes:
    return _MAGIC + rules + b"\n" + blake2b(body, digest_size=_DIGEST).digest()


def _json(value: object) -> bytes:
    import json  # noqa: PLC0415 - as above

    return json.dumps(value, separators=(",", ":")).encode()


# -- plain values -------------------------------------------------------------------------------------------


def _plain(kept: Kept, evidence: Evidence) -> object:
    health = kept.health
    return [
        kept.key,
        kept.day,
        dict(evidence.stamps),
        dict(evidence.probes),
        "".join(_ANSWERS[one.passed] for one in health.outcomes),
        [
            [*(one.code, one.level, one.file, one.line, one.message, one.fix, one.anchor, one.since)]
            for one in health.findings
        ],
        [health.tokens, health.loads, health.next_step, health.turns],
        [
            [*(one.project, one.name, one.file, one.line, one.title, one.title_key, one.pairs, one.in_brain)]
            for one in kept.lessons
        ],
        None if kept.loops is None else [_plain_loop(one) for one in kept.loops],
    ]


def _plain_loop(one: Loop) -> list[object]:
    due = one.due.isoformat() if one.due is not None else None
    return [one.id, one.kind, one.text, one.file, one.line, due, one.owner, one.unlock, one.project, one.name]


def _loop(path: str, plain: Any) -> Loop:
    from brain.loops.values import Loop  # noqa: PLC0415 - start-up: only for jobs

    name, kind, text, file, line, due, owner, unlock, project, called = plain
    day = date.fromisoformat(due) if due is not None else None
    return Loop(name, kind, text, file, line, day, owner, unlock, project, path, called)


_ANSWERS = {True: "+", False: "-", None: "."}


@cache
def _outcomes() -> tuple[Mapping[str, Outcome], ...]:
    """Every rule with its outcome by answer, in their order: a record holds for these rules alone."""
    return tuple(
        {sign: Outcome(rule.code, rule.weight, passed) for passed, sign in _ANSWERS.items()} for rule in ALL
    )


def _kept(path: str, plain: Any) -> Kept | None:
    try:
        key, day, stamps, probes, outcomes, findings, (tokens, loads, next_step, turns), lessons, some = plain
        evidence = Evidence(path, {name: tuple(stamp) for name, stamp in stamps.items()}, probes)
        health = Health(
            path,
            tuple(table[answer] for table, answer in zip(_outcomes(), outcomes, strict=True)),
            tuple(Finding(code, level, path, *rest) for code, level, *rest in findings),
            tokens,
            tuple((file, count) for file, count in loads),
            next_step,
            turns,
        )
        sketches = tuple(
            Sketch(project, name, file, line, title, title_key, tuple(pairs), in_brain)
            for project, name, file, line, title, title_key, pairs, in_brain in lessons
        )
        loops = None if some is None else tuple(_loop(path, one) for one in some)
        return Kept(key, day, evidence, health, sketches, loops)
    except (ValueError, TypeError, AttributeError, KeyError):
        return None
