"""Decisions that a person should look at again: long active, dead but cited, at odds; three rules ``d-*``."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from itertools import accumulate

from brain.health import roles
from brain.health.decision_links import called
from brain.health.decision_values import BMAD
from brain.health.finding import demanded, finding
from brain.health.folding import FOLDED
from brain.health.values import INFO, LOW, MEDIUM, WARNING, Finding, Rule
from brain.health.words import fold, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.decision_values import Decision
    from brain.health.page import Page
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

REVIEW_DAYS = 90
FEWEST_WORDS = 3
LONGEST = 60
_PART = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?")
_NAMED = re.compile(r"[a-z]{1,5}[-_]?\d{1,5}")


def _entries(parsed: ParsedMemory) -> Iterator[Decision]:
    for log in parsed.decisions:
        yield from log.entries


def _day(entry: Decision) -> date | None:
    try:
        return date.fromisoformat(entry.date or "")
    except ValueError:
        return None


def _old(parsed: ParsedMemory, today: Today) -> Iterable[Finding] | None:
    # The status "active" of these memories asks to be looked after; what a record accepts is meant to last.
    active = [
        (entry, day)
        for entry in _entries(parsed)
        if entry.kind == BMAD and entry.status == "active" and (day := _day(entry))
    ]
    if not active:
        return None
    return [
        finding(
            parsed,
            INFO,
            "d-old",
            f'"{entry.title[:80]}" is active since {entry.date}, for {REVIEW_DAYS} days or more.',
            "Read it again: if it still holds, leave it; else set its status to superseded or rolled-back.",
            file=entry.file,
            line=entry.line,
            anchor=called(entry),
            since=entry.date or "",
        )
        for entry, day in active
        if today.reached(day, REVIEW_DAYS)
    ]


def _pages(parsed: ParsedMemory) -> dict[str, tuple[Page, bool]]:
    """What may cite decisions, by path, and whether it tells what is to be done now."""
    found: dict[str, tuple[Page, bool]] = {}
    for handover in parsed.handovers:
        found[handover.file.path] = (handover.page, True)
    for entry_file in parsed.entry_files:
        for page in entry_file.pages:
            found.setdefault(page.path, (page, True))
    for log in parsed.decisions:
        for file in log.files:
            found.setdefault(file.path, (parsed.page(file), False))
    for file in parsed.files(roles.NOTES):
        if file.data:
            found.setdefault(file.path, (parsed.page(file), False))
    return found


def _name(entry: Decision) -> str:
    """The words by which others cite a decision, folded; empty where they would mean other things as well."""
    identifier = fold(entry.identifier)
    if _NAMED.fullmatch(identifier):
        return identifier
    name = posixpath.basename(entry.file).casefold()
    return name if entry.kind == "adr" and name.endswith(".md") else ""


def _cited(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    dead = [(entry, name) for entry in _entries(parsed) if entry.is_superseded and (name := _name(entry))]
    if not dead:
        return None
    findings = []
    texts = [(path, page, now, page.folded) for path, (page, now) in _pages(parsed).items()]
    lines: dict[str, _Lines] = {}
    for entry, name in dead:
        for path, page, now, text in texts:
            if name not in text:
                continue
            if path not in lines:
                lines[path] = _Lines(parsed, page, path)
            line = lines[path].citing(name)
            if line:
                level = demanded(parsed, WARNING) if now else INFO
                message = f'"{called(entry)}" no longer holds and is cited here.'
                fix = f"Cite what took its place{_successor(entry)}, or say that it is history."
                findings.append(
                    finding(
                        parsed, level, "d-cited", message, fix, file=path, line=line, anchor=called(entry)
                    )
                )
    return findings


def _successor(entry: Decision) -> str:
    return f" ({entry.superseded_by[0][:40]})" if entry.superseded_by else ""


class _Lines:
    """The lines of a page, folded once: a log may have thousands of dead decisions, and cite each."""

    def __init__(self, parsed: ParsedMemory, page: Page, path: str) -> None:
        folded = [fold(raw) if raw else "" for raw in page.visible]
        self._text = "\n".join(folded)
        self._starts = list(accumulate((len(line) + 1 for line in folded), initial=0))
        # Decisions that replaced others or are dead themselves name them rightly.
        self._silent = {
            number
            for one in _entries(parsed)
            if one.file == path and (one.is_superseded or one.supersedes)
            for number in range(one.line, one.end + 1)
        }

    def citing(self, name: str) -> int:
        """The first line that cites a dead decision as if it held, 0 without one."""
        pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-]|\.\d)")
        place = self._text.find(name)
        while place >= 0:
            number = bisect_right(self._starts, place) - 1
            if number not in self._silent and pattern.match(self._text, place):
                line = self._text[self._starts[number] : self._starts[number + 1] - 1]
                if number and not words("decisions", "history").within(line):
                    return number
            place = self._text.find(name, place + 1)
        return 0


@cache
def _left_out() -> tuple[frozenset[str], frozenset[str]]:
    """Negations, and these together with the words that only help them."""
    negations = words("decisions", "negation").single
    return negations, negations | words("decisions", "helper").single


def _essence(text: str) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """A statement without numbers and negations, its numbers, and how many negations it has."""
    folded = fold(text)
    negations, left_out = _left_out()
    data = folded.encode("utf-8", "surrogatepass")
    # Nothing but letters and marks, as in most: a fourth of the time.
    if data.isascii() and len(data.translate(None, b"0123456789'")) == len(data):
        parts = data.translate(FOLDED).decode().split()
        kept = tuple(sorted([part for part in parts if part not in left_out]))
        return kept, (), 0 if len(kept) == len(parts) else sum(part in negations for part in parts)
    parts = _PART.findall(folded)
    numbers = tuple(part for part in parts if part[0].isdigit())
    tokens = [part for part in parts if not part[0].isdigit()] if numbers else parts
    kept = tuple(sorted(token for token in tokens if token not in left_out))
    return kept, numbers, 0 if len(kept) == len(tokens) else sum(token in negations for token in tokens)


def _contradictions(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    holding = [
        entry
        for entry in _entries(parsed)
        if not entry.is_superseded and entry.status not in {"draft", "open"}
    ]
    if len(holding) < 2:
        return None
    first: dict[tuple[str, ...], tuple[Decision, str, tuple[str, ...], int]] = {}
    pairs: dict[tuple[int, int], Finding] = {}
    for entry in holding:
        decision = entry.fields.get("decision")
        for text in (entry.title, decision.text if decision is not None else ""):
            kept, numbers, negations = _essence(text[:400])
            if len(kept) < FEWEST_WORDS:
                continue
            other, other_text, other_numbers, other_negations = first.setdefault(
                kept, (entry, text, numbers, negations)
            )
            if other is entry or (numbers, negations) == (other_numbers, other_negations):
                continue
            pairs.setdefault(
                (id(other), id(entry)),
                finding(
                    parsed,
                    INFO,
                    "d-contradiction",
                    f'Both hold and differ in little: "{_short(other_text)}" '
                    f'({_place(other, entry)}) and "{_short(text)}".',
                    "If one took the other's place, mark it: Status: superseded by the newer one.",
                    file=entry.file,
                    line=entry.line,
                    anchor=f"{called(other)} / {called(entry)}",
                ),
            )
    return list(pairs.values())


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 3] + "..."


def _place(entry: Decision, seen_from: Decision) -> str:
    return f"line {entry.line}" if entry.file == seen_from.file else f"{entry.file}:{entry.line}"


RULES = (
    Rule("d-old", LOW, "Decisions are looked at again after ninety days.", _old),
    Rule("d-cited", MEDIUM, "Nothing cites a decision that no longer holds.", _cited),
    Rule("d-contradiction", LOW, "No two decisions that hold say nearly the same.", _contradictions),
)
