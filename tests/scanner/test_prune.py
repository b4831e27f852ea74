"""Which folders are not searched: by name, by the names beside them, by what lies in them, by request."""

from __future__ import annotations

import pytest

from tests.scanner.support_cases import Desk
from tests.support import Git, write


def words(text: str) -> list[str]:
    return text.split()


ALWAYS = [
    *words("""
    node_modules bower_components jspm_packages .pnpm-store .yarn __pycache__ .venv .tox .nox .eggs
    x.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .ipynb_checkpoints site-packages .gradle .m2
    .ivy2 .cargo .rustup .stack-work dist-newstyle .elixir_ls elm-stuff .dart_tool .pub-cache Pods Carthage
    DerivedData .build .zig-cache zig-out .terraform .terragrunt-cache .serverless cdk.out .next .nuxt .output
    .svelte-kit .astro .angular .turbo .nx .parcel-cache .cache .vercel .netlify .docusaurus .jekyll-cache
    _site .nyc_output htmlcov .direnv .devenv .vagrant .idea .vs .vscode .history .godot .snapshots .zfs
    timeshift timeshift-btrfs lost+found @eaDir #recycle .Trash .Trash-1000 $RECYCLE.BIN .npm .nvm .pyenv
    .rbenv .sdkman .gem .android .docker .wine snap AppData
    """),
    "System Volume Information",
]

# The ambiguous folder, and what must stand beside it to tell that a tool made it.
EVIDENCE = [
    ("target", "Cargo.toml", "[package]\nname = 'x'\n"),
    ("target", "pom.xml", "<project/>\n"),
    ("target", "build.sbt", "name := 'x'\n"),
    ("build", "build.gradle", "plugins {}\n"),
    ("build", "build.gradle.kts", "plugins {}\n"),
    ("build", "CMakeLists.txt", "project(x)\n"),
    ("build", "package.json", '{"name": "x", "main": "y"}\n'),
    ("out", "package.json", '{"name": "x", "main": "y"}\n'),
    ("out", "CMakeLists.txt", "project(x)\n"),
    ("dist", "package.json", '{"name": "x", "main": "y"}\n'),
    ("dist", "pyproject.toml", "[project]\nname = 'x'\n"),
    ("bin", "x.csproj", "<Project/>\n"),
    ("obj", "x.csproj", "<Project/>\n"),
    ("vendor", "composer.json", '{"require": {}}\n'),
    ("vendor", "go.mod", "module x\n"),
    ("vendor", "Gemfile", "source 'x'\n"),
    ("mod", "sumdb", ""),
    ("deps", "mix.exs", "defmodule X do\nend\n"),
    ("_build", "mix.exs", "defmodule X do\nend\n"),
    ("Intermediate", "x.uproject", "{}\n"),
    ("Saved", "x.uproject", "{}\n"),
    ("Binaries", "x.uproject", "{}\n"),
]
AMBIGUOUS = words("""
    build dist out bin obj vendor env venv deps target packages tmp external public coverage third_party
    Library Temp Logs Intermediate Saved Binaries _build Windows Recovery PerfLogs ProgramData
""")

CACHE_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# a cache\n"


@pytest.fixture
def desk(git: Git) -> Desk:
    return Desk.at(git)


@pytest.mark.parametrize("name", ALWAYS)
def test_a_tools_own_folder_is_never_searched(desk: Desk, name: str) -> None:
    desk.manifest(f"{name}/inner")
    desk.manifest("kept")

    result = desk.scan()

    assert [project.path for project in result.projects] == [str(desk.root / "kept")]
    assert sum(count for _, count in result.coverage.pruned) == 1


@pytest.mark.parametrize("name", ALWAYS)
def test_a_tools_own_folder_is_no_project_either(desk: Desk, name: str) -> None:
    desk.manifest(name)

    assert desk.found() == []


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_an_ambiguous_name_alone_prunes_nothing(desk: Desk, name: str) -> None:
    desk.manifest(f"{name}/inner")

    assert desk.found() == [f"{name}/inner"]


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_a_project_may_bear_an_ambiguous_name(desk: Desk, name: str) -> None:
    desk.manifest(name)

    assert desk.found() == [name]


