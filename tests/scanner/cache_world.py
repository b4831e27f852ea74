"""A small portfolio and everything that can happen to it: the acts of the cache's property test.

Each act takes the world and changes something on its disk, in the way people, git or accidents do. None
tells what it did: what a scan from nothing sees afterwards is the measure.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.support import Git, write


@dataclass
class World:
    """``root`` is scanned; ``outside`` lies beside it; ``ignore`` is the user's own ignore file."""

    git: Git
    random: Random
    root: Path
    outside: Path
    ignore: Path
    number: int = 0
    acts: list[str] = field(default_factory=list)

    @classmethod
    def made(cls, base: Path, random: Random) -> World:
        base = Path(os.path.realpath(base))
        world = cls(Git(base), random, base / "dev", base / "outside", base / "ignore")
        world.root.mkdir()
        world.outside.mkdir()
        for number, manifest in enumerate(MANIFESTS):
            world.repository(world.root / f"p{number}", {manifest: MANIFESTS[manifest]})
        write(world.root / "plain/package.json", '{"name": "plain", "dependencies": {"react": "1"}}')
        write(world.root / "plain/src/app.js")
        write(world.root / "deep/er/plain/Makefile", "all:\n")
        world.git("clone", "-q", "--bare", str(world.root / "p0"), str(world.outside / "hub.git"))
        world.git("remote", "add", "origin", str(world.outside / "hub.git"), cwd=world.root / "p0")
        world.git("fetch", "-q", "origin", cwd=world.root / "p0")
        world.git("worktree", "add", "-q", "-b", "tree", str(world.root / "p1-tree"), cwd=world.root / "p1")
        world.git("clone", "-q", "--bare", str(world.root / "p2"), str(world.root / "bare.git"))
        return world

    def repository(self, path: Path, files: dict[str, str]) -> None:
        path.mkdir(parents=True)
        self.git("init", "-q", cwd=path)
        files = {
            "README.md": f"# {path.name}\n",
            "src/deep/code.py": "x = 1\n",
            ".gitignore": "*.log\n",
        } | files
        for name, text in files.items():
            write(path / name, text)
        self.git("add", "-A", cwd=path)
        self.git("commit", "-q", "-m", "first", cwd=path, days=self.random.randrange(1, 300))

    def name(self) -> str:
        self.number += 1
        return f"n{self.number}"

    def projects(self) -> list[Path]:
        return sorted(path for path in self.root.iterdir() if path.is_dir() and not path.is_symlink())

    def project(self) -> Path:
        return self.random.choice(self.projects())

    def repositories(self) -> list[Path]:
        return [path for path in self.projects() if (path / ".git").exists()]

    def any_repository(self) -> Path:
        return self.random.choice(self.repositories() or [self.root / "p0"])

    def run(self, *arguments: str, cwd: Path | None = None) -> None:
        """Run git where it may well refuse."""
        where = cwd or self.any_repository()
        if where.is_dir():
            self.git(*arguments, cwd=where, days=self.random.randrange(0, 300), check=False)

    def some(self, *patterns: str, within: Path | None = None) -> Path:
        """A file or folder that fits a pattern, in a project; the project itself if none does."""
        project = within or self.project()
        found = sorted(path for pattern in patterns for path in project.glob(pattern))
        return self.random.choice(found or [project])

    def file(self) -> Path:
        """A file of a project that is none of git's."""
        project = self.project()
        found = [path for path in sorted(project.rglob("*")) if ".git" not in path.parts and path.is_file()]
        return self.random.choice(found or [project / "new.txt"])

    def text(self) -> str:
        return f"text {self.random.randrange(10**6)}\n"


MANIFESTS = {
    "package.json": '{"name": "one", "workspaces": ["src/*"]}\n',
    "pyproject.toml": '[project]\nname = "two"\n',
    "Cargo.toml": '[package]\nname = "three"\n',
    "go.mod": "module example.com/four\n",
}


TARGETS = ("one", "two")
"""What links lead to, there or not."""


