"""The acceptance set of the stack detection: real looking projects, each with the labels that it must get.

The layouts stand in ``layouts/<family>.toml``, one ``[[layout]]`` each, written from the conventions of each
technology and not from the detector:

``name``            what a person would call it, unique in the set
``files``           path -> content; a path not named here but in ``touch`` is an empty file
``touch``           paths of empty files
``encodings``       path -> Python codec, where a file is not plain UTF-8
``folder``          the name of the project's own folder, where it matters
``tracked``         false: no git index is at hand; else it lists every file of the layout
``labels``          every label that has to be there
``optional``        labels that may be there or not: neither right nor wrong
``absent``          labels that would be a mistake in any role (all others are a mistake in a counted role)
``primary``         the leading label, or Unknown; ``primary_either`` lists all where several are right
``manager``         the package manager, where it is clear
``root``            the class of the folder as a project root; ``root_either`` lists all that are right
``note``            why, where a person could ask
``open``            the detector is known to miss this one, and why; it still counts as a miss in the figures

What counts: labels of the roles framework, app, language and build. A label of the role tool counts only in
the layouts that list it, so the many names of tools around a project neither spoil nor polish the figures.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from scanner.project import Stacks
from scanner.stacks import load_markers
from scanner.walk import read_listing

HERE = Path(__file__).parent / "layouts"
MARKERS = Path(__file__).parents[2] / "scanner" / "markers.toml"
FAMILIES = sorted(path.stem for path in HERE.glob("*.toml"))
COUNTED_ROLES = frozenset({"framework", "app", "language", "build"})
LABELS_WITHOUT_A_LAYOUT: dict[str, str] = {}  # label -> why no layout can show it


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One labelled project, as its TOML table says it."""

    family: str
    name: str
    labels: list[str]
    primary: str
    files: dict[str, str] = field(default_factory=dict)
    touch: list[str] = field(default_factory=list)
    encodings: dict[str, str] = field(default_factory=dict)
    folder: str = "project"
    tracked: bool = True
    optional: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    primary_either: list[str] = field(default_factory=list)
    manager: str | None = None
    root: str | None = None
    root_either: list[str] = field(default_factory=list)
    note: str = ""
    open: str = ""

    @property
    def paths(self) -> list[str]:
        return sorted({*self.files, *self.touch})

    def write(self, parent: Path) -> Path:
        project = parent / self.folder
        project.mkdir(parents=True)
        for relative in self.paths:
            path = project / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            content = self.files.get(relative, "")
            path.write_bytes(content.encode(self.encodings.get(relative, "utf-8")))
        return project


@dataclass(frozen=True)
class Outcome:
    """What the detector said about one layout, held against what it should have said."""

    layout: Layout
    stacks: Stacks
    root: str

    @property
    def got(self) -> dict[str, str]:
        """Counted labels -> evidence."""
        listed = {*self.layout.labels, *self.layout.absent}
        return {
            label.label: label.evidence
            for label in self.stacks.labels
            if label.label not in self.layout.optional
            and (label.role in COUNTED_ROLES or label.label in listed)
        }

    @property
    def expected(self) -> set[str]:
        return set(self.layout.labels) - set(self.layout.optional)

    @property
    def missing(self) -> set[str]:
        return self.expected - set(self.got)

    @property
    def surplus(self) -> set[str]:
        return set(self.got) - self.expected

    @property
    def primary_is_right(self) -> bool:
        return self.stacks.primary in {self.layout.primary, *self.layout.primary_either}

    @property
    def manager_is_right(self) -> bool:
        return self.layout.manager in (None, self.stacks.package_manager)

    @property
    def root_is_right(self) -> bool:
        return self.layout.root is None or self.root in {self.layout.root, *self.layout.root_either}

    @property
    def faults(self) -> list[str]:
        found = [f"misses {label}" for label in sorted(self.missing)]
        found += [f"invents {label} (from {self.got[label]})" for label in sorted(self.surplus)]
        if not self.primary_is_right:
            found.append(f"leads with {self.stacks.primary}, not {self.layout.primary}")
        if not self.manager_is_right:
            found.append(f"manager {self.stacks.package_manager}, not {self.layout.manager}")
        if not self.root_is_right:
            found.append(f"root class {self.root}, not {self.layout.root}")
        return found

    def __str__(self) -> str:
        return f"{self.layout.family} / {self.layout.name}: {'; '.join(self.faults) or 'right'}"


@functools.cache
def read_family(family: str) -> tuple[Layout, ...]:
    tables: list[dict[str, Any]] = tomllib.loads((HERE / f"{family}.toml").read_text("utf-8"))["layout"]
    return tuple(Layout(family=family, **table) for table in tables)


def all_layouts() -> Iterator[Layout]:
    for family in FAMILIES:
        yield from read_family(family)


