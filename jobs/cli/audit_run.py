"""One run of ``zecher memory audit``."""

from __future__ import annotations

from jobs.audit import audit_settings, read_log
from jobs.cli.command import Invocation
from jobs.cli.show import chosen_format, last_line
from jobs.errors import DONE, UsageError
from jobs.settings import output_settings
from reports import audit as report
from reports.document import envelope, to_json

_DEFAULT_LIMIT, _MOST = 20, 100_000


def run_audit(invocation: Invocation) -> int:
    """The exit code of ``zecher memory audit``."""
    typed, streams, surroundings = invocation.typed, invocation.streams, invocation.surroundings
    output = output_settings(typed, surroundings)
    limit = _limit(typed.text("limit"))
    settings = audit_settings(typed, surroundings)
    log = read_log(settings.folder)
    lines = [
        report.Line(one.at, one.by, one.tool, one.query, one.scope, one.project, one.count, one.top, one.hits)
        for one in log.asked[-limit:]
    ]
    shape = chosen_format(invocation, output)
    if shape == "json":
        data = report.audit_document(
            settings.path, lines, total=len(log.asked), damaged=log.damaged, is_on=settings.is_on
        )
        streams.result(to_json(envelope("memory.audit", settings.now, data, (), ok=True)))
        return DONE
    if shape == "tsv":
        streams.result(report.audit_tsv(lines))
    else:
        streams.result(report.audit_text(lines, _home(invocation)))
    last_line(invocation, report.audit_summary(len(lines), len(log.asked), is_on=settings.is_on))
    return DONE


def _home(invocation: Invocation) -> str:
    """The home that is shown as ``~``: at a terminal only."""
    return invocation.surroundings.home if invocation.streams.result_is_terminal else ""


def _limit(text: str | None) -> int:
    if text is None:
        return _DEFAULT_LIMIT
    digits = text.strip()
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 else 0
    if 1 <= number <= _MOST:
        return number
    raise UsageError(
        "bad-value",
        f"--limit {text}",
        f"{text!r} is no whole number from 1 to {_MOST:,}",
        "Give --limit such a number or leave it out.",
    )
