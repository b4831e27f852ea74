"""Any sequence of acts, with the real git as the judge of what is changed afterwards."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import pytest

from scanner.changes import work_tree_changes
from scanner.edits import newest_edit
from scanner.git import open_repository
from scanner.git.index import LastIndex
from scanner.seen_files import SeenFiles
from tests.scanner.support_changes import Desk, by_git, by_us, changes_of, make_templates
from tests.support import Git

DEFAULT, FULL = 1_000, 4_000
CONVERSIONS = (b"* filter=shout\n", b"*.log filter=lfs\n", b"a working-tree-encoding=UTF-16\n")


@pytest.fixture
def bare_templates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """New repositories without the sample hooks: copying those would take most of the time."""
    folder = tmp_path / "no-template"
    folder.mkdir()
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(folder))


@pytest.mark.usefixtures("bare_templates")
def test_whatever_was_done_the_changes_are_those_that_git_tells(git: Git, full: bool) -> None:
    templates = make_templates(git)
    for seed in range(FULL if full else DEFAULT):
        chance = random.Random(seed)  # noqa: S311 - repeatable, nothing secret
        path = git.root / "work"
        shutil.copytree(chance.choice(templates), path, symlinks=True)
        desk = Desk(git, path, chance)
        if chance.random() < 0.5:
            git("status", cwd=path)  # a copy has other inodes and times: now its index knows them
        desk.work(chance.randint(1, 8))

        assert by_us(path) == by_git(path), f"seed {seed}: {desk.done}"

        shutil.rmtree(path)


@pytest.mark.usefixtures("bare_templates")
def test_what_the_look_for_edits_saw_changes_no_answer(git: Git, full: bool) -> None:
    templates = make_templates(git)
    for seed in range(1_000 if full else 100):
        chance = random.Random(seed)  # noqa: S311 - repeatable, nothing secret
        path = git.root / "work"
        shutil.copytree(chance.choice(templates), path, symlinks=True)
        desk = Desk(git, path, chance)
        desk.work(chance.randint(1, 8))
        seen, load = SeenFiles(), LastIndex().load
        with open_repository(str(path)) as repository:
            newest_edit(repository, since=0.0, now=time.time(), load=load, seen=seen)
            found = work_tree_changes(repository, load=load, seen=seen)

        assert found == changes_of(path), f"seed {seed}: {desk.done}"

        shutil.rmtree(path)


@pytest.mark.usefixtures("bare_templates")
def test_what_git_would_run_a_program_for_is_never_told_as_unchanged(
    git: Git, full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = git.root / "settings"
    settings.write_text('[filter "shout"]\n\tclean = tr a-z A-Z\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    templates = make_templates(git)
    for seed in range(200 if full else 40):
        chance = random.Random(seed)  # noqa: S311 - repeatable, nothing secret
        path = git.root / "work"
        shutil.copytree(chance.choice(templates), path, symlinks=True)
        desk = Desk(git, path, chance)
        desk.work(chance.randint(1, 3))
        (path / ".gitattributes").write_bytes(chance.choice(CONVERSIONS))
        desk.work(chance.randint(1, 3))
        expected = by_git(path)

        changes = changes_of(path)

        assert expected["modified"] <= {*changes.modified, *changes.may_be_modified}, f"{seed}: {desk.done}"
        assert set(changes.modified) <= expected["modified"] | set(changes.may_be_modified), f"{seed}"
        for kind in ("staged", "deleted", "untracked", "conflicted", "intent_to_add"):
            assert set(getattr(changes, kind)) == expected[kind], f"{seed}: {desk.done}"
        shutil.rmtree(path)
