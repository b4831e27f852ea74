"""Takes a file of the memory apart into the notes that are searched.

Markdown is split at every heading, each section with the headings above it; a section longer than 1,600
characters is split again, between its paragraphs where that can be, and nothing stands in two parts. A line
of a journal is one note, and so is an observation that was kept on request. What Zecher wrote as a report or
an export is no memory, nor what stands between its marks for generated text. Secrets are replaced in the
whole file, before it is cut: of a key that goes over several notes no part is known by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain.entries.lines import BLANK, COMMENT, LIVE, classify, shown, split
from brain.search.values import Section

JOURNAL, REMEMBERED = "journal", "remembered"
LONGEST = 1600
"""Characters of the longest note."""

_BOM = b"\xef\xbb\xbf"
_BOMS_16 = (b"\xff\xfe", b"\xfe\xff")
_SEALS = (b"<!-- sealed by zecher", b"> Written by `zecher memory export`, sealed")
_GENERATED = re.compile(r"<!--[ \t]*zecher:[a-z-]+ (?P<which>begin|end)\b")
_STAMP = b"<!-- zecher: "

_ATX = re.compile(r" {0,3}(?P<signs>#{1,6})(?:[ \t]+(?P<text>.*?))??(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:(?P<first>=+)|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r"[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|[>|#]|$)|    |\t")
_LONGEST_TITLE = 3  # lines of a paragraph that is underlined
_LONGEST_HEADING = 300
"""Characters of a heading that stand above each note below it; what is more belongs to its own text."""

_NUMBER = r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)"
_DATED_NAME = re.compile(rf"(?:^|[^\d]){_NUMBER}(?!\d)")
_ISO = re.compile(_NUMBER)
_FRONT_KEY = re.compile(
    r"(?P<key>title|date|updated|created|status)[ \t]*:[ \t]*(?P<value>.*)$", re.IGNORECASE
)
_STATUS_WORDS = (
    "stat",
    "zustand",
    "supers",
    "superc",
    "replaced",
    "ersetzt",
    "abgel",
    "remplac",
    "\u00e9tat",
)
_STATUS_HEADINGS = frozenset(("status", "statut", "state", "zustand", "état"))

_ACTIVE, _SUPERSEDED, _ARCHIVED = "active", "superseded", "archived"
# What a decision may be besides: of these it holds no more.
_OVER = {"superseded": _SUPERSEDED, "deprecated": _SUPERSEDED, "archived": _ARCHIVED, "rejected": _SUPERSEDED}


def sections(data: bytes, kind: str, path: str) -> list[Section]:
    """The notes in the file ``path`` with the bytes ``data``, in their order; never raises for any content.

    ``kind`` is that of its source: ``journal``, ``remembered``, else it is Markdown. No note holds a secret.
    """
    if kind == JOURNAL:
        return list(_events(data))
    if not is_text(data, kind):
        return []
    if data.startswith(_BOMS_16):
        data = data.decode("utf-16", "replace").replace("\0", "").encode("utf-8", "replace")
    if any(seal in data for seal in _SEALS):
        return []
    file = _File(_without_secrets(data), path)
    if kind == REMEMBERED and _STAMP in data:
        return list(file.observations())
    return list(file.sections())


def is_text(data: bytes, kind: str) -> bool:
    """Whether ``data`` is what a file of that kind may hold; of anything else no note is made."""
    return kind == JOURNAL or data.startswith(_BOMS_16) or b"\0" not in data


def _without_secrets(data: bytes) -> bytes:
    """The same lines with marks in place of secrets."""
    from brain.secrets import redact  # noqa: PLC0415 - start-up: 10 ms, only where files are read

    text = data.decode("utf-8", "surrogateescape")
    found = redact(text, keep_lines=True)
    return found.text.encode("utf-8", "surrogateescape") if found.count else data


def date_of_name(path: str) -> str:
    """The ``YYYY-MM-DD`` in the name of the file, wherever it stands in it; empty for none."""
    found = _DATED_NAME.search(path.replace("\\", "/").rpartition("/")[2])
    return _day(found) if found else ""


def _day(found: re.Match[str]) -> str:
    from datetime import date  # noqa: PLC0415 - start-up: only where files are read

    year, month, day = map(int, found.group("y", "m", "d"))
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _events(data: bytes) -> Iterator[Section]:
    from brain.files.ledger import parse_ledger  # noqa: PLC0415 - start-up: only for a journal
    from brain.recall.documents import EventTexts, event_ref  # noqa: PLC0415 - as above
    from brain.secrets import redact  # noqa: PLC0415 - as above

    texts = EventTexts()
    for number, event in parse_ledger(data).lines:
        text = texts.of(event)
        when = event.get("ts")
        found = _ISO.match(when) if isinstance(when, str) else None
        ref = event_ref(event, number)
        for part, _, _ in _parts([(number, redact(text).text)]):
            yield Section(
                part, heading=ref, line=number, line_end=number, date=_day(found) if found else "", event=ref
            )


class _Heading:
    """A heading on the way down: its level, and what holds for all below it.

    Of a text longer than a heading is, ``rest`` stands below it.
    """

    __slots__ = ("date", "level", "rest", "status", "text")

    def __init__(self, level: int, text: str, date: str, status: str) -> None:
        self.level = level
        self.text, self.rest = text[:_LONGEST_HEADING], text[_LONGEST_HEADING:]
        self.date = date
        self.status = status


class _File:
    """A Markdown file with its lines."""

    def __init__(self, data: bytes, path: str) -> None:
        self._data = data
        self._path = path
        self._name = path.replace("\\", "/").rpartition("/")[2]
        start = len(_BOM) if data.startswith(_BOM) else 0
        self._lines = split(data, start)
        self._front: dict[str, str] = {}
        self._body = self._front_matter()
        classify(self._lines[self._body :])
        self._drop_generated()
        named = date_of_name(path)
        self._date = next(
            (date for key in ("date", "updated", "created") if (date := self._front_date(key))), named
        )
        self._status = _ACTIVE
        text = data.decode("utf-8", "replace").lower()
        self._may_have_status = any(word in text for word in _STATUS_WORDS)

    def sections(self) -> Iterator[Section]:
        """A note for each heading, and for what stands above the first."""
        self._status = self._of_file()
        headings = list(self._headings())
        above: list[_Heading] = []
        first = headings[0][0] if headings else len(self._lines)
        yield from self._preamble(first, has_headings=bool(headings))
        for at, (begin, body, level, text) in enumerate(headings):
            end = headings[at + 1][0] if at + 1 < len(headings) else len(self._lines)
            while above and above[-1].level >= level:
                above.pop()
            above.append(self._heading(level, text, begin, end, above))
            yield from self._section(above, begin, body, end)

    def observations(self) -> Iterator[Section]:
        """A note for each observation that was kept on request."""
        from brain.observations import read  # noqa: PLC0415 - start-up: only for its files

        text = self._data.decode("utf-8", "surrogateescape")
        front = self._data[: self._lines[self._body].start] if self._body < len(self._lines) else self._data
        offset = len(front.decode("utf-8", "surrogateescape"))
        body = read(text, offset=offset)
        title = self._front.get("title") or next(
            (text[:_LONGEST_HEADING] for _, _, level, text in self._headings() if level == 1),
            self._name.removesuffix(".md"),
        )
        for one in body.observations:
            archived = one.archived or (body.archive is not None and one.start > body.archive)
            said = [
                (one.line + at, _uncommented(line)) for at, line in enumerate(shown(one.text).split("\n"))
            ]
            said = [(number, line) for number, line in said if not _ATX.match(line)]
            for part, line, line_end in _parts(said):
                yield Section(
                    part,
                    title=title,
                    heading=title,
                    line=line,
                    line_end=line_end,
                    date=one.date or self._date,
                    status=_ARCHIVED if archived else _ACTIVE,
                    event=one.id,
                )

    # -- the file ------------------------------------------------------------------------------------------

    def _front_matter(self) -> int:
        from brain.entries.front_matter import closing_line  # noqa: PLC0415 - start-up: only where files are read

        last = closing_line(self._lines)
        if last is None:
            return 0
        for line in self._lines[1:last]:
            found = _FRONT_KEY.match(line.text)
            if found:
                value = shown(found["value"]).strip()
                quoted = len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]
                value = value[1:-1] if quoted else value
                self._front.setdefault(found["key"].lower(), value[:_LONGEST_HEADING])
        return last + 1

    def _front_date(self, key: str) -> str:
        found = _ISO.match(self._front.get(key, ""))
        return _day(found) if found else ""

    def _drop_generated(self) -> None:
        """What stands between two marks is no section; a mark without its counterpart hides nothing."""
        if b"zecher:" not in self._data:
            return
        begun: int | None = None
        for at in range(self._body, len(self._lines)):
            found = _GENERATED.search(self._lines[at].text) if self._lines[at].kind == COMMENT else None
            if found and found["which"] == "begin":
                begun = at
            elif found and begun is not None:
                for line in self._lines[begun : at + 1]:
                    line.kind = COMMENT
                begun = None

    def _of_file(self) -> str:
        """The status of a whole file: of its front matter, or of the section that is called so."""
        given = self._front.get("status", "")
        if given and (status := _status_of(given)):
            return status
        if not self._may_have_status:
            return _ACTIVE
        for _, body, _, text in self._headings():
            if text.strip(": ").lower() in _STATUS_HEADINGS:
                for line in self._lines[body : body + 4]:
                    if line.kind == LIVE:
                        return _status_of(shown(line.text)) or _ACTIVE
        return _ACTIVE

    # -- headings ------------------------------------------------------------------------------------------

    def _headings(self) -> Iterator[tuple[int, int, int, str]]:
        """Index of the first line, of the line after the heading, level, text."""
        lines = self._lines
        floor = self._body
        for at in range(self._body, len(lines)):
            line = lines[at]
            if line.kind != LIVE:
                continue
            text = line.text
            sign = text.lstrip(" ")[:1]
            if sign == "#" and (found := _ATX.match(text)):
                floor = at + 1
                yield at, at + 1, len(found["signs"]), _plain(found["text"] or "")
            elif sign and sign in "=-" and (found := _UNDERLINE.match(text)):
                begin = self._paragraph_above(at, floor)
                if begin is not None:
                    floor = at + 1
                    title = " ".join(lines[one].text.strip() for one in range(begin, at))
                    yield begin, at + 1, 1 if found["first"] else 2, _plain(title)

    def _paragraph_above(self, at: int, floor: int) -> int | None:
        """Where the paragraph begins, not above ``floor``, that the line ``at`` underlines; None for none."""
        begin = at
        while begin > floor and self._lines[begin - 1].kind == LIVE and at - begin <= _LONGEST_TITLE:
            if _NO_PARAGRAPH.match(self._lines[begin - 1].text):
                return None  # a list, a quote, a table holds it
            begin -= 1
        return begin if 0 < at - begin <= _LONGEST_TITLE else None

    def _heading(self, level: int, text: str, begin: int, end: int, above: list[_Heading]) -> _Heading:
        date, status = (above[-1].date, above[-1].status) if above else (self._date, self._status)
        if "[" in text or any(sign.isdigit() for sign in text) or self._may_have_status:
            from brain.entries.one_entry import read_entry  # noqa: PLC0415 - start-up: only where files are read

            entry = read_entry(self._lines[begin:end], level, text, "decisions", [])
            date = entry.date or date
            if entry.archived:
                status = _ARCHIVED
            elif entry.superseded_by or entry.status:
                status = _SUPERSEDED if entry.superseded_by else _OVER.get(entry.status or "", status)
        return _Heading(level, text, date, status)

    # -- notes ---------------------------------------------------------------------------------------------

    def _preamble(self, end: int, *, has_headings: bool) -> Iterator[Section]:
        title = self._front.get("title", "")
        if not title and not has_headings and not date_of_name(self._path):
            title = self._name.rpartition(".")[0].replace("-", " ").replace("_", " ")
        for body, line, line_end in _parts(self._text(self._body, end)):
            yield Section(
                body,
                title=title,
                heading=self._front.get("title", ""),
                line=line,
                line_end=line_end,
                date=self._date,
                status=self._status,
            )

    def _section(self, above: list[_Heading], begin: int, body: int, end: int) -> Iterator[Section]:
        own = above[-1]
        title = " > ".join(one.text for one in above if one.text)
        said = self._text(body, end)
        parts = _parts([(self._lines[begin].number, own.rest), *said] if own.rest else said)
        if not parts:
            # Of a heading that only holds others, or stands over an empty file, there is nothing to find.
            deeper = end < len(self._lines) and self._level_at(end) > own.level
            if own.level == 1 or deeper or _is_mark(own.text):
                return
            parts = [("", self._lines[begin].number, self._lines[begin].number)]
        for at, (text, line, line_end) in enumerate(parts):
            yield Section(
                text,
                title=title,
                heading=title,
                line=line if at else self._lines[begin].number,
                line_end=line_end,
                date=own.date,
                status=own.status,
            )

    def _level_at(self, at: int) -> int:
        found = _ATX.match(self._lines[at].text)
        return len(found["signs"]) if found else 0

    def _text(self, begin: int, end: int) -> list[tuple[int, str]]:
        """Line numbers and texts, without comments."""
        found = []
        for line in self._lines[begin:end]:
            if line.kind == COMMENT:
                text = ""
            elif line.kind == LIVE and "<!--" in line.text:
                text = _uncommented(line.text)
            else:
                text = "" if line.kind == BLANK else line.text
            found.append((line.number, shown(text)))
        return found


def _is_mark(text: str) -> bool:
    """Whether a heading says nothing, as ``[ARCHIVED]``."""
    return not text or (text[0] == "[" and text[-1] == "]")


def _plain(text: str) -> str:
    return shown(_uncommented(text)).strip()


def _uncommented(text: str) -> str:
    """``text`` without the comments in it and the blanks before them; one that never ends hides nothing.

    By hand: a pattern looks from each beginning to the end of the line, which may be a megabyte of them.
    """
    begin = text.find("<!--")
    if begin < 0:
        return text
    kept = []
    done = 0
    while begin >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        kept.append(text[done:begin].rstrip(" \t"))
        done = end + 3
        begin = text.find("<!--", done)
    return "".join(kept) + text[done:]


def _status_of(text: str) -> str:
    """What a status says, empty where it says nothing that is known."""
    from brain.entries.fields import read_status  # noqa: PLC0415 - start-up: only for a file that has one

    status = read_status(text)
    if status.superseded_by:
        return _SUPERSEDED
    return _OVER.get(status.name or "", _ACTIVE if status.name else "")


def _parts(lines: list[tuple[int, str]]) -> list[tuple[str, int, int]]:
    """The text of ``lines`` in parts of at most ``LONGEST`` characters, each with its first and last line."""
    pieces = [piece for number, text in lines for piece in _cut(number, text)]
    parts: list[tuple[str, int, int]] = []
    begin = 0
    while begin < len(pieces):
        if not pieces[begin][1].strip():
            begin += 1
            continue
        end = _end_of_part(pieces, begin)
        last = end
        while not pieces[last - 1][1].strip():
            last -= 1
        text = "\n".join(text for _, text in pieces[begin:last])
        parts.append((text, pieces[begin][0], pieces[last - 1][0]))
        begin = end
    return parts


def _end_of_part(pieces: list[tuple[int, str]], begin: int) -> int:
    """Where the part ends that begins with the piece ``begin``: at its last paragraph that fits."""
    size = -1
    paragraph = 0
    for at in range(begin, len(pieces)):
        text = pieces[at][1]
        size += len(text) + 1
        if size > LONGEST:
            return paragraph or at
        if at > begin and not text.strip():
            paragraph = at
    return len(pieces)


def _cut(number: int, text: str) -> Iterator[tuple[int, str]]:
    """A line too long for a part in several, between words where there are any."""
    while len(text) > LONGEST:
        blank = text.rfind(" ", LONGEST // 2, LONGEST)
        at = LONGEST if blank < 0 else blank
        yield number, text[:at]
        text = text[at:].lstrip(" ") if blank >= 0 else text[at:]
    yield number, text.rstrip()
