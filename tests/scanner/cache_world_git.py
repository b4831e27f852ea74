"""What git does to a repository, and what happens to a repository behind git's back."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.scanner.cache_world import World

OWN_WORK = "0" * 40 + " " + "1" * 40 + " Ana <ana@example.com> {when} +0000\tcommit: by hand\n"


def commit(world: World) -> None:
    path = world.any_repository()
    (path / f"{world.name()}.txt").write_text(world.text())
    world.run("add", "-A", cwd=path)
    world.run("commit", "-q", "-m", "work", cwd=path)


def commit_nothing(world: World) -> None:
    world.run("commit", "-q", "--allow-empty", "-m", "empty")


def amend(world: World) -> None:
    world.run("commit", "-q", "--amend", "-m", world.text())


def stage(world: World) -> None:
    world.run("add", "-A")


def unstage(world: World) -> None:
    world.run("rm", "-rq", "--cached", world.random.choice(("src", "README.md")))


def mark_an_entry(world: World) -> None:
    mark = world.random.choice(
        ("--assume-unchanged", "--skip-worktree", "--no-assume-unchanged", "--refresh")
    )
    world.run("update-index", mark, "README.md")


def new_branch(world: World) -> None:
    world.run("branch", world.name())


def switch(world: World) -> None:
    if world.random.random() < 0.3:
        world.run("switch", "-q", "-f", "--detach")
    else:
        world.run("switch", "-q", "-f", "-c", world.name())


def back_to_main(world: World) -> None:
    world.run("switch", "-q", "-f", "main")


def delete_branches(world: World) -> None:
    path = world.any_repository()
    names = world.git(
        "for-each-ref", "--format=%(refname:short)", "refs/heads", cwd=path, check=False
    ).split()
    if len(names) > 1:
        world.run("branch", "-D", world.random.choice(names), cwd=path)


def merge(world: World) -> None:
    path = world.any_repository()
    world.run("switch", "-q", "-c", world.name(), cwd=path)
    world.run("commit", "-q", "--allow-empty", "-m", "aside", cwd=path)
    world.run("switch", "-q", "main", cwd=path)
    world.run("merge", "-q", "--no-ff", "-m", "merged", "@{-1}", cwd=path)


def stash(world: World) -> None:
    path = world.any_repository()
    (path / "README.md").write_text(world.text())
    world.run("stash", "-q", cwd=path)


def drop_a_stash(world: World) -> None:
    world.run("stash", world.random.choice(("pop", "drop")))


def reset(world: World) -> None:
    world.run("reset", "-q", world.random.choice(("--hard", "--soft")), "HEAD~1")


def pack_references(world: World) -> None:
    world.run("pack-refs", "--all")


def collect_garbage(world: World) -> None:
    world.run("gc", "-q", "--prune=now")


def repack(world: World) -> None:
    world.run("repack", "-qad", *world.random.choice(([], ["--write-midx"])))


def write_a_commit_graph(world: World) -> None:
    world.run("commit-graph", "write", "--reachable")


def expire_reflogs(world: World) -> None:
    world.run("reflog", "expire", "--expire=now", "--all")


def append_to_a_reflog(world: World) -> None:
    path = world.some(".git/logs/HEAD", ".git/logs/refs/heads/*", within=world.any_repository())
    if path.is_file():
        when = int(time.time() - world.random.choice((-400, -2, 0, 5, 100)) * 86_400)
        with path.open("a") as log:
            log.write(OWN_WORK.format(when=when))


def fetch(world: World) -> None:
    world.run("fetch", "-q", "--prune")


def push(world: World) -> None:
    world.run("push", "-q", "-u", "origin", "HEAD")


def configure(world: World) -> None:
    key, value = world.random.choice(
        (
            ("remote.origin.url", f"https://u:p@example.com/{world.name()}.git"),
            ("remote.other.url", "git@example.com:x/y.git"),
            ("branch.main.remote", "other"),
            ("branch.main.merge", "refs/heads/x"),
            ("core.ignoreCase", "true"),
            ("core.fileMode", "false"),
            ("core.bare", "true"),
            ("core.bare", "false"),
            ("user.email", "ana@example.com"),
            ("extensions.worktreeConfig", "true"),
        )
    )
    world.run("config", key, value)


def worktree_added(world: World) -> None:
    place = world.random.choice((world.root, world.outside, world.root / "deep", world.project()))
    world.run("worktree", "add", "-q", "-b", world.name(), str(place / world.name()))


def worktree_removed(world: World) -> None:
    found = [path for path in world.projects() if (path / ".git").is_file()]
    if found:
        shutil.rmtree(world.random.choice(found))


def worktrees_pruned(world: World) -> None:
    world.run("worktree", "prune")


def submodule_added(world: World) -> None:
    path = world.any_repository()
    world.run("submodule", "--quiet", "add", str(world.outside / "hub.git"), world.name(), cwd=path)


def modules_edited(world: World) -> None:
    path = world.any_repository() / ".gitmodules"
    path.write_text(f'[submodule "x"]\n\tpath = {world.random.choice(("src", "n1", "sub"))}\n\turl = x\n')


def alternates_written(world: World) -> None:
    path = world.any_repository() / ".git/objects/info/alternates"
    path.write_text(f"{world.any_repository()}/.git/objects\n")


def merge_begun(world: World) -> None:
    path = world.any_repository() / ".git" / world.random.choice(("MERGE_HEAD", "BISECT_LOG", "REVERT_HEAD"))
    if path.exists():
        path.unlink()
    else:
        path.write_text("1" * 40 + "\n")


def head_overwritten(world: World) -> None:
    text = world.random.choice(("ref: refs/heads/none\n", "garbage\n", "ref: refs/heads/main\n"))
    (world.any_repository() / ".git/HEAD").write_text(text)


def object_damaged(world: World) -> None:
    path = world.some(".git/objects/??/*", within=world.any_repository())
    if path.is_file():
        path.chmod(0o644)
        if world.random.random() < 0.5:
            path.write_bytes(b"nothing")
        else:
            path.unlink()


def index_lost(world: World) -> None:
    path = world.any_repository() / ".git/index"
    if world.random.random() < 0.5:
        path.unlink()
    else:
        path.write_bytes(b"DIRC")


def index_written_otherwise(world: World) -> None:
    version = world.random.choice(
        ("--index-version=4", "--index-version=2", "--split-index", "--no-split-index")
    )
    world.run("update-index", version)


ACTS_OF_GIT: tuple[Callable[[World], None], ...] = (
    *[commit] * 3,
    commit_nothing,
    amend,
    stage,
    unstage,
    mark_an_entry,
    new_branch,
    switch,
    *[back_to_main] * 2,
    delete_branches,
    merge,
    stash,
    drop_a_stash,
    reset,
    pack_references,
    collect_garbage,
    repack,
    write_a_commit_graph,
    expire_reflogs,
    append_to_a_reflog,
    fetch,
    push,
    configure,
    worktree_added,
    worktree_removed,
    worktrees_pruned,
    submodule_added,
    modules_edited,
    alternates_written,
    merge_begun,
    head_overwritten,
    object_damaged,
    index_lost,
    index_written_otherwise,
)
