"""Reads what Zecher wrote as BMAD+ would, by the documented rules alone; knows nothing of our own code.

Each ``*_faults`` function takes the bytes of one file and returns what is wrong with it, in words; an empty
list means that a reader of the format understands the file. ``python checker.py FOLDER...`` checks every file
of a known name below the folders.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from pathlib import Path
from typing import Any

LIMIT = 2 * 1024 * 1024
RECEIPTS = 1000

CARD_LINE = re.compile(r"^(\w+):[ \t]*(.*)$")
CARD_TYPES: dict[str, type] = {
    "path": str,
    "name": str,
    "hash": str,
    "stack": str,
    "status": str,
    "bmad_installed": bool,
    "has_git": bool,
    "packs_installed": list,
    "last_scanned": str,
}
STATUSES = ("active", "paused", "archived", "unknown", "missing")  # the last is ours; BMAD+ shows any word
EVENT_KEYS = ["ts", "agent", "cli", "model", "task", "outcome", "signals", "artifactHashes", "id"]
SCORE_KEYS = ["elo", "alpha", "beta", "mean", "updates", "lastTs"]
PROMOTION_KEYS = [
    "id",
    "patternId",
    "fromStatus",
    "toStatus",
    "reason",
    "evidence",
    "score",
    "ts",
    "status",
    "governedBy",
    "approvedBy",
    "approvedAt",
]
RECEIPT_KEYS = [
    "id",
    "schemaVersion",
    "kind",
    "ts",
    "memory",
    "scope",
    "source",
    "interpretation",
    "verification",
    "supersedes",
    "contradicts",
]
SOURCE_KEYS = [
    "kind",
    "runId",
    "taskId",
    "attemptId",
    "verificationId",
    "verificationSha256",
    "acceptedAt",
    "artifactHashes",
    "resourceHashes",
    "scope",
    "objective",
    "baseline",
]
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def digest(*parts: str) -> str:
    """SHA-256 of the parts with NUL between them, in hex."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def compact(value: object) -> str:
    """JSON as ``JSON.stringify(value)`` writes it, for values without odd numbers or keys."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def read_card(data: bytes) -> dict[str, Any]:
    """What the index reader gets from a card: lines of word, colon, rest; JSON or else the bare text."""
    found: dict[str, Any] = {}
    for line in data.decode("utf-8", "replace").split("\n"):
        if (match := CARD_LINE.match(line)) and not line.endswith("\r"):
            try:
                found[match[1]] = json.loads(match[2])
            except ValueError:
                found[match[1]] = match[2]
    return found


def card_faults(name: str, data: bytes) -> list[str]:
    """``projects/<hash8>.yaml`` (1.2)."""
    faults = []
    if not re.fullmatch(r"[0-9a-f]{8}\.yaml", name):
        faults.append(f"name {name}")
    card = read_card(data)
    faults += [f"no {key}" for key in ("path", "name", "hash", "status", "last_scanned") if key not in card]
    for key, value in card.items():
        if key in CARD_TYPES and type(value) is not CARD_TYPES[key]:
            faults.append(f"{key} is {value!r}")
    if card.get("status") not in STATUSES:
        faults.append(f"status {card.get('status')!r}")
    if not DAY.fullmatch(str(card.get("last_scanned"))):
        faults.append("last_scanned is no date")
    if card.get("hash") != name.removesuffix(".yaml"):
        faults.append("hash is not the name of the file")
    if isinstance(card.get("path"), str) and digest(card["path"])[:8] != card.get("hash"):
        faults.append("hash is not that of the path")
    keys = [
        match[1] for line in data.decode("utf-8", "replace").split("\n") if (match := CARD_LINE.match(line))
    ]
    faults += [f"{key} twice" for key in sorted({key for key in keys if keys.count(key) > 1})]
    return faults


def index_rows(text: str) -> list[list[str]]:
    """The cells of the rows of the table, escaped bars kept inside their cell."""
    rows = []
    for line in text.split("\n"):
        if line.startswith("| ") and not line.startswith("| Status"):
            cells = re.split(r"(?<!\\)\|", line)
            rows.append([cell.strip() for cell in cells[1:-1]])
    return rows


def index_faults(data: bytes, cards: dict[str, bytes]) -> list[str]:
    """``projects-index.md`` (1.3) against the cards that it lists."""
    text = data.decode()
    lines = text.split("\n")
    faults = [] if text.endswith("\n") else ["no final newline"]
    if lines[0] != "---" or "---" not in lines[1:]:
        return [*faults, "no front matter"]
    end = lines.index("---", 1)
    front = dict(line.split(": ", 1) for line in lines[1:end] if ": " in line)
    if front.get("title") not in ("Project Index", '"Project Index"'):
        faults.append(f"title {front.get('title')}")
    if not re.fullmatch(r'"\d{4}-\d\d-\d\d"', front.get("last_updated", "")):
        faults.append(f"last_updated {front.get('last_updated')}")
    if front.get("total_projects") != str(len(cards)):
        faults.append(f"total_projects {front.get('total_projects')}")
    body = [line for line in lines[end + 1 :] if line and not line.startswith("<!--")]
    if body[0] != "# Project Index":
        faults.append(f"first line {body[0]!r}")
    if not (body[1].startswith("> ") and " — " in body[1]):
        faults.append("no line that names the generator")
    if "| Status | Name | Stack | BMAD+ | Path |" not in body:
        faults.append("no table header")
    rows = index_rows("\n".join(line for line in body if not re.fullmatch(r"\|[ |:-]+\|", line)))
    if len(rows) != len(cards):
        return [*faults, f"{len(rows)} rows for {len(cards)} cards"]
    for row, name in zip(rows, sorted(cards, key=str.encode), strict=True):
        faults += [f"row of {name}: {fault}" for fault in _row_faults(row, read_card(cards[name]))]
    return faults


def _row_faults(row: list[str], card: dict[str, Any]) -> list[str]:
    if len(row) != 5:
        return [f"{len(row)} cells"]
    faults = []
    if card.get("path") and row[4].strip("`") != card["path"]:
        faults.append(f"path {row[4]}")
    if row[3] != ("✓" if card.get("bmad_installed") is True else "·"):
        faults.append(f"BMAD+ {row[3]}")
    if not row[4].startswith("`"):
        faults.append("path not in backticks")
    return faults


def _lines(data: bytes) -> tuple[list[str], list[str]]:
    """The lines of a ledger, and what is wrong with it as a whole."""
    faults = []
    if len(data) > LIMIT:
        faults.append("larger than 2 MiB")
    if data and not data.endswith(b"\n"):
        faults.append("no final newline")
    try:
        return data.decode().split("\n")[:-1], faults
    except UnicodeDecodeError as problem:
        return [], [*faults, str(problem)]


def _keys_in_order(record: dict[str, Any], keys: list[str], what: str) -> list[str]:
    return [] if list(record) == keys else [f"{what}: keys {list(record)}"]


def journal_faults(data: bytes) -> list[str]:
    """``journal.ndjson`` (1.6)."""
    lines, faults = _lines(data)
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
        except ValueError:
            faults.append(f"line {number}: no JSON")
            continue
        if not isinstance(event, dict):
            faults.append(f"line {number}: no object")
            continue
        faults += _keys_in_order(event, EVENT_KEYS, f"line {number}")
        if (
            event.get("id")
            != digest(str(event.get("ts")), str(event.get("agent")), str(event.get("task")))[:12]
        ):
            faults.append(f"line {number}: id")
        if not INSTANT.fullmatch(str(event.get("ts"))):
            faults.append(f"line {number}: ts")
        if event.get("outcome") not in (None, "success", "failure", "partial", "abandoned"):
            faults.append(f"line {number}: outcome")
        if event.get("artifactHashes") != []:
            faults.append(f"line {number}: artifactHashes")
        if [key for key in ("evalScore", "acceptance", "ci") if key in event.get("signals", {})] != list(
            event.get("signals", {})
        ):
            faults.append(f"line {number}: signals")
        if compact(event) != line:
            faults.append(f"line {number}: not compact")
    return faults


def _score_faults(record: object, what: str) -> list[str]:
    if not isinstance(record, dict):
        return [f"{what}: no object"]
    faults = _keys_in_order(record, SCORE_KEYS, what)
    for key in ("elo", "alpha", "beta", "mean", "updates"):
        value = record.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return [*faults, f"{what}: {key} is {value!r}"]
    if record["mean"] != record["alpha"] / (record["alpha"] + record["beta"]):
        faults.append(f"{what}: mean")
    if min(record["alpha"], record["beta"]) < 1 or not isinstance(record["updates"], int):
        faults.append(f"{what}: out of bounds")
    return faults


def scores_faults(data: bytes) -> list[str]:
    """``pattern-scores.json`` (1.7)."""
    try:
        scores = json.loads(data)
    except ValueError as problem:
        return [str(problem)]
    if not isinstance(scores, dict):
        return ["no object"]
    faults = [] if data.endswith(b"}\n") else ["no final newline"]
    for name, record in scores.items():
        faults += _score_faults(record, name)
    text = data.decode()
    if json.dumps(scores, indent=2, ensure_ascii=False) + "\n" != text:
        faults.append("not indented by two")
    if re.search(r": -?\d+\.0,?$", text, re.MULTILINE):
        faults.append("a whole number with a fraction, which JSON.stringify never writes")
    return faults


def promotions_faults(data: bytes) -> list[str]:
    """``promotions.ndjson`` (1.8)."""
    lines, faults = _lines(data)
    for number, line in enumerate(lines, 1):
        record = json.loads(line)
        what = f"line {number}"
        faults += _keys_in_order(record, PROMOTION_KEYS, what)
        faults += _score_faults(record["score"], what)
        if record["id"] != digest(record["patternId"], record["ts"], record["toStatus"])[:12]:
            faults.append(f"{what}: id")
        fixed = (record["fromStatus"], record["toStatus"], record["governedBy"])
        if fixed != ("candidate", "validated", "shield"):
            faults.append(f"{what}: {fixed}")
        if (record["status"], record["approvedBy"], record["approvedAt"]) != ("PROPOSED", None, None):
            faults.append(f"{what}: written as {record['status']}")
        if f"{record['score']['mean']:.3f}" not in record["reason"]:
            faults.append(f"{what}: the reason does not say the mean")
        if compact(record) != line:
            faults.append(f"{what}: not compact")
    return faults


def sections(text: str) -> list[tuple[str, str]]:
    """Heading and body of every ``### `` section as recall and receipts see them (4.3, point 5)."""
    starts = list(re.finditer(r"(?m)^###[ \t]+(.*)$", text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    return [(start[1].strip(), text[start.end() + 1 : end]) for start, end in zip(starts, ends, strict=True)]


def section_sha256(heading: str, body: str) -> str:
    """``textSha256`` of a receipt (1.9)."""
    return digest(f"{heading}\n{body}".strip())


def receipt_id(receipt: dict[str, Any]) -> str:
    return digest(compact({key: value for key, value in receipt.items() if key != "id"}))


def receipts_faults(data: bytes) -> list[str]:
    """``outcomes.ndjson`` (1.9, 4.7)."""
    lines, faults = _lines(data)
    if len(lines) > RECEIPTS:
        faults.append("more than 1000 receipts")
    seen: list[str] = []
    attempts: list[tuple[str, str, str]] = []
    for number, line in enumerate(lines, 1):
        what = f"line {number}"
        record = json.loads(line)
        faults += _keys_in_order(record, RECEIPT_KEYS, what)
        if (record["schemaVersion"], record["kind"]) != (1, "accepted-outcome"):
            faults.append(f"{what}: kind")
        if record["id"] != receipt_id(record) or record["id"] in seen:
            faults.append(f"{what}: id")
        faults += _keys_in_order(record["source"], SOURCE_KEYS, f"{what} source")
        faults += _keys_in_order(record["memory"], ["file", "heading", "textSha256"], f"{what} memory")
        for key in ("supersedes", "contradicts"):
            if not set(record[key]) <= set(seen) or record[key] != sorted(set(record[key])):
                faults.append(f"{what}: {key}")
        if not record["scope"] or record["scope"] != sorted(set(record["scope"])):
            faults.append(f"{what}: scope")
        source = record["source"]
        attempt = (source["runId"], source["taskId"], source["attemptId"])
        if attempt in attempts:
            faults.append(f"{what}: attempt recorded twice")
        if compact(record["verification"]) != compact(
            {"status": "passed", "acceptance": "accepted", "lessonCausality": "unmeasured"}
        ):
            faults.append(f"{what}: verification")
        if compact(record) != line:
            faults.append(f"{what}: not compact")
        seen.append(record["id"])
        attempts.append(attempt)
    return faults


def lock_faults(data: bytes) -> list[str]:
    """``writer.lock`` (1.10)."""
    text = data.decode()
    record = json.loads(text)
    faults = _keys_in_order(record, ["pid", "hostname", "token"], "lock")
    if type(record["pid"]) is not int or not isinstance(record["hostname"], str):
        faults.append("owner")
    if not UUID4.fullmatch(str(record["token"])):
        faults.append("token")
    if text.rstrip("\n") != compact(record):
        faults.append("not one compact line")
    return faults


def link_faults(data: bytes) -> list[str]:
    """``.brain-link`` (1.5)."""
    text = data.decode()
    record = json.loads(text)
    faults = _keys_in_order(record, ["linked_brain", "brain_type", "linked_at"], "link")
    if record.get("brain_type") not in ("portfolio", "bmad-global", "claude-memory"):
        faults.append("brain_type")
    if not INSTANT.fullmatch(str(record.get("linked_at"))):
        faults.append("linked_at")
    if text != json.dumps(record, indent=2, ensure_ascii=False):
        faults.append("not indented by two without a final newline")
    return faults


def entry_count(text: str) -> int:
    """Entries as ``memory status`` of BMAD+ counts them (3.1)."""
    return len(re.findall(r"(?m)^### ", text))


READERS = {
    "journal.ndjson": journal_faults,
    "pattern-scores.json": scores_faults,
    "promotions.ndjson": promotions_faults,
    "outcomes.ndjson": receipts_faults,
    "writer.lock": lock_faults,
    ".brain-link": link_faults,
}


def folder_faults(folder: Path) -> list[str]:
    """The faults of every file of a known name below ``folder``."""
    faults = []
    for path in sorted(folder.rglob("*")):
        found: list[str] = []
        if path.name in READERS and path.is_file():
            found = READERS[path.name](path.read_bytes())
        elif path.parent.name == "projects" and path.suffix == ".yaml" and path.is_file():
            found = card_faults(path.name, path.read_bytes())
        elif path.name == "projects-index.md":
            cards = {card.name: card.read_bytes() for card in (path.parent / "projects").glob("*.yaml")}
            found = index_faults(path.read_bytes(), cards)
        faults += [f"{path.relative_to(folder)}: {fault}" for fault in found]
    return faults


if __name__ == "__main__":
    said = [fault for argument in sys.argv[1:] for fault in folder_faults(Path(argument))]
    sys.stderr.write("".join(f"{fault}\n" for fault in said))
    sys.exit(1 if said else 0)
