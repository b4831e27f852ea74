"""The two wires of the protocol, taken out of everybody's reach: a stray print must not reach the client."""

from __future__ import annotations

import os
import sys

from jobs.errors import ExpectedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


def claim_wires() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output as files of their own.

    From now on descriptor 0 gives nothing, and what is written to descriptor 1 goes to standard error; so it
    is in every process that a library may start. ``ExpectedError`` where one of the two is closed.
    """
    try:
        # Where one was closed from the beginning its number may be that of another file by now.
        if sys.stdin is None or sys.stdout is None:
            raise OSError  # noqa: TRY301 - the same as if it could not be had
        reads, writes = os.dup(0), os.dup(1)
    except OSError:
        raise ExpectedError(
            "mcp-streams",
            "there is nobody to talk to",
            "standard input or standard output is closed",
            "Have an assistant start zecher mcp; docs/mcp.md says how.",
        ) from None
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(nothing, 1)
    os.close(nothing)
    sys.stdin, sys.stdout = None, sys.stderr
    return os.fdopen(reads, "rb"), os.fdopen(writes, "wb")
