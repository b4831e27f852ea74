"""``zecher remember``, ``forget``, ``memory edit``, ``memory list`` and ``memory audit`` from outside.

Written from the reference alone, without a look at the code.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.notebook import notebook, results
from tests.jobs.program import Done, Program, folder_state
from tests.support import write


@pytest.fixture
def shop(home: Path, tmp_path: Path) -> Program:
    return notebook(home, tmp_path)


def memory_of(program: Program) -> Path:
    return program.home / ".bmad-plus/brain/memory"


def remember(program: Program, text: str, category: str = "general", *options: str) -> Done:
    return program("remember", "--user", "--category", category, *options, "--json", "--", text)


def kept(program: Program, text: str, category: str = "general", *options: str) -> dict[str, Any]:
    done = remember(program, text, category, *options)
    assert done.code == 0, done.out
    return done.data


def body(path: Path) -> str:
    """What a reader reads: without the front matter and without comments."""
    text = path.read_text().split("---\n", 2)[2]
    return re.sub(r" *<!--.*?-->", "", text).strip()


def files(program: Program) -> set[str]:
    return {path.name for path in memory_of(program).rglob("*")}


# -- the worked cases of the reference -----------------------------------------------------------------------


def test_the_first_fact_makes_one_file_and_touches_no_project(shop: Program) -> None:  # N01
    before = folder_state(shop.cwd.parent)
    data = kept(shop, "prefers dark mode", "preferences")
    assert data["outcome"] == "created"
    assert body(memory_of(shop) / "preferences.md") == "prefers dark mode"
    assert files(shop) == {"preferences.md"}
    assert folder_state(shop.cwd.parent) == before


def test_the_second_fact_follows_after_one_blank_line(shop: Program) -> None:  # N02
    kept(shop, "prefers dark mode", "preferences")
    assert kept(shop, "uses vim keys", "preferences")["outcome"] == "appended"
    assert body(memory_of(shop) / "preferences.md") == "prefers dark mode\n\nuses vim keys"


def test_a_category_is_one_in_every_spelling(shop: Program) -> None:  # N03
    for number, name in enumerate(("Ongoing Work", "ongoing work", "ongoingWork")):
        kept(shop, f"task number {number}", name)
    assert files(shop) == {"ongoing-work.md"}
    text = (memory_of(shop) / "ongoing-work.md").read_text()
    assert 'title: "Ongoing Work"' in text
    assert text.count("task number") == 3


@pytest.mark.parametrize(
    "names",
    [
        ("C", "C++", "C#"),  # N06
        ("Größe & Maß", "Grosse Mass", "Groesse Mass"),  # N05
        ("🚲", "🚀"),
        ("Ж" * 299 + "a", "Ж" * 299 + "b"),  # N12
        ("字" * 300, "字" * 299),
    ],
)
def test_different_categories_never_share_a_file(shop: Program, names: Iterable[str]) -> None:
    for name in names:
        assert (
            kept(shop, f"a fact about {name[:9]} itself {len(name)}{name[-1]}", name)["outcome"] == "created"
        )
    for name in names:
        assert kept(shop, f"another one {name[:9]} {len(name)}{name[-1]}", name)["outcome"] == "appended"
    found = list(memory_of(shop).iterdir())
    assert len(found) == len(list(names))
    assert all(len(path.name.encode()) <= 255 for path in found)


def test_a_category_is_never_a_path(shop: Program) -> None:  # N08
    before = folder_state(shop.cwd.parent), set(folder_state(shop.home))
    names = ["a/b", "..secret", "C:\\x", "../../up", "...", "CON", "-x", ".hidden"]
    found = {Path(kept(shop, f"fact {number}", name)["file"]) for number, name in enumerate(names)}
    assert len(found) == len(names)
    assert {path.parent for path in found} == {memory_of(shop)}
    assert {path.suffix for path in found} == {".md"}
    assert not [path for path in found if path.name.startswith((".", "-"))]
    assert set(memory_of(shop).iterdir()) == found
    made = {name for name in set(folder_state(shop.home)) - before[1] if not name.startswith(".bmad-plus/")}
    assert all(name.startswith((".local/state/", ".cache/")) for name in made)
    assert folder_state(shop.cwd.parent) == before[0]


def test_a_bad_category_is_refused(shop: Program) -> None:  # N09
    for name in ("x#y", "[x]", "a|b", "a\nb", "   ", "", "a\x07b", "a\u202eb"):
        done = remember(shop, "a fact", name)
        assert (done.code, done.document["ok"]) == (1, False), name
    assert not memory_of(shop).exists()


def test_blank_and_hidden_text_is_refused(shop: Program) -> None:  # N10
    hidden = ["red \x1b[31m", "left \u202e right", "tag \U000e0041", "line\u2028two", "\u0085", "x" * 20_000]
    for text in ("", "  \n ", *hidden):
        done = remember(shop, text)
        assert (done.code, done.document["ok"]) == (1, False), text
    assert not memory_of(shop).exists()


PEM = "-----BEGIN {0}PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq\nabcdefgh\n-----END {0}PRIVATE KEY-----"
SECRETS = [
    ("key sk-abcdefghijklmnopqrstuvwxyz0123456789abcdABCD", "abcdefghijklmnop"),
    ("aws AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
    ("token ghp_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnop"),
    ("the password=hunter2horse", "hunter2horse"),
    ("postgres://admin:s3cr3tpw@db.example.com/x", "s3cr3tpw"),
    (PEM.format("RSA "), "MIIEpAIB"),
    ("see\n\n" + PEM.format("OPENSSH ").split("\n-----END", maxsplit=1)[0], "MIIEpAIB"),
    (PEM.format("").replace("\n", "\r\n"), "MIIEpAIB"),
]


@pytest.mark.parametrize("way", ["word", "summary", "pipe"])
def test_a_secret_is_refused_by_its_kind_and_never_shown(shop: Program, way: str) -> None:  # N39
    for text, hidden in SECRETS if way != "summary" else SECRETS[:5]:
        if way == "word":
            done = remember(shop, text)
        elif way == "summary":
            done = remember(shop, "a fact", "general", "--summary", text)
        else:
            done = shop("remember", "--user", answers=text)
        assert done.code == 1
        assert "secret" in done.out + done.err
        assert hidden not in done.out + done.err
    assert not memory_of(shop).exists()
    logged = shop("memory", "audit", "--json").out
    assert not [hidden for _, hidden in SECRETS if hidden in logged]


def test_a_summary_is_kept_and_replaced_when_a_new_one_comes(shop: Program) -> None:  # N14
    assert kept(shop, "one", "ui", "--summary", "UI prefs")["summaryUpdated"] is True
    assert kept(shop, "two", "ui")["summaryUpdated"] is False
    assert 'summary: "UI prefs"' in (memory_of(shop) / "ui.md").read_text()
    assert kept(shop, "three", "ui", "--summary", "fresh")["summaryUpdated"] is True
    (category,) = shop("memory", "list", "--user", "--json").data["categories"]
    assert (category["summary"], category["derived"], category["observations"]) == ("fresh", False, 3)


def test_a_missing_summary_is_derived_and_short(shop: Program) -> None:  # N15
    kept(shop, "A long story about many things. " * 16, "story")
    (category,) = shop("memory", "list", "--user", "--json").data["categories"]
    assert category["derived"] is True
    assert len(category["summary"]) <= 160
    assert category["tokens"] < category["body_tokens"]


def test_one_fact_is_kept_once(shop: Program) -> None:  # N16
    first = kept(shop, "uses vim keys", "preferences")
    before = (memory_of(shop) / "preferences.md").read_bytes()
    for again in ("uses vim keys", " Uses  vim keys. ", "uses VIM keys"):
        second = kept(shop, again, "preferences")
        assert (second["outcome"], second["id"], second["line"]) == ("skipped", first["id"], first["line"])
    assert kept(shop, "uses vim keys", "other category")["outcome"] == "skipped"
    assert (memory_of(shop) / "preferences.md").read_bytes() == before
    assert files(shop) == {"preferences.md"}


def test_a_near_fact_is_shown(shop: Program) -> None:
    first = kept(shop, "prefers the dark mode in every editor", "preferences")
    data = kept(shop, "always prefers the dark mode in every editor", "preferences")
    assert data["outcome"] == "appended"
    assert [near["id"] for near in data["near"]] == [first["id"]]


def test_one_fact_of_two_projects_is_two_facts(shop: Program) -> None:  # N18
    assert shop("scan", "--yes").code == 0
    for project in ("shop", "blog"):
        done = shop("remember", f"--project={project}", "--category", "ops", "Deploys on Tuesday", "--json")
        assert done.data["outcome"] == "created"
        assert Path(done.data["file"]).is_relative_to(shop.cwd.parent / project)


def test_a_stale_version_is_a_conflict(shop: Program) -> None:  # N19
    token = kept(shop, "one", "ui")["versionToken"]
    kept(shop, "two", "ui")
    before = (memory_of(shop) / "ui.md").read_bytes()
    assert remember(shop, "three", "ui", "--version-token", token).code == 1
    assert shop("memory", "edit", "ui", "--append", "three", "--version-token", token).code == 1
    assert (memory_of(shop) / "ui.md").read_bytes() == before


def test_writers_at_once_lose_nothing(shop: Program, *, full: bool) -> None:  # N20
    each = 100 if full else 6
    script = (
        "for i in $(seq 1 $2); do "
        "$0 remember --user --category 'New List' -q \"fact $i of writer $1 about x$1y$i\" || exit 1; done"
    )
    program = write(shop.home / "zecher", '#!/bin/sh\nexec "$PYTHON" -m jobs.cli "$@"\n')
    program.chmod(0o700)
    command = shop.command()
    writers = [
        subprocess.Popen(
            ["sh", "-c", script, str(program), str(number), str(each)],
            cwd=shop.cwd,
            env=shop.environment() | {"PYTHON": command[0]},
            stdout=subprocess.DEVNULL,
        )
        for number in range(4)
    ]
    assert [writer.wait(timeout=300) for writer in writers] == [0] * 4
    text = (memory_of(shop) / "new-list.md").read_text()
    for number in range(4):
        for place in range(1, each + 1):
            assert text.count(f"x{number}y{place} ") == 1
    assert len(set(re.findall(r"\d (\w+) -->", text))) == 4 * each
    assert files(shop) == {"new-list.md"}


# -- forget --------------------------------------------------------------------------------------------------


def test_what_is_forgotten_stays_in_the_file_and_comes_back(shop: Program) -> None:
    fact = kept(shop, "the budgerigar is called Hugo", "pets")
    kept(shop, "the terrapin is called Lisa", "pets")
    done = shop("forget", fact["id"], "--json")
    assert (done.code, done.data["outcome"]) == (0, "archived")
    text = (memory_of(shop) / "pets.md").read_text()
    assert text.index("Lisa") < text.index("[ARCHIVED]") < text.index("Hugo")
    assert shop("forget", fact["id"]).code == 0
    assert "Hugo" not in shop("brief").out
    assert shop("forget", fact["id"], "--undo", "--json").data["outcome"] == "restored"
    assert "[ARCHIVED]" not in (memory_of(shop) / "pets.md").read_text()
    assert "Hugo" in shop("recall", "budgerigar", "--with-user").out


def test_a_name_that_is_none_changes_nothing(shop: Program) -> None:
    kept(shop, "the budgerigar is called Hugo", "pets")
    before = folder_state(memory_of(shop))
    for name in ("zzzz", "", "../x", "*", "%"):
        assert shop("forget", "--", name).code == 1
    assert folder_state(memory_of(shop)) == before


def test_the_name_of_a_fact_stays_out_of_the_readers_way(shop: Program) -> None:
    fact = kept(shop, "the budgerigar is called Hugo", "pets")
    assert len(fact["id"]) <= 8
    (found,) = results(shop, "budgerigar", "--scope", "brain")
    assert (found["snippet"], found["id"]) == ("the budgerigar is called Hugo", fact["id"])
    assert fact["id"] not in shop("recall", "budgerigar", "--with-user").out


# -- edit ----------------------------------------------------------------------------------------------------

NOTE = """---
title: "ed"
summary: "keep me"
custom: [1, 2]
---

