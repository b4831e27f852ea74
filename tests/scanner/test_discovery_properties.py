"""Discovery against a slow and plain statement of its rules, on trees that nobody thought of."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.project import Root
from tests.scanner.support_cases import below, scan_of
from tests.support import write

FOLDERS = st.lists(st.sampled_from(["a", "b", "b.c"]), min_size=1, max_size=5).map(
    lambda parts: PurePosixPath(*parts)
)
TREES = st.frozensets(FOLDERS, max_size=8)
ROOTS = st.lists(
    st.tuples(st.one_of(st.just(PurePosixPath()), FOLDERS), st.integers(0, 5)), min_size=1, max_size=4
)


def plant(base: Path, projects: Iterable[PurePosixPath], roots: Iterable[PurePosixPath]) -> None:
    for folder in projects:
        write(base / folder / "go.mod", "module x\n")
    for root in roots:
        (base / root).mkdir(parents=True, exist_ok=True)


def distance(outer: PurePosixPath, inner: PurePosixPath) -> int | None:
    """How many folders ``inner`` lies below ``outer``; None if it does not."""
    return len(inner.relative_to(outer).parts) if inner.is_relative_to(outer) else None


def expected(marked: frozenset[PurePosixPath], roots: list[tuple[PurePosixPath, int]]) -> list[str]:
    """The rules in words: a marked folder is a project if a root reaches it and nothing marked lies between;
    a marked root is one if nothing below it is."""
    own = {root: max(depth for other, depth in roots if other == root) for root, _ in roots}
    reach = {
        root: max(depth - far for outer, depth in own.items() if (far := distance(outer, root)) is not None)
        for root in own
    }

    def reached(folder: PurePosixPath, root: PurePosixPath) -> bool:
        far = distance(root, folder)
        between = [other for other in folder.parents if other.is_relative_to(root) and other != root]
        return far is not None and 0 < far <= reach[root] and not (marked - own.keys()).intersection(between)

    found = {folder for folder in marked - own.keys() for root in own if reached(folder, root)}
    for root in sorted(own, key=lambda path: -len(path.parts)):
        if root in marked and not any(distance(root, folder) for folder in found):
            found.add(root)
    return [str(folder) for folder in found]


@settings(deadline=None, max_examples=60)
@given(marked=TREES, depth=st.integers(0, 5))
def test_one_root_gives_the_topmost_marked_folders_within_its_depth(
    marked: frozenset[PurePosixPath], depth: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.mktemp("tree").resolve()
    plant(base, marked, ())

    found = below(base, scan_of(Root(str(base), depth)).projects)

    assert sorted(found) == sorted(expected(marked, [(PurePosixPath(), depth)]))


@settings(deadline=None, max_examples=60)
@given(marked=TREES, roots=ROOTS)
def test_several_roots_give_what_each_of_them_reaches_once(
    marked: frozenset[PurePosixPath],
    roots: list[tuple[PurePosixPath, int]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    base = tmp_path_factory.mktemp("tree").resolve()
    plant(base, marked, [root for root, _ in roots])

    found = below(base, scan_of(*(Root(str(base / root), depth) for root, depth in roots)).projects)

    assert sorted(found) == sorted(expected(marked, roots))
