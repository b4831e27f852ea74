"""Content that is the attack costs a second at most, hides no project and is named where it is not read."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hostile.bombs import CONTENT, IGNORES, JSON, OTHERS, Bomb
from tests.hostile.bombs_git import BOMBS, GitBomb
from tests.hostile.command import FORMATS, Run, Zecher, path_of, paths_of
from tests.hostile.conftest import Workshop
from tests.hostile.harmless import check_shape, check_streams

SECOND = 1.0


@dataclass(frozen=True)
class Field:
    """A root with one folder for each attack, and what the scans of all of them said."""

    root: Path
    zecher: Zecher
    runs: tuple[Run, ...]
    ordinary_seconds: float

    def seconds_of(self, name: str) -> float:
        """What one attack adds to a scan: the best of three, for the machine may be busy."""
        best = float("inf")
        for _ in range(3):
            best = min(best, _scan(self.zecher, self.root / name, "json").seconds - self.ordinary_seconds)
            if best < SECOND:
                break
        return best


def _scan(zecher: Zecher, root: Path, shown: str) -> Run:
    return zecher("scan", str(root), "--dry-run", "--respect-ignore", "--format", shown)


def _till(base: Path, names: Sequence[str], build: Callable[[str, Path], None], workshop: Workshop) -> Field:
    zecher = Zecher(base)
    workshop.template.copy(base / "ordinary" / "project")
    ordinary = min(_scan(zecher, base / "ordinary", "json").seconds for _ in range(3))
    root = base / "root"
    for name in names:
        (root / name).mkdir(parents=True)
        build(name, root / name)
    field = Field(root, zecher, (), ordinary)
    try:
        runs = [_scan(zecher, root, shown) for shown in FORMATS]
        runs.append(zecher("scan", str(root), "--yes", "--json"))
    except subprocess.TimeoutExpired:
        pytest.fail(f"a scan of all never ended; slow ones: {_slow(field, names)}")
    return Field(root, zecher, tuple(runs), ordinary)


def _slow(field: Field, names: Sequence[str]) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            seconds = field.seconds_of(name)
        except subprocess.TimeoutExpired:
            found[name] = "never ends"
            continue
        if seconds >= SECOND:
            found[name] = f"{seconds:.2f} s more"
    return found


def _check_seconds(field: Field, names: Sequence[str]) -> None:
    """One second for each: asked one by one only where all together took longer than that."""
    if max(run.seconds for run in field.runs) - field.ordinary_seconds >= SECOND:
        assert _slow(field, names) == {}


# -- manifests and ignore files --------------------------------------------------------------------


@pytest.fixture(scope="module")
def contents(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Field:
    """Each attack twice: in a folder alone, and in a repository."""
    bombs = {bomb.name: bomb for bomb in CONTENT}

    def build(name: str, folder: Path) -> None:
        (folder / "alone").mkdir()
        bombs[name].build(folder / "alone")
        bombs[name].build(workshop.template.copy(folder / "kept"))

    return _till(tmp_path_factory.mktemp("contents"), list(bombs), build, workshop)


@pytest.mark.parametrize("bomb", CONTENT, ids=lambda bomb: bomb.name)
def test_a_repository_with_hostile_content_is_listed(contents: Field, bomb: Bomb) -> None:
    for run in contents.runs:
        if run.format == "json":
            assert bytes(contents.root / bomb.name / "kept") in paths_of(run)


@pytest.mark.parametrize(
    "bomb", [bomb for bomb in (*JSON, *OTHERS) if bomb.complaint], ids=lambda bomb: bomb.name
)
def test_a_project_whose_manifest_cannot_be_parsed_is_listed_by_its_file(contents: Field, bomb: Bomb) -> None:
    # Case 40: the stack by the name of the file, and a warning.
    assert bytes(contents.root / bomb.name / "alone") in paths_of(contents.runs[0])


@pytest.mark.parametrize("bomb", [bomb for bomb in CONTENT if bomb.complaint], ids=lambda bomb: bomb.name)
def test_what_is_not_read_is_named(contents: Field, bomb: Bomb) -> None:
    place = bytes(contents.root / bomb.name / "kept" / bomb.complaint)
    problems = contents.runs[0].document()["problems"]
    assert place in {path_of(problem) for problem in problems if problem["path"]}


@pytest.mark.parametrize("name", ["json-byte-order-mark", "json-duplicate-keys", "json-blanks"])
def test_what_is_only_odd_is_read(contents: Field, name: str) -> None:
    path = bytes(contents.root / name / "alone")
    found = [one for one in contents.runs[0].document()["data"]["projects"] if path_of(one) == path]
    assert [one["stack"] for one in found] == ["Node.js"]
    assert found[0]["name"] in ("x", "b")


@pytest.mark.parametrize("bombs", [JSON, OTHERS, IGNORES], ids=["json", "others", "ignores"])
def test_hostile_content_costs_a_second_at_most(contents: Field, bombs: tuple[Bomb, ...]) -> None:
    _check_seconds(contents, [bomb.name for bomb in bombs])


def test_hostile_content_breaks_no_output(contents: Field) -> None:
    for run in contents.runs:
        check_shape(run)


def test_an_ignore_file_of_a_container_costs_a_second_at_most(workshop: Workshop, tmp_path: Path) -> None:
    # The walk itself asks these rules, for every folder between the root and its projects.
    root = tmp_path / "root"
    for bomb in IGNORES:
        (root / bomb.name).mkdir(parents=True)
        bomb.build(root / bomb.name)
        (root / bomb.name / "package.json").unlink()
        for number in range(20):
            folder = root / bomb.name / f"{number:02}{'a' * 200}"
            folder.unlink(missing_ok=True)
            folder.mkdir()
        workshop.template.copy(root / bomb.name / "project")
    zecher = Zecher(tmp_path)
    workshop.template.copy(tmp_path / "ordinary" / "project")
    ordinary = _scan(zecher, tmp_path / "ordinary", "json").seconds

    run = _scan(zecher, root, "json")

    check_shape(run)
    listed = paths_of(run)
    hidden = [bomb.name for bomb in IGNORES if bytes(root / bomb.name / "project") not in listed]
    # "*" with negations only for folders and names that start with "a" is read as it is written.
    assert set(hidden) <= {"ignore-negations"}
    assert run.seconds - ordinary < SECOND * len(IGNORES)
    assert _slow(Field(root, zecher, (), ordinary), [bomb.name for bomb in IGNORES]) == {}


# -- repositories ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def repositories(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory, full: bool) -> Field:
    bombs = {bomb.name: bomb for bomb in BOMBS if full or not bomb.long}

    def build(name: str, folder: Path) -> None:
        bombs[name].build(workshop.template.copy(folder / "kept"), workshop.template.head)

    return _till(tmp_path_factory.mktemp("repositories"), list(bombs), build, workshop)


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.name)
def test_a_hostile_repository_is_listed(repositories: Field, bomb: GitBomb, full: bool) -> None:
    if bomb.long and not full:
        pytest.skip("takes seconds to build: --full")
    for run in repositories.runs:
        if run.format == "json":
            assert bytes(repositories.root / bomb.name / "kept") in paths_of(run)


def test_a_hostile_repository_costs_a_second_at_most(repositories: Field) -> None:
    _check_seconds(repositories, [path.name for path in sorted(repositories.root.iterdir())])


def test_hostile_repositories_break_no_output(repositories: Field) -> None:
    for run in repositories.runs:
        check_shape(run)


def test_hostile_repositories_leave_no_word_of_other_files(repositories: Field) -> None:
    with open("/etc/passwd", "rb") as file:
        line = file.readline().strip()
    assert line
    for run in repositories.runs:
        assert line not in run.out + run.err


@pytest.mark.parametrize(
    "name", ["commit-date-of-19-digits", "pack-delta-bomb", "refs-loops", "gitfile-to-itself"]
)
def test_a_hostile_repository_is_explained(repositories: Field, name: str) -> None:
    path = repositories.root / name / "kept"
    for run in repositories.zecher.explanations(path, repositories.root):
        check_streams(run)


def test_every_hostile_repository_is_explained(repositories: Field, full: bool) -> None:
    if not full:
        pytest.skip("two commands for each: --full")
    for folder in sorted(repositories.root.iterdir()):
        for run in repositories.zecher.explanations(folder / "kept", repositories.root):
            check_streams(run)
            assert run.seconds - repositories.ordinary_seconds < 2 * SECOND, folder.name


def test_a_commit_behind_a_quarter_gigabyte_of_message_is_dated(repositories: Field) -> None:
    path = bytes(repositories.root / "loose-256-megabytes-of-message" / "kept")
    found = [one for one in repositories.runs[0].document()["data"]["projects"] if path_of(one) == path]
    assert [one["activity_source"] for one in found] == ["commit"]


def test_memory_stays_small(repositories: Field, tmp_path: Path) -> None:
    # The largest attacks inflate to 256 MB, name 4 billion entries or are a terabyte long.
    code = (
        "import resource, sys; from jobs.cli import main; sys.argv[0] = 'zecher'; code = main();"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(code)"
    )
    command = repositories.zecher.argv(("scan", str(repositories.root), "--dry-run", "--json"))
    done = subprocess.run(
        [command[0], "-c", code, *command[3:]],
        cwd=tmp_path,
        env=repositories.zecher.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 3), done.stderr[-2000:]
    kibibytes = int(done.stderr.split()[-1])
    if os.uname().sysname == "Darwin":
        kibibytes //= 1024
    # The cap of packed-refs is 64 MiB: that file twice, and the ordinary 30 MB.
    assert kibibytes < 300 * 1024, f"{kibibytes // 1024} MiB"
