"""Builds projects with memory and accepted Nexus runs from the documented format, with no code of ours.

All hashes are made here with ``json`` and ``hashlib``, so that a mistake of the reader cannot hide in the
writer of its own tests.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]

LESSON = "Rate limit on auth routes"
MEMORY = ".agents/memory/lessons.md"
LEDGER = ".bmad/memory/outcomes.ndjson"
ACCEPTED_AT = "2026-11-29T10:00:00.000Z"


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def sha(value: str | bytes) -> str:
    return hashlib.sha256(value.encode() if isinstance(value, str) else value).hexdigest()


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def sealed(run: Json) -> str:
    """The file of a run, its plan hash and its envelope hash made anew."""
    run = {**run, "planHash": sha(compact(run["plan"]))}
    return json.dumps({"schemaVersion": 1, "sha256": sha(compact(run)), "run": run}, indent=2) + "\n"


class Project:
    """A project folder whose files, memory and runs the tests make and then disturb."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve() / "shop"
        self.checker = put(root.resolve() / "bin" / "checker", "#!/bin/sh\nexit 0\n")
        self.write("src/auth/limit.py", "LIMIT = 5\n")
        self.write("src/auth/keys/store.py", "KEYS = ()\n")
        self.write("checks/unit.py", "assert True\n")
        self.lesson(LESSON, "Use **one** limit for each account.\n")

    @property
    def path(self) -> str:
        return str(self.root)

    def write(self, name: str, text: str) -> Path:
        return put(self.root / name, text)

    def read(self, name: str) -> str:
        return (self.root / name).read_text()

    def lesson(self, heading: str, body: str, file: str = MEMORY) -> None:
        old = self.root / file
        self.write(file, (old.read_text() if old.exists() else "# Lessons\n\n") + f"### {heading}\n{body}\n")

    # What a verification records

    def hashes(self, names: list[str]) -> dict[str, str]:
        return {name: sha((self.root / name).read_bytes()) for name in sorted(names)}

    def below(self, scopes: list[str]) -> dict[str, str]:
        names = []
        for scope in scopes:
            for folder, _, files in os.walk(self.root / scope):
                names += [os.path.relpath(os.path.join(folder, file), self.root) for file in files]
            if (self.root / scope).is_file():
                names.append(scope)
        return self.hashes(names)

    # Runs

    def plan(self, task_id: str = "limit", **changes: Any) -> Json:
        return {
            "id": task_id,
            "objective": "Limit the rate of logins — é",
            "dependsOn": [],
            "scope": ["src/auth"],
            "artifacts": ["src/auth/limit.py"],
            "resources": ["checks/unit.py"],
            "checks": [
                {
                    "id": "unit",
                    "command": str(self.checker),
                    "commandHash": sha(self.checker.read_bytes()),
                    "args": ["checks/unit.py"],
                    "cwd": ".",
                    "timeoutMs": 30000,
                    "resources": [],
                }
            ],
            "maxAttempts": 2,
            "resourceHashes": self.hashes(["checks/unit.py"]),
        } | changes

    def record(self, plan: Json, run_id: str) -> Json:
        attempt_id = f"{run_id}-{plan['id']}-2"
        values = {"LANG": "C", "LC_ALL": "C", "PATH": "/usr/bin", "TZ": "UTC"}
        environment = {"policy": "minimal-local-v1", "values": values, "sha256": sha(compact(values))}
        artifacts = self.hashes(plan["artifacts"])
        verification = {
            "id": f"verification-{attempt_id}",
            "attemptId": attempt_id,
            "status": "passed",
            "environment": environment,
            "scopeHashes": self.below(plan["scope"]),
            "artifactHashes": artifacts,
            "checks": [
                {
                    "id": check["id"],
                    "attemptId": attempt_id,
                    "environment": environment,
                    "exitCode": 0,
                    "signal": None,
                    "error": None,
                    "stdout": "1 passed in 0.25s \u2028 ✓\n",
                }
                for check in plan["checks"]
            ],
        }
        failed = {
            "id": f"{run_id}-{plan['id']}-1",
            "execution": "failed",
            "verification": {"status": "pending", "checks": []},
        }
        attempt = {
            "id": attempt_id,
            "runId": run_id,
            "taskId": plan["id"],
            "execution": "completed",
            "cancellation": {"status": "none"},
            "baseline": {"revision": "a" * 40, "config": {"ratio": 0.5}},
            "verification": verification,
        }
        return {
            "id": plan["id"],
            "integration": "accepted",
            "attempts": [failed, attempt],
            "acceptedAt": ACCEPTED_AT,
            "integrationReceipt": {"attemptId": attempt_id, "artifactHashes": artifacts},
        }

    def run(self, run_id: str = "one", *plans: Json) -> Json:
        """An accepted run whose evidence is current."""
        planned = list(plans) or [self.plan()]
        return {
            "schemaVersion": 1,
            "id": run_id,
            "project": self.path,
            "frameworkVersion": "0.22.0",
            "sequence": 9,
            "planHash": "",
            "plan": {"id": run_id, "maxParallel": 1, "config": {}, "tasks": planned},
            "tasks": [self.record(plan, run_id) for plan in planned],
        }

    def accept(
        self, run_id: str = "one", *plans: Json, change: Callable[[Json], object] | None = None
    ) -> Json:
        """Store a run, changed before it is sealed, and return it."""
        run = self.run(run_id, *plans)
        if change:
            change(run)
        self.store(run, run_id)
        return run

    def store(self, run: Json, run_id: str = "one") -> Path:
        return self.write(f".bmad-plus/nexus/runs/{run_id}.json", sealed(run))

    # Observations

    def ask(self, **changes: Any) -> str:
        """Write an input file for ``observe`` and return its name."""
        self.write("observation.json", compact(wanted(**changes)))
        return "observation.json"

    @property
    def ledger(self) -> Path:
        return self.root / LEDGER

    def records(self) -> list[Json]:
        return [json.loads(line) for line in self.ledger.read_text().splitlines()]


