from __future__ import annotations

from pathlib import Path

import pytest

from brain.health.init_script import RULES
from brain.health.shell import is_shell, read_script
from tests.brain.health.examined import Examined, project

SEED = """\
#!/usr/bin/env bash
set -euo pipefail

echo "== 1. Umgebung =="
command -v uv >/dev/null || { echo "FAIL: uv ist nicht installiert"; exit 1; }
uv sync --frozen

echo "== 2. Repository =="
if [ -n "$(git status --porcelain)" ]; then
  echo "WARN: Arbeitsverzeichnis ist unsauber"
else
  echo "OK: sauber"
fi
echo "HEAD: $(git log -1 --oneline)"

echo "== 3. Prüfung =="
make check

echo "== 4. Zustand =="
cat PROGRESS.md

echo "Bereit zur Arbeit"
"""


def shop(tmp_path: Path, script: str) -> Examined:
    return project(tmp_path).has("scripts/init.sh", script)


def dangers(tmp_path: Path, *lines: str) -> list[str]:
    """What is said of a script of these lines, without what every such message begins with."""
    found = shop(tmp_path, "#!/bin/sh\n" + "\n".join(lines) + "\n").ask(RULES, "i-idemp")
    assert found is not None
    return [one.message.removeprefix("A second run differs: ").rstrip(".") for one in found]


def test_the_model_script_has_no_finding(tmp_path: Path) -> None:
    assert shop(tmp_path, SEED).codes(RULES) == []


def test_without_a_script_only_its_absence_is_told(tmp_path: Path) -> None:
    made = project(tmp_path)

    assert made.levels(RULES, "i-missing") == ["info"]
    assert [made.ask(RULES, rule.code) for rule in RULES[1:]] == [None] * 4


def test_a_setup_in_another_language_is_not_read_as_a_shell_script(tmp_path: Path) -> None:
    made = project(tmp_path).has("bin/setup", "#!/usr/bin/env ruby\nputs 1\n")

    assert made.ask(RULES, "i-missing") == []
    assert made.ask(RULES, "i-strict") is None


@pytest.mark.parametrize(
    "line", ["set -e", "set -eu", "set -u -e", "set -o errexit", "set -Eeuo pipefail", "set -xe"]
)
def test_every_spelling_of_strict_is_known(tmp_path: Path, line: str) -> None:
    assert shop(tmp_path, f"#!/bin/sh\n\n# comment\n{line}\necho ok\n").ask(RULES, "i-strict") == []


def test_strictness_may_stand_in_the_first_line(tmp_path: Path) -> None:
    assert shop(tmp_path, "#!/bin/bash -e\nmake\n").ask(RULES, "i-strict") == []


@pytest.mark.parametrize(
    "script", ["#!/bin/sh\nmake\n", "#!/bin/sh\n# set -e\nmake\n", "#!/bin/sh\nset -u\n"]
)
def test_a_script_that_is_not_strict_is_told(tmp_path: Path, script: str) -> None:
    assert shop(tmp_path, script).levels(RULES, "i-strict") == ["warning"]


def test_strictness_that_comes_late_does_not_count(tmp_path: Path) -> None:
    assert shop(tmp_path, "#!/bin/sh\n" + "make a\n" * 10 + "set -e\n").levels(RULES, "i-strict") == [
        "warning"
    ]


def test_who_hands_nothing_over_gets_information_only(tmp_path: Path) -> None:
    made = Examined(tmp_path / "plain").has("scripts/init.sh", "#!/bin/sh\nmkdir build\nmake\n")

    assert made.codes(RULES, "warning", "error") == []
    assert "i-strict" in made.codes(RULES, "info")


@pytest.mark.parametrize(
    "ending",
    [
        'echo "Ready"',
        "printf 'ok\\n'",
        "echo ok\nexit 0",
        "if true; then\n  echo ok\nfi",
        "cat <<END\nready\nEND",
        'log() {\n  echo "$1"\n}\nlog ready',
        'main() {\n  make\n  echo ready\n}\nmain "$@"',
        "make check && echo ready",
    ],
)
def test_a_last_line_that_speaks_is_a_readiness_line(tmp_path: Path, ending: str) -> None:
    assert shop(tmp_path, f"#!/bin/sh\nset -e\nmake\n{ending}\n").ask(RULES, "i-ready") == []


