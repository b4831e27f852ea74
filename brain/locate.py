"""Says which brain belongs to a project: the five rules of BMAD+, first match wins.

1. the variable ``BMAD_PLUS_BRAIN``, when it names a folder; 2. the nearest folder ``_brain`` at or above the
project, up to the root of the file system; 3. ``~/.bmad-plus/brain``; 4. ``~/.claude/memory`` with something
in it; 5. nothing yet: the global brain is still to be made. A link to a folder counts as the folder.
"""

from __future__ import annotations

import os

from brain.files.errors import MemError
from brain.files.links import refuse_links
from brain.files.reading import UnreadableError, read_seen
from brain.folders import PROJECT_MEMORY

TYPE_CHECKING = False
if TYPE_CHECKING:  # start-up: 2 ms for a name that only checkers read
    from collections.abc import Mapping

PORTFOLIO = "portfolio"
BMAD_GLOBAL = "bmad-global"
CLAUDE_MEMORY = "claude-memory"

VARIABLE = "BMAD_PLUS_BRAIN"
LINK = ".brain-link"
LINK_CAP = 64 * 1024


class Brain:
    """The brain that holds for a project.

    ``path`` is absolute. ``type`` is portfolio, bmad-global or claude-memory; only a bmad-global brain is
    ever written. ``source`` says in words which rule found it, ``exists`` whether a folder stands there, and
    ``warnings`` what was named but could not be used.
    """

    __slots__ = ("exists", "path", "source", "type", "warnings")

    def __init__(
        self, path: str, kind: str, source: str, *, exists: bool = True, warnings: tuple[str, ...] = ()
    ) -> None:
        self.path = path
        self.type = kind
        self.source = source
        self.exists = exists
        self.warnings = warnings

    @property
    def writable(self) -> bool:
        """Whether Zecher may write into it: a linked brain belongs to somebody else."""
        return self.type == BMAD_GLOBAL


class Link:
    """What ``.agents/memory/.brain-link`` records: information for people and agents, never a rule.

    ``brain``, ``type`` and ``linked_at`` are the texts as written, None where they are missing (BMAD+ 0.9
    wrote no type). ``damaged`` says in words why the file cannot be used, empty when it can.
    """

    __slots__ = ("brain", "damaged", "linked_at", "type")

    def __init__(
        self,
        brain: str | None = None,
        kind: str | None = None,
        linked_at: str | None = None,
        *,
        damaged: str = "",
    ) -> None:
        self.brain = brain
        self.type = kind
        self.linked_at = linked_at
        self.damaged = damaged


def locate_brain(
    project: str, *, home: str, environ: Mapping[str, str], override: tuple[str, str] | None = None
) -> Brain:
    """The brain of the project at the absolute path ``project``, in which no link is resolved.

    ``override`` is (path, source) of a global brain that a flag, a variable or the configuration names: it
    wins over all five rules. Nothing is created; reads only whether folders are there.
    """
    if override:
        path, source = override
        exists = os.path.isdir(path)
        blocked = obstacle(path)
        warnings = (f"{source} names {path}, which {blocked}",) if blocked else ()
        return Brain(path, BMAD_GLOBAL, source, exists=exists, warnings=warnings)
    named, warning = _from_variable(environ.get(VARIABLE, ""))
    brain = named or _above(project) or _at_home(home)
    if warning:
        brain.warnings = (warning, *brain.warnings)
    return brain


def global_brain(home: str) -> str:
    """Where the global brain stands unless something else is configured."""
    return os.path.join(home, ".bmad-plus", "brain")


def obstacle(path: str) -> str:
    """In words what keeps a brain from being made at ``path``; empty where nothing stands or a folder does.

    No brain is made through a link that leads nowhere: what it names may be a disk that is not mounted.
    """
    if os.path.isdir(path):
        return ""
    parent = os.path.dirname(path)
    if _leads_nowhere(path):
        return "is a link that leads nowhere"
    if _leads_nowhere(parent):
        return f"lies behind {parent}, a link that leads nowhere"
    return "is not a folder" if os.path.lexists(path) else ""


def _leads_nowhere(path: str) -> bool:
    return os.path.islink(path) and not os.path.exists(path)


def link_path(project: str) -> str:
    """Where a project's record of its brain stands."""
    return os.path.join(project, PROJECT_MEMORY, LINK)


def read_link(project: str) -> Link | None:
    """The record of the brain in ``project``; None when there is none. Never raises: see ``Link.damaged``.

    A symbolic link anywhere below the project is not followed, more than 64 KiB are not read.
    """
    try:
        data = read_seen(refuse_links(project, f"{PROJECT_MEMORY}/{LINK}"), LINK_CAP).data or b""
    except MemError as error:
        return Link(damaged=str(error))
    except UnreadableError as error:
        return None if error.code == "missing" else Link(damaged=error.message)
    return _parse_link(data)


def disagreement(link: Link, brain: Brain, project: str) -> str:
    """In words how the record differs from what the rules say now; empty when they agree.

    A relative path in the record is taken from the project, where the install ran that wrote it.
    """
    if link.brain is None:
        return ""
    recorded = os.path.realpath(os.path.join(project, link.brain))
    if recorded != os.path.realpath(brain.path):
        return f"records {link.brain}, but the brain is {brain.path} ({brain.source})"
    if link.type is not None and link.type != brain.type:
        return f"records the type {link.type}, but the brain is of type {brain.type} ({brain.source})"
    return ""


def _from_variable(named: str) -> tuple[Brain | None, str]:
    if not named:
        return None, ""
    if not os.path.isdir(named):
        return None, f"{VARIABLE} names {named}, which is not a folder; the next rule decides"
    if os.path.isabs(named):
        return Brain(named, PORTFOLIO, VARIABLE), ""
    # As in BMAD+ it counts; but a timer starts elsewhere than a person, and would find another brain or none.
    return (
        Brain(os.path.abspath(named), PORTFOLIO, VARIABLE),
        f"{VARIABLE} names {named}: a relative path changes its meaning with the current folder",
    )


def _above(project: str) -> Brain | None:
    folder = project
    while True:
        candidate = os.path.join(folder, "_brain")
        if os.path.isdir(candidate):
            where = "in" if folder == project else "above"
            return Brain(candidate, PORTFOLIO, f"_brain {where} the project")
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _at_home(home: str) -> Brain:
    own = global_brain(home)
    if os.path.isdir(own):
        return Brain(own, BMAD_GLOBAL, "~/.bmad-plus/brain")
    foreign = os.path.join(home, ".claude", "memory")
    if _holds_something(foreign):
        return Brain(foreign, CLAUDE_MEMORY, "~/.claude/memory")
    blocked = obstacle(own)
    warnings = (f"{own} {blocked}",) if blocked else ()
    return Brain(own, BMAD_GLOBAL, "none yet", exists=False, warnings=warnings)


def _holds_something(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except OSError:
        return False


def _parse_link(data: bytes) -> Link:
    import json  # noqa: PLC0415 - start-up: most commands never read the record

    try:
        record = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return Link(damaged="not valid JSON")
    if not isinstance(record, dict):
        return Link(damaged="not a JSON object")
    path, kind, linked_at = (_text(record.get(key)) for key in ("linked_brain", "brain_type", "linked_at"))
    return Link(path, kind, linked_at, damaged="" if path else "names no brain")


def _text(value: object) -> str | None:
    if not isinstance(value, str) or not value or "\0" in value:
        return None
    try:
        os.fsencode(value)  # half of a character, as JSON can write it, is part of no name
    except UnicodeEncodeError:
        return None
    return value
