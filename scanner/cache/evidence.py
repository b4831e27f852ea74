"""What proves that a reading would see the same again: names, and what stood at each.

A signature proves nothing where the thing changed within the last two seconds before the scan: some file
systems tick that slowly, and a second change within the same tick would leave no mark. Such a reading is
simply not kept; the next scan reads it once more.
"""

from __future__ import annotations

import os
import stat
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import blake2b

from scanner import away
from scanner.trace import ABSENT, Name, Reads, Signature, signature
from scanner.value import Value

RACY_NS = 2_000_000_000
"""How old every change must be at the beginning of a scan for a signature to be a proof."""

NAMES_CAP = 25_000
"""How many names one reading may rest on and still be kept."""

_NUMBERS = len(ABSENT)
_MODE = 2


Covered = tuple[frozenset[str], frozenset[str]]
"""Real folders; and these with all that links lead to."""


class Evidence(Value):
    """What one reading rests on.

    ``own`` are names asked for themselves, ``followed`` for what they lead to, each joined by NUL;
    ``numbers`` holds the signatures of both in their order, as machine words; ``resolved`` pairs names with
    their real paths; ``roots`` is the fingerprint of the roots where they decided something, else empty;
    ``dates`` are the latest date that was held against the clock and lay before its horizon, and the first
    that lay after it.
    """

    __slots__ = ("dates", "followed", "numbers", "own", "resolved", "roots")

    def __init__(
        self,
        names: tuple[bytes, bytes],
        numbers: bytes,
        resolved: tuple[tuple[str, str], ...] = (),
        roots: str = "",
        dates: tuple[float, float] = (float("-inf"), float("inf")),
    ) -> None:
        self.own, self.followed = names
        self.numbers = numbers
        self.resolved = resolved
        self.roots = roots
        self.dates = dates

    def fingerprint(self) -> str:
        """Tells this evidence from any other."""
        told = repr((bytes(self.own), bytes(self.followed), self.resolved, self.roots)).encode()
        return blake2b(told + bytes(self.numbers), digest_size=16).hexdigest()

    def folders(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names that are real folders, and those that are or lead to some."""
        modes = array("q", bytes(self.numbers))[_MODE::_NUMBERS]
        names = [*map(os.fsdecode, apart(self.own)), *map(os.fsdecode, apart(self.followed))]
        are_folders = [stat.S_ISDIR(mode) for mode in modes]
        real = len(apart(self.own))
        return (
            frozenset(name for name, is_one in zip(names[:real], are_folders[:real], strict=True) if is_one),
            frozenset(name for name, is_one in zip(names, are_folders, strict=True) if is_one),
        )

    def holds(self, roots: str, horizon: float) -> bool:
        """Whether all of it is as it was. ``horizon``: later dates lie in the future, epoch seconds."""
        return (
            not self._leads_away()
            and self.dates[0] <= horizon
            and self.dates[1] > horizon + 1  # some leave the part below a second away
            and self.roots in ("", roots)
            and _numbers_of(apart(self.own), apart(self.followed)) == self.numbers
            and all(os.path.realpath(name) == real for name, real in self.resolved)
        )

    def _leads_away(self) -> bool:
        """Whether a name lies where nothing may be asked now: something that may hang was mounted there."""
        if away.current is None:
            return False
        told = b"\0".join(
            (bytes(self.own), bytes(self.followed), *(os.fsencode(real) for _, real in self.resolved))
        )
        return any(os.fsencode(point) in told for point in away.current.points)


def apart(joined: bytes) -> list[bytes]:
    """The names that were joined by NUL."""
    return bytes(joined).split(b"\0") if joined else []


def evidence_of(
    reads: Reads, roots: str, started_ns: int, covered: Covered = (frozenset(), frozenset())
) -> Evidence | None:
    """The evidence of one reading; ``None`` where it can be no proof.

    ``covered`` are folders (real ones; and all, with those that links lead to) whose signatures stand
    elsewhere in the same record, and hold whenever this evidence is asked. What was not there in a folder
    cannot have come without a new date of the folder: such a name needs no signature of its own.
    """
    if not reads.is_sound:
        return None
    own = {_text(name): found for name, found in reads.own.items()}
    followed = {_text(name): found for name, found in reads.followed.items()}
    # What is no link leads to itself.
    followed = {name: found for name, found in followed.items() if own.get(name) != found}
    real, with_links = covered
    folders = {*with_links, *_folders(own), *_folders(followed)}
    own = {
        name: found
        for name, found in own.items()
        if not _is_told(name, found, real) and (found != ABSENT or name.rpartition("/")[0] not in folders)
    }
    # What leads nowhere is a link here, whose folder does not tell when there is something at its end.
    followed = {name: found for name, found in followed.items() if not _is_told(name, found, with_links)}
    signatures = [*own.values(), *followed.values()]
    if len(signatures) > NAMES_CAP or any(is_racy(found, started_ns) for found in signatures):
        return None
    try:
        numbers = array("q", [number for found in signatures for number in found]).tobytes()
    except OverflowError:  # an inode beyond 63 bits
        return None
    resolved = tuple(sorted(reads.resolved.items()))
    asked = roots if reads.asks_roots else ""
    names = os.fsencode("\0".join(own)), os.fsencode("\0".join(followed))
    return Evidence(names, numbers, resolved, asked, (reads.latest, reads.next))


def is_racy(found: Signature, started_ns: int) -> bool:
    """Whether the thing changed so lately that a change after it might leave no mark."""
    return max(found[-1], found[-2]) > started_ns - RACY_NS


def are_racy(numbers: Sequence[int], started_ns: int) -> bool:
    """The same for any of many signatures, one after the other."""
    latest = max((*numbers[_NUMBERS - 2 :: _NUMBERS], *numbers[_NUMBERS - 1 :: _NUMBERS]), default=0)
    return latest > started_ns - RACY_NS


def _folders(seen: Mapping[str, Signature]) -> Iterable[str]:
    return (name for name, found in seen.items() if stat.S_ISDIR(found[_MODE]))


def _is_told(name: str, found: Signature, covered: Collection[str]) -> bool:
    return name in covered and stat.S_ISDIR(found[_MODE])


def _numbers_of(own: Iterable[bytes], followed: Iterable[bytes]) -> bytes:
    numbers: list[int] = []
    _append(numbers, os.lstat, own)
    _append(numbers, os.stat, followed)
    try:
        return array("q", numbers).tobytes()
    except OverflowError:
        return b""


def _append(numbers: list[int], ask: Callable[[bytes], os.stat_result], names: Iterable[bytes]) -> None:
    for name in names:
        try:
            numbers += signature(ask(name))
        except (FileNotFoundError, NotADirectoryError):
            numbers += ABSENT
        except (OSError, ValueError):
            numbers.append(-1)  # no answer: as no signature has a number less, nothing equals it


def _text(name: Name) -> str:
    text = os.fsdecode(name)
    return text.rstrip("/") or text
