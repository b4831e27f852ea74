"""Gathers what ``zecher resume`` shows: the memory of one project, its history, its unsaved work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from brain.loops.reading import loops_of
from brain.loops.states import judged
from brain.portfolio import read_portfolio
from brain.resume import resume, resume_questions
from jobs.choosing import chosen_project, is_path
from jobs.errors import ExpectedError
from jobs.git_facts import GitOf
from jobs.loop_marks import day_of_now, read_marks
from jobs.portfolio import Progress
from jobs.settings import ScanSettings
from jobs.subjects import read_memory, subject_at
from reports.loops import is_open
from reports.resume import Resumed


def resumed(settings: ScanSettings, path: str, progress: Progress | None = None) -> Resumed:
    """Where the project in the folder ``path`` (absolute, real) stands. Writes nothing but the scan cache."""
    subject = subject_at(settings, path, progress)
    with GitOf(path, subject.git, subject.vcs) as git:
        read = read_memory(subject, git, home="", user=0, asks=resume_questions, wants_probes=False)
    marks = read_marks(settings.state)
    loops = judged(loops_of(read.parsed), marks.marks, day_of_now(settings.now))
    return Resumed(
        path=path,
        name=subject.name,
        identifier=subject.identifier,
        status=subject.status,
        card=resume(read.parsed),
        git=subject.git,
        loops=tuple(one for one in loops if is_open(one)),
        problems=(*subject.problems, *marks.problems),
    )


def project_path(
    word: str, settings: ScanSettings, absolute: Callable[[str], str], others: Iterable[str] = ()
) -> str:
    """The folder of the project that a person means by ``word``; ``UsageError`` where it is none or several.

    A folder that is no indexed project is taken as it is. ``others`` are the real paths of configured
    workspaces: one is meant by the name of its folder, where no project bears that. ``ExpectedError`` where
    the folder is gone.
    """
    cards = read_portfolio(settings.brain).cards
    path = absolute(word)
    if is_path(word) and os.path.isdir(path):
        return _project_around(path, [card.path for card in cards])
    named = {name.casefold() for card in cards for name in (card.name, os.path.basename(card.path))}
    if word.casefold() not in named:
        fitting = [one for one in others if os.path.basename(one).casefold() == word.casefold()]
        if len(fitting) == 1:
            return fitting[0]
    card = chosen_project(word, cards, absolute=absolute, home=settings.home)
    if not os.path.isdir(card.path):
        raise ExpectedError(
            "project-missing",
            f"{card.path} is not a folder",
            "the index knows the project, but its folder is gone",
            "Say where it is now: zecher scan PATH --yes finds it again.",
            path=card.path,
        )
    return os.path.realpath(card.path)


def project_here(here: str, settings: ScanSettings) -> str:
    """The project that the folder ``here`` is, or lies in."""
    return _project_around(here, [card.path for card in read_portfolio(settings.brain).cards])


def _project_around(here: str, known: list[str]) -> str:
    """The nearest folder from ``here`` upwards that is an indexed project or a repository; else ``here``."""
    projects = {os.path.realpath(path) for path in known}
    real = folder = os.path.realpath(here)
    while True:
        if folder in projects or os.path.lexists(os.path.join(folder, ".git")):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return real
        folder = above
