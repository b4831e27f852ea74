"""The worked cases of the published ``mem``, on the whole command line, to the last digit."""

from __future__ import annotations

import json
import math
import os
import re
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from tests.interop import checker, golden, nexus_run
from tests.interop.conftest import Zecher

S0 = ("mem", "write", "--agent", "atelier", "--cli", "claude-code", "--task", golden.S0_TASK)
S0_TIME = "2026-10-19T02:13:48.840Z"
LESSONS = ".agents/memory/lessons.md"
HEADING = "Rate limit on auth routes"
BODY = "limit limit for each account and route\n"
INPUT = "outcome.json"


def bmad(project: Path) -> Path:
    folder = project / ".bmad" / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def agents(project: Path, name: str, text: str) -> Path:
    path = project / ".agents" / "memory" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def journal(project: Path, *lines: str) -> Path:
    path = bmad(project) / "journal.ndjson"
    path.write_text("".join(lines))
    return path


# write


def test_the_published_event_gets_its_published_id_text_and_bytes(zecher: Zecher, project: Path) -> None:
    done = zecher(*S0, "--outcome", "success", "--ci", "pass", now=S0_TIME)

    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"mem write: event 912e91734848 appended ({S0_TIME})\n"
        "  agent=atelier cli=claude-code model=- outcome=success\n"
        f"  task: {golden.S0_TASK}\n"
    )
    assert (bmad(project) / "journal.ndjson").read_text() == golden.S0_EVENT


def test_the_smallest_event_gets_its_published_id_and_bytes(zecher: Zecher, project: Path) -> None:
    done = zecher(
        "mem",
        "write",
        "--agent",
        "forge",
        "--task",
        "alpha beta gamma",
        "--json",
        now="2026-01-01T00:00:00.000Z",
    )

    assert done.out == json.dumps({"written": json.loads(golden.ALPHA_EVENT)}, indent=2) + "\n"
    assert (bmad(project) / "journal.ndjson").read_text() == golden.ALPHA_EVENT


# recall


@pytest.mark.parametrize(
    ("now", "days", "shown"),
    [
        (S0_TIME, 0, "0.707"),
        ("2026-11-18T02:13:48.840Z", 30, "0.354"),
        ("2026-12-03T02:13:48.840Z", 45, "0.250"),
        ("2026-12-18T02:13:48.840Z", 60, "0.177"),
        ("2026-10-01T02:13:48.840Z", 0, "0.707"),
    ],
)
def test_an_event_loses_half_its_weight_in_thirty_days(
    zecher: Zecher, project: Path, now: str, days: float, shown: str
) -> None:
    journal(project, golden.S0_EVENT)

    assert zecher("mem", "recall", "loyalty card sign-up", now=now).out == (
        'mem recall: 1 match(es) for "loyalty card sign-up" (scope: project)\n'
        f"  1. [{shown}] event journal.ndjson#912e91734848\n"
        f'     atelier claude-code {golden.S0_TASK} success {{"ci":"pass"}}\n'
    )
    document = zecher("mem", "recall", "loyalty", "card", "sign-up", "--json", now=now).json
    assert list(document) == ["query", "scope", "ranking", "count", "results"]
    (hit,) = document["results"]
    assert list(hit) == ["score", "kind", "source", "ref", "text", "event"]
    # Math.pow of JavaScript gives 0.5 ** 1.5 one unit in the last place lower than the C library.
    faded = {45: math.nextafter(0.5**1.5, 0.0)}.get(int(days), 0.5 ** (days / 30))
    assert hit["score"] == 3 / math.sqrt(18) * faded
    assert hit["event"] == json.loads(golden.S0_EVENT)


