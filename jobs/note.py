"""Notes of the day, as a command works on them: which workspace is meant, and which day it is there."""

from __future__ import annotations

import os
import time

from brain.remember.daily import Noted, add_note, is_workspace
from jobs.config import load_configuration
from jobs.machine import local_day
from jobs.memory import project_folder
from jobs.surroundings import Surroundings
from jobs.typed import Typed

# One writes for milliseconds; a dozen assistants may want to at once.
_LOCK_SECONDS = 5.0


def workspace(typed: Typed, surroundings: Surroundings) -> str:
    """The real path of the folder whose ``memory/`` is meant.

    The one that ``-d`` names; else the nearest at or above the current folder that keeps notes already, up to
    the repository around it; else that repository; else the one workspace of the configuration; else the
    current folder. ``ExpectedError`` where ``-d`` is no folder.
    """
    here = project_folder(typed, surroundings)
    if typed.text("directory"):
        return here
    folder = here
    while True:
        if is_workspace(folder) or os.path.lexists(os.path.join(folder, ".git")):
            return folder
        above = os.path.dirname(folder)
        # The home folder is nobody's project; above it nobody means a folder by standing below.
        if above == folder or folder == os.path.realpath(surroundings.home or "/"):
            break
        folder = above
    configured = load_configuration(surroundings, typed.text("config")).dreaming.workspaces
    return os.path.realpath(configured[0]) if len(configured) == 1 else here


def note(base: str, text: str, surroundings: Surroundings, *, slug: str, is_fixed: bool) -> Noted:
    """Append ``text`` to today's note of the workspace ``base``; ``is_fixed`` says that *now* was given.

    Raises what ``brain.remember.daily.add_note`` does.
    """

    def today() -> str:
        # Asked again when it is written: a text typed before midnight may have waited for a lock.
        return local_day(surroundings.now if is_fixed else time.time())

    return add_note(base, text, today, slug=slug, wait=_LOCK_SECONDS)
