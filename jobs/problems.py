"""Problems from everywhere as one kind of value."""

from __future__ import annotations

from collections.abc import Iterable

from scanner.project import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.problem import Problem as BrainProblem


def ours(problems: Iterable[BrainProblem]) -> tuple[Problem, ...]:
    """The brain's problems as the scanner's: the two packages are strangers, their readers are not."""
    return tuple(Problem(one.code, one.level, one.path, one.message, one.fix) for one in problems)
