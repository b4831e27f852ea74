"""The installed units under a real systemd: what they start, what they may touch, what is left of them.

A manager of an ordinary user is started in private namespaces, which only root can make.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.program import ROOT
from tests.support import write

MANAGER = Path("/lib/systemd/systemd")
PROGRAM = Path(sys.prefix, "bin", "zecher")

PROBE = """\
import json, os, socket, subprocess, sys, threading

def tried(act):
    try:
        act()
    except OSError as error:
        return error.strerror
    return "done"

def made(path):
    with open(path, "w") as file:
        file.write("x")

def status(key):
    with open("/proc/self/status") as file:
        return next(line.split()[1] for line in file if line.startswith(key + ":"))

home = os.environ["HOME"]
brain = home + "/.bmad-plus/brain"
thread = threading.Thread(target=print)
found = {
    "brain": tried(lambda: made(brain + "/probe")),
    "mode": oct(os.stat(brain + "/probe").st_mode & 0o777) if os.path.exists(brain + "/probe") else None,
    "reports": tried(lambda: made(home + "/.bmad-plus/reports/probe")),
    "cache": tried(lambda: made(home + "/.cache/zecher/probe")),
    "home": tried(lambda: made(home + "/probe")),
    "project": tried(lambda: made(home + "/dev/probe")),
    "elsewhere": tried(lambda: made("/mnt/out/probe")),
    "reads": open(home + "/dev/README.md").read(),
    "tmp": sorted(os.listdir("/tmp")),
    "inet": tried(lambda: socket.socket(socket.AF_INET).close()),
    "unix": tried(lambda: socket.socket(socket.AF_UNIX).close()),
    "child": tried(lambda: subprocess.run(["/bin/true"], check=True)),
    "thread": tried(lambda: (thread.start(), thread.join())),
    "links": sorted(line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line),
    "capabilities": status("CapEff"),
    "no_new_privileges": status("NoNewPrivs"),
    "nice": os.getpriority(os.PRIO_PROCESS, 0),
    "trigger": os.environ.get("ZECHER_TRIGGER"),
}
made_at = home + "/.local/state/zecher/probe.json"
with open(made_at, "w") as file:
    json.dump(found, file)
"""

SCENARIO = """\
say() { name=$1; shift; "$@" >"/mnt/out/$name.out" 2>"/mnt/out/$name.err"; echo $? >"/mnt/out/$name.code"; }
mkdir -p ~/dev/shop ~/.config/zecher
echo hello >~/dev/README.md
printf '[project]\\nname = "shop"\\n' >~/dev/shop/pyproject.toml
printf '[scan]\\nroots = ["~/dev"]\\n' >~/.config/zecher/config.toml
chmod 600 ~/.config/zecher/config.toml
units=~/.config/systemd/user
change() {
    mkdir -p $units/zecher-run.service.d
    printf '[Service]\\nExecStart=\\nExecStart=%s\\n' "$1" >$units/zecher-run.service.d/test.conf
    systemctl --user daemon-reload
}

say install "$ZECHER" schedule install
say status "$ZECHER" schedule status --json
say timers systemctl --user list-timers --no-pager --no-legend zecher-run.timer
say enabled systemctl --user is-enabled zecher-run.timer
say again "$ZECHER" schedule install --json

change "$PYTHON -I -S /mnt/probe.py"
say probe systemctl --user start zecher-run.service
cp ~/.local/state/zecher/probe.json /mnt/out/

change /bin/false
say fails systemctl --user start zecher-run.service
sleep 0.5
failed=zecher-failed@zecher-run.service.service
say told systemctl --user show $failed -p ExecMainStartTimestampMonotonic --value
rm -r $units/zecher-run.service.d
systemctl --user daemon-reload

say run systemctl --user start zecher-run.service
cp ~/.local/state/zecher/runs.ndjson /mnt/out/
ls ~/.bmad-plus/brain/projects ~/.bmad-plus/reports >/mnt/out/published

say daemon "$ZECHER" schedule install --daemon --json
say notified systemctl --user show zecherd.service -p ActiveState,SubState,StatusText,Type
say ended systemctl --user stop zecherd.service
say result systemctl --user show zecherd.service -p Result --value
say timer "$ZECHER" schedule install

