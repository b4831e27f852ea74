"""A project that was moved or renamed keeps its card, and all that a person wrote in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from brain.files.atomic import Write, replace_all
from brain.files.errors import ChangedError
from brain.files.reading import read_seen
from brain.moves import alike
from brain.portfolio import Applied, Facts, Plan, apply, read_portfolio
from tests.brain import bmad
from tests.brain.brains import NOW, ROOT, TODAY, card_path, decide, extra, facts, index, put_card, snapshot

SHOP, STORE = f"{ROOT}/shop", f"{ROOT}/store"
LATER = "2026-12-05T00:00:01Z"
ONE, TWO = "1" * 40, "2" * 40
REMOTE = "https://example.com/shop.git"


def only(*paths: str) -> Callable[[str], bool]:
    """What exists: these paths and the folders above them."""
    there = {*paths, *(path.rpartition("/")[0] for path in paths)}
    return there.__contains__


def marked(
    path: str = SHOP, *, root: str = ONE, remote: str = REMOTE, inode: str = "", like: str = ""
) -> Facts:
    return facts(
        path,
        extra=extra(
            id=path.rpartition("/")[2],
            remote=remote or None,
            root_commit=root or None,
            inode=inode or None,
            signature=like or None,
        ),
    )


def kinds(result: Applied | Plan) -> list[tuple[str, str]]:
    decided = result.plan if isinstance(result, Applied) else result
    return [(change.kind, change.path) for change in decided.changes]


def names(brain: Path) -> list[str]:
    return sorted(os.listdir(brain / "projects"))


def write_notes(brain: Path, path: str = SHOP) -> None:
    card = card_path(brain, path)
    card.write_bytes(card.read_bytes() + b'\nnotes: "mine"\n# and a comment\n')


def move(brain: Path, found: Facts | None = None, **options: object) -> Applied:
    """Shop was indexed; now there is only a store."""
    return index(brain, found or marked(STORE), now=LATER, exists=only(STORE), **options)


# -- the card goes with its project ----------------------------------------------------------------------


def test_a_moved_project_keeps_what_a_person_wrote_under_the_name_of_its_new_path(brain: Path) -> None:
    index(brain, marked())
    write_notes(brain)

    result = move(brain)

    assert kinds(result) == [("moved", STORE)]
    assert names(brain) == [f"{bmad.hash8(STORE)}.yaml"]
    text = card_path(brain, STORE).read_text()
    assert 'notes: "mine"\n# and a comment\n' in text
    values = bmad.read_card(text.encode())
    assert (values["path"], values["name"], values["hash"]) == (STORE, "store", bmad.hash8(STORE))
    assert (values["id"], values["first_seen"], values["moved_from"]) == ("shop", TODAY, SHOP)


def test_a_move_says_where_the_project_was(brain: Path) -> None:
    index(brain, marked())
    change = move(brain).plan.changes[0]
    assert (change.old_path, change.path, change.name) == (SHOP, STORE, "store")
    assert ("path", SHOP, STORE) in change.differences


def test_the_page_lists_a_moved_project_once_and_at_its_new_place(brain: Path) -> None:
    index(brain, marked())
    move(brain)
    page = (brain / "projects-index.md").read_text()
    assert (STORE in page, SHOP in page) == (True, False)
    assert bmad.check_index(page.encode()).total == 1


def test_a_pin_goes_with_its_project(brain: Path) -> None:
    index(brain, marked().with_pins({"name": "The shop", "status": "frozen"}))
    move(brain)
    card = read_portfolio(str(brain)).cards[0]
    assert (card.path, card.name, card.status) == (STORE, "The shop", "frozen")


def test_after_a_move_nothing_more_is_written(brain: Path) -> None:
    index(brain, marked())
    move(brain)
    before = snapshot(brain)
    result = move(brain)
    assert kinds(result) == [("same", STORE)]
    assert snapshot(brain) == before


def test_a_project_that_moves_back_is_itself(brain: Path) -> None:
    index(brain, marked())
    write_notes(brain)
    move(brain)
    result = index(brain, marked(), exists=only(SHOP))
    assert kinds(result) == [("moved", SHOP)]
    assert names(brain) == [f"{bmad.hash8(SHOP)}.yaml"]
    assert 'notes: "mine"' in card_path(brain).read_text()


def test_the_mode_of_a_card_goes_with_it(brain: Path) -> None:
    index(brain, marked())
    card_path(brain).chmod(0o644)
    move(brain)
    assert card_path(brain, STORE).stat().st_mode & 0o777 == 0o644


def test_a_project_that_was_missing_for_a_while_is_known_again_elsewhere(brain: Path) -> None:
    index(brain, marked())
    write_notes(brain)
    assert kinds(index(brain, exists=only())) == [("missing", SHOP)]
    result = move(brain)
    assert kinds(result) == [("moved", STORE)]
    values = bmad.read_card(card_path(brain, STORE).read_bytes())
    assert (values["status"], values["notes"], "missing_since" in values) == ("active", "mine", False)


def test_a_renamed_folder_of_projects_takes_all_their_cards_along(brain: Path) -> None:
    old, new = [f"{ROOT}/a/{n}" for n in "xyz"], [f"{ROOT}/b/{n}" for n in "xyz"]
    roots = [digit * 40 for digit in "123"]
    index(brain, *(marked(path, root=root) for path, root in zip(old, roots, strict=True)))
    found = [marked(path, root=root) for path, root in zip(new, roots, strict=True)]
    result = index(brain, *found, exists=only(*new))
    assert kinds(result) == [("moved", path) for path in new]
    assert names(brain) == sorted(f"{bmad.hash8(path)}.yaml" for path in new)


def test_what_a_project_is_known_by_is_kept_and_is_no_news(brain: Path) -> None:
    index(brain, facts())
    result = index(brain, facts(extra=extra(root_commit=ONE, inode="1:2", signature="0:1")))
    assert (kinds(result), result.written) == ([("same", SHOP)], 1)
    assert bmad.read_card(card_path(brain).read_bytes())["root_commit"] == ONE


# -- what it is known by ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "found",
    [
        marked(STORE, root=TWO),
        marked(STORE, remote="https://example.com/other.git"),
        marked(STORE, remote=""),
        marked(STORE, root=""),
        facts(STORE),
    ],
    ids=["another history", "another remote", "no remote", "no history", "no marks"],
)
def test_another_project_in_another_place_is_new_and_the_old_one_missing(brain: Path, found: Facts) -> None:
    index(brain, marked())
    assert kinds(move(brain, found)) == [("missing", SHOP), ("new", STORE)]
    assert len(names(brain)) == 2


def test_a_project_without_a_remote_is_known_by_its_first_commit(brain: Path) -> None:
    index(brain, marked(remote=""))
    assert kinds(move(brain, marked(STORE, remote=""))) == [("moved", STORE)]


def test_a_project_without_history_is_known_by_its_folder_and_what_lies_in_it(brain: Path) -> None:
    index(brain, marked(root="", remote="", inode="8:77", like="aa:1.2.3.4"))
    found = marked(STORE, root="", remote="", inode="8:77", like="aa:1.2.3.5")
    assert kinds(move(brain, found)) == [("moved", STORE)]


@pytest.mark.parametrize(
    ("inode", "like"),
    [("8:78", "aa:1.2.3.4"), ("8:77", "aa:5.6.7.8"), ("8:77", "bb:1.2.3.4"), ("", "aa:1.2.3.4")],
)
def test_a_folder_that_only_got_the_number_or_only_looks_alike_is_another(
    brain: Path, inode: str, like: str
) -> None:
    index(brain, marked(root="", remote="", inode="8:77", like="aa:1.2.3.4"))
    found = marked(STORE, root="", remote="", inode=inode, like=like)
    assert kinds(move(brain, found)) == [("missing", SHOP), ("new", STORE)]


def test_a_folder_is_the_same_though_its_remote_was_changed_with_the_move(brain: Path) -> None:
    index(brain, marked(inode="8:77"))
    assert kinds(move(brain, marked(STORE, remote="", inode="8:77"))) == [("moved", STORE)]


@pytest.mark.parametrize(("old", "new"), [("", ""), (REMOTE, ""), (REMOTE, "https://example.com/other.git")])
def test_a_number_that_was_given_anew_moves_no_card_to_another_history(
    brain: Path, old: str, new: str
) -> None:
    index(brain, marked(remote=old, inode="8:77", like="aa:1.2"))
    found = marked(STORE, root=TWO, remote=new, inode="8:77", like="aa:1.2")
    assert kinds(move(brain, found)) == [("missing", SHOP), ("new", STORE)]


def test_a_folder_whose_history_was_written_anew_is_known_by_remote_and_looks(brain: Path) -> None:
    index(brain, marked(inode="8:77", like="aa:1.2"))
    found = marked(STORE, root=TWO, inode="8:77", like="aa:1.2")
    assert kinds(move(brain, found)) == [("moved", STORE)]


@pytest.mark.parametrize("word", ["cut", "1" * 39, "g" * 40, ""])
def test_a_first_commit_that_is_none_is_no_evidence(brain: Path, word: str) -> None:
    index(brain, marked(root=word))
    assert kinds(move(brain, marked(STORE, root=word))) == [("missing", SHOP), ("new", STORE)]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("aa:1.2", "aa:1.2", 1.0),
        ("aa:1.2.3.4", "aa:1.2.5.6", 0.5),
        ("aa:1", "bb:1", 0.0),
        ("", "", 0.0),
        ("aa:", "aa:1", 0.0),
        ("aa:1.2", "aa:3.4", 0.0),
    ],
)
def test_likeness_is_the_share_of_common_entries(one: str, other: str, expected: float) -> None:
    assert alike(one, other) == expected
    assert alike(other, one) == expected


# -- what is no move -------------------------------------------------------------------------------------


def test_a_copy_is_a_new_project(brain: Path) -> None:
    index(brain, marked())
    result = index(brain, marked(), marked(STORE), exists=only(SHOP, STORE))
    assert kinds(result) == [("same", SHOP), ("new", STORE)]


def test_a_copy_is_a_new_project_also_when_the_original_was_not_scanned(brain: Path) -> None:
    index(brain, marked())
    result = index(brain, marked("/other/store"), roots=["/other"], exists=only(SHOP, "/other/store"))
    assert kinds(result) == [("new", "/other/store")]


def test_two_clones_stay_two_when_one_goes(brain: Path) -> None:
    index(brain, marked(), marked(STORE))
    result = index(brain, marked(STORE), exists=only(STORE))
    assert kinds(result) == [("missing", SHOP), ("same", STORE)]


def test_one_project_gone_and_two_that_fit_is_unclear_and_said(brain: Path) -> None:
    index(brain, marked())
    write_notes(brain)
    other = f"{ROOT}/stall"
    result = index(brain, marked(STORE), marked(other), exists=only(STORE, other))
    assert kinds(result) == [("missing", SHOP), ("new", other), ("new", STORE)]
    assert [(one.code, one.path) for one in result.problems] == [
        ("move-unclear", other),
        ("move-unclear", STORE),
    ]
    assert SHOP in result.problems[0].message
    assert 'notes: "mine"' in card_path(brain).read_text()


def test_two_projects_gone_and_one_that_fits_is_unclear(brain: Path) -> None:
    other = f"{ROOT}/stall"
    index(brain, marked(), marked(other))
    result = index(brain, marked(STORE), exists=only(STORE))
    assert kinds(result) == [("missing", SHOP), ("missing", other), ("new", STORE)]
    assert [one.code for one in result.problems] == ["move-unclear"]


def test_an_unclear_move_is_said_once(brain: Path) -> None:
    test_two_projects_gone_and_one_that_fits_is_unclear(brain)
    assert index(brain, marked(STORE), exists=only(STORE)).problems == ()


def test_two_clones_that_both_moved_are_told_apart_by_their_folders(brain: Path) -> None:
    others = [f"{ROOT}/p", f"{ROOT}/q"]
    index(brain, marked(inode="8:1"), marked(STORE, inode="8:2"))
    result = index(
        brain, marked(others[0], inode="8:2"), marked(others[1], inode="8:1"), exists=only(*others)
    )
    assert {change.path: change.old_path for change in result.plan.changes} == {
        others[0]: STORE,
        others[1]: SHOP,
    }


def test_a_clone_that_went_today_is_meant_and_not_one_that_is_long_gone(brain: Path) -> None:
    index(brain, marked(), marked(f"{ROOT}/second"))
    index(brain, marked(), exists=only(SHOP))
    result = move(brain)
    assert kinds(result) == [("missing", f"{ROOT}/second"), ("moved", STORE)]
    assert result.plan.changes[1].old_path == SHOP


# -- places that were not searched -----------------------------------------------------------------------


def test_a_project_that_left_its_old_root_takes_its_card_along(brain: Path) -> None:
    index(brain, marked())
    result = index(brain, marked("/new/shop"), roots=["/new"], exists=only("/new/shop", ROOT))
    assert kinds(result) == [("moved", "/new/shop")]


def test_a_disk_that_is_not_there_has_not_lost_its_projects(brain: Path) -> None:
    index(brain, marked("/mnt/disk/shop", inode="8:1"), roots=["/mnt/disk"])
    result = index(brain, marked(inode="9:1"), exists=only(SHOP))
    assert kinds(result) == [("new", SHOP)]


def test_a_whole_root_that_was_renamed_is_known_by_its_folders(brain: Path) -> None:
    index(brain, marked("/mnt/disk/shop", inode="8:1"), roots=["/mnt/disk"])
    result = index(brain, marked(inode="8:1"), exists=only(SHOP))
    assert kinds(result) == [("moved", SHOP)]


def test_a_place_is_asked_about_only_where_the_marks_agree(brain: Path) -> None:
    index(brain, marked("/dead/mount/a", root=TWO), marked("/dead/mount/b"), roots=["/dead"])
    asked: list[str] = []

    def exists(path: str) -> bool:
        asked.append(path)
        return True

    index(brain, marked(STORE), exists=exists)
    assert asked == ["/dead/mount/b"]


# -- a card that was made before anybody knew ------------------------------------------------------------


def test_a_card_that_bmad_made_at_the_new_place_gives_way_to_the_old_one(brain: Path) -> None:
    index(brain, marked(inode="8:77"))
    write_notes(brain)
    put_card(brain, bmad.scan_card(STORE), STORE)
    result = move(brain, marked(STORE, inode="8:77"))
    assert kinds(result) == [("moved", STORE)]
    assert names(brain) == [f"{bmad.hash8(STORE)}.yaml"]
    values = bmad.read_card(card_path(brain, STORE).read_bytes())
    assert (values["id"], values["notes"], values["path"]) == ("shop", "mine", STORE)


@pytest.mark.parametrize("words", [b'\nnotes: "theirs"', b"\n# theirs", b'\npinned_name: "x"'])
def test_a_card_at_the_new_place_in_which_somebody_wrote_stays(brain: Path, words: bytes) -> None:
    index(brain, marked(inode="8:77"))
    put_card(brain, bmad.scan_card(STORE) + words, STORE)
    result = move(brain, marked(STORE, inode="8:77"))
    assert [kind for kind, _ in kinds(result)] == ["missing", "changed"]
    assert words in card_path(brain, STORE).read_bytes()


def test_a_card_at_the_new_place_stays_when_only_the_history_is_the_same(brain: Path) -> None:
    index(brain, marked(inode="8:77"), marked(STORE, inode="8:78"))
    result = index(brain, marked(STORE, inode="8:78"), exists=only(STORE))
    assert kinds(result) == [("missing", SHOP), ("same", STORE)]


# -- files -----------------------------------------------------------------------------------------------


def test_a_card_under_a_name_of_a_person_keeps_that_name(brain: Path) -> None:
    index(brain, marked())
    card_path(brain).rename(brain / "projects" / "my-shop.yaml")
    assert kinds(move(brain)) == [("moved", STORE)]
    assert names(brain) == ["my-shop.yaml"]
    values = bmad.read_card((brain / "projects" / "my-shop.yaml").read_bytes())
    assert (values["path"], values["hash"]) == (STORE, bmad.hash8(STORE))


def test_a_card_that_is_a_link_keeps_its_name(brain: Path) -> None:
    index(brain, marked())
    real = brain / "kept.txt"
    card_path(brain).rename(real)
    card_path(brain).symlink_to(real)
    assert kinds(move(brain)) == [("moved", STORE)]
    assert card_path(brain).is_symlink()
    assert bmad.read_card(real.read_bytes())["path"] == STORE


def test_a_name_that_is_taken_by_something_else_is_left_alone(brain: Path) -> None:
    index(brain, marked())
    put_card(brain, b"\x00garbage", STORE)
    assert kinds(move(brain)) == [("moved", STORE)]
    assert card_path(brain, STORE).read_bytes() == b"\x00garbage"
    assert [card.path for card in read_portfolio(str(brain)).cards] == [STORE]


def test_a_card_in_one_flow_mapping_is_carried_over_and_kept(brain: Path) -> None:
    put_card(
        brain, f'{{"path": "{SHOP}", "root_commit": "{ONE}", "remote": "{REMOTE}", "notes": "mine"}}'.encode()
    )
    assert kinds(move(brain)) == [("moved", STORE)]
    cards = read_portfolio(str(brain)).cards
    assert [(card.path, card.extras["notes"]) for card in cards] == [(STORE, "mine")]
    assert len(list((brain / "projects").glob("*.corrupt-*"))) == 1


def test_a_rename_that_was_killed_halfway_is_finished(brain: Path) -> None:
    index(brain, marked())
    write_notes(brain)
    os.link(card_path(brain), card_path(brain, STORE))
    result = move(brain)
    assert kinds(result) == [("moved", STORE)]
    assert names(brain) == [f"{bmad.hash8(STORE)}.yaml"]
    assert 'notes: "mine"' in card_path(brain, STORE).read_text()


def test_a_rename_that_was_killed_before_the_new_content_is_finished(brain: Path) -> None:
    index(brain, marked())
    write_notes(brain)
    card_path(brain).rename(card_path(brain, STORE))
    result = move(brain)
    assert kinds(result) == [("moved", STORE)]
    assert names(brain) == [f"{bmad.hash8(STORE)}.yaml"]
    assert bmad.read_card(card_path(brain, STORE).read_bytes())["hash"] == bmad.hash8(STORE)


def test_a_card_that_is_edited_meanwhile_is_moved_with_the_edit(brain: Path) -> None:
    index(brain, marked())
    decided = decide(brain, [marked(STORE)], now=LATER, exists=only(STORE))
    write_notes(brain)
    apply(decided, str(brain))
    assert 'notes: "mine"' in card_path(brain, STORE).read_text()


def test_a_name_that_is_taken_in_the_last_moment_is_not_replaced(tmp_path: Path) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_bytes(b"old")
    write = Write(str(new), b"new", None, source=(str(old), read_seen(str(old), 100)))
    new.write_bytes(b"theirs")
    with pytest.raises(ChangedError):
        replace_all([write], str(tmp_path))
    assert (old.read_bytes(), new.read_bytes()) == (b"old", b"theirs")
    assert sorted(os.listdir(tmp_path)) == ["new.yaml", "old.yaml"]


def test_a_file_system_without_hard_links_renames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_bytes(b"old")
    replace_all([Write(str(new), b"new", None, source=(str(old), read_seen(str(old), 100)))], str(tmp_path))
    assert (os.listdir(tmp_path), new.read_bytes()) == (["new.yaml"], b"new")


def test_a_move_is_the_same_plan_for_the_same_input(brain: Path) -> None:
    index(brain, marked())
    plans = [decide(brain, [marked(STORE)], now=NOW, exists=only(STORE)) for _ in range(2)]
    assert plans[0].changes == plans[1].changes
    assert [(card.file, card.data) for card in plans[0].cards] == [
        (card.file, card.data) for card in plans[1].cards
    ]
