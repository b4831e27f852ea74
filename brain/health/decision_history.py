"""Decisions against earlier contents of their files: nothing may be lost, nothing rewritten; rules ``d-*``.

Sets of entries are compared, never counts of lines: marking an entry as replaced changes lines, too.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from brain.health.decision_links import called, plain_identifier
from brain.health.decision_log import ADR, entries_of, is_record
from brain.health.decision_values import Decision
from brain.health.finding import demanded, finding
from brain.health.values import CRITICAL, ERROR, MEDIUM, WARNING, FileHistory, Finding, Rule
from brain.health.words import fold
from brain.value import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.decision_values import DecisionFile
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

# An entry of the same day whose words are mostly these was renamed, not replaced.
RENAMED_SHARE = 0.6
_WORD = re.compile(r"[^\W_]+")
# Lines that may change: the status of an entry and what says that another one took over.
_STATUS = re.compile(
    rb"^[\s>*_~-]*(?:#+.*|(?:status|statut|state|zustand|stand|revisit)(?![a-z])|superseded|superceded|supersedes|replaced|replaces"
    rb"|ersetzt|abgel|l\xc3\xb6st|remplac|supplant)",
    re.IGNORECASE,
)
_STATUS_TEXT = re.compile(_STATUS.pattern.decode(), re.IGNORECASE)

Key = tuple[str, ...]


@dataclass(slots=True)
class Changes:
    """What earlier contents hold and the present one does not: entries lost, entries whose words are gone."""

    lost: dict[Key, Decision] = field(default_factory=dict)
    edited: dict[Key, tuple[Decision, str]] = field(default_factory=dict)


def _key(entry: Decision) -> Key:
    """By what an entry is known again: its identifier, else date and title, else its title."""
    if entry.identifier:
        return ("id", plain_identifier(entry.identifier))
    title = " ".join(_WORD.findall(fold(entry.title)))
    return (entry.date, title) if entry.date else ("title", title)


def _body(entry: Decision, lines: list[str]) -> Counter[str]:
    """The words of an entry below its heading, without the lines that may change."""
    text = "\n".join(line for line in lines[entry.line : entry.end] if not _STATUS_TEXT.match(line))
    return Counter(_WORD.findall(fold(text)))


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n")


def _lost_lines(earlier: bytes, now: frozenset[bytes]) -> frozenset[bytes]:
    """The lines of an earlier content that are gone, but for those that may change below a heading."""
    return frozenset(
        line
        for line in {line.strip() for line in earlier.splitlines()} - now
        if line and (line.startswith(b"#") or not _STATUS.match(line))
    )


def _compare(log: DecisionFile, history: FileHistory, known: frozenset[Key], changes: Changes) -> None:
    """Add what ``history`` knows and the file no longer says."""
    file = next(one for one in log.files if one.path == history.path)
    now = frozenset(line.strip() for line in file.data.splitlines())
    present = {_key(entry): entry for entry in log.entries if entry.file == history.path}
    present_lines = _lines(file.data)
    seen: set[bytes] = set()
    for data in history.earlier:
        # Most contents lost no line, or only such as a later content lost as well: they need no reading.
        lost = _lost_lines(data, now)
        if lost <= seen:
            continue
        seen |= lost
        earlier = entries_of(data, history.path, log.kind)
        earlier_lines = _lines(data)
        newest = max((entry.date or "" for entry in earlier), default="")
        earlier_keys = {_key(entry) for entry in earlier}
        fresh = [entry for key, entry in present.items() if key not in earlier_keys]
        for entry in earlier:
            key = _key(entry)
            if key in changes.lost or key in changes.edited:
                continue
            same = present.get(key)
            if same and earlier_lines[entry.line : entry.end] == present_lines[same.line : same.end]:
                continue
            words = _body(entry, earlier_lines)
            if key in present:
                missing = words - _body(present[key], present_lines)
                # The newest entry is still being written.
                if missing and len(earlier) > 1 and (entry.date or "") < newest:
                    changes.edited[key] = (present[key], next(iter(missing)))
            elif key not in known:
                renamed = _renamed(entry, words, fresh, present_lines)
                if renamed is None:
                    changes.lost[key] = entry
                elif key != ("title", ""):
                    changes.edited[key] = (renamed, entry.title)


def _renamed(
    entry: Decision, words: Counter[str], fresh: list[Decision], lines: list[str]
) -> Decision | None:
    """The entry that is new under another title and says the same."""
    for one in fresh:
        if one.date != entry.date or not words:
            continue
        if (words & _body(one, lines)).total() >= RENAMED_SHARE * words.total():
            return one
    return None


def _changes(parsed: ParsedMemory) -> Changes | None:
    """What was lost or rewritten, None where no file has earlier contents; kept for the second rule."""
    if "decision changes" not in parsed.kept:
        parsed.kept["decision changes"] = _compared(parsed)
    found: Changes | None = parsed.kept["decision changes"]
    return found


def _compared(parsed: ParsedMemory) -> Changes | None:
    git = parsed.memory.git
    histories = {one.path: one for one in git.histories if one.earlier} if git is not None else {}
    pairs = [
        (log, histories[file.path])
        for log in parsed.decisions
        for file in log.files
        if file.path in histories
    ]
    if not pairs:
        return None
    # What moved to another file of decisions is not lost.
    known = frozenset(_key(entry) for log in parsed.decisions for entry in log.entries)
    changes = Changes()
    for log, history in pairs:
        _compare(log, history, known, changes)
    return changes


def _lost_records(parsed: ParsedMemory) -> Iterator[Decision]:
    """The ADRs that stood in a folder once and that nothing there, or in another log, goes on with."""
    git = parsed.memory.git
    present = [entry for log in parsed.decisions for entry in log.entries]
    texts = {file.path: _lines(file.data) for log in parsed.decisions for file in log.files}
    for folder in git.folders if git is not None else ():
        for name, data, beside in folder.gone:
            path = f"{folder.path}/{name}"
            for entry in entries_of(data, path, ADR) if is_record(name) else ():
                words = _body(entry, _lines(data))
                if not any(
                    _is_same(entry, one)
                    # One that stood beside it is not what it became, however much alike they are.
                    or (not _among(one, folder.path, beside) and _goes_on(words, one, texts[one.file]))
                    for one in present
                ):
                    yield entry


def _is_same(entry: Decision, other: Decision) -> bool:
    """Whether ``other`` is the same record: by number in its folder, else by title."""
    beside = posixpath.dirname(entry.file) == posixpath.dirname(other.file)
    if beside and _key(entry) == _key(other):
        return True
    title = _WORD.findall(fold(entry.title))
    return bool(title) and title == _WORD.findall(fold(other.title))


def _among(entry: Decision, folder: str, names: frozenset[str]) -> bool:
    above, _, name = entry.file.rpartition("/")
    return above == folder and name in names


def _goes_on(words: Counter[str], other: Decision, lines: list[str]) -> bool:
    """Whether ``other`` says most of the ``words``."""
    return bool(words) and (words & _body(other, lines)).total() >= RENAMED_SHARE * words.total()


def _shrunk(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    changes = _changes(parsed)
    asked = parsed.memory.git is not None and bool(parsed.memory.git.folders)
    if changes is None and not asked:
        return None
    logs = list(_lost(parsed, changes)) if changes is not None else []
    return [*logs, *_lost_of_folders(parsed)]


def _lost_of_folders(parsed: ParsedMemory) -> Iterator[Finding]:
    for entry in _lost_records(parsed):
        name = called(entry)
        message = f'"{name}" stood in an earlier commit, and its file is gone.'
        fix = f"Bring it back and mark it as superseded; git log -p -- {entry.file} shows it."
        folder = posixpath.dirname(entry.file)
        yield finding(parsed, demanded(parsed, ERROR), "d-shrunk", message, fix, file=folder, anchor=name)


def _lost(parsed: ParsedMemory, changes: Changes) -> Iterator[Finding]:
    for entry in changes.lost.values():
        name = called(entry)
        message = f'"{name}" stood in an earlier commit and is gone.'
        fix = f"Bring it back and mark it as superseded; git log -p -- {entry.file} shows it."
        yield finding(parsed, demanded(parsed, ERROR), "d-shrunk", message, fix, file=entry.file, anchor=name)


def _edited(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    changes = _changes(parsed)
    if changes is None:
        return None
    findings = []
    for entry, word in changes.edited.values():
        name = called(entry)
        message = f'"{name}" was rewritten after it had been followed by others: "{word[:40]}" is gone.'
        fix = f"Put the old text back and write a new entry that supersedes it; git log -p -- {entry.file}."
        findings.append(
            finding(
                parsed,
                demanded(parsed, WARNING),
                "d-edited",
                message,
                fix,
                file=entry.file,
                line=entry.line,
                anchor=name,
            )
        )
    return findings


RULES = (
    Rule("d-shrunk", CRITICAL, "No decision was deleted.", _shrunk),
    Rule("d-edited", MEDIUM, "No old decision was rewritten.", _edited),
)
