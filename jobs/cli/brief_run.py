"""One run of ``zecher brief``."""

from __future__ import annotations

from jobs.brief import BUDGET, brief_settings, briefed
from jobs.cli.command import Invocation
from jobs.errors import DONE, PARTIAL, UsageError
from reports import brief as report
from scanner.project import Problem

_MOST_TOKENS = 1_000_000


def run_brief(invocation: Invocation) -> int:
    """The exit code of ``zecher brief``."""
    typed, streams, surroundings = invocation.typed, invocation.streams, invocation.surroundings
    budget = _budget(typed.text("budget"))
    settings = brief_settings(typed, surroundings)
    done, unread = briefed(settings, budget)
    problems = tuple(
        Problem("memory-unreadable", "warning", one.path, f"left out: {one.why}", "Mend the file.")
        for one in unread
    )
    code = PARTIAL if problems else DONE
    if typed.on("json"):
        from reports.document import envelope, to_json  # noqa: PLC0415 - start-up: only for --json

        data = report.brief_document(done, settings.project, budget)
        streams.result(to_json(envelope("brief", settings.now, data, problems, ok=code == DONE)))
        return code
    streams.result(done.context)
    home = settings.home if streams.result_is_terminal else ""
    for line in report.brief_notes(done, budget, home, everything=typed.on("verbose")):
        streams.hint(line)
    for one in problems:
        streams.hint(f"{one.path}: {one.message}")
    return code


def _budget(text: str | None) -> int:
    if text is None:
        return BUDGET
    if text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= _MOST_TOKENS:
        return int(text)
    raise UsageError(
        "bad-value",
        f"--budget {text}",
        f"{text!r} is no whole number from 1 to {_MOST_TOKENS:,}",
        "Give a number of tokens, for example --budget 2000.",
    )
