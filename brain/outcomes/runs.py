"""Reads one recorded Nexus run and refuses it unless it is whole, its own and of this project.

The file is ``.bmad-plus/nexus/runs/<id>.json``, an envelope around the run:

``{schemaVersion: 1, sha256, run: {schemaVersion: 1, id, project, sequence, planHash, plan: {tasks}, tasks}}``

``sha256`` is the hash of the compact JSON of the run, ``planHash`` that of its plan.

- A planned task: ``id, objective, dependsOn, scope, artifacts, resourceHashes`` and ``checks`` of ``{id,
  command, commandHash, cwd}``; where a program did the work also ``execution`` with the last three keys.
- The record of a task: ``id, integration, acceptedAt, integrationReceipt {attemptId, artifactHashes}`` and
  ``attempts`` of ``{id, execution, cancellation {status}, baseline, verification}``.
- A verification: ``id, attemptId, status, environment {policy, values, sha256}, scopeHashes, artifactHashes``
  and ``checks`` of ``{id, attemptId, environment, exitCode, error, signal}``.

Every other key is kept as it is: the hashes cover it too.
"""

from __future__ import annotations

import os

from brain.files.atomic import Write, replace_all
from brain.files.javascript_json import to_compact, to_indented
from brain.files.links import refuse_links
from brain.files.reading import Seen, UnreadableError, read_seen
from brain.outcomes.foreign_json import (
    NotEligibleError,
    Object,
    a_list,
    a_text,
    an_object,
    digest,
    is_whole,
    parse,
)

FOLDER = ".bmad-plus/nexus"
LOCKS = ("writer.lock", "recovery.lock")
MAX_RUN = 32 * 1024 * 1024
# The writer of the runs takes at most 200 tasks into a plan and 1,000 names into a list.
MAX_TASKS = 200
MAX_LIST = 1000
# Ours: 32 MiB of empty lists would take 1.1 GiB and 4 s, of floats 30 s. A run full of hashes has 200,000
# commas and brackets; those that stand in recorded output are counted with them.
MAX_MARKS = 2_000_000

MOVED = (
    "the project was moved or copied after the run was recorded, and its evidence stays with the old place; "
    "move it back, let zecher doctor --reanchor make it this folder's own, or have the task verified and "
    "accepted here and observe it again"
)

_ID_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_INTEGRATION = ("pending", "accepted", "rejected")
_EXECUTION = ("running", "blocked", "ambiguous", "completed", "failed", "cancelled")
_VERIFICATION = ("pending", "running", "passed", "failed", "ambiguous")


class Run:
    """A run that is whole: its planned tasks and the records of what became of them, both by task id."""

    __slots__ = ("plans", "records")

    def __init__(self, plans: dict[str, Object], records: dict[str, Object]) -> None:
        self.plans = plans
        self.records = records


class MovedRun:
    """A whole run that was recorded for the folder ``recorded``, and what would make it this folder's own."""

    __slots__ = ("recorded", "run_id", "write")

    def __init__(self, run_id: str, recorded: str, write: Write) -> None:
        self.run_id = run_id
        self.recorded = recorded
        self.write = write


def is_run_id(text: str) -> bool:
    """Whether ``text`` is the id of a run: 1 to 64 of a-z, 0-9, ``_`` and ``-``, a letter or digit first."""
    return 0 < len(text) <= 64 and _ID_CHARACTERS.issuperset(text) and text[0] not in "_-"


def read_run(project: str, run_id: str) -> Run:
    """The run ``run_id`` of the folder ``project`` (a real path), or ``NotEligibleError`` with the cause.

    Nothing is written or locked; while the run's own writer holds a lock there, the run is not looked at.
    """
    _check_id(run_id)
    _refuse_while_written(project)
    run = _opened(_envelope(_seen(project, run_id).data or b""), run_id)
    if run.get("project") != project:
        raise NotEligibleError(f"the run belongs to another folder: {MOVED}")
    return _checked(run, run_id)


def moved_run(project: str, run_id: str) -> MovedRun | None:
    """The run ``run_id`` if it is whole but was recorded for another folder than ``project``.

    ``NotEligibleError`` where it cannot be told. Nothing is written: see ``adopt_run``.
    """
    _check_id(run_id)
    _refuse_while_written(project)
    seen = _seen(project, run_id)
    data = seen.data or b""
    envelope = _envelope(data)
    run = _opened(envelope, run_id)
    recorded = run.get("project")
    if recorded == project:
        return None
    own = {**run, "project": project}
    envelope |= {"sha256": digest(own), "run": own}
    text = to_indented(envelope) if data.lstrip().startswith(b"{\n") else to_compact(envelope)
    end = b"\n" if data.endswith(b"\n") else b""
    write = Write(_path(project, run_id), text.encode() + end, seen)
    return MovedRun(run_id, recorded if isinstance(recorded, str) else "", write)


