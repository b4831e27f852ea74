"""The search index of this machine: what belongs into it, when it is brought up to date, what is asked of it.

It lies in the cache folder and may be deleted at any time. Each question brings it up to date first as far as
that is quickly done; the nightly job does the rest.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from brain.locate import VARIABLE, Brain, locate_brain
from brain.search.keeping import (
    MISSING,
    NOBODY,
    SMALL,
    Budget,
    Index,
    Refreshed,
    State,
    Waiter,
    changes,
    mend,
    open_index,
    refresh,
    state_of,
)
from brain.search.sources import BRAIN, PROJECT, Listed, Place, find, list_sources
from jobs.config import load_configuration
from jobs.errors import ExpectedError
from jobs.places import brain_override, cache_folder, index_brain, state_folder
from jobs.workspaces import workspaces
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    from brain.search.store import Store
    from brain.search.values import Found, Query
    from jobs.config_values import Configuration
    from jobs.registry import JobContext
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed
    from scanner.project import Problem

    T = TypeVar("T")

NAME = "search.sqlite"
PROJECT_SCOPE, BRAIN_SCOPE, PORTFOLIO_SCOPE = "project", "brain", "portfolio"
SCOPES = (PROJECT_SCOPE, PORTFOLIO_SCOPE, BRAIN_SCOPE)

_PROJECTS = "projects"


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """Where the index lies and what belongs into it.

    ``project`` is the real path of the project that asks, empty for none, ``named`` the path as it was
    written; ``brain`` holds the index of projects; ``override`` is (path, source) of a brain that was named
    and then wins over all rules. ``semantic`` is false where the meaning shall not count.
    ``recall_log`` is the folder of the log of what was looked up, empty where none is kept. ``workspaces``
    are the real paths of those that the configuration names.
    """

    path: str
    project: str
    named: str
    brain: str
    override: tuple[str, str] | None
    environ: Mapping[str, str]
    home: str
    now: float
    semantic: bool = True
    recall_log: str = ""
    workspaces: tuple[str, ...] = ()


def index_settings(typed: Typed, surroundings: Surroundings, *, project: str, named: str) -> IndexSettings:
    """For the project in the folder ``project`` (real), which a person wrote as ``named``."""
    configuration = load_configuration(surroundings, typed.text("config"))
    return IndexSettings(
        path=index_path(surroundings, configuration),
        project=project,
        named=named,
        brain=index_brain(typed, surroundings, configuration),
        override=brain_override(typed, surroundings, configuration),
        environ=surroundings.environ,
        home=surroundings.home,
        now=surroundings.now,
        semantic=configuration.memory.semantic,
        recall_log=state_folder(surroundings, configuration) if configuration.dreaming.recall_log else "",
        workspaces=workspaces(configuration),
    )


def index_path(surroundings: Surroundings, configuration: Configuration) -> str:
    """The file of the index."""
    return os.path.join(cache_folder(surroundings, configuration), NAME)


# -- what belongs into it -----------------------------------------------------------------------------------


class Known:
    """The projects and brains that belong into the index; ``names`` by the folder of a project."""

    __slots__ = ("brains", "names", "projects")

    def __init__(self, projects: tuple[Place, ...], brains: tuple[Place, ...], names: dict[str, str]) -> None:
        self.projects = projects
        self.brains = brains
        self.names = names

    @property
    def places(self) -> tuple[Place, ...]:
        """All of them."""
        return (*self.projects, *self.brains)


def known_places(settings: IndexSettings, index: Index | None = None) -> Known:
    """The indexed projects, the one that asks, the global brain and those linked to any of the projects.

    What ``index`` remembers of the cards is believed as long as they did not change. What lies on a mount
    whose server may be gone is left out: whoever asks it for a file hangs.
    """
    from scanner.mounts import read_mounts  # noqa: PLC0415 - start-up: getting a file needs none of it
    from scanner.places import Places  # noqa: PLC0415 - as above

    may_hang = Places(read_mounts()).may_hang
    cards = [card for card in _projects(settings.brain, index, may_hang) if not may_hang(card[1])]
    names: dict[str, str] = {}
    for name, _, real in cards:
        names.setdefault(real, name)
    for path in (*settings.workspaces, *((settings.project,) if settings.project else ())):
        names.setdefault(path, os.path.basename(path) or path)
    asking = [settings.named] if settings.project else []
    brains = _brains(settings, [*asking, *(path for _, path, _ in cards)])
    roots = [root for root in names if root not in brains]
    return Known(
        tuple(Place(root, PROJECT) for root in sorted(roots)),
        tuple(Place(root, BRAIN) for root in brains),
        names,
    )


def _projects(brain: str, index: Index | None, may_hang: Callable[[str], bool]) -> list[tuple[str, str, str]]:
    """Name, path and real path of the indexed projects; where ``may_hang`` says so the path as it is."""
    import json  # noqa: PLC0415 - start-up: getting a file needs none of it

    stamp = _stamp(os.path.join(brain, "projects"))
    if index is not None and stamp:
        with suppress(ValueError, TypeError, sqlite3.Error):
            kept, cards = json.loads(index.store.fact(_PROJECTS) or "[0, []]")
            if kept == stamp:
                return [(str(name), str(path), str(real)) for name, path, real in cards]
    from brain.portfolio import read_portfolio  # noqa: PLC0415 - start-up: 25 ms, where the cards changed

    found = [
        (card.name, card.path, card.path if may_hang(card.path) else os.path.realpath(card.path))
        for card in read_portfolio(brain).cards
        if _can_be_stored(card.path)
    ]
    if index is not None and stamp:
        with suppress(sqlite3.Error):
            index.store.keep_fact(_PROJECTS, json.dumps([stamp, found]))
    return found


def _stamp(folder: str) -> str:
    """What tells whether any card changed; empty where there are none."""
    from zlib import crc32  # noqa: PLC0415 - as above

    parts = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".yaml"):
                    status = entry.stat()
                    parts.append(f"{entry.name!r} {status.st_size} {status.st_mtime_ns} {status.st_ino}")
    except OSError:
        return ""
    parts.sort()
    return f"{folder!r} {len(parts)} {crc32(chr(10).join(parts).encode()):x}" if parts else ""


def _can_be_stored(path: str) -> bool:
    return path.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in path)


def _brains(settings: IndexSettings, paths: Iterable[str]) -> list[str]:
    """The real folders of the brains, the global one first, each once."""
    found = {os.path.realpath(settings.brain): None}
    if settings.override is None:
        named = settings.environ.get(VARIABLE, "")
        if named and os.path.isdir(named):
            found[os.path.realpath(named)] = None
        else:
            seen: set[str] = set()
            for path in paths:
                above = _brain_above(path, seen)
                if above:
                    found[os.path.realpath(above)] = None
        linked = linked_to(settings)
        if linked.exists:
            found.setdefault(os.path.realpath(linked.path))
    return [path for path in found if _can_be_stored(path) and os.path.isdir(path)]


def _brain_above(path: str, seen: set[str]) -> str:
    while path not in seen:
        seen.add(path)
        candidate = os.path.join(path, "_brain")
        if os.path.isdir(candidate):
            return candidate
        path = os.path.dirname(path)
    return ""


def linked_to(settings: IndexSettings) -> Brain:
    """The brain that belongs to the project that asks."""
    return locate_brain(
        settings.named or settings.home,
        home=settings.home,
        environ=settings.environ,
        override=settings.override,
    )


# -- asking -------------------------------------------------------------------------------------------------


class Answer:
    """What was found, and how far the index could be trusted.

    ``stale`` counts files that it does not have as they are, ``rebuilt`` says why it was made anew, empty
    when it was not; ``why_not`` why none can be kept in ``path``, empty when one is. ``names`` are the
    projects by folder.
    """

    __slots__ = ("found", "names", "path", "rebuilt", "stale", "why_not")

    def __init__(
        self, found: Found, *, stale: int, rebuilt: str, names: Mapping[str, str], path: str, why_not: str
    ) -> None:
        self.found = found
        self.stale = stale
        self.rebuilt = rebuilt
        self.names = names
        self.path = path
        self.why_not = why_not


def ask(
    settings: IndexSettings, query: Query, *, full_text: bool | None = None, waiter: Waiter = NOBODY
) -> Answer:
    """The notes that answer ``query``, from an index that was brought up to date as far as that is quick.

    An index that turns out to be damaged is made anew.
    """
    from brain.search.search import search  # noqa: PLC0415 - start-up: to build or show one needs none
    from jobs.meaning import model_to_ask  # noqa: PLC0415 - as above

    found, fresh = with_index(
        settings,
        query.scope,
        lambda store, _: search(store, query, model_to_ask(store, wanted=settings.semantic)),
        full_text=full_text,
        waiter=waiter,
    )
    return Answer(
        found,
        stale=fresh.stale,
        rebuilt=fresh.rebuilt,
        names=fresh.names,
        path=fresh.path,
        why_not=fresh.why_not,
    )


class Fresh:
    """How far an index could be trusted, as in ``Answer``; ``engine`` is fts5 or scan."""

    __slots__ = ("engine", "names", "path", "rebuilt", "stale", "why_not")

    def __init__(self, index: Index, known: Known, done: Refreshed) -> None:
        self.stale = done.stale
        self.rebuilt = index.rebuilt
        self.names: Mapping[str, str] = known.names
        self.engine = index.store.engine
        self.path = index.path
        self.why_not = index.why_not


def with_index(
    settings: IndexSettings,
    scope: str,
    work: Callable[[Store, Mapping[str, str]], T],
    *,
    and_brains: bool = False,
    full_text: bool | None = None,
    waiter: Waiter = NOBODY,
) -> tuple[T, Fresh]:
    """What ``work`` makes of the index and the names of the projects; brought up to date as for ``ask``.

    ``and_brains`` brings those up to date, too, where the scope is a project. Where the index turns out to be
    damaged, ``work`` is done again on a new one.
    """
    index = _opened(settings, full_text=full_text)
    try:
        try:
            known, done = _ready(settings, index, scope, waiter, and_brains=and_brains)
            made = work(index.store, known.names)
        # A value of another kind than was written is damage that the check of a large index does not meet.
        except (sqlite3.DatabaseError, TypeError, ValueError) as error:
            if not index.on_disk or _is_busy(error):
                raise
            index = mend(index, shared_memory=_shared_memory(settings.path))
            known, done = _ready(settings, index, scope, waiter, and_brains=and_brains)
            made = work(index.store, known.names)
        return made, Fresh(index, known, done)
    finally:
        index.close()


def _is_busy(error: Exception) -> bool:
    return isinstance(error, sqlite3.OperationalError) and ("locked" in str(error) or "busy" in str(error))


def _opened(settings: IndexSettings, *, full_text: bool | None = None, force: bool = False) -> Index:
    return open_index(
        settings.path, shared_memory=_shared_memory(settings.path), full_text=full_text, force=force
    )


def _ready(
    settings: IndexSettings, index: Index, scope: str, waiter: Waiter, *, and_brains: bool = False
) -> tuple[Known, Refreshed]:
    """Bring the part that is asked for up to date."""
    known = known_places(settings, index)
    started = time.time_ns()
    places, roots = known.places, None
    budget: Budget | None = SMALL
    if not index.rebuilt and scope != PORTFOLIO_SCOPE:
        places = known.brains if scope == BRAIN_SCOPE or and_brains else ()
        if scope != BRAIN_SCOPE:
            places = (Place(settings.project), *places)
        roots = {place.root for place in places}
        # A project or brain that the index has never seen is as good as an index that is not there.
        budget = SMALL if index.store.has_root(sorted(roots)) else None
    done = refresh(
        index,
        list_sources(places),
        roots=roots,
        budget=budget,
        started_ns=started,
        waiter=waiter,
    )
    return known, done


def _shared_memory(path: str) -> Callable[[], bool]:
    """Whether processes can share memory beside the file ``path``: not over a network."""

    def local() -> bool:
        from scanner.mounts import read_mounts  # noqa: PLC0415 - start-up: only for a new index

        mount = read_mounts().of(os.path.realpath(path))
        return mount is None or not mount.is_far

    return local


# -- building and showing it --------------------------------------------------------------------------------


def build(
    settings: IndexSettings,
    *,
    force: bool = False,
    cancel: Callable[[], None] = lambda: None,
    told: Callable[[int, int], None] = lambda _done, _all: None,
) -> State:
    """Bring all of the index up to date, or make it anew; checked as a whole. Raises ``sqlite3.Error``.

    ``cancel`` is asked between two batches of files, and of vectors; ``told`` hears how many vectors of how
    many are made. Raises ``ExpectedError`` at last where the extra for the meaning is installed and cannot be
    used.
    """
    index = open_index(settings.path, shared_memory=_shared_memory(settings.path), force=force, thorough=True)
    try:
        try:
            listed, done = _all(settings, index, cancel)
        except sqlite3.DatabaseError as error:
            if not index.on_disk or _is_busy(error):
                raise
            index = mend(index, shared_memory=_shared_memory(settings.path))
            listed, done = _all(settings, index, cancel)
        if index.on_disk:
            from jobs.meaning import NIGHT_SECONDS, embed  # noqa: PLC0415 - start-up: only to build one

            embed(index.store, NIGHT_SECONDS, cancel, wanted=settings.semantic, told=told)
        return state_of(index, listed, done)
    finally:
        index.close()


def _all(settings: IndexSettings, index: Index, cancel: Callable[[], None]) -> tuple[Listed, Refreshed]:
    cancel()
    started = time.time_ns()
    listed = list_sources(known_places(settings, index).places)
    return listed, refresh(index, listed, started_ns=started, waiter=Waiter(cancel))


def state(settings: IndexSettings) -> State:
    """The index as it stands, checked as a whole; a damaged one is made anew, a missing one is not."""
    if not os.path.lexists(settings.path):
        listed = list_sources(known_places(settings).places)
        return State(
            settings.path,
            integrity=MISSING,
            left_out=listed.left_out,
            done=Refreshed(stale=len(listed.rows)),
        )
    index = open_index(settings.path, shared_memory=_shared_memory(settings.path), thorough=True)
    try:
        listed = list_sources(known_places(settings, index).places)
        if index.rebuilt:
            return state_of(index, listed, refresh(index, listed, started_ns=time.time_ns()))
        return state_of(index, listed, Refreshed(stale=changes(index, listed).count))
    finally:
        index.close()


class _StoppedError(Exception):
    """The building of the index shall end now."""


def nightly_index(context: JobContext) -> tuple[Problem, ...]:
    """Build the index in the night; whatever goes wrong with it is a problem, and no failed night.

    The night is done by then: who wants it to end now gets it as it is, with the index as far as it came.
    """
    from scanner.project import Problem  # noqa: PLC0415 - as above

    def wanted() -> None:
        if context.cancel.reason:
            raise _StoppedError

    settings = context.settings
    surroundings, configuration = context.surroundings, context.configuration
    path = index_path(surroundings, configuration)
    fix = "Run zecher memory index, and check the cache folder."
    try:
        built = build(
            IndexSettings(
                path=path,
                project="",
                named="",
                brain=settings.brain,
                override=(configuration.brain, configuration.path) if configuration.brain else None,
                environ=surroundings.environ,
                home=settings.home,
                now=context.now,
                semantic=configuration.memory.semantic,
                workspaces=workspaces(configuration),
            ),
            cancel=wanted,
        )
    except _StoppedError:
        return ()
    except ExpectedError as error:
        return (Problem(error.code, "warning", path, error.why, error.fix),)
    except Exception as error:  # noqa: BLE001 - an index that cannot be built costs nothing but time
        why = f"the search index could not be built: {type(error).__name__}: {error}"
        return (Problem("search-index", "warning", path, why, fix),)
    return unkept(path, built.why_not)


def unkept(path: str, why_not: str) -> tuple[Problem, ...]:
    """The problem that no index can be kept in the file ``path``; none without a reason ``why_not``."""
    if not why_not:
        return ()
    from scanner.project import Problem  # noqa: PLC0415 - start-up: 5 ms, only where something is wrong

    why = f"no search index can be kept, and every note is read each time: {why_not}"
    return (Problem("search-index", "warning", path, why, "Check the cache folder, or name another."),)


# -- reading one file ---------------------------------------------------------------------------------------


def memory_file(settings: IndexSettings, paths: Sequence[str]) -> str | None:
    """The first of ``paths`` (absolute) that is part of a memory that is searched; None for none.

    Raises ``MemError`` for a link.
    """
    own = [Place(settings.project)] if settings.project else []
    places: tuple[Place, ...] = (*own, Place(os.path.realpath(linked_to(settings).path), BRAIN))
    # What leads to a project may be links, what lies in it not.
    written = list(dict.fromkeys(one for path in paths for one in (path, _without_links_above(path))))
    found = _first(written, places)
    return found if found is not None else _first(written, known_places(settings).places)


def _first(paths: Sequence[str], places: Sequence[Place]) -> str | None:
    return next((path for path in paths if find(path, places, diary=True)), None)


def _without_links_above(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


__all__ = [
    "NOBODY",
    "PORTFOLIO_SCOPE",
    "PROJECT_SCOPE",
    "SCOPES",
    "Answer",
    "Fresh",
    "IndexSettings",
    "Known",
    "Waiter",
    "ask",
    "build",
    "index_path",
    "index_settings",
    "known_places",
    "linked_to",
    "memory_file",
    "nightly_index",
    "state",
    "unkept",
    "with_index",
]
