"""Recall over more than one project."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.files.errors import MemError
from brain.locate import Brain
from brain.recall.recall import Recalled, recall
from tests.brain.recall.places import event, journal, notes
from tests.support import NOW


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "dev" / "shop"
    notes(folder, "### Shop\nalpha\n")
    return folder


def ask(project: Path, *others: tuple[str, Path], brain: Brain | None = None, limit: int = 100) -> Recalled:
    return recall(
        str(project),
        "alpha",
        now=NOW,
        limit=limit,
        scope="portfolio",
        projects=[(name, str(path)) for name, path in others],
        brain=brain,
    )


def named(answer: Recalled) -> list[tuple[str | None, str, str]]:
    return [(hit.project, hit.source_file, hit.ref) for hit in answer.hits]


# With --portfolio, as BMAD+ does


def test_a_named_portfolio_adds_its_memory_folder_after_the_project(tmp_path: Path, project: Path) -> None:
    notes(tmp_path / "_brain", "### Brain\nalpha\n", folder="memory")
    notes(tmp_path / "_brain", "### Elsewhere\nalpha\n", folder=".agents/memory")
    answer = recall(str(project), "alpha", now=NOW, scope="portfolio", portfolio=str(tmp_path / "_brain"))
    assert named(answer) == [
        (None, ".agents/memory/decisions.md", "Shop"),
        (None, "../../_brain/memory/decisions.md", "Brain"),
    ]


def test_a_named_portfolio_is_ignored_in_the_scope_of_the_project(tmp_path: Path, project: Path) -> None:
    notes(tmp_path / "_brain", "### Brain\nalpha\n", folder="memory")
    answer = recall(str(project), "alpha", now=NOW, portfolio=str(tmp_path / "_brain"))
    assert [hit.ref for hit in answer.hits] == ["Shop"]


def test_a_portfolio_whose_memory_is_the_projects_own_is_searched_once(project: Path) -> None:
    answer = recall(str(project), "alpha", now=NOW, scope="portfolio", portfolio=str(project / ".agents"))
    assert [hit.ref for hit in answer.hits] == ["Shop"]


def test_a_portfolio_without_a_memory_folder_adds_nothing(tmp_path: Path, project: Path) -> None:
    (tmp_path / "_brain").mkdir()
    answer = recall(str(project), "alpha", now=NOW, scope="portfolio", portfolio=str(tmp_path / "_brain"))
    assert [hit.ref for hit in answer.hits] == ["Shop"]


def test_a_portfolio_that_is_not_there_is_refused(tmp_path: Path, project: Path) -> None:
    with pytest.raises(MemError, match="the folder is not there"):
        recall(str(project), "alpha", now=NOW, scope="portfolio", portfolio=str(tmp_path / "no"))


def test_a_link_below_a_named_portfolio_is_refused(tmp_path: Path, project: Path) -> None:
    notes(tmp_path / "other", "### Brain\nalpha\n", folder="memory")
    (tmp_path / "_brain").mkdir()
    (tmp_path / "_brain" / "memory").symlink_to(tmp_path / "other" / "memory")
    with pytest.raises(MemError, match="symbolic link"):
        recall(str(project), "alpha", now=NOW, scope="portfolio", portfolio=str(tmp_path / "_brain"))


# Without it: all indexed projects and the linked brain


def test_every_indexed_project_and_the_brain_are_searched_and_named(tmp_path: Path, project: Path) -> None:
    journal(tmp_path / "dev" / "api", event("alpha two"))
    notes(tmp_path / "dev" / "api", "### Api\nalpha\n", folder=".bmad/memory")
    notes(tmp_path / "_brain", "### Brain\nalpha\n", folder="memory")
    brain = Brain(str(tmp_path / "_brain"), "portfolio", "test")
    answer = ask(project, ("API", tmp_path / "dev" / "api"), brain=brain)
    assert named(answer) == [
        ("shop", ".agents/memory/decisions.md", "Shop"),
        ("API", "../api/.bmad/memory/journal.ndjson", "alpha"),
        ("API", "../api/.bmad/memory/decisions.md", "Api"),
        ("brain", "../../_brain/memory/decisions.md", "Brain"),
    ]
    assert answer.skipped == []
    assert [hit.project for hit in answer.hits] == [
        "shop",
        "API",
        "API",
        "brain",
    ]


@pytest.mark.parametrize("kind", ["bmad-global", "claude-memory"])
def test_the_notes_of_a_brain_that_is_no_portfolio_stand_in_it_itself(
    tmp_path: Path, project: Path, kind: str
) -> None:
    notes(tmp_path / "brain", "### Brain\nalpha\n", folder=".")
    answer = ask(project, brain=Brain(str(tmp_path / "brain"), kind, "test"))
    assert named(answer)[1:] == [("brain", "../../brain/decisions.md", "Brain")]


def test_a_brain_that_is_the_projects_own_memory_is_searched_once(project: Path) -> None:
    """Each note was found twice, since the path of a brain with its notes in itself ended in a slash."""
    own = Brain(str(project / ".agents" / "memory"), "bmad-global", "--brain")
    assert [hit.ref for hit in ask(project, brain=own).hits] == ["Shop"]


def test_a_brain_that_is_still_to_be_made_holds_nothing(tmp_path: Path, project: Path) -> None:
    answer = ask(project, brain=Brain(str(tmp_path / "no"), "bmad-global", "test", exists=False))
    assert (len(answer.hits), answer.skipped) == (1, [])


def test_the_current_project_is_searched_once_under_its_indexed_name(tmp_path: Path, project: Path) -> None:
    (tmp_path / "link").symlink_to(project)
    answer = ask(project, ("The Shop", tmp_path / "link"), ("again", project))
    assert named(answer) == [("The Shop", ".agents/memory/decisions.md", "Shop")]


def test_a_project_that_cannot_be_read_is_skipped_whole_and_named(tmp_path: Path, project: Path) -> None:
    bad, good = tmp_path / "dev" / "bad", tmp_path / "dev" / "good"
    journal(bad, event("alpha")).write_bytes(b'{"task":"alpha"}\ngarbage\n')
    (bad / ".agents/memory/lessons.md").mkdir(parents=True)
    notes(good, "### Good\nalpha\n")
    answer = ask(project, ("bad", bad), ("gone", tmp_path / "gone"), ("good", good))
    assert [hit.project for hit in answer.hits] == ["shop", "good"]
    assert answer.damaged == []
    assert [(one.name, one.path, one.why) for one in answer.skipped] == [
        ("bad", str(bad), ".agents/memory/lessons.md cannot be read: not a regular file; move it away"),
        ("gone", str(tmp_path / "gone"), f"the folder is not there: {tmp_path / 'gone'}"),
    ]


def test_a_path_of_the_index_that_leads_nowhere_is_skipped_and_named(tmp_path: Path, project: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    answer = ask(project, ("file", file), ("below", file / "below"), ("odd", Path("/no\0where")))
    assert [(one.name, one.why.split(":")[0]) for one in answer.skipped] == [
        ("file", "not a folder"),
        ("below", "the folder cannot be read"),
        ("odd", "the folder is not there"),
    ]
    assert len(answer.hits) == 1


def test_a_brain_that_cannot_be_read_is_skipped_and_named(tmp_path: Path, project: Path) -> None:
    (tmp_path / "_brain" / "memory" / "patterns.md").mkdir(parents=True)
    answer = ask(project, brain=Brain(str(tmp_path / "_brain"), "portfolio", "test"))
    assert [(one.name, len(answer.hits)) for one in answer.skipped] == [("brain", 1)]


def test_the_project_that_asks_is_never_skipped(project: Path) -> None:
    (project / ".agents/memory/lessons.md").mkdir()
    with pytest.raises(MemError, match=r"lessons\.md"):
        ask(project)


def test_damaged_lines_say_whose_journal_it_is(tmp_path: Path, project: Path) -> None:
    journal(tmp_path / "dev" / "api", event("x")).write_bytes(b"{}\nnull\n")
    assert ask(project, ("api", tmp_path / "dev" / "api")).damaged == [
        ("../api/.bmad/memory/journal.ndjson", 2)
    ]


def test_the_limit_holds_for_all_projects_together(tmp_path: Path, project: Path) -> None:
    others = []
    for number in range(5):
        notes(tmp_path / str(number), f"### {number}\nalpha{' x1' * number}\n")
        others.append((str(number), tmp_path / str(number)))
    answer = ask(project, *reversed(others), limit=3)
    assert [hit.project for hit in answer.hits] == ["0", "shop", "1"]


def test_what_is_let_go_on_the_way_is_never_what_would_have_been_shown(tmp_path: Path, project: Path) -> None:
    others = []
    for number in range(12):
        folder = tmp_path / str(number)
        notes(folder, "".join(f"### alpha{' w1' * ((number * 7 + part * 5) % 9)}\n" for part in range(9)))
        journal(folder, *(event("alpha", id=f"{number}-{part}") for part in range(3)))
        others.append((str(number), folder))
    (others[1][1] / ".agents/memory/patterns.md").mkdir()  # fails only after its best hits were found
    everything = ask(project, *others, limit=1000)
    assert len(everything.hits) == 1 + 11 * 12
    for limit in range(1, 40):
        assert named(ask(project, *others, limit=limit)) == named(everything)[:limit]
