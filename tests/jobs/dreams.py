"""A workspace of daily notes for the tests of dreaming."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jobs.config_values import ConfiguredDreaming
from jobs.dreaming_promote import Wish, preview, promote, take_back
from jobs.dreaming_undo import Undone
from jobs.dreaming_workspaces import DreamSettings
from reports.dreaming import Dreamt

TODAY = "2026-12-01"
DAYS = ("2026-11-27", "2026-11-28", "2026-11-30")
GATEWAY = "The backup gateway of the office is box 2 behind the router"
SUMMARY = "Alex prefers weekly summaries on Friday; daily reports are noise."


class Claw:
    """A workspace at ``home/claw`` and what is remembered of it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.root = home / "claw"
        (self.root / "memory").mkdir(parents=True)
        self.memory = self.root / "MEMORY.md"
        self.dreams = self.root / "DREAMS.md"
        self.state = home / ".local/state/zecher"

    def note(self, day: str, *lines: str, title: str = "") -> Path:
        path = self.root / "memory" / f"{day}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {title or day}\n\n" + "".join(f"- {line}\n" for line in lines))
        return path

    def notes(self, *lines: str, days: tuple[str, ...] = DAYS) -> None:
        for day in days:
            self.note(day, *lines)

    def configure(self, **keys: object) -> None:
        """Write the configuration of the command line."""
        values = {"enabled": True, "workspaces": [str(self.root)], **keys}
        path = self.home / ".config" / "zecher" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "[dreaming]\n" + "".join(f"{key} = {json.dumps(one)}\n" for key, one in values.items())
        )
        path.chmod(0o600)

    def settings(self, today: str = TODAY, **configured: Any) -> DreamSettings:
        return DreamSettings(
            ConfiguredDreaming(workspaces=(str(self.root),), **configured),
            str(self.home / ".bmad-plus/brain"),
            str(self.state),
            str(self.home / ".cache/zecher"),
            str(self.home),
            datetime.fromisoformat(f"{today}T03:50:00").replace(tzinfo=UTC).timestamp(),
            today,
        )

    def look(self, today: str = TODAY, *, promoted: bool = False, **configured: Any) -> Dreamt:
        settings = self.settings(today, **configured)
        return preview(settings, str(self.root), Wish(settings.gates, promoted=promoted))

    def apply(self, *ids: str, today: str = TODAY, promoted: bool = False, **configured: Any) -> Dreamt:
        settings = self.settings(today, **configured)
        return promote(settings, str(self.root), Wish(settings.gates, ids or None, promoted))

    def undo(self, run: str, today: str = TODAY) -> Undone:
        return take_back(self.settings(today), run)[1]

    def files(self) -> dict[str, bytes]:
        """All that stands in the workspace."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }


def texts(found: Dreamt) -> list[str]:
    """What is proposed."""
    assert found.sweep is not None
    return [one.claim.text for one in found.sweep.proposals]


def ids(found: Dreamt) -> list[str]:
    assert found.sweep is not None
    return [one.claim.id for one in found.sweep.proposals]


def added(found: Dreamt) -> list[str]:
    """What was written."""
    return [one.text for one in found.planned.added] if found.run and found.planned is not None else []
