"""What a progress file must hand over, and in what shape: rules ``p-*`` that need no history."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from brain.health import roles
from brain.health.finding import count, demanded, finding
from brain.health.mentions import all_mentions, names_progress
from brain.health.progress_history import RULES as HISTORY_RULES
from brain.health.values import ERROR, HIGH, INFO, LOW, MEDIUM, WARNING, Finding, Rule
from brain.health.words import fold, words
from brain.memory_status.files import real_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.handover import Handover
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

    Check = Callable[[ParsedMemory, Today], Iterable[Finding] | None]

LONG_LINES, TOO_LONG_LINES = 120, 300
LONG_BYTES, TOO_LONG_BYTES = 8 * 1024, 32 * 1024
DIARY = 3
FEWEST_RULES = 5
_DATED = re.compile(
    r"\W*(?:\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}/\d{1,2}/\d{2,4}"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.? \d{1,2},? \d{4})",
    re.IGNORECASE,
)
_NUMBERED_SESSION = re.compile(r"\W*(?:session|sitzung|schicht|shift|seance|oturum)\W*\d+\b")
_FACT_OF_STATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_PROGRESS_SHAPE = (
    "Name its parts so that they are found, such as ## Goal, ## State, ## Blockers, ## Next step."
)
_LOG_SHAPE = "Give each decision a heading with its day, and labels: - Decision: ..., - Rationale: ..."
_NAMES = {
    "goal": ("goal", "## Goal", "what is being built"),
    "state": ("state", "## State", "what works, how it was checked"),
    "next": ("next step", "## Next step", "one step and what proves it"),
}


def _readable(parsed: ParsedMemory) -> Handover | None:
    """The progress file, if its shape is known."""
    handover = parsed.progress if parsed.memory.kind == "project" else None
    return handover if handover is not None and handover.recognised else None


def _measurable(parsed: ParsedMemory) -> Handover | None:
    """The progress file, if results can be asked of it: its shape is known, or its state is a feeling."""
    handover = parsed.progress if parsed.memory.kind == "project" else None
    if handover is None or handover.recognised:
        return handover
    state = handover.fields.get("state")
    is_felt = state is not None and words("progress", "feel").within(fold(state.text))
    return handover if is_felt else None


def _is_bank(path: str) -> bool:
    return posixpath.basename(posixpath.dirname(path)) == "memory-bank"


def _parts(parsed: ParsedMemory) -> tuple[Handover, ...]:
    """The progress file; of a memory bank all of its progress files, which complete one another."""
    first = parsed.progress if parsed.memory.kind == "project" else None
    if first is None:
        return ()
    if not _is_bank(first.file.path):
        return (first,)
    return tuple(one for one in parsed.handovers if _is_bank(one.file.path))


def _missing(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if parsed.memory.kind != "project":
        return None
    if parsed.files(roles.PROGRESS):
        return []
    named = names_progress(all_mentions(parsed))
    fix = "Write PROGRESS.md: goal, state (HEAD, tests), blockers, next step; zecher resume shows the rest."
    if named is None:
        message = "No file says where the work stands."
        return [finding(parsed, INFO, "p-missing", message, fix)]
    message = f"No file says where the work stands, though {named.file} names {named.path}."
    level = demanded(parsed, WARNING)
    return [finding(parsed, level, "p-missing", message, fix, file=named.file, line=named.line)]


def _shape(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    handover = parsed.progress if parsed.memory.kind == "project" else None
    # Of notes without an entry m-template says that they are as they were made.
    known = [
        (log.path, log.recognised, _LOG_SHAPE)
        for log in parsed.decisions
        if log.recognised or log.path not in parsed.notes or real_entries(parsed.notes[log.path])
    ]
    if handover is not None:
        is_known = handover.recognised and not handover.partly_known
        known.insert(0, (handover.file.path, is_known, _PROGRESS_SHAPE))
    if not known:
        return None
    message = "Shape not recognised: nothing is said of what it may lack."
    return [
        finding(parsed, INFO, "p-shape", message, fix, file=path)
        for path, is_recognised, fix in known
        if not is_recognised
    ]


def _answers(parsed: ParsedMemory, field: str) -> bool:
    return any(field in part.fields for part in _parts(parsed))


def _lacks(field: str) -> Check:
    """The check of one field that a handover must hold."""
    name, heading, content = _NAMES[field]

    def check(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
        handover = _readable(parsed)
        if handover is None:
            return None
        if _answers(parsed, field):
            return []
        there = field in handover.present
        if handover.partly_known and not there:
            return None
        message = f"The {name} is empty or a placeholder." if there else f"The {name} is missing."
        fix = f"Write it under {heading}: {content}."
        line = handover.places.get(field, 0)
        return [finding(parsed, WARNING, f"p-{field}", message, fix, file=handover.file.path, line=line)]

    return check


def _blockers(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    handover = _readable(parsed)
    if handover is None:
        return None
    if any("blockers" in part.fields or part.is_none("blockers") for part in _parts(parsed)):
        return []
    fix = 'Say under ## Blockers what the work waits for, or "none".'
    file, line = handover.file.path, handover.places.get("blockers", 0)
    if any(part.soft_blocker for part in _parts(parsed)):
        message = "Open points are named, but not whether any of them blocks the work."
        return [finding(parsed, INFO, "p-block", message, fix, file=file, line=line)]
    there = "blockers" in handover.present
    if handover.partly_known and not there:
        return None
    message = (
        "The blockers are empty or a placeholder." if there else "Nothing says whether the work is blocked."
    )
    return [finding(parsed, WARNING, "p-block", message, fix, file=file, line=line)]


def _criterion(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    handover = _readable(parsed)
    if handover is None or "next" not in handover.fields:
        return None
    if handover.next_has_criterion:
        return []
    fact = handover.fields["next"]
    message = "The next step does not say what proves that it is done."
    fix = "Add a criterion: a test, a command and its result."
    return [finding(parsed, INFO, "p-next-crit", message, fix, file=fact.file, line=fact.line)]


def _tests(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    handover = _measurable(parsed)
    if handover is None:
        return None
    if any(part.tests is not None for part in _parts(parsed)):
        return []
    if handover.partly_known:
        return None
    message = "Nothing says how many tests passed."
    fix = "Run the check and write down its command and its result, such as make check: green, 142/142 tests."
    file = handover.file.path
    line = handover.places.get("tests", handover.places.get("state", 0))
    return [finding(parsed, WARNING, "p-tests", message, fix, file=file, line=line)]


def _red(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    handover = _readable(parsed)
    evidence = handover.tests if handover is not None else None
    if evidence is None:
        return None
    if not evidence.is_red:
        return []
    if evidence.failed:
        message = f"The work was handed over with {count(evidence.failed, 'failed test')}."
    elif evidence.passed is not None and evidence.total is not None:
        message = f"The work was handed over with {evidence.passed} of {evidence.total} tests passed."
    else:
        message = "The work was handed over with a check that was not green."
    fix = "Begin with the failed tests, or go back to the last green commit."
    return [
        finding(
            parsed, WARNING, "p-tests-red", message, fix, file=evidence.fact.file, line=evidence.fact.line
        )
    ]


def _felt(handover: Handover) -> Iterator[tuple[int, str]]:
    """Lines that say that all is well, in parts that tell no number of a test."""
    page, phrases = handover.page, words("progress", "feel")
    if not phrases.within(page.folded):
        return
    evidence = page.heading_at(handover.tests.fact.line) if handover.tests is not None else None
    for number, text in enumerate(page.visible):
        folded = fold(text)
        place = phrases.find(folded) if text else -1
        if place < 0 or page.field_at(number) in {"goal", "next", "open", "blockers"}:
            continue
        before = folded[:place].split()
        if before and words("progress", "not").within(before[-1]):
            continue
        if handover.tests is None or page.heading_at(number) != evidence:
            yield number, text.strip()


def _feel(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    handover = _measurable(parsed)
    if handover is None:
        return None
    for line, text in _felt(handover):
        message = f'A feeling, not a result: "{text[:80]}".'
        fix = "Say how it was checked: the command and what it printed."
        return [finding(parsed, WARNING, "p-feel", message, fix, file=handover.file.path, line=line)]
    return []


def _verified(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    handover = _readable(parsed)
    if handover is None:
        return None
    if handover.has_verified:
        return []
    message = "Nothing says how the state was checked."
    fix = "Name the command in backticks, or add a line Verified: with what was tried."
    return [finding(parsed, INFO, "p-verified", message, fix, file=handover.file.path)]


def _long(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    parts = _parts(parsed)
    if not parts:
        return None
    findings = []
    for part in parts:
        lines, size = len(part.page.lines) - 1, len(part.file.data)
        if lines <= LONG_LINES and size <= LONG_BYTES:
            continue
        level = ERROR if lines > TOO_LONG_LINES or size > TOO_LONG_BYTES else WARNING
        message = f"{count(lines, 'line')}, {size / 1024:.1f} KB: too much to find out where things stand."
        fix = "Rewrite it to the present state in some 20 lines; git log -p keeps the history."
        findings.append(finding(parsed, level, "p-long", message, fix, file=part.file.path))
    return findings


def _journal(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    parts = _parts(parsed)
    if not parts:
        return None
    findings = []
    for part in parts:
        headings = [(heading, fold(heading.text)) for heading in part.page.headings]
        dated = [
            heading
            for heading, text in headings
            if (_DATED.match(text) and not heading.is_title) or _NUMBERED_SESSION.match(text)
        ]
        previous = [heading for heading, text in headings if words("progress", "previous").within(text)]
        blocks = max(dated, previous, key=len)
        if len(blocks) >= DIARY:
            message = f"{len(blocks)} headings of days or sessions: a diary, not a state."
            fix = "Keep the present state and delete the days before; git log -p keeps them."
            findings.append(
                finding(parsed, WARNING, "p-journal", message, fix, file=part.file.path, line=blocks[0].line)
            )
    return findings


def _is_rule(text: str) -> bool:
    """Whether a list item is an order that always holds, not a report."""
    folded = fold(text.strip().lstrip("*_ "))
    subject = " ".join(folded.split(None, 4)[:4])
    return words("progress", "imperative").leads(folded) or words("progress", "obligation").within(subject)


def _mixed(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if parsed.memory.kind != "project" or not (parsed.progress or parsed.entry_files):
        return None
    findings = []
    for part in _parts(parsed):
        orders = [item for item in part.page.items if _is_rule(item.text)]
        if len(orders) >= FEWEST_RULES:
            message = f"{len(orders)} rules that always hold stand in the progress file."
            fix = "Move them to AGENTS.md: rules live longer than a state."
            findings.append(
                finding(parsed, INFO, "p-mixed", message, fix, file=part.file.path, line=orders[0].line)
            )
    for entry in parsed.entry_files:
        for field in ("state", "next"):
            section = next(
                (one for one in entry.page.sections(field) if _FACT_OF_STATE.search(one.text)), None
            )
            if section is not None:
                message = (
                    f'"{section.heading.text}" tells a state with a date or a commit in a file of rules.'
                )
                fix = "Move it to PROGRESS.md, which is rewritten in every session."
                findings.append(
                    finding(
                        parsed,
                        INFO,
                        "p-mixed",
                        message,
                        fix,
                        file=entry.file.path,
                        line=section.heading.line,
                        anchor=field,
                    )
                )
    return findings


RULES = (
    Rule("p-missing", HIGH, "A progress file says where the work stands.", _missing),
    Rule("p-shape", LOW, "The shape of progress file and decisions is known.", _shape),
    Rule("p-goal", HIGH, "The progress file names the goal.", _lacks("goal")),
    Rule("p-state", HIGH, "The progress file tells the state.", _lacks("state")),
    Rule("p-block", HIGH, "The progress file says whether anything blocks the work.", _blockers),
    Rule("p-next", HIGH, "The progress file names the next step.", _lacks("next")),
    Rule("p-next-crit", LOW, "The next step has a criterion.", _criterion),
    Rule("p-tests", HIGH, "The progress file tells the result of the tests.", _tests),
    Rule("p-tests-red", MEDIUM, "The work was handed over with green tests.", _red),
    Rule("p-feel", MEDIUM, "The state is measured, not felt.", _feel),
    Rule("p-verified", LOW, "The progress file says how the state was checked.", _verified),
    Rule("p-long", HIGH, "The progress file is short.", _long),
    Rule("p-journal", MEDIUM, "The progress file is rewritten, no diary.", _journal),
    Rule("p-mixed", LOW, "Rules and states stand in files of their own.", _mixed),
    *HISTORY_RULES,
)
