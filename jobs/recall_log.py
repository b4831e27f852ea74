"""Which daily notes were looked up: ``recall.jsonl`` in the state folder, kept only where somebody wants it.

One line of compact JSON for each daily note that a search or a recall showed: ``at, day, query, root, path,
line, line_end, score, claims``. ``query`` is a digest, never the question itself; ``score`` the share of it
that the lines answer; ``claims`` are the ids of what they say, so that it counts wherever they move to.

With ``[dreaming] recall_log = false``, the default, no search leaves anything. No search is the worse for its
lines.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress

from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from brain.bundle.packing import Packed
    from brain.dreaming.values import Recall
    from brain.search.values import Found, Query

NAME, OLD_NAME, LOCK = "recall.jsonl", "recall.1.jsonl", "recall.lock"
FILE_CAP = 4 * 1024 * 1024
"""Bytes of one file; a full one is put aside in place of the one before."""

_HITS = 10
_CLAIMS = 20
_LINE_CAP = 4 * 1024
_DATED = re.compile(r"(?:memory|memory/.+)/\d{4}-\d\d-\d\d(?:[-_][^/]*)?\.md")
_ID = re.compile(r"[0-9a-f]{12}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines that a search showed: the file (absolute), from and to which line.

    ``score`` is the share of the question that they answer, not how well they stand among other hits: that
    depends on how much else there is.
    """

    file: str
    line: int
    line_end: int
    score: float


@dataclass(frozen=True, slots=True)
class Recalls:
    """What the log knows of one workspace, by the id of the claim; ``damaged`` lines were left out."""

    by_claim: Mapping[str, tuple[Recall, ...]]
    lines: int = 0
    damaged: int = 0


def note_found(folder: str, query: Query, found: Found) -> None:
    """A search: its first hits; never raises."""
    for root in dict.fromkeys(hit.root for hit in found.results[:_HITS]):
        hits = [hit for hit in found.results[:_HITS] if hit.root == root]
        shown = [Shown(hit.file, hit.line, hit.line_end, hit.coverage) for hit in hits]
        note(folder, root, query.text, shown, now=query.now or 0.0)


def note_packed(folder: str, query: str, packed: Sequence[Packed], *, now: float) -> None:
    """A bundle of notes: those that the question itself found; never raises."""
    for one in packed[:_HITS]:
        if not one.note.hop:
            root = one.note.project or one.note.file.partition("/memory/")[0]
            end = min(one.note.line_end, one.line + one.text.count("\n"))
            shown = Shown(one.note.file, one.line, end, _coverage(query, one.note.terms))
            note(folder, root, query, [shown], now=now)


def _coverage(query: str, terms: frozenset[str]) -> float:
    """The share of the words of a question that a note holds."""
    from brain.search.analyser import asked  # noqa: PLC0415 - start-up: only where the log is kept

    words = [group for group in asked(query).groups if group.kind in ("word", "whole")]
    return sum(word.term in terms for word in words) / len(words) if words else 0.0


def note(folder: str, root: str, query: str, shown: Iterable[Shown], *, now: float) -> None:
    """Add a line for each daily note among ``shown`` that belongs to the workspace ``root``.

    ``folder`` is the state folder, empty where nothing is to be noted. Never raises, whatever the disk says.
    """
    if not folder:
        return
    with suppress(Exception):
        lines = [line for one in list(shown)[:_HITS] for line in _lines(root, query, one, now)]
        if lines:
            _add(folder, lines)


