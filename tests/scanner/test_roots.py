"""The folders that a person names: resolved once, merged, and never mistaken for a project."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scanner.project import Root
from scanner.roots import outermost, resolve_roots
from tests.scanner.support_cases import Desk, below, closed, only, scan_of
from tests.support import Git, write

STRAY_MARKERS = {
    "package.json": '{"name": "stray", "scripts": {"x": "y"}}\n',
    "pyproject.toml": "[project]\nname = 'stray'\n",
    "Cargo.toml": "[package]\nname = 'stray'\n",
    "go.mod": "module stray\n",
    "requirements.txt": "requests\n",
    "Makefile": "all:\n",
    "Dockerfile": "FROM scratch\n",
}


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


def paths(*roots: Root) -> list[str]:
    return [project.path for project in scan_of(*roots).projects]


@pytest.mark.parametrize("marker", STRAY_MARKERS)
def test_a_stray_manifest_in_the_root_hides_nothing(desk: Desk, marker: str) -> None:
    write(desk.root / marker, STRAY_MARKERS[marker])
    desk.manifest("a")
    desk.manifest("group/b")

    assert desk.found() == ["a", "group/b"]


def test_a_root_that_is_a_repository_hides_nothing_and_is_no_project(desk: Desk) -> None:
    desk.git("init", "-q", cwd=desk.root)
    desk.manifest("a")
    desk.repository("b")

    assert desk.found() == ["a", "b"]


def test_a_root_repository_that_ignores_everything_hides_nothing(desk: Desk) -> None:
    """The home folder as a repository of dotfiles: it ignores all that it was not told to keep."""
    desk.git("init", "-q", cwd=desk.root)
    write(desk.root / ".gitignore", "*\n")
    desk.manifest("a")
    desk.repository("b")

    assert desk.found() == ["a", "b"]


def test_a_repository_above_the_root_hides_nothing(desk: Desk) -> None:
    desk.git("init", "-q", cwd=desk.root.parent)
    write(desk.root.parent / ".gitignore", "*\n")
    desk.manifest("a")
    desk.repository("b")

    assert desk.found() == ["a", "b"]


def test_a_project_above_the_root_hides_nothing(desk: Desk) -> None:
    write(desk.root.parent / "package.json", STRAY_MARKERS["package.json"])
    desk.manifest("a")

    assert desk.found() == ["a"]


@pytest.mark.parametrize("marker", ["package.json", "pyproject.toml", "Cargo.toml", "go.mod"])
def test_a_root_with_a_strong_marker_and_nothing_below_is_a_project(desk: Desk, marker: str) -> None:
    write(desk.root / marker, STRAY_MARKERS[marker])
    write(desk.root / "src/code.txt")

    assert desk.found() == ["."]


@pytest.mark.parametrize("marker", ["requirements.txt", "Makefile", "Dockerfile"])
def test_a_root_with_a_weak_marker_is_never_a_project(desk: Desk, marker: str) -> None:
    write(desk.root / marker, STRAY_MARKERS[marker])
    write(desk.root / "main.c", "int main(void) { return 0; }\n")

    assert desk.found() == []


def test_a_root_that_is_a_repository_with_nothing_below_is_a_project(desk: Desk) -> None:
    desk.git.repository("dev/inner", files={"src/code.py": "x\n"})

    assert below(desk.root, scan_of(Root(str(desk.root / "inner"))).projects) == ["inner"]


def test_a_root_that_is_a_worktree_is_a_project(desk: Desk) -> None:
    main = desk.elsewhere("main")
    desk.git("worktree", "add", "-q", "--detach", str(desk.root / "tree"), cwd=main)

    project = only(scan_of(Root(str(desk.root / "tree"))))

    assert (project.path, project.vcs and project.vcs.role) == (str(desk.root / "tree"), "worktree")


def test_a_root_that_is_a_bare_repository_is_a_project(desk: Desk) -> None:
    desk.git("init", "-q", "--bare", str(desk.root / "shop.git"))

    assert paths(Root(str(desk.root / "shop.git"))) == [str(desk.root / "shop.git")]


def test_a_root_may_be_a_folder_that_is_pruned_elsewhere(desk: Desk) -> None:
    for name in ("node_modules", ".hidden", "build"):
        desk.manifest(f"{name}/a")
        assert paths(Root(str(desk.root / name))) == [str(desk.root / name / "a")]


def test_a_root_that_holds_a_virtual_environment_file_is_still_searched(desk: Desk) -> None:
    write(desk.root / "pyvenv.cfg", "home = /usr\n")
    desk.manifest("a")

    assert desk.found() == ["a"]


def test_a_root_that_is_a_link_is_resolved_once(desk: Desk) -> None:
    desk.manifest("a")
    link = desk.outside / "link"
    link.symlink_to(desk.root)

    result = scan_of(Root(str(link)))

    assert [root.path for root in result.roots] == [str(desk.root)]
    assert [project.path for project in result.projects] == [str(desk.root / "a")]


def test_a_root_and_a_link_to_it_count_once(desk: Desk) -> None:
    desk.manifest("a")
    link = desk.outside / "link"
    link.symlink_to(desk.root)

    result = scan_of(Root(str(link)), Root(str(desk.root)))

    assert len(result.roots) == 1
    assert below(desk.root, result.projects) == ["a"]


@pytest.mark.parametrize("spelling", ["{}/", "{}//", "{}/.", "{}/x/..", "{}/../dev"])
def test_the_spelling_of_a_root_changes_neither_depth_nor_paths(desk: Desk, spelling: str) -> None:
    (desk.root / "x").mkdir()
    desk.manifest("1/2/3/four")
    desk.manifest("1/2/3/4/five")

    result = scan_of(Root(spelling.format(desk.root)))

    assert below(desk.root, result.projects) == ["1/2/3/four"]
    assert [root.path for root in result.roots] == [str(desk.root)]


def test_a_root_may_be_relative_to_the_working_folder(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.manifest("a")
    monkeypatch.chdir(desk.root)

    assert paths(Root(".")) == [str(desk.root / "a")]


def _missing(path: Path) -> None:
    assert not path.exists()


def _file(path: Path) -> None:
    path.write_text("x")


def _dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def _link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


@pytest.mark.parametrize("make", [_missing, _file, _dangling_link, _link_to_itself, os.mkfifo])
def test_an_unusable_root_is_a_problem_and_the_others_are_scanned(
    desk: Desk, make: Callable[[Path], None]
) -> None:
    bad = desk.outside / "bad"
    make(bad)
    desk.manifest("a")

    result = scan_of(Root(str(bad)), Root(str(desk.root)))

    assert below(desk.root, result.projects) == ["a"]
    assert [(problem.level, problem.path) for problem in result.problems] == [("error", str(bad))]
    assert all(problem.message and problem.fix for problem in result.problems)
    assert [root.path for root in result.roots] == [str(desk.root)]


def test_an_unreadable_root_is_an_error(desk: Desk) -> None:
    secret = desk.outside / "secret"
    secret.mkdir()
    desk.manifest("a")

    with closed(secret):
        result = scan_of(Root(str(secret)), Root(str(desk.root)))

    assert below(desk.root, result.projects) == ["a"]
    assert [(problem.path, problem.level) for problem in result.problems] == [(str(secret), "error")]


def test_no_roots_give_an_empty_result() -> None:
    result = scan_of()

    assert (result.roots, result.projects, result.problems) == ((), (), ())


def test_an_empty_folder_gives_an_empty_result_without_a_problem(desk: Desk) -> None:
    result = desk.scan()

    assert (result.projects, result.problems, result.coverage.directories) == ((), (), 1)


def test_each_root_has_its_own_depth(desk: Desk) -> None:
    for root in ("one", "two"):
        desk.manifest(f"{root}/1/2")
        desk.manifest(f"{root}/1/b/3")

    result = scan_of(Root(str(desk.root / "one"), 2), Root(str(desk.root / "two"), 3))

    assert below(desk.root, result.projects) == ["one/1/2", "two/1/2", "two/1/b/3"]


def test_a_root_inside_a_root_is_merged(desk: Desk) -> None:
    desk.manifest("a")
    desk.manifest("group/b")

    result = scan_of(Root(str(desk.root)), Root(str(desk.root / "group"), 3))

    assert result.roots == (Root(str(desk.root), 4),)
    assert below(desk.root, result.projects) == ["a", "group/b"]


def test_the_same_root_twice_counts_once_with_the_larger_depth(desk: Desk) -> None:
    desk.manifest("1/2/three")

    result = scan_of(Root(str(desk.root), 1), Root(str(desk.root), 3), Root(str(desk.root), 2))

    assert result.roots == (Root(str(desk.root), 3),)
    assert below(desk.root, result.projects) == ["1/2/three"]


def test_a_deeper_root_inside_a_root_keeps_its_own_depth_and_its_place_in_the_list(desk: Desk) -> None:
    desk.manifest("group/1/2/3/four")
    desk.manifest("other/1/2/3/four")

    result = scan_of(Root(str(desk.root), 2), Root(str(desk.root / "group"), 4))

    assert result.roots == (Root(str(desk.root), 2), Root(str(desk.root / "group"), 4))
    assert below(desk.root, result.projects) == ["group/1/2/3/four"]


def test_a_shallow_root_inside_a_deep_one_loses_nothing(desk: Desk) -> None:
    desk.manifest("group/1/2/three")

    result = scan_of(Root(str(desk.root), 4), Root(str(desk.root / "group"), 0))

    assert below(desk.root, result.projects) == ["group/1/2/three"]


def test_the_order_in_which_roots_are_named_changes_nothing(desk: Desk) -> None:
    desk.manifest("a")
    desk.manifest("group/1/2/3/four")
    outer, inner = Root(str(desk.root), 2), Root(str(desk.root / "group"), 4)

    assert scan_of(outer, inner) == scan_of(inner, outer)


def test_a_root_inside_a_root_is_a_container_of_its_own(desk: Desk) -> None:
    desk.manifest("group")
    desk.manifest("group/a")
    desk.manifest("group/b")

    assert desk.found() == ["group"]
    assert below(desk.root, scan_of(Root(str(desk.root)), Root(str(desk.root / "group"))).projects) == [
        "group/a",
        "group/b",
    ]


def test_a_root_inside_a_project_is_searched_too(desk: Desk) -> None:
    outer = desk.repository("outer")
    desk.repository("outer/lab/inner")

    result = scan_of(Root(str(desk.root)), Root(str(outer / "lab")))

    assert below(desk.root, result.projects) == ["outer", "outer/lab/inner"]


def test_a_root_that_an_outer_root_would_prune_is_searched_too(desk: Desk) -> None:
    desk.manifest("a")
    desk.manifest("node_modules/b")

    result = scan_of(Root(str(desk.root)), Root(str(desk.root / "node_modules")))

    assert below(desk.root, result.projects) == ["a", "node_modules/b"]


def test_a_root_whose_name_starts_like_another_is_not_inside_it(desk: Desk) -> None:
    desk.manifest("work/a")
    desk.manifest("work-old/b")

    result = scan_of(Root(str(desk.root / "work")), Root(str(desk.root / "work-old")))

    assert len(result.roots) == 2
    assert below(desk.root, result.projects) == ["work-old/b", "work/a"]


def test_everything_lies_inside_the_root_of_the_file_system() -> None:
    roots = (Root("/", 9), Root("/srv/dev", 4))

    assert outermost(roots) == (Root("/", 9),)


def test_the_root_of_the_file_system_can_be_a_root(desk: Desk) -> None:
    roots, problems = resolve_roots([Root("/", 6), Root(str(desk.root), 1)])

    assert problems == ()
    assert roots[0] == Root("/", 6)
    assert roots[1] == Root(str(desk.root), max(1, 6 - str(desk.root).count("/")))


def test_a_home_folder_needs_nothing_special(desk: Desk) -> None:
    """Tool caches hold thousands of manifests and whole repositories; none of them is anybody's project."""
    for cache in (
        ".cache/pip/wheel",
        ".cargo/registry/src/serde",
        ".npm/_cacache/x",
        ".rustup/toolchains/x",
        ".local/share/tool",
        ".config/tool/plugin",
        ".gradle/caches/x",
        ".m2/repository/x",
        "snap/code/common/x",
        "AppData/Local/x",
        ".Trash/old",
        ".local/share/Trash/files/old",
    ):
        desk.manifest(cache)
    for checkout in (".nvm", ".pyenv", ".rbenv", ".oh-my-zsh", ".config/nvim"):
        desk.repository(checkout)
    desk.git("init", "-q", cwd=desk.root)
    write(desk.root / ".gitignore", "*\n")
    write(desk.root / "Makefile", "all:\n")
    desk.manifest("Documents/thesis-tools")
    desk.repository("dev/shop")
    desk.repository(".dotfiles")

    assert desk.found() == [".dotfiles", "Documents/thesis-tools", "dev/shop"]


