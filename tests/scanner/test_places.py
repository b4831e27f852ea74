"""Where a scan does not go, and where it stops: mounts that never answer, budgets, clouds, slow drives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from scanner.away import FarAwayError, keeping_away, near_path
from scanner.mounts import Mount, Mounts, read_mounts
from scanner.places import Places, SilentError, in_time, spelled_as_listed
from scanner.project import Root
from scanner.reading import Clouds, UnreadableError, heeding, is_placeholder, read_file, read_optional
from scanner.roots import resolve_roots
from scanner.trace import Reads, exists, is_folder, lexists, listening, realpath, stat
from tests.scanner.support_cases import Desk, below, one, only, scan_of
from tests.support import Git, write

MANIFEST = "module example.com/x\n\ngo 1.22\n"
Mounted = Callable[..., Mounts]


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


@pytest.fixture
def mounted(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Mounted:
    """Tells the scan that the system has these mounts; the folders themselves are ordinary ones."""

    def tell(*mounts: tuple[Path, str]) -> Mounts:
        lines = ["20 1 8:1 / / rw - ext4 /dev/sda1 rw"]
        for number, (point, kind) in enumerate(mounts, start=21):
            lines.append(f"{number} 20 0:{number} / {point} rw,relatime shared:1 - {kind} none rw")
        table = write(desk.outside / "mountinfo", "\n".join(lines) + "\n")
        monkeypatch.setattr("scanner.scan.read_mounts", lambda: read_mounts(str(table)))
        monkeypatch.setattr("scanner.explain.read_mounts", lambda: read_mounts(str(table)))
        return read_mounts(str(table))

    return tell


# Budgets


def test_a_root_with_more_folders_than_its_budget_gives_a_partial_result_that_says_so(desk: Desk) -> None:
    for number in range(50):
        desk.manifest(f"{number:02}")

    result = scan_of(Root(str(desk.root), max_folders=11))

    assert result.coverage.directories == 11
    assert len(result.projects) == 10
    assert result.coverage.over_budget == (str(desk.root),)
    assert [(problem.code, problem.level, problem.path) for problem in result.problems] == [
        ("budget", "error", str(desk.root))
    ]


def test_a_root_with_more_entries_than_its_budget_gives_a_partial_result_that_says_so(desk: Desk) -> None:
    for number in range(50):
        write(desk.manifest(f"{number:02}") / "README.md")

    result = scan_of(Root(str(desk.root), max_entries=60))

    assert 60 < result.coverage.entries <= 62
    assert 0 < len(result.projects) < 50
    assert result.coverage.over_budget == (str(desk.root),)


def test_a_root_that_just_fits_its_budget_is_whole(desk: Desk) -> None:
    desk.manifest("a")
    desk.manifest("b")

    result = scan_of(Root(str(desk.root), max_folders=3, max_entries=4))

    assert (below(desk.root, result.projects), result.problems) == (["a", "b"], ())


def test_a_budget_is_each_roots_own(desk: Desk) -> None:
    for number in range(50):
        desk.manifest(f"one/{number:02}")
    desk.manifest("two/a")

    result = scan_of(Root(str(desk.root / "one"), max_folders=5), Root(str(desk.root / "two")))

    assert str(desk.root / "two/a") in [project.path for project in result.projects]
    assert result.coverage.over_budget == (str(desk.root / "one"),)


def test_the_larger_budget_of_a_root_given_twice_counts(desk: Desk) -> None:
    wanted = (Root(str(desk.root), 2, 10, 500), Root(str(desk.root), 3, 20, 100))

    assert resolve_roots(wanted) == ((Root(str(desk.root), 3, 20, 500),), ())


def test_a_usual_root_has_room_for_two_million_entries() -> None:
    assert (Root("/").max_entries, Root("/").max_folders) == (2_000_000, 200_000)


# Mounts that never answer: a real one, of a FUSE program that has stopped

_DEAD = """
import ctypes, json, os, sys, time
point, patience, *roots = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
try:
    fuse = os.open("/dev/fuse", os.O_RDWR)
except OSError as error:
    sys.exit(f"no mount: {error}")
