"""What merging and synchronising leave behind: rules ``m-conflict`` and ``m-sync-copy``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from brain.health.finding import count, finding
from brain.health.plain import Regions, memory_files
from brain.health.values import ERROR, HIGH, MEDIUM, WARNING, Finding, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

_BEGINS = re.compile(r"^<{7}(?: [^\r\n]*)?\r?$", re.MULTILINE)
_ENDS = re.compile(r"^>{7}(?: [^\r\n]*)?\r?$", re.MULTILINE)
_MIDDLE = re.compile(r"^={7}\r?$", re.MULTILINE)
# Syncthing, Dropbox and Nextcloud, OneDrive, a second download.
_COPY = re.compile(
    r"^(?P<stem>.+?)(?:"
    r"\.sync-conflict-\d{8}-\d{6}(?:-\w+)?"
    r"| \([^()]*(?:conflicted copy|case conflict|konflikt|copie en conflit)[^()]*\)"
    r"|_conflict-\d{8}-\d{6}"
    r"|(?P<number> \(\d{1,2}\))"
    r"| - (?:copy|kopie|copie)(?: \(\d{1,2}\))?"
    r")(?P<ending>\.(?:md|txt|mdc|ndjson|json|yaml))$",
    re.IGNORECASE,
)


def _conflict(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    files = list(memory_files(parsed))
    if not files:
        return None
    findings: list[Finding] = []
    if parsed.words.data.find(b"<<<<<<<") < 0:
        return findings
    for file in files:
        if file.data.find(b"<<<<<<<") < 0 or file.data.find(b">>>>>>>") < 0:
            continue
        text = parsed.text(file)
        if not _MIDDLE.search(text) or not _ENDS.search(text):
            continue
        regions = Regions(text)
        lines = [regions.line(match.start()) for match in _BEGINS.finditer(text)]
        lines = [line for line in lines if not regions.is_code_line(line)]
        if lines:
            message = (
                f"{count(len(lines), 'conflict')} of a merge left in the file, the first in line {lines[0]}."
            )
            fix = "Decide which side holds, and remove the lines <<<<<<<, ======= and >>>>>>>."
            findings.append(finding(parsed, ERROR, "m-conflict", message, fix, file=file.path, line=lines[0]))
    return findings


def _sync_copy(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if not parsed.memory.files:
        return None
    known = {file.path.casefold() for file in parsed.memory.files}
    folders = {path.rpartition("/")[0] for path in known if "/" in path}
    findings = []
    for path in sorted(parsed.memory.names):
        folder, _, name = path.rpartition("/")
        if " " not in name and "conflict" not in name:
            continue
        match = _COPY.match(name)
        if not match:
            continue
        original = f"{folder}/" * bool(folder) + match["stem"] + match["ending"]
        is_there = original in parsed.memory.names or original.casefold() in known
        # A name with a number may have been given by a person: only beside its original it is a copy.
        is_memory = original.casefold() in known or (folder.casefold() in folders and not match["number"])
        if is_memory and (is_there or not match["number"]):
            message = f"A copy that a synchronisation made of {match['stem']}{match['ending']}."
            fix = "Compare both, keep what only one of them says, and move the copy away."
            findings.append(finding(parsed, WARNING, "m-sync-copy", message, fix, file=path, anchor=original))
    return findings


RULES = (
    Rule("m-conflict", HIGH, "No memory file holds an unresolved merge.", _conflict),
    Rule("m-sync-copy", MEDIUM, "No memory file lies beside a copy in conflict with it.", _sync_copy),
)
