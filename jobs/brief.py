"""What a piece of work begins with, as commands and assistants ask for it."""

from __future__ import annotations

import os

from brain.bundle.brief import Brief, brief
from brain.bundle.parts import Unread, gather_parts
from brain.layout import IDENTITY
from brain.locate import CLAUDE_MEMORY
from brain.remember.places import user_places
from jobs.errors import ExpectedError, UsageError
from jobs.memory import MemorySettings, around, linked_brain, memory_settings
from scanner.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed

BUDGET = 4000


def brief_settings(typed: Typed, surroundings: Surroundings) -> MemorySettings:
    """As ``memory_settings``; a word names a project of the index, or a folder."""
    settings = around(memory_settings(typed, surroundings), typed, surroundings)
    words = typed.texts("project")
    if not words:
        return settings
    if len(words) > 1 or typed.text("directory"):
        raise UsageError(
            "brief-what",
            f"{len(words)} projects{' and -d' if typed.text('directory') else ''}",
            "zecher brief is about one project",
            "Name one; a name with blanks needs quotes.",
        )
    path = _meant(words[0], settings, surroundings)
    return replace(settings, project=os.path.realpath(path), named=path)


def _meant(word: str, settings: MemorySettings, surroundings: Surroundings) -> str:
    from brain.portfolio import read_portfolio  # noqa: PLC0415 - start-up: mostly it is the project here
    from jobs.choosing import chosen_project, is_path  # noqa: PLC0415 - as above

    if is_path(word) and os.path.isdir(surroundings.absolute(word)):
        return surroundings.absolute(word)
    cards = read_portfolio(settings.index_brain).cards
    path = chosen_project(word, cards, absolute=surroundings.absolute, home=settings.home).path
    if not os.path.isdir(path):
        raise ExpectedError(
            "project-missing",
            f"{path} is not a folder",
            "the index knows the project, but its folder is gone",
            "Say where it is now: zecher scan PATH --yes finds it again.",
            path=path,
        )
    return path


def briefed(settings: MemorySettings, budget: int = BUDGET) -> tuple[Brief, tuple[Unread, ...]]:
    """The brief of the project in at most ``budget`` tokens, and the files that could not be read."""
    linked = linked_brain(settings)
    users = settings.index_brain if linked.type == CLAUDE_MEMORY else linked.path
    folders = dict.fromkeys((users, settings.index_brain))
    gathered = gather_parts(
        settings.project,
        identities=[os.path.join(folder, IDENTITY) for folder in folders],
        brain=os.path.realpath(users) if os.path.isdir(users) else None,
        shelves=user_places(users),
    )
    return brief(gathered.parts, budget), gathered.unread
