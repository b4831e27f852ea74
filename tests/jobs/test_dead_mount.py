"""A network disk that is gone costs a command some seconds and a line; it never hangs or loses a card."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.jobs.program import Program
from tests.support import write

_WORLD = """
import ctypes, json, os, subprocess, sys
point, *command = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
try:
    fuse = os.open("/dev/fuse", os.O_RDWR)
except OSError as error:
    sys.exit(f"no mount: {error}")
options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0".encode()
if libc.mount(b"none", os.fsencode(point), b"fuse.dead", 0, options):
    sys.exit("no mount: " + os.strerror(ctypes.get_errno()))
done = subprocess.run(command, capture_output=True, text=True, timeout=110)
print(json.dumps([done.returncode, done.stdout, done.stderr]))
"""


def beside_a_dead_mount(program: Program, point: Path, *words: str | Path) -> tuple[int, str, str]:
    """Exit code, output and messages of a command while nothing answers at ``point``."""
    done = subprocess.run(
        [
            *("unshare", "--mount", "--map-root-user", sys.executable, "-c", _WORLD, str(point)),
            *program.command(*words),
        ],
        cwd=program.cwd,
        env=program.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if "unshare:" in done.stderr or "no mount:" in done.stderr:
        pytest.skip(f"no mounts here: {done.stderr.strip()}")
    assert done.stderr == ""
    code, out, err = json.loads(done.stdout)
    return code, out, err


@pytest.mark.skipif(sys.platform != "linux", reason="needs mount namespaces")
def test_a_disk_that_is_gone_neither_hangs_a_command_nor_loses_a_card(zecher: Program) -> None:
    near, share = zecher.cwd / "near", zecher.cwd / "share"
    write(near / "own/go.mod", "module own\n", days=1)
    write(share / "theirs/go.mod", "module theirs\n", days=1)
    assert zecher("scan", near, share, "--yes").code == 0

    code, out, err = beside_a_dead_mount(zecher, share, "scan", near, share, "--yes")
    assert code == 3
    assert f"what is mounted at {share} does not answer" in err
    assert str(near / "own") in out

    code, _, err = beside_a_dead_mount(zecher, share, "scan", zecher.cwd, "--yes", "--depth", "3")
    assert (code, "gone" in err) == (0, False)

    code, _, err = beside_a_dead_mount(zecher, share, "status")
    assert code == 3
    assert "[root-silent]" in err

    zecher.extra["ZECHER_NOW"] = "2026-12-01T03:17:04Z"
    code, out, err = beside_a_dead_mount(zecher, share, "run", "nightly", "--json")
    assert code == 3
    assert [problem["code"] for problem in json.loads(out)["problems"]] == ["root-silent"]

    listed = json.loads(zecher("projects", "--json").out)["data"]["projects"]
    assert sorted((Path(one["path"]).name, one["status"]) for one in listed) == [
        ("own", "active"),
        ("theirs", "active"),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="needs mount namespaces")
@pytest.mark.parametrize("words", [("run", "weekly"), ("memory", "check", "--all")])
def test_an_indexed_project_on_a_disk_that_is_gone_is_left_out(
    zecher: Program, words: tuple[str, ...]
) -> None:
    near, share = zecher.cwd / "near", zecher.cwd / "share"
    write(near / "own/go.mod", "module own\n")
    write(share / "theirs/go.mod", "module theirs\n")
    assert zecher("scan", near, share, "--yes").code == 0
    config = zecher.home / ".config/zecher/config.toml"
    write(config, f'[scan]\nroots = ["{near}"]\n')
    config.chmod(0o600)

    assert "theirs" in zecher("memory", "check", "--all", "--json").out
    code, out, _ = beside_a_dead_mount(zecher, share, *words, "--json")

    assert code == 0
    assert json.loads(out)["ok"]
    assert "theirs" not in out
