"""The worked cases of ``memory``, and its known weaknesses done better, as commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.interop import golden
from tests.interop.conftest import NOW, Zecher
from tests.support import write


def compatible(zecher: Zecher) -> tuple[int, int, int] | None:
    done = zecher("memory", "status", "--json")
    assert done.code == 0, done.err
    found = done.data["compatible"]
    if found is None or found["percent"] is None:
        return None
    return found["passed"], found["total"], found["percent"]


def entries(zecher: Zecher) -> dict[str, Any]:
    """How many headings each file of the project has as BMAD+ counts, and real entries."""
    files = zecher("memory", "status", "--json").data["project"]["files"]
    return {file["name"]: (file["headings"], file["entries"]) for file in files}


def test_nothing_there_shows_no_figure_of_bmad(zecher: Zecher) -> None:
    assert compatible(zecher) is None
    assert zecher("memory", "status").code == 0


def test_fresh_templates_without_session_and_brain_are_80_per_cent(zecher: Zecher, project: Path) -> None:
    golden.project_memory(project, session=False)

    assert compatible(zecher) == (4, 5, 80)
    assert "80%" in zecher("memory", "status").out


def test_the_sample_of_a_template_is_a_heading_and_no_entry(zecher: Zecher, project: Path) -> None:
    golden.project_memory(project)

    found = entries(zecher)

    assert {name: found[name] for name in ("decisions.md", "lessons.md", "patterns.md")} == {
        "decisions.md": (1, 0),
        "lessons.md": (1, 0),
        "patterns.md": (1, 0),
    }


def test_a_fresh_full_install_is_90_per_cent(zecher: Zecher, project: Path, home: Path) -> None:
    golden.project_memory(project, session=False)
    golden.global_brain(home)

    assert compatible(zecher) == (9, 10, 90)


def test_a_brain_made_by_scan_alone_is_20_per_cent(zecher: Zecher, home: Path) -> None:
    golden.half_brain(home)

    assert compatible(zecher) == (1, 5, 20)


def test_five_of_five_and_three_of_five_are_80_per_cent(zecher: Zecher, project: Path, home: Path) -> None:
    golden.project_memory(project)
    brain = golden.global_brain(home)
    (brain / "lessons.md").unlink()
    (brain / "patterns.md").unlink()

    assert compatible(zecher) == (8, 10, 80)


def test_headings_are_counted_as_published_and_entries_for_what_they_are(
    zecher: Zecher, project: Path
) -> None:
    memory = golden.project_memory(project)
    (memory / "decisions.md").write_text("### a\n\n###b\n\n ### c\n\n#### d\n\n### e\n\n```\n### f\n```\n")

    assert entries(zecher)["decisions.md"] == (3, 2)


@pytest.mark.parametrize(("sessions", "percent"), [(["a.md"], 100), (["a.MD", "b.txt"], 80)])
def test_sessions_are_names_that_end_in_md(
    zecher: Zecher, project: Path, sessions: list[str], percent: int
) -> None:
    memory = golden.project_memory(project, session=False)
    for name in sessions:
        (memory / "sessions" / name).write_text("x\n")

    found = compatible(zecher)

    assert found is not None
    assert found[2] == percent


# validity, not existence


def checks(zecher: Zecher) -> dict[str, bool]:
    data = zecher("memory", "status", "--json").data
    return {check["name"]: check["ok"] for part in ("project", "brain") for check in data[part]["checks"]}


def test_a_folder_named_decisions_md_exists_and_is_not_valid(zecher: Zecher, project: Path) -> None:
    memory = golden.project_memory(project)
    (memory / "decisions.md").unlink()
    (memory / "decisions.md").mkdir()

    data = zecher("memory", "status", "--json").data

    assert data["compatible"]["passed"] == 5
    (file,) = [file for file in data["project"]["files"] if file["name"] == "decisions.md"]
    assert file["valid"] is False
    assert file["why"]


def test_a_link_to_nowhere_and_a_damaged_ledger_are_said(zecher: Zecher, project: Path) -> None:
    golden.project_memory(project)
    golden.link(project, "/nowhere/at/all", "portfolio")
    write(project / ".bmad/memory/journal.ndjson", golden.S0_EVENT + "garbage\nnull\n")

    data = zecher("memory", "status", "--json").data
    text = zecher("memory", "status").out

    failed = [check for part in ("project", "brain") for check in data[part]["checks"] if not check["ok"]]
    assert any("brain-link" in check["name"] or "link" in check["name"] for check in failed)
    assert any("journal" in str(check) for check in failed)
    assert "/nowhere/at/all" in text
    assert "journal" in text


def test_a_context_nobody_touched_for_months_is_said_to_be_old(zecher: Zecher, project: Path) -> None:
    memory = golden.project_memory(project)
    text = golden.CONTEXT.replace("2026-11-29", "2026-02-01")
    (memory / "context.md").write_text(text)
    write(memory / "context.md", text, days=300)

    assert zecher("memory", "status", "--json").data["project"]["context_is_stale"] is True


def test_a_half_brain_is_flagged_and_init_completes_it(zecher: Zecher, project: Path, home: Path) -> None:
    brain = golden.half_brain(home)
    before = golden.tree(brain)
    assert any(not ok for ok in checks(zecher).values())

    done = zecher("memory", "init")

    assert done.code == 0, done.err
    after = golden.tree(brain)
    assert {path: after[path] for path in before} == before
    for name in ("identity.yaml", "decisions.md", "lessons.md", "patterns.md"):
        assert (brain / name).is_file()
    assert project.joinpath(".agents/memory/.brain-link").is_file()


# the brain that belongs to the project


def brain_of(zecher: Zecher) -> tuple[str, str]:
    brain = zecher("memory", "status", "--json").data["brain"]
    return brain["path"], brain["type"]


def test_the_five_rules_choose_the_brain_in_their_order(
    zecher: Zecher, project: Path, home: Path, tmp_path: Path
) -> None:
    own = home / ".bmad-plus" / "brain"
    assert brain_of(zecher) == (str(own), "bmad-global")

    claude = golden.claude_memory(home)
    assert brain_of(zecher) == (str(claude), "claude-memory")

    golden.half_brain(home)
    assert brain_of(zecher) == (str(own), "bmad-global")

    above = golden.portfolio_brain(project.parent / "_brain")
    assert brain_of(zecher) == (str(above), "portfolio")

    (project / "_brain").write_text("a file is no brain\n")
    assert brain_of(zecher) == (str(above), "portfolio")

    named = golden.portfolio_brain(tmp_path / "named")
    zecher.extra["BMAD_PLUS_BRAIN"] = str(named)
    assert brain_of(zecher) == (str(named), "portfolio")

    zecher.extra["BMAD_PLUS_BRAIN"] = str(tmp_path / "nothing")
    assert brain_of(zecher) == (str(above), "portfolio")
    assert str(tmp_path / "nothing") in str(zecher("memory", "status", "--json").json)


def test_config_show_and_status_agree_on_the_brain(zecher: Zecher, project: Path) -> None:
    above = golden.portfolio_brain(project.parent / "_brain")

    shown = zecher("config", "show", "--json").data["linked_brain"]

    assert (shown["path"], shown["type"]) == (str(above), "portfolio")
    assert str(above) in zecher("config", "show").out


def test_an_empty_claude_memory_is_no_brain(zecher: Zecher, home: Path) -> None:
    (home / ".claude" / "memory").mkdir(parents=True)

    assert brain_of(zecher)[1] == "bmad-global"


@pytest.mark.parametrize("kind", ["portfolio", "claude-memory"])
def test_a_linked_brain_is_never_written(zecher: Zecher, project: Path, home: Path, kind: str) -> None:
    brain = (
        golden.portfolio_brain(project.parent / "_brain")
        if kind == "portfolio"
        else golden.claude_memory(home)
    )
    before = golden.tree(brain)

    for words in (
        ["memory", "init"],
        ["memory", "add", "lesson", "Nur hier", "--lesson", "nicht dort"],
        ["memory", "status"],
        ["memory", "export"],
        ["mem", "recall", "euros", "--scope", "portfolio"],
        ["mem", "write", "--agent", "forge"],
    ):
        assert zecher(*words).code == 0, words

    assert golden.tree(brain) == before
    assert not (home / ".bmad-plus").exists()
    link = project / ".agents/memory/.brain-link"
    assert f'"brain_type": "{kind}"' in link.read_text()


# The export


def test_an_export_holds_brain_index_and_ledgers_in_fences_that_hold(
    zecher: Zecher, project: Path, home: Path
) -> None:
    golden.global_brain(home)
    write(project / ".bmad/memory/journal.ndjson", golden.S0_EVENT)

    done = zecher("memory", "export")

    assert done.code == 0, done.err
    text = (project / "bmad-brain-export-2026-11-30.md").read_text()
    lines = text.split("\n")
    assert lines[0] == "# BMAD+ Brain Export"
    assert any(line.startswith("> Exported: 2026-11-30T03:17:04") for line in lines[:4])
    places = [
        lines.index(f"## {name}")
        for name in ("identity.yaml", "decisions.md", "lessons.md", "patterns.md", "Projects")
    ]
    assert places == sorted(places)
    assert lines.index("### af7574b5.yaml") < lines.index("### e788e597.yaml")
    assert any("projects-index.md" in line for line in lines)
    assert any("journal" in line for line in lines)
    fence = lines[lines.index("## decisions.md") + 1 :]
    opening = next(line for line in fence if line.startswith("```"))
    assert len(opening) - len(opening.lstrip("`")) > 3
    assert text.endswith("\n")


def test_a_file_of_the_same_day_is_replaced_only_if_it_is_ours(
    zecher: Zecher, project: Path, home: Path
) -> None:
    golden.global_brain(home)
    theirs = write(project / "bmad-brain-export-2026-11-30.md", "my own notes\n")

    assert zecher("memory", "export").code == 0
    assert zecher("memory", "export").code == 0

    assert theirs.read_text() == "my own notes\n"
    assert sorted(path.name for path in project.glob("bmad-brain-export-*")) == [
        "bmad-brain-export-2026-11-30-2.md",
        "bmad-brain-export-2026-11-30.md",
    ]


def test_an_export_of_bmad_of_the_same_day_is_never_overwritten(
    zecher: Zecher, project: Path, home: Path
) -> None:
    golden.global_brain(home)
    theirs = write(
        project / "bmad-brain-export-2026-11-30.md",
        "# BMAD+ Brain Export\n> Exported: 2026-11-30T01:00:00.000Z\n\n## identity.yaml\n\n"
        "```\nuser_name: x\n```\n",
    )
    before = theirs.read_bytes()

    assert zecher("memory", "export").code == 0

    assert theirs.read_bytes() == before


def test_an_export_without_a_brain_fails(zecher: Zecher, project: Path) -> None:
    done = zecher("memory", "export")

    assert (done.code, done.out) == (1, "")
    assert list(project.iterdir()) == []


def test_the_same_brain_at_the_same_time_is_exported_to_the_same_bytes(
    zecher: Zecher, project: Path, home: Path
) -> None:
    golden.global_brain(home)
    zecher("memory", "export", "--output", project / "one.md")
    zecher("memory", "export", "--output", project / "two.md", now=NOW)

    assert (project / "one.md").read_bytes() == (project / "two.md").read_bytes() != b""


def test_an_export_of_a_portfolio_brain_holds_its_entry_point_and_memory(
    zecher: Zecher, project: Path
) -> None:
    golden.portfolio_brain(project.parent / "_brain")

    assert zecher("memory", "export").code == 0

    text = (project / "bmad-brain-export-2026-11-30.md").read_text()
    assert "Start with `HOT.md`." in text
    assert "Invoices in euros" in text
    assert "Belege nie löschen" in text
