"""What was found by using the memory's commands by hand, each a whole process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.interop import golden
from tests.interop.conftest import Zecher
from tests.interop.test_worked_cases_mem import (  # noqa: F401 - a fixture
    HEADING,
    INPUT,
    accepted,
    ask,
)
from tests.support import write


@pytest.mark.parametrize("text", ["-v is verbose", "---", "-->", "--json", "-"])
def test_the_text_of_a_field_may_begin_with_a_dash(zecher: Zecher, project: Path, text: str) -> None:
    assert zecher("memory", "add", "lesson", "Dash", f"--lesson={text}").code == 0

    assert "- **Lesson**: " in (project / ".agents/memory/lessons.md").read_text()
    assert zecher("memory", "add", "lesson", "-5 degrees", "--lesson", "-v is verbose").code == 0


def test_a_sign_belongs_to_a_title(zecher: Zecher) -> None:
    titles = ("C", "C++", "C#", "-5 degrees", "5 degrees")

    assert [zecher("memory", "add", "pattern", title).code for title in titles] == [0] * len(titles)


def test_a_poorer_export_does_not_replace_the_whole_one_of_the_same_day(
    zecher: Zecher, project: Path, home: Path
) -> None:
    brain = golden.global_brain(home)
    zecher("memory", "export")
    whole = (project / "bmad-brain-export-2026-11-30.md").read_bytes()
    (brain / "decisions.md").unlink()
    (brain / "decisions.md").mkdir()

    done = zecher("memory", "export")

    assert done.code == 3
    assert (project / "bmad-brain-export-2026-11-30.md").read_bytes() == whole


@pytest.mark.usefixtures("accepted")
def test_a_blank_in_the_context_scope_does_not_drop_a_note(zecher: Zecher, project: Path) -> None:
    ask(project)
    zecher("mem", "observe", "--input", INPUT)

    done = zecher(
        "mem", "recall", "limit", "--ranking", "evidence", "--context-scope", "docs, src/auth", "--json"
    )

    assert done.code == 1 or [hit["ref"] for hit in done.json["results"]] == [HEADING]


def test_terminal_escapes_of_an_event_are_shown_and_not_obeyed(zecher: Zecher) -> None:
    done = zecher("mem", "write", "--agent", "a\x1b[31m", "--task", "b\x1b]52;c;QQ==\x07 \u202e")
    found = zecher("mem", "recall", "52")

    assert (done.code, found.code) == (0, 0)
    assert not set("\x1b\x07\u202e") & set(done.out + done.err + found.out + found.err)


def test_a_sparse_terabyte_a_pipe_and_a_device_are_refused_at_once(zecher: Zecher, project: Path) -> None:
    memory = project / ".agents/memory"
    big = write(memory / "lessons.md")
    with big.open("r+b") as file:
        file.truncate(1 << 40)
    refused = zecher("mem", "recall", "x")
    big.unlink()
    (memory / "patterns.md").symlink_to("/dev/zero")
    linked = zecher("mem", "recall", "x")

    assert (refused.code, linked.code) == (1, 1)
    assert "lessons.md" in refused.err
    assert "patterns.md" in linked.err


def test_a_corrupt_score_file_is_copied_aside_once(zecher: Zecher, project: Path) -> None:
    write(project / ".bmad/memory/pattern-scores.json", "[1]")

    for _ in range(3):
        assert zecher("mem", "reinforce", "--pattern", "p", "--ci", "pass").code == 1

    assert len(list((project / ".bmad/memory").glob("pattern-scores.json.corrupt-*"))) == 1


def test_a_document_that_cannot_be_printed_is_a_failure(zecher: Zecher, project: Path) -> None:
    write(project / ".agents/memory/lessons.md", "### Kasse\n")
    with Path("/dev/full").open("wb") as full_disk:
        done = subprocess.run(
            zecher.command("mem", "recall", "kasse"),
            cwd=project,
            env=zecher.environment(),
            stdout=full_disk,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )

    assert (done.returncode, b"Traceback" in done.stderr) == (1, False)
