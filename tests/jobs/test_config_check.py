"""``zecher config check``: all that is wrong, and whether what is named is there."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from jobs.config import load_configuration
from jobs.config_targets import check_targets
from jobs.config_values import Configuration, ConfiguredNotices, ConfiguredRoot, Hook
from jobs.surroundings import Surroundings
from tests.jobs.program import Program, folder_state
from tests.support import write


def configured(program: Program, text: str, name: str = "config.toml") -> Path:
    path = write(program.home / ".config/zecher" / name, text)
    path.chmod(0o600)
    return path


def test_a_configuration_without_a_mistake_says_so(zecher: Program) -> None:
    path = configured(zecher, "[scan]\ndepth = 3\n")

    done = zecher("config", "check")

    assert (done.code, done.out, done.err) == (0, "", f"{path}: no mistakes\n")


def test_without_a_configuration_the_defaults_hold(zecher: Program) -> None:
    done = zecher("config", "check")

    assert (done.code, done.out) == (0, "")
    assert done.err == "no configuration: the defaults hold (zecher config init --write makes one)\n"


def test_every_mistake_has_file_line_key_and_what_is_right(zecher: Program) -> None:
    path = configured(
        zecher,
        "[scan]\ndepht = 3\n\n[schedule]\nnightly = 'daily 25:00'\n\n[[hooks]]\nrun = ['/nowhere/x']\n",
    )

    done = zecher("config", "check")

    assert done.code == 2
    assert done.out == (
        f"{path}:2: scan.depht: no such key. Did you mean depth? [config-unknown-key]\n"
        f"{path}:5: schedule.nightly: '25:00' is no time of day. From 00:00 to 23:59. [config-bad-value]\n"
        f"{path}:7: hooks.run: /nowhere/x is not there."
        " Check the path, or run: chmod u+x,go-w /nowhere/x [config-hook-program]\n"
    )
    assert done.err == f"{path}: 3 mistakes\n"


def test_a_warning_alone_stops_nothing(zecher: Program) -> None:
    path = configured(
        zecher, f'[scan]\nroots = [\n  "{zecher.cwd}",\n  "{zecher.cwd}/../{zecher.cwd.name}",\n]\n'
    )

    done = zecher("config", "check")

    assert (done.code, done.err) == (0, f"{path}: no mistakes, 1 warning\n")
    assert done.out == (
        f"{path}:4: warning: scan.roots: {zecher.cwd} is there twice. Its own rules hold inside it."
        " [config-root-inside]\n"
    )


def test_a_file_of_a_name_that_is_not_read_is_pointed_at(zecher: Program) -> None:
    path = configured(zecher, "scan: {depth: 3}\n", "config.yml")

    done = zecher("config", "check")

    assert (done.code, str(path) in done.out, "config-other-name" in done.out) == (0, True, True)


def test_the_document_holds_the_same(zecher: Program) -> None:
    path = configured(zecher, "[scan]\ndepht = 3\n")

    done = zecher("config", "check", "--json")
    document = done.document

    assert (done.code, done.err, document["schema"], document["ok"]) == (2, "", "zecher.config.check", False)
    assert document["data"] == {
        "config": {"path": str(path)},
        "mistakes": [
            {
                "line": 2,
                "key": "scan.depht",
                "level": "error",
                "code": "config-unknown-key",
                "complaint": "no such key",
                "hint": "Did you mean depth?",
            }
        ],
    }
    assert [problem["message"] for problem in document["problems"]] == ["line 2: scan.depht: no such key"]


def test_what_is_no_toml_at_all_is_one_mistake_with_its_line(zecher: Program) -> None:
    path = configured(zecher, "a = 1\nb = = 2\n")

    done = zecher("config", "check", "--json")

    problem = done.document["problems"][0]
    assert (done.code, problem["code"], problem["path"]) == (2, "config-syntax", str(path))
    assert "line 2" in problem["message"]


def test_names_that_could_act_on_a_terminal_are_shown_harmless(zecher: Program) -> None:
    configured(zecher, '"\\u001b[2J\\u202e" = 1\n[[hooks]]\nrun = ["/x\\u001b[31m"]\n')

    done = zecher("config", "check")

    assert not {"\x1b", "\u202e"} & set(done.out + done.err)


def test_it_writes_nothing(zecher: Program) -> None:
    configured(zecher, "[scan]\ndepht = 3\n")
    before = folder_state(zecher.home)

    zecher("config", "check")

    assert folder_state(zecher.home) == before


def test_a_person_at_a_terminal_sees_the_same_lines(zecher: Program) -> None:
    configured(zecher, "[scan]\ndepht = 3\n")

    screen = zecher.at_terminal("config", "check").out

    assert "~/.config/zecher/config.toml:2: scan.depht: no such key. Did you mean depth?" in screen.replace(
        "\n", ""
    )


# -- what is named -------------------------------------------------------------------------------------------


def codes(configuration: Configuration) -> list[tuple[str, str]]:
    return [(one.code, one.complaint) for one in check_targets(configuration)]


def roots(*paths: Path | str) -> Configuration:
    return Configuration(roots=tuple(ConfiguredRoot(str(path)) for path in paths))


def test_roots_that_are_there_are_no_problem(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "ab").mkdir()

    assert codes(roots(tmp_path / "a", tmp_path / "ab")) == []


def test_a_root_that_is_not_there_or_no_folder_is_named(tmp_path: Path) -> None:
    write(tmp_path / "file")

    assert codes(roots(tmp_path / "gone", tmp_path / "file")) == [
        ("config-root-missing", f"{tmp_path}/gone is not there"),
        ("config-root-missing", f"{tmp_path}/file is no folder"),
    ]


def test_the_whole_disk_is_warned_about_by_every_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/")

    assert codes(roots(tmp_path / "link")) == [
        ("config-root-whole-disk", f"{tmp_path}/link is the whole disk")
    ]


def test_a_root_inside_another_is_named_whatever_their_order_and_through_links(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a/b")
    inside = ("config-root-inside", f"{tmp_path}/link lies inside {os.path.realpath(tmp_path / 'a')}")

    assert codes(roots(tmp_path / "a", tmp_path / "link")) == [inside]
    assert codes(roots(tmp_path / "link", tmp_path / "a")) == [inside]


@pytest.mark.parametrize(
    ("mode", "complaint"), [(0o755, ""), (0o644, "is not executable"), (0o757, "may be written by everybody")]
)
def test_the_program_of_a_hook_must_be_executable_and_the_owners(
    tmp_path: Path, mode: int, complaint: str
) -> None:
    program = write(tmp_path / "tell", "#!/bin/sh\n")
    program.chmod(mode)

    found = check_targets(Configuration(hooks=(Hook((str(program),)),)))

    assert [complaint in one.complaint for one in found] == ([True] if complaint else [])


def test_a_folder_is_no_program(tmp_path: Path) -> None:
    assert codes(Configuration(hooks=(Hook((str(tmp_path),)),))) == [
        ("config-hook-program", f"{tmp_path} is no file")
    ]


def test_nothing_is_asked_on_a_mount_whose_server_may_be_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Configuration(roots=(ConfiguredRoot(f"{tmp_path}/far"),), hooks=(Hook((f"{tmp_path}/far/tell",)),))
    assert len(check_targets(told)) == 2  # so it would say of a disk
    monkeypatch.setattr(
        "jobs.config_targets.Places.may_hang", lambda _, path: f"{path}/".startswith(f"{tmp_path}/far/")
    )

    assert check_targets(told) == ()


def test_addresses_for_apprise_need_apprise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    told = Configuration(notify=ConfiguredNotices(apprise=("ntfy://x",)))

    assert [(one.code, one.level) for one in check_targets(told)] == [("config-extra-missing", "warning")]
    assert check_targets(Configuration()) == ()


# -- what is configured is what is done ----------------------------------------------------------------------


def test_the_thresholds_of_a_root_reach_its_projects_and_no_others(zecher: Program, dev: Path) -> None:
    configured(
        zecher,
        f"""