@contextmanager
def dates_kept(*paths: Path) -> Iterator[None]:
    """Set the dates of files and folders back to what they were, as a program may."""
    before = [(path, path.stat()) for path in paths if path.exists()]
    yield
    for path, status in before:
        if path.exists():
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def act(world: World) -> str:
    """Do one thing at random; its name."""
    chosen = world.random.choice(ACTS)
    with suppress(OSError):  # what it needs may not be there in this world
        chosen(world)
    name = chosen.__name__
    world.acts.append(name)
    return name


# Files


def edit_in_place(world: World) -> None:
    world.file().write_text(world.text())


def edit_with_the_same_size_and_date(world: World) -> None:
    path = world.file()
    with dates_kept(path, path.parent):
        data = bytearray(path.read_bytes())
        if data:
            data[world.random.randrange(len(data))] = 0x2E
            path.write_bytes(bytes(data))


def replace_by_one_of_the_same_size_and_date(world: World) -> None:
    path = world.file()
    other = path.with_name(".other")
    with dates_kept(path, path.parent):
        size = path.stat().st_size
        other.write_bytes(bytes(world.random.choices(b"ab\n", k=size)))
        other.replace(path)


def touch(world: World) -> None:
    world.file().touch()


def date_otherwise(world: World) -> None:
    path = world.random.choice((world.file(), world.file().parent, world.project()))
    when = time.time() - world.random.choice((-400, -3, 0, 1, 30, 900)) * 86_400
    os.utime(path, (when, when))


def new_file_deep_in_the_tree(world: World) -> None:
    folder = world.file().parent
    with dates_kept(*([folder] if world.random.random() < 0.5 else [])):
        write(folder / world.random.choice(("", "new/", "a/b/c/")) / f"{world.name()}.py", world.text())


def delete_a_file(world: World) -> None:
    world.file().unlink()


def delete_a_folder(world: World) -> None:
    shutil.rmtree(world.file().parent)


def rename_a_file(world: World) -> None:
    path = world.file()
    path.rename(path.with_name(world.name() + path.suffix))


def change_permissions(world: World) -> None:
    path = world.random.choice((world.file(), world.file().parent, world.some(".git/*")))
    mode = path.stat().st_mode
    path.chmod(mode ^ world.random.choice((0o111, 0o022, 0o044)) | 0o700)


def swap_a_file_for_a_link(world: World) -> None:
    path = world.file()
    moved = world.outside / world.name()
    shutil.move(path, moved)
    path.symlink_to(moved)


def swap_a_folder_for_a_link(world: World) -> None:
    path = world.random.choice(
        (world.file().parent, world.some(".git/objects/??", ".git/refs/*", ".git/logs"))
    )
    if path.parent != world.root and path.is_dir():
        moved = world.random.choice((world.outside, path.parent.parent)) / world.name()
        shutil.move(path, moved)
        path.symlink_to(moved)


def leave_a_link(world: World) -> None:
    name = world.random.choice((".git", ".git", "package.json", ".gitignore", "README.md", "lib", "HEAD"))
    folder = world.random.choice((world.project(), world.file().parent, world.some("*/"), world.root))
    if folder.is_dir():
        (folder / name).symlink_to(world.outside / world.random.choice(TARGETS))


def make_what_links_lead_to(world: World) -> None:
    path = world.outside / world.random.choice(TARGETS)
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()
    elif world.random.random() < 0.3:
        shutil.copytree(world.any_repository() / ".git", path)
    elif world.random.random() < 0.5:
        write(path / "Makefile", "all:\n")
    else:
        path.write_text('{"name": "linked"}\n')


def swap_a_file_for_a_folder(world: World) -> None:
    path = world.file()
    path.unlink()
    path.mkdir()


def edit_a_manifest(world: World) -> None:
    path = world.some(*MANIFESTS)
    if path.is_file():
        name = list(MANIFESTS)[world.random.randrange(len(MANIFESTS))]
        path.write_text(MANIFESTS[name].replace("o", world.random.choice("aeiou")))


