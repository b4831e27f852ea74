"""Which brain a project has: the five rules of BMAD+, and the record that an install leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from brain.locate import Brain, Link, disagreement, locate_brain, read_link


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The home of a user who has no brain."""
    path = tmp_path / "user"
    path.mkdir()
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project two folders below the test's own."""
    path = tmp_path / "dev" / "shop"
    path.mkdir(parents=True)
    return path


def found(project: Path, user: Path, **variables: str) -> tuple[str, str, str]:
    brain = locate_brain(str(project), home=str(user), environ=variables)
    return brain.path, brain.type, brain.source


def folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def all_brains(shop: Path, user: Path, tmp_path: Path) -> dict[str, Path]:
    memory = folder(user / ".claude" / "memory")
    (memory / "note.md").write_text("x\n")
    return {
        "variable": folder(tmp_path / "chosen"),
        "above": folder(shop.parent / "_brain"),
        "global": folder(user / ".bmad-plus" / "brain"),
        "claude": memory,
    }


def record(project: Path, text: str) -> Path:
    path = project / ".agents" / "memory" / ".brain-link"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_variable_comes_first(shop: Path, user: Path, tmp_path: Path) -> None:
    brains = all_brains(shop, user, tmp_path)
    expected = (str(brains["variable"]), "portfolio", "BMAD_PLUS_BRAIN")
    assert found(shop, user, BMAD_PLUS_BRAIN=str(brains["variable"])) == expected


def test_a_folder_above_the_project_comes_second(shop: Path, user: Path, tmp_path: Path) -> None:
    brains = all_brains(shop, user, tmp_path)
    assert found(shop, user) == (str(brains["above"]), "portfolio", "_brain above the project")


def test_the_global_brain_comes_third(shop: Path, user: Path, tmp_path: Path) -> None:
    brains = all_brains(shop, user, tmp_path)
    brains["above"].rmdir()
    assert found(shop, user) == (str(brains["global"]), "bmad-global", "~/.bmad-plus/brain")


def test_the_memory_of_claude_comes_fourth(shop: Path, user: Path, tmp_path: Path) -> None:
    brains = all_brains(shop, user, tmp_path)
    brains["above"].rmdir()
    brains["global"].rmdir()
    assert found(shop, user) == (str(brains["claude"]), "claude-memory", "~/.claude/memory")


def test_without_any_brain_the_global_one_is_still_to_be_made(shop: Path, user: Path) -> None:
    brain = locate_brain(str(shop), home=str(user), environ={})
    expected = (str(user / ".bmad-plus" / "brain"), "bmad-global", "none yet", False, ())
    assert (brain.path, brain.type, brain.source, brain.exists, brain.warnings) == expected


def test_looking_for_a_brain_makes_nothing(shop: Path, user: Path, tmp_path: Path) -> None:
    locate_brain(str(shop), home=str(user), environ={})
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == [
        "dev",
        "dev/shop",
        "user",
    ]


def test_the_nearest_brain_above_wins(shop: Path, user: Path) -> None:
    folder(shop.parent / "_brain")
    own = folder(shop / "_brain")
    assert found(shop, user) == (str(own), "portfolio", "_brain in the project")


