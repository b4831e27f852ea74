"""A process that writes ledgers, for the tests that kill it or let several run at once.

``python -m tests.brain.ledgers.process events PROJECT NAME COUNT``: write so many events, print the number of
each once it is acknowledged. ``foreign ...``: the same in BMAD+'s way, with nothing but the presence of the
lock. ``reinforce PROJECT NAME COUNT``: so many rewards for the pattern NAME. ``event PROJECT`` and ``reward
PROJECT``: one of them at the time of the tests. ``hold PROJECT``: hold the lock until the input ends.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
import uuid
from pathlib import Path

from brain.files.errors import MemError
from brain.files.writer_lock import WriterLock
from brain.ledgers.journal import make_event, write_event
from brain.ledgers.promotions import reinforce
from tests.support import NOW


def event(name: str, number: int) -> dict[str, object]:
    return make_event(
        now=NOW + number,
        agent=name,
        cli="aider",
        model=None,
        task=f"task {number} é",
        outcome=None,
        signals={},
    )


def events(project: str, name: str, count: int) -> None:
    for number in range(count):
        write_event(project, event(name, number), wait=60)
        print(number, flush=True)


def foreign(project: str, name: str, count: int) -> None:
    """Writes as documented for BMAD+: make the lock exclusively, append, remove the lock if still ours."""
    folder = Path(project) / ".bmad" / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        owner = {"pid": os.getpid(), "hostname": socket.gethostname(), "token": str(uuid.uuid4())}
        content = json.dumps(owner, separators=(",", ":"))
        while True:
            try:
                with (folder / "writer.lock").open("x") as stream:
                    stream.write(content)
                break
            except FileExistsError:
                time.sleep(0.001)
        with (folder / "journal.ndjson").open("a") as stream:
            stream.write(json.dumps(event(name, number), separators=(",", ":"), ensure_ascii=False) + "\n")
        if (folder / "writer.lock").read_text() == content:
            (folder / "writer.lock").unlink()
        print(number, flush=True)


def rewards(project: str, name: str, count: int) -> None:
    for number in range(count):
        reinforce(project, name, {"ci": "pass"}, now=NOW + number, wait=60)
        print(number, flush=True)


def once(project: str, kind: str) -> int:
    try:
        if kind == "event":
            write_event(project, event("ana", 0))
        else:
            reinforce(project, "hot", {"ci": "pass"}, ["e1"], now=NOW)
    except MemError as error:
        print(error, file=sys.stderr)
        return 1
    print("written", flush=True)
    return 0


def hold(project: str) -> None:
    with WriterLock(project):
        print("held", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    mode, folder, *rest = sys.argv[1:]
    if mode in ("event", "reward"):
        sys.exit(once(folder, mode))
    if mode == "hold":
        hold(folder)
    else:
        {"events": events, "foreign": foreign, "reinforce": rewards}[mode](folder, rest[0], int(rest[1]))
