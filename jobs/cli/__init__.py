"""The command line: ``zecher`` and its short form ``scan``."""

from __future__ import annotations

import sys

from jobs.cli.gate import run_guarded


def main() -> int:
    """``zecher``: the exit code of what was asked for on the command line of this process."""
    return run_guarded("zecher", sys.argv[1:])


def scan_main() -> int:
    """``scan``: the same as ``zecher scan``."""
    return run_guarded("scan", ["scan", *sys.argv[1:]])