def adopt_run(project: str, moved: MovedRun) -> None:
    """Record for ``project`` that the run is its own; only the folder and the envelope's hash change."""
    _refuse_while_written(project)
    replace_all([moved.write], project)


def _refuse_while_written(project: str) -> None:
    for lock in LOCKS:
        if os.path.lexists(refuse_links(project, f"{FOLDER}/{lock}")):
            raise NotEligibleError(
                f"{FOLDER}/{lock} is there: a run is being written; try again when it is gone"
            )


def _check_id(run_id: str) -> None:
    if not is_run_id(run_id):
        raise NotEligibleError("the run id is not 1 to 64 lower-case letters, digits, _ or -")


def _path(project: str, run_id: str) -> str:
    return refuse_links(project, f"{FOLDER}/runs/{run_id}.json")


def _seen(project: str, run_id: str) -> Seen:
    name = f"{FOLDER}/runs/{run_id}.json"
    try:
        seen = read_seen(_path(project, run_id), MAX_RUN)
    except UnreadableError as error:
        raise NotEligibleError(f"{name}: {error.message}") from None
    if sum(map((seen.data or b"").count, (b",", b"[", b"{"))) > MAX_MARKS:
        raise NotEligibleError(f"{name}: more values than a run can have")
    return seen


def _envelope(data: bytes) -> Object:
    try:
        return an_object(parse(data), "its envelope")
    except ValueError:
        raise NotEligibleError("the run is damaged: its file is not JSON") from None


def _opened(envelope: Object, run_id: str) -> Object:
    """The run inside its envelope, when the hash is right and the run is the one that was asked for."""
    run = an_object(envelope.get("run"), "its content")
    if not (_is_first_schema(envelope) and _is_first_schema(run)):
        raise NotEligibleError("the run has an unknown schema version")
    if envelope.get("sha256") != digest(run):
        raise NotEligibleError("the run is damaged: its hash does not fit its content")
    if run.get("id") != run_id or not is_whole(run.get("sequence")):
        raise NotEligibleError("the run is damaged: its id or its sequence is not right")
    return run


def _is_first_schema(value: Object) -> bool:
    version = value.get("schemaVersion")
    return is_whole(version) and version == 1


def _checked(run: Object, run_id: str) -> Run:
    plan = an_object(run.get("plan"), "its plan")
    if run.get("planHash") != digest(plan):
        raise NotEligibleError("the run is damaged: its plan was changed")
    plans = _by_id(plan.get("tasks"), "a planned task")
    records = _by_id(run.get("tasks"), "a task")
    if list(plans) != list(records):
        raise NotEligibleError("the run is damaged: its tasks are not those of its plan")
    attempts: set[str] = set()
    for task_id, record in records.items():
        if record.get("integration") not in _INTEGRATION:
            raise NotEligibleError("the run is damaged: a task has an unknown state")
        for value in a_list(record.get("attempts"), "the attempts of a task", MAX_LIST):
            attempt = _checked_attempt(value, run_id, task_id)
            if attempt in attempts:
                raise NotEligibleError("the run is damaged: an attempt is recorded twice")
            attempts.add(attempt)
    return Run(plans, records)


def _by_id(value: object, what: str) -> dict[str, Object]:
    tasks = [an_object(item, what) for item in a_list(value, "the list of tasks", MAX_TASKS)]
    by_id = {a_text(task.get("id"), "the id of a task"): task for task in tasks}
    if len(by_id) != len(tasks):
        raise NotEligibleError("the run is damaged: a task id is there twice")
    return by_id


def _checked_attempt(value: object, run_id: str, task_id: str) -> str:
    attempt = an_object(value, "an attempt")
    verification = an_object(attempt.get("verification"), "a verification")
    if attempt.get("execution") not in _EXECUTION or verification.get("status") not in _VERIFICATION:
        raise NotEligibleError("the run is damaged: an attempt has an unknown state")
    # The writer repeats where an attempt belongs; where it does, it must be right.
    if attempt.get("runId", run_id) != run_id or attempt.get("taskId", task_id) != task_id:
        raise NotEligibleError("the run is damaged: an attempt belongs to another task")
    return a_text(attempt.get("id"), "the id of an attempt")
