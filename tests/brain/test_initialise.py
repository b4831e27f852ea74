"""What an initialisation makes, what it leaves alone, and what it does where it may not write."""

from __future__ import annotations

import json
import os
import re
import resource
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from brain import layout
from brain.files.errors import WriteError
from brain.files.lock import FolderLock
from brain.initialise import Initialised, InitPlan, apply_init, plan_init
from brain.locate import Brain, locate_brain
from tests.brain.brains import snapshot
from tests.support import NOW, write

PROJECT_FILES = [
    ".agents/memory/.brain-link",
    ".agents/memory/context.md",
    ".agents/memory/decisions.md",
    ".agents/memory/lessons.md",
    ".agents/memory/patterns.md",
]
BRAIN_FILES = ["decisions.md", "identity.yaml", "lessons.md", "patterns.md"]
VALUES = {
    "date": "2026-11-30",
    "project": "shop",
    "path": "/home/ana/dev/shop",
    "topic": "login",
    "agent": "forge",
    "user": "Ana",
    "language": "English",
}
HOSTILE = (
    'a"b',
    "it's",
    "x: y # z",
    "new\nline",
    "### 2026-01-01 — forged",
    "---",
    "`tick` ``two``",
    "<!-- open",
    "{{date:yaml}}",
    "\\",
    "\x1b[31m",
    "\u202ereversed",
    "\ud800",
    "- **Status**: active",
    "*a* _b_ [c](d)",
    "",
)


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


def plan(project: Path, user: Path, brain: Brain | None = None, **variables: str) -> InitPlan:
    brain = brain or locate_brain(str(project), home=str(user), environ=variables)
    return plan_init(str(project), brain, now=NOW, user="Ana", language="English")


def init(project: Path, user: Path, brain: Brain | None = None, **variables: str) -> Initialised:
    return apply_init(plan(project, user, brain, **variables))


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@contextmanager
def umask(mask: int) -> Iterator[None]:
    old = os.umask(mask)
    try:
        yield
    finally:
        os.umask(old)


def test_a_fresh_machine_gets_the_project_memory_and_the_global_brain(shop: Path, user: Path) -> None:
    done = init(shop, user)
    assert files(shop) == PROJECT_FILES
    assert (shop / ".agents" / "memory" / "sessions").is_dir()
    assert files(user / ".bmad-plus" / "brain") == BRAIN_FILES
    assert (user / ".bmad-plus" / "brain" / "projects").is_dir()
    assert (done.kept, done.notes, done.problems) == ((), (), ())


def test_all_that_was_made_is_named(shop: Path, user: Path) -> None:
    done = init(shop, user)
    brain = user / ".bmad-plus" / "brain"
    expected = [
        *(str(shop / name) for name in (*PROJECT_FILES, ".agents/memory", ".agents/memory/sessions")),
        *(str(brain / name) for name in (*BRAIN_FILES, "projects")),
        str(brain),
    ]
    assert sorted(done.created) == sorted(expected)


def test_a_plan_alone_makes_nothing(shop: Path, user: Path, tmp_path: Path) -> None:
    made = plan(shop, user)
    assert len(made.creates) == 13
    assert files(tmp_path) == []


def test_a_plan_creates_exactly_what_its_execution_reports(shop: Path, user: Path) -> None:
    made = plan(shop, user)
    assert sorted(one.path for one in made.creates) == sorted(apply_init(made).created)


def test_a_second_run_makes_nothing_and_touches_nothing(shop: Path, user: Path, tmp_path: Path) -> None:
    init(shop, user)
    before = snapshot(tmp_path)
    done = init(shop, user)
    assert (done.created, done.problems) == ((), ())
    assert len(done.kept) == 13
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", [*PROJECT_FILES, ".agents/memory/sessions/2026-01-01-x.md"])
def test_what_a_person_wrote_in_the_project_stays_byte_for_byte(shop: Path, user: Path, name: str) -> None:
    path = shop / name
    path.parent.mkdir(parents=True)
    path.write_bytes(b"mine\r\nno newline \xff")
    os.chmod(path, 0o644)
    before = snapshot(shop)
    init(shop, user)
    assert {key: value for key, value in snapshot(shop).items() if key in before} == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert set(PROJECT_FILES) <= set(files(shop))


