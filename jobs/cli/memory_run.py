"""One run of a ``zecher memory`` command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from brain.entries.errors import DuplicateError, EntryError
from brain.files.errors import ChangedError, LockedError, WriteError
from brain.wording import plural
from jobs import memory
from jobs.cli.command import Invocation
from jobs.cli.show import last_line, show_problems
from jobs.config import load_configuration
from jobs.errors import DONE, FAILED, PARTIAL, ExpectedError, UsageError, nearest
from jobs.errors import LockedError as Locked
from jobs.places import state_folder
from jobs.problems import ours
from jobs.settings import output_settings, scan_settings
from reports.document import Document, envelope, linked_document, located, to_json
from reports.view import below_home
from scanner.project import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.search.keeping import State

# What a person says to the file that holds it.
KINDS = {"decision": "decisions", "lesson": "lessons", "pattern": "patterns"}


class _Run:
    """What every command of the family knows, and how it ends: with a document or with lines."""

    def __init__(self, invocation: Invocation, name: str) -> None:
        self.invocation = invocation
        self.typed = invocation.typed
        self.streams = invocation.streams
        self.name = name
        self.as_json = output_settings(self.typed, invocation.surroundings).format == "json"
        self.settings = memory.memory_settings(self.typed, invocation.surroundings)
        # At a terminal the home is shown as ~; a program in a pipe gets whole paths.
        self.home = self.settings.home if self.streams.result_is_terminal else ""

    def show(self, path: str) -> str:
        return below_home(path, self.home)

    def document(self, data: Document, problems: Sequence[Problem], code: int) -> int:
        envelope_ = envelope(f"memory.{self.name}", self.settings.now, data, tuple(problems), ok=code == DONE)
        self.streams.result(to_json(envelope_))
        return code

    def lines(self, lines: Sequence[str]) -> None:
        """Print lines whose foreign parts were made harmless before."""
        self.streams.result("".join(f"{line}\n" for line in lines))

    def end(self, problems: Sequence[Problem], notes: Sequence[str] = ()) -> None:
        for note in notes:
            self.streams.hint(f"note: {note}")
        show_problems(self.streams, problems, verbose=True)


# -- status -------------------------------------------------------------------------------------------------


def run_status(invocation: Invocation) -> int:
    """The exit code of ``zecher memory status``."""
    from jobs.dreaming_status import dreaming_facts  # noqa: PLC0415 - as above
    from jobs.memory_check import check_status  # noqa: PLC0415 - as above
    from jobs.memory_index import unkept  # noqa: PLC0415 - as above
    from reports.dreaming_state import (  # noqa: PLC0415 - as above
        dreaming_document,
        dreaming_line,
        mends_document,
        mends_text,
    )
    from reports.memory import status_document, status_text  # noqa: PLC0415 - start-up: only this command
    from reports.search import index_document, index_line  # noqa: PLC0415 - as above

    run = _Run(invocation, "status")
    run.settings = memory.around(run.settings, run.typed, invocation.surroundings)
    repair = _repair(run)
    brain = memory.linked_brain(run.settings)
    status = memory.status(run.settings, brain)
    settings = scan_settings(run.typed, invocation.surroundings, here=False)
    healths, problems = check_status(settings, run.settings.project, brain.path)
    code = PARTIAL if any(problem.level == "error" for problem in problems) else DONE
    index = _index_state(run)
    problems = (*problems, *unkept(index.path, index.why_not))
    dreaming = dreaming_facts(run.typed, invocation.surroundings, run.settings.project)
    if run.as_json:
        data = {
            **status_document(status, healths),
            "index": index_document(index),
            "dreaming": None if dreaming is None else dreaming_document(dreaming),
            "repair": None if repair is None else mends_document(repair, dry=not run.typed.on("apply")),
        }
        return run.document({**data, "warnings": list(brain.warnings)}, problems, code)
    text = status_text(status, healths, run.home, index_line(index))
    text += "" if dreaming is None else f"dreaming {dreaming_line(dreaming)}\n"
    text += "" if repair is None else mends_text(repair, run.home, dry=not run.typed.on("apply"))
    run.streams.result(text)
    run.end(problems)
    return code


def _repair(run: _Run) -> list[tuple[str, str, str, int, bool]] | None:
    """What of the state of dreaming is mended, or could be; None where nobody asked for it."""
    wanted = {name: run.typed.on(name) for name in ("fix", "apply", "yes")}
    if (wanted["apply"] and not wanted["fix"]) or (wanted["yes"] and not wanted["apply"]):
        raise UsageError(
            "fix-what",
            "--yes without --apply" if wanted["yes"] and not wanted["apply"] else "--apply without --fix",
            "--fix lists what could be mended, --fix --apply mends it, --yes then asks nothing",
            "Write --fix --apply.",
        )
    if not wanted["fix"]:
        return None
    from jobs.dreaming_mend import mend, mends  # noqa: PLC0415 - start-up: only where it is asked for

    state = state_folder(
        run.invocation.surroundings, load_configuration(run.invocation.surroundings, run.typed.text("config"))
    )
    root = run.settings.project

    def agree(path: str) -> bool:
        if wanted["yes"] or not run.streams.can_ask:
            return wanted["yes"]
        answer = run.streams.ask(f"Forget {run.show(path)}, which is gone? [y]es, [n]o:") or ""
        return answer.strip().lower() in ("y", "yes")

    found = mend(state, root, agree) if wanted["apply"] else mends(state, root)
    return [(one.action, one.words, one.path, one.count, one.done) for one in found]


def _index_state(run: _Run) -> State:
    """How the search index stands; one that cannot even be opened is told, not fatal."""
    import sqlite3  # noqa: PLC0415 - start-up: only this command

    from brain.search.keeping import DAMAGED, State  # noqa: PLC0415 - as above
    from jobs.memory_index import index_settings, state  # noqa: PLC0415 - as above

    settings = index_settings(
        run.typed, run.invocation.surroundings, project=run.settings.project, named=run.settings.named
    )
    try:
        return state(settings)
    except sqlite3.Error as error:
        return State(settings.path, integrity=DAMAGED, why_not=str(error))


# -- init ---------------------------------------------------------------------------------------------------


def run_init(invocation: Invocation) -> int:
    """The exit code of ``zecher memory init``."""
    run = _Run(invocation, "init")
    dry_run = run.typed.on("dry_run")
    plan = memory.plan(run.settings, user=run.typed.text("user"), language=run.typed.text("language"))
    done = memory.dry(plan) if dry_run else memory.initialise(plan)
    problems = ours(done.problems)
    code = FAILED if any(problem.level == "error" for problem in problems) else DONE
    if run.as_json:
        data: Document = {
            "project": run.settings.project,
            "brain": linked_document(plan.brain),
            "created": list(done.created),
            "kept": list(done.kept),
            "notes": list(done.notes),
            "dry_run": dry_run,
        }
        return run.document(data, problems, code)
    word = "would create" if dry_run else "created"
    lines = [f"{word}\t{run.show(path)}" for path in done.created]
    if run.typed.on("verbose"):
        lines += [f"kept\t{run.show(path)}" for path in done.kept]
    run.lines(lines)
    run.end(problems, done.notes)
    last_line(
        invocation, _init_summary(len(done.created), len(done.kept), dry_run=dry_run, failed=code != DONE)
    )
    return code


def _init_summary(created: int, kept: int, *, dry_run: bool, failed: bool) -> str:
    if failed and not created:
        return f"nothing created, {kept} kept as they were"
    if not created:
        return f"nothing {'is missing' if dry_run else 'was missing'}: {kept} of {kept} are there"
    if dry_run:
        return f"dry run, nothing written; {created} to create, {kept} stay as they are"
    return f"{created} created, {kept} kept as they were"


# -- add ----------------------------------------------------------------------------------------------------


def run_add(invocation: Invocation) -> int:
    """The exit code of ``zecher memory add``."""
    words = invocation.typed.texts("words")
    kind = _kind(words[0] if words else "")
    title = " ".join(words[1:])
    if not title.strip():
        raise UsageError(
            "entry-title",
            f"a {words[0]} without a title",
            "the title is the heading of the entry",
            f"Give it after the kind: zecher memory add {words[0]} 'What it is about'.",
        )
    run = _Run(invocation, "add")
    run.settings = memory.around(run.settings, run.typed, invocation.surroundings)
    fields = _fields(invocation, words[0], kind)
    with _told(run.settings.project):
        added = memory.add(run.settings, kind, title, fields)
    if run.as_json:
        data: Document = {"kind": words[0], "title": title, **_file(added.file), "line": added.line}
        return run.document(data, (), DONE)
    run.lines([f"added to {run.show(added.file)}:{added.line}"])
    return DONE


def _kind(word: str) -> str:
    if word in KINDS:
        return KINDS[word]
    neighbour = nearest(word, list(KINDS)) if word else None
    raise UsageError(
        "entry-kind",
        f"{word!r} is no kind of entry" if word else "nothing to add",
        f"an entry is one of {', '.join(KINDS)}",
        f"Did you mean {neighbour}?"
        if neighbour
        else "For example: zecher memory add decision 'Use SQLite'.",
    )


def _fields(invocation: Invocation, word: str, kind: str) -> dict[str, str]:
    known = memory.fields_of(kind)
    found = {}
    for canonical in dict.fromkeys(name for one in KINDS.values() for name in memory.fields_of(one)):
        value = invocation.typed.text(canonical)
        if value is None:
            continue
        if canonical not in known:
            name = canonical.replace("_", "-")
            fitting = ", ".join("--" + one.replace("_", "-") for one in known)
            raise UsageError("entry-field", f"--{name}", f"a {word} has no such field", f"It has {fitting}.")
        found[canonical] = value
    return found


# -- export -------------------------------------------------------------------------------------------------


def run_export(invocation: Invocation) -> int:
    """The exit code of ``zecher memory export``."""
    from brain.archive import NoBrainError  # noqa: PLC0415 - start-up: only this command

    run = _Run(invocation, "export")
    output = run.typed.text("output")
    brain = memory.linked_brain(run.settings)
    try:
        with _told(run.settings.project, "the export"):
            done = memory.export(
                run.settings,
                brain,
                output=None if output is None else invocation.surroundings.absolute(output),
                redact=not run.typed.on("no_redact"),
            )
    except NoBrainError as error:
        remedy = "Mend that" if brain.warnings else "Make one with zecher memory init"
        raise ExpectedError(
            "no-brain",
            f"no brain at {error.path}",
            "\n".join(brain.warnings) or f"that is where this project's brain should be ({brain.source})",
            f"{remedy}, or name another with --brain.",
            path=error.path,
        ) from None
    problems = ours(done.problems)
    code = PARTIAL if problems else DONE
    if run.as_json:
        data: Document = {
            **_file(done.file),
            "brain": linked_document(brain),
            "parts": [{"title": part.title, "kind": part.kind, "source": part.source} for part in done.parts],
            "redacted": done.redacted,
        }
        return run.document(data, problems, code)
    run.lines([f"exported to {run.show(done.file)}"])
    run.end(problems)
    secrets = (
        "secrets left in" if run.typed.on("no_redact") else f"{plural(done.redacted, 'secret')} replaced"
    )
    parts = sum(part.kind != "section" for part in done.parts)
    last_line(invocation, f"{plural(parts, 'part')}, {secrets}")
    return code


@contextmanager
def _told(project: str, what: str = "the memory") -> Iterator[None]:
    """What the brain raises when a memory file cannot be written, in the words of the command line."""
    try:
        yield
    except DuplicateError as error:
        raise ExpectedError(
            "entry-duplicate",
            f"{error.title!r} is there already",
            f"an entry of that title and of {error.date} stands in line {error.line}",
            "Extend that one, or choose another title.",
            path=project,
        ) from None
    except EntryError as error:
        raise ExpectedError(
            "entry-refused",
            "the entry was not added",
            str(error),
            "Mend what is named, then add it again.",
            path=project,
        ) from None
    except LockedError as error:
        raise Locked(
            "brain-locked",
            "another run holds the memory",
            str(error),
            "Wait until it has ended.",
            path=error.path,
        ) from None
    except (WriteError, ChangedError) as error:
        raise ExpectedError(
            "brain-write",
            f"{what} could not be written",
            str(error),
            "Check the folder, its permissions and the free space, then run it again.",
            path=error.path,
        ) from None


# -- what documents share -----------------------------------------------------------------------------------


def _file(path: str) -> Document:
    found = located(path)
    return {"file": found.pop("path"), **found}
