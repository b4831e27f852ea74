"""The same configuration as YAML, read strictly: what means one thing to a person means it here too.

No aliases, no tags, one document, a key only once, at most 64 KiB; what stands without quotes is text until
the check of its key makes a number or a switch of it, so that ``no`` and ``1:30`` are never taken for
something else.
"""

from __future__ import annotations

from jobs.config_lines import Lines, Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

YAML_CAP = 64 * 1024
_DEEPEST = 32
_NOTHING = ("", "~", "null", "Null", "NULL")


class Plain(str):
    """Text that stands without quotes: a number or a switch where the key asks for one."""

    __slots__ = ()


class YamlError(ValueError):
    """Why a text is not read, with its line."""


def read_yaml(text: str) -> tuple[dict[str, object], Lines]:
    """The tables of ``text`` and where their keys stand; ``YamlError`` for what is not read.

    A value that is empty or null is None.
    """
    import yaml  # noqa: PLC0415 - start-up: 15 ms, only where a configuration is YAML

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reader = _Reader(yaml)
    try:
        found = reader.document(iter(yaml.parse(text, Loader=loader)))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise YamlError(f"{where}{error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise YamlError(" ".join(str(error).split())) from None
    if found is None:
        return {}, Lines({})
    if not isinstance(found, dict):
        raise YamlError("line 1: the file is not a table of keys")
    return found, Lines(reader.known)


class _Reader:
    """Builds plain values from the events of the parser."""

    def __init__(self, yaml: Any) -> None:
        self._yaml = yaml
        self._events: Iterator[Any] = iter(())
        self.known: dict[Path, int] = {}

    def document(self, events: Iterator[Any]) -> object:
        """The value of the one document; None for an empty file."""
        self._events = events
        found: object = None
        documents = 0
        for event in events:
            if isinstance(event, self._yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _refused(event, "a second document: the configuration is one")
                found = self._value(next(events), (), 0)
        return found

    def _value(self, event: Any, path: Path, depth: int) -> object:
        yaml = self._yaml
        if isinstance(event, yaml.AliasEvent):
            raise _refused(event, f"*{event.anchor}: aliases are not read; write the value again")
        if event.tag is not None:
            raise _refused(event, f"{event.tag}: tags are not read; leave it out")
        if depth > _DEEPEST:
            raise _refused(event, "nested too deeply")
        if isinstance(event, yaml.MappingStartEvent):
            return self._table(path, depth)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(path, depth)
        if event.style:  # of the two parsers one says None for plain text, the other an empty word
            return str(event.value)
        return None if event.value in _NOTHING else Plain(event.value)

    def _table(self, path: Path, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        while not isinstance(event := next(self._events), self._yaml.MappingEndEvent):
            if not isinstance(event, self._yaml.ScalarEvent) or event.tag is not None:
                raise _refused(event, "a key is a plain word")
            key = str(event.value)
            if key in found:
                raise _refused(event, f"{key} stands here a second time")
            self.known[(*path, key)] = event.start_mark.line + 1
            found[key] = self._value(next(self._events), (*path, key), depth + 1)
        return found

    def _list(self, path: Path, depth: int) -> list[object]:
        found: list[object] = []
        while not isinstance(event := next(self._events), self._yaml.SequenceEndEvent):
            here = (*path, len(found))
            self.known[here] = event.start_mark.line + 1
            found.append(self._value(event, here, depth + 1))
        return found


def _refused(event: Any, why: str) -> YamlError:
    return YamlError(f"line {event.start_mark.line + 1}: {why}")
