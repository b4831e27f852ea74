"""One category's file: its front matter, read as plain lines wherever it is that, and its text."""

from __future__ import annotations

import re
from hashlib import sha256

from brain import observations
from brain.files.cards import GarbageError, read_values, rewrite, to_json
from brain.remember.errors import RememberError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.files.outline import Json
    from brain.files.reading import Seen

PIN = "always-load"
FILE_CAP = 1024 * 1024
_TITLE_CAP = 1000

_FRONT = re.compile(
    rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?P<inner>(?:[^\n]*\n){0,400}?)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)"
)
_KEY = re.compile(rb"(?:[ \t]*#[^\n]*\n|[ \t]*\r?\n)*[^\s\-*#>|`<:][^\n:]*:(?:[ \t\r\n]|\Z)")
_TITLE = re.compile(r"\s*#[ \t]+(?P<title>[^\n\r]+)")


class CategoryFile:
    """What stands in a category's file at ``path``, absolute.

    ``title`` is the category as it was first written, ``summary`` that of the front matter, empty without
    one. ``text`` is the whole file, bytes that are no UTF-8 as surrogate escapes; the front matter ends at
    ``start``.
    """

    def __init__(self, path: str, seen: Seen) -> None:
        self.path = path
        self.seen = seen
        self.data = seen.data or b""
        found = _FRONT.match(self.data)
        self._inner = found.span("inner") if found and _is_front(found["inner"]) else None
        self.text = self.data.decode("utf-8", "surrogateescape")
        self.start = self._body_start(found.end() if found and self._inner else 0)
        self._values: dict[str, Json] | None = None
        self._body: observations.Body | None = None

    @property
    def newline(self) -> str:
        """The line end that most lines have."""
        return "\r\n" if self.text.count("\r\n") * 2 > self.text.count("\n") else "\n"

    @property
    def values(self) -> dict[str, Json]:
        """The front matter; empty where there is none, or none that can be read."""
        if self._values is None:
            try:
                inner = self.data[self._inner[0] : self._inner[1]] if self._inner else b""
                self._values = read_values(inner)[0] if inner.strip() else {}
            except GarbageError:
                self._values = {}
        return self._values

    @property
    def title(self) -> str:
        """The category: by the front matter, by a heading at the top, or by the file's name."""
        given = self.values.get("title")
        if isinstance(given, str) and given.strip():
            return given.strip()[:_TITLE_CAP]
        heading = _TITLE.match(self.text, self.start)
        if heading:
            return heading["title"].strip(" \t#")[:_TITLE_CAP] or self.stem
        return self.stem

    @property
    def stem(self) -> str:
        """The file's name without ``.md``."""
        return self.path.replace("\\", "/").rpartition("/")[2][:-3]

    @property
    def summary(self) -> str:
        """The summary as it was given, in one line."""
        given = self.values.get("summary")
        return " ".join(given.split()) if isinstance(given, str) else ""

    @property
    def muted(self) -> bool:
        """Whether it is not to be loaded and not to be recalled; the word counts as the value does."""
        given = self.values.get("muted")
        return given is True or (isinstance(given, str) and given.strip().lower() == "true")

    @property
    def pinned(self) -> bool:
        """Whether it is always to be loaded."""
        tags = self.values.get("tags")
        some = tags.replace(",", " ").split() if isinstance(tags, str) else tags
        return isinstance(some, list) and any(
            isinstance(tag, str) and tag.strip().lstrip("#") == PIN for tag in some
        )

    @property
    def body(self) -> observations.Body:
        """Its observations."""
        if self._body is None:
            self._body = observations.read(self.text, offset=self.start)
        return self._body

    @property
    def version(self) -> str:
        """The token of what stands in it."""
        return version(self.data)

    def line_at(self, offset: int) -> int:
        """The line, from 1, of a place in ``text``."""
        return self.text.count("\n", 0, offset) + 1

    def with_text(self, text: str) -> bytes:
        """The file's bytes with another whole text."""
        return text.encode("utf-8", "surrogateescape")

    def with_summary(self, text: str, summary: str) -> str:
        """``text``, the file's or what is to become of it, with the summary in its front matter."""
        if self.summary == summary:
            return text
        newline = self.newline
        line = f"summary: {to_json(summary)}"
        if self._inner is None:
            bom = "\ufeff" if text.startswith("\ufeff") else ""
            return f"{bom}---{newline}{line}{newline}---{newline}{newline}{text.removeprefix(bom)}"
        before, after = self._inner
        inner, rest = (
            self.data[before:after],
            text[len(self.data[:after].decode("utf-8", "surrogateescape")) :],
        )
        head = self.data[:before].decode("utf-8", "surrogateescape")
        return head + self._summed(inner, summary, newline) + rest

    def _summed(self, inner: bytes, summary: str, newline: str) -> str:
        if not inner.strip():
            return inner.decode() + f"summary: {to_json(summary)}{newline}"
        try:
            updates: dict[str, Json] = {"title": self.values["title"]} if "title" in self.values else {}
            new, in_place = rewrite(inner, {**updates, "summary": summary})
        except GarbageError:
            in_place = False
        if not in_place:
            raise RememberError(
                "summary-refused",
                "the front matter of the file cannot be extended",
                "Write each of its keys in a line of its own, or write the summary there yourself.",
                path=self.path,
            )
        return new.decode("utf-8", "surrogateescape")

    def _body_start(self, end: int) -> int:
        """Where the text begins that people read, behind blank lines, as an offset in ``text``."""
        start = len(self.data[:end].decode("utf-8", "surrogateescape"))
        if not end and self.text.startswith("\ufeff"):
            start = 1
        return start


def _is_front(inner: bytes) -> bool:
    """Whether it is front matter, and not text between two rules."""
    return not inner.strip() or _KEY.match(inner) is not None


def new_file(title: str, summary: str, text: str) -> bytes:
    """A new category's file with one observation."""
    lines = [f"title: {to_json(title)}"]
    if summary:
        lines.append(f"summary: {to_json(summary)}")
    return "".join(("---\n", *(f"{line}\n" for line in lines), "---\n\n", text, "\n")).encode()


def version(data: bytes) -> str:
    """The token by which a file is known to be unchanged."""
    return sha256(data).hexdigest()
