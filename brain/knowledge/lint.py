"""What is wrong with pages of knowledge, by rules alone: the codes of OpenClaw's memory-wiki, and one more.

``evidence-missing`` is ours: that what a claim rests on is still there, the file and the lines. How fresh a
page is comes from what it says of itself (``updatedAt``), never from the date of its file: below 30 days it
is fresh, below 90 aging, then stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date

from brain.knowledge.values import (
    AGING,
    ENTITY,
    FRESH,
    SOURCE,
    STALE,
    UNKNOWN,
    Claim,
    Evidence,
    Issue,
    Page,
)
from brain.value import dataclass
from brain.wording import plural

AGING_DAYS = 30
STALE_DAYS = 90
LEAST_CONFIDENCE = 0.5

Reached = Callable[[date, int], bool]
"""Whether so many days have passed since a day."""
LineCount = Callable[[str, str], "int | None"]
"""The lines of a file that a page (its path) names, None where there is none."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """All pages of one memory, and what can be asked about them."""

    pages: tuple[Page, ...]
    reached: Reached
    lines: LineCount


def lint(shelf: Shelf, code: str) -> list[Issue]:
    """The issues of one ``code`` of ``CODES``, ordered by page and line."""
    return sorted(_CHECKS[code](shelf), key=lambda one: (one.path, one.line, one.anchor))


def freshness(days: Iterable[str], reached: Reached) -> str:
    """How fresh what was last dated on one of ``days`` is; those that are no days do not count."""
    known = [day for one in days if (day := _day(one)) is not None]
    if not known:
        return UNKNOWN
    newest = max(known)
    return STALE if reached(newest, STALE_DAYS) else AGING if reached(newest, AGING_DAYS) else FRESH


def claim_days(page: Page, claim: Claim) -> tuple[str, ...]:
    """The days of a claim: its own and those of its evidence; where there is none, that of its page."""
    own = tuple(filter(None, (claim.updated, *(one.updated for one in claim.evidence))))
    return own or (page.updated,)


# -- structure -----------------------------------------------------------------------------------------------


def _invalid(shelf: Shelf) -> Iterator[Issue]:
    for page in shelf.pages:
        if page.complaint:
            yield Issue(
                "invalid-frontmatter",
                page.path,
                1,
                f"The front matter cannot be read: {page.complaint}.",
                "Write id, pageType, title and claims as YAML between two lines of ---.",
            )


def _missing(code: str, field: str, fix: str) -> Callable[[Shelf], Iterator[Issue]]:
    def check(shelf: Shelf) -> Iterator[Issue]:
        for page in _readable(shelf):
            if page.kind and not getattr(page, field):
                yield Issue(code, page.path, 1, f"The page has no {_WRITTEN[field]}.", fix)

    return check


_WRITTEN = {"id": "id", "type": "pageType", "title": "title"}


def _duplicate_ids(shelf: Shelf) -> Iterator[Issue]:
    first: dict[str, Page] = {}
    for page in _readable(shelf):
        if page.id and first.setdefault(page.id, page) is not page:
            yield Issue(
                "duplicate-id",
                page.path,
                1,
                f"The id {page.id} is that of {first[page.id].path} already.",
                "Give one of them another id, or merge them.",
            )


def _mismatches(shelf: Shelf) -> Iterator[Issue]:
    for page in _readable(shelf):
        if page.kind and page.type and page.type not in (page.kind, "report"):
            yield Issue(
                "page-type-mismatch",
                page.path,
                1,
                f"The page says it is a {page.type}, and stands among those of kind {page.kind}.",
                "Move it, or mend its pageType.",
            )


# -- where it comes from -------------------------------------------------------------------------------------


def _sourceless(shelf: Shelf) -> Iterator[Issue]:
    for page in _readable(shelf):
        if page.kind and page.kind != SOURCE and not page.sources:
            yield Issue(
                "missing-source-ids",
                page.path,
                1,
                "The page names no source.",
                "List in sourceIds the pages of sources that it rests on.",
            )


def _unproven_imports(shelf: Shelf) -> Iterator[Issue]:
    for page in _readable(shelf):
        if page.kind == SOURCE and page.is_import and not page.has_provenance:
            yield Issue(
                "missing-import-provenance",
                page.path,
                1,
                "The page was imported and does not say from where.",
                "Add sourcePath, sourceUrl or importedFrom.",
            )


def _without_evidence(shelf: Shelf) -> Iterator[Issue]:
    yield from _of_claims(
        shelf,
        "claim-missing-evidence",
        lambda _, claim: not claim.evidence,
        "without evidence",
        "Name for each the file and lines, or the source, that it rests on.",
    )


def _gone_evidence(shelf: Shelf) -> Iterator[Issue]:
    known = {page.id for page in shelf.pages if page.id}
    for page in _readable(shelf):
        for name in page.sources:
            if name not in known:
                yield Issue(
                    "evidence-missing",
                    page.path,
                    1,
                    f"The page rests on {_no_source(name)}.",
                    "Write that page, or mend sourceIds.",
                    name,
                )
        for claim in page.claims:
            for one in claim.evidence:
                for why in _gone(shelf, page, one, known):
                    yield Issue(
                        "evidence-missing",
                        page.path,
                        claim.line,
                        f'"{_short(claim)}" rests on {why}.',
                        "Point it to where that stands now, or take the claim back.",
                        f"{claim.id or claim.text[:60]}|{why}",
                    )


def _gone(shelf: Shelf, page: Page, one: Evidence, known: set[str]) -> Iterator[str]:
    """What of one piece of evidence is not there."""
    count = shelf.lines(page.path, one.path) if one.path else 0
    if count is None:
        yield f"{one.path}, which is not there"
    elif one.path and one.lines:
        first, last = one.lines
        if last > count or first < 1 or first > last:
            yield f"lines {first} to {last} of {one.path}, which has {plural(count, 'line')}"
    if one.source and one.source not in known:
        yield _no_source(one.source)


def _no_source(name: str) -> str:
    return f"the source {name}, which no page has for an id"


# -- links, contradictions, questions ------------------------------------------------------------------------


def _broken_links(shelf: Shelf) -> Iterator[Issue]:
    names: dict[str, Page] = {}
    for page in shelf.pages:
        stem = page.path.removesuffix(".md")
        slug = stem.rpartition("/")[2]
        for name in (page.title, page.id, slug, stem, *page.aliases):
            names.setdefault(_folded(name), page)
        for at, sign in enumerate(stem):
            if sign == "/":
                names.setdefault(_folded(stem[at + 1 :]), page)
    for page in shelf.pages:
        for link, line in page.links:
            target, _, fragment = link.partition("#")
            found = names.get(_folded(target.removesuffix(".md"))) if target.strip() else page
            if found is not None and (not fragment or _folded(fragment) in map(_folded, found.headings)):
                continue
            lacks = f"no heading {fragment}" if found is not None else "no such page"
            yield Issue(
                "broken-wikilink",
                page.path,
                line,
                f"The link to {link} leads nowhere: there is {lacks}.",
                "Mend the name, or write the page.",
                link,
            )


def _contradictions(shelf: Shelf) -> Iterator[Issue]:
    said: dict[str, list[Page]] = {}
    for page in _readable(shelf):
        for text in page.contradictions:
            said.setdefault(_folded(text), []).append(page)
    for text, pages in said.items():
        also = [page.path for page in pages[1:] if page is not pages[0]]
        original = next(one for one in pages[0].contradictions if _folded(one) == text)
        beside = f", as {', '.join(also)} {'does' if len(also) == 1 else 'do'}" if also else ""
        yield Issue(
            "contradiction-present",
            pages[0].path,
            1,
            f'The page notes a contradiction{beside}: "{original[:120]}".',
            "Decide which side holds, and mark the other claim as superseded.",
            text[:120],
        )


def _conflicts(shelf: Shelf) -> Iterator[Issue]:
    by_id: dict[str, list[tuple[Page, Claim]]] = {}
    for page in _readable(shelf):
        for claim in page.claims:
            if claim.id:
                by_id.setdefault(claim.id, []).append((page, claim))
    for name, entries in by_id.items():
        page, first = entries[0]
        other = next(
            (
                (there, claim)
                for there, claim in entries[1:]
                if (_folded(claim.text), claim.status) != (_folded(first.text), first.status)
            ),
            None,
        )
        if other is not None:
            there, claim = other
            what = (
                f'"{_short(first)}" here, "{_short(claim)}" in {there.path}'
                if _folded(claim.text) != _folded(first.text)
                else f"{first.status} here, {claim.status} in {there.path}"
            )
            yield Issue(
                "claim-conflict",
                page.path,
                first.line,
                f"The claim {name} says two things: {what}.",
                "Mend the one that is wrong, or give it an id of its own.",
                name,
            )


def _questions(shelf: Shelf) -> Iterator[Issue]:
    for page in _readable(shelf):
        if page.questions:
            yield Issue(
                "open-question",
                page.path,
                1,
                f'{plural(len(page.questions), "open question")}, the first: "{page.questions[0][:120]}".',
                "Answer it, or take it out.",
            )


# -- how much it can be relied on ----------------------------------------------------------------------------


def _doubtful_pages(shelf: Shelf) -> Iterator[Issue]:
    for page in _readable(shelf):
        if page.confidence is not None and page.confidence < LEAST_CONFIDENCE:
            yield Issue(
                "low-confidence",
                page.path,
                1,
                f"The page has a confidence of {page.confidence:g}, below {LEAST_CONFIDENCE:g}.",
                "Find better sources, or say in it what it is not good for.",
            )


def _doubtful_claims(shelf: Shelf) -> Iterator[Issue]:
    yield from _of_claims(
        shelf,
        "claim-low-confidence",
        lambda _, claim: claim.confidence is not None and claim.confidence < LEAST_CONFIDENCE,
        f"with a confidence below {LEAST_CONFIDENCE:g}",
        "Find better evidence, or take the claim back.",
    )


def _stale_pages(shelf: Shelf) -> Iterator[Issue]:
    """Only of entities and sources: concepts and syntheses are true for longer than a season."""
    for page in _readable(shelf):
        if page.kind in (ENTITY, SOURCE) and (
            (found := freshness((page.updated,), shelf.reached)) in (STALE, UNKNOWN)
        ):
            told = (
                f"was last updated on {page.updated}"
                if found == STALE
                else "does not say when it was updated"
            )
            yield Issue(
                "stale-page",
                page.path,
                1,
                f"The page {told}.",
                "Read it again, and set updatedAt to that day.",
            )


def _stale_claims(shelf: Shelf) -> Iterator[Issue]:
    yield from _of_claims(
        shelf,
        "stale-claim",
        lambda page, claim: freshness(claim_days(page, claim), shelf.reached) in (STALE, UNKNOWN),
        f"not looked at for {STALE_DAYS} days, or without a day",
        "Check them against their evidence, and set updatedAt to that day.",
    )


def _of_claims(
    shelf: Shelf, code: str, is_wrong: Callable[[Page, Claim], bool], what: str, fix: str
) -> Iterator[Issue]:
    """One issue for all such claims of a page."""
    for page in _readable(shelf):
        wrong = [claim for claim in page.claims if is_wrong(page, claim)]
        if wrong:
            message = f'{plural(len(wrong), "claim")} {what}, the first: "{_short(wrong[0])}".'
            yield Issue(code, page.path, wrong[0].line, message, fix)


def _readable(shelf: Shelf) -> list[Page]:
    return [page for page in shelf.pages if not page.complaint]


def _short(claim: Claim) -> str:
    return claim.text[:80] or claim.id


def _folded(text: str) -> str:
    return " ".join(text.casefold().replace("-", " ").replace("_", " ").split())


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


_CHECKS: dict[str, Callable[[Shelf], Iterable[Issue]]] = {
    "invalid-frontmatter": _invalid,
    "missing-id": _missing("missing-id", "id", "Give it an id that never changes, like entity.router."),
    "duplicate-id": _duplicate_ids,
    "missing-page-type": _missing(
        "missing-page-type", "type", "Say whether it is an entity, a concept, a synthesis or a source."
    ),
    "page-type-mismatch": _mismatches,
    "missing-title": _missing("missing-title", "title", "Give it a title that others can link to."),
    "missing-source-ids": _sourceless,
    "missing-import-provenance": _unproven_imports,
    "claim-missing-evidence": _without_evidence,
    "evidence-missing": _gone_evidence,
    "broken-wikilink": _broken_links,
    "contradiction-present": _contradictions,
    "claim-conflict": _conflicts,
    "open-question": _questions,
    "low-confidence": _doubtful_pages,
    "claim-low-confidence": _doubtful_claims,
    "stale-page": _stale_pages,
    "stale-claim": _stale_claims,
}

CODES: Sequence[str] = tuple(_CHECKS)
"""All of them, structure first."""

ERRORS = frozenset(
    {
        "invalid-frontmatter",
        "missing-id",
        "duplicate-id",
        "missing-page-type",
        "page-type-mismatch",
        "missing-title",
    }
)
"""Those without which a page cannot be found or told apart; all others are warnings."""
