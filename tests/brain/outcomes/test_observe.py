"""Observing: the published checks in their order, one receipt at the end, nothing written before."""

from __future__ import annotations

import multiprocessing
import os
import re
from collections.abc import Callable
from typing import Any

import pytest

from brain.files.errors import MemError
from brain.files.writer_lock import WriterLock
from brain.outcomes import observe as module
from brain.outcomes.observe import observe
from brain.outcomes.receipts import read_receipts
from tests.brain.outcomes.nexus_project import (
    ACCEPTED_AT,
    LESSON,
    MEMORY,
    Json,
    Project,
    compact,
    receipt_of,
    sha,
    source_of,
    wanted,
)
from tests.support import NOW

SECTION = f"{LESSON}\nUse **one** limit for each account.\n"


def refused(project: Project, input_path: str = "", **changes: Any) -> str:
    """The refusal's words, after a look whether the ledger is what it was."""
    before = project.ledger.read_bytes() if project.ledger.exists() else None
    with pytest.raises(MemError) as refusal:
        observe(project.path, input_path or project.ask(**changes), now=NOW, wait=0)
    assert (project.ledger.read_bytes() if project.ledger.exists() else None) == before
    assert not (project.root / ".bmad/memory/writer.lock").exists()
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


def observed(project: Project, **changes: Any) -> Json:
    return observe(project.path, project.ask(**changes), now=NOW)


def test_a_receipt_has_the_published_keys_order_and_hashes(project: Project) -> None:
    run = project.accept()
    expected = receipt_of(source_of(run), SECTION)
    assert compact(observed(project)) == compact(expected)
    assert project.ledger.read_text() == compact(expected) + "\n"


def test_a_receipt_is_added_to_a_ledger_that_another_writer_began(project: Project) -> None:
    first = receipt_of(source_of(project.accept("first")), SECTION)
    project.write(str(project.ledger), compact(first) + "\n")
    second = receipt_of(source_of(project.accept()), SECTION)
    observed(project)
    assert project.ledger.read_text() == compact(first) + "\n" + compact(second) + "\n"


def test_an_independent_reader_accepts_what_was_written(project: Project) -> None:
    project.accept()
    observed(project)
    (record,) = project.records()
    given = record.pop("id")
    assert re.fullmatch("[0-9a-f]{64}", given)
    assert given == sha(compact(record))
    assert record["source"]["acceptedAt"] == ACCEPTED_AT


def test_the_ledger_is_open_to_its_owner_only(project: Project) -> None:
    project.accept()
    observed(project)
    assert project.ledger.stat().st_mode & 0o777 == 0o600


# 1: the input


@pytest.mark.parametrize("path", ["", ".", "../in.json", "/in.json", "./in.json", "a//b", "c:in", "a\\..\\b"])
def test_an_input_path_outside_the_project_is_refused(project: Project, path: str) -> None:
    with pytest.raises(MemError):
        observe(project.path, path, now=NOW)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"\xef\xbb\xbf{}", b"{}\xff", b"[NaN]", b"[" * 100_000],
    ids=["empty", "torn", "mark", "bytes", "nan", "deep"],
)
def test_an_input_that_is_no_json_is_refused(project: Project, data: bytes) -> None:
    (project.root / "in.json").write_bytes(data)
    assert "is not JSON" in refused(project, "in.json")


@pytest.mark.parametrize("text", ["null", "[]", "1", '"x"'])
def test_an_input_that_is_no_object_is_refused(project: Project, text: str) -> None:
    project.write("in.json", text)
    assert "one JSON object" in refused(project, "in.json")


def test_an_input_that_is_missing_large_a_link_or_a_pipe_is_refused(project: Project) -> None:
    assert refused(project, "in.json") == "in.json: no such file"
    project.write("in.json", " " * (2 * 1024 * 1024 + 1))
    assert "more than the cap" in refused(project, "in.json")
    (project.root / "link.json").symlink_to("in.json")
    assert "symbolic link" in refused(project, "link.json")
    os.mkfifo(project.root / "pipe.json")
    assert "not a regular file" in refused(project, "pipe.json")


# 2: lock and ledger


