"""The remote-tracking branch that a local branch follows, as ``git rev-parse @{upstream}`` finds it.

Sources: ``branch.<name>.remote`` and ``.merge`` of git-config, refspecs of git-fetch, the rules of
gitrevisions for short names. ``remote.pushDefault`` and ``branch.<name>.pushRemote`` have no part in it. The
old files below ``.git/remotes`` and ``.git/branches`` are not read, nor references outside of ``refs``.
"""

from __future__ import annotations

from collections.abc import Mapping

from scanner.git.refs import is_valid_name
from scanner.git.repository import Repository
from scanner.value import Value

_HERE = "."
_REFSPECS = 1_000

# What git tries for a short name, in this order.
_PLACES = ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/")
_SHORT_PLACES = ("refs/remotes/", "refs/heads/", "refs/tags/", "refs/")
_LARGE_FOLDERS = ("refs", "refs/tags")


class Refspec(Value):
    """One ``remote.<name>.fetch``: what is called ``source`` there is called ``target`` here."""

    __slots__ = ("is_negative", "is_pattern", "source", "target")

    def __init__(self, source: str, target: str | None, is_pattern: bool, is_negative: bool) -> None:
        self.source = source
        self.target = target
        self.is_pattern = is_pattern
        self.is_negative = is_negative


def parse_refspec(text: str) -> Refspec | None:
    """A fetch refspec; ``None`` for one that git refuses."""
    is_negative = text.startswith("^")
    if text[:1] in ("+", "^"):
        text = text[1:]
    source, colon, target = text.rpartition(":")
    if not colon:
        source, target = target, ""
    if is_negative and (colon or not source):
        return None
    is_pattern = "*" in source
    if colon and is_pattern != ("*" in target):
        return None
    if not colon and is_pattern and not is_negative:
        return None
    if not all(_is_sound(name) for name in (source, target) if name):
        return None
    return Refspec("HEAD" if source == "@" else source, target if colon else None, is_pattern, is_negative)


def _is_sound(name: str) -> bool:
    return name.count("*") <= 1 and is_valid_name(name.replace("*", "x"))


def tracking_name(refspecs: tuple[Refspec, ...], source: str) -> str | None:
    """The reference in which a fetch by ``refspecs`` keeps the remote's reference ``source``."""
    if _is_left_out(refspecs, source):
        return None
    for refspec in refspecs:
        if refspec.target is None or refspec.is_negative:
            continue
        target = _mapped(refspec.source, source, refspec.target) if refspec.is_pattern else refspec.target
        if target is not None and (refspec.is_pattern or refspec.source == source):
            return target
    return None


def _is_left_out(refspecs: tuple[Refspec, ...], source: str) -> bool:
    """Whether a negative refspec matches, as git asks: what a pattern maps is compared with its target.

    So ``^refs/heads/x`` leaves nothing out beside ``refs/heads/*:refs/remotes/origin/*``; it does beside
    ``refs/heads/*:refs/heads/*`` and beside a plain ``refs/heads/x:...``.
    """
    asked: list[str] = []
    for refspec in refspecs:
        if refspec.is_negative:
            continue
        if refspec.is_pattern:
            name = _mapped(refspec.target or refspec.source, source, refspec.source)
            asked += [name] if name is not None else []
        elif refspec.source == source:
            asked.append(source)
    return any(
        _mapped(refspec.source, name, "*") is not None if refspec.is_pattern else refspec.source == name
        for refspec in refspecs
        if refspec.is_negative
        for name in asked
    )


def _mapped(pattern: str, name: str, other: str) -> str | None:
    """``other`` with what the star of ``pattern`` stands for in ``name``; ``None`` where that is no match."""
    before, _, after = pattern.partition("*")
    if len(name) < len(before) + len(after) or not name.startswith(before) or not name.endswith(after):
        return None
    return other.replace("*", name[len(before) : len(name) - len(after)])


class Upstreams:
    """The upstreams of the branches of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._configured = frozenset(repository.config.subsections("branch"))
        self._refspecs: dict[str, tuple[Refspec, ...]] = {}
        self._others: dict[str, Mapping[str, str]] = {}

    def of(self, branch: str) -> str | None:
        """The full name of the upstream of ``branch`` (a short name), whether it exists or not."""
        if branch not in self._configured:
            return None
        config = self._repository.config
        remote = config.get(f"branch.{branch}.remote")
        merges = config.all(f"branch.{branch}.merge")
        if not remote or not merges:
            return None
        found = tracking_name(self._fetched(remote), merges[0])
        if found is None and remote == _HERE:
            found = self._here(merges[0])
        return found if found and is_valid_name(found) else None

    def object_of(self, ref: str) -> str | None:
        """The object name of a reference by its full name; ``None`` when there is none."""
        if ref.startswith("refs/heads/"):
            return self._repository.local_heads().get(ref)
        if ref.startswith("refs/remotes/"):
            return self._repository.remote_heads().get(ref)
        folder, _, _ = ref.rpartition("/")
        if not folder.startswith("refs"):
            return None
        if folder in _LARGE_FOLDERS:
            return self._repository.resolve(ref)
        # Packed references are searched once for each folder of names, not once for each name.
        if folder not in self._others:
            self._others[folder] = self._repository.references(folder + "/")
        return self._others[folder].get(ref)

    def short_name(self, ref: str) -> str:
        """The shortest form of ``ref`` that git takes for nothing else."""
        for place in _SHORT_PLACES:
            if not ref.startswith(place):
                continue
            short = ref[len(place) :]
            others = [other + short for other in _PLACES if other != place]
            if not any(self._exists(other) for other in [*others, f"refs/remotes/{short}/HEAD"]):
                return short
        return ref

    def _fetched(self, remote: str) -> tuple[Refspec, ...]:
        if remote not in self._refspecs:
            texts = self._repository.config.all(f"remote.{remote}.fetch")[:_REFSPECS]
            parsed = [parse_refspec(text) for text in texts]
            self._refspecs[remote] = tuple(refspec for refspec in parsed if refspec is not None)
        return self._refspecs[remote]

    def _here(self, name: str) -> str:
        """What a name means in this repository, if it means one thing only."""
        names = [place + name for place in _PLACES] + [f"refs/remotes/{name}/HEAD"]
        found = [full for full in names if self._exists(full)]
        return found[0] if len(found) == 1 else name

    def _exists(self, ref: str) -> bool:
        return is_valid_name(ref) and self.object_of(ref) is not None
