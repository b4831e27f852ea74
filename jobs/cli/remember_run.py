"""One run of ``zecher remember``, ``forget``, ``note``, ``memory edit`` or ``memory list``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from brain.files.atomic import OutsideError
from brain.files.errors import ChangedError, LockedError, WriteError
from brain.remember.errors import RememberError
from brain.remember.places import PROJECT, USER, Place
from jobs import note, remember
from jobs.audit import record, remembered
from jobs.cli.command import Invocation
from jobs.cli.show import chosen_format, show_problems
from jobs.errors import DONE, PARTIAL, ExpectedError, UsageError
from jobs.errors import LockedError as Locked
from jobs.memory import refuse_no_project
from jobs.settings import output_settings
from reports import remember as report
from reports.document import Document, envelope, to_json
from scanner.project import Problem

_STANDARD_INPUT = "-"
_MODES = ("append", "prepend", "replace", "section", "find")


class _Run:
    """What every command of the family knows, and how it ends: with a document or with lines."""

    def __init__(self, invocation: Invocation, name: str) -> None:
        self.typed = invocation.typed
        self.streams = invocation.streams
        self.surroundings = invocation.surroundings
        self._name = name
        self.output = output_settings(self.typed, self.surroundings)
        self.settings = remember.remember_settings(self.typed, self.surroundings)
        # At a terminal the home is shown as ~; a program in a pipe gets whole paths.
        self.home = self.settings.home if self.streams.result_is_terminal else ""

    @property
    def axis(self) -> str:
        """What the options name: the user, a project, or empty for neither."""
        user = self.typed.on("user")
        project = self.typed.text("project") is not None or self.typed.text("directory") is not None
        if user and self.typed.text("project") is not None:
            raise UsageError(
                "remember-axis",
                "--user and --project",
                "a fact is about the user or about a project",
                "Leave one of them out.",
            )
        return USER if user else PROJECT if project else ""

    def places(self) -> tuple[Place, ...]:
        """The folders of the axis that the options name, else of both, the project's first."""
        axis = self.axis
        user = remember.users(self.settings) if axis != PROJECT else ()
        return user if axis == USER else (*remember.projects(self.settings), *user)

    def text(self, words: Sequence[str], what: str) -> str:
        """The words as they were typed, or standard input."""
        if words and list(words) != [_STANDARD_INPUT]:
            return " ".join(words)
        given = self.streams.given(remember.INPUT_CAP)
        if given is None:
            raise UsageError(
                "no-text",
                f"no {what}",
                "nothing was typed, and nothing comes from a pipe",
                "Give it in quotes.",
            )
        return given

    def end(
        self, data: Document, text: str, notes: Sequence[str] = (), problems: Sequence[Problem] = ()
    ) -> int:
        """Print what became of it."""
        code = PARTIAL if problems else DONE
        if self.output.format == "json":
            self.streams.result(
                to_json(envelope(self._name, self.settings.now, data, tuple(problems), ok=code == DONE))
            )
            return code
        self.streams.result(text)
        for one in notes:
            self.streams.hint(f"note: {one}")
        show_problems(self.streams, problems, verbose=True)
        return code


def run_remember(invocation: Invocation) -> int:
    """The exit code of ``zecher remember``."""
    run = _Run(invocation, "remember")
    axis = run.axis
    if not axis:
        raise UsageError(
            "remember-axis",
            "neither --user nor --project",
            "a fact about the user is kept in the brain, one about a project in the project",
            "Say --user, --project, or -d PATH.",
        )
    if axis == PROJECT and not (run.typed.text("project") or run.typed.text("directory")):
        refuse_no_project(run.settings)
    text = run.text(run.typed.texts("words"), "observation")
    with _told():
        done = remember.remember(
            run.settings,
            run.places(),
            text,
            category=run.typed.text("category"),
            summary=run.typed.text("summary"),
            token=run.typed.text("version_token"),
        )
    project = run.settings.project if axis == PROJECT else ""
    record(run.typed, run.surroundings, remembered(done, axis, project))
    return run.end(
        report.remembered_document(done, axis),
        report.remembered_text(done, run.home),
        report.remembered_notes(done, run.home),
    )


