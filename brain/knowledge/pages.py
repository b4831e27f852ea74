"""Reads one page of knowledge: front matter in the form of OpenClaw's memory-wiki, and a Markdown text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from brain.entries.front_matter import FRONT_MATTER_CAP, Value, closing_line, read_front_matter
from brain.entries.lines import LIVE, classify, split
from brain.knowledge.values import KINDS, Claim, Evidence, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.entries.lines import Line

MARKS = (b"claims:", b"pageType:")
"""One of these stands in the front matter of what is a page, wherever it stands."""

_BOM = b"\xef\xbb\xbf"
_CLAIMS = 2_000
_TEXT = 2_000
_LINK = re.compile(r"\[\[([^\[\]\n]{1,300})\]\]")
_TICKS = re.compile(r"`+")
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ].*)?")
_LINES = re.compile(r"L?(\d{1,9})(?:\s*[-\u2013]\s*L?(\d{1,9}))?")
_PROVENANCE = ("sourcePath", "sourceUrl", "importedFrom", "url", "path", "origin")
_IMPORTS = ("importedAt", "importedFrom", "importId")


def kind_of(path: str) -> str:
    """The kind of a page at ``path`` by the folder it stands in, empty for no folder of pages."""
    folders = path.split("/")[:-1]
    return next((KINDS[name] for name in reversed(folders) if name in KINDS), "")


def says_it_is_a_page(data: bytes) -> bool:
    """Whether a file with this content is a page wherever it stands: its front matter says so."""
    if not data.startswith((b"---", _BOM + b"---")):
        return False
    head = data[:FRONT_MATTER_CAP]
    return any(mark in head for mark in MARKS)


def read_page(path: str, data: bytes) -> Page:
    """The page in ``data``; never raises for what stands there."""
    lines = split(data, len(_BOM) if data.startswith(_BOM) else 0)
    kind = kind_of(path)
    end = closing_line(lines)
    body = lines[end + 1 :] if end is not None else lines
    classify(body)
    links, headings = _links(body), _headings(body)
    if end is None:
        complaint = "it has none" if kind else ""
        return Page(path, kind, links=links, headings=headings, complaint=complaint)
    span = (lines[0].start, lines[end].stop)
    front = read_front_matter(data, span, (lines[0].stop, lines[end].start))
    if front.complaint or front.duplicates:
        twice = f"{front.duplicates[0]} stands twice" if front.duplicates else ""
        return Page(path, kind, links=links, headings=headings, complaint=front.complaint or twice)
    values = front.values
    return Page(
        path,
        kind,
        id=front.text("id").strip(),
        type=front.text("pageType").strip(),
        title=front.text("title").strip(),
        updated=_day(front.text("updatedAt")),
        sources=_texts(values.get("sourceIds")),
        aliases=_texts(values.get("aliases")),
        questions=_texts(values.get("questions")),
        contradictions=_texts(values.get("contradictions")),
        confidence=_number(front.text("confidence")),
        is_import=any(key in values for key in _IMPORTS) or front.text("sourceType").startswith("import"),
        has_provenance=any(front.text(key) for key in _PROVENANCE),
        claims=_claims(values.get("claims"), lines[: end + 1]),
        links=links,
        headings=headings,
    )


def _claims(value: Value | None, front: list[Line]) -> tuple[Claim, ...]:
    if not isinstance(value, list):
        return ()
    found = []
    for one in value[:_CLAIMS]:
        claim: Value = {"text": one} if isinstance(one, str) else one
        if not isinstance(claim, dict):
            continue
        name, text = _text(claim, "id"), " ".join(_text(claim, "text").split())[:_TEXT]
        found.append(
            Claim(
                name,
                text,
                _text(claim, "status") or "supported",
                _number(_text(claim, "confidence")),
                _day(_text(claim, "updatedAt")),
                _evidence(claim.get("evidence")),
                _line_of(front, name, text),
            )
        )
    return tuple(found)


def _evidence(value: Value | None) -> tuple[Evidence, ...]:
    if not isinstance(value, list):
        return ()
    found = []
    for one in value[:_CLAIMS]:
        given: Value = {"path": one} if isinstance(one, str) else one
        if isinstance(given, dict):
            path, _, fragment = _text(given, "path").partition("#")
            lines = _line_range(_text(given, "lines") or fragment)
            found.append(Evidence(path, lines, _text(given, "sourceId"), _day(_text(given, "updatedAt"))))
    return tuple(one for one in found if one.path or one.source)


def _line_range(text: str) -> tuple[int, int] | None:
    match = _LINES.fullmatch(text.strip())
    if match is None:
        return None
    first = int(match[1])
    return first, int(match[2] or first)


def _line_of(front: list[Line], name: str, text: str) -> int:
    """Where in the front matter a claim stands: its id as it was written, else the beginning of its text."""
    for wanted in (name, text[:40]):
        for number, line in enumerate(front, 1):
            if wanted and wanted in line.text:
                return number
    return 0


def _links(body: Iterable[Line]) -> tuple[tuple[str, int], ...]:
    """The targets of ``[[...]]`` in live text; what stands in code is none."""
    found = []
    for line in body:
        if line.kind == LIVE and "[[" in line.text:
            text = _without_code(line.text)
            found += [(match[1].partition("|")[0].strip(), line.number) for match in _LINK.finditer(text)]
    return tuple(found)


def _without_code(text: str) -> str:
    """A line without its code spans; each run of backticks is closed by the next one as long."""
    if "`" not in text:
        return text
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(text)]
    closing: dict[int, int] = {}  # the next run of each length, seen from behind
    ends = [0] * len(runs)
    for at in range(len(runs) - 1, -1, -1):
        start, end = runs[at]
        ends[at] = closing.get(end - start, -1)
        closing[end - start] = at
    kept, position, at = [], 0, 0
    while at < len(runs):
        if ends[at] < 0:
            at += 1
            continue
        kept.append(text[position : runs[at][0]])
        position, at = runs[ends[at]][1], ends[at] + 1
    return "".join(kept) + text[position:]


def _headings(body: Iterable[Line]) -> frozenset[str]:
    titles = [line.text for line in body if line.kind == LIVE and line.text.startswith("#")]
    return frozenset(title.lstrip("# ").strip().casefold() for title in titles)


def _text(mapping: dict[str, Value], key: str) -> str:
    value = mapping.get(key)
    return value.strip() if isinstance(value, str) else ""


def _texts(value: Value | None) -> tuple[str, ...]:
    """The words of a list, or one word; of a mapping in it, its ``text`` or ``question``."""
    if isinstance(value, str):
        return (value.strip(),) if value.strip() else ()
    if not isinstance(value, list):
        return ()
    found = []
    for one in value[:_CLAIMS]:
        text = _text(one, "text") or _text(one, "question") if isinstance(one, dict) else one
        if isinstance(text, str) and text.strip():
            found.append(" ".join(text.split())[:_TEXT])
    return tuple(found)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def _day(text: str) -> str:
    match = _DAY.fullmatch(text.strip())
    return match[1] if match else ""
