"""What can stand in a manifest's place that is no ordinary file, or none that anybody should read."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.plain_git import Template, git
from tests.hostile.vectors import SECRET, Outside

TERABYTE = 1 << 40
HUNDRED_MEGABYTES = 100 * 1000 * 1000


@dataclass(frozen=True)
class Kind:
    """One way to be no manifest; ``make`` puts it at a path that is free."""

    name: str
    make: Callable[[Path, Shelf], None]
    refused: bool = True
    """Whether whoever wants to read it must say so in a problem."""


class Shelf:
    """What several kinds share: the outside, and one large file that is only written once."""

    def __init__(self, base: Path, outside: Outside) -> None:
        base.mkdir(parents=True)
        self.base = base
        self.outside = outside
        self._large: Path | None = None

    def large(self) -> Path:
        """A file with 100 MB of JSON on one line."""
        if self._large is None:
            self._large = self.base / "large"
            block = b'{"name": "large", "scripts": {}},' * 31_250
            with self._large.open("wb") as file:
                file.write(b"[")
                while file.tell() < HUNDRED_MEGABYTES:
                    file.write(block)
                file.write(b"0]")
        return self._large


def _pipe(at: Path, _: Shelf) -> None:
    os.mkfifo(at)


def _socket(at: Path, _: Shelf) -> None:
    # As a node: bind() takes 108 bytes of path at most.
    os.mknod(at, stat.S_IFSOCK | 0o600)


def _device(at: Path, _: Shelf) -> None:
    """A device of its own where that is allowed, else a link to an endless one."""
    try:
        os.mknod(at, stat.S_IFCHR | 0o644, os.makedev(1, 5))
    except PermissionError:
        at.symlink_to("/dev/zero")


def _link_to_device(at: Path, _: Shelf) -> None:
    at.symlink_to("/dev/zero")


def _link_to_secret(at: Path, shelf: Shelf) -> None:
    at.symlink_to(shelf.outside.path / ("manifest.json" if at.suffix == ".json" else "text"))


def _link_to_itself(at: Path, _: Shelf) -> None:
    at.symlink_to(at.name)


def _folder(at: Path, _: Shelf) -> None:
    at.mkdir()


def _terabyte(at: Path, _: Shelf) -> None:
    with at.open("wb") as file:
        file.truncate(TERABYTE)


def _large(at: Path, shelf: Shelf) -> None:
    os.link(shelf.large(), at)


def _unreadable(at: Path, _: Shelf) -> None:
    at.write_text(f'{{"name": "{SECRET}", "scripts": {{}}}}')
    at.chmod(0)


def _empty(at: Path, _: Shelf) -> None:
    at.touch()


def _noise(at: Path, _: Shelf) -> None:
    # Bytes that are no text, no number and no format; the same in every run.
    at.write_bytes(bytes((place * place * 7 + place // 3) % 256 for place in range(5000)))


def _zeros(at: Path, _: Shelf) -> None:
    at.write_bytes(bytes(200_000))


KINDS = (
    Kind("pipe", _pipe),
    Kind("socket", _socket),
    Kind("device", _device),
    Kind("link-to-device", _link_to_device),
    Kind("link-to-secret", _link_to_secret),
    Kind("link-to-itself", _link_to_itself),
    Kind("folder", _folder),
    Kind("terabyte", _terabyte),
    Kind("hundred-megabytes", _large),
    Kind("unreadable", _unreadable),
    Kind("empty", _empty, refused=False),
    Kind("noise", _noise, refused=False),
    Kind("zeros", _zeros, refused=False),
)

MANIFESTS = (
    "package.json",
    "pyproject.toml",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "composer.json",
    "Gemfile",
    "requirements.txt",
    "CMakeLists.txt",
    "pubspec.yaml",
    "deno.json",
    "README.md",
    ".nvmrc",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    "pnpm-workspace.yaml",
    "CACHEDIR.TAG",
)

# What a scan reads of a repository. "OBJECT", "PACK" and the like stand for the place of the newest commit.
PARTS = (
    ".git",
    ".git/config",
    ".git/config.worktree",
    ".git/HEAD",
    ".git/index",
    ".git/packed-refs",
    ".git/refs",
    ".git/refs/heads",
    ".git/refs/heads/main",
    ".git/refs/stash",
    ".git/logs",
    ".git/logs/HEAD",
    ".git/logs/refs/heads/main",
    ".git/info/exclude",
    ".git/shallow",
    ".git/commondir",
    ".git/worktrees",
    ".git/worktrees/x/HEAD",
    ".git/worktrees/x/gitdir",
    ".git/MERGE_HEAD",
    ".git/objects",
    ".git/objects/info/alternates",
    ".git/objects/info/commit-graph",
    ".git/objects/pack/multi-pack-index",
    "OBJECT",
    "PACK",
    "PACK-INDEX",
    "REFTABLE-LIST",
    "REFTABLE",
)


class Repositories:
    """Copies of a loose, a packed and a reftable repository in which one part is replaced."""

    def __init__(self, base: Path, template: Template) -> None:
        self.loose = template
        self._packed = template.copy(base / "packed")
        git("repack", "-a", "-d", "-q", cwd=self._packed)
        git("prune-packed", cwd=self._packed)
        self._reftable = template.copy(base / "reftable")
        folder = self._reftable / ".git"
        with (folder / "config").open("a") as file:
            file.write("[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n")
        (folder / "reftable").mkdir()
        (folder / "reftable" / "tables.list").write_text("0x01-0x01-aa.ref\n")

    def with_part(self, part: str, project: Path) -> Path:
        """A repository at ``project``; the place of ``part`` in it, which is free."""
        if part.startswith("PACK"):
            shutil.copytree(self._packed, project, symlinks=True)
            suffix = ".idx" if part == "PACK-INDEX" else ".pack"
            place = next((project / ".git" / "objects" / "pack").glob("*" + suffix))
        elif part.startswith("REFTABLE"):
            shutil.copytree(self._reftable, project, symlinks=True)
            name = "tables.list" if part == "REFTABLE-LIST" else "0x01-0x01-aa.ref"
            place = project / ".git" / "reftable" / name
        else:
            self.loose.copy(project)
            head = self.loose.head
            place = project / (f".git/objects/{head[:2]}/{head[2:]}" if part == "OBJECT" else part)
        if place.is_dir():
            shutil.rmtree(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        return place


def slug(place: str) -> str:
    """A folder name for a case."""
    return place.lstrip(".").replace("/", "-")