def new_manifest(world: World) -> None:
    name = world.random.choice((*MANIFESTS, "Makefile", "README", "LICENSE", ".env", "CLAUDE.md", ".nvmrc"))
    write(world.random.choice((world.project(), world.file().parent)) / name, MANIFESTS.get(name, "20\n"))


def delete_a_manifest(world: World) -> None:
    world.some(*MANIFESTS, "Makefile", "README*").unlink()


def edit_an_ignore_file(world: World) -> None:
    path = world.random.choice(
        (
            world.ignore,
            world.project() / ".gitignore",
            world.file().parent / ".gitignore",
            world.any_repository() / ".git/info/exclude",
        )
    )
    rules = world.random.sample(("*.py", "src/", "n*", "!n1*", "*.log", "/package.json", "a/", ""), 2)
    path.write_text("\n".join(rules) + "\n")


def edit_an_attributes_file(world: World) -> None:
    (world.project() / ".gitattributes").write_text(
        world.random.choice(("* text=auto\n", "*.py filter=x\n", ""))
    )


# Projects


def new_project(world: World) -> None:
    place = world.random.choice((world.root, world.root, world.project(), world.root / "deep"))
    name = world.random.choice(list(MANIFESTS))
    if world.random.random() < 0.5:
        world.repository(place / world.name(), {name: MANIFESTS[name]})
    else:
        write(place / world.name() / name, MANIFESTS[name])


def move_a_project(world: World) -> None:
    world.project().rename(world.root / world.name())


def copy_a_project(world: World) -> None:
    shutil.copytree(world.project(), world.root / world.name(), symlinks=True)


def delete_a_project(world: World) -> None:
    if len(world.projects()) > 8:
        shutil.rmtree(world.project())


def turn_a_folder_into_a_cache(world: World) -> None:
    write(world.file().parent / "CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")


def exchange_two_git_folders(world: World) -> None:
    one, other = world.any_repository() / ".git", world.any_repository() / ".git"
    if one != other and one.is_dir() and other.is_dir():
        held = world.outside / world.name()
        one.rename(held)
        other.rename(one)
        held.rename(other)


def borrow_a_git_folder(world: World) -> None:
    one, other = world.any_repository() / ".git", world.any_repository() / ".git"
    if one != other and one.is_dir() and len(world.repositories()) > 5:
        shutil.move(one, world.outside / world.name())
        one.write_text(f"gitdir: {other}\n")


def put_the_git_folder_elsewhere(world: World) -> None:
    path = world.any_repository() / ".git"
    if path.is_dir():
        moved = world.random.choice((world.outside, world.root)) / world.name()
        shutil.move(path, moved)
        if world.random.random() < 0.5:
            path.symlink_to(moved)
        else:
            path.write_text(f"gitdir: {moved}\n")


def drop_the_git_folder(world: World) -> None:
    path = world.any_repository() / ".git"
    if len(world.repositories()) > 5 and path.is_dir():
        shutil.rmtree(path)


from tests.scanner.cache_world_git import ACTS_OF_GIT  # noqa: E402 - acts of git know the world above

ACTS: tuple[Callable[[World], None], ...] = (
    *[edit_in_place] * 3,
    edit_with_the_same_size_and_date,
    replace_by_one_of_the_same_size_and_date,
    touch,
    date_otherwise,
    *[new_file_deep_in_the_tree] * 3,
    delete_a_file,
    delete_a_folder,
    rename_a_file,
    change_permissions,
    swap_a_file_for_a_link,
    swap_a_folder_for_a_link,
    *[leave_a_link] * 2,
    *[make_what_links_lead_to] * 2,
    swap_a_file_for_a_folder,
    edit_a_manifest,
    new_manifest,
    delete_a_manifest,
    edit_an_ignore_file,
    edit_an_attributes_file,
    new_project,
    move_a_project,
    copy_a_project,
    *[delete_a_project] * 2,
    turn_a_folder_into_a_cache,
    exchange_two_git_folders,
    borrow_a_git_folder,
    put_the_git_folder_elsewhere,
    drop_the_git_folder,
    *ACTS_OF_GIT,
)