@pytest.mark.parametrize(("name", "manifest", "text"), EVIDENCE)
def test_an_ambiguous_name_beside_the_manifest_of_its_maker_is_pruned(
    desk: Desk, name: str, manifest: str, text: str
) -> None:
    write(desk.root / manifest, text)
    desk.manifest(f"{name}/inner")
    desk.manifest("kept")

    result = desk.scan()

    assert [project.path for project in result.projects] == [str(desk.root / "kept")]
    assert sum(count for _, count in result.coverage.pruned) == 1


def test_the_manifest_of_another_tool_is_no_evidence(desk: Desk) -> None:
    write(desk.root / "go.mod", "module x\n")
    desk.manifest("target/inner")

    assert desk.found() == ["target/inner"]


def test_unity_folders_are_pruned_beside_their_settings(desk: Desk) -> None:
    write(desk.root / "ProjectSettings/ProjectVersion.txt", "m_EditorVersion: 6000.0.1f1\n")
    (desk.root / "Assets").mkdir()
    for name in ("Library", "Temp", "Logs"):
        desk.manifest(f"{name}/inner")
    desk.manifest("kept")

    assert desk.found() == ["kept"]


@pytest.mark.parametrize("name", ["env", "venv", "my-python", "3.11"])
def test_a_virtual_environment_is_known_by_its_content(desk: Desk, name: str) -> None:
    write(desk.root / name / "pyvenv.cfg", "home = /usr/bin\n")
    desk.manifest(f"{name}/lib/inner")

    result = desk.scan()

    assert result.projects == ()
    assert sum(count for _, count in result.coverage.pruned) == 1


def test_a_cache_is_known_by_its_tag(desk: Desk) -> None:
    write(desk.root / "store/CACHEDIR.TAG", CACHE_TAG)
    desk.manifest("store/inner")

    result = desk.scan()

    assert result.projects == ()
    assert sum(count for _, count in result.coverage.pruned) == 1


@pytest.mark.parametrize("text", ["", "not a signature\n", CACHE_TAG[:20], "x" + CACHE_TAG])
def test_a_cache_tag_without_its_signature_is_only_a_file(desk: Desk, text: str) -> None:
    write(desk.root / "store/CACHEDIR.TAG", text)
    desk.manifest("store/inner")

    assert desk.found() == ["store/inner"]


def test_pruned_folders_are_counted_by_reason(desk: Desk) -> None:
    for name in ("a/node_modules/x", "b/node_modules/x", "c/.cache/x", "d/.secret/x"):
        (desk.root / name).mkdir(parents=True)
    write(desk.root / "e/pyvenv.cfg", "home = /usr/bin\n")

    pruned = dict(desk.scan().coverage.pruned)

    assert sum(pruned.values()) == 5
    assert len(pruned) >= 3


def test_a_pruned_folder_is_not_read(desk: Desk) -> None:
    desk.manifest("node_modules/x")

    coverage = desk.scan().coverage

    assert (coverage.directories, coverage.entries) == (1, 1)


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [
        ("attic", ["work/a", "work/deep/b"]),
        ("attic/", ["work/a", "work/deep/b"]),
        ("/attic", ["work/a", "work/attic/d", "work/deep/b"]),
        ("work/attic", ["attic/c", "work/a", "work/deep/b"]),
        ("**/deep", ["attic/c", "work/a", "work/attic/d"]),
        ("work/*", ["attic/c"]),
        ("at?ic", ["work/a", "work/deep/b"]),
        ("[aw]*", []),
        ("nothing", ["attic/c", "work/a", "work/attic/d", "work/deep/b"]),
        ("# a comment", ["attic/c", "work/a", "work/attic/d", "work/deep/b"]),
    ],
)
def test_an_excluded_folder_is_pruned_with_all_below_it(desk: Desk, pattern: str, kept: list[str]) -> None:
    for project in ("work/a", "work/deep/b", "attic/c", "work/attic/d"):
        desk.manifest(project)

    assert desk.found(exclude=(pattern,)) == kept


