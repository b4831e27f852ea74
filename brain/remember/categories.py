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

from brain.remember.errors import RememberError

LABEL_CAP = 300
GENERAL = "general"

# A part of a name may be that long in bytes: room for a temporary name, and for file systems that allow 143.
_NAME_CAP = 100
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th"})
# What programming languages are called by: the sign is the difference.
_SIGNS = (("++", "plusplus"), ("#", "sharp"))
# Names that a file of another kind has, or that some system gives to a device.
_RESERVED = re.compile(
    r"decisions|lessons|patterns|context|memory|index|readme|agents|claude|hot|identity|projects-index"
    r"|\d{4}-\d\d-\d\d.*|con|prn|aux|nul|(?:com|lpt)\d",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[^\W\d_])(?=[^\W\d_])")
_SHARP = re.compile(r"(?<=[^\W\d_])#+(?=\s|$)")
_FEWEST_LETTERS = 4


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


def key(name: str) -> str:
    """The label in one spelling: of one case, with hyphens between its words."""
    return _joined(_split(normalize("NFC", name)))


def same(one: str, other: str) -> bool:
    """Whether two labels are spellings of one: ``Ongoing Work``, ``ongoingWork``; ``GitHub``, ``github``."""
    return not {key(one), _joined(one)}.isdisjoint((key(other), _joined(other)))


def _joined(name: str) -> str:
    text = re.sub("[\ufe00-\ufe0f]", "", normalize("NFC", normalize("NFC", name).casefold()))
    return re.sub(r"[\s_\-\u2010\u2011]+", "-", text).strip("-")


def _split(name: str) -> str:
    """``ongoingWork`` as ``ongoing-Work``."""
    return _CAMEL.sub(lambda at: "-" if _is_border(name, at.start()) else "", name)


def _is_border(name: str, at: int) -> bool:
    return name[at - 1].islower() and name[at].isupper()


def slug(name: str) -> str:
    """The label in letters, digits and hyphens, without marks; empty when nothing of it is left."""
    text = key(name)
    for sign, word in _SIGNS:
        text = re.sub(rf"(?<=[a-z]){re.escape(sign)}(?![^\W_])", word, text)
    text = normalize("NFKD", text.translate(_LETTERS))
    text = re.sub("[\u0300-\u036f]", "", text)
    return normalize("NFC", re.sub(r"[^\w]+", "-", text)).strip("-_").casefold()


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


def similar(name: str, others: list[str]) -> tuple[str, ...]:
    """Which of the ``others`` may mean the same, at most three, the likeliest first."""
    mine = slug(name)
    if len(mine) < _FEWEST_LETTERS:
        return ()
    ranked = sorted(((_likeness(mine, slug(other)), other) for other in others), key=lambda one: -one[0])
    return tuple(other for likeness, other in ranked if likeness)[:3]


def _likeness(one: str, other: str) -> float:
    """How likely two slugs mean the same, 0 for not at all."""
    short, long = sorted((one, other), key=len)
    if len(short) < _FEWEST_LETTERS:
        return 0
    if short == long or sorted(short.split("-")) == sorted(long.split("-")):
        return 1
    if long.startswith(short) or (long[:3] == short[:3] and _is_shortened(short, long)):
        return 0.9
    from difflib import SequenceMatcher  # noqa: PLC0415 - start-up: 6 ms, only for a new category

    ratio = SequenceMatcher(None, short, long).ratio()
    return ratio if ratio >= 0.8 else 0


def _is_shortened(short: str, long: str) -> bool:
    rest = iter(long)
    return all(sign in rest for sign in short)
