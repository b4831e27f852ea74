"""Where a repository's parts lie, and whether they may be read.

Formats: gitrepository-layout (gitfile, ``commondir``, ``worktrees/<id>/gitdir``). A work tree is foreign
content: its ``.git`` file can name any folder of the machine. It is followed only where that folder belongs
to the same work by its place, or says so itself by pointing back. A ``commondir`` counts only where such a
pointer leads: a ``.git`` that is a folder is its own common directory.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from scanner import trace
from scanner.git.config import read_config
from scanner.git.folders import is_within
from scanner.git.problems import ProblemLog
from scanner.reading import UnreadableError, read_optional

GITFILE_CAP = 4096


class NotARepositoryError(Exception):
    """The folder is no repository, or not one that may be read.

    Codes: ``no-repository`` (nothing there), ``unreadable`` (the system refused), ``gitfile-malformed``,
    ``gitdir-missing`` (the folder that a gitfile names does not exist or is none of git's),
    ``gitdir-outside-roots`` and ``commondir-outside-roots`` (nothing ties it to this work tree),
    ``gitdir-of-another`` (a linked worktree whose gitfile does not name the record that names it).
    """

    def __init__(self, code: str, path: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.path = path
        self.message = message


class Layout:
    """The folders of one repository. ``owner`` is the user id that owns the git directory."""

    __slots__ = ("common_dir", "git_dir", "is_linked_worktree", "is_submodule", "owner", "work_tree")

    def __init__(
        self,
        work_tree: str | None,
        git_dir: str,
        common_dir: str,
        owner: int,
        *,
        is_submodule: bool = False,
    ) -> None:
        self.work_tree = work_tree
        self.git_dir = git_dir
        self.common_dir = common_dir
        self.owner = owner
        self.is_linked_worktree = common_dir != git_dir
        self.is_submodule = is_submodule


def find_layout(path: str, allowed: Sequence[str], record: str | None = None) -> Layout:
    """The layout of the work tree or bare repository at ``path``; ``NotARepositoryError`` otherwise.

    ``record`` is the folder that names ``path`` as its linked worktree: then only a gitfile will do, and only
    one that names that folder.
    """
    dot_git = path + "/.git"
    try:
        status = trace.lstat(dot_git)
    except (FileNotFoundError, NotADirectoryError):
        return _bare_layout(path)
    except (OSError, ValueError) as error:
        raise NotARepositoryError("unreadable", path, str(error)) from None
    if record is not None and not (
        stat.S_ISREG(status.st_mode) and _gitfile_target(dot_git, path) == trace.realpath(record)
    ):
        raise NotARepositoryError("gitdir-of-another", path, f"its .git does not name {record}")
    if stat.S_ISDIR(status.st_mode):
        return Layout(path, dot_git, dot_git, status.st_uid)
    if stat.S_ISREG(status.st_mode):
        return _pointed_layout(path, _gitfile_target(dot_git, path), allowed)
    if stat.S_ISLNK(status.st_mode):
        return _pointed_layout(path, trace.realpath(dot_git), allowed)
    raise NotARepositoryError("no-repository", path, ".git is neither a folder nor a file")


def _bare_layout(path: str) -> Layout:
    if not _looks_like_git_dir(path):
        raise NotARepositoryError("no-repository", path, "neither a .git nor the parts of a bare repository")
    return Layout(None, path, path, trace.stat(path).st_uid)


def _looks_like_git_dir(path: str) -> bool:
    return (
        trace.lexists(path + "/HEAD")
        and trace.is_folder(path + "/objects")
        and (trace.is_folder(path + "/refs") or trace.is_folder(path + "/reftable"))
    )


def _gitfile_target(dot_git: str, path: str) -> str:
    """The folder that a ``.git`` file names, as a real path."""
    try:
        data = read_optional(dot_git, GITFILE_CAP)
    except UnreadableError as error:
        raise NotARepositoryError("unreadable", path, error.message) from None
    target = pointed_path(data or b"", prefix=b"gitdir:")
    if target is None:
        raise NotARepositoryError("gitfile-malformed", path, "the .git file names no git directory")
    return trace.realpath(os.path.join(path, target))


def pointed_path(data: bytes, prefix: bytes = b"") -> str | None:
    """The path in a one-line pointer file (``.git``, ``gitdir``, ``commondir``), or ``None``."""
    if not data.startswith(prefix):
        return None
    target = os.fsdecode(data[len(prefix) :].strip(b" \t\r\n"))
    return target if target and "\0" not in target and "\n" not in target else None


def _pointed_layout(path: str, git_dir: str, allowed: Sequence[str]) -> Layout:
    real = trace.realpath(path)
    if not _belongs(real, git_dir, allowed):
        message = f"the git directory {git_dir} lies outside the roots and does not point back"
        raise NotARepositoryError("gitdir-outside-roots", path, message)
    common_dir = _common_dir(path, real, git_dir, allowed)
    if not trace.is_folder(common_dir + "/objects") or not trace.lexists(git_dir + "/HEAD"):
        raise NotARepositoryError("gitdir-missing", path, f"{git_dir} is not a git directory")
    return Layout(
        work_tree=path,
        git_dir=git_dir,
        common_dir=common_dir,
        owner=trace.stat(git_dir).st_uid,
        is_submodule=_is_module(git_dir),
    )


def _belongs(work_tree: str, git_dir: str, allowed: Sequence[str]) -> bool:
    """Whether ``git_dir`` may be read for ``work_tree``; both are real paths.

    Beyond the work tree and the roots only what names this very work tree in turn: the record of a linked
    worktree, or a submodule's repository. The repository of a folder around it, such as a home that is kept
    in git, is another's.
    """
    trace.asks_roots()
    if is_within(git_dir, work_tree) or any(is_within(git_dir, trace.realpath(root)) for root in allowed):
        return True
    return _points_back(work_tree, git_dir) or _is_module_of(work_tree, git_dir)


def _is_module_of(work_tree: str, git_dir: str) -> bool:
    """Whether a repository in some ``modules`` folder names ``work_tree`` as its own, as git has them do."""
    if "/modules/" not in git_dir:
        return False
    named = read_config(git_dir + "/config", ProblemLog()).get("core.worktree")
    return named is not None and trace.realpath(os.path.join(git_dir, named)) == work_tree


def _points_back(work_tree: str, git_dir: str) -> bool:
    try:
        back = pointed_path(read_optional(git_dir + "/gitdir", GITFILE_CAP) or b"")
    except UnreadableError:
        return False
    if back is None:
        return False
    return trace.realpath(os.path.join(git_dir, back)) == os.path.join(work_tree, ".git")


def _common_dir(path: str, real: str, git_dir: str, allowed: Sequence[str]) -> str:
    """The folder with objects and references: the git directory itself, or what ``commondir`` names.

    A linked worktree's git directory always lies in ``<common>/worktrees/``; any other place must be allowed.
    """
    try:
        data = read_optional(git_dir + "/commondir", GITFILE_CAP)
    except UnreadableError as error:
        raise NotARepositoryError("unreadable", path, error.message) from None
    if data is None:
        return git_dir
    target = pointed_path(data)
    if target is None:
        raise NotARepositoryError("gitdir-missing", path, f"{git_dir}/commondir names no folder")
    common = trace.realpath(os.path.join(git_dir, target))
    if os.path.dirname(git_dir) == common + "/worktrees" or _belongs(real, common, allowed):
        return common
    message = f"the common directory {common} lies outside the roots"
    raise NotARepositoryError("commondir-outside-roots", path, message)


def _is_module(git_dir: str) -> bool:
    """Whether a git directory lies in the ``modules`` folder of another one."""
    at = git_dir.find("/modules/")
    while at > 0:
        if git_dir[:at].endswith("/.git") or trace.lexists(git_dir[:at] + "/HEAD"):
            return True
        at = git_dir.find("/modules/", at + 1)
    return False