def read_recalls(folder: str, root: str) -> Recalls:
    """What was looked up in the workspace ``root`` (its real path), by the log in ``folder``.

    A question that was asked several times a day counts once.
    """
    from brain.files.errors import MemError  # noqa: PLC0415 - start-up: a search needs none of it
    from brain.files.ledger import read_ledger  # noqa: PLC0415 - as above

    found: dict[str, dict[tuple[str, str], Recall]] = {}
    count = damaged = 0
    for name in (OLD_NAME, NAME):
        try:
            ledger = read_ledger(os.path.join(folder, name), FILE_CAP + _LINE_CAP)
        except MemError:
            damaged += 1
            continue
        damaged += len(ledger.damaged)
        for _, record in ledger.lines:
            if record.get("root") != root:
                continue
            recall = _recall(record)
            claims = record.get("claims")
            if recall is None or not isinstance(claims, list):
                damaged += 1
                continue
            count += 1
            for claim in claims[:_CLAIMS]:
                if isinstance(claim, str) and _ID.fullmatch(claim):
                    of_claim = found.setdefault(claim, {})
                    earlier = of_claim.get((recall.query, recall.day))
                    if earlier is None or earlier.score < recall.score:
                        of_claim[recall.query, recall.day] = recall
    ordered = {
        claim: tuple(of_claim[key] for key in sorted(of_claim, key=lambda one: (one[1], one[0])))
        for claim, of_claim in sorted(found.items())
    }
    return Recalls(ordered, count, damaged)


def is_sound(record: Mapping[str, object]) -> bool:
    """Whether a line of the log makes sense."""
    texts = all(isinstance(record.get(key), str) for key in ("root", "path"))
    return texts and isinstance(record.get("claims"), list) and _recall(record) is not None


def query_digest(text: str) -> str:
    """What stands in the log for a question: upper and lower case and blanks make no other."""
    from hashlib import sha256  # noqa: PLC0415 - start-up: only where the log is kept

    return sha256(" ".join(text.casefold().split()).encode("utf-8", "replace")).hexdigest()[:12]


def _recall(record: Mapping[str, object]) -> Recall | None:
    from brain.dreaming.values import Recall  # noqa: PLC0415 - as above

    query, day, score = record.get("query"), record.get("day"), record.get("score")
    if not isinstance(query, str) or not _ID.fullmatch(query):
        return None
    if not isinstance(day, str) or not _DAY.fullmatch(day):
        return None
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        return None
    return Recall(query, day, float(score))


def _lines(root: str, query: str, shown: Shown, now: float) -> Sequence[bytes]:
    import json  # noqa: PLC0415 - start-up: only where the log is kept

    from brain.times import iso_time  # noqa: PLC0415 - as above
    from jobs.machine import local_day  # noqa: PLC0415 - as above

    prefix = root.rstrip(os.sep) + os.sep
    if not shown.file.startswith(prefix):
        return ()
    path = shown.file[len(prefix) :].replace(os.sep, "/")
    if not _DATED.fullmatch(path):
        return ()
    record = {
        "at": iso_time(now),
        "day": local_day(now),
        "query": query_digest(query),
        "root": root,
        "path": path,
        "line": shown.line,
        "line_end": shown.line_end,
        "score": round(min(1.0, max(0.0, shown.score)), 4),
        "claims": _claims(root, path, shown),
    }
    data = json.dumps(record).encode() + b"\n"
    return (data,) if len(data) <= _LINE_CAP else ()


def _claims(root: str, path: str, shown: Shown) -> list[str]:
    """The ids of what the lines that were shown say."""
    from brain.dreaming.cues import standard_cues  # noqa: PLC0415 - as above
    from brain.dreaming.extract import extract  # noqa: PLC0415 - as above
    from brain.dreaming.notes import FILE_CAP as NOTE_CAP  # noqa: PLC0415 - as above
    from brain.files.links import refuse_links  # noqa: PLC0415 - as above
    from brain.files.reading import read_seen  # noqa: PLC0415 - as above

    data = read_seen(refuse_links(root, path), NOTE_CAP).data or b""
    lines = extract(data, standard_cues()).lines
    return [one.id for one in lines if shown.line <= one.line <= shown.line_end][:_CLAIMS]


def _add(folder: str, lines: Sequence[bytes]) -> None:
    from brain.files.append import append_line  # noqa: PLC0415 - as above
    from brain.files.lock import BrainLock  # noqa: PLC0415 - as above

    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, NAME)
    with BrainLock(os.path.join(folder, LOCK), wait=0.5):
        with suppress(OSError):
            if os.lstat(path).st_size + sum(map(len, lines)) > FILE_CAP:
                os.replace(path, os.path.join(folder, OLD_NAME))
        for line in lines:
            append_line(path, line.rstrip(b"\n"), cap=FILE_CAP, repair=True)
