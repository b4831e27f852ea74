"""What each reader takes from its manifest, value by value, without a disk."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanner.manifests import dotnet, go, jvm, native, node, php, python, rust, text
from scanner.manifests.manifest import Manifest


def names(manifest: Manifest, *, needed: bool = True) -> list[str]:
    return [name for part in manifest.dependencies if part.needed == needed for name in part.names]


def keys(manifest: Manifest) -> list[str]:
    return [part.key for part in manifest.dependencies]


class TestNode:
    @pytest.mark.parametrize(
        "package",
        [
            '{"name": "a"}',
            '{"scripts": {}}',
            '{"dependencies": {}}',
            '{"devDependencies": {}}',
            '{"workspaces": []}',
            '{"bin": "a"}',
            '{"main": "a"}',
            '{"exports": "a"}',
        ],
    )
    def test_a_package_counts_by_any_of_its_own_keys(self, package: str) -> None:
        assert node.package(package.encode()).counts

    @pytest.mark.parametrize("package", ["{}", '{"type": "module"}', '{"private": true}'])
    def test_settings_alone_do_not_count(self, package: str) -> None:
        assert not node.package(package.encode()).counts

    def test_the_version_of_the_manager_loses_its_hash(self) -> None:
        manifest = node.package(b'{"packageManager": "yarn@4.1.0+sha224.abc"}')
        assert (manifest.manager, manifest.toolchains) == ("yarn", (("yarn", "4.1.0"),))

    @pytest.mark.parametrize("value", ['"make@1"', '"@"', "7", '""'])
    def test_an_unknown_manager_is_none(self, value: str) -> None:
        assert node.package(f'{{"packageManager": {value}}}'.encode()).manager == ""

    def test_imports_of_deno_name_packages_of_npm(self) -> None:
        manifest = node.deno(
            b'{"imports": {"a": "npm:hono@^4", "b": "npm:@scope/x@1/sub", "c": "jsr:@hono/hono@4", '
            b'"d": "https://deno.land/x", "e": "npm:plain"}}'
        )
        assert names(manifest) == ["hono", "@scope/x", "hono", "plain"]

    def test_a_web_app_manifest_is_no_extension(self) -> None:
        assert not node.extension(b'{"name": "a", "start_url": "/"}').counts


class TestPython:
    PYPROJECT = b"""
