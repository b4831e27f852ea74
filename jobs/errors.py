"""Errors that a person can mend: what happened, why, what to do, and a code that ``zecher explain`` knows."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.project import Problem

DONE = 0
FAILED = 1
USAGE = 2
PARTIAL = 3
CHECKED = 10
LOCKED = 75
INTERRUPTED = 130


class ExpectedError(Exception):
    """The one class of errors that the top of the program shows to people as they are."""

    exit_code = FAILED

    def __init__(
        self, code: str, what: str, why: str, fix: str, *, path: str = "", problems: tuple[Problem, ...] = ()
    ) -> None:
        """``problems`` holds the single mistakes when there are several behind one error."""
        super().__init__(what)
        self.problems = problems
        self.code = code
        self.what = what
        self.why = why
        self.fix = fix
        self.path = path


class UsageError(ExpectedError):
    """What was typed or configured makes no sense, or needs an answer that nobody is there to give."""

    exit_code = USAGE


class LockedError(ExpectedError):
    """Another run holds the lock."""

    exit_code = LOCKED


def nearest(word: str, known: list[str]) -> str | None:
    """The one of ``known`` that ``word`` was most likely meant to be, or None."""
    import difflib  # noqa: PLC0415 - start-up: 6 ms, needed only after a mistake

    # Without the dashes of options: two more equal letters would make everything a neighbour of everything.
    names = {one.lstrip("-"): one for one in reversed(known)}
    found = difflib.get_close_matches(word.lstrip("-"), names, n=1, cutoff=0.6)
    return names[found[0]] if found else None
