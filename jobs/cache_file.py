"""How the file of a cache is written: replaced as a whole, never locked, not made durable."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress

_LEFTOVER_AGE = 3600.0


def write_cache(path: str, pieces: Iterable[bytes]) -> bool:
    """Put ``pieces`` into the file ``path`` in place of what it held; whether that could be done."""
    folder = os.path.dirname(path)
    temporary = f"{path}.{os.getpid()}.new"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _sweep(folder, os.path.basename(path))
        flags = (
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        )
        descriptor = os.open(temporary, flags, 0o600)
        with open(descriptor, "wb") as file:
            file.writelines(pieces)
        os.replace(temporary, path)
    except OSError:  # a folder that cannot be written, a full disk: then there is no cache
        with suppress(OSError):
            os.unlink(temporary)
        return False
    return True


def _sweep(folder: str, name: str) -> None:
    """Take away what a scan left that was killed while it wrote."""
    limit = time.time() - _LEFTOVER_AGE
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(f"{name}.") and entry.name.endswith(".new"):
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime < limit:
                        os.unlink(entry.path)
