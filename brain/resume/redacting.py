"""A card without the secrets that were quoted with it."""

from __future__ import annotations

from brain.resume.values import ResumeCard
from brain.secrets import find, redact
from brain.value import parts_of


def redacted(card: ResumeCard) -> ResumeCard:
    """``card`` with each secret replaced by a mark that names its kind."""
    texts = list(_texts(card))
    # Nearly all cards hold none: then one look is enough.
    if not find("\n\n".join(texts)):
        return card
    cleaned = _clean(card)
    if not isinstance(cleaned, ResumeCard):
        raise TypeError(cleaned)
    return cleaned


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for one in value for text in _texts(one)]
    return [text for name in parts_of(value) for text in _texts(getattr(value, name))]


def _clean(value: object) -> object:
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, tuple):
        return tuple(_clean(one) for one in value)
    return _copied(value, {name: _clean(getattr(value, name)) for name in parts_of(value)})


def _copied(value: object, parts: dict[str, object]) -> object:
    return type(value)(**parts) if parts else value
