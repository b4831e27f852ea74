"""Time as it can be asked for on a busy machine: that of the processor, never of the clock."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def processor_seconds(act: Callable[[], object], *, rounds: int = 1) -> float:
    """The seconds of the processor that ``act`` takes: the least of some rounds.

    Other processes cost the clock whatever they like, and the processor still a factor of two or so. The
    collector of garbage is off, since its work grows with what other tests left behind.
    """
    least = float("inf")
    collects = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            begun = time.process_time()
            act()
            least = min(least, time.process_time() - begun)
    finally:
        if collects:
            gc.enable()
    return least
