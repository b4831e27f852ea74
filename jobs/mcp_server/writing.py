"""The tools that keep, change or archive; each gives a document and its text."""

from __future__ import annotations

from brain.remember.places import PROJECT, USER, Place
from brain.remember.refusals import no_secret, plain
from jobs import memory, remember
from jobs.audit import SERVER, record, remembered
from jobs.mcp_server.refusal import RefusedError
from jobs.mcp_server.scope import Call
from jobs.memory import MemorySettings, memory_settings
from reports import assistant
from reports import remember as report
from reports.document import Document, located

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.mcp_server.tools import Answer, Arguments

_MODES = {"replaceSection": ("section", "section"), "findReplace": ("find", "find")}


def about_user(call: Call, given: Arguments) -> Answer:
    """Keep a fact about the user."""
    settings = _settings(call, None)
    return _remember(call, given, settings, remember.users(settings), USER)


def about_project(call: Call, given: Arguments) -> Answer:
    """Keep a fact about a project."""
    settings = _settings(call, call.project(given["project"]))
    return _remember(call, given, settings, remember.projects(settings), PROJECT)


def _settings(call: Call, project: str | None) -> MemorySettings:
    """For ``project``; without one for the user, wherever the server stands."""
    folder = project or call.here or call.surroundings.home
    return memory_settings(call.typed(directory=folder), call.surroundings)


def _remember(
    call: Call, given: Arguments, settings: MemorySettings, places: tuple[Place, ...], axis: str
) -> Answer:
    key, about = given.get("idempotencyKey"), places[0].folder
    before = call.replays.get("remember", about, key, settings.now)
    if before is not None:
        return {**before, "outcome": "skipped"}, assistant.remembered_text
    done = remember.remember(
        settings,
        places,
        str(given["observation"]),
        category=_text(given, "category"),
        summary=_text(given, "summary"),
        token=_text(given, "versionToken"),
    )
    project = settings.project if axis == PROJECT else ""
    record(call.typed(), call.surroundings, remembered(done, axis, project, by=SERVER))
    document = {**report.remembered_document(done, axis), "noteId": done.file}
    call.replays.put("remember", about, key, settings.now, document)
    return document, assistant.remembered_text


def edit_note(call: Call, given: Arguments) -> Answer:
    """Edit a note in one of five ways."""
    operation = str(given["operation"])
    mode, needed = _MODES.get(operation, (operation, ""))
    for name in ("section", "find"):
        if (name in given) is not (name == needed):
            raise RefusedError(
                "bad-arguments",
                f"{operation} {'needs' if name == needed else 'has no'} {name}",
                "section goes with replaceSection, find with findReplace.",
            )
    ref = str(given["ref"])
    settings, places = _places(call, given, ref)
    key, about = given.get("idempotencyKey"), f"{settings.project}\0{ref}"
    before = call.replays.get("edit", about, key, settings.now)
    if before is not None:
        return {**before, "outcome": "unchanged"}, assistant.edited_text
    done = remember.edit(
        settings,
        places,
        ref,
        settings.project,
        mode=mode,
        content=str(given["content"]),
        target=str(given.get(needed, "")) if needed else "",
        token=_text(given, "versionToken"),
    )
    document = {**report.edited_document(done, operation), "noteId": done.file}
    call.replays.put("edit", about, key, settings.now, document)
    return document, assistant.edited_text


def forget(call: Call, given: Arguments) -> Answer:
    """Archive an observation, or bring it back."""
    settings, places = _places(call, given, "")
    done = remember.forget(settings, places, str(given["id"]).strip("()"), undo=given.get("undo") is True)
    return report.forgotten_document(done), assistant.forgotten_text


def _places(call: Call, given: Arguments, ref: str) -> tuple[MemorySettings, tuple[Place, ...]]:
    """The folders of the project that is meant, where one is, and of the user."""
    if "project" in given:
        project: str | None = call.project(given["project"])
    else:
        project = (call.around(ref) if ref.startswith("/") else None) or call.here
    settings = _settings(call, project)
    own = remember.projects(settings) if project else ()
    return settings, (*own, *remember.users(settings))


def add_decision(call: Call, given: Arguments) -> Answer:
    """Add a decision to a project."""
    return _add(call, given, "decisions", "decision")


def add_lesson(call: Call, given: Arguments) -> Answer:
    """Add a lesson to a project."""
    return _add(call, given, "lessons", "lesson")


def _add(call: Call, given: Arguments, kind: str, word: str) -> Answer:
    settings = _settings(call, call.project(given.get("project")))
    texts = {name: plain(str(value)) for name, value in given.items() if name != "project"}
    for said in texts.values():
        no_secret(said)
    title = texts.pop("title")
    added = memory.add(settings, kind, title, texts)
    found = located(added.file)
    document: Document = {"kind": word, "title": title, "file": found["path"], "line": added.line}
    return document, assistant.added_text


def _text(given: Arguments, name: str) -> str | None:
    value = given.get(name)
    return value if isinstance(value, str) else None
