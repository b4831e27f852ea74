"""What a category may be called, when two names mean the same one, and what its file is called.

A label is a name, never a path. Two labels are one category when they differ in case, in blanks, hyphens and
underscores, or in camel case alone; every other sign counts, so that C, C++ and C# are three. The file's name
is only for people: it is the label in plain letters, with a part of the label's hash where that name is
taken.
"""

from __future__ import annotations

import re
from unicodedata import category as kind_of
from unicodedata import normalize

from brain.labels import key, same, similar, slug
from brain.remember.errors import RememberError

LABEL_CAP = 300
GENERAL = "general"

# A part of a name may be that long in bytes: room for a temporary name, and for file systems that allow 143.
_NAME_CAP = 100
# Names that a file of another kind has, or that some system gives to a device.
_RESERVED = re.compile(
    r"decisions|lessons|patterns|context|memory|index|readme|agents|claude|hot|identity|projects-index"
    r"|\d{4}-\d\d-\d\d.*|con|prn|aux|nul|(?:com|lpt)\d",
    re.IGNORECASE,
)
_SHARP = re.compile(r"(?<=[^\W\d_])#+(?=\s|$)")


def label(text: str) -> str:
    """``text`` as a category's label, or ``RememberError`` for one that is none."""
    name = normalize("NFC", text.strip(" \t"))
    why = _complaint(name)
    if why:
        raise RememberError(
            "category-refused", f"no category can be called so: {why}", "Give it a name of a few plain words."
        )
    return name


def _complaint(name: str) -> str:
    if not name.strip():
        return "the name is blank"
    if len(name) > LABEL_CAP:
        return f"it has {len(name)} characters, more than {LABEL_CAP}"
    if "\n" in name or "\r" in name:
        return "it has more than one line"
    if any(sign in name for sign in "[]|") or "#" in _SHARP.sub("", name):
        return "the signs [ ] | and # (but at the end of a word) belong to links"
    if any(_is_hidden(sign) for sign in name):
        return "it holds a character that cannot be seen"
    if not key(name):
        return "nothing of it is left without blanks and hyphens"
    return ""


def _is_hidden(sign: str) -> bool:
    # The joiner is what families of emoji, and words of some scripts, are made with.
    return kind_of(sign) in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp") or (
        kind_of(sign) == "Cf" and sign not in "\u200c\u200d"
    )


def file_name(name: str, taken: frozenset[str]) -> str:
    """A name for a new category's file; ``taken`` are those in its folder, as ``fold`` makes them."""
    stem = slug(name)
    digest = _digest(name)
    if not stem:
        stem = f"category-{digest}"
    elif len(stem.encode()) > _NAME_CAP:
        stem = f"{stem.encode()[:_NAME_CAP].decode(errors='ignore').rstrip('-')}-{digest}"
    elif is_reserved(stem):
        stem = f"category-{stem}"
    if fold(f"{stem}.md") in taken:
        stem = f"{stem}-{digest[:8]}"
    if fold(f"{stem}.md") in taken:
        raise RememberError(
            "category-refused",
            f"its file would be {stem}.md, which belongs to another category",
            "Give the category another name.",
        )
    return f"{stem}.md"


def is_reserved(stem: str) -> bool:
    """Whether a file of that name, without ``.md``, is of another kind: notes, a daily page, an index."""
    return _RESERVED.fullmatch(stem) is not None


def fold(name: str) -> str:
    """A file's name as systems see it that make no difference between large and small."""
    return normalize("NFC", name).casefold()


def _digest(name: str) -> str:
    from hashlib import sha256  # noqa: PLC0415 - start-up: 2 ms, only a new category needs it

    return sha256(key(name).encode("utf-8", "surrogatepass")).hexdigest()[:24]


__all__ = [
    "GENERAL",
    "LABEL_CAP",
    "file_name",
    "fold",
    "is_reserved",
    "key",
    "label",
    "same",
    "similar",
    "slug",
]
