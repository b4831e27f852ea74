"""Which workspace a command of dreaming is about."""

from __future__ import annotations

import os

from jobs.cli.command import Invocation
from jobs.dreaming_workspaces import DreamSettings, is_workspace


def workspace_of(invocation: Invocation, settings: DreamSettings) -> str:
    """The real path of the workspace that ``-d`` names, else of this folder, else of the one configured."""
    named = invocation.typed.text("directory")
    path = os.path.realpath(invocation.surroundings.absolute(named or "."))
    configured = settings.configured.workspaces
    if named is None and len(configured) == 1 and not is_workspace(path):
        return os.path.realpath(configured[0])
    return path