def test_the_root_of_the_file_system_is_asked_as_well(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.path.isdir
    monkeypatch.setattr(os.path, "isdir", lambda path: path == "/_brain" or real(path))
    assert found(Path("/nowhere/at/all"), user) == ("/_brain", "portfolio", "_brain above the project")


def test_a_link_to_a_folder_counts_as_a_brain(shop: Path, user: Path, tmp_path: Path) -> None:
    real = folder(tmp_path / "elsewhere")
    (shop.parent / "_brain").symlink_to(real)
    assert found(shop, user) == (str(shop.parent / "_brain"), "portfolio", "_brain above the project")


def test_a_dangling_link_is_no_brain(shop: Path, user: Path, tmp_path: Path) -> None:
    (shop.parent / "_brain").symlink_to(tmp_path / "gone")
    assert found(shop, user)[2] == "none yet"


def test_a_plain_file_is_no_brain_above_the_project(shop: Path, user: Path) -> None:
    (shop.parent / "_brain").write_text("x\n")
    assert found(shop, user)[2] == "none yet"


def test_a_file_in_place_of_the_global_brain_is_named(shop: Path, user: Path) -> None:
    folder(user / ".bmad-plus")
    (user / ".bmad-plus" / "brain").write_text("x\n")
    brain = locate_brain(str(shop), home=str(user), environ={})
    assert (brain.source, brain.exists) == ("none yet", False)
    assert brain.warnings == (f"{user}/.bmad-plus/brain is not a folder",)


def test_an_empty_memory_of_claude_does_not_count(shop: Path, user: Path) -> None:
    folder(user / ".claude" / "memory")
    assert found(shop, user)[2] == "none yet"


@pytest.mark.parametrize("kind", ["file", "missing", "dangling"])
def test_a_variable_that_names_no_folder_is_a_warning_and_the_next_rule(
    shop: Path, user: Path, tmp_path: Path, kind: str
) -> None:
    named = tmp_path / "named"
    if kind == "file":
        named.write_text("x\n")
    if kind == "dangling":
        named.symlink_to(tmp_path / "gone")
    folder(shop.parent / "_brain")
    brain = locate_brain(str(shop), home=str(user), environ={"BMAD_PLUS_BRAIN": str(named)})
    assert brain.source == "_brain above the project"
    assert brain.warnings == (f"BMAD_PLUS_BRAIN names {named}, which is not a folder; the next rule decides",)


def test_an_empty_variable_is_no_variable(shop: Path, user: Path) -> None:
    brain = locate_brain(str(shop), home=str(user), environ={"BMAD_PLUS_BRAIN": ""})
    assert (brain.source, brain.warnings) == ("none yet", ())


def test_a_relative_variable_counts_with_a_warning(
    shop: Path, user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder(tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    brain = locate_brain(str(shop), home=str(user), environ={"BMAD_PLUS_BRAIN": "mine"})
    assert (brain.path, brain.type, brain.source) == (str(tmp_path / "mine"), "portfolio", "BMAD_PLUS_BRAIN")
    assert brain.warnings == (
        "BMAD_PLUS_BRAIN names mine: a relative path changes its meaning with the current folder",
    )


def test_what_a_flag_names_wins_over_every_rule_and_is_a_global_brain(
    shop: Path, user: Path, tmp_path: Path
) -> None:
    brains = all_brains(shop, user, tmp_path)
    brain = locate_brain(
        str(shop),
        home=str(user),
        environ={"BMAD_PLUS_BRAIN": str(brains["variable"])},
        override=(str(tmp_path / "own"), "--brain"),
    )
    expected = (str(tmp_path / "own"), "bmad-global", "--brain", False, ())
    assert (brain.path, brain.type, brain.source, brain.exists, brain.warnings) == expected


def test_a_flag_that_names_a_file_is_a_warning(shop: Path, user: Path, tmp_path: Path) -> None:
    (tmp_path / "own").write_text("x\n")
    brain = locate_brain(
        str(shop), home=str(user), environ={}, override=(str(tmp_path / "own"), "ZECHER_BRAIN")
    )
    assert brain.warnings == (f"ZECHER_BRAIN names {tmp_path}/own, which is not a folder",)


@pytest.mark.parametrize(
    ("kind", "writable"), [("bmad-global", True), ("portfolio", False), ("claude-memory", False)]
)
def test_only_a_global_brain_may_be_written(kind: str, writable: bool) -> None:
    assert Brain("/x", kind, "test").writable is writable


def read(project: Path) -> Link:
    link = read_link(str(project))
    assert link is not None
    return link


def test_a_project_without_a_record_has_none(shop: Path) -> None:
    assert read_link(str(shop)) is None


def test_a_record_as_bmad_writes_it_is_read(shop: Path) -> None:
    record(
        shop,
        '{\n  "linked_brain": "/home/ana/.bmad-plus/brain",\n  "brain_type": "bmad-global",\n'
        '  "linked_at": "2026-10-19T02:13:36.733Z"\n}',
    )
    link = read(shop)
    expected = ("/home/ana/.bmad-plus/brain", "bmad-global", "2026-10-19T02:13:36.733Z", "")
    assert (link.brain, link.type, link.linked_at, link.damaged) == expected


def test_a_record_without_a_type_is_good(shop: Path) -> None:
    record(shop, '{"linked_brain": "/x", "linked_at": "2026-01-01T00:00:00.000Z"}')
    link = read(shop)
    assert (link.brain, link.type, link.damaged) == ("/x", None, "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 60_000, "not valid JSON"),
        ("null", "not a JSON object"),
        ('["/x"]', "not a JSON object"),
        ("{}", "names no brain"),
        ('{"linked_brain": 7}', "names no brain"),
        ('{"linked_brain": ""}', "names no brain"),
        ('{"linked_brain": "/a\\u0000b"}', "names no brain"),
    ],
    ids=["empty", "torn", "deep", "null", "list", "no key", "number", "no path", "NUL"],
)
def test_a_damaged_record_says_what_is_wrong(shop: Path, text: str, why: str) -> None:
    record(shop, text)
    assert read(shop).damaged == why


def test_a_record_that_is_not_utf_8_is_damaged(shop: Path) -> None:
    record(shop, "").write_bytes(b'{"linked_brain": "/caf\xe9"}')
    assert read(shop).damaged == "not valid JSON"


def test_a_record_with_a_byte_order_mark_is_read(shop: Path) -> None:
    record(shop, "").write_bytes(b'\xef\xbb\xbf{"linked_brain": "/x"}')
    assert read(shop).brain == "/x"


@pytest.mark.parametrize("place", [".agents", ".agents/memory", ".agents/memory/.brain-link"])
def test_a_record_is_not_read_through_a_link(shop: Path, tmp_path: Path, place: str) -> None:
    real = record(shop, '{"linked_brain": "/secret"}')
    assert read(shop).brain == "/secret"
    moved = shop / place
    os.rename(moved, tmp_path / "moved")
    moved.symlink_to(tmp_path / "moved")
    assert real.exists()
    link = read(shop)
    assert link.brain is None
    assert "symbolic link" in link.damaged


def test_a_record_that_is_a_pipe_does_not_hang(shop: Path) -> None:
    record(shop, "").unlink()
    os.mkfifo(shop / ".agents" / "memory" / ".brain-link")
    assert read(shop).damaged == "not a regular file"


def test_a_record_of_more_than_64_kib_is_not_read(shop: Path) -> None:
    record(shop, json.dumps({"linked_brain": "/x", "fill": "y" * 65_536}))
    assert "more than the cap of 65536" in read(shop).damaged


def test_a_record_that_names_the_brain_of_the_rules_agrees(shop: Path, tmp_path: Path) -> None:
    real = folder(tmp_path / "real")
    (tmp_path / "alias").symlink_to(real)
    link = Link(str(tmp_path / "alias"), "portfolio")
    assert disagreement(link, Brain(str(real), "portfolio", "BMAD_PLUS_BRAIN"), str(shop)) == ""


def test_a_record_that_names_no_brain_disagrees_with_none(shop: Path) -> None:
    assert disagreement(Link(damaged="not valid JSON"), Brain("/b", "portfolio", "test"), str(shop)) == ""


def test_a_relative_record_is_taken_from_the_project(shop: Path) -> None:
    brain = Brain(str(shop.parent / "_brain"), "portfolio", "_brain above the project")
    assert disagreement(Link("../_brain", "portfolio"), brain, str(shop)) == ""


def test_a_record_of_another_brain_disagrees(shop: Path) -> None:
    brain = Brain("/b", "portfolio", "BMAD_PLUS_BRAIN")
    expected = "records /a, but the brain is /b (BMAD_PLUS_BRAIN)"
    assert disagreement(Link("/a", "portfolio"), brain, str(shop)) == expected


def test_a_record_of_another_type_disagrees(shop: Path) -> None:
    brain = Brain("/b", "portfolio", "BMAD_PLUS_BRAIN")
    expected = "records the type bmad-global, but the brain is of type portfolio (BMAD_PLUS_BRAIN)"
    assert disagreement(Link("/b", "bmad-global"), brain, str(shop)) == expected


def test_a_record_without_a_type_disagrees_with_none(shop: Path) -> None:
    assert disagreement(Link("/b"), Brain("/b", "claude-memory", "~/.claude/memory"), str(shop)) == ""


def test_looking_for_a_brain_loads_none_of_the_slow_modules() -> None:
    code = (
        "import sys; old = set(sys.modules); import brain.locate;"
        "print(sorted({'dataclasses', 'typing', 'enum', 'json', 're', 'pathlib', 'inspect', 'collections'}"
        " & (set(sys.modules) - old)))"
    )
    here = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=here, check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "[]\n"


def test_a_record_with_half_a_character_names_no_brain(shop: Path) -> None:
    """JSON can write it, no file system can: the comparison ended in a UnicodeEncodeError."""
    record(shop, '{"linked_brain": "/brains/\\ud800", "brain_type": "portfolio"}')
    link = read(shop)
    assert (link.brain, link.damaged) == (None, "names no brain")
    assert disagreement(link, Brain("/b", "portfolio", "test"), str(shop)) == ""
