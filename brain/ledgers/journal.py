"""The journal ``.bmad/memory/journal.ndjson``: one event a line, appended, never rewritten."""

from __future__ import annotations

from collections.abc import Mapping

from brain.files.append import append_line
from brain.files.errors import MemError
from brain.files.javascript_json import to_compact
from brain.files.ledger import LEDGER_CAP, Ledger, read_ledger
from brain.files.links import refuse_links
from brain.files.writer_lock import WriterLock
from brain.folders import LEDGER_FOLDER
from brain.times import iso_time

JOURNAL = f"{LEDGER_FOLDER}/journal.ndjson"
OUTCOMES = ("success", "failure", "partial", "abandoned")
CLIS = ("claude-code", "gemini-cli", "codex-cli", "cursor", "opencode", "aider", "antigravity")


def hash_of(*parts: str) -> str:
    """The identifier of a record: the first 12 hex digits of SHA-256 over ``parts``, a NUL between them."""
    from hashlib import sha256  # noqa: PLC0415 - start-up: 3 ms

    text = "\0".join(parts)
    try:
        data = text.encode()
    except UnicodeEncodeError:  # JavaScript hashes a lone surrogate as the replacement character
        data = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text).encode()
    return sha256(data).hexdigest()[:12]


def event_id(ts: str, agent: str, task: str) -> str:
    """The identifier of the event at ``ts``: the same facts give the same one."""
    return hash_of(ts, agent, task)


def make_event(
    *,
    now: float,
    agent: str,
    cli: str | None,
    model: str | None,
    task: str | None,
    outcome: str | None,
    signals: Mapping[str, object],
) -> dict[str, object]:
    """The event of ``now`` (epoch seconds) with the published keys in their order, or ``MemError``."""
    ts = iso_time(now)
    event: dict[str, object] = {
        "ts": ts,
        "agent": agent,
        "cli": cli,
        "model": model,
        "task": task or "",
        "outcome": outcome,
        "signals": dict(signals),
        "artifactHashes": [],
        "id": event_id(ts, agent, task or ""),
    }
    check_event(event)
    return event


def check_event(event: Mapping[str, object]) -> None:
    """``MemError`` unless the event has an agent, and an outcome and an assistant from the lists, or none."""
    agent, outcome, cli = event.get("agent"), event.get("outcome"), event.get("cli")
    if not isinstance(agent, str) or not agent.strip():
        raise MemError("an event needs the name of its agent: give --agent NAME")
    if outcome is not None and outcome not in OUTCOMES:
        raise MemError(f"--outcome is one of {', '.join(OUTCOMES)}, not {outcome!r}")
    if cli is not None and cli not in CLIS:
        raise MemError(f"--cli is one of {', '.join(CLIS)}, not {cli!r}{_nearest(str(cli))}")


def write_event(project: str, event: Mapping[str, object], *, wait: float = 2.0) -> None:
    """Append ``event`` to the journal of ``project`` (its real path) and return once it is durable.

    A line that a crash tore is closed first, so that it costs nobody but itself. ``wait`` is in seconds, for
    another writer. ``MemError`` when it is refused or fails; then the journal is as it was before.
    """
    check_event(event)
    line = to_compact(dict(event)).encode()
    with WriterLock(project, wait=wait):
        append_line(refuse_links(project, JOURNAL), line, cap=LEDGER_CAP, repair=True)


def read_journal(project: str) -> Ledger:
    """The journal of ``project``; ``MemError`` when it is a link, larger than 2 MiB, or cannot be read."""
    return read_ledger(refuse_links(project, JOURNAL))


def _nearest(text: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - start-up: only after a mistake

    near = get_close_matches(text.lower(), CLIS, 1)
    return f"; did you mean {near[0]}?" if near else ""
