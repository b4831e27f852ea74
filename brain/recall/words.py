"""A second ranking, for what the published one cannot read: all scripts, parts of compounds, real entries.

The formula is that of ``brain.recall.lexical``. The words are others: composed and folded (NFKC), of every
script, a compound counts as a whole and by its parts, scripts without blanks by pairs of characters, and
words that say nothing do not count. What is ranked are the entries of a file, so that no sample of a format
and no following section is taken for one, and each text once, also where both layouts hold it.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from brain.entries.reader import read_entries
from brain.notes import BLANKS, Section, section_text, sections
from brain.recall.documents import NoteFile
from brain.recall.lexical import Score, weigh

_WORD = re.compile(r"[^\W_]+(?:['\u2019_-][^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
# Kana and Han: no blanks between words.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")

_ENGLISH = (
    "a an and are as at be but by for from has have in is it not of on or our that the this to was we with "
    "you"
)
_GERMAN = (
    "aber als am an auf aus bei das dem den der des die ein eine einen einer es für im in ist mit nicht oder "
    "sich sind und von wir zu zum zur"
)
_FRENCH = (
    "au aux ce dans de des du elle en est et il la le les mais ne nous ou par pas pour que qui sur un une"
)
_SILENT = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH}".split())


def words(text: str) -> list[str]:
    """All words of ``text`` that count; of a text of nothing but silent words, those."""
    found = [word for whole in _WORD.findall(normalize("NFKC", text).casefold()) for word in _of(whole)]
    return [word for word in found if word not in _SILENT] or found


def score(query: list[str], text: str) -> Score | None:
    """How well ``text`` answers the unique words ``query``; None when it shares none."""
    return weigh(query, len(query), words(text))


def entries(file: NoteFile) -> list[Section]:
    """The entries of a file of notes; of one that cannot be taken apart, its sections."""
    data = file.text.encode("utf-8", "replace")
    document = read_entries(data, file.name.removesuffix(".md"))
    if not document.readable:
        return sections(file.text)
    found = []
    for entry in document.entries:
        start, end = entry.span
        _, _, body = data[start:end].decode("utf-8", "replace").partition("\n")
        found.append(Section(entry.heading.strip(BLANKS), body, entry.line))
    return found


def once(found: list[Section], seen: set[str]) -> list[Section]:
    """Those whose text is not in ``seen`` yet; it is then."""
    fresh = []
    for section in found:
        text = section_text(section)
        if text not in seen:
            seen.add(text)
            fresh.append(section)
    return fresh


def _of(whole: str) -> list[str]:
    parts = [piece for part in _PART.findall(whole) for piece in _pieces(part)]
    return [whole, *parts] if len(parts) > 1 and not _UNSPACED.search(whole) else parts


def _pieces(part: str) -> list[str]:
    """A part as it is, or by pairs of characters where its script has no blanks."""
    if not _UNSPACED.search(part):
        return [part]
    pieces: list[str] = []
    at = 0
    for run in _UNSPACED.finditer(part):
        pieces += [part[at : run.start()]] if run.start() > at else []
        text = run.group()
        pieces += [text[place : place + 2] for place in range(len(text) - 1)] or [text]
        at = run.end()
    return [*pieces, part[at:]] if at < len(part) else pieces