[scan]
roots = [
  "{dev}",
  {{ path = "{dev}/tools", active_days = 101 }},
  {{ path = "{dev}/old", paused_days = 1000 }},
]
""",
    )
    status = {one["name"]: one["status"] for one in zecher("scan", "--dry-run", "--json").data["projects"]}
    assert status == {"shop": "active", "engine": "active", "old": "paused"}

    configured(zecher, f'[scan]\nroots = ["{dev}"]\n')
    status = {one["name"]: one["status"] for one in zecher("scan", "--dry-run", "--json").data["projects"]}
    assert status == {"shop": "active", "engine": "paused", "old": "archived"}


def test_a_project_inside_two_roots_is_listed_once_by_the_rules_of_the_inner(
    zecher: Program, dev: Path
) -> None:
    for order in ((f"{dev}/tools", dev), (dev, f"{dev}/tools")):
        tables = "".join(
            f'[[scan.roots]]\npath = "{path}"\n' + ("active_days = 101\n" if path != dev else "")
            for path in order
        )
        configured(zecher, tables)
        found = [
            (one["name"], one["status"]) for one in zecher("scan", "--dry-run", "--json").data["projects"]
        ]
        assert found == [("old", "archived"), ("shop", "active"), ("engine", "active")]


def test_yaml_reaches_the_scan_like_toml(zecher: Program, dev: Path) -> None:
    configured(
        zecher, f"scan:\n  roots:\n    - {{path: {json.dumps(str(dev))}, active_days: 101}}\n", "config.yaml"
    )

    status = {one["name"]: one["status"] for one in zecher("scan", "--dry-run", "--json").data["projects"]}

    assert status == {"shop": "active", "engine": "active", "old": "archived"}


def test_reading_a_configuration_of_a_thousand_roots_takes_a_moment_only(home: Path) -> None:
    text = "".join(f'[[scan.roots]]\npath = "/srv/{n}"\ndepth = 3\n' for n in range(1000))
    write(home / ".config/zecher/config.toml", text).chmod(0o600)
    start = time.process_time()

    found = load_configuration(Surroundings({}, str(home), str(home), 0.0), None)

    assert (len(found.roots), found.origin("scan.roots")) == (1000, f"{found.path}:1")
    assert time.process_time() - start < 2


def test_words_of_ones_own_must_be_there(zecher: Program) -> None:
    words = zecher.home / "cues.toml"
    config = zecher.home / ".config" / "zecher" / "config.toml"
    write(config, f'[dreaming]\ncues = "{words}"\n').chmod(0o600)
    assert "is no file" in zecher("config", "check").out + zecher("config", "check").err

    words.write_text("")
    assert zecher("config", "check").code == 0
