"""One run of ``zecher scan``: settings, survey, agreement, output."""

from __future__ import annotations

import os
from collections.abc import Callable

from brain.wording import plural
from jobs.cli.command import Invocation
from jobs.cli.show import chosen_format, last_line, show_problems, show_rows
from jobs.errors import DONE, FAILED, LOCKED, PARTIAL, USAGE, UsageError
from jobs.portfolio import Indexed, Survey, index, survey
from jobs.progress import Progress
from jobs.settings import is_whole_disk, output_settings, scan_settings
from reports.portfolio import (
    CHANGES,
    counts_by_status,
    coverage_lines,
    moved_lines,
    project_row,
    totals_line,
)
from reports.table import Row
from reports.view import below_home
from scanner.project import Problem, Scan
from scanner.value import replace


class ScanRun:
    """Holds what one run knows on its way from settings to exit code."""

    def __init__(self, invocation: Invocation) -> None:
        self.invocation = invocation
        self.typed = invocation.typed
        self.surroundings = invocation.surroundings
        self.streams = invocation.streams
        self.output = output_settings(self.typed, self.surroundings)
        self.settings = scan_settings(self.typed, self.surroundings)
        self.format = chosen_format(invocation, self.output)
        self.dry_run = self.typed.on("dry_run")

    def run(self) -> int:
        """Scan, agree, write, show; the exit code."""
        self._confirm_whole_disk()
        with Progress(self.streams) as progress:
            seen = survey(self.settings, progress, self._real_git())
        if self._must_ask(seen) and self._can_ask():
            return self._ask_and_index(seen)
        indexed = index(seen) if self.typed.on("yes") and not self.dry_run and seen.scan.roots else None
        return self._finish(seen, indexed)

    def _real_git(self) -> Callable[[Scan], Scan] | None:
        if not self.settings.real_git:
            return None
        from jobs.status import real_git  # noqa: PLC0415 - start-up: only --git asks another program

        return real_git(self.settings, self.surroundings.environ)

    # -- agreement -----------------------------------------------------------------------------------------

    def _confirm_whole_disk(self) -> None:
        if self.typed.on("whole_disk") or not any(is_whole_disk(root) for root in self.settings.roots):
            return
        if self._can_ask():
            answer = self.streams.ask("Search the whole disk, every folder below /? [y/N]")
            if (answer or "").strip().lower() in ("y", "yes"):
                return
        raise UsageError(
            "whole-disk",
            "/ as a root means every folder of this machine",
            "that takes long and is seldom meant",
            "Name a folder instead, or add --whole-disk.",
            path=os.sep,
        )

    def _can_ask(self) -> bool:
        return self.streams.can_ask and self.format != "json"

    def _must_ask(self, seen: Survey) -> bool:
        return seen.has_news and not self.typed.on("yes") and not self.dry_run

    def _ask_and_index(self, seen: Survey) -> int:
        from jobs.cli.agree import Agreement  # noqa: PLC0415 - only where somebody is asked

        self._show(seen)
        self._report(seen)
        return Agreement(self.streams, seen).run()

    # -- output --------------------------------------------------------------------------------------------

    def _finish(self, seen: Survey, indexed: Indexed | None) -> int:
        unanswered = self._must_ask(seen)
        problems = (*seen.problems, *(indexed.problems if indexed else ()))
        code = exit_code(seen, indexed, unanswered=unanswered)
        if self.format == "json":
            if unanswered:
                problems = (*problems, _UNANSWERED)
            self.streams.result(self._document(seen, indexed, problems, code))
            return code
        self._show(seen)
        self._report(replace(seen, problems=problems))
        if unanswered:
            raise UsageError(_UNANSWERED.code, "nothing was indexed", _UNANSWERED.message, _UNANSWERED.fix)
        self._next_step(seen, indexed)
        return code

    def _document(
        self, seen: Survey, indexed: Indexed | None, problems: tuple[Problem, ...], code: int
    ) -> str:
        from reports.document import change_document, envelope, scan_document, to_json  # noqa: PLC0415 - only for JSON

        written = indexed.written if indexed else 0
        place = {"brain": self.settings.brain, "written": written, "dry_run": self.dry_run}
        data = scan_document(
            seen.scan, seen.identifiers, change_counts(seen), place if indexed or self.dry_run else None
        )
        data["changes"] = [
            change_document(change.kind, change.path, change.differences, change.old_path)
            for change in seen.changes
            if change.kind != "same"
        ]
        return to_json(envelope("scan", self.settings.now, data, problems, ok=code == DONE))

    def _show(self, seen: Survey) -> None:
        show_rows(self.invocation, self.output, rows_of(seen), now=self.settings.now, home=self.settings.home)

    def _report(self, seen: Survey) -> None:
        """After the result: problems, what the scan could not see, totals."""
        if not seen.scan.projects and seen.scan.roots:
            self._nothing_found(seen)
        verbose = self.typed.on("verbose")
        show_problems(self.streams, seen.problems, verbose=verbose)
        for line in coverage_lines(seen.scan.coverage, verbose=verbose):
            self.streams.hint(line)
        if verbose and seen.cache:
            self.streams.hint(seen.cache)
        moves = [(change.old_path, change.path) for change in seen.changes if change.kind == "moved"]
        for line in moved_lines(moves, self.settings.home, verbose=verbose):
            self._last_line(line)
        if seen.scan.projects:
            statuses = counts_by_status([project.status.value for project in seen.scan.projects])
            self._last_line(totals_line(statuses, change_counts(seen)))

    def _last_line(self, line: str) -> None:
        last_line(self.invocation, line)

    def _nothing_found(self, seen: Survey) -> None:
        for root in seen.scan.roots:
            self._last_line(f"no project in {root.path}, {root.depth} folders deep")
        self._last_line(
            "looked for version control (.git, .hg, ...) and manifests (package.json, pyproject.toml, ...)"
        )
        self._last_line("try a larger --depth, another folder, or zecher explain PATH for one that you miss")

    def _next_step(self, seen: Survey, indexed: Indexed | None) -> None:
        if not seen.scan.projects:
            return
        if indexed is not None:
            brain = below_home(self.settings.brain, self.settings.home)
            written = f"{plural(indexed.written, 'card')} written to {brain}"
            self._last_line(
                f"{written}; zecher projects shows the index" if not indexed.problems else written
            )
        elif self.dry_run:
            news = seen.has_news
            self._last_line(
                "dry run, nothing written" + ("; --yes indexes this" if news else "; the index is up to date")
            )
        else:
            self._last_line("the index is up to date; zecher projects shows it")


