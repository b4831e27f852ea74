"""Which decision replaced which: rules ``d-super-*``."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from brain.health.finding import demanded, finding
from brain.health.values import CRITICAL, ERROR, INFO, LOW, MEDIUM, WARNING, Finding, Rule
from brain.health.words import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.decision_values import Decision
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

_IDENTIFIER = re.compile(r"\b([a-z]{1,5})[-_ ]?0*(\d{1,5})\b")
# A manner of counting that only this log has, E-4 or SEC-12, known where it is cited.
_OWN_NUMBER = re.compile(r"([a-z]{1,5})-0*(\d{1,5})\b")
_NUMBER = re.compile(r"#?0*(\d{1,5})\b")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_URL = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


def plain_identifier(identifier: str) -> str:
    """An identifier without what people write in different ways: ``D-005`` and ``D5`` are one."""
    folded = fold(identifier).strip()
    match = _IDENTIFIER.fullmatch(folded) or None
    if match:
        return f"{match[1]}-{match[2]}"
    return folded.lstrip("0") or folded


def called(entry: Decision) -> str:
    """What a person calls a decision: its identifier or day, and its title."""
    return " ".join(part for part in (entry.identifier or entry.date, entry.title) if part)[:80]


def _plain_title(title: str) -> str:
    return " ".join(_WORD.findall(fold(title)))


class Index:
    """All decisions of a memory by what they are called."""

    def __init__(self, entries: Iterable[Decision]) -> None:
        self.names: dict[str, list[Decision]] = {}
        self.titles: dict[str, Decision] = {}
        for entry in entries:
            for name in self._names(entry):
                self.names.setdefault(name, []).append(entry)
            if title := _plain_title(entry.title):
                self.titles.setdefault(title, entry)

    @staticmethod
    def _names(entry: Decision) -> Iterator[str]:
        if entry.identifier:
            plain = plain_identifier(entry.identifier)
            yield plain
            if plain.isdigit():
                yield f"adr-{plain}"
            elif plain.startswith("adr-"):
                yield plain.removeprefix("adr-")
        elif own := _OWN_NUMBER.match(fold(entry.title)):
            yield f"{own[1]}-{own[2]}"
        if entry.date:
            yield entry.date
        name = posixpath.basename(entry.file).casefold()
        yield name
        yield posixpath.splitext(name)[0]

    def find(self, target: str, source: Decision) -> Decision | None:
        """The decision that ``target`` names in ``source``, one of its own file first."""
        for name in _candidates(target):
            found = [one for one in self.names.get(name, ()) if one is not source]
            if found:
                return next((one for one in found if _near(one, source)), found[0])
        title = _plain_title(re.sub(r"^[#\W]*(?:\d{1,5}[.:)\s]+)?", "", target))
        if title in self.titles and self.titles[title] is not source:
            return self.titles[title]
        if len(title) >= 12:
            for known, entry in self.titles.items():
                if entry is not source and (known in title or title in known) and len(known) >= 12:
                    return entry
        return None


def _near(one: Decision, other: Decision) -> bool:
    return one.file == other.file or posixpath.dirname(one.file) == posixpath.dirname(other.file) != ""


def _candidates(target: str) -> Iterator[str]:
    """The names that a reference may mean, the most telling first."""
    folded = fold(target).strip(" \t\"'`[]()<>.,;")
    path = folded.split("#", 1)[0]
    if path.endswith((".md", ".txt", ".adoc")) or "/" in path:
        yield posixpath.basename(path)
        return
    if fragment := folded.partition("#")[2]:
        folded = fragment
    yield folded
    yield from (f"{prefix}-{number}" for prefix, number in _IDENTIFIER.findall(folded))
    yield from _DATE.findall(folded)
    if match := _NUMBER.match(folded):
        yield match[1]


def index_of(parsed: ParsedMemory) -> Index:
    """The decisions of a memory by name; kept for the rules that follow."""
    if "decision index" not in parsed.kept:
        parsed.kept["decision index"] = Index(entry for log in parsed.decisions for entry in log.entries)
    found: Index = parsed.kept["decision index"]
    return found


def _replaced(parsed: ParsedMemory) -> Iterator[tuple[Decision, str, Decision | None]]:
    """Every decision that names what replaced it, the name, and what that leads to."""
    for log in parsed.decisions:
        for entry in log.entries:
            for target in entry.superseded_by:
                yield entry, target, index_of(parsed).find(target, entry)


def _leads_elsewhere(parsed: ParsedMemory, entry: Decision, target: str) -> bool:
    """Whether a target is no decision of this memory but an address or a file."""
    if _URL.match(target) or not target.strip(" .-{}[]<>"):
        return True
    path = posixpath.normpath(posixpath.join(posixpath.dirname(entry.file), target.split("#", 1)[0]))
    return bool(parsed.exists(path))


def _dangling(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    replaced = list(_replaced(parsed))
    if not replaced:
        return None
    return [
        finding(
            parsed,
            demanded(parsed, WARNING),
            "d-super-dangling",
            f'"{called(entry)}" is superseded by {target[:80]}, which is not here.',
            "Name the entry that took over as it is called, or write it.",
            file=entry.file,
            line=entry.line,
            anchor=called(entry),
        )
        for entry, target, found in replaced
        if found is None and not _leads_elsewhere(parsed, entry, target)
    ]


def _oneway(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    pairs = [(entry, found) for entry, _, found in _replaced(parsed) if found is not None]
    if not pairs:
        return None
    index = index_of(parsed)
    findings = []
    for old, new in pairs:
        if any(index.find(target, new) is old for target in new.supersedes) or _names(parsed, new, old):
            continue
        message = f'"{called(new)}" does not say that it replaced "{called(old)}".'
        fix = f"Add to it: Supersedes: {old.identifier or old.date or old.title}."
        findings.append(
            finding(
                parsed,
                INFO,
                "d-super-oneway",
                message,
                fix,
                file=new.file,
                line=new.line,
                anchor=called(old),
            )
        )
    return findings


def _names(parsed: ParsedMemory, entry: Decision, other: Decision) -> bool:
    """Whether the text of ``entry`` mentions ``other``."""
    file = next((one for log in parsed.decisions for one in log.files if one.path == entry.file), None)
    if file is None:
        return False
    text = fold("\n".join(parsed.page(file).lines[entry.line : entry.end + 1]))
    if other.identifier and not other.identifier.isdigit():
        return re.search(rf"\b{re.escape(fold(other.identifier))}\b", text) is not None
    if not other.identifier and (own := _OWN_NUMBER.match(fold(other.title))):
        return own[0] in text
    if other.file != entry.file:
        return posixpath.basename(other.file).casefold() in text
    return len(other.title) >= 8 and fold(other.title) in text


def _cycle(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    following = {id(entry): (entry, found) for entry, _, found in _replaced(parsed) if found is not None}
    if not following:
        return None
    done: set[int] = set()
    findings = []
    for start in following:
        path: list[int] = []
        place = start
        while place in following and place not in done and place not in path:
            path.append(place)
            place = id(following[place][1])
        if place in path:
            ring = [following[one][0] for one in path[path.index(place) :]]
            names = " -> ".join(called(one)[:40] for one in (*ring, ring[0]))
            message = f"Decisions supersede one another in a ring: {names}."
            fix = "Decide which of them holds, and take its mark away."
            first = ring[0]
            findings.append(
                finding(
                    parsed,
                    demanded(parsed, ERROR),
                    "d-super-cycle",
                    message,
                    fix,
                    file=first.file,
                    line=first.line,
                    anchor=min(called(one) for one in ring),
                )
            )
        done.update(path)
    return findings


RULES = (
    Rule("d-super-dangling", MEDIUM, "What superseded a decision can be found.", _dangling),
    Rule("d-super-oneway", LOW, "A decision names what it replaced.", _oneway),
    Rule("d-super-cycle", CRITICAL, "Decisions do not supersede one another in a ring.", _cycle),
)