def test_a_tracked_manifest_below_a_root_repository_is_a_component(desk: Desk) -> None:
    """A monorepo named as the root: its packages are parts of it, not projects."""
    shop = desk.repository("shop", files={"README.md": "x\n", "api/go.mod": "module api\n"})

    assert paths(Root(str(shop))) == [str(shop)]


def test_an_untracked_manifest_below_a_root_repository_is_a_project(desk: Desk) -> None:
    """A home folder under version control: what it does not track stands for itself."""
    shop = desk.repository("shop", files={"README.md": "x\n", ".gitignore": "lab/\n"})
    desk.manifest("shop/lab/try")

    assert paths(Root(str(shop))) == [str(Path(shop, "lab/try"))]


def test_a_monorepo_with_a_manifest_of_its_own_is_one_project_as_a_root(desk: Desk) -> None:
    shop = desk.repository(
        "shop",
        files={"package.json": '{"name": "shop", "workspaces": ["packages/*"]}\n'}
        | {f"packages/{name}/package.json": f'{{"name": "{name}", "main": "x.js"}}\n' for name in "abc"},
    )

    assert paths(Root(str(shop))) == [str(shop)]


def test_a_plain_monorepo_named_as_the_root_is_searched_as_a_container(desk: Desk) -> None:
    write(desk.root / "package.json", '{"name": "x", "scripts": {"x": "y"}}\n')
    desk.manifest("api")

    assert desk.found() == ["api"]


