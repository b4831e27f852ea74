"""One run of ``zecher memory search``, ``get`` or ``index``."""

from __future__ import annotations

import os
import re

from brain.files.errors import MemError
from brain.search.sources import CLASSES
from brain.search.values import Query
from jobs import memory_index
from jobs.audit import Asked, places, record, searched
from jobs.cli.command import Invocation
from jobs.cli.show import chosen_format, last_line, show_problems
from jobs.errors import DONE, PARTIAL, ExpectedError, UsageError, nearest
from jobs.memory import project_around
from jobs.memory_index import PROJECT_SCOPE, SCOPES, IndexSettings, unkept
from jobs.streams import wants_colour
from reports import search as report
from scanner.project import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.memory_index import Answer
    from jobs.settings import OutputSettings

MAX_LIMIT = 100
_DEFAULT_LIMIT, _DEFAULT_COVERAGE = 20, 0.15
_MOST_LINES = 1_000_000
_PLACE = re.compile(r"(?P<file>.+?)(?::(?P<line>\d{1,7})|#L(?P<first>\d{1,7})(?:-L?(?P<last>\d{1,7}))?)")


def _settings(invocation: Invocation) -> IndexSettings:
    typed, surroundings = invocation.typed, invocation.surroundings
    return memory_index.index_settings(
        typed,
        surroundings,
        project=project_around(typed, surroundings),
        named=surroundings.absolute(typed.text("directory") or "."),
    )


def _output(invocation: Invocation) -> OutputSettings:
    from jobs.settings import output_settings  # noqa: PLC0415 - start-up: 8 ms, after what can be wrong

    return output_settings(invocation.typed, invocation.surroundings)


# -- search -------------------------------------------------------------------------------------------------


def run_search(invocation: Invocation) -> int:
    """The exit code of ``zecher memory search``."""
    typed = invocation.typed
    text = " ".join(typed.texts("words"))
    if not text.strip():
        raise UsageError(
            "empty-query",
            "nothing to look for",
            "the query is empty",
            "Say what to look for, in a few words.",
        )
    scope = _one_of(typed.text("scope") or PROJECT_SCOPE, "--scope", SCOPES)
    klass = typed.text("class")
    settings = _settings(invocation)
    query = Query(
        text,
        scope=scope,
        project=settings.project,
        klass=_one_of(klass, "--class", CLASSES) if klass is not None else "",
        limit=_limit(typed.text("limit")),
        since=_day(typed.text("since")),
        min_coverage=_share(typed.text("min_coverage")),
        now=settings.now,
    )
    output = _output(invocation)
    answer = memory_index.ask(settings, query)
    try:
        return _show_found(invocation, output, settings, query, answer)
    finally:
        # After the answer, which shall not wait for it.
        record(typed, invocation.surroundings, searched(query, answer.found))
        if settings.recall_log:
            from jobs.recall_log import note_found  # noqa: PLC0415 - only where somebody wants it

            note_found(settings.recall_log, query, answer.found)


def _show_found(
    invocation: Invocation, output: OutputSettings, settings: IndexSettings, query: Query, answer: Answer
) -> int:
    typed, streams = invocation.typed, invocation.streams
    for note in report.search_notes(
        path=answer.path,
        why_not=answer.why_not,
        rebuilt=answer.rebuilt,
        stale=answer.stale,
        engine=answer.found.engine,
    ):
        streams.hint(f"note: {note}")
    shape = chosen_format(invocation, output)
    if shape == "json":
        from reports.document import envelope, to_json  # noqa: PLC0415 - start-up: only for --json

        data = report.search_document(
            answer.found,
            answer.names,
            query=query.text,
            scope=query.scope,
            stale=answer.stale,
            rebuilt=answer.rebuilt,
        )
        problems = unkept(answer.path, answer.why_not)
        streams.result(to_json(envelope("memory.search", settings.now, data, problems, ok=True)))
        return DONE
    if shape == "tsv":
        streams.result(report.search_tsv(answer.found, answer.names, explain=typed.on("explain")))
    else:
        environ = invocation.surroundings.environ
        streams.result(
            report.search_text(
                answer.found,
                answer.names,
                settings.home if streams.result_is_terminal else "",
                explain=typed.on("explain"),
                marks=streams.result_is_terminal
                and wants_colour(output.colour, environ, is_terminal=streams.result_is_terminal),
                width=_width(environ.get("COLUMNS", "")),
            )
        )
    last_line(invocation, report.search_summary(answer.found))
    return DONE


