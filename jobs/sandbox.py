"""Whether this process is really kept away from what a job has no business with.

A unit file can name every restriction and the system still enforce none of them, without a word. So each run
tries what should be refused, and the ledger keeps the answer.
"""

from __future__ import annotations

import os
from errno import EISDIR, ENOENT, EOPNOTSUPP

EFFECTIVE, PARTIAL, NONE = "effective", "partial", "none"

# A folder of the system in which only root could write, were there no sandbox.
_SYSTEM = "/usr"
_NO_SUCH_FILES = (EOPNOTSUPP, EISDIR, ENOENT)


def probe(home: str) -> str:
    """``effective`` when the home and the system's files cannot be written and no internet socket opened.

    ``none`` when the home can be written and a socket opened, ``partial`` for all between. Nothing is left
    behind, nothing is sent.
    """
    writes_home = bool(home) and can_write(home)
    opens_socket = _opens_socket()
    if writes_home and opens_socket:
        return NONE
    return PARTIAL if writes_home or opens_socket or can_write(_SYSTEM) else EFFECTIVE


def can_write(folder: str) -> bool:
    """Whether a file can be made in ``folder``: tried with one without a name, where there is such."""
    unnamed = getattr(os, "O_TMPFILE", 0)
    if not unnamed:
        return os.access(folder, os.W_OK)
    try:
        os.close(os.open(folder, unnamed | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except OSError as error:
        # Not every file system has files without a name; what it would allow it still knows.
        return error.errno in _NO_SUCH_FILES and os.access(folder, os.W_OK)
    return True


def _opens_socket() -> bool:
    import socket  # noqa: PLC0415 - start-up: only a run asks

    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    except OSError:
        return False
    return True
