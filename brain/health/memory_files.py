"""Whether the files of a memory are there, well formed, filled in and at one with each other: rules ``m-*``.

What makes a file of notes valid is asked of ``brain.memory_status``, which shows the same.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from brain.health import roles
from brain.health.dates import day_of, find_date, leading_date
from brain.health.finding import count, demanded, finding
from brain.health.indexes import indexes
from brain.health.plain import memory_files
from brain.health.values import HIGH, INFO, LOW, MEDIUM, WARNING, Finding, MemoryFile, Rule
from brain.layout import CONTEXT, MEMORY_FILES, NOTE_FILES
from brain.memory_status.files import emptiness, faults_of_identity, malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date

    from brain.entries.document import Document
    from brain.health.page import Item, Page
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

_MEMORY = ".agents/memory"
# A template may stand for a month before it counts as forgotten.
UNTOUCHED_DAYS = 30
BEHIND_DAYS = 30
# Whose words count: what rules say is missing there may only be hidden.
_PAGES = (
    *(roles.PROGRESS, roles.DECISIONS, roles.ADR, roles.ENTRY, roles.IMPORT, roles.BANK, roles.NOTES),
    *(roles.LONG_TERM, roles.TOOL_MEMORY),
)  # fmt: skip
_SHOWN = 3
# A shorter line, a link or a box to tick may well stand twice.
_FEWEST_WORDS = 6
_SUMMARY = re.compile(
    r"(?:summary|zusammenfassung|überblick|résumé|synthèse|last consolidated|zuletzt verdichtet)\b"
)
_MARKED = re.compile(
    r"(?:last (?:consolidated|updated|summari[sz]ed)|zuletzt (?:verdichtet|zusammengefasst|aktualisiert)"
    r"|dernière (?:mise à jour|synthèse)|consolidé le|summary (?:as )?of|\bstand)\W{0,6}",
    re.IGNORECASE,
)
_MAY_SUM_UP = re.compile(
    r"last |zuletzt|derni|consolid|summary|stand|zusammenf|überblick|synth|résumé", re.IGNORECASE
)
# Behind its mark a date stands at once, in front of an observation, too.
_NEAR = 12


def _folder(parsed: ParsedMemory) -> str | None:
    """The folder of the notes that Zecher and BMAD+ keep, ``""`` for a brain's own; None without one."""
    if parsed.memory.kind == "brain":
        return ""
    kept = any(file.path.startswith(f"{_MEMORY}/") for file in parsed.files(roles.NOTES))
    return _MEMORY if kept else None


def _notes(parsed: ParsedMemory) -> Iterator[tuple[MemoryFile, Document, str]]:
    """The files of notes with their documents and names, sessions left out."""
    by_path = {file.path: file for file in parsed.memory.files}
    for path, document in parsed.notes.items():
        name = path.rpartition("/")[2].lower()
        if name in MEMORY_FILES and path in by_path:
            yield by_path[path], document, name