def test_a_half_brain_as_a_scan_leaves_it_is_completed(shop: Path, user: Path) -> None:
    brain = user / ".bmad-plus" / "brain"
    (brain / "projects").mkdir(parents=True)
    (brain / "projects" / "af7574b5.yaml").write_text('path: "/x"')
    (brain / "projects-index.md").write_text("# Project Index\n")
    before = snapshot(brain)
    init(shop, user)
    assert files(brain) == [*BRAIN_FILES, "projects-index.md", "projects/af7574b5.yaml"]
    assert {key: value for key, value in snapshot(brain).items() if key in before} == before


def test_a_global_brain_behind_a_link_is_completed_where_it_is(
    shop: Path, user: Path, tmp_path: Path
) -> None:
    real = tmp_path / "dotfiles" / "brain"
    real.mkdir(parents=True)
    (user / ".bmad-plus").mkdir()
    (user / ".bmad-plus" / "brain").symlink_to(real)
    assert init(shop, user).problems == ()
    assert files(real) == BRAIN_FILES
    assert (user / ".bmad-plus" / "brain").is_symlink()


@pytest.mark.parametrize("name", BRAIN_FILES)
def test_what_a_person_wrote_in_the_global_brain_stays(shop: Path, user: Path, name: str) -> None:
    brain = user / ".bmad-plus" / "brain"
    brain.mkdir(parents=True)
    (brain / name).write_bytes(b"mine")
    init(shop, user)
    assert (brain / name).read_bytes() == b"mine"
    assert set(BRAIN_FILES) <= set(files(brain))


def test_a_portfolio_brain_is_linked_and_never_written(shop: Path, user: Path) -> None:
    brain = shop.parent / "_brain"
    (brain / "memory").mkdir(parents=True)
    (brain / "README.md").write_text("mine\n")
    done = init(shop, user)
    assert files(brain) == ["README.md"]
    assert [path.name for path in brain.iterdir() if path.is_dir()] == ["memory"]
    assert list(user.iterdir()) == []
    assert done.notes == (f"the brain at {brain} is linked and stays as it is",)
    assert json.loads((shop / ".agents/memory/.brain-link").read_bytes())["brain_type"] == "portfolio"


def test_the_memory_of_claude_is_linked_and_never_written(shop: Path, user: Path) -> None:
    brain = user / ".claude" / "memory"
    brain.mkdir(parents=True)
    (brain / "note.md").write_text("mine\n")
    init(shop, user)
    assert files(user) == [".claude/memory/note.md"]
    assert json.loads((shop / ".agents/memory/.brain-link").read_bytes())["linked_brain"] == str(brain)


