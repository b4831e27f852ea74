"""What makes a folder a project, how labels are ranked, and the facts beside them, on real folders."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from scanner.project import Label, Listing, Stacks
from scanner.stacks import Markers, UserRule, load_markers
from scanner.walk import read_listing

Describe = Callable[..., Stacks]


@pytest.fixture(scope="module")
def markers() -> Markers:
    return load_markers()


def write_all(folder: Path, files: Mapping[str, str]) -> Path:
    for relative, text in files.items():
        path = folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def describe(tmp_path: Path, markers: Markers) -> Describe:
    """Writes the files into a folder of their own and describes it."""

    def described(
        files: Mapping[str, str], *, folder: str = "project", tracked: Sequence[str] | None = None
    ) -> Stacks:
        path = tmp_path / folder
        path.mkdir(exist_ok=True)
        write_all(path, files)
        ask = None if tracked is None else lambda: tracked
        return markers.describe(read_listing(str(path)), tracked=ask)

    return described


def names(stacks: Stacks) -> list[str]:
    return [label.label for label in stacks.labels]


def evidence(stacks: Stacks, label: str) -> str:
    return next(found.evidence for found in stacks.labels if found.label == label)


class TestRootClass:
    def test_the_vcs_folder_comes_before_every_manifest(self, tmp_path: Path, markers: Markers) -> None:
        write_all(tmp_path, {".git/HEAD": "", "package.json": '{"name": "a"}'})
        assert markers.root_class(read_listing(str(tmp_path))) == ("strong", ".git")

    def test_a_linked_worktrees_git_file_counts_like_the_folder(
        self, tmp_path: Path, markers: Markers
    ) -> None:
        write_all(tmp_path, {".git": "gitdir: elsewhere\n"})
        assert markers.root_class(read_listing(str(tmp_path))) == ("strong", ".git")

    def test_a_strong_marker_comes_before_a_weak_one(self, tmp_path: Path, markers: Markers) -> None:
        write_all(tmp_path, {"Dockerfile": "", "go.mod": "module a\n", "tsconfig.json": "{}"})
        assert markers.root_class(read_listing(str(tmp_path))) == ("strong", "go.mod")

    def test_an_empty_package_json_is_only_a_label(self, tmp_path: Path, markers: Markers) -> None:
        write_all(tmp_path, {"package.json": "{}"})
        assert markers.root_class(read_listing(str(tmp_path))) == ("label", "package.json")

    def test_a_package_json_with_nothing_but_its_type_is_only_a_label(
        self, tmp_path: Path, markers: Markers
    ) -> None:
        write_all(tmp_path, {"package.json": '{"type": "module"}'})
        assert markers.root_class(read_listing(str(tmp_path)))[0] == "label"

    def test_a_weak_marker_stands_where_the_strong_ones_content_is_mere_tooling(
        self, tmp_path: Path, markers: Markers
    ) -> None:
        write_all(tmp_path, {"pyproject.toml": "[tool.ruff]\n", "requirements.txt": "flask\n"})
        assert markers.root_class(read_listing(str(tmp_path))) == ("weak", "requirements.txt")

    def test_a_makefile_alone_is_only_a_label(self, tmp_path: Path, markers: Markers) -> None:
        write_all(tmp_path, {"Makefile": ""})
        assert markers.root_class(read_listing(str(tmp_path))) == ("label", "Makefile")

    def test_a_makefile_beside_c_sources_is_weak(self, tmp_path: Path, markers: Markers) -> None:
        write_all(tmp_path, {"Makefile": "", "main.c": ""})
        assert markers.root_class(read_listing(str(tmp_path))) == ("weak", "Makefile")

    def test_a_default_nix_is_never_more_than_a_label(self, tmp_path: Path, markers: Markers) -> None:
        write_all(tmp_path, {"default.nix": "{}"})
        assert markers.root_class(read_listing(str(tmp_path)))[0] == "label"

    def test_a_folder_with_a_manifests_name_is_no_manifest(self, tmp_path: Path, markers: Markers) -> None:
        (tmp_path / "package.json").mkdir()
        assert markers.root_class(read_listing(str(tmp_path))) == ("none", "")

    def test_a_file_with_a_marker_folders_name_is_no_marker(self, tmp_path: Path, markers: Markers) -> None:
        write_all(tmp_path, {"App.xcodeproj": "", "CVS": ""})
        assert markers.root_class(read_listing(str(tmp_path))) == ("none", "")

    def test_notes_are_no_project(self, tmp_path: Path, markers: Markers) -> None:
        write_all(tmp_path, {"note.md": "", "photo.jpg": "", "sub/x": ""})
        assert markers.root_class(read_listing(str(tmp_path))) == ("none", "")

    def test_a_sketch_makes_a_project_only_in_a_folder_of_its_name(
        self, tmp_path: Path, markers: Markers
    ) -> None:
        write_all(tmp_path, {"blink/blink.ino": "", "other/blink.ino": ""})
        assert markers.root_class(read_listing(str(tmp_path / "blink")))[0] == "strong"
        assert markers.root_class(read_listing(str(tmp_path / "other")))[0] == "label"

    def test_a_name_alone_needs_no_file_on_the_disk(self, markers: Markers) -> None:
        gone = Listing("/nonexistent/a", frozenset({"go.mod"}), frozenset())
        assert markers.root_class(gone) == ("strong", "go.mod")

    def test_a_manifest_that_vanished_and_whose_content_decides_counts_for_nothing(
        self, markers: Markers
    ) -> None:
        gone = Listing("/nonexistent/a", frozenset({"package.json"}), frozenset())
        assert markers.root_class(gone)[0] != "strong"


class TestRanking:
    def test_dependencies_of_every_map_count(self, describe: Describe) -> None:
        for key in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
            stacks = describe({"package.json": f'{{"name": "a", "{key}": {{"react": "18"}}}}'})
            assert stacks.primary == "React", key
            assert evidence(stacks, "React") == f"package.json:{key}.react"

    def test_a_development_dependency_weighs_less(self, describe: Describe) -> None:
        stacks = describe(
            {"package.json": '{"dependencies": {"express": "4"}, "devDependencies": {"vue": "3"}}'}
        )
        assert names(stacks)[:2] == ["Express", "Vue.js"]
        assert {label.label: label.confidence for label in stacks.labels}["Vue.js"] == 0.7

    def test_a_name_that_holds_another_is_not_the_other(self, describe: Describe) -> None:
        stacks = describe({"package.json": '{"name": "a", "dependencies": {"preact": "10", "nextra": "1"}}'})
        assert names(stacks) == ["Preact", "Node.js"]

    def test_next_takes_the_place_of_react_and_node(self, describe: Describe) -> None:
        stacks = describe({"package.json": '{"dependencies": {"next": "15", "react": "19"}}'})
        assert names(stacks) == ["Next.js"]

    def test_a_weaker_superseder_removes_nothing(self, describe: Describe) -> None:
        package = '{"main": "a.js", "peerDependencies": {"react": "18"}, "devDependencies": {"next": "15"}}'
        stacks = describe({"package.json": package})
        assert stacks.primary == "React"

    def test_documents_built_with_a_framework_do_not_name_the_library(self, describe: Describe) -> None:
        stacks = describe(
            {"package.json": '{"name": "a", "exports": "./a.js", "devDependencies": {"vitepress": "1"}}'}
        )
        assert stacks.primary == "Node.js"

    def test_python_with_javascript_tooling_is_python(self, describe: Describe) -> None:
        stacks = describe(
            {
                "pyproject.toml": '[project]\nname = "a"\n',
                "package.json": '{"private": true, "devDependencies": {"eslint": "9", "prettier": "3"}}',
            }
        )
        assert names(stacks) == ["Python", "Node.js"]

    def test_a_tauri_app_is_tauri_first_then_its_parts(self, describe: Describe) -> None:
        stacks = describe(
            {
                "package.json": '{"dependencies": {"@tauri-apps/api": "2", "react": "18"}}',
                "src-tauri/tauri.conf.json": "{}",
                "src-tauri/Cargo.toml": '[package]\nname = "app"\n[dependencies]\ntauri = "2"\n',
            }
        )
        assert stacks.primary == "Tauri"
        assert {"React", "Rust", "Node.js"} <= set(names(stacks))

    def test_an_electron_app_is_electron_before_its_view(self, describe: Describe) -> None:
        package = '{"main": "a.js", "dependencies": {"react": "18"}, "devDependencies": {"electron": "33"}}'
        assert names(describe({"package.json": package}))[:2] == ["Electron", "React"]

    def test_spring_leads_over_java(self, describe: Describe) -> None:
        pom = "<project><parent><artifactId>spring-boot-starter-parent</artifactId></parent></project>"
        assert names(describe({"pom.xml": pom})) == ["Spring Boot", "Java", "Maven"]

    def test_a_gradle_build_that_says_nothing_keeps_the_known_name(self, describe: Describe) -> None:
        assert names(describe({"build.gradle": ""})) == ["Java/Kotlin", "Gradle"]

    def test_a_gradle_build_takes_the_language_of_its_files(self, describe: Describe) -> None:
        stacks = describe({"build.gradle": "", "src/A.kt": ""}, tracked=["build.gradle", "src/A.kt"])
        assert names(stacks) == ["Kotlin", "Gradle"]

    def test_equal_places_fall_to_the_language_with_more_files(self, describe: Describe) -> None:
        files = {"go.mod": "module a\n", "pyproject.toml": '[project]\nname = "a"\n'}
        go, py = ["a.go", "b.go", "c.py"], ["a.py", "b.py", "c.go"]
        assert describe(files, tracked=go).primary == "Go"
        assert describe(files, tracked=py).primary == "Python"

    def test_the_tracked_paths_are_not_asked_where_the_manifests_are_clear(
        self, tmp_path: Path, markers: Markers
    ) -> None:
        write_all(tmp_path, {"Cargo.toml": '[package]\nname = "a"\n', "src/main.rs": ""})

        def never() -> Sequence[str]:
            raise AssertionError("asked for the index")

        assert markers.describe(read_listing(str(tmp_path)), tracked=never).primary == "Rust"

    def test_the_tracked_paths_are_asked_once(self, tmp_path: Path, markers: Markers) -> None:
        asked: list[int] = []

        def paths() -> Sequence[str]:
            asked.append(1)
            return ["api/go.mod", "a.py", "api/main.go"]

        write_all(tmp_path, {"api/go.mod": "module a\n", "a.py": ""})
        markers.describe(read_listing(str(tmp_path)), tracked=paths)
        assert asked == [1]

    def test_a_readme_alone_is_unknown(self, describe: Describe) -> None:
        stacks = describe({"README.md": "# Notes\n"}, tracked=["README.md"])
        assert (stacks.primary, stacks.labels) == ("Unknown", ())

    def test_editor_settings_alone_are_unknown(self, describe: Describe) -> None:
        assert describe({".editorconfig": "root = true\n"}).primary == "Unknown"

    def test_a_dockerfile_alone_is_docker(self, describe: Describe) -> None:
        assert names(describe({"Dockerfile": "FROM scratch\n"}, tracked=["Dockerfile"])) == ["Docker"]

    @pytest.mark.parametrize(
        ("paths", "primary"),
        [
            (["a.py", "b/c.py", "run.sh"], "Python"),
            (["a.sh", "b.sh"], "Shell"),
            (["index.html", "a.js"], "HTML"),
            (["index.html", "a.js", "b.js"], "JavaScript"),
            (["a.ts", "index.html", "node_modules/x/a.js", "node_modules/x/b.js"], "TypeScript"),
            (["LICENSE"], "Unknown"),
        ],
    )
    def test_without_a_manifest_the_files_name_the_language(
        self, describe: Describe, paths: list[str], primary: str
    ) -> None:
        assert describe(dict.fromkeys(paths, ""), tracked=paths).primary == primary

    def test_without_a_manifest_and_an_index_the_folders_are_read(self, describe: Describe) -> None:
        assert describe({"src/pkg/a.py": "", "src/pkg/b.py": ""}).primary == "Python"

    def test_a_makefile_takes_its_language_from_the_sources(self, describe: Describe) -> None:
        paths = ["Makefile", "src/a.c", "src/b.c", "src/b.h"]
        assert names(describe(dict.fromkeys(paths, ""), tracked=paths)) == ["C", "Make"]


TWO_PARTS = {
    "backend/pyproject.toml": '[project]\nname = "api"\ndependencies = ["fastapi"]\n',
    "frontend/package.json": '{"name": "web", "dependencies": {"react": "18"}}',
}


class TestBelow:
    @pytest.mark.parametrize("known", [True, False])
    def test_a_repository_without_a_root_manifest_gets_its_labels_one_level_down(
        self, describe: Describe, known: bool
    ) -> None:
        stacks = describe(TWO_PARTS, tracked=sorted(TWO_PARTS) if known else None)
        assert {"FastAPI", "React", "Python", "Node.js"} == set(names(stacks))
        assert evidence(stacks, "React") == "frontend/package.json:dependencies.react"
        assert {label.label: label.confidence for label in stacks.labels}["React"] == 0.6

    @pytest.mark.parametrize("known", [True, False])
    def test_two_levels_down_weigh_less(self, describe: Describe, known: bool) -> None:
        files = {"services/api/go.mod": "module a\n"}
        stacks = describe(files, tracked=sorted(files) if known else None)
        assert stacks.labels == (Label("Go", "language", "services/api/go.mod", 0.3),)

    def test_three_levels_down_say_nothing(self, describe: Describe) -> None:
        files = {"a/b/c/go.mod": "module a\n"}
        assert describe(files, tracked=sorted(files)).labels == ()

    def test_a_name_from_below_is_not_the_projects(self, describe: Describe) -> None:
        assert describe(TWO_PARTS, tracked=sorted(TWO_PARTS)).name == "project"

    def test_what_is_not_tracked_below_says_nothing(self, describe: Describe) -> None:
        files = {"go.mod": "module a\n", "generated/package.json": '{"dependencies": {"react": "18"}}'}
        assert names(describe(files, tracked=["go.mod"])) == ["Go"]
        assert "React" in names(describe(files, tracked=sorted(files)))

    def test_a_repository_below_is_a_project_of_its_own(self, describe: Describe) -> None:
        files = {"go.mod": "module a\n", "web/.git/HEAD": "", "web/package.json": '{"name": "web"}'}
        assert names(describe(files)) == ["Go"]

    def test_examples_and_vendored_folders_say_nothing(self, describe: Describe) -> None:
        files = {
            f"{folder}/package.json": '{"dependencies": {"react": "18"}}'
            for folder in ("examples", "node_modules/a", "vendor", "tests", ".hidden")
        }
        assert describe(files, tracked=sorted(files)).labels == ()

    def test_members_do_not_rename_a_workspace_that_is_an_application_itself(
        self, describe: Describe
    ) -> None:
        files = {
            "package.json": '{"workspaces": ["packages/*"], "dependencies": {"next": "15"}}',
            "packages/a/package.json": '{"name": "a", "dependencies": {"vue": "3"}}',
        }
        assert names(describe(files, tracked=sorted(files))) == ["Next.js"]

    def test_a_root_that_only_lists_members_shows_what_they_are_made_of(self, describe: Describe) -> None:
        files = {
            "package.json": '{"private": true, "workspaces": ["packages/*"]}',
            "packages/a/package.json": '{"name": "a", "dependencies": {"vue": "3"}}',
        }
        stacks = describe(files, tracked=sorted(files))
        assert (stacks.primary, stacks.workspace) == ("Node.js", "npm")
        assert evidence(stacks, "Vue.js") == "packages/a/package.json:dependencies.vue"

    def test_links_to_folders_are_not_followed(self, tmp_path: Path, markers: Markers) -> None:
        write_all(tmp_path / "outside", {"package.json": '{"name": "a"}'})
        (tmp_path / "project").mkdir()
        (tmp_path / "project" / "web").symlink_to(tmp_path / "outside")
        assert markers.describe(read_listing(str(tmp_path / "project"))).labels == ()

    def test_thousands_of_folders_cost_no_more_than_some(self, markers: Markers) -> None:
        many = Listing("/nonexistent", frozenset(), frozenset(f"d{number}" for number in range(20_000)))
        assert markers.describe(many).primary == "Unknown"


class TestNames:
    @pytest.mark.parametrize(
        ("file", "text", "name"),
        [
            ("package.json", '{"name": "@scope/web"}', "@scope/web"),
            ("pyproject.toml", '[project]\nname = "py"\n', "py"),
            ("pyproject.toml", '[tool.poetry]\nname = "poem"\n', "poem"),
            ("setup.cfg", "[metadata]\nname = cfg\n", "cfg"),
            ("setup.py", 'setup(name="old")\n', "old"),
            ("Cargo.toml", '[package]\nname = "crate"\n', "crate"),
            ("go.mod", "module github.com/ana/tool/v2\n", "tool"),
            ("composer.json", '{"name": "ana/shop"}', "ana/shop"),
            ("pubspec.yaml", "name: app\n", "app"),
            ("mix.exs", "[app: :plug, version: 1]\n", "plug"),
            ("pom.xml", "<project><artifactId>jar</artifactId></project>", "jar"),
            ("settings.gradle", "rootProject.name = 'grad'\n", "grad"),
            ("CMakeLists.txt", "project(geo VERSION 1.0 LANGUAGES CXX)\n", "geo"),
            ("project.godot", 'config/name="Space Game"\n', "Space Game"),
            ("Chart.yaml", "apiVersion: v2\nname: chart\n", "chart"),
            ("DESCRIPTION", "Package: rpkg\nTitle: Things\n", "rpkg"),
        ],
    )
    def test_the_manifest_names_the_project(
        self, describe: Describe, file: str, text: str, name: str
    ) -> None:
        assert describe({file: text}).name == name

    @pytest.mark.parametrize("value", ["123", "null", '""', '"   "', "[]", '"\\ud800"', '"${name}"'])
    def test_what_is_no_name_leaves_the_folders(self, describe: Describe, value: str) -> None:
        assert describe({"package.json": f'{{"name": {value}}}'}, folder="shop").name == "shop"

    def test_the_primary_stacks_manifest_names_the_project(self, describe: Describe) -> None:
        files = {
            "package.json": '{"name": "lint-tools", "devDependencies": {"eslint": "9"}}',
            "pyproject.toml": '[project]\nname = "forecast"\n',
        }
        assert describe(files).name == "forecast"

    def test_a_name_is_one_line_without_control_characters(self, describe: Describe) -> None:
        stacks = describe({"package.json": '{"name": "a\\n### b\\u001b[2J\\u202ec\\u200b"}'})
        assert stacks.name == "a ### b [2J c"

    def test_a_name_is_capped(self, describe: Describe) -> None:
        assert len(describe({"package.json": f'{{"name": "{"n" * 500}"}}'}).name) == 80

    def test_a_bare_repository_loses_its_ending(self, describe: Describe) -> None:
        files = {"HEAD": "ref: refs/heads/main\n", "objects/x": "", "refs/x": ""}
        stacks = describe(files, folder="tool.git")
        assert (stacks.name, stacks.primary, stacks.flags) == ("tool", "Unknown", ())

    def test_a_folder_that_is_no_utf_8_keeps_its_bytes_in_the_name(self, markers: Markers) -> None:
        path = os.fsdecode(b"/nonexistent/caf\xe9")
        assert markers.describe(Listing(path, frozenset(), frozenset())).name == os.fsdecode(b"caf\xe9")

    def test_the_manifests_description_comes_before_the_readmes(self, describe: Describe) -> None:
        files = {"package.json": '{"description": "From  the\\nmanifest"}', "README.md": "From the readme."}
        assert describe(files).description == "From the manifest"

    def test_the_readme_describes_where_no_manifest_does(self, describe: Describe) -> None:
        assert describe({"README.md": "# Tool\n\nIt *does* things.\n"}).description == "It does things."


class TestFacts:
    def test_the_package_manager_field_comes_before_the_lockfile(self, describe: Describe) -> None:
        files = {"package.json": '{"packageManager": "pnpm@9.1.0+sha512.abc"}', "yarn.lock": ""}
        stacks = describe(files)
        assert (stacks.package_manager, stacks.toolchains) == ("pnpm", (("pnpm", "9.1.0"),))

    def test_two_managers_lockfiles_are_flagged(self, describe: Describe) -> None:
        files = {"package.json": '{"name": "a"}', "yarn.lock": "", "package-lock.json": ""}
        stacks = describe(files)
        assert (stacks.package_manager, "mixed-lockfiles" in stacks.flags) == ("yarn", True)

    def test_lockfiles_of_two_ecosystems_are_no_conflict(self, describe: Describe) -> None:
        files = {"package.json": '{"name": "a"}', "yarn.lock": "", "uv.lock": ""}
        assert "mixed-lockfiles" not in describe(files).flags

    def test_the_manager_is_that_of_the_primary_stack(self, describe: Describe) -> None:
        files = {
            "package.json": '{"devDependencies": {"eslint": "9"}}',
            "package-lock.json": "",
            "pyproject.toml": '[project]\nname = "a"\n',
            "uv.lock": "",
        }
        assert describe(files).package_manager == "uv"

    @pytest.mark.parametrize("manager", ["uv", "poetry", "pdm", "pixi"])
    def test_a_tools_table_suggests_the_manager(self, describe: Describe, manager: str) -> None:
        text = f'[project]\nname = "a"\n[tool.{manager}]\nx = 1\n'
        assert describe({"pyproject.toml": text}).package_manager == manager

    @pytest.mark.parametrize(
        ("file", "text", "manager"),
        [
            ("requirements.txt", "flask\n", "pip"),
            ("Pipfile", '[packages]\nflask = "*"\n', "pipenv"),
            ("environment.yml", "dependencies:\n  - numpy\n", "conda"),
            ("Cargo.toml", '[package]\nname = "a"\n', "cargo"),
            ("go.mod", "module a\n", "go"),
            ("Gemfile", "", "bundler"),
            ("composer.json", "{}", "composer"),
            ("pom.xml", "<project/>", "maven"),
            ("build.gradle", "", "gradle"),
            ("mix.exs", "", "mix"),
            ("App.csproj", "<Project/>", "nuget"),
            ("pubspec.yaml", "name: a\n", "pub"),
            ("deno.json", "{}", "deno"),
        ],
    )
    def test_a_manifest_implies_its_manager(
        self, describe: Describe, file: str, text: str, manager: str
    ) -> None:
        assert describe({file: text}).package_manager == manager

    def test_no_manager_is_invented(self, describe: Describe) -> None:
        assert describe({"package.json": '{"name": "a"}'}).package_manager is None

    @pytest.mark.parametrize(
        ("files", "expected"),
        [
            ({".nvmrc": "v20.11.0\n"}, ("node", "v20.11.0")),
            ({".python-version": "# pinned\n3.12.1\n"}, ("python", "3.12.1")),
            ({".tool-versions": "nodejs 20.1.0 # lts\ngolang 1.22\n"}, ("go", "1.22")),
            ({"mise.toml": '[env]\nA = "b"\n[tools]\nnode = "22"\n'}, ("node", "22")),
            ({"rust-toolchain": "nightly\n"}, ("rust", "nightly")),
            ({"rust-toolchain.toml": '[toolchain]\nchannel = "1.80"\n'}, ("rust", "1.80")),
            ({"global.json": '{"sdk": {"version": "8.0.100"}}'}, ("dotnet", "8.0.100")),
            ({".sdkmanrc": "java=21.0.2-tem\n"}, ("java", "21.0.2-tem")),
            ({"go.mod": "module a\n\ngo 1.23\n"}, ("go", "1.23")),
            ({"package.json": '{"engines": {"node": ">=18"}}'}, ("node", ">=18")),
            ({"pyproject.toml": '[project]\nrequires-python = ">=3.11"\n'}, ("python", ">=3.11")),
            ({"composer.json": '{"require": {"php": "^8.2"}}'}, ("php", "^8.2")),
        ],
    )
    def test_tool_versions_are_read(
        self, describe: Describe, files: dict[str, str], expected: tuple[str, str]
    ) -> None:
        assert expected in describe(files).toolchains

    def test_a_pinned_version_comes_before_the_manifests(self, describe: Describe) -> None:
        files = {".nvmrc": "20\n", "package.json": '{"engines": {"node": ">=18"}}'}
        assert describe(files).toolchains == (("node", "20"),)

    def test_a_version_is_capped_and_printable(self, describe: Describe) -> None:
        value = describe({".nvmrc": "v\x1b[31m" + "9" * 5000}).toolchains[0][1]
        assert (len(value), value.isprintable()) == (256, True)

    @pytest.mark.parametrize(
        ("files", "kind"),
        [
            ({"package.json": '{"workspaces": ["a"]}'}, "npm"),
            ({"package.json": '{"workspaces": {"packages": ["a"]}}', "yarn.lock": ""}, "yarn"),
            ({"package.json": '{"workspaces": ["a"]}', "bun.lock": ""}, "bun"),
            ({"pnpm-workspace.yaml": "packages:\n  - a\n", "package.json": "{}"}, "pnpm"),
            ({"pnpm-workspace.yaml": "onlyBuiltDependencies: []\n", "package.json": "{}"}, None),
            ({"package.json": '{"workspaces": []}'}, None),
            ({"Cargo.toml": "[workspace]\nmembers = []\n"}, "cargo"),
            ({"go.work": "go 1.22\n\nuse ./a\n"}, "go"),
            ({"pyproject.toml": '[tool.uv.workspace]\nmembers = ["a"]\n'}, "uv"),
            ({"settings.gradle.kts": 'include(":a")\n'}, "gradle"),
            ({"settings.gradle": "rootProject.name = 'a'\n"}, None),
            ({"pom.xml": "<project><modules><module>a</module></modules></project>"}, "maven"),
            ({"mix.exs": 'apps_path: "apps"\n'}, "mix"),
            ({"deno.json": '{"workspace": ["./a"]}'}, "deno"),
            ({"composer.json": '{"repositories": [{"type": "path", "url": "a/*"}]}'}, "composer"),
            ({"pubspec.yaml": "name: a\nworkspace:\n  - b\n"}, "dart"),
        ],
    )
    def test_a_workspace_root_is_known_by_its_kind(
        self, describe: Describe, files: dict[str, str], kind: str | None
    ) -> None:
        assert describe(files).workspace == kind

    def test_an_empty_workflows_folder_is_no_ci(self, tmp_path: Path, markers: Markers) -> None:
        (tmp_path / ".github" / "workflows").mkdir(parents=True)
        assert markers.describe(read_listing(str(tmp_path))).ci == ()

    def test_a_model_of_an_environment_file_is_no_environment_file(self, describe: Describe) -> None:
        assert "env-file" not in describe({".env.example": "A=\n"}).flags
        assert "env-file" in describe({".env": "A=secret\n"}, folder="other").flags

    def test_the_text_of_an_environment_file_is_nowhere(self, describe: Describe) -> None:
        assert "hunter2" not in repr(describe({".env": "PASSWORD=hunter2\n", "package.json": "{}"}))

    def test_what_a_project_should_have_and_has_not_is_flagged(self, describe: Describe) -> None:
        assert describe({"go.mod": "module a\n"}).flags == ("no-license", "no-readme")
        full = {"go.mod": "module a\n", "Readme.rst": "", "COPYING": ""}
        assert describe(full, folder="full").flags == ()


class TestUserRules:
    def test_a_rule_makes_a_project_and_names_its_stack(self, tmp_path: Path) -> None:
        own = load_markers([UserRule("*.qvw", "QlikView", "strong", 100)])
        write_all(tmp_path, {"sales.qvw": "", "package.json": '{"dependencies": {"express": "4"}}'})
        assert own.root_class(read_listing(str(tmp_path))) == ("strong", "sales.qvw")
        stacks = own.describe(read_listing(str(tmp_path)))
        assert stacks.labels[0] == Label("QlikView", "app", "sales.qvw", 1.0)
        assert set(names(stacks)) == {"QlikView", "Express", "Node.js"}

    def test_a_rule_without_a_label_changes_only_the_class(self, tmp_path: Path) -> None:
        own = load_markers([UserRule("package.json", "", "label")])
        write_all(tmp_path, {"package.json": '{"dependencies": {"express": "4"}}'})
        assert own.root_class(read_listing(str(tmp_path))) == ("label", "package.json")
        assert own.describe(read_listing(str(tmp_path))).primary == "Express"

    def test_a_rule_with_a_label_replaces_the_tables_word(self, tmp_path: Path) -> None:
        own = load_markers([UserRule("*.tf", "Infrastructure", "label", 10)])
        write_all(tmp_path, {"main.tf": ""})
        assert names(own.describe(read_listing(str(tmp_path)))) == ["Infrastructure"]
        assert own.root_class(read_listing(str(tmp_path)))[0] == "label"

    def test_a_rule_overrides_the_repository_marker(self, tmp_path: Path) -> None:
        own = load_markers([UserRule(".git/", "", "label")])
        (tmp_path / ".git").mkdir()
        assert own.root_class(read_listing(str(tmp_path))) == ("label", ".git")

    @pytest.mark.parametrize(
        "glob", ["exact.cfg", "*.cfg", "ex*.cfg", "*act*", "exact*", "conf/", "conf/in*.x", "conf/inner.x"]
    )
    def test_every_form_of_pattern_is_understood(self, tmp_path: Path, glob: str) -> None:
        write_all(tmp_path, {"exact.cfg": "", "conf/inner.x": ""})
        own = load_markers([UserRule(glob, "Mine", "strong")])
        assert own.root_class(read_listing(str(tmp_path)))[0] == "strong"
        assert "Mine" in names(own.describe(read_listing(str(tmp_path))))

    @pytest.mark.parametrize(
        ("rule", "key"),
        [
            (UserRule("", "A", "strong"), "glob"),
            (UserRule("/etc/passwd", "A", "strong"), "glob"),
            (UserRule("../x", "A", "strong"), "glob"),
            (UserRule("a\0b", "A", "strong"), "glob"),
            (UserRule("*/x", "A", "strong"), "glob"),
            (UserRule("a", "A", "huge"), "class"),
            (UserRule("a", "A\nB", "strong"), "label"),
            (UserRule("a", "A", "strong", -1), "priority"),
        ],
    )
    def test_a_faulty_rule_is_a_value_with_its_key_and_a_hint(self, rule: UserRule, key: str) -> None:
        problems = load_markers([UserRule("ok", "Fine", "weak"), rule]).problems
        assert [(problem.code, problem.path) for problem in problems] == [
            ("marker-rule", f"markers[1].{key}")
        ]
        assert problems[0].fix

    def test_a_faulty_rule_leaves_the_others_in_force(self, tmp_path: Path) -> None:
        own = load_markers([UserRule("", "A", "strong"), UserRule("ok.x", "Fine", "weak")])
        write_all(tmp_path, {"ok.x": ""})
        assert own.root_class(read_listing(str(tmp_path))) == ("weak", "ok.x")


def test_describing_twice_gives_the_same(describe: Describe) -> None:
    files = {**TWO_PARTS, "compose.yaml": "services:\n  a:\n    image: redis\n", "Makefile": ""}
    assert describe(files, tracked=sorted(files)) == describe(files, tracked=sorted(files, reverse=True))


def test_importing_the_stacks_loads_nothing_slow() -> None:
    code = (
        "import sys, scanner.stacks; scanner.stacks.load_markers();"
        "slow = {'typing', 'pathlib', 'yaml', 'subprocess', 'logging', 'asyncio', 'xml'};"
        "print(sorted(slow & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        cwd=root, check=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("names", "may"),
    [
        ({"note.md", "photo.jpg"}, False),
        ({"go.mod"}, True),
        ({"App.xcodeproj"}, True),
        ({"requirements-dev.txt"}, True),
        ({"custom_components"}, True),
        ({"project.ino"}, True),
        (set(), False),
    ],
)
def test_a_glance_at_the_names_never_misses_a_root(names: set[str], may: bool, markers: Markers) -> None:
    assert markers.may_root(names) == may


def test_a_glance_knows_the_users_rules() -> None:
    assert load_markers([UserRule("*.qvw", "QlikView", "strong")]).may_root({"a.qvw"})
