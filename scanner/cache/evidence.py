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

    def folders(self) -> Iterable[str]:
        """The names that are real folders."""
        modes = array("q", bytes(self.numbers))[_MODE::_NUMBERS]
        names = (*apart(self.own), *apart(self.followed))
        return (os.fsdecode(name) for name, mode in zip(names, modes, strict=True) if stat.S_ISDIR(mode))

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


def evidence_of(reads: Reads, roots: str, started_ns: int, covered: Collection[str] = ()) -> Evidence | None:
    """The evidence of one reading; ``None`` where it can be no proof.

    ``covered`` are names whose signatures stand elsewhere in the same record, and hold whenever this evidence
    is asked. What was not there in a folder cannot have come without a new date of the folder: such a name
    needs no signature of its own.
    """
    if not reads.is_sound:
        return None
    own = {_text(name): found for name, found in reads.own.items()}
    followed = {_text(name): found for name, found in reads.followed.items()}
    # What is no link leads to itself.
    followed = {name: found for name, found in followed.items() if own.get(name) != found}
    folders = {*covered, *_folders(own), *_folders(followed)}
    own, followed = _needed(own, folders, covered), _needed(followed, folders, covered)
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


def _needed(
    seen: Mapping[str, Signature], folders: Collection[str], covered: Collection[str]
) -> dict[str, Signature]:
    return {
        name: found
        for name, found in seen.items()
        if not (name in covered and stat.S_ISDIR(found[_MODE]))
        and (found != ABSENT or name.rpartition("/")[0] not in folders)
    }


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
