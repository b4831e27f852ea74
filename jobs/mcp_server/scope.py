"""Which projects a tool may touch: those of the index, and repositories below the configured roots."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from brain.portfolio import read_portfolio
from brain.search.keeping import NOBODY, Waiter
from jobs.choosing import chosen_project, is_path
from jobs.config import load_configuration
from jobs.mcp_server.refusal import RefusedError
from jobs.places import index_brain
from jobs.surroundings import Surroundings
from jobs.typed import Typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.project_cards import Card

_DAY = 86_400.0
_MOST_REPLAYS = 1000


class Replays:
    """What calls with a key came to, for a day: the same call once more gets the same answer.

    Only writers have keys, and these go one by one.
    """

    __slots__ = ("_answers",)

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str, str], tuple[float, dict[str, object]]] = {}

    def get(self, tool: str, folder: str, key: object, now: float) -> dict[str, object] | None:
        """The document of the call of ``tool`` about ``folder`` with that ``key``, if there was one."""
        for known in [one for one, (when, _) in self._answers.items() if when < now - _DAY]:
            del self._answers[known]
        found = self._answers.get((tool, folder, str(key))) if isinstance(key, str) else None
        return None if found is None else found[1]

    def put(self, tool: str, folder: str, key: object, now: float, document: dict[str, object]) -> None:
        """Remember it, of a thousand the latest."""
        if isinstance(key, str):
            self._answers[(tool, folder, key)] = (now, document)
            while len(self._answers) > _MOST_REPLAYS:
                del self._answers[next(iter(self._answers))]


class Session:
    """What holds for all calls: what was typed, what surrounded the start; the clock goes on."""

    __slots__ = ("_ahead", "_replays", "_surroundings", "_typed", "debug")

    def __init__(self, typed: Typed, surroundings: Surroundings, *, is_fixed: bool) -> None:
        """``is_fixed``: the clock stands, for tests."""
        self._typed = typed
        self._surroundings = surroundings
        self._ahead = None if is_fixed else 0.0
        self._replays = Replays()
        self.debug = typed.on("debug")

    def call(self, waiter: Waiter = NOBODY) -> Call:
        """What one call works with; ``waiter`` is who waits for it."""
        start = self._surroundings
        now = start.now if self._ahead is None else time.time()
        surroundings = Surroundings(start.environ, start.home, start.cwd, now)
        given = {name: self._typed.text(name) for name in ("config", "brain")}
        return Call(
            {name: value for name, value in given.items() if value}, surroundings, self._replays, waiter
        )


class Call:
    """One call of a tool: its moment, its configuration, the projects that it may mean."""

    __slots__ = ("_cards", "_given", "_roots", "index", "replays", "surroundings", "waiter")

    def __init__(
        self, given: Mapping[str, object], surroundings: Surroundings, replays: Replays, waiter: Waiter
    ) -> None:
        self.waiter = waiter
        self._given = given
        self.replays = replays
        self.surroundings = surroundings
        typed = Typed(given)
        configuration = load_configuration(surroundings, typed.text("config"))
        self.index = index_brain(typed, surroundings, configuration)
        self._roots = [os.path.realpath(root.path) for root in configuration.roots]
        self._cards: tuple[Card, ...] | None = None

    def typed(self, **more: object) -> Typed:
        """What was typed when the server was started, and ``more``."""
        return Typed({**self._given, **more})

    @property
    def cards(self) -> tuple[Card, ...]:
        """The projects of the index."""
        if self._cards is None:
            self._cards = tuple(read_portfolio(self.index).cards)
        return self._cards

    def project(self, word: object) -> str:
        """The real folder of the project that ``word`` names; without one, that in which the server stands.

        What lies outside and what does not exist are refused alike.
        """
        if not isinstance(word, str):
            here = self.here
            if here is None:
                raise RefusedError(
                    "project-needed",
                    "No project is named, and the server was started outside all of them",
                    "Give project; the tool projects lists their names.",
                )
            return here
        if is_path(word):
            found = self.around(self.surroundings.absolute(word))
            if found is None:
                raise RefusedError(
                    "project-unknown",
                    "No such project",
                    "Name one of the index, or a repository below a configured root (tool projects).",
                )
            return found
        path = chosen_project(
            word, self.cards, absolute=self.surroundings.absolute, home=self.surroundings.home
        ).path
        if not os.path.isdir(path):
            raise RefusedError(
                "project-missing", f"The folder {path} is gone", "Have the user scan again: zecher scan PATH."
            )
        return os.path.realpath(path)

    @property
    def here(self) -> str | None:
        """The project in which the server was started, if that is one it may touch."""
        return self.around(self.surroundings.cwd) if self.surroundings.cwd else None

    def around(self, path: str) -> str | None:
        """The project that the existing folder or file ``path`` is, or lies in; None outside of all."""
        real = folder = os.path.realpath(path)
        if not os.path.lexists(real):
            return None
        known = {os.path.realpath(card.path) for card in self.cards}
        allowed = [*known, *self._roots]
        while True:
            if folder in known and os.path.isdir(folder):
                return folder
            if os.path.lexists(os.path.join(folder, ".git")) and any(_within(folder, one) for one in allowed):
                return folder
            above = os.path.dirname(folder)
            if above == folder:
                return None
            folder = above


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
