"""The projects whose memories are looked at: as a scan saw them, with their files and history read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from brain.health.gather import gather_with_evidence
from brain.health.parsed import ParsedMemory
from brain.health.questions import Questions, questions
from brain.value import replace as replaced
from jobs.git_facts import GitOf
from jobs.portfolio import Progress, Survey, survey
from jobs.settings import RootGroup, ScanSettings
from scanner.project import Problem, Project, Root, Unsaved, Vcs
from scanner.value import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.files.reading import Stamp
    from brain.health.values import Memory
    from brain.project_cards import Card

Asks = Callable[["Memory", ParsedMemory], Questions]
"""What is to be asked of the history, told from the files that were read."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A project whose memory is looked at.

    ``status`` is its status in the portfolio, ``identifier`` its ``id`` there. ``git`` and ``vcs`` are what
    the scan saw of it, None where it did not look: then only the history is read. ``problems`` are what stood
    in the way of that scan, where it looked at this project alone.
    """

    path: str
    name: str
    status: str
    identifier: str
    git: Unsaved | None = None
    vcs: Vcs | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadMemory:
    """A memory with the facts of its history.

    ``evidence`` is what was looked at, as (absolute path, stamp). ``lasts`` tells whether the facts stay the
    same as long as their anchor and counts do.
    """

    parsed: ParsedMemory
    evidence: tuple[tuple[str, Stamp], ...]
    lasts: bool


def subject_of(project: Project, identifier: str) -> Subject:
    """A project as the scan saw it."""
    return Subject(
        project.path, project.name, project.status.value, identifier, git=project.git, vcs=project.vcs
    )


def subjects_of(found: Survey) -> Iterable[Subject]:
    """The projects of a scan that nobody said to skip."""
    return (
        subject_of(project, found.identifiers[project.path])
        for project in found.scan.projects
        if project.path not in found.skipped
    )


def subject_at(settings: ScanSettings, path: str, progress: Progress | None = None) -> Subject:
    """The project in the folder ``path`` (absolute, real), with its unsaved work; in a plain folder too."""
    asked = replace(settings, groups=(RootGroup((Root(path, 0),), "none", ()),), unsaved=True)
    found = survey(asked, progress)
    subject = next((one for one in subjects_of(found) if one.path == path), None)
    return replace(subject or _plain(path, found.portfolio.cards), problems=found.scan.problems)


def _plain(path: str, cards: Iterable[Card]) -> Subject:
    """A folder in which the scan sees no project: as its card says, else one that somebody works on."""
    card = next((card for card in cards if card.path == path), None)
    return subject_of_card(card) if card is not None else plain_subject(path)


def plain_subject(path: str) -> Subject:
    """A folder that no scan knows as a project, but somebody works on."""
    return Subject(path, os.path.basename(path), "active", path)


def subject_of_card(card: Card) -> Subject:
    """A project as its card says."""
    identifier = card.extras.get("id")
    return Subject(
        card.path,
        card.name,
        card.status or "unknown",
        identifier if isinstance(identifier, str) else card.path,
    )


def read_memory(
    subject: Subject,
    git: GitOf,
    *,
    home: str,
    user: int,
    kind: str = "project",
    asks: Asks = questions,
    wants_probes: bool = True,
) -> ReadMemory:
    """The files of ``subject`` (or of a brain) with what its history answers to ``asks``.

    Without ``wants_probes`` nobody asks whether the files are there that they refer to.
    """
    gathered = gather_with_evidence(
        subject.path,
        name=subject.name,
        kind=kind,
        status=subject.status,
        identifier=subject.identifier,
        home=home,
        user=user,
        wants_probes=wants_probes,
    )
    facts, lasts = git.facts(asks(gathered.memory, gathered.parsed))
    parsed = gathered.parsed.renewed(replaced(gathered.memory, git=facts))
    return ReadMemory(parsed, gathered.evidence, lasts)
