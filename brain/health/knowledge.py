"""Rules about pages of knowledge, one for each code of ``brain.knowledge.lint``."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from brain.health.finding import finding
from brain.health.values import ERROR, LOW, MEDIUM, WARNING, Finding, Rule
from brain.knowledge.lint import CODES, ERRORS, Shelf, lint
from brain.knowledge.places import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

_GOOD = {
    "invalid-frontmatter": "The front matter of every page can be read.",
    "missing-id": "Every page has an id.",
    "duplicate-id": "No two pages share an id.",
    "missing-page-type": "Every page says of what kind it is.",
    "page-type-mismatch": "Every page stands among those of its kind.",
    "missing-title": "Every page has a title.",
    "missing-source-ids": "Every page names its sources.",
    "missing-import-provenance": "What was imported says from where.",
    "claim-missing-evidence": "Every claim has evidence.",
    "evidence-missing": "The evidence of every claim is still there.",
    "broken-wikilink": "Every link between pages leads somewhere.",
    "contradiction-present": "No page notes a contradiction.",
    "claim-conflict": "No claim says two things.",
    "open-question": "No page has an open question.",
    "low-confidence": "Every page can be relied on.",
    "claim-low-confidence": "Every claim can be relied on.",
    "stale-page": "Every page of an entity or source was looked at lately.",
    "stale-claim": "Every claim was looked at lately.",
}


def _rule(code: str) -> Rule:
    level, weight = (ERROR, MEDIUM) if code in ERRORS else (WARNING, LOW)
    return Rule(code, weight, _GOOD[code], _check(code, level))


def _check(code: str, level: str) -> Callable[[ParsedMemory, Today], Iterable[Finding] | None]:
    def check(parsed: ParsedMemory, today: Today) -> Iterable[Finding] | None:
        pages = parsed.knowledge
        if not pages:
            return None
        known = parsed.memory.lines
        shelf = Shelf(pages, today.reached, lambda page, written: count_of(known, page, written))
        return [
            finding(
                parsed, level, code, one.message, one.fix, file=one.path, line=one.line, anchor=one.anchor
            )
            for one in lint(shelf, code)
        ]

    return check


RULES = tuple(map(_rule, CODES))