def test_the_published_recall_of_event_and_note_comes_out_as_published(zecher: Zecher, project: Path) -> None:
    journal(project, golden.S0_EVENT)
    title = "2026-10-18 — The landing page has one job, the loyalty card sign-up"
    body = (
        "- **Context**: design read for the Orbit landing page\n- **Decision**: one call to action\n"
        "- **Rationale**: visitors leave\n- **Status**: active\n"
    )
    words = re.split(r"[^a-z0-9àâäéèêëïîôöùûüç_-]+", f"{title}\n{body}".lower())
    short = 33 - len([word for word in words if len(word) > 1])
    agents(project, "decisions.md", f"### {title}\n{body}" + "more " * short + "\n")

    out = zecher("mem", "recall", "loyalty card sign-up", now=S0_TIME).out

    assert out.startswith(
        'mem recall: 2 match(es) for "loyalty card sign-up" (scope: project)\n  1. [0.707] event '
    )
    assert f"  2. [0.522] note decisions.md § {title}\n" in out
    assert (
        "     2026-10-18 — The landing page has one job, the loyalty card sign-up - **Context**: "
        "design read for the Orbit landing pa…\n"
    ) in out


def test_one_of_four_words_after_thirty_days_is_exactly_a_quarter(zecher: Zecher, project: Path) -> None:
    journal(project, golden.ALPHA_EVENT)

    (hit,) = zecher("mem", "recall", "alpha", "--json", now="2026-01-31T00:00:00.000Z").json["results"]

    assert hit["score"] == 0.25


def test_the_words_of_a_query_are_the_published_ones(zecher: Zecher, project: Path) -> None:
    words = ["rate-limit", "429s", "json_api", "v2", "été", "a-b", "---"]
    others = ["l", "à", "x", "limit", "rate", "json", "ete"]
    agents(project, "patterns.md", "".join(f"### {word}\n" for word in words + others))

    document = zecher(
        "mem",
        "recall",
        "Rate-limit: 429s, JSON_API v2 — l\u2019été à 5% a-b --- x",
        "--limit",
        "50",
        "--json",
    ).json

    assert [hit["ref"] for hit in document["results"]] == words
    assert {hit["score"] for hit in document["results"]} == {1 * (1 / 7) / math.sqrt(1)}


@pytest.mark.parametrize("line", ["garbage\n", "\n\n", '{"half": \n', "null\n", "[1]\n", "7\n", '"text"\n'])
def test_a_damaged_line_never_hides_an_event(zecher: Zecher, project: Path, line: str) -> None:
    journal(project, line, golden.ALPHA_EVENT, line)

    done = zecher("mem", "recall", "gamma", "--json")

    assert (done.code, done.json["count"]) == (0, 1)
    assert done.json["results"][0]["ref"] == "e29d39f52e49"


@pytest.mark.parametrize("ts", ["2099-01-01T00:00:00.000Z", "yesterday", "", None])
def test_a_time_that_is_future_missing_or_none_does_not_decay(
    zecher: Zecher, project: Path, ts: str | None
) -> None:
    record = json.loads(golden.ALPHA_EVENT) | {"ts": ts}
    journal(project, golden.compact(record) + "\n")

    (hit,) = zecher("mem", "recall", "alpha", "--json").json["results"]

    assert hit["score"] == 1 / math.sqrt(4)


def test_an_event_dated_in_milliseconds_decays_like_any_other(zecher: Zecher, project: Path) -> None:
    record = json.loads(golden.ALPHA_EVENT) | {"ts": 1767225600000}
    journal(project, golden.compact(record) + "\n")

    (hit,) = zecher("mem", "recall", "alpha", "--json", now="2026-01-31T00:00:00.000Z").json["results"]

    assert hit["score"] == 0.25


# reinforce and the lock


def reinforce(zecher: Zecher, *words: str, now: str = "2026-10-18T09:30:00.000Z") -> dict[str, Any]:
    done = zecher("mem", "reinforce", "--pattern", HEADING, *words, "--json", now=now)
    assert done.code == 0, done.out
    return done.json


