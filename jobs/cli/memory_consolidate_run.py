"""One run of ``zecher memory consolidate``."""

from __future__ import annotations

from collections.abc import Sequence

from brain.consolidate.values import PROMOTE, Proposal
from brain.wording import plural
from jobs.cli.command import Invocation
from jobs.cli.show import chosen_format, last_line, show_problems
from jobs.consolidate import (
    Carried,
    Scope,
    Seen,
    brain_scope,
    carry,
    look,
    portfolio_scope,
    project_scope,
    rehearse,
    undo,
)
from jobs.consolidation_runs import Run, runs, state_of
from jobs.errors import DONE, FAILED, PARTIAL, ExpectedError, UsageError, nearest
from jobs.memory import project_folder
from jobs.settings import output_settings, read_settings
from jobs.streams import terminal_width
from reports import consolidate as report
from reports.document import Document, envelope, located, to_json
from reports.view import below_home, safe_display
from scanner.project import Problem

_MODES = ("ask", "apply", "undo", "runs")
_SCOPES = ("directory", "all", "global")
_WIDEST = 120


def run_consolidate(invocation: Invocation) -> int:
    """The exit code of ``zecher memory consolidate``."""
    return _Run(invocation).run()


class _Run:
    """What was typed, and how it ends: with a document or with lines."""

    def __init__(self, invocation: Invocation) -> None:
        self.invocation = invocation
        self.typed = invocation.typed
        self.streams = invocation.streams
        self.shape = chosen_format(invocation, output_settings(self.typed, invocation.surroundings))
        self.settings = read_settings(self.typed, invocation.surroundings)
        # At a terminal the home is shown as ~; a program in a pipe gets whole paths.
        self.home = self.settings.home if self.streams.result_is_terminal else ""
        self.dry_run = self.typed.on("dry_run")
        self.ids = _ids(self.typed.texts("apply"))

    def run(self) -> int:
        """Do the one thing that was asked for."""
        modes = self._given(_MODES)
        scopes = self._given(_SCOPES)
        if len(modes) > 1 or len(scopes) > 1 or (scopes and ("runs" in modes or "undo" in modes)):
            raise UsageError(
                "consolidate-what",
                " with ".join(f"--{name}" for name in [*modes, *scopes]),
                "one thing is done at a time, to one project, to all or to the brain; runs belong to all",
                "Leave one of them out.",
            )
        if "runs" in modes:
            return self._runs()
        name = self.typed.text("undo")
        if name is not None:
            return self._undo(name)
        if "ask" in modes and not self.dry_run:
            self._refuse_to_ask()
        scope, words = self._scope()
        seen = look(self.settings, scope)
        if self.typed.texts("apply"):
            return self._apply(seen, words)
        if "ask" in modes and not self.dry_run:
            return self._ask(seen)
        return self._show(seen, words)

    def _given(self, names: Sequence[str]) -> list[str]:
        return [
            name
            for name in names
            if self.typed.on(name) or self.typed.text(name) is not None or self.typed.texts(name)
        ]

    def _scope(self) -> tuple[Scope, str]:
        """Whose notes, and the words that name them in a command."""
        if self.typed.on("global"):
            return brain_scope(self.settings), "--global"
        named = self.typed.text("directory")
        across = any(one.startswith(f"{PROMOTE}-") for one in self.ids)
        if self.typed.on("all") or across:
            also = project_folder(self.typed, self.invocation.surroundings) if named else None
            return portfolio_scope(self.settings, also=also), "--all"
        path = project_folder(self.typed, self.invocation.surroundings)
        return project_scope(self.settings, path), report.project_scope(path)

    def _refuse_to_ask(self) -> None:
        if self.shape != "json" and self.streams.can_ask:
            return
        raise UsageError(
            "consolidate-needs-answer",
            "each proposal has to be approved",
            "nobody can be asked here: no terminal, or JSON was asked for",
            "Run it without --ask to see them, then name those you approve with --apply ID,ID.",
        )

    # -- looking -------------------------------------------------------------------------------------------

    def _show(self, seen: Seen, words: str) -> int:
        code = _code(seen.problems)
        if self.shape == "json":
            return self._document({**_proposed(seen.proposals), "run": None}, seen.problems, code)
        if self.shape == "tsv":
            self.streams.result(report.proposals_tsv(seen.proposals))
        else:
            self.streams.result(report.proposals_text(seen.proposals, home=self.home))
        show_problems(self.streams, seen.problems, verbose=True)
        last_line(self.invocation, self._summary(seen.proposals))
        able = [one for one in seen.proposals if not one.refused]
        if able:
            last_line(self.invocation, f"see each and decide: {report.command(words, '--ask')}")
            last_line(self.invocation, f"or approve by id: {report.command(words, '--apply', able[0].id)}")
        return code

    def _summary(self, proposals: Sequence[Proposal]) -> str:
        if not proposals:
            return "nothing to consolidate"
        return f"{report.counted(proposals)}; nothing written"

    # -- applying ------------------------------------------------------------------------------------------

    def _apply(self, seen: Seen, words: str) -> int:
        by_id = {one.id: one for one in seen.proposals}
        unknown = [one for one in self.ids if one not in by_id]
        if unknown or not self.ids:
            raise _unknown(unknown, list(by_id), words)
        chosen = [by_id[one] for one in self.ids]
        blocked = next((one for one in chosen if one.refused), None)
        if blocked is not None:
            raise ExpectedError(
                "consolidate-refused",
                f"{blocked.id} cannot be done",
                blocked.refused,
                "Nothing was written. Mend that, or leave it out.",
                path=blocked.part.path,
            )
        return self._end(rehearse(self.settings, chosen) if self.dry_run else carry(self.settings, chosen))

    def _ask(self, seen: Seen) -> int:
        from jobs.cli.consolidate_ask import approved  # noqa: PLC0415 - only where somebody is asked

        show_problems(self.streams, seen.problems, verbose=True)
        for one in seen.proposals:
            if one.refused:
                self.streams.message(f"{one.id} cannot be done: {one.refused}")
        width = min(terminal_width(self.invocation.surroundings.environ) or 80, _WIDEST)
        chosen = approved(self.streams, seen.proposals, home=self.settings.home, width=width)
        if not chosen:
            last_line(
                self.invocation,
                "nothing was approved, nothing written" if seen.proposals else "nothing to consolidate",
            )
            return _code(seen.problems)
        return self._end(carry(self.settings, chosen))

    def _end(self, carried: Carried) -> int:
        code = FAILED if carried.refused else DONE
        if self.shape == "json":
            data: Document = {
                **_proposed([*carried.done, *carried.refused]),
                "run": _run_document(carried.run) if carried.run is not None else None,
            }
            return self._document(data, (), code)
        word = "would be done" if self.dry_run else "done"
        lines = [f"{word}\t{one.id}\t{safe_display(report.told(one.part.title))}" for one in carried.done]
        self.streams.result("".join(f"{line}\n" for line in lines))
        for one in carried.refused:
            self.streams.message(f"error: {one.id} was not done: {one.refused}")
        if carried.run is None:
            last_line(self.invocation, "dry run, nothing written" if self.dry_run else "nothing was written")
            return code
        files = plural(len(carried.run.files), "file")
        last_line(
            self.invocation,
            f"{files} changed; take it back: {report.command('', '--undo', carried.run.name)}",
        )
        return code

    # -- runs ----------------------------------------------------------------------------------------------

    def _undo(self, name: str) -> int:
        run, restored = undo(self.settings, name)
        if self.shape == "json":
            return self._document(
                {"run": _run_document(run), "restored": [located(one) for one in restored]}, (), DONE
            )
        self.streams.result("".join(f"restored\t{below_home(path, self.home)}\n" for path in restored))
        last_line(
            self.invocation,
            f"the run {name} was taken back"
            if restored
            else f"the run {name} is taken back already: nothing to do",
        )
        return DONE

    def _runs(self) -> int:
        found, problems = runs(self.settings.state)
        if self.shape == "json":
            return self._document({"runs": [_run_document(run) for run in found]}, problems, DONE)
        rows = [
            (run.name, run.when, state_of(run), len(run.files), " ".join(one for one, _, _ in run.done))
            for run in found
        ]
        self.streams.result(report.runs_tsv(rows) if rows or self.shape == "tsv" else "")
        show_problems(self.streams, problems, verbose=True)
        last_line(self.invocation, f"{plural(len(found), 'run')} kept")
        return DONE

    def _document(self, data: Document, problems: Sequence[Problem], code: int) -> int:
        told = envelope("memory.consolidate", self.settings.now, data, tuple(problems), ok=code == DONE)
        self.streams.result(to_json(told))
        return code


