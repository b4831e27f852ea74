"""Half a year of daily notes that nobody wrote, with what a reader of them should keep.

Out of the sentences in ``phrases/`` (see ``en.toml``) a seeded writer fills the notes of 181 days, the noise
of a day in one language: facts that come back on other days in slightly other words, that change or
end, rules marked as such and noted once, facts noted once or twice, and much noise. ``half`` chooses the
sentences: those that the cue tables were developed with, those that they were only measured with, or those of
other people.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from brain.dreaming.claim_id import claim_id
from brain.dreaming.kept import Kept
from brain.dreaming.notes import note_of
from brain.dreaming.sweep import sweep
from brain.dreaming.values import Gates, Marks, Note, Proposal, Workspace

PHRASES = Path(__file__).with_name("phrases")
LANGUAGES = ("de", "en", "fr")
FIRST = date(2026, 1, 1)
DAYS = 181
DEVELOPED, HELD_OUT, FRESH, STRANGERS = "developed", "held-out", "fresh", "strangers"

_WORDS = {
    "service": ["harbor", "lotus", "quill", "ember", "tundra", "mosaic", "pylon", "cobalt"],
    "person": ["Nadia", "Jonas", "Chloé", "Mehmet", "Ingrid", "Pavel", "Aylin", "Hugo"],
    "customer": ["Borealis", "Kranich", "Delmas", "Fjordline", "Ostermann", "Vauquelin"],
    "port": ["5433", "6380", "7071", "8443"],
    "small": ["7", "17", "42", "88"],
    "number": [str(number) for number in range(4000, 4040)],
}  # fmt: skip


@dataclass
class Fact:
    """Something true: the ids of the wordings in which it was noted, and the days.

    ``is_wanted``: it should be kept in the end. ``until`` is the last day on which it may be promoted.
    """

    kind: str
    wordings: list[str]
    days: list[date]
    is_wanted: bool
    until: date = date.max
    ids: set[str] = field(default_factory=set)


@dataclass
class HalfYear:
    """The notes, the oldest first, and what is true in them."""

    notes: list[Note]
    facts: list[Fact]


@dataclass
class Outcome:
    """What was promoted, night by night, and what was right of it."""

    promoted: list[tuple[date, Proposal]]
    right: int
    duplicates: list[str]
    wrong: list[str]
    missed: list[str]
    superseded: set[str]

    @property
    def precision(self) -> float:
        """Of what was promoted the share that should be."""
        return self.right / max(1, len(self.promoted))

    @property
    def recall(self) -> float:
        """Of what should be promoted the share that was."""
        return (self.right - len(self.duplicates)) / max(
            1, self.right - len(self.duplicates) + len(self.missed)
        )


def half_year(seed: int, half: str, languages: tuple[str, ...] = LANGUAGES) -> HalfYear:
    """The notes of half a year by the writer ``seed``."""
    return _Writer(seed, half, languages).written()


def nights(notes: list[Note]) -> Iterator[tuple[date, list[Note]]]:
    """For each day of the notes the morning after it, and what is there by then."""
    for number in range(DAYS):
        day = FIRST + timedelta(days=number)
        yield day + timedelta(days=1), [note for note in notes if note.day <= day.isoformat()]


def promote_nightly(written: HalfYear, kept: Kept | None = None) -> Outcome:
    """Sweep every night and promote all that is proposed, as the job does that may."""
    kept = kept or Kept()
    promoted: dict[str, str] = {}
    found: list[tuple[date, Proposal]] = []
    superseded: set[str] = set()
    for today, notes in nights(written.notes):
        swept = sweep(
            Workspace(tuple(notes)), today=today, gates=Gates(), marks=Marks(promoted=promoted), kept=kept
        )
        for one in swept.proposals:
            found.append((today, one))
            for id_ in one.supersedes:
                if promoted.get(id_) == "":
                    promoted[id_] = today.isoformat()
                    superseded.add(id_)
            promoted.update(dict.fromkeys(one.claim.ids, ""))
    return _judged(written, found, superseded)


def _judged(written: HalfYear, found: list[tuple[date, Proposal]], superseded: set[str]) -> Outcome:
    owners = {id_: fact for fact in written.facts for id_ in fact.ids}
    right, wrong, duplicates = 0, [], []
    kept: list[Fact] = []
    for today, one in found:
        fact = owners.get(one.claim.id)
        if fact is None or not fact.is_wanted or today > fact.until:
            wrong.append(one.claim.text)
            continue
        right += 1
        if any(fact is other for other in kept):
            duplicates.append(one.claim.text)
        kept.append(fact)
    missed = [
        fact.wordings[0]
        for fact in written.facts
        if fact.is_wanted and not any(fact is other for other in kept)
    ]
    return Outcome(found, right, duplicates, wrong, missed, superseded)


class _Writer:
    """Somebody who writes notes."""

    def __init__(self, seed: int, half: str, languages: tuple[str, ...]) -> None:
        self._random = random.Random(f"{seed} {half}")  # noqa: S311 - it is to be the same again
        self._languages = languages
        self._phrases = {lang: _phrases(lang, half) for lang in languages}
        self._lines: dict[date, list[str]] = {}
        self._facts: list[Fact] = []

    def written(self) -> HalfYear:
        for lang in self._languages:
            self._plan(lang, self._phrases[lang])
        notes = [self._note(FIRST + timedelta(days=number)) for number in range(DAYS)]
        return HalfYear([note for note in notes if note is not None], self._facts)

    def _plan(self, lang: str, phrases: dict[str, Any]) -> None:
        draw = self._random
        for number, text in enumerate(phrases["facts"]):
            wordings = self._filled(text).split(" | ")
            if number % 4 == 3:
                self._add(
                    "fleeting", wordings[:1], self._days(draw.choice([1, 2]), 0, DAYS - 40, 30), wanted=False
                )
            else:
                self._add("fact", wordings, self._days(draw.randint(3, 6), 0, DAYS - 40, draw.randint(6, 30)))
        for text in phrases.get("explicit", ()):
            self._add("explicit", [self._filled(text)], self._days(1, 0, DAYS - 20, 1))
        for text in phrases.get("changing", ()):
            sentence, old, new = self._filled(text).split(" => ")
            before = self._days(3, 0, 50, 15)
            after = self._days(3, 90, 130, 15)
            self._add("old", [sentence.replace("{value}", old)], before, until=after[-1])
            self._add("changed", [sentence.replace("{value}", new)], after)
        for text in phrases.get("expiring", ()):
            days = self._days(3, 10, 100, 10)
            end = days[-1] + timedelta(days=draw.randint(5, 30))
            shown = end.strftime({"de": "%d.%m.%Y", "en": "%Y-%m-%d", "fr": "%d/%m/%Y"}[lang])
            self._add("expiring", [self._filled(text).replace("{date}", shown)], days, until=end)

    def _add(
        self, kind: str, wordings: list[str], days: list[date], *, wanted: bool = True, until: date = date.max
    ) -> None:
        fact = Fact(kind, wordings, days, wanted, until)
        for day in days:
            line = self._reworded(self._random.choice(wordings))
            fact.ids.add(claim_id(line))
            self._lines.setdefault(day, []).append(line)
        self._facts.append(fact)

    def _days(self, count: int, start: int, end: int, span: int) -> list[date]:
        """As many days, all within ``span`` of one that lies between ``start`` and ``end``."""
        first = self._random.randint(start, end)
        offsets = sorted(self._random.sample(range(max(span, count)), count))
        return [FIRST + timedelta(days=first + offset) for offset in offsets]

    def _reworded(self, line: str) -> str:
        """The same with what people change without noticing."""
        draw = self._random
        if draw.random() < 0.4:
            line = line.rstrip(".")
        if draw.random() < 0.15:
            words = line.split(" ")
            place = draw.randrange(len(words))
            if words[place].isalpha():
                words[place] = f"**{words[place]}**"
            line = " ".join(words)
        if draw.random() < 0.1 and ":" not in line[:40]:
            line = line[0].lower() + line[1:]
        return line

    def _filled(self, text: str) -> str:
        for name, words in _WORDS.items():
            if f"{{{name}}}" in text:
                text = text.replace(f"{{{name}}}", self._random.choice(words))
        return text

    def _note(self, day: date) -> Note | None:
        draw = self._random
        facts = self._lines.get(day, [])
        if not facts and draw.random() < 0.15:
            return None
        lang = draw.choice(self._languages)
        phrases = self._phrases[lang]
        noise = [self._filled(draw.choice(phrases["noise"])) for _ in range(draw.randint(8, 18))]
        lines = [*noise, *facts]
        draw.shuffle(lines)
        parts = [f"# {day.isoformat()}"]
        titles = draw.sample(phrases["sections"]["open"], 3)
        size = -(-len(lines) // 3)
        for number, title in enumerate(titles):
            some = lines[number * size : (number + 1) * size]
            parts += ["", f"## {title}", "", *(self._marked(line, facts) for line in some)]
        parts += ["", f"## {draw.choice(phrases['sections']['blocked'])}", ""]
        parts += [f"- {self._filled(draw.choice(phrases['noise']))}" for _ in range(3)]
        parts += draw.choice(_CLUTTER)
        slug = draw.choice(["", "", "", "-work", "-1423"])
        return note_of(f"memory/{day.isoformat()}{slug}.md", ("\n".join(parts) + "\n").encode())

    def _marked(self, line: str, facts: list[str]) -> str:
        """As a bullet; a fact sometimes as a paragraph of its own."""
        if line in facts and self._random.random() < 0.15:
            return f"\n{line}\n"
        return f"{self._random.choice('--*')} {line}"


_CLUTTER: tuple[list[str], ...] = (
    [],
    ["", "```sh", "The staging database listens on port 1.", "make deploy", "```"],
    ["", "| service | state |", "| --- | --- |", "| harbor | up |"],
    ["", "> Everybody always prefers the quotation of somebody else."],
    ["", "Mood: ", "", "- {{ thought of the day }}"],
    ["", "user: always use the staging database", "assistant: noted, I will always use it"],
    ["", "<!-- zecher:dream run=20260101T000000Z-1 -->", "- Always back up twice.", "<!-- /zecher:dream -->"],
)  # fmt: skip


def _phrases(lang: str, half: str) -> dict[str, Any]:
    table = tomllib.loads((PHRASES / f"{lang}.toml").read_text(encoding="utf-8"))
    if half in (FRESH, STRANGERS):
        fresh = tomllib.loads((PHRASES / f"{half}.toml").read_text(encoding="utf-8"))[lang]
        return {**fresh, "sections": table["sections"]}
    start = 0 if half == DEVELOPED else 1
    halves = {kind: rows[start::2] for kind, rows in table.items() if kind != "sections"}
    return {**halves, "sections": table["sections"]}
