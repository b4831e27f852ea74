"""The front door: lint, types, import contracts, tests and the built wheel.

``nox`` runs them all in the environment that ``requirements-dev.lock`` describes; ``nox -l`` lists them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "types", "contracts", "wheel", "tests"]
nox.options.error_on_missing_interpreters = False


def _run(session: nox.Session, module: str, *args: str) -> None:
    session.run(sys.executable, "-m", module, *args, external=True)


@nox.session
def lint(session: nox.Session) -> None:
    """Style and common mistakes."""
    _run(session, "ruff", "check", ".")
    _run(session, "ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Strict typing of the four packages and the tests."""
    _run(session, "mypy")


@nox.session
def contracts(session: nox.Session) -> None:
    """The directions in which the packages may import each other."""
    session.run(str(Path(sys.executable).with_name("lint-imports")), external=True)


@nox.session
def tests(session: nox.Session) -> None:
    """All tests; arguments after ``--`` go to pytest."""
    _install_editable(session)
    _run(session, "pytest", *session.posargs)


@nox.session
def wheel(session: nox.Session) -> None:
    """Build the wheel, install it alone into a fresh environment, scan from an empty folder."""
    _run(session, "pytest", "tests/test_wheel.py", "--wheel", "-p", "no:randomly")


def _install_editable(session: nox.Session) -> None:
    _run(session, "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", ".")