options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0".encode()
if libc.mount(b"none", os.fsencode(point), b"fuse.dead", 0, options):
    sys.exit("no mount: " + os.strerror(ctypes.get_errno()))
import scanner.scan
from scanner.project import Root, Thresholds
from scanner.scan import Request, scan
scanner.scan.PATIENCE = float(patience)
start = time.monotonic()
if roots == ["--unguarded"]:
    from scanner.places import in_time
    try:
        in_time(lambda: os.stat(point), 0.3)
    except TimeoutError:
        sys.exit("it hangs")
    sys.exit("it answers")
found = scan(
    Request(roots=tuple(map(Root, roots)), thresholds=Thresholds(), now=1796008624.0, unsaved=True)
)
print(json.dumps({
    "projects": [project.path for project in found.projects],
    "problems": [(problem.code, problem.path) for problem in found.problems],
    "seconds": time.monotonic() - start,
}))
"""


def in_a_world_with_a_dead_mount(
    point: Path, *roots: Path | str, patience: float = 1.0
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [
            *("unshare", "--mount", "--map-root-user", sys.executable, "-c", _DEAD),
            *(str(point), str(patience), *map(str, roots)),
        ],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if "unshare:" in done.stderr or "no mount:" in done.stderr:
        pytest.skip(f"no mounts here: {done.stderr.strip()}")
    return done


def scanned_beside_a_dead_mount(point: Path, *roots: Path | str, patience: float = 1.0) -> dict[str, Any]:
    """What a scan of ``roots`` tells while nothing answers at ``point``."""
    done = in_a_world_with_a_dead_mount(point, *roots, patience=patience)
    assert done.stderr == ""
    return cast("dict[str, Any]", json.loads(done.stdout))


pytest_unshare = pytest.mark.skipif(sys.platform != "linux", reason="needs mount namespaces")


@pytest_unshare
def test_whoever_asks_the_dead_mount_of_these_tests_hangs(desk: Desk) -> None:
    (desk.root / "share").mkdir()

    done = in_a_world_with_a_dead_mount(desk.root / "share", "--unguarded")

    assert done.stderr == "it hangs\n"


@pytest_unshare
@pytest.mark.parametrize("root", ["share", "share/dev", "link", "link/dev", "way/../share"])
def test_a_root_that_does_not_answer_is_given_up_and_the_others_are_searched(desk: Desk, root: str) -> None:
    near = desk.manifest("near/own").parent
    share = desk.outside / "share"
    share.mkdir()
    (desk.outside / "way").mkdir()
    (desk.outside / "link").symlink_to(share)

    found = scanned_beside_a_dead_mount(share, desk.outside / root, near)

    assert found["projects"] == [str(near / "own")]
    assert found["problems"] == [["root-silent", str(desk.outside / root)]]


@pytest_unshare
def test_one_dead_mount_is_waited_for_once(desk: Desk) -> None:
    share = desk.root / "share"
    share.mkdir()
    roots = [share / f"{number}" for number in range(20)]

    found = scanned_beside_a_dead_mount(share, *roots, patience=1.0)

    assert len(found["problems"]) == 20
    assert found["seconds"] < 10  # 20 waits would be 20


def _pointing_worktree(desk: Desk, share: Path) -> None:
    shop = desk.root / "shop"
    desk.git("worktree", "add", "-q", "--detach", str(desk.outside / "tree"), cwd=shop)
    (shop / ".git/worktrees/tree/gitdir").write_text(f"{share}/tree/.git\n")


def _borrowing_objects(desk: Desk, share: Path) -> None:
    write(desk.root / "shop/.git/objects/info/alternates", f"{share}/objects\n")


def _gitfile(desk: Desk, share: Path) -> None:
    write(desk.root / "shop/packages/part/.git", f"gitdir: {share}/repository\n")
    write(desk.root / "other/.git", f"gitdir: {share}/repository\n")


def _linked_repository(desk: Desk, share: Path) -> None:
    (desk.root / "other").mkdir()
    (desk.root / "other/.git").symlink_to(share / "repository")
    (desk.root / "shop/nested").mkdir()
    (desk.root / "shop/nested/.git").symlink_to(share / "repository")


def _linked_manifest(desk: Desk, share: Path) -> None:
    (desk.root / "shop/package.json").symlink_to(share / "package.json")
    (desk.root / "other").mkdir()
    (desk.root / "other/package.json").symlink_to(share / "package.json")


def _linked_object_folder(desk: Desk, share: Path) -> None:
    shop = desk.root / "shop"
    (shop / ".git/logs").rename(shop / ".git/elsewhere")
    (shop / ".git/logs").symlink_to(share / "logs")


def _workspace(desk: Desk, share: Path) -> None:
    write(desk.root / "shop/package.json", '{"name": "shop", "workspaces": ["linked/*", "packages/*"]}\n')
    (desk.root / "shop/linked").symlink_to(share)


@pytest_unshare
@pytest.mark.parametrize(
    "point_there",
    [
        _pointing_worktree,
        _borrowing_objects,
        _gitfile,
        _linked_repository,
        _linked_manifest,
        _linked_object_folder,
        _workspace,
    ],
)
@pytest.mark.parametrize("place", ["dev/share", "outside/share"])
def test_nothing_that_points_to_a_dead_mount_leads_a_scan_there(
    desk: Desk, point_there: Callable[[Desk, Path], None], place: str
) -> None:
    share = desk.root.parent / place
    share.mkdir()
    shop = desk.repository("shop")
    point_there(desk, share)

    found = scanned_beside_a_dead_mount(share, desk.root)

    assert str(shop) in found["projects"]
    assert "project-failed" not in [code for code, _ in found["problems"]]


# Mounts that stop answering later


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, Path], None]]:
    """Makes one question about one folder hang, as if its server went away a moment ago."""
    over = threading.Event()

    def hang(name: str, folder: Path) -> None:
        original = getattr(os, name)

        def asked(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
            if not isinstance(path, int) and os.fsdecode(path) == str(folder):
                over.wait(30)
            return original(path, *args, **kwargs)

        monkeypatch.setattr(os, name, asked)

    monkeypatch.setattr("scanner.scan.PATIENCE", 0.5)
    yield hang
    over.set()


def test_a_server_that_goes_away_during_the_walk_ends_it_there(
    desk: Desk, mounted: Mounted, hanging: Callable[[str, Path], None]
) -> None:
    share = desk.manifest("share/group/one").parents[1]
    desk.manifest("near/own")
    mounted((share, "nfs4"))
    hanging("scandir", share / "group")

    result = scan_of(Root(str(desk.root / "near")), Root(str(share)))

    assert below(desk.root, result.projects) == ["near/own"]
    assert [(problem.code, problem.level) for problem in result.problems] == [("root-silent", "error")]


def test_a_server_that_goes_away_before_a_project_is_read_costs_that_project(
    desk: Desk, mounted: Mounted, hanging: Callable[[str, Path], None]
) -> None:
    share = desk.manifest("share/one").parent
    desk.manifest("near/own")
    mounted((share, "nfs4"))
    hanging("stat", share / "one")

    result = scan_of(Root(str(desk.root / "near")), Root(str(share)))

    assert below(desk.root, result.projects) == ["near/own"]
    assert [problem.code for problem in result.problems] == ["root-silent"]


def test_a_root_on_a_network_mount_that_answers_is_searched(desk: Desk, mounted: Mounted) -> None:
    desk.repository("share/shop")
    desk.manifest("share/group/own")
    mounted((desk.root / "share", "nfs4"))

    result = scan_of(Root(str(desk.root / "share")))

    assert below(desk.root, result.projects) == ["share/group/own", "share/shop"]
    assert result.problems == ()


def test_a_second_network_mount_below_the_first_is_not_entered(desk: Desk, mounted: Mounted) -> None:
    desk.manifest("share/own")
    desk.manifest("share/deeper/theirs")
    mounted((desk.root / "share", "nfs4"), (desk.root / "share/deeper", "nfs4"))

    assert below(desk.root, scan_of(Root(str(desk.root / "share"))).projects) == ["share/own"]


@pytest.mark.parametrize("root", ["auto", "auto/host/share"])
def test_an_automount_is_never_triggered(desk: Desk, mounted: Mounted, root: str) -> None:
    desk.manifest("auto/host/share/theirs")
    mounted((desk.root / "auto", "autofs"))

    result = scan_of(Root(str(desk.root / root)))

    assert result.projects == ()
    assert [(problem.code, problem.level) for problem in result.problems] == [("root-automount", "error")]


def test_what_an_automount_has_mounted_is_searched(desk: Desk, mounted: Mounted) -> None:
    desk.manifest("auto/own")
    mounted((desk.root / "auto", "autofs"), (desk.root / "auto", "ext4"))

    assert below(desk.root, scan_of(Root(str(desk.root / "auto"))).projects) == ["auto/own"]


def test_the_disk_that_the_system_runs_from_is_never_far() -> None:
    assert not Mount("0:1", stable_inodes=False, kind="nfs4", point="/").is_far
    assert Mount("0:1", stable_inodes=False, kind="nfs4", point="/mnt").is_far


@pytest.mark.parametrize("kind", ["fuseblk", "ext4", "btrfs", "overlay", "tmpfs", "virtiofs"])
def test_local_disks_are_near(kind: str) -> None:
    assert not Mount("0:1", stable_inodes=False, kind=kind, point="/mnt").is_far


# Asking in time


def test_an_answer_in_time_is_the_answer() -> None:
    assert in_time(lambda: 7, 5.0) == 7


def test_what_the_question_raises_is_raised() -> None:
    def fail() -> int:
        raise FileNotFoundError("gone")

    with pytest.raises(FileNotFoundError, match="gone"):
        in_time(fail, 5.0)


def test_a_mount_that_was_silent_once_is_not_asked_again() -> None:
    far = Mount("0:9", stable_inodes=False, kind="nfs4", point="/mnt/nas")
    places = Places(Mounts({"/mnt/nas": far}), 0.05)
    over = threading.Event()
    asked: list[int] = []

    def question() -> None:
        asked.append(1)
        over.wait(30)

    for _ in range(3):
        with pytest.raises(SilentError):
            places.ask(far, question)
    over.set()

    assert (asked, places.silent) == ([1], {"/mnt/nas"})


def test_a_path_is_resolved_as_the_system_does(desk: Desk) -> None:
    (desk.outside / "a/b").mkdir(parents=True)
    (desk.outside / "down").symlink_to("a")
    (desk.outside / "a/up").symlink_to("../down/b")
    (desk.outside / "a/gone").symlink_to("nowhere/x")
    spellings = ("a/up", "down/up/../up", "a/gone", "down//./b", "a/up/none", "a/../down/up")

    paths = [f"{desk.outside}/{spelled}" for spelled in spellings]

    assert [near_path(path, lambda _: False) for path in paths] == [os.path.realpath(path) for path in paths]


def test_links_in_a_ring_end(desk: Desk) -> None:
    (desk.outside / "a").symlink_to("b")
    (desk.outside / "b").symlink_to("a")

    assert near_path(f"{desk.outside}/a", lambda _: False)
    assert resolve_roots([Root(f"{desk.outside}/a")])[1][0].code == "root-unreadable"


# The doors


def test_no_door_leads_to_what_is_kept_away_and_what_was_told_so_is_not_kept(desk: Desk) -> None:
    share = desk.manifest("share/theirs").parent
    (desk.root / "link").symlink_to(share / "theirs/go.mod")
    reads = Reads()
    with keeping_away([str(share)]), listening(reads):
        answers = (
            exists(str(desk.root / "link")),
            lexists(str(share / "theirs")),
            is_folder(str(share)),
            realpath(str(desk.root / "link")),
        )
        with pytest.raises(FarAwayError):
            stat(str(share / "theirs"))
        with pytest.raises(UnreadableError, match="another file system"):
            read_file(str(share / "theirs/go.mod"))

    assert answers == (False, False, False, str(share / "theirs/go.mod"))
    assert not reads.is_sound
    assert exists(str(desk.root / "link"))


# Clouds


def hole(path: Path, size: int = 500) -> Path:
    """A file of which the system says that it has a size and no block, as entries of cloud drives do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    os.truncate(path, size)
    if os.lstat(path).st_blocks:
        pytest.skip("this file system gives blocks to a hole")
    return path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every path that is opened."""
    paths: list[str] = []
    original = os.open

    def watched(path: Any, *args: Any, **kwargs: Any) -> int:
        paths.append(os.fsdecode(path))
        return original(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", watched)
    return paths


def test_a_placeholder_is_never_opened_and_the_project_says_so(
    desk: Desk, mounted: Mounted, opened: list[str]
) -> None:
    shop = desk.repository("cloud/shop", files={"README.md": "# Shop\n", "src/a.py": "x\n"})
    far = [hole(shop / name) for name in ("package.json", "README.md", "src/a.py", "new.py")]
    far += [hole(path) for path in sorted((shop / ".git/objects").rglob("*")) if path.is_file()]
    far += [hole(shop / ".git/index", 300), hole(shop / ".git/logs/HEAD", 300)]
    desk.manifest("cloud/here")
    mounted((desk.root / "cloud", "fuse.onedriver"))
    opened.clear()

    result = scan_of(Root(str(desk.root / "cloud")), unsaved=True)

    assert set(map(str, far)).isdisjoint(opened)
    assert str(shop / ".git/HEAD") in opened
    assert "placeholders" in one(result, "shop").flags
    assert "placeholders" not in one(result, "here").flags
    assert result.coverage.placeholders > 0


def test_the_same_files_on_a_disk_are_opened(desk: Desk, opened: list[str]) -> None:
    manifest = hole(desk.repository("shop") / "package.json")

    result = desk.scan()

    assert str(manifest) in opened
    assert "placeholders" not in only(result).flags
    assert result.coverage.placeholders == 0


@pytest.mark.parametrize(
    ("kind", "size", "is_read"),
    [
        ("fuse.onedriver", 1, False),
        ("fuse", 500, False),
        ("drvfs", 700, True),
        ("9p", 1500, False),
        ("cifs", 700, True),
        ("cifs", 1500, False),
        ("fuse.sshfs", 4000, True),
        ("fuse.mergerfs", 5000, False),
        ("nfs4", 5000, True),
        ("ext4", 5000, True),
    ],
)
def test_how_large_a_whole_file_without_a_block_may_be_depends_on_the_file_system(
    desk: Desk, kind: str, size: int, *, is_read: bool
) -> None:
    path = hole(desk.root / "file", size)
    whole = Mount("0:9", stable_inodes=False, kind=kind, point="/mnt").whole_without_blocks
    clouds = Clouds([] if whole is None else [(str(desk.root), whole)])

    with heeding(clouds):
        if is_read:
            assert len(read_file(str(path))) == size
        else:
            for read in (read_file, read_optional):
                with pytest.raises(UnreadableError) as refused:
                    read(str(path), 10_000)
                assert refused.value.code == "placeholder"

    assert clouds.met == (0 if is_read else 2)


def test_a_reading_that_met_a_placeholder_is_not_kept(desk: Desk) -> None:
    path = hole(desk.root / "file")
    reads = Reads()

    with (
        heeding(Clouds([(str(desk.root), 0)])),
        listening(reads),
        pytest.raises(UnreadableError, match="cloud"),
    ):
        read_file(str(path))

    assert not reads.is_sound


def test_an_empty_file_and_a_link_are_no_placeholders(desk: Desk) -> None:
    write(desk.root / "empty", "")
    (desk.root / "link").symlink_to("empty")

    with heeding(Clouds([(str(desk.root), 0)])):
        assert read_file(str(desk.root / "empty")) == b""
        with pytest.raises(UnreadableError) as refused:
            read_file(str(desk.root / "link"))

    assert refused.value.code == "link"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"st_size": 9000, "st_blocks": 0, "st_file_attributes": 0x400020}, True),
        ({"st_size": 9000, "st_blocks": 0, "st_file_attributes": 0x40020}, True),
        ({"st_size": 9000, "st_blocks": 0, "st_file_attributes": 0x20}, False),
        ({"st_size": 9000, "st_blocks": 16, "st_flags": 0x40000000}, True),
        ({"st_size": 9000, "st_blocks": 0}, False),
    ],
)
def test_where_the_system_flags_placeholders_its_word_counts(
    status: dict[str, int], *, expected: bool
) -> None:
    assert is_placeholder(cast("os.stat_result", SimpleNamespace(**status)), None) is expected


def test_a_folder_that_lies_in_a_cloud_is_not_listed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.manifest("far/theirs")
    desk.manifest("own")
    inode = (desk.root / "far").stat().st_ino
    monkeypatch.setattr("scanner.scan.read_mounts", Mounts)
    monkeypatch.setattr("scanner.walk.FLAGS_PLACEHOLDERS", True)
    monkeypatch.setattr("scanner.walk.is_placeholder", lambda status, _: status.st_ino == inode)

    result = desk.scan()

    assert below(desk.root, result.projects) == ["own"]
    assert result.coverage.pruned == (("placeholder", 1),)


# Drives of Windows


@pytest.mark.parametrize("kind", ["9p", "drvfs"])
def test_a_drive_of_windows_is_searched_one_folder_less_deep_and_that_is_said(
    desk: Desk, mounted: Mounted, kind: str
) -> None:
    desk.manifest("c/1/2/three")
    desk.manifest("c/1/2/3/four")
    mounted((desk.root / "c", kind))

    result = scan_of(Root(str(desk.root / "c"), 4))

    assert below(desk.root, result.projects) == ["c/1/2/three"]
    assert [(problem.code, problem.level) for problem in result.problems] == [("slow-root", "warning")]
    assert result.coverage.cut_by_depth == 1


def test_a_drive_of_windows_is_searched_one_folder_deep_at_least(desk: Desk, mounted: Mounted) -> None:
    desk.manifest("c/one")
    mounted((desk.root / "c", "9p"))

    result = scan_of(Root(str(desk.root / "c"), 1))

    assert (below(desk.root, result.projects), result.problems) == (["c/one"], ())


# Disks that take no heed of case


@pytest.fixture
def heedless(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below which names are found whatever their case, as on macOS and Windows."""
    base = desk.outside / "Users"
    base.mkdir()

    def found(path: str) -> str:
        steps = path[len(str(base)) :].split("/")[1:]
        place = str(base)
        for step in steps:
            fitting = [name for name in os.listdir(place) if name.casefold() == step.casefold()]
            place = f"{place}/{fitting[0] if fitting else step}"
        return place

    for name in ("lstat", "stat", "readlink", "scandir"):
        original = getattr(os, name)

        def asked(path: Any = ".", *args: Any, _original: Any = original, **kwargs: Any) -> Any:
            inside = isinstance(path, str) and path.casefold().startswith(f"{base}/".casefold())
            return _original(found(path) if inside else path, *args, **kwargs)

        monkeypatch.setattr(os, name, asked)
    return base


