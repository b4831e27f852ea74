"""What a project is known by: the first commit as git tells it, its folder, what lies in it."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from brain.moves import alike
from scanner.git import open_repository
from scanner.git.objects import OBJECT_CAP
from scanner.identity import COMMITS, identity_of, root_commits, signature_of
from scanner.project import Identity, Listing, Project, Root, Thresholds
from scanner.scan import Request, scan
from tests.support import NOW, Git, write


def projects(root: Path, **options: object) -> dict[str, Project]:
    """What a scan of ``root`` finds, by the name of the folder."""
    request = Request((Root(str(root)),), Thresholds(), NOW, **options)  # type: ignore[arg-type] # as each test says
    return {one.path.rpartition("/")[2]: one for one in scan(request).projects}


def first_of(git: Git, path: Path) -> str:
    """The end of the first-parent chain, by git."""
    return git("rev-list", "--first-parent", "HEAD", cwd=path).split("\n")[-1]


def roots_of(path: Path) -> tuple[tuple[str, ...], bool]:
    with open_repository(str(path)) as repository:
        return root_commits(repository)


def listing(*files: str, folders: tuple[str, ...] = ()) -> Listing:
    return Listing("/x", frozenset(files), frozenset(folders))


def chain(git: Git, name: str, length: int) -> Path:
    """A repository with ``length`` commits in a row, made at once."""
    path = git.root / name
    path.mkdir(parents=True)
    git("init", "-q", cwd=path)
    stream = "".join(
        f"commit refs/heads/main\ncommitter Ana <ana@example.com> {1_700_000_000 + number} +0000\n"
        f"data 1\nx\nM 644 inline file\ndata {len(str(number))}\n{number}\n"
        for number in range(length)
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=path, input=stream.encode(), check=True)
    return path


def test_the_first_commit_is_that_of_git(git: Git) -> None:
    path = git.repository("shop")
    root = git("rev-parse", "HEAD", cwd=path)
    for number in range(3):
        write(path / "f", str(number))
        git("commit", "-q", "-am", "x", "--allow-empty", cwd=path)
    assert roots_of(path) == ((root,), False)


@pytest.mark.parametrize("seed", range(12))
def test_of_histories_that_merge_it_is_the_end_of_the_first_parents(git: Git, seed: int) -> None:
    choice = random.Random(seed)  # noqa: S311 - the same histories every time
    path = git.repository("shop")
    for number in range(choice.randrange(2, 14)):
        step = choice.choice(["commit", "branch", "merge", "orphan"])
        if step == "branch":
            git("checkout", "-q", "-b", f"b{number}", cwd=path)
        elif step == "orphan":
            git("checkout", "-q", "--orphan", f"o{number}", cwd=path)
        elif step == "merge":
            other = choice.choice(
                git("for-each-ref", "--format=%(refname:short)", "refs/heads", cwd=path).split()
            )
            git(
                "merge",
                "-q",
                "--no-ff",
                "--allow-unrelated-histories",
                "-m",
                "m",
                other,
                cwd=path,
                check=False,
            )
        git("commit", "-q", "--allow-empty", "-m", str(number), cwd=path)
    if choice.random() < 0.5:
        git("gc", "-q", cwd=path)
    assert roots_of(path) == ((first_of(git, path),), False)


@pytest.mark.parametrize("graph", [False, True])
def test_a_history_at_the_limit_is_followed_and_a_longer_one_is_cut(git: Git, graph: bool) -> None:
    whole, longer = chain(git, "whole", COMMITS), chain(git, "longer", COMMITS + 1)
    if graph:
        for path in (whole, longer):
            git("commit-graph", "write", "--reachable", cwd=path)
    assert roots_of(whole) == ((first_of(git, whole),), False)
    assert roots_of(longer) == ((), True)


def test_a_damaged_commit_graph_changes_nothing_and_reports_nothing_twice(git: Git) -> None:
    path = chain(git, "shop", 200)
    git("commit-graph", "write", "--reachable", cwd=path)
    first = first_of(git, path)
    graph = path / ".git/objects/info/commit-graph"
    graph.chmod(0o644)
    data = bytearray(graph.read_bytes())
    for place in range(200, len(data) - 20, 7):
        data[place] ^= 0x55
    graph.write_bytes(data)
    assert roots_of(path) == ((first,), False)


def test_a_commit_graph_cannot_invent_a_beginning(git: Git) -> None:
    path = chain(git, "shop", 200)
    git("commit-graph", "write", "--reachable", cwd=path)
    read: list[str] = []
    with open_repository(str(path)) as repository:
        start_of = repository.start_of

        def listen(oid: str, cap: int = OBJECT_CAP) -> tuple[str, bytes] | None:
            read.append(oid)
            return start_of(oid, cap)

        repository.start_of = listen  # type: ignore[method-assign] # to listen
        (root,), _ = root_commits(repository)
    assert read[-1] == root
    assert len(read) < 40


def test_a_repository_without_a_commit_has_no_beginning(git: Git) -> None:
    path = git.root / "fresh"
    path.mkdir()
    git("init", "-q", cwd=path)
    assert roots_of(path) == ((), False)


def test_a_shallow_clone_has_no_beginning(git: Git) -> None:
    path = chain(git, "shop", 5)
    git("clone", "-q", "--depth", "2", f"file://{path}", str(git.root / "clone"))
    assert roots_of(git.root / "clone") == ((), False)


def test_a_history_with_a_hole_has_no_beginning_and_adds_no_problem(git: Git) -> None:
    path = git.repository("dev/shop")
    hole = git("rev-parse", "HEAD", cwd=path)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=path)
    (path / ".git/objects" / hole[:2] / hole[2:]).unlink()
    with open_repository(str(path)) as repository:
        assert root_commits(repository) == ((), False)
        assert repository.problems == ()


def test_sha256_repositories_have_a_beginning(git: Git) -> None:
    path = git.root / "shop"
    path.mkdir()
    git("init", "-q", "--object-format=sha256", cwd=path)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=path)
    assert roots_of(path) == ((git("rev-parse", "HEAD", cwd=path),), False)


# -- in a scan -------------------------------------------------------------------------------------------


def test_a_scan_tells_beginning_remote_and_folder(git: Git) -> None:
    path = git.repository("dev/shop")
    git("remote", "add", "origin", "https://ana:secret@example.com/shop.git", cwd=path)
    found = projects(git.root / "dev")["shop"].identity
    status = path.stat()
    assert found.root_commits == (git("rev-parse", "HEAD", cwd=path),)
    assert found.remote == "https://example.com/shop.git"
    assert (found.device, found.inode) == (status.st_dev, status.st_ino)


def test_a_project_without_version_control_has_folder_and_signature(tmp_path: Path) -> None:
    write(tmp_path / "dev/plain/package.json", '{"name": "plain"}')
    found = projects(tmp_path / "dev")["plain"].identity
    assert (found.root_commits, found.remote, found.inode) == (
        (),
        None,
        (tmp_path / "dev/plain").stat().st_ino,
    )
    assert found.signature == signature_of(listing("package.json"), "plain")


def test_a_worktree_has_no_beginning_of_its_own(git: Git, tmp_path: Path) -> None:
    path = git.repository("away/shop")
    git("worktree", "add", "-q", str(tmp_path / "dev/tree"), cwd=path)
    found = projects(tmp_path / "dev")["tree"].identity
    assert (found.root_commits, found.cut) == ((), False)
    assert found.signature


def test_what_is_known_is_not_looked_for_again(git: Git) -> None:
    path = git.repository("dev/shop")
    known = Identity(("f" * 40,), device=path.stat().st_dev, inode=path.stat().st_ino)
    found = projects(git.root / "dev", known={str(path): known})["shop"].identity
    assert found.root_commits == ("f" * 40,)


@pytest.mark.parametrize("change", ["folder", "remote"])
def test_what_is_known_of_another_folder_or_remote_is_looked_for_again(git: Git, change: str) -> None:
    path = git.repository("dev/shop")
    known = Identity(
        ("f" * 40,),
        device=path.stat().st_dev,
        inode=path.stat().st_ino + (change == "folder"),
        remote="elsewhere" if change == "remote" else None,
    )
    found = projects(git.root / "dev", known={str(path): known})["shop"].identity
    assert found.root_commits == (git("rev-parse", "HEAD", cwd=path),)


def test_a_history_that_is_known_to_be_too_long_is_not_followed_again(git: Git) -> None:
    path = git.repository("dev/shop")
    known = Identity(cut=True, device=path.stat().st_dev, inode=path.stat().st_ino)
    found = projects(git.root / "dev", known={str(path): known})["shop"].identity
    assert (found.root_commits, found.cut) == ((), True)


def test_a_repository_that_gets_its_first_commit_gets_its_beginning(git: Git) -> None:
    path = git.repository("dev/shop")
    known = Identity(device=path.stat().st_dev, inode=path.stat().st_ino)
    found = projects(git.root / "dev", known={str(path): known})["shop"].identity
    assert len(found.root_commits) == 1


def test_a_folder_that_vanished_has_only_its_looks() -> None:
    found = identity_of("/nothing/here", listing("a"), "", repository=None, vcs=None, known=None)
    assert (found.device, found.inode, found.signature) == (0, 0, signature_of(listing("a"), ""))


# -- signatures ------------------------------------------------------------------------------------------


def test_a_signature_does_not_depend_on_the_order_of_names() -> None:
    names = [f"file{number}" for number in range(30)]
    assert signature_of(listing(*names), "x") == signature_of(listing(*reversed(names)), "x")


def test_a_folder_and_a_file_of_one_name_differ() -> None:
    assert signature_of(listing("a"), "") != signature_of(listing(folders=("a",)), "")


def test_a_new_file_leaves_a_folder_alike_and_a_new_name_does_not() -> None:
    names = [f"file{number}" for number in range(10)]
    before = signature_of(listing(*names), "shop")
    assert alike(before, signature_of(listing(*names, "new"), "shop")) > 0.8
    assert alike(before, signature_of(listing(*names), "store")) == 0.0
    assert alike(before, signature_of(listing(*(f"other{n}" for n in range(10))), "shop")) < 0.2


def test_a_signature_fits_into_a_line_of_a_card() -> None:
    assert len(signature_of(listing(*(f"file{number}" for number in range(5000))), "x" * 300)) < 130


def test_a_name_that_is_not_utf8_has_a_signature() -> None:
    assert signature_of(listing("\udce9"), "\udce9")
