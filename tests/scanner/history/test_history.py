"""What is told of histories that are short, cut, damaged, huge or odd."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from scanner.git.repository import open_repository
from scanner.history import Asked, FolderHistory, History, Recorded, commit_days, history
from scanner.history import lines as counting
from scanner.history import walk as walking
from scanner.history.lines import changed_lines
from scanner.history.messages import split_message
from tests.scanner.git.histories import seeded_history
from tests.scanner.git.repositories import run, seeded, skeleton
from tests.scanner.history.grown import grow
from tests.support import DAY, NOW, Git, write


def told(path: Path, **asked: object) -> History:
    with open_repository(str(path)) as repository:
        return history(repository, Asked(**asked))  # type: ignore[arg-type]  # keywords passed through


def recorded(path: Path, name: str, *handover: str) -> Recorded:
    return told(path, commits=(name,), handover_files=handover).recorded[0]


@pytest.fixture
def project(git: Git) -> Path:
    """Three commits: code, then a handover that names it, then code."""
    path = git.repository("shop", days=3, files={"src/a.py": "a\n"})
    write(path / "PROGRESS.md", "HEAD: " + git("rev-parse", "HEAD", cwd=path) + "\n")
    git("add", "-A", cwd=path)
    git("commit", "-qm", "Hand over", cwd=path, days=2)
    return path


def work(git: Git, path: Path, days: float = 1) -> None:
    write(path / "src/a.py", f"{days}\n")
    git("commit", "-qam", "Work", cwd=path, days=days)


def test_a_handover_that_names_the_commit_before_it_has_not_drifted(git: Git, project: Path) -> None:
    name = git("rev-parse", "HEAD~1", cwd=project)

    assert recorded(project, name[:7], "PROGRESS.md") == Recorded(name[:7], True, True, 0)


def test_without_knowing_handovers_that_commit_would_have_drifted(git: Git, project: Path) -> None:
    assert recorded(project, git("rev-parse", "HEAD~1", cwd=project)).drift == 1


def test_work_after_the_handover_is_drift(git: Git, project: Path) -> None:
    work(git, project)

    assert recorded(project, git("rev-parse", "HEAD~2", cwd=project), "PROGRESS.md").drift == 1


def test_a_name_that_is_nowhere_is_unknown(project: Path) -> None:
    assert recorded(project, "deadbee") == Recorded("deadbee", known=False)


def test_the_name_of_a_file_is_no_commit(git: Git, project: Path) -> None:
    assert recorded(project, git("rev-parse", "HEAD:src/a.py", cwd=project)).known is False


def test_a_commit_beside_the_history_is_known_and_foreign(git: Git, project: Path) -> None:
    name = git("rev-parse", "HEAD", cwd=project)
    git("commit", "-q", "--amend", "-m", "Otherwise", cwd=project, days=1)

    assert recorded(project, name) == Recorded(name, known=True, ancestor=False)


@pytest.mark.parametrize("how", ["loose", "packed", "multi", "alternate"])
def test_short_names_are_found_wherever_objects_are(git: Git, project: Path, how: str) -> None:
    work(git, project)
    name = git("rev-parse", "HEAD~1", cwd=project)[:9]
    if how in ("packed", "multi"):
        git("repack", "-qad", cwd=project)
    if how == "multi":
        git("multi-pack-index", "write", cwd=project)
    if how == "alternate":
        git("clone", "-qs", str(project), str(project.parent / "clone"), cwd=project)
        project = project.parent / "clone"

    assert recorded(project, name.upper(), "PROGRESS.md") == Recorded(name.upper(), True, True, 1)


def test_short_names_of_256_bits_are_found(git: Git) -> None:
    path = git.root / "long"
    git("init", "-q", "--object-format=sha256", str(path))
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=path, days=1)
    git("repack", "-qad", cwd=path)

    assert recorded(path, git("rev-parse", "HEAD", cwd=path)[:8]).ancestor is True


def test_two_commits_of_one_beginning_cannot_be_told_apart(tmp_path: Path) -> None:
    commits, _ = seeded_history(tmp_path, "ambiguous", count=1_500)
    starts = Counter(oid[:4] for oid in commits.oids.values())
    start = next(start for start, count in starts.items() if count > 1)
    (tmp_path / ".git" / "refs" / "heads" / "main").write_text(commits.oids[1_500] + "\n")

    assert recorded(tmp_path, start) == Recorded(start, known=None)


def test_a_shallow_clone_cannot_say_that_a_commit_is_unknown(git: Git, project: Path) -> None:
    work(git, project)
    name = git("rev-parse", "HEAD~2", cwd=project)
    clone = project.parent / "clone"
    git("clone", "-q", "--depth", "1", project.as_uri(), str(clone), cwd=project)

    assert recorded(clone, name) == Recorded(name, known=None)
    assert told(clone, files=(("src/a.py", True),)).files[0].earlier == (b"1\n",)


def test_a_repository_without_commits_says_nothing(git: Git) -> None:
    path = git.root / "empty"
    git("init", "-q", str(path))

    found = told(path, commits=("deadbee",), files=(("a", True),))

    assert (found.head, found.recent, found.size) == (None, (), None)
    assert found.recorded == (Recorded("deadbee", known=False, ancestor=None),)
    assert found.files[0].changes == ()


def test_files_that_are_gone_from_a_folder_are_told_with_what_stood_beside_them(git: Git) -> None:
    path = git.repository(
        "shop", days=5, files={"adr/1.md": "one\n", "adr/2.md": "two\n", "adr/a.svg": "x\n"}
    )
    (path / "adr/1.md").unlink()
    (path / "adr/a.svg").unlink()
    write(path / "adr/3.md", "three\n")
    git("add", "-A", cwd=path)
    git("commit", "-qm", "Less", cwd=path, days=1)

    (found,) = told(path, folders=(("adr", frozenset(("2.md", "3.md")), (".md",)),)).folders

    assert found == FolderHistory("adr", (("1.md", b"one\n", frozenset(("1.md", "2.md", "a.svg"))),))


def test_what_moved_from_a_folder_is_not_gone_from_it(git: Git) -> None:
    path = git.repository("shop", days=5, files={"adr/1.md": "one\n", "adr/2.md": "two\n"})
    (path / "old").mkdir()
    (path / "adr/1.md").rename(path / "old/first.md")
    (path / "adr/2.md").rename(path / "old/2.md")
    write(path / "old/2.md", "two, and archived\n")
    git("add", "-A", cwd=path)
    git("commit", "-qm", "Archive", cwd=path, days=1)

    assert told(path, folders=(("adr", frozenset(), (".md",)),)).folders == (FolderHistory("adr"),)


def test_what_was_committed_and_is_gone_is_told_among_earlier_contents(git: Git) -> None:
    path = git.repository("log", days=5, files={"DECISIONS.md": "one\n"})
    for days, text in ((4, "one\ntwo\n"), (3, "two\n")):
        write(path / "DECISIONS.md", text)
        git("commit", "-qam", text.replace("\n", " "), cwd=path, days=days)

    found = told(path, files=(("DECISIONS.md", True), ("missing.md", True))).files

    assert found[0].earlier == (b"two\n", b"one\ntwo\n", b"one\n")
    assert [(one.added, one.deleted, one.size) for one in found[0].changes] == [
        (0, 1, 4),
        (1, 0, 8),
        (1, 0, 4),
    ]
    assert (found[1].changes, found[1].earlier) == ((), ())


def test_at_most_ten_changes_and_fifty_earlier_contents_are_told(tmp_path: Path) -> None:
    stream = []
    for mark in range(1, 71):
        stream.append(f"commit refs/heads/main\nmark :{mark}\ncommitter B <b@e> {NOW - 100 + mark:.0f} +0000")
        stream.append("data 1\nx" + (f"\nfrom :{mark - 1}" if mark > 1 else ""))
        stream.append(f"M 100644 inline a\ndata 3\n{mark:03}")
    run("fast-import", "--quiet", cwd=skeleton(tmp_path / ".git"), stdin="\n".join(stream).encode() + b"\n")

    found = told(tmp_path, files=(("a", True),)).files[0]

    assert len(found.changes) == 10
    assert found.earlier == tuple(f"{mark:03}".encode() for mark in range(70, 20, -1))


def test_large_contents_are_not_read(git: Git) -> None:
    path = git.repository("large", days=2, files={"a": "x\n" * 600_000})
    write(path / "a", "x\n")
    git("commit", "-qam", "smaller", cwd=path, days=1)

    found = told(path, files=(("a", True),))

    assert found.files[0].earlier == (b"x\n",)
    assert [one.size for one in found.files[0].changes] == [2, 1024 * 1024 + 1]
    assert found.size is not None
    assert (found.size.files, found.size.lines) == (1, None)


def test_a_text_that_looks_like_a_commit_is_read_whole(git: Git) -> None:
    rng = seeded("noise")
    text = "\ncommitter x\n" + "".join(f"{rng.random()}\n" for _ in range(2_000))
    path = git.repository("odd", files={"a": text})

    assert told(path, files=(("a", True),)).files[0].earlier == (text.encode(),)


def test_missing_objects_are_left_out(git: Git, project: Path) -> None:
    work(git, project)
    first = git("rev-parse", "HEAD~2", cwd=project)
    (project / ".git/objects" / first[:2] / first[2:]).unlink()

    found = told(project, commits=(first,), files=(("src/a.py", True),))

    assert found.recorded == (Recorded(first, known=False),)
    assert [one.subject for one in found.recent] == ["Work", "Hand over"]
    assert found.files[0].earlier == (b"1\n",)


def test_damaged_objects_are_left_out(project: Path) -> None:
    for place in (project / ".git/objects").glob("??/*"):
        place.chmod(0o644)
        data = place.read_bytes()
        place.write_bytes(data[: len(data) // 2])

    found = told(project, commits=("deadbee",), files=(("src/a.py", True), ("PROGRESS.md", False)))

    assert (found.recent, found.size) == ((), None)
    assert all(one.changes == () for one in found.files)


def test_only_so_many_commits_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commits, _ = seeded_history(tmp_path, "steps")
    (tmp_path / ".git" / "refs" / "heads" / "main").write_text(commits.oids[60] + "\n")
    assert recorded(tmp_path, commits.oids[60]).drift == 0
    monkeypatch.setattr(walking, "_STEPS_SINCE", 0)

    assert recorded(tmp_path, commits.oids[60]) == Recorded(commits.oids[60], True, True, None)


def test_commits_of_each_day_are_counted_as_git_lists_them(tmp_path: Path) -> None:
    commits, rng = seeded_history(tmp_path, "days", count=400)
    oids = list(commits.oids.values())
    for number, oid in enumerate([oids[-1], *rng.sample(oids, 3)]):
        (tmp_path / ".git" / "refs" / "heads" / f"b{number}").write_text(oid + "\n")
    now = commits.dates[400] + 5 * DAY
    first = (int(now // DAY) - 370) * DAY
    listed = run(
        *("log", "--branches", "--date=format:%Y-%m-%d", "--format=%cd", f"--since={first:.0f}"),
        cwd=tmp_path / ".git",
    )

    with open_repository(str(tmp_path)) as repository:
        days = commit_days(repository, now)

    assert dict(Counter(listed.split())) == days
    assert len(days) > 10


def test_days_are_told_from_a_commit_graph_without_the_commits(tmp_path: Path) -> None:
    made = grow(tmp_path, seeded("graph days"))
    run("commit-graph", "write", "--reachable", cwd=tmp_path / ".git")
    with open_repository(str(tmp_path)) as repository:
        before = commit_days(repository, made.dates[-1])
    shutil.rmtree(tmp_path / ".git" / "objects" / "pack")

    with open_repository(str(tmp_path)) as repository:
        assert before == commit_days(repository, made.dates[-1])
    assert before


def test_commits_from_the_future_have_no_day(git: Git) -> None:
    path = git.repository("future", days=-30)

    with open_repository(str(path)) as repository:
        assert commit_days(repository, NOW) == {}


@pytest.mark.parametrize(
    ("message", "subject", "body"),
    [
        ("Fix it\n", "Fix it", ""),
        ("Fix\nit\n\nBecause.\n", "Fix it", "Because."),
        ("Fix it\n\nSigned-off-by: Ana <a@example.com>\nCo-authored-by: Bo\n", "Fix it", ""),
        ("Fix it\n\nWhy: it broke\n\nRefs: #1\n", "Fix it", "Why: it broke"),
        ("Fix it\n\nBecause:\n- this\n", "Fix it", "Because:\n- this"),
        ("\n\nFix it\n\n\n\nMore.\n", "Fix it", "More."),
        ("", "", ""),
    ],
)
def test_a_message_is_a_subject_and_a_body_without_trailers(message: str, subject: str, body: str) -> None:
    assert (subject, body) == split_message(message)


def test_recent_commits_name_their_author_and_leave_merges_out(git: Git, project: Path) -> None:
    git("checkout", "-qb", "side", "HEAD~1", cwd=project)
    write(project / "b", "b")
    git("add", "-A", cwd=project)
    git("commit", "-qm", "Beside\n\nWhy.", cwd=project, days=1)
    git("merge", "-q", "--no-edit", "main", cwd=project, days=0.5)

    found = told(project).recent

    assert [(one.subject, one.has_body, one.author) for one in found] == [
        ("Beside", True, "Ana"),
        ("Hand over", False, "Ana"),
        ("first", False, "Ana"),
    ]
    assert told(project, no_merges=False).recent[0].subject.startswith("Merge branch")


def test_very_many_lines_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = b"a\nb\nc\n", b"c\nb\nx\n"
    assert changed_lines(old, new) == (2, 2)

    monkeypatch.setattr(counting, "_WORK", 0)

    assert changed_lines(old, new) == (1, 1)


def test_lines_of_binary_files_are_not_counted() -> None:
    assert changed_lines(b"a\0b\n", b"x\n") == (0, 0)


def test_of_a_file_no_more_changes_are_looked_for_than_asked(git: Git, project: Path) -> None:
    for days in (1.5, 1):
        work(git, project, days)
    asked = (("src/a.py", False),)

    assert [len(told(project, files=asked, changes=most).files[0].changes) for most in (1, 2, 10)] == [
        1,
        2,
        3,
    ]
    newest = told(project, files=asked, changes=1).files[0]
    assert newest.changes == told(project, files=asked).files[0].changes[:1]
