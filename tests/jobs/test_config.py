from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.config import load_configuration
from jobs.config_values import (
    Configuration,
    ConfiguredDreaming,
    ConfiguredNotices,
    ConfiguredReports,
    ConfiguredRoot,
    ConfiguredSchedule,
    Hook,
    MemoryLimits,
)
from jobs.errors import UsageError
from jobs.surroundings import Surroundings
from scanner.stacks import UserRule
from scanner.value import replace


def surroundings(home: Path, **environ: str) -> Surroundings:
    return Surroundings(environ, str(home), str(home), 0.0)


def write_config(home: Path, text: str | bytes, mode: int = 0o600) -> Path:
    path = home / ".config" / "zecher" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return path


def load(home: Path) -> Configuration:
    return load_configuration(surroundings(home), None)


def refusal(home: Path, flag: str | None = None) -> UsageError:
    with pytest.raises(UsageError) as caught:
        load_configuration(surroundings(home), flag)
    return caught.value


def test_without_a_file_nothing_is_configured(home: Path) -> None:
    assert Configuration() == load(home)


def test_every_key_is_read(home: Path) -> None:
    path = write_config(
        home,
        """
brain = "~/notes/brain"

[scan]
roots = [
  "~/dev",
  { path = "/srv/work", depth = 2, nested = "repos", exclude = ["old/"], active_days = 7, paused_days = 21 },
]
depth = 6
active_days = 14
paused_days = 90.5
nested = "all"
exclude = ["archive/", "*.bak"]
respect_ignore = true
deadline = 30
max_folders = 300
max_entries = 4000

[[stacks]]
glob = "*.tf"
label = "Terraform"
class = "strong"
priority = 5

[[stacks]]
glob = "Tiltfile"
label = "Tilt"

[me]
emails = [" ana@example.com "]

[schedule]
nightly = "every 6h"
weekly = "weekly  Monday 6:30"
zone = "Europe/Berlin"

[reports]
folder = "~/reports"
keep_weeks = 4

[memory]
file_lines = 100
file_bytes = 9000
total_tokens = 4000
warn_percent = 70

[[hooks]]
run = ["~/bin/tell", "", "$HOME"]
on = ["success", "failure"]
timeout = 5

[[hooks]]
run = ["/bin/true"]

[dreaming]
enabled = true
workspaces = ["~/claw"]
auto_promote = true
recall_log = true
min_score = 0.5
min_recalls = 4
min_queries = 3
min_days = 2
max_age_days = 60
half_life_days = 7
limit = 5
budget = 9000

[notify]
ping_url = "https://ping.example.com/x"
apprise = ["ntfys://ntfy.sh/x", "mailto://a:b@example.com"]
quiet_line = true
""",
    )

    assert Configuration(
        path=str(path),
        brain=f"{home}/notes/brain",
        roots=(ConfiguredRoot(f"{home}/dev"), ConfiguredRoot("/srv/work", 2, "repos", ("old/",), 7.0, 21.0)),
        depth=6,
        active_days=14.0,
        paused_days=90.5,
        nested="all",
        exclude=("archive/", "*.bak"),
        respect_ignore=True,
        deadline=30.0,
        max_folders=300,
        max_entries=4000,
        stacks=(UserRule("*.tf", "Terraform", "strong", 5), UserRule("Tiltfile", "Tilt")),
        emails=("ana@example.com",),
        schedule=ConfiguredSchedule("every 6h", "weekly mon 06:30", "Europe/Berlin"),
        reports=ConfiguredReports(f"{home}/reports", 4),
        memory=MemoryLimits(100, 9000, 4000, 70),
        dreaming=ConfiguredDreaming(True, (f"{home}/claw",), True, True, 0.5, 4, 3, 2, 60, 7, 5, 9000),
        hooks=(
            Hook((f"{home}/bin/tell", "", "$HOME"), ("failure", "success"), 5.0),
            Hook(("/bin/true",), ("failure", "recovery"), 30.0),
        ),
        notify=ConfiguredNotices(
            "https://ping.example.com/x", ("ntfys://ntfy.sh/x", "mailto://a:b@example.com"), quiet_line=True
        ),
    ) == replace(load(home), lines=())


def test_roots_may_stand_in_tables_of_their_own(home: Path) -> None:
    write_config(home, '[[scan.roots]]\npath = "/a"\n\n[[scan.roots]]\npath = "/b"\ndepth = 2\n')

    assert (ConfiguredRoot("/a"), ConfiguredRoot("/b", 2)) == load(home).roots


