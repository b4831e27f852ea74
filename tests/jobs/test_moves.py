"""A project that was moved or renamed, from the scan to the card."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.program import Program
from tests.support import Git, write

BRAIN = ".bmad-plus/brain/projects"


def cards(zecher: Program) -> dict[str, str]:
    """The text of each card by the path that it names."""
    texts = [file.read_text() for file in (zecher.home / BRAIN).glob("*.yaml")]
    return {text.split('"')[1]: text for text in texts}


def write_note(zecher: Program, project: Path) -> None:
    (file,) = [one for one in (zecher.home / BRAIN).glob("*.yaml") if f'"{project}"' in one.read_text()]
    file.write_text(file.read_text() + '\nnotes: "mine"\n')


def counts(data: dict[str, Any]) -> dict[str, int]:
    return {kind: data["counts"][kind] for kind in ("new", "same", "changed", "moved", "missing")}


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A project without version control."""
    folder = tmp_path / "dev" / "plain"
    write(folder / "package.json", '{"name": "plain"}\n', days=20)
    write(folder / "src" / "index.js", days=20)
    write(folder / "README.md", days=20)
    return folder


def test_a_renamed_project_keeps_its_card_and_its_identifier(zecher: Program, dev: Path) -> None:
    before = {one["path"]: one["id"] for one in zecher("scan", dev, "--yes", "--json").data["projects"]}
    write_note(zecher, dev / "shop")
    (dev / "shop").rename(dev / "store")

    done = zecher("scan", dev, "--yes", "--json")

    assert counts(done.data) == {"new": 0, "same": 2, "changed": 0, "moved": 1, "missing": 0}
    (moved,) = [one for one in done.data["changes"] if one["kind"] == "moved"]
    assert (moved["path"], moved["moved_from"]) == (str(dev / "store"), {"path": str(dev / "shop")})
    after = {one["path"]: one["id"] for one in done.data["projects"]}
    assert after[str(dev / "store")] == before[str(dev / "shop")]
    assert 'notes: "mine"' in cards(zecher)[str(dev / "store")]
    assert str(dev / "shop") not in cards(zecher)


