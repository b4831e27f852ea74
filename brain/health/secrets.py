"""Secrets in memory files: rule ``m-secret``. Its findings name a kind and a line, never the secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from brain import secrets
from brain.health.finding import count, finding
from brain.health.folding import small
from brain.health.plain import look_for, memory_files
from brain.health.values import CRITICAL, ERROR, INFO, Finding, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.plain import AllWords
    from brain.health.today import Today
    from brain.health.values import MemoryFile

# The shortest secret that its maker marked is as long; only a word announces a shorter one.
_LONG = 15
# Parts of all words that announce a secret in secrets.toml; a test compares both.
_STEMS = (
    *("pass", "pw", "kennw", "mdp", "zugang", "code d", "token", "secret", "key", "credential", "webhook"),
    *("geheim", "schl\u00fcssel", "jeton", "cl\u00e9", "cle "),
)  # fmt: skip
# The parts of these that stand in one word, with the blank behind it where that counts.
_ASCII_STEMS = tuple(
    (stem, stem[: stem.find(" ") + 1].encode() or stem.encode()) for stem in _STEMS if stem.isascii()
)
# The letters of the others that are not ASCII, small and capital.
_STEM_LETTERS = tuple(
    form.encode() for stem in _STEMS for sign in stem if not sign.isascii() for form in (sign, sign.upper())
)
_UNANNOUNCED = (b"private", b"bearer", b"login", b"curl")
# What ties such a word to a value: a sign with something behind it, a verb and a digit or a quotation mark.
_TIE = re.compile(
    r"""
    [^\n:=|>→]{0,90}[:=|>→][ \t*_\\>`"']{0,20}[^\s|][^\n|]{3}
  | (?=[^\n]{0,300}[0-9"'`])[^\n]{0,60}?[ \t](?:is|ist|est|was|war|sind|are|sont)(?![^\W_])
  | (?=[^\n]{0,300}[0-9"'`])(?<=-)[^\n]
  | [^\n]{0,60}?(?:laute[tn]|hei(?:ß|ss)t|'écrit)
    """,
    re.VERBOSE,
)
# Looked for from the start of a run only: from each of its letters, a line of 400 KB took a minute and more.
_UNMARKED = re.compile(r"(?<![A-Za-z0-9_-])(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{25}")
_NETRC = re.compile(r"login\s+\S+\s+password\s")
_CURL = re.compile(r"\s(?:-[a-z]{0,8}u|--(?:proxy-)?user)")
# Names that stand for a value in a sample, and tokens that carry a state and no right.
_SAMPLE = re.compile(
    r"EXAMPLE|Example\d|\bexample (?:token|key|password|secret)|user(?:name)?:pass(?:word|wd)?@|\bfoo:bar@"
    r"|\bdummy|\bfake[-_ ]|\bchangeme|change[-_]me|deadbeef|/path/to/"
    r"|(?i:(?:your|my)[-_]?(?:secret[-_]?|auth[-_]?)?(?:token|key|password|secret|api))"
    r"|Beispiel(?:passwort|token)"
)
# A definition of a link below a word such as "keys" has the form, a sentence that goes on with code, too, and
# so has a definition in words: password = something that you know.
_OPENS_NOTHING = re.compile(
    r"(?i:(?:next|client|request|continuation|page|pagination|starting|start|cancel(?:lation)?|sync|design"
    r"|color|css|badge|circle)[-_ ]?token)|/badge|\bKey[\"']?[=:][^,\n]{1,80},\s?[\"']?Value\b"
    r"|^\s*(?:\[[^\]]+\]|\.\. _[^:]+):\s"
    r"|(?i:pass|key|token|secret|credential|schlüssel)\w{0,80}:\s"
    r"`[^`\s]*\s[^`\n]*`|:\s+(?:https?://[^\s:@]+(?:\s|$)|\#)"
    r"|[ ]=[ ][a-z]{3,}(?:[ ][a-z]{2,}){2}"
)
_ANNOUNCED = frozenset({"labelled", "told", "option", "header", "netrc", "url-login"})
_SHOWN = 20


def secrets_in(text: str, stems: tuple[str, ...] | None = None) -> list[tuple[int, str]]:
    """As ``brain.secrets.find``, the same answer in a small part of the time: most texts hold no secret.

    ``stems`` is what ``announcing`` told of a memory with this text, None where nobody asked.
    """
    may_hold_one = _may_hold_one(text) if stems is None else _is_announced(text, small(text), stems)
    return secrets.find(text) if may_hold_one else []


def announcing(words: AllWords) -> tuple[str, ...] | None:
    """The stems of words that may announce a secret in a memory; None where one may stand unannounced.

    That tells of all files at once what ``_may_hold_one`` does of each, at a third of the cost: it may name
    too much, and never too little.
    """
    data = words.data
    parts = _parts_in(words.telling)
    if not parts.isdisjoint(_UNANNOUNCED):
        return None
    # Letters that are not ASCII, and whose small form is.
    signs = words.signs
    if signs.find(b"\xc4\xb0") >= 0 or signs.find(b"\xe2\x84\xaa") >= 0:
        return None
    if data.find(b"@") >= 0 and data.find(b"://") >= 0:
        return None
    if words.has_longer(_LONG - 1):
        return None
    told = [stem for stem, part in _ASCII_STEMS if part in parts]
    if any(signs.find(letter) >= 0 for letter in _STEM_LETTERS):
        folded = data.decode("utf-8", "replace").lower()
        told += [stem for stem in _STEMS if not stem.isascii() and stem in folded]
    return tuple(told)


PARTS = (*_UNANNOUNCED, *(part for _, part in _ASCII_STEMS))
"""Parts of words, with the blank behind them where that counts, without which nothing announces a secret."""
look_for(parts=PARTS)


def _parts_in(words: frozenset[bytes]) -> set[bytes]:
    """Which of ``PARTS`` occur in ``words``."""
    joined = b"".join([word + b" " for word in words])
    return {part for part in PARTS if joined.find(part) >= 0}


def _may_hold_one(text: str) -> bool:
    folded = small(text)
    if ("----" in folded and "private key" in folded) or "private-lines" in folded or "bearer" in folded:
        return True
    if ("login" in folded and _NETRC.search(folded)) or ("curl" in folded and _CURL.search(folded)):
        return True
    if "://" in folded and "@" in folded and any("@" in word for word in folded.split() if "://" in word):
        return True
    suspects = [word for word in text.split() if len(word) >= _LONG]
    if suspects:
        joined = "\n".join(suspects)
        if _UNMARKED.search(joined):
            return True
        joined = joined.lower()
        if any(prefix in joined for prefix in secrets.prefixes()):
            return True
    return _is_announced(text, folded, _STEMS)


def _is_announced(text: str, folded: str, stems: tuple[str, ...]) -> bool:
    return any(secrets.find(line) for line in _announced(text, folded, stems))


def _announced(text: str, folded: str, stems: tuple[str, ...]) -> Iterator[str]:
    """The lines of ``text`` on which a word announces a value."""
    starts: set[int] = set()
    for stem in stems:
        place = folded.find(stem)
        while place >= 0:
            if _TIE.match(folded, place):
                starts.add(folded.rfind("\n", 0, place) + 1)
                place = folded.find("\n", place)
                if place < 0:
                    break
            place = folded.find(stem, place + 1)
    for start in sorted(starts):
        end = text.find("\n", start)
        yield text[start : len(text) if end < 0 else end]


def _level(kind: str, line: str) -> str:
    """An error, or information where the line shows a sample, or what only a word announces opens nothing."""
    if _SAMPLE.search(line):
        return INFO
    return INFO if kind in _ANNOUNCED and _OPENS_NOTHING.search(line) else ERROR


def _secret(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    files = list(memory_files(parsed))
    if not files:
        return None
    stems = announcing(parsed.words)
    if stems == ():
        return []
    if stems is not None and all(map(str.isascii, stems)):
        # Their capitals are ASCII, too: where a letter's are not, ``announcing`` told none.
        parts = [stem.encode() for stem in stems]
        files = [file for file in files if _has_any(file.data.lower(), parts)]
    return [one for file in files for one in _of_file(parsed, file, stems)]


def _has_any(data: bytes, parts: list[bytes]) -> bool:
    return any(data.find(part) >= 0 for part in parts)


def _of_file(parsed: ParsedMemory, file: MemoryFile, stems: tuple[str, ...] | None) -> Iterator[Finding]:
    """One finding for each kind and level, with its first line and the number of places."""
    text = parsed.text(file)
    found = secrets_in(text, stems)
    if not found:
        return
    lines = text.split("\n")
    groups: dict[tuple[str, str], list[int]] = {}
    # Many secrets may share one line, and a line be as long as the file: each is looked at once a kind.
    levels = {(number, kind): _level(kind, lines[number - 1]) for number, kind in dict.fromkeys(found)}
    for number, kind in found:
        groups.setdefault((levels[number, kind], kind), []).append(number)
    for (level, kind), numbers in sorted(groups.items())[:_SHOWN]:
        more = f" and {count(len(numbers) - 1, 'more place')}" if len(numbers) > 1 else ""
        what = "A secret" if level == ERROR else "What looks like the sample of a secret"
        yield finding(
            parsed,
            level,
            "m-secret",
            f"{what} of kind {kind} stands in line {numbers[0]}{more}.",
            "Revoke it, then take it out here and out of the history; name where it is kept instead.",
            file=file.path,
            line=numbers[0],
            anchor=kind if level == ERROR else f"{kind} sample",
        )


RULES = (Rule("m-secret", CRITICAL, "No memory file holds a secret.", _secret),)
