"""From the facts of a scan to the brain on the disk and back."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from brain import card_values, planning
from brain.files.outline import Json
from brain.portfolio import Applied, Facts, Plan, may_exist, plan, read_portfolio
from tests.brain import bmad
from tests.brain.brains import NOW, ROOT, TODAY, card_path, decide, extra, facts, index, put_card, snapshot

SHOP = f"{ROOT}/shop"
TOP = Path(__file__).parents[2]
LATER = "2026-12-05T00:00:01Z"


def gone(_: str) -> bool:
    return False


def kinds(result: Applied | Plan) -> list[tuple[str, str]]:
    decided = result.plan if isinstance(result, Applied) else result
    return [(change.kind, change.path) for change in decided.changes]


def codes(result: Applied) -> list[str]:
    return [problem.code for problem in result.problems]


# -- the format --------------------------------------------------------------------------------


def test_a_card_for_the_shop_is_named_af7574b5_and_has_the_eight_keys_in_order(brain: Path) -> None:
    index(brain, facts())
    card = (brain / "projects" / "af7574b5.yaml").read_text()
    assert card == (
        'path: "/home/ana/dev/shop"\nname: "shop"\nhash: "af7574b5"\nstack: "Go"\nstatus: "active"\n'
        'bmad_installed: false\nhas_git: true\nlast_scanned: "2026-11-30"\nfirst_seen: "2026-11-30"'
    )


@pytest.mark.parametrize(
    ("path", "name"), [("/home/ana/dev/café", "e788e597"), ("/srv/a b", "4d57b7b6"), (SHOP, "af7574b5")]
)
def test_a_card_is_named_after_the_hash_of_its_path(brain: Path, path: str, name: str) -> None:
    index(brain, facts(path))
    assert [file.name for file in (brain / "projects").iterdir()] == [f"{name}.yaml"]


def test_further_facts_follow_the_eight_keys_in_their_order(brain: Path) -> None:
    more = extra(id="a1", stacks=["Go", "Docker"], last_activity="2026-11-29T10:00:00Z", remote=None)
    index(brain, facts(extra=more))
    values = bmad.read_card(card_path(brain).read_bytes())
    assert list(values) == [*bmad.EIGHT, "id", "stacks", "last_activity", "first_seen"]
    assert values["stacks"] == ["Go", "Docker"]


def test_cards_are_read_back_ordered_by_path(brain: Path) -> None:
    index(brain, facts("/b"), facts("/a", bmad_installed=True, extra=extra(id="i")), facts("/c"))
    portfolio = read_portfolio(str(brain))
    assert [card.path for card in portfolio.cards] == ["/a", "/b", "/c"]
    assert portfolio.problems == ()
    card = portfolio.cards[0]
    assert (card.name, card.stack, card.status, card.last_scanned) == ("a", "Go", "active", TODAY)
    assert (card.bmad_installed, card.has_git, card.missing_since) == (True, True, "")
    assert card.extras == {"id": "i", "first_seen": TODAY}
    assert card.file == f"{bmad.hash8('/a')}.yaml"


def test_the_page_lists_every_card_in_the_order_of_file_names(brain: Path) -> None:
    put_card(brain, bmad.install_card("/srv/old"), "/srv/old")
    index(brain, facts("/a"), facts("/b"), facts("/c"))
    checked = bmad.check_index((brain / "projects-index.md").read_bytes())
    names = sorted(bmad.hash8(path) for path in ("/a", "/b", "/c", "/srv/old"))
    by_hash = {bmad.hash8(path): path for path in ("/a", "/b", "/c", "/srv/old")}
    assert [row.split("`")[1] for row in checked.rows] == [by_hash[name] for name in names]
    assert "| active | old | ? | ✓ | `/srv/old` |" in checked.rows


def test_an_indexing_of_nothing_in_an_empty_home_creates_nothing(brain: Path) -> None:
    assert index(brain).written == 0
    assert not brain.parent.exists()


# -- again -------------------------------------------------------------------------------------


def test_a_second_indexing_of_the_same_writes_nothing(brain: Path) -> None:
    found = [facts(f"{ROOT}/p{n}", extra=extra(id=str(n), stacks=["Go"])) for n in range(5)]
    first = index(brain, *found)
    before = snapshot(brain)
    second = index(brain, *found)
    assert (first.written, first.index_written) == (5, True)
    assert (second.written, second.index_written) == (0, False)
    assert snapshot(brain) == before


def test_the_next_day_only_the_date_changes(brain: Path) -> None:
    index(brain, facts())
    before = card_path(brain).read_bytes()
    result = index(brain, facts(), now=LATER)
    assert kinds(result) == [("same", SHOP)]
    assert card_path(brain).read_bytes() == before.replace(
        b'last_scanned: "2026-11-30"', b'last_scanned: "2026-12-05"'
    )


def test_a_change_names_its_differences(brain: Path) -> None:
    index(brain, facts(extra=extra(stacks=["Go"])))
    result = index(brain, facts(status="paused", extra=extra(stacks=["Go", "Docker"])), now=LATER)
    (change,) = result.plan.changes
    assert change.kind == "changed"
    assert change.differences == (("status", "active", "paused"), ("stacks", ["Go"], ["Go", "Docker"]))


def test_a_fact_that_is_no_longer_known_leaves_the_card(brain: Path) -> None:
    index(brain, facts(extra=extra(remote="https://example.com/a")))
    index(brain, facts(extra=extra(remote=None)))
    assert "remote" not in bmad.read_card(card_path(brain).read_bytes())


def test_the_first_date_and_the_id_are_set_once(brain: Path) -> None:
    index(brain, facts(extra=extra(id="one", first_seen="2020-01-01")))
    index(brain, facts(extra=extra(id="two", first_seen="2026-12-05")), now=LATER)
    values = bmad.read_card(card_path(brain).read_bytes())
    assert (values["id"], values["first_seen"]) == ("one", "2020-01-01")


def test_a_card_of_bmad_was_first_seen_when_bmad_scanned_it(brain: Path) -> None:
    put_card(brain, bmad.scan_card(SHOP))
    index(brain, facts())
    assert bmad.read_card(card_path(brain).read_bytes())["first_seen"] == "2026-11-01"


# -- what people wrote -------------------------------------------------------------------------


def test_foreign_keys_comments_and_blank_lines_survive_a_rescan(brain: Path) -> None:
    card = put_card(
        brain,
        b'# the shop\npath: "/home/ana/dev/shop"\nname: "shop"\n\n'
        b'status: active  # really\npacks_installed: ["core"]\n'
        b"notes: |\n  call Bob\n  status: not a key\n\n# end\n",
    )
    index(brain, facts(status="archived"))
    assert card.read_bytes() == (
        b'# the shop\npath: "/home/ana/dev/shop"\nname: "shop"\nhash: "af7574b5"\nstack: "Go"\n\n'
        b'status: "archived"  # really\n'
        b'bmad_installed: false\nhas_git: true\nlast_scanned: "2026-11-30"\nfirst_seen: "2026-11-30"\n'
        b'packs_installed: ["core"]\nnotes: |\n  call Bob\n  status: not a key\n\n# end\n'
    )


def test_a_card_of_the_installer_keeps_its_packs_and_gains_what_it_lacks(brain: Path) -> None:
    card = put_card(brain, bmad.install_card(SHOP))
    index(brain, facts(bmad_installed=True))
    values = bmad.read_card(card.read_bytes())
    assert values["packs_installed"] == ["core", "web"]
    assert [key for key in values if key in bmad.EIGHT] == bmad.EIGHT


@pytest.mark.parametrize(
    ("pin", "key", "value"),
    [
        ("pinned_name", "name", "Shop!"),
        ("pinned_status", "status", "archived"),
        ("pinned_stack", "stack", "Rust"),
    ],
)
def test_a_pinned_value_stands_until_the_pin_is_gone(brain: Path, pin: str, key: str, value: str) -> None:
    index(brain, facts())
    card = card_path(brain)
    scanned = bmad.read_card(card.read_bytes())[key]
    card.write_bytes(card.read_bytes() + f"\n{pin}: {value}\n".encode())
    assert getattr(read_portfolio(str(brain)).cards[0], key) == value
    index(brain, facts(), now=LATER)
    assert bmad.read_card(card.read_bytes())[key] == value
    assert f"| {value} |" in (brain / "projects-index.md").read_text()
    card.write_bytes(card.read_bytes().replace(f"{pin}: {value}\n".encode(), b""))
    index(brain, facts(), now=LATER)
    assert bmad.read_card(card.read_bytes())[key] == scanned


def test_a_persons_stack_mapping_is_read_by_its_primary_and_stays(brain: Path) -> None:
    card = put_card(
        brain, bmad.scan_card(SHOP).replace(b'stack: "Go"', b"stack:\n  primary: Go\n  framework: Gin")
    )
    assert read_portfolio(str(brain)).cards[0].stack == "Go"
    index(brain, facts())
    assert b"\nstack:\n  primary: Go\n  framework: Gin\nstatus" in card.read_bytes()
    index(brain, facts(stack="Rust"))
    assert b'\nstack: "Rust"\n# stack:\n#   primary: Go\n#   framework: Gin\nstatus' in card.read_bytes()


def test_a_card_under_a_name_of_a_person_is_updated_where_it_is(brain: Path) -> None:
    (brain / "projects").mkdir(parents=True)
    (brain / "projects" / "my shop.yaml").write_bytes(bmad.scan_card(SHOP, status="paused"))
    assert kinds(index(brain, facts())) == [("changed", SHOP)]
    assert [file.name for file in (brain / "projects").iterdir()] == ["my shop.yaml"]


def test_the_mode_of_a_card_and_its_line_ends_stay(brain: Path) -> None:
    card = put_card(brain, bmad.scan_card(SHOP).replace(b"\n", b"\r\n"))
    card.chmod(0o640)
    index(brain, facts(status="paused"))
    assert card.stat().st_mode & 0o7777 == 0o640
    assert card.read_bytes().count(b"\n") == card.read_bytes().count(b"\r\n") > 0


# -- hostile -----------------------------------------------------------------------------------


def test_names_are_capped_and_made_visible(brain: Path) -> None:
    index(brain, facts(name="a\x1b[2J\n### x\u202e" + "b" * 300))
    name = read_portfolio(str(brain)).cards[0].name
    assert name.startswith("a\\x1b[2J\\x0a### x\\u202ebbb")
    assert len(name) == 80


def test_further_texts_are_capped_and_made_visible(brain: Path) -> None:
    deep: Json = "end"
    for _ in range(20):
        deep = [deep]
    index(
        brain,
        facts(extra=extra(text="x\x00" + "y" * 999, many=list(range(999)), deep=deep, odd=float("nan"))),
    )
    values = read_portfolio(str(brain)).cards[0].extras
    assert isinstance(values["text"], str)
    assert isinstance(values["many"], list)
    assert values["text"].startswith("x\\x00yyy")
    assert (len(values["text"]), len(values["many"])) == (200, 100)
    assert json.dumps(values["deep"]).count("[") < 6
    assert values["odd"] is None


@pytest.mark.parametrize("key", ["path", "pinned_name", "missing_since", "Bad", "a b", "", "x" * 41, "a:"])
def test_a_key_that_is_not_free_is_an_error_of_the_caller(brain: Path, key: str) -> None:
    with pytest.raises(ValueError, match="not a key"):
        decide(brain, [facts(extra=((key, "x"),))])


def test_a_path_that_is_not_utf8_is_kept_exactly(brain: Path) -> None:
    path = os.fsdecode(b"/home/ana/dev/caf\xe9")
    index(brain, facts(path))
    (file,) = (brain / "projects").iterdir()
    assert file.name == f"{card_values.path_hash(path)[:8]}.yaml"
    text = file.read_text(encoding="utf-8")
    assert 'path: "/home/ana/dev/caf\\\\xe9"\nname: "caf\\\\xe9"\n' in text
    assert base64.b64decode(yaml.safe_load(text)["path_b64"]) == b"/home/ana/dev/caf\xe9"
    assert read_portfolio(str(brain)).cards[0].path == path
    assert kinds(index(brain, facts(path))) == [("same", path)]


def test_the_hash_of_a_path_that_is_not_utf8_is_over_its_bytes() -> None:
    assert card_values.path_hash(os.fsdecode(b"/caf\xe9")) == hashlib.sha256(b"/caf\xe9").hexdigest()


def test_a_folder_that_is_named_like_an_escape_is_not_mistaken_for_one(brain: Path) -> None:
    odd, plain = os.fsdecode(b"/d/caf\xe9"), "/d/caf\\xe9"
    index(brain, facts(odd), facts(plain))
    assert {card.path for card in read_portfolio(str(brain)).cards} == {odd, plain}


def test_tag_characters_in_a_folder_name_are_shown_and_still_found_again(brain: Path) -> None:
    path = f"{ROOT}/x\U000e0041"
    index(brain, facts(path))
    data = next((brain / "projects").iterdir()).read_bytes()
    shown = f"{ROOT}/x\\U000e0041"
    assert (yaml.safe_load(data)["path"], bmad.read_card(data)["path"]) == (shown, shown)
    assert read_portfolio(str(brain)).cards[0].path == path


@pytest.mark.parametrize(
    "name",
    [
        "a\nb",
        "a\x1b[2J",
        "a\x9b31m",
        "a\u202eb",
        "[/nope]",
        ":skull:",
        "a" * 255,
        "a\x85\u2028b",
        "😀",
        "a'\"\\b",
    ],
)
def test_an_odd_folder_name_survives_the_round_trip(brain: Path, name: str) -> None:
    path = f"{ROOT}/{name}"
    index(brain, facts(path))
    data = next((brain / "projects").iterdir()).read_bytes()
    assert yaml.safe_load(data)["path"] == path
    assert bmad.read_card(data)["path"] == path
    assert read_portfolio(str(brain)).cards[0].path == path
    assert not any(byte < 0x20 and byte != 0x0A for byte in data)
    assert kinds(index(brain, facts(path))) == [("same", path)]


@pytest.mark.parametrize(
    "values", ['path: "\\ud800"', 'path: "a\\u0000b"', "path: 7", "path: []", "path: ''", "notes: x"]
)
def test_a_card_with_an_impossible_path_harms_nobody(brain: Path, values: str) -> None:
    put_card(brain, f'{values}\nname: "x"'.encode(), "/x")
    index(brain, facts(), exists=may_exist, roots=["/", ""])
    assert SHOP in [card.path for card in read_portfolio(str(brain)).cards]


# -- damaged -----------------------------------------------------------------------------------


def garbage(path: Path) -> None:
    path.write_bytes(b"\x00\x01garbage")


def too_large(path: Path) -> None:
    path.write_bytes(b'path: "/home/ana/dev/shop"\n' + b"#" * 70_000)


def folder(path: Path) -> None:
    path.mkdir()
    (path / "mine").write_text("x")


def pipe(path: Path) -> None:
    os.mkfifo(path)


DAMAGES = [
    (garbage, "card-corrupt"),
    (too_large, "card-too-large"),
    (folder, "card-not-regular"),
    (pipe, "card-not-regular"),
]


@pytest.mark.parametrize(("damage", "code"), DAMAGES)
def test_a_damaged_card_is_reported_and_left_where_it_is(
    brain: Path, damage: Callable[[Path], None], code: str
) -> None:
    (brain / "projects").mkdir(parents=True)
    damage(card_path(brain, "/other"))
    result = index(brain, facts())
    assert codes(result) == [code]
    assert card_path(brain, "/other").lstat()
    assert bmad.check_index((brain / "projects-index.md").read_bytes()).total == 1


@pytest.mark.parametrize(("damage", "code"), DAMAGES)
def test_a_damaged_card_is_moved_aside_when_it_must_be_written(
    brain: Path, damage: Callable[[Path], None], code: str
) -> None:
    (brain / "projects").mkdir(parents=True)
    damage(card_path(brain))
    before = card_path(brain).lstat()
    result = index(brain, facts())
    assert codes(result) == [code, "card-set-aside"]
    aside = brain / "projects" / "af7574b5.yaml.corrupt-20261130T031704Z"
    assert aside.lstat().st_ino == before.st_ino
    assert read_portfolio(str(brain)).cards[0].path == SHOP
    assert codes(index(brain, facts())) == []


def test_two_damaged_cards_in_one_second_are_both_kept(brain: Path) -> None:
    for number in range(2):
        put_card(brain, b"\x00" + bytes([number]))
        index(brain, facts())
    names = sorted(path.name for path in (brain / "projects").iterdir())
    assert names == [
        "af7574b5.yaml",
        "af7574b5.yaml.corrupt-20261130T031704Z",
        "af7574b5.yaml.corrupt-20261130T031704Z-2",
    ]


def test_an_empty_card_is_filled(brain: Path) -> None:
    card = put_card(brain, b"")
    assert codes(index(brain, facts())) == ["card-no-path"]
    assert bmad.read_card(card.read_bytes())["path"] == SHOP


def test_a_card_in_one_flow_mapping_is_carried_over_and_kept(brain: Path) -> None:
    put_card(brain, b'{"path": "/home/ana/dev/shop", "notes": "mine"}')
    result = index(brain, facts())
    assert codes(result) == ["card-set-aside"]
    assert bmad.read_card(card_path(brain).read_bytes())["notes"] == "mine"
    assert len(list((brain / "projects").glob("*.corrupt-*"))) == 1


def test_a_damaged_page_is_moved_aside(brain: Path) -> None:
    brain.mkdir(parents=True)
    os.mkfifo(brain / "projects-index.md")
    assert codes(index(brain, facts())) == ["index-not-regular"]
    assert bmad.check_index((brain / "projects-index.md").read_bytes()).total == 1
    assert (brain / "projects-index.md.corrupt-20261130T031704Z").is_fifo()


def test_a_folder_that_cannot_be_listed_is_a_problem(brain: Path) -> None:
    brain.mkdir(parents=True)
    (brain / "projects").write_text("not a folder")
    portfolio = read_portfolio(str(brain))
    assert [problem.code for problem in portfolio.problems] == ["brain-unreadable"]
    decided = decide(brain, [facts()])
    assert decided.is_idle
    assert decided.changes == ()


def test_a_card_that_cannot_be_read_is_never_touched(brain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_card(brain, bmad.scan_card(SHOP, notes="mine"))
    before = snapshot(brain)
    with monkeypatch.context() as broken:
        real = os.read

        def read(descriptor: int, size: int) -> bytes:
            if os.fstat(descriptor).st_ino == card_path(brain).stat().st_ino:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return real(descriptor, size)

        broken.setattr(os, "read", read)
        result = index(brain, facts(), facts(f"{ROOT}/web"))
    assert codes(result) == ["card-io", "card-not-written"]
    assert snapshot(brain)["projects/af7574b5.yaml"] == before["projects/af7574b5.yaml"]
    assert card_path(brain, f"{ROOT}/web").exists()


# -- links -------------------------------------------------------------------------------------


def test_a_card_that_is_a_link_inside_the_brain_is_written_through(brain: Path) -> None:
    store = brain / "store"
    store.mkdir(parents=True)
    (store / "shop").write_bytes(bmad.scan_card(SHOP))
    (brain / "projects").mkdir()
    card_path(brain).symlink_to("../store/shop")
    index(brain, facts(status="paused"))
    assert card_path(brain).is_symlink()
    assert bmad.read_card((store / "shop").read_bytes())["status"] == "paused"


def test_a_card_that_is_a_link_out_of_the_brain_is_neither_read_nor_written(
    brain: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(bmad.scan_card(SHOP, name="secret"))
    (brain / "projects").mkdir(parents=True)
    card_path(brain).symlink_to(secret)
    result = index(brain, facts(), facts(f"{ROOT}/web"))
    assert codes(result) == ["card-link", "card-not-written"]
    assert card_path(brain).readlink() == secret
    assert secret.read_bytes() == bmad.scan_card(SHOP, name="secret")
    assert card_path(brain, f"{ROOT}/web").is_file()


def test_a_page_that_is_a_link_out_of_the_brain_is_not_written(brain: Path, tmp_path: Path) -> None:
    outside = tmp_path / "page.md"
    outside.write_text("mine")
    brain.mkdir(parents=True)
    (brain / "projects-index.md").symlink_to(outside)
    result = index(brain, facts())
    assert codes(result) == ["index-link"]
    assert outside.read_text() == "mine"
    assert card_path(brain).is_file()


def test_a_brain_that_is_itself_a_link_is_written(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    brain = tmp_path / "brain"
    brain.symlink_to(real)
    index(brain, facts())
    assert (real / "projects" / "af7574b5.yaml").is_file()


# -- gone and back -----------------------------------------------------------------------------


def test_a_vanished_project_is_marked_and_never_deleted(brain: Path) -> None:
    index(brain, facts(), facts(f"{ROOT}/web"))
    result = index(brain, facts(f"{ROOT}/web"), exists=gone, now=LATER)
    assert kinds(result) == [("missing", SHOP), ("same", f"{ROOT}/web")]
    card = read_portfolio(str(brain)).cards[0]
    assert (card.status, card.missing_since) == ("missing", "2026-12-05")
    assert "| missing | shop | Go | · | `/home/ana/dev/shop` |" in (brain / "projects-index.md").read_text()


def test_a_project_that_stays_away_keeps_its_date(brain: Path) -> None:
    index(brain, facts())
    index(brain, exists=gone, now=LATER)
    before = snapshot(brain)
    result = index(brain, exists=gone, now="2026-12-05T09:00:00Z")
    assert kinds(result) == [("missing", SHOP)]
    assert result.plan.changes[0].differences == ()
    assert snapshot(brain) == before


def test_a_project_that_comes_back_is_itself_again(brain: Path) -> None:
    index(brain, facts())
    before = card_path(brain).read_bytes()
    index(brain, exists=gone)
    result = index(brain, facts())
    assert kinds(result) == [("returned", SHOP)]
    assert card_path(brain).read_bytes() == before


def test_a_pin_outlasts_an_absence(brain: Path) -> None:
    index(brain, facts())
    card_path(brain).write_bytes(card_path(brain).read_bytes() + b"\npinned_status: archived\n")
    index(brain, facts())
    index(brain, exists=gone)
    assert read_portfolio(str(brain)).cards[0].status == "missing"
    assert bmad.read_card(card_path(brain).read_bytes())["status"] == "archived"
    index(brain, facts())
    assert read_portfolio(str(brain)).cards[0].status == "archived"


@pytest.mark.parametrize("roots", [[], ["/srv"], ["/home/ana/de"], [f"{ROOT}/shop2"]])
def test_a_card_outside_the_scanned_roots_is_untouched(brain: Path, roots: list[str]) -> None:
    index(brain, facts())
    before = card_path(brain).read_bytes()
    assert kinds(index(brain, exists=gone, roots=roots, now=LATER)) == []
    assert card_path(brain).read_bytes() == before


@pytest.mark.parametrize("roots", [["/"], ["/home/ana/dev/"], [ROOT], [SHOP]])
def test_a_root_covers_itself_and_all_below(brain: Path, roots: list[str]) -> None:
    index(brain, facts())
    assert kinds(index(brain, exists=gone, roots=roots)) == [("missing", SHOP)]


def test_a_project_that_exists_but_was_not_found_is_untouched(brain: Path) -> None:
    index(brain, facts())
    before = card_path(brain).read_bytes()
    assert kinds(index(brain, exists=lambda _: True, now=LATER)) == []
    assert card_path(brain).read_bytes() == before


def test_a_marked_project_whose_folder_is_back_loses_the_mark_even_when_not_scanned(brain: Path) -> None:
    index(brain, facts())
    index(brain, exists=gone)
    assert kinds(index(brain, exists=lambda _: True)) == [("returned", SHOP)]
    card = read_portfolio(str(brain)).cards[0]
    assert (card.status, card.missing_since) == ("unknown", "")


def test_only_a_clear_no_means_gone(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "file").write_text("")
    assert may_exist(str(tmp_path / "here"))
    assert may_exist(str(tmp_path / ("x" * 300)))  # the system refuses the name: no answer
    assert not may_exist(str(tmp_path / "nowhere"))
    assert not may_exist(str(tmp_path / "file" / "below"))


# -- one project, several paths ----------------------------------------------------------------


def test_a_project_through_a_linked_root_is_the_card_that_is_there(brain: Path, tmp_path: Path) -> None:
    real = tmp_path / "real"
    (real / "shop").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(real)
    old = f"{link}/shop"
    put_card(brain, bmad.scan_card(old), old)
    found = facts(f"{real}/shop", status="paused")
    result = index(brain, found, roots=[str(real)])
    assert kinds(result) == [("changed", old)]
    values = bmad.read_card(card_path(brain, old).read_bytes())
    assert (values["path"], values["hash"], values["status"]) == (old, bmad.hash8(old), "paused")
    assert len(list((brain / "projects").iterdir())) == 1


def test_a_project_found_through_a_link_is_the_card_of_its_real_path(brain: Path, tmp_path: Path) -> None:
    real = str(tmp_path / "shop")
    put_card(brain, bmad.scan_card(real), real)
    found = facts("/elsewhere/shop", real_path=real)
    assert kinds(index(brain, found)) == [("changed", real)]


def test_a_project_found_twice_is_one_card(brain: Path) -> None:
    twice = [facts(SHOP), facts(f"{ROOT}/link", real_path=SHOP)]
    assert kinds(index(brain, *twice)) == [("new", SHOP)]
    assert kinds(index(brain, *reversed(twice))) == [("same", SHOP)]


def test_two_cards_of_one_project_are_reported(brain: Path, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "link").symlink_to("shop")
    real, link = str(tmp_path / "shop"), str(tmp_path / "link")
    put_card(brain, bmad.scan_card(real), real)
    put_card(brain, bmad.scan_card(link), link)
    result = index(brain, facts(real), roots=[str(tmp_path)])
    assert kinds(result) == [("changed", real)]
    assert codes(result) == ["card-duplicate"]


# -- two paths, one hash -----------------------------------------------------------------------


@pytest.fixture
def colliding(monkeypatch: pytest.MonkeyPatch) -> None:
    true_hash = card_values.path_hash
    for module in (card_values, planning):
        monkeypatch.setattr(module, "path_hash", lambda path: "af7574b5" + true_hash(path)[8:])


@pytest.mark.usefixtures("colliding")
def test_two_paths_with_one_hash_both_have_a_card(brain: Path) -> None:
    index(brain, facts(SHOP))
    result = index(brain, facts(SHOP), facts(f"{ROOT}/web"))
    assert kinds(result) == [("same", SHOP), ("new", f"{ROOT}/web")]
    assert [card.path for card in read_portfolio(str(brain)).cards] == [SHOP, f"{ROOT}/web"]
    names = sorted(len(file.stem) for file in (brain / "projects").iterdir())
    assert names == [8, 16]
    assert kinds(index(brain, facts(SHOP), facts(f"{ROOT}/web"))) == [("same", SHOP), ("same", f"{ROOT}/web")]


@pytest.mark.usefixtures("colliding")
def test_the_longer_name_is_the_cards_hash(brain: Path) -> None:
    index(brain, facts(SHOP), facts(f"{ROOT}/web"))
    for file in (brain / "projects").iterdir():
        assert bmad.read_card(file.read_bytes())["hash"] == file.stem


# -- start-up ---------------------------------------------------------------------------------------


def test_the_portfolio_is_loaded_without_costly_modules() -> None:
    costly = "typing pathlib subprocess yaml logging asyncio datetime hashlib base64 importlib.resources"
    code = (
        "import sys; before = set(sys.modules); import brain.portfolio\n"
        f"print(*sorted(set({costly!r}.split()) & (set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], check=True, capture_output=True, text=True, timeout=60, cwd=TOP
    )
    assert done.stdout == "\n"


# -- purity ------------------------------------------------------------------------------------


def test_planning_touches_nothing(brain: Path) -> None:
    index(brain, facts())
    before = snapshot(brain)
    decided = decide(brain, [facts(status="paused"), facts(f"{ROOT}/web")])
    assert len(decided.cards) == 2
    assert snapshot(brain) == before


def test_the_same_input_gives_the_same_plan(brain: Path) -> None:
    found = [facts(f"{ROOT}/p{n}") for n in range(9)]
    one, other = decide(brain, found), decide(brain, found[::-1])
    assert [(w.file, w.data) for w in one.cards] == [(w.file, w.data) for w in other.cards]
    assert one.index == other.index
    assert one.changes == other.changes


def test_a_plan_holds_the_bytes_that_are_written(brain: Path) -> None:
    result = index(brain, facts())
    (write,) = result.plan.cards
    assert card_path(brain).read_bytes() == write.data
    assert (brain / "projects-index.md").read_bytes() == result.plan.index


def test_links_are_resolved_only_for_cards_that_no_fact_names(brain: Path) -> None:
    index(brain, facts())
    asked: list[str] = []

    def real_path(path: str) -> str:
        asked.append(path)
        return path

    found: list[Facts] = [facts(), facts(f"{ROOT}/web")]
    plan(read_portfolio(str(brain)), found, now=NOW, roots=[], exists=gone, real_path=real_path)
    assert asked == []


def test_a_decision_of_a_person_is_pinned_in_the_same_write(brain: Path) -> None:
    path = f"{ROOT}/shop"
    index(brain, facts(path, pins=(("name", "Der Laden"), ("status", "paused"))))
    card = read_portfolio(str(brain)).cards[0]
    assert (card.name, card.status) == ("Der Laden", "paused")
    index(brain, facts(path))
    kept = read_portfolio(str(brain)).cards[0]
    assert (kept.name, kept.status, kept.extras["pinned_name"]) == ("Der Laden", "paused", "Der Laden")
