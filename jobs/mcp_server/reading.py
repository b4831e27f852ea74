"""The tools that look and change nothing; each gives a document and its text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from brain.search.values import Query
from jobs import memory_index
from jobs.audit import SERVER, Asked, places, record, searched
from jobs.brief import briefed
from jobs.last_seen import last_seen
from jobs.mcp_server.refusal import RefusedError
from jobs.mcp_server.scope import Call
from jobs.memory import memory_settings
from jobs.memory_check import check_one
from jobs.memory_index import PORTFOLIO_SCOPE, PROJECT_SCOPE, IndexSettings
from jobs.recall import recalled
from jobs.resume import resumed
from jobs.settings import ScanSettings, read_settings, scan_settings
from reports import assistant
from reports.brief import brief_document
from reports.cards import card_document
from reports.document import Document
from reports.findings import findings_document
from reports.recall import recall_document
from reports.resume import TooSmallError, fitted, resume_markdown
from reports.resume_document import resume_document
from reports.search import search_document
from scanner.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.mcp_server.tools import Answer, Arguments

# What Notarium calls the classes that are kept apart here.
CLASSES = {"agent-memory": "memory", "user-doc": "doc"}


def _index(call: Call, project: str) -> IndexSettings:
    """For ``project``; without one for the project in which the server stands, which may not be indexed."""
    here = project or call.here or ""
    named = here or call.surroundings.home
    return memory_index.index_settings(call.typed(), call.surroundings, project=here, named=named)


def _scope(call: Call, given: Arguments) -> tuple[str, str]:
    """The scope of a question, and the project's folder where it is one."""
    if "project" in given:
        return PROJECT_SCOPE, call.project(given["project"])
    scope = str(given.get("scope", PORTFOLIO_SCOPE))
    return scope, call.project(None) if scope == PROJECT_SCOPE else ""


def search(call: Call, given: Arguments) -> Answer:
    """Notes that answer, with file and line."""
    scope, project = _scope(call, given)
    settings = _index(call, project)
    klass = str(given.get("class", ""))
    query = Query(
        str(given["query"]),
        scope=scope,
        project=project,
        klass=CLASSES.get(klass, klass),
        limit=_number(given, "limit", 20),
        since=_day(given.get("since")),
        now=settings.now,
    )
    answer = memory_index.ask(settings, query, waiter=call.waiter)
    record(call.typed(), call.surroundings, searched(query, answer.found, by=SERVER))
    if settings.recall_log:
        from jobs.recall_log import note_found  # noqa: PLC0415 - only where somebody wants it

        note_found(settings.recall_log, query, answer.found)
    document = search_document(
        answer.found,
        answer.names,
        query=query.text,
        scope=scope,
        stale=answer.stale,
        rebuilt=answer.rebuilt,
    )
    document["problems"] = _unkept(answer.path, answer.why_not)
    return document, assistant.search_text


def recall(call: Call, given: Arguments) -> Answer:
    """A bundle of notes and their neighbours within a budget."""
    scope, project = _scope(call, given)
    budget, cap = _number(given, "budgetTokens", 4000), given.get("maxPerSource")
    settings = _index(call, project)
    done, fresh = recalled(
        settings,
        str(given["query"]),
        scope=scope,
        budget=budget,
        depth=_number(given, "depth", 1),
        cap=cap if isinstance(cap, int) else None,
        with_user=given.get("withUser") is True,
        waiter=call.waiter,
    )
    packed = done.bundle.packed
    top = packed[0].note.relevance if packed else None
    hits = places([(one.note.file, one.line) for one in packed])
    asked = Asked("recall", str(given["query"]), scope, project, len(packed), top, hits, SERVER)
    record(call.typed(), call.surroundings, asked)
    if settings.recall_log:
        from jobs.recall_log import note_packed  # noqa: PLC0415 - as above

        note_packed(settings.recall_log, str(given["query"]), packed, now=settings.now)
    document = recall_document(
        done,
        fresh.names,
        query=str(given["query"]),
        scope=scope,
        budget=budget,
        stale=fresh.stale,
        rebuilt=fresh.rebuilt,
    )
    document["problems"] = _unkept(fresh.path, fresh.why_not)
    return document, lambda shown: assistant.bundle_text(shown, "Nothing was found that may be recalled.")


def _unkept(path: str, why_not: str) -> list[str]:
    """What the user should know of the index."""
    return [one.message for one in memory_index.unkept(path, why_not)]


def brief(call: Call, given: Arguments) -> Answer:
    """What a piece of work begins with."""
    project = call.project(given.get("project"))
    budget = _number(given, "budgetTokens", 4000)
    settings = memory_settings(call.typed(directory=project), call.surroundings)
    done, _ = briefed(settings, budget)
    document = brief_document(done, project, budget)
    return document, lambda shown: assistant.bundle_text(shown, "Nothing is written about this project yet.")


def _scan(call: Call) -> ScanSettings:
    return replace(scan_settings(call.typed(), call.surroundings, here=False), real_git=False)


def resume(call: Call, given: Arguments) -> Answer:
    """Where a project stands."""
    found = resumed(_scan(call), call.project(given.get("project")))
    budget = _number(given, "budgetTokens", 0) or None
    try:
        text = resume_markdown(found) if budget is None else fitted(found, budget, resume_markdown)
    except TooSmallError as error:
        raise RefusedError(
            "budget-too-small",
            f"The frame alone needs {error.needed:,} tokens",
            f"Give budgetTokens {error.needed} or more, or none.",
        ) from None
    said = assistant.harmless(text)
    return resume_document(found, (), budget), lambda _: said


def project_health(call: Call, given: Arguments) -> Answer:
    """What is wrong with the memory of a project."""
    checkup = check_one(_scan(call), call.project(given.get("project")))
    return findings_document(checkup.checked, checkup.percent, checkup.gains), assistant.health_text


def projects(call: Call, given: Arguments) -> Answer:
    """The projects of the index, as the last job saw them."""
    settings = read_settings(call.typed(), call.surroundings)
    seen = last_seen(settings.state, settings.now)
    noted = {} if seen is None else {one.path: one for one in seen.projects}
    known = [card_document(card, noted.get(card.path)) for card in call.cards]
    found = [one for one in known if _wanted(one, given)]
    document: Document = {
        "projects": [_project(one) for one in found[: _number(given, "limit", 50)]],
        "total": len(found),
    }
    return document, assistant.projects_text


def _wanted(one: Document, given: Arguments) -> bool:
    status, stack, name = (str(given.get(key, "")) for key in ("status", "stack", "name"))
    stacks = one["stacks"]
    labels = {str(label["label"]).casefold() for label in stacks} if isinstance(stacks, list) else set()
    return (
        (not status or one["status"] == status)
        and (not stack or stack.casefold() in labels)
        and name.casefold() in str(one["name"]).casefold()
    )


def _project(one: Document) -> Document:
    health = one["health"]
    keys = ("id", "name", "path", "status", "stack", "last_activity", "flags", "next_step")
    return {
        **{key: one[key] for key in keys},
        "memory_percent": health["percent"] if isinstance(health, Mapping) else None,
    }


def _number(given: Arguments, name: str, default: int) -> int:
    value = given.get(name)
    return value if isinstance(value, int) else default


def _day(text: object) -> str:
    if not isinstance(text, str):
        return ""
    try:
        day = date.fromisoformat(text).isoformat()
    except ValueError:
        day = ""
    if day != text:
        raise RefusedError("bad-arguments", "since is no day", "Write it as 2026-11-30.")
    return day
