"""One run of ``zecher mem``: from words to the brain and back. Each action imports only what it needs."""

from __future__ import annotations

import os

from brain.files.errors import MemError
from jobs.errors import DONE
from reports.mem import (
    left_out,
    observe_text,
    outcomes_text,
    recall_document,
    recall_text,
    reinforce_document,
    reinforce_text,
    write_text,
)
from reports.view import json_for_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from brain.recall.recall import Recalled
    from jobs.streams import Streams
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed

_RANKINGS = ("lexical", "words", "fused", "evidence")


class MemRun:
    """One action; raises ``MemError``, or what the doors of the brain raise, when it cannot be done."""

    def __init__(
        self, words: Sequence[str], typed: Typed, surroundings: Surroundings, streams: Streams
    ) -> None:
        self._words = words
        self._typed = typed
        self._surroundings = surroundings
        self._streams = streams

    def run(self, action: str) -> int:
        """Carry out ``action`` and print what became of it."""
        self._check_global_options()
        actions: dict[str, Callable[[], None]] = {
            "recall": self._recall,
            "write": self._write,
            "reinforce": self._reinforce,
            "observe": self._observe,
            "outcomes": self._outcomes,
        }
        actions[action]()
        if self._words and action != "recall":
            # BMAD+ ignores them in silence; they are the rest of a text whose quotes were forgotten.
            words = " ".join(self._words)
            self._streams.hint(f"mem {action}: ignored: {words} (a text of several words needs quotes)")
        return DONE

    # -- the actions ---------------------------------------------------------------------------------------

    def _write(self) -> None:
        from brain.ledgers.journal import make_event, write_event  # noqa: PLC0415 - start-up: only this action

        text = self._typed.text
        event = make_event(
            now=self._surroundings.now,
            agent=text("agent") or "",
            cli=text("cli"),
            model=text("model"),
            task=text("task") or "",
            outcome=text("outcome"),
            signals=self._signals(),
        )
        write_event(self._project(), event)
        self._show({"written": event}, lambda: write_text(event))

    def _reinforce(self) -> None:
        from brain.files.javascript_json import to_compact  # noqa: PLC0415 - start-up: only this action
        from brain.ledgers.promotions import reinforce  # noqa: PLC0415 - as above

        signals = self._signals()
        done = reinforce(
            self._project(),
            self._typed.text("pattern") or "",
            signals,
            _listed(self._typed.text("evidence")),
            now=self._surroundings.now,
        )
        self._show(reinforce_document(done), lambda: reinforce_text(done, to_compact(signals)))

    def _observe(self) -> None:
        from brain.outcomes.observe import observe  # noqa: PLC0415 - start-up: only this action

        path = self._typed.text("input")
        if not path:
            raise MemError("--input is missing; name the JSON file, relative to the project")
        receipt = observe(self._project(), path, now=self._surroundings.now)
        self._show({"written": receipt}, lambda: observe_text(receipt))

    def _outcomes(self) -> None:
        from brain.outcomes.states import outcomes  # noqa: PLC0415 - start-up: only this action

        results = outcomes(self._project())
        self._show({"count": len(results), "results": results}, lambda: outcomes_text(results))

    def _recall(self) -> None:
        ranking = self._typed.text("ranking") or "lexical"
        if ranking not in _RANKINGS:
            raise MemError(f'unknown ranking "{ranking}"; use lexical, words, fused or evidence')
        notes: list[str] = []
        problems: list[dict[str, object]] = []
        recalled = self._fused(notes, problems) if ranking == "fused" else self._recalled(ranking)
        explain = self._typed.on("explain")
        everywhere = recalled.scope == "portfolio" and self._typed.text("portfolio") is None
        document = recall_document(recalled, explain=explain, with_projects=everywhere)
        if problems:
            document["problems"] = problems
        self._show(document, lambda: recall_text(recalled, explain=explain))
        for told in (*notes, *left_out(recalled)):
            self._streams.hint(f"mem recall: {told}")

    def _question(self) -> tuple[str, str, str, int]:
        """Project, query, scope and limit of a recall."""
        from brain.recall.recall import DEFAULT_LIMIT, limit_of  # noqa: PLC0415 - start-up: only this action

        text = self._typed.text
        given = text("limit")
        limit = DEFAULT_LIMIT if given is None else limit_of(given)
        return self._project(), " ".join(self._words), text("scope") or "project", limit

    def _recalled(self, ranking: str) -> Recalled:
        from brain.recall.recall import recall  # noqa: PLC0415 - start-up: only this action

        text = self._typed.text
        project, query, scope, limit = self._question()
        now = self._surroundings.now
        if ranking == "evidence":
            return self._by_evidence(project, query, scope, limit)
        if scope != "portfolio":
            return recall(project, query, now=now, limit=limit, scope=scope, ranking=ranking)
        named = text("portfolio")
        if named is not None:
            portfolio = os.path.realpath(self._surroundings.absolute(named))
            return recall(
                project, query, now=now, limit=limit, scope=scope, portfolio=portfolio, ranking=ranking
            )
        # Start-up: only this scope reads the configuration and the index.
        from jobs.memory import indexed_projects, linked_brain, memory_settings  # noqa: PLC0415 - see above

        settings = memory_settings(self._typed, self._surroundings)
        return recall(
            project,
            query,
            now=now,
            limit=limit,
            scope=scope,
            projects=indexed_projects(settings),
            brain=linked_brain(settings),
            ranking=ranking,
        )

    def _by_evidence(self, project: str, query: str, scope: str, limit: int) -> Recalled:
        from brain.recall.evidence import apply_evidence  # noqa: PLC0415 - start-up: only this ranking
        from brain.recall.recall import recall  # noqa: PLC0415 - as above

        if scope != "project":
            raise MemError("--ranking evidence works with --scope project only")
        paths = _listed(self._typed.text("context_scope"))
        found = recall(project, query, now=self._surroundings.now, limit=limit, scope=scope, strict=True)
        return apply_evidence(found, project, paths)

    def _fused(self, notes: list[str], problems: list[dict[str, object]]) -> Recalled:
        """By the search index: everything that is searched, not only the notes that BMAD+ knows.

        What is to be known of the index goes into ``notes``, and into ``problems`` for programs.
        """
        from brain.recall.recall import check  # noqa: PLC0415 - start-up: only this ranking
        from jobs.fused import recall_fused  # noqa: PLC0415 - as above
        from jobs.memory_index import unkept  # noqa: PLC0415 - as above
        from reports.search import search_notes  # noqa: PLC0415 - as above

        project, query, scope, limit = self._question()
        check(query, scope, limit)
        if self._typed.text("portfolio") is not None:
            raise MemError("--ranking fused searches all that is indexed; leave --portfolio out")
        recalled, answer = recall_fused(
            self._typed,
            self._surroundings,
            project=project,
            named=self._surroundings.absolute(self._typed.text("directory") or "."),
            query=query,
            scope=scope,
            limit=limit,
        )
        notes += search_notes(
            path=answer.path,
            why_not=answer.why_not,
            rebuilt=answer.rebuilt,
            stale=answer.stale,
            engine=answer.found.engine,
        )
        if answer.why_not:
            from reports.document import problem_document  # noqa: PLC0415 - only where something is wrong

            problems += map(problem_document, unkept(answer.path, answer.why_not))
        return recalled

    def _check_global_options(self) -> None:
        """A mistake in an option that this action does not need is one all the same."""
        colour, configuration = self._typed.text("color"), self._typed.text("config")
        if colour is not None:
            from jobs.limits import COLOURS  # noqa: PLC0415 - start-up: only with this option

            if colour not in COLOURS:
                raise MemError(f"--color takes {', '.join(COLOURS)}, not {colour!r}")
        if configuration is not None:
            from jobs.config import load_configuration  # noqa: PLC0415 - start-up: only with this option

            load_configuration(self._surroundings, configuration)

    # -- what they share -----------------------------------------------------------------------------------

    def _project(self) -> str:
        """The real path of the project; what lies below it is taken without links."""
        named = self._surroundings.absolute(self._typed.text("directory") or ".")
        if not os.path.isdir(named):
            raise MemError(f"{named} is not a folder; name the project with -d")
        return os.path.realpath(named)

    def _signals(self) -> Mapping[str, object]:
        from brain.ledgers.signals import parse_signals  # noqa: PLC0415 - start-up: two actions only

        text = self._typed.text
        return parse_signals(text("eval"), text("accept"), text("ci"))

    def _show(self, document: Mapping[str, object], words: Callable[[], str]) -> None:
        if not self._typed.on("json"):
            self._streams.result(words())
            return
        from brain.files.javascript_json import to_indented  # noqa: PLC0415 - start-up: only for --json

        text = to_indented(document)
        if self._streams.result_is_terminal:
            text = json_for_terminal(text)
        self._streams.result(text + "\n")


def _listed(text: str | None) -> list[str]:
    """The parts of a list with commas, without the blanks around them."""
    return [part for one in (text or "").split(",") if (part := one.strip())]
