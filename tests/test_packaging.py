from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent
PACKAGES = {"scanner", "brain", "jobs", "reports"}


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    dist = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(dist)],
        cwd=HERE,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (built,) = dist.glob("*.whl")
    with zipfile.ZipFile(built) as wheel:
        return wheel.namelist()


def test_the_wheel_brings_exactly_the_four_packages(wheel_names: list[str]) -> None:
    tops = {name.partition("/")[0] for name in wheel_names}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES


def test_the_wheel_brings_the_tables_and_the_type_marks(wheel_names: list[str]) -> None:
    wanted = {"scanner/markers.toml", "jobs/codes.toml", *(f"{package}/py.typed" for package in PACKAGES)}
    assert wanted <= set(wheel_names)
    shipped = {
        str(path.relative_to(HERE))
        for package in PACKAGES
        for path in (HERE / package).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert len(shipped) >= 12
    assert shipped <= set(wheel_names)


def test_the_wheel_brings_every_module_and_nothing_of_the_tests(wheel_names: list[str]) -> None:
    modules = {str(path.relative_to(HERE)) for package in PACKAGES for path in (HERE / package).rglob("*.py")}
    assert modules == {name for name in wheel_names if name.endswith(".py")}


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock", "requirements-lowest.lock"])
def test_a_lock_file_holds_names_versions_and_hashes_and_no_address(name: str) -> None:
    text = (HERE / name).read_text()
    pins = re.findall(r"^([a-z0-9-]+)==\S+ .*\\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)
    assert "://" not in text
    assert len(pins) == len(re.findall(r"^\S", text, re.MULTILINE))


def test_the_lock_of_the_users_holds_every_dependency_that_the_project_names() -> None:
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    named = {re.match(r"[a-z0-9-]+", requirement)[0] for requirement in project["dependencies"]}  # type: ignore[index] # every requirement starts with a name
    locked = re.findall(r"^([a-z0-9-]+)==", (HERE / "requirements.lock").read_text(), re.MULTILINE)
    assert named == {"apscheduler", "jinja2", "pathspec", "pyyaml", "rich", "snowballstemmer", "tomli"}
    assert named <= set(locked)
