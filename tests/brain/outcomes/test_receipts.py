"""The ledger of receipts: read as others wrote it, refused as a whole when one byte of it is not right."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from brain.files.errors import MemError
from brain.outcomes.receipts import append_receipt, read_receipts, receipt_id
from tests.brain.outcomes.nexus_project import Json, Project, compact, receipt_of, sha, source_of

SECTION = "A\nalpha text"


def source(project: Project, run_id: str = "one") -> Json:
    return source_of(project.run(run_id))


def golden(project: Project, count: int = 1) -> list[Json]:
    return [receipt_of(source(project, f"run{number}"), SECTION) for number in range(count)]


def store(project: Project, *receipts: Json) -> None:
    project.write(str(project.ledger), "".join(compact(one) + "\n" for one in receipts))


def fault(project: Project) -> str:
    with pytest.raises(MemError) as refusal:
        read_receipts(project.path)
    text = str(refusal.value)
    assert text.startswith(".bmad/memory/outcomes.ndjson is damaged: ")
    assert "\n" not in text
    return text


def resealed(receipt: Json, **changes: object) -> Json:
    """The receipt with other content under an id that fits it."""
    body = {key: value for key, value in (receipt | changes).items() if key != "id"}
    return {"id": sha(compact(body)), **body}


def test_the_published_section_has_the_published_hash(project: Project) -> None:
    (receipt,) = golden(project)
    expected = "3e23fbf6a865bf89c99e881b4bf8f6d7cfd57cded8126bbc30f47c177fe72ea8"
    assert receipt["memory"]["textSha256"] == expected


def test_receipts_of_another_writer_are_read_with_their_bytes(project: Project) -> None:
    receipts = golden(project, 3)
    store(project, *receipts)
    assert [compact(one.document) for one in read_receipts(project.path)] == [
        compact(one) for one in receipts
    ]


@pytest.mark.parametrize(
    "interpretation",
    ["é", "e\u0301", "🙂", "a\u2028b\u2029c", "\x7f", "\b\f\n\r\t\x01", '"\\/', "\ufeff", "\u0600"],
)
def test_an_id_covers_every_character_as_it_was_written(project: Project, interpretation: str) -> None:
    receipt = receipt_of(source(project), SECTION, interpretation=interpretation)
    store(project, receipt)
    (read,) = read_receipts(project.path)
    assert read.id == receipt["id"]


def test_an_id_covers_numbers_and_keys_as_javascript_writes_them() -> None:
    value = {"schemaVersion": 1.0, "n": [0.0000001, 1e21, 0.1, 1e2], "o": {"a": 3, "10": 2, "2": 1}}
    assert receipt_id(value) == sha('{"schemaVersion":1,"n":[1e-7,1e+21,0.1,100],"o":{"2":1,"10":2,"a":3}}')


def test_no_ledger_and_an_empty_one_hold_no_receipt(project: Project) -> None:
    assert read_receipts(project.path) == []
    store(project)
    assert read_receipts(project.path) == []


def test_a_ledger_without_its_last_newline_is_refused(project: Project) -> None:
    store(project, *golden(project, 2))
    whole = project.ledger.read_bytes()
    project.ledger.write_bytes(whole[:-1])
    assert "last line is not complete" in fault(project)


def test_a_ledger_that_was_torn_at_any_byte_is_refused(project: Project) -> None:
    store(project, *golden(project))
    whole = project.ledger.read_bytes()
    for length in range(1, len(whole)):
        project.ledger.write_bytes(whole[:length])
        fault(project)


def test_a_ledger_with_any_byte_changed_is_refused(project: Project) -> None:
    store(project, *golden(project))
    whole = project.ledger.read_bytes()
    for place in range(len(whole)):
        project.ledger.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        fault(project)


WRONG: list[tuple[str, Callable[[Json], Json]]] = [
    ("interpretation", lambda receipt: receipt | {"interpretation": "tampered"}),
    ("id", lambda receipt: receipt | {"id": "0" * 64}),
    ("key order", lambda receipt: dict(sorted(receipt.items()))),
    ("schema", lambda receipt: resealed(receipt, schemaVersion=2)),
    ("kind", lambda receipt: resealed(receipt, kind="accepted")),
    ("relation to nothing", lambda receipt: resealed(receipt, supersedes=["0" * 64])),
    ("contradiction of nothing", lambda receipt: resealed(receipt, contradicts=["0" * 64])),
    ("relation of another kind", lambda receipt: resealed(receipt, supersedes=[1])),
    ("no relation", lambda receipt: resealed(receipt, supersedes=None)),
    ("no source", lambda receipt: resealed(receipt, source=None)),
    ("no attempt", lambda receipt: resealed(receipt, source=receipt["source"] | {"attemptId": None})),
    ("empty attempt", lambda receipt: resealed(receipt, source=receipt["source"] | {"attemptId": ""})),
    ("no memory", lambda receipt: resealed(receipt, memory="lessons.md")),
    ("no heading", lambda receipt: resealed(receipt, memory={"file": "x"})),
    ("no scope", lambda receipt: resealed(receipt, scope=[])),
    ("scope upwards", lambda receipt: resealed(receipt, scope=["../x"])),
]


@pytest.mark.parametrize("change", [row[1] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_receipt_is_refused_for_its(project: Project, change: Callable[[Json], Json]) -> None:
    first, second = golden(project, 2)
    store(project, first, second)
    assert len(read_receipts(project.path)) == 2
    store(project, first, change(second))
    assert "line 2" in fault(project)


def test_a_relation_must_point_backwards(project: Project) -> None:
    first, second = golden(project, 2)
    forward = resealed(first, supersedes=[second["id"]])
    store(project, second, forward)
    assert len(read_receipts(project.path)) == 2
    store(project, forward, second)
    assert "does not stand before it" in fault(project)


def test_an_attempt_and_an_id_have_one_receipt(project: Project) -> None:
    (first,) = golden(project)
    store(project, first, first)
    assert "second receipt" in fault(project)
    store(project, first, resealed(first, interpretation="another"))
    assert "second receipt" in fault(project)


@pytest.mark.parametrize("line", ["null", "[]", "1", '"x"', "{}", "{", "NaN", "[" * 100_000, "\ufeff{}"])
def test_a_line_that_is_no_receipt_is_refused(project: Project, line: str) -> None:
    project.write(str(project.ledger), line + "\n")
    assert "line 1" in fault(project)


def test_bytes_that_are_no_text_are_refused(project: Project) -> None:
    project.write(str(project.ledger), "")
    project.ledger.write_bytes(b"\xff\n")
    assert "not UTF-8" in fault(project)


def test_a_thousand_receipts_are_read_and_one_more_is_refused(project: Project) -> None:
    small = source(project) | {"baseline": None, "artifactHashes": {}, "resourceHashes": {}}
    receipts = [receipt_of(small | {"attemptId": f"a{number}"}, SECTION) for number in range(1001)]
    store(project, *receipts[:1000])
    assert len(read_receipts(project.path)) == 1000
    store(project, *receipts)
    assert "more than 1000 receipts" in fault(project)


def test_two_mib_are_read_and_one_byte_more_is_refused(project: Project) -> None:
    store(project, *golden(project))
    rest = 2 * 1024 * 1024 - project.ledger.stat().st_size
    with project.ledger.open("a") as stream:
        stream.write("\n" * rest)
    assert len(read_receipts(project.path)) == 1
    with project.ledger.open("a") as stream:
        stream.write("\n")
    assert "more than the cap" in fault(project)


def test_a_ledger_that_is_a_pipe_or_a_folder_is_refused(project: Project) -> None:
    project.ledger.parent.mkdir(parents=True)
    os.mkfifo(project.ledger)
    assert "not a regular file" in fault(project)
    project.ledger.unlink()
    project.ledger.mkdir()
    assert "not a regular file" in fault(project)


def test_a_ledger_behind_a_link_is_refused(project: Project) -> None:
    store(project, *golden(project))
    project.ledger.rename(project.root / "ledger")
    project.ledger.symlink_to(project.root / "ledger")
    with pytest.raises(MemError, match="symbolic link"):
        read_receipts(project.path)


def test_a_receipt_is_never_added_behind_a_torn_line(project: Project) -> None:
    first, second = golden(project, 2)
    project.write(str(project.ledger), compact(first))
    before = project.ledger.read_bytes()
    with pytest.raises(MemError, match="torn"):
        append_receipt(project.path, second)
    assert project.ledger.read_bytes() == before
