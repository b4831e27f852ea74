"""What makes a folder a project, and what a project is made of.

The rules are data, ``scanner/markers.toml``; the readers of manifests stand in ``scanner.manifests``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence

from scanner.manifests import facts, inner, ranking
from scanner.manifests.names import NameIndex, Row
from scanner.manifests.survey import Survey
from scanner.manifests.table import ROOT_CLASSES, Table, load_table
from scanner.manifests.text import NAME_CAP, one_line
from scanner.project import Label, Listing, Problem, Stacks
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.workspaces.members import Membership

_DECIDING_ROLES = ("framework", "app", "language")
# A label of this score, or a plain file of this weight, says what a project is: nothing below is asked then.
_DECIDING_SCORE = 54.0
_DECIDING_WEIGHT = 45
_DECIDING_STRENGTH = 0.9
_PER_PATTERN = 4
_WEIGHT_LIMIT = 1000
_XCODE = ".xcworkspace"


@dataclass(frozen=True, slots=True)
class UserRule:
    """A marker of the user's own, which overrides the table for every entry that it fits.

    ``glob`` is a pattern as in ``markers.toml``; ``label`` the label it stands for ("" leaves the table's
    labels and changes only the class); ``root_class`` is ``strong``, ``weak`` or ``label``; ``priority`` is
    the label's rank on the scale of the roles (framework 100 ... tool 10), 0 for that of the label's role.
    """

    glob: str
    label: str = ""
    root_class: str = "label"
    priority: int = 0


class Markers:
    """The stack table with the user's rules, ready to be asked. Reads manifests; never writes."""

    def __init__(self, table: Table, rules: Sequence[UserRule], problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        self._table = table
        self._weights = {rule.label: rule.priority for rule in rules if rule.label and rule.priority}
        self._user_rows = [
            Row(rule.root_class, rule.glob, (rule.label,) if rule.label else (), order)
            for order, rule in enumerate(rules)
        ]
        self._user = NameIndex(self._user_rows) if rules else None

    def may_root(self, names: Collection[str]) -> bool:
        """Whether a folder with these names could hold a strong or weak marker; only False is certain."""
        return self._table.roots.may_match(names) or (self._user is not None and self._user.may_match(names))

    def root_class(self, listing: Listing) -> tuple[str, str]:
        """(``strong`` | ``weak`` | ``label`` | ``none``, the entry it rests on, "" for none).

        Decides by names; a manifest is opened only where the table says that its content decides. One that
        cannot be read counts by its name, unless that name alone says nothing.
        """
        if self._user is None and (".git" in listing.folders or ".git" in listing.files):
            return "strong", ".git"
        own = sorted(self._user.match(listing), key=_by_order) if self._user else []
        hits = self._table.walked.match(listing)
        if own:
            claimed = {entry for _, entry in own}
            hits = [hit for hit in hits if hit[1] not in claimed]
        elif not hits:
            return "none", ""
        if len(hits) > 1:
            stem = os.path.basename(listing.path)
            hits.sort(key=lambda hit: _by_stem(hit, stem))
        for section in ROOT_CLASSES:
            for row, entry in own:
                if row.section == section:
                    return section, entry
            for row, entry in self._asked(hits, section):
                if section == "label" or self._stands(listing, row, entry):
                    return section, entry
        # A manifest that holds nothing but tooling is worth a label.
        declined = [entry for row, entry in hits if row.glob in self._table.readers]
        return ("label", declined[0]) if declined else ("none", "")

    def _asked(self, hits: list[tuple[Row, str]], section: str) -> Iterable[tuple[Row, str]]:
        """The hits of one class; of files that share a pattern only some, if they have to be read."""
        asked: dict[Row, int] = {}
        for row, entry in hits:
            if row.section == section:
                asked[row] = asked.get(row, 0) + 1
                if asked[row] <= _PER_PATTERN:
                    yield row, entry

    def _stands(self, listing: Listing, row: Row, entry: str) -> bool:
        content = self._table.content.get(row.glob, {})
        if "check" not in content and self._table.readers.get(row.glob, "") not in self._table.deciding:
            return True
        survey = Survey(self._table, listing.path)
        return survey.read(row, f"{listing.path}/{entry}", entry, quiet=True)[0]

    def describe(self, listing: Listing, *, tracked: Callable[[], Sequence[str]] | None = None) -> Stacks:
        """What the project in this folder is made of.

        ``tracked()`` gives the relative paths of its files; it is called at most once, and only where the
        folder's own manifests leave a question.
        """
        table = self._table
        below = inner.Below(listing, table.skipped_folders, tracked)
        survey = Survey(table, listing.path)
        hits = table.everything.match(listing)
        replaced = self._own_labels(survey, listing)
        markers = [hit for hit in hits if hit[0].section in ROOT_CLASSES and hit[1] not in replaced]
        survey.folder(listing, markers)
        bare = any(row.glob.startswith("HEAD + ") for row, _ in markers)
        met = facts.by_section(hits)
        if not bare:
            kind = facts.workspace(met, survey.manifests, None)
            self._look_below(survey, below, kind)
            if not survey.decided():
                self._count_endings(survey, below)
        self._settle_open(survey, below)
        labels = ranking.ranked(
            table,
            survey.found,
            self._weights,
            lambda: ranking.languages_by_ending(table, below.tracked() or ()),
        )
        return self._stacks(listing, met, survey, labels, bare=bare)

    def members(
        self, listing: Listing, stacks: Stacks, *, tracked: Callable[[], Sequence[str]] | None = None
    ) -> Membership | None:
        """The members of the workspace in this folder, which ``describe`` found to be made of ``stacks``.

        None, and nothing done, where it is no workspace.
        """
        if stacks.workspace is None and not any(name.endswith(_XCODE) for name in listing.folders):
            return None
        from scanner.workspaces.members import members  # noqa: PLC0415 - start-up: 3 ms, only workspaces need it

        return members(listing, stacks.workspace, tracked=tracked, describe=self._describe_member)

    def _describe_member(self, listing: Listing, tracked: Callable[[], Sequence[str]] | None) -> Stacks:
        return self.describe(listing, tracked=tracked)

    def _stacks(
        self,
        listing: Listing,
        met: facts.Met,
        survey: Survey,
        labels: tuple[Label, ...],
        *,
        bare: bool,
    ) -> Stacks:
        manifests = survey.manifests
        primary = next((label.label for label in labels[:1] if self._weight(label.label)), "Unknown")
        family = survey.found[primary].family if primary in survey.found else ""
        manager, mixed = facts.package_manager(met, manifests, family)
        versions, problems = facts.tool_versions(listing, met, manifests)
        return Stacks(
            primary=primary,
            labels=labels,
            name=facts.project_name(listing, manifests, labels, bare=bare),
            description=facts.description(listing, manifests, labels),
            package_manager=manager,
            toolchains=versions,
            ci=facts.values(met, "ci"),
            containers=facts.values(met, "containers"),
            agent_files=facts.values(met, "agents"),
            memory=facts.values(met, "memory"),
            workspace=facts.workspace(met, manifests, manager),
            flags=facts.flags(listing, met, mixed=mixed, bare=bare),
            problems=(*survey.problems, *problems),
        )

    def _own_labels(self, survey: Survey, listing: Listing) -> set[str]:
        """Note the labels of the user's rules; the entries whose rows in the table they replace."""
        own = self._user.match(listing) if self._user else []
        for row, entry in sorted(own, key=_by_order):
            for label in row.values:
                survey.add(label, entry, 1.0)
        return {entry for row, entry in own if row.values}

    def _decided(self, survey: Survey) -> bool:
        for label, found in survey.found.items():
            weight = self._weight(label)
            plain = found.strength >= _DECIDING_STRENGTH and weight >= _DECIDING_WEIGHT
            deciding = self._table.roles.get(label, "app") in _DECIDING_ROLES
            if deciding and (plain or weight * found.strength >= _DECIDING_SCORE):
                return True
        return False

    def _has_framework(self, survey: Survey) -> bool:
        return any(self._table.roles.get(label) == "framework" for label in survey.found)

    def _look_below(self, survey: Survey, below: inner.Below, workspace: str | None) -> None:
        """Note what the components below stand for.

        Where the folder's own manifests say what the project is, only the first level is read, from the
        disk, and the tracked paths are asked only for a folder that holds a marker. The members of a
        workspace whose root is an application itself are projects of their own: they say nothing here.
        """
        if not below.has_folders or (workspace is not None and self._has_framework(survey)):
            return
        deep = workspace is not None or not self._decided(survey)
        generated = [
            f"{name}/"
            for label, names in self._table.own_folders.items()
            if label in survey.found
            for name in names
        ]
        finished: list[str] = []
        for prefix, depth, folder in (
            below.folders() if deep else below.beside_sources(self._table.source_folders)
        ):
            if prefix.startswith((*finished, *generated)):
                continue
            hits = self._labelled(folder)
            if hits and not deep:
                known = below.confirmed(prefix, folder)
                hits = self._labelled(known) if known else []
            if hits:
                survey.folder(folder, hits, prefix, inner.NEARNESS[depth])
            if any(row.section == "strong" for row, _ in hits):
                finished.append(prefix)

    def _labelled(self, folder: Listing) -> list[tuple[Row, str]]:
        return self._table.all_markers.match(folder, nested=False)

    def _count_endings(self, survey: Survey, below: inner.Below) -> None:
        counts = ranking.languages_by_ending(self._table, below.paths())
        languages = ranking.main_languages(counts)
        for place, (language, files) in enumerate(languages):
            share = min(files / languages[0][1], 0.99) if place else 1.0
            survey.add(language, f"files by ending:{files}", ranking.SHARE_STRENGTH * share)

    def _settle_open(self, survey: Survey, below: inner.Below) -> None:
        """Give a marker that leaves the language open the language that the files show."""
        for label, (languages, otherwise) in self._table.open_labels.items():
            found = survey.found.pop(label, None)
            if found is None:
                continue
            named = [survey.found[language] for language in languages if language in survey.found]
            if named:
                best = max(named, key=lambda entry: entry.strength)
                survey.add(best.label, found.evidence, found.strength, found.family, found.folder)
                continue
            counts = ranking.languages_by_ending(self._table, below.paths())
            most = max(languages, key=lambda language: counts[language])
            chosen = most if counts[most] else otherwise
            if chosen:
                survey.add(chosen, found.evidence, found.strength, found.family, found.folder)

    def _weight(self, label: str) -> int:
        return self._weights.get(label, self._table.weights.get(label, 80))


def load_markers(user_rules: Sequence[UserRule] = ()) -> Markers:
    """The shipped table with the user's rules; faulty rules are left out and stand in ``problems``."""
    problems = [problem for place, rule in enumerate(user_rules) for problem in _faults(place, rule)]
    faulty = {problem.path.partition(".")[0] for problem in problems}
    good = [rule for place, rule in enumerate(user_rules) if f"markers[{place}]" not in faulty]
    return Markers(load_table(), good, tuple(problems))


def _faults(place: int, rule: UserRule) -> Iterable[Problem]:
    parts = rule.glob.rstrip("/").split("/")
    if not rule.glob.strip("/ ") or rule.glob.startswith("/") or "\0" in rule.glob or ".." in parts:
        yield _fault(
            place, "glob", "not a name or a relative path", 'for example "*.proj", "tool.toml" or "conf/"'
        )
    elif "*" in parts[0] and len(parts) > 1:
        yield _fault(
            place, "glob", "the first folder of a path holds a *", 'name the first folder: "conf/*.toml"'
        )
    if rule.root_class not in ROOT_CLASSES:
        yield _fault(place, "class", f"unknown class {rule.root_class!r}", "one of strong, weak, label")
    if rule.label != one_line(rule.label, NAME_CAP):
        yield _fault(
            place, "label", "not one clean line", f"at most {NAME_CAP} characters, none of them hidden"
        )
    if not 0 <= rule.priority <= _WEIGHT_LIMIT:
        yield _fault(place, "priority", f"{rule.priority} is out of range", "0 to 1000; a framework has 100")


def _fault(place: int, key: str, message: str, fix: str) -> Problem:
    return Problem("marker-rule", "error", f"markers[{place}].{key}", message, fix)


def _by_order(hit: tuple[Row, str]) -> tuple[int, str]:
    return hit[0].order, hit[1]


def _by_stem(hit: tuple[Row, str], stem: str) -> tuple[int, bool, str]:
    row, entry = hit
    return row.order, entry.rpartition(".")[0] != stem, entry