def test_a_brain_of_ones_own_place_is_made_there(shop: Path, user: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    brain = locate_brain(str(shop), home=str(user), environ={}, override=(str(own), "--brain"))
    init(shop, user, brain)
    assert files(own) == BRAIN_FILES
    assert list(user.iterdir()) == []


def test_the_record_has_the_bytes_that_bmad_writes(shop: Path, user: Path) -> None:
    init(shop, user)
    expected = (
        f'{{\n  "linked_brain": "{user}/.bmad-plus/brain",\n  "brain_type": "bmad-global",\n'
        '  "linked_at": "2026-11-30T03:17:04.000Z"\n}'
    )
    assert (shop / ".agents/memory/.brain-link").read_text() == expected


def test_the_record_of_a_path_that_is_not_utf_8_leads_back_to_it(
    shop: Path, user: Path, tmp_path: Path
) -> None:
    own = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    os.mkdir(own)
    init(shop, user, Brain(os.fsdecode(own), "portfolio", "BMAD_PLUS_BRAIN"))
    record = json.loads((shop / ".agents/memory/.brain-link").read_bytes())
    assert os.fsencode(record["linked_brain"]) == own


def test_a_record_of_another_brain_is_kept_and_named(shop: Path, user: Path) -> None:
    link = shop / ".agents/memory/.brain-link"
    link.parent.mkdir(parents=True)
    link.write_text('{"linked_brain": "/elsewhere"}')
    done = init(shop, user)
    assert link.read_text() == '{"linked_brain": "/elsewhere"}'
    assert done.notes == (
        f".brain-link is kept: records /elsewhere, but the brain is {user}/.bmad-plus/brain (none yet)",
    )


def test_new_files_and_folders_are_open_to_their_owner_only(shop: Path, user: Path) -> None:
    with umask(0):
        done = init(shop, user)
    modes = {stat.S_IMODE(os.stat(path).st_mode) for path in done.created if os.path.isdir(path)}
    assert modes == {0o700}
    modes = {stat.S_IMODE(os.stat(path).st_mode) for path in done.created if os.path.isfile(path)}
    assert modes == {0o600}


def test_no_temporary_file_is_left(shop: Path, user: Path, tmp_path: Path) -> None:
    init(shop, user)
    assert [name for name in files(tmp_path) if name.endswith(".tmp")] == []


@pytest.mark.parametrize("name", ["context.md", ".brain-link"])
def test_what_a_killed_run_left_is_swept_after_an_hour(shop: Path, user: Path, name: str) -> None:
    memory = shop / ".agents" / "memory"
    old = write(memory / f".{name}.99.0123abcd.tmp", days=1)
    new = write(memory / f".{name}.98.0123abcd.tmp", days=0)
    init(shop, user)
    assert (old.exists(), new.exists()) == (False, True)


def test_a_memory_that_somebody_writes_is_waited_for_and_then_named(shop: Path, user: Path) -> None:
    made = plan(shop, user)
    memory = shop / ".agents" / "memory"
    memory.mkdir(parents=True)
    with FolderLock(str(memory), wait=0):
        done = apply_init(made, wait=0)
    assert [(problem.level, problem.path) for problem in done.problems] == [("error", str(memory))]
    assert files(shop) == []


def test_a_file_in_place_of_the_home_is_a_warning_and_the_project_gets_its_memory(
    shop: Path, user: Path
) -> None:
    user.rmdir()
    user.write_text("x\n")
    done = init(shop, user)
    assert files(shop) == PROJECT_FILES[1:]
    assert [(problem.level, problem.path) for problem in done.problems] == [
        ("warning", f"{user}/.bmad-plus/brain")
    ]
    assert done.notes == ("no record of the brain was written, because there is no brain",)


def test_a_file_in_place_of_the_brain_is_a_warning(shop: Path, user: Path) -> None:
    (user / ".bmad-plus").mkdir()
    (user / ".bmad-plus" / "brain").write_text("mine\n")
    done = init(shop, user)
    assert [problem.level for problem in done.problems] == ["warning"]
    assert (user / ".bmad-plus" / "brain").read_text() == "mine\n"
    assert files(shop) == PROJECT_FILES[1:]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes into read-only folders")
def test_a_read_only_home_is_a_warning(shop: Path, user: Path) -> None:
    os.chmod(user, 0o500)
    try:
        done = init(shop, user)
    finally:
        os.chmod(user, 0o700)
    assert [problem.level for problem in done.problems] == ["warning"]
    assert files(shop) == PROJECT_FILES[1:]


def test_a_home_that_became_writable_is_completed_by_the_next_run(shop: Path, user: Path) -> None:
    user.rmdir()
    init(shop, user)
    user.mkdir()
    done = init(shop, user)
    assert done.problems == ()
    assert files(shop) == PROJECT_FILES


@pytest.mark.parametrize("place", [".agents", ".agents/memory"])
def test_a_memory_behind_a_link_is_refused_and_nothing_written_there(
    shop: Path, user: Path, tmp_path: Path, place: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (shop / place).parent.mkdir(parents=True, exist_ok=True)
    (shop / place).symlink_to(outside)
    done = init(shop, user)
    assert [(problem.level, problem.message) for problem in done.problems] == [
        ("error", f"{place} is a symbolic link")
    ]
    assert list(outside.iterdir()) == []
    assert (user / ".bmad-plus" / "brain" / "identity.yaml").exists()


def test_a_link_that_came_after_the_plan_is_refused_as_well(shop: Path, user: Path, tmp_path: Path) -> None:
    made = plan(shop, user)
    outside = tmp_path / "outside"
    outside.mkdir()
    (shop / ".agents").symlink_to(outside)
    assert [problem.level for problem in apply_init(made).problems] == ["error"]
    assert list(outside.iterdir()) == []


def test_a_file_in_place_of_the_memory_is_an_error_and_stays(shop: Path, user: Path) -> None:
    (shop / ".agents").write_text("mine\n")
    done = init(shop, user)
    assert [(problem.level, problem.message) for problem in done.problems] == [
        ("error", ".agents is not a folder")
    ]
    assert (shop / ".agents").read_text() == "mine\n"


@pytest.mark.parametrize("kind", ["folder", "dangling link"])
def test_something_odd_under_a_files_name_is_kept_and_named(
    shop: Path, user: Path, tmp_path: Path, kind: str
) -> None:
    odd = shop / ".agents/memory/decisions.md"
    odd.parent.mkdir(parents=True)
    if kind == "folder":
        odd.mkdir()
    else:
        odd.symlink_to(tmp_path / "gone")
    done = init(shop, user)
    assert done.notes == (f"{odd} is kept, but is no file",)
    assert str(odd) in done.kept
    assert odd.is_dir() or odd.is_symlink()


def test_a_file_that_came_after_the_plan_is_kept_and_the_rest_made(shop: Path, user: Path) -> None:
    made = plan(shop, user)
    mine = shop / ".agents/memory/lessons.md"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine\n")
    done = apply_init(made)
    assert mine.read_text() == "mine\n"
    assert str(mine) in done.kept
    assert str(mine) not in done.created
    assert files(shop) == PROJECT_FILES


def test_a_disk_that_is_full_is_an_error_and_leaves_no_half_file(shop: Path, user: Path) -> None:
    brain = user / ".bmad-plus" / "brain"
    init(shop, user)
    for name in PROJECT_FILES:
        (shop / name).unlink()
    before = snapshot(brain)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, hard))
    try:
        done = init(shop, user)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [problem.level for problem in done.problems] == ["error"]
    assert "File too large" in done.problems[0].message
    assert (done.created, files(shop)) == ((), [])
    assert snapshot(brain) == before


