"""Whether a folder is a repository of its own in the eyes of git, which then shows it whole.

Format: gitrepository-layout(5): a ``.git`` folder, or a file that names one, with ``HEAD``, ``objects`` and
``refs``, the last two perhaps in a common directory. Only names and one short file are looked at.
"""

from __future__ import annotations

import os
import re
import stat

from scanner import trace
from scanner.git.layout import GITFILE_CAP, pointed_path
from scanner.reading import UnreadableError, read_head, read_optional

_HEAD = re.compile(rb"ref:\s*refs/|[0-9a-f]{40}")


def is_repository(folder: str) -> bool:
    """Whether ``folder`` (an absolute path) holds a ``.git`` that is a repository's."""
    dot_git = folder + "/.git"
    try:
        status = trace.stat(dot_git)
    except (OSError, ValueError):
        return False
    if stat.S_ISREG(status.st_mode):
        try:
            target = pointed_path(read_head(trace.realpath(dot_git), GITFILE_CAP), prefix=b"gitdir: ")
        except UnreadableError:
            return True  # git takes what it may not read for one
        return target is not None and _is_git_folder(os.path.join(folder, target))
    return _is_git_folder(dot_git)


def _is_git_folder(path: str) -> bool:
    head = path + "/HEAD"
    try:
        if stat.S_ISLNK(trace.lstat(head).st_mode):
            is_head = trace.readlink(head).startswith("refs/")
        else:
            is_head = _HEAD.match(read_head(head, 255)) is not None
        named = pointed_path(read_optional(path + "/commondir", GITFILE_CAP) or b"")
    except (UnreadableError, OSError, ValueError):
        return False
    common = os.path.join(path, named) if named else path
    return is_head and all(trace.is_folder(f"{common}/{name}") for name in ("objects", "refs"))
