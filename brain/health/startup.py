"""What OpenClaw puts before an assistant when it begins to work: in its order, cut as it cuts.

Source: the measured behaviour of its release line 2026.7. Of each file at most 20,000 characters, of all of
them 60,000, MEMORY.md last; of a longer one the middle is cut out. Where fewer than 64 characters are left,
the files that remain are left out, and nothing in the prompt tells of them.
"""

from __future__ import annotations

import re
from math import ceil

from brain.health import roles
from brain.health.dates import day_of
from brain.health.values import MemoryFile
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

CHARACTERS = 20_000
TOTAL = 60_000
LEAST = 64
"""Characters that must be left of the total, else a file is left out."""
NEAR = 0.85
# Of each note of a day, and of all of them, at the start of a session.
DAILY = 1_200
DAILY_TOTAL = 2_800

# In the order in which they are loaded: what comes last is cut first.
_FILES = (
    "AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md",
)  # fmt: skip
# These no other assistant knows.
_MARKS = ("SOUL.md", "HEARTBEAT.md", "IDENTITY.md", "BOOTSTRAP.md")
# The note that stands in place of what was cut out.
_MARKER = 111
_HEAD = 0.75
_DAILY_DAY = re.compile(r"(?:^|/)(\d{4}-\d\d-\d\d)[^/]*$")


@dataclass(frozen=True, slots=True)
class Injected:
    """One file in the order of injection.

    Of its ``characters`` the first ``head`` and the last ``tail`` are put before the assistant, ``limit`` at
    most: its own, or what was left of the total.
    """

    file: MemoryFile
    characters: int
    limit: int
    head: int
    tail: int

    @property
    def taken(self) -> int:
        """The characters that the assistant sees."""
        return self.head + self.tail

    @property
    def is_left_out(self) -> bool:
        """Whether nothing of it is loaded, without a trace."""
        return self.limit < LEAST

    @property
    def is_cut(self) -> bool:
        """Whether a part of it is missing, not all."""
        return self.taken < self.characters and not self.is_left_out


def is_openclaw(parsed: ParsedMemory) -> bool:
    """Whether the folder is a workspace of OpenClaw: it has a file of its own, or notes beside MEMORY.md."""
    names = parsed.memory.names
    if not names.isdisjoint(_MARKS):
        return True
    return "MEMORY.md" in names and bool(parsed.files(roles.DAILY))


def injected(parsed: ParsedMemory) -> tuple[Injected, ...]:
    """The files that are loaded, or would be, in their order; without those that are not there or empty."""
    by_name = {file.path: file for file in parsed.memory.files if "/" not in file.path and file.data}
    left, found = TOTAL, []
    for name in _FILES:
        if name in by_name:
            file = by_name[name]
            one = _cut(file, len(parsed.text(file)), min(CHARACTERS, left))
            # What is cut to a limit fills it: the marker counts, too.
            left -= min(one.characters, one.limit) if not one.is_left_out else 0
            found.append(one)
    return tuple(found)


def _cut(file: MemoryFile, characters: int, limit: int) -> Injected:
    if limit < LEAST:
        return Injected(file, characters, limit, 0, 0)
    if characters <= limit:
        return Injected(file, characters, limit, characters, 0)
    room = max(limit - _MARKER, 0)
    head = ceil(room * _HEAD)
    return Injected(file, characters, limit, head, room - head)


def daily(parsed: ParsedMemory, today: Today) -> dict[str, int]:
    """The notes of today and yesterday as they are loaded, each with its bytes, the newest first."""
    found = {}
    left = DAILY_TOTAL
    for file in sorted(parsed.files(roles.DAILY), key=lambda file: file.path, reverse=True):
        match = _DAILY_DAY.search(file.path)
        day = day_of(match[1]) if match else None
        if day and file.data and today.reached(day) and not today.reached(day, 2):
            taken = min(len(file.data), DAILY, left)
            left -= taken
            found[file.path] = taken
    return found