[project]
name = "api"
description = "An API."
requires-python = ">=3.11"
dependencies = ["FastAPI[all]>=0.1; python_version > '3'", "My_Pkg.Name ~= 1", "x @ https://example.org/x.whl"]
[project.optional-dependencies]
ml = ["torch"]
[dependency-groups]
dev = ["pytest", {include-group = "ml"}]
[tool.uv]
dev-dependencies = ["ruff"]
"""

    def test_the_projects_dependencies_are_named_as_the_index_names_them(self) -> None:
        manifest = python.pyproject(self.PYPROJECT)
        assert names(manifest) == ["fastapi", "my-pkg-name", "x"]
        assert names(manifest, needed=False) == ["torch", "pytest", "ruff"]

    def test_the_projects_facts_are_read(self) -> None:
        manifest = python.pyproject(self.PYPROJECT)
        assert (manifest.name, manifest.description) == ("api", "An API.")
        assert (manifest.toolchains, manifest.manager_hint) == ((("python", ">=3.11"),), "uv")

    def test_poetrys_groups_are_development_but_main(self) -> None:
        manifest = python.pyproject(
            b'[tool.poetry]\nname = "p"\n[tool.poetry.dependencies]\npython = "^3.11"\nDjango = "5"\n'
            b'[tool.poetry.group.main.dependencies]\ncelery = "5"\n'
            b'[tool.poetry.group.dev.dependencies]\npytest = "8"\n'
        )
        assert names(manifest) == ["python", "django", "celery"]
        assert names(manifest, needed=False) == ["pytest"]
        assert manifest.toolchains == (("python", "^3.11"),)

    @pytest.mark.parametrize(
        "table", ["[project]", "[build-system]", "[tool.poetry]\nname = 'a'", "[dependency-groups]"]
    )
    def test_a_project_table_counts(self, table: str) -> None:
        assert python.pyproject(table.encode()).counts

    def test_tables_of_linters_do_not_count(self) -> None:
        assert not python.pyproject(b"[tool.ruff]\n[tool.black]\n[tool.mypy]\n").counts

    @pytest.mark.parametrize(
        ("backend", "label"),
        [("maturin", "Rust"), ("scikit_build_core.build", "C++"), ("hatchling.build", None)],
    )
    def test_the_build_back_end_tells_of_a_second_language(self, backend: str, label: str | None) -> None:
        manifest = python.pyproject(f'[build-system]\nbuild-backend = "{backend}"\n'.encode())
        assert [sign.label for sign in manifest.signs] == ([label] if label else [])

    def test_requirements_lose_options_markers_and_comments(self) -> None:
        manifest = python.requirements(
            b"# django\n-r base.txt\n--hash=sha256:x\nFlask==3 # web\n"
            b"uvicorn[standard]>=0.2 ; os_name == 'nt'\n"
            b"git+https://example.org/z.git#egg=Zope.Thing\nhttps://example.org/only.whl\n  pandas\r\n"
        )
        assert names(manifest) == ["flask", "uvicorn", "zope-thing", "pandas"]

    def test_a_bracket_inside_a_requirement_does_not_end_the_list(self) -> None:
        manifest = python.setup_py(
            b"setup(name='a', python_requires='>=3.8', install_requires=[\n"
            b"  'uvicorn[standard]',  # 'commented'\n  \"django>=4\",\n], extras_require={'x': ['torch']})"
        )
        assert names(manifest) == ["uvicorn", "django"]
        assert (manifest.name, manifest.toolchains) == ("a", (("python", ">=3.8"),))

    def test_setup_cfg_is_read_without_a_parser(self) -> None:
        manifest = python.setup_cfg(
            b"[metadata]\nname = a\ndescription = Short.\n"
            b"[options]\ninstall_requires =\n    flask\n    x>=1\n"
        )
        assert (manifest.counts, manifest.name, names(manifest)) == (True, "a", ["flask", "x"])

    def test_setup_cfg_without_metadata_does_not_count(self) -> None:
        assert not python.setup_cfg(b"[flake8]\nmax-line-length = 100\n").counts

    def test_condas_channels_and_pip_lists_are_understood(self) -> None:
        manifest = python.conda(
            b"name: lab\nchannels:\n  - conda-forge\ndependencies:\n  - conda-forge::numpy=1.26\n"
            b"  - pip:\n    - streamlit==1\nprefix: /opt\n  - late\n"
        )
        assert (manifest.name, names(manifest)) == ("lab", ["numpy", "streamlit"])

    def test_an_environment_without_dependencies_does_not_count(self) -> None:
        assert not python.conda(b"name: staging\nurl: https://example.org\n").counts

    @pytest.mark.parametrize(
        ("metadata", "label"),
        [('"language": "julia"', "Julia"), ('"name": "ir"', "R"), ('"name": "x"', None)],
    )
    def test_a_notebook_tells_its_language(self, metadata: str, label: str | None) -> None:
        manifest = python.notebook(f'{{"metadata": {{"kernelspec": {{{metadata}}}}}}}'.encode())
        assert [sign.label for sign in manifest.signs] == ([label] if label else [])


class TestRust:
    def test_every_dependency_table_of_cargo_is_read(self) -> None:
        manifest = rust.cargo(
            b'[package]\nname = "a"\nrust-version = "1.80"\n[dependencies]\nweb = {package = "axum"}\n'
            b'[dev-dependencies]\nx = "1"\n[build-dependencies]\ny = "1"\n'
            b"[target.'cfg(unix)'.dependencies]\nz = \"1\"\n"
            b'[workspace]\n[workspace.dependencies]\ntokio = "1"\n'
        )
        assert names(manifest) == ["axum", "z", "tokio"]
        assert names(manifest, needed=False) == ["x", "y"]
        assert (manifest.workspace, manifest.toolchains) == ("cargo", (("rust", "1.80"),))

    def test_neither_package_nor_workspace_does_not_count(self) -> None:
        assert not rust.cargo(b"[profile.release]\nlto = true\n").counts


class TestGo:
    MODULE = b"""module example.org/ana/tool/v3 // the tool

go 1.23

require github.com/gin-gonic/gin v1.10.0

