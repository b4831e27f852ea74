"""Cards as bytes: what is read from them, and what a rewriting leaves alone."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml

from brain.files.cards import ABSENT, CARD_CAP, GarbageError, read_values, render, rewrite, to_json
from brain.files.outline import Json
from tests.brain import bmad

SHOP = "/home/ana/dev/shop"


def values_of(data: bytes) -> dict[str, Json]:
    return read_values(data)[0]


def rewritten(data: bytes, **updates: Json) -> bytes:
    new, in_place = rewrite(data, updates)
    assert in_place
    return new


def test_a_new_card_is_lines_of_compact_json_without_a_final_newline() -> None:
    card = render({"path": SHOP, "has_git": True, "stacks": ["Go", "Docker"], "about": {"a": 1, "b": None}})
    assert card == (
        b'path: "/home/ana/dev/shop"\nhas_git: true\nstacks: ["Go","Docker"]\nabout: {"a":1,"b":null}'
    )


@pytest.mark.parametrize(
    "value",
    [
        "x",
        "",
        "no",
        "1:30",
        "a: b # c",
        'say "hi"',
        "back\\slash",
        "new\nline",
        "tab\t",
        "é ✓ 😀",
        "\x85\u2028\u2029\ufeff",
        "\x7f\x9b\u202e",
        True,
        False,
        None,
        0,
        -7,
        1.5,
        [],
        ["a", 1, None],
        {"a": {"b": ["c: d"]}},
    ],
)
def test_a_value_reads_the_same_for_us_for_bmad_and_for_yaml(value: Json) -> None:
    card = render({"path": SHOP, "value": value})
    assert values_of(card)["value"] == value
    assert bmad.read_card(card)["value"] == value
    assert yaml.safe_load(card)["value"] == value


def test_invisible_characters_are_escaped_in_the_file() -> None:
    assert to_json("a\u202eb\u200bc\x9bd") == '"a\\u202eb\\u200bc\\u009bd"'


def test_a_card_of_the_scan_is_read() -> None:
    assert values_of(bmad.scan_card(SHOP)) == bmad.read_card(bmad.scan_card(SHOP))


def test_a_card_of_the_installer_is_read() -> None:
    assert values_of(bmad.install_card(SHOP))["packs_installed"] == ["core", "web"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path: /a b/c\n", {"path": "/a b/c"}),
        ("path: '/it''s'\n", {"path": "/it's"}),
        ("status: paused # my word\n", {"status": "paused"}),
        ('status: "paused" # my word\n', {"status": "paused"}),
        ("last_scanned: 2026-11-30\n", {"last_scanned": "2026-11-30"}),
        ("version: 1.10\nnight: 1:30\nnorway: no\n", {"version": 1.1, "night": "1:30", "norway": "no"}),
        ("bmad_installed: yes\n", {"bmad_installed": "yes"}),
        ("stack:\n  primary: Go\n  framework: Gin\n", {"stack": {"primary": "Go", "framework": "Gin"}}),
        ("stack: {primary: Go}\n", {"stack": {"primary": "Go"}}),
        ("packs:\n- a\n- b\n", {"packs": ["a", "b"]}),
        ("notes: |\n  first\n  status: no key\nname: x\n", {"notes": "first\nstatus: no key\n", "name": "x"}),
        ("notes: >-\n  two\n  lines\n", {"notes": "two lines"}),
        ("empty:\nname: x\n", {"empty": None, "name": "x"}),
        ("name: &shop shop\n", {"name": "shop"}),
        ("name: a\nname: b\n", {"name": "b"}),
        ("# only\n\nname: x\n# end\n", {"name": "x"}),
        ("---\nname: x\n...\n", {"name": "x"}),
        ('\ufeffname: x\r\nstack: "Go"\r\n', {"name": "x", "stack": "Go"}),
        ("name:x\n", {"name": "x"}),
        ("name: @acme/web\n", {"name": "@acme/web"}),
        ("name: @acme/web: the shop\nstack: Go\n", {"name": "@acme/web: the shop", "stack": "Go"}),
        ('{"path": "/a", "name": "x"}\n', {"path": "/a", "name": "x"}),
        ("", {}),
        ("# nothing\n", {}),
    ],
)
def test_what_people_write_is_read(text: str, expected: dict[str, Json]) -> None:
    assert values_of(text.encode()) == expected


def test_an_alias_is_not_followed_but_the_other_lines_are_read() -> None:
    values, complaint = read_values(b'path: "/a"\nbase: &b {x: 1}\nmore: *b\n')
    assert values["path"] == "/a"
    assert values["more"] == "*b"
    assert complaint == "aliases are not followed"


def test_a_yaml_bomb_costs_nothing() -> None:
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
    )
    values, complaint = read_values(f'path: "/a"\n{bomb}'.encode())
    assert values["path"] == "/a"
    assert complaint


@pytest.mark.parametrize("deep", ["[" * 30_000, "{a: " * 8_000, "- " * 20_000])
def test_deep_nesting_is_refused_without_harm(deep: str) -> None:
    values, complaint = read_values(f'path: "/a"\nx: {deep}\n'.encode())
    assert values["path"] == "/a"
    assert complaint


@pytest.mark.parametrize(
    "data", [b"\x00\x01\x02", b"path: \x00\n", b"just text\n", b"\xff\xfe\x00x", b"- a\n- b\n"]
)
def test_what_is_no_card_is_garbage(data: bytes) -> None:
    with pytest.raises(GarbageError):
        read_values(data)


def test_more_than_the_cap_is_garbage() -> None:
    with pytest.raises(GarbageError) as refused:
        read_values(b'path: "/a"\n' + b"#" * CARD_CAP)
    assert refused.value.code == "card-too-large"


def test_ordinary_cards_are_read_without_yaml() -> None:
    code = (
        "import sys; from brain.files.cards import read_values\n"
        'read_values(b\'path: "/a"\\r\\n# c\\r\\n\\r\\nstatus: paused # mine\\r\\npacks: ["a"]\\r\\n\')\n'
        "raise SystemExit('yaml' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_only_the_changed_value_of_a_card_changes() -> None:
    before = bmad.scan_card(SHOP, notes="mine")
    assert rewritten(before, status="paused") == before.replace(b'"active"', b'"paused"')


def test_a_card_that_says_it_all_is_left_alone() -> None:
    before = b"path: '/a'   # here\r\nname: x\r\n\r\n# end"
    assert rewritten(before, path="/a", name="x") == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"status: active # mine\n", b'status: "paused" # mine\n'),
        (b'status:   "active"\t# mine\n', b'status:   "paused"\t# mine\n'),
        (b'status: "a # b"\n', b'status: "paused"\n'),
        (b"status: 'a # b' # mine\n", b'status: "paused" # mine\n'),
        (b'status: ["a # b"] # mine\n', b'status: "paused" # mine\n'),
        (b"status: # todo\n", b'status: "paused" # todo\n'),
        (b"status:\n", b'status: "paused"\n'),
        (b"status:active\n", b'status: "paused"\n'),
        (b"status: active", b'status: "paused"'),
        (b"status: active\r\nx: 1\r\n", b'status: "paused"\r\nx: 1\r\n'),
        (b"\xef\xbb\xbfstatus: active\n", b'\xef\xbb\xbfstatus: "paused"\n'),
        (b"status: &s active\n", b'status: &s "paused"\n'),
        (b"status: paused\nstatus: active\n", b'status: paused\nstatus: "paused"\n'),
        (b"status: |\n  active\n\n# end\n", b'status: "paused"\n# status: |\n#   active\n\n# end\n'),
        (b"# caf\xe9\nstatus: active\nnote: caf\xe9\n", b'# caf\xe9\nstatus: "paused"\nnote: caf\xe9\n'),
        (b'notes: "a\nstatus: no key"\nstatus: active\n', b'notes: "a\nstatus: no key"\nstatus: "paused"\n'),
        (b"status: a: b: c\nnotes: |\n  x\n", b'status: "paused"\nnotes: |\n  x\n'),
    ],
)
def test_a_value_is_replaced_in_place(before: bytes, after: bytes) -> None:
    assert rewritten(before, status="paused") == after


def test_a_mapping_whose_primary_is_right_stays() -> None:
    before = b"path: /a\nstack:\n  primary: Go   # since 2020\n  framework: Gin\n"
    assert rewritten(before, path="/a", stack="Go") == before


def test_a_mapping_whose_primary_is_wrong_is_kept_beneath_as_a_comment() -> None:
    before = b"path: /a\nstack: # mine\n  primary: Node.js\n\n  framework: Express\n# tail\nnotes: x\n"
    after = rewritten(before, path="/a", stack="Go")
    assert after == (
        b'path: /a\nstack: "Go"\n# stack: # mine\n#   primary: Node.js\n\n'
        b"#   framework: Express\n# tail\nnotes: x\n"
    )
    assert rewritten(after, path="/a", stack="Go") == after


def test_missing_keys_are_inserted_in_order() -> None:
    after = rewritten(
        bmad.install_card(SHOP),
        path=SHOP,
        name="shop",
        hash=bmad.hash8(SHOP),
        stack="Go",
        status="active",
        bmad_installed=True,
        has_git=True,
        last_scanned="2026-11-01",
        id="a1",
        stacks=["Go"],
    )
    assert list(bmad.read_card(after)) == [
        "path",
        "name",
        "hash",
        "stack",
        "status",
        "bmad_installed",
        "has_git",
        "packs_installed",
        "last_scanned",
        "id",
        "stacks",
    ]
    assert not after.endswith(b"\n")


def test_new_lines_follow_the_files_line_ends_and_its_last_line() -> None:
    assert rewritten(b"name: x\r\n", name="x", id="a") == b'name: x\r\nid: "a"\r\n'
    assert rewritten(b"notes: x\r\nname: x", name="x", id="a") == b'notes: x\r\nname: x\r\nid: "a"'


def test_keys_of_an_empty_card_follow_its_document_mark() -> None:
    assert rewritten(b"---\n# mine\nnotes: x\n", path="/a", name="x") == (
        b'---\npath: "/a"\nname: "x"\n# mine\nnotes: x\n'
    )


def test_a_key_that_shall_go_leaves_its_comment() -> None:
    before = b'name: x\nmissing_since: "2026-11-01" # on the old disk\nnotes: y\n'
    assert rewrite(before, {"name": "x", "missing_since": ABSENT}) == (
        b"name: x\n# on the old disk\nnotes: y\n",
        True,
    )


@pytest.mark.parametrize(
    "before",
    [
        b'{"path": "/a", "status": "active", "notes": "mine"}',
        b"  path: /a\n  status: active\n  notes: mine\n",
        b"? path\n: /a\n? status\n: active\n? notes\n: mine\n",
    ],
)
def test_a_card_without_lines_of_its_own_is_written_afresh_with_all_its_values(before: bytes) -> None:
    after, in_place = rewrite(before, {"path": "/a", "status": "paused"})
    assert not in_place
    assert after == b'path: "/a"\nstatus: "paused"\nnotes: "mine"'
