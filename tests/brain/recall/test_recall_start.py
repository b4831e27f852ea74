"""Recall answers within a prompt's patience: what it must not import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[3]
HEAVY = [
    "dataclasses",
    "typing",
    "inspect",
    "pathlib",
    "yaml",
    "hashlib",
    "datetime",
    "subprocess",
    "logging",
]


@pytest.mark.parametrize("module", HEAVY)
def test_a_recall_does_not_import(module: str) -> None:
    program = (
        "import sys; before = set(sys.modules); import brain.recall.recall as recall\n"
        "recall.recall('.', 'alpha 2026', now=0.0)\n"
        f"print({module!r} in set(sys.modules) - before)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=HERE, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
