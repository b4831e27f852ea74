"""The portfolio as the brain keeps it: one card a project in ``projects/``, and the page that lists them.

``read_portfolio`` reads, ``plan`` decides (values in, values out), ``apply`` writes what was decided. A plan
holds the exact bytes of each file; under the lock it is made anew if the brain changed since it was read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from brain.files.atomic import Ask, OutsideError, Write, make_folder, replace_all, resolve, sweep
from brain.files.errors import ChangedError, LockedError, WriteError
from brain.files.lock import BrainLock
from brain.files.reading import Seen
from brain.files.unbroken import Unbroken
from brain.locate import obstacle
from brain.plan import CardWrite, Change, Plan, Request
from brain.planning import make_plan
from brain.problem import Problem
from brain.project_cards import INDEX_NAME, PROJECTS, Card, CardFile, Facts, Portfolio, read_portfolio

__all__ = [
    "Applied",
    "Card",
    "CardFile",
    "Change",
    "Facts",
    "LockedError",
    "Plan",
    "Portfolio",
    "Problem",
    "WriteError",
    "apply",
    "may_exist",
    "plan",
    "read_portfolio",
]

LOCK_NAME = ".zecher.lock"
_TRIES = 5


class Applied:
    """What was written: how many cards, whether the index, and the plan that was carried out in the end.

    ``problems`` are the plan's and those of writing.
    """

    __slots__ = ("index_written", "plan", "problems", "written")

    def __init__(
        self, written: int, problems: tuple[Problem, ...], plan: Plan, *, index_written: bool
    ) -> None:
        self.written = written
        self.problems = problems
        self.plan = plan
        self.index_written = index_written


def plan(
    portfolio: Portfolio,
    facts: Sequence[Facts],
    *,
    now: str,
    roots: Sequence[str],
    exists: Callable[[str], bool],
    real_path: Callable[[str], str] = os.path.realpath,
) -> Plan:
    """Decide what the brain shall say after a scan.

    ``now`` is ``YYYY-MM-DDTHH:MM:SSZ``; ``roots`` are the folders that were really walked, as they were given
    (a root that could not be read must not be among them, or all its projects count as gone). A card is
    marked missing when it lies below a root, is not among the facts, and ``exists`` says no; ``exists`` shall
    be true also where the answer is not known (see ``may_exist``). ``real_path`` resolves links; it is asked
    only for cards that no fact names.
    """
    return make_plan(portfolio, Request(tuple(facts), now, tuple(roots), exists, real_path))


def may_exist(path: str) -> bool:
    """Whether something stands at ``path``, or could: only a clear no counts as a no."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def apply(decided: Plan, brain: str, *, wait: float = 10.0, ask: Ask | None = None) -> Applied:
    """Write what ``decided`` holds into the brain at ``brain``; when this returns, all of it is durable.

    Takes the brain's lock, waiting at most ``wait`` seconds (``LockedError``), reads the brain again and
    plans anew where it changed. A plan without writes touches nothing. ``WriteError`` names path and reason;
    what stood there then still stands, file by file.

    Until the first card is published ``ask`` is asked between any two files; when it raises, nothing was.
    From then on nobody is asked, and signals wait until cards and page belong together again.
    """
    base = os.path.realpath(brain)
    if decided.is_idle:
        if decided.portfolio.leftovers:
            # Tidying is no reason to fail: another run, or another day, will do it as well.
            with suppress(LockedError, WriteError), BrainLock(os.path.join(base, LOCK_NAME), wait=0):
                _sweep(base, decided.request.now)
        return Applied(0, decided.problems, index_written=False, plan=decided)
    if blocked := obstacle(brain):
        raise WriteError(brain, f"it {blocked}")
    make_folder(base)
    make_folder(os.path.join(base, PROJECTS))
    with BrainLock(os.path.join(base, LOCK_NAME), wait=wait), Unbroken() as unbroken:
        _sweep(base, decided.request.now)
        changed: ChangedError | None = None
        for _ in range(_TRIES):
            decided = _current(decided, brain)
            try:
                return _Application(decided, base).run(ask, unbroken)
            except ChangedError as error:
                changed = error
                ask = None  # some cards may stand already: the rest belongs to them
    raise WriteError(changed.path if changed else brain, "somebody else keeps saving this file")


def _current(decided: Plan, brain: str) -> Plan:
    """The plan against the brain as it stands now."""
    fresh = read_portfolio(brain)
    return decided if _state(fresh) == _state(decided.portfolio) else make_plan(fresh, decided.request)


def _state(portfolio: Portfolio) -> tuple[list[tuple[str, Seen]], Seen | None]:
    return [(file.name, file.seen) for file in portfolio.files], portfolio.index


def _sweep(base: str, now: str) -> None:
    for folder in (base, os.path.join(base, PROJECTS)):
        sweep(folder, now=_seconds(now))


def _seconds(now: str) -> float:
    from datetime import datetime  # noqa: PLC0415 - start-up: 1 ms, and only a plan that writes needs it

    return datetime.fromisoformat(now).timestamp()


class _Application:
    """One plan on its way to the disk."""

    def __init__(self, decided: Plan, base: str) -> None:
        self._plan = decided
        self._base = base
        self._problems = list(decided.problems)

    def run(self, ask: Ask | None, unbroken: Unbroken) -> Applied:
        cards = [write for card in self._plan.cards if (write := self._card(card))]
        index = [write for write in [self._index()] if write]
        replace_all([*cards, *index], self._base, ask=ask, unbroken=unbroken)
        return Applied(len(cards), tuple(self._problems), self._plan, index_written=bool(index))

    def _card(self, card: CardWrite) -> Write | None:
        name = os.path.join(PROJECTS, card.file)
        return self._write(name, card.data, card.seen, aside=card.aside, source=card.source)

    def _index(self) -> Write | None:
        if self._plan.index is None:
            return None
        old = self._plan.portfolio.index
        return self._write(INDEX_NAME, self._plan.index, old, aside=old is not None and old.data is None)

    def _write(
        self,
        name: str,
        data: bytes,
        seen: Seen | None,
        *,
        aside: bool,
        source: tuple[str, Seen] | None = None,
    ) -> Write | None:
        path = os.path.join(self._base, name)
        try:
            target = resolve(path, self._base)
        except OutsideError as error:
            self._problems.append(
                Problem("link-outside", "error", path, f"not written: {error}", "replace the link by a file")
            )
            return None
        old = (os.path.join(self._base, PROJECTS, source[0]), source[1]) if source else None
        return Write(path, data, seen, self._aside(target) if aside else None, old)

    def _aside(self, target: str) -> str:
        """A free name beside ``target`` for what stands there and could not be used."""
        stamp = self._plan.request.now.replace("-", "").replace(":", "")
        name = f"{target}.corrupt-{stamp}"
        number = 1
        while os.path.lexists(name):
            number += 1
            name = f"{target}.corrupt-{stamp}-{number}"
        return name
