"""What is known about something, as commands and assistants ask for it."""

from __future__ import annotations

from brain.bundle.recall import BUDGET, DEEPEST, DEPTH, Wish, recall
from jobs.meaning import model_to_ask
from jobs.memory_index import NOBODY, PROJECT_SCOPE, with_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from brain.bundle.recall import Recalled
    from brain.search.store import Store
    from jobs.memory_index import Fresh, IndexSettings, Waiter

MOST_TOKENS = 1_000_000
"""The largest budget, and the largest share of one file."""


def recalled(
    settings: IndexSettings,
    text: str,
    *,
    scope: str = PROJECT_SCOPE,
    budget: int = BUDGET,
    depth: int = DEPTH,
    cap: int | None = None,
    with_user: bool = False,
    waiter: Waiter = NOBODY,
) -> tuple[Recalled, Fresh]:
    """The bundle for ``text`` from an index that was brought up to date as far as that is quick.

    ``budget`` and ``cap``, of one file, are in tokens; ``depth`` is 0 to 3. ``with_user`` adds what is
    remembered of the user where the scope is a project. Raises ``sqlite3.Error``.
    """

    def work(store: Store, names: Mapping[str, str]) -> Recalled:
        wish = Wish(
            text,
            scope=scope,
            project=settings.project,
            with_user=with_user,
            budget=budget,
            depth=depth,
            cap=cap,
            now=settings.now,
            names=names,
        )
        return recall(store, wish, model_to_ask(store, wanted=settings.semantic))

    return with_index(settings, scope, work, and_brains=with_user, waiter=waiter)


__all__ = ["BUDGET", "DEEPEST", "DEPTH", "MOST_TOKENS", "recalled"]