def _missing(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    folder = _folder(parsed)
    if folder is None:
        return None
    there = {path.casefold() for path in parsed.memory.names} | {
        file.path.casefold() for file in parsed.memory.files
    }
    prefix = f"{folder}/" if folder else ""
    expected = MEMORY_FILES if folder else NOTE_FILES
    missing = [f"{prefix}{name}" for name in expected if f"{prefix}{name}" not in there]
    # Who set it up once had all of them: then one was lost. Others keep what they want.
    fix = "zecher memory init makes what is missing, and leaves what is there alone."
    if f"{_MEMORY}/.brain-link" in there:
        return [
            finding(parsed, WARNING, "m-missing", f"{path} is missing.", fix, file=path) for path in missing
        ]
    if not missing:
        return []
    message = f"Not there: {', '.join(missing)}."
    return [finding(parsed, INFO, "m-missing", message, fix, file=missing[0])]


def _malformed(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    notes = list(_notes(parsed))
    pages = _other_pages(parsed, {file.path for file, _, _ in notes})
    findings = [one for file in pages for one in _odd_page(parsed, file)]
    findings += _odd_identity(parsed)
    if not notes and not findings:  # that any text can be read is no merit of a memory
        return None
    for file, document, _ in notes:
        why = malformed(document.problems)
        if why:
            line, _, message = why.removeprefix("line ").partition(": ")
            fix = "Mend that place: what stands below it may be hidden from every reader."
            findings.append(
                finding(
                    parsed,
                    WARNING,
                    "m-malformed",
                    f"{message[:1].upper()}{message[1:]}.",
                    fix,
                    file=file.path,
                    line=int(line),
                )
            )
    return findings


def _odd_identity(parsed: ParsedMemory) -> Iterator[Finding]:
    """What is wrong with the identity of a brain."""
    for file in parsed.files(roles.IDENTITY):
        complaint, silent = ("", []) if file.problem else faults_of_identity(file.data)
        if complaint:
            message = f"Not read as YAML: {complaint.rstrip('.')}."
            fix = "Mend that line: until then nobody knows who you are, or your language."
            yield finding(parsed, WARNING, "m-malformed", message, fix, file=file.path)
        elif silent:
            message = f"Says nothing for {' and '.join(silent)}."
            fix = "Fill it in: assistants greet by it, and answer in that language."
            yield finding(parsed, INFO, "m-malformed", message, fix, file=file.path, anchor="keys")


def _other_pages(parsed: ParsedMemory, notes: set[str]) -> Iterator[MemoryFile]:
    """The pages that hand over, decide or instruct, but for the files of notes."""
    for file in memory_files(parsed):
        if file.role in _PAGES and file.path not in notes and not file.path.endswith((".json", ".ndjson")):
            yield file


def _odd_page(parsed: ParsedMemory, file: MemoryFile) -> Iterator[Finding]:
    page = parsed.page(file)
    for problem in page.problems:
        if problem.code == "too-large":
            continue
        hides = problem.code == "never-closed" and any(
            text.startswith("## ") for text in page.lines[problem.line + 1 :]
        )
        yield finding(
            parsed,
            demanded(parsed, WARNING) if hides or problem.code == "encoding" else INFO,
            "m-malformed",
            f"{problem.message[:1].upper()}{problem.message[1:]}.",
            "Mend that place: what stands there, or below it, may be hidden from every reader.",
            file=file.path,
            line=problem.line,
            anchor=problem.code,
        )


def _entry_problems(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    notes = list(_notes(parsed))
    if not notes:
        return None
    return [
        finding(
            parsed,
            INFO,
            "m-entry",
            f"{problem.message[:1].upper()}{problem.message[1:]}.",
            "Give the entry a heading with its day and a title: ### YYYY-MM-DD - Title.",
            file=file.path,
            line=problem.line,
            anchor=problem.code,
        )
        for file, document, _ in notes
        for problem in document.problems
        if problem.code in ("entry-date", "entry-untitled")
    ]


def _template(parsed: ParsedMemory, today: Today) -> Iterable[Finding] | None:
    notes = list(_notes(parsed))
    if not notes:
        return None
    told = {log.path for log in parsed.decisions if log.entries}
    findings = []
    for file, document, name in notes:
        if malformed(document.problems) or not document.readable:
            continue
        why = emptiness(document, file.data, name)
        # An entry of another shape than BMAD+'s is one, too.
        if not why or (name == "decisions.md" and file.path in told):
            continue
        made = day_of(document.front_matter.text("created")[:10]) if document.front_matter else None
        # Lessons come when they come; where a project stands there is always something to say of.
        expected = name in (CONTEXT, "decisions.md") and parsed.memory.kind == "project"
        forgotten = made is not None and today.reached(made, UNTOUCHED_DAYS)
        level = WARNING if expected and forgotten and parsed.memory.status == "active" else INFO
        fix = (
            "Say where the project stands, in two sentences."
            if name == CONTEXT
            else "Write the first entry, with its reason, while it is fresh: zecher memory add."
        )
        message = "Holds nothing but its template." if name == CONTEXT else "Holds no entry yet."
        findings.append(
            finding(parsed, level, "m-template", message, fix, file=file.path, since=str(made or ""))
        )
    return findings


def _index(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    found = list(indexes(parsed))
    if not found:
        return None
    return [
        finding(
            parsed,
            WARNING,
            "m-index",
            f"The index names {posixpath.basename(path)}, which is not there.",
            "Take the line out, or bring the file back.",
            file=file.path,
            line=line,
            anchor=path,
        )
        for file, _, targets, topics in found
        for path, line in targets.items()
        if path not in topics and parsed.exists(path) is False
    ]


def _unlisted(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    found = list(indexes(parsed))
    if not found:
        return None
    findings = []
    for file, page, targets, topics in found:
        text = "\n".join(page.visible)
        unlisted = sorted(
            path for path in topics if path not in targets and posixpath.basename(path)[:-3] not in text
        )
        # An index that lists the fewest of what lies beside it was not meant as one.
        level = WARNING if len(topics) - len(unlisted) >= len(unlisted) else INFO
        findings += [
            finding(
                parsed,
                level,
                "m-unlisted",
                f"{posixpath.basename(path)} is not in the index, which is all that is always read.",
                f"Add a line to {file.path}, or move the file away.",
                file=path,
                anchor=file.path,
            )
            for path in unlisted
            if not find_date(posixpath.basename(path))
        ]
    return findings


def _same_name(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    topics = [file for file in parsed.files(roles.TOOL_MEMORY) if file.data.startswith(b"---")]
    if len(topics) < 2:
        return None
    names: dict[str, list[MemoryFile]] = {}
    for file in topics:
        front = parsed.page(file).front_matter
        name = " ".join(front.text("name").casefold().split()) if front else ""
        if name:
            names.setdefault(name, []).append(file)
    return [
        finding(
            parsed,
            WARNING,
            "m-same-name",
            f"{other.path} bears the same name as {first.path}.",
            "Merge both, or name each after what only it holds.",
            file=other.path,
            anchor=first.path,
        )
        for first, *others in names.values()
        for other in others
    ]


def _whole(page: Page, item: Item) -> str:
    """The text of a list item with the lines that continue it."""
    text = item.text
    for line in page.visible[item.line + 1 : item.line + 20]:
        if not line.startswith((" ", "\t")) or line.lstrip().startswith(("- ", "* ", "+ ")):
            break
        text = f"{text} {line.strip()}"
    return text


def _duplicate(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    files = [
        file for role in (roles.TOOL_MEMORY, roles.LONG_TERM) for file in parsed.files(role) if file.data
    ]
    if not files:
        return None
    seen: dict[str, tuple[str, int]] = {}
    findings = []
    for file in files:
        page = parsed.page(file)
        for item in page.items:
            words = _whole(page, item).casefold().split() if item.indent == 0 and item.checked is None else []
            if len(words) < _FEWEST_WORDS or item.text.startswith(("[", "`", "|")):
                continue
            key = " ".join(words).rstrip(".;,")
            path, line = seen.setdefault(key, (file.path, item.line))
            if (path, line) == (file.path, item.line):
                continue
            where = f"line {line}" if path == file.path else f"{path}:{line}"
            message = f"The same observation stands in {where} already."
            fix = "Keep one of them, and take the other out."
            anchor = key[:80]
            findings.append(
                finding(
                    parsed,
                    WARNING,
                    "m-duplicate",
                    message,
                    fix,
                    file=file.path,
                    line=item.line,
                    anchor=anchor,
                )
            )
    return findings


def _summary(parsed: ParsedMemory, today: Today) -> Iterable[Finding] | None:
    files = [
        file for role in (roles.TOOL_MEMORY, roles.LONG_TERM) for file in parsed.files(role) if file.data
    ]
    findings: list[Finding] = []
    applies = False
    for file in files:
        found = _summary_date(parsed.page(file))
        if not found:
            continue
        applies = True
        line, summary = found
        newest = max((day for day in _observed(parsed, file) if today.reached(day)), default=None)
        if newest and (newest - summary).days > BEHIND_DAYS:
            days = count((newest - summary).days, "day")
            message = f"The summary of {summary} is {days} older than the newest observation, of {newest}."
            fix = "Read what came after it, and bring the summary up to date."
            findings.append(
                finding(
                    parsed, WARNING, "m-summary", message, fix, file=file.path, line=line, since=str(newest)
                )
            )
    return findings if applies else None


def _summary_date(page: Page) -> tuple[int, date] | None:
    """The line and the day on which the page says that it was summed up last, None where it does not."""
    for number, text in enumerate(page.visible):
        if not text or not _MAY_SUM_UP.search(text):
            continue
        match = _MARKED.search(text)
        is_heading = text.startswith("#") and _SUMMARY.search(text.lower())
        found = find_date(text[match.end() :]) if match else find_date(text) if is_heading else None
        day = day_of(found[0]) if found and (is_heading or found[1] <= _NEAR) else None
        if day:
            return number, day
    return None


def _observed(parsed: ParsedMemory, file: MemoryFile) -> Iterator[date]:
    """The days of what was observed: at the start of list items and headings, in names of daily notes."""
    page = parsed.page(file)
    for text in (*(item.text for item in page.items), *(heading.text for heading in page.headings)):
        found = leading_date(text) if any(sign.isdigit() for sign in text[:_NEAR]) else None
        if found and (day := day_of(found[0])):
            yield day
    for daily in parsed.files(roles.DAILY):
        found = find_date(posixpath.basename(daily.path))
        if found and (day := day_of(found[0])):
            yield day


RULES = (
    Rule("m-missing", MEDIUM, "Every file of the project's memory is there.", _missing),
    Rule("m-malformed", HIGH, "Every page of the memory is well formed.", _malformed),
    Rule("m-entry", LOW, "Every entry has a day and a title.", _entry_problems),
    Rule("m-template", MEDIUM, "Every file of notes says more than its template.", _template),
    Rule("m-index", MEDIUM, "Everything that the index of a memory names is there.", _index),
    Rule("m-unlisted", MEDIUM, "Every topic of a memory stands in its index.", _unlisted),
    Rule("m-same-name", LOW, "No two topics of a memory bear the same name.", _same_name),
    Rule("m-duplicate", LOW, "Nothing was observed twice.", _duplicate),
    Rule("m-summary", MEDIUM, "The summary is as new as what it sums up.", _summary),
)