echo '# mine' >>$units/zecher-run.timer
say edited "$ZECHER" schedule remove --json
say stopped systemctl --user is-active zecher-run.timer
say over "$ZECHER" schedule install
rm $units/zecher-run.timer
say back "$ZECHER" schedule install
say remove "$ZECHER" schedule remove
find ~ -name '*zecher-*' >/mnt/out/left
say after systemctl --user list-units --all --plain --no-legend 'zecher*'
"""


def why_not() -> str:
    """Why this machine cannot do it, empty where it can."""
    if os.geteuid() != 0:
        return "only root can make the namespaces"
    missing = [name for name in ("unshare", "setpriv", "systemctl", "awk") if shutil.which(name) is None]
    if missing or not MANAGER.exists():
        return f"not installed: {', '.join(missing) or 'systemd'}"
    if not PROGRAM.exists():
        return "zecher is not installed beside this interpreter"
    if any(str(path).startswith(("/tmp", "/var/tmp")) for path in (ROOT, PROGRAM)):  # noqa: S108 - it is about that folder
        return "the units have a /tmp of their own, and the program lies in that of the machine"
    with Path("/proc/self/mounts").open() as mounts:
        groups = [line.split()[1] for line in mounts if line.split()[2] == "cgroup2"]
    if not groups or not os.access(groups[0], os.W_OK):
        return "no second version of control groups that may be written"
    return ""


class World:
    """What the scenario left behind."""

    def __init__(self, folder: Path) -> None:
        self.out = folder / "out"
        self.home = folder / "home"

    def code(self, name: str) -> int:
        return int((self.out / f"{name}.code").read_text())

    def text(self, name: str) -> str:
        return (self.out / f"{name}.out").read_text() + (self.out / f"{name}.err").read_text()

    def data(self, name: str) -> Any:
        return json.loads((self.out / f"{name}.out").read_text())["data"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    reason = why_not()
    if reason:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("world")
    write(folder / "probe.py", PROBE)
    base = Path(sys.base_prefix).resolve()
    python = PROGRAM.parent / "python"
    write(folder / "scenario.sh", f"ZECHER={PROGRAM}\nPYTHON={python}\n{SCENARIO}")
    done = subprocess.run(
        ["sh", str(Path(__file__).with_name("manager.sh")), folder, ROOT, base, Path(sys.prefix)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if not (folder / "out" / "install.code").exists():
        # A container may allow one of the namespaces and not the next.
        pytest.skip(f"no manager of a user can be started here: {done.stderr.strip()[-300:]}")
    assert done.returncode == 0, done.stderr
    return World(folder)


def test_an_installation_is_enabled_active_and_knows_its_next_run(world: World) -> None:
    assert world.code("install") == 0, world.text("install")
    assert "systemd (timer): active, next: " in world.text("install")
    assert world.text("enabled").strip() == "enabled"
    assert "zecher-run.service" in world.text("timers")
    scheduler = world.data("status")["scheduler"]
    assert (scheduler["kind"], scheduler["runs"], scheduler["active"]) == ("systemd", "timer", True)
    assert scheduler["next"]
    assert world.data("status")["current"] is True


def test_a_second_installation_changes_nothing(world: World) -> None:
    (plan,) = world.data("again")["plans"]

    assert world.code("again") == 0
    assert {change["action"] for change in plan["changes"]} == {"same"}


def test_the_sandbox_holds(world: World) -> None:
    found = json.loads((world.out / "probe.json").read_text())

    assert world.code("probe") == 0
    assert found == {
        "brain": "done",
        "mode": "0o600",
        "reports": "done",
        "cache": "done",
        "home": "Read-only file system",
        "project": "Read-only file system",
        "elsewhere": "Read-only file system",
        "reads": "hello\n",
        "tmp": [],
        "inet": "Address family not supported by protocol",
        "unix": "done",
        "child": "done",
        "thread": "done",
        "links": ["lo"],
        "capabilities": "0" * 16,
        "no_new_privileges": "1",
        "nice": 10,
        "trigger": "timer",
    }


def test_a_failure_starts_the_unit_that_tells(world: World) -> None:
    assert world.code("fails") != 0
    assert int(world.text("told")) > 0


def test_a_run_under_the_timer_knows_its_sandbox_and_who_started_it(world: World) -> None:
    runs = [json.loads(line) for line in (world.out / "runs.ndjson").read_text().splitlines()]

    assert {run["job"] for run in runs} == {"nightly", "weekly"}
    assert {run["trigger"] for run in runs} <= {"timer", "catchup"}
    assert {run["sandbox"] for run in runs} == {"effective"}


def test_a_run_in_the_sandbox_publishes_what_a_run_by_hand_does(world: World) -> None:
    runs = [json.loads(line) for line in (world.out / "runs.ndjson").read_text().splitlines()]
    ended = {run["job"]: run["state"] for run in runs if run["state"] != "start"}

    assert ended == {"nightly": "ok", "weekly": "ok"}
    published = (world.out / "published").read_text()
    assert published.count(".yaml\n") == 1
    assert "latest-nightly.md\n" in published


def test_the_daemon_says_itself_that_it_is_ready_and_stops_cleanly(world: World) -> None:
    assert world.code("daemon") == 0, world.text("daemon")
    scheduler = world.data("daemon")["scheduler"]
    assert (scheduler["runs"], scheduler["active"]) == ("daemon", True)
    shown = dict(line.split("=", 1) for line in world.text("notified").splitlines())
    assert (shown["Type"], shown["ActiveState"], shown["SubState"]) == ("notify", "active", "running")
    assert shown["StatusText"]
    assert (world.code("ended"), world.text("result").strip()) == (0, "success")
    assert world.code("timer") == 0


def test_what_somebody_edited_stays_but_is_not_started_any_more(world: World) -> None:
    (plan,) = world.data("edited")["plans"]
    kept = [change["path"] for change in plan["changes"] if change["action"] == "kept"]

    assert world.code("edited") == 3
    assert kept == ["/mnt/home/.config/systemd/user/zecher-run.timer"]
    assert world.text("stopped").strip() == "inactive"


def test_an_installation_over_an_edited_file_leaves_it_and_says_so(world: World) -> None:
    assert world.code("over") == 3
    assert "zecher-run.timer: left as it is: somebody edited it" in world.text("over")
    assert world.code("back") == 0


def test_nothing_is_left_after_a_removal(world: World) -> None:
    assert world.code("remove") == 0
    assert (world.out / "left").read_text() == ""
    assert world.text("after") == ""
    assert (world.home / ".local/state/zecher/runs.ndjson").exists()
