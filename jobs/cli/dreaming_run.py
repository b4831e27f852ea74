"""One run of ``zecher memory promote`` or ``promote-explain``."""

from __future__ import annotations

import os
import re

from brain.dreaming.values import Gates
from brain.wording import plural
from jobs.cli.command import Invocation
from jobs.cli.dreaming_where import workspace_of
from jobs.cli.show import chosen_format, last_line, show_problems
from jobs.dreaming_promote import Wish, explain, preview, promote, take_back
from jobs.dreaming_workspaces import DreamSettings, dream_settings, workspaces
from jobs.dreaming_writing import kept
from jobs.errors import DONE, FAILED, LOCKED, PARTIAL, ExpectedError, LockedError, UsageError
from jobs.kept_runs import Run, state_of
from jobs.settings import output_settings
from reports import dreaming as report
from reports.document import Document, envelope, located, to_json
from reports.dreaming import Dreamt
from reports.dreaming_document import dreamt_document, explain_document, workspace_keys
from reports.view import below_home, safe_display
from scanner.project import Problem
from scanner.value import replace

_ID = re.compile(r"[0-9a-f]{12}")
_MODES = ("apply", "undo", "runs")


def gates_of(invocation: Invocation, settings: DreamSettings) -> Gates:
    """The gates: flags first, then the configuration."""
    typed, gates = invocation.typed, settings.gates
    score = typed.text("min_score")
    return replace(
        gates,
        min_score=gates.min_score if score is None else _share(score, "--min-score"),
        min_recalls=_count(typed.text("min_recall_count"), "--min-recall-count", gates.min_recalls),
        min_queries=_count(typed.text("min_unique_queries"), "--min-unique-queries", gates.min_queries),
        min_days=_count(typed.text("min_days"), "--min-days", gates.min_days),
        limit=_count(typed.text("limit"), "--limit", gates.limit),
    )


def run_promote(invocation: Invocation) -> int:
    """The exit code of ``zecher memory promote``."""
    return _Run(invocation).run()


class _Run:
    """What was typed, and how it ends."""

    def __init__(self, invocation: Invocation) -> None:
        self.invocation = invocation
        self.typed = invocation.typed
        self.streams = invocation.streams
        self.shape = chosen_format(invocation, output_settings(self.typed, invocation.surroundings))
        self.settings = dream_settings(self.typed, invocation.surroundings)
        self.home = self.settings.home if self.streams.result_is_terminal else ""
        self.promoted = self.typed.on("include_promoted")

    def run(self) -> int:
        applies = self.typed.text("apply") is not None
        undone = self.typed.text("undo")
        modes = [f"--{name}" for name in _MODES if self.typed.on(name) or self.typed.text(name) is not None]
        ids = self._ids()
        if len(modes) > 1 or (ids and not applies) or (self.typed.on("all") and self.typed.text("directory")):
            raise UsageError(
                "promote-what",
                " with ".join([*modes, *ids[:1]]) or "-d with --all",
                "one thing is done at a time, in one workspace or in all; ids belong to --apply",
                "Leave one of them out.",
            )
        if "--runs" in modes:
            return self._runs()
        if undone is not None:
            return self._undo(undone)
        wish = Wish(gates_of(self.invocation, self.settings), ids or None, self.promoted)
        return self._dream(wish, applies=applies)

    def _ids(self) -> tuple[str, ...]:
        texts = [self.typed.text("apply") or "", *self.typed.texts("ids")]
        ids = tuple(dict.fromkeys(one for text in texts for one in re.split(r"[,\s]+", text) if one))
        for one in ids:
            if not _ID.fullmatch(one):
                raise UsageError(
                    "promote-ids",
                    f"{one!r} is no id",
                    "each claim has one of twelve digits from 0 to f",
                    "Copy it from zecher memory promote.",
                )
        return ids

    # -- looking and writing -------------------------------------------------------------------------------

    def _dream(self, wish: Wish, *, applies: bool) -> int:
        every = self.typed.on("all")
        roots = workspaces(self.settings) if every else (workspace_of(self.invocation, self.settings),)
        if not roots:
            raise ExpectedError(
                "no-workspace",
                "there is no workspace",
                "none is configured, and none is among the indexed projects",
                "Name one with -d, or in [dreaming] workspaces.",
            )
        found: list[Dreamt] = []
        problems: list[Problem] = []
        codes = [DONE]
        for root in roots:
            try:
                one = (promote if applies else preview)(self.settings, root, wish)
            except ExpectedError as error:
                if not every:
                    raise
                codes.append(LOCKED if isinstance(error, LockedError) else FAILED)
                words = f"{error.what}: {error.why}"
                problems.append(Problem(error.code, "error", error.path or root, words, error.fix))
                continue
            found.append(one)
            problems += one.problems
            codes.append(FAILED if applies and one.vanished else DONE)
            codes.append(PARTIAL if self.typed.on("strict") and one.findings else DONE)
        code = next(one for one in (FAILED, LOCKED, PARTIAL, DONE) if one in codes)
        self._show(found, problems, code, every=every, applies=applies)
        return code

    def _show(
        self, found: list[Dreamt], problems: list[Problem], code: int, *, every: bool, applies: bool
    ) -> None:
        if self.shape == "json":
            documents = [dreamt_document(one, promoted=self.promoted) for one in found]
            data: Document = {"workspaces": documents} if every else documents[0]
            findings = [finding for one in found for finding in one.findings]
            self._document("memory.promote", data, (*problems, *findings), code)
            return
        if self.shape == "tsv":
            self.streams.result(report.dreamt_tsv(found, promoted=self.promoted))
            for line in report.left_out_lines(found) if self.typed.on("verbose") else ():
                self.streams.hint(line)
        else:
            everything = self.typed.on("verbose")
            self.streams.result(
                report.dreamt_text(found, home=self.home, everything=everything, promoted=self.promoted)
            )
        findings = [finding for one in found for finding in one.findings]
        show_problems(self.streams, (*problems, *findings), verbose=True)
        last_line(self.invocation, report.summary(found))
        for one in found:
            if one.run:
                last_line(self.invocation, f"take it back: {report.COMMAND} --undo {one.run}")
        if not applies and any(one.planned is not None and one.planned.added for one in found):
            last_line(self.invocation, f"write them: {report.COMMAND} --apply, or --apply ID,ID")

    # -- runs ----------------------------------------------------------------------------------------------

    def _runs(self) -> int:
        found, problems = kept(self.settings.state).runs()
        code = PARTIAL if problems else DONE
        if self.shape == "json":
            self._document("memory.promote", {"runs": [_run_document(run) for run in found]}, problems, code)
            return code
        rows = [
            (run.name, run.when, state_of(run), run.files[0].base if run.files else "", _done_words(run))
            for run in found
        ]
        if self.shape == "tsv":
            self.streams.result(report.tsv(report.RUN_COLUMNS, rows))
        else:
            lines = [
                f"{name}  {state}  {below_home(root, self.home)}  {done}"
                for name, _, state, root, done in rows
            ]
            self.streams.result("".join(f"{safe_display(line)}\n" for line in lines))
        show_problems(self.streams, problems, verbose=True)
        last_line(self.invocation, plural(len(found), "run"))
        return code

    def _undo(self, name: str) -> int:
        root, done = take_back(self.settings, name)
        path = os.path.join(root, "MEMORY.md")
        if self.shape == "json":
            data: Document = {
                **workspace_keys(root),
                "run": name,
                "undo": {
                    "exact": done.exact,
                    "memoryPath": path,
                    "removed": list(done.removed),
                    "restored": list(done.restored),
                    "left": list(done.left),
                },
            }
            self._document("memory.promote", data, done.problems, DONE)
            return DONE
        shown = below_home(path, self.home)
        if done.exact:
            words = f"{shown} is what it was before"
        else:
            words = (
                f"{shown} was changed since: {plural(len(done.removed), 'item')} taken out, "
                f"{len(done.restored)} put back, {len(done.left)} left as they are"
            )
        self.streams.result(f"{words}\n")
        show_problems(self.streams, done.problems, verbose=True)
        return DONE

    def _document(
        self, schema: str, data: Document, problems: tuple[Problem, ...] | list[Problem], code: int
    ) -> None:
        found = tuple(problems)
        self.streams.result(to_json(envelope(schema, self.settings.now, data, found, ok=code == DONE)))


