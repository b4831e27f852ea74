"""The lines of one ignore file, each turned into the cheapest question that is exact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from scanner.ignore_glob import ClassGlob, Glob, PathGlob, has_large_class, name_globs, spellings
from scanner.ignore_pattern import FOLDERS, STAR, Line, Segment, UnusableLineError, parse_line

LINES_CAP = 2000
"""How many lines of one file are used; the rest is reported."""

CLASSES_CAP = 200
"""How many lines of one file may hold classes that cannot be unfolded: compiling one takes 0.3 ms."""

Block = tuple[
    bool,  # what it means to be found here: ignored, or taken back by a negated line
    frozenset[str],  # names
    tuple[str, ...],  # starts of names
    tuple[str, ...],  # ends of names
    frozenset[str],  # paths
    frozenset[str],  # folders whose direct entries are meant
    tuple[str, ...],  # folders, with a slash, below which all is meant
    tuple[Glob | ClassGlob, ...],  # patterns over the name
    tuple[PathGlob, ...],  # patterns over the path
]

Faults = tuple[tuple[str, tuple[int, ...]], ...]
Parsed = tuple[Faults, tuple[Block, ...], tuple[Block, ...], int]
"""What is not used and why; the questions for files, those for folders; what one question costs at most."""


@lru_cache(maxsize=256)
def parse_rules(data: bytes, cap: int) -> Parsed:
    """The rules in ``data``, of which ``cap`` bytes count.

    Cached by the bytes: many repositories of one person hold the same ignore file.
    """
    faults: dict[str, list[int]] = {}
    lines: list[Line] = []
    raw_lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if len(data) > cap:
        faults[f"the file is larger than {cap} bytes"] = [len(raw_lines)]
        raw_lines.pop()
    elif not raw_lines[-1]:
        raw_lines.pop()  # what follows the last line end is no line
    if len(raw_lines) > LINES_CAP:
        faults[f"the file has more than {LINES_CAP} lines"] = list(range(LINES_CAP + 1, len(raw_lines) + 1))
    classes = 0
    for number, raw in enumerate(raw_lines[:LINES_CAP], start=1):
        try:
            line = parse_line(raw.removesuffix(b"\r"))
        except UnusableLineError as error:
            faults.setdefault(str(error), []).append(number)
            continue
        if line is None:
            continue
        is_large = any(map(has_large_class, line.alternatives))
        classes += is_large
        if is_large and classes > CLASSES_CAP:
            faults.setdefault(f"more than {CLASSES_CAP} lines with classes of characters", []).append(number)
        else:
            lines.append(line)
    blocks = _blocks(lines)
    reasons = tuple((reason, tuple(numbers)) for reason, numbers in faults.items())
    cost = sum(map(_cost, blocks))
    return reasons, _blocks(line for line in lines if not line.folders_only), blocks, cost


def _blocks(lines: Iterable[Line]) -> tuple[Block, ...]:
    """Neighbouring lines of one sign are one block: whichever of them matches, the answer is the same."""
    groups: list[tuple[bool, list[Line]]] = []
    for line in lines:
        if not groups or groups[-1][0] != line.negated:
            groups.append((line.negated, []))
        groups[-1][1].append(line)
    return tuple(_block(not negated, group) for negated, group in reversed(groups))


def _block(ignored: bool, lines: Sequence[Line]) -> Block:
    texts: dict[str, list[str]] = {}
    name_patterns: list[Glob | ClassGlob] = []
    path_patterns: list[PathGlob] = []
    for line in lines:
        for segments in line.alternatives:
            kind, found = _question(line.anchored, segments)
            if kind == "name-glob":
                name_patterns += name_globs(segments[-1])
            elif kind == "path-glob":
                path_patterns.append(PathGlob(segments))
            else:
                texts.setdefault(kind, []).extend(found)
    return (
        ignored,
        frozenset(texts.get("name", ())),
        tuple(texts.get("start", ())),
        tuple(texts.get("end", ())),
        frozenset(texts.get("path", ())),
        frozenset(texts.get("parent", ())),
        tuple(texts.get("tree", ())),
        tuple(name_patterns),
        tuple(path_patterns),
    )


def _cost(block: Block) -> int:
    """What asking ``block`` costs at most: 0.6 us in itself, 25 ns for each start or end of a name."""
    _, _, starts, ends, _, _, trees, name_patterns, path_patterns = block
    plain = 12 + (len(starts) + len(ends) + len(trees)) // 2
    return plain + sum(one.cost for one in (*name_patterns, *path_patterns))


def _question(anchored: bool, segments: tuple[Segment, ...]) -> tuple[str, Sequence[str]]:
    """The cheapest exact way to ask for ``segments``: its kind, and the texts to compare with, if any."""
    if not anchored or (len(segments) == 2 and segments[0] == FOLDERS):
        return _name_question(segments[-1])
    if segments[-2:] == (FOLDERS, STAR):
        if folders := spellings(segments[:-2]):
            return "tree", [folder + "/" if folder else "" for folder in folders]
    elif segments[-1] == STAR:
        if folders := spellings(segments[:-1]):
            return "parent", folders
    elif paths := spellings(segments):
        return "path", paths
    return "path-glob", ()


def _name_question(segment: Segment) -> tuple[str, Sequence[str]]:
    if names := spellings((segment,)):
        return "name", names
    if segment == STAR:
        return "end", [""]
    if segment[0] is None and (ends := spellings((segment[1:],))):
        return "end", ends
    if segment[-1] is None and (starts := spellings((segment[:-1],))):
        return "start", starts
    return "name-glob", ()
