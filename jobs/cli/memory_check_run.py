"""One run of ``zecher memory check``."""

from __future__ import annotations

from brain.health.values import LEVELS
from jobs.cli.command import Invocation
from jobs.cli.show import chosen_format, last_line, show_problems, text_width
from jobs.config import load_configuration
from jobs.errors import CHECKED, DONE, FAILED, PARTIAL, UsageError, nearest
from jobs.memory import project_around
from jobs.memory_check import Checkup, check_all, check_one
from jobs.progress import Progress
from jobs.settings import output_settings, scan_settings
from reports.document import envelope, to_json
from reports.findings import findings_document, findings_text, findings_tsv, gain_lines, reaches, summary
from scanner.value import replace


def run_check(invocation: Invocation) -> int:
    """The exit code of ``zecher memory check``."""
    typed, streams, surroundings = invocation.typed, invocation.streams, invocation.surroundings
    output = output_settings(typed, surroundings)
    fail_on = _level(typed.text("fail_on"))
    settings = replace(scan_settings(typed, surroundings, here=False), real_git=False)
    everywhere = typed.on("all")
    if everywhere and typed.text("directory"):
        raise UsageError(
            "check-what", "--all with -d", "either one project or all are checked", "Leave one of them out."
        )
    with Progress(streams) as progress:
        if everywhere:
            checkup = check_all(settings, load_configuration(surroundings, typed.text("config")), progress)
        else:
            checkup = check_one(settings, project_around(typed, surroundings), progress)
    code = _exit_code(checkup, fail_on)
    shape = chosen_format(invocation, output)
    if shape == "json":
        data = findings_document(checkup.checked, checkup.percent, checkup.gains)
        streams.result(
            to_json(envelope("memory.check", settings.now, data, checkup.problems, ok=code == DONE))
        )
        return code
    verbose = typed.on("verbose")
    home = settings.home if streams.result_is_terminal else ""
    if shape == "tsv":
        streams.result(findings_tsv(checkup.checked))
    else:
        width = text_width(invocation)
        text = findings_text(checkup.checked, home=home, everything=verbose, width=width)
        if len(checkup.checked) > 1:
            text += "".join(f"{line}\n" for line in gain_lines(checkup.gains, width))
        streams.result(text)
    show_problems(streams, checkup.problems, verbose=verbose)
    last_line(invocation, summary(checkup.checked, checkup.percent))
    return code


def _level(text: str | None) -> str | None:
    if text is None or text in LEVELS:
        return text
    neighbour = nearest(text, list(LEVELS))
    raise UsageError(
        "bad-value",
        f"--fail-on {text}",
        f"{text!r} is not one of {', '.join(LEVELS)}",
        f"Did you mean {neighbour}?" if neighbour else "Use --fail-on error, for example.",
    )


def _exit_code(checkup: Checkup, fail_on: str | None) -> int:
    """What ``--fail-on`` asked for comes first, for it is what a script waits for."""
    if fail_on is not None and reaches(checkup.checked, fail_on):
        return CHECKED
    if any(problem.level == "error" for problem in checkup.problems):
        return PARTIAL if checkup.checked else FAILED
    return DONE