def test_a_move_is_told_in_words(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    (dev / "tools" / "engine").rename(dev / "engine")
    done = zecher("scan", dev, "--yes")
    assert f"moved: {dev / 'tools' / 'engine'} -> {dev / 'engine'}" in done.err
    assert "1 moved" in done.err


def test_a_dry_run_tells_a_move_and_moves_nothing(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    before = cards(zecher)
    (dev / "shop").rename(dev / "store")
    done = zecher("scan", dev, "--dry-run", "--json")
    assert done.data["counts"]["moved"] == 1
    assert cards(zecher) == before


def test_a_pin_shows_at_the_new_place_in_the_same_run(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    (file,) = [one for one in (zecher.home / BRAIN).glob("*.yaml") if "shop" in one.read_text()]
    file.write_text(file.read_text() + '\npinned_status: "frozen"\n')
    (dev / "shop").rename(dev / "store")
    done = zecher("scan", dev, "--dry-run", "--json")
    status = {one["path"]: one["status"] for one in done.data["projects"]}
    assert status[str(dev / "store")] == "frozen"


def test_what_a_card_kept_of_unsaved_work_moves_with_it(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    assert "commits_only_here: 1" in cards(zecher)[str(dev / "shop")]
    (dev / "shop").rename(dev / "store")
    differences = zecher("scan", dev, "--dry-run", "--json").data["changes"][0]["differences"]
    assert {one["key"] for one in differences} == {"path", "hash"}


def test_a_copy_is_a_new_project(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    shutil.copytree(dev / "shop", dev / "store", symlinks=True)
    assert counts(zecher("scan", dev, "--yes", "--json").data)["new"] == 1
    assert len(cards(zecher)) == 4


def test_a_project_that_was_copied_and_then_deleted_at_its_old_place_was_moved(
    zecher: Program, dev: Path
) -> None:
    zecher("scan", dev, "--yes")
    write_note(zecher, dev / "shop")
    shutil.copytree(dev / "shop", dev / "store", symlinks=True)
    shutil.rmtree(dev / "shop")
    assert counts(zecher("scan", dev, "--yes", "--json").data)["moved"] == 1
    assert 'notes: "mine"' in cards(zecher)[str(dev / "store")]


def test_two_clones_stay_two(zecher: Program, dev: Path, git: Git) -> None:
    git("clone", "-q", str(dev / "shop"), str(dev / "one"))
    git("clone", "-q", str(dev / "shop"), str(dev / "two"))
    found = zecher("scan", dev, "--yes", "--json").data["projects"]
    assert len({one["id"] for one in found}) == 5
    shutil.rmtree(dev / "one")
    assert counts(zecher("scan", dev, "--yes", "--json").data)["missing"] == 1
    (dev / "two").rename(dev / "three")
    again = zecher("scan", dev, "--yes", "--json").data
    assert [one["moved_from"]["path"] for one in again["changes"] if one["kind"] == "moved"] == [
        str(dev / "two")
    ]


def test_a_worktree_is_no_second_project_and_takes_no_card(zecher: Program, dev: Path, git: Git) -> None:
    zecher("scan", dev, "--yes")
    git("worktree", "add", "-q", str(dev / "tree"), "-b", "side", cwd=dev / "shop")
    shutil.move(dev / "shop", dev.parent / "elsewhere")
    done = zecher("scan", dev, "--yes", "--json")
    assert counts(done.data)["moved"] == 0
    assert counts(done.data)["missing"] == 1


def test_a_plain_project_is_known_by_its_folder(zecher: Program, plain: Path) -> None:
    zecher("scan", plain.parent, "--yes")
    write_note(zecher, plain)
    plain.rename(plain.parent / "other")
    write(plain.parent / "other" / "new.js", days=1)
    done = zecher("scan", plain.parent, "--yes", "--json")
    assert counts(done.data)["moved"] == 1
    assert 'notes: "mine"' in cards(zecher)[str(plain.parent / "other")]


def test_a_plain_copy_of_a_deleted_project_is_another_folder(zecher: Program, plain: Path) -> None:
    zecher("scan", plain.parent, "--yes")
    shutil.copytree(plain, plain.parent / "other")
    shutil.rmtree(plain)
    found = counts(zecher("scan", plain.parent, "--yes", "--json").data)
    assert (found["moved"], found["new"], found["missing"]) == (0, 1, 1)


def test_a_whole_root_that_is_renamed_takes_its_cards_along(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    work = dev.rename(dev.parent / "work")
    assert counts(zecher("scan", work, "--yes", "--json").data)["moved"] == 3
    assert len(cards(zecher)) == 3


def test_an_index_from_before_learns_what_its_projects_are_known_by(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    for file in (zecher.home / BRAIN).glob("*.yaml"):
        lines = file.read_text().split("\n")
        file.write_text(
            "\n".join(line for line in lines if not line.startswith(("root_c", "inode", "signature")))
        )
    done = zecher("scan", dev, "--yes", "--json")
    assert (counts(done.data)["same"], done.data["index"]["written"]) == (3, 3)
    assert all("root_commit: " in text and "inode: " in text for text in cards(zecher).values())


def test_the_first_commit_of_a_card_is_that_of_git(zecher: Program, dev: Path, git: Git) -> None:
    zecher("scan", dev, "--yes")
    for name in ("shop", "old"):
        root = git("rev-list", "--max-parents=0", "HEAD", cwd=dev / name)
        assert f'root_commit: "{root}"' in cards(zecher)[str(dev / name)]


def test_a_replaced_project_at_the_same_path_is_known_by_its_new_beginning(
    zecher: Program, dev: Path, git: Git
) -> None:
    zecher("scan", dev, "--yes")
    (dev / "shop").rename(dev.parent / "away")
    fresh = git.repository("dev/shop", days=1, files={"go.mod": "module other\n"})
    zecher("scan", dev, "--yes")
    assert git("rev-parse", "HEAD", cwd=fresh) in cards(zecher)[str(fresh)]


def test_an_identifier_is_the_same_before_and_after_indexing(zecher: Program, dev: Path) -> None:
    first = zecher("scan", dev, "--dry-run", "--json").data["projects"]
    second = zecher("scan", dev, "--yes", "--json").data["projects"]
    third = zecher("scan", dev, "--dry-run", "--json").data["projects"]
    assert [one["id"] for one in first] == [one["id"] for one in second] == [one["id"] for one in third]


def test_a_person_is_asked_about_a_move_with_both_places(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    write_note(zecher, dev / "shop")
    (dev / "shop").rename(dev / "store")
    done = zecher.at_terminal("scan", dev, answers="c\nc\n", columns=200)
    assert f"1/1 moved: shop, Python, active, {dev / 'store'}, before {dev / 'shop'}" in done.out
    assert 'notes: "mine"' in cards(zecher)[str(dev / "store")]


def test_a_move_that_is_not_confirmed_leaves_the_card_where_it_is(zecher: Program, dev: Path) -> None:
    zecher("scan", dev, "--yes")
    before = cards(zecher)
    (dev / "shop").rename(dev / "store")
    zecher.at_terminal("scan", dev, answers="s\n")
    assert cards(zecher) == before


def test_a_clone_that_is_only_pulled_says_so_and_whose_work_it_is(
    zecher: Program, dev: Path, git: Git
) -> None:
    git("clone", "-q", str(dev / "shop"), str(dev / "theirs"))
    write(zecher.home / ".gitconfig", "[user]\n\temail = ben@example.com\n")
    found = {one["path"]: one for one in zecher("scan", dev, "--yes", "--json").data["projects"]}
    theirs = found[str(dev / "theirs")]
    assert (theirs["mine"], theirs["last_own_work"]) == (False, None)
    assert "only-pulled" in theirs["flags"]
    listed = zecher("projects", "--flag", "only-pulled", "--json").data["projects"]
    assert [one["path"] for one in listed] == [str(dev / "theirs")]


def test_an_address_of_the_configuration_makes_it_mine(zecher: Program, dev: Path, git: Git) -> None:
    git("clone", "-q", str(dev / "shop"), str(dev / "theirs"))
    write(zecher.home / ".gitconfig", "[user]\n\temail = ben@example.com\n")
    write(zecher.home / ".config/zecher/config.toml", '[me]\nemails = ["ana@example.com"]\n')
    found = {one["path"]: one for one in zecher("scan", dev, "--dry-run", "--json").data["projects"]}
    assert found[str(dev / "theirs")]["mine"] is True
    assert (found[str(dev / "shop")]["mine"], found[str(dev / "shop")]["last_own_work"]) == (
        True,
        "2026-11-28T03:17:04Z",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[me]\nemails = "ana@example.com"\n', "me.emails: is not a list"),
        ("[me]\nemails = [1]\n", "me.emails: is not a text"),
        ('[me]\nemail = ["x"]\n', "Did you mean emails?"),
        ("me = 1\n", "me: is not a table"),
    ],
)
def test_a_mistake_in_the_addresses_is_told(zecher: Program, dev: Path, text: str, message: str) -> None:
    write(zecher.home / ".config/zecher/config.toml", text)
    done = zecher("scan", dev, "--dry-run")
    assert done.code == 2
    assert message in done.err


def test_a_move_that_nobody_may_write_is_told(zecher: Program, dev: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    zecher("scan", dev, "--yes")
    before = cards(zecher)
    (dev / "shop").rename(dev / "store")
    (zecher.home / BRAIN).chmod(0o500)
    try:
        assert zecher("scan", dev, "--yes").code == 3
        assert cards(zecher) == before
    finally:
        (zecher.home / BRAIN).chmod(0o700)
