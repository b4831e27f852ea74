"""What was searched and found, the state of the index, a part of a file: as text and as documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.wording import plural
from reports.document import Document, located
from reports.view import below_home, cells, safe_display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.search.excerpt import Excerpt
    from brain.search.keeping import State
    from brain.search.values import Found, Hit

COLUMNS = (
    *("file", "line", "score", "coverage", "confidence", "project", "class", "kind", "date", "status"),
    *("heading", "snippet"),
)
WIDTH = 80
_INDENT = "    "
_LINES = 3  # of a snippet
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_EDGES = "\"'`.,;:!?()[]{}<>*_…„“”«»"

# What a match is called in documents: the published words; ``why`` is finer.
_AS = {"spelling": "stem", "part": "compound", "phrase": "exact"}
_WHY = {
    "exact": "",
    "spelling": "another spelling",
    "stem": "the same stem",
    "compound": "part of a longer word",
    "part": "a part of it",
    "typo": "one or two letters differ",
    "phrase": "word by word",
}


WHY = {
    "missing": "there was none",
    "damaged": "it was damaged",
    "drift": "its parts did not agree",
    "version": "another version of zecher had made it",
    "engine": "SQLite has other means now",
    "half-built": "it was never finished",
    "forced": "you asked for it",
}
"""Why an index was made anew."""


def _file(path: str) -> Document:
    found = located(path)
    return {"file": found.pop("path"), **{key.replace("path", "file"): value for key, value in found.items()}}


# -- search -------------------------------------------------------------------------------------------------


def search_document(
    found: Found, names: Mapping[str, str], *, query: str, scope: str, stale: int, rebuilt: str
) -> Document:
    """``data`` of ``zecher.memory.search``; ``names`` are the projects by folder.

    An index that was not there at all is no rebuilt one: ``rebuilt`` is null then, as it is for a sound one.
    """
    return {
        "query": query,
        "scope": scope,
        "engine": found.engine,
        "stale": stale,
        "rebuilt": rebuilt if rebuilt not in ("", "missing") else None,
        "results": [_hit_document(hit, names) for hit in found.results],
        "total": found.total,
    }


def _hit_document(hit: Hit, names: Mapping[str, str]) -> Document:
    return {
        "project": names.get(hit.project) or (None if not hit.project else hit.project),
        "root": hit.root,
        **_file(hit.file),
        "line": hit.line,
        "line_end": hit.line_end,
        "heading": hit.heading,
        "kind": hit.kind,
        "class": hit.klass,
        "date": hit.date or None,
        "status": hit.status,
        "id": hit.event or None,
        "score": hit.score,
        "coverage": hit.coverage,
        "confidence": hit.confidence,
        "snippet": hit.snippet,
        "matched": [
            {"word": word, "as": _AS.get(why, why), "term": term, "why": why}
            for word, term, why in hit.matched
        ],
        "also": list(hit.also),
    }


def search_tsv(found: Found, names: Mapping[str, str], *, explain: bool = False) -> str:
    """A header line and one line a result, whole paths.

    ``explain`` adds the column ``matched``: ``word=term (why)`` for each word, ``; `` between two.
    """
    rows: list[Sequence[str]] = [(*COLUMNS, "matched") if explain else COLUMNS]
    rows.extend(
        (
            *(hit.file, str(hit.line), f"{hit.score:.3f}", f"{hit.coverage:.2f}", hit.confidence),
            *(names.get(hit.project, hit.project), hit.klass, hit.kind, hit.date, hit.status),
            *(hit.heading, hit.snippet),
            *((_matched(hit),) if explain else ()),
        )
        for hit in found.results
    )
    return "".join(
        "\t".join(safe_display(field.replace("\t", " ").replace("\n", " ")) for field in row) + "\n"
        for row in rows
    )


def _matched(hit: Hit) -> str:
    words = "; ".join(f"{word}={term} ({why})" for word, term, why in hit.matched)
    return words or "near in meaning"


def search_text(
    found: Found, names: Mapping[str, str], home: str, *, explain: bool, marks: bool, width: int = WIDTH
) -> str:
    """A block for each result: file and line, where it stands, the part that answers.

    ``marks`` shows the matched words in bold; with ``explain`` it is said why each of them matched.
    """
    lines: list[str] = []
    for hit in found.results:
        lines.append(f"{below_home(hit.file, home)}:{hit.line}")
        lines.append(_INDENT + _cut(" · ".join(filter(None, _facts(hit, names))), width - len(_INDENT)))
        terms = {term for _, found_term, _ in hit.matched for term in found_term.split()}
        snippet = _wrapped(hit.snippet, width - len(_INDENT))
        lines.extend(_INDENT + (_marked(line, terms) if marks else line) for line in snippet)
        if explain:
            lines.extend(_INDENT + _cut(line, width - len(_INDENT)) for line in _explained(hit))
        lines.extend(_INDENT + f"also {below_home(other, home)}" for other in hit.also)
    return "".join(f"{line}\n" for line in lines)


def _facts(hit: Hit, names: Mapping[str, str]) -> Sequence[str]:
    return (
        "low confidence" if hit.confidence == "low" else "",
        f"{hit.score:.2f}",
        safe_display(names.get(hit.project, hit.project)),
        hit.klass,
        hit.date,
        hit.status if hit.status != "active" else "",
        safe_display(hit.heading),
    )


def _explained(hit: Hit) -> Sequence[str]:
    lines = [f"{hit.coverage:.0%} of the question" + ("" if hit.matched else ", near in meaning")]
    for word, term, why in hit.matched:
        same = "" if why in ("exact", "phrase") else f" = {safe_display(term)}"
        lines.append(f"  {safe_display(word)}{same} ({_WHY.get(why) or why})")
    return lines


def _cut(text: str, width: int) -> str:
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text + "…"


def _wrapped(text: str, width: int) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in safe_display(text).split():
        if line and cells(line) + 1 + cells(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], _cut(lines[_LINES - 1] + " …", width)]
    return [_cut(one, width) for one in lines if one]


def _marked(line: str, terms: set[str]) -> str:
    from brain.search.analyser import terms as terms_of  # noqa: PLC0415 - start-up: only at a terminal

    words = []
    for word in line.split(" "):
        ordered, more = terms_of(word)
        if any(term in terms for term in (*ordered, *more)):
            bare = word.strip(_EDGES) or word
            at = word.find(bare)
            words.append(f"{word[:at]}{_BOLD}{bare}{_PLAIN}{word[at + len(bare) :]}")
        else:
            words.append(word)
    return " ".join(words)


def search_summary(found: Found) -> str:
    """How many there are, in one line."""
    if not found.results:
        return "nothing found"
    shown = len(found.results)
    return plural(shown, "result") if shown == found.total else f"{shown} of {found.total} results"


def search_notes(*, path: str, why_not: str, rebuilt: str, stale: int, engine: str) -> list[str]:
    """What people should know of the index that answered."""
    notes = []
    if why_not:
        notes.append(f"no search index can be kept in {path}: {why_not}; every note was read")
    elif rebuilt:
        notes.append(f"the search index was made: {WHY[rebuilt]}")
    if stale:
        notes.append(f"{plural(stale, 'file')} changed and not searched as they are now: zecher memory index")
    if engine.startswith("scan"):
        notes.append("this SQLite has no full-text search: every note is read")
    return notes


# -- the index ----------------------------------------------------------------------------------------------


def index_document(state: State) -> Document:
    """The state of the index; ``dirty`` where it is not as the files are."""
    done = state.done
    return {
        **located(state.path),
        "engine": state.engine or None,
        "files": state.files,
        "notes": state.notes,
        "bytes": state.size,
        "stale": done.stale,
        "dirty": done.stale > 0,
        "rebuilt": state.rebuilt or None,
        "integrity": state.integrity,
        "left_out": state.left_out,
        "added": done.added,
        "changed": done.changed,
        "removed": done.removed,
    }


def index_line(state: State) -> str:
    """The state of the index in one line."""
    stale = state.done.stale
    if state.why_not:
        return f"cannot be kept: {safe_display(state.why_not)}"
    if state.integrity == "missing":
        return f"none yet, {plural(stale, 'file')} to search: zecher memory index"
    parts = [
        f"{plural(state.notes, 'note')} of {plural(state.files, 'file')}",
        f"{stale:,} stale" if stale else "current",
        "sound" if state.integrity == "ok" else f"not sound: {state.integrity}",
        f"made: {WHY[state.rebuilt]}" if state.rebuilt else "",
        "without full-text search" if state.engine == "scan" else "",
        f"{state.left_out:,} left out (too large, too deep, or no text)" if state.left_out else "",
    ]
    return ", ".join(filter(None, parts))


# -- a part of a file ---------------------------------------------------------------------------------------


def excerpt_document(path: str, part: Excerpt) -> Document:
    """``data`` of ``zecher.memory.get``."""
    return {
        **_file(path),
        "from": part.first,
        "lines": part.lines,
        "total": part.total,
        "text": part.text,
        "truncated": part.truncated,
        "nextFrom": part.next_line,
        "notice": excerpt_notice(part) or None,
    }


def excerpt_notice(part: Excerpt) -> str:
    """What is missing, and how to get it; empty when nothing is."""
    if part.next_line is not None:
        return f"more from line {part.next_line} of {part.total}: --from {part.next_line}"
    if part.truncated:
        return f"line {part.first} is longer than what is given of a file at once, and was cut"
    return ""


def excerpt_text(part: Excerpt, *, terminal: bool) -> str:
    """The text itself; at a terminal every character that could do something there is written out."""
    if not part.lines:
        return ""
    if not terminal:
        return part.text + "\n"
    return "".join(f"{safe_display(line)}\n" for line in part.text.split("\n"))
