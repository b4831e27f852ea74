"""The members of a workspace: one fixture for each format that lists them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scanner.workspace_cases import members_of, membership, paths_of, project

Files = dict[str, str]

REACT = '{"name": "@shop/web", "dependencies": {"react": "19.0.0"}}'
EXPRESS = '{"name": "api", "dependencies": {"express": "4.21.0"}}'


def crate(name: str, more: str = "") -> str:
    return f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n{more}'


def pyproject(name: str, more: str = "") -> str:
    return f'[project]\nname = "{name}"\nversion = "0.1.0"\n{more}'


def pom(name: str, more: str = "") -> str:
    return f"<project><groupId>g</groupId><artifactId>{name}</artifactId><version>1</version>{more}</project>"


SLN = """\r
Microsoft Visual Studio Solution File, Format Version 12.00\r
Project("{9A19103F-16F7-4668-BE54-9A1E7A4F7556}") = "Shop.Api", "src\\Api\\Shop.Api.csproj", "{1}"\r
EndProject\r
Project("{2150E333-8FDC-42A3-9474-1A3956D46DE8}") = "src", "src", "{2}"\r
EndProject\r
Project("{8BC9CEB8-8B4A-11D0-8D11-00A0C91BC942}") = "Native", "native\\native.vcxproj", "{3}"\r
EndProject\r
Project("{9A19103F-16F7-4668-BE54-9A1E7A4F7556}") = "Gone", "gone\\Gone.csproj", "{4}"\r
EndProject\r
"""

# name of the format -> (files, members as path -> (name, kind, stack))
FORMATS: dict[str, tuple[Files, dict[str, tuple[str, str, str]]]] = {
    "npm": (
        {
            "package.json": '{"name": "shop", "workspaces": ["packages/*", "./tools/lint"]}',
            "packages/web/package.json": REACT,
            "packages/api/package.json": EXPRESS,
            "packages/empty/README.md": "",
            "tools/lint/package.json": '{"name": "lint", "main": "index.js"}',
            "other/package.json": '{"name": "other"}',
        },
        {
            "packages/api": ("api", "npm", "Express"),
            "packages/web": ("@shop/web", "npm", "React"),
            "tools/lint": ("lint", "npm", "Node.js"),
        },
    ),
    "yarn with a map of packages": (
        {
            "package.json": '{"private": true, "workspaces": {"packages": ["apps/**"], "nohoist": []}}',
            "yarn.lock": "",
            "apps/web/package.json": REACT,
            "apps/inner/api/package.json": EXPRESS,
        },
        {"apps/inner/api": ("api", "yarn", "Express"), "apps/web": ("@shop/web", "yarn", "React")},
    ),
    "yarn whose members have members": (
        {
            "package.json": '{"private": true, "workspaces": ["apps/*"]}',
            "yarn.lock": "",
            ".yarnrc.yml": "nodeLinker: node-modules\n",
            "apps/web/package.json": '{"name": "web", "workspaces": ["parts/*"]}',
            "apps/web/parts/api/package.json": EXPRESS,
        },
        {"apps/web": ("web", "yarn", "Node.js"), "apps/web/parts/api": ("api", "yarn", "Express")},
    ),
    "bun": (
        {
            "package.json": '{"private": true, "workspaces": ["packages/{web,api}"]}',
            "bun.lock": "",
            "packages/web/package.json": REACT,
            "packages/docs/package.json": '{"name": "docs"}',
        },
        {"packages/web": ("@shop/web", "bun", "React")},
    ),
    "pnpm": (
        {
            "package.json": '{"private": true, "workspaces": ["ignored/*"]}',
            "pnpm-workspace.yaml": "packages:\n  - 'packages/*'  # all\n  - \"apps/**\"\n  - '!**/test/**'\n",
            "packages/web/package.json": REACT,
            "packages/test/package.json": '{"name": "test"}',
            "apps/one/api/package.json": EXPRESS,
            "apps/one/test/x/package.json": '{"name": "x"}',
            "ignored/a/package.json": '{"name": "a"}',
        },
        {"apps/one/api": ("api", "pnpm", "Express"), "packages/web": ("@shop/web", "pnpm", "React")},
    ),
    "Lerna": (
        {
            "package.json": '{"name": "root", "private": true, "devDependencies": {"lerna": "8.0.0"}}',
            "lerna.json": '{"version": "1.0.0", "packages": ["modules/*"]}',
            "modules/web/package.json": REACT,
            "packages/old/package.json": '{"name": "old"}',
        },
        {"modules/web": ("@shop/web", "lerna", "React")},
    ),
    "Lerna by its old default": (
        {
            "package.json": '{"name": "root", "private": true, "devDependencies": {"lerna": "3.0.0"}}',
            "lerna.json": '{"version": "1.0.0"}',
            "packages/web/package.json": REACT,
        },
        {"packages/web": ("@shop/web", "lerna", "React")},
    ),
    "Nx": (
        {
            "package.json": '{"name": "org", "dependencies": {"@angular/core": "18.0.0"}}',
            "nx.json": "{}",
            "apps/shop/project.json": '{"name": "shop-app", "projectType": "application"}',
            "libs/ui/project.json": "{}",
            "libs/ui/node_modules/x/project.json": '{"name": "x"}',
        },
        {"apps/shop": ("shop-app", "nx", "Unknown"), "libs/ui": ("ui", "nx", "Unknown")},
    ),
    "Nx by its old workspace.json": (
        {
            "package.json": '{"name": "org", "scripts": {}}',
            "nx.json": "{}",
            "workspace.json": '{"version": 1, "projects": {"shop": "apps/shop", "ui": {"root": "libs/ui"}}}',
            "apps/shop/src/main.ts": "",
            "libs/ui/src/main.ts": "",
        },
        {"apps/shop": ("shop", "nx", "TypeScript"), "libs/ui": ("ui", "nx", "TypeScript")},
    ),
    "Rush": (
        {
            "rush.json": """{
                // where the projects are
                "rushVersion": "5.100.0",
                "projects": [
                    { "packageName": "@shop/web", "projectFolder": "apps/web", },
                    /* not there */ { "packageName": "gone", "projectFolder": "apps/gone" },
                ],
            }""",
            "apps/web/package.json": REACT,
            "apps/more/package.json": '{"name": "more"}',
        },
        {"apps/web": ("@shop/web", "rush", "React")},
    ),
    "moon with patterns": (
        {
            ".moon/workspace.yml": "projects:\n  - 'apps/*'\n  - 'libs/*/moon.yml'\n",
            "apps/web/package.json": REACT,
            "libs/core/moon.yml": "language: rust\n",
            "libs/core/Cargo.toml": crate("core"),
        },
        {"apps/web": ("@shop/web", "moon", "React"), "libs/core": ("core", "moon", "Rust")},
    ),
    "moon with names": (
        {
            ".moon/workspace.yml": "projects:\n  globs:\n    - apps/*\n  sources:\n    core: 'libs/core'\n",
            "apps/web/package.json": REACT,
            "libs/core/src/a.go": "",
        },
        {"apps/web": ("@shop/web", "moon", "React"), "libs/core": ("core", "moon", "Go")},
    ),
    "Deno": (
        {
            "deno.json": '{"workspace": ["./add", "libs/*"]}',
            "add/deno.json": '{"name": "@math/add", "imports": {"hono": "npm:hono@4"}}',
            "libs/sub/deno.jsonc": '{"name": "sub"} // subtraction',
        },
        {"add": ("@math/add", "deno", "Hono"), "libs/sub": ("sub", "deno", "Deno")},
    ),
    "Deno with a map": (
        {"deno.json": '{"workspace": {"members": ["add"]}}', "add/package.json": EXPRESS},
        {"add": ("api", "deno", "Express")},
    ),
    "Cargo with a virtual root": (
        {
            "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/old"]\n',
            "crates/web/Cargo.toml": crate("web", '[dependencies]\naxum = "0.7"\n'),
            "crates/old/Cargo.toml": crate("old"),
            "crates/README.md": "",
            "scratch/Cargo.toml": crate("scratch"),
        },
        {"crates/web": ("web", "cargo", "Axum")},
    ),
    "Cargo with path dependencies": (
        {
            "Cargo.toml": crate(
                "app",
                '[workspace]\nexclude = ["vendored"]\n[workspace.dependencies]\n'
                'shared = { path = "lib/shared" }\n'
                '[dependencies]\ncore = { path = "core" }\nvendored = { path = "vendored/x" }\n'
                'outside = { path = "../elsewhere" }\n',
            ),
            "core/Cargo.toml": crate(
                "core",
                "[target.'cfg(unix)'.dependencies]\ndeep = { path = \"../deep/a\" }\n"
                "[dev-dependencies]\nshared = { workspace = true }\n",
            ),
            "deep/a/Cargo.toml": crate("deep"),
            "lib/shared/Cargo.toml": crate("shared"),
            "vendored/x/Cargo.toml": crate("vendored"),
            "loose/Cargo.toml": crate("loose"),
        },
        {
            "core": ("core", "cargo", "Rust"),
            "deep/a": ("deep", "cargo", "Rust"),
            "lib/shared": ("shared", "cargo", "Rust"),
        },
    ),
    "go.work": (
        {
            "go.work": "go 1.22\n\nuse (\n\t./api // the server\n\t.\n\t../outside\n)\nuse ./tool\n",
            "go.mod": "module example.com/root\n",
            "api/go.mod": "module example.com/api\nrequire github.com/gin-gonic/gin v1.9.0\n",
            "tool/go.mod": "module example.com/tool/v2\n",
            "separate/go.mod": "module example.com/separate\n",
        },
        {"api": ("api", "go", "Gin"), "tool": ("tool", "go", "Go")},
    ),
    "uv": (
        {
            "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/old"]\n',
            "packages/api/pyproject.toml": pyproject("api", 'dependencies = ["fastapi"]\n'),
            "packages/old/pyproject.toml": pyproject("old"),
            "packages/free/pyproject.toml": pyproject("free", "[tool.uv]\nmanaged = false\n"),
            "packages/none/setup.py": "",
        },
        {"packages/api": ("api", "uv", "FastAPI")},
    ),
    "Gradle": (
        {
            "settings.gradle": (
                "rootProject.name = 'shop'\n// include 'no'\ninclude 'api', ':libs:core',\n    'moved'\n"
                "include(\"$dynamic\")\nproject(':moved').projectDir = new File(settingsDir, 'else/where')\n"
                "includeBuild 'build-logic'\nincludeBuild('../outside')\n"
            ),
            "api/build.gradle": "plugins { id 'org.springframework.boot' version '3.3.0' }\n",
            "libs/core/build.gradle": "plugins { id 'java-library' }\n",
            "libs/readme.txt": "",
            "else/where/build.gradle": "plugins { id 'groovy' }\n",
            "build-logic/settings.gradle": "",
            "no/build.gradle": "",
            "dynamic/build.gradle": "",
        },
        {
            "api": ("api", "gradle", "Spring Boot"),
            "build-logic": ("build-logic", "gradle", "Java/Kotlin"),
            "else/where": ("moved", "gradle", "Groovy"),
            "libs/core": ("core", "gradle", "Java"),
        },
    ),
    "Gradle in Kotlin": (
        {
            "settings.gradle.kts": (
                'rootProject.name = "shop"\ninclude(":app", ":feature:cart")\n'
                'project(":feature:cart").projectDir = file("$rootDir/features/cart")\n'
            ),
            "app/build.gradle.kts": 'plugins { id("com.android.application") }\n',
            "features/cart/build.gradle.kts": 'plugins { kotlin("jvm") }\n',
        },
        {"app": ("app", "gradle", "Android"), "features/cart": ("cart", "gradle", "Kotlin")},
    ),
    "Maven": (
        {
            "pom.xml": pom(
                "parent",
                "<modules><module>core</module><!-- <module>no</module> -->"
                "<module>extra/pom-extra.xml</module>"
                "</modules><profiles><profile><id>web</id><modules><module>web</module></modules></profile>"
                "</profiles>",
            ),
            "core/pom.xml": pom("core", "<modules><module>inner</module><module>../side</module></modules>"),
            "core/inner/pom.xml": pom("inner"),
            "side/pom.xml": pom("side"),
            "extra/pom-extra.xml": pom("extra"),
            "web/pom.xml": pom(
                "web",
                "<dependencies><dependency><artifactId>spring-boot-starter-web</artifactId></dependency>"
                "</dependencies>",
            ),
            "no/pom.xml": pom("no"),
        },
        {
            "core": ("core", "maven", "Java"),
            "core/inner": ("inner", "maven", "Java"),
            "extra": ("extra", "maven", "Unknown"),
            "side": ("side", "maven", "Java"),
            "web": ("web", "maven", "Spring Boot"),
        },
    ),
    "a solution": (
        {
            "Shop.sln": SLN,
            "src/Api/Shop.Api.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>',
            "native/native.vcxproj": "<Project />",
        },
        {"native": ("Native", "dotnet", "C++"), "src/Api": ("Shop.Api", "dotnet", "ASP.NET Core")},
    ),
    "a solution in XML": (
        {
            "Shop.slnx": '<Solution><Folder Name="/src/"><Project Path="src/Api/Api.csproj" /></Folder>'
            '<!-- <Project Path="no/No.csproj" /> -->'
            '<Project Type="x" Path="tests\\T\\T.fsproj"></Project></Solution>',
            "src/Api/Api.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>',
            "tests/T/T.fsproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>',
            "no/No.csproj": "",
        },
        {"src/Api": ("Api", "dotnet", "C#"), "tests/T": ("T", "dotnet", "F#")},
    ),
    "an umbrella": (
        {
            "mix.exs": "defmodule S do\n  def project, do: [\n"
            '    apps_path: "apps",\n    # apps_path: "no"\n  ]\nend\n',
            "apps/web/mix.exs": 'def project, do: [app: :shop_web, deps: [{:phoenix, "~> 1.7"}]]\n',
            "apps/core/mix.exs": "def project, do: [app: :core]\n",
            "apps/notes/README.md": "",
        },
        {"apps/core": ("core", "mix", "Elixir"), "apps/web": ("shop_web", "mix", "Phoenix")},
    ),
    "an umbrella with some of its applications": (
        {
            "mix.exs": 'def project, do: [apps_path: "apps", apps: [:core, :gone]]\n',
            "apps/web/mix.exs": "def project, do: [app: :web]\n",
            "apps/core/mix.exs": "def project, do: [app: :core]\n",
        },
        {"apps/core": ("core", "mix", "Elixir")},
    ),
    "sbt": (
        {
            "build.sbt": (
                'lazy val root = (project in file(".")).aggregate(core, web)\n'
                'lazy val core = project.in(file("modules/core"))\n'
                'lazy val web = (project in file("web"))\n'
                "lazy val util = project\n  .settings(x := 1)\n"
                '// lazy val no = project.in(file("no"))\n'
                'lazy val both = crossProject(JVMPlatform, JSPlatform).in(file("both"))\n'
            ),
            "modules/core/src/A.scala": "",
            "web/build.sbt": 'libraryDependencies += "org.playframework" %% "play" % "3.0"\n',
            "util/src/B.scala": "",
            "both/src/C.scala": "",
            "no/src/D.scala": "",
        },
        {
            "both": ("both", "sbt", "Scala"),
            "modules/core": ("core", "sbt", "Scala"),
            "util": ("util", "sbt", "Scala"),
            "web": ("web", "sbt", "Play"),
        },
    ),
    "pub": (
        {
            "pubspec.yaml": "name: _\nenvironment:\n  sdk: ^3.6.0\n"
            "workspace:\n  - packages/model\n  - apps/app\n",
            "packages/model/pubspec.yaml": "name: model\nworkspace:\n- inner\n",
            "packages/model/inner/pubspec.yaml": "name: inner\n",
            "apps/app/pubspec.yaml": "name: app\ndependencies:\n  flutter:\n    sdk: flutter\n",
        },
        {
            "apps/app": ("app", "pub", "Flutter"),
            "packages/model": ("model", "pub", "Dart"),
            "packages/model/inner": ("inner", "pub", "Dart"),
        },
    ),
    "melos": (
        {
            "pubspec.yaml": "name: suite\n",
            "melos.yaml": 'name: suite\npackages: [packages/**, "apps/*"]\nignore:\n  - packages/old\n',
            "packages/a/b/pubspec.yaml": "name: b\n",
            "packages/old/pubspec.yaml": "name: old\n",
            "apps/app/pubspec.yaml": "name: app\ndependencies:\n  flutter:\n    sdk: flutter\n",
        },
        {"apps/app": ("app", "melos", "Flutter"), "packages/a/b": ("b", "melos", "Dart")},
    ),
    "Composer": (
        {
            "composer.json": '{"name": "shop/app", "require": {"laravel/framework": "^11"}, "repositories": ['
            '{"type": "path", "url": "packages/*"}, {"type": "path", "url": "./core/", "options": {}},'
            '{"type": "path", "url": "../outside"}, {"type": "vcs", "url": "vcs/x"}]}',
            "packages/cart/composer.json": '{"name": "shop/cart",'
            ' "require": {"symfony/framework-bundle": "7"}}',
            "packages/empty/README.md": "",
            "core/composer.json": '{"name": "shop/core"}',
            "vcs/x/composer.json": '{"name": "x"}',
        },
        {"core": ("shop/core", "composer", "PHP"), "packages/cart": ("shop/cart", "composer", "Symfony")},
    ),
    "cabal": (
        {
            "cabal.project": (
                "packages: ./core\n          lib-*/\n          -- no\n          tools/x/x.cabal\n"
                "          https://example.com/y.tar.gz\noptional-packages: vendored/*/*.cabal\ntests: True\n"
            ),
            "core/core.cabal": "name: core\n",
            "lib-a/a.cabal": "name: a\n",
            "lib-b/readme.txt": "",
            "tools/x/x.cabal": "name: x\n",
            "vendored/v/v.cabal": "name: v\n",
            "no/no.cabal": "name: no\n",
        },
        {
            "core": ("core", "cabal", "Haskell"),
            "lib-a": ("a", "cabal", "Haskell"),
            "tools/x": ("x", "cabal", "Haskell"),
            "vendored/v": ("v", "cabal", "Haskell"),
        },
    ),
    "Stack": (
        {
            "stack.yaml": "resolver: lts-22.0\npackages:\n- .\n- 'core'\n- web/\nextra-deps:\n- no\n",
            "core/core.cabal": "name: core\n",
            "web/package.yaml": "name: web\n",
            "web/Main.hs": "",
            "no/no.cabal": "name: no\n",
        },
        {"core": ("core", "stack", "Haskell"), "web": ("web", "stack", "Haskell")},
    ),
    "Swift packages": (
        {
            "Package.swift": (
                'let package = Package(name: "App", dependencies: [\n  .package(path: "Packages/Core"),\n'
                '  .package(name: "UI", path: "./Packages/UI"),\n  .package(path: "../Outside"),\n'
                '  // .package(path: "Packages/No"),\n'
                '  .package(url: "https://example.com/x", from: "1.0.0"),\n])\n'
            ),
            "Packages/Core/Package.swift": 'let package = Package(name: "Core")\n',
            "Packages/UI/Package.swift": 'let package = Package(name: "UI",'
            ' dependencies: [.package(path: "../Leaf")])',
            "Packages/Leaf/Package.swift": 'let package = Package(name: "Leaf")\n',
            "Packages/No/Package.swift": "",
        },
        {
            "Packages/Core": ("Core", "swift", "Swift"),
            "Packages/Leaf": ("Leaf", "swift", "Swift"),
            "Packages/UI": ("UI", "swift", "Swift"),
        },
    ),
    "an Xcode workspace": (
        {
            "Shop.xcworkspace/contents.xcworkspacedata": (
                '<Workspace version = "1.0">\n'
                '  <FileRef\n location = "group:App/App.xcodeproj">\n  </FileRef>\n'
                '  <Group location = "container:Packages" name = "Packages">\n'
                '    <FileRef location = "group:Core"></FileRef>\n'
                '    <FileRef location="group:Docs"/>\n  </Group>\n'
                '  <FileRef location = "group:Pods/Pods.xcodeproj"></FileRef>\n'
                '  <FileRef location = "absolute:/etc"></FileRef>\n</Workspace>\n'
            ),
            "App/App.xcodeproj/project.pbxproj": "",
            "App/main.swift": "",
            "Packages/Core/Package.swift": 'let package = Package(name: "Core")\n',
            "Packages/Docs/readme.md": "",
            "Pods/Pods.xcodeproj/project.pbxproj": "",
        },
        {"App": ("App", "xcode", "Swift"), "Packages/Core": ("Core", "xcode", "Swift")},
    ),
}

ONE_PROJECT: dict[str, Files] = {
    "Bazel": {"MODULE.bazel": "", "app/BUILD.bazel": "", "lib/BUILD": "", "lib/package.json": EXPRESS},
    "Pants": {"pants.toml": "", "src/a/BUILD": "", "src/b/BUILD": ""},
    "Buck": {".buckconfig": "", "app/BUCK": "", "lib/BUCK": ""},
    "dune": {"dune-project": "(lang dune 3.0)\n", "a.opam": "", "b.opam": "", "lib/dune": "", "bin/dune": ""},
    "Turborepo without a package manager's list": {
        "package.json": '{"name": "x", "scripts": {}}',
        "turbo.json": "{}",
        "apps/web/package.json": REACT,
    },
    "a settings file of pnpm": {
        "package.json": '{"name": "x", "main": "i.js"}',
        "pnpm-workspace.yaml": "onlyBuiltDependencies:\n  - esbuild\n",
        "packages/a/package.json": '{"name": "a"}',
    },
    "a package without members": {"package.json": EXPRESS, "sub/package.json": REACT},
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_members_of_each_format_are_found_with_their_own_names_and_stacks(
    tmp_path: Path, name: str
) -> None:
    files, expected = FORMATS[name]

    assert expected == members_of(project(tmp_path / "shop", files))


@pytest.mark.parametrize("name", ONE_PROJECT)
def test_what_lists_no_members_is_one_project(tmp_path: Path, name: str) -> None:
    assert paths_of(project(tmp_path / "shop", ONE_PROJECT[name])) == []


def test_a_member_never_inherits_the_framework_of_its_root(tmp_path: Path) -> None:
    root = project(
        tmp_path / "shop",
        {
            "package.json": '{"workspaces": ["packages/*"],'
            ' "dependencies": {"next": "15.0.0", "react": "19.0.0"}}',
            "next.config.js": "",
            "packages/plain/package.json": '{"name": "plain", "main": "index.js"}',
        },
    )

    labels = {label.label for member in membership(root).members for label in member.stacks}

    assert labels == {"Node.js"}


def test_a_folder_that_two_tools_list_is_one_member(tmp_path: Path) -> None:
    root = project(
        tmp_path / "shop",
        {
            "package.json": '{"workspaces": ["packages/*"]}',
            "nx.json": "{}",
            "packages/web/package.json": REACT,
            "packages/web/project.json": '{"name": "web-app"}',
        },
    )

    assert members_of(root) == {"packages/web": ("@shop/web", "npm", "React")}


def test_members_of_several_ecosystems_stand_beside_each_other(tmp_path: Path) -> None:
    root = project(
        tmp_path / "shop",
        {
            "package.json": '{"workspaces": ["web"]}',
            "web/package.json": REACT,
            "Cargo.toml": '[workspace]\nmembers = ["core"]\n',
            "core/Cargo.toml": crate("core"),
        },
    )

    assert {path: kind for path, (_, kind, _) in members_of(root).items()} == {"core": "cargo", "web": "npm"}
