"""The last commits as a person sees them in a log."""

from __future__ import annotations

import re
from contextlib import suppress
from heapq import heappop, heappush

from scanner.history.source import Source, UnknownHistoryError
from scanner.history.values import RecentCommit

_STEPS = 500
_SUBJECT = 500
_TRAILER = re.compile(r"(?:[A-Za-z0-9-]+[ \t]*:|\(cherry picked from commit )")
_AUTHOR = re.compile(rb"^author ([^<\n]*)<", re.MULTILINE)
_ENCODING = re.compile(
    rb"^encoding (iso-?8859-1|latin-?1|windows-1252|cp1252)$", re.MULTILINE | re.IGNORECASE
)


def recent_commits(source: Source, count: int, *, no_merges: bool) -> tuple[RecentCommit, ...]:
    """What ``git log -COUNT`` lists from ``HEAD``, with ``--no-merges`` where that is asked for.

    Fewer where the history cannot be read further, or has more merges than are looked at.
    """
    head = source.head()
    found: list[RecentCommit] = []
    if head is None:
        return ()
    with suppress(UnknownHistoryError):
        heap = [(-source.commit(head).committer_time, 0, head)]
        seen = {head}
        for _ in range(_STEPS):
            if not heap or len(found) >= count:
                break
            oid = heappop(heap)[2]
            parents = source.parents(oid)
            if not no_merges or len(parents) < 2:
                found.append(_recent(source, oid))
            for parent in parents:
                if parent not in seen:
                    seen.add(parent)
                    heappush(heap, (-source.commit(parent).committer_time, len(seen), parent))
    return tuple(found)


def _recent(source: Source, oid: str) -> RecentCommit:
    raw = source.raw_commit(oid)
    header, _, message = raw.partition(b"\n\n")
    encoding = "cp1252" if _ENCODING.search(header) else "utf-8"
    author = _AUTHOR.search(header)
    subject, body = split_message(message.decode(encoding, "replace"))
    return RecentCommit(
        oid,
        source.commit(oid).committer_time,
        subject[:_SUBJECT],
        bool(body),
        author[1].decode(encoding, "replace").strip() if author else "",
    )


def split_message(message: str) -> tuple[str, str]:
    """The subject of a commit message (its first paragraph in one line) and its body without trailers.

    git-interpret-trailers(1): trailers are the last paragraph, if all its lines are such or go on with one.
    """
    lines = [line.rstrip() for line in message.strip("\n").split("\n")]
    while lines and not lines[0]:
        del lines[0]
    end = lines.index("") if "" in lines else len(lines)
    paragraphs = [part for part in "\n".join(lines[end:]).split("\n\n") if part.strip()]
    if paragraphs and _are_trailers(paragraphs[-1].strip("\n").split("\n")):
        paragraphs.pop()
    return " ".join(line.strip() for line in lines[:end]), "\n\n".join(
        part.strip("\n") for part in paragraphs
    )


def _are_trailers(lines: list[str]) -> bool:
    return bool(_TRAILER.match(lines[0])) and all(
        _TRAILER.match(line) or line[:1] in (" ", "\t") for line in lines
    )
