"""Commits by object name: loose, packed, or in an alternate object folder.

Formats: gitformat-loose, gitformat-pack, gitrepository-layout (objects/info/alternates). Only the beginning
of an object is inflated, 64 KiB unless more is asked for: a commit's header is all that a date needs, and an
object that inflates to gigabytes costs no more than any other.
"""

from __future__ import annotations

import os
import re
import zlib

from scanner import trace
from scanner.git.folders import GitFolder
from scanner.git.problems import ProblemLog
from scanner.reading import UnreadableError, read_optional
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.git.pack import PackFolder

OBJECT_CAP = 64 * 1024
_FIRST_READ = 4096
_ALTERNATES_CAP = 64 * 1024
_ALTERNATES_DEPTH = 5
_ALTERNATES = 32
_LOOKUPS = 100_000

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_KINDS = frozenset({b"commit", b"tree", b"blob", b"tag"})
_LOOSE_HEADER_CAP = 32
_COMMIT = re.compile(
    rb"tree ([0-9a-f]{40}|[0-9a-f]{64})\n"
    rb"((?:parent (?:[0-9a-f]{40}|[0-9a-f]{64})\n)*)"
    rb"author ([^\n]*)\n"
    rb"committer ([^\n]*)\n"
)
_WHEN = re.compile(rb" *(-?[0-9]{1,20})\b")


@dataclass(frozen=True, slots=True)
class Commit:
    """The header of a commit. Times are epoch seconds as recorded: they may be negative or in the future.

    ``parents`` are the recorded ones; at the edge of a shallow clone they name commits that are not there.
    """

    oid: str
    committer_time: int
    author_time: int
    parents: tuple[str, ...]
    author_email: str
    tree: str


class ObjectStore:
    """The objects of one repository, with those of its alternates.

    Alternates may lie outside every root: a shared clone has them by nature. They are read for objects only:
    names of object shape below them, regular files, never through a link in the last component; nothing but
    the header of a commit that was asked for by its name ever leaves this class. A link in the place of a
    folder of the repository itself is followed as ``GitFolder`` says; without ``common``, nowhere.
    """

    def __init__(self, folder: str, problems: ProblemLog, common: GitFolder | None = None) -> None:
        if common is None:
            common = GitFolder(os.path.dirname(folder), (), problems, listed=False)
        self._folder = folder
        self._common = common
        self._own_packs: PackFolder | None = None
        self._alternates: list[tuple[str, PackFolder]] | None = None
        self._lookups = 0
        self._commits: dict[str, Commit | None] = {}
        self._problems = problems

    def commit(self, oid: str) -> Commit | None:
        """The commit ``oid``, or ``None`` with a problem when it is missing, damaged or no commit."""
        if oid in self._commits:
            return self._commits[oid]
        commit = self._read_commit(oid) if _OID.fullmatch(oid) else None
        self._commits[oid] = commit
        return commit

    def close(self) -> None:
        """Give every open file back."""
        if self._own_packs is not None:
            self._own_packs.close()
        for _, packs in self._alternates or ():
            packs.close()

    def _read_commit(self, oid: str) -> Commit | None:
        found = self.start_of(oid)
        if found is None:
            self._problems.add("git-object-missing", self._place(oid), "the object is missing or damaged")
            return None
        kind, content = found
        commit = parse_commit(oid, content) if kind == "commit" else None
        if commit is None:
            self._problems.add(
                "git-commit-malformed", self._place(oid), f"not a readable commit but a {kind}"
            )
        return commit

    def start_of(self, oid: str, cap: int = OBJECT_CAP) -> tuple[str, bytes] | None:
        """The type and the first bytes (``cap`` at most) of an object; ``None`` when missing or damaged."""
        self._lookups += 1
        if self._lookups > _LOOKUPS:
            self._problems.add("git-budget", self._folder, f"more than {_LOOKUPS} objects asked for")
            return None
        if self._common.leads_to("objects/" + oid[:2]):
            found = self._loose(self._folder, oid, cap)
            if found is not None:
                return found
        return (
            self._packs().start_of(oid, cap)
            or self._in_alternates(oid, cap)
            or self._packs().start_of_after_repack(oid, cap)
        )

    def names_starting(self, prefix: str, hash_size: int, most: int) -> list[str]:
        """The names of at most ``most`` objects that begin with ``prefix``, four digits or more."""
        found: list[str] = []
        if self._common.leads_to("objects/" + prefix[:2]):
            found += _loose_names(self._folder, prefix)
        found += self._packs().names_starting(prefix, hash_size, most)
        if self._alternates is None:
            self._alternates = self._opened_alternates()
        for folder, packs in self._alternates:
            found += _loose_names(folder, prefix)
            found += packs.names_starting(prefix, hash_size, most)
        return list(dict.fromkeys(found))[:most]

    def _packs(self) -> PackFolder:
        if self._own_packs is None:
            from scanner.git.pack import PackFolder  # noqa: PLC0415 - start-up: 1 ms, young repositories have none

            self._own_packs = PackFolder(self._folder + "/pack", self._problems, self._common)
        return self._own_packs

    def _loose(self, folder: str, oid: str, cap: int) -> tuple[str, bytes] | None:
        path = f"{folder}/{oid[:2]}/{oid[2:]}"
        try:
            data = read_optional(path, _FIRST_READ, whole=False)
            if data is None:
                return None
            found = _inflate_loose(data, cap)
            if len(data) == _FIRST_READ and not (found and found[0] == "commit" and _has_committer(found[1])):
                found = _inflate_loose(read_optional(path, cap, whole=False) or b"", cap)
        except UnreadableError as error:
            self._problems.unreadable(error)
            return None
        if found is None:
            self._problems.add("git-object-damaged", path, "the loose object cannot be inflated")
        return found

    def _in_alternates(self, oid: str, cap: int) -> tuple[str, bytes] | None:
        if self._alternates is None:
            self._alternates = self._opened_alternates()
        for folder, packs in self._alternates:
            found = self._loose(folder, oid, cap) or packs.start_of(oid, cap)
            if found is not None:
                return found
        return None

    def _opened_alternates(self) -> list[tuple[str, PackFolder]]:
        if not self._common.leads_to("objects/info"):
            return []
        from scanner.git.pack import PackFolder  # noqa: PLC0415 - start-up, as above

        return [
            (folder, PackFolder(folder + "/pack", self._problems))
            for folder in alternate_folders(self._folder, self._problems)
        ]

    def _place(self, oid: str) -> str:
        return f"{self._folder}/{oid[:2]}/{oid[2:]}"


