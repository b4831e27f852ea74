"""The front door: lint, types, import contracts, the built wheel, the lowest dependencies, all tests.

``nox`` runs them all in the environment that ``requirements-dev.lock`` describes; ``nox -l`` lists them,
``nox -s tests -- -k walk`` runs some tests, ``nox -s benchmarks`` prints the speed table.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "types", "contracts", "wheel", "lowest", "tests"]
nox.options.error_on_missing_interpreters = False

HERE = Path(__file__).parent

# What uses a dependency: pathspec and tomli; PyYAML; the stems; tomli, rich and apscheduler; jinja2.
_DEPENDENT = (
    *("tests/scanner/test_ignore.py", "tests/scanner/test_stacks.py", "tests/scanner/test_layouts.py"),
    *("tests/brain/test_cards.py", "tests/brain/test_cards_properties.py", "tests/brain/test_secrets.py"),
    *("tests/brain/entries/test_front_matter.py", "tests/brain/search/test_worked_cases.py"),
    *("tests/brain/health/test_handover.py", "tests/brain/health/test_rules_smuggled.py"),
    *("tests/jobs/test_config.py", "tests/jobs/test_config_check.py", "tests/jobs/test_config_yaml.py"),
    *("tests/jobs/test_daemon.py", "tests/jobs/test_explain.py", "tests/jobs/test_scan.py"),
    *("tests/jobs/test_terminal.py", "tests/reports", "tests/test_packaging.py"),
)


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
    session.run(str(Path(sys.executable).with_name("lint-imports")), "--no-logo", external=True)


@nox.session(venv_backend="virtualenv")
def wheel(session: nox.Session) -> None:
    """Build the wheel, install it alone into a fresh environment, scan from an empty folder."""
    with tempfile.TemporaryDirectory() as scratch:
        dist = Path(scratch, "dist")
        _run(session, "hatchling", "build", "--target", "wheel", "--directory", str(dist))
        session.install("--quiet", "--require-hashes", "-r", "requirements.lock")
        session.install("--quiet", "--no-deps", *(str(built) for built in dist.glob("*.whl")))
        empty = Path(scratch, "empty")
        empty.mkdir()
        with session.chdir(empty):
            env = {"HOME": scratch, "PYTHONPATH": None}
            session.run("zecher", "--version", env=env)
            session.run("zecher", "scan", "--yes", env=env)
            session.run("scan", "--yes", "--json", env=env, silent=True)


@nox.session(venv_backend="virtualenv")
def lowest(session: nox.Session) -> None:
    """With the lowest versions of the dependencies that pyproject.toml admits: what uses any of them."""
    session.install("--quiet", "--require-hashes", "-r", "requirements-lowest.lock")
    session.install("--quiet", "--no-deps", "--no-build-isolation", ".")
    with session.chdir(HERE):
        session.run("python", "-m", "pytest", "-q", "-n", "auto", *(session.posargs or _DEPENDENT))


@nox.session
def tests(session: nox.Session) -> None:
    """All tests; arguments after ``--`` go to pytest (``--full`` for the long forms)."""
    _install_editable(session)
    _fetch_accessibility(session)
    _run(session, "pytest", "-n", "auto", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """All tests under coverage, with branches."""
    _install_editable(session)
    _run(session, "coverage", "run", "-m", "pytest", "-q", *session.posargs)
    _run(session, "coverage", "report")


@nox.session
def benchmarks(session: nox.Session) -> None:
    """The tables of speed, measured side by side, and of how well the search finds."""
    _install_editable(session)
    _run(session, "tests.benchmarks.speed", *session.posargs)
    check = [word for word in session.posargs if word == "--check"]
    _run(session, "tests.benchmarks.mem_speed", *check)
    _run(session, "tests.benchmarks.health_speed", *check)
    _run(session, "tests.benchmarks.search_speed", *check)
    _run(session, "tests.benchmarks.search_quality", *check)
    _run(session, "tests.benchmarks.dreaming_speed", *check)


@nox.session
def docs(session: nox.Session) -> None:
    """Put the help texts of the commands into docs/cli.md."""
    _run(session, "tests.docs")


@nox.session
def pictures(session: nox.Session) -> None:
    """Take the pictures of the documentation anew (those of the dashboard need a Chromium)."""
    _run(session, "tests.pictures")


@nox.session
def lock(session: nox.Session) -> None:
    """Write the lock files anew (needs uv)."""
    for output, *options in (
        ("requirements.lock",),
        ("requirements-dev.lock", "--group", "dev"),
        ("requirements-lowest.lock", "--group", "build", "--group", "test", "--resolution", "lowest-direct"),
    ):
        session.run(
            *("uv", "pip", "compile", "pyproject.toml", "--quiet", "--generate-hashes", "--no-header"),
            *("--no-annotate", "--universal", "--python-version", "3.11", "-o", output, *options),
            external=True,
        )


def _run(session: nox.Session, module: str, *args: str) -> None:
    session.run(sys.executable, "-m", module, *args, external=True)


def _fetch_accessibility(session: nox.Session) -> None:
    """The engine of the checks for access to the dashboard; without npm their tests skip and say so."""
    folder = HERE / "tests" / "accessibility"
    if shutil.which("npm") and not (folder / "node_modules").exists():
        words = (
            "npm",
            "ci",
            "--prefix",
            str(folder),
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--silent",
        )
        session.run(*words, external=True, success_codes=[0, 1])


def _install_editable(session: nox.Session) -> None:
    _run(session, "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", ".")
