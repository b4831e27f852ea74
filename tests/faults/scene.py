"""A run in a folder of its own, and the same run again with a fault at one of its calls."""

from __future__ import annotations

import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.faults.strace import ERRORS, KILL, Call, record, run, run_with_fault, sample


class Scene(ABC):
    """A clean run of ``kind``, and the calls in it that may change the disk.

    ``old`` and ``new`` are the files before and after it, temporary ones left out.
    """

    def __init__(self, home: Path, kind: str) -> None:
        self.kind = kind
        self._home = home
        self._trials = 0
        clean = self._begin("clean")
        self.old = self.files(clean)
        done, self.calls = record(self.command(clean), clean, self.places(clean))
        assert (done.returncode, done.stderr) == (0, "")
        self.new = self.files(clean)

    @abstractmethod
    def command(self, root: Path) -> list[str]:
        """What is run in the folder ``root``."""

    @abstractmethod
    def files(self, root: Path) -> dict[str, bytes]:
        """What counts of the files in ``root``, by name."""

    @abstractmethod
    def lay_out(self, root: Path) -> None:
        """Put into the new folder ``root`` what the run finds there."""

    def places(self, root: Path) -> Sequence[str]:
        """From the first call that names one of them on, calls count."""
        return [str(root)]

    def check(self, root: Path, *, acknowledged: bool) -> None:
        """The files are old or new, and one more run reaches what the clean one reached."""
        assert self.files(root) in ([self.new] if acknowledged else [self.old, self.new])
        healed = run(self.command(root), root)
        assert (healed.returncode, healed.stderr) == (0, "")
        assert self.files(root) == self.new

    def check_killed(self, full: bool, size: int) -> None:
        """Kill the run at each call, or at ``size`` of them, and check what is left."""
        for call in sample(self.calls, full, size):
            root, done = self._trial(call, KILL)
            assert done.returncode in (-9, 137), (call, done)
            self.check(root, acknowledged=False)

    def refused(
        self, full: bool, size: int
    ) -> Iterator[tuple[tuple[Call, str], Path, subprocess.CompletedProcess[str]]]:
        """Refuse each call with each error, or ``size`` of them with one: what was done, where, how it ended.

        That it ends without a traceback, well or with 1, is asserted before, ``check`` comes after.
        """
        for number, call in enumerate(sample(self.calls, full, size)):
            for error in ERRORS if full else [ERRORS[number % len(ERRORS)]]:
                root, done = self._trial(call, f"error={error}")
                assert done.returncode in (0, 1), (call, error, done)
                assert "Traceback" not in done.stderr, (call, error, done.stderr)
                yield (call, error), root, done
                self.check(root, acknowledged=not done.returncode)

    def _begin(self, name: str) -> Path:
        root = self._home / f"{self.kind}-{name}"
        root.mkdir()
        self.lay_out(root)
        return root

    def _trial(self, call: Call, fault: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
        self._trials += 1
        root = self._begin(str(self._trials))
        return root, run_with_fault(self.command(root), root, call, fault)
