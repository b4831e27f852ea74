"""Which finds are projects: worktrees, submodules and bare repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanner.project import Root, Vcs
from tests.scanner.support_cases import Desk, below, one, only, scan_of
from tests.support import Git, write


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


def vcs_of(desk: Desk, name: str) -> Vcs:
    vcs = one(desk.scan(), name).vcs
    assert vcs is not None
    return vcs


def submodule_in(desk: Desk, shop: Path, at: str) -> Path:
    library = desk.outside / "library"
    if not library.exists():
        desk.elsewhere("library")
    desk.git("submodule", "--quiet", "add", str(library), at, cwd=shop, days=1)
    desk.git("commit", "-q", "-m", "submodule", cwd=shop, days=1)
    return shop / at


# Worktrees


def test_a_linked_worktree_belongs_to_its_repository(desk: Desk) -> None:
    shop = desk.repository("shop")
    desk.git("worktree", "add", "-q", "-b", "x", str(desk.root / "a-shop-x"), cwd=shop)
    desk.git("worktree", "add", "-q", "-b", "y", str(desk.root / "trees/y"), cwd=shop)

    assert desk.found() == ["shop"]
    vcs = vcs_of(desk, "shop")
    assert vcs.role == "normal"
    assert vcs.common_dir == str(shop / ".git")
    assert set(vcs.worktrees) == {str(desk.root / "a-shop-x"), str(desk.root / "trees/y")}


def test_a_worktree_inside_its_own_repository_is_no_hint(desk: Desk) -> None:
    shop = desk.repository("shop")
    desk.git("worktree", "add", "-q", "-b", "x", str(shop / "tree"), cwd=shop)

    project = desk.only(nested="repos")

    assert (project.path, project.nested) == (str(shop), ())
    assert "nested" not in desk.only().flags


def test_a_worktree_of_a_repository_elsewhere_is_a_project(desk: Desk) -> None:
    main = desk.elsewhere("shop")
    desk.git("worktree", "add", "-q", "-b", "x", str(desk.root / "shop-x"), cwd=main)

    assert desk.found() == ["shop-x"]
    assert vcs_of(desk, "shop-x").role == "worktree"
    assert vcs_of(desk, "shop-x").branch == "x"
    assert vcs_of(desk, "shop-x").common_dir == str(main / ".git")


def test_two_worktrees_of_a_repository_elsewhere_are_one_project(desk: Desk) -> None:
    main = desk.elsewhere("shop")
    for name in "xy":
        desk.git("worktree", "add", "-q", "-b", name, str(desk.root / name), cwd=main)

    assert desk.found() == ["x"]


def test_the_worktrees_of_a_bare_repository_belong_to_it(desk: Desk) -> None:
    work = desk.elsewhere("work")
    bare = desk.root / "shop.git"
    desk.git("clone", "-q", "--bare", str(work), str(bare))
    for name in ("fix", "next"):
        desk.git("worktree", "add", "-q", "-b", name, str(desk.root / f"shop-{name}"), cwd=bare)

    assert desk.found() == ["shop.git"]
    vcs = vcs_of(desk, "shop.git")
    assert vcs.role == "bare"
    assert set(vcs.worktrees) == {str(desk.root / "shop-fix"), str(desk.root / "shop-next")}
    assert one(desk.scan(), "shop.git").name == "shop"


def test_worktrees_below_a_hub_whose_git_file_names_a_bare_repository_are_one_project(desk: Desk) -> None:
    work = desk.elsewhere("work")
    hub = desk.root / "hub"
    desk.git("clone", "-q", "--bare", str(work), str(hub / ".bare"))
    write(hub / ".git", "gitdir: ./.bare\n")
    for name in ("fix", "next"):
        desk.git("worktree", "add", "-q", "-b", name, str(hub / name), cwd=hub)

    project = desk.only()

    assert (project.path, project.name) == (str(hub), "hub")
    assert project.vcs is not None
    assert len(project.vcs.worktrees) == 2
    assert project.nested == ()
    assert desk.found(nested="repos") == ["hub"]


def test_worktrees_beside_a_bare_repository_in_a_plain_hub_are_one_project(desk: Desk) -> None:
    work = desk.elsewhere("work")
    hub = desk.root / "hub"
    desk.git("clone", "-q", "--bare", str(work), str(hub / ".bare"))
    for name in ("fix", "next"):
        desk.git("worktree", "add", "-q", "-b", name, str(hub / name), cwd=hub / ".bare")

    project = desk.only()

    assert project.name == "hub"
    assert project.vcs is not None
    assert project.vcs.role == "bare"


def test_a_worktree_whose_folder_is_gone_is_still_named(desk: Desk) -> None:
    shop = desk.repository("shop")
    tree = desk.root / "tree"
    desk.git("worktree", "add", "-q", "-b", "x", str(tree), cwd=shop)
    for file in tree.iterdir():
        file.unlink()
    tree.rmdir()

    assert desk.found() == ["shop"]
    assert vcs_of(desk, "shop").worktrees == (str(tree),)


def test_worktrees_in_two_roots_are_still_one_project(desk: Desk) -> None:
    shop = desk.repository("one/shop")
    desk.git("worktree", "add", "-q", "-b", "x", str(desk.root / "two/tree"), cwd=shop)

    result = scan_of(Root(str(desk.root / "one")), Root(str(desk.root / "two")))

    assert below(desk.root, result.projects) == ["one/shop"]


def test_a_worktree_that_was_moved_by_hand_is_still_read(desk: Desk) -> None:
    shop = desk.repository("shop")
    desk.git("worktree", "add", "-q", "-b", "x", str(desk.root / "tree"), cwd=shop)
    (desk.root / "tree").rename(desk.root / "moved")

    assert desk.found() == ["shop"]


def test_two_clones_of_one_upstream_are_two_projects(desk: Desk) -> None:
    upstream = desk.elsewhere("upstream")
    for name in ("one", "two"):
        desk.git("clone", "-q", str(upstream), str(desk.root / name))

    assert desk.found() == ["one", "two"]


def test_a_repository_with_its_git_folder_elsewhere_is_one_project(desk: Desk) -> None:
    shop = desk.root / "shop"
    shop.mkdir()
    desk.git("init", "-q", "--separate-git-dir", str(desk.root / "a-store"), str(shop))
    desk.commit(shop, 3, "code.py")

    project = desk.only()

    assert project.path == str(shop)
    assert project.vcs is not None
    assert project.vcs.role == "normal"


# Submodules


@pytest.mark.parametrize("nested", ["none", "repos", "all"])
def test_a_submodule_is_part_of_its_repository(desk: Desk, nested: str) -> None:
    shop = desk.repository("shop")
    submodule = submodule_in(desk, shop, "libs/library")

    project = desk.only(nested=nested)

    assert project.path == str(shop)
    assert project.vcs is not None
    assert project.vcs.submodules == (str(submodule),)


def test_a_submodule_is_no_hint(desk: Desk) -> None:
    submodule_in(desk, desk.repository("shop"), "library")

    project = desk.only()

    assert (project.nested, "nested" in project.flags) == ((), False)


def test_a_submodule_of_a_root_is_part_of_it(desk: Desk) -> None:
    shop = desk.repository("shop")
    submodule_in(desk, shop, "library")

    assert only(scan_of(Root(str(shop)))).path == str(shop)


def test_a_submodule_that_its_gitmodules_no_longer_names_is_no_project(desk: Desk) -> None:
    shop = desk.repository("shop")
    submodule_in(desk, shop, "library")
    (shop / ".gitmodules").unlink()

    assert desk.found(nested="repos") == ["shop"]


def test_a_submodule_that_is_not_checked_out_is_named(desk: Desk) -> None:
    shop = desk.repository("shop")
    submodule_in(desk, shop, "library")
    desk.git("submodule", "--quiet", "deinit", "--all", "--force", cwd=shop)

    assert vcs_of(desk, "shop").submodules == (str(shop / "library"),)


def test_a_submodule_whose_root_is_the_submodule_itself_is_a_project(desk: Desk) -> None:
    """Somebody names it: then it is what they want to see."""
    submodule = submodule_in(desk, desk.repository("shop"), "library")

    project = only(scan_of(Root(str(submodule))))

    assert project.vcs is not None
    assert project.vcs.role == "submodule"


def test_a_submodule_with_a_git_folder_of_its_own_is_part_of_its_repository(desk: Desk) -> None:
    """As old versions of git made them, and as ``git submodule add`` of a clone at hand still does."""
    shop = desk.repository("shop")
    desk.repository("shop/library")
    desk.git("submodule", "--quiet", "add", "./library", "library", cwd=shop)

    assert (shop / "library/.git").is_dir()
    assert desk.found(nested="repos") == ["shop"]


@pytest.mark.parametrize("path", ["../../other", "/etc", "", ".", "a/../../other"])
def test_a_gitmodules_file_hides_nothing_outside_its_repository(desk: Desk, path: str) -> None:
    shop = desk.repository("shop")
    write(shop / ".gitmodules", f'[submodule "x"]\n\tpath = {path}\n\turl = x\n')
    desk.repository("other")

    assert desk.found() == ["other", "shop"]


# Bare repositories


def test_a_bare_repository_is_named_without_its_ending(desk: Desk) -> None:
    desk.git("init", "-q", "--bare", str(desk.root / "shop.git"))
    desk.git("init", "-q", "--bare", str(desk.root / "plain"))

    assert [project.name for project in desk.scan().projects] == ["plain", "shop"]
    assert all(project.has_git for project in desk.scan().projects)
    assert vcs_of(desk, "shop.git").role == "bare"


def test_a_bare_repository_is_not_searched(desk: Desk) -> None:
    desk.git("init", "-q", "--bare", str(desk.root / "shop.git"))
    desk.manifest("shop.git/hooks/inner")

    assert desk.found(nested="all") == ["shop.git"]


@pytest.mark.parametrize("missing", ["HEAD", "objects", "refs"])
def test_debris_that_lacks_a_part_of_a_bare_repository_is_none(desk: Desk, missing: str) -> None:
    debris = desk.root / "debris"
    for name in {"objects", "refs"} - {missing}:
        (debris / name).mkdir(parents=True)
    if missing != "HEAD":
        write(debris / "HEAD", "ref: refs/heads/main\n")

    assert desk.found() == []


@pytest.mark.parametrize("nested", ["none", "repos", "all"])
def test_a_bare_repository_inside_a_project_is_none_of_its_own(desk: Desk, nested: str) -> None:
    """What a test suite keeps as its fixture."""
    shop = desk.repository("shop")
    desk.git("init", "-q", "--bare", str(shop / "tests/fixtures/sample.git"))

    assert desk.found(nested=nested) == ["shop"]


def test_a_git_folder_behind_a_link_is_a_project(desk: Desk) -> None:
    shop = desk.repository("shop")
    (shop / ".git").rename(desk.outside / "store")
    (shop / ".git").symlink_to(desk.outside / "store")

    assert desk.found() == ["shop"]
