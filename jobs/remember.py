"""What is kept on request, as commands and assistants work on it: of the user, and of a project."""

from __future__ import annotations

import os

from brain.locate import CLAUDE_MEMORY, PORTFOLIO, obstacle
from brain.remember.errors import RememberError
from brain.remember.places import Place, project_places, user_places
from jobs.errors import ExpectedError, UsageError
from jobs.memory import MemorySettings, around, linked_brain, memory_settings
from scanner.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.remember.index import Category
    from brain.remember.places import Unread
    from brain.remember.values import Edited, Forgotten, Remembered
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed

INPUT_CAP = 1024 * 1024
"""The most that is read from standard input, in bytes."""

# One writes for milliseconds; a dozen assistants may want to at once.
_LOCK_SECONDS = 5.0


def remember_settings(typed: Typed, surroundings: Surroundings) -> MemorySettings:
    """As ``memory_settings``; ``--project=NAME`` names a project of the index instead of a folder."""
    settings = around(memory_settings(typed, surroundings), typed, surroundings)
    name = typed.text("project")
    if not name:
        return settings
    if typed.text("directory"):
        raise UsageError(
            "remember-axis", "--project=NAME with -d", "both name a project", "Leave one of them out."
        )
    path = _indexed(settings, surroundings, name)
    if not os.path.isdir(path):
        raise ExpectedError(
            "project-missing",
            f"{path} is not a folder",
            f"that is where the index has the project {name}",
            "Scan again, or name its folder with -d.",
            path=path,
        )
    return replace(settings, project=os.path.realpath(path), named=path)


def _indexed(settings: MemorySettings, surroundings: Surroundings, name: str) -> str:
    from brain.portfolio import read_portfolio  # noqa: PLC0415 - start-up: most facts are about this project
    from jobs.choosing import chosen_project  # noqa: PLC0415 - as above

    cards = read_portfolio(settings.index_brain).cards
    return chosen_project(name, cards, absolute=surroundings.absolute, home=settings.home).path


def users(settings: MemorySettings) -> tuple[Place, ...]:
    """Where the user's memory stands: in the brain that the rules find, unless that is another tool's."""
    brain = linked_brain(settings)
    path = settings.index_brain if brain.type == CLAUDE_MEMORY else brain.path
    why = "" if brain.type == PORTFOLIO else obstacle(path)
    if why:
        raise ExpectedError(
            "brain-write",
            "the memory could not be written",
            f"{path} {why}",
            "Mend that, or name another brain with --brain.",
            path=path,
        )
    return user_places(path)


def projects(settings: MemorySettings) -> tuple[Place, ...]:
    """Where the project's memory stands."""
    return project_places(settings.project)


def remember(
    settings: MemorySettings,
    places: tuple[Place, ...],
    text: str,
    *,
    category: str | None = None,
    summary: str | None = None,
    token: str | None = None,
) -> Remembered:
    """Keep ``text`` in one of ``places``."""
    from brain.remember.categories import GENERAL  # noqa: PLC0415 - start-up: forgetting needs less
    from brain.remember.remember import remember  # noqa: PLC0415 - as above

    return remember(
        places,
        text,
        category=GENERAL if category is None else category,
        summary=summary,
        token=token or "",
        now=settings.now,
        wait=_LOCK_SECONDS,
    )


def forget(
    settings: MemorySettings, places: tuple[Place, ...], name: str, *, undo: bool = False
) -> Forgotten:
    """Archive the observation ``name``, or bring it back."""
    from brain.remember.forget import forget  # noqa: PLC0415 - as above

    return forget(places, name, now=settings.now, undo=undo, wait=_LOCK_SECONDS)


def edit(
    settings: MemorySettings,
    places: tuple[Place, ...],
    file: str,
    here: str,
    *,
    mode: str,
    content: str,
    target: str = "",
    token: str | None = None,
) -> Edited:
    """Edit the note that ``file`` names, a category or a path from ``here``."""
    from brain.remember.edit import edit, locate  # noqa: PLC0415 - as above

    note = locate(places, file, here)
    return edit(note, mode, content, target=target, token=token or "", now=settings.now, wait=_LOCK_SECONDS)


def listing(places: tuple[Place, ...]) -> tuple[tuple[Category, ...], tuple[Unread, ...]]:
    """All categories, and the files that cannot be read."""
    from brain.bundle.tokens import tokens  # noqa: PLC0415 - as above
    from brain.remember.index import index  # noqa: PLC0415 - as above

    return index(places, tokens)


__all__ = [
    "INPUT_CAP",
    "RememberError",
    "edit",
    "forget",
    "listing",
    "projects",
    "remember",
    "remember_settings",
    "users",
]
