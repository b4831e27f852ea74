"""The facts of a project as lists, texts and numbers only, and back: what a file of records can hold."""

from __future__ import annotations

from collections.abc import Callable

from scanner.project import (
    Activity,
    Branch,
    Identity,
    Label,
    Member,
    Ownership,
    Problem,
    Risk,
    Stacks,
    Unsaved,
    Vcs,
)
from scanner.project_facts import ProjectFacts

# The parts of a value that are values themselves, or hold some; all others are texts, numbers, and tuples.
_PARTS: dict[type, dict[str, type]] = {
    ProjectFacts: {
        "stacks": Stacks,
        "activity": Activity,
        "vcs": Vcs,
        "members": Member,
        "identity": Identity,
        "ownership": Ownership,
        "problems": Problem,
        "git": Unsaved,
        "git_problems": Problem,
    },
    Stacks: {"labels": Label, "problems": Problem},
    Member: {"stacks": Label},
    Unsaved: {"branches": Branch, "risk": Risk},
    Activity: {},
    Vcs: {},
    Identity: {},
    Ownership: {},
    Label: {},
    Problem: {},
    Branch: {},
    Risk: {},
}
_MANY = frozenset({"members", "problems", "git_problems", "labels", "branches"})


def plain(value: object) -> object:
    """``value`` without its classes: each becomes the list of its parts."""
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if type(value) in _PARTS:
        return [plain(getattr(value, name)) for name in type(value).__slots__]  # type: ignore[attr-defined] # ours have
    return value


def facts_from(told: object) -> ProjectFacts:
    """The facts behind their plain form; ``ValueError``, ``TypeError`` or ``KeyError`` for anything else."""
    facts = _restored(ProjectFacts, told)
    if not isinstance(facts, ProjectFacts):
        raise TypeError("no facts")
    facts.problems, facts.git_problems = list(facts.problems), list(facts.git_problems)
    return facts


def unsaved_from(told: object) -> tuple[Unsaved | None, list[Problem]]:
    """What exists only here, and the problems of reading it, behind the plain form of both."""
    found, problems = _each(told)
    unsaved = _restored(Unsaved, found)
    made = [_restored(Problem, one) for one in _each(problems)]
    return (
        unsaved if isinstance(unsaved, Unsaved) else None,
        [one for one in made if isinstance(one, Problem)],
    )


_known: dict[type, list[Callable[[object], object] | None]] = {}


def _restored(cls: type, told: object) -> object:
    if told is None:
        return None
    if not isinstance(told, list):
        raise TypeError(f"no parts of a {cls.__name__}")
    makers = _known.get(cls) or _makers(cls)
    return cls(
        *[
            part if make is None and type(part) is not list else (make or _frozen)(part)
            for make, part in zip(makers, told, strict=True)
        ]
    )


def _makers(cls: type) -> list[Callable[[object], object] | None]:
    """What makes each part of a class, in the order of its parts; ``None``: itself, lists as tuples."""
    made = _known[cls] = [_maker(cls, name) for name in cls.__slots__]  # type: ignore[attr-defined] # ours have
    return made


def _maker(cls: type, name: str) -> Callable[[object], object] | None:
    part = _PARTS[cls].get(name)
    if part is None:
        return None
    if name in _MANY or (cls is Member and name == "stacks"):
        return lambda told: tuple([_restored(part, one) for one in _each(told)])
    return lambda told: _restored(part, told)


def _each(told: object) -> list[object]:
    if not isinstance(told, list):
        raise TypeError("no list")
    return told


def _frozen(told: object) -> object:
    return tuple([_frozen(one) for one in told]) if isinstance(told, list) else told


def shape() -> str:
    """Names of all parts of all values: a plain form made under another shape is not read."""
    return repr([(cls.__name__, getattr(cls, "__slots__", ())) for cls in _PARTS])
