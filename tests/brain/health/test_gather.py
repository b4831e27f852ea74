"""Which files of a project are read as its memory, and which never."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from brain.health import folders, roles
from brain.health import gather as module
from brain.health.gather import gather, gather_with_evidence, still_holds
from brain.health.parsed import ParsedMemory
from brain.health.values import Memory
from tests.support import write


def paths(memory: Memory, role: str) -> list[str]:
    return [file.path for file in ParsedMemory(memory).files(role)]


def problems(memory: Memory) -> dict[str, str]:
    return {file.path: file.problem for file in memory.files if file.problem}


def test_the_best_known_name_comes_first_and_all_are_kept(tmp_path: Path) -> None:
    for name in ("memory-bank/progress.md", "HANDOFF.md", "docs/PROGRESS.md", "memory-bank/activeContext.md"):
        write(tmp_path / name)

    memory = gather(str(tmp_path))

    assert paths(memory, roles.PROGRESS) == [
        "docs/PROGRESS.md",
        "HANDOFF.md",
        "memory-bank/activeContext.md",
        "memory-bank/progress.md",
    ]
    assert paths(memory, roles.BANK) == ["memory-bank/activeContext.md", "memory-bank/progress.md"]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("progress.MD", roles.PROGRESS),
        ("Docs/Progress.md", roles.PROGRESS),
        ("Übergabe.md", roles.PROGRESS),
        ("claude-progress.txt", roles.PROGRESS),
        ("Entscheidungen.md", roles.DECISIONS),
        (".agents/memory/decisions.md", roles.DECISIONS),
        (".agents/memory/lessons.md", roles.NOTES),
        ("docs/adr/0001-x.md", roles.ADR),
        ("packages/one/adr/0001-x.md", roles.ADR),
        ("CLAUDE.md", roles.ENTRY),
        (".cursor/rules/a.mdc", roles.ENTRY),
        (".clinerules/memory bank.md", roles.ENTRY),
        (".github/copilot-instructions.md", roles.ENTRY),
        ("feature_list.json", roles.TASKS),
        ("scripts/init.sh", roles.INIT),
        (".bmad/memory/journal.ndjson", roles.LEDGER),
        ("memory/2026-03-14.md", roles.DAILY),
        ("memory/MEMORY.md", roles.TOOL_MEMORY),
        ("MEMORY.md", roles.LONG_TERM),
        ("package.json", roles.START),
        ("tests/test_a.py", roles.START),
    ],
)
def test_a_name_has_its_role(tmp_path: Path, name: str, role: str) -> None:
    write(tmp_path / name)

    assert paths(gather(str(tmp_path)), role) == [name]


def test_configurations_name_the_folders_of_records(tmp_path: Path) -> None:
    write(tmp_path / ".adr-dir", "design/records\n")
    write(
        tmp_path / ".log4brains.yml",
        "project:\n  adrFolder: ./notes/adr # here\n  packages:\n    - adrFolder: ../out\n",
    )
    for name in ("design/records/0001-a.md", "notes/adr/0002-b.md"):
        write(tmp_path / name)

    assert paths(gather(str(tmp_path)), roles.ADR) == ["design/records/0001-a.md", "notes/adr/0002-b.md"]


def test_a_make_target_and_a_session_hook_are_init_scripts(tmp_path: Path) -> None:
    write(tmp_path / "Makefile", "check:\n\ttrue\ninit:\n\ttrue\n")
    write(tmp_path / ".claude/settings.json", '{"hooks": {"SessionStart": []}}')

    memory = gather(str(tmp_path))

    assert set(paths(memory, roles.INIT)) == {"Makefile", ".claude/settings.json"}
    assert paths(memory, roles.START) == ["Makefile"]


def test_two_names_of_one_file_are_one_entry_file(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md", "# Rules\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    os.link(tmp_path / "AGENTS.md", tmp_path / "GEMINI.md")

    (entry,) = ParsedMemory(gather(str(tmp_path))).entry_files

    assert entry.file.path == "AGENTS.md"
    assert set(entry.names) == {"AGENTS.md", "CLAUDE.md", "GEMINI.md"}


def test_imports_are_followed_once_and_end(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md", "@a.md\n\n`@code.md`\n\n```\n@fence.md\n```\n\nmail ana@example.com\n")
    write(tmp_path / "a.md", "@sub/b.md\n")
    write(tmp_path / "sub/b.md", "@../a.md and @gone.md\n")
    for name in ("code.md", "fence.md"):
        write(tmp_path / name)

    memory = gather(str(tmp_path))
    (entry,) = ParsedMemory(memory).entry_files

    assert paths(memory, roles.IMPORT) == ["a.md", "sub/b.md"]
    assert [page.path for page in entry.pages] == ["AGENTS.md", "a.md", "sub/b.md"]
    assert [(one.target, one.problem) for one in entry.imports] == [
        ("a.md", ""),
        ("sub/b.md", ""),
        ("../a.md", "cycle"),
        ("gone.md", "missing"),
    ]


def test_imports_end_after_five_levels(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md", "@i0.md\n")
    for number in range(8):
        write(tmp_path / f"i{number}.md", f"@i{number + 1}.md\n")

    (entry,) = ParsedMemory(gather(str(tmp_path))).entry_files

    assert len(entry.pages) == 6
    assert entry.imports[-1].problem == "depth"


@pytest.mark.parametrize(
    "target", ["../outside.md", "/etc/passwd", "~/secret.md", "link/outside.md", "sub/../../outside.md"]
)
def test_nothing_outside_of_the_project_is_imported(tmp_path: Path, target: str) -> None:
    write(tmp_path / "outside.md", "outside")
    project = tmp_path / "project"
    write(project / "AGENTS.md", f"@{target}\n")
    (project / "link").symlink_to(tmp_path)

    memory = gather(str(project), home=str(tmp_path))

    assert [file.path for file in memory.files if b"outside" in file.data and file.path != "AGENTS.md"] == []


@pytest.mark.parametrize("name", ["PROGRESS.md", ".agents/memory/decisions.md"])
def test_a_link_out_of_the_project_is_not_read(tmp_path: Path, name: str) -> None:
    write(tmp_path / "secret.md", "secret")
    link = tmp_path / "project" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "secret.md")

    memory = gather(str(tmp_path / "project"))

    assert problems(memory) == {name: "link"}
    assert all(not file.data for file in memory.files)


def test_a_folder_that_leads_out_of_the_project_is_not_listed(tmp_path: Path) -> None:
    write(tmp_path / "else/PROGRESS.md", "secret")
    (tmp_path / "project").mkdir()
    (tmp_path / "project/docs").symlink_to(tmp_path / "else")

    assert gather(str(tmp_path / "project")).files == ()


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "PROGRESS.md")
    (tmp_path / "DECISIONS.md").symlink_to("/dev/zero")
    (tmp_path / "AGENTS.md").mkdir()
    (tmp_path / "CLAUDE.md").symlink_to("CLAUDE.md")

    memory = gather(str(tmp_path))

    assert problems(memory)["PROGRESS.md"] == "not-regular"
    assert problems(memory)["DECISIONS.md"] == "link"
    assert all(not file.data for file in memory.files)


def test_a_sparse_file_of_a_terabyte_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "PROGRESS.md").open("wb") as file:
        file.truncate(1 << 40)

    assert problems(gather(str(tmp_path))) == {"PROGRESS.md": "too-large"}


def test_a_folder_of_countless_files_does_not_hide_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "NAMES_CAP", 50)
    for number in range(400):
        write(tmp_path / f"file{number}.txt")
    write(tmp_path / "PROGRESS.md")
    write(tmp_path / "docs/DECISIONS.md")

    memory = gather(str(tmp_path))

    assert paths(memory, roles.PROGRESS) == ["PROGRESS.md"]
    assert paths(memory, roles.DECISIONS) == ["docs/DECISIONS.md"]
    assert len(memory.names) < 120


def test_countless_records_are_read_up_to_a_number(tmp_path: Path) -> None:
    for number in range(1500):
        write(tmp_path / f"docs/adr/{number:04}-x.md", "# x\n")
    began = time.process_time()

    assert len(gather(str(tmp_path)).files) == module.FILES_CAP
    assert time.process_time() - began < 5


def test_names_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md"))).write_text("x")
    write(tmp_path / "PROGRESS.md")

    assert [file.path for file in gather(str(tmp_path)).files] == ["PROGRESS.md"]


def test_a_project_that_is_gone_has_no_memory(tmp_path: Path) -> None:
    assert gather(str(tmp_path / "gone")).files == ()


def test_the_memory_that_a_tool_keeps_at_home_is_read(tmp_path: Path) -> None:
    project = tmp_path / "my.project"
    project.mkdir()
    folder = "".join(sign if sign.isalnum() else "-" for sign in str(project.resolve()))
    write(tmp_path / f"home/.claude/projects/{folder}/memory/MEMORY.md", "- [a](a.md)\n")

    memory = gather(str(project), home=str(tmp_path / "home"))

    assert paths(memory, roles.TOOL_MEMORY) == [f"~/.claude/projects/{folder}/memory/MEMORY.md"]
    assert gather(str(project)).files == ()


@pytest.mark.parametrize("folder", ["", "memory/"])
def test_a_brain_keeps_its_notes_in_its_folder_or_below_it(tmp_path: Path, folder: str) -> None:
    write(tmp_path / f"{folder}decisions.md", "# D\n\n### 2026-01-02 — x\n- **Decision**: a\n")
    write(tmp_path / f"{folder}lessons.md")
    write(tmp_path / "identity.yaml")

    memory = gather(str(tmp_path), kind="brain")

    assert paths(memory, roles.NOTES) == [f"{folder}decisions.md", f"{folder}lessons.md"]
    assert [one.title for one in ParsedMemory(memory).decisions[0].entries] == ["x"]
    assert paths(memory, roles.TOOL_MEMORY) == []


def test_references_are_asked_after_inside_of_the_project(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md", "[there](docs/a.md) [gone](docs/b.md) [out](../../etc/passwd)\n")
    write(tmp_path / "docs/a.md")

    memory = gather(str(tmp_path))
    parsed = ParsedMemory(memory)

    assert (parsed.exists("docs/a.md"), parsed.exists("docs/b.md"), parsed.exists("never/asked.md")) == (
        True,
        False,
        None,
    )
    assert not any(".." in one or one.startswith("/") for one in memory.probes)


@pytest.mark.parametrize("change", ["edit", "add", "remove", "retarget", "probe"])
def test_evidence_no_longer_holds_after_a_change(tmp_path: Path, change: str) -> None:
    write(tmp_path / "AGENTS.md", "[x](src/deep/x.py)\n", days=3)
    write(tmp_path / "docs/PROGRESS.md", days=3)
    write(tmp_path / "other.md", days=3)
    write(tmp_path / "src/deep/y.py", days=3)
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    for folder in ("docs", "src/deep", "src", "."):
        os.utime(tmp_path / folder, (1, 1))
    read = gather_with_evidence(str(tmp_path))
    holds = (str(tmp_path), read.evidence, tuple(read.memory.probes.items()))
    assert still_holds(*holds)

    if change == "edit":
        (tmp_path / "docs/PROGRESS.md").write_text("changed, and longer")
    elif change == "add":
        write(tmp_path / "docs/DECISIONS.md")
    elif change == "remove":
        (tmp_path / "docs/PROGRESS.md").unlink()
    elif change == "retarget":
        (tmp_path / "CLAUDE.md").unlink()
        (tmp_path / "CLAUDE.md").symlink_to("other.md")
    else:
        write(tmp_path / "src/deep/x.py")

    assert not still_holds(*holds)


def test_bytes_of_unchanged_files_are_taken_from_before(tmp_path: Path) -> None:
    write(tmp_path / "PROGRESS.md", "# a\n", days=2)
    before = gather(str(tmp_path))
    (tmp_path / "PROGRESS.md").chmod(0)

    again = gather(str(tmp_path), previous=before)

    assert again.files[0].data is before.files[0].data
