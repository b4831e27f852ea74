"""A reader of git repositories that starts no process, runs nothing and writes nothing."""

from scanner.git.config import Config
from scanner.git.layout import NotARepositoryError
from scanner.git.objects import Commit
from scanner.git.reflog import ReflogEntry, is_own_work
from scanner.git.refs import Head
from scanner.git.repository import Repository, open_repository, submodule_paths

__all__ = [
    "Commit",
    "Config",
    "Head",
    "NotARepositoryError",
    "ReflogEntry",
    "Repository",
    "is_own_work",
    "open_repository",
    "submodule_paths",
]
