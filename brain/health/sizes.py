"""What an assistant loads when it begins to work here, and what is cut off on the way.

Rules ``m-size``, ``m-total``, ``m-load``; ``loads`` for the figures. Limits are those of the readers: Claude
Code takes 200 lines or 25 KB of MEMORY.md, OpenClaw 20,000 characters of each of its files and 60,000 of
all, BMAD+ 2 MiB of a file of memory. A token is estimated as four bytes of UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import ceil

from brain.health import roles
from brain.health.dates import day_of
from brain.health.finding import finding
from brain.health.values import INFO, LOW, MEDIUM, WARNING, Finding, MemoryFile, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import EntryFile, ParsedMemory
    from brain.health.today import Today

NEAR = 0.85
CLAUDE_LINES = 200
CLAUDE_BYTES = 25 * 1024
OPENCLAW_CHARACTERS = 20_000
OPENCLAW_TOTAL = 60_000
# Of each note of a day, and of all of them, at the start of a session.
OPENCLAW_DAILY = 1_200
OPENCLAW_DAILY_TOTAL = 2_800
BMAD_BYTES = 2 * 1024 * 1024
HEAVY_TOKENS = 12_000

# In the order in which they are loaded: what comes last is cut first.
_OPENCLAW_FILES = (
    "AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md",
)  # fmt: skip
# These no other assistant knows.
_OPENCLAW_MARKS = ("SOUL.md", "HEARTBEAT.md", "IDENTITY.md", "BOOTSTRAP.md")
_ASSISTANTS = (
    ("claude.md", "claude"), (".claude/claude.md", "claude"), ("claude.local.md", "claude"),
    ("gemini.md", "gemini"), (".github/copilot-instructions.md", "copilot"), (".cursorrules", "cursor"),
    (".cursor/rules/", "cursor"), (".windsurfrules", "windsurf"), (".windsurf/rules/", "windsurf"),
    (".clinerules", "cline"), (".roorules", "roo"),
    ("agents.md", "agents"), ("conventions.md", "agents"),
)  # fmt: skip
_ALWAYS = re.compile(r"^alwaysApply:\s*true\s*$", re.MULTILINE)
_DAILY_DAY = re.compile(r"(?:^|/)(\d{4}-\d\d-\d\d)[^/]*$")


def tokens_of(size: int) -> int:
    """The tokens that ``size`` bytes of UTF-8 are estimated to be."""
    return ceil(size / 4)


def is_openclaw(parsed: ParsedMemory) -> bool:
    """Whether the folder is a workspace of OpenClaw."""
    return not parsed.memory.names.isdisjoint(_OPENCLAW_MARKS)


def loads(parsed: ParsedMemory, today: Today) -> tuple[tuple[str, int], ...]:
    """What an assistant loads at its start, as (file, tokens), most first.

    Instruction files of several assistants are not loaded by one: the dearest of them counts. With it go the
    memory that its tool loads, as far as the tool reads it, and the notes of today and yesterday.
    """
    memory = _memory_loads(parsed)
    if is_openclaw(parsed):
        return _ordered({**_openclaw_loads(parsed), **_daily_loads(parsed, today)})
    by_assistant: dict[str, dict[str, int]] = {}
    for entry in parsed.entry_files:
        for name in entry.names:
            assistant = _assistant(name)
            if assistant and _is_always_loaded(name, entry):
                by_assistant.setdefault(assistant, {}).update(_entry_loads(entry))
    for name, files in memory.items():
        by_assistant.setdefault(name, {}).update(files)
    dearest = max(sorted(by_assistant), key=lambda name: sum(by_assistant[name].values()), default="")
    return _ordered(by_assistant.get(dearest, {}))


def _ordered(files: dict[str, int]) -> tuple[tuple[str, int], ...]:
    found = ((file, tokens) for file, tokens in files.items() if tokens)
    return tuple(sorted(found, key=lambda pair: (-pair[1], pair[0])))


def _assistant(path: str) -> str:
    folded = path.lower()
    return next(
        (
            name
            for start, name in _ASSISTANTS
            if folded == start or folded.startswith(start.rstrip("/") + "/")
        ),
        "",
    )


def _is_always_loaded(name: str, entry: EntryFile) -> bool:
    """Rules of Cursor are loaded where they say so; all others always."""
    if not name.lower().endswith(".mdc"):
        return True
    return _ALWAYS.search(entry.file.data[:4096].decode("utf-8", "replace")) is not None


def _entry_loads(entry: EntryFile) -> dict[str, int]:
    return {page.path: tokens_of(len(page.data)) for page in entry.pages}


def _memory_loads(parsed: ParsedMemory) -> dict[str, dict[str, int]]:
    """What tools load of their own memory, by assistant."""
    found: dict[str, dict[str, int]] = {}
    for file in parsed.files(roles.TOOL_MEMORY):
        if file.data and _is_index(file):
            found.setdefault("claude", {})[file.path] = tokens_of(len(_claude_part(file.data)))
    for file in parsed.files(roles.BANK):
        if file.data:
            found.setdefault("cline", {})[file.path] = tokens_of(len(file.data))
    return found


def _is_index(file: MemoryFile) -> bool:
    return file.path.rpartition("/")[2] == "MEMORY.md"


def _claude_part(data: bytes) -> bytes:
    lines = data.split(b"\n", CLAUDE_LINES)
    return b"\n".join(lines[:CLAUDE_LINES])[:CLAUDE_BYTES]


def _openclaw_files(parsed: ParsedMemory) -> list[tuple[MemoryFile, int]]:
    """The files that OpenClaw loads in its order, with their characters."""
    by_name = {file.path: file for file in parsed.memory.files if "/" not in file.path and file.data}
    return [(by_name[name], len(parsed.text(by_name[name]))) for name in _OPENCLAW_FILES if name in by_name]


def _openclaw_loads(parsed: ParsedMemory) -> dict[str, int]:
    left = OPENCLAW_TOTAL
    found = {}
    for file, characters in _openclaw_files(parsed):
        taken = min(characters, OPENCLAW_CHARACTERS, left)
        left -= taken
        found[file.path] = tokens_of(len(file.data) * taken // max(1, characters))
    return found


def _daily_loads(parsed: ParsedMemory, today: Today) -> dict[str, int]:
    found = {}
    left = OPENCLAW_DAILY_TOTAL
    for file in sorted(parsed.files(roles.DAILY), key=lambda file: file.path, reverse=True):
        match = _DAILY_DAY.search(file.path)
        day = day_of(match[1]) if match else None
        if day and file.data and today.reached(day) and not today.reached(day, 2):
            taken = min(len(file.data), OPENCLAW_DAILY, left)
            left -= taken
            found[file.path] = tokens_of(taken)
    return found


def _size(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    findings: list[Finding] = []
    applies = False
    openclaw = is_openclaw(parsed)
    if openclaw:
        for file, characters in _openclaw_files(parsed):
            applies = True
            words = ("characters", "OpenClaw cuts out what is in the middle")
            findings += _measured(parsed, file, characters, OPENCLAW_CHARACTERS, words)
    for file in parsed.files(roles.TOOL_MEMORY) + parsed.files(roles.LONG_TERM):
        if not file.data or not _is_index(file) or (openclaw and "/" not in file.path):
            continue
        applies = True
        lines = file.data.count(b"\n") + (not file.data.endswith(b"\n"))
        cut = "Claude Code loads no more of it"
        findings += _measured(parsed, file, lines, CLAUDE_LINES, ("lines", cut)) or _measured(
            parsed, file, len(file.data), CLAUDE_BYTES, ("bytes", cut)
        )
    for file in parsed.files(roles.NOTES):
        applies = True
        size = max(len(file.data), file.stamp[1])
        findings += _measured(parsed, file, size, BMAD_BYTES, ("bytes", "BMAD+ refuses to read it"))
    return findings if applies else None


def _measured(
    parsed: ParsedMemory, file: MemoryFile, size: int, limit: int, words: tuple[str, str]
) -> list[Finding]:
    unit, what = words
    if size < ceil(NEAR * limit):
        return []
    is_over = size > limit
    message = f"{file.path} has {size:,} of {limit:,} {unit}: {'beyond that ' if not is_over else ''}{what}."
    fix = "Move what is rarely needed into files of their own, and archive what is over."
    level = WARNING if is_over else INFO
    return [finding(parsed, level, "m-size", message, fix, file=file.path, anchor=unit)]


def _total(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if not is_openclaw(parsed):
        return None
    files = _openclaw_files(parsed)
    if not files:
        return None
    total = sum(min(characters, OPENCLAW_CHARACTERS) for _, characters in files)
    if total < ceil(NEAR * OPENCLAW_TOTAL):
        return []
    is_over = total > OPENCLAW_TOTAL
    then = "OpenClaw cuts or leaves out the last" if is_over else "beyond that the last are cut or left out"
    message = f"The files loaded at the start have {total:,} of {OPENCLAW_TOTAL:,} characters: {then}."
    fix = "Shorten the longest; MEMORY.md is loaded last and lost first."
    level = WARNING if is_over else INFO
    return [finding(parsed, level, "m-total", message, fix, file=files[-1][0].path)]


def _load(parsed: ParsedMemory, today: Today) -> Iterable[Finding] | None:
    found = loads(parsed, today)
    if not found:
        return None
    total = sum(tokens for _, tokens in found)
    if total <= HEAVY_TOKENS:
        return []
    file, tokens = found[0]
    message = f"Every session begins with about {total:,} tokens, {tokens:,} of them from {file}."
    fix = "Keep in the files that are always loaded what every session needs, and name the rest there."
    return [finding(parsed, INFO, "m-load", message, fix, file=file)]


RULES = (
    Rule("m-size", MEDIUM, "No memory file is longer than its reader takes.", _size),
    Rule("m-total", MEDIUM, "All that is loaded at the start fits together.", _total),
    Rule("m-load", LOW, "A session begins with little to read.", _load),
)
