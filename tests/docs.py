"""Puts the help texts of the commands into docs/cli.md; run by ``nox -s docs``, held by ``test_docs``."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
_PLACE = re.compile(r"<!-- help: (zecher[a-z -]*?) -->\n(?:\n```text\n.*?\n```\n)?", re.DOTALL)


def with_help(page: str) -> str:
    """The page with the help of each command that it names, as the commands print it now."""
    return _PLACE.sub(lambda found: f"<!-- help: {found[1]} -->\n\n```text\n{_help(found[1])}\n```\n", page)


def _help(command: str) -> str:
    arguments = command.split()[1:]
    done = subprocess.run(
        [sys.executable, "-m", "jobs.cli", *arguments, "--help"],
        cwd=PAGE.parent.parent,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.rstrip()


if __name__ == "__main__":
    PAGE.write_text(with_help(PAGE.read_text()))
