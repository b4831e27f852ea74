"""Which finds are projects: nested repositories, components, folders without git, weak markers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scanner.support_cases import Desk, one
from tests.support import Git, write

NODE = '{"name": "x", "scripts": {"test": "y"}}\n'


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


def role_of(desk: Desk, name: str) -> str | None:
    vcs = one(desk.scan(nested="repos"), name).vcs
    return vcs.role if vcs is not None else None


# Nested repositories


def nested_desk(desk: Desk) -> Path:
    shop = desk.repository("shop", files={"README.md": "x\n", ".gitignore": "tools/\n"})
    desk.repository("shop/tools")
    desk.repository("shop/deep/er/lab")
    desk.manifest("shop/scripts")
    return shop


def test_a_repository_inside_a_project_is_only_hinted_at(desk: Desk) -> None:
    shop = nested_desk(desk)

    project = desk.only()

    assert project.nested == (str(shop / "tools"),)
    assert "nested" in project.flags


def test_nested_repos_lists_the_repositories_inside_even_ignored_ones(desk: Desk) -> None:
    nested_desk(desk)

    assert desk.found(nested="repos") == ["shop", "shop/deep/er/lab", "shop/tools"]
    assert role_of(desk, "tools") == "nested"
    assert role_of(desk, "shop") == "normal"


def test_nested_all_lists_the_other_projects_inside_too(desk: Desk) -> None:
    nested_desk(desk)

    assert desk.found(nested="all") == ["shop", "shop/deep/er/lab", "shop/scripts", "shop/tools"]


@pytest.mark.parametrize("nested", ["none", "repos"])
def test_a_component_that_the_repository_tracks_is_no_project(desk: Desk, nested: str) -> None:
    desk.repository("shop", files={"go.mod": "module shop\n", "api/go.mod": "module api\n"})

    assert desk.found(nested=nested) == ["shop"]


def test_an_ignored_folder_inside_a_repository_holds_no_project_without_its_own_git(desk: Desk) -> None:
    desk.repository("shop", files={"README.md": "x\n", ".gitignore": "scratch/\n"})
    desk.manifest("shop/scratch/try")

    assert desk.found(nested="all") == ["shop"]


def test_nested_discovery_keeps_to_the_depth(desk: Desk) -> None:
    desk.repository("shop")
    desk.repository("shop/1/2/four")
    desk.repository("shop/1/2/3/five")

    assert desk.found(nested="repos") == ["shop", "shop/1/2/four"]


def test_nested_discovery_prunes_as_elsewhere(desk: Desk) -> None:
    write(desk.repository("shop") / "package.json", NODE)
    for name in ("node_modules/x", "build/x", ".cache/x"):
        desk.repository(f"shop/{name}")

    assert desk.found(nested="repos") == ["shop"]


def test_a_repository_in_a_repository_in_a_repository_is_found(desk: Desk) -> None:
    for name in ("a", "a/b", "a/b/c"):
        desk.repository(name)

    assert desk.found(nested="repos") == ["a", "a/b", "a/b/c"]


def test_a_pruned_repository_is_no_hint(desk: Desk) -> None:
    desk.repository("shop")
    desk.repository("shop/node_modules")

    assert desk.only().nested == ()


# Without version control


def test_the_topmost_strong_marker_is_the_project(desk: Desk) -> None:
    write(desk.root / "shop/package.json", NODE)
    write(desk.root / "shop/web/package.json", NODE)
    desk.manifest("shop/api")

    assert desk.found() == ["shop"]


def test_a_strong_folder_with_one_repository_below_is_the_project_with_a_hint(desk: Desk) -> None:
    write(desk.root / "shop/package.json", NODE)
    inner = desk.repository("shop/inner")

    project = desk.only()

    assert (project.path, project.nested) == (str(desk.root / "shop"), (str(inner),))
    assert "nested" in project.flags


def test_a_strong_folder_with_several_repositories_below_is_listed_with_them(desk: Desk) -> None:
    write(desk.root / "shop/package.json", NODE)
    for name in ("a", "b"):
        desk.repository(f"shop/{name}")
    desk.manifest("shop/c")

    assert desk.found() == ["shop", "shop/a", "shop/b"]


def test_a_repository_with_several_repositories_below_stays_one_project(desk: Desk) -> None:
    shop = desk.repository("shop")
    for name in ("a", "b"):
        desk.repository(f"shop/{name}")

    assert desk.only().nested == (str(shop / "a"), str(shop / "b"))


@pytest.mark.parametrize("marker", [".hg", ".svn", ".jj", ".sl", ".bzr", "_darcs", ".pijul", "CVS"])
def test_other_version_control_makes_a_project(desk: Desk, marker: str) -> None:
    write(desk.root / "shop" / marker / "x")
    write(desk.root / "shop/code.txt")

    project = desk.only()

    assert project.vcs is not None
    assert project.vcs.kind == marker.strip("._").lower()
    assert not project.has_git


@pytest.mark.parametrize("marker", [".fslckout", "_FOSSIL_"])
def test_a_fossil_checkout_is_a_project(desk: Desk, marker: str) -> None:
    write(desk.root / "shop" / marker)

    project = desk.only()

    assert project.vcs is not None
    assert project.vcs.kind == "fossil"


def test_git_beside_jujutsu_is_one_git_project(desk: Desk) -> None:
    (desk.repository("shop") / ".jj").mkdir()

    project = desk.only()
    assert project.vcs is not None
    assert project.vcs.kind == "git"


def test_only_the_topmost_folder_of_an_old_subversion_copy_is_a_project(desk: Desk) -> None:
    for folder in ("shop", "shop/src", "shop/src/deep"):
        write(desk.root / folder / ".svn/entries")

    assert desk.found() == ["shop"]
    assert desk.found(nested="repos") == ["shop"]


# Weak markers


@pytest.mark.parametrize("marker", ["requirements.txt", "Dockerfile"])
def test_a_weak_marker_alone_makes_a_project(desk: Desk, marker: str) -> None:
    write(desk.root / "shop" / marker, "x\n")
    write(desk.root / "shop/src/code.txt")

    assert desk.found() == ["shop"]


def test_a_makefile_beside_sources_makes_a_project(desk: Desk) -> None:
    write(desk.root / "shop/Makefile", "all:\n")
    write(desk.root / "shop/main.c", "int main(void) { return 0; }\n")

    assert desk.found() == ["shop"]


@pytest.mark.parametrize("stronger", ["api", "deep/er/api"])
def test_a_weak_marker_gives_way_to_a_stronger_one_below(desk: Desk, stronger: str) -> None:
    write(desk.root / "group/Dockerfile", "FROM x\n")
    desk.manifest(f"group/{stronger}")

    assert desk.found() == [f"group/{stronger}"]


def test_a_weak_marker_gives_way_to_a_repository_below(desk: Desk) -> None:
    write(desk.root / "group/requirements.txt", "x\n")
    desk.repository("group/shop")

    assert desk.found() == ["group/shop"]


def test_of_weak_markers_the_topmost_is_the_project(desk: Desk) -> None:
    write(desk.root / "shop/requirements.txt", "x\n")
    write(desk.root / "shop/docker/Dockerfile", "FROM x\n")

    assert desk.found() == ["shop"]


def test_a_weak_marker_below_a_stronger_one_is_no_project(desk: Desk) -> None:
    desk.manifest("shop")
    write(desk.root / "shop/docker/Dockerfile", "FROM x\n")

    assert desk.found(nested="repos") == ["shop"]


def test_a_weak_root_leaves_a_weak_folder_below_alone(desk: Desk) -> None:
    write(desk.root / "requirements.txt", "x\n")
    write(desk.root / "shop/requirements.txt", "x\n")

    assert desk.found() == ["shop"]


def test_a_weak_sibling_stays_a_project_beside_a_strong_one(desk: Desk) -> None:
    write(desk.root / "group/a/requirements.txt", "x\n")
    desk.manifest("group/b")

    assert desk.found() == ["group/a", "group/b"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package.json", "{}\n"),
        ("package.json", '{"type": "module"}\n'),
        ("pyproject.toml", "[tool.ruff]\nline-length = 100\n"),
        ("README.md", "# x\n"),
        ("tsconfig.json", "{}\n"),
        ("poetry.lock", "\n"),
        ("AGENTS.md", "# x\n"),
        (".agents/memory/x.md", "x\n"),
        ("LICENSE", "x\n"),
        (".editorconfig", "root = true\n"),
    ],
)
def test_a_label_alone_makes_no_project(desk: Desk, name: str, text: str) -> None:
    write(desk.root / "folder" / name, text)
    desk.manifest("folder/inner")

    assert desk.found() == ["folder/inner"]
