"""A repository at which somebody does whatever a seed says, and what git says of it afterwards."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from scanner.changes import Changes, work_tree_changes
from scanner.git import open_repository
from tests.support import Git, write

NAMES = (
    "a",
    "A",
    "b.log",
    "ä.txt",
    "sp ace",
    "src/a",
    "src/deep/a",
    "src/deep/b",
    "src/Deep/c",
    "src-x",
    "src.x/y",
    "new/a",
    "new/sub/b",
    "out/a",
    "lib/a/b",
    "link",
)
FOLDERS = ("src", "src/deep", "lib", "new", "new/sub", "out", "empty", "lib/a")
TEXTS = (
    b"one\n",
    b"two\n",
    b"one\r\n",
    b"",
    b"\0\r\n",
    b"$Id$\n",
    b"$Id: 5 $\n",
    b"a\r\nb\n",
    b"longer text\n",
)
RULES = (b"*.log\nout/\n", b"new/\n", b"*\n!src\n!a\n", b"/src/deep\n", b"sub/\n!b\n", b"", b"a\n", b"SRC/\n")
ATTRIBUTES = (
    b"* text=auto\n",
    b"*.log -text\na text\n",
    b"* ident\n",
    b"src/** eol=crlf\n",
    b"* text=auto eol=lf\n",
    b"* binary\n",
)
SETTINGS = (
    ("core.fileMode", "false"),
    ("core.ignoreCase", "true"),
    ("core.autocrlf", "true"),
    ("core.autocrlf", "input"),
    ("core.symlinks", "false"),
    ("core.trustCtime", "false"),
    ("core.checkStat", "minimal"),
    ("core.sparseCheckout", "true"),
)


def by_git(path: Path) -> dict[str, set[str]]:
    """What ``git status`` says, by kind; the index is not refreshed by the question."""
    command = "status --porcelain=v2 -z --untracked-files=normal --ignore-submodules=all --no-renames"
    done = subprocess.run(
        ["git", "--no-optional-locks", *command.split()],
        cwd=path,
        check=True,
        capture_output=True,
        timeout=60,
    )
    found: dict[str, set[str]] = {
        kind: set() for kind in ("staged", "modified", "deleted", "untracked", "conflicted", "intent_to_add")
    }
    for line in filter(None, done.stdout.decode(errors="surrogateescape").split("\0")):
        if line[0] == "?":
            found["untracked"].add(line[2:])
        elif line[0] == "u":
            found["conflicted"].add(line.split(" ", 10)[10])
        else:
            _, states, *_, name = line.split(" ", 8)
            staged, work_tree = states[0], states[1]
            if staged != ".":
                found["staged"].add(name)
            kind = {"M": "modified", "T": "modified", "D": "deleted", "A": "intent_to_add"}.get(work_tree)
            if kind is not None:
                found[kind].add(name)
    return found


def by_us(path: Path) -> dict[str, set[str]]:
    """The same by our own reader, which must be sure of everything."""
    changes = changes_of(path)
    assert changes.may_be_modified == ()
    assert not changes.truncated
    return {
        kind: set(getattr(changes, kind))
        for kind in ("staged", "modified", "deleted", "untracked", "conflicted", "intent_to_add")
    }


def changes_of(path: Path) -> Changes:
    with open_repository(str(path)) as repository:
        return work_tree_changes(repository)


def make_templates(git: Git) -> list[Path]:
    """Repositories to start from: ordinary, with a branch to merge, with a submodule, without a commit."""
    files = {
        "a": "one\n",
        "src/a": "one\n",
        "src/deep/b": "1\n",
        "lib/a/b": "b\n",
        "b.log": "log\n",
        ".gitignore": "out/\n",
    }
    plain = git.repository("plain", files=files)
    os.symlink("a", plain / "link")
    git("add", "-f", "link", "b.log", cwd=plain)
    git("commit", "-qm", "link", cwd=plain)
    git("checkout", "-qb", "other", cwd=plain)
    for name in ("a", "src/a", "new/a"):
        write(plain / name, "other\n")
    git("rm", "-q", "src/deep/b", cwd=plain)
    git("add", "-A", cwd=plain)
    git("commit", "-qm", "other", cwd=plain)
    git("checkout", "-q", "main", cwd=plain)
    packed = git.root / "packed"
    shutil.copytree(plain, packed, symlinks=True)
    git("gc", "-q", cwd=packed)
    module = git.root / "module"
    shutil.copytree(plain, module, symlinks=True)
    git("submodule", "add", "-q", str(plain), "sub", cwd=module)
    git("commit", "-qm", "sub", cwd=module)
    unborn = git.root / "unborn"
    unborn.mkdir()
    git("init", "-q", cwd=unborn)
    return [plain, plain, packed, module, unborn]


@dataclass
class Desk:
    """One repository; every act is drawn from ``chance``. ``done`` tells what was done, for a failure."""

    git: Git
    path: Path
    chance: random.Random
    done: list[str] = field(default_factory=list)

    def work(self, acts: int) -> None:
        kinds = [name for name in dir(self) if name.startswith("do_")]
        weights = [3 if name in ("do_write", "do_file_act", "do_git") else 1 for name in kinds]
        for kind in self.chance.choices(kinds, weights, k=acts):
            self.done.append(kind)
            try:
                getattr(self, kind)()
            except OSError:
                continue  # what stands there does not allow it

    def pick(self) -> Path:
        name = self.chance.choice(NAMES)
        self.done.append(name)
        return self.path / name

    def do_write(self) -> None:
        self._put(self.pick(), self.chance.choice(TEXTS))

    def do_ignore(self) -> None:
        folder = self.chance.choice(("", "src/", "new/", ".git/info/"))
        name = "exclude" if folder == ".git/info/" else ".gitignore"
        self._put(self.path / folder / name, self.chance.choice(RULES))

    def do_attributes(self) -> None:
        self._put(self.path / ".gitattributes", self.chance.choice(ATTRIBUTES))

    def do_lose_rules(self) -> None:
        (self.path / self.chance.choice((".gitattributes", ".gitignore"))).unlink()

    def do_setting(self) -> None:
        self.by_git("config", *self.chance.choice(SETTINGS))

    def do_file_act(self) -> None:
        path = self.pick()
        act = self.chance.choice(("touch", "delete", "mode", "same size", "again"))
        self.done.append(act)
        if act == "touch":
            os.utime(path, ns=(0, self.chance.choice((1_600_000_000_000_000_000, 1_600_000_000_123_456_789))))
        elif act == "delete":
            path.unlink()
        elif act == "mode" and path.is_file():
            path.chmod(path.stat().st_mode ^ 0o111)
        elif act == "same size" and path.is_file():
            path.write_bytes(bytes(byte ^ 1 for byte in path.read_bytes()))
        elif act == "again" and path.is_file():
            path.write_bytes(path.read_bytes())

    def do_replace(self) -> None:
        name = self.chance.choice((*NAMES, *FOLDERS))
        act = self.chance.choice(
            ("folder", "filled folder", "link", "link to folder", "pipe", "file", "repository")
        )
        self.done += [name, act]
        path = self.path / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif os.path.lexists(path):
            path.unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        if act in ("folder", "filled folder"):
            path.mkdir()
        if act == "filled folder":
            (path / "a").write_bytes(b"inside\n")
        elif act == "link":
            os.symlink("elsewhere", path)  # one that leads to itself is no missing file for git
        elif act == "link to folder":
            # Files of the same names lie there. A link that leads to itself is no missing file for git.
            os.symlink(self.git.root / "plain" / self.chance.choice(FOLDERS), path)
        elif act == "pipe":
            os.mkfifo(path)
        elif act == "file":
            path.write_bytes(b"was a folder\n")
        elif act == "repository":
            path.mkdir()
            self.git("init", "-q", cwd=path)
            if self.chance.random() < 0.5:
                self.git("commit", "-q", "--allow-empty", "-m", "inner", cwd=path)

    def do_move_folder(self) -> None:
        shutil.move(self.path / self.chance.choice(FOLDERS), self.path / self.chance.choice(FOLDERS))

    def do_fake_repository(self) -> None:
        folder = self.path / self.chance.choice(FOLDERS)
        text = self.chance.choice(
            (b"gitdir: nowhere\n", b"nonsense\n", b"gitdir: %s\n" % bytes(self.path / ".git"))
        )
        self._put(folder / ".git", text)

    def do_git(self) -> None:
        name = self.chance.choice((*NAMES, *FOLDERS, "."))
        command = self.chance.choice(
            (
                ["add", name],
                ["add", "-A"],
                ["add", "-f", name],
                ["add", "-N", name],
                ["commit", "-qm", "x"],
                ["commit", "-qam", "x"],
                ["rm", "-rq", "--cached", name],
                ["reset", "-q", "--", name],
                ["checkout", "-q", "--", name],
                ["mv", name, "moved"],
                ["stash", "-q"],
                ["merge", "-q", "other"],
                ["status"],
                ["update-index", "--assume-unchanged", name],
                ["update-index", "--skip-worktree", name],
                ["update-index", "--skip-worktree", ".gitignore"],
                ["update-index", "--chmod=+x", name],
                ["update-index", "--split-index"],
                ["update-index", "--index-version", "4"],
                ["read-tree", "HEAD"],
                ["read-tree", "other"],
                ["checkout", "-q", "--orphan", "fresh"],
                ["sparse-checkout", "set", "src/deep"],
                ["sparse-checkout", "set", "--sparse-index", "lib"],
            )
        )
        self.by_git(*command)

    def do_lose_index(self) -> None:
        if self.chance.random() < 0.2:
            (self.path / ".git/index").unlink()

    def by_git(self, *command: str) -> None:
        self.done.append(" ".join(command))
        self.git(*command, cwd=self.path, check=False)

    def _put(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or path.is_fifo():
            path.unlink()
        path.write_bytes(data)
