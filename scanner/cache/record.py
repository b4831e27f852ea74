"""What is kept of one folder from scan to scan: where its repository lies, what it says, and the proofs."""

from __future__ import annotations

import os
from array import array
from hashlib import blake2b

from scanner.cache.evidence import Evidence, apart, are_racy
from scanner.edits import DAY, Look, open_folder
from scanner.select import Place
from scanner.trace import Glance, Seen
from scanner.value import Value


class Located(Value):
    """Where a candidate's repository lies, and the proof of it, with the proof's fingerprint."""

    __slots__ = ("evidence", "fingerprint", "place")

    def __init__(self, place: Place, evidence: Evidence, fingerprint: str = "") -> None:
        self.place = place
        self.evidence = evidence
        self.fingerprint = fingerprint or evidence.fingerprint()


class Looked(Value):
    """A glance in the form in which it is kept: names joined, to be taken apart when they are asked for."""

    __slots__ = ("folders", "names", "seen", "since", "work_tree", "written_ns")

    def __init__(
        self, work_tree: str, asked: tuple[bytes, bytes], since: float, written_ns: int, seen: Seen
    ) -> None:
        """``asked``: names and folders."""
        self.work_tree = work_tree
        self.names, self.folders = asked
        self.since = since
        self.written_ns = written_ns
        self.seen = seen

    @classmethod
    def of(cls, glance: Glance) -> Looked:
        """The same glance."""
        asked = b"\0".join(glance.names), b"\0".join(glance.folders)
        return cls(glance.work_tree, asked, glance.since, glance.written_ns, glance.seen)

    def is_racy(self, started_ns: int) -> bool:
        """Whether something that counted changed too lately to prove anything."""
        return any(
            are_racy(array("q", numbers), started_ns) for _, numbers in (self.seen.files, self.seen.listed)
        )

    def again(self, now: float, *, closely: bool = False) -> Again | None:
        """A look over the same paths at ``now`` (epoch seconds); ``None`` where that cannot be."""
        try:
            root = open_folder(self.work_tree)
        except OSError:
            return None
        try:
            look = Look(self.since, int(now) + DAY, self.written_ns, [] if closely else None)
            look.at_folders(apart(self.folders), root)
            look.at_files(apart(self.names), root)
            seen = look.seen()
        except OverflowError:  # an inode beyond 63 bits
            return None
        finally:
            os.close(root)
        return Again(seen == self.seen, look.numbers or [])


class Again(Value):
    """A second look: whether it showed the same, and the signatures of all that was looked at."""

    __slots__ = ("is_same", "numbers")

    def __init__(self, is_same: bool, numbers: list[int]) -> None:
        self.is_same = is_same
        self.numbers = numbers

    def fingerprint(self, started_ns: int | None = None) -> str:
        """Stands for all of it; empty where that could be no proof.

        With ``started_ns``, the moment at which the scan began: nothing may have changed too lately.
        """
        if started_ns is not None and are_racy(self.numbers, started_ns):
            return ""
        try:
            return blake2b(array("q", self.numbers), digest_size=16).hexdigest()
        except OverflowError:  # an inode beyond 63 bits
            return ""


Roots = tuple[tuple[str, ...], bool]
"""Where a history begins, and whether it is too long to tell: see ``Identity``."""


class Told(Value):
    """What a project says of itself, and the proofs of it.

    ``facts`` are in plain form (``scanner.cache.plain``), as JSON. ``context`` is what the rest of the scan
    made of the folder, ``rests_on`` the fingerprints of the evidence for its repository and worktrees,
    ``given`` the beginning of its history where that was told, not read: all must be the same again.
    """

    __slots__ = ("context", "evidence", "facts", "given", "looks", "rests_on")

    def __init__(
        self,
        facts: bytes,
        ground: tuple[tuple[str, ...], tuple[str, ...], Roots | None],
        evidence: Evidence,
        looks: tuple[Looked, ...],
    ) -> None:
        """``ground``: context, what it rests on, what was given."""
        self.facts = facts
        self.context, self.rests_on, self.given = ground
        self.evidence = evidence
        self.looks = looks


class Saved(Value):
    """What exists only here, and the proofs of it beyond those of the rest of the record.

    ``facts`` are the value and its problems in plain form, as JSON; ``trees`` are fingerprints of all tracked
    files and folders of each work tree that was looked at.
    """

    __slots__ = ("evidence", "facts", "trees")

    def __init__(self, facts: bytes, evidence: Evidence, trees: tuple[str, ...]) -> None:
        self.facts = facts
        self.evidence = evidence
        self.trees = trees


class Record(Value):
    """What is kept of one folder. ``key`` stands for the options and the program that read it."""

    __slots__ = ("key", "located", "saved", "told")

    def __init__(
        self, key: str, located: Located | None, told: Told | None = None, saved: Saved | None = None
    ) -> None:
        self.key = key
        self.located = located
        self.told = told
        self.saved = saved
