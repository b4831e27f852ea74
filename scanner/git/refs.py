"""References of the files backend: loose, packed and symbolic ones; and what every backend shares.

Formats: gitrepository-layout, git-check-ref-format, git-pack-refs.
"""

from __future__ import annotations

import os
import re
from functools import cache

from scanner import trace
from scanner.git.folders import GitFolder
from scanner.git.problems import ProblemLog
from scanner.reading import UnreadableError, read_optional
from scanner.value import Value

REFS_LIMIT = 20_000
PACKED_REFS_CAP = 64 * 1024 * 1024
_REF_CAP = 4096
_SEARCHED_LIMIT = 512 * 1024 * 1024
_NAME_CAP = 1024
_SYMBOLIC_CHAIN = 5
_SYMBOLIC = "ref: "

# Nearly every name passes here at a third of the cost of searching for what is bad.
_ORDINARY_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*(?:[./][A-Za-z0-9_][A-Za-z0-9_-]*)*")
_OID = re.compile(rb"(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{40})(?![^\s])")
_HEX = re.compile(rb"[0-9a-f]+")


class Head(Value):
    """Where a HEAD points. ``branch`` is ``None`` when detached; ``oid`` is ``None`` on an unborn branch.

    A HEAD that names a reference outside ``refs/heads/`` gives its full name as the branch.
    """

    __slots__ = ("branch", "oid")

    def __init__(self, branch: str | None, oid: str | None) -> None:
        self.branch = branch
        self.oid = oid


def is_valid_name(name: str) -> bool:
    """Whether ``name`` may be a reference and hence a path below a git directory (git-check-ref-format)."""
    if len(name) > _NAME_CAP:
        return False
    if _ORDINARY_NAME.fullmatch(name) and ".lock" not in name:
        return True
    return name != "" and not _bad_name().search(name)


@cache
def _bad_name() -> re.Pattern[str]:
    return re.compile(
        r"[\x00-\x20\x7f~^:?*\[\\]"  # blanks, control characters, what revision syntax uses
        r"|\.\.|@\{|//|/\.|\.lock(?:/|$)|[./]$|^[./]"
    )


def parse_value(data: bytes) -> str | None:
    """What a loose reference holds: an object name, ``ref: `` and a valid name, or ``None``."""
    if data.startswith(b"ref:"):
        target = os.fsdecode(data[4:].strip())
        return _SYMBOLIC + target if target.startswith("refs/") and is_valid_name(target) else None
    found = _OID.match(data)
    if found is None or not found[0].strip(b"0"):
        return None
    return found[0].decode().lower()


class RefStore:
    """What both backends share: following symbolic references and naming where a HEAD points.

    Values are an object name in hexadecimal, or ``ref: `` and the name of another reference.
    """

    def __init__(self, common: GitFolder, problems: ProblemLog) -> None:
        self._common = common
        self._common_dir = common.path
        self._problems = problems

    def value(self, name: str) -> str | None:
        """The value of a shared reference (``refs/...``), not followed; ``None`` when there is none."""
        raise NotImplementedError

    def own_value(self, git_dir: str, name: str) -> str | None:
        """The value of a reference that each worktree has for itself, such as ``HEAD``."""
        raise NotImplementedError

    def below(self, prefix: str) -> dict[str, str]:
        """All references whose name starts with ``prefix`` (which ends with ``/``), resolved, by name."""
        raise NotImplementedError

    def close(self) -> None:
        """Give every open file back."""

    def resolve(self, name: str) -> str | None:
        """The object name that ``name`` stands for; a chain has at most five references, as in git."""
        return self._follow(name, _SYMBOLIC_CHAIN)[1]

    def followed(self, value: str | None) -> str | None:
        """The object name behind a value."""
        if value is None or not value.startswith(_SYMBOLIC):
            return value
        return self._follow(value[len(_SYMBOLIC) :], _SYMBOLIC_CHAIN - 1)[1]

    def head(self, git_dir: str) -> Head:
        """Where the ``HEAD`` of ``git_dir`` points; as for git, the branch is the last name of a chain."""
        value = self.own_value(git_dir, "HEAD")
        if value is None or not value.startswith(_SYMBOLIC):
            return Head(None, value)
        name, oid = self._follow(value[len(_SYMBOLIC) :], _SYMBOLIC_CHAIN - 1)
        return Head(name.removeprefix("refs/heads/"), oid)

    def _follow(self, name: str, references: int) -> tuple[str, str | None]:
        """The last name of a chain of at most ``references``, and its object name."""
        for _ in range(references):
            value = self.value(name)
            if value is None or not value.startswith(_SYMBOLIC):
                return name, value
            name = value[len(_SYMBOLIC) :]
        self._problems.add("git-ref-loop", self._common_dir, "symbolic references without an end")
        return name, None