_UNANSWERED = Problem(
    "needs-answer",
    "error",
    "",
    "whether to index must be answered, and nobody can be asked here",
    "Add --yes to index everything, or --dry-run to write nothing.",
)


def exit_code(seen: Survey, indexed: Indexed | None, *, unanswered: bool = False) -> int:
    """The exit code of a scan: the gravest of what happened."""
    if indexed is not None and indexed.locked:
        return LOCKED
    if not seen.scan.roots:
        return FAILED
    if unanswered:
        return USAGE
    problems = (*seen.problems, *(indexed.problems if indexed else ()))
    return PARTIAL if any(problem.level == "error" for problem in problems) else DONE


def change_counts(seen: Survey) -> dict[str, int]:
    """How many of each kind of change; every kind is there."""
    counts = dict.fromkeys(CHANGES, 0)
    for change in seen.changes:
        counts[change.kind] = counts.get(change.kind, 0) + 1
    counts["skipped"] = len(seen.skipped)
    return counts


def rows_of(seen: Survey) -> tuple[Row, ...]:
    """Found projects with what the index makes of each, and the missing ones, ordered by path."""
    kinds = {change.path: change.kind for change in seen.changes}
    kinds.update(dict.fromkeys(seen.skipped, "skipped"))
    rows = [project_row(project, kinds.get(project.path, "")) for project in seen.scan.projects]
    rows += [
        Row("missing", change.name, "", None, "", "", (), change.path, "missing")
        for change in seen.changes
        if change.kind == "missing"
    ]
    return tuple(sorted(rows, key=lambda row: row.path))