f1

f2

f3

```
## Tests
inside a fence
```

## Tests

old

### Unit

child

## Next

stay

## Twice

a

## Twice

b
"""


@pytest.fixture
def note(shop: Program) -> Path:
    return write(shop.cwd / ".agents/memory/notes/ed.md", NOTE)


def test_a_text_is_taken_out_with_one_blank_line_left(shop: Program, note: Path) -> None:  # N21
    assert shop("memory", "edit", "ed", "--find", "f2", "--with", "").code == 0
    assert note.read_text() == NOTE.replace("f1\n\nf2\n\nf3", "f1\n\nf3")


def test_a_section_is_replaced_with_its_children_and_no_fence_is_taken(
    shop: Program, note: Path
) -> None:  # N26
    assert shop("memory", "edit", "ed", "--section", "tests", "--with", "new").code == 0
    assert note.read_text() == NOTE.replace("old\n\n### Unit\n\nchild", "new")


UNCLEAR = [
    ["--find", "zzz", "--with", "x"],  # N24
    ["--find", "## Twice", "--with", "x"],
    ["--find", "", "--with", "x"],
    ["--find", "custom", "--with", "x"],
    ["--section", "twice", "--with", "x"],
    ["--section", "nope", "--with", "x"],
    ["--section", "inside a fence", "--with", "x"],
    ["--append", "x", "--version-token", "stale"],
    ["--append", "key ghp_abcdefghijklmnopqrstuvwxyz0123456789"],
    ["--append", PEM.format("RSA ")],
    ["--append", "red \x1b[31m"],
    ["--append", "x", "--prepend", "y"],
    ["--find", "f1"],
    [],
]


def test_an_edit_that_is_not_clear_changes_nothing(shop: Program, note: Path) -> None:
    for words in UNCLEAR:
        done = shop("memory", "edit", "ed", *words)
        assert done.code in (1, 2)
        assert re.match(r"zecher: .*\n  why: .*\n  fix: .*\n$", done.err)
        assert note.read_text() == NOTE


@pytest.mark.parametrize("words", [["--append", ""], ["--prepend", ""], ["--find", "f1", "--with", "f1"]])
def test_an_edit_of_nothing_writes_nothing(shop: Program, note: Path, words: list[str]) -> None:
    before = note.stat().st_mtime_ns
    done = shop("memory", "edit", "ed", *words, "--json")
    assert (done.code, done.data["outcome"], note.stat().st_mtime_ns) == (0, "unchanged", before)


def test_first_and_last_come_with_one_blank_line(shop: Program, note: Path) -> None:
    assert shop("memory", "edit", "ed", "--append", "last").code == 0
    assert shop("memory", "edit", "ed", "--prepend", "first").code == 0
    assert note.read_text() == NOTE.replace("f1\n", "first\n\nf1\n", 1) + "\nlast\n"


def test_no_edit_reaches_outside(shop: Program, note: Path) -> None:
    outside = write(shop.cwd.parent / "outside.md", "outside\n")
    note.with_name("link.md").symlink_to(outside)
    before = folder_state(shop.cwd.parent)
    up = ".agents/memory/notes/../../../pyproject.toml"
    for name in ("pyproject.toml", "../outside.md", "/etc/passwd", up, "link"):
        assert shop("memory", "edit", name, "--append", "x").code == 1
    assert folder_state(shop.cwd.parent) == before


# -- list and audit ------------------------------------------------------------------------------------------


def test_the_audit_names_the_question_and_what_was_found_until_it_is_switched_off(shop: Program) -> None:
    shop("memory", "search", "Zahlungsanbieter")
    shop("recall", "nothingofthekind")
    calls = shop("memory", "audit", "--json").data["calls"]
    assert [(call["tool"], call["query"], call["count"]) for call in calls] == [
        ("search", "Zahlungsanbieter", 1),
        ("recall", "nothingofthekind", 0),
    ]
    assert calls[0]["hits"] == [f"{shop.cwd}/DECISIONS.md:3"]
    config = shop.home / ".config/zecher/config.toml"
    config.write_text(config.read_text() + "\n[memory]\naudit = false\n")
    shop("memory", "search", "Gutscheine")
    assert len(shop("memory", "audit", "--json").data["calls"]) == 2
    log = shop.home / ".local/state/zecher/audit.ndjson"
    assert log.stat().st_mode & 0o077 == 0


def test_a_secret_that_is_asked_for_is_not_logged(shop: Program) -> None:
    shop("memory", "search", "where is ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    shop("recall", "password=hunter2horse")
    said = (
        shop("memory", "audit", "--json").out + (shop.home / ".local/state/zecher/audit.ndjson").read_text()
    )
    assert "abcdefghijklmnop" not in said
    assert "hunter2horse" not in said


def test_a_log_of_garbage_stops_no_answer(shop: Program) -> None:
    log = write(shop.home / ".local/state/zecher/audit.ndjson", "{not json\n\x00\x01\n[]\n7\n")
    log.chmod(0o600)
    assert shop("memory", "search", "Zahlungsanbieter").code == 0
    assert shop("memory", "audit", "--json").data["calls"][-1]["query"] == "Zahlungsanbieter"