def wanted(**changes: Any) -> Json:
    """What ``observe`` is asked by default."""
    return {
        "runId": "one",
        "taskId": "limit",
        "memory": {"file": MEMORY, "heading": LESSON},
        "scope": ["src/auth"],
        "interpretation": "The limit held under load.",
    } | changes


def source_of(run: Json, index: int = 0) -> Json:
    """The source that a receipt records of a task, from the documented rules."""
    plan, record = run["plan"]["tasks"][index], run["tasks"][index]
    attempt = record["attempts"][-1]
    return {
        "kind": "nexus",
        "runId": run["id"],
        "taskId": plan["id"],
        "attemptId": attempt["id"],
        "verificationId": attempt["verification"]["id"],
        "verificationSha256": sha(compact(attempt["verification"])),
        "acceptedAt": record["acceptedAt"],
        "artifactHashes": record["integrationReceipt"]["artifactHashes"],
        "resourceHashes": plan["resourceHashes"],
        "scope": plan["scope"],
        "objective": plan["objective"],
        "baseline": attempt["baseline"],
    }


def receipt_of(
    source: Json, section: str, *, file: str = MEMORY, ts: str = "2026-11-30T03:17:04.000Z", **changes: Any
) -> Json:
    """A receipt as documented, for the section with the text ``section`` (heading, LF, body)."""
    body = {
        "schemaVersion": 1,
        "kind": "accepted-outcome",
        "ts": ts,
        "memory": {"file": file, "heading": section.partition("\n")[0], "textSha256": sha(section.strip())},
        "scope": ["src/auth"],
        "source": source,
        "interpretation": "The limit held under load.",
        "verification": {"status": "passed", "acceptance": "accepted", "lessonCausality": "unmeasured"},
        "supersedes": [],
        "contradicts": [],
    } | changes
    return {"id": sha(compact(body)), **body}
