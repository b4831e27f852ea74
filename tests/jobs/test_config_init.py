"""What ``config init`` prints is accepted, whole, and agrees with the program's own defaults."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from jobs import config_keys
from jobs.config import load_configuration
from jobs.config_check import parse_configuration
from jobs.config_template import TABLES, Table, template
from jobs.config_values import Configuration, ConfiguredRoot, Hook
from jobs.surroundings import Surroundings
from scanner.stacks import UserRule
from scanner.value import replace
from tests.jobs.program import Program, folder_state

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
HOME = "/home/ana"


def read(text: str) -> Configuration:
    found = parse_configuration("/c.toml", text.encode(), Surroundings({}, HOME, HOME, 0.0))
    return replace(found, path="", lines=())


def uncommented(*, without: str) -> str:
    """The template with every key switched on but the one way or the other to name roots."""
    lines = re.sub(r"^#(?=[\[a-z])", "", template(), flags=re.MULTILINE)
    return re.sub(without, "", lines, flags=re.MULTILINE)


def test_as_it_is_printed_it_sets_nothing() -> None:
    assert read(template()) == Configuration()


def test_with_every_key_switched_on_it_holds_the_defaults_and_the_examples() -> None:
    assert read(uncommented(without=r"^\[\[scan\.roots\]\]\n(?:.+\n)+")) == Configuration(
        brain=f"{HOME}/.bmad-plus/brain",
        state=f"{HOME}/.local/state/zecher",
        cache=f"{HOME}/.cache/zecher",
        roots=(ConfiguredRoot(f"{HOME}/dev"), ConfiguredRoot(f"{HOME}/work")),
        depth=4,
        active_days=30.0,
        paused_days=180.0,
        nested="none",
        respect_ignore=False,
        deadline=600.0,
        max_folders=200_000,
        max_entries=2_000_000,
        stacks=(UserRule("*.tf", "Terraform", "strong", 5),),
        hooks=(Hook(("/usr/bin/notify-send", "Zecher"), ("failure", "recovery", "success"), 10.0),),
        schedule=replace(Configuration().schedule, zone="Europe/Berlin"),
        reports=replace(Configuration().reports, folder=f"{HOME}/.bmad-plus/reports"),
        dreaming=replace(Configuration().dreaming, cues=f"{HOME}/notes/cues.toml"),
        notify=replace(Configuration().notify, ping_url="https://ping.example.com/your-key"),
    )


def test_roots_with_rules_of_their_own_stand_in_it_too() -> None:
    assert read(uncommented(without=r"^roots = .+\n")).roots == (
        ConfiguredRoot(f"{HOME}/clients", 2, "all", ("archive/",), 7.0, 365.0, 400_000, 4_000_000),
    )


def test_it_knows_the_keys_that_the_checks_know() -> None:
    inner = {"scan", "stacks", "me", "schedule", "reports", "memory", "dreaming", "hooks", "notify"}
    known = {
        name: set(checks) - (inner if name == "" else set()) for name, checks in config_keys.TABLES.items()
    }

    assert {table.name: {key.name for key in table.keys} for table in TABLES} == known


VALUES = [
    (table, key.name, value)
    for table in TABLES
    for key in table.keys
    for value in dict.fromkeys((key.default, key.example))
    if value and not value.startswith("that of")
]
NEEDED = {
    "scan.roots": {"path": '"/a"'},
    "stacks": {"glob": '"x"', "label": '"X"'},
    "hooks": {"run": '["/a"]'},
}


@pytest.mark.parametrize(("table", "key", "value"), VALUES, ids=lambda part: getattr(part, "name", part))
def test_every_default_and_every_example_is_a_value_that_is_accepted(
    table: Table, key: str, value: str
) -> None:
    pairs = NEEDED.get(table.name, {}) | {key: value}

    read(table.header + "\n" + "".join(f"{name} = {text}\n" for name, text in pairs.items()))


def test_no_line_of_it_is_longer_than_a_page() -> None:
    assert max(map(len, template().splitlines())) <= 120


def test_the_page_of_the_documentation_has_every_key_with_default_and_example() -> None:
    page = PAGE.read_text()
    for table in TABLES:
        heading = f"## `{table.header}`" if table.header else "## Before the first table"
        section = page.partition(heading + "\n")[2].partition("\n## ")[0]
        rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
        assert [(row[0], row[1], row[2]) for row in rows] == [
            (f"`{key.name}`", _cell(key.default), _cell(key.example)) for key in table.keys
        ], heading


def _cell(value: str) -> str:
    return f"`{value}`" if value and not value.startswith("that of") else value or "none"


# -- the command ---------------------------------------------------------------------------------------------


def test_the_command_prints_the_template_and_writes_nothing(zecher: Program) -> None:
    done = zecher("config", "init")

    assert (done.code, done.out, done.err) == (0, template(), "")
    assert folder_state(zecher.home) == {}


def test_what_is_printed_is_accepted_by_the_check(zecher: Program) -> None:
    path = zecher.home / "c.toml"
    path.write_text(zecher("config", "init").out)
    path.chmod(0o600)

    done = zecher("config", "check", "--config", path)

    assert (done.code, done.out, done.err) == (0, "", f"{path}: no mistakes\n")


def test_it_is_written_where_it_is_looked_for_and_only_the_owner_can_read_it(zecher: Program) -> None:
    done = zecher("config", "init", "--write")
    path = zecher.home / ".config/zecher/config.toml"

    assert (done.code, done.out) == (0, "")
    assert path.read_text() == template()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    here = Surroundings({}, str(zecher.home), str(zecher.home), 0.0)
    assert replace(load_configuration(here, None), lines=()) == Configuration(path=str(path))


@pytest.mark.parametrize("name", ["config.toml", "config.yaml"])
def test_what_is_there_is_never_overwritten(zecher: Program, name: str) -> None:
    folder = zecher.home / ".config/zecher"
    folder.mkdir(parents=True)
    (folder / name).write_text("# mine\n")

    done = zecher("config", "init", "--write")

    assert (done.code, "config-exists" in done.err) == (2, True)
    assert folder_state(folder) == {name: b"# mine\n"}


def test_a_link_in_its_place_is_left_alone_even_if_it_leads_nowhere(zecher: Program) -> None:
    folder = zecher.home / ".config/zecher"
    folder.mkdir(parents=True)
    (folder / "config.toml").symlink_to(zecher.home / "gone.toml")

    assert zecher("config", "init", "--write").code == 2
    assert not (zecher.home / "gone.toml").exists()


def test_it_can_be_written_elsewhere(zecher: Program) -> None:
    path = zecher.home / "own/c.toml"

    assert zecher("config", "init", "--write", "--config", path).code == 0
    assert path.read_text() == template()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(zecher: Program) -> None:
    (zecher.home / ".config").mkdir(mode=0o500)

    done = zecher("config", "init", "--write")

    assert (done.code, "config-not-written" in done.err) == (1, True)


def test_a_file_in_the_place_of_the_folder_is_named(zecher: Program) -> None:
    (zecher.home / ".config").write_text("")

    done = zecher("config", "init", "--write")

    assert (done.code, "config-not-written" in done.err) == (1, True)
