"""What a client may read without a tool: the categories of the memory, one of them, the health of a project.

And the prompt that begins a piece of work. All text is made harmless as that of the tools is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import quote, unquote

from brain.files.errors import MemError
from brain.files.reading import UnreadableError, read_seen
from brain.remember.category_file import FILE_CAP
from jobs import remember
from jobs.mcp_server import reading
from jobs.mcp_server.refusal import RefusedError, no_more_than_fits
from jobs.mcp_server.scope import Call
from jobs.memory import memory_settings
from reports.assistant import DATA, bundle_text, fenced, harmless, harmless_document
from reports.remember import categories_document
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.remember.index import Category

INDEX = "memory://index"
CATEGORY = "memory://category/"
_PROJECT, _HEALTH = "project://", "/health"
JSON, MARKDOWN = "application/json", "text/markdown"


@dataclass(frozen=True, slots=True)
class Resource:
    """What may be read; ``uri`` is a template where it holds ``{name}``."""

    uri: str
    name: str
    description: str
    mime: str


RESOURCES = (
    Resource(INDEX, "memory-index", "What is remembered of the user and of this project, by category", JSON),
)
TEMPLATES = (
    Resource(f"{CATEGORY}{{name}}", "memory-category", "All that one category holds", MARKDOWN),
    Resource(f"{_PROJECT}{{name}}{_HEALTH}", "project-health", "Findings about a project's memory", JSON),
)
COLD_START = "cold_start"
COLD_START_TEXT = "Begin a piece of work: who the user is, context, decisions, lessons, last handover"


def categories(call: Call) -> list[tuple[str, str]]:
    """URI and name of each category that may be read."""
    return [(f"{CATEGORY}{quote(one.title, safe='')}", harmless(one.title)) for one in _categories(call)]


def read(call: Call, uri: str) -> tuple[str, str]:
    """Kind and text of the resource ``uri``; ``RefusedError`` for one that is not there, or too large."""
    kind, text = _read(call, uri)
    no_more_than_fits(text)
    return kind, text


def _read(call: Call, uri: str) -> tuple[str, str]:
    if uri == INDEX:
        return JSON, _as_json(categories_document(_categories(call)))
    if uri.startswith(CATEGORY):
        return MARKDOWN, _category(call, unquote(uri.removeprefix(CATEGORY)))
    if uri.startswith(_PROJECT) and uri.endswith(_HEALTH):
        name = unquote(uri[len(_PROJECT) : -len(_HEALTH)])
        return JSON, _as_json(reading.project_health(call, {"project": name})[0])
    raise _unknown()


def cold_start(call: Call, arguments: Mapping[str, str] | None) -> str:
    """The text of the prompt."""
    given = {name: value for name, value in (arguments or {}).items() if name == "project" and value}
    document, _ = reading.brief(call, given)
    shown = harmless_document(document)
    return bundle_text(shown if isinstance(shown, dict) else {}, "Nothing is written about this project yet.")


def _category(call: Call, name: str) -> str:
    for one in _categories(call):
        if one.title == name:
            try:
                data = read_seen(one.file, FILE_CAP).data or b""
            except (UnreadableError, MemError):
                break
            return f"{DATA}\n\n{fenced(harmless(data.decode('utf-8', 'replace')))}"
    raise _unknown()


def _categories(call: Call) -> tuple[Category, ...]:
    """Those of the project in which the server stands, if any, and of the user."""
    here = call.here
    settings = memory_settings(call.typed(directory=here or call.surroundings.home), call.surroundings)
    own = remember.projects(settings) if here else ()
    found, _ = remember.listing((*own, *remember.users(settings)))
    return found


def _as_json(document: object) -> str:
    return json.dumps(harmless_document(document), ensure_ascii=False, indent=2)


def _unknown() -> RefusedError:
    return RefusedError("unknown-resource", "There is no such resource", "List the resources.")
