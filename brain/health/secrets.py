"""Secrets in memory files: rule ``m-secret``. Its findings name a kind and a line, never the secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from brain import secrets
from brain.health.finding import count, finding
from brain.health.plain import memory_files
from brain.health.values import CRITICAL, ERROR, Finding, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

# The shortest secret that its maker marked is as long; only a word announces a shorter one.
_LONG = 15
# Parts of all words that announce a secret in secrets.toml; a test compares both.
_STEMS = (
    *("pass", "pw", "kennw", "mdp", "zugang", "code d", "token", "secret", "key", "credential", "webhook"),
    *("geheim", "schl\u00fcssel", "jeton", "cl\u00e9", "cle "),
)  # fmt: skip
# What ties such a word to a value: a sign with something behind it, a verb and a digit or a quotation mark.
_TIE = re.compile(
    r"""
    [^\n:=|>→]{0,90}[:=|>→][ \t*_\\>`"']{0,20}[^\s|][^\n|]{3}
  | (?=[^\n]*[0-9"'`])[^\n]{0,60}?[ \t](?:is|ist|est|was|war|sind|are|sont)(?![^\W_])
  | (?=[^\n]*[0-9"'`])(?<=-)[^\n]
  | [^\n]{0,60}?(?:laute[tn]|hei(?:ß|ss)t|'écrit)
    """,
    re.VERBOSE,
)
_UNMARKED = re.compile(r"(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{25}")
_NETRC = re.compile(r"login\s+\S+\s+password\s")
_CURL = re.compile(r"\s(?:-[a-z]{0,8}u|--(?:proxy-)?user)")
_SHOWN = 20


def secrets_in(text: str) -> list[tuple[int, str]]:
    """As ``brain.secrets.find``, the same answer in a small part of the time: most texts hold no secret."""
    return secrets.find(text) if _may_hold_one(text) else []


def _may_hold_one(text: str) -> bool:
    folded = text.encode().lower().decode() if text.isascii() else text.replace("\u0130", "i").lower()
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
    return any(secrets.find(line) for line in _announced(text, folded))


def _announced(text: str, folded: str) -> Iterator[str]:
    """The lines of ``text`` on which a word announces a value."""
    starts: set[int] = set()
    for stem in _STEMS:
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


def _secret(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    readable = list(memory_files(parsed))
    if not readable:
        return None
    findings: list[Finding] = []
    for file in readable:
        found = secrets_in(parsed.text(file))
        kinds: dict[str, list[int]] = {}
        for line, kind in found[: _SHOWN * 10]:
            kinds.setdefault(kind, []).append(line)
        for kind, lines in sorted(kinds.items()):
            more = f" and {count(len(lines) - 1, 'more place')}" if len(lines) > 1 else ""
            findings.append(
                finding(
                    parsed,
                    ERROR,
                    "m-secret",
                    f"A secret of kind {kind} stands in line {lines[0]}{more}.",
                    "Revoke it, then take it out here and out of the history; name where it is kept instead.",
                    file=file.path,
                    line=lines[0],
                    anchor=kind,
                )
            )
    return findings


RULES = (Rule("m-secret", CRITICAL, "No memory file holds a secret.", _secret),)
