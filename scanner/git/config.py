"""The subset of git's configuration format that a reader needs, parsed without git.

Format: the "CONFIGURATION FILE / Syntax" part of git-config(1). Sections, quoted and dotted subsections,
quoting, escapes, continuation lines, comments and a byte order mark are understood. ``include.*`` and
``includeIf.*`` are plain keys here: no other file is ever opened because a configuration says so.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from scanner.git.problems import ProblemLog
from scanner.reading import UnreadableError, read_optional

CONFIG_CAP = 256 * 1024
_ENTRIES = 20_000

_PLAIN_CAP = 4096
_PLAIN_LINE = re.compile(
    r'[ \t]*(?:([A-Za-z][A-Za-z0-9-]*) ?= ?([^"\n]*)|\[([A-Za-z0-9-]+)(?: "([^"\n]*)")?\])?\n'
)
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compiled when first needed: what git itself writes is read without."""
    return re.compile(text)


_SECTION = r'\[\s*([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?[ \t]*\]'
_KEY = r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)"
_COMMENT = "[#;]"
_PIECE = r'"|\\.?|[#;]|[^"\\#;]+'
_UNESCAPE = r"\\(.)"


class Config:
    """Values by key; the last one counts, as in git. A key without ``=`` has the value ``true``.

    Never changed once it is made: the values may be shared with another one.
    """

    __slots__ = ("_values",)

    def __init__(self, values: dict[str, list[str]] | None = None) -> None:
        self._values = values or {}

    def get(self, key: str) -> str | None:
        """The last value of ``section.name`` or ``section.subsection.name``."""
        values = self._values.get(canonical(key))
        return values[-1] if values else None

    def all(self, key: str) -> tuple[str, ...]:
        """Every value of a key in the order of the file."""
        return tuple(self._values.get(canonical(key), ()))

    def is_true(self, key: str) -> bool:
        """Whether git would take the key's value for true."""
        return (self.get(key) or "false").lower() in ("true", "yes", "on", "1")

    def is_false(self, key: str) -> bool:
        """Whether a key is set, and git would take its value for false."""
        value = self.get(key)
        return value is not None and value.lower() in ("false", "no", "off", "0", "")

    def subsections(self, section: str) -> tuple[str, ...]:
        """The subsections of ``section`` that carry a key, in the order of the file."""
        prefix = section.lower() + "."
        start = len(prefix)
        keys = [key for key in self._values if key.startswith(prefix)]
        found = dict.fromkeys(key[start : key.rindex(".")] for key in keys if key.rindex(".") >= start)
        return tuple(found)

    def merged(self, later: Config) -> Config:
        """This configuration with ``later`` read after it."""
        values = {key: list(found) for key, found in self._values.items()}
        for key, found in later._values.items():
            values.setdefault(key, []).extend(found)
        return Config(values)


@lru_cache(256)
def canonical(key: str) -> str:
    """A key as it is stored: section and name in lower case, the subsection as written."""
    section, _, rest = key.partition(".")
    subsection, dot, name = rest.rpartition(".")
    return f"{section.lower()}.{subsection}{dot}{name.lower()}"


def read_config(path: str, problems: ProblemLog) -> Config:
    """The configuration in ``path``, at most 256 KiB; a missing file is an empty configuration."""
    try:
        data = read_optional(path, CONFIG_CAP)
    except UnreadableError as error:
        problems.unreadable(error)
        return Config()
    if data is None:
        return Config()
    plain = read_plain(data) if len(data) <= _PLAIN_CAP else None
    return Config(plain) if plain is not None else parse_config(data, path, problems)


@lru_cache(64)
def read_plain(data: bytes) -> dict[str, list[str]] | None:
    """The values of a file as git itself writes it, without quotes, escapes and comments; ``None`` otherwise.

    The same as ``parse_config`` gives at a fraction of the cost. The result is shared: many repositories have
    the very same configuration.
    """
    if b"\\" in data or b"#" in data or b";" in data or b"\r" in data or data[:3] == b"\xef\xbb\xbf":
        return None
    text = data.decode("utf-8", "surrogateescape")
    values: dict[str, list[str]] = {}
    prefix = ""
    at = 0
    for line in _PLAIN_LINE.finditer(text):
        if line.start() != at:
            return None
        at = line.end()
        name, value, section, subsection = line.groups()
        if name is not None and prefix:
            values.setdefault(prefix + name.lower(), []).append(value.strip(" \t"))
        elif section is not None:
            prefix = section.lower() + ("." if subsection is None else f".{subsection}.")
        elif name is not None:
            return None
    return values if at == len(text) else None


def parse_config(data: bytes, path: str, problems: ProblemLog) -> Config:
    """Parse ``data``; a line that git would refuse becomes a problem and is left out."""
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n")
    values: dict[str, list[str]] = {}
    prefix = ""
    number = 0
    entries = 0
    while number < len(lines):
        line = lines[number].strip(" \t")
        number += 1
        if line.startswith("["):
            section = _pattern(_SECTION).match(line)
            prefix = _section_prefix(section) if section else ""
            line = line[section.end() :].lstrip(" \t") if section else "?"
        if not line or line[0] in "#;":
            continue
        key = _pattern(_KEY).match(line)
        value, number = _value(line[key.end() :], lines, number) if key and key[2] else ("true", number)
        if key is None or not prefix or value is None or not (key[2] or _is_bare(line, key.end())):
            problems.add("git-config-line", path, f"line {number} is not valid and was left out")
            continue
        values.setdefault(prefix + key[1].lower(), []).append(value)
        entries += 1
        if entries >= _ENTRIES:
            problems.add("git-config-large", path, f"only the first {_ENTRIES} entries were read")
            break
    return Config(values)


def _section_prefix(section: re.Match[str]) -> str:
    name, subsection = section[1].lower(), section[2]
    if subsection is None:
        return name + "."
    return f"{name}.{_pattern(_UNESCAPE).sub(lambda escape: escape[1], subsection)}."


def _is_bare(line: str, end: int) -> bool:
    """Whether nothing but a comment follows a key that has no ``=``."""
    rest = line[end:].lstrip(" \t")
    return not rest or rest[0] in "#;"


def _value(text: str, lines: list[str], number: int) -> tuple[str | None, int]:
    """A value that starts in ``text`` and may go on at ``lines[number]``; and where the next entry starts."""
    text = text.lstrip(" \t")
    if '"' not in text and "\\" not in text:
        return _pattern(_COMMENT).split(text, maxsplit=1)[0].rstrip(" \t"), number
    parts: list[tuple[str, bool]] = []
    quoted = False
    goes_on = True
    while goes_on:
        goes_on = False
        for piece in _pattern(_PIECE).findall(text):
            if piece == '"':
                quoted = not quoted
                parts.append(("", True))
            elif piece[0] == "\\":
                goes_on = piece == "\\" and number < len(lines)
                if piece != "\\" and piece[1] not in _ESCAPED:
                    return None, number
                parts.append((_ESCAPED.get(piece[1:], ""), piece != "\\"))
            elif piece[0] in "#;" and not quoted:
                break
            else:
                parts.append((piece, False))
        if goes_on:
            text, number = lines[number], number + 1
    return (None if quoted else _trimmed(parts)), number


def _trimmed(parts: list[tuple[str, bool]]) -> str:
    """The parts as one text, without the blanks at its end that no quotes protect."""
    while parts and not parts[-1][1]:
        bare = parts.pop()[0].rstrip(" \t")
        if bare:
            parts.append((bare, True))
    return "".join(part for part, _ in parts)