def _run_document(run: Run) -> Document:
    return {
        "run": run.name,
        "when": run.when,
        "state": state_of(run),
        "undone": run.undone or None,
        **(workspace_keys(run.files[0].base) if run.files else {"workspaceDir": None}),
        "done": [{"key": key, "text": report.told(text), **located(path)} for key, text, path in run.done],
        "files": [one.file for one in run.files],
    }


def _done_words(run: Run) -> str:
    return plural(sum(path.endswith("MEMORY.md") for _, _, path in run.done), "claim") + " promoted"


# -- one claim ----------------------------------------------------------------------------------------------


def run_explain(invocation: Invocation) -> int:
    """The exit code of ``zecher memory promote-explain``."""
    typed, streams = invocation.typed, invocation.streams
    selector = " ".join(typed.texts("selector")).strip()
    if not selector:
        raise UsageError(
            "claim-unnamed",
            "nothing to explain",
            "no claim was named",
            "Name an id, or part of a path or of the text.",
        )
    as_json = output_settings(typed, invocation.surroundings).format == "json"
    settings = dream_settings(typed, invocation.surroundings)
    root = workspace_of(invocation, settings)
    gates = gates_of(invocation, settings)
    found = explain(settings, root, gates, selector)
    if not found:
        raise ExpectedError(
            "no-claim",
            f"no claim fits {selector!r}",
            "no candidate of the notes has that id, path or text",
            "zecher memory promote -v tells what was left out, and why.",
            path=root,
        )
    claim, verdict = found[0]
    if as_json:
        data = {**explain_document(root, claim, verdict, gates), "matches": len(found)}
        streams.result(to_json(envelope("memory.promote-explain", settings.now, data, (), ok=True)))
        return DONE
    home = settings.home if streams.result_is_terminal else ""
    streams.result(report.explain_text(root, claim, verdict, gates, home=home))
    if len(found) > 1:
        last_line(invocation, f"{len(found) - 1} more fit: name an id to choose")
    return DONE


def _count(text: str | None, origin: str, default: int) -> int:
    if text is None:
        return default
    if text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= 1_000:
        return int(text)
    raise _bad(origin, text, "is no whole number from 1 to 1,000")


def _share(text: str, origin: str) -> float:
    if re.fullmatch(r"\d(?:\.\d{1,6})?|\.\d{1,6}", text) and float(text) <= 1:
        return float(text)
    raise _bad(origin, text, "is no number from 0 to 1")


def _bad(origin: str, text: str, why: str) -> UsageError:
    return UsageError(
        "bad-value", f"{origin} {text}", f"{text!r} {why}", f"Give {origin} another value or leave it out."
    )
