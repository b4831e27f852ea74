"""When a project without version control was last worked on: the newest date of a file that somebody wrote.

Unpacking or copying gives all files the date of that moment, or leaves them the dates they had elsewhere.
Where most files share one minute, that minute is no work: what came after it is, else what came before it,
with low confidence.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Sequence

from scanner.ignore import IgnoreFile
from scanner.mounts import Mounts
from scanner.project import Problem
from scanner.untracked import NewFiles, WorkTreeRules, mounted_below, unreadable_folders
from scanner.value import dataclass

_DAY = 86_400
_MINUTE = 60.0
_SHARE = 0.8
_FEW = 5
"""Of fewer files than this, sharing a minute tells nothing: a person writes four files in one."""


@dataclass(slots=True)
class NewestFile:
    """The newest file that tells of work.

    ``when`` is epoch seconds, ``path`` relative to the project; ``confidence`` is ``medium``, or ``low``
    where the dates look like those of unpacking or copying. ``truncated``: there were more files than are
    looked at.
    """

    when: float | None = None
    path: str = ""
    confidence: str = "low"
    truncated: bool = False
    problems: tuple[Problem, ...] = ()


def newest_file(
    folder: str, *, now: float, excludes: Sequence[IgnoreFile] = (), mounts: Mounts | None = None
) -> NewestFile:
    """The newest file below ``folder`` that is not ignored, generated, junk or of a nested project.

    Dates more than a day after ``now`` (epoch seconds) do not count. ``excludes`` are the user's ignore
    rules, lowest precedence first. What another file system of ``mounts`` covers is never asked anything.
    """
    rules = WorkTreeRules(folder, excludes)
    files = NewFiles(folder, rules, float("-inf"), int(now) + _DAY, mounted_below(folder, mounts))
    files.look_into(b"", set())
    dated = sorted(
        (when, path) for when, path in files.found if not rules.ignores(os.fsdecode(path), is_folder=False)
    )
    problems = (*unreadable_folders(folder, files.closed), *rules.problems)
    if not dated:
        return NewestFile(truncated=files.truncated, problems=problems)
    (when, path), confidence = _newest_work(dated)
    return NewestFile(when, os.fsdecode(path), confidence, files.truncated, problems)


def _newest_work(dated: Sequence[tuple[float, bytes]]) -> tuple[tuple[float, bytes], str]:
    """The file to go by, of files in the order of their dates, and the confidence in it."""
    times = [when for when, _ in dated]
    start, end = _densest_minute(times)
    if len(times) < _FEW or end - start < _SHARE * len(times) or end < len(times):
        return dated[-1], "medium"
    # With nothing before it, the minute itself is all there is: the last of all.
    return dated[start - 1], "low"


def _densest_minute(times: Sequence[float]) -> tuple[int, int]:
    ends = [bisect_right(times, when + _MINUTE) for when in times]
    start = max(range(len(times)), key=lambda position: ends[position] - position)
    return start, ends[start]
