"""One run of ``zecher report``."""

from __future__ import annotations

import os
import sys

from brain.files.errors import WriteError
from jobs.cli.command import Invocation
from jobs.cli.show import show_problems
from jobs.config import load_configuration
from jobs.errors import DONE, ExpectedError, UsageError, nearest
from jobs.places import index_brain, refuse_reports_in_brain, reports_folder
from jobs.processes import ProcessError, find_program, start
from jobs.publishing import Page, publish, sealed
from jobs.reporting import HTML, KINDS, StoredReport, stored_report
from jobs.settings import read_settings
from jobs.surroundings import Surroundings
from reports.view import safe_display

# How long a viewer may take to say that it cannot: most hand the file over and end at once.
_VIEWER_SECONDS = 3.0


def run_report(invocation: Invocation) -> int:
    """The exit code of ``zecher report``."""
    typed, surroundings, streams = invocation.typed, invocation.surroundings, invocation.streams
    kind = _kind(typed.texts("kind"))
    to_stdout, redact, notes = typed.on("stdout"), typed.on("redact_paths"), typed.on("with_notes")
    if to_stdout and (typed.text("output") is not None or typed.on("open")):
        raise UsageError(
            "report-conflict",
            "--stdout and a file were asked for together",
            "--output and --open are about a file, --stdout writes none",
            "Leave one of them out.",
        )
    if redact and kind != HTML:
        raise UsageError(
            "report-conflict",
            f"--redact-paths does not fit the {kind} report",
            "only the dashboard can be made without paths",
            "Use zecher report html --redact-paths.",
        )
    if notes and (redact or kind != HTML):
        raise UsageError(
            "report-conflict",
            "--with-notes and --redact-paths were asked for together"
            if redact
            else f"--with-notes does not fit the {kind} report",
            "memories may name any path" if redact else "only the dashboard can show memories",
            "Leave one of them out." if redact else "Use zecher report html --with-notes.",
        )
    settings = read_settings(typed, surroundings)
    report = stored_report(kind, settings.state, settings.now, redact_paths=redact, with_notes=notes)
    if to_stdout:
        streams.result(report.text)
    else:
        path = _written(report, invocation)
        streams.result(safe_display(path) + "\n")
        if typed.on("open"):
            _open(path, surroundings)
    show_problems(streams, report.problems, verbose=typed.on("verbose"))
    return DONE


def _kind(words: tuple[str, ...]) -> str:
    if len(words) == 1 and words[0] in KINDS:
        return words[0]
    what = "no report named" if not words else f"no report is called {words[0]!r}"
    if len(words) > 1:
        what = f"{len(words)} reports named"
    neighbour = nearest(words[0], list(KINDS)) if len(words) == 1 else None
    fix = f"Did you mean {neighbour}?" if neighbour else "Name one of weekly, nightly and html."
    raise UsageError("report-what", what, "zecher report makes one of weekly, nightly and html", fix)


def _written(report: StoredReport, invocation: Invocation) -> str:
    """Where it stands now. What is no report of ours, or was changed, is not written over."""
    surroundings, output = invocation.surroundings, invocation.typed.text("output")
    # What a report tells is its owner's alone, whatever the shell was set to.
    os.umask(0o077)
    configuration = load_configuration(surroundings, invocation.typed.text("config"))
    if output is None:
        folder, name = reports_folder(surroundings, configuration), report.name
    else:
        folder, name = os.path.split(surroundings.absolute(output))
    refuse_reports_in_brain(folder, index_brain(invocation.typed, surroundings, configuration))
    try:
        (written,) = publish(folder, (Page(name, sealed(report.text)),), now=surroundings.now)
    except WriteError as error:
        raise ExpectedError(
            "report-write",
            "the report could not be written",
            str(error),
            "Check the folder, its permissions and the free space; or use --stdout.",
            path=error.path,
        ) from None
    return written.path


def _open(path: str, surroundings: Surroundings) -> None:
    name = "open" if sys.platform == "darwin" else "xdg-open"
    program = find_program(name, surroundings.environ)
    why = f"there is no {name} on the PATH"
    if program is not None:
        try:
            code = start((program, path), surroundings.environ).wait(_VIEWER_SECONDS)
        except ProcessError as error:
            code, why = 1, str(error)
        else:
            why = f"{name} ended with code {code}"
        if not code:
            return
    raise ExpectedError(
        "no-viewer",
        "the report was written but could not be opened",
        why,
        "Open the file yourself.",
        path=path,
    )
