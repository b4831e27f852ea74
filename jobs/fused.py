"""``mem recall --ranking fused``: the answers of the search index in the published shape of a recall."""

from __future__ import annotations

import os

from brain.files.ledger import parse_ledger
from brain.files.reading import UnreadableError, read_seen
from brain.recall.hits import Hit, Recalled
from brain.recall.lexical import Score
from brain.search.sources import FILE_CAP
from brain.search.values import Query
from jobs import memory_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.search.values import Hit as Found
    from jobs.memory_index import Answer
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed

RANKING = "fused"


def recall_fused(
    typed: Typed,
    surroundings: Surroundings,
    *,
    project: str,
    named: str,
    query: str,
    scope: str,
    limit: int,
) -> tuple[Recalled, Answer]:
    """What the index finds for ``query``, and the answer that it was made of.

    ``scope`` is project or portfolio, ``limit`` from 1 to 1000.
    """
    settings = memory_index.index_settings(typed, surroundings, project=project, named=named)
    asked = Query(query, scope=scope, project=project, limit=limit, now=settings.now)
    answer = memory_index.ask(settings, asked)
    events = _Events()
    hits = [_hit(one, project, events) for one in answer.found.results]
    if scope == memory_index.PORTFOLIO_SCOPE:
        for hit, one in zip(hits, answer.found.results, strict=True):
            hit.project = answer.names.get(one.project, one.project) or "brain"
    return Recalled(query, scope, RANKING, hits, limit=limit), answer


def _hit(found: Found, project: str, events: _Events) -> Hit:
    heading = found.heading.rpartition(" > ")[2]
    name = os.path.basename(found.file)
    words = len(found.matched)
    hit = Hit(
        "event" if found.kind == "journal" else "note",
        Score(found.score, hits=float(words), matched=words, length=len(found.body.split())),
        source=name,
        source_file=os.path.relpath(found.file, project).replace(os.sep, "/"),
        line=found.line,
        ref=found.event if found.kind == "journal" else heading,
        text=found.body if found.kind == "journal" or not heading else f"{heading}\n{found.body}".rstrip(),
        query_tokens=max(1, words),
    )
    hit.fused = {
        "score": found.score,
        "coverage": found.coverage,
        "confidence": found.confidence,
        "matched": [{"word": word, "term": term, "why": why} for word, term, why in found.matched],
    }
    if found.kind == "journal":
        hit.event = events.of(found.file, found.line)
    return hit


class _Events:
    """The events of journals by file and line, each file read once."""

    def __init__(self) -> None:
        self._read: dict[str, dict[int, dict[str, object]]] = {}

    def of(self, file: str, line: int) -> dict[str, object] | None:
        if file not in self._read:
            try:
                data = read_seen(file, FILE_CAP).data or b""
            except UnreadableError:
                data = b""
            self._read[file] = dict(parse_ledger(data).lines)
        event = self._read[file].get(line)
        return None if event is None else {name: _without_secrets(value) for name, value in event.items()}


def _without_secrets(value: object) -> object:
    """The same value, marks in place of secrets in its texts."""
    from brain.secrets import redact  # noqa: PLC0415 - start-up: 10 ms, only where an event was found

    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, list):
        return [_without_secrets(one) for one in value]
    if isinstance(value, dict):
        return {name: _without_secrets(one) for name, one in value.items()}
    return value


__all__ = ["RANKING", "recall_fused"]
