"""Members by the index, links, bounds and nonsense: what a workspace may cost, and what it never reaches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.project import Project
from scanner.walk import read_listing
from scanner.workspaces import members as workspaces
from scanner.workspaces import yaml_text
from scanner.workspaces.pattern import inside, patterns, selection
from scanner.workspaces.tree import FOLDERS_CAP
from tests.scanner.support_cases import Desk, one
from tests.scanner.workspace_cases import markers, membership, paths_of, project
from tests.support import Git, write

NPM = {"package.json": '{"name": "shop", "workspaces": ["packages/*"]}'}


def package(name: str) -> str:
    return json.dumps({"name": name, "main": "index.js"})


def member_paths(found: Project) -> list[str]:
    return [member.path for member in found.members]


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


# By the index


def test_a_scan_lists_the_members_of_a_repository_inside_their_project(desk: Desk) -> None:
    desk.repository(
        "shop",
        files={**NPM, "packages/a/package.json": package("a"), "packages/b/package.json": package("b")},
    )

    shop = one(desk.scan(), "shop")

    assert desk.found() == ["shop"]
    assert [(member.path, member.name, member.kind) for member in shop.members] == [
        ("packages/a", "a", "npm"),
        ("packages/b", "b", "npm"),
    ]


def test_folders_that_the_index_does_not_know_are_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(
        tmp_path / "shop",
        {**NPM, "packages/a/package.json": package("a"), "packages/new/package.json": package("new")},
    )
    listed: list[str] = []
    scandir = os.scandir

    def noted(path: str) -> Any:
        listed.append(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", noted)

    found = membership(root, ["package.json", "packages/a/package.json"])

    assert [member.path for member in found.members] == ["packages/a"]
    assert str(root / "packages/a") in listed
    assert str(root / "packages/new") not in listed


def test_a_repository_whose_index_is_empty_is_read_from_the_disk(desk: Desk) -> None:
    shop = project(desk.root / "shop", {**NPM, "packages/a/package.json": package("a")})
    desk.git("init", "-q", cwd=shop)

    assert member_paths(one(desk.scan(), "shop")) == ["packages/a"]


def test_a_member_that_is_tracked_and_not_checked_out_is_none(tmp_path: Path) -> None:
    root = project(tmp_path / "shop", {**NPM, "packages/a/package.json": package("a")})

    found = membership(root, ["packages/a/package.json", "packages/gone/package.json"])

    assert [member.path for member in found.members] == ["packages/a"]


def test_a_package_that_is_named_outright_counts_before_it_is_added(tmp_path: Path) -> None:
    root = project(
        tmp_path / "shop", {"package.json": '{"workspaces": ["new"]}', "new/package.json": package("n")}
    )

    found = membership(root, ["package.json"])

    assert [member.path for member in found.members] == ["new"]


def test_a_member_of_a_folder_without_version_control_is_no_project_of_its_own(desk: Desk) -> None:
    project(desk.root / "shop", {**NPM, "packages/a/package.json": package("a")})

    assert desk.found() == ["shop"]
    assert member_paths(one(desk.scan(), "shop")) == ["packages/a"]


def test_a_folder_with_a_repository_of_its_own_is_no_member(desk: Desk) -> None:
    shop = desk.repository("shop", files=NPM)
    desk.repository("shop/packages/own", files={"package.json": package("own")})
    write(shop / "packages/a/package.json", package("a"))
    desk.git("add", "packages/a", cwd=shop)

    assert member_paths(one(desk.scan(), "shop")) == ["packages/a"]


def test_the_members_of_a_bare_hub_are_those_of_its_worktree(desk: Desk) -> None:
    source = desk.git.repository("source", files={**NPM, "packages/a/package.json": package("a")})
    desk.git("clone", "-q", "--bare", str(source), str(desk.root / "hub/.bare"))
    desk.git("worktree", "add", "-q", str(desk.root / "hub/main"), "main", cwd=desk.root / "hub/.bare")

    (hub,) = desk.scan().projects

    assert (hub.vcs is not None and hub.vcs.role, member_paths(hub)) == ("bare", ["packages/a"])


# Links, and paths that lead outside


def test_no_link_is_followed_on_the_way_to_a_member(tmp_path: Path) -> None:
    outside = project(tmp_path / "outside", {"a/package.json": package("a")})
    root = project(tmp_path / "shop", {"package.json": '{"workspaces": ["packages/*", "named", "in/a"]}'})
    (root / "packages").mkdir()
    (root / "packages/a").symlink_to(outside / "a")
    (root / "named").symlink_to(outside / "a")
    (root / "in").symlink_to(outside)

    assert paths_of(root) == []


def test_a_manifest_that_is_a_link_makes_no_member_of_what_it_leads_to(tmp_path: Path) -> None:
    outside = project(tmp_path / "outside", {"Cargo.toml": '[package]\nname = "secret"\nversion = "1.0.0"\n'})
    root = project(tmp_path / "shop", {"Cargo.toml": '[workspace]\nmembers = ["a"]\n'})
    (root / "a").mkdir()
    (root / "a/Cargo.toml").symlink_to(outside / "Cargo.toml")

    assert "secret" not in [member.name for member in membership(root).members]


@pytest.mark.parametrize(
    "path", ["../x", "a/../../x", "/etc", "~/x", "C:/x", "c:\\x", "..\\x", "a\0b", "//x", "\\\\host\\x"]
)
def test_a_path_never_leaves_the_project(path: str) -> None:
    assert inside(path) is None


@given(st.text(alphabet="ab./\\~:\0", max_size=20), st.text(alphabet="ab./", max_size=8))
@settings(deadline=None)
def test_whatever_a_path_says_its_parts_lie_inside(path: str, base: str) -> None:
    found = inside(path, inside(base) or "")

    assert found is None or found == "" or all(part not in ("", ".", "..") for part in found.split("/"))


# Bounds


def test_a_thousand_members_are_described_and_more_are_said_to_be(tmp_path: Path) -> None:
    names = [f"packages/p{number}/package.json" for number in range(workspaces.MEMBERS_CAP + 1)]
    root = project(tmp_path / "shop", {**NPM, **dict.fromkeys(names, "{}")})

    found = membership(root, names)

    assert (len(found.members), found.flags) == (workspaces.MEMBERS_CAP, ("members-cut",))


def test_a_search_ends_after_two_thousand_folders_and_says_so(tmp_path: Path) -> None:
    root = project(tmp_path / "shop", {"package.json": '{"workspaces": ["packages/**"]}'})
    for number in range(FOLDERS_CAP + 1):
        (root / f"packages/{number}").mkdir(parents=True)

    assert membership(root).flags == ("members-cut",)


def test_a_search_for_one_pattern_reads_no_other_folder(tmp_path: Path) -> None:
    root = project(tmp_path / "shop", {**NPM, "packages/a/package.json": package("a")})
    for number in range(FOLDERS_CAP + 1):
        (root / f"data/{number}").mkdir(parents=True)

    found = membership(root)

    assert ([member.path for member in found.members], found.flags) == (["packages/a"], ())


def test_what_is_no_workspace_asks_for_no_tracked_path(tmp_path: Path) -> None:
    root = project(tmp_path / "shop", {"package.json": package("shop"), "packages/a/package.json": "{}"})

    listing = read_listing(str(root))
    stacks = markers().describe(listing)

    def never() -> list[str]:
        raise AssertionError("asked for the tracked paths")

    assert markers().members(listing, stacks, tracked=never) is None


IMPORTED = """
import sys
from scanner.project import Root, Thresholds
from scanner.scan import Request, scan
found = scan(Request((Root(sys.argv[1]),), Thresholds(), 0.0)).projects
print(len(found), "scanner.workspaces" in sys.modules)
"""


@pytest.mark.parametrize(("text", "imported"), [(package("shop"), False), (NPM["package.json"], True)])
def test_only_a_workspace_loads_what_reads_workspaces(tmp_path: Path, text: str, imported: bool) -> None:
    project(tmp_path / "desk/shop", {"package.json": text})
    house = Path(workspaces.__file__).parents[2]

    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, str(tmp_path / "desk")],
        cwd=house,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == ["1", str(imported)]


def test_modules_that_name_each_other_end(tmp_path: Path) -> None:
    pom = "<project><artifactId>{}</artifactId><modules><module>{}</module></modules></project>"
    root = project(
        tmp_path / "shop", {"pom.xml": pom.format("a", "b"), "b/pom.xml": pom.format("b", "../../shop/b/..")}
    )

    assert paths_of(root) == ["b"]


HOSTILE_PATTERNS = ["**/" * 30 + "x", "*a" * 200, "{" * 200, "{a,b}" * 40, "[" * 300, "!(" * 100, "?(" * 90]


@pytest.mark.parametrize("pattern", HOSTILE_PATTERNS)
def test_no_pattern_costs_more_than_it_may(pattern: str) -> None:
    start = time.process_time()
    chosen = selection([pattern] * 20)
    for path in ("a/" * 60 + "a", "a" * 250, "b/c"):
        chosen.matches(path)

    assert time.process_time() - start < 2


# Nonsense


@pytest.mark.parametrize("name", ["lerna.json", "rush.json", "nx.json"])
def test_a_list_that_makes_no_sense_is_a_problem_and_no_end(tmp_path: Path, name: str) -> None:
    root = project(
        tmp_path / "shop",
        {**NPM, "packages/a/package.json": package("a"), name: "{", "workspace.json": "[1]"},
    )

    found = membership(root)

    assert [member.path for member in found.members] == ["packages/a"]
    assert [problem.code for problem in found.problems] == ["malformed"]


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("package.json", ['{"workspaces": %s}']),
        ("deno.json", ['{"workspace": %s}', '{"workspace": {"members": %s}}']),
        ("rush.json", ['{"projects": %s}']),
        ("lerna.json", ['{"packages": %s}']),
        ("composer.json", ['{"repositories": %s}', '{"repositories": {"a": %s}}']),
    ],
)
@pytest.mark.parametrize(
    "value", ["null", "1", '"a"', "[1, null, {}]", '{"a": [[]]}', "[[[]]]", '["\\u0000"]']
)
def test_values_of_the_wrong_kind_are_no_members(
    tmp_path: Path, name: str, texts: list[str], value: str
) -> None:
    for text in texts:
        root = project(tmp_path / "shop", {name: text % value, "package.json": '{"workspaces": ["none"]}'})
        if name == "package.json":
            write(root / name, text % value)

        assert paths_of(root) == []


GARBAGE = st.one_of(
    st.binary(max_size=300),
    st.text(alphabet='<>/"()[]{}:,-\n #=modulesincludfile*.', max_size=300).map(str.encode),
)
FILES = [
    "package.json", "pnpm-workspace.yaml", "lerna.json", "rush.json", ".moon/workspace.yml", "deno.json",
    "Cargo.toml", "go.work", "pyproject.toml", "settings.gradle", "pom.xml", "x.sln", "x.slnx", "mix.exs",
    "build.sbt", "pubspec.yaml", "melos.yaml", "composer.json", "cabal.project", "stack.yaml",
    "Package.swift", "X.xcworkspace/contents.xcworkspacedata",
]  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@given(data=GARBAGE)
@settings(deadline=None, max_examples=25)
def test_garbage_in_any_list_is_survived(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: bytes
) -> None:
    root = project(tmp_path_factory.mktemp("garbage"), {"go.work": "use ./a\n", "a/go.mod": "module a\n"})
    path = root / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)

    membership(root)


HOSTILE_TEXTS = [
    "\n", " ", "{", "'", "/*", "a/", "- [", "<Project ", "<Group ", '<FileRef location="a:b" ', "<module>",
    "apps:[", "include('", "include 'a:", "project(':a').projectDir = file(", "lazy val a = project",
    "packages:\n", "  - a\n", "use (\n", '.package(path: "a"',
]  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_no_list_costs_more_than_it_may(tmp_path: Path, name: str) -> None:
    for text in HOSTILE_TEXTS:
        root = project(tmp_path / "shop", {"go.work": "", name: text * (250_000 // len(text))})
        start = time.process_time()
        membership(root)
        taken = time.process_time() - start

        assert (name, text, taken < 3) == (name, text, True)


def test_many_patterns_over_many_folders_are_cut(tmp_path: Path) -> None:
    wild = [f"p/*/{number}*" for number in range(2_000)]
    tracked = [f"p/q/{number}x/package.json" for number in range(5_000)]
    root = project(tmp_path / "shop", {"package.json": json.dumps({"workspaces": wild})})
    start = time.process_time()

    found = membership(root, tracked)

    assert found.flags == ("members-cut",)
    assert time.process_time() - start < 15


def test_taking_many_patterns_away_from_many_is_bounded() -> None:
    start = time.process_time()
    selection([f"{'!' * (number % 2)}p/**/{number}*" for number in range(20_000)])

    assert time.process_time() - start < 10


# The part of YAML


VALUES = st.lists(
    st.text(alphabet="abz/*!.-_@ {}[],'\"#:&|>%?~01", min_size=1, max_size=12).filter(
        lambda text: text == text.strip()
    ),
    max_size=6,
)


@pytest.mark.parametrize("style", [None, "'", '"'])
@pytest.mark.parametrize("flow", [False, True])
@given(values=VALUES)
@settings(deadline=None, max_examples=60)
def test_lists_read_as_a_whole_yaml_reader_reads_them(
    style: str | None, flow: bool, values: list[str]
) -> None:
    document = {"first": 1, "packages": values, "then": {"packages": ["no"]}}
    # In lines of any length: a value that goes on in the next line is beyond this part of YAML.
    text = yaml.safe_dump(
        document, default_style=style, default_flow_style=None if flow else False, width=10_000
    )

    read = yaml_text.items(yaml_text.entries(text).get("packages", ()))

    assert read == values


WORKED: list[tuple[str, list[str]]] = [
    ("packages:\n- a\n- b\n", ["a", "b"]),
    ("# top\n---\npackages:   # all\n  - a # one\n\n  # two\n  - 'b#c'\nother: x\n", ["a", "b#c"]),
    ("packages: [a, 'b', \"c\"]\n", ["a", "b", "c"]),
    ("packages: [\n  a, # one\n  'b',\n]\n", ["a", "b"]),
    ("packages:\n  [a,\n   b]\n", ["a", "b"]),
    ("'packages':\n  - a\n", ["a"]),
    ("packages:\r\n  - a\r\n  - b\r\n", ["a", "b"]),
    ("packages:\n  - a\n  - b: c\n  - [x, y]\n  - d\n", ["a", "d"]),
    ("packages: a\n", []),
    ("packages: *anchor\n", []),
    ("packages:\n", []),
    ("other:\n  packages:\n    - a\n", []),
]


@pytest.mark.parametrize(("text", "expected"), WORKED)
def test_lists_as_people_write_them(text: str, expected: list[str]) -> None:
    assert yaml_text.items(yaml_text.entries(text).get("packages", ())) == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda size: "a" + " " * size,
        lambda size: "packages: [" + "[" * size,
        lambda size: '"' + "\\" * size,
        lambda size: "packages:\n" + "- a\n" * size,
        lambda size: "packages: ['" + "x" * size,
        lambda size: ("a:\n" + " " * 50) * (size // 50),
    ],
)
def test_no_text_costs_more_than_it_may(make: Callable[[int], str]) -> None:
    start = time.process_time()
    yaml_text.items(yaml_text.entries(make(200_000)).get("packages", ()))

    assert time.process_time() - start < 2


# Patterns


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("packages/*", ["packages/a"], ["packages", "packages/a/b", "packages/.a"]),
        ("packages/**", ["packages", "packages/a", "packages/a/b"], ["packages/.a", "packages/a/.b", "x"]),
        ("**/lib", ["lib", "a/lib", "a/b/lib"], ["a/lib/b", ".a/lib"]),
        ("a/**/z/**/b", ["a/z/b", "a/x/z/y/b", "a/z/z/b"], ["a/b", "a/z"]),
        ("p/!(a|b)", ["p/c", "p/ab"], ["p/a", "p/b"]),
        ("p/@(a|b)-?", ["p/a-1"], ["p/a-", "p/c-1"]),
        ("p/{a,b{1,2}}", ["p/a", "p/b1", "p/b2"], ["p/b"]),
        ("p/{1..3}", ["p/1", "p/3"], ["p/4"]),
        ("p/[^a]", ["p/b"], ["p/a"]),
        ("./p//a/", ["p/a"], ["p"]),
    ],
)
def test_a_pattern_stands_for_these_folders_and_not_for_those(
    pattern: str, yes: list[str], no: list[str]
) -> None:
    found = patterns([pattern])

    matched = [path for path in (*yes, *no) if any(choice.matches(path) for choice in found)]

    assert yes == matched