def test_the_first_full_reward_moves_a_pattern_as_published(zecher: Zecher, project: Path) -> None:
    document = reinforce(zecher, "--accept", "true", "--ci", "pass")

    expected = {
        "elo": 1216,
        "alpha": 2,
        "beta": 1,
        "mean": 2 / 3,
        "updates": 1,
        "lastTs": "2026-10-18T09:30:00.000Z",
    }
    assert document == {
        "patternId": HEADING,
        "reward": 1,
        "previous": None,
        "next": expected,
        "promotion": None,
        "evidenceStatus": "self-reported",
        "rankingEligible": False,
    }
    stored = (bmad(project) / "pattern-scores.json").read_text()
    assert stored == json.dumps({HEADING: expected}, indent=2) + "\n"
    assert not (bmad(project) / "promotions.ndjson").exists()


def test_the_text_of_reinforce_is_the_published_one(zecher: Zecher) -> None:
    done = zecher("mem", "reinforce", "--pattern", HEADING, "--accept", "true", "--ci", "pass")

    assert done.one_line == (
        f'mem reinforce: pattern "{HEADING}" reward 1.000 (from {{"acceptance":true,"ci":"pass"}}) '
        "elo 1200.0 -> 1216.0 mean 0.667 (alpha=2.00, beta=1.00, updates=1) "
        "promotion: none proposed (needs mean >= 0.7 and >= 3 updates)"
    )


def test_an_hour_later_the_figures_are_the_published_ones(zecher: Zecher, project: Path) -> None:
    reinforce(zecher, "--accept", "true", "--ci", "pass")

    document = reinforce(zecher, "--accept", "yes", "--ci", "pass", now="2026-10-18T10:30:00.000Z")

    after = document["next"]
    assert (after["elo"], after["alpha"], after["mean"]) == (
        1231.263693206478,
        2.979685567010671,
        0.7487238669583771,
    )
    assert (after["updates"], document["promotion"]) == (2, None)
    text = (bmad(project) / "pattern-scores.json").read_text()
    assert '"alpha": 2.979685567010671,' in text
    assert checker.scores_faults(text.encode()) == []


@pytest.mark.parametrize(
    ("rewards", "mean"), [("1 1 0", 0.595174), (".8 .8 .8", 0.678552), ("0 1 1 1", 0.669955)]
)
def test_sequences_at_one_time_end_below_the_threshold(
    zecher: Zecher, project: Path, rewards: str, mean: float
) -> None:
    found = [reinforce(zecher, "--eval", reward) for reward in rewards.split()]

    assert round(found[-1]["next"]["mean"], 6) == mean
    assert [document["promotion"] for document in found] == [None] * len(found)
    assert not (bmad(project) / "promotions.ndjson").exists()


@pytest.mark.parametrize("corrupt", ["{", "", "[1]", "null", "7", '{"a": 1', "\x00\x00"])
def test_a_corrupt_score_file_is_refused_and_kept_aside(zecher: Zecher, project: Path, corrupt: str) -> None:
    scores = bmad(project) / "pattern-scores.json"
    scores.write_text(corrupt)

    done = zecher("mem", "reinforce", "--pattern", "p", "--ci", "pass", "--json")

    assert (done.code, "pattern-scores.json" in done.json["error"]) == (1, True)
    assert scores.read_text() == corrupt
    (copy,) = bmad(project).glob("pattern-scores.json.corrupt-*")
    assert copy.read_text() == corrupt


def test_a_lock_that_somebody_holds_fails_a_write_after_two_seconds_and_stays(
    zecher: Zecher, project: Path
) -> None:
    journal(project, golden.ALPHA_EVENT)
    lock = bmad(project) / "writer.lock"
    lock.write_text(golden.compact({"pid": os.getpid(), "hostname": socket.gethostname(), "token": "t"}))
    before = lock.read_bytes()
    started = time.monotonic()

    done = zecher("mem", "write", "--agent", "forge")

    assert 1.5 < time.monotonic() - started < 60
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith("mem write: ")
    assert lock.read_bytes() == before
    assert zecher("mem", "recall", "gamma", "--json").json["count"] == 1
    assert (bmad(project) / "journal.ndjson").read_text() == golden.ALPHA_EVENT


