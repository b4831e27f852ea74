"""Why something was not remembered, forgotten or edited; the files are as they were."""

from __future__ import annotations


class RememberError(Exception):
    """``code`` is stable, ``fix`` says what to do, ``path`` names the file that it is about, if any."""

    def __init__(self, code: str, message: str, fix: str, *, path: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix
        self.path = path


def changed(path: str) -> RememberError:
    """A version token that is not that of the file."""
    return RememberError(
        "memory-changed",
        "the file is no longer the one that the version token was taken from",
        "Read it again, and decide anew.",
        path=path,
    )
