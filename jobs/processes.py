"""The one door to processes: argument lists, no shell, a time, a cap, and the whole group ended.

A program that is asked something gets a process group of its own. Whatever it started is ended with it, so
that a hook or a git that hangs leaves nothing behind.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen

OUTPUT_CAP = 64 * 1024

# How long a program that has said all may take to end, and how often it is looked at meanwhile.
_TICK = 0.05

# The kernel ends a process at once, save one that waits for a disk that does not answer.
_KILL_SECONDS = 5.0

# Those that were killed and had not ended by then; they are seen off when somebody comes by.
_LEFT: list[Popen[bytes]] = []
_PIECE = 64 * 1024


class ProcessError(Exception):
    """A program gave no answer; ``timed_out`` where it was started and did not end in time.

    ``said`` is what it had written by then, cut at the cap.
    """

    def __init__(self, message: str, *, timed_out: bool = False, said: bytes = b"") -> None:
        super().__init__(message)
        self.timed_out = timed_out
        self.said = said


@dataclass(frozen=True, slots=True)
class Answer:
    """How a program ended: ``code`` is negative where a signal ended it.

    ``out`` and ``err`` are cut at the cap, each for itself; ``truncated``: there was more of either.
    """

    code: int
    out: bytes
    err: bytes
    truncated: bool = False

    @property
    def reason(self) -> str:
        """What it wrote to standard error, on one line, else how it ended: for a message."""
        lines = self.err.decode("utf-8", "replace").split()
        return " ".join(lines)[:500] or f"it ended with code {self.code}"


def find_program(name: str, environ: Mapping[str, str]) -> str | None:
    """The program ``name`` on the absolute folders of ``PATH``, None where there is none."""
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        program = os.path.join(folder, name)
        # A relative folder would be looked up in whatever folder somebody happens to stand in.
        if os.path.isabs(folder) and os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    return None


def ask(
    command: Sequence[str],
    environ: Mapping[str, str],
    *,
    seconds: float,
    given: bytes = b"",
    cap: int = OUTPUT_CAP,
    stop_at_cap: bool = False,
) -> Answer:
    """Run ``command``, an absolute program and its arguments, hand it ``given``, and wait for its end.

    Of its output the first ``cap`` bytes are kept and the rest is read away; with ``stop_at_cap`` it is ended
    there. ``environ`` is its whole environment; it stands in the root folder. Raises ``ProcessError`` where
    it cannot be started or takes longer than ``seconds``.
    """
    import subprocess  # noqa: PLC0415 - start-up: 8 ms that only a command with processes pays

    try:
        process = subprocess.Popen(  # noqa: S603 - the door: an absolute program, no shell, nothing inherited
            command,
            stdin=subprocess.PIPE if given else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=os.sep,
            env=environ,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise ProcessError(f"{command[0]} could not be started: {error}") from None
    talk = _Talk(process, given, cap, stop_at_cap=stop_at_cap)
    try:
        in_time = talk.run(seconds)
    finally:
        _end(process)
    out, err = talk.said
    if not in_time:
        raise ProcessError(
            f"{command[0]} did not end within {seconds:g} s", timed_out=True, said=(out + err)[:cap]
        )
    # Without a code it was told to end because of what it said, and is still about to.
    return Answer(-9 if process.returncode is None else process.returncode, out, err, talk.truncated)


class _Talk:
    """What one process is told and says, until it ends, its time is over or it has said too much."""

    def __init__(self, process: Popen[bytes], given: bytes, cap: int, *, stop_at_cap: bool) -> None:
        self.truncated = False
        self._process = process
        self._given = memoryview(given)
        self._cap = cap
        self._stop_at_cap = stop_at_cap
        self._heard: dict[int, bytearray] = {}
        self._open: list[int] = []
        self._outputs = []
        for stream in (process.stdout, process.stderr):
            assert stream is not None  # noqa: S101 - both were asked for as pipes
            self._outputs.append(stream.fileno())
        self._heard = {descriptor: bytearray() for descriptor in self._outputs}
        self._open = list(self._outputs)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)

    @property
    def said(self) -> tuple[bytes, bytes]:
        out, err = self._outputs
        return bytes(self._heard[out]), bytes(self._heard[err])

    def run(self, seconds: float) -> bool:
        """Whether the process ended, or said more than enough, within ``seconds``."""
        import select  # noqa: PLC0415 - as above
        import time  # noqa: PLC0415 - as above

        ends = time.monotonic() + seconds
        pause = 0.001
        while True:
            left = ends - time.monotonic()
            if left <= 0:
                return False
            if self._open:
                told = [self._process.stdin] if self._process.stdin is not None else []
                readable, writable, _ = select.select(self._open, told, [], min(left, _TICK))
                self._step(readable, told if writable else [])
                if self.truncated and self._stop_at_cap:
                    return True
                # What it left in the background may hold its output open: it has said all it will.
                if not readable and self._has_ended():
                    return True
            else:
                self._hang_up()
                if self._has_ended():
                    return True
                time.sleep(min(left, pause))
                pause = min(pause * 2, _TICK)

    def _step(self, readable: Sequence[int], told: Sequence[object]) -> None:
        for descriptor in readable:
            piece = os.read(descriptor, _PIECE)
            if not piece:
                self._open.remove(descriptor)
            room = self._cap - len(self._heard[descriptor])
            self._heard[descriptor] += piece[:room]
            self.truncated = self.truncated or len(piece) > room
        if told:
            self._tell()

    def _tell(self) -> None:
        assert self._process.stdin is not None  # noqa: S101 - only what was asked for as a pipe is writable
        try:
            self._given = self._given[os.write(self._process.stdin.fileno(), self._given) :]
        except BlockingIOError:
            return
        except OSError:
            self._given = self._given[:0]  # it does not listen
        if not self._given:
            self._hang_up()

    def _hang_up(self) -> None:
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
            self._process.stdin = None

    def _has_ended(self) -> bool:
        """Whether the process is over; its number stays taken until ``_end`` has ended its group.

        Where the system has no such question (macOS before Python 3.13) the number is free from here on.
        """
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True


def _end(process: Popen[bytes]) -> None:
    """End the process with its whole group, which keeps its number for as long as the process is unreaped."""
    _kill_group(process.pid)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    _wait_killed(process, _KILL_SECONDS)


def _kill_group(number: int) -> None:
    import signal  # noqa: PLC0415 - as above

    with suppress(ProcessLookupError, PermissionError):
        os.killpg(number, signal.SIGKILL)


def _wait_killed(process: Popen[bytes], seconds: float) -> bool:
    """Whether a process that was killed has ended after ``seconds``."""
    _LEFT[:] = [other for other in _LEFT if other is not process and other.poll() is None]
    if _wait(process, seconds) is not None:
        return True
    _LEFT.append(process)
    return False


def _wait(process: Popen[bytes], seconds: float) -> int | None:
    import subprocess  # noqa: PLC0415 - as above

    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


# -- a process that goes on by itself ---------------------------------------------------------------------


class Child:
    """A process that was started and is looked at from time to time; its output goes where ours goes."""

    __slots__ = ("_process", "pid")

    def __init__(self, process: Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid

    def code(self) -> int | None:
        """Its exit code (negative: the signal that ended it), None while it runs."""
        return self._process.poll()

    def wait(self, seconds: float) -> int | None:
        """Its exit code once it ends, None if it still runs after ``seconds``."""
        return _wait(self._process, seconds)

    def ask_to_stop(self) -> None:
        """Send SIGTERM to it, not to what it started: it ends that itself."""
        self._process.terminate()

    def kill(self, seconds: float = _KILL_SECONDS) -> bool:
        """End it and its whole group at once, and wait for that; whether it has ended after ``seconds``.

        One that waits for a disk that does not answer ends when that does.
        """
        if self._process.poll() is None:
            _kill_group(self.pid)
        return _wait_killed(self._process, seconds)


def start(command: Sequence[str], environ: Mapping[str, str]) -> Child:
    """Start ``command`` in a process group of its own and go on; ``ProcessError`` where that fails.

    It reads nothing and writes to our own standard output and error; no other descriptor reaches it.
    """
    import subprocess  # noqa: PLC0415 - as above

    try:
        process = subprocess.Popen(  # noqa: S603 - the door: an absolute program, no shell, nothing inherited
            command, stdin=subprocess.DEVNULL, cwd=os.sep, env=environ, start_new_session=True
        )
    except (OSError, ValueError) as error:
        raise ProcessError(f"{command[0]} could not be started: {error}") from None
    return Child(process)
