"""One run of ``zecher resume``."""

from __future__ import annotations

from jobs.cli.command import Invocation
from jobs.cli.show import show_problems, text_width
from jobs.config import load_configuration
from jobs.errors import DONE, PARTIAL, UsageError
from jobs.memory import project_folder
from jobs.progress import Progress
from jobs.resume import project_here, project_path, resumed
from jobs.settings import ScanSettings, output_settings, scan_settings
from jobs.streams import wants_colour
from jobs.workspaces import workspaces
from reports.resume import (
    LeftOut,
    Render,
    Resumed,
    TooSmallError,
    coloured,
    fitted,
    resume_markdown,
    resume_text,
)
from scanner.value import replace

_MOST_TOKENS = 1_000_000


def run_resume(invocation: Invocation) -> int:
    """The exit code of ``zecher resume``."""
    typed, streams, surroundings = invocation.typed, invocation.streams, invocation.surroundings
    output = output_settings(typed, surroundings)
    shape = _shape(invocation, output.format)
    budget = _budget(typed.text("budget"))
    settings = replace(scan_settings(typed, surroundings, here=False), real_git=False)
    path = _path(invocation, settings)
    with Progress(streams) as progress:
        found = resumed(settings, path, progress)
    colour = wants_colour(output.colour, surroundings.environ, is_terminal=streams.result_is_terminal)
    everything, width = typed.on("verbose"), text_width(invocation)
    render = _render(shape, settings, budget, everything=everything, width=width)
    text = render(found, ()) if budget is None else _fitted(found, budget, render)
    streams.result(coloured(text) if shape == "text" and colour else text)
    show_problems(streams, found.problems, verbose=True)
    return _code(found)


def _code(found: Resumed) -> int:
    return PARTIAL if any(problem.level == "error" for problem in found.problems) else DONE


def _shape(invocation: Invocation, asked: str | None) -> str:
    """``text``, ``markdown`` or ``json``."""
    if invocation.typed.on("markdown"):
        if invocation.typed.on("json"):
            raise UsageError(
                "format-conflict",
                "--json and --markdown contradict each other",
                "one command has one output",
                "Leave one of them out.",
            )
        return "markdown"
    return {"json": "json", "md": "markdown"}.get(asked or "", "text")


def _budget(text: str | None) -> int | None:
    if text is None:
        return None
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
    if not 0 < number <= _MOST_TOKENS:
        raise UsageError(
            "bad-value",
            f"--budget {text}",
            f"{text!r} is not a whole number from 1 to {_MOST_TOKENS:,}",
            "Give a number of tokens, for example --budget 800.",
        )
    return number


def _path(invocation: Invocation, settings: ScanSettings) -> str:
    typed, surroundings = invocation.typed, invocation.surroundings
    words = typed.texts("project")
    if len(words) > 1 or (words and typed.text("directory")):
        raise UsageError(
            "resume-what",
            f"{len(words)} projects{' and -d' if typed.text('directory') else ''}",
            "zecher resume shows one project",
            "Name one; a name with blanks needs quotes.",
        )
    if words:
        others = workspaces(load_configuration(surroundings, typed.text("config")))
        return project_path(words[0], settings, surroundings.absolute, others)
    folder = project_folder(typed, surroundings)
    return folder if typed.text("directory") else project_here(folder, settings)


def _render(
    shape: str, settings: ScanSettings, budget: int | None, *, everything: bool, width: int
) -> Render:
    def as_text(found: Resumed, left_out: tuple[LeftOut, ...]) -> str:
        return resume_text(found, left_out, home=settings.home, everything=everything, width=width)

    def as_document(found: Resumed, left_out: tuple[LeftOut, ...]) -> str:
        from reports.document import envelope, to_json  # noqa: PLC0415 - only for JSON
        from reports.resume_document import resume_document  # noqa: PLC0415 - as above

        data = resume_document(found, left_out, budget)
        return to_json(envelope("resume", settings.now, data, found.problems, ok=_code(found) == DONE))

    if shape == "markdown":
        return resume_markdown
    return as_document if shape == "json" else as_text


def _fitted(found: Resumed, budget: int, render: Render) -> str:
    try:
        return fitted(found, budget, render)
    except TooSmallError as error:
        raise UsageError(
            "budget-too-small",
            f"--budget {budget}",
            f"the frame alone needs {error.needed:,} tokens",
            f"Give at least --budget {error.needed}.",
        ) from None
