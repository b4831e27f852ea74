"""What the tests share: the clock, the real git with its environment pinned, small writers."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

NOW = 1_796_008_624.0  # 2026-11-30T03:17:04Z, the clock of every test
DAY = 86_400.0

GIT_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Ana",
    "GIT_AUTHOR_EMAIL": "ana@example.com",
    "GIT_COMMITTER_NAME": "Ana",
    "GIT_COMMITTER_EMAIL": "ana@example.com",
    "GIT_CONFIG_COUNT": "3",
    "GIT_CONFIG_KEY_0": "init.defaultBranch",
    "GIT_CONFIG_VALUE_0": "main",
    "GIT_CONFIG_KEY_1": "protocol.file.allow",
    "GIT_CONFIG_VALUE_1": "always",
    "GIT_CONFIG_KEY_2": "gc.auto",
    "GIT_CONFIG_VALUE_2": "0",
}


@dataclass(frozen=True)
class Git:
    """Runs the real git in tests, with dates pinned in days before ``NOW``."""

    root: Path

    def __call__(
        self, *args: str, cwd: Path | None = None, days: float | None = None, check: bool = True
    ) -> str:
        env = dict(os.environ)
        if days is not None:
            stamp = f"{int(NOW - days * DAY)} +0000"
            env |= {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        done = subprocess.run(
            ["git", *args], cwd=cwd or self.root, env=env, check=False, capture_output=True, timeout=60
        )
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(args)}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="surrogateescape").strip()

    def repository(self, name: str, *, days: float = 1.0, files: dict[str, str] | None = None) -> Path:
        """A repository with one commit, ``days`` before ``NOW``, whose files carry the same date."""
        path = self.root / name
        path.mkdir(parents=True)
        self("init", "-q", cwd=path)
        for relative, text in (files or {"README.md": f"# {name}\n"}).items():
            write(path / relative, text, days=days)
        self("add", "-A", cwd=path)
        self("commit", "-q", "-m", "first", cwd=path, days=days)
        return path


def write(path: Path, text: str = "x\n", *, days: float | None = None) -> Path:
    """Write ``path`` with its folders; ``days`` dates the file that long before ``NOW``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if days is not None:
        stamp = NOW - days * DAY
        os.utime(path, (stamp, stamp))
    return path