def table_of_labels() -> dict[str, str]:
    """Every label that the detector can give -> its role."""
    roles: dict[str, list[str]] = tomllib.loads(MARKERS.read_text("utf-8"))["labels"]
    return {label: role for role, labels in roles.items() for label in labels}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """The detector's word on every layout, each written into a folder of its own."""
    markers = load_markers()
    parent = tmp_path_factory.mktemp("layouts")
    found = []
    for number, layout in enumerate(all_layouts()):
        listing = read_listing(str(layout.write(parent / f"{number:03}")))
        index = functools.partial(list[str], layout.paths)
        stacks = markers.describe(listing, tracked=index if layout.tracked else None)
        found.append(Outcome(layout, stacks, markers.root_class(listing)[0]))
    return found


def report(title: str, outcomes: list[Outcome]) -> str:
    return "\n".join([title, *(f"  {outcome}" for outcome in outcomes)])


def test_at_least_98_of_100_labels_given_are_right(outcomes: list[Outcome]) -> None:
    given = sum(len(outcome.got) for outcome in outcomes)
    wrong = [outcome for outcome in outcomes if outcome.surplus]
    precision = 1 - sum(len(outcome.surplus) for outcome in wrong) / given
    assert precision >= 0.98, report(f"precision {precision:.4f} of {given} labels", wrong)


def test_at_least_95_of_100_labels_expected_are_found(outcomes: list[Outcome]) -> None:
    expected = sum(len(outcome.expected) for outcome in outcomes)
    wrong = [outcome for outcome in outcomes if outcome.missing]
    recall = 1 - sum(len(outcome.missing) for outcome in wrong) / expected
    assert recall >= 0.95, report(f"recall {recall:.4f} of {expected} labels", wrong)


def test_the_primary_label_is_right_in_at_least_97_of_100_layouts(outcomes: list[Outcome]) -> None:
    wrong = [outcome for outcome in outcomes if not outcome.primary_is_right]
    share = 1 - len(wrong) / len(outcomes)
    assert share >= 0.97, report(f"primary right in {share:.4f} of {len(outcomes)} layouts", wrong)


def test_the_package_manager_is_right_in_at_least_97_of_100_layouts_that_state_it(
    outcomes: list[Outcome],
) -> None:
    stated = [outcome for outcome in outcomes if outcome.layout.manager is not None]
    wrong = [outcome for outcome in stated if not outcome.manager_is_right]
    share = 1 - len(wrong) / len(stated)
    assert share >= 0.97, report(f"manager right in {share:.4f} of {len(stated)} layouts", wrong)


def test_the_root_class_is_right_in_at_least_97_of_100_layouts_that_state_it(outcomes: list[Outcome]) -> None:
    stated = [outcome for outcome in outcomes if outcome.layout.root is not None]
    wrong = [outcome for outcome in stated if not outcome.root_is_right]
    share = 1 - len(wrong) / len(stated)
    assert share >= 0.97, report(f"root class right in {share:.4f} of {len(stated)} layouts", wrong)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_layout_of_the_family_is_described_rightly(family: str, outcomes: list[Outcome]) -> None:
    """Except those that say why they are open; one that turned right must lose its mark."""
    wrong = [o for o in outcomes if o.layout.family == family and bool(o.faults) != bool(o.layout.open)]
    assert not wrong, report(f"{len(wrong)} of {len(read_family(family))} layouts", wrong)


def test_the_set_holds_at_least_230_layouts() -> None:
    assert len(list(all_layouts())) >= 230


def test_at_least_25_layouts_have_nothing_in_their_root_that_says_what_they_are() -> None:
    assert len(read_family("rootless")) >= 25


def test_every_label_of_the_table_occurs_in_a_layout() -> None:
    shown = {label for layout in all_layouts() for label in layout.labels}
    assert sorted(set(table_of_labels()) - shown - set(LABELS_WITHOUT_A_LAYOUT)) == []


def test_every_label_of_a_layout_is_spelled_as_in_the_table() -> None:
    known = {*table_of_labels(), "Unknown"}
    spelled = {
        label: layout.name
        for layout in all_layouts()
        for label in (
            *layout.labels,
            *layout.optional,
            *layout.absent,
            layout.primary,
            *layout.primary_either,
        )
    }
    assert {label: name for label, name in spelled.items() if label not in known} == {}


def test_the_names_of_the_layouts_are_unique() -> None:
    names = [layout.name for layout in all_layouts()]
    assert len(names) == len(set(names))


def test_no_layout_contradicts_itself() -> None:
    def contradicts(layout: Layout) -> bool:
        wanted = {*layout.labels, *layout.optional}
        leaders = {layout.primary, *layout.primary_either} - {"Unknown"}
        return bool(wanted & set(layout.absent)) or not leaders <= wanted

    assert [layout.name for layout in all_layouts() if contradicts(layout)] == []
