"""Finds secrets in text and puts a mark in their place; what counts as one stands in ``secrets.toml``.

A secret is found by the shape that its maker gave it, by the place where it stands, or by the word that
announces it, never by how random it looks: hashes, UUIDs, ids, times and paths are left alone. Only a word
that says "password", "token" or "secret" right before a value outweighs the value's shape.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

from brain.value import Value

_MARK = r"\[REDACTED:[a-z0-9-]+:[0-9a-f]{4}\]"
# What closes a sentence or a mark-up, not the value in front of it.
_TRAILING = ".,;)]}>\"'`*\\"
# Closing brackets may be gone with what closes a sentence; a digit inside makes it a value again.
_PLACEHOLDER = re.compile(
    r"<[^>\d]*>?|\{+[^{}\d]*\}*|\[[A-Za-z _-]*\]?|%[A-Z_]+%|\$\{[^}]*\}?|\$\(.*"
    r"|\$(?:[A-Z_][A-Z0-9_]*|[a-z_]+)|[*•·.xX_-]+|(?i:your)[-_ ].*"
    r"|(?:os\.)?(?:environ|getenv)\b.*|(?:process|import\.meta)\.env\b.*|env[.(:].*"
    r"|(?i:none|null|nil|true|false|undefined)(?:[\s,;:)\]}].*)?"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]|\Z)", re.IGNORECASE)
_PATH = re.compile(
    r"(?:~|\.{1,2})/[\w./@-]*"
    r"|/(?:home|users|etc|var|opt|srv|usr|tmp|root|mnt|media|run|dev|private|volumes|library|app|data|workspace)/[\w./@-]*"
    r"|(?:[\w@.-]+/)+[\w-]+\.[a-z]\w{0,7}|[a-z]:\\[\w\\. -]*",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W\d_]+(?:[-'\u2019/.][^\W\d_]+)*")
_CODE = re.compile(r"[a-z_]\w*(?:\.[a-z_]\w*)*(?:[(\[].*)?", re.IGNORECASE)
_CALL = re.compile(r"[A-Za-z_][A-Za-z_.]{3,}[(\[][\w\"'., =:()\[\]-]*")
_HASH = re.compile(
    r"(?:(?:sha|md)\d+[:-])?[0-9a-f]{6,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
)
_MORE_WORDS = re.compile(r"[ \t]+[^\W\d_]")


class Redacted(Value):
    """Text without its secrets: how many were replaced, and how many by which rule, sorted by rule."""

    __slots__ = ("count", "kinds", "text")

    def __init__(self, text: str, count: int, kinds: tuple[tuple[str, int], ...]) -> None:
        self.text = text
        self.count = count
        self.kinds = kinds


class _Rule:
    """A row of the table; see there."""

    __slots__ = ("_compiled", "check", "folded", "name", "needs", "source")

    def __init__(self, row: dict[str, str | list[str] | bool], words: dict[str, str]) -> None:
        pattern = str(row["pattern"])
        for name, alternatives in words.items():
            pattern = pattern.replace(f"@{name}@", alternatives)
        needs = row.get("needs", [])
        self.name = str(row["name"])
        self.needs = tuple(needs) if isinstance(needs, list) else ()
        self.source = pattern
        self._compiled: re.Pattern[str] | None = None
        self.folded = bool(row.get("folded", False))
        self.check = _CHECKS[str(row.get("check", "none"))]

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first needed: all of them cost 20 ms, most texts need a few."""
        if self._compiled is None:
            self._compiled = re.compile(self.source, re.VERBOSE)
        return self._compiled


class _Candidate:
    """A value that stands where secrets stand, and what is around it."""

    __slots__ = ("after", "assigned", "bound", "quoted", "says", "value")

    def __init__(self, match: re.Match[str], text: str) -> None:
        groups = match.groupdict()
        start, end = match.span("secret" if "secret" in groups else 0)
        self.quoted = bool(groups.get("quote"))
        sign = groups.get("sign") or ""
        self.assigned = self.quoted or "=" in sign
        self.bound = self.quoted or text[match.start("secret") - 1 : start] == "="
        self.says = bool(groups.get("says"))
        self.value = text[start:end] if self.quoted else text[start:end].rstrip(_TRAILING)
        start += len(self.value)
        self.after = text[start : start + 24]


class _Secret:
    """Where a secret stands, and which rule found it."""

    __slots__ = ("end", "rule", "start")

    def __init__(self, start: int, end: int, rule: str) -> None:
        self.start = start
        self.end = end
        self.rule = rule


