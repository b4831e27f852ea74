"""Manifests and ignore files whose content is the attack: too deep, too long, ambiguous or explosive."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

DEEP = 100_000


@dataclass(frozen=True)
class Bomb:
    """One folder whose content is an attack; ``build`` fills an existing folder that is no repository.

    ``complaint`` is part of the path of a file that a problem must name; empty where silence is right.
    """

    name: str
    build: Callable[[Path], None]
    complaint: str = ""


def _file(name: str, content: str | bytes) -> Callable[[Path], None]:
    def build(project: Path) -> None:
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        (project / name).write_bytes(data)

    return build


def _lazy(name: str, content: Callable[[], str]) -> Callable[[Path], None]:
    def build(project: Path) -> None:
        (project / name).write_text(content())

    return build


def _json(name: str, text: str | bytes, *, complains: bool = True) -> Bomb:
    return Bomb("json-" + name, _file("package.json", text), "package.json" if complains else "")


def _with(inner: str) -> str:
    return '{"name": "x", "scripts": {}, ' + inner + "}"


JSON = (
    _json("deep-objects", '{"a":' * DEEP),
    _json("deep-lists", '{"scripts": {}, "a": ' + "[" * DEEP + "]" * DEEP + "}"),
    _json("deep-strings-in-lists", "[" * 120_000),
    _json("not-a-number", _with('"version": NaN')),
    _json("infinity", _with('"version": -Infinity')),
    _json("5000-digits", _with('"version": ' + "9" * 5000)),
    _json("exponent", _with('"version": 1e999999999'), complains=False),
    _json("utf-16", _with('"a": 1').encode("utf-16")),
    _json("utf-32", _with('"a": 1').encode("utf-32")),
    _json("latin-1", b'{"name": "\xe9", "scripts": {}}'),
    _json("raw-surrogate", '{"name": "a\ud800b", "scripts": {}}'),
    _json(
        "escaped-surrogate", '{"name": "a\\ud800b", "description": "\\udc9b", "scripts": {}}', complains=False
    ),
    _json("duplicate-keys", '{"name": "a", "name": "b", "scripts": {}}', complains=False),
    _json("byte-order-mark", "\ufeff" + _with('"a": 1'), complains=False),
    _json("nul-bytes", '{"name": "a\0b", "scripts": {}}'),
    _json(
        "wrong-types",
        '{"name": [1], "scripts": 3, "dependencies": ["react"], "workspaces": {"packages": 7},'
        ' "description": {"a": 1}, "engines": [], "bin": null, "packageManager": 5, "main": []}',
        complains=False,
    ),
    _json("wrong-type-at-the-top", '["name", "scripts"]', complains=False),
    _json(
        "40000-dependencies",
        json.dumps({"name": "x", "dependencies": {f"d{n}": "1" for n in range(14_000)}}),
        complains=False,
    ),
    _json("comments-without-end", '{"name": "x", "scripts": {}, /*' + "*" * 200_000),
    _json("comment-openers", '{"name": "x", ' + "/*" * 100_000),
    _json("open-strings", '{"name": "' + '\\"' * 100_000),
    _json("trailing-commas", '{"name": "x", "scripts": {}' + "," * 200_000 + "}"),
    _json("blanks", '{"name":' + " " * 250_000 + '"x", "scripts": {}}', complains=False),
    _json(
        "workspace-globs",
        _with('"workspaces": ["' + "*a" * 20 + 'b", "**/**/**/**/**/**/**/**/**/**/x"]'),
        complains=False,
    ),
    _json(
        "workspace-elsewhere",
        _with('"workspaces": ["../../../../../../../../etc/*", "/etc", "/", "..", "\\u0000"]'),
        complains=False,
    ),
    _json("long-name", '{"name": "' + "n" * 200_000 + '", "scripts": {}}', complains=False),
)

_XML = "<?xml version='1.0'?>\n"


def _laughs() -> str:
    lines = ['<!ENTITY a0 "ha">']
    lines += [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 30)]
    return f"{_XML}<!DOCTYPE p [{''.join(lines)}]><project><artifactId>&a29;</artifactId></project>"


OTHERS = (
    Bomb(
        "toml-20000-part-key",
        _file("pyproject.toml", "[project]\nname = 'x'\n" + ".".join("a" * 20_000) + " = 1\n"),
        "pyproject.toml",
    ),
    Bomb("toml-deep-lists", _file("pyproject.toml", "[project]\na = " + "[" * DEEP), "pyproject.toml"),
    Bomb("toml-deep-tables", _file("Cargo.toml", "[package]\na = " + "{a=" * 50_000), "Cargo.toml"),
    Bomb(
        "toml-5000-digits",
        _file("Cargo.toml", "[package]\nname = 'x'\nversion = " + "9" * 5000 + "\n"),
        "Cargo.toml",
    ),
    Bomb("toml-latin-1", _file("pyproject.toml", b"[project]\nname = '\xe9'\n"), "pyproject.toml"),
    Bomb("toml-wrong-types", _file("pyproject.toml", "project = 3\ntool = []\nbuild-system = 'x'\n")),
    Bomb(
        "toml-wrong-inner-types",
        _file(
            "pyproject.toml",
            "[project]\nname = 1979-05-27\ndependencies = 'x'\n[tool]\nuv = 3\n"
            "[build-system]\nrequires = {a = 1}\n",
        ),
    ),
    Bomb(
        "toml-cargo-wrong-types",
        _file("Cargo.toml", "package = []\n[workspace]\nmembers = {a = 1}\n[dependencies]\n1 = nan\n"),
    ),
    Bomb(
        "toml-many-tables",
        _lazy(
            "pyproject.toml", lambda: "[project]\nname='x'\n" + "".join(f"[a{n}]\n" for n in range(25_000))
        ),
    ),
    Bomb("xml-billion-laughs", _lazy("pom.xml", _laughs)),
    Bomb(
        "xml-external-entity",
        _file(
            "pom.xml",
            _XML
            + '<!DOCTYPE p [<!ENTITY e SYSTEM "file:///etc/passwd">]><project><artifactId>&e;</artifactId></project>',
        ),
    ),
    Bomb("xml-deep", _file("pom.xml", _XML + "<project>" + "<a>" * 80_000)),
    Bomb("xml-open-tags", _file("pom.xml", _XML + "<project>" + "<parent><artifactId>" * 12_000)),
    Bomb("xml-open-comments", _file("pom.xml", _XML + "<project>" + "<!--" * 60_000)),
    Bomb(
        "yaml-billion-laughs",
        _file(
            "pubspec.yaml",
            "a: &a0 [x]\n"
            + "".join(f"b{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 30))
            + "name: *a29\n",
        ),
    ),
    Bomb("yaml-python-tag", _file("pubspec.yaml", "name: !!python/object/apply:os.system ['touch x']\n")),
    Bomb("yaml-deep", _file("pnpm-workspace.yaml", "packages: " + "[" * DEEP)),
    Bomb("go-one-line", _file("go.mod", "module " + "a/" * 120_000)),
    Bomb("go-many-brackets", _file("go.mod", "module x\n" + "require (\n" * 20_000)),
    Bomb("gradle-open-quotes", _file("build.gradle", "id '" * 60_000)),
    Bomb("gradle-open-brackets", _file("settings.gradle", "include(" * 30_000)),
    Bomb("requirements-one-line", _file("requirements.txt", "a[" * 120_000)),
    Bomb("requirements-blanks", _file("requirements.txt", "a" + " " * 250_000 + ";")),
    Bomb("gemfile-open-quotes", _file("Gemfile", "gem '" * 50_000)),
    Bomb("cmake-open-brackets", _file("CMakeLists.txt", "project(" * 30_000)),
    Bomb("csproj-open-tags", _file("x.csproj", '<PackageReference Include="' * 9000)),
    Bomb("sln-quotes", _file("x.sln", 'Project("' * 25_000)),
    Bomb("mix-open-brackets", _file("mix.exs", "{:" * 100_000)),
    Bomb("package-swift-quotes", _file("Package.swift", '.package(url: "' * 15_000)),
    Bomb("composer-deep", _file("composer.json", '{"require":' * 20_000), "composer.json"),
    Bomb("deno-comments", _file("deno.json", "/*/" * 80_000)),
    Bomb("compose-colons", _file("compose.yaml", "services:" * 20_000)),
    Bomb("notebook-deep", _file("x.ipynb", '{"cells":[' * 20_000)),
    Bomb("tex-backslashes", _file("main.tex", "\\documentclass" * 15_000)),
    Bomb("setup-cfg-brackets", _file("setup.cfg", "[" * 250_000)),
    Bomb("r-description-blanks", _file("DESCRIPTION", "Package:" + " " * 250_000)),
    Bomb("readme-one-line", _file("README.md", "# " + "x" * 250_000)),
    Bomb("readme-brackets", _file("README.md", "[![](" * 50_000)),
    Bomb("readme-front-matter", _file("README.md", "---\n" * 60_000)),
    Bomb("tool-version", _file(".nvmrc", "\x1b[2J" + "9" * 100_000)),
)

_STARS = "*a*a*a*a*a*a*a*a*b"
_NAME = "a" * 255


def _ignores(text: bytes) -> Callable[[Path], None]:
    """An ignore file and files whose names make its patterns expensive, some of them 40 folders deep."""

    def build(project: Path) -> None:
        (project / ".gitignore").write_bytes(text)
        (project / "package.json").write_text('{"name": "x", "scripts": {}}')
        (project / _NAME).touch()
        for number in range(30):
            (project / f"{number:02}{_NAME[:200]}").touch()
        deep = project.joinpath(*["a" * 20] * 12)
        deep.mkdir(parents=True)
        (deep / _NAME).touch()

    return build


IGNORES = (
    Bomb("ignore-stars", _ignores(_STARS.encode() + b"\n"), ".gitignore"),
    Bomb("ignore-many-stars", _ignores((_STARS + "\n").encode() * 1500), ".gitignore"),
    Bomb("ignore-three-stars", _ignores(b"*a*a*ab\n" * 1500)),
    Bomb("ignore-run-of-stars", _ignores(b"*" * 30 + b"b\n")),
    Bomb("ignore-double-stars", _ignores(b"**/" * 30 + b"x\n")),
    Bomb("ignore-chained-double-stars", _ignores(b"**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/b\n"), ".gitignore"),
    Bomb("ignore-question-marks", _ignores(b"*" + b"?" * 200 + b"*" + b"?" * 40 + b"*b\n")),
    Bomb(
        "ignore-classes",
        _ignores(b"[z-a]\n\\\n!\n[\n[]\n[!]\n[[:alpha:]\n" + b"[a-z]*" * 30 + b"\n"),
        ".gitignore",
    ),
    Bomb("ignore-many-classes", _ignores(b"*[a]*[a]*[a]*[a]*[a]*[a]*b\n" * 300), ".gitignore"),
    Bomb("ignore-ten-megabytes", _ignores(b"aaaaaaaaa\n" * 1_048_576), ".gitignore"),
    Bomb("ignore-one-line", _ignores(b"a" * 60_000), ".gitignore"),
    Bomb("ignore-nul", _ignores(b"a\0b\n\0\0\0\n" * 1000)),
    Bomb("ignore-utf-16", _ignores("*.txt\n".encode("utf-16"))),
    Bomb("ignore-escapes", _ignores(b"\x1b[2J\n\\\x1b]52;c;AA\x07\n" + b"[z-\x1b]" + b"*a" * 9 + b"\n")),
    Bomb("ignore-unique-lines", _ignores(b"".join(b"/%d*x%d*\n" % (n, n) for n in range(1900)))),
    Bomb("ignore-negations", _ignores(b"*\n!*/\n" + b"!**/a*/\n" * 900)),
)


def _deep_folders(project: Path) -> None:
    """Seven hundred folders in each other: more than a reader that calls itself for each can hold."""
    path = project
    while len(os.fsencode(path)) < 3600:
        path = path / "deep"
    path.mkdir(parents=True)
    (path / "file").touch()
    (project / "package.json").write_text('{"name": "x", "scripts": {}}')


def _wide_folder(project: Path) -> None:
    (project / "package.json").write_text('{"name": "x", "scripts": {}}')
    for number in range(3000):
        (project / f"untracked{number}").mkdir()


def _dated(seconds: int) -> Callable[[Path], None]:
    def build(project: Path) -> None:
        (project / "package.json").write_text('{"name": "x", "scripts": {}}')
        for place in (project / "package.json", project):
            os.utime(place, (seconds, seconds))

    return build


TREES = (
    Bomb("tree-deep", _deep_folders),
    Bomb("tree-wide", _wide_folder),
    Bomb("tree-of-the-year-2400", _dated(13_600_000_000)),
    Bomb("tree-from-before-1970", _dated(-2_000_000_000)),
)

CONTENT = (*JSON, *OTHERS, *IGNORES, *TREES)
