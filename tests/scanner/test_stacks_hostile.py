"""Manifests that are no files, no text, too large or meant to hurt: the project is listed all the same."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.manifests import lines, readme, text, toolchains
from scanner.manifests.manifest import Manifest
from scanner.manifests.table import load_table
from scanner.project import Stacks
from scanner.stacks import Markers, load_markers
from scanner.walk import read_listing

TABLE = load_table()
READERS = sorted({*TABLE.readers.values(), "python.development_requirements"})
CAP = 256 * 1024


@pytest.fixture(scope="module")
def markers() -> Markers:
    return load_markers()


def reader_of(name: str) -> Callable[[bytes], Manifest]:
    family, _, function = name.partition(".")
    reader: Callable[[bytes], Manifest] = getattr(import_module(f"scanner.manifests.{family}"), function)
    return reader


def named(folder: Path, markers: Markers) -> tuple[str, Stacks]:
    return markers.root_class(read_listing(str(folder)))[0], markers.describe(read_listing(str(folder)))


def codes(stacks: Stacks) -> list[str]:
    return [problem.code for problem in stacks.problems]


class TestNoFile:
    def test_a_pipe_in_a_manifests_place_is_listed_without_waiting(
        self, tmp_path: Path, markers: Markers
    ) -> None:
        os.mkfifo(tmp_path / "package.json")
        began = time.monotonic()
        root, stacks = named(tmp_path, markers)
        assert time.monotonic() - began < 30
        assert (root, stacks.primary, codes(stacks)) == ("strong", "Node.js", ["not-regular"])

    def test_a_socket_in_a_manifests_place_is_listed(
        self, tmp_path: Path, markers: Markers, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)  # a socket's address may be no longer than about 100 bytes
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("Cargo.toml")
            root, stacks = named(tmp_path, markers)
        assert (root, stacks.primary, len(stacks.problems)) == ("strong", "Rust", 1)

    def test_a_linked_manifest_counts_by_its_name_and_its_content_is_nowhere(
        self, tmp_path: Path, markers: Markers
    ) -> None:
        secret = tmp_path / "secret"
        secret.write_text('{"name": "hunter2", "dependencies": {"react": "18"}}')
        project = tmp_path / "project"
        project.mkdir()
        (project / "package.json").symlink_to(secret)
        root, stacks = named(project, markers)
        assert (root, stacks.primary, codes(stacks)) == ("strong", "Node.js", ["link"])
        assert "hunter2" not in repr(stacks)

    def test_a_dangling_link_counts_by_its_name(self, tmp_path: Path, markers: Markers) -> None:
        (tmp_path / "pyproject.toml").symlink_to(tmp_path / "gone")
        assert named(tmp_path, markers)[0] == "strong"

    def test_a_link_whose_name_alone_says_nothing_counts_for_nothing(
        self, tmp_path: Path, markers: Markers
    ) -> None:
        (tmp_path / "config.yaml").symlink_to(tmp_path / "gone")
        (tmp_path / "manifest.json").symlink_to("/dev/zero")
        root, stacks = named(tmp_path, markers)
        assert (root, stacks.primary) == ("label", "Unknown")

    def test_linked_readmes_pins_and_folders_are_not_read(self, tmp_path: Path, markers: Markers) -> None:
        secret = tmp_path / "secret"
        secret.write_text("hunter2 is a secret.\n")
        project = tmp_path / "project"
        project.mkdir()
        for name in ("README.md", ".nvmrc"):
            (project / name).symlink_to(secret)
        assert "hunter2" not in repr(named(project, markers))

    def test_a_sparse_terabyte_is_too_large_and_listed(self, tmp_path: Path, markers: Markers) -> None:
        with (tmp_path / "package.json").open("wb") as file:
            try:
                file.truncate(1 << 40)
            except OSError:
                file.truncate(1 << 30)
        root, stacks = named(tmp_path, markers)
        assert (root, stacks.primary, codes(stacks)) == ("strong", "Node.js", ["too-large"])


class TestNoText:
    @pytest.mark.parametrize(
        "data",
        [
            b"[" * 100_000,
            b'{"name": NaN}',
            b'{"version": ' + b"9" * 5000 + b"}",
            '{"name": "a"}'.encode("utf-16"),
            b'{"name": "\xff"}',
            b"null",
            b"[]",
            b"",
            b"{",
            b'{"name": "a"} trailing',
            b"\x00" * 100,
        ],
        ids=[
            "deep",
            "nan",
            "digits",
            "utf-16",
            "no utf-8",
            "null",
            "list",
            "empty",
            "open",
            "trailing",
            "zeros",
        ],
    )
    def test_json_that_makes_no_sense_stands_by_its_name(
        self, data: bytes, tmp_path: Path, markers: Markers
    ) -> None:
        (tmp_path / "package.json").write_bytes(data)
        root, stacks = named(tmp_path, markers)
        assert (root, stacks.primary, stacks.name, codes(stacks)) == (
            "strong",
            "Node.js",
            tmp_path.name,
            ["malformed"],
        )
        assert stacks.problems[0].level == "warning"

    @pytest.mark.parametrize(
        "data",
        [
            b"[" * 100_000,
            b"a = " + b"[" * 50_000,
            b"a." * 20_000 + b"b = 1",
            b"[project",
            '[project]\nname = "a"\n'.encode("utf-16"),
            b'[project]\nname = "\xff"\n',
            b"[a]\nb = 1\n[a]\nb = 2\n",
        ],
        ids=["deep tables", "deep lists", "long key", "open", "utf-16", "no utf-8", "twice"],
    )
    def test_toml_that_makes_no_sense_stands_by_its_name(
        self, data: bytes, tmp_path: Path, markers: Markers
    ) -> None:
        (tmp_path / "pyproject.toml").write_bytes(data)
        began = time.process_time()
        root, stacks = named(tmp_path, markers)
        assert time.process_time() - began < 2
        assert (root, stacks.primary, codes(stacks)) == ("strong", "Python", ["malformed"])

    def test_a_byte_order_mark_is_tolerated(self, tmp_path: Path, markers: Markers) -> None:
        (tmp_path / "package.json").write_bytes(b'\xef\xbb\xbf{"name": "bom", "dependencies": {"vue": "3"}}')
        stacks = named(tmp_path, markers)[1]
        assert (stacks.name, stacks.primary, stacks.problems) == ("bom", "Vue.js", ())

    def test_a_key_given_twice_keeps_the_last_and_is_reported(self, tmp_path: Path, markers: Markers) -> None:
        (tmp_path / "package.json").write_text('{"name": "first", "name": "last"}')
        stacks = named(tmp_path, markers)[1]
        assert (stacks.name, codes(stacks)) == ("last", ["malformed"])

    def test_a_lone_surrogate_does_not_reach_the_value(self, tmp_path: Path, markers: Markers) -> None:
        (tmp_path / "package.json").write_text('{"name": "a\\ud800b", "description": "\\udfff"}')
        stacks = named(tmp_path, markers)[1]
        assert (stacks.name, stacks.description) == ("ab", "")
        repr(stacks).encode()

    def test_comments_and_trailing_commas_are_tolerated(self, tmp_path: Path, markers: Markers) -> None:
        (tmp_path / "package.json").write_text(
            '// head\n{"name": "http://a//b", /* one, */ "dependencies": {"vue": "3",},\n}\n'
        )
        stacks = named(tmp_path, markers)[1]
        assert (stacks.name, stacks.primary, stacks.problems) == ("http://a//b", "Vue.js", ())

    @pytest.mark.parametrize(
        "package",
        [
            {"name": ["a"], "dependencies": ["react"]},
            {"name": {"a": 1}, "dependencies": "react", "workspaces": "a", "engines": []},
            {"scripts": 1, "packageManager": 7, "bin": 3, "volta": None, "description": {}},
            {"name": "a", "dependencies": {"react": None}, "workspaces": {"packages": {}}},
            {"name": True, "engines": {"node": 18}, "devDependencies": None},
        ],
    )
    def test_values_of_the_wrong_type_are_passed_over(
        self, package: object, tmp_path: Path, markers: Markers
    ) -> None:
        (tmp_path / "package.json").write_text(json.dumps(package))
        stacks = named(tmp_path, markers)[1]
        assert "Node.js" in [label.label for label in stacks.labels]
        assert isinstance(stacks.name, str)

    def test_a_hostile_file_name_does_not_break_the_evidence(self, tmp_path: Path, markers: Markers) -> None:
        (tmp_path / "a\n### b\x1b[2J.tf").write_text("")
        evidence = named(tmp_path, markers)[1].labels[0].evidence
        assert evidence.isprintable()

    def test_a_file_name_that_is_no_utf_8_is_met_like_others(self, tmp_path: Path, markers: Markers) -> None:
        with open(os.fsencode(tmp_path) + b"/caf\xe9.tf", "wb"):
            pass
        assert named(tmp_path, markers)[0] == "strong"

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_a_manifest_without_permission_counts_by_its_name(self, tmp_path: Path, markers: Markers) -> None:
        (tmp_path / "package.json").write_text("{}")
        (tmp_path / "package.json").chmod(0)
        root, stacks = named(tmp_path, markers)
        assert (root, codes(stacks)) == ("strong", ["permission"])


# Beginnings that a pattern could take up again at every place of a long file.
ATTACKS = {
    "quotes": b'"',
    "escaped quotes": b'"\\',
    "open comments": b"/*",
    "open xml comments": b"<!--",
    "open tags": b"<a ",
    "open calls": b"project(\n",
    "images": b"![a](b",
    "brackets": b"[](",
    "backticks": b"```\n",
    "spaces": b" ",
    "newlines": b"\n\t",
    "commas": b", ",
    "keys": b"a=\n",
    "name": b"name =",
    "long lines of plugins": b"id   (",
    "artifacts": b"<artifactId>",
    "kinds": b"apiVersion:\n",
    "images of services": b"\nimage: a/",
    "underscores": b"_a_ ",
    "sdk": b"Sdk='",
    "dependencies": b"{ :a ",
    "front matter": b"---\n",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_reader_takes_long_over_a_full_file(attack: str, full: bool) -> None:
    unit = ATTACKS[attack]
    size = CAP if full else CAP // 4
    data = (unit * (size // len(unit) + 1))[:size]
    began = time.process_time()
    for name in READERS:
        try:
            reader_of(name)(data)
        except (ValueError, RecursionError):
            continue
    for questions in TABLE.content.values():
        lines.ask(data, {**questions, "check": []}, 1.0)
    readme.first_paragraph(data[: readme.HEAD])
    # Some 200 passes over the file; a single one that looks twice at every character would take minutes.
    assert time.process_time() - began < (20 if full else 6)


HOSTILE = st.one_of(
    st.binary(max_size=400),
    st.text(max_size=300).map(lambda value: value.encode("utf-8", "surrogatepass")),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "name",
                        "dependencies",
                        "workspaces",
                        "engines",
                        "require",
                        "imports",
                        "bin",
                        "repositories",
                    ]
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode()),
)


@settings(deadline=None, max_examples=150)
@given(data=HOSTILE)
def test_readers_raise_nothing_but_what_they_say(data: bytes) -> None:
    for name in READERS:
        try:
            manifest = reader_of(name)(data)
        except (ValueError, RecursionError):
            continue
        assert isinstance(manifest.name, str)
        assert isinstance(manifest.description, str)
        assert all(isinstance(name, str) for part in manifest.dependencies for name in part.names)
        assert all(isinstance(value, str) for pair in manifest.toolchains for value in pair)


@settings(deadline=None, max_examples=60)
@given(data=st.binary(max_size=300))
def test_pins_and_readmes_raise_nothing(data: bytes) -> None:
    assert len(readme.first_paragraph(data)) <= 200
    for tool in ("node", "rust", "tool-versions", "mise", "prototools", "sdkman", "dotnet", "unity"):
        assert all(len(version) <= 256 for _, version in toolchains.versions(data, tool))


@settings(deadline=None, max_examples=200)
@given(value=st.text(max_size=200))
def test_one_line_is_printable_for_any_text(value: str) -> None:
    line = text.one_line(value, 80)
    assert len(line) <= 80
    assert not [
        char for char in line if char < " " or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff"
    ]
    line.encode()


TOML_TEXT = st.text(st.sampled_from("[]{}\"'=.,\n #abproject-toldn"), max_size=120)


@settings(deadline=None, max_examples=150)
@given(value=TOML_TEXT)
def test_toml_like_text_raises_nothing_else(value: str) -> None:
    for name in ("python.pyproject", "python.pipfile", "python.pixi", "rust.cargo"):
        try:
            reader_of(name)(value.encode())
        except (ValueError, RecursionError):
            continue
