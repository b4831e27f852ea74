"""Logs of decisions and folders of ADRs, entry by entry: rules ``d-*``."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from brain.health import decision_history, decision_links, decision_review, roles
from brain.health.decision_values import ADR, BMAD, Decision, DecisionFile
from brain.health.finding import count, demanded, finding
from brain.health.values import CRITICAL, ERROR, HIGH, INFO, LOW, MEDIUM, WARNING, Finding, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

LISTED = 5
# A number of an ADR from here on is a date.
DATED = 10_000
_LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)\s>]+)")
_ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|/|#|~|\\|[{<$])", re.IGNORECASE)


def _missing(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if parsed.memory.kind != "project":
        return None
    if parsed.decisions:
        return []
    if any(file.problem for role in (roles.DECISIONS, roles.ADR) for file in parsed.files(role)):
        return None  # there is one: m-unreadable or m-link says what is wrong with it
    message = "No log of decisions: the next session may undo what was chosen on purpose."
    fix = "Write DECISIONS.md: a dated entry with decision, rationale, what was rejected, constraint."
    return [finding(parsed, INFO, "d-missing", message, fix)]


def _settled(log: DecisionFile) -> list[Decision]:
    """The entries that hold: neither replaced nor still to be decided."""
    return [
        entry
        for entry in log.entries
        if not entry.is_superseded and entry.status not in {"proposed", "draft", "open"}
    ]


def _listed(entries: list[Decision]) -> str:
    names = [
        entry.identifier or entry.title or entry.date or f"line {entry.line}" for entry in entries[:LISTED]
    ]
    more = f" and {len(entries) - LISTED} more" if len(entries) > LISTED else ""
    return "; ".join(name[:60] for name in names) + more


def _share(
    parsed: ParsedMemory,
    *,
    code: str,
    lacks: Callable[[Decision], bool],
    level: Callable[[list[Decision]], str],
    what: str,
    fix: str,
) -> list[Finding] | None:
    """One finding for each log in which entries lack something; None without any entry that holds."""
    asked, findings = False, []
    for log in parsed.decisions:
        entries = _settled(log)
        asked = asked or bool(entries)
        lacking = [entry for entry in entries if lacks(entry)]
        if lacking:
            share = f"{len(lacking)} of {count(len(entries), 'entry', 'entries')}"
            message = f"{share} without {what}: {_listed(lacking)}."
            first = lacking[0]
            findings.append(
                finding(
                    parsed,
                    level(lacking),
                    code,
                    message,
                    fix,
                    file=first.file,
                    line=first.line,
                    anchor=log.path,
                )
            )
    return findings if asked else None


def _lacks_fields(entry: Decision) -> bool:
    # In the classic form of an ADR the reasons stand in its context.
    reasons = ("rationale", "context") if entry.kind == ADR else ("rationale",)
    return "decision" not in entry.fields or not any(reason in entry.fields for reason in reasons)


def _fields(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    return _share(
        parsed,
        code="d-fields",
        lacks=_lacks_fields,
        level=lambda _: demanded(parsed, WARNING),
        what="decision or rationale",
        fix="Say in each what was decided and why: - Decision: ..., - Rationale: ...",
    )


def _rejected(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    def level(lacking: list[Decision]) -> str:
        # The classic ADR and the entries of BMAD+ have no place for alternatives.
        formal = all(entry.nygard or entry.kind == BMAD for entry in lacking)
        return INFO if formal else demanded(parsed, WARNING)

    return _share(
        parsed,
        code="d-rejected",
        lacks=lambda entry: "rejected" not in entry.fields and not entry.has_inline_rejected,
        level=level,
        what="what was rejected",
        fix="Add a line - Rejected: with the alternative and why; nobody tries it again then.",
    )


def _constraint(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    return _share(
        parsed,
        code="d-constraint",
        lacks=lambda entry: "constraint" not in entry.fields,
        level=lambda _: INFO,
        what="constraint or consequence",
        fix="Add a line - Constraint: with what follows, or where the decision ends.",
    )


def _date(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    return _share(
        parsed,
        code="d-date",
        lacks=lambda entry: entry.date is None,
        level=lambda _: INFO,
        what="date",
        fix="Begin the heading with the day: ## 2026-03-14 - title.",
    )


def _same_identifier(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    named = [(log, entry) for log in parsed.decisions for entry in log.entries if entry.identifier]
    if not named:
        return None
    first: dict[tuple[str, str], Decision] = {}
    findings = []
    for log, entry in named:
        known = first.setdefault((log.path, decision_links.plain_identifier(entry.identifier)), entry)
        if known is not entry:
            where = f"line {known.line}" if known.file == entry.file else known.file
            message = f"{entry.identifier} is used twice: here and in {where}."
            fix = "Give the later entry the next free number, and mend what refers to it."
            findings.append(
                finding(
                    parsed,
                    demanded(parsed, ERROR),
                    "d-dupid",
                    message,
                    fix,
                    file=entry.file,
                    line=entry.line,
                    anchor=entry.identifier,
                )
            )
    return findings


def _gap(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    asked, findings = False, []
    for log in parsed.decisions:
        numbers = {
            entry.number
            for entry in log.entries
            if log.kind == ADR and entry.number is not None and entry.number < DATED
        }
        if len(numbers) < 2:
            continue
        asked = True
        gaps = sorted(set(range(min(numbers), max(numbers))) - numbers)
        if gaps:
            names = ", ".join(str(number) for number in gaps[:LISTED]) + (
                ", ..." if len(gaps) > LISTED else ""
            )
            message = f"{count(len(gaps), 'number')} of ADRs missing: {names}."
            fix = "If one was deleted, bring it back from git and mark it as superseded; else leave the gap."
            findings.append(finding(parsed, INFO, "d-gap", message, fix, file=log.path))
    return findings if asked else None


def _links(parsed: ParsedMemory, log: DecisionFile) -> Iterator[tuple[str, int, str, str]]:
    """The relative links of a log: file, line, target as written, path in the project."""
    for file in log.files:
        if b"](" not in file.data:
            continue
        page = parsed.page(file)
        for number, text in enumerate(page.visible):
            if "](" not in text:
                continue
            for match in _LINK.finditer(text):
                # Inside of a code span it is an example.
                target = match[1].split("#", 1)[0].split("?", 1)[0]
                if target and not _ELSEWHERE.match(target) and text[: match.start()].count("`") % 2 == 0:
                    path = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), target))
                    yield file.path, number, target, path


def _broken_link(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if not parsed.decisions:
        return None
    seen: set[tuple[str, str]] = set()
    findings = []
    for log in parsed.decisions:
        for file, line, target, path in _links(parsed, log):
            if (file, path) not in seen and parsed.exists(path) is False:
                seen.add((file, path))
                message = f"The link to {target} leads nowhere."
                fix = "Mend the path, or take the link out."
                findings.append(
                    finding(
                        parsed,
                        demanded(parsed, WARNING),
                        "d-broken-link",
                        message,
                        fix,
                        file=file,
                        line=line,
                        anchor=path,
                    )
                )
    return findings


RULES = (
    Rule("d-missing", LOW, "A log of decisions exists.", _missing),
    Rule("d-fields", HIGH, "Every decision says what and why.", _fields),
    Rule("d-rejected", HIGH, "Every decision says what was rejected.", _rejected),
    Rule("d-constraint", LOW, "Every decision says what follows from it.", _constraint),
    Rule("d-date", LOW, "Every decision has a date.", _date),
    Rule("d-dupid", CRITICAL, "No two decisions share a number.", _same_identifier),
    Rule("d-gap", LOW, "The numbers of ADRs have no gap.", _gap),
    Rule("d-broken-link", MEDIUM, "The links of decisions lead somewhere.", _broken_link),
    *decision_links.RULES,
    *decision_history.RULES,
    *decision_review.RULES,
)