@pytest.mark.parametrize(
    "ending", ["make check", "echo ready\nmake", "log ready", "# echo ready", "main() {\n  make\n}\nmain"]
)
def test_a_last_line_that_is_silent_is_told(tmp_path: Path, ending: str) -> None:
    assert shop(tmp_path, f"#!/bin/sh\nset -e\nmake\n{ending}\n").levels(RULES, "i-ready") == ["warning"]


@pytest.mark.parametrize(
    ("line", "danger"),
    [
        ("mkdir build", "mkdir without -p fails when the folder is there"),
        ("git commit -am x", "git commit without a test"),
        ("git add -A && git commit -m x", "git commit without a test"),
        ("git checkout -b work", "git checkout without a test"),
        ("git init", "git init without a test"),
        ("ln -s a b", "ln -s without -f fails when the link is there"),
        ("sudo useradd ana", "useradd fails when it was done before"),
        ("createdb shop", "createdb fails when it was done before"),
        ("docker run -d --name db postgres", "docker run --name fails when the container is there"),
        ("rm -rf node_modules", "rm -rf deletes what the run before made"),
        ("echo export A=1 >> ~/.bashrc", "every run appends to ~/.bashrc again"),
        ("cp settings.example AGENTS.md", "cp overwrites AGENTS.md"),
    ],
)
def test_what_a_second_run_would_do_otherwise_is_told(tmp_path: Path, line: str, danger: str) -> None:
    assert dangers(tmp_path, line) == [danger]


@pytest.mark.parametrize(
    "line",
    [
        "mkdir -p build",
        "mkdir build || true",
        "[ -d build ] || mkdir build",
        "ln -sf a b",
        "ln -sfn a b",
        "[ -f .env ] || { cp a AGENTS.md; git init; }",
        "if [ ! -d .git ]; then\n  git init\nfi",
        "case $1 in\n  new) mkdir a;;\nesac",
        'rm -rf "$TMPDIR/x"',
        "rm -rf /tmp/shop",
        "rm old.txt",
        "make >> build.log",
        "echo x >> /tmp/list",
        "grep -q A ~/.bashrc || echo A >> ~/.bashrc",
        "git diff --quiet || git commit -am x",
        "cp -n settings.example AGENTS.md",
        "cp a b",
        "echo 'mkdir build'",
        "# mkdir build",
        "cat <<END\nmkdir build\nEND",
        "docker run --rm postgres",
    ],
)
def test_what_is_guarded_or_harmless_is_not_told(tmp_path: Path, line: str) -> None:
    assert dangers(tmp_path, line) == []


def test_every_unguarded_line_is_one_finding_with_its_line(tmp_path: Path) -> None:
    found = shop(tmp_path, "#!/bin/sh\nmkdir a\n\nmkdir b \\\n  c\n").ask(RULES, "i-idemp")

    assert found is not None
    assert [(one.file, one.line, one.anchor) for one in found] == [
        ("scripts/init.sh", 2, "mkdir a"),
        ("scripts/init.sh", 4, "mkdir b c"),
    ]


@pytest.mark.parametrize(
    ("without", "part"),
    [
        ("git ", "the repository's state"),
        ("make check", "the check"),
        ("cat PROGRESS.md", "the state of the work"),
    ],
)
def test_a_part_that_a_script_leaves_out_is_told(tmp_path: Path, without: str, part: str) -> None:
    found = shop(tmp_path, SEED.replace(without, "true ")).ask(RULES, "i-parts")

    assert found is not None
    assert [(one.level, one.anchor) for one in found] == [("info", part)]


@pytest.mark.parametrize(
    ("path", "first", "expected"),
    [
        ("x.sh", b"echo", True),
        ("setup", b"#!/bin/dash\n", True),
        ("setup", b"#!/usr/bin/env python3\n", False),
        ("a.sh", b"#!/usr/bin/env ruby\n", False),
        ("setup", b"echo", False),
        ("s", b"#!/usr/bin/env bash\n", True),
    ],
)
def test_a_shell_script_is_known_by_its_first_line_or_its_name(
    path: str, first: bytes, expected: bool
) -> None:
    assert is_shell(path, first) is expected


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00", b"((((", b"'\"", b"\\", b"<<", b"f() {", b"cat <<END\n", b"&& ||"]
)
def test_garbage_is_read_to_its_end(data: bytes) -> None:
    script = read_script(data)

    assert script.last()[0] <= 1
    assert all(command.words for command in script.commands())