def _width(columns: str) -> int:
    """As wide as the terminal, within what reads well."""
    try:
        width = int(columns) or os.get_terminal_size().columns
    except (ValueError, OSError):
        width = report.WIDTH
    return max(40, min(width, 120))


def _one_of(word: str, origin: str, known: tuple[str, ...]) -> str:
    if word in known:
        return word
    neighbour = nearest(word, list(known))
    raise UsageError(
        "bad-value",
        f"{origin} {word}",
        f"{word!r} is not one of {', '.join(known)}",
        f"Did you mean {neighbour}?" if neighbour else f"Use {origin} {known[0]}, for example.",
    )


def _limit(text: str | None) -> int:
    return _DEFAULT_LIMIT if text is None else _whole(text, "--limit", MAX_LIMIT)


def _whole(text: str, origin: str, most: int) -> int:
    digits = text.strip()
    if digits.isascii() and digits.isdigit() and len(digits) <= 9 and 1 <= int(digits) <= most:
        return int(digits)
    raise UsageError(
        "bad-value",
        f"{origin} {text}",
        f"{text!r} is no whole number from 1 to {most:,}",
        f"Give {origin} such a number or leave it out.",
    )


def _share(text: str | None) -> float:
    if text is None:
        return _DEFAULT_COVERAGE
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0.0 <= value <= 1.0:
        return value
    raise UsageError(
        "bad-value",
        f"--min-coverage {text}",
        f"{text!r} is no share from 0 to 1",
        "Give it as 0.5, for example, or leave it out.",
    )


def _day(text: str | None) -> str:
    if text is None:
        return ""
    from brain.search.sections import date_of_name  # noqa: PLC0415 - start-up: only with this option

    if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) and date_of_name(text):
        return text
    raise UsageError("bad-value", f"--since {text}", f"{text!r} is no day", "Write it as 2026-11-30.")


# -- get ----------------------------------------------------------------------------------------------------


def run_get(invocation: Invocation) -> int:
    """The exit code of ``zecher memory get``."""
    from brain.files.reading import UnreadableError, read_seen  # noqa: PLC0415 - start-up: only this command
    from brain.search.excerpt import LINES, excerpt  # noqa: PLC0415 - as above
    from brain.search.sources import FILE_CAP  # noqa: PLC0415 - as above

    typed, streams = invocation.typed, invocation.streams
    files = typed.texts("files")
    if len(files) != 1 or not files[0].strip():
        raise UsageError(
            "get-what",
            "one FILE at a time" if files else "no FILE",
            "a part of one file of the memory is shown",
            "For example: zecher memory get .agents/memory/decisions.md.",
        )
    first, lines = typed.text("from"), typed.text("lines")
    begin = 1 if first is None else _whole(first, "--from", _MOST_LINES)
    count = None if lines is None else _whole(lines, "--lines", _MOST_LINES)
    settings = _settings(invocation)
    path, place = _file(invocation, settings, files[0])
    if place and first is None:
        begin = place[0]
        if lines is None and place[1]:
            count = max(1, place[1] - begin + 1)
    try:
        data = read_seen(path, FILE_CAP).data or b""
    except UnreadableError as error:
        raise _unreadable(path, error) from None
    part = excerpt(data, begin, LINES if count is None else count)
    shown = (path, part.first)
    record(typed, invocation.surroundings, Asked("get", files[0], count=1, hits=places([shown])))
    if typed.on("json"):
        from reports.document import envelope, to_json  # noqa: PLC0415 - start-up: only for --json

        data_ = report.excerpt_document(path, part)
        streams.result(to_json(envelope("memory.get", settings.now, data_, (), ok=True)))
        return DONE
    streams.result(report.excerpt_text(part, terminal=streams.result_is_terminal))
    notice = report.excerpt_notice(part)
    if notice:
        streams.hint(notice)
    return DONE