def test_a_project_that_is_not_there_is_an_error_and_is_not_made(shop: Path, user: Path) -> None:
    with pytest.raises(WriteError, match="no such folder"):
        plan(shop / "gone", user)
    assert not (shop / "gone").exists()


def test_two_runs_at_once_leave_one_whole_memory(shop: Path, user: Path) -> None:
    plans = [plan(shop, user) for _ in range(4)]
    done: list[Initialised] = []
    threads = [threading.Thread(target=lambda made=made: done.append(apply_init(made))) for made in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [problem for one in done for problem in one.problems] == []
    assert files(shop) == PROJECT_FILES
    for name in layout.MEMORY_FILES:
        expected = layout.template(name, VALUES | {"path": str(shop)})
        assert (shop / ".agents/memory" / name).read_bytes() == expected


def front_matter(text: str) -> dict[str, object]:
    loaded = yaml.safe_load(text.split("---\n")[1])
    assert isinstance(loaded, dict)
    return loaded


def test_the_template_of_decisions_has_these_bytes() -> None:
    expected = """---
title: "Decisions"
description: "What was chosen in this project, and why it was chosen over the rest"
created: "2026-11-30"
project: "shop"
---

# Decisions

Choices whose reason would have to be explained to somebody new.

## Format

```md
### YYYY-MM-DD — <title>
- **Context**: what made a choice necessary
- **Decision**: what was chosen
- **Rationale**: why this and nothing else
- **Consequences**: what it opens, what it closes
- **Status**: active / superseded / rolled-back
```

---

<!-- Entries start below this line. -->
"""
    assert layout.template("decisions.md", VALUES).decode() == expected


def test_the_template_of_the_identity_has_these_values() -> None:
    identity = yaml.safe_load(layout.template("identity.yaml", VALUES))
    assert list(identity) == [
        "user_name",
        "communication_language",
        "created",
        "style",
        "stack",
        "ai_tools",
        "rules",
    ]
    assert (identity["user_name"], identity["communication_language"]) == ("Ana", "English")
    assert list(identity["style"]) == ["verbosity", "code_comments", "explain_level"]
    assert (identity["stack"], identity["ai_tools"], len(identity["rules"])) == (None, [], 3)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("decisions.md", ["title", "description", "created", "project"]),
        ("lessons.md", ["title", "description", "created", "project"]),
        ("patterns.md", ["title", "description", "created", "project"]),
        ("context.md", ["title", "description", "created", "project", "last_updated"]),
        ("session-handoff.md", ["title", "description", "date", "topic", "agent", "project"]),
    ],
)
def test_a_template_has_the_keys_that_bmad_knows(name: str, keys: list[str]) -> None:
    assert list(front_matter(layout.template(name, VALUES).decode())) == keys


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("decisions.md", ["Context", "Decision", "Rationale", "Consequences", "Status"]),
        ("lessons.md", ["Context", "Impact", "Lesson"]),
        ("patterns.md", ["Problem", "Shape", "Trade-off", "Status"]),
        ("context.md", ["Name", "Path", "Stack", "Status", "Created"]),
    ],
)
def test_a_template_has_the_fields_that_bmad_knows(name: str, labels: list[str]) -> None:
    assert re.findall(r"^- \*\*(.+?)\*\*:", layout.template(name, VALUES).decode(), re.MULTILINE) == labels


