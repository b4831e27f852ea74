"""The progress file against the history of the repository: its recorded commit, its growth, its age."""

from __future__ import annotations

from collections.abc import Iterable

from brain.health.finding import count, finding
from brain.health.values import (
    CRITICAL,
    ERROR,
    HIGH,
    INFO,
    MEDIUM,
    WARNING,
    FileHistory,
    Finding,
    RecordedCommit,
    Rule,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.handover import Fact, Handover
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

FAR = 10
COUNTED = 500
GROWING = 8
GROWN_BY = 1.5
STALE_COMMITS = 10
STALE_DAYS = 14
_DAY = 86400


def _handover(parsed: ParsedMemory) -> Handover | None:
    if parsed.memory.kind != "project" or parsed.memory.git is None:
        return None
    return parsed.progress


def _unnamed(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    handover = _handover(parsed)
    if handover is None or not handover.recognised:
        return None
    if handover.commit is not None:
        return []
    message = "No commit is named: nobody can tell what the state belongs to."
    fix = "Write the commit into the state, such as HEAD: 4f2a9c1; git rev-parse --short HEAD prints it."
    level = INFO if "memory-bank/" in handover.file.path else WARNING
    line = handover.places.get("head", handover.places.get("state", 0))
    return [finding(parsed, level, "p-head-missing", message, fix, file=handover.file.path, line=line)]


def _recorded(parsed: ParsedMemory) -> tuple[Fact, RecordedCommit] | None:
    """What the progress file names as its commit, and what the history says of that."""
    handover, git = _handover(parsed), parsed.memory.git
    if handover is None or git is None or handover.commit is None:
        return None
    name = handover.commit.text
    answer = next((one for one in git.recorded if one.name == name), None)
    return None if answer is None else (handover.commit, answer)


def _unknown(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    recorded = _recorded(parsed)
    if recorded is None:
        return None
    fact, answer = recorded
    if answer.known:
        return []
    shallow = parsed.memory.git is not None and parsed.memory.git.shallow
    if shallow:
        message = f"The named commit {fact.text} is not in this clone, which is a shallow one."
        fix = "Fetch the rest to tell: git fetch --unshallow."
        return [finding(parsed, INFO, "p-head-unknown", message, fix, file=fact.file, line=fact.line)]
    if answer.known is None:
        return []
    message = f"The named commit {fact.text} does not exist."
    fix = "Name the commit that the state was checked at; git log --oneline lists them."
    return [finding(parsed, ERROR, "p-head-unknown", message, fix, file=fact.file, line=fact.line)]


def _foreign(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    recorded = _recorded(parsed)
    if recorded is None or not recorded[1].known or recorded[1].ancestor is None:
        return None
    fact, answer = recorded
    if answer.ancestor:
        return []
    message = (
        f"The named commit {fact.text} is no ancestor of HEAD: it was amended, rebased, or is another branch."
    )
    fix = f"Check what became of it: git log --oneline HEAD...{fact.text}; then name the commit that counts."
    return [finding(parsed, WARNING, "p-head-foreign", message, fix, file=fact.file, line=fact.line)]


def _drift(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    recorded = _recorded(parsed)
    if recorded is None or recorded[1].drift is None or not recorded[1].ancestor:
        return None
    fact, answer = recorded
    drift = answer.drift or 0
    if not drift:
        return []
    much = f"{drift:,} or more commits" if drift >= COUNTED else count(drift, "commit")
    message = f"HEAD is {much} further than the named {fact.text}."
    fix = f"Bring the file up to date; git log --oneline {fact.text}..HEAD shows what it does not know."
    level = ERROR if drift >= FAR else WARNING
    return [finding(parsed, level, "p-head-drift", message, fix, file=fact.file, line=fact.line)]


def _history(parsed: ParsedMemory) -> FileHistory | None:
    handover, git = _handover(parsed), parsed.memory.git
    if handover is None or git is None:
        return None
    found = next((one for one in git.histories if one.path == handover.file.path), None)
    return found if found is not None and found.changes else None


def _grows(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    history = _history(parsed)
    if history is None:
        return None
    only_added = sum(1 for _, _, deleted, _ in history.changes if not deleted)
    first, last = history.changes[-1][3], history.changes[0][3]
    if only_added < GROWING or last <= first * GROWN_BY:
        return []
    message = (
        f"{only_added} of the last {len(history.changes)} changes only added lines: "
        f"{first / 1024:.1f} KB became {last / 1024:.1f} KB."
    )
    fix = "Rewrite it to the present state instead of appending; git log -p keeps what was there."
    return [finding(parsed, WARNING, "p-grows", message, fix, file=history.path)]


def _stale(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    history = _history(parsed)
    if history is None or parsed.memory.status != "active":
        return None
    return stale(parsed, history, "p-stale")


def stale(parsed: ParsedMemory, history: FileHistory, code: str, level: str = WARNING) -> list[Finding]:
    """What is to say of a file that the work has left behind; commits are counted, no clock is asked."""
    days = int(((history.last_commit or 0.0) - history.changes[0][0]) // _DAY) if history.commits_since else 0
    if history.commits_since < STALE_COMMITS and days < STALE_DAYS:
        return []
    much = (
        f"{COUNTED} or more commits"
        if history.commits_since >= COUNTED
        else count(history.commits_since, "commit")
    )
    over = f" over {count(days, 'day')}" if days > 0 else ""
    message = f"{much}{over} since this file was last committed."
    fix = (
        f"Bring it up to date and commit it with the work; git log --oneline -- {history.path} shows its own."
    )
    return [finding(parsed, level, code, message, fix, file=history.path)]


RULES = (
    Rule("p-head-missing", HIGH, "The progress file names the commit that its state belongs to.", _unnamed),
    Rule("p-head-unknown", CRITICAL, "The named commit exists.", _unknown),
    Rule("p-head-foreign", MEDIUM, "The named commit is part of what is checked out.", _foreign),
    Rule("p-head-drift", CRITICAL, "No work was committed after the named commit.", _drift),
    Rule("p-grows", MEDIUM, "The progress file does not only grow.", _grows),
    Rule("p-stale", HIGH, "The progress file keeps up with the work.", _stale),
)