def _file(invocation: Invocation, settings: IndexSettings, typed: str) -> tuple[str, tuple[int, int] | None]:
    """The file that was named, and the lines that were named with it."""
    candidates: list[tuple[str, tuple[int, int] | None]] = [(typed, None)]
    found = _PLACE.fullmatch(typed)
    if found:
        line = int(found["line"] or found["first"]) or 1
        candidates.append((found["file"], (line, int(found["last"] or 0))))
    brain = memory_index.linked_to(settings).path
    for name, place in candidates:
        if "\0" in name:
            continue
        absolute = invocation.surroundings.absolute(name)
        below = [os.path.normpath(os.path.join(folder, name)) for folder in (settings.project, brain)]
        paths = [path for path in dict.fromkeys((absolute, *below)) if os.path.lexists(path)]
        try:
            path = memory_index.memory_file(settings, paths)
        except MemError as error:
            raise ExpectedError(
                "get-link",
                "a link leads there",
                str(error),
                "Name the file itself.",
                path=absolute,
            ) from None
        if path is not None:
            return path, place
        if paths:
            raise ExpectedError(
                "get-outside",
                f"{typed} is no part of the memory",
                "only what is searched can be shown: notes, sessions, journal, what was remembered",
                "See zecher memory search for what there is.",
                path=absolute,
            )
    raise ExpectedError(
        "memory-not-found",
        f"{typed} is not there",
        f"it was looked for here, in {settings.project} and in {brain}",
        "Check the path, or name the project with -d.",
        path=invocation.surroundings.absolute(candidates[-1][0].replace("\0", "")),
    )


def _unreadable(path: str, error: Exception) -> ExpectedError:
    return ExpectedError("get-unreadable", f"{path} cannot be read", str(error), "Check the file.", path=path)


# -- index --------------------------------------------------------------------------------------------------


def run_index(invocation: Invocation) -> int:
    """The exit code of ``zecher memory index``."""
    import sqlite3  # noqa: PLC0415 - it is loaded already

    from jobs.progress import Progress  # noqa: PLC0415 - only this command

    typed, streams = invocation.typed, invocation.streams
    settings = _settings(invocation)
    try:
        with Progress(streams) as progress:
            built = memory_index.build(settings, force=typed.on("force"), told=progress.vectors)
    except sqlite3.Error as error:
        raise _no_index(settings.path, str(error)) from None
    if built.why_not:
        raise _no_index(settings.path, built.why_not)
    problems = tuple(
        Problem("memory-unreadable", "warning", path, why, "Check the file.")
        for path, why in built.done.skipped
    )
    code = PARTIAL if problems else DONE
    if typed.on("json") or _output(invocation).format == "json":
        from reports.document import envelope, to_json  # noqa: PLC0415 - start-up: only for --json

        data = report.index_document(built)
        streams.result(to_json(envelope("memory.index", settings.now, data, problems, ok=code == DONE)))
        return code
    streams.result(f"{report.index_line(built)}\n")
    done = built.done
    show_problems(streams, problems, verbose=True)
    last_line(invocation, f"{done.added:,} new, {done.changed:,} changed, {done.removed:,} gone")
    return code


def _no_index(path: str, why: str) -> ExpectedError:
    return ExpectedError(
        "search-index",
        "the search index cannot be kept",
        f"{path}: {why}",
        "Check the cache folder, or name another with ZECHER_CACHE. A search works without it, but slowly.",
        path=path,
    )
