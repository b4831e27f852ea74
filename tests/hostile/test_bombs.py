"""Content that is the attack costs a second at most, hides no project and is named where it is not read."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from pathlib import Path

import pytest

from tests.hostile.bombs import CONTENT, IGNORES, JSON, OTHERS, TREES, Bomb
from tests.hostile.bombs_git import BOMBS, GitBomb
from tests.hostile.command import FORMATS, LIMIT, Run, Zecher, path_of, paths_of
from tests.hostile.conftest import Workshop
from tests.hostile.harmless import check_shape, check_streams

SECOND = 1.0


@dataclass(frozen=True)
class Field:
    """A root with one folder for each attack, and what the scans of all of them said."""

    root: Path
    names: tuple[str, ...]
    zecher: Zecher
    ordinary_seconds: float
    runs: tuple[Run, ...] = ()
    endless: Mapping[str, str] = dataclass_field(default_factory=dict)

    def place(self, name: str) -> Path:
        """The folder of one attack; a dozen share a parent."""
        return self.root / f"group-{self.names.index(name) // 12}" / name

    def seconds_of(self, folder: Path) -> float:
        """What the attacks below one folder add to a scan: the best of three."""
        best = float("inf")
        for _ in range(3):
            best = min(best, _scan(self.zecher, folder, "json").seconds - self.ordinary_seconds)
            if best < SECOND:
                break
        return best


def _scan(zecher: Zecher, root: Path, shown: str) -> Run:
    return zecher("scan", str(root), "--dry-run", "--respect-ignore", "-v", "--format", shown)


def _till(
    base: Path, names: Sequence[str], build: Callable[[str, Path], None], workshop: Workshop, *, full: bool
) -> Field:
    zecher = Zecher(base)
    workshop.template.copy(base / "ordinary" / "project")
    ordinary = min(_scan(zecher, base / "ordinary", "json").seconds for _ in range(3))
    root = base / "root"
    field = Field(root, tuple(names), zecher, ordinary)
    for name in names:
        field.place(name).mkdir(parents=True)
        build(name, field.place(name))
    return _reap(field, base, full=full)


def _reap(field: Field, base: Path, *, full: bool) -> Field:
    """All that is said about the attacks; those that never end are set aside for the others to be heard."""
    field.zecher.limit = LIMIT / 2
    try:
        first = _scan(field.zecher, field.root, "json")
    except subprocess.TimeoutExpired:
        field.zecher.limit = LIMIT / 6
        field = replace(field, endless=_slow(field, field.names))
        (base / "endless").mkdir()
        for name in field.endless:
            field.place(name).rename(base / "endless" / name)
        first = _scan(field.zecher, field.root, "json")
    field.zecher.limit = LIMIT
    # What is attacked here is the reading; the formats have their own tests.
    others = [shown for shown in FORMATS if shown != "json"] if full else ["tsv"]
    runs = [first, *(_scan(field.zecher, field.root, shown) for shown in others)]
    return replace(field, runs=(*runs, field.zecher("scan", str(field.root), "--yes", "--json")))


def _slow(field: Field, names: Sequence[str]) -> dict[str, str]:
    """The attacks that cost more than a second each; asked one by one only in groups that are slow."""
    found = {}
    slow_groups = {group for group in {field.place(name).parent for name in names} if _is_slow(field, group)}
    for name in names:
        if field.place(name).parent not in slow_groups:
            continue
        try:
            seconds = field.seconds_of(field.place(name))
        except subprocess.TimeoutExpired:
            found[name] = "never ends"
            continue
        if seconds >= SECOND:
            found[name] = f"{seconds:.2f} s more"
    return found


def _is_slow(field: Field, group: Path) -> bool:
    try:
        return _scan(field.zecher, group, "json").seconds - field.ordinary_seconds >= SECOND
    except subprocess.TimeoutExpired:
        return True


def _check_seconds(field: Field, names: Sequence[str]) -> None:
    """One second for each: asked one by one only where all together took longer than that."""
    assert {name: field.endless[name] for name in names if name in field.endless} == {}
    if max(run.seconds for run in field.runs) - field.ordinary_seconds >= SECOND:
        assert _slow(field, names) == {}


# -- manifests and ignore files --------------------------------------------------------------------


@pytest.fixture(scope="module")
def contents(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory, full: bool) -> Field:
    """Each attack twice: in a folder alone, and in a repository."""
    bombs = {bomb.name: bomb for bomb in CONTENT}

    def build(name: str, folder: Path) -> None:
        (folder / "alone").mkdir()
        bombs[name].build(folder / "alone")
        bombs[name].build(workshop.template.copy(folder / "kept"))

    return _till(tmp_path_factory.mktemp("contents"), list(bombs), build, workshop, full=full)


@pytest.mark.parametrize("bomb", CONTENT, ids=lambda bomb: bomb.name)
def test_a_repository_with_hostile_content_is_listed(contents: Field, bomb: Bomb) -> None:
    for run in contents.runs:
        if run.format == "json":
            assert bytes(contents.place(bomb.name) / "kept") in paths_of(run)


@pytest.mark.parametrize(
    "bomb", [bomb for bomb in (*JSON, *OTHERS) if bomb.complaint], ids=lambda bomb: bomb.name
)
def test_a_project_whose_manifest_cannot_be_parsed_is_listed_by_its_file(contents: Field, bomb: Bomb) -> None:
    # The stack by the name of the file, and a warning.
    assert bytes(contents.place(bomb.name) / "alone") in paths_of(contents.runs[0])


@pytest.mark.parametrize("bomb", [bomb for bomb in CONTENT if bomb.complaint], ids=lambda bomb: bomb.name)
def test_what_is_not_read_is_named(contents: Field, bomb: Bomb) -> None:
    place = bytes(contents.place(bomb.name) / "kept" / bomb.complaint)
    problems = contents.runs[0].document()["problems"]
    assert place in {path_of(problem) for problem in problems if problem["path"]}


@pytest.mark.parametrize("name", ["json-byte-order-mark", "json-duplicate-keys", "json-blanks"])
def test_what_is_only_odd_is_read(contents: Field, name: str) -> None:
    path = bytes(contents.place(name) / "alone")
    found = [one for one in contents.runs[0].document()["data"]["projects"] if path_of(one) == path]
    assert [one["stack"] for one in found] == ["Node.js"]
    assert found[0]["name"] in ("x", "b")


@pytest.mark.parametrize("bombs", [JSON, OTHERS, IGNORES, TREES], ids=["json", "others", "ignores", "trees"])
def test_hostile_content_costs_a_second_at_most(contents: Field, bombs: tuple[Bomb, ...]) -> None:
    _check_seconds(contents, [bomb.name for bomb in bombs])


def test_hostile_content_breaks_no_output(contents: Field) -> None:
    for run in contents.runs:
        check_shape(run)


@pytest.fixture(scope="module")
def containers(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory, full: bool) -> Field:
    """Each hostile ignore file in a folder between the root and a project, beside folders with long names."""
    bombs = {bomb.name: bomb for bomb in IGNORES}

    def build(name: str, folder: Path) -> None:
        bombs[name].build(folder)
        (folder / "package.json").unlink()
        for number in range(20):
            (folder / f"long{number:02}{'a' * 200}").mkdir()
        workshop.template.copy(folder / "kept")

    return _till(tmp_path_factory.mktemp("containers"), list(bombs), build, workshop, full=full)


@pytest.mark.parametrize("bomb", IGNORES, ids=lambda bomb: bomb.name)
def test_an_ignore_file_of_a_container_hides_nothing_by_accident(containers: Field, bomb: Bomb) -> None:
    run = containers.runs[0]
    check_shape(run)
    listed = bytes(containers.place(bomb.name) / "kept") in paths_of(run)
    # "*" with negations only for folders and names that start with "a" is read as it is written.
    assert listed or bomb.name == "ignore-negations"


def test_an_ignore_file_of_a_container_costs_a_second_at_most(containers: Field) -> None:
    # The walk itself asks these rules, for every folder between the root and its projects.
    _check_seconds(containers, containers.names)


# -- repositories ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def repositories(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory, full: bool) -> Field:
    bombs = {bomb.name: bomb for bomb in BOMBS if full or not bomb.long}

    def build(name: str, folder: Path) -> None:
        bombs[name].build(workshop.template.copy(folder / "kept"), workshop.template.head)

    return _till(tmp_path_factory.mktemp("repositories"), list(bombs), build, workshop, full=full)


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.name)
def test_a_hostile_repository_is_listed(repositories: Field, bomb: GitBomb, full: bool) -> None:
    if bomb.long and not full:
        pytest.skip("takes seconds to build: --full")
    for run in repositories.runs:
        if run.format == "json":
            assert bytes(repositories.place(bomb.name) / "kept") in paths_of(run)


def test_a_hostile_repository_costs_a_second_at_most(repositories: Field) -> None:
    _check_seconds(repositories, repositories.names)


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
    path = repositories.place(name) / "kept"
    for run in repositories.zecher.explanations(path, repositories.root):
        check_streams(run)


def test_every_hostile_repository_is_explained(repositories: Field, full: bool) -> None:
    if not full:
        pytest.skip("two commands for each: --full")
    for name in repositories.names:
        for run in repositories.zecher.explanations(repositories.place(name) / "kept", repositories.root):
            check_streams(run)
            assert run.seconds - repositories.ordinary_seconds < 2 * SECOND, name


def test_a_commit_behind_a_quarter_gigabyte_of_message_is_dated(repositories: Field) -> None:
    path = bytes(repositories.place("loose-256-megabytes-of-message") / "kept")
    found = [one for one in repositories.runs[0].document()["data"]["projects"] if path_of(one) == path]
    assert [one["activity_source"] for one in found] == ["commit"]


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs the memory figures of /proc")
def test_memory_stays_small(repositories: Field, tmp_path: Path) -> None:
    # The largest attacks inflate to 256 MB, name 4 billion entries or are a terabyte long.
    # Asked of the process's own memory: getrusage would also count what the parent held when it forked.
    code = (
        "import re, sys; from jobs.cli import main; sys.argv[0] = 'zecher'; code = main();"
        "status = open('/proc/self/status').read();"
        "print(re.search(r'VmHWM:\\s+(\\d+) kB', status)[1], file=sys.stderr); sys.exit(code)"
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
    # The cap of packed-refs is 64 MiB: that file twice, and the ordinary 30 MB.
    assert kibibytes < 300 * 1024, f"{kibibytes // 1024} MiB"
