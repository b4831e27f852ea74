"""An accepted Nexus run as BMAD+ records it, and what a receipt of it must hold; made without our code."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.interop.golden import compact, sha256

ACCEPTED = "2026-11-29T10:00:00.000Z"


def _hashes(project: Path, scope: list[str]) -> dict[str, str]:
    found = {}
    for start in scope:
        for folder, _, files in os.walk(project / start):
            for name in files:
                path = Path(folder, name)
                found[path.relative_to(project).as_posix()] = sha256(path.read_bytes())
    return dict(sorted(found.items()))


def accepted_run(
    project: Path, program: Path, run_id: str = "r1", tasks: tuple[str, ...] = ("T-12",)
) -> dict[str, Any]:
    """A run whose ``tasks`` changed ``src/auth`` and were verified by ``program``."""
    environment = {
        "policy": "minimal-local-v1",
        "values": {"PATH": "/usr/bin", "LANG": "C.UTF-8"},
        "sha256": sha256(compact({"PATH": "/usr/bin", "LANG": "C.UTF-8"})),
    }
    artifacts = {"src/auth/limit.go": sha256((project / "src/auth/limit.go").read_bytes())}
    plans, records = [], []
    for task in tasks:
        attempt = f"{run_id}-{task}-1"
        plans.append(
            {
                "id": task,
                "objective": "Débit limité — jusqu'à 5 par minute",
                "dependsOn": [],
                "scope": ["src/auth"],
                "artifacts": ["src/auth/limit.go"],
                "resourceHashes": {"go.mod": sha256((project / "go.mod").read_bytes())},
                "checks": [
                    {
                        "id": "unit",
                        "command": str(program),
                        "commandHash": sha256(program.read_bytes()),
                        "args": ["./..."],
                        "cwd": "src",
                    }
                ],
            }
        )
        verification = {
            "id": f"v-{attempt}",
            "attemptId": attempt,
            "status": "passed",
            "environment": environment,
            "scopeHashes": _hashes(project, ["src/auth"]),
            "artifactHashes": artifacts,
            "checks": [
                {
                    "id": "unit",
                    "attemptId": attempt,
                    "environment": environment,
                    "exitCode": 0,
                    "error": None,
                    "signal": None,
                    "stdout": "ok \u2028 \x7f 🧪\n",
                }
            ],
        }
        records.append(
            {
                "id": task,
                "integration": "accepted",
                "acceptedAt": ACCEPTED,
                "integrationReceipt": {"attemptId": attempt, "artifactHashes": artifacts},
                "attempts": [
                    {
                        "id": attempt,
                        "execution": "completed",
                        "cancellation": {"status": "none"},
                        "baseline": None,
                        "verification": verification,
                    }
                ],
            }
        )
    plan = {"tasks": plans}
    return {
        "schemaVersion": 1,
        "id": run_id,
        "project": os.path.realpath(project),
        "frameworkVersion": "0.22.0",
        "createdAt": "2026-11-29T09:00:00.000Z",
        "updatedAt": ACCEPTED,
        "sequence": 7,
        "planHash": sha256(compact(plan)),
        "plan": plan,
        "tasks": records,
    }


def store(project: Path, run: dict[str, Any]) -> Path:
    """Write the run in its envelope."""
    path = project / ".bmad-plus/nexus/runs" / f"{run['id']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schemaVersion": 1, "sha256": sha256(compact(run)), "run": run}, indent=2))
    return path


def receipt(
    run: dict[str, Any], file: str, heading: str, body: str, *, task: int = 0, **changes: Any
) -> dict[str, Any]:
    """The receipt that BMAD+ writes for a section of memory and a task of ``run``."""
    plan, record = run["plan"]["tasks"][task], run["tasks"][task]
    attempt = record["attempts"][-1]
    rest = {
        "schemaVersion": 1,
        "kind": "accepted-outcome",
        "ts": "2026-11-29T12:00:00.000Z",
        "memory": {"file": file, "heading": heading, "textSha256": sha256(f"{heading}\n{body}".strip())},
        "scope": ["src/auth"],
        "source": {
            "kind": "nexus",
            "runId": run["id"],
            "taskId": plan["id"],
            "attemptId": attempt["id"],
            "verificationId": attempt["verification"]["id"],
            "verificationSha256": sha256(compact(attempt["verification"])),
            "acceptedAt": record["acceptedAt"],
            "artifactHashes": record["integrationReceipt"]["artifactHashes"],
            "resourceHashes": plan["resourceHashes"],
            "scope": plan["scope"],
            "objective": plan["objective"],
            "baseline": attempt["baseline"],
        },
        "interpretation": "La limite a tenu — größer als gedacht 🧪",
        "verification": {"status": "passed", "acceptance": "accepted", "lessonCausality": "unmeasured"},
        "supersedes": [],
        "contradicts": [],
    } | changes
    return {"id": sha256(compact(rest)), **rest}
