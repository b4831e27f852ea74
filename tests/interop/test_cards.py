"""Cards and index of BMAD+ in the hands of ``scan``, and its known weaknesses done better."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import yaml

from tests.interop import checker, golden
from tests.interop.conftest import Zecher
from tests.support import Git, write


def hash8(path: Path) -> str:
    return hashlib.sha256(str(path).encode()).hexdigest()[:8]


def brain_of(home: Path) -> Path:
    return home / ".bmad-plus" / "brain"


def card_of(home: Path, project: Path) -> Path:
    return brain_of(home) / "projects" / f"{hash8(project)}.yaml"


def install_card(home: Path, project: Path, more: str = "") -> Path:
    """The card that install writes for ``project``, with what a person added to it."""
    card = card_of(home, project)
    card.parent.mkdir(parents=True, exist_ok=True)
    card.write_text(
        f'path: "{project}"\nname: "{project.name}"\nhash: "{hash8(project)}"\nstatus: "active"\n'
        f'bmad_installed: true\npacks_installed: ["core","memory"]\nlast_scanned: "2026-10-19"{more}'
    )
    return card


@pytest.fixture
def dev(git: Git, project: Path) -> Path:
    """One Go project with a commit of ten days ago; the folder that holds it."""
    project.rmdir()
    git.repository("dev/shop", days=10, files={"go.mod": "module shop\n", ".agents/rules.md": "x\n"})
    return project.parent


def test_a_fresh_home_gets_cards_and_an_index_that_bmad_reads(zecher: Zecher, home: Path, dev: Path) -> None:
    zecher.cwd = dev
    assert zecher("scan", dev, "--yes").code == 0

    card = checker.read_card(card_of(home, dev / "shop").read_bytes())
    assert card["path"] == str(dev / "shop")
    assert (card["name"], card["stack"], card["status"]) == ("shop", "Go", "active")
    assert (card["bmad_installed"], card["has_git"], card["last_scanned"]) == (True, True, "2026-11-30")
    assert list(card)[:8] == list(checker.read_card(golden.CARD_BY_SCAN.encode()))
    assert checker.folder_faults(home) == []
    assert yaml.safe_load(card_of(home, dev / "shop").read_text())["has_git"] is True


def test_the_index_of_bmad_and_its_cards_are_read_and_extended(zecher: Zecher, home: Path, dev: Path) -> None:
    brain = golden.global_brain(home)
    before = golden.tree(brain)
    zecher.cwd = dev

    assert zecher("scan", dev, "--yes").code == 0

    assert checker.folder_faults(home) == []
    assert len(checker.index_rows((brain / "projects-index.md").read_text())) >= 3
    after = golden.tree(brain)
    for name in ("identity.yaml", "decisions.md", "lessons.md", "patterns.md"):
        assert after[str(brain / name)] == before[str(brain / name)]
    # the projects of these cards exist nowhere: they stay, with all that stood in them
    for name, text in (("af7574b5.yaml", golden.CARD_BY_SCAN), ("e788e597.yaml", golden.CARD_BY_INSTALL)):
        old, new = (
            checker.read_card(text.encode()),
            checker.read_card((brain / "projects" / name).read_bytes()),
        )
        assert {key: new[key] for key in ("path", "name", "hash", "last_scanned")} == {
            key: old[key] for key in ("path", "name", "hash", "last_scanned")
        }
        assert new.get("packs_installed") == old.get("packs_installed")


def test_what_install_and_a_person_put_into_a_card_survives_a_scan(
    zecher: Zecher, home: Path, dev: Path
) -> None:
    mine = (
        '\n# ask Ana before touching\nnotes: "größer als gedacht"   # really\nstack_detail:\n'
        "  primary: Go\n  database: 'sqlite'\n"
    )
    card = install_card(home, dev / "shop", mine)
    zecher.cwd = dev

    assert zecher("scan", dev, "--yes").code == 0
    once = card.read_bytes()
    assert zecher("scan", dev, "--yes", now="2026-12-01T03:17:04Z").code == 0

    text = card.read_text()
    assert mine.strip("\n") in text
    assert 'packs_installed: ["core","memory"]' in text
    assert "has_git: true" in text
    assert checker.card_faults(card.name, card.read_bytes()) == []
    assert once.replace(b"2026-11-30", b"2026-12-01") == card.read_bytes()


def test_a_mapping_as_stack_is_a_persons_word(zecher: Zecher, home: Path, dev: Path) -> None:
    card = install_card(home, dev / "shop", "\nstack:\n  primary: Go\n  framework: chi\n")
    zecher.cwd = dev

    assert zecher("scan", dev, "--yes").code == 0

    assert "framework: chi" in card.read_text()
    found = yaml.safe_load(card.read_text())
    assert found["packs_installed"] == ["core", "memory"]


def test_what_a_person_wrote_into_the_index_is_not_lost(zecher: Zecher, home: Path, dev: Path) -> None:
    golden.global_brain(home)
    index = brain_of(home) / "projects-index.md"
    index.write_text(golden.INDEX_BY_SCAN + "\nMy own remark: never touch café.\n")
    zecher.cwd = dev

    done = zecher("scan", dev, "--yes")

    kept = (
        index.read_text()
        + done.err
        + "".join(path.read_text() for path in brain_of(home).glob("projects-index*"))
    )
    assert "My own remark: never touch café." in kept


def test_a_vanished_project_is_marked_and_its_card_kept(
    zecher: Zecher, home: Path, dev: Path, git: Git
) -> None:
    git.repository("dev/till", days=3, files={"Cargo.toml": '[package]\nname = "till"\n'})
    zecher.cwd = dev
    zecher("scan", dev, "--yes")
    shop = dev / "shop"
    shop.rename(dev.parent / "gone")

    done = zecher("scan", dev, "--yes", "--json", now="2026-12-01T03:17:04Z")

    assert done.data["counts"]["missing"] == 1
    card = card_of(home, shop)
    assert checker.card_faults(card.name, card.read_bytes()) == []
    assert checker.read_card(card.read_bytes())["last_scanned"] == "2026-11-30"
    assert "missing" in card.read_text()
    assert checker.folder_faults(home) == []


def test_a_moved_project_takes_its_card_with_it(zecher: Zecher, home: Path, dev: Path) -> None:
    zecher.cwd = dev
    zecher("scan", dev, "--yes")
    card = card_of(home, dev / "shop")
    card.write_text(card.read_text() + '\nnotes: "mine"\n')
    (dev / "shop").rename(dev / "store")

    done = zecher("scan", dev, "--yes", "--json")

    assert done.data["counts"]["moved"] == 1
    assert 'notes: "mine"' in card_of(home, dev / "store").read_text()
    assert checker.folder_faults(home) == []


def test_a_project_seen_through_a_linked_root_has_one_card(
    zecher: Zecher, home: Path, dev: Path, tmp_path: Path
) -> None:
    (tmp_path / "alias").symlink_to(dev)
    zecher.cwd = dev

    assert zecher("scan", dev, tmp_path / "alias", "--yes").code == 0
    assert zecher("scan", tmp_path / "alias", "--yes").code == 0

    assert [path.name for path in (brain_of(home) / "projects").glob("*.yaml")] == [
        f"{hash8(dev / 'shop')}.yaml"
    ]


def test_the_last_project_of_a_root_that_vanished_is_marked_too(
    zecher: Zecher, home: Path, dev: Path
) -> None:
    zecher.cwd = dev
    zecher("scan", dev, "--yes")
    (dev / "shop").rename(dev.parent / "gone")

    zecher("scan", dev, "--yes")

    assert checker.read_card(card_of(home, dev / "shop").read_bytes())["status"] == "missing"
    assert "| missing |" in (brain_of(home) / "projects-index.md").read_text()


def test_the_index_is_made_anew_when_a_scan_finds_nothing(zecher: Zecher, home: Path, tmp_path: Path) -> None:
    brain = golden.global_brain(home)
    (brain / "projects-index.md").unlink()
    empty = tmp_path / "empty"
    empty.mkdir()
    zecher.cwd = empty

    assert zecher("scan", empty, "--yes").code == 0

    assert checker.folder_faults(home) == []
    assert (brain / "projects-index.md").exists()


@pytest.mark.parametrize("choice", ["BMAD_PLUS_BRAIN", "_brain", ".brain-link"])
def test_the_index_goes_to_the_global_brain_whatever_brain_is_linked(
    zecher: Zecher, home: Path, dev: Path, choice: str
) -> None:
    other = golden.portfolio_brain(dev / "_brain" if choice == "_brain" else dev.parent / "other")
    if choice == "BMAD_PLUS_BRAIN":
        zecher.extra[choice] = str(other)
    if choice == ".brain-link":
        golden.link(dev / "shop", other, "portfolio")
    before = golden.tree(other)
    zecher.cwd = dev

    assert zecher("scan", dev, "--yes").code == 0

    assert golden.tree(other) == before
    assert card_of(home, dev / "shop").exists()


def test_a_brain_named_on_the_command_line_takes_the_index(
    zecher: Zecher, home: Path, dev: Path, tmp_path: Path
) -> None:
    zecher.cwd = dev

    assert zecher("scan", dev, "--yes", "--brain", tmp_path / "mine").code == 0

    assert (tmp_path / "mine" / "projects" / f"{hash8(dev / 'shop')}.yaml").exists()
    assert not (home / ".bmad-plus").exists()


@pytest.mark.parametrize(
    "damage",
    [b"", b"\xff\xfe\x00", b"just words\n", b"a: [1\n", b"path: 7\nname: 8\n", b"- a\n- b\n"],
    ids=["empty", "bytes", "words", "open", "numbers", "list"],
)
def test_a_damaged_card_is_reported_and_left_as_it_is(
    zecher: Zecher, home: Path, dev: Path, damage: bytes
) -> None:
    bad = brain_of(home) / "projects" / "deadbeef.yaml"
    bad.parent.mkdir(parents=True)
    bad.write_bytes(damage)
    zecher.cwd = dev

    done = zecher("scan", dev, "--yes", "--json")

    assert bad.read_bytes() == damage
    assert "deadbeef.yaml" in str(done.json["problems"])
    assert "| ? |" not in (brain_of(home) / "projects-index.md").read_text()
    assert done.data["index"]["written"] == 1


def test_a_card_with_crlf_and_comments_is_read_and_keeps_them(zecher: Zecher, home: Path, dev: Path) -> None:
    card = install_card(home, dev / "shop")
    card.write_bytes(card.read_bytes().replace(b"\n", b"\r\n") + b'\r\n# mine\r\nnotes: "n"\r\n')
    zecher.cwd = dev

    assert zecher("scan", dev, "--yes").code == 0

    data = card.read_bytes()
    assert b'# mine\r\nnotes: "n"\r\n' in data
    assert b'packs_installed: ["core","memory"]' in data
    assert yaml.safe_load(data)["stack"] == "Go"
    assert b"| `" + str(dev / "shop").encode() + b"` |" in (brain_of(home) / "projects-index.md").read_bytes()


def test_two_scans_at_once_leave_a_whole_index(zecher: Zecher, home: Path, dev: Path, git: Git) -> None:
    git.repository("dev/till", days=3, files={"Cargo.toml": '[package]\nname = "till"\n'})
    zecher.cwd = dev
    processes = [zecher.start("scan", dev / name, "--yes") for name in ("shop", "till", "shop", "till")]

    for process in processes:
        process.communicate(timeout=60)

    assert {process.returncode for process in processes} <= {0, 75}
    assert checker.folder_faults(home) == []
    assert list(brain_of(home).rglob("*.tmp")) == []


def test_a_brain_made_by_scan_and_completed_by_init_keeps_its_index(
    zecher: Zecher, home: Path, dev: Path
) -> None:
    zecher("scan", dev, "--yes")
    before = golden.tree(brain_of(home) / "projects")

    assert zecher("memory", "init", "-d", dev / "shop").code == 0

    assert golden.tree(brain_of(home) / "projects") == before
    data = zecher("memory", "status", "-d", dev / "shop", "--json").data
    assert data["compatible"]["passed"] == 9  # no session yet
    assert checker.folder_faults(home) == []


@pytest.mark.parametrize("name", ["a|b", "a`b", "a\nb", "### x", "<b>x</b>", "[x](javascript:1)"])
def test_an_odd_folder_name_keeps_its_row_in_shape(
    zecher: Zecher, home: Path, tmp_path: Path, name: str
) -> None:
    write(tmp_path / "odd" / name / "go.mod", "module odd\n")

    assert zecher("scan", tmp_path / "odd", "--yes").code in (0, 3)

    index = (brain_of(home) / "projects-index.md").read_text()
    (row,) = checker.index_rows("\n".join(line for line in index.split("\n") if "---" not in line))
    assert len(row) == 5
