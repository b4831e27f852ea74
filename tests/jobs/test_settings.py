from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobs.config_values import Configuration, ConfiguredReports
from jobs.errors import UsageError
from jobs.places import reports_folder
from jobs.settings import ScanSettings, is_whole_disk, output_settings, scan_settings
from jobs.surroundings import Surroundings, fixed_now, home_folder
from jobs.typed import Typed
from scanner.project import Root, Thresholds


def resolved(home: Path, typed: dict[str, object] | None = None, **environ: str) -> ScanSettings:
    return scan_settings(Typed(typed or {}), Surroundings(environ, str(home), str(home / "here"), 7.0))


def refusal(home: Path, typed: dict[str, object] | None = None, **environ: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        resolved(home, typed, **environ)
    return caught.value


def configure(home: Path, text: str) -> None:
    path = home / ".config" / "zecher" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.chmod(0o600)


def test_the_defaults_search_the_current_folder_four_deep(home: Path) -> None:
    settings = resolved(home)

    assert (Root(f"{home}/here", 4),) == settings.roots
    assert Thresholds(30.0, 180.0) == settings.thresholds
    assert (settings.groups[0].nested, settings.groups[0].exclude) == ("none", ())
    assert (f"{home}/.bmad-plus/brain", f"{home}/.local/state/zecher") == (settings.brain, settings.state)
    assert (settings.now, settings.deadline, settings.respect_ignore) == (7.0, None, False)


def test_flag_beats_variable_beats_file_beats_default(home: Path) -> None:
    assert resolved(home).roots[0].depth == 4
    configure(home, "[scan]\ndepth = 5\n")
    assert resolved(home).roots[0].depth == 5
    assert resolved(home, ZECHER_DEPTH="6").roots[0].depth == 6
    assert resolved(home, {"depth": "7"}, ZECHER_DEPTH="6").roots[0].depth == 7


def test_a_budget_is_that_of_the_variable_the_root_the_file_or_the_default(home: Path) -> None:
    assert (resolved(home).roots[0].max_entries, resolved(home).roots[0].max_folders) == (2_000_000, 200_000)
    configure(
        home,
        """
        [scan]
        roots = ["/a", { path = "/b", max_entries = 7, max_folders = 8 }]
        max_entries = 5
        """,
    )
    assert resolved(home).roots == (Root("/a", 4, 5, 200_000), Root("/b", 4, 7, 8))
    assert resolved(home, ZECHER_MAX_ENTRIES="9").roots == (Root("/a", 4, 9, 200_000), Root("/b", 4, 9, 8))


def test_the_brain_is_chosen_in_the_same_order(home: Path) -> None:
    configure(home, 'brain = "/from/file"\n')

    assert resolved(home).brain == "/from/file"
    assert resolved(home, ZECHER_BRAIN="/from/variable").brain == "/from/variable"
    assert f"{home}/here/flag" == resolved(home, {"brain": "flag"}, ZECHER_BRAIN="/from/variable").brain
    assert f"{home}/x" == resolved(home, {"brain": "~/x"}).brain


def test_paths_and_directories_are_roots_and_replace_the_configured_ones(home: Path) -> None:
    configure(home, '[scan]\nroots = ["/a", { path = "/b", depth = 2 }]\n')

    assert (Root("/a", 4), Root("/b", 2)) == resolved(home).roots
    assert (Root(f"{home}/here/x", 4), Root("/y", 4)) == resolved(
        home, {"paths": ["x/../x/"], "directory": ["/y"]}
    ).roots


def test_roots_with_rules_of_their_own_are_searched_apart(home: Path) -> None:
    configure(
        home,
        """
[scan]
exclude = ["all/"]
roots = ["/a", { path = "/b", nested = "repos", exclude = ["old/"] }, "/c"]
""",
    )

    groups = resolved(home, {"exclude": ["typed/"]}).groups

    assert [(tuple(root.path for root in group.roots), group.nested, group.exclude) for group in groups] == [
        (("/a", "/c"), "none", ("all/", "typed/")),
        (("/b",), "repos", ("all/", "old/", "typed/")),
    ]


def test_a_typed_choice_beats_a_root_of_the_file(home: Path) -> None:
    configure(home, '[scan]\nroots = [{ path = "/b", depth = 2, nested = "repos" }]\n')

    settings = resolved(home, {"depth": "9", "nested": "all"})

    assert (Root("/b", 9), "all") == (settings.roots[0], settings.groups[0].nested)


@pytest.mark.parametrize("text", ["0", "-1", "four", "", "4.5", "101", "99999999999999999999", "1e2"])
def test_a_depth_that_makes_no_sense_is_refused_wherever_it_comes_from(home: Path, text: str) -> None:
    flag = refusal(home, {"depth": text})
    assert ("bad-value", f"--depth {text}") == (flag.code, flag.what)
    if text:
        assert f"ZECHER_DEPTH {text}" == refusal(home, ZECHER_DEPTH=text).what


@pytest.mark.parametrize("name", ["active_days", "paused_days", "deadline"])
@pytest.mark.parametrize("text", ["0", "-3", "nan", "inf", "soon", "1e9"])
def test_days_and_seconds_must_be_positive_numbers(home: Path, name: str, text: str) -> None:
    assert refusal(home, {name: text}).code == "bad-value"


@pytest.mark.parametrize(("active", "paused"), [("30", "30"), ("31", "30"), ("200", None), (None, "30")])
def test_active_must_be_fewer_days_than_paused(home: Path, active: str | None, paused: str | None) -> None:
    given = {"active_days": active, "paused_days": paused}

    assert refusal(home, {key: value for key, value in given.items() if value}).code == "bad-thresholds"


def test_thresholds_may_have_fractions(home: Path) -> None:
    assert Thresholds(0.5, 1.5) == resolved(home, {"active_days": "0.5", "paused_days": "1.5"}).thresholds


def test_a_root_may_have_thresholds_of_its_own_and_the_rest_comes_from_everywhere(home: Path) -> None:
    configure(
        home,
        '[scan]\nactive_days = 20\nroots = ["/a", { path = "/b", active_days = 7 }, '
        '{ path = "/c", active_days = 60, paused_days = 365 }, { path = "/d", active_days = 7 }]\n',
    )

    groups = resolved(home).groups

    assert [(tuple(root.path for root in group.roots), group.thresholds) for group in groups] == [
        (("/a",), None),
        (("/b", "/d"), Thresholds(7.0, 180.0)),
        (("/c",), Thresholds(60.0, 365.0)),
    ]
    assert resolved(home).thresholds == Thresholds(20.0, 180.0)


def test_a_typed_threshold_beats_that_of_a_root(home: Path) -> None:
    configure(home, '[scan]\nroots = [{ path = "/b", active_days = 7, paused_days = 14 }]\n')

    assert resolved(home, {"active_days": "10"}).groups[0].thresholds == Thresholds(10.0, 14.0)
    assert resolved(home, ZECHER_PAUSED_DAYS="90").groups[0].thresholds == Thresholds(7.0, 90.0)


def test_thresholds_of_a_root_that_a_flag_turns_around_are_refused(home: Path) -> None:
    configure(home, '[scan]\nroots = [{ path = "/b", paused_days = 60 }]\n')

    error = refusal(home, {"active_days": "61"})

    assert (error.code, error.what) == ("bad-thresholds", "/b: active below 61 days, paused below 60 days")


def test_reports_lie_beside_the_brain_unless_file_or_variable_say_otherwise(home: Path) -> None:
    here = Surroundings({}, str(home), str(home), 0.0)
    told = Configuration(reports=ConfiguredReports("/srv/reports"))

    assert reports_folder(here, Configuration()) == f"{home}/.bmad-plus/reports"
    assert reports_folder(here, told) == "/srv/reports"
    there = Surroundings({"ZECHER_REPORTS": "~/r"}, str(home), str(home), 0.0)
    assert reports_folder(there, told) == f"{home}/r"


def test_state_and_cache_are_named_by_a_variable_else_by_the_file_else_they_follow_xdg(home: Path) -> None:
    def places(**environ: str) -> tuple[str, str | None]:
        found = resolved(home, None, **environ)
        return found.state, found.cache

    xdg = {"XDG_STATE_HOME": "/xdg/state", "XDG_CACHE_HOME": "/xdg/cache"}
    assert places() == (f"{home}/.local/state/zecher", f"{home}/.cache/zecher/scan-cache")
    assert places(**xdg) == ("/xdg/state/zecher", "/xdg/cache/zecher/scan-cache")
    configure(home, 'state = "~/s"\ncache = "/srv/c"\n')
    assert places(**xdg) == (f"{home}/s", "/srv/c/scan-cache")
    assert places(ZECHER_STATE="mine", ZECHER_CACHE="~/c", **xdg) == (
        f"{home}/here/mine",
        f"{home}/c/scan-cache",
    )


@pytest.mark.parametrize(("text", "on"), [("1", True), ("TRUE", True), ("off", False), ("", False)])
def test_a_switch_can_be_set_by_a_variable(home: Path, text: str, on: bool) -> None:
    assert on is resolved(home, ZECHER_RESPECT_IGNORE=text).respect_ignore


def test_a_variable_can_turn_off_what_the_file_turns_on(home: Path) -> None:
    configure(home, "[scan]\nrespect_ignore = true\n")

    assert resolved(home).respect_ignore
    assert not resolved(home, ZECHER_RESPECT_IGNORE="0").respect_ignore


def test_a_switch_that_is_neither_on_nor_off_is_refused(home: Path) -> None:
    assert refusal(home, ZECHER_RESPECT_IGNORE="maybe").code == "bad-value"


def test_a_mistyped_choice_names_its_neighbour(home: Path) -> None:
    assert refusal(home, {"nested": "repo"}).fix == "Did you mean repos?"


@pytest.mark.parametrize("name", ["paths", "directory"])
def test_an_empty_path_is_refused(home: Path, name: str) -> None:
    assert refusal(home, {name: [""]}).code == "empty-path"


def test_an_empty_exclude_is_refused(home: Path) -> None:
    assert refusal(home, {"exclude": [" "]}).code == "bad-value"


def test_json_is_a_format_and_contradicts_another(home: Path) -> None:
    here = Surroundings({}, str(home), str(home), 0.0)

    assert output_settings(Typed({"json": True}), here).format == "json"
    assert output_settings(Typed({"json": True, "format": "json"}), here).format == "json"
    with pytest.raises(UsageError, match="contradict"):
        output_settings(Typed({"json": True, "format": "tsv"}), here)


def test_the_format_can_be_set_by_a_variable_and_the_flag_wins(home: Path) -> None:
    here = Surroundings({"ZECHER_FORMAT": "md"}, str(home), str(home), 0.0)

    assert output_settings(Typed({}), here).format == "md"
    assert output_settings(Typed({"json": True}), here).format == "json"


def test_the_root_of_the_disk_is_known_by_every_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/")

    assert is_whole_disk(Root("/"))
    assert is_whole_disk(Root(str(tmp_path / "link")))
    assert not is_whole_disk(Root(str(tmp_path)))


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T03:17:04Z",
        "2026-11-30T04:17:04+01:00",
        "2026-11-30T03:17:04",
        " 2026-11-30T03:17:04.000Z ",
    ],
)
def test_a_fixed_clock_understands_iso_8601(text: str) -> None:
    assert fixed_now(text, "--now") == 1_796_008_624.0