def test_all_mistakes_are_named_at_once_each_with_line_key_and_hint(home: Path) -> None:
    path = write_config(
        home,
        """\
brian = "/x"
[scan]
dept = 3
depth = 0
active_days = "30"
nested = "repo"
exclude = "old/"
respect_ignore = "yes"
roots = []
[[stacks]]
label = "Terraform"
[[stacks]]
glob = "*.x"
label = "X"
class = "huge"
""",
    )

    error = refusal(home)

    assert ("config-invalid", 2, str(path)) == (error.code, error.exit_code, error.path)
    assert [(problem.code, problem.message, problem.fix) for problem in error.problems] == [
        ("config-unknown-key", "line 1: brian: no such key", "Did you mean brain?"),
        ("config-unknown-key", "line 3: scan.dept: no such key", "Did you mean depth?"),
        (
            "config-bad-value",
            "line 4: scan.depth: 0 leaves nothing to search: 1 means the folders right below a root",
            "Write a number without quotes.",
        ),
        ("config-bad-value", "line 5: scan.active_days: '30' is text", "Write a number without quotes."),
        ("config-bad-value", "line 6: scan.nested: 'repo' is not known", "Did you mean 'repos'?"),
        ("config-bad-value", "line 7: scan.exclude: is not a list", 'Write it like ["old/", "*.bak"].'),
        (
            "config-bad-value",
            "line 8: scan.respect_ignore: 'yes' is neither true nor false",
            "Write true or false without quotes.",
        ),
        (
            "config-bad-value",
            "line 9: scan.roots: names no root",
            'Write it like ["~/dev", "~/work"], or leave the key out.',
        ),
        ("config-bad-value", "line 10: stacks.glob: is missing", 'Write glob = "*.ext".'),
        ("config-bad-value", "line 15: stacks.class: 'huge' is not known", "One of: strong, weak, label."),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("brain = 3", "line 1: brain: is not the path of a folder"),
        ('brain = "notes"', "line 1: brain: 'notes' is relative"),
        ("scan = 3", "line 1: scan: is not a table"),
        ("stacks = 3", "line 1: stacks: is not a list of tables"),
        ("[scan]\nroots = [3]", "line 2: scan.roots: holds something that is no path"),
        ("[scan]\nroots = [{ depth = 3 }]", "line 2: scan.roots: a root has no path"),
        ('[scan]\nroots = ["dev"]', "line 2: scan.roots.path: 'dev' is relative"),
        ("[scan]\ndepth = true", "line 2: scan.depth: True is not a whole number"),
        ("[scan]\ndepth = 4.5", "line 2: scan.depth: 4.5 is not a whole number"),
        ("[scan]\nactive_days = nan", "line 2: scan.active_days: nan is not a number of days"),
        ("[scan]\nactive_days = inf", "line 2: scan.active_days: inf must be at most 36,500 days"),
        ("[scan]\nmax_entries = 0", "line 2: scan.max_entries: 0 must be from 1 to 1,000,000,000"),
        ("[scan]\ndeadline = -1", "line 2: scan.deadline: -1 must be more than 0 seconds"),
        ("[scan]\nexclude = ['']", "line 2: scan.exclude: is not a text"),
        (
            "[scan]\nactive_days = 200",
            "line 2: scan.active_days: active below 200 days, but paused below 180 days",
        ),
        (
            "scan.paused_days = 60\n[[scan.roots]]\npath = '/'\n[[scan.roots]]\npath = '/'\nactive_days = 60",
            "line 6: scan.roots.active_days: active below 60 days, but paused below 60 days",
        ),
        (
            "[scan]\nroots = [\n '/a',\n {path = '/b', paused_days = 3},\n]",
            "line 4: scan.roots.paused_days: active below 30 days, but paused below 3 days",
        ),
        (
            "[[scan.roots]]\npath = '/a'\n[[scan.roots]]\ndepht = 2\npath = '/b'",
            "line 4: scan.roots.depht: no such key",
        ),
        ("emails = ['x']", "line 1: emails: no such key"),
        ("[me]\nemails = 'x'", "line 2: me.emails: is not a list"),
        ("[schedule]\nnightly = 'daily 25:00'", "line 2: schedule.nightly: '25:00' is no time of day"),
        (
            "[schedule]\nnightly = '0 3 * * *'",
            "line 2: schedule.nightly: '0 3 * * *' is a line for cron, whose weekdays nobody agrees on",
        ),
        (
            "[schedule]\nzone = 'Europe/Berln'",
            "line 2: schedule.zone: 'Europe/Berln' is no time zone (did you mean Europe/Berlin?)",
        ),
        ("[schedule]\nmonthly = 'daily 03:17'", "line 2: schedule.monthly: no such key"),
        ("[reports]\nfolder = 'reports'", "line 2: reports.folder: 'reports' is relative"),
        ("[reports]\nkeep_weeks = 0", "line 2: reports.keep_weeks: 0 is out of range"),
        (
            "brain = '/b'\nstate = '/b'",
            "line 2: state: lies in the brain, /b: what belongs to this machine would be taken for memory",
        ),
        (
            "brain = '/b'\ncache = '/b/c'",
            "line 2: cache: lies in the brain, /b: what may be deleted would be taken for memory",
        ),
        (
            "cache = '/s'\nstate = '/s'",
            "line 1: cache: is the state folder too, but a cache may be deleted at any time",
        ),
        (
            "brain = '/b'\n[reports]\nfolder = '/b/x'",
            "line 3: reports.folder: lies in the brain, /b: reports would be read back as memory",
        ),
        ("[memory]\nfile_lines = 1", "line 2: memory.file_lines: 1 is out of range"),
        ("[memory]\nwarn_percent = 101", "line 2: memory.warn_percent: 101 is out of range"),
        ("[[hooks]]\non = ['failure']", "line 1: hooks.run: is missing"),
        (
            "[[hooks]]\nrun = 'echo hi'",
            "line 2: hooks.run: is one text, which only a shell could take apart",
        ),
        ("[[hooks]]\nrun = []", "line 2: hooks.run: is not a list of a program and its arguments"),
        ("[[hooks]]\nrun = ['echo', 'hi']", "line 2: hooks.run: 'echo' is no absolute path"),
        ("[[hooks]]\nrun = [\n'/bin/true',\n3]", "line 4: hooks.run: is not a text"),
        ("[[hooks]]\nrun = ['/a']\non = []", "line 3: hooks.on: names no occasion"),
        ("[[hooks]]\nrun = ['/a']\non = ['fail']", "line 3: hooks.on: 'fail' is not known"),
        ("[[hooks]]\nrun = ['/a']\ntimeout = 301", "line 3: hooks.timeout: 301 is too long"),
        ("hooks = 1", "line 1: hooks: is not a list of tables"),
        ("[notify]\nping_url = 'ftp://hush'", "line 2: notify.ping_url: is not such an address"),
        ("[notify]\nping_url = 'https://a b'", "line 2: notify.ping_url: is not such an address"),
        ("[notify]\napprise = [\n'ntfy://x',\n'hush']", "line 4: notify.apprise: is not such an address"),
        ("[notify]\nquiet_line = 1", "line 2: notify.quiet_line: 1 is neither true nor false"),
        (
            "[[stacks]]\nglob = 'x'\nlabel = 'y'\npriority = 1.5",
            "line 4: stacks.priority: 1.5 is not a whole number",
        ),
    ],
)
def test_a_single_mistake_is_named_with_its_line(home: Path, text: str, message: str) -> None:
    write_config(home, text)

    error = refusal(home)

    assert [message] == [problem.message for problem in error.problems]
    assert error.code == error.problems[0].code


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("[scan]\ndepht = 1", "Did you mean depth?"),
        ("emails = ['x']", "It belongs into [me]."),
        ("[scan]\nbrain = '/a'", "It belongs before the first table."),
        ("keep_week = 1", "Did you mean keep_weeks of [reports]?"),
        ("[me]\nxyzzy = 1", "Known here: emails."),
        ("[schedule]\nweekly = 'weekly sunn 04:00'", "One of: mon, tue, wed, thu, fri, sat, sun."),
        ("[schedule]\nnightly = '3:17'", 'Write "daily 3:17".'),
        ("[schedule]\nnightly = ' '", 'Write it in quotes: "text".'),
        (f"[schedule]\nnightly = '{'x' * 99}'", 'Write "daily 03:17", "weekly sun 04:23" or "every 6h".'),
    ],
)
def test_a_mistake_says_what_is_right(home: Path, text: str, fix: str) -> None:
    write_config(home, text)

    assert [fix] == [problem.fix for problem in refusal(home).problems][:1]