@pytest.mark.parametrize(
    ("name", "headings"),
    [
        ("decisions.md", ["Format"]),
        ("lessons.md", ["Meta-lessons", "Format"]),
        ("patterns.md", ["Format"]),
        (
            "context.md",
            [
                "Project Identity",
                "Current Focus",
                "Recent Changes",
                "Architecture Notes",
                "Known Issues",
                "Open Questions",
            ],
        ),
        (
            "session-handoff.md",
            ["What changed", "Decisions made", "Open questions", "Next steps", "Files modified"],
        ),
    ],
)
def test_a_template_has_the_headings_that_bmad_knows(name: str, headings: list[str]) -> None:
    assert re.findall(r"^## (.+)$", layout.template(name, VALUES).decode(), re.MULTILINE) == headings


@pytest.mark.parametrize("name", layout.NOTE_FILES)
def test_new_entries_go_to_the_end_of_a_template(name: str) -> None:
    assert layout.template(name, VALUES).decode().endswith(f"\n---\n\n{layout.ENTRIES_MARKER}\n")


@pytest.mark.parametrize("name", [*layout.MEMORY_FILES, layout.SESSION_TEMPLATE, layout.IDENTITY])
@given(value=st.one_of(st.sampled_from(HOSTILE), st.text(max_size=300)))
def test_no_value_breaks_or_forges_a_template(name: str, value: str) -> None:
    hostile = layout.template(
        name, VALUES | dict.fromkeys(("project", "topic", "agent", "user"), value)
    ).decode()
    plain = layout.template(name, VALUES).decode()
    assert len(hostile.split("\n")) == len(plain.split("\n"))
    if name == layout.IDENTITY:
        assert list(yaml.safe_load(hostile)) == list(yaml.safe_load(plain))
    else:
        assert list(front_matter(hostile)) == list(front_matter(plain))
        assert shape(hostile) == shape(plain)


def shape(text: str) -> list[str]:
    """What a reader of Markdown sees besides plain words, block by block and mark by mark."""
    blocks = MarkdownIt().parse(text.split("---\n", 2)[-1])
    marks = [child.type for block in blocks for child in block.children or ()]
    return [block.type for block in blocks] + [mark for mark in marks if not mark.startswith("text")]


@pytest.mark.parametrize("value", ["Ana", "O'Neil", 'a "b" c', "x: y # z", "größe", "日本 🎉", "\\n"])
def test_a_plain_name_comes_back_from_yaml_as_it_was(value: str) -> None:
    identity = yaml.safe_load(layout.template("identity.yaml", VALUES | {"user": value}))
    assert identity["user_name"] == value


@pytest.mark.parametrize("path", ["/a`b", "/a``b`c", "`", "/plain path"])
def test_a_path_stands_in_a_code_span_that_it_cannot_leave(path: str) -> None:
    text = layout.template("context.md", VALUES | {"path": path}).decode()
    match = re.search(r"^- \*\*Path\*\*: (`+)(.*[^`])\1$", text, re.MULTILINE)
    assert match is not None
    assert match[2].strip(" ") == path
    assert match[1] not in re.findall("`+", path)


def test_the_entry_point_of_a_portfolio_is_the_first_of_three(tmp_path: Path) -> None:
    assert layout.entry_point(str(tmp_path)) is None
    for name in ("HOT.md", "AGENTS.md", "README.md"):
        (tmp_path / name).write_text("x\n")
        assert layout.entry_point(str(tmp_path)) == str(tmp_path / name)


def test_a_link_is_no_entry_point(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("x\n")
    (tmp_path / "README.md").symlink_to("AGENTS.md")
    assert layout.entry_point(str(tmp_path)) == str(tmp_path / "AGENTS.md")


@pytest.mark.parametrize(
    ("kind", "folder"), [("portfolio", "/b/memory"), ("bmad-global", "/b"), ("claude-memory", "/b")]
)
def test_a_brain_keeps_its_notes_where_its_kind_does(kind: str, folder: str) -> None:
    assert layout.memory_folder("/b", kind) == folder