def redact(text: str, *, keep_lines: bool = False) -> Redacted:
    """``text`` with every secret replaced by ``[REDACTED:<rule>:<first 4 hex digits of its SHA-256>]``.

    The digits tell two secrets apart, and one that was seen before, without giving either away. Text that was
    redacted before stays as it is. With ``keep_lines`` the marks of a secret of several lines are followed by
    as many empty ones, so that what comes after it stands where it stood. The time grows linearly with the
    text.
    """
    secrets = _secrets(text)
    if not secrets:
        return Redacted(text, 0, ())
    parts: list[str] = []
    last = 0
    for secret in secrets:
        said = text[secret.start : secret.end]
        parts += (text[last : secret.start], _mark(secret.rule, said))
        if keep_lines:
            parts.append("\n" * said.count("\n"))
        last = secret.end
    parts.append(text[last:])
    kinds = Counter(secret.rule for secret in secrets)
    return Redacted("".join(parts), len(secrets), tuple(sorted(kinds.items())))


def find(text: str) -> list[tuple[int, str]]:
    """The line (from 1) and the rule of each secret in ``text``, in order; never the secret itself."""
    secrets = _secrets(text)
    if not secrets:
        return []
    ends = [match.start() for match in re.finditer("\n", text)]
    return [(bisect_right(ends, secret.start - 1) + 1, secret.rule) for secret in secrets]


def texts_of(text: str) -> list[str]:
    """The secrets in ``text`` themselves, in order: to find pieces of them elsewhere, never to be told."""
    return [text[secret.start : secret.end] for secret in _secrets(text)]


@cache
def prefixes() -> tuple[str, ...]:
    """What words are known by that their maker marked as secrets: lower-case parts, of 3 letters or more.

    A word without any of them, and with no 25 letters and digits in a row, is a secret only where it stands
    in an address, or where others announce it.
    """
    marked = (rule for rule in _table()[0] if rule.check is None and "\\s" not in rule.source)
    return tuple(sorted({need for rule in marked for need in rule.needs if len(need) > 2}))


def _mark(rule: str, secret: str) -> str:
    from hashlib import sha256  # noqa: PLC0415 - start-up: most texts hold no secret

    digest = sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
    return f"[REDACTED:{rule}:{digest[:4]}]"


def _secrets(text: str) -> list[_Secret]:
    """The secrets in ``text`` in order; what overlaps is one, under the rule that comes first."""
    folded = _folded(text)
    marks = [match.span() for match in re.finditer(_MARK, text)] if "[REDACTED:" in text else []
    found: list[tuple[int, int, int]] = []
    rules = _table()[0]
    for rank, rule in enumerate(rules):
        if rule.needs and not any(need in folded for need in rule.needs):
            continue
        subject = folded if rule.folded else text
        for start, end in _matches(rule, subject, text):
            if not _in_mark(start, marks):
                found.append((start, end, rank))
    return [_Secret(start, end, rules[rank].name) for start, end, rank in _merged(found)]


def _folded(text: str) -> str:
    """``text`` in lower case, each character in its place: one capital letter would become two."""
    return text.replace("\u0130", "i").lower()


def _in_mark(position: int, marks: list[tuple[int, int]]) -> bool:
    index = bisect_right(marks, (position, len(_MARK) + position)) - 1
    return index >= 0 and position < marks[index][1]


