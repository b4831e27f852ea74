"""What these tests guard against does happen to whoever takes no care, and the checks do see it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.bombs import CONTENT
from tests.hostile.command import Run
from tests.hostile.harmless import check_markdown, check_shape, check_streams, check_tsv, forbidden
from tests.hostile.kinds import KINDS, Shelf
from tests.hostile.names import TEXTS
from tests.hostile.plain_git import Template
from tests.hostile.vectors import Outside

_ACT_ON_A_TERMINAL = (
    "clear-screen",
    "colour",
    "window-title",
    "clipboard",
    "terminal-link",
    "device-control",
    "c1-introducer",
    "c1-command",
    "bell-and-backspace",
    "carriage-return",
    "shift-out",
    "delete",
    "next-line",
    "line-separator",
    "bidi-override",
    "bidi-isolates",
    "zero-width",
    "tags",
)
_ACT_IN_MARKDOWN = (
    "new-row",
    "bars",
    "script",
    "picture-element",
    "link",
    "picture",
    "emphasis",
    "deletion",
    "automatic-link",
)


@pytest.mark.parametrize("key", _ACT_ON_A_TERMINAL)
def test_a_name_shown_as_it_is_would_act_on_a_terminal(key: str) -> None:
    assert forbidden(TEXTS[key]) != []


@pytest.mark.parametrize("key", _ACT_IN_MARKDOWN)
def test_a_name_written_as_it_is_would_act_in_markdown(key: str) -> None:
    name = (
        TEXTS[key].replace("file:evil", "https://evil.example").replace("http:evil", "https://evil.example")
    )
    table = f"| Name | Path |\n| --- | --- |\n| {name} | `/x/{name}` |\n| y | z |\n"

    with pytest.raises(AssertionError):
        check_markdown(table)


def test_an_ordinary_table_passes() -> None:
    assert check_markdown("| Name | Path |\n| --- | --- |\n| x | `/y` |\n| a\\|b | z |\n") == 2


@pytest.mark.parametrize("key", ["tab", "new-row"])
def test_a_name_written_as_it_is_would_break_tab_separated_text(key: str) -> None:
    with pytest.raises(AssertionError):
        check_tsv(f"name\tpath\n{TEXTS[key]}\t/x\ny\t/y\n")


@pytest.mark.parametrize(
    "run",
    [
        Run(("scan", "--json"), 1, b"{}\n", b"", 0.1, 0.1),
        Run(("scan", "--json"), 0, b'{"schema_version": 1, "x": NaN}\n', b"", 0.1, 0.1),
        Run(("scan", "--json"), 0, b'{"schema_version": 1}\n{}\n', b"", 0.1, 0.1),
        Run(("scan",), 0, b"x\n", b"Traceback (most recent call last):\n", 0.1, 0.1),
        Run(("scan",), 0, b"\x1b[31mred\n", b"", 0.1, 0.1),
        Run(("scan", "--format", "table"), 0, b"\x1b[2J\n", b"", 0.1, 0.1),
        Run(("scan", "--format", "table"), 0, b"x\xff\n", b"", 0.1, 0.1),
        Run(("scan",), 0, b"x\n", b"y\r\n", 0.1, 0.1),
        Run(("scan",), 3, b"x\n", b"error: [project-failed]\n", 0.1, 0.1),
        Run(("scan",), 0, b"x\n", b"", 0.1, 30.0),
    ],
    ids=["failed", "nan", "two-lines", "traceback", "pipe", "screen", "bytes", "return", "fault", "waited"],
)
def test_a_harmful_run_is_seen(run: Run) -> None:
    with pytest.raises((AssertionError, ValueError)):
        check_shape(run)


def test_colour_at_a_terminal_is_no_harm() -> None:
    check_streams(Run(("scan", "--format", "table"), 0, b"\x1b[1;32mok\x1b[0m\n", b"", 0.1, 0.1))


def test_a_reader_that_opens_a_pipe_waits_for_ever(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "package.json")
    with pytest.raises(subprocess.TimeoutExpired):
        _naive("open(sys.argv[1]).read()", tmp_path / "package.json")


def test_a_reader_that_follows_links_reads_the_secret(tmp_path: Path) -> None:
    outside = Outside(tmp_path / "beyond", Template(tmp_path / "template"))
    kind = next(kind for kind in KINDS if kind.name == "link-to-secret")
    kind.make(tmp_path / "package.json", Shelf(tmp_path / "shelf", outside))

    assert json.loads((tmp_path / "package.json").read_text())["name"] == "zqsecret"


def test_a_reader_that_trusts_json_is_ended_by_it(tmp_path: Path) -> None:
    next(bomb for bomb in CONTENT if bomb.name == "json-deep-objects").build(tmp_path)
    with pytest.raises(RecursionError):
        json.loads((tmp_path / "package.json").read_text())


def test_an_ignore_line_asked_as_a_regular_expression_never_ends(tmp_path: Path) -> None:
    next(bomb for bomb in CONTENT if bomb.name == "ignore-stars").build(tmp_path)
    code = (
        "import pathspec; lines = open(sys.argv[1]).read().splitlines();"
        "pathspec.PathSpec.from_lines('gitignore', lines).match_file('a' * 255)"
    )
    with pytest.raises(subprocess.TimeoutExpired):
        _naive(code, tmp_path / ".gitignore")


def _naive(code: str, path: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", f"import sys; {code}", str(path)],
        capture_output=True,
        timeout=1.0,
        check=True,
    )
