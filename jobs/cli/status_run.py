"""One run of ``zecher status``."""

from __future__ import annotations

from jobs.cli.command import Invocation
from jobs.cli.show import chosen_format, last_line, show_problems, text_width
from jobs.config import load_configuration
from jobs.errors import CHECKED, DONE, FAILED, PARTIAL
from jobs.progress import Progress
from jobs.settings import output_settings, scan_settings
from jobs.status import gather, with_dreaming, with_nightly
from reports.document import envelope, to_json
from reports.status import PortfolioStatus, portfolio_line, status_text, status_tsv, summary_lines
from scanner.project import Problem


def run_status(invocation: Invocation) -> int:
    """The exit code of ``zecher status``."""
    typed, streams, surroundings = invocation.typed, invocation.streams, invocation.surroundings
    output = output_settings(typed, surroundings)
    settings = scan_settings(typed, surroundings, here=False)
    with Progress(streams) as progress:
        status, problems = gather(settings, surroundings.environ, progress)
    configuration = load_configuration(surroundings, typed.text("config"))
    status = with_dreaming(with_nightly(status, configuration, settings), configuration, settings)
    code = exit_code(status, problems, check=typed.on("check"))
    shape = chosen_format(invocation, output)
    if shape == "json":
        from reports.status_document import status_document  # noqa: PLC0415 - only for JSON

        data = status_document(status, now=settings.now, home=settings.home)
        streams.result(to_json(envelope("status", settings.now, data, problems, ok=code == DONE)))
        return code
    verbose = typed.on("verbose")
    if shape == "table":
        text = status_text(
            status, now=settings.now, home=settings.home, everything=verbose, width=text_width(invocation)
        )
        streams.result(text)
    else:
        streams.result(status_tsv(status, everything=verbose))
    show_problems(streams, problems, verbose=verbose)
    if shape != "table":
        for line in (portfolio_line(status), *summary_lines(status)):
            last_line(invocation, line.strip())
    if not status.projects:
        last_line(invocation, "no project is known; zecher scan PATH --yes finds projects and indexes them")
    return code


def exit_code(status: PortfolioStatus, problems: tuple[Problem, ...], *, check: bool) -> int:
    """The exit code: what ``--check`` asked for comes first, for it is what a script waits for."""
    if check and status.has_risk:
        return CHECKED
    errors = any(problem.level == "error" for problem in problems)
    if errors:
        return PARTIAL if status.projects else FAILED
    return DONE
