"""One device by default: other file systems are left alone, and one folder in two places counts once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scanner.mounts import read_mounts
from tests.scanner.support_cases import Desk, below
from tests.support import Git, write

Mounted = Callable[..., None]

_SCAN = """
import sys
from scanner.project import Root, Thresholds
from scanner.scan import Request, scan
found = scan(Request(roots=(Root(sys.argv[1]),), thresholds=Thresholds(), now=1796008624.0))
print(*(project.path for project in found.projects), dict(found.coverage.pruned), sep="\\n")
"""


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


@pytest.fixture
def mounted(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Mounted:
    """Tells the scan that the system has these mounts; the folders themselves are ordinary ones."""

    def tell(*mounts: tuple[Path, str, str]) -> None:
        lines = ["20 1 8:1 / / rw - ext4 /dev/sda1 rw"]
        for number, (point, device, kind) in enumerate(mounts, start=21):
            spelled = str(point).replace(" ", "\\040")
            lines.append(f"{number} 20 {device} / {spelled} rw,relatime shared:1 - {kind} none rw")
        table = write(desk.outside / "mountinfo", "\n".join(lines) + "\n")
        monkeypatch.setattr("scanner.scan.read_mounts", lambda: read_mounts(str(table)))

    return tell


def test_another_device_is_not_entered(desk: Desk, mounted: Mounted) -> None:
    desk.manifest("own")
    desk.manifest("stick/theirs")
    mounted((desk.root / "stick", "8:17", "vfat"))

    result = desk.scan()

    assert below(desk.root, result.projects) == ["own"]
    assert result.coverage.pruned == (("other-device", 1),)


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "autofs", "9p"])
def test_a_network_mount_is_not_entered(desk: Desk, mounted: Mounted, kind: str) -> None:
    desk.manifest("own")
    desk.manifest("share/theirs")
    mounted((desk.root / "share", "0:77", kind))

    assert desk.found() == ["own"]


def test_a_mount_whose_name_holds_a_space_is_known_too(desk: Desk, mounted: Mounted) -> None:
    desk.manifest("my share/theirs")
    mounted((desk.root / "my share", "0:77", "nfs4"))

    assert desk.found() == []


def test_a_project_that_is_itself_a_mount_is_left_alone(desk: Desk, mounted: Mounted) -> None:
    desk.repository("share")
    mounted((desk.root / "share", "0:77", "nfs4"))

    assert desk.found() == []


def test_the_same_device_mounted_below_is_entered(desk: Desk, mounted: Mounted) -> None:
    desk.manifest("bound/own")
    mounted((desk.root / "bound", "8:1", "ext4"))

    assert desk.found() == ["bound/own"]


def test_a_root_on_another_device_is_walked(desk: Desk, mounted: Mounted) -> None:
    desk.manifest("own")
    mounted((desk.root, "8:17", "ext4"))

    assert desk.found() == ["own"]


def test_the_disk_below_a_root_on_another_device_is_not_entered(desk: Desk, mounted: Mounted) -> None:
    desk.manifest("own")
    desk.manifest("back/theirs")
    mounted((desk.root, "8:17", "ext4"), (desk.root / "back", "8:1", "ext4"))

    assert desk.found() == ["own"]


@pytest.fixture
def never_asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], list[str]]:
    """Stands for a mount whose server is gone: lists every question that would have hung for ever."""

    def watch(mount: Path) -> list[str]:
        asked: list[str] = []

        def watched(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
            def call(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
                if not isinstance(path, int):
                    whole = os.path.join(_folder_of(kwargs.get("dir_fd")), os.fsdecode(path))
                    if f"{whole}/".startswith(f"{mount}/"):
                        asked.append(f"{name} {whole}")
                return original(path, *args, **kwargs)

            return call

        for name in ("access", "listdir", "lstat", "open", "readlink", "scandir", "stat"):
            monkeypatch.setattr(os, name, watched(name, getattr(os, name)))
        return asked

    return watch


def _folder_of(descriptor: int | None) -> str:
    return "" if descriptor is None else os.readlink(f"/proc/self/fd/{descriptor}")


@pytest.mark.parametrize(
    "place", ["share", "group/share", ".share", "snap", "build", "shop/share", "shop/a/b"]
)
@pytest.mark.skipif(not Path("/proc/self/mountinfo").exists(), reason="needs a mount table")
def test_a_mount_whose_server_is_gone_is_never_asked(
    desk: Desk, mounted: Mounted, never_asked: Callable[[Path], list[str]], place: str
) -> None:
    desk.repository("shop")
    write(desk.root / "package.json", "{}\n")
    desk.manifest(f"{place}/theirs")
    (desk.root / place / ".git").mkdir()
    mounted((desk.root / place, "0:77", "nfs4"))
    asked = never_asked(desk.root / place)

    found = desk.found()

    assert (found, asked) == (["shop"], [])


def test_without_a_mount_table_everything_is_walked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.manifest("own/one")
    monkeypatch.setattr("scanner.scan.read_mounts", lambda: read_mounts(str(desk.outside / "none")))

    assert desk.found() == ["own/one"]


def test_real_mounts_are_left_alone_and_real_twins_counted_once(desk: Desk) -> None:
    """A memory disk and a bind mount below the root, in a mount namespace of their own."""
    desk.manifest("one/own")
    for name in ("two", "stick"):
        (desk.root / name).mkdir()
    script = f"""
        set -e
        cd {desk.root}
        mount -t tmpfs none stick
        mkdir stick/theirs
        touch stick/theirs/go.mod
        mount --bind one two
        exec {sys.executable} -c '{_SCAN}' {desk.root}
    """
    done = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", script],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
        capture_output=True,
        text=True,
    )
    if "unshare:" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"no mounts here: {done.stderr.strip()}")
    assert done.stderr == ""
    [path, pruned] = done.stdout.splitlines()

    assert path in (str(desk.root / "one/own"), str(desk.root / "two/own"))
    assert "'other-device': 1" in pruned
    assert "'seen-before': 1" in pruned
