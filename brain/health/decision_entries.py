"""Finds the entries of a page of decisions, in each of the shapes that were met.

A heading opens an entry when it begins with a date or an identifier, or when a decision, its reason or what
was rejected is told below it; a number alone opens none. A row of a table is one where a column has the
decision. Of a file without any such, dated lines below "Decision" are, else its sections together are one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from brain.health.dates import find_date, leading_date
from brain.health.decision_names import Name, named, opens_entry, read_name, replaced_by, replaces
from brain.health.decision_values import ADR, FIELDS, LOG, TABLE, Decision
from brain.health.fields import begins_with_words, entry_field, is_placeholder, status_of
from brain.health.handover import Fact, bare_line
from brain.health.words import fold, words
from brain.value import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from brain.health.page import Heading, Label, Page, Table

_TELLING = frozenset(("decision", "rationale", "rejected"))
_TEXT_CAP = 2000
_MOST = 5000
_BECAUSE = (
    "because", "since ", "so that", "in order to", "due to", "to avoid", "reason", "weil", "denn ", " da ",
    "damit",
    "grund", "um ", "wegen", "parce que", "car ", "puisque", "afin de", "pour eviter", "cinku", "icin",
)  # fmt: skip


@dataclass(slots=True)
class _Draft:
    """An entry on its way: its lines, its name, and what was found below."""

    page: Page
    line: int
    end: int
    name: Name
    kind: str
    fields: dict[str, Fact] = field(default_factory=dict)
    status: str = ""
    date: str | None = None
    superseded_by: list[str] = field(default_factory=list)
    supersedes: list[str] = field(default_factory=list)
    prose: list[tuple[int, str]] = field(default_factory=list)
    has_rejected_heading: bool = False

    def take(self, name: str, line: int, text: str) -> None:
        """Note what a label or a section below the field ``name`` says."""
        if name == "status":
            self._take_status(text)
        elif name == "date":
            self.date = self.date or _date_of(text, self.kind)
        elif name == "superseded_by":
            self.superseded_by += named(text)
        elif name == "supersedes":
            self.supersedes += named(text) if name_says(text) else ()
        elif name in FIELDS and name_says(text) and name not in self.fields:
            self.fields[name] = Fact(text[:_TEXT_CAP], self.page.path, line)
        self.has_rejected_heading |= name == "rejected"

    def _take_status(self, text: str) -> None:
        for line in text.split("\n"):
            bare = bare_line(line)
            by, old = replaced_by(bare), replaces(bare)
            self.superseded_by += by
            self.supersedes += old
            if by:
                self.status = "superseded"
            elif not old and not self.status and not is_placeholder(bare):
                self.status = status_of(bare)[0]

    def decision(self) -> Decision:
        """The finished entry."""
        page, name = self.page, self.name
        if not _TELLING & self.fields.keys() and "decision" not in self.fields:
            self._read_prose()
        by = tuple(dict.fromkeys((*name.superseded_by, *self.superseded_by)))
        return Decision(
            file=page.path,
            line=self.line,
            end=self.end,
            identifier=name.identifier,
            date=name.date or self.date,
            title=name.title,
            status=name.status or self.status or ("superseded" if by else ""),
            superseded_by=by,
            supersedes=tuple(dict.fromkeys(self.supersedes)),
            fields=self.fields,
            kind=self.kind,
            number=name.number,
            has_inline_rejected="rejected" not in self.fields and self._rejects_inline(),
            nygard=self.kind == ADR and not self.has_rejected_heading,
        )

    def _read_prose(self) -> None:
        """Of an entry without labels the text is the decision, and its reason where it gives one."""
        told = [(line, bare) for line, text in self.prose if (bare := bare_line(text)) and name_says(bare)]
        if not told:
            return
        line, text = told[0]
        self.fields["decision"] = Fact(text[:_TEXT_CAP], self.page.path, line)
        for line, text in told:
            folded = f" {fold(text)}"
            if any(word in folded for word in _BECAUSE):
                self.fields["rationale"] = Fact(text[:_TEXT_CAP], self.page.path, line)
                break

    def _rejects_inline(self) -> bool:
        rejected = words("decisions", "rejected")
        lines = self.page.lines[self.line : self.end + 1]
        return rejected.within(fold("\n".join(lines)[:20_000]))


def find_entries(page: Page, kind: str = LOG) -> tuple[Decision, ...]:
    """The entries of ``page``, in their order; ``kind`` is that of those below headings."""
    drafts = _below_headings(page, kind)
    covered = [(one.line, one.end) for one in drafts]
    found = [one.decision() for one in drafts]
    found += _rows(page, covered)
    if not found:
        found = list(_dated_lines(page, kind)) or list(_whole(page, kind))
    return tuple(sorted(found, key=lambda one: one.line))


def whole_file(page: Page, name: Name) -> Decision:
    """A page as one entry: a file of an ADR folder."""
    draft = _Draft(page, page.title.line if page.title else 1, len(page), name, ADR)
    _fill(draft, [one for one in page.headings if not one.is_title], page.labels)
    return draft.decision()


def name_says(text: str) -> bool:
    """Whether a value says something."""
    if begins_with_words(text):
        return True
    for line in text.split("\n"):
        bare = bare_line(line)
        if bare and not is_placeholder(bare):
            return True
    return False


def _below_headings(page: Page, kind: str) -> list[_Draft]:
    headings = [one for one in page.headings if not one.is_title]
    telling = _telling(page, headings)
    above_tables = {one.line for table in _tables(page) if (one := page.heading_at(table.line))}
    opening: list[tuple[Heading, Name]] = []
    for at, one in enumerate(headings):
        name = read_name(one.text)
        if one.line in above_tables and not name.identifier:
            continue
        if name.opens < 2 and (entry_field(one.text) or at not in telling or is_placeholder(one.text)):
            continue
        opening.append((one, name))
    opening = _without_groups(opening, telling, headings)[:_MOST]
    lines = [one.line for one in headings]
    drafts = []
    for at, (one, name) in enumerate(opening):
        following = opening[at + 1][0].line - 1 if at + 1 < len(opening) else one.end
        draft = _Draft(page, one.line, min(one.end, following), name, kind)
        inner = headings[bisect_right(lines, one.line) : bisect_right(lines, draft.end)]
        _fill(draft, inner, _within(page.labels, one.line, draft.end))
        drafts.append(draft)
    return drafts


def _telling(page: Page, headings: list[Heading]) -> set[int]:
    """Indexes of the headings right below which a decision, a reason or something rejected is told."""
    parents = _parents(headings)
    is_field = [entry_field(one.text) is not None and not opens_entry(one.text) for one in headings]
    telling: set[int] = set()

    def told(at: int) -> None:
        """Note the heading, or where that is a field itself, the one it belongs to."""
        while at >= 0 and is_field[at]:
            at = parents[at]
        if at >= 0:
            telling.add(at)

    lines = [one.line for one in headings]
    for label in page.labels:
        if label.field and entry_field(label.text) in _TELLING:
            told(bisect_right(lines, label.line) - 1)
    for at, one in enumerate(headings):
        if is_field[at] and entry_field(one.text) in _TELLING:
            told(at)
    return telling


def _parents(headings: list[Heading]) -> list[int]:
    """For each heading the index of the nearest one above it of a higher level, -1 without."""
    parents: list[int] = []
    above: list[int] = []
    for at, one in enumerate(headings):
        while above and headings[above[-1]].level >= one.level:
            above.pop()
        parents.append(above[-1] if above else -1)
        above.append(at)
    return parents


def _without_groups(
    opening: list[tuple[Heading, Name]], telling: set[int], headings: list[Heading]
) -> list[tuple[Heading, Name]]:
    """Without the headings that only gather others below a day or a number; these get their date."""
    index = {one.line: at for at, one in enumerate(headings)}
    kept = []
    day: tuple[int, str | None] = (0, None)
    for at, (one, name) in enumerate(opening):
        below = opening[at + 1][0] if at + 1 < len(opening) else None
        gathers = below is not None and below.level > one.level and below.line <= one.end
        if gathers and index[one.line] not in telling:
            day = (one.end, name.date)
            continue
        if name.date is None and one.line <= day[0]:
            name.date = day[1]
        kept.append((one, name))
    return kept


def _within(labels: tuple[Label, ...], first: int, last: int) -> list[Label]:
    start = bisect_left(labels, first, key=lambda one: one.line)
    return list(labels[start : bisect_right(labels, last, key=lambda one: one.line)])


def _fill(draft: _Draft, headings: list[Heading], labels: list[Label] | tuple[Label, ...]) -> None:
    """Read the labels and the sections of an entry."""
    page = draft.page
    used: set[int] = set()
    for label in labels:
        name = entry_field(label.text) if label.field else None
        if name:
            draft.take(name, label.value_line, label.value)
            used.update(range(label.line, label.end + 1))
    levels: list[tuple[int, str]] = []
    for at, one in enumerate(headings):
        while levels and levels[-1][0] >= one.level:
            levels.pop()
        name = entry_field(one.text) or (levels[-1][1] if levels else "")
        levels.append((one.level, name))
        stop = headings[at + 1].line if at + 1 < len(headings) else draft.end + 1
        lines = [pair for pair in page.content(one.line + 1, stop) if name != "status" or pair[0] not in used]
        said = [(line, text) for line, text in lines if name_says(text)]
        if name:
            text = "\n".join(bare_line(text) for _, text in said)
            if said or entry_field(one.text):
                draft.take(name, said[0][0] if said else one.line, text)
        else:
            draft.prose += said
    first = headings[0].line if headings else draft.end + 1
    draft.prose[:0] = [
        (line, text)
        for line, text in page.content(draft.line + 1, first)
        if line not in used and page.is_live(line) and text[:1] != "|"
    ]
    _fill_links(draft)


def _fill_links(draft: _Draft) -> None:
    """A sentence of its own such as "Superseded by D-7." counts like a label."""
    for _, text in draft.prose[:50]:
        bare = bare_line(text).lstrip("*_")
        if bare[:1].isalpha() and len(bare) < 200:
            if by := replaced_by(bare[:40] + bare[40:]) if _begins_with_link(bare) else ():
                draft.superseded_by += by
            draft.supersedes += replaces(bare) if _begins_with_link(bare) else ()


def _begins_with_link(text: str) -> bool:
    folded = fold(text[:24])
    return folded.startswith(
        ("supersede", "supercede", "replace", "ersetzt", "abgeloest", "loest", "remplace", "supplante")
    )


def _rows(page: Page, covered: list[tuple[int, int]]) -> list[Decision]:
    found = []
    for table in _tables(page):
        columns = [entry_field(cell) if cell else None for cell in table.header]
        heading = page.heading_at(table.line)
        group = read_name(heading.text).date if heading and not heading.is_title else None
        at = bisect_right(covered, (table.line, len(page) + 1)) - 1
        if at >= 0 and table.line <= covered[at][1]:
            continue
        for line, cells in table.rows:
            if any(name_says(cell) for cell in cells):
                found.append(_row(page, line, cells, columns, group))
    return found


def _tables(page: Page) -> list[Table]:
    """The tables with a column for the decision."""
    return [
        one for one in page.tables if any(cell and entry_field(cell) == "decision" for cell in one.header)
    ]


def _row(
    page: Page, line: int, cells: tuple[str, ...], columns: list[str | None], group: str | None
) -> Decision:
    plain_cells = [cell for cell, column in zip(cells, columns, strict=False) if column is None]
    decided = next((cell for cell, column in zip(cells, columns, strict=False) if column == "decision"), "")
    title = next((cell for cell in plain_cells if name_says(cell) and not _is_only_date(cell)), decided)
    name = read_name(title[:400])
    for cell in plain_cells:
        mark = read_name(cell[:400])
        name.identifier = name.identifier or mark.identifier
        name.number = mark.number if name.number is None else name.number
        name.date = name.date or mark.date
        if name.title == "" and mark.title:
            name.title = mark.title
    draft = _Draft(page, line, line, name, TABLE, date=group)
    for cell, column in zip(cells, columns, strict=False):
        if column:
            draft.take(column, line, cell)
    if any("~~" in cell for cell in cells[:2]):
        draft.status = "superseded"
    return draft.decision()


def _is_only_date(text: str) -> bool:
    found = leading_date(text)
    return found is not None and not any(sign.isalpha() for sign in text[found[2] :])


def _dated_lines(page: Page, kind: str) -> Iterator[Decision]:
    """Lines such as ``[2026-03-14 10:00:00] - Redis`` below a heading for decisions."""
    beside = _beside(page)
    for line, text in enumerate(page.visible):
        bare = bare_line(text) if text else ""
        if not bare or not leading_date(bare[:60]):
            continue
        heading = page.heading_at(line)
        if heading is None or heading.is_title or entry_field(heading.text) == "decision":
            draft = _Draft(page, line, line, read_name(bare[:400]), kind)
            draft.take("decision", line, bare)
            for name, told in beside.items():
                draft.take(name, *told)
            yield draft.decision()


def _beside(page: Page) -> dict[str, tuple[int, str]]:
    """What the sections beside the decisions say, by field: some logs part all entries into such columns."""
    found: dict[str, tuple[int, str]] = {}
    for one in page.headings:
        name = None if one.is_title else entry_field(one.text)
        if name in FIELDS and name != "decision" and name not in found:
            said = [(line, text) for line, text in page.content(one.line + 1, one.end + 1) if name_says(text)]
            if said:
                found[name] = (said[0][0], "\n".join(bare_line(text) for _, text in said))
    return found


def _whole(page: Page, kind: str) -> Iterator[Decision]:
    """A file whose sections are the fields of a single decision."""
    names = {entry_field(one.text) for one in page.headings}
    if {"decision", "rationale"} <= names:
        title = page.title
        draft = _Draft(
            page, title.line if title else 1, len(page), read_name(title.text if title else ""), kind
        )
        _fill(draft, [one for one in page.headings if not one.is_title], page.labels)
        if "decision" in draft.fields:
            yield draft.decision()


def _date_of(text: str, kind: str) -> str | None:
    found = find_date(text[:200], day_first=kind == ADR)
    return found[0] if found else None
