"""What a memory's state says: BMAD+'s own figure, and our checks of what the files hold."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from brain import layout
from brain.files.javascript_json import to_compact
from brain.initialise import apply_init, plan_init
from brain.locate import locate_brain
from brain.memory_status import Check, FileStatus, MemoryStatus, Score, memory_status
from brain.outcomes.receipts import receipt_id
from tests.brain.brains import snapshot
from tests.support import DAY, NOW, write

DECISION = """
### 2026-11-20 — One payment provider
- **Context**: two were in use
- **Decision**: keep the first
- **Status**: active
"""
NOTES = ("decisions.md", "lessons.md", "patterns.md")


@pytest.fixture
def user(tmp_path: Path) -> Path:
    path = tmp_path / "user"
    path.mkdir()
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "dev" / "shop"
    path.mkdir(parents=True)
    return path


def memory_of(project: Path) -> Path:
    return project / ".agents" / "memory"


def brain_of(user: Path) -> Path:
    return user / ".bmad-plus" / "brain"


def status(project: Path, user: Path, *, now: float = NOW, **variables: str) -> MemoryStatus:
    brain = locate_brain(str(project), home=str(user), environ=variables)
    return memory_status(str(project), brain, now=now)


def init(project: Path, user: Path, **variables: str) -> None:
    brain = locate_brain(str(project), home=str(user), environ=variables)
    apply_init(plan_init(str(project), brain, now=NOW, user="Ana", language="English"))


def fill(project: Path, user: Path) -> None:
    """A memory in which every check passes."""
    init(project, user)
    for folder in (memory_of(project), brain_of(user)):
        for name in NOTES:
            with (folder / name).open("a") as file:
                file.write(DECISION)
    context = memory_of(project) / "context.md"
    context.write_text(context.read_text().replace("## Recent", "The checkout.\n\n## Recent"))
    write(memory_of(project) / "sessions" / "2026-11-29-checkout.md", "# Checkout\n\ndone\n")


def check(state: MemoryStatus, name: str, part: str = "project") -> Check:
    checks = state.project.checks if part == "project" else state.brain.checks
    (found,) = [one for one in checks if one.name == name]
    return found


def file_of(state: MemoryStatus, name: str) -> FileStatus:
    (found,) = [one for one in state.project.files if one.name == name]
    return found


def failed(state: MemoryStatus) -> list[str]:
    return [one.name for one in (*state.project.checks, *state.brain.checks) if not one.ok]


# -- BMAD+'s own figure -----------------------------------------------------------------------------------


def test_with_nothing_there_bmad_shows_no_figure(shop: Path, user: Path) -> None:
    assert status(shop, user).compatible is None


def test_g28_four_fresh_files_are_80_per_cent_and_one_entry_each(shop: Path, user: Path) -> None:
    for name in layout.MEMORY_FILES:
        data = layout.template(name, {"date": "2026-11-30", "project": "shop", "path": str(shop)})
        write(memory_of(shop) / name, data.decode())
    state = status(shop, user)
    assert state.compatible == Score(4, 5)
    assert state.compatible.percent == 80
    assert [file.headings for file in state.project.files[:3]] == [1, 1, 1]


def test_a_fresh_installation_is_90_per_cent(shop: Path, user: Path) -> None:
    init(shop, user)
    state = status(shop, user)
    assert state.compatible == Score(9, 10)
    assert state.compatible.percent == 90


def test_g30_a_brain_that_only_a_scan_made_is_20_per_cent(shop: Path, user: Path) -> None:
    (brain_of(user) / "projects").mkdir(parents=True)
    state = status(shop, user)
    assert state.compatible == Score(1, 5)
    assert state.compatible.percent == 20


def test_a_whole_memory_and_three_fifths_of_a_brain_are_80_per_cent(shop: Path, user: Path) -> None:
    init(shop, user)
    write(memory_of(shop) / "sessions" / "2026-11-29-x.md")
    (brain_of(user) / "identity.yaml").unlink()
    (brain_of(user) / "patterns.md").unlink()
    state = status(shop, user)
    assert (state.project.compatible, state.brain.compatible) == (Score(5, 5), Score(3, 5))
    assert state.compatible is not None
    assert state.compatible.percent == 80


def test_g32_bmad_counts_lines_that_begin_with_three_signs_and_a_blank(shop: Path, user: Path) -> None:
    text = "### a\n\n###b\n ### c\n#### d\n### e\n\n```\n### f\n```\n"
    write(memory_of(shop) / "decisions.md", text)
    state = status(shop, user)
    assert file_of(state, "decisions.md").headings == 3
    assert file_of(state, "decisions.md").entries == 2


@pytest.mark.parametrize(
    "end", ["\n", "\r", "\r\n", "\u2028", "\u2029"], ids=["LF", "CR", "CRLF", "LS", "PS"]
)
def test_a_line_begins_where_it_does_for_javascript(shop: Path, user: Path, end: str) -> None:
    write(memory_of(shop) / "decisions.md").write_bytes(f"x{end}### a{end}### b\v### c".encode())
    assert file_of(status(shop, user), "decisions.md").headings == 2


def test_a_byte_order_mark_hides_the_first_heading_from_bmad(shop: Path, user: Path) -> None:
    write(memory_of(shop) / "decisions.md").write_bytes(b"\xef\xbb\xbf### a\n### b\n")
    assert file_of(status(shop, user), "decisions.md").headings == 1


def test_a_session_is_any_name_that_ends_in_md(shop: Path, user: Path) -> None:
    sessions = memory_of(shop) / "sessions"
    (sessions / "folder.md").mkdir(parents=True)
    write(sessions / "a.md")
    write(sessions / "b.MD")
    write(sessions / "c.txt")
    assert status(shop, user).project.sessions == 2


def test_a_file_in_place_of_the_memory_counts_as_a_memory_of_nothing(shop: Path, user: Path) -> None:
    write(memory_of(shop))
    state = status(shop, user)
    assert state.project.present
    assert state.compatible == Score(0, 5)


def test_a_folder_under_a_files_name_passes_with_bmad(shop: Path, user: Path) -> None:
    (memory_of(shop) / "decisions.md").mkdir(parents=True)
    assert status(shop, user).compatible == Score(1, 5)


@pytest.mark.parametrize(
    ("passed", "percent"), [(0, 0), (1, 13), (3, 38), (4, 50), (5, 63), (7, 88), (8, 100)]
)
def test_a_half_per_cent_goes_up_as_in_javascript(passed: int, percent: int) -> None:
    assert Score(passed, 8).percent == percent


def test_w13_a_linked_brain_is_the_one_that_is_judged(shop: Path, user: Path) -> None:
    init(shop, user)
    linked = shop.parent / "_brain"
    linked.mkdir()
    state = status(shop, user)
    assert (state.brain.path, state.brain.type) == (str(linked), "portfolio")
    assert state.brain.compatible is None
    assert state.compatible == Score(4, 5)


# -- checks: the project -------------------------------------------------------------------------------------


def test_a_memory_that_is_used_passes_every_check(shop: Path, user: Path) -> None:
    fill(shop, user)
    state = status(shop, user)
    assert failed(state) == []
    assert [file.entries for file in state.project.files] == [1, 1, 1, None]


def test_w16_a_fresh_template_is_no_memory_yet(shop: Path, user: Path) -> None:
    init(shop, user)
    state = status(shop, user)
    assert [file.entries for file in state.project.files] == [0, 0, 0, None]
    assert [file.valid for file in state.project.files] == [False] * 4
    assert check(state, "decisions.md").why == "no entry yet, nothing but its template"
    assert check(state, "context.md").why == "nothing but its template: say where the project stands"


def test_looking_changes_nothing(shop: Path, user: Path, tmp_path: Path) -> None:
    fill(shop, user)
    write(shop / ".bmad/memory/pattern-scores.json", "[1]")
    write(shop / ".bmad/memory/journal.ndjson", "{torn")
    before = snapshot(tmp_path)
    status(shop, user)
    assert snapshot(tmp_path) == before


def test_without_any_memory_one_check_says_what_to_do(shop: Path, user: Path) -> None:
    state = status(shop, user)
    assert not state.project.present
    assert [one.name for one in state.project.checks] == ["project memory"]
    assert check(state, "project memory").why == "not there: `zecher memory init` makes it"


@pytest.mark.parametrize("name", layout.MEMORY_FILES)
def test_w16_a_folder_under_a_files_name_is_not_valid(shop: Path, user: Path, name: str) -> None:
    fill(shop, user)
    (memory_of(shop) / name).unlink()
    (memory_of(shop) / name).mkdir()
    state = status(shop, user)
    assert file_of(state, name).exists
    assert check(state, name).why == "not a regular file"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"### a\n\xff\n", "line 2: bytes that are not UTF-8"),
        (b"\xff\xfe#\x00", "line 1: UTF-16, not UTF-8"),
        (b"---\na: [\n---\n### a\nx\n", "line 1: the front matter is not read"),
        (b"---\na: 1\na: 2\n---\n### a\nx\n", "line 1: the front matter has the key a more than once"),
        (b"### a\n```\n### b\n", "line 2: the code fence that begins here never ends"),
        (b"### a\n<!-- open\n### b\n", "line 2: the comment that begins here never ends"),
        (b"### a\n" + b"x" * 1024 * 1024, "line 1: 1048582 bytes, more than the 1048576 that are read"),
        (b"", "no entry yet"),
        (b"### YYYY-MM-DD \xe2\x80\x94 <title>\nx\n", "no entry yet"),
    ],
    ids=["bytes", "utf-16", "yaml", "twice", "fence", "comment", "large", "empty", "placeholder"],
)
def test_a_file_that_is_not_well_formed_says_why(shop: Path, user: Path, data: bytes, why: str) -> None:
    fill(shop, user)
    (memory_of(shop) / "decisions.md").write_bytes(data)
    state = status(shop, user)
    assert not file_of(state, "decisions.md").valid
    assert check(state, "decisions.md").why.startswith(why)


def test_what_concerns_one_entry_does_not_make_the_file_unsound(shop: Path, user: Path) -> None:
    fill(shop, user)
    write(memory_of(shop) / "decisions.md", "### 2026-13-99 — x\n- **Status**: maybe\n")
    assert failed(status(shop, user)) == []


def test_a_missing_file_is_named_with_the_way_to_make_it(shop: Path, user: Path) -> None:
    fill(shop, user)
    (memory_of(shop) / "lessons.md").unlink()
    assert check(status(shop, user), "lessons.md").why == "missing: `zecher memory init` makes it"


@pytest.mark.parametrize("place", [".agents", ".agents/memory"])
def test_a_memory_behind_a_link_is_not_looked_into(
    shop: Path, user: Path, tmp_path: Path, place: str
) -> None:
    fill(shop, user)
    os.rename(shop / place, tmp_path / "moved")
    (shop / place).symlink_to(tmp_path / "moved")
    state = status(shop, user)
    assert [one.name for one in state.project.checks] == ["project memory"]
    assert "symbolic link" in check(state, "project memory").why
    assert [file.entries for file in state.project.files] == [None] * 4
    assert state.project.compatible == Score(5, 5)


def test_a_file_behind_a_link_is_not_read(shop: Path, user: Path, tmp_path: Path) -> None:
    fill(shop, user)
    secret = write(tmp_path / "secret.md", "### secret\nx\n")
    (memory_of(shop) / "decisions.md").unlink()
    (memory_of(shop) / "decisions.md").symlink_to(secret)
    state = status(shop, user)
    assert file_of(state, "decisions.md").entries is None
    assert "symbolic link" in check(state, "decisions.md").why


def test_a_pipe_under_a_files_name_does_not_hang(shop: Path, user: Path) -> None:
    fill(shop, user)
    (memory_of(shop) / "context.md").unlink()
    os.mkfifo(memory_of(shop) / "context.md")
    assert check(status(shop, user), "context.md").why == "not a regular file"


def test_a_file_says_when_it_was_changed(shop: Path, user: Path) -> None:
    write(memory_of(shop) / "decisions.md", "### a\nx\n", days=3)
    assert file_of(status(shop, user), "decisions.md").modified == NOW - 3 * DAY


@pytest.mark.parametrize("kind", ["none", "empty", "folder", "other", "link"])
def test_a_handover_is_a_real_file_with_something_in_it(
    shop: Path, user: Path, tmp_path: Path, kind: str
) -> None:
    fill(shop, user)
    session = memory_of(shop) / "sessions" / "2026-11-29-checkout.md"
    session.unlink()
    if kind == "empty":
        session.write_text("")
    if kind == "folder":
        session.mkdir()
    if kind == "other":
        session.with_suffix(".txt").write_text("x\n")
    if kind == "link":
        session.symlink_to(write(tmp_path / "elsewhere.md"))
    assert failed(status(shop, user)) == ["sessions"]


def test_sessions_behind_a_link_are_not_followed(shop: Path, user: Path, tmp_path: Path) -> None:
    fill(shop, user)
    os.rename(memory_of(shop) / "sessions", tmp_path / "moved")
    (memory_of(shop) / "sessions").symlink_to(tmp_path / "moved")
    state = status(shop, user)
    assert failed(state) == ["sessions"]
    assert state.project.sessions == 1  # BMAD+ follows it


@pytest.mark.parametrize("place", [".agents", ".agents/memory"])
def test_a_file_in_place_of_the_memory_is_named(shop: Path, user: Path, place: str) -> None:
    write(shop / place)
    assert check(status(shop, user), "project memory").why == f"{place} is not a folder: move it away"


def test_a_global_brain_without_its_folder_of_cards_is_told_so(shop: Path, user: Path) -> None:
    fill(shop, user)
    (brain_of(user) / "projects").rmdir()
    assert failed(status(shop, user)) == ["projects"]


def test_a_file_in_place_of_the_sessions_is_named(shop: Path, user: Path) -> None:
    init(shop, user)
    (memory_of(shop) / "sessions").rmdir()
    write(memory_of(shop) / "sessions")
    assert check(status(shop, user), "sessions").why == "not a folder: move it away"


@pytest.mark.parametrize(
    "body",
    [
        "# Context\n\n## Current Focus\n\nThe checkout.\n",
        "# Context\n\nThe checkout.\n",
        "## Project Identity\n\n- **Name**: shop\n\n## Known Issues\n\n- one\n",
        "x\n",
    ],
)
def test_a_context_with_words_of_its_own_is_valid(shop: Path, user: Path, body: str) -> None:
    write(memory_of(shop) / "context.md", body)
    assert file_of(status(shop, user), "context.md").valid


@pytest.mark.parametrize(
    "body",
    [
        "",
        "# Context\n",
        "# Context\n\n## Project Identity\n\n- **Name**: shop\n\n## Current Focus\n\n<!-- a\nb -->\n",
        "---\ntitle: x\n---\n\n# Context\n",
    ],
)
def test_a_context_without_words_of_its_own_is_not_valid(shop: Path, user: Path, body: str) -> None:
    write(memory_of(shop) / "context.md", body)
    assert not file_of(status(shop, user), "context.md").valid


# -- ours: staleness ----------------------------------------------------------------------------------------


def context(project: Path, updated: str, days: float = 0.0) -> None:
    head = f"---\nlast_updated: {updated}\n---\n" if updated else ""
    write(memory_of(project) / "context.md", f"{head}\nThe checkout.\n", days=days)


@pytest.mark.parametrize(("date", "is_stale"), [("2026-09-01", False), ("2026-08-31", True)])
def test_a_context_is_stale_after_90_days(shop: Path, user: Path, date: str, is_stale: bool) -> None:
    context(shop, date)
    state = status(shop, user)
    assert (state.project.context_date, state.project.context_is_stale) == (date, is_stale)
    assert check(state, "context is current").ok is not is_stale


def test_a_stale_context_says_its_age(shop: Path, user: Path) -> None:
    context(shop, "2026-08-31")
    expected = "last updated 91 days ago: bring it up to date"
    assert check(status(shop, user), "context is current").why == expected


@pytest.mark.parametrize(("date", "is_stale"), [("2026-10-30", False), ("2026-10-29", True)])
def test_a_context_is_stale_when_a_handover_is_30_days_newer(
    shop: Path, user: Path, date: str, is_stale: bool
) -> None:
    context(shop, date)
    write(memory_of(shop) / "sessions" / "2026-11-29-x.md")
    assert status(shop, user).project.context_is_stale is is_stale


def test_a_context_is_stale_when_an_entry_is_30_days_newer(shop: Path, user: Path) -> None:
    context(shop, "2026-10-01")
    write(memory_of(shop) / "decisions.md", DECISION)
    expected = "50 days older than the newest entry or handover of 2026-11-20: bring it up to date"
    assert check(status(shop, user), "context is current").why == expected


def test_an_entry_of_the_future_makes_no_context_stale(shop: Path, user: Path) -> None:
    context(shop, "2026-11-25")
    write(memory_of(shop) / "decisions.md", DECISION.replace("2026-11-20", "2027-11-20"))
    assert not status(shop, user).project.context_is_stale


@pytest.mark.parametrize("updated", ["", "2026-02-30", "soon", "[2026]"])
def test_a_context_without_a_usable_date_is_as_old_as_its_file(shop: Path, user: Path, updated: str) -> None:
    context(shop, updated, days=100)
    state = status(shop, user)
    assert (state.project.context_date, state.project.context_is_stale) == ("", True)


def test_without_a_context_nothing_is_said_about_its_age(shop: Path, user: Path) -> None:
    write(memory_of(shop) / "decisions.md", DECISION)
    assert "context is current" not in failed(status(shop, user))


# -- ours: the record of the brain --------------------------------------------------------------------------


def test_a_missing_record_is_a_failed_check(shop: Path, user: Path) -> None:
    fill(shop, user)
    (memory_of(shop) / ".brain-link").unlink()
    assert failed(status(shop, user)) == [".brain-link"]


@pytest.mark.parametrize("text", ["", "[]", '{"linked_brain": "/elsewhere"}'])
def test_a_damaged_or_untrue_record_is_a_failed_check(shop: Path, user: Path, text: str) -> None:
    fill(shop, user)
    write(memory_of(shop) / ".brain-link", text)
    assert failed(status(shop, user)) == [".brain-link"]


def test_a_record_of_0_9_without_a_type_is_good(shop: Path, user: Path) -> None:
    fill(shop, user)
    write(
        memory_of(shop) / ".brain-link", json.dumps({"linked_brain": str(brain_of(user)), "linked_at": "x"})
    )
    assert failed(status(shop, user)) == []


# -- ours: ledgers ------------------------------------------------------------------------------------------


def test_a_project_without_ledgers_is_asked_for_none(shop: Path, user: Path) -> None:
    fill(shop, user)
    assert status(shop, user).project.ledgers == ()


@pytest.mark.parametrize("name", ["journal.ndjson", "promotions.ndjson"])
def test_damaged_lines_of_a_ledger_are_named(shop: Path, user: Path, name: str) -> None:
    fill(shop, user)
    write(shop / ".bmad/memory" / name, '{"a":1}\nnull\n\n{torn\n{"b":2}\n')
    state = status(shop, user)
    assert [(one.name, one.records, one.damaged) for one in state.project.ledgers] == [(name, 2, (2, 4))]
    assert failed(state) == [name]
    assert check(state, name).why.startswith("no JSON object on line 2, 4:")


def test_many_damaged_lines_are_counted(shop: Path, user: Path) -> None:
    write(shop / ".bmad/memory/journal.ndjson", "null\n" * 9)
    why = check(status(shop, user), "journal.ndjson").why
    assert why.startswith("no JSON object on line 1, 2, 3, 4, 5 and 4 more:")


def ledger_checks(state: MemoryStatus) -> list[tuple[bool, str]]:
    return [(one.ok, one.why) for one in state.project.checks if one.name == "ledgers"]


@pytest.mark.parametrize("place", [".bmad", ".bmad/memory"])
def test_a_file_in_place_of_the_folder_of_the_ledgers_is_a_failed_check(
    shop: Path, user: Path, place: str
) -> None:
    write(shop / place, "x")
    assert ledger_checks(status(shop, user)) == [(False, f"{shop / place} is not a folder: move it away")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into everything")
@pytest.mark.parametrize("place", [".bmad", ".bmad/memory"])
def test_closed_ledgers_are_a_failed_check(shop: Path, user: Path, place: str) -> None:
    write(shop / ".bmad/memory/journal.ndjson", "{}\n")
    (shop / place).chmod(0)
    found = ledger_checks(status(shop, user)) or [
        (one.ok, one.why) for one in status(shop, user).project.checks if one.name == "journal.ndjson"
    ]
    (shop / place).chmod(0o700)
    assert [ok for ok, _ in found] == [False]
    assert "ermission denied" in found[0][1]


def test_whole_ledgers_pass(shop: Path, user: Path) -> None:
    fill(shop, user)
    write(shop / ".bmad/memory/journal.ndjson", '{"a":1}\n{"b":2}\n')
    write(shop / ".bmad/memory/pattern-scores.json", '{\n  "p": {"elo": 1200}\n}\n')
    state = status(shop, user)
    assert failed(state) == []
    assert check(state, "journal.ndjson").why == "2 records"
    assert check(state, "pattern-scores.json").why == "1 record"


@pytest.mark.parametrize(
    "text", ["", "[1]", "{", "[" * 100_000, '{"p": 5}', '{"p": {"elo": "high"}}', '{"p": {"elo": NaN}}']
)
def test_a_corrupt_file_of_scores_is_a_failed_check(shop: Path, user: Path, text: str) -> None:
    """The last three passed, though no pattern could be reinforced."""
    fill(shop, user)
    write(shop / ".bmad/memory/pattern-scores.json", text)
    assert failed(status(shop, user)) == ["pattern-scores.json"]


def receipt() -> dict[str, object]:
    body: dict[str, object] = {
        "schemaVersion": 1,
        "kind": "accepted-outcome",
        "ts": "2026-11-01T00:00:00.000Z",
        "memory": {"file": ".agents/memory/lessons.md", "heading": "A", "textSha256": "0" * 64},
        "scope": ["src"],
        "source": {"kind": "nexus", "runId": "r", "taskId": "t", "attemptId": "a"},
        "interpretation": "x",
        "verification": {
            "status": "passed",
            "acceptance": "accepted",
            "lessonCausality": "unmeasured",
        },
        "supersedes": [],
        "contradicts": [],
    }
    return {"id": receipt_id(body), **body}


def test_sound_receipts_pass(shop: Path, user: Path) -> None:
    fill(shop, user)
    write(shop / ".bmad/memory/outcomes.ndjson", to_compact(receipt()) + "\n")
    state = status(shop, user)
    assert failed(state) == []
    assert check(state, "outcomes.ndjson").why == "1 record"


@pytest.mark.parametrize("change", ["torn", "edited", "twice"])
def test_a_broken_rule_of_the_receipts_is_a_failed_check(shop: Path, user: Path, change: str) -> None:
    fill(shop, user)
    line = to_compact(receipt())
    text = {"torn": line, "edited": line.replace("unmeasured", "measured") + "\n", "twice": f"{line}\n" * 2}
    write(shop / ".bmad/memory/outcomes.ndjson", text[change])
    assert failed(status(shop, user)) == ["outcomes.ndjson"]


@pytest.mark.parametrize("name", ["journal.ndjson", "pattern-scores.json", "outcomes.ndjson"])
def test_a_ledger_of_more_than_2_mib_is_a_failed_check(shop: Path, user: Path, name: str) -> None:
    fill(shop, user)
    write(shop / ".bmad/memory" / name, " " * (2 * 1024 * 1024 + 1))
    assert failed(status(shop, user)) == [name]


@pytest.mark.parametrize("place", [".bmad", ".bmad/memory", ".bmad/memory/journal.ndjson"])
def test_a_ledger_behind_a_link_is_a_failed_check(shop: Path, user: Path, tmp_path: Path, place: str) -> None:
    fill(shop, user)
    write(shop / ".bmad/memory/journal.ndjson", '{"a":1}\n')
    os.rename(shop / place, tmp_path / "moved")
    (shop / place).symlink_to(tmp_path / "moved")
    state = status(shop, user)
    assert failed(state) == ["journal.ndjson"]
    assert "symbolic link" in check(state, "journal.ndjson").why


def hold(project: Path, pid: int) -> None:
    owner = {"pid": pid, "hostname": os.uname().nodename, "token": "0b4f5c6e-0000-4000-8000-000000000000"}
    write(project / ".bmad/memory/writer.lock", json.dumps(owner))


def test_w25_a_lock_of_a_dead_writer_is_named_with_the_way_out(shop: Path, user: Path) -> None:
    fill(shop, user)
    hold(shop, 2**22 + 1)  # beyond the highest process number of a system
    expected = "left by process 4194305, which is gone: `zecher doctor --unlock` removes it"
    assert check(status(shop, user), "writer.lock").why == expected


def test_a_lock_of_a_living_writer_is_no_fault(shop: Path, user: Path) -> None:
    fill(shop, user)
    hold(shop, os.getpid())
    assert failed(status(shop, user)) == []


# -- ours: the brain ----------------------------------------------------------------------------------------


def test_a_brain_that_is_not_there_is_one_failed_check(shop: Path, user: Path) -> None:
    state = status(shop, user)
    assert [(one.name, one.ok, one.why) for one in state.brain.checks] == [
        ("brain", False, "none yet: `zecher memory init` makes it")
    ]


def test_a_warning_about_the_brain_is_a_failed_check(shop: Path, user: Path) -> None:
    fill(shop, user)
    state = status(shop, user, BMAD_PLUS_BRAIN="/not/there")
    assert failed(state) == ["brain"]
    assert check(state, "brain", "brain").why.startswith("BMAD_PLUS_BRAIN names /not/there")


def test_w29_a_half_brain_says_what_it_lacks(shop: Path, user: Path) -> None:
    (brain_of(user) / "projects").mkdir(parents=True)
    state = status(shop, user)
    assert [one.name for one in state.brain.checks if not one.ok] == ["identity.yaml", *NOTES]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "says nothing for user_name and communication_language: fill it in"),
        (b'user_name: "Ana"\n', "says nothing for communication_language: fill it in"),
        (b'user_name: ""\ncommunication_language: x\n', "says nothing for user_name: fill it in"),
        (b"user_name: [\n", "not read as YAML"),
        (b"a: &x 1\nb: *x\n", "not read as YAML"),
        (b"\xff: x\n", "not read as YAML"),
        (b"- x\n", "not read as YAML"),
        (b"x" * 65_537, "65537 bytes, more than the cap of 65536"),
    ],
    ids=["empty", "half", "blank", "torn", "alias", "bytes", "list", "large"],
)
def test_an_identity_has_to_say_whose_it_is(shop: Path, user: Path, data: bytes, why: str) -> None:
    fill(shop, user)
    (brain_of(user) / "identity.yaml").write_bytes(data)
    state = status(shop, user)
    assert failed(state) == ["identity.yaml"]
    assert check(state, "identity.yaml", "brain").why.startswith(why)


def test_cards_that_cannot_be_read_are_named_and_counted(shop: Path, user: Path) -> None:
    fill(shop, user)
    projects = brain_of(user) / "projects"
    write(projects / "aaaaaaaa.yaml", 'path: "/home/ana/dev/shop"')
    write(projects / "bbbbbbbb.yaml", "name: x")
    (projects / "cccccccc.yaml").mkdir()
    write(brain_of(user) / "projects-index.md")
    state = status(shop, user)
    assert state.brain.projects == 3
    assert failed(state) == ["projects"]
    assert check(state, "projects", "brain").why.endswith(" and 1 more")


def test_cards_without_their_index_are_a_failed_check(shop: Path, user: Path) -> None:
    fill(shop, user)
    write(brain_of(user) / "projects" / "aaaaaaaa.yaml", 'path: "/home/ana/dev/shop"')
    state = status(shop, user)
    assert failed(state) == ["projects-index.md"]
    assert check(state, "projects-index.md", "brain").why == "missing: `zecher scan` writes it"


def test_a_folder_in_place_of_the_index_is_a_failed_check(shop: Path, user: Path) -> None:
    fill(shop, user)
    (brain_of(user) / "projects-index.md").mkdir()
    assert failed(status(shop, user)) == ["projects-index.md"]


def test_a_portfolio_brain_is_judged_by_its_own_conventions(shop: Path, user: Path) -> None:
    linked = shop.parent / "_brain"
    write(linked / "AGENTS.md")
    write(linked / "memory" / "decisions.md", DECISION)
    state = status(shop, user)
    assert state.brain.entry_point == str(linked / "AGENTS.md")
    assert [(one.name, one.ok) for one in state.brain.checks] == [
        ("brain", True),
        ("decisions.md", True),
        ("entry point", True),
    ]


def test_a_portfolio_brain_without_an_entry_point_is_told_so(shop: Path, user: Path) -> None:
    (shop.parent / "_brain").mkdir()
    state = status(shop, user)
    assert check(state, "entry point", "brain").why == "none of README.md, AGENTS.md, HOT.md"


def test_the_memory_of_claude_needs_none_of_our_files(shop: Path, user: Path) -> None:
    write(user / ".claude" / "memory" / "note.md")
    state = status(shop, user)
    assert [(one.name, one.ok) for one in state.brain.checks] == [("brain", True)]
    assert state.brain.compatible is None
