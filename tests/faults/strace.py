"""Faults at the system call, with strace: a run is recorded, then repeated with one of its calls at fault."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
CALLS = (
    "openat,write,pwrite64,ftruncate,fsync,link,linkat,rename,renameat,unlink,unlinkat,flock,"
    "mkdir,mkdirat,chmod,fchmod,fchmodat,fchown"
)
ERRORS = ("ENOSPC", "EIO", "EROFS", "EACCES", "EDQUOT", "EMFILE", "EINTR", "ENOMEM")
KILL = "signal=KILL"
# Faster with --seccomp-bpf, but then injected signals never arrive (strace 6.1).
STRACE = ["strace", "-qq", "-e", f"trace={CALLS}", "-e", "signal=none"]

Call = tuple[str, int]

needs_strace = pytest.mark.skipif(not shutil.which("strace"), reason="strace is not here")


def skip_unless_allowed() -> None:
    """Skip the test where strace stands but may not trace, as in some containers."""
    probe = subprocess.run([*STRACE, "-o", os.devnull, "true"], check=False, capture_output=True, timeout=60)
    if probe.returncode:
        pytest.skip("strace may not trace here")


def environment(home: Path) -> dict[str, str]:
    """The same for every run, so that each makes the same calls in the same order."""
    return {
        "PATH": os.defpath,
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }


def run(command: Sequence[str], home: Path) -> subprocess.CompletedProcess[str]:
    """The command with ``home`` as its home, as it is."""
    return subprocess.run(
        command,
        cwd=TOP,
        env=environment(home),
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


def record(
    command: Sequence[str], home: Path, places: Sequence[str]
) -> tuple[subprocess.CompletedProcess[str], list[Call]]:
    """A whole run, and (name, how manieth call of that name) of each call that may change the disk.

    Calls on descriptors carry no path: all that follow the first one that names one of ``places`` count, but
    what the process says to people, and files opened elsewhere.
    """
    trace = home / "calls.trace"
    done = run([*STRACE, "-o", str(trace), *command], home)
    counts: Counter[str] = Counter()
    found: list[Call] = []
    begun = False
    for line in trace.read_text(errors="replace").split("\n"):
        call = re.match(r"(?:\d+ +)?(\w+)\(", line)
        if not call:
            continue
        name = call[1]
        counts[name] += 1
        is_ours = any(place in line for place in places)
        begun = begun or is_ours
        if begun and not re.search(r"write\([12],", line) and (name != "openat" or is_ours):
            found.append((name, counts[name]))
    trace.unlink()
    return done, found


def run_with_fault(
    command: Sequence[str], home: Path, call: Call | str, fault: str
) -> subprocess.CompletedProcess[str]:
    """The run with ``fault`` (``KILL`` or ``error=EIO``) at ``call``; at all calls of a name if it is one."""
    where = f"{call}:{fault}" if isinstance(call, str) else f"{call[0]}:{fault}:when={call[1]}"
    return run([*STRACE, "-o", os.devnull, "-e", f"inject={where}", *command], home)


def sample(calls: Sequence[Call], full: bool, size: int) -> list[Call]:
    """All calls, or every so manieth of them."""
    return list(calls) if full else [calls[number * len(calls) // size] for number in range(size)]
