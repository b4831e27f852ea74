"""Snapshots and linking backups repeat every project; it counts once. Copies made for work count each."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from scanner.explain import explain
from scanner.project import Root, Thresholds
from scanner.request import Request
from tests.scanner.support_cases import Desk
from tests.support import NOW, Git, write


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


def backup(source: Path, target: Path) -> Path:
    """A copy that shares all files, as ``rsync --link-dest`` and ``cp -al`` make it."""
    return Path(shutil.copytree(source, target, copy_function=os.link, symlinks=True))


def test_of_many_snapshots_the_project_that_lies_least_deep_counts(desk: Desk) -> None:
    shop = desk.repository("shop", files={"README.md": "x\n", "go.mod": "module x\n"})
    for day in ("01", "02", "03", "04"):
        backup(shop, desk.root / f"backup/{day}/shop")

    result = desk.scan()

    assert [project.path for project in result.projects] == [str(shop)]
    assert result.coverage.pruned == (("snapshot", 4),)


def test_what_changed_between_snapshots_does_not_hide_that_they_are_some(desk: Desk) -> None:
    shop = desk.repository("shop", files=dict.fromkeys(("a.py", "b.py", "c.py", "d.py"), "x\n"))
    for day in ("01", "02", "03"):
        copy = backup(shop, desk.root / f"backup/{day}/shop")
        (copy / "a.py").unlink()
        write(copy / "a.py", f"{day}\n")

    assert desk.found() == ["shop"]


def test_where_only_snapshots_are_left_one_of_them_is_listed(desk: Desk) -> None:
    shop = desk.manifest("backup/01/shop")
    for day in ("02", "03"):
        backup(shop, desk.root / f"backup/{day}/shop")

    assert desk.found() == ["backup/01/shop"]


def test_two_folders_that_share_files_are_two_projects(desk: Desk) -> None:
    backup(desk.manifest("shop"), desk.root / "try/shop")

    assert desk.found() == ["shop", "try/shop"]


def test_copies_for_work_are_projects_of_their_own(desk: Desk) -> None:
    shop = desk.repository("shop", files={"README.md": "x\n", "go.mod": "module x\n"})
    for name in "abc":
        shutil.copytree(shop, desk.root / f"{name}/shop")

    assert desk.found() == ["a/shop", "b/shop", "c/shop", "shop"]


def test_different_projects_of_one_name_stay_apart_from_the_snapshots_beside_them(desk: Desk) -> None:
    for team in ("red", "blue"):
        app = desk.manifest(f"{team}/app")
        for day in ("01", "02"):
            backup(app, desk.root / f"backup/{team}/{day}/app")

    assert desk.found() == ["blue/app", "red/app"]


def test_a_snapshot_that_is_named_as_a_root_is_searched(desk: Desk) -> None:
    shop = desk.manifest("shop")
    copies = [backup(shop, desk.root / f"backup/{day}/shop") for day in ("01", "02", "03")]

    assert desk.found() == ["shop"]
    assert Desk(desk.git, copies[1], desk.outside).found() == ["."]


def test_an_explanation_sees_the_copies_too(desk: Desk) -> None:
    shop = desk.manifest("shop")
    copies = [backup(shop, desk.root / f"backup/{day}/shop") for day in ("01", "02", "03")]
    request = Request((Root(str(desk.root)),), Thresholds(), NOW)

    assert explain(request, str(shop)).verdict == "project"
    assert [(told.verdict, told.code) for told in (explain(request, str(copy)) for copy in copies)] == [
        ("pruned", "snapshot")
    ] * 3
