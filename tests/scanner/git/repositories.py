"""Real repositories of many kinds, made quickly: one fast-import a history, few processes a repository."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import GIT_ENVIRONMENT

DATES = (0, 1, 86_399, 999_999_999, 1_700_000_000, 2**31 - 1, 2**31, 2**32 + 5, 253_402_300_799)
NAMES = (
    "feat/x",
    "feat/y/z",
    "Ünïcode",
    "名前/枝",
    "a.b-c_d",
    "x/" + "n" * 60,
    "with'quote",
    'with"double',
    "$dollar&;|",
    "semi,comma=eq",
    "-leading".lstrip("-") + "-",
    "100%",
    "#hash!",
    "(paren)",
    "HEAD2",
    "refs/heads/again",
)


_COUNT = int(GIT_ENVIRONMENT["GIT_CONFIG_COUNT"])
_ENVIRONMENT = {
    **GIT_ENVIRONMENT,
    "GIT_CONFIG_COUNT": str(_COUNT + 1),
    # No repository outlives its test: waiting for the disk would be most of the time.
    f"GIT_CONFIG_KEY_{_COUNT}": "core.fsync",
    f"GIT_CONFIG_VALUE_{_COUNT}": "none",
}


@dataclass
class Made:
    """A repository under test: where to open it, what is allowed, and how git is told to look at it."""

    path: Path
    allowed: tuple[str, ...] = ()
    also: list[Path] = field(default_factory=list)  # further places of the same repository


def run(*args: str | Path, cwd: Path, stdin: bytes | None = None, check: bool = True) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "TZ": "UTC", **_ENVIRONMENT}
    done = subprocess.run(
        ["git", *map(str, args)],
        cwd=cwd,
        env=environment,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
    )
    if check and done.returncode:
        raise AssertionError(f"git {args}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "surrogateescape")


def seeded(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311 - the same repositories in every run


def skeleton(git_dir: Path, *, bare: bool = False, object_format: str = "sha1", extra: str = "") -> Path:
    """What ``git init`` leaves, without its process."""
    for folder in ("objects/pack", "objects/info", "refs/heads", "refs/tags", "info"):
        (git_dir / folder).mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    version = 1 if object_format != "sha1" or "[extensions]" in extra else 0
    text = f"[core]\n\trepositoryformatversion = {version}\n\tbare = {str(bare).lower()}\n"
    if object_format != "sha1":
        text += f"[extensions]\n\tobjectFormat = {object_format}\n"
    (git_dir / "config").write_text(text + extra)
    return git_dir


def history(
    rng: random.Random, *, commits: int, branches: tuple[str, ...] = (), dates: str = "plain"
) -> bytes:
    """A fast-import stream: branches, merges and octopus merges of random shape, odd dates on request."""
    lines: list[bytes] = []
    names = ["main", *branches]
    tips: dict[str, int] = {}
    when = rng.randrange(1_000_000_000, 1_790_000_000)
    body = "\n".join(f"line {rng.random()}" for _ in range(rng.choice((1, 3, 30))))
    for mark in range(1, commits + len(branches) + 1):
        name = names[mark - 1] if mark <= len(names) else rng.choice(names)
        when += rng.randrange(-5_000, 90_000)
        stamp = rng.choice(DATES) if dates == "odd" else when
        zone = rng.choice(("+0000", "-0800", "+0545", "+1400"))
        message = f"commit {mark}\n\n{body}\n".encode()
        lines.append(f"commit refs/heads/{name}\nmark :{mark}".encode())
        lines.append(f"author Ana Ünicode <a@example.com> {when} {zone}".encode())
        lines.append(f"committer Bo <b@example.com> {stamp} {zone}\ndata {len(message)}".encode())
        lines.append(message)
        parent = tips.get(name) or (rng.choice(list(tips.values())) if tips and rng.random() < 0.9 else 0)
        if parent:
            lines.append(f"from :{parent}".encode())
        others = sorted({mark for mark in tips.values() if mark != parent})
        if others and rng.random() < 0.3:
            chosen = rng.sample(others, min(len(others), rng.choice((1, 1, 2, 4))))
            lines += [f"merge :{other}".encode() for other in chosen]
        content = f"{mark} {rng.random()}\n".encode() * rng.choice((1, 40))
        lines.append(f"M 100644 inline f{mark % 7}\ndata {len(content)}".encode())
        lines.append(content)
        tips[name] = mark
    return b"\n".join(lines) + b"\ndone\n"


def grow(
    git_dir: Path,
    rng: random.Random,
    *,
    packed: bool = False,
    commits: int = 0,
    branches: int = -1,
    dates: str = "plain",
) -> None:
    """Give a repository a history, as loose objects or as one pack."""
    count = rng.randrange(4) if branches < 0 else branches
    names = tuple(rng.sample(NAMES, min(count, len(NAMES)))) + tuple(
        f"b{n}" for n in range(count - len(NAMES))
    )
    stream = history(rng, commits=commits or rng.randrange(1, 9), branches=names, dates=dates)
    limit = "1" if packed else "100000"
    run(
        "-c",
        f"fastimport.unpackLimit={limit}",
        "fast-import",
        "--quiet",
        "--done",
        "--force",
        cwd=git_dir,
        stdin=stream,
    )


def normal(folder: Path, rng: random.Random, **how: object) -> Made:
    skeleton(folder / ".git")
    grow(folder / ".git", rng, **how)  # type: ignore[arg-type]  # keyword settings passed through
    return Made(folder)


def loose(folder: Path, rng: random.Random) -> Made:
    return normal(folder, rng)


def packed(folder: Path, rng: random.Random) -> Made:
    return normal(folder, rng, packed=True)


def collected(folder: Path, rng: random.Random) -> Made:
    made = normal(folder, rng)
    run("gc", "-q", cwd=folder)
    return made


def packed_references(folder: Path, rng: random.Random) -> Made:
    made = normal(folder, rng, branches=5)
    run("pack-refs", "--all", cwd=folder)
    names = run("for-each-ref", "--format=%(refname)", "refs/heads", cwd=folder).split("\n")[:-1]
    oid = run("rev-parse", "main", cwd=folder).strip()
    moved, gone, new = rng.choice(names), rng.choice(names), "refs/heads/late"
    commands = f"update {moved} {oid}\ncreate {new} {oid}\n"
    if gone not in (moved, "refs/heads/main"):
        commands += f"delete {gone}\n"
    run("update-ref", "--stdin", cwd=folder, stdin=commands.encode("utf-8", "surrogateescape"))
    return made


def several_packs(folder: Path, rng: random.Random, *, write_index: bool = True) -> Made:
    skeleton(folder / ".git")
    for _ in range(3):
        grow(folder / ".git", rng, packed=True)
    if write_index:
        run("multi-pack-index", "write", cwd=folder)
        if rng.random() < 0.5:  # a pack that came after the index
            grow(folder / ".git", rng, packed=True)
    return Made(folder)


def many_packs(folder: Path, rng: random.Random) -> Made:
    return several_packs(folder, rng, write_index=False)


def deltas(folder: Path, rng: random.Random) -> Made:
    made = normal(folder, rng, commits=25)
    named = "false" if rng.random() < 0.5 else "true"
    run(
        "-c", f"repack.useDeltaBaseOffset={named}", "repack", "-qadf", "--depth=50", "--window=50", cwd=folder
    )
    return made


def old_index(folder: Path, rng: random.Random) -> Made:
    made = normal(folder, rng)
    run("-c", "pack.indexVersion=1", "repack", "-qad", cwd=folder)
    return made


def worktrees(folder: Path, rng: random.Random) -> Made:
    made = normal(folder / "main", rng)
    for name in ("one", "two"):
        how = ("--detach",) if rng.random() < 0.4 else ("-b", f"branch-{name}")
        run("worktree", "add", "-q", "--no-checkout", *how, f"../{name}", "main", cwd=folder / "main")
        made.also.append(folder / name)
    return made


def submodule(folder: Path, rng: random.Random) -> Made:
    made = normal(folder, rng)
    module = skeleton(folder / ".git" / "modules" / "lib")
    grow(module, rng)
    (folder / "lib").mkdir()
    with (module / "config").open("a") as config:
        config.write("[core]\n\tworktree = ../../../lib\n")
    (folder / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n")
    made.also.append(folder / "lib")
    return made


def bare(folder: Path, rng: random.Random) -> Made:
    skeleton(folder, bare=True)
    grow(folder, rng, packed=rng.random() < 0.5)
    return Made(folder)


def bare_hub(folder: Path, rng: random.Random) -> Made:
    hub = folder / rng.choice((".bare", "hub.git"))
    bare(hub, rng)
    made = Made(hub)
    run("worktree", "add", "-q", "--no-checkout", "-b", "side", folder / "side", "main", cwd=hub)
    made.also.append(folder / "side")
    if hub.name == ".bare":
        (folder / ".git").write_text("gitdir: ./.bare\n")
        made.also.append(folder)
    return made


def shared_clone(folder: Path, rng: random.Random) -> Made:
    normal(folder / "a", rng, packed=rng.random() < 0.5)
    run("clone", "-q", "-s", "-n", "a", "b", cwd=folder)
    run("clone", "-q", "-s", "-n", "b", "c", cwd=folder)
    run("commit", "-q", "--allow-empty", "-m", "more", cwd=folder / "c")
    return Made(folder / "c", also=[folder / "b"])


def shallow(folder: Path, rng: random.Random) -> Made:
    normal(folder / "a", rng)
    run("clone", "-q", "-n", "--depth", "2", "--no-single-branch", (folder / "a").as_uri(), "b", cwd=folder)
    return Made(folder / "b")


def partial(folder: Path, rng: random.Random) -> Made:
    normal(folder / "a", rng)
    run("config", "uploadpack.allowFilter", "true", cwd=folder / "a")
    run("clone", "-q", "-n", "--filter=blob:none", (folder / "a").as_uri(), "b", cwd=folder)
    return Made(folder / "b")


def separate(folder: Path, rng: random.Random) -> Made:
    made = normal(folder / "work", rng)
    shutil.move(folder / "work" / ".git", folder / "elsewhere")
    (folder / "work" / ".git").write_text(f"gitdir: {folder / 'elsewhere'}\n")
    made.allowed = (str(folder),)
    return made


def worktree_config(folder: Path, rng: random.Random) -> Made:
    made = normal(folder / "main", rng)
    run("config", "extensions.worktreeConfig", "true", cwd=folder / "main")
    run("worktree", "add", "-q", "--no-checkout", "-b", "side", "../side", "main", cwd=folder / "main")
    run("config", "--worktree", "x.y", "z", cwd=folder / "side")
    made.also.append(folder / "side")
    return made


def unborn(folder: Path, rng: random.Random) -> Made:
    if rng.random() < 0.5:
        skeleton(folder / ".git")
        return Made(folder)
    made = normal(folder, rng)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/not-yet\n")
    return made


def sha256(folder: Path, rng: random.Random) -> Made:
    skeleton(folder / ".git", object_format="sha256")
    grow(folder / ".git", rng, packed=rng.random() < 0.5)
    if rng.random() < 0.4:
        run("gc", "-q", cwd=folder)
    return Made(folder)


def precious(folder: Path, rng: random.Random) -> Made:
    skeleton(folder / ".git", extra="[extensions]\n\tpreciousObjects = true\n")
    grow(folder / ".git", rng)
    return Made(folder)


def detached(folder: Path, rng: random.Random) -> Made:
    made = normal(folder, rng)
    oid = run("rev-list", "--all", cwd=folder).split()[rng.randrange(2) - 1]
    (folder / ".git" / "HEAD").write_text(oid + "\n")
    return made


def many_branches(folder: Path, rng: random.Random) -> Made:
    made = normal(folder, rng, branches=60)
    if rng.random() < 0.5:
        run("pack-refs", "--all", cwd=folder)
    return made


def symbolic(folder: Path, rng: random.Random) -> Made:
    made = normal(folder, rng)
    heads = folder / ".git" / "refs" / "heads"
    (heads / "alias").write_text("ref: refs/heads/main\n")
    (heads / "alias2").write_text("ref: refs/heads/alias\n")
    (heads / "dangling").write_text("ref: refs/heads/nowhere\n")
    if rng.random() < 0.5:
        (folder / ".git" / "HEAD").unlink()
        (folder / ".git" / "HEAD").symlink_to("refs/heads/main")
    return made


def odd_names(folder: Path, rng: random.Random) -> Made:
    made = normal(folder, rng, branches=len(NAMES))
    if rng.random() < 0.5:
        run("pack-refs", "--all", cwd=folder)
    return made


def merges(folder: Path, rng: random.Random) -> Made:
    return normal(folder, rng, commits=20, branches=6)


def odd_dates(folder: Path, rng: random.Random) -> Made:
    return normal(folder, rng, dates="odd", branches=3)


def tags(folder: Path, rng: random.Random) -> Made:
    made = normal(folder, rng)
    run("tag", "-a", "-m", "annotated", "v1", "main", cwd=folder)
    run("tag", "v2", "main", cwd=folder)
    if rng.random() < 0.5:
        run("pack-refs", "--all", cwd=folder)
    return made


KINDS: tuple[Callable[[Path, random.Random], Made], ...] = (
    loose,
    packed,
    collected,
    packed_references,
    several_packs,
    many_packs,
    deltas,
    old_index,
    worktrees,
    submodule,
    bare,
    bare_hub,
    shared_clone,
    shallow,
    partial,
    separate,
    worktree_config,
    unborn,
    sha256,
    precious,
    detached,
    many_branches,
    symbolic,
    odd_names,
    merges,
    odd_dates,
    tags,
)
