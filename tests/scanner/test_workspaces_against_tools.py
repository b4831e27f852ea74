"""Members as the ecosystems' own tools list them. Each test is left out where its tool is not installed."""

from __future__ import annotations

import json
import os
import pwd
import random
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.scanner.workspace_cases import membership, paths_of, project, tracked_files

# The home of the tests is empty; a Cargo that is rustup's own looks for its real parts in the user's.
RUSTUP = os.environ.get("RUSTUP_HOME") or os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".rustup")
SEED = 20_261_130
FOLDERS = ["a", "b", "c", "ab", ".h", "test"]
WILD = ("*", "**", "a", "b", "*b", "a*", "?", "[ab]", "[^a]", "a/*", "*/b", "{a,b}", "@(a|c)", "c/**", "!(a)")
PLAIN_WILD = ("*", "**", "a", "b", "*b", "a*", "?", "[ab]", "a/*", "*/b", ".h")

PYPROJECT = '[project]\nname = "p{}"\nversion = "1"\nrequires-python = ">=3.9"\n'

# In node, npm's own package of the name, asked about many lists at once.
MAP_WORKSPACES = """
const map = require(process.argv[1]);
const path = require('path');
const answer = async ({ cwd, workspaces }) => {
  const found = await map({ cwd, pkg: { workspaces } });
  return [...found.values()].map(one => path.relative(cwd, one)).filter(one => one).sort();
};
const cases = JSON.parse(require('fs').readFileSync(0));
Promise.all(cases.map(answer)).then(all => console.log(JSON.stringify(all)));
"""


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(*args: str, cwd: Path, text: str | None = None) -> str:
    settings = {
        "UV_OFFLINE": "1", "CARGO_NET_OFFLINE": "true", "GOPROXY": "off", "GOTOOLCHAIN": "local",
        "GOPATH": str(cwd.parent / "gopath"), "GOCACHE": str(cwd.parent / "gocache"),
        "NO_UPDATE_NOTIFIER": "1", "npm_config_offline": "true", "npm_config_update_notifier": "false",
        "CARGO_HOME": str(cwd.parent / "cargo"), "RUSTUP_HOME": RUSTUP,
    }  # fmt: skip
    done = subprocess.run(
        args, cwd=cwd, env=os.environ | settings, input=text, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{' '.join(args)}: {done.stdout}{done.stderr}")
    return done.stdout


def random_folders(dice: random.Random, top: str) -> list[str]:
    """Some folders down to three levels, all below ``top``."""
    found = {
        "/".join([top, *(dice.choice(FOLDERS) for _ in range(dice.randint(1, 3)))])
        for _ in range(dice.randint(2, 9))
    }
    return sorted(found)


def with_parents(folder: str) -> list[str]:
    parts = folder.split("/")
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def random_patterns(dice: random.Random, top: str, wild: Sequence[str], *, negated: bool) -> list[str]:
    def one() -> str:
        # npm holds a pattern that is taken away against the others as texts, where ``!(a)`` has odd effects.
        takes = negated and dice.random() < 0.25
        choices = [one for one in wild if not (takes and one.startswith("!"))]
        text = "/".join([top, *(dice.choice(choices) for _ in range(dice.randint(1, 2)))])
        text = dice.choice([text, text, text, f"./{text}", f"{text}/"])
        return f"!{text}" if takes else text

    return [one() for _ in range(dice.randint(1, 4))]


def package(folder: str) -> str:
    return json.dumps({"name": "n-" + re.sub(r"[^a-z]", lambda odd: f"-{ord(odd[0])}-", folder)})


def relative(paths: Sequence[str], root: Path) -> list[str]:
    found = (os.path.relpath(path, os.path.realpath(root)) for path in paths)
    return sorted(path for path in found if path != ".")


# npm


def npm_members(cases: list[dict[str, Any]], cwd: Path) -> list[list[str]]:
    tool("node")
    package = Path(os.path.realpath(tool("npm"))).parents[1] / "node_modules/@npmcli/map-workspaces"
    if not package.is_dir():
        pytest.skip("this npm keeps its reader of workspaces elsewhere")
    answer: list[list[str]] = json.loads(
        run("node", "-e", MAP_WORKSPACES, str(package), cwd=cwd, text=json.dumps(cases))
    )
    return answer


def test_the_members_are_those_that_npm_finds(tmp_path: Path, full: bool) -> None:
    dice = random.Random(SEED)  # noqa: S311 - the same cases in each run
    cases: list[dict[str, Any]] = []
    for number in range(2_000 if full else 300):
        listed = random_patterns(dice, "p", WILD, negated=True)
        files = {f"{folder}/package.json": package(folder) for folder in random_folders(dice, "p")}
        root = project(
            tmp_path / str(number), files | {"package.json": json.dumps({"name": "r", "workspaces": listed})}
        )
        cases.append({"cwd": str(root), "workspaces": listed})

    expected = npm_members(cases, tmp_path)

    for case, members in zip(cases, expected, strict=True):
        assert (case["workspaces"], members) == (case["workspaces"], paths_of(Path(case["cwd"])))


def test_the_command_npm_names_the_same_members(tmp_path: Path) -> None:
    npm = tool("npm")
    files = {f"p/{name}/package.json": package(name) for name in "abc"}
    root = project(tmp_path / "shop", files | {"package.json": '{"workspaces": ["p/*", "!p/b"]}'})

    named = json.loads(run(npm, "pkg", "get", "name", "--workspaces", cwd=root))

    assert sorted(named) == sorted(member.name for member in membership(root).members)


# pnpm


@pytest.mark.parametrize(
    "listed",
    [
        ["p/*"],
        ["p/**", "!p/b"],
        ["p/**", "!**/test/**"],
        ["!p/b/**", "p/**", "p/b/c"],
        ["p/{a,b}", "q/**"],
        ["p/a/", "./q/*"],
        ["**"],
    ],
)
def test_the_members_are_those_that_pnpm_finds(tmp_path: Path, listed: list[str]) -> None:
    pnpm = tool("pnpm")
    folders = ["p/a", "p/b", "p/b/c", "p/test", "p/x/test/y", "p/x/node_modules/z", "p/.h", "q/a", "q/a/b"]
    root = project(
        tmp_path / "shop",
        {f"{folder}/package.json": package(folder) for folder in folders}
        | {"package.json": '{"name": "shop"}', "pnpm-workspace.yaml": json.dumps({"packages": listed})},
    )
    as_people_write = "packages:\n" + "".join(f"  - {json.dumps(one)}\n" for one in listed)
    (root / "pnpm-workspace.yaml").write_text(as_people_write)

    listing = json.loads(run(pnpm, "-r", "list", "--depth", "-1", "--json", cwd=root))

    assert relative([one["path"] for one in listing], root) == paths_of(root)


# Cargo


def crate(folder: str, more: str = "") -> str:
    name = "n-" + re.sub(r"[^a-z]", lambda odd: f"-{ord(odd[0])}-", folder)
    return f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n[lib]\npath = "lib.rs"\n{more}'


def cargo_case(dice: random.Random, root: Path) -> None:
    """A workspace that Cargo accepts: each folder that a pattern meets is a crate, each dependency exists."""
    folders = [f"p/{name}" for name in dice.sample(["a", "b", "c", "ab", ".h"], dice.randint(2, 5))]
    folders += [f"q/{name}/inner" for name in dice.sample(["a", "b"], dice.randint(0, 2))]
    files = {"lib.rs": ""}
    names = {folder: crate(folder).split('"')[1] for folder in folders}
    for place, folder in enumerate(folders):
        needed = dice.sample(folders[:place], min(place, dice.randint(0, 2)))
        key = dice.choice(["dependencies", "dev-dependencies", "target.'cfg(unix)'.build-dependencies"])
        lines = [f'{names[one]} = {{ path = "{os.path.relpath(one, folder)}" }}\n' for one in needed]
        files[f"{folder}/Cargo.toml"] = crate(folder, f"[{key}]\n" + "".join(lines))
        files[f"{folder}/lib.rs"] = ""
    listed = dice.sample(["p/*", "p/a*", "p/[ab]", *folders], 2)
    excluded = dice.sample([*folders, "q", "p/a"], dice.randint(0, 2))
    listed = [one for one in listed if not one.startswith("p/a") or "p/a" in folders or "p/ab" in folders]
    listed = [one for one in listed if one != "p/[ab]" or {"p/a", "p/b"} & set(folders)] or folders[:1]
    own = crate("root") if dice.random() < 0.5 else ""
    head = f'[dependencies]\n{names[folders[0]]} = {{ path = "{folders[0]}" }}\n' if own else ""
    files["Cargo.toml"] = (
        f"{own}{head}[workspace]\nmembers = {json.dumps(listed)}\nexclude = {json.dumps(excluded)}\n"
    )
    project(root, files)


def test_the_members_are_those_that_cargo_finds(tmp_path: Path, full: bool) -> None:
    cargo = tool("cargo")
    try:
        run(cargo, "--version", cwd=tmp_path)
    except AssertionError:
        pytest.skip("cargo is a proxy without a toolchain")
    dice = random.Random(SEED)  # noqa: S311 - the same cases in each run
    for number in range(300 if full else 25):
        root = tmp_path / str(number)
        cargo_case(dice, root)

        told = json.loads(run(cargo, "metadata", "--no-deps", "--format-version", "1", cwd=root))

        expected = relative([os.path.dirname(one["manifest_path"]) for one in told["packages"]], root)
        assert (number, expected) == (number, paths_of(root))


# uv


def test_the_members_are_those_that_uv_finds(tmp_path: Path, full: bool) -> None:
    uv = tool("uv")
    if "list" not in run(uv, "help", "workspace", cwd=tmp_path):
        pytest.skip("this uv cannot list the members of a workspace")
    dice = random.Random(SEED)  # noqa: S311 - the same cases in each run
    for number in range(300 if full else 25):
        # uv demands a manifest in each folder that a pattern meets.
        folders = sorted({part for folder in random_folders(dice, "p") for part in with_parents(folder)})
        files = {f"{folder}/pyproject.toml": PYPROJECT.format(place) for place, folder in enumerate(folders)}
        listed = random_patterns(dice, "p", PLAIN_WILD, negated=False)
        listed = [one for one in listed if "*" in one or "?" in one or "[" in one] or ["p/*"]
        excluded = random_patterns(dice, "p", PLAIN_WILD, negated=False)[: dice.randint(0, 2)]
        files["pyproject.toml"] = (
            f"[tool.uv.workspace]\nmembers = {json.dumps(listed)}\nexclude = {json.dumps(excluded)}\n"
        )
        root = project(tmp_path / str(number), files)

        told = run(uv, "workspace", "list", "--paths", cwd=root).split("\n")

        expected = (listed, excluded, relative(list(filter(None, told)), root))
        assert expected == (listed, excluded, paths_of(root))


# Go


def test_the_members_are_those_that_go_finds(tmp_path: Path) -> None:
    go = tool("go")
    version = re.search(r"go(1\.\d+)", run(go, "version", cwd=tmp_path))
    assert version is not None
    root = project(
        tmp_path / "shop",
        {
            "go.work": f'go {version[1]}\n\nuse ./api // one\nuse (\n\t./tools/lint\n\t"./web"\n\t.\n)\n',
            "go.mod": f"module example.com/shop\n\ngo {version[1]}\n",
            "other/go.mod": "module example.com/other\n",
        }
        | {
            f"{path}/go.mod": f"module example.com/shop/{path}\n\ngo {version[1]}\n"
            for path in ("api", "tools/lint", "web")
        },
    )

    told = run(go, "list", "-m", "-f", "{{.Dir}}", cwd=root).split()

    assert relative(told, root) == paths_of(root)


# Maven


def test_the_members_are_those_that_maven_builds(tmp_path: Path) -> None:
    mvn = tool("mvn")

    def pom(name: str, more: str = "") -> str:
        return (
            "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><version>1</version>"
            f"<packaging>pom</packaging><artifactId>{name}</artifactId>{more}</project>"
        )

    root = project(
        tmp_path / "shop",
        {
            "pom.xml": pom(
                "shop",
                "<modules><module>core</module><module>extra/pom-extra.xml</module></modules>"
                "<profiles><profile><id>web</id><modules><module>web</module></modules></profile></profiles>",
            ),
            "core/pom.xml": pom("core", "<modules><module>inner</module><module>../side</module></modules>"),
            "core/inner/pom.xml": pom("inner"),
            "side/pom.xml": pom("side"),
            "extra/pom-extra.xml": pom("extra"),
            "web/pom.xml": pom("web"),
            "other/pom.xml": pom("other"),
        },
    )

    told = run(mvn, "--offline", "--batch-mode", "-Pweb", "validate", cwd=root)

    built = set(re.findall(r"Building (\S+) 1", told)) - {"shop"}
    assert built == {member.name for member in membership(root, tracked_files(root)).members}
