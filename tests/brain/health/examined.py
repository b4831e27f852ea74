"""A project in a real folder that rules are asked about."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from brain.health.gather import gather
from brain.health.parsed import ParsedMemory
from brain.health.today import Today
from brain.health.values import Finding, GitFacts, Rule

DAY = date(2026, 11, 30)
PROGRESS = """\
# PROGRESS.md

## Aktuelles Ziel
Suche im Produktkatalog (Funktion search-01)

## Zustand
- HEAD: 4f2a9c1
- make check: grün, 142/142 Tests
- Erledigt: Index in PostgreSQL (tsvector), Endpunkt GET /search
- Geprüft: Unit-Tests und ein Aufruf per curl mit drei Suchbegriffen

## Blockaden
- Keine Daten zur Morphologie für Kasachisch, warten auf Entscheidung

## Nächster Schritt
Paginierung für GET /search ergänzen, Kriterium: Test für die 2. Seite
"""
DECISIONS = """\
# DECISIONS.md

## 2026-03-14 - Cache der Benutzereinstellungen in Redis
- Entscheidung: Redis, TTL 5 Minuten, aktive Invalidierung beim Schreiben.
- Begründung: wird bei jeder Anfrage gelesen, das Datenvolumen ist winzig.
- Verworfen: materialized view in PostgreSQL, Änderungen zu häufig,
  der Pflegeaufwand lohnt sich nicht.
- Einschränkung: Zahlungseinstellungen nicht cachen.
"""
PROTOCOL = """\
# Regeln

## Beginn der Schicht
1. PROGRESS.md und DECISIONS.md lesen.
2. make check ausführen.

## Ende der Schicht
1. make check ausführen, den grünen Zustand committen.
2. PROGRESS.md aktualisieren: HEAD, Tests, Blockaden, nächster Schritt.
"""
ENGLISH = """\
# PROGRESS

## Goal
Search in the catalogue

## State
- HEAD: 4f2a9c1
- `make check`: green, 142/142 tests

## Blockers
none

## Next step
Paging for GET /search, done when the test for page 2 is green
"""


class Examined:
    """A folder, what version control says of it, and the rules' answers."""

    def __init__(self, root: Path, *, kind: str = "project") -> None:
        self.root = root
        self.kind = kind
        self.status = "active"
        self.git: GitFacts | None = None
        root.mkdir(parents=True, exist_ok=True)

    def has(self, path: str, text: str | bytes) -> Examined:
        """Write a file and return the project."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        return self

    def parsed(self) -> ParsedMemory:
        memory = gather(str(self.root), kind=self.kind)
        return ParsedMemory(replace(memory, git=self.git, status=self.status))

    def ask(self, rules: tuple[Rule, ...], code: str, day: date = DAY) -> list[Finding] | None:
        """What the rule ``code`` answers: None where it does not apply."""
        rule = next(rule for rule in rules if rule.code == code)
        found = rule.check(self.parsed(), Today(day))
        return None if found is None else list(found)

    def levels(self, rules: tuple[Rule, ...], code: str, day: date = DAY) -> list[str] | None:
        """The levels of what the rule found."""
        found = self.ask(rules, code, day)
        return None if found is None else [one.level for one in found]

    def codes(self, rules: tuple[Rule, ...], *levels: str) -> list[str]:
        """The codes of all findings of ``levels``, sorted."""
        parsed, today = self.parsed(), Today(DAY)
        found = [one for rule in rules for one in rule.check(parsed, today) or ()]
        return sorted(one.code for one in found if not levels or one.level in levels)


def project(root: Path, **files: str) -> Examined:
    """A project that hands over: progress, decisions, protocol; ``files`` by names without ending."""
    made = Examined(root / "shop").has("main.c", "int main(void) { return 0; }\n")
    whole = {"PROGRESS": PROGRESS, "DECISIONS": DECISIONS, "AGENTS": PROTOCOL} | files
    for name, text in whole.items():
        if text:
            made.has(f"{name}.md", text)
    return made