require (
\tgithub.com/labstack/echo/v4 v4.12.0
\tgithub.com/spf13/cobra v1.8.0 // indirect
\tgopkg.in/yaml.v3 v3.0.1
)

replace github.com/x/y => ../y
"""

    def test_direct_requirements_lose_their_major_version(self) -> None:
        assert names(go.module(self.MODULE)) == [
            "github.com/gin-gonic/gin",
            "github.com/labstack/echo",
            "gopkg.in/yaml",
        ]

    def test_the_name_is_the_last_part_without_the_major_version(self) -> None:
        manifest = go.module(self.MODULE)
        assert (manifest.name, manifest.toolchains) == ("tool", (("go", "1.23"),))


class TestPhp:
    def test_requirements_for_running_and_for_development_are_told_apart(self) -> None:
        manifest = php.composer(
            b'{"require": {"php": ">=8.2", "Laravel/Framework": "^11"}, '
            b'"require-dev": {"phpunit/phpunit": "*"}}'
        )
        assert names(manifest) == ["php", "laravel/framework"]
        assert names(manifest, needed=False) == ["phpunit/phpunit"]


class TestJvm:
    def test_the_name_of_a_pom_is_its_own_not_its_parents(self) -> None:
        manifest = jvm.pom(
            b"<project><!-- <artifactId>no</artifactId> --><parent><artifactId>up</artifactId></parent>"
            b"<dependencies><dependency><artifactId>dep</artifactId></dependency></dependencies>"
            b"<artifactId>own</artifactId><description>Does it.</description>"
            b"<properties><java.version>21</java.version></properties></project>"
        )
        assert (manifest.name, manifest.description, manifest.toolchains) == (
            "own",
            "Does it.",
            (("java", "21"),),
        )
        assert names(manifest) == ["up", "dep", "own"]

    def test_a_pom_with_the_kotlin_plug_in_is_kotlin(self) -> None:
        plugin = b"<build><plugin><artifactId>kotlin-maven-plugin</artifactId></plugin></build>"
        assert jvm.pom(b"<project>" + plugin + b"</project>").instead == ("Kotlin", "Maven")

    @pytest.mark.parametrize(
        ("line", "plugin"),
        [
            ("id 'org.springframework.boot' version '3'", "org.springframework.boot"),
            ('id("com.android.application")', "com.android.application"),
            ("apply plugin: 'io.quarkus'", "io.quarkus"),
            ('apply(plugin = "io.quarkus")', "io.quarkus"),
            ('kotlin("multiplatform")', "org.jetbrains.kotlin.multiplatform"),
            ("    java", "java"),
            ("`java-library`", "java-library"),
        ],
    )
    def test_plugins_are_found_however_they_are_applied(self, line: str, plugin: str) -> None:
        assert plugin in names(jvm.gradle(f"plugins {{\n{line}\n}}\n".encode()))

    def test_commented_plugins_are_not_applied(self) -> None:
        build = b"// id 'a.b'\n/* id 'c.d'\nid 'e.f' */\nid 'g.h' // see https://example.org\n"
        assert names(jvm.gradle(build)) == ["g.h"]

    def test_an_address_in_a_string_is_no_comment(self) -> None:
        assert names(jvm.gradle(b"maven { url 'https://x' }; id 'a.b'\n")) == ["a.b"]

    def test_coordinates_name_artifacts(self) -> None:
        build = b'implementation("io.ktor:ktor-server-core:3.0")\ntestImplementation "a:b"\n'
        assert names(jvm.gradle(build)) == ["ktor-server-core", "b"]

    def test_a_version_catalog_names_plugins_and_modules(self) -> None:
        catalog = (
            b'[plugins]\nandroid = { id = "com.android.application", version.ref = "agp" }\n'
            b'boot = "org.springframework.boot:3.4.0"\n'
            b'[libraries]\ncore = { module = "io.ktor:ktor-server-core" }\n'
        )
        assert names(jvm.gradle_catalog(catalog)) == [
            "com.android.application",
            "org.springframework.boot",
            "ktor-server-core",
        ]


class TestDotnet:
    def test_a_solution_lists_its_projects_and_nothing_outside(self) -> None:
        solution = (
            b'Project("{FAE0}") = "Web", "src\\Web\\Web.csproj", "{A}"\n'
            b'Project("{FAE0}") = "Up", "..\\Up\\Up.csproj", "{B}"\n'
            b'Project("{FAE0}") = "Abs", "C:\\Abs\\Abs.csproj", "{C}"\n'
            b'Project("{FAE0}") = "Root", "\\Root.csproj", "{D}"\n'
        )
        assert dotnet.solution(solution).members == ("src/Web/Web.csproj",)

    def test_the_newer_format_lists_its_projects_too(self) -> None:
        assert dotnet.solution(b'<Solution><Project Path="a/A.fsproj" /></Solution>').members == (
            "a/A.fsproj",
        )

    @pytest.mark.parametrize(
        ("project", "found"),
        [
            ('<Project Sdk="Microsoft.NET.Sdk.Web/8.0">', ["Microsoft.NET.Sdk.Web"]),
            ("<Project Sdk='Microsoft.NET.Sdk.Web'>", ["Microsoft.NET.Sdk.Web"]),
            ('<Sdk Name="Microsoft.NET.Sdk.Worker" />', ["Microsoft.NET.Sdk.Worker"]),
            ("<UseWPF>true</UseWPF>", ["UseWPF"]),
            ("<UseWPF>false</UseWPF>", []),
            ("<!-- <UseMaui>true</UseMaui> -->", []),
        ],
    )
    def test_a_project_file_names_its_kind(self, project: str, found: list[str]) -> None:
        assert names(dotnet.project(project.encode())) == found


class TestNative:
    @pytest.mark.parametrize(
        ("cmake", "languages"),
        [
            ("project(a C)", ("C",)),
            ("project(a LANGUAGES CXX)", ("C++",)),
            ("project(a LANGUAGES C CXX)", ("C++", "C")),
            ("project(a)\nadd_executable(a a.c)", ("C",)),
            ("project(a)\nadd_executable(a a.cpp b.c)", ("C++",)),
            ("project(a)", ("C/C++",)),
            ("# project(a C)\nproject(a CXX)", ("C++",)),
        ],
    )
    def test_cmake_tells_its_languages(self, cmake: str, languages: tuple[str, ...]) -> None:
        assert native.cmake(cmake.encode()).instead == (*languages, "CMake")

    def test_a_name_from_a_variable_is_no_name(self) -> None:
        assert native.cmake(b"project(${NAME} C)").name == ""

    @pytest.mark.parametrize(
        ("meson", "languages"),
        [
            ("project('a', 'c')", ("C",)),
            ("project('a', ['c', 'cpp'],\n  version: '1')", ("C", "C++")),
            ("project('a', 'rust')", ("Rust",)),
        ],
    )
    def test_meson_tells_its_languages(self, meson: str, languages: tuple[str, ...]) -> None:
        manifest = native.meson(meson.encode())
        assert (manifest.name, manifest.instead) == ("a", (*languages, "Meson"))

    def test_a_meson_file_of_a_folder_does_not_count(self) -> None:
        assert not native.meson(b"sources = files('a.c')\n").counts


class TestText:
    @pytest.mark.parametrize("load", [text.load_json, text.load_toml])
    def test_utf_16_is_refused_where_utf_8_is_asked_for(self, load: Callable[[bytes], object]) -> None:
        with pytest.raises(ValueError, match="UTF-16"):
            load("a = 1".encode("utf-16"))

    def test_loose_text_reads_any_encoding(self) -> None:
        for data in (b"\xef\xbb\xbfa", "a".encode("utf-16"), b"\xff\xfea\x00", b"a"):
            assert text.loose_text(data) == "a"

    def test_a_slash_pair_inside_a_string_is_no_comment(self) -> None:
        assert text.load_json(b'{"a": "x // y /* z */ ,]",}') == ({"a": "x // y /* z */ ,]"}, "")

    def test_what_stands_between_marks_is_left_out(self) -> None:
        assert text.without("a<!--b-->c<!--d", "<!--", "-->") == "ac"

    @pytest.mark.parametrize("path", [("a",), ("a", "b"), ("x",)])
    def test_a_path_to_no_table_is_an_empty_table(self, path: tuple[str, ...]) -> None:
        assert text.table({"a": [1]}, *path) == {}