def _loose_names(folder: str, prefix: str) -> list[str]:
    try:
        names = trace.listdir(f"{folder}/{prefix[:2]}")
    except OSError:
        return []
    return [
        oid
        for name in sorted(names)
        if name.startswith(prefix[2:]) and _OID.fullmatch(oid := prefix[:2] + name)
    ]


def alternate_folders(folder: str, problems: ProblemLog) -> tuple[str, ...]:
    """All alternate object folders of ``folder``, theirs included, at most five deep, each once."""
    seen: set[str] = set()
    found: list[str] = []
    level = [folder]
    for _ in range(_ALTERNATES_DEPTH):
        below: list[str] = []
        for current in level:
            for named in _named_alternates(current, problems):
                if not seen:
                    seen.add(trace.realpath(folder))  # dear, and nearly no repository has alternates
                real = trace.realpath(os.path.join(current, named))
                if real not in seen and len(seen) <= _ALTERNATES:
                    seen.add(real)
                    below.append(real)
        found += below
        level = below
    return tuple(found)


def _named_alternates(folder: str, problems: ProblemLog) -> list[str]:
    try:
        data = read_optional(folder + "/info/alternates", _ALTERNATES_CAP)
    except UnreadableError as error:
        problems.unreadable(error)
        return []
    lines = [os.fsdecode(line) for line in (data or b"").split(b"\n")[: 2 * _ALTERNATES]]
    return [_unquoted(line) for line in lines if line and line[0] != "#" and "\0" not in line]


def _unquoted(line: str) -> str:
    """Git writes a path that starts with a quote mark as a C string; the usual escapes are undone."""
    if len(line) < 2 or line[0] != '"' or line[-1] != '"':
        return line
    return re.sub(r"\\(.)", r"\1", line[1:-1])


def _inflate_loose(data: bytes, cap: int) -> tuple[str, bytes] | None:
    try:
        content = zlib.decompressobj().decompress(data, cap)
    except zlib.error:
        return None
    kind, _, size = content[:_LOOSE_HEADER_CAP].partition(b"\0")[0].partition(b" ")
    start = len(kind) + len(size) + 2
    return (kind.decode(), content[start:]) if kind in _KINDS and size.isdigit() else None


def _has_committer(content: bytes) -> bool:
    at = content.find(b"\ncommitter ")
    return at >= 0 and content.find(b"\n", at + 1) >= 0


def parse_commit(oid: str, content: bytes) -> Commit | None:
    """The header of a commit from its first bytes; ``None`` when a line of it is missing or has no date."""
    header = _COMMIT.match(content)
    if header is None:
        return None
    tree, parents, author, committer = header.groups()
    # The date stands after the last ``>`` of a line, whatever the name before it holds.
    committed = _WHEN.match(committer, committer.rfind(b">") + 1)
    if committed is None:
        return None
    time = int(committed[1])
    address, _, rest = author.rpartition(b">")
    authored = _WHEN.match(rest)
    return Commit(
        oid,
        time,
        int(authored[1]) if authored else time,
        tuple(parents.decode().split()[1::2]) if parents else (),
        address[address.rfind(b"<") + 1 :].decode("utf-8", "replace"),
        tree.decode(),
    )