def test_a_root_spelled_in_two_ways_counts_once_as_the_disk_spells_it(heedless: Path) -> None:
    (heedless / "Ana/dev").mkdir(parents=True)
    wanted = [Root(f"{heedless}/{spelled}") for spelled in ("ana/DEV", "Ana/dev", "ANA/Dev")]

    assert resolve_roots(wanted) == ((Root(f"{heedless}/Ana/dev"),), ())


def test_a_root_inside_a_root_of_another_case_is_merged(heedless: Path) -> None:
    write(heedless / "Ana/dev/group/own/go.mod", MANIFEST)

    result = scan_of(Root(f"{heedless}/ANA"), Root(f"{heedless}/ana/DEV", 3))

    assert result.roots == (Root(f"{heedless}/Ana"),)
    assert [project.path for project in result.projects] == [f"{heedless}/Ana/dev/group/own"]


def test_where_case_counts_each_spelling_is_a_root(desk: Desk) -> None:
    for name in ("dev", "Dev", "DEV"):
        (desk.outside / name).mkdir()
    paths = sorted(f"{desk.outside}/{name}" for name in ("dev", "Dev", "DEV"))

    assert [root.path for root in resolve_roots(list(map(Root, paths)))[0]] == paths


def test_accents_are_spelled_as_the_disk_spells_them(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    composed, taken_apart = "caf\u00e9", "cafe\u0301"
    (desk.outside / taken_apart).mkdir()
    original = os.lstat
    monkeypatch.setattr(os, "lstat", lambda path, **how: original(path.replace(composed, taken_apart), **how))

    assert spelled_as_listed(f"{desk.outside}/{composed}", Mounts()) == f"{desk.outside}/{taken_apart}"