def test_mistakes_come_in_the_order_of_their_lines(home: Path) -> None:
    write_config(home, "[notify]\nx = 1\n[[hooks]]\ny = 1\nrun = ['/a']\n[scan]\nz = 1\n")

    assert [problem.message[:7] for problem in refusal(home).problems] == ["line 2:", "line 4:", "line 7:"]


def test_the_address_of_a_service_is_not_repeated_in_a_message(home: Path) -> None:
    write_config(home, "[notify]\nping_url = 'htps://hush'\napprise = ['hush']\n")

    error = refusal(home)

    assert "hush" not in f"{error.what}{error.why}{error.fix}{error.problems}"


def test_it_knows_on_which_line_each_key_stands(home: Path) -> None:
    path = write_config(
        home, "[scan]\ndepth = 3\n[[hooks]]\nrun = ['/a']\n[[hooks]]\nrun = ['/b']\n[me]\nemails = []\n"
    )

    found = load(home)

    keys = ("scan.depth", "hooks", "hooks[1]", "me.emails", "scan.nested")
    assert [found.origin(key) for key in keys] == [f"{path}:2", f"{path}:3", f"{path}:5", f"{path}:8", None]


def test_a_stack_rule_that_the_scanner_cannot_use_is_named_with_its_line(home: Path) -> None:
    write_config(home, '[[stacks]]\nglob = "x"\n[[stacks]]\nlabel = "Y"\nglob = "../x"\npriority = 9999\n')

    error = refusal(home)

    assert [problem.message for problem in error.problems] == [
        "line 5: stacks.glob: not a name or a relative path",
        "line 6: stacks.priority: 9999 is out of range",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"depth = = 3\n", "line 1"),
        (b"a = '\xe9'\n", "byte 5 is not UTF-8"),
        (b"a = " + b"[" * 5000, ""),
        (b"a = 1\na = 2\n", "line 2"),
        (b"a = 1\nb = [2,\n\n", "Invalid value (at line 2, the last)"),
        (b'a = 1\n\nb = """\nc\n', "(at line 4, the last)"),
    ],
)
def test_what_is_not_toml_is_refused_with_its_place(home: Path, text: bytes, why: str) -> None:
    write_config(home, text)

    error = refusal(home)

    assert error.code == "config-syntax"
    assert why in error.why


