"""One run of ``zecher memory rem-harness`` or ``rem-backfill``."""

from __future__ import annotations

from brain.wording import plural
from jobs.cli.command import Invocation
from jobs.cli.dreaming_where import workspace_of
from jobs.cli.show import show_problems
from jobs.dreaming_backfill import backfill, ground, roll_back
from jobs.dreaming_promote import Wish, preview, truths
from jobs.dreaming_workspaces import dream_settings
from jobs.errors import DONE, UsageError
from jobs.settings import output_settings
from reports.document import Document, envelope, to_json
from reports.dreaming_document import workspace_keys
from reports.dreaming_notes import Grounded, backfill_entry, harness_document, harness_text
from reports.view import below_home
from scanner.project import Problem


def run_harness(invocation: Invocation) -> int:
    """The exit code of ``zecher memory rem-harness``."""
    typed, streams = invocation.typed, invocation.streams
    as_json = output_settings(typed, invocation.surroundings).format == "json"
    settings = dream_settings(typed, invocation.surroundings)
    root = workspace_of(invocation, settings)
    path = typed.text("path")
    grounded: tuple[Grounded, ...] | None = None
    problems: tuple[Problem, ...] = ()
    if path is not None or typed.on("grounded"):
        absolute = None if path is None else invocation.surroundings.absolute(path)
        grounded, problems = ground(settings, root, absolute)
    promoted = typed.on("include_promoted")
    wish = Wish(settings.gates, promoted=promoted)
    one = preview(settings, root, wish)
    lasting = truths(settings, root)
    found: tuple[Problem, ...] = (*one.problems, *problems)
    if as_json:
        data = harness_document(one, lasting, grounded, promoted=promoted)
        streams.result(to_json(envelope("memory.rem-harness", settings.now, data, found, ok=True)))
        return DONE
    home = settings.home if streams.result_is_terminal else ""
    streams.result(harness_text(one, lasting, grounded, home=home))
    show_problems(streams, found, verbose=True)
    return DONE


def run_backfill(invocation: Invocation) -> int:
    """The exit code of ``zecher memory rem-backfill``."""
    typed, streams = invocation.typed, invocation.streams
    as_json = output_settings(typed, invocation.surroundings).format == "json"
    path, back = typed.text("path"), typed.on("rollback")
    back_staged = typed.on("rollback_short_term")
    if (path is None) == (not (back or back_staged)) or (path is None and typed.on("stage_short_term")):
        raise UsageError(
            "backfill-what",
            "rem-backfill " + ("with --path and --rollback" if path is not None else "without --path"),
            "it works notes into the diary (--path), or takes that back (--rollback)",
            "Name notes with --path, or take back with --rollback or --rollback-short-term.",
        )
    settings = dream_settings(typed, invocation.surroundings)
    root = workspace_of(invocation, settings)
    data: Document
    problems: tuple[Problem, ...] = ()
    if path is None:
        done = roll_back(settings, root, diary=back, staged=back_staged)
        data = {
            **workspace_keys(root),
            "removedEntries": done.written,
            "removedShortTermEntries": done.staged,
            "keptEntries": done.kept,
            "dreamsPath": done.dreams or None,
        }
        words = (
            f"{plural(done.written, 'entry', 'entries')} taken out, {done.kept} edited kept, "
            f"{done.staged} no longer staged"
        )
    else:
        notes, problems = ground(settings, root, invocation.surroundings.absolute(path))
        done = backfill(
            settings,
            root,
            [(note, backfill_entry(note)) for note in notes],
            stage=typed.on("stage_short_term"),
        )
        data = {
            **workspace_keys(root),
            "groundedFiles": len(notes),
            "writtenEntries": done.written,
            "replacedEntries": done.replaced,
            "dreamsPath": done.dreams,
            "stagedShortTermEntries": done.staged,
            "replacedShortTermEntries": done.restaged,
        }
        home = settings.home if streams.result_is_terminal else ""
        words = (
            f"{plural(len(notes), 'note')} read; {below_home(done.dreams, home)}: "
            f"{plural(done.written, 'entry', 'entries')}, {done.replaced} in place of earlier ones; "
            f"{plural(done.staged, 'claim')} staged"
        )
    if as_json:
        streams.result(to_json(envelope("memory.rem-backfill", settings.now, data, problems, ok=True)))
        return DONE
    streams.result(f"{words}\n")
    show_problems(streams, problems, verbose=True)
    return DONE
