"""What the ledgers of a project amount to, a line each: numbers, times and known words, nothing foreign."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from brain.files.errors import MemError
from brain.files.ledger import Ledger, read_ledger
from brain.files.links import refuse_links
from brain.folders import LEDGER_FOLDER
from brain.ledgers.journal import OUTCOMES
from brain.wording import plural

_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z"
_PROPOSALS = ("PROPOSED", "APPROVED", "REJECTED", "APPLIED")
_OTHER = "other"

Facts = list[tuple[str, str]]


def ledger_facts(project: str) -> tuple[Facts, Facts]:
    """(path, facts) of each ledger in ``project``, a real path, then (path, why) of each unreadable one.

    The receipts are judged as ``mem outcomes`` does, against the project as it stands now.
    """
    facts: Facts = []
    problems: Facts = []
    for name, summary in _SUMMARIES.items():
        path = os.path.join(project, *LEDGER_FOLDER.split("/"), name)
        try:
            real = refuse_links(project, f"{LEDGER_FOLDER}/{name}")
            text = summary(project, real) if os.path.lexists(real) else None
        except MemError as error:
            problems.append((path, str(error)))
            continue
        if text is not None:
            facts.append((path, text))
    return facts, problems


def _journal(_: str, path: str) -> str:
    ledger = read_ledger(path)
    outcomes = Counter(_known(line.get("outcome"), OUTCOMES, "without outcome") for _, line in ledger.lines)
    return _sentence(plural(len(ledger.lines), "event"), _counts(outcomes), _span(ledger), _damaged(ledger))


def _scores(_: str, path: str) -> str:
    from brain.ledgers.scores import look_at_scores  # noqa: PLC0415 - start-up: only an export that meets scores

    records = look_at_scores(path).records
    updates = sum(_whole(record.get("updates")) for record in records.values())
    times = [record.get("lastTs") for record in records.values()]
    return _sentence(plural(len(records), "pattern"), plural(updates, "update"), _between(times))


def _promotions(_: str, path: str) -> str:
    ledger = read_ledger(path)
    last = {str(line.get("id")): line.get("status") for _, line in ledger.lines}
    states = Counter(_known(state, _PROPOSALS, _OTHER) for state in last.values())
    return _sentence(plural(len(last), "proposal"), _counts(states), _span(ledger), _damaged(ledger))


def _receipts(project: str, _: str) -> str:
    from brain.outcomes import states  # noqa: PLC0415 - start-up: only an export that meets receipts

    judged = states.outcomes(project)
    known = (
        states.SUPERSEDED,
        states.CONTRADICTORY,
        states.STALE_MEMORY,
        states.STALE_SOURCE,
        states.UNAVAILABLE,
    )
    reasons = [str(one["reason"] or states.ACCEPTED).partition(":")[0] for one in judged]
    counted = Counter(_known(reason, (states.ACCEPTED, *known), _OTHER) for reason in reasons)
    return _sentence(
        plural(len(judged), "receipt"), _counts(counted), _between([one.get("ts") for one in judged])
    )


_SUMMARIES: Mapping[str, Callable[[str, str], str]] = {
    "journal.ndjson": _journal,
    "pattern-scores.json": _scores,
    "promotions.ndjson": _promotions,
    "outcomes.ndjson": _receipts,
}


def _known(value: object, words: tuple[str, ...], otherwise: str) -> str:
    return value if isinstance(value, str) and value in words else otherwise if value is None else _OTHER


def _whole(value: object) -> int:
    """A number of updates that can be one."""
    return int(value) if isinstance(value, int | float) and 0 <= value < 1e15 else 0


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{number:,} {word}" for word, number in sorted(counter.items()))


def _damaged(ledger: Ledger) -> str:
    return plural(len(ledger.damaged), "damaged line") if ledger.damaged else ""


def _span(ledger: Ledger) -> str:
    return _between(line.get("ts") for _, line in ledger.lines)


def _between(values: Iterable[object]) -> str:
    """The first and the last of the times among ``values``; what is none is passed over."""
    times = sorted(value for value in values if isinstance(value, str) and re.fullmatch(_TIME, value))
    if not times:
        return ""
    return f"at {times[0]}" if times[0] == times[-1] else f"from {times[0]} to {times[-1]}"


def _sentence(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
