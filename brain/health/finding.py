"""How a rule words what it found."""

from __future__ import annotations

from brain.health import roles
from brain.health.values import INFO, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory


def finding(
    parsed: ParsedMemory,
    level: str,
    code: str,
    message: str,
    fix: str,
    *,
    file: str = "",
    line: int = 0,
    anchor: str = "",
    since: str = "",
) -> Finding:
    """A finding of ``code`` about ``parsed``; the other arguments are those of ``Finding``."""
    return Finding(code, level, parsed.memory.path, file, line, message, fix, anchor, since)


def demanded(parsed: ParsedMemory, level: str) -> str:
    """``level`` where the project took up the handover files; elsewhere nobody asked for more than a hint."""
    return level if parsed.opted_in else INFO


def hands_over(parsed: ParsedMemory) -> bool:
    """Whether the project hands over by files of its own, more than the notes that BMAD+ keeps for it."""
    if not parsed.opted_in:
        return False
    logs = parsed.files(roles.DECISIONS)
    notes_only = bool(logs) and all(one.path.startswith((".agents/", ".bmad/")) for one in logs)
    return bool(parsed.files(roles.PROGRESS)) or not notes_only


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: ``1 entry``, ``2 entries``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