@pytest.mark.parametrize("text", ["", "now", "30.11.2026", "2026-11-31", "9999-12-31T23:59:59-23:59x"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a time"):
        fixed_now(text, "--now")


@pytest.mark.parametrize("value", ["", "relative", None])
def test_a_home_that_is_not_absolute_is_asked_from_the_system(value: str | None) -> None:
    environ = {} if value is None else {"HOME": value}

    assert home_folder(environ).startswith("/")


def test_home_is_the_variable_when_it_is_absolute() -> None:
    assert home_folder({"HOME": "/home/ana/"}) == "/home/ana"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, [".config/git/ignore"]),
        ({".gitconfig": "[core]\n\texcludesFile = ~/.gitignore_global\n"}, [".gitignore_global"]),
        ({".config/git/config": '[core]\nexcludesfile = "~/one"\n'}, ["one"]),
        (
            {
                ".config/git/config": "[core]\nexcludesfile=~/one\n",
                ".gitconfig": "[core]\nexcludesfile=~/two",
            },
            ["two"],
        ),
        ({".config/git/config": "[core]\nexcludesfile=~/one\n", ".gitconfig": "[user]\nname=Ana"}, ["one"]),
        ({".gitconfig": "[core]\nexcludesFile =\n"}, []),
        ({".gitconfig": "[core]\nexcludesFile = relative/to/where\n"}, []),
        ({".gitconfig": "[core\n garbage \0"}, [".config/git/ignore"]),
    ],
)
def test_the_users_ignore_file_is_the_one_that_git_uses(
    home: Path, files: dict[str, str], expected: list[str]
) -> None:
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)

    assert resolved(home).user_ignore == tuple(os.path.realpath(home / name) for name in expected)


def test_the_users_ignore_file_moves_with_the_configuration_and_may_be_a_link(home: Path) -> None:
    (home / "dotfiles").mkdir()
    (home / "dotfiles/config").write_text("[core]\nexcludesFile = ~/rules\n")
    (home / "xdg").mkdir()
    (home / "xdg/git").symlink_to(home / "dotfiles")
    (home / "rules").symlink_to(home / "dotfiles/ignore")

    assert resolved(home, XDG_CONFIG_HOME=f"{home}/xdg").user_ignore == (
        os.path.realpath(home / "dotfiles/ignore"),
    )
