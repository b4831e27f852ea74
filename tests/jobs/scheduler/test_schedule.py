"""``zecher schedule`` as a command: what it prints, writes and answers with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.errors import ExpectedError
from jobs.scheduler.installation import installed_program
from jobs.surroundings import Surroundings
from tests.jobs.program import Program, folder_state
from tests.jobs.scheduler.tools import Tools
from tests.support import NOW, write

# What the machine of the test is like, apart from its programs, does not matter where one is named.
SYSTEMD = ("--scheduler", "systemd")
CRON = ("--scheduler", "cron")


@pytest.fixture
def zecher(zecher: Program, tools: Tools, tmp_path: Path) -> Program:
    """The program on a machine whose systemd, cron and session are the test's own."""
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    zecher.extra |= {"PATH": str(tools.bin), "XDG_RUNTIME_DIR": str(runtime), "DBUS_SESSION_BUS_ADDRESS": ""}
    return zecher


def unit(home: Path, name: str) -> Path:
    return home / ".config/systemd/user" / name


def test_an_installation_says_what_it_writes_and_that_it_is_active(
    zecher: Program, tools: Tools, home: Path
) -> None:
    tools.add_systemctl()

    done = zecher("schedule", "install", *SYSTEMD)

    folder = home / ".config/systemd/user"
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            f"create\t{folder}/zecher-run.service",
            f"create\t{folder}/zecher-run.timer",
            f"create\t{folder}/zecher-failed@.service",
            f"link\t{folder}/timers.target.wants/zecher-run.timer",
        ],
    )
    assert "systemd (timer): active, next: Tue 2026-12-01 03:21:00 UTC" in done.err


def test_the_folders_that_the_sandbox_opens_are_there_afterwards(
    zecher: Program, tools: Tools, home: Path
) -> None:
    tools.add_systemctl()

    zecher("schedule", "install", *SYSTEMD)

    text = unit(home, "zecher-run.service").read_text()
    for folder in (".bmad-plus/brain", ".local/state/zecher", ".cache/zecher", ".bmad-plus/reports"):
        assert f'ReadWritePaths="-{home}/{folder}"' in text
        assert (home / folder).stat().st_mode & 0o777 == 0o700


def test_a_dry_run_prints_every_file_and_command_and_changes_nothing(
    zecher: Program, tools: Tools, home: Path
) -> None:
    tools.add_systemctl()
    before = folder_state(home)

    done = zecher("schedule", "install", *SYSTEMD, "--dry-run", "--linger")

    assert done.code == 0
    assert "\tOnCalendar=*-*-* 03:17:00\n\tOnCalendar=Sun *-*-* 04:23:00\n" in done.out
    assert done.out.endswith("run\tloginctl enable-linger\n")
    assert "run\tsystemctl --user restart zecher-run.timer\n" in done.out
    assert (folder_state(home), list(home.iterdir()), tools.calls) == (before, [], [])


def test_a_dry_run_does_not_say_that_anything_was_written(zecher: Program, tools: Tools) -> None:
    tools.add_systemctl(reachable=False)

    done = zecher("schedule", "install", *SYSTEMD, "--dry-run")

    assert "the units start with your next login" in done.err
    assert "written" not in done.err


def test_what_is_shown_is_what_is_written(zecher: Program, tools: Tools, home: Path) -> None:
    tools.add_systemctl()
    shown = {
        file["path"]: file["text"] for file in zecher("schedule", "show", *SYSTEMD, "--json").data["files"]
    }
    text = zecher("schedule", "show", *SYSTEMD).out

    zecher("schedule", "install", *SYSTEMD)

    written = {str(path): path.read_text() for path in unit(home, "").iterdir() if path.is_file()}
    assert shown == written
    assert all(unit_text in text for unit_text in written.values())


def test_the_lines_for_a_crontab_can_be_piped_into_one(zecher: Program, tools: Tools) -> None:
    table = tools.add_crontab()
    shown = zecher("schedule", "show", *CRON).out

    zecher("schedule", "install", *CRON)

    assert table.read_text() == shown


