"""What to index, agreed with the person at the terminal: all, one by one, corrected, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from brain.display import one_line
from brain.files.atomic import OutsideError
from brain.files.errors import ChangedError
from brain.planning import NAME_CAP
from brain.portfolio import Change, Facts, WriteError
from brain.wording import plural
from jobs.cli.show import problem_line
from jobs.errors import DONE, LOCKED, PARTIAL
from jobs.portfolio import NEWS, Indexed, Survey, facts_of, index
from jobs.skips import save_skips
from jobs.streams import Streams
from reports.portfolio import STATUSES
from reports.view import below_home, iso_time
from scanner.project import Project


class Agreement:
    """One conversation. Ctrl-D or an empty answer changes nothing."""

    def __init__(self, streams: Streams, seen: Survey) -> None:
        self._streams = streams
        self._seen = seen
        self._projects = {project.path: project for project in seen.scan.projects}
        self._edited: dict[str, Facts] = {}

    def run(self) -> int:
        """Ask until there is a decision, carry it out, say what happened; the exit code."""
        while True:
            answer = self._word("Index them? [a]ll, [c]hoose, [e]dit, [s]kip:")
            if answer in ("a", "all"):
                return self._index(self._all())
            if answer in ("c", "choose"):
                return self._choose()
            if answer in ("e", "edit"):
                self._edit_one()
            elif answer in ("", "s", "skip", "n", "no", "q", "quit"):
                self._streams.message("nothing was indexed")
                return self._code(Indexed())
            else:
                self._streams.message(f"{answer!r} is no answer here")

    # -- one by one ----------------------------------------------------------------------------------------

    def _choose(self) -> int:
        chosen = {path: facts for path, facts in self._all_by_path() if self._kind(path) == "same"}
        skipped: list[str] = []
        asked = [
            change for change in self._seen.changes if change.kind in NEWS and change.path in self._projects
        ]
        for place, change in enumerate(asked, start=1):
            answer = self._about(change, f"{place}/{len(asked)}")
            if answer == "all":
                rest = [other.path for other in asked[place - 1 :]]
                chosen.update((path, self._facts(path)) for path in rest)
                break
            if answer == "quit":
                break
            if answer == "skip":
                skipped.append(change.path)
            else:
                chosen[change.path] = self._facts(change.path)
        self._remember(skipped)
        return self._index([facts for path, facts in sorted(chosen.items())])

    def _about(self, change: Change, place: str) -> str:
        project = self._projects[change.path]
        home = self._seen.settings.home
        self._streams.message(
            f"{place} {change.kind}: {project.name}, {project.stacks.primary}, {project.status.value}, "
            f"{below_home(project.path, home)}"
            + (f", before {below_home(change.old_path, home)}" if change.old_path else "")
        )
        while True:
            answer = self._word("  [c]onfirm, [e]dit, [s]kip from now on, [a]ll the rest, [q]uit:")
            if answer in ("c", "confirm", "y", "yes"):
                return "confirm"
            if answer in ("e", "edit"):
                self._edit(project)
                return "confirm"
            if answer in ("s", "skip"):
                return "skip"
            if answer in ("a", "all"):
                return "all"
            if answer in ("", "q", "quit"):
                return "quit"
            self._streams.message(f"  {answer!r} is no answer here")

    def _remember(self, skipped: list[str]) -> None:
        if not skipped:
            return
        try:
            save_skips(self._seen.skips, add=skipped, when=iso_time(self._seen.settings.now) or "")
        except (WriteError, OutsideError, ChangedError) as error:
            self._streams.message(f"warning: the skip could not be remembered: {error}")
        else:
            self._streams.message(
                f"{plural(len(skipped), 'project')} skipped from now on; zecher projects --skipped lists them"
            )

    # -- corrections ---------------------------------------------------------------------------------------

    def _edit_one(self) -> None:
        wanted = self._streams.ask("Which project (name or path)?")
        if not wanted:
            return
        found = [project for project in self._projects.values() if wanted in (project.name, project.path)]
        found = found or [project for project in self._projects.values() if wanted in project.path]
        if len(found) == 1:
            self._edit(found[0])
        elif not found:
            self._streams.message(f"no project is called {wanted!r}")
        else:
            self._streams.message(f"{len(found):,} projects fit; give more of the path:")
            for project in found[:10]:
                self._streams.message(f"  {below_home(project.path, self._seen.settings.home)}")

    def _edit(self, project: Project) -> None:
        """Ask for name, status and stack; what is answered is pinned and later scans leave it alone."""
        facts = self._facts(project.path)
        pins = dict(facts.pins)
        for key, now in _shown(facts, pins):
            answer = (self._streams.ask(f"  {key} [{now}]:") or "").strip()
            if key == "status" and answer and answer not in STATUSES:
                self._streams.message(f"  a status is one of {', '.join(STATUSES)}: not changed")
            elif answer and answer != now:
                pins[key] = one_line(answer, NAME_CAP)
        self._edited[project.path] = facts.with_pins(pins)

    # -- carrying it out -----------------------------------------------------------------------------------

    def _index(self, facts: list[Facts]) -> int:
        indexed = index(self._seen, facts)
        for problem in indexed.problems:
            self._streams.message(problem_line(problem))
        written = plural(indexed.written, "card")
        brain = below_home(self._seen.settings.brain, self._seen.settings.home)
        self._streams.message(f"{written} written to {brain}")
        return self._code(indexed)

    def _code(self, indexed: Indexed) -> int:
        if indexed.locked:
            return LOCKED
        problems = (*self._seen.problems, *indexed.problems)
        return PARTIAL if any(problem.level == "error" for problem in problems) else DONE

    def _all(self) -> list[Facts]:
        return [facts for _, facts in self._all_by_path()]

    def _all_by_path(self) -> Iterator[tuple[str, Facts]]:
        for path in self._projects:
            if path not in self._seen.skipped:
                yield path, self._facts(path)

    def _facts(self, path: str) -> Facts:
        if path in self._edited:
            return self._edited[path]
        return facts_of(self._projects[path], self._seen.identifiers[path], self._seen.cards.get(path))

    def _kind(self, path: str) -> str:
        return next((change.kind for change in self._seen.changes if change.path == path), "")

    def _word(self, question: str) -> str:
        return (self._streams.ask(question) or "").strip().lower()


def _shown(facts: Facts, pins: Mapping[str, str]) -> list[tuple[str, str]]:
    """What can be corrected, with what stands there now."""
    now = {"name": facts.name, "status": facts.status, "stack": facts.stack}
    return [*{**now, **pins}.items()]
