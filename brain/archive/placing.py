"""Seals an export, so that it is known again, and puts it into a folder without losing what stands there."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress

from brain.files.atomic import OutsideError, Write, leftovers, replace_all
from brain.files.errors import ChangedError, WriteError
from brain.files.kernel_lock import is_running
from brain.files.reading import Seen, UnreadableError, read_seen
from brain.times import utc_date

HEADING = "# BMAD+ Brain Export"

_CAP = 640 * 1024 * 1024  # an export of the largest brain, each character shown as ten
_LAST_NUMBER = 1000
_TRIES = 5
_NAMES = r"bmad-brain-export-\d{4}-\d\d-\d\d(?:-\d+)?\.md"

_SEAL = b"> Written by `zecher memory export`, sealed `sha256:%s`.\n>\n"
_SEAL_LINE = re.compile(re.escape(_SEAL % b"?").replace(rb"\?", rb"([0-9a-f]{64})"))


def archive_name(now: float) -> str:
    """The name of an export made at ``now`` (epoch seconds); it carries the date in UTC."""
    return f"bmad-brain-export-{utc_date(now)}.md"


def sealed(quoted: Sequence[str], body: str) -> str:
    """A whole export: the heading, the lines ``quoted`` each as a paragraph of a quotation, the ``body``.

    The last line of the quotation is a seal over all the rest, so that ``place`` knows an export that nobody
    has changed since.
    """
    above = HEADING + "\n" + "".join(f"> {line}\n>\n" for line in quoted[:1])
    below = "\n>\n".join(f"> {line}" for line in quoted[1:]) + f"\n\n{body}"
    seal = _SEAL % _digest(above.encode(), below.encode())
    return above + seal.decode() + below


def is_ours(data: bytes) -> bool:
    """Whether ``data`` is an export of ours, every byte as it was written."""
    start = data.find(b"\n>\n", 0, 400) + 3
    seal = _SEAL_LINE.match(data, start)
    if not seal or not data.startswith(HEADING.encode()):
        return False
    return _digest(data[:start], data[seal.end() :]) == seal[1]


def place(folder: str, name: str, data: bytes, *, replaces: bool = True) -> str:
    """Write an export into ``folder`` as ``name``, or with ``-2`` and so on before its suffix: its path.

    What stands under a name is replaced only if it is an export of ours that nobody changed, and only with
    ``replaces``: an export that lacks something shall not take the place of a whole one. ``WriteError``
    when the folder is missing, the system refuses, or a thousand names are taken.
    """
    base = os.path.realpath(folder)
    if not os.path.isdir(base):
        raise WriteError(folder, "there is no such folder")
    _sweep(base)
    stem, suffix = os.path.splitext(name)
    for number in range(1, _LAST_NUMBER + 1):
        path = os.path.join(folder, name if number == 1 else f"{stem}-{number}{suffix}")
        if _put(path, data, base, replaces=replaces):
            return path
    raise WriteError(os.path.join(folder, name), f"{_LAST_NUMBER} files of that name are there already")


def _sweep(folder: str) -> None:
    """Remove what a killed export left behind: a temporary file of a process that is gone."""
    for path, pid in leftovers(folder, _NAMES):
        if is_running(pid) is False:
            with suppress(OSError):  # litter that stays is no reason to refuse an export
                os.unlink(path)


def _put(path: str, data: bytes, base: str, *, replaces: bool) -> bool:
    """Whether ``data`` now stands at ``path``; not, when something stands there that is not ours."""
    for _ in range(_TRIES):
        try:
            seen: Seen | None = read_seen(path, _CAP)
        except UnreadableError as error:
            if error.code != "missing":
                return False
            seen = None
        if seen is not None and not (replaces and is_ours(seen.data or b"")):
            return False
        try:
            replace_all([Write(path, data, seen)], base)
        except ChangedError:
            continue  # somebody wrote it just now: look again whose it is
        except OutsideError:
            return False
        return True
    return False


def _digest(*parts: bytes) -> bytes:
    from hashlib import sha256  # noqa: PLC0415 - start-up: 3 ms

    return sha256(b"".join(parts)).hexdigest().encode()