def test_the_configuration_decides_times_folders_and_network(
    zecher: Program, tools: Tools, home: Path
) -> None:
    tools.add_systemctl()
    configuration = write(
        home / ".config/zecher/config.toml",
        '[schedule]\nnightly = "daily 05:00"\nweekly = "every 12h"\nzone = "Asia/Tokyo"\n'
        f'[reports]\nfolder = "{home}/reports"\n[notify]\nping_url = "https://example.com/x"\n',
    )
    configuration.chmod(0o600)

    assert zecher("schedule", "install", *SYSTEMD).code == 0

    timer = unit(home, "zecher-run.timer").read_text()
    service = unit(home, "zecher-run.service").read_text()
    assert "OnCalendar=*-*-* 05:00:00 Asia/Tokyo\n# And a look every hour" in timer
    assert f'ReadWritePaths="-{home}/reports"' in service
    assert "PrivateNetwork=no" in service
    assert zecher("schedule", "status", "--json").data["current"] is True
    configuration.write_text('[schedule]\nnightly = "daily 06:00"\n')
    assert zecher("schedule", "status", "--json").data["current"] is False
    assert "run zecher schedule install again" in zecher("schedule", "status").err


def test_runs_look_in_the_same_places_as_the_command_that_installed_them(
    zecher: Program, tools: Tools, home: Path, tmp_path: Path
) -> None:
    tools.add_systemctl()
    write(tmp_path / "here" / "my config.toml").write_text("")
    (tmp_path / "here" / "my config.toml").chmod(0o600)
    zecher.extra |= {"XDG_STATE_HOME": f"{tmp_path}/state", "XDG_CACHE_HOME": "relative"}

    assert zecher("--config", "my config.toml", "schedule", "install", *SYSTEMD, "--brain", "b").code == 0

    text = unit(home, "zecher-run.service").read_text()
    assert [line for line in text.splitlines() if line.startswith("Environment=")] == [
        "Environment=ZECHER_TRIGGER=timer",
        f'Environment="XDG_STATE_HOME={tmp_path}/state"',
        f'Environment="ZECHER_CONFIG={tmp_path}/here/my config.toml"',
        f'Environment="ZECHER_BRAIN={tmp_path}/here/b"',
    ]
    assert f'ReadWritePaths="-{tmp_path}/here/b"' in text


def test_places_that_are_named_by_variables_are_those_of_the_runs_too(
    zecher: Program, tools: Tools, home: Path, tmp_path: Path
) -> None:
    tools.add_systemctl()
    zecher.extra |= {"ZECHER_REPORTS": "r", "ZECHER_STATE": "~/s", "ZECHER_CACHE": f"{tmp_path}/c"}

    assert zecher("schedule", "install", *SYSTEMD).code == 0

    lines = unit(home, "zecher-run.service").read_text().splitlines()
    for name, path in (
        ("STATE", f"{home}/s"),
        ("CACHE", f"{tmp_path}/c"),
        ("REPORTS", f"{tmp_path}/here/r"),
    ):
        assert f'Environment="ZECHER_{name}={path}"' in lines
        assert f'ReadWritePaths="-{os.path.realpath(path)}"' in lines


def test_without_a_bus_it_is_done_in_part_and_says_what_to_do(zecher: Program, tools: Tools) -> None:
    tools.add_systemctl(reachable=False)

    done = zecher("schedule", "install", *SYSTEMD)

    assert done.code == 3
    assert "systemctl --user daemon-reload && systemctl --user restart zecher-run.timer" in done.err
    assert "[no-user-bus]" in done.err
    assert zecher("schedule", "status").code == 0
    assert zecher("schedule", "remove").code == 0


def test_a_timer_that_does_not_become_active_is_said_not_to_be(zecher: Program, tools: Tools) -> None:
    tools.add_systemctl(active="failed")

    done = zecher("schedule", "install", *SYSTEMD)

    assert done.code == 3
    assert "[schedule-inactive]" in done.err


def test_a_removal_says_what_went_and_a_second_one_that_nothing_is_there(
    zecher: Program, tools: Tools, home: Path
) -> None:
    tools.add_systemctl()
    zecher("schedule", "install", *SYSTEMD)

    dry = zecher("schedule", "remove", "--dry-run")
    assert "remove\t" in dry.out
    assert unit(home, "zecher-run.timer").exists()
    first = zecher("schedule", "remove")
    second = zecher("schedule", "remove")

    assert (first.code, second.code) == (0, 0)
    assert f"unlink\t{unit(home, 'timers.target.wants/zecher-run.timer')}\n" in first.out
    assert (second.out, second.err) == ("", "nothing of zecher is installed\n")


def test_the_status_is_an_answer_with_and_without_an_installation(
    zecher: Program, tools: Tools, home: Path
) -> None:
    assert zecher("schedule", "status").err.startswith("nothing is installed")
    tools.add_systemctl()
    zecher("schedule", "install", *SYSTEMD)

    done = zecher("schedule")

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:3] == [
        "scheduler\tsystemd (timer)",
        "active\tyes",
        "next\tTue 2026-12-01 03:21:00 UTC",
    ]
    assert f"entry\t{unit(home, 'zecher-run.timer')}" in done.out


