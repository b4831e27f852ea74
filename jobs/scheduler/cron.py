"""The user's crontab (crontab(5)): one region of ours in it, every other byte as it was.

Once an hour it is asked whether a job is due: a machine that slept, was off or changed its clock catches up.
"""

from __future__ import annotations

import re
import shlex

from jobs.errors import ExpectedError
from jobs.scheduler.machine import Machine
from jobs.scheduler.seal import EDITED, MARK, OURS, judge, sealed
from jobs.scheduler.values import (
    CREATE,
    CRON,
    KEPT,
    REMOVE,
    REPLACE,
    SAME,
    Change,
    Installation,
    Plan,
    State,
    Step,
)
from scanner.project import Problem

NAME = "crontab"

_BEGIN, _END = b"# BEGIN zecher", b"# END zecher"
_REGION = re.compile(rb"^# BEGIN zecher\b.*?^# END zecher[^\n]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_CAP = 1024 * 1024
_WHY = "Once an hour it is asked what is due: a machine that slept or was off catches up."


class Cron:
    """Plans and looks; ``jobs.scheduler`` carries out."""

    kind = CRON

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._crontab = machine.program("crontab")

    @property
    def is_possible(self) -> bool:
        """Whether there is a crontab, and not certainly nobody who reads it."""
        return self._crontab is not None and self._machine.has_cron is not False

    def files(self, installation: Installation) -> tuple[tuple[str, str], ...]:
        """The region, under the name of the crontab."""
        return ((NAME, region(self._line(installation))),)

    def plan(self, installation: Installation, *, linger: bool = False) -> Plan:  # noqa: ARG002 - cron needs no login
        """What it takes that the region stands in the crontab."""
        if installation.daemon:
            raise ExpectedError(
                "schedule-no-daemon",
                "cron cannot keep a daemon alive",
                "it starts programs at a time and does not look after them",
                "Leave --daemon out, or use --scheduler systemd.",
            )
        ((_, text),) = self.files(installation)
        whole = self._read()
        found = _found(whole)
        problems = () if self._machine.has_cron is not False else (_no_cron(),)
        if found is None:
            change = Change(CREATE, NAME, text)
        elif judge(found.decode("utf-8", "replace")) != OURS:
            return Plan(CRON, changes=(_kept(text),), problems=problems)
        elif found == text.encode():
            return Plan(CRON, changes=(Change(SAME, NAME, text),), problems=problems)
        else:
            change = Change(REPLACE, NAME, text)
        step = self._write(with_region(whole, text.encode()))
        return Plan(CRON, changes=(change,), after=(step,), problems=problems)

    def plan_removal(self) -> Plan:
        """What it takes that the region is gone; one that somebody edited stays."""
        whole = self._read(quietly=True)
        found = _found(whole)
        if found is None:
            return Plan(CRON)
        if judge(found.decode("utf-8", "replace")) != OURS:
            return Plan(CRON, changes=(_kept(""),))
        rest = with_region(whole, b"")
        step = self._write(rest) if rest.strip() else Step((self._crontab or NAME, "-r"))
        return Plan(CRON, changes=(Change(REMOVE, NAME),), after=(step,))

    def state(self) -> State:
        """How it stands now."""
        found = _found(self._read(quietly=True))
        if found is None:
            return State(CRON)
        edited = judge(found.decode("utf-8", "replace")) == EDITED
        return State(CRON, (NAME,), (NAME,) if edited else (), "hourly", self._machine.has_cron)

    # -- parts ---------------------------------------------------------------------------------------------

    def _line(self, installation: Installation) -> str:
        """The command: for any shell that a crontab may name, with ``%`` escaped for cron itself."""
        variables = [("ZECHER_TRIGGER", "cron"), *installation.environment]
        nice = self._machine.program("nice")
        parts = [self._machine.program("env") or "/usr/bin/env"]
        parts += [f"{key}={value}" for key, value in variables]
        parts += [nice, "-n", "10"] if nice else []
        parts += [installation.program, "run", "--if-due", "--all", "--quiet"]
        return shlex.join(parts).replace("%", r"\%")

    def _read(self, *, quietly: bool = False) -> bytes:
        """The crontab, empty where there is none; ``ExpectedError`` if it is refused, unless ``quietly``."""
        if self._crontab is None:
            if quietly:
                return b""
            raise ExpectedError(
                "no-scheduler",
                "this machine has no crontab",
                "no folder of PATH holds the program crontab",
                "Install cron, or choose another --scheduler.",
            )
        answer = self._machine.ask([self._crontab, "-l"], cap=_CAP)
        if answer.code == 0 and not answer.truncated:
            return answer.out
        if quietly or (answer.code > 0 and b"no crontab" in answer.err.lower()):
            return b""
        raise ExpectedError(
            "crontab-unreadable",
            "the crontab cannot be read",
            "it is larger than 1 MiB" if answer.truncated else answer.reason,
            "Mend what the message names, or choose another --scheduler.",
        )

    def _write(self, whole: bytes) -> Step:
        return Step((self._crontab or NAME, "-"), given=whole)


def region(command: str) -> str:
    """The lines of ours, marked and sealed."""
    body = f"# {_WHY}\n17 * * * * {command} >/dev/null\n{_END.decode()}\n"
    return sealed("", body, opening=f"{_BEGIN.decode()}: ", hint="do not edit between BEGIN and END")


def with_region(whole: bytes, text: bytes) -> bytes:
    """The crontab ``whole`` with ``text`` in the place of our region, or last; nothing else moves."""
    if _REGION.search(whole):
        return _REGION.sub(lambda _: text, whole, count=1)
    if whole and not whole.endswith(b"\n"):
        whole += b"\n"  # cron ignores a last line without its end
    return whole + text


def _found(whole: bytes) -> bytes | None:
    found = _REGION.search(whole)
    if found:
        return found[0]
    # The end was taken away: nobody can tell any more what is ours.
    return whole if _BEGIN in whole and MARK.encode() in whole else None


def _kept(text: str) -> Change:
    return Change(KEPT, NAME, text, why="somebody edited the region of zecher")


def _no_cron() -> Problem:
    return Problem(
        "no-cron-daemon",
        "error",
        "",
        "no cron daemon is running that would read the entry",
        "Start it (for example: sudo systemctl enable --now cron), or use zecher daemon.",
    )