# evidence


@pytest.fixture
def accepted(project: Path, tmp_path: Path) -> dict[str, Any]:
    """A run whose task changed ``src/auth``, was verified and accepted; and the lesson."""
    for name, text in (
        ("src/auth/limit.go", "package auth\n"),
        ("src/auth/x/y.go", "package x\n"),
        ("go.mod", "m\n"),
    ):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    program = tmp_path / "go"
    program.write_text("#!/bin/sh\n")
    agents(project, "lessons.md", f"# Lessons\n\n### {HEADING}\n{BODY}")
    run = nexus_run.accepted_run(project, program, tasks=("T-12", "T-13"))
    nexus_run.store(project, run)
    return run


def ask(project: Path, **changes: Any) -> None:
    wanted = {
        "runId": "r1",
        "taskId": "T-12",
        "memory": {"file": LESSONS, "heading": HEADING},
        "scope": ["src/auth"],
        "interpretation": "Why this accepted work supports the lesson.",
        "supersedes": [],
        "contradicts": [],
    } | changes
    (project / INPUT).write_text(json.dumps(wanted))


@pytest.mark.usefixtures("accepted")
def test_an_observation_counts_as_long_as_section_and_work_are_the_same(
    zecher: Zecher, project: Path
) -> None:
    ask(project)
    done = zecher("mem", "observe", "--input", INPUT)
    (receipt,) = [json.loads(line) for line in (bmad(project) / "outcomes.ndjson").read_text().splitlines()]
    name = receipt["id"]

    assert (done.code, done.err) == (0, "")
    assert done.out == f"mem observe: {name} recorded; lesson causality remains unmeasured.\n"

    lessons = project / LESSONS
    text = lessons.read_text()
    artifact = project / "src/auth/limit.go"
    code = artifact.read_text()

    def state() -> str:
        shown = zecher("mem", "outcomes")
        assert (shown.code, shown.out.count("\n")) == (0, 1)
        return shown.out.removeprefix(f"{name}: ").rstrip("\n")

    assert state() == "accepted-current"
    lessons.write_text(text + "one more word\n")
    assert state() == "stale-memory-section"
    lessons.write_text(text + "\n\n \n")
    assert state() == "accepted-current"
    lessons.write_text(text + f"### {HEADING}\nagain\n")
    assert state().startswith("unavailable-or-ineligible-source: ")
    lessons.write_text(text)
    artifact.write_text("package other\n")
    assert state().startswith("unavailable-or-ineligible-source: ")
    artifact.write_text(code)
    assert state() == "accepted-current"


def test_the_receipt_of_observe_is_the_one_the_format_prescribes(
    zecher: Zecher, project: Path, accepted: dict[str, Any]
) -> None:
    ask(project)
    written = zecher("mem", "observe", "--input", INPUT, "--json").json["written"]

    expected = nexus_run.receipt(
        accepted,
        LESSONS,
        HEADING,
        BODY,
        ts="2026-11-30T03:17:04.000Z",
        interpretation="Why this accepted work supports the lesson.",
    )
    assert written == expected
    assert (bmad(project) / "outcomes.ndjson").read_text() == golden.compact(expected) + "\n"