@pytest.mark.parametrize("marker", ["package.json", "pyproject.toml", "go.mod"])
def test_a_strong_root_with_only_weak_folders_below_is_the_project(desk: Desk, marker: str) -> None:
    """Somebody stands in one project and scans it: its docker folder is a part of it."""
    write(desk.root / marker, STRAY_MARKERS[marker])
    write(desk.root / "docker/Dockerfile", "FROM scratch\n")
    write(desk.root / "docs/requirements.txt", "sphinx\n")

    assert desk.found() == ["."]


def test_a_repository_as_a_root_with_only_weak_folders_below_is_the_project(desk: Desk) -> None:
    shop = desk.repository("shop", files={"README.md": "x\n", "docker/Dockerfile": "FROM scratch\n"})
    write(shop / "docs/requirements.txt", "sphinx\n")

    assert paths(Root(str(shop))) == [str(shop)]


def test_what_a_root_repository_tracks_is_listed_where_the_root_itself_is_not(desk: Desk) -> None:
    """The root is a container here; what it tracks would else vanish from the picture."""
    shop = desk.repository("shop", files={"README.md": "x\n", "api/go.mod": "module api\n"})
    desk.repository("shop/fork")

    assert paths(Root(str(shop))) == [str(shop / "api"), str(shop / "fork")]
