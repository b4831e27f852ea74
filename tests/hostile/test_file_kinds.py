"""Pipes, sockets, devices, links, folders and monsters in the place of every file that a scan reads."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hostile.command import Run, Zecher, path_of, paths_of
from tests.hostile.conftest import Workshop
from tests.hostile.harmless import check_shape
from tests.hostile.kinds import KINDS, MANIFESTS, PARTS, Kind, Repositories, Shelf, slug
from tests.hostile.vectors import SECRET

_SECOND = 1.0


@dataclass(frozen=True)
class Stock:
    """What the cases of this file are built from, and how long an ordinary root of the same size takes."""

    shelf: Shelf
    repositories: Repositories
    ordinary_seconds: float


@pytest.fixture(scope="module")
def stock(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Stock:
    base = tmp_path_factory.mktemp("stock")
    shelf = Shelf(base / "shelf", workshop.outside)
    for place in (*MANIFESTS, *PARTS):
        workshop.template.copy(base / "ordinary" / slug(place))
    zecher = Zecher(base)
    seconds = min(_scan(zecher, base / "ordinary", "json").seconds for _ in range(3))
    return Stock(shelf, Repositories(base, workshop.template), seconds)


def _scan(zecher: Zecher, root: Path, shown: str) -> Run:
    return zecher("scan", str(root), "--dry-run", "--respect-ignore", "-v", "--format", shown)


def _build(kind: Kind, stock: Stock, root: Path) -> list[Path]:
    """One project for every place, with ``kind`` in that place."""
    projects = []
    for place in MANIFESTS:
        project = stock.repositories.loose.copy(root / slug(place))
        (project / place).unlink(missing_ok=True)
        kind.make(project / place, stock.shelf)
        projects.append(project)
    for part in PARTS:
        project = root / ("part-" + slug(part))
        kind.make(stock.repositories.with_part(part, project), stock.shelf)
        projects.append(project)
    return projects


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_project_is_listed_in_time(kind: Kind, stock: Stock, tmp_path: Path, full: bool) -> None:
    if kind.name == "unreadable" and os.geteuid() == 0:
        pytest.skip("no mode keeps root from reading")
    root = tmp_path / "root"
    projects = _build(kind, stock, root)
    zecher = Zecher(tmp_path)

    runs = [_scan(zecher, root, "json")]
    if full or kind.name == "pipe":  # the other formats say the same of every kind
        runs += [_scan(zecher, root, shown) for shown in ("tsv", "md", "table")]

    for run in runs:
        check_shape(run)
        assert SECRET.encode() not in run.out + run.err, str(run)
    listed = set(paths_of(runs[0]))
    assert [project.name for project in projects if bytes(project) not in listed] == []
    # One second for each project is allowed; all of them together stay below it.
    slowest = min(run.seconds for run in runs) - stock.ordinary_seconds
    assert slowest < _SECOND, f"{slowest:.2f} s more than {len(projects)} ordinary projects"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_manifest_alone_is_listed_or_named_as_unreadable(kind: Kind, stock: Stock, tmp_path: Path) -> None:
    if kind.name == "unreadable" and os.geteuid() == 0:
        pytest.skip("no mode keeps root from reading")
    root = tmp_path / "root"
    places = ("package.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml")
    for place in places:
        (root / slug(place)).mkdir(parents=True)
        (root / slug(place) / "notes.txt").write_text("x\n")
        kind.make(root / slug(place) / place, stock.shelf)

    run = _scan(Zecher(tmp_path), root, "json")

    check_shape(run)
    listed = set(paths_of(run))
    problems = {path_of(problem) for problem in run.document()["problems"] if problem["path"]}
    silent = [
        place
        for place in places
        if bytes(root / slug(place)) not in listed and bytes(root / slug(place) / place) not in problems
    ]
    # A folder is by definition no manifest, a link to itself leads to none, an empty file says nothing.
    expected = places if kind.name in ("folder", "link-to-itself") else ()
    assert set(silent) <= {*expected, *(places if not kind.refused else ())}


@pytest.mark.parametrize("name", ["terabyte", "hundred-megabytes"])
def test_a_monstrous_manifest_is_too_large_and_its_project_listed(
    name: str, stock: Stock, tmp_path: Path
) -> None:
    # Too large to be read, and a project all the same.
    root = tmp_path / "root"
    kind = next(kind for kind in KINDS if kind.name == name)
    places = ("package.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml")
    for place in places:
        (root / slug(place)).mkdir(parents=True)
        kind.make(root / slug(place) / place, stock.shelf)

    run = _scan(Zecher(tmp_path), root, "json")

    check_shape(run)
    assert sorted(paths_of(run)) == sorted(bytes(root / slug(place)) for place in places)
    for place in places:
        named = str(root / slug(place) / place)
        said = [problem["message"] for problem in run.document()["problems"] if problem["path"] == named]
        assert any("bytes" in message or "large" in message for message in said), place