@given(data=st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_bytes_bring_it_down(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    home = tmp_path_factory.mktemp("home")
    write_config(home, data)

    with suppress(UsageError):
        load(home)


def test_a_file_that_was_named_must_be_there(home: Path) -> None:
    assert refusal(home, "nowhere.toml").code == "config-missing"


def test_the_variable_names_a_file_and_the_flag_wins(home: Path) -> None:
    (home / "a.toml").write_text("[scan]\ndepth = 2\n")
    (home / "b.toml").write_text("[scan]\ndepth = 3\n")
    here = surroundings(home, ZECHER_CONFIG=str(home / "a.toml"))

    assert load_configuration(here, None).depth == 2
    assert load_configuration(here, "b.toml").depth == 3


def test_the_folder_of_configurations_can_be_moved(home: Path) -> None:
    (home / "xdg" / "zecher").mkdir(parents=True)
    (home / "xdg" / "zecher" / "config.toml").write_text("[scan]\ndepth = 2\n")

    assert load_configuration(surroundings(home, XDG_CONFIG_HOME=str(home / "xdg")), None).depth == 2


def test_a_configuration_may_be_a_link_as_in_a_folder_of_dotfiles(home: Path) -> None:
    (home / "dotfiles.toml").write_text("[scan]\ndepth = 2\n")
    (home / ".config" / "zecher").mkdir(parents=True)
    (home / ".config" / "zecher" / "config.toml").symlink_to(home / "dotfiles.toml")

    assert load(home).depth == 2


@pytest.mark.parametrize("mode", [0o666, 0o602])
def test_a_configuration_that_everybody_may_write_is_refused(home: Path, mode: int) -> None:
    path = write_config(home, "", mode)

    error = refusal(home)

    assert ("config-unsafe", f"Run: chmod o-w {path}") == (error.code, error.fix)


def test_a_configuration_in_a_folder_that_everybody_may_write_is_refused(home: Path) -> None:
    folder = write_config(home, "").parent
    folder.chmod(0o777)

    error = refusal(home)

    assert ("config-unsafe", f"Run: chmod o-w {folder}") == (error.code, error.fix)
    folder.chmod(0o1777)  # nobody can replace the file of somebody else there
    assert load(home).path


def test_a_configuration_that_a_shared_group_may_write_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.config._is_private_group", lambda _: False)
    write_config(home, "", 0o660)

    assert refusal(home).code == "config-unsafe"


def test_a_configuration_that_only_the_own_group_may_write_is_read(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.config._is_private_group", lambda _: True)
    write_config(home, "[scan]\ndepth = 2\n", 0o660)

    assert load(home).depth == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_configuration_of_somebody_else_is_refused(home: Path) -> None:
    path = write_config(home, "")
    os.chown(path, 12345, 12345)

    assert refusal(home).code == "config-unsafe"


def test_a_pipe_in_the_place_of_the_configuration_is_refused_at_once(home: Path) -> None:
    (home / ".config" / "zecher").mkdir(parents=True)
    os.mkfifo(home / ".config" / "zecher" / "config.toml")

    assert refusal(home).code == "config-unreadable"


def test_a_configuration_that_is_too_large_is_refused(home: Path) -> None:
    write_config(home, "#" * (256 * 1024 + 1))

    assert refusal(home).code == "config-unreadable"
