"""From labels found to labels ranked: role weight x nearness x evidence, weaker synonyms removed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from scanner.manifests.survey import Found
from scanner.manifests.table import ROLE_WEIGHTS, Table
from scanner.project import Label

SHARE_STRENGTH = 0.5
_MAIN_SHARE = 0.3
_FOREIGN = r"(?m)^(?:.*/)?(?:node_modules|vendor|third_party|dist|build|\.?venv)/"
_PATHS = 50_000
# Counted only where nothing else is present: scripts stand beside nearly everything.
_MODEST = frozenset(("Shell", "PowerShell", "LaTeX"))


def ranked(
    table: Table,
    found: Mapping[str, Found],
    weights: Mapping[str, int],
    share: Callable[[], Mapping[str, int]],
) -> tuple[Label, ...]:
    """Labels, best first. Ties fall to the language with more files, then to the table's order.

    ``share()`` gives files per language; it is asked only where the first places tie.
    """
    scores = {label: _weight(table, weights, label) * entry.strength for label, entry in found.items()}
    kept = _without_weaker(table, found, scores)
    kept.sort(key=lambda entry: (-scores[entry.label], _place(table, entry)))
    leaders = [entry for entry in kept if abs(scores[entry.label] - scores[kept[0].label]) < 1e-9]
    if len(leaders) > 1 and len({_languages(table, entry) for entry in leaders}) > 1:
        files = share()
        leaders.sort(key=lambda entry: -sum(files.get(name, 0) for name in _languages(table, entry)))
        kept[: len(leaders)] = leaders
    return tuple(
        Label(entry.label, table.roles.get(entry.label, "app"), entry.evidence, round(entry.strength, 3))
        for entry in kept
    )


def languages_by_ending(table: Table, paths: Iterable[str]) -> Counter[str]:
    """Files per language; what other people wrote (vendored, built) is left out."""
    bounded = list(islice(paths, _PATHS))
    if re.search(_FOREIGN, "\n".join(bounded)):
        bounded = [path for path in bounded if not re.search(_FOREIGN, path)]
    languages = table.languages
    found = [languages.get(path[path.rfind(".") + 1 :].lower(), "") for path in bounded]
    counts = Counter(found)
    del counts[""]
    return counts


def main_languages(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The languages that make up the code: the first, and every other with 30 % of the files.

    Pages count only alone or beside no more JavaScript than pages: they stand beside every language.
    """
    code = {name: count for name, count in counts.items() if name not in _MODEST} or dict(counts)
    if code.get("HTML", 0) < code.get("JavaScript", 0) or {*code} - {"HTML", "JavaScript"}:
        code.pop("HTML", None)
    total = sum(code.values())
    ordered = sorted(code.items(), key=lambda item: (-item[1], item[0]))
    return [item for place, item in enumerate(ordered) if not place or item[1] >= _MAIN_SHARE * total]


def _without_weaker(table: Table, found: Mapping[str, Found], scores: Mapping[str, float]) -> list[Found]:
    weaker = {
        synonym
        for label, entry in found.items()
        for synonym in table.supersedes.get(label, ())
        if synonym in found and scores[label] >= scores[synonym] and entry.folder == found[synonym].folder
    }
    return [entry for label, entry in found.items() if label not in weaker]


def _weight(table: Table, weights: Mapping[str, int], label: str) -> int:
    return weights.get(label, table.weights.get(label, ROLE_WEIGHTS["app"]))


def _place(table: Table, entry: Found) -> tuple[int, int, int]:
    return entry.folder.count("/"), table.place.get(entry.label, -1), entry.order


def _languages(table: Table, entry: Found) -> tuple[str, ...]:
    return table.families.get(entry.family, (entry.label,))
