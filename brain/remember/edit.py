"""Edits one note of the memory: under its lock, with a version token, and never so that text is hidden."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from brain.files.atomic import Write, replace_all, sweep
from brain.files.errors import ChangedError, MemError
from brain.files.links import refuse_links
from brain.files.lock import FolderLock
from brain.files.reading import UnreadableError, inside, read_seen
from brain.folders import PROJECT_MEMORY
from brain.layout import NOTE_FILES
from brain.remember import categories, modes, refusals
from brain.remember.category_file import FILE_CAP, CategoryFile, version
from brain.remember.errors import RememberError, changed
from brain.remember.places import BRAIN_FOLDER, USER, VAULT, Place, read_shelf
from brain.remember.values import Edited
from brain.remember.writing import WAIT

_TRIES = 8
_TARGETS = r".+\.md"

Rule = Callable[[str, str], str]
MODES: dict[str, Rule] = {"append": modes.append, "prepend": modes.prepend, "replace": modes.replace}
"""The ways that need nothing but the new text; ``section`` and ``find`` also say what they replace."""


class Note:
    """A file that may be edited: ``relative`` (with ``/``) below the real path ``base``."""

    __slots__ = ("base", "relative")

    def __init__(self, base: str, relative: str) -> None:
        self.base = base
        self.relative = relative

    @property
    def path(self) -> str:
        """Its absolute path."""
        return os.path.join(self.base, *self.relative.split("/"))


def locate(places: Sequence[Place], text: str, here: str) -> Note:
    """The note that ``text`` names: a category, or a path, absolute, from ``here`` or from a base.

    ``RememberError`` for what is no Markdown file of the memory in ``places``, wherever else it may be.
    """
    for place in places:
        for file in read_shelf(place).categories:
            if text in (file.stem, f"{file.stem}.md") or categories.same(file.title, text):
                return Note(place.base, os.path.relpath(file.path, place.base).replace(os.sep, "/"))
    bases = dict.fromkeys((place.axis, place.base) for place in places)
    tried = [os.path.join(here, text), *(os.path.join(base, text) for _, base in bases)]
    tried += [os.path.join(base, *PROJECT_MEMORY.split("/"), text) for axis, base in bases if axis != USER]
    for path in tried:
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        for axis, base in bases:
            relative = os.path.relpath(real, base).replace(os.sep, "/") if inside(real, base) else ""
            if _may_be_edited(axis, relative) and os.path.lexists(real):
                return Note(base, relative)
    raise RememberError(
        "memory-outside",
        f"{text!r} is no note of this memory",
        "Name a category, or a Markdown file in the memory of the project or the brain.",
    )


def _may_be_edited(axis: str, relative: str) -> bool:
    if not relative.lower().endswith(".md") or "\0" in relative:
        return False
    if axis == USER and relative in NOTE_FILES:
        return True
    folders = (BRAIN_FOLDER, VAULT) if axis == USER else (PROJECT_MEMORY, VAULT)
    return any(relative.startswith(f"{folder}/") for folder in folders)


def edit(
    note: Note,
    mode: str,
    content: str,
    *,
    target: str = "",
    token: str = "",
    now: float,
    wait: float = WAIT,
) -> Edited:
    """Change the text of ``note``, its front matter left as it is.

    ``mode`` is one of ``MODES``, section or find, for which ``target`` is the heading or the text that goes.
    ``token`` is the version that the file must have. ``RememberError`` for what does not fit, ``WriteError``,
    ``LockedError``, ``ChangedError`` as always; then nothing is changed. Durable when this returns.
    """
    content = refusals.plain(content)
    if content:
        refusals.no_secret(content)
    _refuse(note)
    folder = os.path.dirname(note.path)
    if not os.path.isdir(folder):
        raise RememberError("memory-outside", f"{note.path} is not there", "Name another.", path=note.path)
    with FolderLock(folder, wait=wait):
        sweep(folder, now=now, targets=_TARGETS)
        for _ in range(_TRIES):
            _refuse(note)
            file = _read(note)
            if token and file.version != token:
                raise changed(note.path)
            text = _edited(file, mode, content, target.replace("\r\n", "\n"))
            if text == file.text:
                return Edited("unchanged", note.path, file.line_at(file.start), file.version)
            data = file.with_text(text)
            if len(data) > FILE_CAP:
                why = f"the file would be larger than {FILE_CAP // 1024} KiB"
                raise RememberError("memory-full", why, "Begin another file.", path=note.path)
            try:
                replace_all([Write(note.path, data, file.seen)], note.base)
            except ChangedError:
                if token:
                    raise changed(note.path) from None
                continue
            return Edited("changed", note.path, _first_difference(file.text, text), version(data))
    raise ChangedError(note.path)


def _edited(file: CategoryFile, mode: str, content: str, target: str) -> str:
    front, body = _parted(file)
    # Where both kinds of line ends stand, each line keeps its own.
    is_crlf = file.text.count("\r\n") == file.text.count("\n") and "\r\n" in file.text
    if is_crlf:
        body = body.replace("\r\n", "\n")
    if mode in MODES:
        new = MODES[mode](body, content)
    else:
        new = modes.section(body, target, content) if mode == "section" else modes.find(body, target, content)
    hides = refusals.open_block(new)
    if hides and not refusals.open_block(body):
        raise RememberError(
            "edit-refused",
            f"{hides} would never end and hide what comes after it",
            "Close it.",
            path=file.path,
        )
    return front + (new.replace("\n", "\r\n") if is_crlf else new)


def _parted(file: CategoryFile) -> tuple[str, str]:
    """The front matter with the blank line behind it, and the text that people read."""
    front, body = file.text[: file.start], file.text[file.start :]
    if not front.strip("\ufeff"):
        return front, body
    kept = body.lstrip("\r\n")
    blank = body[: len(body) - len(kept)]
    if not kept:
        blank = blank or file.newline
    return front + blank, kept


def _refuse(note: Note) -> None:
    try:
        refuse_links(note.base, note.relative)
    except MemError as error:
        raise RememberError(
            "memory-link",
            str(error),
            "Memory is written where it stands, never through a link.",
            path=note.path,
        ) from None


def _read(note: Note) -> CategoryFile:
    try:
        return CategoryFile(note.path, read_seen(note.path, FILE_CAP))
    except UnreadableError as error:
        raise RememberError("memory-unreadable", error.message, "Check the file.", path=note.path) from None


def _first_difference(old: str, new: str) -> int:
    same = next((at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None)
    return new.count("\n", 0, min(len(old), len(new)) if same is None else same) + 1