def run_forget(invocation: Invocation) -> int:
    """The exit code of ``zecher forget``."""
    run = _Run(invocation, "forget")
    words = run.typed.texts("words")
    if len(words) != 1:
        raise UsageError(
            "forget-what",
            "one ID at a time" if words else "no ID",
            "an observation is named by what stands in the comment behind it",
            "For example: zecher forget k3f9.",
        )
    undo = run.typed.on("undo")
    with _told():
        done = remember.forget(run.settings, run.places(), words[0].strip("()"), undo=undo)
    return run.end(report.forgotten_document(done), report.forgotten_text(done, run.home, undo=undo))


def run_note(invocation: Invocation) -> int:
    """The exit code of ``zecher note``."""
    run = _Run(invocation, "note")
    text = run.text(run.typed.texts("words"), "note")
    is_fixed = bool(run.typed.text("now") or run.surroundings.variable("NOW"))
    base = note.workspace(run.typed, run.surroundings)
    with _told():
        done = note.note(base, text, run.surroundings, slug=run.typed.text("slug") or "", is_fixed=is_fixed)
    hidden = [f"{done.hidden_in} above it never ends: readers do not see the note"] if done.hidden_in else []
    return run.end(report.noted_document(done, base), report.noted_text(done, run.home), hidden)


def run_edit(invocation: Invocation) -> int:
    """The exit code of ``zecher memory edit``."""
    run = _Run(invocation, "memory.edit")
    words = run.typed.texts("words")
    modes = [mode for mode in _MODES if run.typed.text(mode) is not None]
    if len(words) != 1 or len(modes) != 1:
        raise UsageError(
            "edit-what",
            "one FILE and one of --append, --prepend, --replace, --section, --find are needed",
            "an edit changes one note in one way",
            "For example: zecher memory edit preferences --append 'Likes tabs'.",
        )
    mode = modes[0]
    target = ""
    content = run.typed.text(mode) or ""
    replaces = mode in ("section", "find")
    if replaces is not (run.typed.text("with") is not None):
        raise UsageError(
            "edit-what",
            f"--{mode} {'without' if replaces else 'and'} --with",
            "--section and --find say what goes, --with what comes; the others need nothing else",
            "Give --with TEXT, empty to take it out." if replaces else "Leave --with out.",
        )
    if replaces:
        target, content = content, run.typed.text("with") or ""
    if content == _STANDARD_INPUT:
        content = run.text((), "text")
        # In place of a whole text it counts as it is; a part of one does not end as a file ends.
        content = content if mode == "replace" else content.removesuffix("\n")
    with _told():
        done = remember.edit(
            run.settings,
            run.places(),
            words[0],
            run.surroundings.absolute("."),
            mode=mode,
            content=content,
            target=target,
            token=run.typed.text("version_token"),
        )
    return run.end(report.edited_document(done, mode), report.edited_text(done, run.home))


def run_list(invocation: Invocation) -> int:
    """The exit code of ``zecher memory list``."""
    run = _Run(invocation, "memory.list")
    with _told():
        found, unread = remember.listing(run.places())
    problems = [
        Problem(
            "memory-unreadable", "error", one.path, f"left out: {one.why}", "Mend the file, then look again."
        )
        for one in unread
    ]
    is_table = chosen_format(invocation, run.output) == "table"
    text = report.categories_text(found, run.home) if is_table else report.categories_tsv(found)
    return run.end(report.categories_document(found), text, problems=problems)


@contextmanager
def _told() -> Iterator[None]:
    """What the brain raises, in the words of the command line."""
    try:
        yield
    except RememberError as error:
        raise ExpectedError(
            error.code, error.message, "nothing was changed", error.fix, path=error.path
        ) from None
    except LockedError as error:
        raise Locked(
            "brain-locked",
            "another run holds the memory",
            str(error),
            "Wait until it has ended.",
            path=error.path,
        ) from None
    except (WriteError, ChangedError, OutsideError) as error:
        raise ExpectedError(
            "brain-write",
            "the memory could not be written",
            str(error),
            "Check the folder, its permissions and the free space, then run it again.",
            path=error.path,
        ) from None
