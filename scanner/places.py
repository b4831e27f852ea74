"""Which places a scan may go to, and how it asks there without waiting for ever.

A server that is gone, or a program behind a FUSE mount that has stopped, never answers: whoever asks hangs.
So a path is resolved by the mount table first, one name at a time, and stops before it touches such a file
system. Only where a root itself lies on one is it asked, in a thread that is given up after some seconds.
The thread stays behind until the system answers; it ends with the process.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread
from errno import ETIMEDOUT
from itertools import islice

from scanner.away import names_of, near_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from scanner.mounts import Mount, Mounts

    Answer = TypeVar("Answer")

PATIENCE = 5.0
"""How long an answer from a file system that may be gone is waited for, in seconds."""


class SilentError(OSError):
    """A file system did not answer in time; it is not asked again in this scan."""

    def __init__(self, point: str) -> None:
        super().__init__(ETIMEDOUT, f"what is mounted at {point} does not answer", point)
        self.point = point


class Places:
    """The mounts of one scan, and those among them that were found to be ``silent``, by mount point."""

    def __init__(self, mounts: Mounts, patience: float = PATIENCE) -> None:
        self.mounts = mounts
        self.silent: set[str] = set()
        self._patience = patience

    def far_mount(self, path: str) -> Mount | None:
        """The mount that the absolute ``path`` lies on, if whoever asks there may hang."""
        mount = self.mounts.of(path)
        return mount if mount is not None and mount.is_far else None

    def real_path(self, path: str) -> str:
        """As ``os.path.realpath`` for an absolute ``path``; ``SilentError`` where no answer comes.

        ``AutomountError`` where the path leads through a mount that is made when somebody asks.
        """
        if not self.mounts.by_point:
            return os.path.realpath(path)
        near = self.near_path(os.path.join(os.getcwd(), path))
        mount = self.mounts.of(near)
        if mount is not None and mount.is_automount:
            raise AutomountError(mount.point)
        return near if mount is None else self.ask(mount, lambda: os.path.realpath(near))

    def near_path(self, path: str) -> str:
        """The absolute ``path`` without links as far as can be told without asking a far file system."""
        return near_path(path, self.is_far)

    def may_hang(self, path: str) -> bool:
        """Whether asking for the absolute ``path``, or for what it leads to, asks a far file system."""
        return self.far_mount(self.near_path(path)) is not None

    def points_to_avoid(self, roots: Iterable[str]) -> list[str]:
        """The far mounts that are not those of the ``roots`` themselves."""
        own = {mount.device for mount in map(self.far_mount, roots) if mount is not None}
        return [
            point for point, mount in self.mounts.by_point.items() if mount.is_far and mount.device not in own
        ]

    def is_far(self, path: str) -> bool:
        """Whether something is mounted right at ``path`` that may hang whoever asks."""
        mount = self.mounts.by_point.get(path)
        return mount is not None and mount.is_far

    def ask(self, mount: Mount | None, question: Callable[[], Answer]) -> Answer:
        """The answer to ``question`` about the file system of ``mount``, or what the question raised.

        ``SilentError`` where none comes in time, and at once where none came before.
        """
        if mount is None or not mount.is_far:
            return question()
        if mount.point in self.silent:
            raise SilentError(mount.point)
        try:
            return in_time(question, self._patience)
        except TimeoutError:
            self.silent.add(mount.point)
            raise SilentError(mount.point) from None

    def answers(self, path: str) -> bool:
        """Whether the file system of ``path`` still answers; a near one is not even asked."""
        mount = self.far_mount(path)
        if mount is None:
            return True
        try:
            self.ask(mount, lambda: os.stat(path))
        except SilentError:
            return False
        except OSError:
            return True
        return True

    def entries(self, mount: Mount, path: str, most: int) -> list[os.DirEntry[str]]:
        """At most ``most`` entries of the folder ``path`` on a far ``mount``, their kinds already known."""
        return self.ask(mount, lambda: _listed(path, most))


class AutomountError(OSError):
    """A folder at which something would be mounted as soon as somebody asks."""

    def __init__(self, point: str) -> None:
        super().__init__(ETIMEDOUT, f"{point} is an automount, and nothing is mounted there now", point)
        self.point = point


def _listed(path: str, most: int) -> list[os.DirEntry[str]]:
    with os.scandir(path) as reading:
        found = list(islice(reading, most))
    for entry in found:
        entry.is_dir(follow_symlinks=False)  # asks the system where the directory read does not tell
    return found


def in_time(question: Callable[[], Answer], seconds: float) -> Answer:
    """What ``question`` returns or raises; ``TimeoutError`` where it takes longer than ``seconds``."""
    done = allocate_lock()
    done.acquire()
    answers: list[Answer] = []
    failures: list[Exception] = []

    def run() -> None:
        try:
            answers.append(question())
        except Exception as error:  # noqa: BLE001 - raised again by whoever asked
            failures.append(error)
        finally:
            done.release()

    start_new_thread(run, ())
    if not done.acquire(timeout=seconds):
        raise TimeoutError
    if failures:
        raise failures[0]
    return answers[0]


def spelled_as_listed(path: str, mounts: Mounts) -> str:
    """The absolute ``path`` as its folders spell it, where the file system takes no heed of case or accents.

    Costs one question a name where it does; only there are folders listed.
    """
    found = ""
    for name in names_of(path):
        found = f"{found}/{_spelled(found or '/', name, mounts)}"
    return found or "/"


def _spelled(folder: str, name: str, mounts: Mounts) -> str:
    prefix = folder if folder == "/" else f"{folder}/"
    own = None
    for other in _other_spellings(name):
        if f"{prefix}{other}" in mounts.by_point:
            continue
        try:
            twin = os.lstat(f"{prefix}{other}")
            own = own or os.lstat(f"{prefix}{name}")
            if (twin.st_dev, twin.st_ino) != (own.st_dev, own.st_ino):
                continue
            listed = os.listdir(folder)
        except (OSError, ValueError):
            continue
        if name in listed:
            return name
        wanted = _folded(name)
        return next((one for one in listed if _folded(one) == wanted), name)
    return name


def _other_spellings(name: str) -> list[str]:
    others = [name.swapcase()]
    if not name.isascii():
        from unicodedata import normalize  # noqa: PLC0415 - start-up: only for names with accents

        others += (normalize("NFC", name), normalize("NFD", name))
    return [one for one in dict.fromkeys(others) if one != name]


def _folded(name: str) -> str:
    if name.isascii():
        return name.casefold()
    from unicodedata import normalize  # noqa: PLC0415 - as above

    return normalize("NFC", normalize("NFC", name).casefold())