def _ids(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.strip() for value in values for one in value.split(",") if one.strip()))


def _code(problems: Sequence[Problem]) -> int:
    return PARTIAL if any(problem.level == "error" for problem in problems) else DONE


def _unknown(unknown: Sequence[str], known: list[str], words: str) -> ExpectedError:
    look = f"See what there is: {report.command(words, '')}"
    if not unknown or "all" in unknown:
        return UsageError(
            "consolidate-ids",
            "--apply without an id" if not unknown else "--apply all",
            "each proposal is approved by its own id; there is no yes to all",
            look,
        )
    neighbour = nearest(unknown[0], known)
    return ExpectedError(
        "consolidate-stale",
        f"no proposal {', '.join(unknown)}",
        "the entries were changed since it was shown, it was carried out, or it belongs to other notes",
        f"Nothing was written. Did you mean {neighbour}? {look}"
        if neighbour
        else f"Nothing was written. {look}",
    )


def _proposed(proposals: Sequence[Proposal]) -> Document:
    return {
        "proposals": [report.proposal_document(one) for one in proposals],
        "counts": {action: sum(one.action == action for one in proposals) for action in report.COUNTED},
    }


def _run_document(run: Run) -> Document:
    return {
        "id": run.name,
        "when": run.when,
        "state": state_of(run),
        "undone": run.undone or None,
        "done": [{"id": one, "title": title, **located(path)} for one, title, path in run.done],
        "files": [located(file.path) for file in run.files],
    }
