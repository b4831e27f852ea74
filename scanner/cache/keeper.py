"""The cache as one scan uses it: proves what it was given, takes what was read anew.

A record is believed when every name that the reading asked for stands as it stood, when a look over the
tracked files shows the same as then, and when whatever the reading rests on beyond its folder (options,
roots, mounts, clock) says the same. Tracked files are looked at in every scan: a file that is edited in place
changes no folder.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from scanner import away
from scanner.activity import FUTURE_TOLERANCE
from scanner.cache.evidence import Covered, Evidence, apart, evidence_of
from scanner.cache.key import key_of, roots_key
from scanner.cache.plain import facts_from, plain, unsaved_from
from scanner.cache.record import Located, Looked, Record, Roots, Saved, Told
from scanner.mounts import Mounts
from scanner.project import Identity
from scanner.project_facts import ProjectFacts
from scanner.request import Ground
from scanner.select import Chosen, Place
from scanner.trace import Reads
from scanner.value import replace
from scanner.walk import Candidate

# File systems on this machine that date every change of a file and of a folder. What a server, a program or
# another system changes may come without a new date, or with an old one that was remembered here.
_TRUSTED = frozenset(
    "ext2 ext3 ext4 xfs btrfs zfs f2fs bcachefs jfs reiserfs nilfs2 tmpfs ramfs rootfs overlay".split()  # noqa: SIM905 - a table of words reads best as words
)


class ScanCache:
    """``records`` of earlier scans by path, and what this scan makes of them.

    ``started`` is the moment at which it begins by the clock of the machine, epoch seconds (not the ``now``
    that dates are judged by, which may be pinned). Afterwards ``fresh`` holds the records that stand;
    ``kept`` counts the projects that were not read again, ``read`` those that were.
    """

    def __init__(self, records: Mapping[str, Record], started: float) -> None:
        self.records = records
        self.fresh: dict[str, Record] = {}
        self.kept = 0
        self.read = 0
        self._started_ns = int(started * 1e9)
        self._key = ""
        self._roots = ""
        self._now = 0.0
        self._points: Sequence[str] = ()
        self._mounts = Mounts()
        self._wants_unsaved = False
        self._known: Mapping[str, Identity] = {}

    @property
    def has_news(self) -> bool:
        """Whether the records that stand differ from those given, for the folders that were looked at."""
        return any(self.records.get(path) is not record for path, record in self.fresh.items())

    def begin(self, ground: Ground) -> None:
        """Take the options of the scan; its roots must be resolved."""
        self._key = key_of(ground)
        self._roots = roots_key(ground.allowed)
        self._now = ground.request.now
        self._mounts = ground.mounts
        self._points = sorted(ground.mounts.by_point)
        self._wants_unsaved = ground.request.unsaved
        self._known = ground.request.known or {}

    def place(self, candidate: Candidate) -> Place | None:
        """Where the candidate's repository lies, if that is proved."""
        record = self._record(candidate.path)
        if record is None or record.located is None:
            return None
        if not record.located.evidence.holds(self._roots, self._horizon):
            return None
        self.fresh[candidate.path] = record
        return record.located.place

    def keep_place(self, path: str, place: Place, reads: Reads) -> None:
        """Take what opening a repository saw; nothing that was told on another ground stands after it."""
        evidence = self._evidence(reads) if self._is_trusted(path, place.git_dir, place.common_dir) else None
        if evidence is None:
            self.fresh.pop(path, None)
        else:
            self.fresh[path] = Record(self._key, Located(place, evidence), None)

    def facts(self, one: Chosen) -> ProjectFacts | None:
        """What a project says of itself, if that is proved; with what exists only here, where it is asked."""
        record = self._record(one.candidate.path)
        if record is None or record.told is None:
            return None
        saved = record.saved if self._wants_unsaved and one.place is not None else None
        if self._wants_unsaved and one.place is not None and saved is None:
            return None
        if not self._stands(one, record.told, saved):
            return None
        try:
            facts = facts_from(json.loads(bytes(record.told.facts)))
            if saved is not None:
                facts.git, facts.git_problems = unsaved_from(json.loads(bytes(saved.facts)))
        except (TypeError, ValueError, KeyError):
            return None
        if not self._begins_as_told(one, facts.identity, record.told):
            return None
        self.fresh[one.candidate.path] = record
        self.kept += 1
        return facts

    def keep_facts(self, one: Chosen, facts: ProjectFacts, reads: tuple[Reads, Reads]) -> None:
        """Take what reading a project saw: for all but what exists only here, and for that."""
        self.read += 1
        path = one.candidate.path
        located = self.fresh[path].located if path in self.fresh else None
        self.fresh.pop(path, None)
        if located is not None:
            self.fresh[path] = Record(self._key, located)
        told = self._told(one, facts, reads[0])
        if told is not None:
            self.fresh[path] = Record(self._key, located, told, self._saved(facts, told, reads[1]))

    def _stands(self, one: Chosen, told: Told, saved: Saved | None) -> bool:
        """Whether all proofs hold; the cheap ones are asked first."""
        if (
            told.context != _context(one)
            or told.rests_on != self._ground_of(one)
            or self._has_mounts(one.candidate.path, told.looks)
            or not told.evidence.holds(self._roots, self._horizon)
        ):
            return False
        if saved is None:
            again = (look.again(self._now) for look in told.looks)
            return all(look is not None and look.is_same for look in again)
        if not saved.evidence.holds(self._roots, self._horizon):
            return False
        again = (look.again(self._now, closely=True) for look in told.looks)
        return all(
            look is not None and look.is_same and look.fingerprint() == tree
            for look, tree in zip(again, saved.trees, strict=True)
        )

    def _told(self, one: Chosen, facts: ProjectFacts, reads: Reads) -> Told | None:
        looks = tuple(map(Looked.of, reads.glances))
        rests_on = self._ground_of(one)
        evidence = self._evidence(reads, self._covered(one, looks))
        if (
            evidence is None
            or rests_on is None
            or any(look.is_racy(self._started_ns) for look in looks)
            or self._has_mounts(one.candidate.path, looks)
            or not self._is_trusted(one.candidate.path, *(look.work_tree for look in looks))
        ):
            return None
        given = self._given(one, facts.identity)
        told = replace(facts, git=None, git_problems=[])
        return Told(_json(told), (_context(one), rests_on, given), evidence, looks)

    def _saved(self, facts: ProjectFacts, told: Told, reads: Reads) -> Saved | None:
        if not self._wants_unsaved:
            return None
        evidence = self._evidence(reads, told.evidence.folders())
        again = [look.again(self._now, closely=True) for look in told.looks]
        trees = tuple(look.fingerprint(self._started_ns) if look is not None else "" for look in again)
        if evidence is None or "" in trees:
            return None
        return Saved(_json((facts.git, facts.git_problems)), evidence, trees)

    def _begins_as_told(self, one: Chosen, found: Identity, told: Told) -> bool:
        """Whether the history's beginning would come out the same: read again, or told again."""
        given = self._given(one, found)
        return given == told.given or (given is not None and given == _roots_of(found))

    def _given(self, one: Chosen, found: Identity) -> Roots | None:
        """The beginning of the history as it was told beforehand; ``None`` where it has to be read."""
        known = self._known.get(one.candidate.path)
        if known is None or not (known.root_commits or known.cut):
            return None
        is_same = (known.device, known.inode, known.remote) == (found.device, found.inode, found.remote)
        return _roots_of(known) if is_same else None

    def listener(self) -> Reads:
        """What hears a reading for this cache."""
        return Reads(self._horizon)

    @property
    def _horizon(self) -> float:
        return int(self._now) + FUTURE_TOLERANCE

    def _record(self, path: str) -> Record | None:
        record = self.fresh.get(path) or self.records.get(path)
        return record if record is not None and record.key == self._key else None

    def _evidence(self, reads: Reads, covered: Covered = (frozenset(), frozenset())) -> Evidence | None:
        return evidence_of(reads, self._roots, self._started_ns, covered)

    def _ground_of(self, one: Chosen) -> tuple[str, ...] | None:
        """The fingerprints of the places that a project's reading starts from; ``None`` where one is lost."""
        if one.place is None:
            return ()
        found = [
            self.fresh.get(path) for path in (one.candidate.path, *(tree.path for tree in one.worktrees))
        ]
        located = [record.located for record in found if record is not None and record.located is not None]
        return tuple(place.fingerprint for place in located) if len(located) == len(found) else None

    def _covered(self, one: Chosen, looks: Sequence[Looked]) -> Covered:
        """The folders whose signatures a project's looks, and the evidence for its places, hold."""
        records = (
            self.fresh.get(path) for path in (one.candidate.path, *(tree.path for tree in one.worktrees))
        )
        found = [
            record.located.evidence.folders() for record in records if record is not None and record.located
        ]
        listed = _listed(looks)
        return listed.union(*(real for real, _ in found)), listed.union(*(every for _, every in found))

    def _is_trusted(self, *paths: str | None) -> bool:
        """Whether the file systems there tell of every change: others are read each time."""
        mounts = [self._mounts.of(path) for path in paths if path]
        return all(mount is None or mount.kind in _TRUSTED for mount in mounts)

    def _has_mounts(self, path: str, looks: Sequence[Looked]) -> bool:
        """Whether something is mounted in a project: what the mount table decides, no signature tells."""
        places = {path, *(look.work_tree for look in looks)}
        there = away.current
        return any(map(self._is_mounted_below, places)) or (
            there is not None and any(map(there.holds, places))
        )

    def _is_mounted_below(self, path: str) -> bool:
        at = bisect_left(self._points, path.rstrip("/") + "/")
        return at < len(self._points) and self._points[at].startswith(path.rstrip("/") + "/")


def _json(value: object) -> bytes:
    return json.dumps(plain(value), separators=(",", ":")).encode("ascii")


def _roots_of(identity: Identity) -> Roots:
    return identity.root_commits, identity.cut


def _context(one: Chosen) -> tuple[str, ...]:
    candidate = one.candidate
    has_place = "repository" if one.place is not None else ""
    trees = (tree.path for tree in one.worktrees)
    return candidate.kind, candidate.marker, candidate.inside or "", one.role, has_place, *trees


def _listed(looks: Sequence[Looked]) -> frozenset[str]:
    """The absolute paths of all folders whose signatures the looks hold."""
    return frozenset(
        f"{look.work_tree}/{os.fsdecode(folder)}" for look in looks for folder in apart(look.seen.listed[0])
    )
