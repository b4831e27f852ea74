"""What consolidations changed, kept in the state folder so that each can be taken back: one file a run.

The file is stored before the first of the notes is touched: a run that is killed has either not begun, or is
known with all that stood there before.
"""

from __future__ import annotations

import binascii
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from brain.consolidate.books import files_of
from brain.consolidate.values import Change, Notes, Proposal, path_of
from brain.entries.reader import FILE_CAP
from brain.files.atomic import Write, leftovers, make_folder, replace_all
from brain.files.errors import ChangedError, WriteError
from brain.files.kernel_lock import is_running
from brain.files.reading import Seen, UnreadableError, read_seen
from reports.document import located, to_json
from scanner.project import Problem
from scanner.value import dataclass, replace

FOLDER = "consolidations"
KEPT = 50
"""So many runs are kept; the oldest are forgotten."""

KEPT_BYTES = 20 * 1024 * 1024
"""So much room all of them take together."""

_SCHEMA = "zecher.consolidation"
_NAME = r"\d{8}T\d{6}Z-\d{1,6}"
_TRIES = 1000
_FILES = frozenset(file for in_brain in (False, True) for file in files_of(Notes("", "", "", in_brain)))


@dataclass(frozen=True, slots=True)
class Before:
    """One file of a run: what it held before and after. ``file`` is relative to ``base``, with ``/``."""

    base: str
    file: str
    before: bytes
    after: bytes

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return path_of(self.base, self.file)


@dataclass(frozen=True, slots=True)
class Run:
    """One consolidation.

    ``done`` are the proposals that it carried out, as (id, title, path of the file). ``when`` and ``undone``
    are times (``YYYY-MM-DDThh:mm:ssZ``), the latter empty for one that was not taken back.
    """

    name: str
    when: str
    done: tuple[tuple[str, str, str], ...]
    files: tuple[Before, ...]
    undone: str = ""
    seen: Seen | None = None


class TooMuchError(Exception):
    """A run that would change more than can be kept to take it back."""


def store(state: str, changes: Sequence[Change], done: Iterable[Proposal], when: str) -> Run:
    """Keep what the files of ``changes`` hold, durable; the oldest runs beyond the bounds are forgotten.

    Raises ``brain.files.errors.WriteError``, and ``TooMuchError`` for more than ``KEPT_BYTES``.
    """
    files = tuple(Before(change.base, change.file, change.old, change.new) for change in changes)
    told = tuple((one.id, one.part.title, one.part.path) for one in done)
    folder = _made(state)
    stem = when.replace("-", "").replace(":", "")
    # Never a number again that was forgotten: the order of names is the order of runs.
    first = 1 + max((_order(name)[1] for name in _names(folder) if name.startswith(f"{stem}-")), default=0)
    for number in range(first, first + _TRIES):
        run = Run(f"{stem}-{number}", when, told, files)
        data = _bytes(run)
        if len(data) > KEPT_BYTES:
            raise TooMuchError(f"{len(data):,} bytes to be kept, more than {KEPT_BYTES:,}")
        path = _path(folder, run.name)
        try:
            replace_all([Write(path, data, None)], folder)
        except ChangedError:
            continue  # another run of the same second took the name
        _forget(folder, run.name)
        return replace(run, seen=_written(path))
    raise TooMuchError("too many runs in one second")


def settle(state: str, run: Run) -> Run | None:
    """What really happened of a run that ended early: only the files that hold its result are kept.

    None where no file was changed; it is then forgotten.
    """
    files = tuple(one for one in run.files if current(one) == one.after)
    if files:
        return _saved(state, replace(run, files=files))
    with suppress(OSError):
        os.unlink(_path(_folder(state), run.name))
    return None


def mark_undone(state: str, run: Run, when: str) -> Run:
    """Remember that a run was taken back; raises ``WriteError`` and ``ChangedError``."""
    return _saved(state, replace(run, undone=when))


def runs(state: str) -> tuple[tuple[Run, ...], tuple[Problem, ...]]:
    """All that is kept, the newest first, and the files that make no sense."""
    found, problems = [], []
    for name in reversed(_names(_folder(state))):
        try:
            found.append(read_run(state, name))
        except ValueError as error:
            path = _path(_folder(state), name)
            problems.append(
                Problem(
                    "run-damaged", "warning", path, f"it cannot be taken back: {error}", "Delete the file."
                )
            )
    return tuple(found), tuple(problems)


def read_run(state: str, name: str) -> Run:
    """The run ``name``; ``KeyError`` where there is none, ``ValueError`` for a file that makes no sense."""
    if not re.fullmatch(_NAME, name):
        raise KeyError(name)
    try:
        seen = read_seen(_path(_folder(state), name), KEPT_BYTES)
    except UnreadableError as error:
        if error.code == "missing":
            raise KeyError(name) from None
        raise ValueError(error.message) from None
    run = _parse(name, seen.data or b"")
    if run is None:
        raise ValueError("it does not hold what Zecher wrote")
    return replace(run, seen=seen)


