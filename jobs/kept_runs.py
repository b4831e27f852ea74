"""What runs changed, kept in the state folder so that each can be taken back: one file a run.

The file is stored before the first file of a person is touched: a run that is killed has either not begun, or
is known with all that stood there before. Each kind of run has a folder of its own and says which files it
may name, for what is kept here decides what is written when a run is taken back.
"""

from __future__ import annotations

import binascii
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress

from brain.files.atomic import Write, leftovers, make_folder, replace_all
from brain.files.errors import ChangedError, WriteError
from brain.files.kernel_lock import is_running
from brain.files.reading import Seen, UnreadableError, read_seen
from reports.document import located, to_json
from scanner.project import Problem
from scanner.value import dataclass, replace

KEPT = 50
"""So many runs of a kind are kept; the oldest are forgotten."""

KEPT_BYTES = 20 * 1024 * 1024
"""So much room all of a kind take together."""

FILE_CAP = 1024 * 1024
"""So many bytes a file of a run may hold."""

_NAME = r"\d{8}T\d{6}Z-\d{1,6}"
_TRIES = 1000


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of run: its folder in the state folder, the schema of its files, and which files it may name.

    ``allows`` is asked for each name, relative to the base of a file, with ``/``.
    """

    folder: str
    schema: str
    allows: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Before:
    """One file of a run: what it held before and after, None where it did not exist before.

    ``file`` is relative to ``base``, with ``/``.
    """

    base: str
    file: str
    before: bytes | None
    after: bytes

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return os.path.join(self.base, *self.file.split("/"))


@dataclass(frozen=True, slots=True)
class Run:
    """One run.

    ``done`` is what it carried out, as (id, title, path of the file). ``when`` and ``undone`` are times
    (``YYYY-MM-DDThh:mm:ssZ``), the latter empty for one that was not taken back.
    """

    name: str
    when: str
    done: tuple[tuple[str, str, str], ...]
    files: tuple[Before, ...]
    undone: str = ""
    seen: Seen | None = None


class TooMuchError(Exception):
    """A run that would change more than can be kept to take it back."""


class KeptRuns:
    """The runs of one kind in the folder ``state``; nothing is made before one is stored."""

    def __init__(self, state: str, kind: Kind) -> None:
        self._state = state
        self._kind = kind
        self._folder = os.path.join(state, kind.folder)

    def next_name(self, when: str) -> str:
        """The name that a run of ``when`` would get now: the order of names is the order of runs."""
        stem = when.replace("-", "").replace(":", "")
        # Never a number again that was forgotten.
        taken = (_order(name)[1] for name in self._names() if name.startswith(f"{stem}-"))
        return f"{stem}-{1 + max(taken, default=0)}"

    def store(self, run: Run) -> Run:
        """Keep ``run``, durable, under its name or the next one that is free; the oldest are forgotten.

        Raises ``brain.files.errors.WriteError``, and ``TooMuchError`` for more than ``KEPT_BYTES``.
        """
        folder = self._made()
        stem, _, number = run.name.rpartition("-")
        for following in range(int(number), int(number) + _TRIES):
            stored = self._stored(folder, replace(run, name=f"{stem}-{following}"))
            if stored is not None:
                return stored
        raise TooMuchError("too many runs in one second")

    def store_as_named(self, run: Run) -> Run | None:
        """As ``store``, but under this very name, which its files may hold; None where it is taken."""
        return self._stored(self._made(), run)

    def settle(self, run: Run) -> Run | None:
        """What really happened of a run that ended early: only the files that hold its result are kept.

        None where no file was changed; it is then forgotten.
        """
        files = tuple(one for one in run.files if current(one) == one.after)
        if files:
            return self._saved(replace(run, files=files))
        with suppress(OSError):
            os.unlink(self._path(run.name))
        return None

    def mark_undone(self, run: Run, when: str) -> Run:
        """Remember that a run was taken back; raises ``WriteError`` and ``ChangedError``."""
        return self._saved(replace(run, undone=when))

    def runs(self) -> tuple[tuple[Run, ...], tuple[Problem, ...]]:
        """All that is kept, the newest first, and the files that make no sense."""
        found, problems = [], []
        for name in reversed(self._names()):
            try:
                found.append(self.read(name))
            except ValueError as error:
                why = f"it cannot be taken back: {error}"
                problems.append(Problem("run-damaged", "warning", self._path(name), why, "Delete the file."))
        return tuple(found), tuple(problems)

    def read(self, name: str) -> Run:
        """The run ``name``; ``KeyError`` where there is none, ``ValueError`` for a senseless file."""
        if not re.fullmatch(_NAME, name):
            raise KeyError(name)
        try:
            seen = read_seen(self._path(name), KEPT_BYTES)
        except UnreadableError as error:
            if error.code == "missing":
                raise KeyError(name) from None
            raise ValueError(error.message) from None
        run = _parse(name, seen.data or b"", self._kind)
        if run is None:
            raise ValueError("it does not hold what Zecher wrote")
        return replace(run, seen=seen)

    # -- files ----------------------------------------------------------------------------------------------

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, f"{name}.json")

    def _made(self) -> str:
        # In a fresh home the XDG folder around it may be missing as well.
        make_folder(os.path.dirname(self._state))
        make_folder(self._state)
        make_folder(self._folder)
        for path, pid in leftovers(self._folder, rf"{_NAME}\.json"):
            if not is_running(pid):
                with suppress(OSError):
                    os.unlink(path)
        return os.path.realpath(self._folder)

    def _stored(self, folder: str, run: Run) -> Run | None:
        data = _bytes(run, self._kind)
        if len(data) > KEPT_BYTES:
            raise TooMuchError(f"{len(data):,} bytes to be kept, more than {KEPT_BYTES:,}")
        path = os.path.join(folder, f"{run.name}.json")
        try:
            replace_all([Write(path, data, None)], folder)
        except ChangedError:
            return None  # another run of the same second took the name
        self._forget(run.name)
        return replace(run, seen=_written(path))

    def _names(self) -> list[str]:
        try:
            names = os.listdir(self._folder)
        except OSError:
            return []
        found = [name.removesuffix(".json") for name in names if re.fullmatch(rf"{_NAME}\.json", name)]
        return sorted(found, key=_order)

    def _forget(self, newest: str) -> None:
        """Remove the oldest runs beyond the bounds, never the one that was just kept."""
        room = KEPT_BYTES
        names = [newest, *(name for name in reversed(self._names()) if name != newest)]
        for count, name in enumerate(names):
            path = self._path(name)
            with suppress(OSError):
                room -= os.lstat(path).st_size
                if count and (count >= KEPT or room < 0):
                    os.unlink(path)

    def _saved(self, run: Run) -> Run:
        folder = os.path.realpath(self._folder)
        path = os.path.join(folder, f"{run.name}.json")
        replace_all([Write(path, _bytes(run, self._kind), run.seen)], folder)
        return replace(run, seen=_written(path))


def current(file: Before) -> bytes | None:
    """What the file holds now, None where it is missing or cannot be read."""
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


def _order(name: str) -> tuple[str, int]:
    moment, _, number = name.partition("-")
    return moment, int(number)


def _written(path: str) -> Seen:
    try:
        return read_seen(path, KEPT_BYTES)
    except UnreadableError as error:
        raise WriteError(path, error.message) from None


# -- their form ---------------------------------------------------------------------------------------------


def _bytes(run: Run, kind: Kind) -> bytes:
    return to_json(
        {
            "schema": kind.schema,
            "schema_version": 1,
            "run": run.name,
            "when": run.when,
            "undone": run.undone or None,
            "done": [{"id": one, "title": title, **located(path)} for one, title, path in run.done],
            "files": [
                {
                    **located(one.base),
                    "file": one.file,
                    "before": None if one.before is None else _packed(one.before),
                    "after": _packed(one.after),
                }
                for one in run.files
            ],
        }
    ).encode()


def _packed(data: bytes) -> str:
    import zlib  # noqa: PLC0415 - start-up: only where files are changed

    return binascii.b2a_base64(zlib.compress(data, 9), newline=False).decode()


def _unpacked(text: object) -> bytes:
    import zlib  # noqa: PLC0415 - as above

    if not isinstance(text, str):
        raise TypeError
    unpacking = zlib.decompressobj()
    data = unpacking.decompress(binascii.a2b_base64(text, strict_mode=True), FILE_CAP)
    if not unpacking.eof:
        raise ValueError("longer than any file that is changed")
    return data


def _parse(name: str, data: bytes, kind: Kind) -> Run | None:
    import json  # noqa: PLC0415 - start-up: 7 ms, only where files were changed
    import zlib  # noqa: PLC0415 - as above

    try:
        document = json.loads(data)
        return Run(
            name,
            str(document["when"]),
            tuple((str(one["id"]), str(one["title"]), _placed(one)) for one in document["done"]),
            tuple(_before(one, kind) for one in document["files"]),
            str(document["undone"] or ""),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error, zlib.error):
        return None


def _before(entry: Mapping[str, object], kind: Kind) -> Before:
    name = str(entry["file"])
    if not kind.allows(name):
        raise ValueError(name)
    before = entry["before"]
    return Before(
        _placed(entry), name, None if before is None else _unpacked(before), _unpacked(entry["after"])
    )


def _placed(entry: Mapping[str, object]) -> str:
    coded = entry.get("path_b64")
    return os.fsdecode(binascii.a2b_base64(str(coded), strict_mode=True)) if coded else str(entry["path"])
