"""What a recall finds in one project, in which order, and what it refuses."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from brain.files.errors import MemError
from brain.recall.recall import Hit, best, limit_of, recall
from tests.brain.recall.places import S0, S0_NOW, event, journal, notes
from tests.support import DAY, NOW, write

CAP = 2 * 1024 * 1024


def found(project: Path, query: str, **options: object) -> list[tuple[str, str]]:
    return [(hit.source_file, hit.ref) for hit in hits(project, query, **options)]


def hits(project: Path, query: str, **options: object) -> list[Hit]:
    return recall(str(project), query, **({"now": NOW} | options)).hits  # type: ignore[arg-type] # checked there


# Figures that BMAD+ 0.22 gives


@pytest.mark.parametrize(
    ("days", "shown"), [(0, "0.707"), (30, "0.354"), (45, "0.250"), (60, "0.177"), (-18, "0.707")]
)
def test_the_published_event_scores_and_fades_as_published(tmp_path: Path, days: float, shown: str) -> None:
    journal(tmp_path, S0)
    (hit,) = hits(tmp_path, "loyalty card sign-up", now=S0_NOW + days * DAY)
    assert (f"{hit.score:.3f}", hit.ref) == (shown, "912e91734848")


def test_alpha_of_three_words_thirty_days_later_scores_exactly_a_quarter(tmp_path: Path) -> None:
    journal(tmp_path, event("alpha beta gamma", agent="forge", ts="2026-01-01T00:00:00.000Z"))
    (hit,) = hits(tmp_path, "alpha", now=1_767_225_600 + 30 * DAY)
    assert hit.score == 0.25


def test_a_damaged_journal_never_hides_its_good_lines(tmp_path: Path) -> None:
    path = journal(tmp_path, event("alpha one"))
    good = path.read_bytes()
    path.write_bytes(b'not json\n\n   \nnull\n[1]\n"text"\n{"task":"alpha\xff"}\n' + good + b'{"task":"alpha')
    answer = recall(str(tmp_path), "alpha", now=NOW)
    assert [(hit.ref, hit.line) for hit in answer.hits] == [("alpha", 8)]
    file = ".bmad/memory/journal.ndjson"
    assert answer.damaged == [(file, line) for line in (1, 4, 5, 6, 7, 9)]


@pytest.mark.parametrize("ts", [None, "soon", NOW * 1000 + 1, "2999-01-01T00:00:00.000Z"])
def test_an_event_without_a_past_time_does_not_fade(tmp_path: Path, ts: object) -> None:
    journal(tmp_path, event("alpha beta", ts=ts))
    (hit,) = hits(tmp_path, "alpha")
    assert (hit.score, hit.decay) == (1 / math.sqrt(2), 1.0)


def test_an_event_that_has_faded_to_nothing_is_no_hit(tmp_path: Path) -> None:
    journal(tmp_path, event("alpha", ts=-(10**15)), event("alpha", id="fresh"))
    assert [hit.ref for hit in hits(tmp_path, "alpha")] == ["fresh"]


def test_the_sample_of_a_fresh_template_is_a_note_with_all_that_follows_it(tmp_path: Path) -> None:
    notes(
        tmp_path, "# L\n```markdown\n### Sample\n- permission\n```\n## Meta-lessons\nask\n", name="lessons.md"
    )
    (hit,) = hits(tmp_path, "permission")
    assert (hit.ref, hit.text) == ("Sample", "Sample\n- permission\n```\n## Meta-lessons\nask")


def test_the_text_of_an_event_is_what_was_published(tmp_path: Path) -> None:
    journal(tmp_path, S0)
    (hit,) = hits(tmp_path, "loyalty")
    assert hit.text == (
        "atelier claude-code Design read for the Orbit landing page: one job, the loyalty card sign-up "
        'success {"ci":"pass"}'
    )


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({}, "alpha {}"),
        ({"signals": None}, "alpha {}"),
        ({"signals": 0}, "alpha {}"),
        ({"signals": []}, "alpha []"),
        ({"signals": {"evalScore": 1.0, "ci": "pass"}}, 'alpha {"evalScore":1,"ci":"pass"}'),
        ({"agent": 7.0, "cli": True, "model": 0, "outcome": False}, "7 true alpha {}"),
        ({"agent": ["a", None, 2], "cli": [], "model": {}}, "a,,2  [object Object] alpha {}"),
    ],
)
def test_odd_members_of_an_event_become_text_as_in_the_original(
    tmp_path: Path, members: dict[str, object], text: str
) -> None:
    journal(tmp_path, event("alpha", **members))
    assert [hit.text for hit in hits(tmp_path, "alpha")] == [text]


@pytest.mark.parametrize(
    ("members", "ref"),
    [
        ({"id": "ab"}, "ab"),
        ({"id": "", "ts": "T"}, "T"),
        ({"id": None, "ts": 5}, "5"),
        ({"ts": None}, "line 1"),
    ],
)
def test_an_event_is_named_by_its_id_its_time_or_its_line(
    tmp_path: Path, members: dict[str, object], ref: str
) -> None:
    journal(tmp_path, {"task": "alpha", **members})
    assert [hit.ref for hit in hits(tmp_path, "alpha")] == [ref]


# Places and order


def test_equal_scores_stay_in_the_published_order_of_their_sources(tmp_path: Path) -> None:
    journal(tmp_path, event("alpha", id="1"), event("alpha", id="2"))
    expected = [(".bmad/memory/journal.ndjson", "1"), (".bmad/memory/journal.ndjson", "2")]
    for folder in (".agents/memory", ".bmad/memory"):
        for name in ("patterns.md", "lessons.md", "decisions.md"):
            notes(tmp_path, "### alpha\n### Alpha\n", name=name, folder=folder)
    for folder in (".bmad/memory", ".agents/memory"):
        for name in ("decisions.md", "lessons.md", "patterns.md"):
            expected += [(f"{folder}/{name}", "alpha"), (f"{folder}/{name}", "Alpha")]
    assert found(tmp_path, "alpha", limit=100) == expected


def test_the_same_note_in_both_layouts_is_found_twice_as_published(tmp_path: Path) -> None:
    notes(tmp_path, "### A\nalpha\n")
    notes(tmp_path, "### A\nalpha\n", folder=".bmad/memory")
    assert found(tmp_path, "alpha") == [
        (".bmad/memory/decisions.md", "A"),
        (".agents/memory/decisions.md", "A"),
    ]


def test_the_better_answer_comes_first_and_the_limit_cuts_the_rest(tmp_path: Path) -> None:
    notes(tmp_path, "### A\nalpha and more words\n### B\nalpha\n### C\nalpha beta\n")
    assert found(tmp_path, "alpha beta", limit=2) == [
        (".agents/memory/decisions.md", "C"),
        (".agents/memory/decisions.md", "B"),
    ]


def test_other_files_and_a_project_without_memory_hold_nothing(tmp_path: Path) -> None:
    notes(tmp_path, "### A\nalpha\n", name="context.md")
    write(tmp_path / "decisions.md", "### A\nalpha\n")
    assert hits(tmp_path, "alpha") == []


def test_a_hit_knows_file_and_line_of_its_heading_or_event(tmp_path: Path) -> None:
    notes(tmp_path, "# D\r\n\r\n### A\r\nx\r\n### B\r\nalpha\r\n")
    journal(tmp_path, event("beta"), event("alpha"))
    assert sorted((hit.source_file, hit.line) for hit in hits(tmp_path, "alpha")) == [
        (".agents/memory/decisions.md", 5),
        (".bmad/memory/journal.ndjson", 2),
    ]


def test_the_project_itself_may_be_given_through_a_link(tmp_path: Path) -> None:
    notes(tmp_path / "real", "### A\nalpha\n")
    (tmp_path / "link").symlink_to("real")
    assert found(tmp_path / "link", "alpha") == [(".agents/memory/decisions.md", "A")]


def test_a_query_without_words_finds_nothing(tmp_path: Path) -> None:
    notes(tmp_path, "### A\n漢 alpha a\n")
    assert hits(tmp_path, "漢 a") == []


# What is refused


@pytest.mark.parametrize("query", ["", "  ", "\n\t\u3000\ufeff"])
def test_an_empty_query_is_refused(tmp_path: Path, query: str) -> None:
    with pytest.raises(MemError, match="the query is empty"):
        recall(str(tmp_path), query, now=NOW)


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_that_is_none_is_refused(tmp_path: Path, limit: int) -> None:
    with pytest.raises(MemError, match=rf"from 1 to 1000, not {limit}"):
        recall(str(tmp_path), "alpha", now=NOW, limit=limit)


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "1.5", "8x", "abc", "1e2", "1001", "99999999999", "\u0668", "+8"]
)
def test_a_typed_limit_that_is_no_whole_number_in_range_is_refused(text: str) -> None:
    with pytest.raises(MemError, match="from 1 to 1000"):
        limit_of(text)


def test_a_typed_limit_in_range_is_taken() -> None:
    assert [limit_of(text) for text in ("1", "08", " 1000 ")] == [1, 8, 1000]


@pytest.mark.parametrize("scope", ["", "Project", "portfolios"])
def test_a_scope_that_is_none_is_refused(tmp_path: Path, scope: str) -> None:
    with pytest.raises(MemError, match="project or portfolio"):
        recall(str(tmp_path), "alpha", now=NOW, scope=scope)


def test_a_project_that_is_not_there_or_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MemError, match="the folder is not there"):
        hits(tmp_path / "no", "alpha")
    with pytest.raises(MemError, match="not a folder"):
        hits(write(tmp_path / "file"), "alpha")


@pytest.mark.parametrize("folder", [".agents/memory", ".bmad/memory"])
def test_a_file_in_the_place_of_a_memory_folder_is_refused(tmp_path: Path, folder: str) -> None:
    write(tmp_path / folder)
    with pytest.raises(MemError, match=f"{folder} cannot be read: not a folder"):
        hits(tmp_path, "alpha")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("place", [".agents", ".agents/memory", ".agents/memory/decisions.md"])
def test_what_permissions_keep_from_us_is_an_error_and_no_empty_answer(tmp_path: Path, place: str) -> None:
    notes(tmp_path, "### A\nalpha\n")
    (tmp_path / place).chmod(0)
    try:
        with pytest.raises(MemError, match=r"cannot be read: [Pp]ermission denied"):
            hits(tmp_path, "alpha")
    finally:
        (tmp_path / place).chmod(0o700)


PLACES = [".agents", ".agents/memory", ".agents/memory/decisions.md", ".bmad", ".bmad/memory/journal.ndjson"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("strict", [False, True])
def test_a_link_below_the_project_is_refused_in_every_mode(
    tmp_path: Path, place: str, *, strict: bool
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for base in (project, elsewhere):
        notes(base, "### A\nalpha\n")
        journal(base, event("alpha"))
    assert len(hits(project, "alpha", strict=strict)) == 2
    (project / place).rename(tmp_path / "aside")
    (project / place).symlink_to(elsewhere / place)
    with pytest.raises(MemError, match="symbolic link"):
        hits(project, "alpha", strict=strict)


@pytest.mark.parametrize("place", [".agents/memory/lessons.md", ".bmad/memory/journal.ndjson"])
@pytest.mark.parametrize("strict", [False, True])
def test_a_file_of_two_mebibytes_is_read_and_one_byte_more_is_refused(
    tmp_path: Path, place: str, *, strict: bool
) -> None:
    head = b'{"task":"alpha"}\n' if place.endswith("ndjson") else b"### alpha\n"
    path = write(tmp_path / place)
    path.write_bytes(head + b"\n" * (CAP - len(head)))
    assert len(hits(tmp_path, "alpha", strict=strict)) == 1
    path.write_bytes(head + b"\n" * (CAP - len(head) + 1))
    with pytest.raises(MemError, match=str(CAP)):
        hits(tmp_path, "alpha", strict=strict)


@pytest.mark.parametrize("place", [".agents/memory/patterns.md", ".bmad/memory/journal.ndjson"])
def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path, place: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.mkdir()
    with pytest.raises(MemError, match="not a regular file"):
        hits(tmp_path, "alpha")
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(MemError, match="not a regular file"):
        hits(tmp_path, "alpha")


def test_an_error_names_the_file_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / ".agents/memory/lessons.md").mkdir(parents=True)
    with pytest.raises(MemError) as caught:
        hits(tmp_path, "alpha")
    assert str(caught.value) == (".agents/memory/lessons.md cannot be read: not a regular file; move it away")


def test_bad_utf_8_is_read_for_words_and_refused_for_evidence(tmp_path: Path) -> None:
    path = notes(tmp_path, "")
    path.write_bytes(b"# D\n### A\nalpha \xff\xed\xa0\x80 beta\n")
    assert [hit.text for hit in hits(tmp_path, "alpha")] == ["A\nalpha \ufffd\ufffd\ufffd\ufffd beta"]
    with pytest.raises(MemError, match=r"decisions\.md is not valid UTF-8 in line 3"):
        hits(tmp_path, "alpha", strict=True)


def test_bad_utf_8_in_the_journal_is_a_damaged_line_and_refused_for_evidence(tmp_path: Path) -> None:
    journal(tmp_path, event("alpha")).write_bytes(b'{"task":"alpha"}\n{"task":"\xff"}\n')
    assert recall(str(tmp_path), "alpha", now=NOW).damaged == [(".bmad/memory/journal.ndjson", 2)]
    with pytest.raises(MemError, match=r"journal\.ndjson is not valid UTF-8 in line 2"):
        hits(tmp_path, "alpha", strict=True)


# What comes back


def test_a_strict_recall_leaves_ranking_and_limit_to_the_evidence(tmp_path: Path) -> None:
    notes(tmp_path, "### A\nalpha more words\n### B\nalpha\n")
    answer = recall(str(tmp_path), "alpha", now=NOW, limit=1, strict=True)
    assert [hit.ref for hit in answer.hits] == ["A", "B"]
    assert [hit.ref for hit in best(answer.hits, answer.limit)] == ["B"]


def test_a_recall_writes_nothing(tmp_path: Path) -> None:
    notes(tmp_path, "### A\nalpha\n")
    journal(tmp_path, S0)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert hits(tmp_path, "alpha loyalty")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_the_writers_lock_does_not_stop_a_reader(tmp_path: Path) -> None:
    journal(tmp_path, S0)
    write(tmp_path / ".bmad/memory/writer.lock", '{"pid":1,"hostname":"h","token":"t"}')
    assert found(tmp_path, "loyalty") == [(".bmad/memory/journal.ndjson", S0["id"])]
