"""What BMAD+'s own language makes of the published formulas and of the files that we wrote."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.interop import checker, golden, nexus_run
from tests.interop.conftest import Zecher
from tests.support import write

pytestmark = pytest.mark.skipif(
    not shutil.which("node"), reason="node is not installed: the formulas cannot be run in JavaScript"
)

NOW_MS = 1_796_008_624_000
WORDS = [
    *("kasse", "beleg", "größe", "été", "l'été", "rate-limit", "json_api", "v2", "---", "x", "limit", "auth"),
    *("routes", "caf\u00e9", "cafe\u0301", "straße", "\u0130stanbul", "\u212a", "\u03a3\u03b1\u03c2", "ÉTÉ"),
    *("\u05d6\u05db\u05e8", "\u8a18\u61b6", "\U0001f9ea", "n\u00famero", "\u017f"),
]


def published(tmp_path: Path, **given: Any) -> dict[str, Any]:
    """What the formulas give in JavaScript."""
    whole = {
        "now": NOW_MS,
        "notes": [],
        "journal": "",
        "queries": [],
        "rewards": [],
        "receipts": [],
        "scores": None,
    }
    source = write(tmp_path / "given.json", json.dumps(whole | given))
    script = Path(__file__).with_name("published.js")
    done = subprocess.run(["node", str(script), str(source)], capture_output=True, check=True, timeout=60)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def text_of(chance: random.Random, length: int) -> str:
    return "".join(chance.choice(WORDS) + chance.choice((" ", "\n", ", ", ": ")) for _ in range(length))


@pytest.fixture(scope="module")
def corpus() -> tuple[list[tuple[str, str]], str, list[str]]:
    """Notes, a journal and queries in several scripts; no two documents have the same name."""
    chance = random.Random(20261130)  # noqa: S311 - a fixed corpus, no secret
    notes = [
        (
            name,
            "### 0 before\n"
            + "".join(
                f"### {name[:3]} {number} {chance.choice(WORDS)}\n{text_of(chance, chance.randrange(60))}\n"
                for number in range(40)
            ),
        )
        for name in ("decisions.md", "lessons.md", "patterns.md")
    ]
    journal = "".join(
        golden.event(
            f"2026-{chance.randrange(1, 12):02d}-{chance.randrange(1, 28):02d}T07:{number % 60:02d}:00.777Z",
            chance.choice(("forge", "schmied", "été")),
            text_of(chance, chance.randrange(40)),
            signals=chance.choice(({}, {"ci": "pass"}, {"evalScore": 0.25, "acceptance": True})),
        )
        for number in range(60)
    )
    queries = [
        "kasse beleg",
        "größe été",
        "rate-limit json_api v2 ---",
        "limit LIMIT auth routes kasse",
        "İstanbul K",
    ]
    return notes, journal, queries


Hits = list[dict[str, Any]]


@pytest.fixture
def recalls(
    zecher: Zecher, project: Path, tmp_path: Path, corpus: tuple[list[tuple[str, str]], str, list[str]]
) -> list[tuple[Hits, Hits]]:
    """For each query what the program finds, and what the formulas give in JavaScript."""
    notes, journal, queries = corpus
    for name, text in notes:
        write(project / ".agents/memory" / name, text)
    write(project / ".bmad/memory/journal.ndjson", journal)
    expected = published(tmp_path, notes=notes, journal=journal, queries=queries)["recalls"]
    found = [zecher("mem", "recall", query, "--limit", "1000", "--json").json["results"] for query in queries]
    return list(zip(found, expected, strict=True))


def test_recall_gives_the_order_and_the_scores_of_javascript(recalls: list[tuple[Hits, Hits]]) -> None:
    for found, expected in recalls:
        assert [hit["ref"] for hit in found] == [hit["ref"] for hit in expected]
        assert [hit["score"] for hit in found] == [pytest.approx(hit["score"], rel=1e-15) for hit in expected]
        notes = {hit["ref"]: hit["score"] for hit in found if hit["kind"] == "note"}
        assert notes == {hit["ref"]: hit["score"] for hit in expected if hit["ref"] in notes}


def test_the_scores_of_events_are_those_of_javascript_bit_for_bit(recalls: list[tuple[Hits, Hits]]) -> None:
    for found, expected in recalls:
        assert [hit["score"] for hit in found] == [hit["score"] for hit in expected]


def test_reinforce_gives_the_figures_of_javascript(zecher: Zecher, tmp_path: Path) -> None:
    rewards = [
        (1, "2026-10-01T00:00:00.000Z"),
        (0.8, "2026-10-03T07:00:00.000Z"),
        (0.35, "2026-10-03T07:00:00.000Z"),
        (0, "2026-09-01T00:00:00.000Z"),
        (1, "2026-12-24T18:00:00.123Z"),
        (0.999, "2027-12-24T18:00:00.000Z"),
    ]
    expected = published(tmp_path, rewards=rewards)["reinforced"]

    found = [
        zecher("mem", "reinforce", "--pattern", "p", "--eval", str(reward), "--json", now=ts).json["next"]
        for reward, ts in rewards
    ]

    assert found == expected


def test_what_we_wrote_is_what_javascript_would_write(zecher: Zecher, project: Path, tmp_path: Path) -> None:
    for number, word in enumerate(WORDS):
        assert zecher("mem", "write", "--agent", f"a{number}", "--task", f"{word} \x7f\t\u2028").code == 0
    for pattern in ("b", "10", "9", "01", "größe 🧪", "__proto__"):
        zecher("mem", "reinforce", "--pattern", pattern, "--eval", "0.1")

    found = published(
        tmp_path,
        journal=(project / ".bmad/memory/journal.ndjson").read_text(),
        scores=(project / ".bmad/memory/pattern-scores.json").read_text(),
    )

    assert found["events"] == [{"same": True, "id": True}] * len(WORDS)
    assert found["scores"] is True


def test_javascript_makes_the_same_receipt_and_the_same_id(
    zecher: Zecher, project: Path, tmp_path: Path
) -> None:
    for name in ("src/auth/limit.go", "go.mod", "go"):
        write(project / name)
    write(project / ".agents/memory/lessons.md", "### Größe\nl'été \u2028 🧪\n")
    nexus_run.store(project, nexus_run.accepted_run(project, project / "go"))
    ask = {
        "runId": "r1",
        "taskId": "T-12",
        "memory": {"file": ".agents/memory/lessons.md", "heading": "Größe"},
        "scope": ["src/auth"],
        "interpretation": "hält \x7f \u2028 \ud800 🧪 \b\f",
    }
    write(project / "ask.json", json.dumps(ask))
    assert zecher("mem", "observe", "--input", "ask.json").code == 0

    lines = (project / ".bmad/memory/outcomes.ndjson").read_text().split("\n")[:-1]

    assert published(tmp_path, receipts=lines)["receipts"] == [{"same": True, "id": True}]


def test_writers_of_both_languages_respect_each_others_lock(
    zecher: Zecher, project: Path, full: bool
) -> None:
    rounds = 40 if full else 12
    script = Path(__file__).with_name("writer.js")
    theirs = [
        subprocess.Popen(["node", str(script), str(project), str(rounds)], stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    ours = [
        zecher("mem", "write", "--agent", "z", "--task", str(number)).code for number in range(rounds // 2)
    ]

    assert ours == [0] * (rounds // 2)
    assert [(process.communicate(timeout=60)[0], process.returncode) for process in theirs] == [(b"", 0)] * 2
    data = (project / ".bmad/memory/journal.ndjson").read_bytes()
    assert data.count(b"\n") == 2 * rounds + rounds // 2
    assert checker.journal_faults(data) == []
    assert [path.name for path in (project / ".bmad/memory").iterdir()] == ["journal.ndjson"]
