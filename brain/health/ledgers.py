"""The ledgers of a memory: whole, within their limit, and what waits in them for a decision.

Rules ``m-ledger``, ``m-ledger-size``, ``m-promotion``. What counts as damage is what the readers of the
ledgers skip or refuse.
"""

from __future__ import annotations

from collections.abc import Iterable

from brain.files.errors import MemError
from brain.files.ledger import LEDGER_CAP, parse_ledger
from brain.health import roles
from brain.health.finding import count, finding
from brain.health.values import ERROR, HIGH, INFO, LOW, MEDIUM, WARNING, Finding, MemoryFile, Rule
from brain.ledgers.scores import NAME as SCORES
from brain.ledgers.scores import parse_scores
from brain.outcomes.receipts import MAX_RECEIPTS, parse_receipts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

NEAR = 0.85
_OUTCOMES = "outcomes.ndjson"
_PROMOTIONS = "promotions.ndjson"
_SHOWN = 5
_OPEN = ("PROPOSED", "APPROVED")
_WAITING = {"PROPOSED": "waits for a decision", "APPROVED": "was approved and is not applied"}


def _name(file: MemoryFile) -> str:
    return file.path.rpartition("/")[2]


def _damage(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    files = [file for file in parsed.files(roles.LEDGER) if file.data]
    if not files:
        return None
    return [one for file in files for one in _damage_of(parsed, file)]


def _damage_of(parsed: ParsedMemory, file: MemoryFile) -> list[Finding]:
    name = _name(file)
    if name == _OUTCOMES:
        why = _broken_receipts(file.data)
        fix = "Restore an unchanged copy: evidence is never repaired by itself."
        return [finding(parsed, ERROR, "m-ledger", why, fix, file=file.path)] if why else []
    if name == SCORES:
        if parse_scores(file.data) is not None:
            return []
        why = "The scores are no JSON object of scores: no pattern can be reinforced."
        fix = "Mend the file, or move it away to begin anew."
        return [finding(parsed, ERROR, "m-ledger", why, fix, file=file.path)]
    damaged = parse_ledger(file.data).damaged
    if not damaged:
        return []
    shown = ", ".join(map(str, damaged[:_SHOWN])) + (" ..." if len(damaged) > _SHOWN else "")
    why = f"{count(len(damaged), 'line')} no reader understands: {shown}."
    fix = "Mend or remove them: every reader skips them."
    return [finding(parsed, WARNING, "m-ledger", why, fix, file=file.path, line=damaged[0])]


def _broken_receipts(data: bytes) -> str:
    try:
        parse_receipts(data.decode())
    except UnicodeDecodeError:
        return "The ledger of outcomes is not UTF-8: it counts as a whole or not at all."
    except MemError as error:
        reason = str(error).partition(" is damaged: ")[2].partition(";")[0]
        return f"The ledger of outcomes is damaged: {reason}."
    return ""


def _size(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    files = parsed.files(roles.LEDGER)
    if not files:
        return None
    findings = []
    for file in files:
        size = max(len(file.data), file.stamp[1])
        records = file.data.count(b"\n") if _name(file) == _OUTCOMES else 0
        if size < NEAR * LEDGER_CAP and records < NEAR * MAX_RECEIPTS:
            continue
        is_full = size >= LEDGER_CAP or records >= MAX_RECEIPTS
        of = f"{size:,} of {LEDGER_CAP:,} bytes" if size >= NEAR * LEDGER_CAP else ""
        of = of or f"{records:,} of {MAX_RECEIPTS:,} receipts"
        message = f"The ledger {'is full' if is_full else 'is nearly full'}: {of}; a full one takes no more."
        fix = "Move it away under a dated name; a new one begins by itself."
        level = ERROR if is_full else WARNING
        findings.append(finding(parsed, level, "m-ledger-size", message, fix, file=file.path))
    return findings


def _promotions(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    files = [file for file in parsed.files(roles.LEDGER) if _name(file) == _PROMOTIONS and file.data]
    if not files:
        return None
    findings = []
    for file in files:
        last: dict[str, tuple[int, dict[str, object]]] = {}
        for line, record in parse_ledger(file.data).lines:
            last[str(record.get("id"))] = (line, record)
        for line, record in last.values():
            if record.get("status") not in _OPEN:
                continue
            pattern, since = str(record.get("patternId", ""))[:80], str(record.get("ts", ""))[:10]
            message = f"The promotion of {pattern} {_WAITING[str(record['status'])]}."
            fix = "Approve, reject or apply it; nothing does so by itself."
            findings.append(
                finding(
                    parsed,
                    INFO,
                    "m-promotion",
                    message,
                    fix,
                    file=file.path,
                    line=line,
                    anchor=pattern,
                    since=since,
                )
            )
    return findings


RULES = (
    Rule("m-ledger", HIGH, "Every line of the ledgers can be read.", _damage),
    Rule("m-ledger-size", MEDIUM, "Every ledger has room for more.", _size),
    Rule("m-promotion", LOW, "No promotion waits for a decision.", _promotions),
)
