"""Why the brain, or a project's ledgers, could not be written."""

from __future__ import annotations

import os

from brain.wording import duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.problem import Problem


class WriteError(Exception):
    """A file or folder of the brain that could not be written; what stood there before still stands.

    ``reason`` is the system's word. ``stored`` is true when the new content is in place but the system did
    not confirm that it would survive a power cut.
    """

    code = "brain-write"

    def __init__(self, path: str, reason: str, *, stored: bool = False) -> None:
        what = f"stored, but not confirmed to be durable: {path}" if stored else f"cannot write {path}"
        super().__init__(f"{what}: {reason}")
        self.path = path
        self.reason = reason
        self.stored = stored

    @classmethod
    def of(cls, path: str, error: OSError, *, stored: bool = False) -> WriteError:
        """The same failure as the system reported it."""
        return cls(path, error.strerror or os.strerror(error.errno or 0), stored=stored)

    def problem(self) -> Problem:
        """This error as a value for the result."""
        from brain.problem import Problem  # noqa: PLC0415 - start-up: dataclasses, 8 ms

        return Problem(
            self.code, "error", self.path, str(self), "free space or mend the permissions, then run again"
        )


class LockedError(Exception):
    """Another process holds the brain's lock. ``pid`` is its owner, if the lock says so."""

    code = "brain-locked"

    def __init__(self, path: str, pid: int | None, waited: float) -> None:
        owner = f"process {pid}" if pid else "another process"
        super().__init__(f"the brain is locked by {owner} (waited {waited:g} s): {path}")
        self.path = path
        self.pid = pid
        self.waited = waited

    def problem(self) -> Problem:
        """This error as a value for the result."""
        from brain.problem import Problem  # noqa: PLC0415 - start-up: dataclasses, 8 ms

        return Problem(self.code, "error", self.path, str(self), "wait until the other run has ended")


class ChangedError(Exception):
    """Somebody saved a file between reading and replacing it; theirs stands, read again and plan anew."""

    def __init__(self, path: str) -> None:
        super().__init__(f"changed meanwhile: {path}")
        self.path = path


class MemError(Exception):
    """Why an action on a project's ledgers failed: one line for people; the ledgers are as before."""


class OccupiedError(MemError):
    """Another process holds a project's ``writer.lock``; it stays untouched.

    ``pid`` and ``hostname`` are what the lock says (None: it says nothing readable), ``age_seconds`` is None
    where the owner came and went too fast to tell. ``alive`` is None when that cannot be known from here.
    """

    def __init__(
        self,
        path: str,
        pid: int | None,
        hostname: str | None,
        age_seconds: float | None,
        *,
        alive: bool | None,
    ) -> None:
        owner = f"process {pid}" if pid else "an owner that it does not name"
        where = f" on {hostname}" if hostname else ""
        since = "" if age_seconds is None else f" since {duration(age_seconds)}"
        if alive is False:
            hint = "that process is gone: look at the files, then free the lock with `zecher doctor --unlock`"
        elif alive:
            hint = "it is running: try again when it has ended"
        else:
            hint = "make sure that its owner is gone, then free the lock with `zecher doctor --unlock`"
        super().__init__(f"the ledgers are locked by {owner}{where}{since} ({path}); {hint}")
        self.path = path
        self.pid = pid
        self.hostname = hostname
        self.age_seconds = age_seconds
        self.alive = alive
