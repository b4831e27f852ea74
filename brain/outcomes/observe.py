"""Ties a section of memory to an accepted task: checks in order, then one receipt."""

from __future__ import annotations

from brain.display import display
from brain.files.errors import MemError
from brain.files.links import refuse_links, relative_path
from brain.files.reading import UnreadableError, read_seen
from brain.files.writer_lock import WriterLock
from brain.outcomes.anchors import Anchors
from brain.outcomes.foreign_json import Object, digest, parse, same, texts
from brain.outcomes.hashes import ProgramHashes
from brain.outcomes.nexus import Source, accepted_source
from brain.outcomes.receipts import KIND, MAX_RECEIPTS, Receipt, append_receipt, read_receipts
from brain.outcomes.rules import bounded_text, in_order, overlap, scope_paths, within
from brain.outcomes.runs import MAX_LIST, is_run_id
from brain.times import iso_time

MAX_INPUT = 2 * 1024 * 1024
MAX_NAME = 1000
MAX_INTERPRETATION = 2000
MAX_RELATIONS = 30


def observe(project: str, input_path: str, *, now: float, wait: float = 2.0) -> Object:
    """Append a receipt for what the JSON file ``input_path`` says, and return it as written.

    ``project`` is a real path, ``input_path`` relative to it, ``now`` in epoch seconds, ``wait`` the longest
    time in seconds to wait for another writer. ``MemError`` says in one line what is wrong; then nothing was
    written.
    """
    wanted = _read_input(project, input_path)
    with WriterLock(project, wait=wait):
        document = _observed(project, wanted, read_receipts(project), now)
        append_receipt(project, document)
    return document


def _read_input(project: str, input_path: str) -> Object:
    name = relative_path(input_path)
    try:
        wanted = parse(read_seen(refuse_links(project, name), MAX_INPUT).data or b"")
    except UnreadableError as error:
        raise MemError(f"{display(name)}: {error.message}") from None
    except ValueError as error:
        raise MemError(
            f"{display(name)} is not JSON in UTF-8 without a byte order mark: {display(str(error))}"
        ) from None
    if not isinstance(wanted, dict):
        raise MemError(
            f"{display(name)} must hold one JSON object with runId, taskId, memory, scope, interpretation"
        )
    return wanted


def _observed(project: str, wanted: Object, receipts: list[Receipt], now: float) -> Object:
    """The receipt for ``wanted`` after all checks; the caller holds the lock."""
    programs: ProgramHashes = {}
    source = _source(project, wanted, receipts, programs)
    memory = Anchors(project).find(wanted.get("memory"))
    scope = _scope_within(source, wanted.get("scope"))
    supersedes, contradicts = _relations(wanted, scope, receipts)
    body: Object = {
        "schemaVersion": 1,
        "kind": KIND,
        "ts": iso_time(now),
        "memory": memory,
        "scope": scope,
        "source": source,
        "interpretation": bounded_text(wanted.get("interpretation"), "interpretation", MAX_INTERPRETATION),
        "verification": {"status": "passed", "acceptance": "accepted", "lessonCausality": "unmeasured"},
        "supersedes": supersedes,
        "contradicts": contradicts,
    }
    again = accepted_source(project, str(source["runId"]), str(source["taskId"]), programs=programs)
    if not same(source, again) or not same(memory, Anchors(project).find(memory)):
        raise MemError("the task or the section changed while it was observed: observe it again")
    if len(receipts) >= MAX_RECEIPTS:
        raise MemError(f"the ledger of outcomes is full ({MAX_RECEIPTS} receipts): move it aside first")
    return {"id": digest(body), **body}


def _source(project: str, wanted: Object, receipts: list[Receipt], programs: ProgramHashes) -> Source:
    """The accepted task that ``wanted`` names, unless its attempt has its receipt already."""
    run_id = bounded_text(wanted.get("runId"), "runId", MAX_NAME)
    task_id = bounded_text(wanted.get("taskId"), "taskId", MAX_NAME)
    if not is_run_id(run_id):
        raise MemError(
            "runId must be 1 to 64 lower-case letters, digits, _ or -, and begin with a letter or digit"
        )
    source = accepted_source(project, run_id, task_id, programs=programs)
    if (run_id, task_id, source["attemptId"]) in [receipt.attempt for receipt in receipts]:
        raise MemError("duplicate outcome: this attempt of the task already has its receipt")
    return source


def _scope_within(source: Source, value: object) -> list[str]:
    scope = scope_paths(value)
    task_scope = texts(source["scope"], "the scope of a task", MAX_LIST)
    for path in scope:
        if not any(within(path, parent) for parent in task_scope):
            raise MemError(f"the scope path {display(path)} exceeds the scope of the accepted task")
    return scope


def _relations(wanted: Object, scope: list[str], receipts: list[Receipt]) -> tuple[list[str], list[str]]:
    known = {receipt.id: receipt for receipt in receipts}
    supersedes = _related(wanted.get("supersedes"), "supersedes", scope, known)
    contradicts = _related(wanted.get("contradicts"), "contradicts", scope, known)
    if not supersedes.isdisjoint(contradicts):
        raise MemError("a receipt cannot be both superseded and contradicted")
    return in_order(supersedes), in_order(contradicts)


def _related(value: object, kind: str, scope: list[str], known: dict[str, Receipt]) -> set[str]:
    if value is None:
        return set()
    if not isinstance(value, list) or len(value) > MAX_RELATIONS:
        raise MemError(f"{kind} must be a list of at most {MAX_RELATIONS} receipt ids")
    ids = {one for one in value if isinstance(one, str)}
    if len(ids) != len(value):
        raise MemError(f"{kind} must be a list of receipt ids, each once")
    if not all(one in known and overlap(scope, known[one].scope) for one in ids):
        raise MemError(f"{kind} must name receipts that exist and whose scope overlaps this one")
    return ids
