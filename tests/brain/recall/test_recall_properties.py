"""Random memories: every recall is the naive one, hit for hit and bit for bit."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from brain.recall.recall import recall
from tests.brain.recall import reference
from tests.brain.recall.places import journal, notes
from tests.support import NOW

WORDS = st.sampled_from(
    ["alpha", "Beta", "ALPHA", "sign-up", "été", "E\u0301", "x", ".", "429s", "---", "beta2"]
)
TEXT = st.lists(WORDS, max_size=8).map(" ".join)
LINES = st.one_of(
    TEXT, TEXT.map(lambda text: f"### {text}"), st.sampled_from(["## Part", "```", "", "### \r"])
)
NOTES = st.lists(LINES, max_size=15).map("\n".join)
SIGNALS = st.sampled_from([{}, {"ci": "pass"}, {"acceptance": True, "ci": "fail"}, {"evalScore": 0.25}])
EVENTS = st.fixed_dictionaries(
    {
        "ts": st.integers(int(NOW * 1000) - 10**10, int(NOW * 1000) + 10**9),
        "agent": st.sampled_from(["forge", "alpha"]),
        "cli": st.sampled_from([None, "codex-cli"]),
        "model": st.none(),
        "task": TEXT,
        "outcome": st.sampled_from([None, "success", "beta"]),
        "signals": SIGNALS,
        "id": st.text(alphabet="0123456789abcdef", min_size=12, max_size=12),
    }
)
FILES = st.dictionaries(
    st.tuples(st.sampled_from([".agents/memory", ".bmad/memory"]), st.sampled_from(reference.FILES)), NOTES
)
QUERIES = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)


@settings(deadline=None)
@given(FILES, st.lists(EVENTS, max_size=6), QUERIES, st.integers(1, 10))
def test_any_memory_is_recalled_as_by_the_naive_reading(
    files: dict[tuple[str, str], str], events: list[dict[str, object]], query: str, limit: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder).resolve()
        for (place, name), text in files.items():
            notes(project, "", name=name, folder=place).write_bytes(text.encode())
        if events:
            journal(project, *events)
        found = recall(folder, query, now=NOW, limit=limit).hits
        assert [(hit.score, hit.kind, hit.ref, hit.text) for hit in found] == reference.recall(
            project, query, limit
        )


@settings(deadline=None)
@given(st.binary(max_size=300), st.binary(max_size=300))
def test_no_bytes_whatever_make_a_recall_fail(note: bytes, ledger: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        notes(project, "").write_bytes(b"### alpha\n" + note)
        journal(project).write_bytes(b'{"task":"alpha"}\n' + ledger)
        assert len(recall(folder, "alpha", now=NOW).hits) >= 2
