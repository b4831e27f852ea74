"""The text of a memory file as it stands there, and which of its lines are code or comments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property, lru_cache
from itertools import filterfalse

from brain.entries.lines import CODE, COMMENT, classify, split
from brain.health import roles
from brain.health.folding import ASCII, FOLDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.values import MemoryFile

_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)


def memory_files(parsed: ParsedMemory) -> Iterator[MemoryFile]:
    """Every readable file that is memory, each file on disk once, under its best known name.

    Manifests, scripts and the README tell rules how a project works; nobody keeps its memory there.
    """
    seen: set[object] = set()
    for file in parsed.memory.files:
        if not file.data or file.role in (roles.START, roles.INIT):
            continue
        inode = file.stamp[2] or file.path
        if seen.isdisjoint((inode, file.path)):
            seen.update((inode, file.path))
            yield file


# White space and the mark of bold words as blanks, all else as one letter.
_INK = bytes(32 if byte in b" \t\n\r*" else 120 for byte in range(256))


class AllWords:
    """The words of all files of a memory together: they tell at once that a rule finds nothing in any.

    ``data`` is all of them; ``signs`` is what is left of it without ASCII: the runs of such bytes as they
    are, one after the other.
    """

    def __init__(self, contents: Iterable[bytes]) -> None:
        self.data = b"\n".join(contents)
        self.signs = self.data.translate(None, ASCII)

    @cached_property
    def telling(self) -> frozenset[bytes]:
        """Its words, as ``word_set`` has them, that ``looked_for`` names, or that hold a part named there."""
        return _telling(self.data.translate(FOLDED).split())

    def has_longer(self, length: int) -> bool:
        """Whether anything between white space and stars is longer than so many bytes."""
        return self.data.translate(_INK).find(b"x" * (length + 1)) >= 0


# Words that tell no rule anything. Memories use the same ones: to leave them out takes a third of the time of
# making a set of all.
_silent: set[bytes] = set()
_MOST_SILENT = 100_000


def _telling(words: list[bytes]) -> frozenset[bytes]:
    """Those of ``words`` that a rule looks for, or that hold a part that one looks for."""
    wanted, part = looked_for()
    found = []
    for word in set(filterfalse(_silent.__contains__, words)):
        if word in wanted or part.search(word + b" "):
            found.append(word)
        elif len(_silent) < _MOST_SILENT:
            _silent.add(word)
    return frozenset(found)


_asked: list[Callable[[], Iterable[bytes]]] = []
_parts: list[bytes] = []


def look_for(words: Callable[[], Iterable[bytes]] = tuple, parts: Iterable[bytes] = ()) -> None:
    """Have ``AllWords`` tell of ``words``, as ``word_set`` has them, and of words that hold one of ``parts``.

    Each rule says what it looks for when it is imported. ``words`` is called when the first text is read. A
    part may end with the blank behind its word.
    """
    _asked.append(words)
    _parts.extend(parts)
    _silent.clear()
    looked_for.cache_clear()


@cache
def looked_for() -> tuple[frozenset[bytes], re.Pattern[bytes]]:
    """The words and a pattern for the parts of them that any rule looks for in all files at once."""
    pattern = b"|".join(map(re.escape, _parts)) if _parts else rb"(?!)"
    return frozenset(word for words in _asked for word in words()), re.compile(pattern)


@lru_cache(maxsize=64)
def word_set(data: bytes) -> frozenset[bytes]:
    """The different words of ``data`` in small letters; a word ends before anything that is not ASCII.

    To tell in 40 microseconds for 5 KB that a pattern need not be tried, however many words could begin it.
    """
    return frozenset(data.translate(FOLDED).split())


def trigger(word: str) -> bytes:
    """The part of ``word`` by which ``word_set`` knows it: ``gles`` for ``règles``."""
    return max(word.encode().translate(FOLDED).split(), key=len)


def line_at(text: str, place: int) -> int:
    """The number, from 1, of the line in which the character at ``place`` stands."""
    return text.count("\n", 0, place) + 1


class Regions:
    """Which places of a Markdown text are code or comments. Made only where something was found."""

    __slots__ = ("_code", "_comments", "_starts", "_text")

    def __init__(self, text: str) -> None:
        data = text.encode("utf-8", "surrogateescape")
        lines = split(data, 3 if data.startswith(b"\xef\xbb\xbf") else 0)
        classify(lines)
        self._text = text
        self._code = {line.number for line in lines if line.kind == CODE}
        whole = {line.number for line in lines if line.kind == COMMENT}
        self._starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
        self._comments = [
            match.span()
            for match in _COMMENT.finditer(text)
            if self.line(match.start()) not in self._code or self.line(match.start()) in whole
        ]

    def line(self, place: int) -> int:
        """The number, from 1, of the line in which ``place`` stands; ends of lines as Markdown knows them."""
        return bisect_right(self._starts, place)

    def in_comment(self, place: int) -> bool:
        """Whether ``place`` is inside an HTML comment that no renderer shows."""
        return any(start <= place < end for start, end in self._comments)

    def in_code(self, place: int) -> bool:
        """Whether ``place`` is in a fence, or in a span of code on its line."""
        number = self.line(place)
        if number in self._code:
            return True
        start = self._starts[number - 1]
        return self._text.count("`", start, place) % 2 == 1

    def is_code_line(self, number: int) -> bool:
        """Whether line ``number`` stands in a fence."""
        return number in self._code
