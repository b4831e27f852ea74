"""Projects as BMAD+ left them, used from end to end: our files pass the checker, theirs stay."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.interop import checker, golden, nexus_run
from tests.interop.conftest import Zecher
from tests.support import Git, write

HUMAN = (
    ".agents/memory/decisions.md",
    ".agents/memory/lessons.md",
    ".agents/memory/patterns.md",
    ".agents/memory/context.md",
    ".agents/memory/sessions/2026-10-19-till.md",
    ".bmad/memory/lessons.md",
)


@pytest.fixture
def bmad_project(project: Path, home: Path) -> Path:
    """Installed by 0.22, worked in since, with ledgers of its own and a brain in the home."""
    golden.project_memory(project)
    with (project / HUMAN[0]).open("a", newline="", encoding="utf-8") as file:
        file.write(golden.HAND_WRITTEN)
    write(project / HUMAN[5], "### Alte Lektion\nnie am Freitag ausliefern\n")
    ledgers = project / ".bmad" / "memory"
    (ledgers / "journal.ndjson").write_text(golden.S0_EVENT + golden.ALPHA_EVENT)
    (ledgers / "pattern-scores.json").write_text(golden.SCORES)
    (ledgers / "promotions.ndjson").write_text(golden.promotion("other", "2026-10-18T09:30:00.000Z"))
    for name in ("src/auth/limit.go", "go.mod", "go"):
        write(project / name)
    run = nexus_run.accepted_run(project, project / "go", tasks=("T-1", "T-2"))
    nexus_run.store(project, run)
    receipt = nexus_run.receipt(run, HUMAN[5], "Alte Lektion", "nie am Freitag ausliefern\n")
    (ledgers / "outcomes.ndjson").write_text(golden.compact(receipt) + "\n")
    brain = golden.global_brain(home)
    golden.link(project, brain, "bmad-global")
    return project


def test_all_commands_on_a_project_of_bmad_extend_its_ledgers_and_change_no_human_file(
    zecher: Zecher, bmad_project: Path, home: Path, git: Git
) -> None:
    git("init", "-q", cwd=bmad_project)
    git("add", "-A", cwd=bmad_project)
    git("commit", "-q", "-m", "before", cwd=bmad_project)
    before = golden.tree(bmad_project / ".bmad", bmad_project / ".agents", home)
    ask = {
        "runId": "r1",
        "taskId": "T-2",
        "memory": {"file": HUMAN[0], "heading": "2026-10-18 — Kasse läuft offline weiter"},
        "scope": ["src/auth"],
        "interpretation": "hält",
    }
    write(bmad_project / "ask.json", json.dumps(ask))

    for words in (
        ["memory", "status"],
        ["memory", "init", "--dry-run"],
        ["memory", "init"],
        ["memory", "export"],
        ["config", "show", "--origin"],
        ["doctor"],
        ["mem", "recall", "Kasse offline"],
        ["mem", "recall", "freitag", "--ranking", "evidence", "--context-scope", "src/auth"],
        ["mem", "recall", "freitag", "--scope", "portfolio"],
        ["mem", "outcomes"],
        ["mem", "observe", "--input", "ask.json"],
        ["mem", "write", "--agent", "schmied", "--task", "Kasse größer — l'été 🧪 \u2028", "--ci", "pass"],
        ["mem", "reinforce", "--pattern", "Rate limit on auth routes", "--ci", "pass"],
        ["scan", str(bmad_project), "--yes"],
    ):
        done = zecher(*words)
        assert done.code == 0, (words, done.err)

    assert git("diff", "--stat", "--", ".agents", HUMAN[5], "src", "go.mod", cwd=bmad_project) == ""
    after = golden.tree(bmad_project / ".bmad", bmad_project / ".agents", home)
    for name in ("journal.ndjson", "promotions.ndjson", "outcomes.ndjson"):
        path = str(bmad_project / ".bmad/memory" / name)
        old, new = before[path], after[path]
        assert isinstance(old, bytes)
        assert isinstance(new, bytes)
        assert new.startswith(old)
        assert new.count(b"\n") == old.count(b"\n") + (name != "promotions.ndjson")
    scores = json.loads((bmad_project / ".bmad/memory/pattern-scores.json").read_text())
    assert scores["7"] == json.loads(golden.SCORES)["7"]
    assert checker.folder_faults(bmad_project) == []
    assert checker.folder_faults(home) == []
    assert [path for path in after if path not in before and ".bmad-plus" not in path] == []
    assert list(bmad_project.rglob("*.tmp")) == []


def test_a_link_of_0_9_without_a_type_is_read_and_left_as_it_is(
    zecher: Zecher, project: Path, home: Path
) -> None:
    golden.project_memory(project)
    brain = golden.global_brain(home)
    link = golden.link(project, brain, None)
    before = link.read_bytes()

    status = zecher("memory", "status", "--json")
    zecher("memory", "init")

    assert status.code == 0
    assert str(brain) in json.dumps(status.data["project"]["link"])
    assert link.read_bytes() == before


def test_a_new_project_gets_what_bmad_installs(zecher: Zecher, project: Path, home: Path) -> None:
    done = zecher("memory", "init", "--user", 'Ana "the" Boss: #1', "--language", "Deutsch")

    assert done.code == 0, done.err
    assert checker.folder_faults(project) == []
    memory = project / ".agents" / "memory"
    assert sorted(path.name for path in memory.iterdir()) == [
        ".brain-link",
        "context.md",
        "decisions.md",
        "lessons.md",
        "patterns.md",
        "sessions",
    ]
    keys = {"title", "description", "created", "project"}
    for name, bullets in (
        ("decisions.md", ("Context", "Decision", "Rationale", "Consequences", "Status")),
        ("lessons.md", ("Context", "Impact", "Lesson")),
        ("patterns.md", ("Problem", "Shape", "Trade-off", "Status")),
    ):
        text = (memory / name).read_text()
        front = text.split("---\n")[1]
        assert {line.split(":")[0] for line in front.splitlines()} == keys, name
        assert all(f"- **{bullet}**" in text for bullet in bullets), name
        assert checker.entry_count(text) == 1, name
        assert "\n## Format\n" in text
        assert "<!--" in text
    context = (memory / "context.md").read_text()
    for heading in (
        "Project Identity",
        "Current Focus",
        "Recent Changes",
        "Architecture Notes",
        "Known Issues",
        "Open Questions",
    ):
        assert f"\n## {heading}\n" in context
    assert "last_updated:" in context.split("---\n")[1]
    identity = yaml.safe_load((home / ".bmad-plus/brain/identity.yaml").read_text())
    assert (identity["user_name"], identity["communication_language"]) == ('Ana "the" Boss: #1', "Deutsch")
    assert list(identity) == [
        "user_name",
        "communication_language",
        "created",
        "style",
        "stack",
        "ai_tools",
        "rules",
    ]
    assert zecher("memory", "status", "--json").data["compatible"]["percent"] == 90


def test_init_twice_changes_nothing(zecher: Zecher, project: Path, home: Path) -> None:
    zecher("memory", "init")
    before = golden.tree(project, home)

    assert zecher("memory", "init", now="2026-12-24T00:00:00Z").code == 0

    assert golden.tree(project, home) == before


@pytest.mark.parametrize(
    ("kind", "words", "file"),
    [
        ("decision", ["--decision", "SQLite", "--rationale", "une base — größer"], "decisions.md"),
        ("lesson", ["--lesson", "Uhr übergeben"], "lessons.md"),
        ("pattern", ["--shape", "kurze TTL"], "patterns.md"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(
    "tail", ["", "\n### 2026-01-01 — Älter\n- **Status**: aktiv"], ids=["template", "no final newline"]
)
def test_an_added_entry_is_one_section_and_all_other_bytes_stay(
    zecher: Zecher, project: Path, *, kind: str, words: list[str], file: str, newline: str, tail: str
) -> None:
    path = golden.project_memory(project) / file
    before = ("\ufeff" + path.read_text() + tail).replace("\n", newline).encode()
    path.write_bytes(before)
    path.chmod(0o640)

    done = zecher("memory", "add", kind, "Kasse ### läuft\n### 2026-01-01 — gefälscht", *words, "--json")

    assert done.code == 0, done.err
    after = path.read_bytes()
    assert after.startswith(before)
    assert path.stat().st_mode & 0o777 == 0o640
    old, new = (checker.entry_count(data.decode().replace("\r\n", "\n")) for data in (before, after))
    assert new == old + 1
    assert after.decode().replace("\r\n", "").count("\n") == (0 if newline == "\r\n" else after.count(b"\n"))
    again = zecher("memory", "add", kind, "KASSE ### läuft ### 2026-01-01 — gefälscht", "--json")
    assert again.code != 0
    assert path.read_bytes() == after
    hit = zecher("mem", "recall", words[1], "--json").json["results"][0]
    assert hit["source"] == file


@pytest.mark.parametrize("writers", [4])
def test_writers_at_once_lose_nothing(zecher: Zecher, project: Path, writers: int, full: bool) -> None:
    rounds = 20 if full else 4
    for turn in range(rounds):
        running = [
            zecher.start("mem", "write", "--agent", f"a{number}", "--task", f"t{turn}")
            for number in range(writers)
        ]
        for process in running:
            process.communicate(timeout=60)
            assert process.returncode == 0

    data = (project / ".bmad/memory/journal.ndjson").read_bytes()
    assert checker.journal_faults(data) == []
    assert len({json.loads(line)["id"] for line in data.splitlines()}) == writers * rounds


@pytest.mark.skipif(
    not shutil.which("strace"), reason="strace is not installed: nobody else can stop a writer midway"
)
def test_a_writer_killed_in_the_lock_leaves_the_published_lock_and_the_next_one_works(
    zecher: Zecher, project: Path
) -> None:
    command = zecher.command("mem", "write", "--agent", "a", "--task", "killed")
    subprocess.run(
        ["strace", "-qq", "-e", "trace=write", "-e", "inject=fsync:signal=KILL:when=1+", *command],
        cwd=project,
        env=zecher.environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    lock = project / ".bmad/memory/writer.lock"
    if lock.exists():
        assert checker.lock_faults(lock.read_bytes()) == []

    assert zecher("mem", "write", "--agent", "b").code == 0

    assert checker.journal_faults((project / ".bmad/memory/journal.ndjson").read_bytes()) == []
    assert [path.name for path in (project / ".bmad/memory").iterdir() if "lock" in path.name] == []


@pytest.mark.parametrize("cut", [1, 5, 60, -1])
def test_a_torn_tail_costs_the_torn_line_only(zecher: Zecher, project: Path, cut: int) -> None:
    journal = write(project / ".bmad/memory/journal.ndjson", golden.S0_EVENT)
    torn = golden.event("2026-11-01T00:00:00.000Z", "forge", "größer 🧪", outcome="success").encode()
    with journal.open("ab") as file:
        file.write(torn[:cut])
    before = journal.read_bytes()

    assert zecher("mem", "write", "--agent", "b", "--task", "after").code == 0

    after = journal.read_bytes()
    assert after.startswith(before + b"\n")
    assert json.loads(after.splitlines()[-1])["task"] == "after"
    assert zecher("mem", "recall", "after loyalty", "--json").json["count"] == 2


def test_portfolio_recall_names_the_project_of_each_hit(zecher: Zecher, bmad_project: Path, git: Git) -> None:
    other = git.repository("dev/till", files={"go.mod": "module till\n"})
    write(other / ".agents/memory/lessons.md", "### Kasse zählen\nabends\n")
    zecher("scan", bmad_project.parent, "--yes")

    document = zecher("mem", "recall", "Kasse", "--scope", "portfolio", "--json").json

    assert document["scope"] == "portfolio"
    assert {hit["project"] for hit in document["results"]} >= {"till"}
    assert all("project" in hit for hit in document["results"])


def test_portfolio_recall_with_a_path_searches_that_brain_as_published(
    zecher: Zecher, project: Path, tmp_path: Path
) -> None:
    brain = golden.portfolio_brain(tmp_path / "_other")
    write(project / ".bmad/memory/journal.ndjson", golden.S0_EVENT)

    document = zecher(
        "mem", "recall", "euros loyalty", "--scope", "portfolio", "--portfolio", brain, "--json"
    ).json

    assert {hit["ref"] for hit in document["results"]} == {"912e91734848", "2026-09-01 — Invoices in euros"}
