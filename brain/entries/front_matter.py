"""The front matter of a Markdown file: its place, and its values as text, read as YAML with tight limits."""

from __future__ import annotations

from brain.entries.lines import Line
from brain.value import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

FRONT_MATTER_CAP = 64 * 1024
MAX_DEPTH = 32
MAX_LINES = 4000

Value = str | list["Value"] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands between the two ``---`` at the top of a file.

    ``span`` are the bytes from the first fence through the line end of the second. ``values`` holds every
    scalar as the text that was written (``yes``, ``1:30`` and dates stay what they are); it is empty when
    ``complaint`` says why the block is no YAML that is accepted. ``duplicates`` are keys that stand twice at
    the top; the first value counts.
    """

    span: tuple[int, int]
    values: dict[str, Value] = field(default_factory=dict)
    complaint: str = ""
    duplicates: tuple[str, ...] = ()

    def text(self, key: str) -> str:
        """The text of a plain value, "" when the key is absent or holds more than a word or line."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""


class _RefusedError(Exception):
    """YAML that is damaged, or that front matter has no use for."""


def closing_line(lines: list[Line]) -> int | None:
    """The index of the line that ends the front matter, or None when the text begins with none.

    A rule at the top of a text without keys is a rule, not front matter: the first line within that says
    something has to begin with a key.
    """
    if not lines or lines[0].text.rstrip(" \t") != "---":
        return None
    meaningful = False
    for index, line in enumerate(lines[1 : MAX_LINES + 1], start=1):
        text = line.text.rstrip(" \t")
        if text in ("---", "..."):
            return index
        if not meaningful and text and not text.startswith("#"):
            if not _begins_with_key(text):
                return None
            meaningful = True
    return None


def read_front_matter(data: bytes, span: tuple[int, int], inner: tuple[int, int]) -> FrontMatter:
    """The front matter at ``span`` whose YAML stands at ``inner``; never raises."""
    raw = data[inner[0] : inner[1]]
    if len(raw) > FRONT_MATTER_CAP:
        return FrontMatter(span, complaint=f"longer than {FRONT_MATTER_CAP // 1024} KiB")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return FrontMatter(span, complaint="not UTF-8")
    if not text.strip():
        return FrontMatter(span)
    try:
        values, duplicates = _Events(text).mapping()
    except _RefusedError as error:
        return FrontMatter(span, complaint=str(error))
    return FrontMatter(span, values, duplicates=duplicates)


def _begins_with_key(text: str) -> bool:
    key, colon, rest = text.partition(":")
    return bool(colon) and (not rest or rest[0] in " \t") and key.strip() != "" and key[0] not in "-*#>|`<"


class _Events:
    """One mapping, built from the events of the YAML parser: no tags, no aliases, no types but text."""

    def __init__(self, text: str) -> None:
        import yaml  # noqa: PLC0415 - start-up: 15 ms, and only files with front matter need it

        self._yaml = yaml
        self._depth = 0
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._stream: Iterator[yaml.Event] = iter(yaml.parse(text, Loader=loader))

    def mapping(self) -> tuple[dict[str, Value], tuple[str, ...]]:
        yaml = self._yaml
        try:
            for expected in (yaml.StreamStartEvent, yaml.DocumentStartEvent, yaml.MappingStartEvent):
                event = next(self._stream)
                if isinstance(event, yaml.StreamEndEvent):
                    return {}, ()
                if not isinstance(event, expected):
                    raise _RefusedError("not one mapping of keys")
            values, duplicates = self._pairs()
            next(self._stream)
            if not isinstance(next(self._stream), yaml.StreamEndEvent):
                raise _RefusedError("more than one document")
        except yaml.YAMLError as error:
            raise _RefusedError(_summary(error)) from None
        except (ValueError, RecursionError) as error:
            raise _RefusedError(str(error)) from None
        return values, duplicates

    def _pairs(self) -> tuple[dict[str, Value], tuple[str, ...]]:
        values: dict[str, Value] = {}
        duplicates: list[str] = []
        while not isinstance(event := next(self._stream), self._yaml.MappingEndEvent):
            if not isinstance(event, self._yaml.ScalarEvent):
                raise _RefusedError("a key that is not a word")
            key, value = str(event.value), self._value(next(self._stream))
            if key in values:
                duplicates.append(key)
            else:
                values[key] = value
        return values, tuple(dict.fromkeys(duplicates))

    def _value(self, event: yaml.Event) -> Value:
        yaml = self._yaml
        if isinstance(event, yaml.ScalarEvent):
            return str(event.value)
        if isinstance(event, yaml.AliasEvent):
            raise _RefusedError("aliases are not followed")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _RefusedError(f"nested deeper than {MAX_DEPTH}")
        value: Value
        if isinstance(event, yaml.SequenceStartEvent):
            value = []
            while not isinstance(item := next(self._stream), yaml.SequenceEndEvent):
                value.append(self._value(item))
        else:
            value = self._pairs()[0]
        self._depth -= 1
        return value


def _summary(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 2}: " if mark else ""
    words = getattr(error, "problem", None) or getattr(error, "reason", None)
    return f"{where}{words or 'not YAML'}"