def current(file: Before) -> bytes | None:
    """What the file holds now, None where it cannot be read."""
    try:
        return read_seen(file.path, FILE_CAP).data
    except UnreadableError:
        return None


def state_of(run: Run) -> str:
    """Where a run stands by what its files hold now.

    ``done``: all hold its result; ``undone``: none does; ``partly``: some do; ``changed``: one holds neither.
    """
    held = []
    for file in run.files:
        now = current(file)
        held.append("done" if now == file.after else "undone" if now == file.before else "changed")
    if "changed" in held:
        return "undone" if run.undone else "changed"
    return held[0] if len(set(held)) == 1 else "partly"


# -- files --------------------------------------------------------------------------------------------------


def _folder(state: str) -> str:
    return os.path.join(state, FOLDER)


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, f"{name}.json")


def _made(state: str) -> str:
    # In a fresh home the XDG folder around it may be missing as well.
    make_folder(os.path.dirname(state))
    make_folder(state)
    folder = _folder(state)
    make_folder(folder)
    for path, pid in leftovers(folder, rf"{_NAME}\.json"):
        if not is_running(pid):
            with suppress(OSError):
                os.unlink(path)
    return os.path.realpath(folder)


def _names(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    found = [name.removesuffix(".json") for name in names if re.fullmatch(rf"{_NAME}\.json", name)]
    return sorted(found, key=_order)


def _order(name: str) -> tuple[str, int]:
    moment, _, number = name.partition("-")
    return moment, int(number)


def _forget(folder: str, newest: str) -> None:
    """Remove the oldest runs beyond the bounds, never the one that was just kept."""
    room = KEPT_BYTES
    names = [newest, *(name for name in reversed(_names(folder)) if name != newest)]
    for count, name in enumerate(names):
        path = _path(folder, name)
        with suppress(OSError):
            room -= os.lstat(path).st_size
            if count and (count >= KEPT or room < 0):
                os.unlink(path)


def _written(path: str) -> Seen:
    try:
        return read_seen(path, KEPT_BYTES)
    except UnreadableError as error:
        raise WriteError(path, error.message) from None


def _saved(state: str, run: Run) -> Run:
    folder = os.path.realpath(_folder(state))
    path = _path(folder, run.name)
    replace_all([Write(path, _bytes(run), run.seen)], folder)
    return replace(run, seen=_written(path))


# -- their form ---------------------------------------------------------------------------------------------


def _bytes(run: Run) -> bytes:
    return to_json(
        {
            "schema": _SCHEMA,
            "schema_version": 1,
            "run": run.name,
            "when": run.when,
            "undone": run.undone or None,
            "done": [{"id": one, "title": title, **located(path)} for one, title, path in run.done],
            "files": [
                {
                    **located(one.base),
                    "file": one.file,
                    "before": _packed(one.before),
                    "after": _packed(one.after),
                }
                for one in run.files
            ],
        }
    ).encode()


def _packed(data: bytes) -> str:
    import zlib  # noqa: PLC0415 - start-up: only where notes are changed

    return binascii.b2a_base64(zlib.compress(data, 9), newline=False).decode()


def _unpacked(text: object) -> bytes:
    import zlib  # noqa: PLC0415 - as above

    if not isinstance(text, str):
        raise TypeError
    unpacking = zlib.decompressobj()
    data = unpacking.decompress(binascii.a2b_base64(text, strict_mode=True), FILE_CAP)
    if not unpacking.eof:
        raise ValueError("longer than any file of notes")
    return data


def _parse(name: str, data: bytes) -> Run | None:
    import json  # noqa: PLC0415 - start-up: 7 ms, only where notes were changed
    import zlib  # noqa: PLC0415 - as above

    try:
        document = json.loads(data)
        return Run(
            name,
            str(document["when"]),
            tuple((str(one["id"]), str(one["title"]), _placed(one)) for one in document["done"]),
            tuple(
                Before(
                    _placed(one), _relative(one["file"]), _unpacked(one["before"]), _unpacked(one["after"])
                )
                for one in document["files"]
            ),
            str(document["undone"] or ""),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error, zlib.error):
        return None


def _placed(entry: Mapping[str, object]) -> str:
    coded = entry.get("path_b64")
    return os.fsdecode(binascii.a2b_base64(str(coded), strict_mode=True)) if coded else str(entry["path"])


def _relative(name: object) -> str:
    text = str(name)
    if text not in _FILES:
        raise ValueError(text)
    return text