def test_a_lock_of_another_writer_is_waited_for_and_left_alone(project: Project) -> None:
    project.accept()
    name = project.ask()
    lock = project.write(".bmad/memory/writer.lock", '{"pid":1,"hostname":"elsewhere","token":"t"}')
    with pytest.raises(MemError, match="elsewhere"):
        observe(project.path, name, now=NOW, wait=0.05)
    assert lock.read_text() == '{"pid":1,"hostname":"elsewhere","token":"t"}'
    assert not project.ledger.exists()


def test_a_damaged_ledger_is_reported_before_anything_about_the_task(project: Project) -> None:
    project.write(str(project.ledger), "null\n")
    assert "damaged" in refused(project, runId=None)


# 3 to 10


def without_memory(project: Project) -> None:
    (project.root / MEMORY).unlink()


def twice(project: Project) -> None:
    project.lesson(LESSON, "again")


def bad_bytes(project: Project) -> None:
    path = project.root / MEMORY
    path.write_bytes(path.read_bytes() + b"\xff")


def too_large(project: Project) -> None:
    os.truncate(project.root / MEMORY, 2 * 1024 * 1024 + 1)


def linked_memory(project: Project) -> None:
    (project.root / ".agents").rename(project.root / "agents")
    (project.root / ".agents").symlink_to("agents")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"runId": None}, "runId is missing"),
        ({"runId": 1}, "runId is missing"),
        ({"runId": " \t\ufeff"}, "runId is missing"),
        ({"runId": "a" * 1001}, "runId is too long"),
        ({"runId": "One"}, "runId must be"),
        ({"taskId": ""}, "taskId is missing"),
        ({"taskId": "🙂" * 501}, "taskId is too long"),
        ({"runId": "two"}, "no such file"),
        ({"taskId": "🙂" * 500}, "has no task"),
        ({"memory": None}, "memory.file must be"),
        ({"memory": {"file": "README.md", "heading": LESSON}}, "memory.file must be"),
        ({"memory": {"file": ".agents/memory/context.md", "heading": LESSON}}, "memory.file must be"),
        ({"memory": {"file": "./" + MEMORY, "heading": LESSON}}, "memory.file must be"),
        ({"memory": {"file": MEMORY + "\n", "heading": LESSON}}, "memory.file must be"),
        ({"memory": {"file": [MEMORY], "heading": LESSON}}, "memory.file must be"),
        ({"memory": {"file": MEMORY}}, "memory.heading is missing"),
        ({"memory": {"file": MEMORY, "heading": "x" * 301}}, "memory.heading is too long"),
        ({"memory": {"file": MEMORY, "heading": LESSON + " "}}, "exactly one section"),
        ({"memory": {"file": ".bmad/memory/lessons.md", "heading": LESSON}}, "no such file"),
        ({"scope": None}, "1 to 30 paths"),
        ({"scope": []}, "1 to 30 paths"),
        ({"scope": "src/auth"}, "1 to 30 paths"),
        ({"scope": ["src/auth"] * 31}, "1 to 30 paths"),
        ({"scope": [1]}, "not a text"),
        ({"scope": [""]}, "is not normal"),
        ({"scope": ["."]}, "is not normal"),
        ({"scope": ["/src"]}, "is not normal"),
        ({"scope": ["src/auth/"]}, "is not normal"),
        ({"scope": ["src/../src/auth"]}, "is not normal"),
        ({"scope": ["src\\auth"]}, "is not normal"),
        ({"scope": ["c:src"]}, "is not normal"),
        ({"scope": ["src"]}, "exceeds the scope"),
        ({"scope": ["SRC/auth"]}, "exceeds the scope"),
        ({"scope": ["src/auth2"]}, "exceeds the scope"),
        ({"scope": ["src/auth", "docs"]}, "exceeds the scope"),
        ({"supersedes": "x"}, "at most 30 receipt ids"),
        ({"supersedes": ["x"] * 31}, "at most 30 receipt ids"),
        ({"supersedes": ["x", "x"]}, "each once"),
        ({"supersedes": [1]}, "receipt ids"),
        ({"supersedes": ["x"]}, "must name receipts that exist"),
        ({"contradicts": ["x"]}, "must name receipts that exist"),
        ({"interpretation": None}, "interpretation is missing"),
        ({"interpretation": " \n"}, "interpretation is missing"),
        ({"interpretation": "x" * 2001}, "interpretation is too long"),
        ({"interpretation": "🙂" * 1001}, "interpretation is too long"),
    ],
)
def test_an_observation_is_refused_with(project: Project, changes: Json, words: str) -> None:
    project.accept()
    assert words in refused(project, **changes)
    assert observed(project)["id"]


