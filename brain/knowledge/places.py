"""Where the files may stand that a page rests on: paths begin at the project, the page, or its wiki."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from brain.knowledge.values import KINDS, Page

ELSEWHERE = 2**63 - 1
"""More lines than anybody asks for: of what does not stand in the project, nothing is known."""


def places_of(pages: Iterable[Page]) -> Iterator[str]:
    """Every relative path at which something that the ``pages`` rest on may stand."""
    for page in pages:
        for claim in page.claims:
            for one in claim.evidence:
                yield from places(page.path, one.path)


def places(page: str, written: str) -> tuple[str, ...]:
    """The places that ``written`` in the page at ``page`` may mean, all inside the project; empty for others.

    An address or an absolute path is no place in the project.
    """
    if not written or "\0" in written or ":" in written or written.startswith(("/", "~")):
        return ()
    folder = posixpath.dirname(page)
    wiki = posixpath.dirname(folder) if posixpath.basename(folder) in KINDS else folder
    found = (posixpath.normpath(posixpath.join(base, written)) for base in ("", folder, wiki))
    return tuple(dict.fromkeys(one for one in found if not one.startswith("..")))


def count_of(lines: Mapping[str, int | None], page: str, written: str) -> int | None:
    """The number of lines of what ``written`` means, by ``lines`` of its places; None where it is nowhere."""
    asked = [one for one in places(page, written) if one in lines]
    if not asked:
        return ELSEWHERE
    return next((count for one in asked if (count := lines[one]) is not None), None)