class FileRefs(RefStore):
    """The files backend. Every file is read once; ``packed-refs`` is searched, not parsed."""

    def __init__(self, common: GitFolder, problems: ProblemLog) -> None:
        super().__init__(common, problems)
        self._values: dict[str, str | None] = {}
        self._names: dict[str, list[str]] = {}
        self._own: dict[str, bytes] = {}
        self._packed: bytes | None = None
        self._searched = 0

    def remember(self, git_dir: str, name: str, data: bytes) -> None:
        """Take the content of a file that was read already, so that it is not read again."""
        self._own[f"{git_dir}/{name}"] = data

    def value(self, name: str) -> str | None:
        """The loose reference, or else the packed one."""
        if name in self._values:
            return self._values[name]
        data = self._loose(name)
        value = self._packed_value(name) if data is None else self._loose_value(name, data)
        self._values[name] = value
        return value

    def _loose(self, name: str) -> bytes | None:
        if not self._common.leads_to(name[: name.rfind("/")]):
            return None
        path = f"{self._common_dir}/{name}"
        # To ask costs half of a failed attempt, and most repositories have no stash.
        if name == "refs/stash" and not trace.lexists(path):
            return None
        return read_reference(path, self._problems)

    def own_value(self, git_dir: str, name: str) -> str | None:
        """The file ``name`` in ``git_dir``."""
        path = f"{git_dir}/{name}"
        data = self._own.get(path)
        if data is None:
            data = read_reference(path, self._problems)
        if data is None:
            return None
        value = parse_value(data)
        if value is None:
            self._problems.add("git-head-malformed", path, "neither an object name nor a reference")
        return value

    def below(self, prefix: str) -> dict[str, str]:
        """Packed references, with the loose ones in their place; broken ones are left out as git does.

        The loose ones are read first: git removes them only after they are packed.
        """
        loose = {
            name: self.followed(self.value(name))
            for name in self._common.names_below("", prefix, is_valid_name, REFS_LIMIT)
        }
        found = {**self._packed_below(prefix), **loose}
        self._names[prefix] = sorted(found)
        return {name: oid for name, oid in found.items() if oid is not None}

    def names(self, prefix: str) -> list[str]:
        """The names of all references below ``prefix``, sorted, the broken ones as well."""
        if prefix not in self._names:
            self.below(prefix)
        return self._names[prefix]

    def _loose_value(self, name: str, data: bytes) -> str | None:
        value = parse_value(data)
        if value is None:
            self._problems.add("git-ref-broken", f"{self._common_dir}/{name}", "the reference is damaged")
        return value

    def _too_many(self) -> None:
        self._problems.add("git-budget", self._common_dir, f"only {REFS_LIMIT} references were read")

    def _packed_refs(self) -> bytes:
        if self._packed is None:
            path = self._common_dir + "/packed-refs"
            data = b""
            # They may have been packed since the directory was listed.
            if self._common.has("packed-refs") or trace.exists(path):
                try:
                    data = read_optional(path, PACKED_REFS_CAP) or b""
                except UnreadableError as error:
                    self._problems.unreadable(error)
            self._packed = data if not data or data.endswith(b"\n") else data + b"\n"
        return self._packed

    def _packed_value(self, name: str) -> str | None:
        data = self._packed_refs()
        if not data:
            return None
        self._searched += len(data)
        if self._searched > _SEARCHED_LIMIT:
            self._problems.add(
                "git-budget", self._common_dir + "/packed-refs", "searched too often for its size"
            )
            return None
        needle = b" " + os.fsencode(name) + b"\n"
        at = data.find(needle)
        while at >= 0:
            oid = _oid_before(data, at)
            if oid is not None:
                return oid
            at = data.find(needle, at + 1)
        return None

    def _packed_below(self, prefix: str) -> dict[str, str]:
        data = self._packed_refs()
        if not data:
            return {}
        found: dict[str, str] = {}
        needle = b" " + os.fsencode(prefix)
        at = data.find(needle)
        while at >= 0:
            end = data.find(b"\n", at)
            oid = _oid_before(data, at)
            if oid is not None and end - at <= _NAME_CAP:
                name = os.fsdecode(data[at + 1 : end])
                if is_valid_name(name):
                    found[name] = oid
                    if len(found) >= REFS_LIMIT:
                        self._too_many()
                        break
            at = data.find(needle, end)
        return found


def read_reference(path: str, problems: ProblemLog) -> bytes | None:
    """The content of a reference file; ``None`` when there is none.

    Git once wrote a symbolic reference as a link whose text is the target's name. Such a link is read, never
    followed, and only a text that starts with ``refs/`` counts.
    """
    try:
        return read_optional(path, _REF_CAP, whole=False)
    except UnreadableError as error:
        if error.code == "link":
            return _link_target(path, problems)
        # A folder where a reference could be: refs/heads/x exists only as part of refs/heads/x/y.
        if error.code != "not-regular" or not trace.is_folder(path):
            problems.unreadable(error)
        return None


def _link_target(path: str, problems: ProblemLog) -> bytes | None:
    try:
        target = trace.readlink(path)
    except OSError as error:
        problems.add("git-io", path, error.strerror or str(error))
        return None
    if target.startswith("refs/") and is_valid_name(target):
        return b"ref: " + os.fsencode(target)
    problems.add("git-link", path, "a symbolic link that leads elsewhere, which is not followed")
    return None


def _oid_before(data: bytes, at: int) -> str | None:
    """The object name that fills a packed line up to ``at``."""
    for length in (40, 64):
        start = at - length
        if start == 0 or (start > 0 and data[start - 1] == 0x0A):
            oid = data[start:at]
            return oid.decode() if _HEX.fullmatch(oid) and oid.strip(b"0") else None
    return None