@pytest.mark.parametrize(
    ("disturb", "words"),
    [
        (without_memory, "no such file"),
        (twice, "exactly one section with that ### heading; it has 2"),
        (bad_bytes, "not UTF-8 from byte"),
        (too_large, "more than the cap"),
        (linked_memory, "symbolic link"),
    ],
)
def test_a_section_is_refused_when_its_file_is(
    project: Project, disturb: Callable[[Project], None], words: str
) -> None:
    project.accept()
    disturb(project)
    assert words in refused(project)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"runId": None, "taskId": None}, "runId"),
        ({"taskId": "other", "memory": None}, "has no task"),
        ({"memory": None, "scope": []}, "memory.file"),
        ({"scope": ["src", "src/"]}, "not normal"),
        ({"scope": ["src"], "supersedes": ["x"]}, "exceeds"),
        ({"contradicts": ["x"], "interpretation": ""}, "contradicts"),
        ({"supersedes": ["x"], "contradicts": 1}, "supersedes"),
    ],
)
def test_the_first_check_that_fails_is_the_one_that_speaks(
    project: Project, changes: Json, words: str
) -> None:
    project.accept()
    assert words in refused(project, **changes)


def test_limits_are_reached_before_they_are_passed(project: Project) -> None:
    heading = "é" * 300
    project.lesson(heading, "body")
    project.accept()
    receipt = observed(
        project,
        memory={"file": MEMORY, "heading": heading},
        interpretation="🙂" * 1000,
        scope=["src/auth"] * 30,
    )
    assert receipt["scope"] == ["src/auth"]
    assert receipt["interpretation"] == "🙂" * 1000


def test_a_scope_is_stored_once_and_in_javascripts_order(project: Project) -> None:
    paths = ["src/auth/\uff5e", "src/auth/🙂", "src/auth/b", "src/auth/a", "src/auth/b"]
    project.accept()
    assert observed(project, scope=paths)["scope"] == [
        "src/auth/a", "src/auth/b", "src/auth/🙂", "src/auth/\uff5e"
    ]  # fmt: skip


def test_an_attempt_is_observed_once_even_for_another_note(project: Project) -> None:
    project.lesson("Other", "text")
    project.accept()
    observed(project)
    assert "duplicate outcome" in refused(project)
    assert "duplicate outcome" in refused(project, memory={"file": MEMORY, "heading": "Other"})


def test_duplicates_are_found_before_the_memory_is_looked_at(project: Project) -> None:
    project.accept()
    observed(project)
    assert "duplicate outcome" in refused(project, memory=None)


# 9: relations


def three_observed(project: Project) -> tuple[str, str]:
    project.write("docs/a.md", "a\n")
    docs = project.plan("docs", scope=["docs"], artifacts=["docs/a.md"])
    for run_id in ("one", "two", "three"):
        project.accept(run_id, project.plan(), docs)
    first = observed(project, runId="one")
    apart = observed(project, runId="two", taskId="docs", scope=["docs"])
    return str(first["id"]), str(apart["id"])


def test_relations_are_stored_sorted(project: Project) -> None:
    first, _ = three_observed(project)
    second = str(observed(project, runId="two", scope=["src/auth/keys"])["id"])
    ids = sorted([first, second], reverse=True)
    assert observed(project, runId="three", supersedes=ids)["supersedes"] == sorted(ids)


def test_a_related_receipt_must_share_the_scope(project: Project) -> None:
    first, apart = three_observed(project)
    assert "overlaps" in refused(project, runId="three", supersedes=[apart])
    assert observed(project, runId="three", contradicts=[first])["contradicts"] == [first]


