"""Why a tool did not do what was asked, in words that help; nothing that was rejected is repeated."""

from __future__ import annotations

import sqlite3
import sys
import traceback
from secrets import token_hex

from brain.display import display
from brain.entries.errors import DuplicateError, EntryError
from brain.files.atomic import OutsideError
from brain.files.errors import ChangedError, LockedError, MemError, WriteError
from brain.remember.errors import RememberError
from jobs.errors import ExpectedError
from reports.assistant import harmless

_WRITING = (WriteError, ChangedError, OutsideError)


RESULT_CAP = 1_000_000
"""Characters of one answer, document and text."""


class RefusedError(Exception):
    """``message`` is for the assistant; ``code`` is stable."""

    def __init__(self, code: str, what: str, fix: str) -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.fix = fix

    @property
    def message(self) -> str:
        """One paragraph: what is wrong, what to do, the code."""
        return harmless(display(f"{self.what.rstrip('.')}. {self.fix} [{self.code}]"))


def no_more_than_fits(*texts: str) -> None:
    """``RefusedError`` for an answer that no assistant could read: not cut, for half of it misleads."""
    size = sum(map(len, texts))
    if size > RESULT_CAP:
        raise RefusedError(
            "result-too-large",
            f"The answer would have {size:,} characters, more than {RESULT_CAP:,}",
            "Ask for less: a smaller limit or budgetTokens, one project, a class, a later since.",
        )


def refusal_of(error: Exception, *, debug: bool) -> RefusedError:
    """What ``error`` says; of one that nobody expected only a reference, which stands on standard error."""
    if isinstance(error, RefusedError):
        return error
    if isinstance(error, ExpectedError):
        return RefusedError(error.code, f"{error.what}: {error.why}", error.fix)
    return _of_memory(error) or _unexpected(error, debug=debug)


def _of_memory(error: Exception) -> RefusedError | None:
    """What the brain or the index says."""
    if isinstance(error, RememberError):
        return RefusedError(error.code, f"Nothing was changed: {error.message}", error.fix)
    if isinstance(error, DuplicateError):
        return RefusedError(
            "entry-duplicate",
            f"An entry of that title and of {error.date} stands in line {error.line} already",
            "Extend it with edit_note, or choose another title.",
        )
    if isinstance(error, EntryError):
        return RefusedError("entry-refused", f"The entry was not added: {error}", "Mend what is named.")
    if isinstance(error, LockedError):
        return RefusedError(
            "brain-locked", "Somebody else is writing there; nothing was changed", "Try again."
        )
    if isinstance(error, _WRITING):
        return RefusedError("brain-write", f"Nothing was changed: {error}", "Tell the user.")
    if isinstance(error, MemError):
        return RefusedError("memory-refused", f"Nothing was changed: {error}", "Tell the user.")
    if isinstance(error, sqlite3.Error):
        return RefusedError("search-index", "The search index is busy or cannot be kept", "Try again.")
    return None


def _unexpected(error: Exception, *, debug: bool) -> RefusedError:
    reference = token_hex(3)
    said = "".join(traceback.format_exception(error)) if debug else f"{type(error).__name__}\n"
    print(f"zecher mcp: {reference}: {said}", end="", file=sys.stderr)
    return RefusedError(
        "unexpected", f"A mistake in zecher ({reference})", "Tell the user; zecher mcp --debug shows more."
    )
