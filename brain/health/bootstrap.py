"""What must be there before work on features begins: rules ``b-*`` (start, verify, progress, take over)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from brain.health import roles
from brain.health.finding import count, demanded, finding
from brain.health.starting import has_code, has_test, runs_tests, starts
from brain.health.values import LOW, MEDIUM, WARNING, Finding, MemoryFile, Rule
from brain.health.words import fold, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.page import Item, Page
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today


def _start(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if parsed.memory.kind != "project" or not has_code(parsed):
        return None
    if starts(parsed):
        return []
    message = "Nothing says how a fresh clone is started: no target, script, lock file, container, README."
    fix = "Add a target (make setup, make dev), or the commands in a fenced block of the README."
    return [finding(parsed, demanded(parsed, WARNING), "b-start", message, fix)]


def _verify(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if parsed.memory.kind != "project" or not has_code(parsed):
        return None
    if not runs_tests(parsed):
        message = "Nothing says how the project is checked: no target test or check, no test configuration."
        fix = "Add a target that runs the tests: make check."
    elif not has_test(parsed):
        message = "There is a way to run tests and no test."
        fix = "Write one real test that passes, so that the next session can tell green from nothing."
    else:
        return []
    return [finding(parsed, demanded(parsed, WARNING), "b-verify", message, fix)]


def _progress(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if parsed.memory.kind != "project" or (not parsed.handovers and not has_code(parsed)):
        return None
    if any(handover.present for handover in parsed.handovers):
        return []
    if any(not handover.recognised for handover in parsed.handovers):
        return None
    message = (
        "No file says where the work stands."
        if not parsed.handovers
        else "The progress file has no known field."
    )
    file = parsed.handovers[0].file.path if parsed.handovers else ""
    fix = "Write PROGRESS.md with goal, state (HEAD, tests), blockers and next step."
    return [finding(parsed, demanded(parsed, WARNING), "b-progress", message, fix, file=file)]


def _tasks(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if parsed.memory.kind != "project":
        return None
    files = parsed.files(roles.TASKS)
    if not files and not has_code(parsed):
        return None
    complaints = [_task_complaint(parsed, file) for file in files if file.data]
    if any(complaint == "" for complaint in complaints):
        return []
    file, message = "", "No list of tasks with acceptance criteria: a new session cannot take work over."
    if complaints:
        file, message = next(one for one in files if one.data).path, complaints[0]
    fix = (
        "List the open tasks, each with what proves it: - [ ] paging, done when the test for page 2 is green."
    )
    return [finding(parsed, demanded(parsed, WARNING), "b-tasks", message, fix, file=file)]


def _task_complaint(parsed: ParsedMemory, file: MemoryFile) -> str:
    """What a file of tasks lacks to be taken over, empty if nothing."""
    if not file.path.lower().endswith(".json"):
        return _list_complaint(parsed.page(file))
    try:
        document = json.loads(file.data.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return "The list of tasks is no valid JSON."
    tasks = list(_task_objects(document))
    if not tasks:
        return "The list of tasks holds no task."
    whole = sum(_is_whole(task) for task in tasks)
    if whole == len(tasks):
        return ""
    return f"{len(tasks) - whole} of {count(len(tasks), 'task')} without a state (passes) or without steps."


def _task_objects(document: object) -> Iterator[dict[str, object]]:
    if isinstance(document, dict):
        document = next((value for value in document.values() if isinstance(value, list)), [])
    if isinstance(document, list):
        yield from (task for task in document if isinstance(task, dict))


def _is_whole(task: dict[str, object]) -> bool:
    state = isinstance(task.get("passes"), bool) or bool(task.get("status"))
    return state and any(
        task.get(key)
        for key in ("steps", "acceptance", "acceptance_criteria", "acceptanceCriteria", "criteria")
    )


def _list_complaint(page: Page) -> str:
    """A Markdown list is enough where at least half of the open items name a criterion."""
    open_items = [item for item in page.items if item.checked is False]
    if not open_items:
        open_items = [item for item in page.items if item.checked is None and not item.indent]
        if any(item.checked for item in page.items):
            return ""
    if not open_items:
        return "The list of tasks holds no task."
    lacking = 0
    for item in open_items:
        lacking += not _names_criterion(page, item)
        if lacking * 2 > len(open_items):
            return (
                f"More than half of {count(len(open_items), 'open task')} without a criterion that proves it."
            )
    return ""


def _names_criterion(page: Page, item: Item) -> bool:
    """Whether an item, or what is indented below it, names a criterion or a command."""
    criterion = words("tasks", "criterion")
    if "`" in item.text or criterion.within(fold(item.text)):
        return True
    below = []
    for text in page.lines[item.line + 1 : item.line + 12]:
        if text.strip() and len(text) - len(text.lstrip()) <= item.indent:
            break
        below.append(text)
    whole = "\n".join(below)
    return "`" in whole or criterion.within(fold(whole))


RULES = (
    Rule("b-start", MEDIUM, "A fresh clone says how it is started.", _start),
    Rule("b-verify", MEDIUM, "A fresh clone can be checked, and has a test.", _verify),
    Rule("b-progress", MEDIUM, "A file says where the work stands.", _progress),
    Rule("b-tasks", LOW, "A list of tasks with criteria can be taken over.", _tasks),
)