def test_a_receipt_cannot_be_both_superseded_and_contradicted(project: Project) -> None:
    first, _ = three_observed(project)
    assert "both" in refused(project, runId="three", supersedes=[first], contradicts=[first])


# 11 and 12


def disturbed(project: Project, disturb: Callable[[Project], object], patch: pytest.MonkeyPatch) -> None:
    """Let ``disturb`` happen between the two readings: the only way is to stand where the first one ends."""
    real = module._relations

    def meanwhile(*arguments: Any) -> tuple[list[str], list[str]]:
        disturb(project)
        return real(*arguments)

    patch.setattr(module, "_relations", meanwhile)


@pytest.mark.parametrize(
    "disturb",
    [
        lambda project: project.write(MEMORY, f"### {LESSON}\nanother text\n"),
        lambda project: project.write("src/auth/limit.py", "LIMIT = 7\n"),
        lambda project: project.accept(change=lambda run: run["tasks"][0].update(acceptedAt="later")),
    ],
    ids=["the section", "the artifact", "the run"],
)
def test_what_changes_while_it_is_observed_is_not_recorded(
    project: Project, disturb: Callable[[Project], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    project.accept()
    disturbed(project, disturb, monkeypatch)
    assert "changed" in refused(project)


def test_another_section_may_change_meanwhile(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.accept()
    disturbed(project, lambda project: project.lesson("Another", "body"), monkeypatch)
    assert observed(project)["id"]


def test_a_full_ledger_takes_no_more(project: Project) -> None:
    small = source_of(project.accept()) | {"baseline": None, "artifactHashes": {}, "resourceHashes": {}}
    receipts = [receipt_of(small | {"attemptId": f"a{number}"}, SECTION) for number in range(1000)]
    project.write(str(project.ledger), "".join(compact(one) + "\n" for one in receipts[:999]))
    observed(project)
    project.accept("two")
    assert "is full (1000 receipts)" in refused(project, runId="two")


def test_a_ledger_of_two_mib_takes_no_more(project: Project) -> None:
    line = compact(receipt_of(source_of(project.accept()), SECTION)) + "\n"
    # Blank lines count as nothing, so that they can fill the file up to the byte.
    room = 2 * 1024 * 1024 - len(line.encode())
    project.write(str(project.ledger), "\n" * (room + 1))
    assert "is full" in refused(project)
    project.write(str(project.ledger), "\n" * room)
    observed(project)
    assert project.ledger.stat().st_size == 2 * 1024 * 1024


def test_a_torn_ledger_takes_no_more(project: Project) -> None:
    line = compact(receipt_of(source_of(project.accept("two")), SECTION))
    project.write(str(project.ledger), line)
    project.accept()
    assert "not complete" in refused(project)


def test_a_project_that_does_not_exist_is_not_made(project: Project) -> None:
    with pytest.raises(MemError):
        observe(project.path + "-other", "in.json", now=NOW)
    assert not os.path.exists(project.path + "-other")


def test_a_moved_project_is_told_so(project: Project) -> None:
    project.accept()
    project.ask()
    there = project.root.parent / "elsewhere"
    project.root.rename(there)
    with pytest.raises(MemError, match="moved or copied"):
        observe(str(there), "observation.json", now=NOW)


def try_to_observe(path: str, name: str, answers: Any) -> None:
    try:
        answers.put(observe(path, name, now=NOW, wait=20.0)["id"])
    except MemError as error:
        answers.put(str(error))


def test_of_two_processes_that_observe_the_same_attempt_one_writes(project: Project) -> None:
    project.accept()
    name = project.ask()
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    with WriterLock(project.path):
        processes = [context.Process(target=try_to_observe, args=(project.path, name, answers)) for _ in "ab"]
        for process in processes:
            process.start()
    told = sorted(answers.get(timeout=60) for _ in processes)
    for process in processes:
        process.join(60)
    (receipt,) = read_receipts(project.path)
    assert told == sorted([receipt.id, "duplicate outcome: this attempt of the task already has its receipt"])


def test_the_default_input_is_the_documented_one() -> None:
    assert list(wanted()) == ["runId", "taskId", "memory", "scope", "interpretation"]
