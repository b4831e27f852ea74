"""The instruction files that assistants load first: rules ``s-*`` (the shift protocol and its size)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from brain.health.finding import count, demanded, finding, hands_over
from brain.health.mentions import Mention, all_mentions, is_missing, mentions
from brain.health.values import HIGH, INFO, LOW, WARNING, Finding, Rule
from brain.health.words import fold, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.page import Heading, Page
    from brain.health.parsed import EntryFile, ParsedMemory
    from brain.health.today import Today

LONG, TOO_LONG = 200, 400
HEAVY = 15
SAME_SHARE = 0.6
FEWEST_SAME = 5
_BLOCKS = ("start", "end")


def _entries(parsed: ParsedMemory) -> tuple[EntryFile, ...]:
    return parsed.entry_files if parsed.memory.kind == "project" else ()


def _titles(entry: EntryFile) -> str:
    """Headings and labels of a file and its imports, one a line, folded."""
    headings = [heading.text for page in entry.pages for heading in page.headings]
    labels = [label.text for page in entry.pages for label in page.labels]
    return fold("\n".join(headings + labels))


def _blocks(entry: EntryFile) -> frozenset[str]:
    """Which of ``start`` and ``end`` an entry file has."""
    titles = _titles(entry)
    found = {block for block in _BLOCKS if words("protocol", block).within(titles)}
    lines = [fold(one.text) for one in mentions(entry)]
    if any(words("protocol", "read").within(text) for text in lines):
        found.add("start")
    if any(words("protocol", "update").within(text) for text in lines):
        found.add("end")
    return frozenset(found)


def _protocol(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    entries = _entries(parsed)
    if not entries:
        return None
    found = frozenset(block for entry in entries for block in _blocks(entry))
    if len(found) == len(_BLOCKS):
        return []
    file = entries[0].file.path
    if found:
        lacking = "end" if "start" in found else "start"
        message = f"The shift protocol says nothing of the {lacking} of a session."
        level = INFO
    else:
        message = "No shift protocol: nothing says what to read at the start and what to write at the end."
        level = WARNING if hands_over(parsed) else INFO
    fix = "Add a few lines: at the start read PROGRESS.md and run the check, at the end commit and update it."
    return [finding(parsed, level, "s-protocol", message, fix, file=file)]


def _missing_reference(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    named = all_mentions(parsed) if _entries(parsed) else ()
    if not named:
        return None
    missing: dict[tuple[str, str], Mention] = {}
    for one in named:
        if is_missing(parsed, one):
            missing.setdefault((one.file, one.path), one)
    return [
        finding(
            parsed,
            demanded(parsed, WARNING),
            "s-ref-missing",
            f"{one.path} is named and does not exist.",
            f"Write {one.path}, or take its name out of {one.file}.",
            file=one.file,
            line=one.line,
            anchor=one.path,
        )
        for one in missing.values()
    ]


def _long(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    entries = _entries(parsed)
    if not entries:
        return None
    findings = []
    for entry in entries:
        size = len(entry.lines)
        if size > LONG:
            level = demanded(parsed, WARNING) if size > TOO_LONG else INFO
            message = f"{count(size, 'line')} are loaded into every session."
            fix = "Keep the rules; move states, histories and details to files that are read when needed."
            findings.append(finding(parsed, level, "s-long", message, fix, file=entry.file.path))
    return findings


def _protocol_blocks(page: Page) -> Iterator[tuple[Heading, int]]:
    """The blocks of a protocol with the number of lines that say something."""
    for heading in page.headings:
        if heading.is_title:
            continue
        title = fold(heading.text)
        if not any(words("protocol", block).within(title) for block in _BLOCKS):
            continue
        body = [page.lines[line] for line in range(heading.line + 1, heading.end + 1)]
        if words("protocol", "shift").within(title) or any(".md" in text.lower() for text in body):
            yield heading, sum(1 for text in body if text.strip())


def _heavy(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    pages = {page.path: page for entry in _entries(parsed) for page in entry.pages}
    blocks = [(page, heading, size) for page in pages.values() for heading, size in _protocol_blocks(page)]
    if not blocks:
        return None
    return [
        finding(
            parsed,
            demanded(parsed, WARNING),
            "s-heavy",
            f'"{heading.text}" takes {count(size, "line")}; a protocol is a few.',
            "Keep what every session must do; put the rest into the init script.",
            file=page.path,
            line=heading.line,
            anchor=heading.text,
        )
        for page, heading, size in blocks
        if size > HEAVY
    ]


def _own_lines(entry: EntryFile) -> Counter[str]:
    return Counter(text.strip() for text in entry.page.lines if text.strip())


def _duplicate(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    entries = _entries(parsed)
    if len(entries) < 2:
        return None
    sized = [(entry, lines) for entry in entries if (lines := _own_lines(entry)).total() >= FEWEST_SAME]
    findings = []
    for place, (entry, lines) in enumerate(sized):
        for other, other_lines in sized[:place]:
            least = min(lines.total(), other_lines.total())
            same = (lines & other_lines).total()
            if same > SAME_SHARE * least:
                message = f"{same} of {count(least, 'line')} are the same as in {other.file.path}."
                fix = (
                    f"Let one hold the text: replace this file by a link, or by the line @{other.file.path}."
                )
                findings.append(
                    finding(parsed, INFO, "s-dup", message, fix, file=entry.file.path, anchor=other.file.path)
                )
                break
    return findings


RULES = (
    Rule("s-protocol", HIGH, "Instructions say what a session does at its start and at its end.", _protocol),
    Rule("s-ref-missing", HIGH, "Every handover file that instructions name is there.", _missing_reference),
    Rule("s-long", LOW, "Instructions are short enough to be followed.", _long),
    Rule("s-heavy", LOW, "The shift protocol is a few lines.", _heavy),
    Rule("s-dup", LOW, "No two instruction files hold the same text.", _duplicate),
)
