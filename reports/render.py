"""Fills templates; the only room that knows the template engine.

Every value that a template shows is foreign text until somebody says otherwise: in HTML the engine escapes
it, in Markdown it becomes one line of plain text. A name that a template misspells is an error, not a gap.
"""

from __future__ import annotations

import json
import os
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reports.markdown import code_span, escape
from reports.view import safe_display

_FOLDER = os.path.join(os.path.dirname(__file__), "templates")


class Marked(str):
    """Markdown of our own making, every foreign part of it escaped: shown as it is."""

    __slots__ = ()


def render_markdown(template: str, **values: object) -> str:
    """The template of that name in Markdown, filled. The same values make the same text.

    Filters: ``code`` (a code span), ``marked`` (Markdown of our own making), ``yaml`` (a quoted word of the
    front matter), ``word`` (the name of a slot, a date, a version).
    """
    return _markdown().get_template(template).render(values)


def render_html(template: str, **values: object) -> str:
    """The template of that name in HTML, filled, every value escaped.

    The filter ``shown`` makes hostile characters visible, as everywhere.
    """
    return _html().get_template(template).render(values)


@cache
def _markdown() -> Environment:
    environment = _environment(is_html=False)
    environment.filters.update(code=_code, marked=Marked, yaml=_yaml, word=_word)
    return environment


@cache
def _html() -> Environment:
    environment = _environment(is_html=True)
    environment.filters["shown"] = safe_display
    return environment


def _environment(*, is_html: bool) -> Environment:
    return Environment(
        loader=FileSystemLoader(_FOLDER),
        undefined=StrictUndefined,
        autoescape=is_html,  # noqa: S701 - what HTML escapes by itself, Markdown escapes by its own rules
        finalize=None if is_html else _plain,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )


def _plain(value: object) -> object:
    """What stands in the text for a value: numbers as they are, all else escaped."""
    return value if isinstance(value, (Marked, int, float)) else escape(str(value))


def _code(text: str) -> Marked:
    return Marked(code_span(text))


def _yaml(text: str) -> Marked:
    # A JSON string is a YAML string, whatever it holds.
    return Marked(json.dumps(safe_display(text)))


def _word(name: str) -> Marked:
    """A word of letters, digits, ``-`` and ``.`` as it is, for an escaped date would read badly.

    It may stand inside a line only. Any other is made harmless.
    """
    is_word = name.isascii() and name.replace("-", "").replace(".", "").isalnum()
    return Marked(name if is_word else escape(name))
