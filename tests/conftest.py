"""Fixtures that hold for every test: no real home, a pinned git, a fixed clock."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import GIT_ENVIRONMENT, Git

# A shell that starts the tests in the background has every process below it ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long one example takes tells of the machine and its load, not of the code.
settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the long form of the long suites")


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--full"))


@pytest.fixture(autouse=True)
def _sealed_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the real home unreachable and the environment the same on every machine."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "XDG_", "ZECHER_", "BMAD_")) or name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    for name, value in GIT_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def home() -> Path:
    """The temporary home of this test."""
    return Path(os.environ["HOME"])


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """The real git, working below this test's folder."""
    return Git(tmp_path)