def test_the_documents_hold_their_keys(zecher: Program, tools: Tools) -> None:
    tools.add_systemctl()
    state = {"kind", "runs", "active", "lingering", "next", "entries", "edited"}
    plan = {"kind", "commands_before", "changes", "commands_after", "by_hand"}

    dry = zecher("schedule", "install", *SYSTEMD, "--dry-run", "--json")
    install = zecher("schedule", "install", *SYSTEMD, "--json")
    status = zecher("schedule", "status", "--json")
    show = zecher("schedule", "show", *SYSTEMD, "--json")
    remove = zecher("schedule", "remove", "--json")

    assert dry.data.keys() == {"dry_run", "plans", "kind"}
    assert install.data.keys() == {"dry_run", "plans", "scheduler"}
    assert install.data["plans"][0].keys() == plan
    assert install.data["scheduler"].keys() == state
    assert status.data.keys() == {"scheduler", "all", "current", "daemon"}
    assert show.data.keys() == {"kind", "files"}
    assert remove.data.keys() == {"dry_run", "plans"}
    assert [done.document["schema"] for done in (dry, status, show, remove)] == [
        f"zecher.schedule.{name}" for name in ("install", "status", "show", "remove")
    ]
    assert all(done.code == 0 and done.err == "" for done in (dry, install, status, show, remove))


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("install", "--scheduler", "systmd"), 2, "Did you mean systemd?"),
        (("install", *CRON, "--daemon"), 1, "[schedule-no-daemon]"),
        (("install", *CRON), 1, "[no-scheduler]"),
        (("instal",), 2, "Did you mean zecher schedule install?"),
    ],
)
def test_a_mistake_is_said_in_words(zecher: Program, words: tuple[str, ...], code: int, text: str) -> None:
    done = zecher("schedule", *words)

    assert done.code == code
    assert text in done.err


def test_a_path_that_no_file_of_a_scheduler_can_hold_is_refused_before_anything_is_written(
    zecher: Program, tools: Tools, home: Path
) -> None:
    tools.add_systemctl()

    done = zecher("schedule", "install", *SYSTEMD, "--brain", f"{home}/a\nExecStart=x")

    assert (done.code, list(home.iterdir())) == (1, [])
    assert "a\\nExecStart=x cannot be written into a scheduler's files [schedule-path]" in done.err


def test_a_folder_that_cannot_be_made_stops_the_installation(
    zecher: Program, tools: Tools, home: Path
) -> None:
    tools.add_systemctl()
    write(home / ".cache", "a file\n")

    done = zecher("schedule", "install", *SYSTEMD)

    assert done.code == 1
    assert "[schedule-folder]" in done.err
    assert not unit(home, "zecher-run.timer").exists()


def around(home: Path) -> Surroundings:
    return Surroundings({}, str(home), str(home), NOW)


def test_the_script_that_was_started_is_the_one_that_is_installed(home: Path) -> None:
    real = write(home / "tool" / "zecher")
    real.chmod(0o755)
    (home / "bin").mkdir()
    (home / "bin" / "zecher").symlink_to(real)
    (home / "bin" / "scan").symlink_to(real)

    for started in ("bin/zecher", f"{home}/bin/zecher", "bin/scan"):
        assert installed_program(started, "/usr/bin/python3", around(home)) == f"{home}/bin/zecher"


def test_else_it_is_the_one_beside_the_interpreter(home: Path) -> None:
    script = write(home / "env" / "bin" / "zecher")
    script.chmod(0o755)

    assert installed_program("jobs/cli/__main__.py", f"{home}/env/bin/python", around(home)) == str(script)
    script.chmod(0o644)
    with pytest.raises(ExpectedError, match="no script that a scheduler could start"):
        installed_program("jobs/cli/__main__.py", f"{home}/env/bin/python", around(home))


def test_help_and_status_wait_for_nothing_heavy(zecher: Program) -> None:
    heavy = ("yaml", "rich", "jinja2", "apscheduler", "asyncio", "plistlib")
    words = ["schedule", "status"]
    text = (
        "import sys; from jobs.cli.gate import run_guarded; "
        f"code = run_guarded('zecher', {words!r}); print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", text],
        env=zecher.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.endswith("[]\n")
    assert os.path.exists(zecher.home)