def _merged(found: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    merged: list[tuple[int, int, int]] = []
    for start, end, rank in sorted(found):
        if merged and start < merged[-1][1]:
            before = merged[-1]
            merged[-1] = (before[0], max(before[1], end), min(before[2], rank))
        else:
            merged.append((start, end, rank))
    return merged


def _matches(rule: _Rule, subject: str, text: str) -> Iterator[tuple[int, int]]:
    group = "secret" if "secret" in rule.pattern.groupindex else 0
    for match in rule.pattern.finditer(subject):
        start, end = match.span(group)
        if rule.check is None:
            yield start, end
            continue
        candidate = _Candidate(match, text)
        if candidate.value and not _is_harmless(candidate.value) and rule.check(candidate):
            yield start, start + len(candidate.value)


def _is_harmless(value: str) -> bool:
    """Whether ``value`` is plainly no secret: a placeholder, a mark of ours, a date, a path, a known word."""
    if value[0] == "[" and re.fullmatch(_MARK + "?", value):
        return True
    if value.lower() in _table()[1] or _PLACEHOLDER.fullmatch(value):
        return True
    if value[0].isdigit() and _DATE.match(value):
        return True
    return ("/" in value or "\\" in value) and _PATH.fullmatch(value) is not None


def _is_password(candidate: _Candidate) -> bool:
    """A word after "password:" is the password, unless a sentence goes on behind it."""
    if not _WORDS.fullmatch(candidate.value):
        return len(candidate.value) >= 6 and not _is_call(candidate)
    if len(candidate.value) < 8:
        return False
    return candidate.assigned or not _MORE_WORDS.match(candidate.after)


def _is_token(candidate: _Candidate) -> bool:
    """What stands after "token:" is one, unless it is prose or a name in a program."""
    value = candidate.value
    if len(value) < 8 or _is_call(candidate):
        return False
    if _WORDS.fullmatch(value):
        if re.search(r"[a-z][A-Z]\w*[a-z]?[A-Z]", value):
            return True
        return candidate.bound and not _MORE_WORDS.match(candidate.after) and "." not in value
    return candidate.quoted or not (_is_compound(value) or _is_name(value))


def _is_key(candidate: _Candidate) -> bool:
    """The bare word "key" stands before many things: only what looks made by a machine counts."""
    value = candidate.value
    if _HASH.fullmatch(value) or _is_call(candidate) or not re.search(r"\d", value):
        return False
    if re.search("[a-z]", value) and re.search("[A-Z]", value):
        return len(value) >= 8 and not _is_compound(value)
    return len(value) >= 16 and re.fullmatch(r"[A-Za-z0-9+/=]+", value) is not None


def _is_told(candidate: _Candidate) -> bool:
    """In a sentence only a value with a digit or in quotes counts, unless the verb can say nothing else."""
    value = candidate.value
    if candidate.says:
        return len(value) >= 6
    if _WORDS.fullmatch(value) or _is_call(candidate) or _is_compound(value):
        return False
    return len(value) >= 6 and (candidate.quoted or re.search(r"\d", value) is not None)


def _is_header(candidate: _Candidate) -> bool:
    value = candidate.value
    return not _WORDS.fullmatch(value) or len(value) >= 24 or re.search("[a-z][A-Z]", value) is not None


def _is_login(candidate: _Candidate) -> bool:
    return bool(candidate.value)


def _is_call(candidate: _Candidate) -> bool:
    """Whether the value is a call in a program: ``getpass()``, ``input("Name")``, ``config["x"]``."""
    return not candidate.quoted and _CALL.fullmatch(candidate.value) is not None


def _is_name(value: str) -> bool:
    """Whether ``value`` is a name in a program, a dotted path of words, or a short number."""
    if re.fullmatch(r"\d{1,9}|[a-z_]{3,}(?:\.[a-z_]{3,})+(?:\.\d{1,4})?", value):
        return True
    return _CODE.fullmatch(value) is not None and not re.search(r"\d", value)


def _is_compound(value: str) -> bool:
    """Whether ``value`` is two words, one of them perhaps with a number: ``15-minute``, ``RS256-signed``."""
    parts = re.split("[-/]", value)
    if len(parts) != 2:
        return False
    return any(re.fullmatch(r"[^\W\d_]{4,}", part) for part in parts) and all(
        len(part) <= 5 or _WORDS.fullmatch(part) for part in parts
    )


_CHECKS: dict[str, Callable[[_Candidate], bool] | None] = {
    "none": None,
    "password": _is_password,
    "token": _is_token,
    "key": _is_key,
    "told": _is_told,
    "header": _is_header,
    "login": _is_login,
}


@cache
def _table() -> tuple[tuple[_Rule, ...], frozenset[str]]:
    """The rules in the order of ``secrets.toml``, and the words that are no secret."""
    import tomli  # noqa: PLC0415 - start-up: 10 ms, only an export and a health check look for secrets

    with open(os.path.join(os.path.dirname(__file__), "secrets.toml"), "rb") as file:
        table = tomli.load(file)
    words = table["words"]
    harmless = frozenset(words.pop("harmless"))
    named = {name: _alternatives(values) for name, values in words.items()}
    return tuple(_Rule(row, named) for row in table["rule"]), harmless


def _alternatives(words: list[str]) -> str:
    """The longest first, for the first that fits is taken; a short one only at the start of a word."""
    spelled = []
    for word in sorted(words, key=lambda word: (-len(word), word)):
        text = re.escape(word).replace(r"\ ", "[ _-]?")
        spelled.append(rf"{text}(?<![^\W\d_]{text})" if len(word) <= 4 else text)
    return "|".join(spelled)
