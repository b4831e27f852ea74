"""The real git without any hardening, and repositories to plant things in."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.support import DAY, GIT_ENVIRONMENT, NOW

HANG = 0.4
"""Seconds after which a plain git that waits for a pipe is known to hang (it needs 5 ms otherwise)."""


def environment(home: Path) -> dict[str, str]:
    """Of plain git: its own pinned settings, nothing of the caller, no terminal to ask at."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        **GIT_ENVIRONMENT,
        "GIT_AUTHOR_DATE": f"{int(NOW - 3 * DAY)} +0000",
        "GIT_COMMITTER_DATE": f"{int(NOW - 3 * DAY)} +0000",
    }


def git(
    *words: str, cwd: Path, check: bool = True, stdin: bytes = b"", timeout: float = 30
) -> subprocess.CompletedProcess[bytes]:
    """Run plain git in ``cwd``; ``subprocess.TimeoutExpired`` when it hangs."""
    done = subprocess.run(
        ["git", *words],
        cwd=cwd,
        env=environment(cwd),
        input=stdin,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    if check and done.returncode:
        raise AssertionError(f"git {' '.join(words)}: {done.stderr.decode(errors='replace')}")
    return done


def git_at_terminal(*words: str, cwd: Path) -> bytes:
    """What plain git writes when its output is a terminal (only there does it start a pager)."""
    leader, follower = pty.openpty()
    try:
        process = subprocess.Popen(
            ["git", *words], cwd=cwd, env=environment(cwd), stdin=subprocess.DEVNULL, stdout=follower
        )
        os.close(follower)
        process.wait(timeout=30)
        try:
            return os.read(leader, 65_536)
        except OSError:
            return b""
    finally:
        os.close(leader)


@cache
def version() -> tuple[int, ...]:
    """Of the git on this machine, such as ``(2, 39, 5)``."""
    said = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True, timeout=30).stdout
    return tuple(int(part) for part in said.split()[2].split(".")[:3] if part.isdigit())


class Template:
    """A small repository with two commits that is copied wherever a repository is needed (2 ms each)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        git("init", "-q", "--template=", cwd=path)
        (path / ".git" / "hooks").mkdir(exist_ok=True)
        (path / ".git" / "info").mkdir(exist_ok=True)
        (path / "README.md").write_text("# A project\n\nOne line about it.\n")
        (path / "src").mkdir()
        (path / "src" / "code.txt").write_text("code\n")
        self._date_files()
        git("add", "-A", cwd=path)
        git("commit", "-q", "-m", "first", cwd=path)
        git("commit", "-q", "--allow-empty", "-m", "second", cwd=path)
        self.head = git("rev-parse", "HEAD", cwd=path).stdout.decode().strip()

    def _date_files(self) -> None:
        stamp = NOW - 4 * DAY
        for file in (self.path / "README.md", self.path / "src" / "code.txt"):
            os.utime(file, (stamp, stamp))

    def copy(self, target: Path) -> Path:
        """A copy at ``target``; its index no longer knows the stat data of its files, as after unpacking."""
        shutil.copytree(self.path, target, symlinks=True)
        return target


def loose_object(repository: Path, oid: str) -> Path:
    """Where the loose object ``oid`` of ``repository`` lies."""
    return repository / ".git" / "objects" / oid[:2] / oid[2:]


def configure(repository: Path, text: str, *, name: str = "config") -> None:
    """Add ``text`` to the configuration of ``repository``."""
    with (repository / ".git" / name).open("a", encoding="utf-8", newline="\n") as file:
        file.write(text if text.endswith("\n") else text + "\n")


def raw_commit(repository: Path, content: bytes, *, branch: str = "main") -> str:
    """Store ``content`` as a commit, unchecked, and let ``branch`` point to it."""
    words = ("hash-object", "-t", "commit", "-w", "--literally", "--stdin")
    oid = git(*words, cwd=repository, stdin=content).stdout.decode().strip()
    (repository / ".git" / "refs" / "heads" / branch).write_text(oid + "\n")
    return oid


def tree_of(repository: Path) -> str:
    """The tree of HEAD."""
    return git("rev-parse", "HEAD^{tree}", cwd=repository).stdout.decode().strip()


IS_LINUX = sys.platform.startswith("linux")
