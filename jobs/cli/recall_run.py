"""One run of ``zecher recall``."""

from __future__ import annotations

from jobs.audit import Asked, places, record
from jobs.cli.command import Invocation
from jobs.errors import DONE, UsageError, nearest
from jobs.memory import project_around
from jobs.memory_index import PROJECT_SCOPE, SCOPES, index_settings, unkept
from jobs.recall import BUDGET, DEEPEST, DEPTH, MOST_TOKENS, recalled
from reports import recall as report
from reports.search import search_notes


def run_recall(invocation: Invocation) -> int:
    """The exit code of ``zecher recall``."""
    typed, streams, surroundings = invocation.typed, invocation.streams, invocation.surroundings
    text = " ".join(typed.texts("words"))
    if not text.strip():
        raise UsageError(
            "empty-query", "nothing to recall", "the query is empty", "Say what to recall, in a few words."
        )
    scope = typed.text("scope") or PROJECT_SCOPE
    if scope not in SCOPES:
        raise _bad("--scope", scope, f"is not one of {', '.join(SCOPES)}", nearest(scope, list(SCOPES)))
    budget = _number(typed.text("budget"), "--budget", 1, MOST_TOKENS, BUDGET)
    depth = _number(typed.text("depth"), "--depth", 0, DEEPEST, DEPTH)
    most = typed.text("max_per_source")
    cap = None if most is None else _number(most, "--max-per-source", 1, MOST_TOKENS, 0)
    settings = index_settings(
        typed,
        surroundings,
        project=project_around(typed, surroundings),
        named=surroundings.absolute(typed.text("directory") or "."),
    )
    done, fresh = recalled(
        settings, text, scope=scope, budget=budget, depth=depth, cap=cap, with_user=typed.on("with_user")
    )
    packed = done.bundle.packed
    asked = Asked(
        "recall",
        text,
        scope,
        settings.project if scope == PROJECT_SCOPE else "",
        len(packed),
        packed[0].note.relevance if packed else None,
        places([(one.note.file, one.line) for one in packed]),
    )
    record(typed, surroundings, asked)
    if settings.recall_log:
        from jobs.recall_log import note_packed  # noqa: PLC0415 - only where somebody wants it

        note_packed(settings.recall_log, text, packed, now=settings.now)
    for note in search_notes(
        path=fresh.path,
        why_not=fresh.why_not,
        rebuilt=fresh.rebuilt,
        stale=fresh.stale,
        engine=fresh.engine,
    ):
        streams.hint(f"note: {note}")
    if typed.on("json"):
        from reports.document import envelope, to_json  # noqa: PLC0415 - start-up: only for --json

        data = report.recall_document(
            done,
            fresh.names,
            query=text,
            scope=scope,
            budget=budget,
            stale=fresh.stale,
            rebuilt=fresh.rebuilt,
        )
        problems = unkept(fresh.path, fresh.why_not)
        streams.result(to_json(envelope("recall", settings.now, data, problems, ok=True)))
        return DONE
    streams.result(done.bundle.context)
    home = settings.home if streams.result_is_terminal else ""
    for line in report.left_out_lines(done.left_out, home, everything=typed.on("verbose")):
        streams.hint(line)
    streams.hint(report.recall_summary(done, budget))
    return DONE


def _number(text: str | None, origin: str, least: int, most: int, default: int) -> int:
    if text is None:
        return default
    if text.isascii() and text.isdigit() and len(text) < 9 and least <= int(text) <= most:
        return int(text)
    raise _bad(origin, text, f"is no whole number from {least:,} to {most:,}", "")


def _bad(origin: str, word: str, why: str, neighbour: str | None) -> UsageError:
    fix = f"Did you mean {neighbour}?" if neighbour else f"Give {origin} another value, or leave it out."
    return UsageError("bad-value", f"{origin} {word}", f"{word!r} {why}", fix)
