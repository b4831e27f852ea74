"""Fixtures of the command line's tests: a small portfolio with a home of its own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from jobs.portfolio import index, survey
from jobs.settings import RootGroup, ScanSettings
from scanner.project import Root, Thresholds
from tests.jobs.program import Program
from tests.support import GIT_ENVIRONMENT, NOW, Git, write


@pytest.fixture
def zecher(home: Path, tmp_path: Path) -> Program:
    """The program, started in an empty folder."""
    here = tmp_path / "here"
    here.mkdir()
    return Program(home, here)


@pytest.fixture(scope="session")
def _portfolio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            patch.delenv(name)
        for name, value in GIT_ENVIRONMENT.items():
            patch.setenv(name, value)
        root = tmp_path_factory.mktemp("portfolio")
        git = Git(root)
        go = {"go.mod": "module example.com/old\n", "main.go": "package main\n"}
        git.repository("dev/shop", days=2, files={"pyproject.toml": '[project]\nname = "shop"\n'})
        git.repository("dev/tools/engine", days=100, files={"Cargo.toml": '[package]\nname = "engine"\n'})
        git.repository("dev/old", days=900, files=go)
        write(root / "dev" / "notes" / "list.txt", days=400)
    return root / "dev"


@pytest.fixture
def dev(tmp_path: Path, _portfolio: Path) -> Path:
    """Three projects of this test's own: active in Python, paused in Rust, archived in Go."""
    return Path(shutil.copytree(_portfolio, tmp_path / "dev", symlinks=True))


@pytest.fixture
def indexed(home: Path, dev: Path) -> Path:
    """The same three projects, indexed in the brain of the test's home."""
    settings = ScanSettings(
        groups=(RootGroup((Root(str(dev)),), "none", ()),),
        thresholds=Thresholds(),
        brain=str(home / ".bmad-plus/brain"),
        state=str(home / ".local/state/zecher"),
        home=str(home),
        now=NOW,
        unsaved=True,
    )
    assert index(survey(settings)).written == 3
    return dev
