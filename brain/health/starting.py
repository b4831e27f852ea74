"""What a project offers to start and to check it, by its manifests, Makefiles, README; nothing is run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from brain.health import roles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.values import MemoryFile

START_TARGETS = frozenset({"setup", "install", "bootstrap", "init", "dev", "start", "serve", "run"})
TEST_TARGETS = frozenset({"test", "tests", "check"})
# Files that are a start of their own: containers, environments, and manifests whose tool builds and runs.
_STARTERS = frozenset({
    "dockerfile", "containerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yml",
    "compose.yaml",
    ".devcontainer", ".devcontainer.json", "devbox.json", "flake.nix", "shell.nix", "environment.yml",
    "requirements.txt", "cargo.toml", "go.mod", "pom.xml", "build.gradle", "build.gradle.kts", "gradlew",
    "mvnw", "mix.exs", "package.swift", "pubspec.yaml", "gemfile.lock", "composer.lock", "cmakelists.txt",
    "stack.yaml",
})  # fmt: skip
_PYTHON_LOCKS = frozenset({"uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "pipfile.lock"})
# Files that set a test runner up, and manifests whose tool has one.
_TESTERS = frozenset({
    "tox.ini", "noxfile.py", "pytest.ini", ".pytest.ini", "conftest.py", "cargo.toml", "go.mod", "pom.xml",
    "build.gradle", "build.gradle.kts", "mix.exs", "package.swift", "pubspec.yaml", "phpunit.xml",
    "phpunit.xml.dist", ".rspec", "jest.config.js", "jest.config.ts", "vitest.config.ts", "vitest.config.js",
    "karma.conf.js", "cypress.config.ts", "playwright.config.ts",
})  # fmt: skip
_TEST_FOLDERS = frozenset({"test", "tests", "spec", "specs", "__tests__", "e2e"})
# Where tests stand beside or inside of what they test, and packages that have folders of their own.
_BUILT_IN = frozenset({"cargo.toml", "go.mod", "packages"})
_TEST_FILE = re.compile(
    r"(?:^|/)(?:test_|.*(?:_test|_spec|\.test|\.spec|tests?)\.)[^/]*$|(?:^|/)tests?/|/spec/", re.IGNORECASE
)
_TEST_FUNCTION = re.compile(
    r"^\s*(?:async\s+)?def\s+test|\b(?:it|test)(?:\.\w+)?\s*\(|\#\[(?:\w+::)?test|\bfunc\s+Test|@Test\b"
    r"|\[(?:Fact|Test|Theory)\b|\bdescribe\s*\(|^\s*@test\b|\bTEST(?:_F)?\s*\(|function\s+test",
    re.MULTILINE,
)
_MAKE_TARGETS = re.compile(r"^([A-Za-z0-9][\w ./-]*?)\s*:(?![=])", re.MULTILINE)
_JUST_RECIPES = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[ \t][^:=\n]*)?:(?!=)", re.MULTILINE)
_TASK_NAMES = re.compile(r"^[ \t]{2,4}['\"]?([\w:-]+)['\"]?:[ \t]*(?:$|[\[{|>'\"#])", re.MULTILINE)
_PYTEST_CONFIG = re.compile(r"^\[tool[.:]pytest", re.MULTILINE)
_INSTALLS = re.compile(
    r"^\s*(?:\$ )?(?:sudo )?(?:(?:npm|pnpm|yarn|bun|pip3?|pipx|poetry|pdm|uv|bundle|composer|cargo|go|brew"
    r"|apt|apt-get|conda|mamba|make|just|task|docker|docker-compose|podman|mvn|\./\w+|gradle|flutter|dotnet|mix|cmake|nix"
    r"|deno)\b.*"
    r"\b(?:install|setup|sync|add|run|dev|start|serve|up|build|develop|ci|get|restore|bootstrap|init)\b"
    r"|(?:python3?|node|ruby|php|bash|sh|deno)\s+\S+|\./\S+|yarn\s*$|make\s*$)",
    re.MULTILINE,
)


_PROSE_FOLDERS = frozenset(
    {"docs", "doc", "memory", "memory-bank", "adr", "license", "notes", "documentation"}
)


def _lower_names(parsed: ParsedMemory) -> frozenset[str]:
    return frozenset(name.lower() for name in parsed.memory.names if "/" not in name)


def has_code(parsed: ParsedMemory) -> bool:
    """Whether there is anything to start: a folder of notes alone has no bootstrap."""
    prose = (".md", ".txt", ".mdc", ".rst", ".adoc")
    return any(
        not name.lower().endswith(prose) and not name.startswith(".") and name.lower() not in _PROSE_FOLDERS
        for name in parsed.memory.names
        if "/" not in name
    )


def _targets(parsed: ParsedMemory) -> dict[str, str]:
    """What can be run by name, from Makefiles, justfiles, Taskfiles and package scripts; name to command."""
    found: dict[str, str] = {}
    for file in parsed.files(roles.START):
        name = file.path.rsplit("/", 1)[-1].lower()
        if not file.data:
            continue
        if name == "package.json" or name.startswith("deno.json"):
            found.update(_scripts(file))
        elif name in {"makefile", "gnumakefile"}:
            for targets in _MAKE_TARGETS.findall(parsed.text(file)):
                found.update(dict.fromkeys(targets.split(), ""))
        elif name in {"justfile", ".justfile"}:
            found.update(dict.fromkeys(_JUST_RECIPES.findall(parsed.text(file)), ""))
        elif name.startswith("taskfile"):
            found.update(dict.fromkeys(_TASK_NAMES.findall(parsed.text(file)), ""))
    return found


def _scripts(file: MemoryFile) -> dict[str, str]:
    try:
        document = json.loads(file.data)
    except (ValueError, RecursionError):
        return {}
    found: dict[str, str] = {}
    for key in ("scripts", "tasks"):
        table = document.get(key) if isinstance(document, dict) else None
        if isinstance(table, dict):
            found.update(
                (str(name), command if isinstance(command, str) else "") for name, command in table.items()
            )
    return found


def _leads(targets: Iterable[str], wanted: frozenset[str]) -> bool:
    """Whether one of ``wanted`` is among the targets, also as ``test:unit`` or ``dev-server``."""
    return any(re.split(r"[:\-_.]", target, maxsplit=1)[0].lower() in wanted for target in targets)


def _readme_installs(parsed: ParsedMemory) -> bool:
    for file in parsed.files(roles.START):
        if file.path.rsplit("/", 1)[-1].lower().startswith("readme") and file.data:
            page = parsed.page(file)
            fenced = "\n".join(
                text for number, text in enumerate(page.lines) if number and not page.is_live(number)
            )
            if _INSTALLS.search(fenced):
                return True
    return False


def starts(parsed: ParsedMemory) -> bool:
    """Whether anything says how a fresh clone is started."""
    names = _lower_names(parsed)
    if names & _STARTERS or ("pyproject.toml" in names and names & _PYTHON_LOCKS):
        return True
    return _leads(_targets(parsed), START_TARGETS) or _readme_installs(parsed)


def runs_tests(parsed: ParsedMemory) -> bool:
    """Whether anything says how the project is checked."""
    names = _lower_names(parsed)
    if names & _TESTERS:
        return True
    targets = {
        name: command for name, command in _targets(parsed).items() if "no test specified" not in command
    }
    if _leads(targets, TEST_TARGETS):
        return True
    manifests = (file for file in parsed.files(roles.START) if file.path in {"pyproject.toml", "setup.cfg"})
    return any(_PYTEST_CONFIG.search(parsed.text(file)) for file in manifests if file.data)


def has_test(parsed: ParsedMemory) -> bool:
    """Whether a test function was seen; where no test file was read, names that tell of tests count."""
    read = [file for file in parsed.files(roles.START) if _TEST_FILE.search(file.path) and file.data]
    if read:
        return any(_TEST_FUNCTION.search(parsed.text(file)) for file in read)
    names = _lower_names(parsed)
    if names & (_TEST_FOLDERS | _BUILT_IN) or any(_TEST_FILE.search(name) for name in names):
        return True
    return any(_may_test(parsed, folder) for folder in roles.SOURCE_FOLDERS if folder in names)


def _may_test(parsed: ParsedMemory, folder: str) -> bool:
    """Whether a test may stand in a folder of sources: one was seen there, or not all of it was listed."""
    start = f"{folder}/"
    inside = [name.lower() for name in parsed.memory.names if name.lower().startswith(start)]
    # A name without an ending is a folder, which is not looked into.
    return not inside or any("." not in name or _TEST_FILE.search(name) for name in inside)
