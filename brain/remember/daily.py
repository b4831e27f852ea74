"""The note of a day: appended to, never rewritten.

The layout is OpenClaw's: ``memory/YYYY-MM-DD[-slug].md`` in a workspace, one file a day. Its own tools and
people write there, too, so that a note is one write at the end of the file, under the lock of the folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import islice

from brain.files.append import append_lines
from brain.files.atomic import make_folder
from brain.files.errors import MemError
from brain.files.links import refuse_links
from brain.files.lock import FolderLock
from brain.files.reading import UnreadableError, read_seen
from brain.remember import refusals
from brain.remember.errors import RememberError
from brain.value import Value

FOLDER = "memory"
FILE_CAP = 1024 * 1024
"""Bytes of the note of one day; whatever reads it stops there, too."""

_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:-.+)?\.md")
_SLUG = re.compile(r"[\w](?:[\w.-]{0,62}[\w])?")
# What stands for itself: a list, a heading, a quote, a table, code. Anything else becomes an item of a list.
_BLOCK = re.compile(r"(?:[-*+] |\d+[.)] |#{1,6} |>|\||```|~~~)")
_NAMES = 20_000


class Noted(Value):
    """A note that was kept: ``line`` to ``line_end`` of ``file``, which is that of ``day``.

    ``created`` tells that the file is new; ``hidden_in`` says, in words, what begins above the note and never
    ends, so that readers of Markdown do not see it; empty for nothing.
    """

    __slots__ = ("created", "day", "file", "hidden_in", "line", "line_end")

    def __init__(self, file: str, day: str, lines: tuple[int, int], *, created: bool, hidden_in: str) -> None:
        self.file = file
        self.day = day
        self.line, self.line_end = lines
        self.created = created
        self.hidden_in = hidden_in


def is_workspace(folder: str) -> bool:
    """Whether notes are kept in ``folder``: it has a ``MEMORY.md``, or notes of days in ``memory/``."""
    if os.path.isfile(os.path.join(folder, "MEMORY.md")):
        return True
    try:
        with os.scandir(os.path.join(folder, FOLDER)) as entries:
            return any(_DATED.fullmatch(entry.name) for entry in islice(entries, _NAMES))
    except OSError:
        return False


def add_note(base: str, text: str, today: Callable[[], str], *, slug: str = "", wait: float) -> Noted:
    """Append ``text`` to the note of the day in the workspace ``base`` (a real path), durable.

    The day is asked for once the lock is held: whoever waits past midnight writes into the new day. The text
    is refused for the same reasons as an observation. Raises ``RememberError``, ``LockedError``,
    ``WriteError``.
    """
    kept = refusals.observation(text)
    if slug and not _SLUG.fullmatch(slug):
        raise RememberError(
            "note-slug",
            "a slug is made of letters, digits, dots and dashes, 64 at most",
            "It becomes part of a file name, like 2026-11-30-release.md.",
        )
    folder = _inside(base, FOLDER)
    make_folder(folder)
    with FolderLock(folder, wait=wait):
        day = today()
        path = _inside(base, f"{FOLDER}/{day}-{slug}.md" if slug else f"{FOLDER}/{day}.md")
        before = _read(path)
        newline = b"\r\n" if before and b"\r\n" in before[:4096] else b"\n"
        item = _item(kept).encode().replace(b"\n", newline)
        # A block begins after a blank line, or it would go on with what stands above.
        lead = newline if before and _BLOCK.match(kept) and not before.endswith((b"\n\n", b"\n\r\n")) else b""
        try:
            start = append_lines(
                path, lead + item, cap=FILE_CAP, repair=True, title=f"# {day}\n\n".encode(), newline=newline
            )
        except MemError as error:
            raise RememberError(
                "note-write", str(error), "Mend that; the text was not kept.", path=path
            ) from None
        line = 1 + _lines_above(path, start + len(lead))
        count = item.count(newline)
    hidden_in = refusals.open_block(before.decode("utf-8", "replace")) if before else ""
    return Noted(path, day, (line, line + count - 1), created=before is None, hidden_in=hidden_in)


def _item(text: str) -> str:
    if _BLOCK.match(text):
        return f"{text}\n"
    first, *more = text.split("\n")
    return "\n".join([f"- {first}", *(f"  {line}" if line else "" for line in more)]) + "\n"


def _inside(base: str, relative: str) -> str:
    try:
        return refuse_links(base, relative)
    except MemError as error:
        raise RememberError(
            "memory-link", str(error), "Memory is written where it stands, never through a link.", path=base
        ) from None


def _read(path: str) -> bytes | None:
    try:
        return read_seen(path, FILE_CAP).data
    except UnreadableError as error:
        if error.code == "missing":
            return None
        raise RememberError(
            "note-write", f"{path}: {error.message}", "Move it away; the text was not kept.", path=path
        ) from None


def _lines_above(path: str, offset: int) -> int:
    with open(path, "rb") as file:
        return file.read(offset).count(b"\n")
