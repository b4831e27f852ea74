"""Random histories with remote-tracking branches, as git keeps them, and git's own word on them.

Commits, references, logs and configuration are written as git writes them, so that most repositories cost no
process but those that ask git.
"""

from __future__ import annotations

import hashlib
import random
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from tests.scanner.git.repositories import run, seeded, skeleton

BRANCHES = ("main", "feat/x", "feat/y", "a.b-c", "Ünïcode", "origin/main", "up/main", "tags", "v1", "Main2")
ON_REMOTE = ("main", "feat/x", "feat/y", "secret/1", "Ünïcode", "v1")
REFSPECS = (
    ("+refs/heads/*:refs/remotes/origin/*",),
    ("refs/heads/*:refs/remotes/up/*",),
    ("+refs/heads/feat/*:refs/remotes/up/f/*", "+refs/heads/main:refs/remotes/origin/main"),
    ("+refs/heads/*:refs/remotes/origin/*", "^refs/heads/secret/*"),
    ("^refs/heads/v1", "+refs/heads/*:refs/remotes/origin/*"),
    ("+refs/heads/f*/x:refs/remotes/up/f*/x",),
    ("+refs/heads/*:refs/heads/*",),
    ("refs/heads/main",),
    (),
)
DATES = ("plain", "near", "equal", "skewed")
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
START = 1_700_000_000


@dataclass
class Commits:
    """Commits by mark, 1 to n: the marks of the parents, the object name, the committer's date."""

    parents: dict[int, list[int]] = field(default_factory=dict)
    oids: dict[int, str] = field(default_factory=dict)
    dates: dict[int, int] = field(default_factory=dict)

    @property
    def is_skewed(self) -> bool:
        """Whether a parent is newer than its child."""
        return any(
            self.dates[parent] > self.dates[mark] for mark in self.oids for parent in self.parents[mark]
        )

    def ancestors(self, *marks: int) -> set[int]:
        """The commits themselves and all that they reach."""
        found: set[int] = set()
        pending = list(marks)
        while pending:
            mark = pending.pop()
            if mark not in found:
                found.add(mark)
                pending += self.parents[mark]
        return found


def shape(rng: random.Random, count: int, dates: str) -> Commits:
    """Lines that fork, merge, cross and end; some begin anew."""
    made = Commits()
    width = rng.choice((1, 2, 3, 5, 8))
    tips: list[int] = []
    when = START
    for mark in range(1, count + 1):
        if tips and rng.random() > 0.02:
            parents = [rng.choice(tips[-width:])]
            while len(parents) < min(len(tips), 6) and rng.random() < 0.25:
                parents.append(rng.choice(tips[-2 * width :]))
        else:
            parents = []
        made.parents[mark] = list(dict.fromkeys(parents))
        # A line goes on, or a new one starts beside it.
        if parents and parents[0] in tips and rng.random() < 0.6:
            tips.remove(parents[0])
        tips.append(mark)
        if dates == "plain":
            when += rng.randrange(1, 90_000)
        elif dates == "near":
            when += rng.randrange(-5_000, 50_000)
        elif dates == "skewed":
            when = START + rng.randrange(0, 10_000_000)
        made.dates[mark] = when
    return made


def write_commits(git_dir: Path, commits: Commits, *, packed: bool) -> None:
    """Write the commits, under no reference: loose, or in one pack."""
    contents: dict[str, bytes] = {}
    for mark, parents in commits.parents.items():
        lines = [f"parent {commits.oids[parent]}\n" for parent in parents]
        who = f"Bo <b@example.com> {commits.dates[mark]} +0000"
        text = f"tree {EMPTY_TREE}\n{''.join(lines)}author {who}\ncommitter {who}\n\n{mark}\n".encode()
        commits.oids[mark] = _named("commit", text).hex()
        contents[commits.oids[mark]] = text
    if packed:
        _write_pack(git_dir / "objects" / "pack", contents)
        return
    for text in contents.values():
        write_object(git_dir, "commit", text)


def write_object(git_dir: Path, kind: str, content: bytes) -> str:
    """A loose object as git writes it; its name."""
    oid = _named(kind, content).hex()
    path = git_dir / "objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(f"{kind} {len(content)}\0".encode() + content, 1))
    return oid


def _named(kind: str, content: bytes) -> bytes:
    return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content).digest()


