"""Short ways to a brain on a real disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from brain.files.outline import Json
from brain.portfolio import Applied, Facts, Plan, apply, may_exist, plan, read_portfolio
from tests.brain.bmad import hash8

NOW = "2026-11-30T03:17:04Z"
TODAY = "2026-11-30"
ROOT = "/home/ana/dev"


def facts(path: str = f"{ROOT}/shop", **other: Any) -> Facts:
    values: dict[str, Any] = {
        "path": path,
        "real_path": path,
        "name": path.rpartition("/")[2],
        "stack": "Go",
        "status": "active",
        "bmad_installed": False,
        "has_git": True,
    }
    return Facts(**(values | other))


def extra(**values: Json) -> tuple[tuple[str, Json], ...]:
    return tuple(values.items())


def decide(
    brain: Path,
    found: Sequence[Facts],
    *,
    now: str = NOW,
    roots: Sequence[str] = (ROOT,),
    exists: Callable[[str], bool] = may_exist,
) -> Plan:
    return plan(read_portfolio(str(brain)), found, now=now, roots=roots, exists=exists)


def index(brain: Path, *found: Facts, **options: Any) -> Applied:
    """One whole indexing."""
    return apply(decide(brain, found, **options), str(brain))


def card_path(brain: Path, path: str = f"{ROOT}/shop") -> Path:
    return brain / "projects" / f"{hash8(path)}.yaml"


def put_card(brain: Path, data: bytes, path: str = f"{ROOT}/shop") -> Path:
    target = card_path(brain, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return target


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file below ``folder`` with its inode, modification time and bytes."""
    found: dict[str, tuple[int, int, bytes]] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            status = path.lstat()
            found[str(path.relative_to(folder))] = (status.st_ino, status.st_mtime_ns, path.read_bytes())
    return found
