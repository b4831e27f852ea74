"""Categories that answered no question for a season, by the log of questions: rule ``m-unrecalled``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from brain.health import roles
from brain.health.finding import finding
from brain.health.values import INFO, LOW, Finding, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

DAYS = 90
# A muted category is never recalled, because somebody wants it so.
_MUTED = re.compile(rb"(?mi)\A\s*---\r?$.{0,4000}?^muted:[ \t]*[\"']?true\b", re.DOTALL)


def _unrecalled(parsed: ParsedMemory, today: Today) -> Iterable[Finding] | None:
    recalled = parsed.memory.recalled
    kept = [file for file in parsed.files(roles.REMEMBERED) if not file.problem]
    if recalled is None or not kept:
        return None
    return [
        finding(
            parsed,
            INFO,
            "m-unrecalled",
            f"No question was answered from this category in {DAYS} days.",
            "Read it: archive what no longer holds, name it by words that people ask with, or leave it.",
            file=file.path,
        )
        for file in kept
        if file.path not in recalled
        and not _MUTED.match(file.data)
        and today.reached(datetime.fromtimestamp(file.stamp[0] / 1e9, UTC).date(), DAYS)
    ]


RULES = (
    Rule(
        "m-unrecalled",
        LOW,
        f"Each category that was kept on request answered something in the last {DAYS} days.",
        _unrecalled,
    ),
)