def _write_pack(folder: Path, contents: dict[str, bytes]) -> None:
    """A pack of whole commits with its index of version 2."""
    pack = b"PACK" + struct.pack(">II", 2, len(contents))
    rows: list[tuple[bytes, int, int]] = []
    for oid, content in contents.items():
        size = len(content)
        head = bytearray([0x10 | size & 15 | (0x80 if size > 15 else 0)])
        size >>= 4
        while size:
            head.append(size & 0x7F | (0x80 if size > 0x7F else 0))
            size >>= 7
        entry = bytes(head) + zlib.compress(content, 1)
        rows.append((bytes.fromhex(oid), zlib.crc32(entry), len(pack)))
        pack += entry
    pack += hashlib.sha1(pack).digest()
    rows.sort()
    index = b"\377tOc" + struct.pack(">I", 2)
    index += b"".join(struct.pack(">I", sum(raw[0] <= first for raw, _, _ in rows)) for first in range(256))
    index += b"".join(raw for raw, _, _ in rows)
    index += b"".join(struct.pack(">I", checksum) for _, checksum, _ in rows)
    index += b"".join(struct.pack(">I", offset) for _, _, offset in rows)
    index += pack[-20:]
    index += hashlib.sha1(index).digest()
    (folder / "pack-1.pack").write_bytes(pack)
    (folder / "pack-1.idx").write_bytes(index)


def write_references(git_dir: Path, rng: random.Random, references: dict[str, str]) -> None:
    """Some loose, some packed."""
    packed = {name: oid for name, oid in references.items() if rng.random() < 0.5}
    for name, oid in references.items():
        if name not in packed:
            path = git_dir / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(oid + "\n")
    lines = [f"{oid} {name}\n" for name, oid in sorted(packed.items(), key=lambda item: item[0].encode())]
    if lines:
        (git_dir / "packed-refs").write_text("# pack-refs with: sorted \n" + "".join(lines), "utf-8")


def configuration(rng: random.Random, branches: list[str]) -> str:
    lines: list[str] = []
    for remote in ("origin", "up"):
        if rng.random() < 0.8:
            lines.append(f'[remote "{remote}"]')
            if rng.random() < 0.9:
                lines.append(f"\turl = https://example.com/{remote}.git")
            lines += [f"\tfetch = {refspec}" for refspec in rng.choice(REFSPECS)]
    if rng.random() < 0.2:
        lines.append("[remote]\n\tpushDefault = up")
    for branch in branches:
        if rng.random() < 0.2:
            continue
        lines.append(f'[branch "{branch}"]')
        remote = rng.choice(("origin", "origin", "origin", "up", ".", "https://example.com/x.git"))
        names = [branch, *branches, "nowhere"] if remote == "." else [branch, *ON_REMOTE, "nowhere"]
        if rng.random() < 0.9:
            lines.append(f"\tremote = {remote}")
        for _ in range(rng.choice((0, 1, 1, 1, 1, 1, 2))):
            lines.append(f"\tmerge = {rng.choice(('refs/heads/',) * 9 + ('',))}{rng.choice(names)}")
        if rng.random() < 0.2:
            lines.append("\tpushRemote = up\n\trebase = true")
    return "\n".join(lines) + "\n"


def write_stashes(git_dir: Path, oids: list[str], when: int) -> None:
    """A stash of each commit, the last one on top."""
    before = "0" * 40
    lines = []
    for number, oid in enumerate(oids):
        lines.append(f"{before} {oid} Bo <b@example.com> {when + number} +0000\tWIP on main: {number}\n")
        before = oid
    (git_dir / "logs" / "refs").mkdir(parents=True, exist_ok=True)
    (git_dir / "logs" / "refs" / "stash").write_text("".join(lines))
    (git_dir / "refs" / "stash").write_text(before + "\n")


