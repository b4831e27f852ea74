"""The shape of a project card: which lines carry which top-level key, and what the values are.

Three readers, cheapest first: flat ``key: JSON`` lines as BMAD+ and Zecher write them; YAML for what people
write; and, where YAML refuses, the lines as BMAD+ itself reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from json import JSONDecoder
from json.scanner import make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeVar

    import yaml

    _Kind = TypeVar("_Kind", bound=yaml.Event)

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

MAX_DEPTH = 32

_KEY = re.compile(r"([A-Za-z_0-9]+):[ \t]*")
# Only odd cards need these: they are compiled on first use.
_REST = r"[ \t]*(?:[ \t]#[^\n]*)?\r?(?:\n|\Z)"
_WORDS = r"[A-Za-z0-9_./@][\w./@+-]*(?: [\w./@+-]+)*"
_SKIPPED = r"(?:#[^\n]*|[ \t]*\r?)(?:\n|\Z)"
_LINES = r"[^\n]*\n|[^\n]+"
_COMMENT = r"(?s)[ \t]+#.*\Z"
_IDLE = r"(?s)[ \t\r\n]*(?:#.*)?[\r\n]*\Z"


class Entry:
    """One top-level key with the lines ``first`` up to, not including, ``end`` that hold it."""

    __slots__ = ("end", "first", "key")

    def __init__(self, key: str, first: int, end: int) -> None:
        self.key = key
        self.first = first
        self.end = end


class Outline:
    """A card taken apart: its lines, the entries that they hold, the values of those.

    ``is_flat``: no key takes more than a line; ``in_lines`` is false when keys do not begin lines of their
    own; ``complaint`` says why YAML refused.
    """

    __slots__ = ("complaint", "entries", "in_lines", "is_flat", "lines", "values")

    def __init__(
        self, lines: list[str], entries: list[Entry], values: dict[str, Json], complaint: str = ""
    ) -> None:
        self.lines = lines
        self.entries = entries
        self.values = values
        self.is_flat = False
        self.in_lines = True
        self.complaint = complaint


class _NotYamlError(Exception):
    """YAML that is damaged, or that is refused: aliases, depth, more than one document, no mapping."""


def _refuse_constant(name: str) -> Json:
    raise ValueError(name)


# typeshed types the argument as the scanner itself; it is the decoder whose hooks the scanner uses.
_scan: Callable[[str, int], tuple[Json, int]] = make_scanner(
    JSONDecoder(parse_constant=_refuse_constant)  # type: ignore[arg-type] # see above
)


def json_or_text(text: str) -> Json:
    """``text`` as JSON, or itself where it is none: how BMAD+ reads a value."""
    try:
        value, end = _scan(text, 0)
    except (ValueError, StopIteration, RecursionError):
        return text
    result: Json = value
    return result if end == len(text) else text


def json_length(text: str) -> int:
    """How many characters of ``text`` its leading JSON value takes; 0 when it begins with none."""
    try:
        return int(_scan(text, 0)[1])
    except (ValueError, StopIteration, RecursionError):
        return 0


def plain_values(text: str) -> dict[str, Json] | None:
    """The values of a card of flat lines, or None when it holds anything else.

    Flat are ``key: JSON`` and ``key: plain words``, with or without a comment after them, comment lines and
    blank lines. Later keys win over earlier ones of the same name.
    """
    values: dict[str, Json] = {}
    position, length, key_at, scan = 0, len(text), _KEY.match, _scan
    while position < length:
        key = key_at(text, position)
        if key is None:
            skipped = re.compile(_SKIPPED).match(text, position)
            if skipped is None:
                return None
            position = skipped.end()
            continue
        start = key.end()
        try:
            value, end = scan(text, start)
        except (ValueError, StopIteration, RecursionError):
            end = -1
        if end == length or (end > 0 and text[end] == "\n"):
            position = end + 1
        else:
            found = _with_rest(text, start, end)
            if found is None:
                return None
            words, position = found
            if words is not None:
                value = words
        values[key.group(1)] = value
    return values


def _with_rest(text: str, start: int, end: int) -> tuple[str | None, int] | None:
    """Where the next line begins, after a JSON value that ends at ``end``, or else after plain words."""
    if end > 0 and (rest := re.compile(_REST).match(text, end)):
        return None, rest.end()
    words = re.compile(_WORDS).match(text, start)
    if words and (rest := re.compile(_REST).match(text, words.end())):
        return words.group(), rest.end()
    return None


def split_lines(text: str) -> list[str]:
    """The lines of ``text`` with their ends; only LF ends a line."""
    return re.findall(_LINES, text)


def is_idle(line: str) -> bool:
    """Whether ``line`` is blank or a comment."""
    return re.compile(_IDLE).match(line) is not None


def outline(text: str) -> Outline:
    """Take a card apart; never raises. ``complaint`` says why YAML refused it, where it did."""
    lines = split_lines(text)
    values = plain_values(text)
    if values is not None:
        flat = Outline(lines, _line_entries(lines), values)
        flat.is_flat = True
        return flat
    try:
        return _yaml_outline(text, lines)
    except _NotYamlError as error:
        entries = _line_entries(lines)
        return Outline(lines, entries, _line_values(lines, entries), complaint=str(error))


def _line_entries(lines: list[str]) -> list[Entry]:
    starts = [(index, key.group(1)) for index, line in enumerate(lines) if (key := _KEY.match(line))]
    ends = [index for index, _ in starts[1:]] + [len(lines)]
    return [_trimmed(lines, key, first, end) for (first, key), end in zip(starts, ends, strict=False)]


def _trimmed(lines: list[str], key: str, first: int, end: int) -> Entry:
    """The entry without the blank and comment lines that follow it: they belong to no key."""
    while end > first + 1 and is_idle(lines[end - 1]):
        end -= 1
    return Entry(key, first, end)


def _line_values(lines: list[str], entries: list[Entry]) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for entry in entries:
        line = lines[entry.first]
        rest = line[len(entry.key) + 1 :].strip(" \t\r\n")
        value = json_or_text(rest)
        if value is rest:
            value = json_or_text(re.sub(_COMMENT, "", rest))
        values[entry.key] = value if rest and entry.end == entry.first + 1 else None
    return values


def _yaml_outline(text: str, lines: list[str]) -> Outline:
    from bisect import bisect_right  # noqa: PLC0415 - start-up: only YAML needs it

    try:
        events = _Events(text)
    except UnicodeEncodeError:
        raise _NotYamlError("not UTF-8") from None
    result = Outline(lines, [], {})
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    starts: list[tuple[int, str]] = []
    for key, index, value in events.top_level():
        number = bisect_right(offsets, index) - 1
        result.in_lines = result.in_lines and offsets[number] == index
        starts.append((number, key))
        result.values[key] = value
    last = min(bisect_right(offsets, events.end), len(lines))
    result.in_lines = result.in_lines and not events.flow
    ends = [number for number, _ in starts[1:]] + [last]
    if result.in_lines:
        result.entries = [
            _trimmed(lines, key, first, end) for (first, key), end in zip(starts, ends, strict=True)
        ]
    return result


class _Events:
    """The one mapping that a YAML text may hold, built from the parser's events.

    Nothing is constructed that the text does not spell out: no aliases, no tags, no types beyond JSON's.
    """

    def __init__(self, text: str) -> None:
        import yaml  # noqa: PLC0415 - start-up: 15 ms, and most cards never need it

        self._yaml = yaml
        self._depth = 0
        self.end = len(text)
        self.flow = False
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._stream: Iterator[yaml.Event] = iter(yaml.parse(text, Loader=loader))

    def top_level(self) -> list[tuple[str, int, Json]]:
        """(key, offset of the key, value) of each entry, in order."""
        try:
            return self._document()
        except self._yaml.YAMLError as error:
            raise _NotYamlError(_summary(error)) from None
        except (ValueError, RecursionError) as error:
            raise _NotYamlError(str(error)) from None

    def _document(self) -> list[tuple[str, int, Json]]:
        yaml = self._yaml
        self._expect(yaml.StreamStartEvent)
        self._expect(yaml.DocumentStartEvent)
        start = self._expect(yaml.MappingStartEvent)
        self.flow = bool(start.flow_style)
        found: list[tuple[str, int, Json]] = []
        while not isinstance(event := next(self._stream), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise _NotYamlError("a key that is not a word")
            found.append((str(event.value), event.start_mark.index, self._value(next(self._stream))))
        self.end = event.start_mark.index
        self._expect(yaml.DocumentEndEvent)
        self._expect(yaml.StreamEndEvent)
        return found

    def _expect(self, kind: type[_Kind]) -> _Kind:
        event = next(self._stream)
        if not isinstance(event, kind):
            raise _NotYamlError("not one mapping of keys")
        return event

    def _value(self, event: yaml.Event) -> Json:
        yaml = self._yaml
        if isinstance(event, yaml.ScalarEvent):
            text = str(event.value)
            return text if event.style else (json_or_text(text) if text else None)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _NotYamlError(f"nested deeper than {MAX_DEPTH}")
        if isinstance(event, yaml.SequenceStartEvent):
            result = self._list()
        elif isinstance(event, yaml.MappingStartEvent):
            result = self._mapping()
        else:
            raise _NotYamlError("aliases are not followed")
        self._depth -= 1
        return result

    def _list(self) -> Json:
        items: list[Json] = []
        while not isinstance(event := next(self._stream), self._yaml.SequenceEndEvent):
            items.append(self._value(event))
        return items

    def _mapping(self) -> Json:
        items: dict[str, Json] = {}
        while not isinstance(event := next(self._stream), self._yaml.MappingEndEvent):
            key = self._value(event)
            items[key if isinstance(key, str) else str(key)] = self._value(next(self._stream))
        return items


def _summary(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}: " if mark else ""
    return f"{where}{getattr(error, 'problem', None) or 'not YAML'}"


def effective(entries: list[Entry]) -> Mapping[str, Entry]:
    """The entry of each key that counts: the last of its name."""
    return {entry.key: entry for entry in entries}
