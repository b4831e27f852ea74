"""Tells the service manager how the daemon is, as in sd_notify(3): a datagram of lines NAME=value.

Without a manager that listens nothing is sent, and no failure to send is one of the daemon's.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# What must not reach a child: it would speak for its parent.
VARIABLES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES")


class NotifySocket:
    """The way to the manager of this service.

    ``watchdog_s`` are the seconds within which it wants each sign of life; None if it wants none of us.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._address = _address(environ.get("NOTIFY_SOCKET", ""))
        self.watchdog_s = _watchdog(environ) if self._address else None

    def ready(self, status: str) -> None:
        """It has started, or has read its configuration again."""
        self._send("READY=1", f"STATUS={status}")

    def alive(self, status: str) -> None:
        """A sign of life, and what it is doing."""
        self._send("WATCHDOG=1", f"STATUS={status}")

    def reloading(self) -> None:
        """It reads its configuration again; ``ready`` follows."""
        self._send("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self, status: str) -> None:
        """It is about to end."""
        self._send("STOPPING=1", f"STATUS={status}")

    def _send(self, *lines: str) -> None:
        if not self._address:
            return
        import socket  # noqa: PLC0415 - start-up: only under a manager

        data = "\n".join(" ".join(line.splitlines()) for line in lines).encode("utf-8", "replace")
        # A manager that does not read must not stop the scheduler, so nobody waits for it.
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(data, self._address)


def _address(name: str) -> bytes:
    """The address of the socket: a path, or a name in Linux' own space after an ``@``; else empty."""
    if name.startswith("@"):
        return b"\0" + os.fsencode(name[1:])
    return os.fsencode(name) if os.path.isabs(name) else b""


def _watchdog(environ: Mapping[str, str]) -> float | None:
    pid, wanted = environ.get("WATCHDOG_PID", ""), environ.get("WATCHDOG_USEC", "")
    if pid and pid != str(os.getpid()):
        return None
    is_number = wanted.isascii() and wanted.isdigit() and len(wanted) < 18
    return int(wanted) / 1e6 if is_number and int(wanted) else None
