"""What a resume card has to ask of version control: less than the rules of health do."""

from __future__ import annotations

from brain.health import roles
from brain.health.questions import Questions, handover_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.values import Memory, MemoryFile

_FILES = 6


def resume_questions(memory: Memory, parsed: ParsedMemory) -> Questions:
    """The recorded commits, and when the files changed that may say where the project stands."""
    hashes = dict.fromkeys(one.commit.text for one in parsed.handovers[:3] if one.commit)
    files = [one.target or one.path for one in (*parsed.files(roles.PROGRESS), *contexts(parsed))]
    asked = tuple((path, False) for path in dict.fromkeys(files[:_FILES]))
    return Questions(tuple(hashes), asked, handover_files(memory), changes=1)


def contexts(parsed: ParsedMemory) -> tuple[MemoryFile, ...]:
    """The context files of the memory."""
    return tuple(file for file in parsed.files(roles.NOTES) if file.path.lower().endswith("/context.md"))
