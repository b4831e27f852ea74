"""What an assistant loads when it begins to work here, and what is cut off on the way.

Rules ``m-size``, ``m-total``, ``m-not-loaded``, ``m-load``; ``loads`` for the figures. Limits are those of
the readers: Claude Code takes 200 lines or 25 KB of MEMORY.md, OpenClaw what ``brain.health.startup`` tells,
BMAD+ 2 MiB of a file of memory. A token is estimated as four bytes of UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import ceil

from brain.health import roles
from brain.health.finding import finding
from brain.health.startup import CHARACTERS, NEAR, TOTAL, Injected, daily, injected, is_openclaw
from brain.health.values import ERROR, HIGH, INFO, LOW, MEDIUM, WARNING, Finding, MemoryFile, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import EntryFile, ParsedMemory
    from brain.health.today import Today

CLAUDE_LINES = 200
CLAUDE_BYTES = 25 * 1024
BMAD_BYTES = 2 * 1024 * 1024
HEAVY_TOKENS = 12_000

_ASSISTANTS = (
    ("claude.md", "claude"), (".claude/claude.md", "claude"), ("claude.local.md", "claude"),
    ("gemini.md", "gemini"), (".github/copilot-instructions.md", "copilot"), (".cursorrules", "cursor"),
    (".cursor/rules/", "cursor"), (".windsurfrules", "windsurf"), (".windsurf/rules/", "windsurf"),
    (".clinerules", "cline"), (".roorules", "roo"),
    ("agents.md", "agents"), ("conventions.md", "agents"),
)  # fmt: skip
_ALWAYS = re.compile(r"^alwaysApply:\s*true\s*$", re.MULTILINE)


def tokens_of(size: int) -> int:
    """The tokens that ``size`` bytes of UTF-8 are estimated to be."""
    return ceil(size / 4)


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


def _openclaw_loads(parsed: ParsedMemory) -> dict[str, int]:
    return {
        one.file.path: tokens_of(len(one.file.data) * one.taken // one.characters) for one in injected(parsed)
    }


def _daily_loads(parsed: ParsedMemory, today: Today) -> dict[str, int]:
    return {path: tokens_of(size) for path, size in daily(parsed, today).items()}


def _size(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    findings: list[Finding] = []
    applies = False
    openclaw = is_openclaw(parsed)
    for one in injected(parsed):
        # Nobody else keeps a MEMORY.md in this place: where it stands alone it may still be a workspace's.
        if openclaw or _is_index(one.file):
            applies = True
            findings += _of_workspace(parsed, one)
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
        findings += _measured(
            parsed, file, size, BMAD_BYTES, ("bytes", "BMAD+ refuses to read it"), near=INFO
        )
    return findings if applies else None


def _of_workspace(parsed: ParsedMemory, one: Injected) -> list[Finding]:
    lost = one.characters - one.taken
    cut = f"OpenClaw leaves out {lost:,} in the middle, behind the first {one.head:,}"
    if one.characters <= CHARACTERS:
        cut = "OpenClaw leaves out what is in the middle"
    return _measured(parsed, one.file, one.characters, CHARACTERS, ("characters", cut))


def _measured(
    parsed: ParsedMemory,
    file: MemoryFile,
    size: int,
    limit: int,
    words: tuple[str, str],
    *,
    near: str = WARNING,
) -> list[Finding]:
    unit, what = words
    if size < ceil(NEAR * limit):
        return []
    is_over = size > limit
    message = f"{file.path} has {size:,} of {limit:,} {unit}: {'beyond that ' if not is_over else ''}{what}."
    fix = "Move what is rarely needed into files of their own, and archive what is over."
    return [
        finding(parsed, WARNING if is_over else near, "m-size", message, fix, file=file.path, anchor=unit)
    ]


def _total(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if not is_openclaw(parsed):
        return None
    files = injected(parsed)
    if not files:
        return None
    total = sum(min(one.characters, CHARACTERS) for one in files)
    if total < ceil(NEAR * TOTAL):
        return []
    cut = next((one for one in files if one.is_cut and one.limit < CHARACTERS), None)
    then = "beyond that the last are cut or left out"
    if total > TOTAL:
        then = "OpenClaw leaves out the last"
    if cut:
        then = f"of {cut.file.path} OpenClaw takes {cut.taken:,} of {cut.characters:,}"
    message = f"The files loaded at the start have {total:,} of {TOTAL:,} characters: {then}."
    fix = "Shorten the longest; MEMORY.md is loaded last and lost first."
    return [finding(parsed, WARNING, "m-total", message, fix, file=(cut or files[-1]).file.path)]


def _left_out(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if not is_openclaw(parsed):
        return None
    files = injected(parsed)
    if not files:
        return None
    fix = "Shorten the files that are loaded before it."
    return [
        finding(
            parsed,
            ERROR,
            "m-not-loaded",
            f"{one.file.path} is not loaded at all: the files before it take the {TOTAL:,} characters.",
            fix,
            file=one.file.path,
        )
        for one in files
        if one.is_left_out
    ]


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
    Rule("m-not-loaded", HIGH, "Every file that is to be loaded at the start is loaded.", _left_out),
    Rule("m-load", LOW, "A session begins with little to read.", _load),
)
