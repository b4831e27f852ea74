"""``zecher config show``: every setting, and who says so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.program import Program
from tests.support import write


def settings(program: Program, *words: str | Path) -> dict[str, tuple[Any, str]]:
    """Key to (value, origin)."""
    done = program("config", "show", *words, "--json")
    assert (done.code, done.err) == (0, "")
    return {one["key"]: (one["value"], one["origin"]) for one in done.data["settings"]}


def configured(program: Program, text: str) -> Path:
    path = write(program.home / ".config/zecher/config.toml", text)
    path.chmod(0o600)
    return path


def test_without_anything_all_are_defaults(zecher: Program) -> None:
    assert settings(zecher) == {
        "config": (None, "no file"),
        "brain": (str(zecher.home / ".bmad-plus/brain"), "default"),
        "state": (str(zecher.home / ".local/state/zecher"), "default"),
        "cache": (str(zecher.home / ".cache/zecher"), "default"),
        "scan.roots": ([str(zecher.cwd)], "default: the current folder"),
        "scan.exclude": ([], "default"),
        "scan.depth": (4, "default"),
        "scan.active_days": (30, "default"),
        "scan.paused_days": (180, "default"),
        "scan.nested": ("none", "default"),
        "scan.respect_ignore": (False, "default"),
        "scan.deadline": (None, "default"),
        "scan.max_folders": (200_000, "default"),
        "scan.max_entries": (2_000_000, "default"),
        "stacks": ([], "default"),
        "me.emails": ([], "default"),
        "reports.folder": (str(zecher.home / ".bmad-plus/reports"), "default"),
        "schedule.nightly": ("daily 03:17", "default"),
        "schedule.weekly": ("weekly sun 04:23", "default"),
        "schedule.dreaming": ("daily 03:47", "default"),
        "schedule.zone": (None, "default"),
        "reports.keep_weeks": (52, "default"),
        "memory.file_lines": (200, "default"),
        "memory.file_bytes": (25600, "default"),
        "memory.total_tokens": (15000, "default"),
        "memory.warn_percent": (85, "default"),
        "memory.audit": (True, "default"),
        "memory.semantic": (True, "default"),
        "dreaming.enabled": (False, "default"),
        "dreaming.workspaces": ([], "default"),
        "dreaming.auto_promote": (False, "default"),
        "dreaming.recall_log": (False, "default"),
        "dreaming.min_score": (0.75, "default"),
        "dreaming.min_recalls": (3, "default"),
        "dreaming.min_queries": (2, "default"),
        "dreaming.min_days": (3, "default"),
        "dreaming.max_age_days": (30, "default"),
        "dreaming.half_life_days": (14, "default"),
        "dreaming.limit": (10, "default"),
        "dreaming.budget": (10_000, "default"),
        "dreaming.cues": (None, "default"),
        "notify.ping_url": (None, "default"),
        "notify.apprise": ([], "default"),
        "notify.quiet_line": (False, "default"),
        "hooks": ([], "default"),
        "format": ("by reader", "default"),
        "color": ("auto", "default"),
    }


def test_addresses_come_from_the_file_and_from_git(zecher: Program) -> None:
    write(zecher.home / ".gitconfig", "[user]\n\temail = ana@example.com\n")
    assert settings(zecher)["me.emails"] == (["ana@example.com"], "git: user.email")
    write(zecher.home / ".config/git/config", "[user]\n\temail = overruled@example.com\n")
    path = configured(zecher, '[me]\nemails = ["ben@example.com"]\n')
    assert settings(zecher)["me.emails"] == (["ben@example.com", "ana@example.com"], f"{path}:2")


def test_what_the_file_says_names_the_file_and_the_line(zecher: Program) -> None:
    path = configured(
        zecher,
        'brain = "~/b"\n[scan]\nroots = [\n'
        '  "~/dev",\n  { path = "~/work", depth = 2, active_days = 7 },\n]\n'
        'depth = 3\nactive_days = 14\nexclude = ["old/"]\nrespect_ignore = true\n'
        '[schedule]\nnightly = "every 6h"\n[[hooks]]\nrun = ["/bin/true", "x"]\n',
    )
    found = settings(zecher)

    assert found["config"] == (str(path), "default")
    assert found["brain"] == (str(zecher.home / "b"), f"{path}:1")
    roots, origin = found["scan.roots"]
    assert ([(root["path"], root["depth"], root["active_days"]) for root in roots], origin) == (
        [(str(zecher.home / "dev"), None, None), (str(zecher.home / "work"), 2, 7)],
        f"{path}:3",
    )
    assert found["scan.depth"] == (3, f"{path}:7")
    assert found["scan.active_days"] == (14, f"{path}:8")
    assert found["scan.exclude"] == (["old/"], f"{path}:9")
    assert found["scan.respect_ignore"] == (True, f"{path}:10")
    assert found["scan.paused_days"] == (180, "default")
    assert found["schedule.nightly"] == ("every 6h", f"{path}:12")
    hook = {"run": ["/bin/true", "x"], "on": ["failure", "recovery"], "timeout": 30}
    assert found["hooks"] == ([hook], f"{path}:13")


def test_the_secret_part_of_an_address_for_notices_is_not_shown(zecher: Program) -> None:
    configured(
        zecher,
        '[notify]\nping_url = "https://me:word@ping.example.com/hush-key?x=hush"\n'
        'apprise = ["mailto://ana:hush@example.com"]\n',
    )

    found = settings(zecher)
    shown = zecher("config", "show", "--origin")

    assert found["notify.ping_url"][0] == "https://ping.example.com/..."
    assert found["notify.apprise"][0] == ["mailto://..."]
    assert ("hush" in shown.out + shown.err, "word@" in shown.out) == (False, False)


def test_a_variable_wins_over_the_file_and_a_flag_over_both(zecher: Program) -> None:
    configured(zecher, 'brain = "~/b"\n[scan]\ndepth = 3\nnested = "all"\n')
    zecher.extra |= {"ZECHER_DEPTH": "7", "ZECHER_BRAIN": "/srv/b", "ZECHER_NESTED": "repos"}

    found = settings(zecher)
    assert found["scan.depth"] == (7, "ZECHER_DEPTH")
    assert found["scan.nested"] == ("repos", "ZECHER_NESTED")
    assert found["brain"] == ("/srv/b", "ZECHER_BRAIN")
    assert settings(zecher, "--brain", "/srv/c")["brain"] == ("/srv/c", "--brain")


def test_the_places_of_configuration_and_state_follow_xdg(zecher: Program, tmp_path: Path) -> None:
    write(tmp_path / "c/zecher/config.toml", "").chmod(0o600)
    zecher.extra |= {"XDG_CONFIG_HOME": str(tmp_path / "c"), "XDG_STATE_HOME": str(tmp_path / "s")}

    found = settings(zecher)
    assert found["config"] == (str(tmp_path / "c/zecher/config.toml"), "XDG_CONFIG_HOME")
    assert found["state"] == (str(tmp_path / "s/zecher"), "XDG_STATE_HOME")
    assert found["cache"] == (str(zecher.home / ".cache/zecher"), "default")


def test_state_and_cache_say_which_line_or_variable_names_them(zecher: Program) -> None:
    path = configured(zecher, 'state = "/srv/s"\ncache = "/srv/c"\n')
    zecher.extra |= {"ZECHER_CACHE": "/srv/d", "XDG_STATE_HOME": "/xdg"}

    found = settings(zecher)
    assert found["state"] == ("/srv/s", f"{path}:1")
    assert found["cache"] == ("/srv/d", "ZECHER_CACHE")


def linked(program: Program, *words: str | Path) -> tuple[str, str, str, bool]:
    brain = program("config", "show", *words, "--json").data["linked_brain"]
    return brain["path"], brain["type"], brain["source"], brain["exists"]


def test_the_brain_of_the_project_is_found_by_the_five_rules(zecher: Program, tmp_path: Path) -> None:
    own = str(zecher.home / ".bmad-plus/brain")
    assert linked(zecher) == (own, "bmad-global", "none yet", False)

    write(zecher.home / ".claude/memory/x.md")
    assert linked(zecher)[1:] == ("claude-memory", "~/.claude/memory", True)

    Path(own).mkdir(parents=True)
    assert linked(zecher) == (own, "bmad-global", "~/.bmad-plus/brain", True)

    (tmp_path / "_brain").mkdir()
    assert linked(zecher) == (
        str(tmp_path.resolve() / "_brain"),
        "portfolio",
        "_brain above the project",
        True,
    )

    (tmp_path / "other").mkdir()
    zecher.extra["BMAD_PLUS_BRAIN"] = str(tmp_path / "other")
    assert linked(zecher) == (str(tmp_path / "other"), "portfolio", "BMAD_PLUS_BRAIN", True)

    assert linked(zecher, "--brain", tmp_path / "b") == (
        str(tmp_path / "b"),
        "bmad-global",
        "--brain",
        False,
    )


def test_the_index_goes_to_the_global_brain_whatever_is_linked(zecher: Program) -> None:
    (zecher.cwd / "_brain").mkdir()

    assert settings(zecher)["brain"] == (str(zecher.home / ".bmad-plus/brain"), "default")
    assert linked(zecher)[1] == "portfolio"


def test_a_pipe_gets_tabs_and_a_header(zecher: Program) -> None:
    plain, with_origin = zecher("config", "show").out, zecher("config", "show", "--origin").out

    assert plain.startswith("setting\tvalue\n")
    assert "\nscan.depth\t4\n" in plain
    assert f"\nlinked brain\t{zecher.home}/.bmad-plus/brain (bmad-global, not there yet, none yet)\n" in plain
    assert with_origin.startswith("setting\tvalue\torigin\n")
    assert "\nscan.depth\t4\tdefault\n" in with_origin
    assert f"\nlinked brain\t{zecher.home}/.bmad-plus/brain (bmad-global, not there yet)\tnone yet\n" in (
        with_origin
    )


def test_a_terminal_gets_columns_and_the_home_as_a_tilde(zecher: Program) -> None:
    screen = zecher.at_terminal("config", "show", "--origin", columns=120).out

    assert re.search(r"\nscan\.depth +4 +default\n", screen)
    assert re.search(r"\nbrain +~/\.bmad-plus/brain +default\n", screen)
    assert len({line.index("default") for line in screen.splitlines() if line.endswith(" default")}) == 1
    assert "\t" not in screen


@pytest.mark.parametrize(("name", "value"), [("ZECHER_DEPTH", "many"), ("ZECHER_FORMAT", "xml")])
def test_a_variable_that_makes_no_sense_is_a_usage_error(zecher: Program, name: str, value: str) -> None:
    zecher.extra[name] = value

    done = zecher("config", "show")

    assert (done.code, name in done.err) == (2, True)


def test_a_mistake_in_the_file_is_a_usage_error(zecher: Program) -> None:
    configured(zecher, "[scan]\ndepht = 3\n")

    done = zecher("config", "show", "--json")

    assert (done.code, done.document["problems"][0]["code"]) == (2, "config-unknown-key")


def test_the_envelope_has_the_schema_of_the_command(zecher: Program) -> None:
    document = zecher("config", "--json").document

    assert (document["schema"], list(document["data"])) == (
        "zecher.config.show",
        ["settings", "project", "linked_brain"],
    )
