"""Every row of ``scanner/markers.toml`` shows on a real folder that it does what it says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from scanner.project import Listing, Stacks
from scanner.stacks import Markers, load_markers
from scanner.walk import read_listing

TABLE: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[2] / "scanner" / "markers.toml").read_text("utf-8")
)
ROWS = [(section, glob) for section, rows in TABLE["markers"].items() for glob in rows]

# What a marker must hold to count, where its name alone is not enough.
CONTENT = {
    "package.json": '{"name": "a"}',
    "deno.json": '{"tasks": {}}',
    "deno.jsonc": '{"tasks": {}} // the build',
    "pyproject.toml": '[project]\nname = "a"\n',
    "setup.py": "from setuptools import setup\nsetup()\n",
    "setup.cfg": "[metadata]\nname = a\n",
    "Pipfile": '[packages]\nattrs = "*"\n',
    "pixi.toml": '[project]\nname = "a"\n',
    "environment.yml": "dependencies:\n  - numpy\n",
    "environment.yaml": "dependencies:\n  - numpy\n",
    "Cargo.toml": '[package]\nname = "a"\n',
    "go.mod": "module example.org/a\n",
    "pom.xml": "<project></project>\n",
    "*.sln": "Microsoft Visual Studio Solution File\n",
    "*.slnx": "<Solution />\n",
    "*.csproj": "<Project />\n",
    "*.fsproj": "<Project />\n",
    "*.vbproj": "<Project />\n",
    "composer.json": "{}",
    "style.css": "/*\nTheme Name: Shop\n*/\n",
    "*.php": "<?php\n/**\n * Plugin Name: Shop\n */\n",
    "CMakeLists.txt": "project(a)\n",
    "meson.build": "project('a', 'cpp')\n",
    "*.pro": "QT += widgets\n",
    "wscript": "def build(bld):\n    pass\n",
    "v.mod": "Module {\n\tname: 'a'\n}\n",
    "Project.toml": "[deps]\n",
    "JuliaProject.toml": "[deps]\n",
    "DESCRIPTION": "Package: a\n",
    "app.R": "library(shiny)\nshinyApp(ui, server)\n",
    "*.gpr": "project A is\nend A;\n",
    "dist.ini": "name = A\n",
    "info.rkt": "#lang info\n",
    "*.asd": '(asdf:defsystem "a")\n',
    "Cask": "(source gnu)\n",
    "pack.pl": "name(a).\n",
    "Move.toml": '[package]\nname = "a"\n',
    "Scarb.toml": '[package]\nname = "a"\n',
    "template.yaml": "AWSTemplateFormatVersion: '2010-09-09'\n",
    "template.yml": "AWSTemplateFormatVersion: '2010-09-09'\n",
    "default.project.json": '{"tree": {}}',
    "game.project": "[project]\n",
    "platformio.ini": "[env:uno]\n",
    "west.yml": "manifest:\n",
    "*.ioc": "Mcu.Name=STM32\n",
    "package.xml": "<package><buildtool_depend>ament_cmake</buildtool_depend></package>\n",
    "book.toml": "[book]\n",
    "hugo.json": '{"baseURL": "https://example.org"}',
    "config.toml": "baseURL = 'https://example.org'\n",
    "config.yaml": "baseURL: https://example.org\n",
    "config.yml": "baseURL: https://example.org\n",
    "pnpm-workspace.yaml": "packages:\n  - a\n",
    "manifest.json": '{"manifest_version": 3}',
    "manage.py": "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'a.settings')\n",
    "*.ipynb": '{"cells": []}',
    "build.xml": "<project/>\n",
    "site.yml": "- hosts: all\n",
    "site.yaml": "- hosts: all\n",
    "deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\n",
    "deployment.yml": "apiVersion: apps/v1\nkind: Deployment\n",
    "compose.yaml": "services:\n",
    "compose.yml": "services:\n",
    "docker-compose*.yml": "services:\n",
    "docker-compose*.yaml": "services:\n",
    "*.tex": "\\documentclass{article}\n",
    "dags/*.py": "from airflow import DAG\n",
    "project.yml": "targets:\n",
    "*.yaml": "esphome:\n  name: lamp\n",
    "render.yaml": "services:\n",
    "app.yaml": "runtime: python312\n",
}
# The languages that a marker leaves open, as they are settled where no source file helps.
SETTLED = {label: entry["otherwise"] for label, entry in TABLE["open"].items()}
# Rows whose label a reader replaces by what the content says.
INSTEAD = {"config.toml": ["Hugo"], "manifest.json": ["Browser extension"]}


@pytest.fixture(scope="module")
def markers() -> Markers:
    return load_markers()


def build(folder: Path, glob: str) -> Listing:
    folder.mkdir()
    for part in glob.split(" + "):
        path = folder / part.replace("*", "x").replace("{folder}", folder.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if part.endswith("/"):
            path.mkdir()
        else:
            path.write_text(CONTENT.get(glob if glob in CONTENT else part, ""))
    return read_listing(str(folder))


def labels_of(stacks: Stacks) -> set[str]:
    return {label.label for label in stacks.labels}


@pytest.mark.parametrize(("section", "glob"), ROWS)
def test_a_marker_gives_its_class(section: str, glob: str, tmp_path: Path, markers: Markers) -> None:
    got, marker = markers.root_class(build(tmp_path / "project", glob))
    allowed = {section}
    if section == "label" and "/" in glob.rstrip("/"):
        # A label that stands below a folder is not worth a question to the disk for every folder walked.
        allowed.add("none")
    if section == "label" and " + " in glob:
        allowed.add("strong")  # what it stands beside makes the project
    assert got in allowed
    assert bool(marker) == (got != "none")


@pytest.mark.parametrize(("section", "glob"), ROWS)
def test_a_marker_gives_its_labels(section: str, glob: str, tmp_path: Path, markers: Markers) -> None:
    value = TABLE["markers"][section][glob]
    expected = INSTEAD.get(glob, [value] if isinstance(value, str) else value)
    stacks = markers.describe(build(tmp_path / "project", glob))
    assert {SETTLED.get(label, label) for label in expected} - {""} <= labels_of(stacks)
    assert stacks.problems == ()


@pytest.mark.parametrize("glob", [glob for glob, entry in TABLE["content"].items() if "check" in entry])
def test_a_marker_whose_check_fails_counts_for_nothing(glob: str, tmp_path: Path, markers: Markers) -> None:
    folder = tmp_path / "project"
    path = folder / glob.replace("*", "x")
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    assert markers.root_class(read_listing(str(folder)))[0] in {"none", "label"}
    labels = markers.describe(read_listing(str(folder))).labels
    assert [label.label for label in labels if not label.evidence.startswith("files by ending")] == []


MANIFESTS = {
    "npm": ("package.json", '{{"dependencies": {{"{}": "1"}}}}'),
    "python": ("requirements.txt", "{}==1.0\n"),
    "rust": ("Cargo.toml", '[package]\nname = "a"\n[dependencies]\n{} = "1"\n'),
    "go": ("go.mod", "module example.org/a\n\nrequire {} v1.0.0\n"),
    "maven": ("pom.xml", "<project><dependency><artifactId>{}</artifactId></dependency></project>"),
    "gradle": ("build.gradle", "plugins {{\n    id '{}'\n}}\n"),
    "php": ("composer.json", '{{"require": {{"{}": "*"}}}}'),
    "ruby": ("Gemfile", "gem '{}'\n"),
    "elixir": ("mix.exs", 'defp deps do\n  [{{:{}, "~> 1.0"}}]\nend\n'),
    "image": ("compose.yaml", "services:\n  one:\n    image: example.org:5000/library/{}:1\n"),
}
DEPENDENCIES = [(ecosystem, name) for ecosystem in MANIFESTS for name in TABLE["dependencies"][ecosystem]]


@pytest.mark.parametrize(("ecosystem", "name"), DEPENDENCIES)
def test_a_dependency_gives_its_label(ecosystem: str, name: str, tmp_path: Path, markers: Markers) -> None:
    file, text = MANIFESTS[ecosystem]
    (tmp_path / file).write_text(text.format(name.replace("*", "x")))
    value = TABLE["dependencies"][ecosystem][name]
    expected = {value} if isinstance(value, str) else set(value)
    assert expected <= labels_of(markers.describe(read_listing(str(tmp_path))))


@pytest.mark.parametrize("ecosystem", MANIFESTS)
def test_a_dependency_whose_name_only_ends_alike_gives_nothing(
    ecosystem: str, tmp_path: Path, markers: Markers
) -> None:
    file, text = MANIFESTS[ecosystem]
    for name in TABLE["dependencies"][ecosystem]:
        (tmp_path / file).write_text(text.format("zz" + name.replace("*", "x")))
        labels = markers.describe(read_listing(str(tmp_path))).labels
        assert [label for label in labels if "zz" in label.evidence] == []


@pytest.mark.parametrize("sdk", TABLE["dependencies"]["dotnet"])
def test_a_project_file_of_dotnet_gives_its_kind(sdk: str, tmp_path: Path, markers: Markers) -> None:
    inner = f"<{sdk}>true</{sdk}>" if sdk.startswith("Use") else f'<PackageReference Include="{sdk}" />'
    (tmp_path / "App.csproj").write_text(f"<Project>{inner}</Project>")
    assert TABLE["dependencies"]["dotnet"][sdk] in labels_of(markers.describe(read_listing(str(tmp_path))))


FACTS = [
    (section, glob, attribute)
    for section, attribute in (
        ("ci", "ci"),
        ("containers", "containers"),
        ("agents", "agent_files"),
        ("memory", "memory"),
        ("flags", "flags"),
    )
    for glob in TABLE[section]
]


@pytest.mark.parametrize(("section", "glob", "attribute"), FACTS)
def test_a_fact_beside_the_labels_is_reported(
    section: str, glob: str, attribute: str, tmp_path: Path, markers: Markers
) -> None:
    stacks = markers.describe(build(tmp_path / "project", glob))
    assert TABLE[section][glob] in getattr(stacks, attribute)


@pytest.mark.parametrize("glob", TABLE["workspaces"])
def test_a_workspace_file_names_the_workspace(glob: str, tmp_path: Path, markers: Markers) -> None:
    assert markers.describe(build(tmp_path / "project", glob)).workspace == TABLE["workspaces"][glob]


@pytest.mark.parametrize(
    ("family", "glob"), [(family, glob) for family, rows in TABLE["locks"].items() for glob in rows]
)
def test_a_lockfile_names_the_package_manager(
    family: str, glob: str, tmp_path: Path, markers: Markers
) -> None:
    manifest = {"npm": "package.json", "python": "pyproject.toml"}[family]
    (tmp_path / manifest).write_text(CONTENT[manifest])
    (tmp_path / glob).write_text("")
    assert markers.describe(read_listing(str(tmp_path))).package_manager == TABLE["locks"][family][glob]


def test_every_label_in_the_table_has_a_role() -> None:
    known = {label for labels in TABLE["labels"].values() for label in labels} | set(TABLE["open"])
    used: list[str] = []
    for rows in [*TABLE["markers"].values(), *TABLE["dependencies"].values()]:
        for value in rows.values():
            used += [value] if isinstance(value, str) else value
    for label, weaker in TABLE["supersedes"].items():
        used += [label, *weaker]
    used += [*TABLE["weights"], *TABLE["extensions"], *TABLE["companions"]["labels"], *TABLE["own_folders"]]
    for entry in TABLE["content"].values():
        used += entry.get("labels", {})
    assert sorted(set(used) - known) == []


def test_no_label_has_two_roles() -> None:
    labels = [label for labels in TABLE["labels"].values() for label in labels]
    assert len(labels) == len(set(labels))


def test_every_row_with_questions_or_a_reader_is_a_marker() -> None:
    rows = {glob for rows in TABLE["markers"].values() for glob in rows}
    assert sorted({*TABLE["content"], *TABLE["readers"]} - rows) == []


def test_no_marker_stands_in_two_classes() -> None:
    globs = [glob for rows in TABLE["markers"].values() for glob in rows]
    assert len(globs) == len(set(globs))
