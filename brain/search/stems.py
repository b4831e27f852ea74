"""The stems of a word in the languages that notes are written in."""

from __future__ import annotations

from collections.abc import Callable

LANGUAGES = ("de", "en", "fr")

Stems = tuple[str, str, str]
"""Of the languages, in their order."""

Stemmer = Callable[[str], "Stems | None"]

_LONGEST = 40


def has_stems(word: str) -> bool:
    """Whether ``word`` is one that grammar bends: letters alone, three or more, of an alphabet with case."""
    return 3 <= len(word) <= _LONGEST and word.isalpha() and (word.isascii() or word.upper() != word)


def stemmer() -> Stemmer:
    """What gives a word its three stems, German, English, French, or None to a word that has none.

    The languages are named one by one, so that a compiled stemmer that happens to be installed, maybe of
    another version, changes no answer.
    """
    # Costs 13 ms: only a word that the index has never seen needs it.
    from importlib import import_module  # noqa: PLC0415 - as above

    german, english, french = (
        getattr(import_module(f"snowballstemmer.{name}_stemmer"), f"{name.title()}Stemmer")().stemWord
        for name in ("german", "english", "french")
    )

    def stems(word: str) -> Stems | None:
        return (german(word), english(word), french(word)) if has_stems(word) else None

    return stems
