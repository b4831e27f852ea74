"""The units as systemd itself judges them: syntax, calendar, exposure. Skipped where systemd is missing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from jobs.schedule.text import parse_schedule
from jobs.scheduler.units import DAEMON, FAILED, RUN, TIMER, UNITS, calendar, render
from jobs.scheduler.values import Installation
from tests.support import write

HERE = Path(__file__).parent.parent
SERVICES = (RUN, FAILED, DAEMON)

# What was measured to hold in a user's manager. The four of the second list made the read-only view vanish.
SANDBOX = (
    *("NoNewPrivileges", "PrivateUsers", "PrivateTmp", "PrivateDevices", "ProtectKernelModules"),
    *("ProtectKernelLogs", "ProtectClock", "ProtectHostname", "RestrictNamespaces", "RestrictRealtime"),
    *("RestrictSUIDSGID", "LockPersonality", "MemoryDenyWriteExecute"),
)
HARMFUL = ("ProtectKernelTunables", "ProtectControlGroups", "ProtectProc", "ProcSubset")

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    program = write(tmp_path / "bin" / "zecher", "#!/bin/sh\n")
    program.chmod(0o755)
    return Installation(
        program=str(program),
        folders=("/home/ana/.bmad-plus/brain", "/home/ana/.local/state/zecher"),
        logs="/home/ana/.local/state/zecher/logs",
        calendar=("*-*-* 03:17:00", "Sun *-*-* 04:23:00 Europe/Berlin"),
    )


def analyze(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700, exist_ok=True)
    return subprocess.run(
        ["systemd-analyze", *words],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(runtime), "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def write_units(folder: Path, installation: Installation, old: str = "", new: str = "") -> list[str]:
    """All units in ``folder``, with ``old`` in them replaced; their paths, the template as one instance."""
    for name in UNITS:
        write(
            folder / name, render(name, installation).replace(old, new) if old else render(name, installation)
        )
    return [f"./{name}".replace("@.", "@test.") for name in UNITS]


def verify(tmp_path: Path, installation: Installation, old: str = "", new: str = "") -> tuple[int, str]:
    units = write_units(tmp_path, installation, old, new)
    done = analyze(tmp_path, "verify", "--user", "--recursive-errors=no", *units)
    return done.returncode, done.stdout + done.stderr


@needs_systemd
def test_the_units_pass_the_check_without_a_word(tmp_path: Path, installation: Installation) -> None:
    assert verify(tmp_path, installation) == (0, "")


@needs_systemd
@pytest.mark.parametrize("name", ["it's 100% of $HOME", 'a"b\\c', "äöü;#x"])
def test_the_units_pass_with_paths_of_any_name(tmp_path: Path, installation: Installation, name: str) -> None:
    program = write(tmp_path / name / "zecher", "#!/bin/sh\n")
    program.chmod(0o755)
    odd = Installation(
        program=str(program),
        folders=(f"/home/{name}",),
        logs="/x",
        environment=(("ZECHER_BRAIN", f"/home/{name}"),),
        calendar=installation.calendar,
        network=True,
    )

    assert verify(tmp_path, odd) == (0, "")


@needs_systemd
@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("PrivateUsers=", "PrivateUser=", "PrivateUser"),
        ("ProtectSystem=strict", "ProtectSystem=srtict", "srtict"),
        ("OnCalendar=hourly", "OnCalendar=hourley", "hourley"),
        ("Persistent=", "Persistant=", "Persistant"),
        ("[Timer]", "[Timers]", "Timers"),
        ("/bin/zecher", "/bin/missing", "/bin/missing"),
    ],
)
def test_a_misspelled_word_fails_the_check(
    tmp_path: Path, installation: Installation, old: str, new: str, word: str
) -> None:
    code, said = verify(tmp_path, installation, old, new)

    assert code != 0
    assert word in said


@needs_systemd
@pytest.mark.parametrize("name", SERVICES)
def test_the_exposure_of_each_service_is_small(tmp_path: Path, installation: Installation, name: str) -> None:
    write_units(tmp_path, installation)

    done = analyze(
        tmp_path, "security", "--offline=true", "--threshold=20", f"./{name.replace('@.', '@test.')}"
    )

    assert done.returncode == 0, done.stdout[-300:]
    score = re.search(r"exposure level for .*: ([0-9.]+)", done.stdout)
    assert score
    assert float(score[1]) <= 1.5


@needs_systemd
def test_a_service_without_its_sandbox_fails_that_check(tmp_path: Path) -> None:
    write(tmp_path / "naked.service", "[Service]\nExecStart=/bin/true\n")

    assert (
        analyze(tmp_path, "security", "--offline=true", "--threshold=20", "./naked.service").returncode != 0
    )


@needs_systemd
@pytest.mark.parametrize(
    ("text", "zone", "first"),
    [
        ("daily 03:17", None, "Tue 2026-12-01 03:17:00"),
        ("daily 03:17", "Asia/Tokyo", "Mon 2026-11-30 18:17:00"),
        ("weekly sun 04:23", None, "Sun 2026-12-06 04:23:00"),
        ("weekly mon 00:00", None, "Mon 2026-12-07 00:00:00"),
    ],
)
def test_systemd_reads_a_schedule_as_it_was_meant(text: str, zone: str | None, first: str) -> None:
    (line,) = calendar([parse_schedule(text, zone)])

    done = subprocess.run(
        ["systemd-analyze", "calendar", "--base-time=2026-11-30 17:00:00 UTC", line],
        env={"PATH": "/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert f"Next elapse: {first} UTC" in done.stdout or f"(in UTC): {first} UTC" in done.stdout


def test_every_few_hours_needs_no_time_of_its_own() -> None:
    assert calendar(
        [parse_schedule("every 6h"), parse_schedule("daily 03:17"), parse_schedule("daily 03:17")]
    ) == ("*-*-* 03:17:00",)


@pytest.mark.parametrize("path", sorted((HERE / "systemd").iterdir()), ids=lambda path: path.name)
def test_every_line_of_a_unit_has_its_comment(path: Path) -> None:
    before = ""
    settings = 0
    for line in path.read_text().splitlines():
        if re.match(r"[A-Za-z]+=", line):
            settings += 1
            assert before.startswith("#"), line
        # The places of one or several lines have a comment above them here or bring their own.
        before = line
    assert settings > 1
    assert not (HERE / "systemd" / "__init__.py").exists()


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_has_the_sandbox_that_was_measured_and_nothing_that_breaks_it(
    installation: Installation, name: str
) -> None:
    lines = render(name, installation).splitlines()

    assert [f"{key}=yes" for key in SANDBOX if f"{key}=yes" not in lines] == []
    for line in ("ProtectSystem=strict", "ProtectHome=read-only", "UMask=0077", "CapabilityBoundingSet="):
        assert line in lines
    for line in ("PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX", "SystemCallErrorNumber=EPERM"):
        assert line in lines
    assert [line for line in lines if line.startswith(HARMFUL)] == []


def test_the_network_is_there_only_where_somebody_is_told_over_it(installation: Installation) -> None:
    told = Installation(installation.program, installation.folders, "/x", network=True)

    lines = render(RUN, told).splitlines()

    assert "PrivateNetwork=no" in lines
    assert "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6" in lines


def test_no_place_is_left_open_and_only_absolute_paths_are_started(installation: Installation) -> None:
    for name in UNITS:
        text = render(name, installation)
        assert re.findall(r"@[A-Z_]+@", text) == []
        starts = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
        assert len(starts) == (0 if name == TIMER else 1)
        assert all(start.startswith(f'"{installation.program}" ') for start in starts)
        assert "PYTHONPATH" not in text


def test_the_timer_makes_up_for_what_it_missed(installation: Installation) -> None:
    lines = render(TIMER, installation).splitlines()

    assert {"Persistent=true", "OnCalendar=hourly", "RandomizedDelaySec=10min"} <= set(lines)
    assert {f"OnCalendar={time}" for time in installation.calendar} <= set(lines)


def test_the_wheel_brings_the_templates_inside_the_package_that_reads_them(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)],
        cwd=HERE,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (built,) = tmp_path.glob("*.whl")
    shutil.unpack_archive(built, tmp_path / "installed", "zip")
    with zipfile.ZipFile(built) as wheel:
        names = [name for name in wheel.namelist() if name.startswith("jobs/systemd/")]
    assert sorted(names) == sorted(f"jobs/systemd/{path.name}" for path in (HERE / "systemd").iterdir())

    text = (
        "import json; from jobs.scheduler.units import render\n"
        "from jobs.scheduler.values import Installation\n"
        "print(json.dumps(render('zecher-run.timer', Installation('/x', (), '/x'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", text],
        cwd=tmp_path / "installed",
        env={"PYTHONPATH": str(tmp_path / "installed"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout) == render(TIMER, Installation("/x", (), "/x"))