def write_commit_graph(git_dir: Path, rng: random.Random, how: str, commits: Commits) -> None:
    """A commit-graph of all commits or of old ones only, in one file or several, with or without dates."""
    marks = sorted(commits.oids)
    version = "1" if how.endswith("1") else "2"
    base = ("-c", f"commitGraph.generationVersion={version}", "commit-graph", "write")
    for part in range(1, 4) if how.startswith("chain") else (rng.choice((2, 3)),):
        some = marks[: max(1, len(marks) * part // 3)]
        stdin = "".join(commits.oids[mark] + "\n" for mark in some).encode()
        split = ("--split=no-merge",) if how.startswith("chain") else ()
        run(*base, "--stdin-commits", *split, cwd=git_dir, stdin=stdin)


GRAPHS = ("none", "none", "single2", "single1", "chain2", "chain1")


def seeded_history(
    folder: Path, seed: str, *, dates: str = "plain", count: int = 60
) -> tuple[Commits, random.Random]:
    """A repository that holds nothing but packed commits."""
    rng = seeded(seed)
    commits = shape(rng, count, dates)
    write_commits(skeleton(folder / ".git"), commits, packed=True)
    return commits, rng


def repository(folder: Path, rng: random.Random) -> Commits:
    """A repository with local and remote-tracking branches, stashes, and perhaps a commit-graph."""
    git_dir = skeleton(folder / ".git")
    commits = shape(rng, rng.choice((3, 10, 30, 60)), rng.choice(DATES))
    write_commits(git_dir, commits, packed=rng.random() < 0.8)
    oids = list(commits.oids.values())
    local = rng.sample(BRANCHES, rng.randrange(1, 6))
    references = {f"refs/heads/{name}": rng.choice(oids) for name in local}
    for remote in ("origin", "up", "up/f"):
        for name in rng.sample(ON_REMOTE, rng.randrange(0, 4)):
            references[f"refs/remotes/{remote}/{name}"] = rng.choice(oids)
    if rng.random() < 0.3:
        references["refs/tags/v1"] = rng.choice(oids)
    write_references(git_dir, rng, references)
    if rng.random() < 0.3:
        (git_dir / "HEAD").write_text(rng.choice(oids) + "\n")
    if rng.random() < 0.3 and "refs/remotes/origin/main" in references:
        (git_dir / "refs" / "remotes" / "origin").mkdir(parents=True, exist_ok=True)
        (git_dir / "refs" / "remotes" / "origin" / "HEAD").write_text("ref: refs/remotes/origin/main\n")
    with (git_dir / "config").open("a", encoding="utf-8") as config:
        config.write(configuration(rng, local))
    if rng.random() < 0.4:
        write_stashes(git_dir, rng.sample(oids, min(len(oids), rng.choice((1, 2, 7)))), START)
    how = rng.choice(GRAPHS)
    if how != "none":
        write_commit_graph(git_dir, rng, how, commits)
    return commits


@dataclass(frozen=True)
class Answer:
    """Branch by branch: upstream, ahead and behind, gone; then the counts."""

    branches: tuple[tuple[str, str, int | None, int | None, bool], ...]
    only_here: int
    stashes: int


def answer_of_git(folder: Path) -> Answer:
    listed = run(
        "for-each-ref",
        "--format=%(refname:lstrip=2)\t%(upstream:short)\t%(upstream:track,nobracket)",
        "refs/heads",
        cwd=folder,
    )
    branches = []
    for line in listed.splitlines():
        name, upstream, track = line.split("\t")
        counts = {"ahead": 0, "behind": 0}
        for part in track.split(", ") if track not in ("", "gone") else ():
            side, count = part.split()
            counts[side] = int(count)
        known = bool(upstream) and track != "gone"
        branches.append(
            (
                name,
                upstream,
                counts["ahead"] if known else None,
                counts["behind"] if known else None,
                track == "gone",
            )
        )
    head = () if (folder / ".git" / "HEAD").read_bytes().startswith(b"ref:") else ("HEAD",)
    count = run("rev-list", "--count", "--branches", *head, "--not", "--remotes", cwd=folder)
    has_stash = (folder / ".git" / "refs" / "stash").exists()
    stashes = run("stash", "list", cwd=folder).splitlines() if has_stash else []
    return Answer(tuple(branches), int(count), len(stashes))


def only_here(folder: Path, commits: Commits) -> int:
    """The number of commits that only local branches reach, by the arithmetic of sets."""
    listed = run("for-each-ref", "--format=%(objectname) %(refname)", cwd=folder).splitlines()
    marks = {oid: mark for mark, oid in commits.oids.items()}
    tips: dict[str, list[int]] = {"heads": [], "remotes": []}
    for line in listed:
        oid, name = line.split(" ", 1)
        tips.setdefault(name.split("/")[1], []).append(marks[oid])
    head = (folder / ".git" / "HEAD").read_text().strip()
    if head in marks:
        tips["heads"].append(marks[head])
    return len(commits.ancestors(*tips["heads"]) - commits.ancestors(*tips["remotes"]))
