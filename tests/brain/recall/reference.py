"""Recall written anew from its published description, the slow and obvious way: what ours must agree with."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

from brain.javascript_math import half_to_the
from tests.support import DAY, NOW

WORD = "a-z0-9àâäéèêëïîôöùûüç_-"
FILES = ("decisions.md", "lessons.md", "patterns.md")

# The engine of the original gives ln 3 one unit in the last place lower than the C library (measured with
# Node 20); of the frequencies that the random documents reach, only 3 differs.
LN = {3: 1.0986122886681096}


def tokenise(text: str) -> list[str]:
    return [word for word in re.split(f"[^{WORD}]+", text.lower()) if len(word) >= 2]


def lexical_score(query: str, text: str) -> float:
    asked = list(dict.fromkeys(tokenise(query)))
    words = tokenise(text)
    hits, matched = 0.0, 0
    for token in asked:
        frequency = words.count(token)
        if frequency > 0:
            hits += 1 + LN.get(frequency, math.log(frequency))
            matched += 1
    return hits * (matched / len(asked)) / math.sqrt(len(words)) if matched else 0.0


def split(text: str) -> list[tuple[str, str, int]]:
    """(heading, heading LF body trimmed, line) of each section, line by line."""
    found: list[tuple[str, list[str], int]] = []
    for number, line in enumerate(text.split("\n"), 1):
        heading = re.match(r"###[\s\ufeff]+([^\r\u2028\u2029]*)", line)
        if heading and not re.match("###[\x1c-\x1f\x85]", line):
            found.append((heading[1].strip(" \t\r\ufeff\u2028"), [], number))
        elif found:
            found[-1][1].append(line)
    return [(name, "\n".join([name, *body]).strip(" \t\r\n\ufeff\u2028"), line) for name, body, line in found]


def text_of(event: dict[str, object]) -> str:
    words = [event.get(key) for key in ("agent", "cli", "model", "task", "outcome")]
    signals = json.dumps(event.get("signals") or {}, ensure_ascii=False, separators=(",", ":"))
    return " ".join([*(str(word) for word in words if word), signals])


def recall(project: Path, query: str, limit: int = 8) -> list[tuple[float, str, str, str]]:
    """(score, kind, ref, text) of the best, all ``days`` of the events reckoned to ``NOW``."""
    found: list[tuple[float, str, str, str]] = []
    journal = project / ".bmad/memory/journal.ndjson"
    for line in journal.read_text().split("\n") if journal.exists() else ():
        if line.strip():
            event = json.loads(line)
            score = lexical_score(query, text_of(event))
            age = NOW * 1000 - event["ts"]
            if age > 0:
                score *= half_to_the(age / (DAY * 1000) / 30)
            found.append((score, "event", event["id"], text_of(event)))
    for folder in (".bmad", ".agents"):
        for name in FILES:
            path = project / folder / "memory" / name
            if path.exists():
                found += [
                    (lexical_score(query, text), "note", heading, text)
                    for heading, text, _ in split(path.read_bytes().decode())
                ]
    ranked = sorted((one for one in found if one[0] > 0), key=lambda one: -one[0])
    return ranked[:limit]
