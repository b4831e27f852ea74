"""The workspaces that the configuration names: looked at like projects, wherever they lie."""

from __future__ import annotations

import os
from collections.abc import Container

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.config_values import Configuration


def workspaces(configuration: Configuration, known: Container[str] = ()) -> tuple[str, ...]:
    """The real paths of ``[dreaming] workspaces`` that are there, without the projects ``known`` by theirs.

    What lies on a mount whose server may be gone is left out: whoever asks it for a file hangs.
    """
    named = configuration.dreaming.workspaces
    if not named:
        return ()
    from scanner.mounts import read_mounts  # noqa: PLC0415 - start-up: most configurations name none
    from scanner.places import Places  # noqa: PLC0415 - as above

    places = Places(read_mounts())
    found = {os.path.realpath(path) for path in named if not places.may_hang(path) and os.path.isdir(path)}
    return tuple(sorted(path for path in found if path not in known))
