"""The end of the ledger of runs, by its bytes: for a look that every command takes."""

from __future__ import annotations

import os
import stat

NAME = "runs.ndjson"
TAIL_BYTES = 32 * 1024

_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)


def read_tail(path: str) -> bytes | None:
    """The whole lines in the last 32 KiB of the file at ``path``.

    None where there is no regular file that can be read; a link is not followed.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return None
        data = os.pread(descriptor, TAIL_BYTES, max(0, found.st_size - TAIL_BYTES))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return data if found.st_size <= TAIL_BYTES else data.partition(b"\n")[2]