@pytest.mark.usefixtures("accepted")
def test_evidence_lifts_the_current_note_by_a_quarter_within_its_scope(zecher: Zecher, project: Path) -> None:
    ask(project)
    assert zecher("mem", "observe", "--input", INPUT).code == 0
    lessons = project / LESSONS
    lessons.write_text(lessons.read_text() + "\n### Another account\nno receipt\n")
    query = ("mem", "recall", "limit account routes", "--json")
    evidence = (*query, "--ranking", "evidence", "--context-scope")

    lexical = {hit["ref"]: hit for hit in zecher(*query).json["results"]}
    found = {scope: zecher(*evidence, scope).json for scope in ("src/auth", "src", "src/auth/x", "docs")}

    for scope in ("src/auth", "src", "src/auth/x"):
        assert found[scope]["ranking"] == "evidence"
        hits = {hit["ref"]: hit for hit in found[scope]["results"]}
        assert hits[HEADING]["score"] == lexical[HEADING]["score"] * 1.25
        assert hits[HEADING]["lexicalScore"] == lexical[HEADING]["score"]
        assert list(hits[HEADING]["evidence"]) == [
            "status",
            "receiptIds",
            "reward",
            "boost",
            "lessonCausality",
        ]
        assert hits["Another account"]["evidence"] == {"status": "unverified", "receiptIds": [], "boost": 0}
        assert hits["Another account"]["score"] == lexical["Another account"]["score"]
    assert [hit["ref"] for hit in found["docs"]["results"]] == ["Another account"]


@pytest.mark.usefixtures("accepted")
def test_the_published_figures_come_out_to_the_last_digit(zecher: Zecher, project: Path) -> None:
    # ten words, three words asked for, one of them twice
    agents(project, "lessons.md", "### limit on account\nlimit route for each new open door\n")
    ask(project, memory={"file": LESSONS, "heading": "limit on account"})
    assert zecher("mem", "observe", "--input", INPUT).code == 0

    lexical = zecher("mem", "recall", "limit account route", "--json").out
    evidence = zecher(
        "mem",
        "recall",
        "limit account route",
        "--json",
        "--ranking",
        "evidence",
        "--context-scope",
        "src/auth",
    ).out

    assert '"score": 1.167875682479855,' in lexical
    assert '"score": 1.459844603099819,' in evidence
    assert '"lexicalScore": 1.167875682479855,' in evidence


@pytest.mark.usefixtures("accepted")
@pytest.mark.parametrize(
    "scope",
    [
        [],
        "src/auth",
        ["."],
        ["/src"],
        ["src/auth/"],
        ["src\\auth"],
        ["c:src"],
        ["src/auth"] * 31,
        ["src"],
        ["SRC/auth"],
        ["src/auth2"],
    ],
    ids=str,
)
def test_a_scope_that_is_none_or_wider_than_the_task_is_refused(
    zecher: Zecher, project: Path, scope: object
) -> None:
    ask(project, scope=scope)

    done = zecher("mem", "observe", "--input", INPUT, "--json")

    assert (done.code, list(done.json)) == (1, ["error"])
    assert not (bmad(project) / "outcomes.ndjson").exists()
    assert not (bmad(project) / "writer.lock").exists()


@pytest.mark.usefixtures("accepted")
def test_thirty_equal_scopes_are_stored_as_one(zecher: Zecher, project: Path) -> None:
    ask(project, scope=["src/auth"] * 30)

    assert zecher("mem", "observe", "--input", INPUT, "--json").json["written"]["scope"] == ["src/auth"]


@pytest.mark.usefixtures("accepted")
def test_receipts_supersede_and_contradict_as_published(zecher: Zecher, project: Path) -> None:
    ask(project)
    first = zecher("mem", "observe", "--input", INPUT, "--json").json["written"]["id"]
    ask(project)
    assert zecher("mem", "observe", "--input", INPUT).code == 1  # one receipt an attempt
    ask(project, taskId="T-13", supersedes=[first])
    second = zecher("mem", "observe", "--input", INPUT, "--json").json["written"]["id"]

    document = zecher("mem", "outcomes", "--json").json

    assert [(one["id"], one["eligible"], one["reason"]) for one in document["results"]] == [
        (first, False, "superseded"),
        (second, True, None),
    ]
    assert checker.receipts_faults((bmad(project) / "outcomes.ndjson").read_bytes()) == []
