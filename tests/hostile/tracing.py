"""Proof that nothing was touched: a picture of a whole tree, and the system calls of a command."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_HASHED = 4 * 1024 * 1024


def picture(root: Path) -> dict[bytes, tuple[object, ...]]:
    """Every entry below ``root`` with kind, mode, size, times of change, owner and content (to 4 MiB)."""
    seen: dict[bytes, tuple[object, ...]] = {}
    pending = [os.fsencode(root)]
    while pending:
        path = pending.pop()
        status = os.lstat(path)
        facts: list[object] = [status.st_mode, status.st_ino, status.st_nlink, status.st_uid, status.st_gid]
        facts += [status.st_mtime_ns, status.st_ctime_ns, status.st_size]
        if stat.S_ISDIR(status.st_mode):
            pending += [os.path.join(path, name) for name in os.listdir(path)]
        elif stat.S_ISLNK(status.st_mode):
            facts.append(os.readlink(path))
        elif stat.S_ISREG(status.st_mode) and status.st_size <= _HASHED and status.st_mode & 0o400:
            with open(path, "rb") as file:
                facts.append(hashlib.sha256(file.read()).hexdigest())
        seen[path] = tuple(facts)
    return seen


def differences(
    before: dict[bytes, tuple[object, ...]], after: dict[bytes, tuple[object, ...]]
) -> list[bytes]:
    """The paths that came, went or changed."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


@cache
def why_no_strace() -> str:
    """Why system calls cannot be watched here; empty when they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(
        ["strace", "-qq", "-o", os.devnull, "true"], capture_output=True, timeout=30, check=False
    )
    return "" if done.returncode == 0 else "this system does not let strace look at a process"


def watched(argv: Sequence[str | bytes], log: Path, cwd: Path, env: dict[str, str]) -> list[str]:
    """Run ``argv`` under strace; the system calls about files and processes, one a line, pids removed."""
    done = subprocess.run(
        [
            "strace",
            "-f",
            "-y",
            "-qq",
            "-s",
            "4096",
            "-o",
            str(log),
            "-e",
            "trace=%file,%process,%desc",
            *argv,
        ],
        cwd=cwd,
        env={**env, "PATH": os.environ.get("PATH", os.defpath)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode in (0, 3), done.stderr.decode(errors="replace")
    lines = log.read_text(errors="surrogateescape").splitlines()
    return [re.sub(r"^\d+ +", "", line) for line in lines]


_PROCESS = re.compile(r"^(execve|execveat|fork|vfork|clone|clone3)\(")
_CHANGES = re.compile(
    r"^(unlink|unlinkat|rename|renameat|renameat2|mkdir|mkdirat|rmdir|link|linkat|symlink|symlinkat|mknod|mknodat"
    r"|chmod|fchmod|fchmodat|chown|fchown|lchown|fchownat|utime|utimes|utimensat|futimesat|truncate|ftruncate"
    r"|setxattr|lsetxattr|fsetxattr|removexattr|write|pwrite64|writev|fallocate|creat|flock|copy_file_range"
    r"|sendfile)\("
)
# What is written may well name a project: only where it goes counts.
_WRITES = re.compile(r"^(write|pwrite64|writev|pwritev2?|sendto|sendfile)\(\d+<([^>]*)>")
_WRITE_FLAGS = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)")
_LOCKS = re.compile(r"^(flock\(|fcntl\([^)]*F_(OFD_)?SETLK)")


def started_processes(calls: Sequence[str]) -> list[str]:
    """All starts of programs or processes but that of the command itself; threads are none."""
    found = [line for line in calls if _PROCESS.match(line) and "CLONE_THREAD" not in line]
    return found[1:]


def changes_below(calls: Sequence[str], root: Path) -> list[str]:
    """Calls that write, create, remove, rename, date, mark or lock something below ``root``."""
    place = str(root)
    found = []
    for line in calls:
        written_to = _WRITES.match(line)
        if place not in (written_to[2] if written_to else line):
            continue
        opens = line.startswith(("open(", "openat(", "openat2("))
        if _CHANGES.match(line) or _LOCKS.match(line) or (opens and _WRITE_FLAGS.search(line)):
            found.append(line)
    return found


def opened(calls: Sequence[str], place: Path) -> list[str]:
    """Successful opens of ``place`` or anything below it, by whatever name (strace resolves descriptors)."""
    return [
        line
        for line in calls
        if line.startswith(("open(", "openat(", "openat2(")) and f"<{place}" in line.rpartition(") = ")[2]
    ]