def test_a_later_pattern_takes_a_folder_back(desk: Desk) -> None:
    for project in ("a-lab", "b-lab", "c"):
        desk.manifest(project)

    assert desk.found(exclude=("*-lab", "!b-lab")) == ["b-lab", "c"]


def test_nothing_is_taken_back_below_an_excluded_folder(desk: Desk) -> None:
    desk.manifest("attic/kept")

    assert desk.found(exclude=("attic", "!attic/kept")) == []


def test_excluded_folders_are_counted(desk: Desk) -> None:
    desk.manifest("attic/c")
    desk.manifest("a")

    assert desk.scan(exclude=("attic",)).coverage.pruned == (("excluded", 1),)


def test_patterns_hold_below_each_root(desk: Desk) -> None:
    for project in ("one/attic/a", "one/b", "two/attic/c"):
        desk.manifest(project)

    assert desk.found(exclude=("attic",)) == ["one/b"]


def test_a_bad_pattern_is_a_problem_and_the_others_still_hold(desk: Desk) -> None:
    desk.manifest("attic/c")
    desk.manifest("a")

    result = desk.scan(exclude=("[z-a]", "attic"))

    assert [project.path for project in result.projects] == [str(desk.root / "a")]


def test_ignore_files_are_not_asked_unless_wanted(desk: Desk) -> None:
    write(desk.root / ".gitignore", "lab/\n")
    desk.manifest("lab/a")

    assert desk.found() == ["lab/a"]
    assert desk.found(own_ignore=True) == []


def test_a_nested_ignore_file_holds_below_its_folder_only(desk: Desk) -> None:
    write(desk.root / "one/.gitignore", "/lab/\n")
    for project in ("one/lab/a", "one/deep/lab/b", "two/lab/c"):
        desk.manifest(project)

    assert desk.found(own_ignore=True) == ["one/deep/lab/b", "two/lab/c"]


def test_an_ignore_file_that_cannot_be_read_is_a_problem(desk: Desk) -> None:
    (desk.root / ".gitignore").symlink_to("/dev/zero")
    desk.manifest("a")

    result = desk.scan(own_ignore=True)

    assert [project.path for project in result.projects] == [str(desk.root / "a")]
    assert [problem.path for problem in result.problems] == [str(desk.root / ".gitignore")]


def test_a_hidden_folder_is_not_searched(desk: Desk) -> None:
    desk.manifest(".secret/inner")
    desk.manifest(".secret")
    desk.repository(".config/nvim")

    assert desk.found() == []


def test_a_hidden_folder_that_is_a_repository_is_a_project(desk: Desk) -> None:
    desk.repository(".dotfiles")
    desk.repository("group/.notes")

    assert desk.found() == [".dotfiles", "group/.notes"]


def test_a_hidden_bare_repository_is_a_project(desk: Desk) -> None:
    desk.git("init", "-q", "--bare", str(desk.root / ".dotfiles.git"))

    assert desk.found() == [".dotfiles.git"]


@pytest.mark.parametrize("name", [".nvm", ".pyenv", ".rbenv", ".oh-my-zsh", ".cargo"])
def test_a_tools_own_checkout_is_not(desk: Desk, name: str) -> None:
    desk.repository(name)

    assert desk.found() == []


def test_gits_own_folder_is_never_searched(desk: Desk) -> None:
    shop = desk.repository("shop")
    desk.manifest("shop/.git/modules/inner")

    assert desk.found(nested="all") == ["shop"]
    assert str(shop / ".git") not in str(desk.scan(nested="all").coverage)
