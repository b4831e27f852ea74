"""How every command shows rows, problems and its last line."""

from __future__ import annotations

from collections.abc import Sequence

from jobs.cli.command import Invocation
from jobs.settings import OutputSettings
from jobs.streams import Streams, terminal_width, wants_colour
from reports.table import Row, legend, markdown, tsv
from reports.view import safe_display
from scanner.project import Problem

_SHOWN_PROBLEMS = 10
_WIDTH, _NARROWEST = 80, 40


def chosen_format(invocation: Invocation, output: OutputSettings) -> str:
    """The format asked for; else a table for a person at a terminal and text for a program in a pipe."""
    return output.format or ("table" if invocation.streams.result_is_terminal else "tsv")


def show_rows(
    invocation: Invocation,
    output: OutputSettings,
    rows: tuple[Row, ...],
    *,
    now: float,
    home: str,
    with_seen: bool = False,
) -> None:
    """``rows`` on standard output, in any format but JSON; ``with_seen``: with what the last job saw."""
    shape = chosen_format(invocation, output)
    if shape == "tsv":
        invocation.streams.result(tsv(rows, now, with_seen=with_seen))
    elif shape == "md":
        invocation.streams.result(markdown(rows, now, home, with_seen=with_seen))
    elif rows:
        invocation.streams.result(_table(invocation, output, rows, now, home, with_seen=with_seen))
        if with_seen:
            last_line(invocation, legend(rows))


def _table(
    invocation: Invocation,
    output: OutputSettings,
    rows: tuple[Row, ...],
    now: float,
    home: str,
    *,
    with_seen: bool,
) -> str:
    from jobs.console import table  # noqa: PLC0415 - start-up: rich costs 50 ms

    environ = invocation.surroundings.environ
    is_terminal = invocation.streams.result_is_terminal
    colour = wants_colour(output.colour, environ, is_terminal=is_terminal)
    width = terminal_width(environ)
    return table(rows, now=now, home=home, width=width, colour=colour, with_seen=with_seen)


def text_width(invocation: Invocation) -> int:
    """How many cells a line of text has: 80, fewer at a narrow terminal, never less than 40."""
    if not invocation.streams.result_is_terminal:
        return _WIDTH
    return min(_WIDTH, max(_NARROWEST, terminal_width(invocation.surroundings.environ)))


def show_problems(streams: Streams, problems: Sequence[Problem], *, verbose: bool) -> None:
    """Errors always, the first ten; warnings as a count; all of them with ``verbose``."""
    errors = [problem for problem in problems if problem.level == "error"]
    others = [problem for problem in problems if problem.level != "error"]
    shown = [*errors, *others] if verbose else errors[:_SHOWN_PROBLEMS]
    for problem in shown:
        streams.message(problem_line(problem))
    hidden = len(problems) - len(shown)
    if hidden:
        kind = "problem" if len(errors) > _SHOWN_PROBLEMS else "warning"
        streams.hint(f"{hidden:,} more {kind}{'' if hidden == 1 else 's'}: -v lists them")


def problem_line(problem: Problem) -> str:
    """One problem on one line, its code last."""
    where = f"{problem.path}: " if problem.path else ""
    fix = f" ({problem.fix})" if problem.fix else ""
    return f"{problem.level}: {where}{problem.message}{fix} [{problem.code}]"


def last_line(invocation: Invocation, line: str) -> None:
    """A line after the result: under a table on the same screen, else on standard error."""
    streams = invocation.streams
    if streams.quiet:
        return
    if streams.result_is_terminal:
        streams.result(safe_display(line) + "\n")
    else:
        streams.message(line)
