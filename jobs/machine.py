"""What the ledger keeps of the machine that a job ran on."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_CONFIGURATION_CAP = 256 * 1024


def passing_time() -> float:
    """Seconds that pass while the machine sleeps as well, and whatever is done to its clock."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


def boot_id() -> str:
    """What names this start of the system; empty where the system has no such name."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            return file.read(64).decode("ascii", "replace").strip()
    except OSError:
        return ""


def host_name(environ: Mapping[str, str]) -> str:
    """What the machine calls itself."""
    return os.uname().nodename if hasattr(os, "uname") else environ.get("COMPUTERNAME", "")


def system_zone(environ: Mapping[str, str], now: float) -> str:
    """The name of the system's zone, else how far it is ahead of UTC."""
    named = environ.get("TZ", "").lstrip(":")
    if not named:
        named = os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    return named or time.strftime("%z", time.localtime(now))


def local_day(now: float, zone: str | None = None) -> str:
    """The day of ``now`` (epoch seconds) on the clock of ``zone``, else of the system: ``2026-11-30``."""
    if zone is None:
        return time.strftime("%Y-%m-%d", time.localtime(now))
    from datetime import datetime  # noqa: PLC0415 - start-up: only where a zone is named
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - as above

    return datetime.fromtimestamp(now, ZoneInfo(zone)).date().isoformat()


def digest(path: str) -> str:
    """The first twelve digits of the SHA-256 of the configuration; empty without one."""
    from hashlib import sha256  # noqa: PLC0415 - start-up: only a run asks

    try:
        with open(path, "rb") as file:
            return sha256(file.read(_CONFIGURATION_CAP)).hexdigest()[:12]
    except (OSError, ValueError):
        return ""
