"""The three streams of this process: results on one, everything else on another, answers from the third."""

from __future__ import annotations

import os
import sys
from io import TextIOBase

from jobs.errors import ExpectedError
from reports.view import safe_display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The code of the one error that cannot be told on standard output, in whatever form.
NO_OUTPUT = "cannot-write-output"

_ALWAYS, _NEVER = "always", "never"


class Streams:
    """Where results go, where messages go, whether somebody is there to be asked.

    ``result`` takes text that is already made harmless; ``message`` makes its line harmless itself. A reader
    that goes away (a closed pipe) ends the output without a word: the work goes on, its exit code counts.
    """

    def __init__(
        self, stdin: TextIOBase | None, stdout: TextIOBase | None, stderr: TextIOBase | None
    ) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._stderr = stderr
        self.quiet = False

    @classmethod
    def of_process(cls) -> Streams:
        """The streams as the process got them; each may be missing (``>&-``)."""
        return cls(_text(sys.stdin), _text(sys.stdout), _text(sys.stderr))

    @property
    def result_is_terminal(self) -> bool:
        """Whether results are read by a person at once."""
        return _is_terminal(self._stdout)

    @property
    def message_is_terminal(self) -> bool:
        """Whether messages are read by a person at once: progress makes sense only there."""
        return _is_terminal(self._stderr)

    @property
    def can_ask(self) -> bool:
        """Whether somebody can read a question and answer it."""
        return _is_terminal(self._stdin) and self.message_is_terminal

    def result(self, text: str) -> None:
        """Write to standard output, as UTF-8 wherever a program reads."""
        try:
            self._stdout = _write(self._stdout, text, utf8=not self.result_is_terminal)
        except OSError as error:
            if self._stdout is not None:
                _silence(self._stdout)
            self._stdout = None
            raise ExpectedError(
                NO_OUTPUT,
                "the result could not be written",
                error.strerror or str(error),
                "Free space, or send the output elsewhere.",
            ) from None

    def message(self, line: str) -> None:
        """One line for people on standard error."""
        self.raw_message(safe_display(line) + "\n")

    def hint(self, line: str) -> None:
        """One line that ``--quiet`` leaves out."""
        if not self.quiet:
            self.message(line)

    def raw_message(self, text: str) -> None:
        """Text for standard error as it is: our own only, such as a line of progress."""
        try:
            self._stderr = _write(self._stderr, text, utf8=False)
        except OSError:
            if self._stderr is not None:
                _silence(self._stderr)
            self._stderr = None

    def given(self, cap: int) -> str | None:
        """What was sent to standard input, up to a little over ``cap`` bytes; None where a person sits there.

        Bytes that are no UTF-8 are surrogate escapes.
        """
        if self._stdin is None or _is_terminal(self._stdin):
            return None
        buffer = getattr(self._stdin, "buffer", None)
        data = (
            buffer.read(cap + 1) if buffer else self._stdin.read(cap + 1).encode("utf-8", "surrogateescape")
        )
        return bytes(data).decode("utf-8", "surrogateescape")

    def ask(self, question: str) -> str | None:
        """The answer to ``question`` without its newline; None at the end of input."""
        if self._stdin is None:
            return None
        self.raw_message(safe_display(question) + " ")
        try:
            answer = self._stdin.readline(10_000)
        except UnicodeDecodeError:
            return ""
        if not answer:
            self.raw_message("\n")
            return None
        return answer.rstrip("\r\n")


def _text(stream: object) -> TextIOBase | None:
    return stream if isinstance(stream, TextIOBase) else None


def _is_terminal(stream: TextIOBase | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def _write(stream: TextIOBase | None, text: str, *, utf8: bool) -> TextIOBase | None:
    """Write and flush; the stream, or None once its reader is gone."""
    if stream is None:
        return None
    encoding = "utf-8" if utf8 else (getattr(stream, "encoding", None) or "utf-8")
    data = text.encode(encoding, "backslashreplace")
    try:
        buffer = getattr(stream, "buffer", None)
        if buffer is None:
            stream.write(text)
        else:
            stream.flush()
            buffer.write(data)
        stream.flush()
    except (BrokenPipeError, ConnectionResetError):
        _silence(stream)
        return None
    except ValueError:
        return None
    return stream


def _silence(stream: TextIOBase) -> None:
    """Point a dead stream at nothing, so that the flush at the end of the interpreter says nothing either."""
    try:
        hole = os.open(os.devnull, os.O_WRONLY)
        os.dup2(hole, stream.fileno())
        os.close(hole)
    except (OSError, ValueError):
        pass


def terminal_width(environ: Mapping[str, str]) -> int:
    """How many cells a line of the terminal has: ``COLUMNS`` first, then what it says itself, else 80."""
    said = environ.get("COLUMNS", "")
    if said.isascii() and said.isdigit() and int(said):
        return min(int(said), 10_000)
    try:
        return os.get_terminal_size(1).columns or 80
    except OSError:
        return 80


def wants_colour(choice: str, environ: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Whether to colour: the flag first, then ``NO_COLOR``, ``FORCE_COLOR`` (0 means no), ``TERM=dumb``."""
    if choice in (_ALWAYS, _NEVER):
        return choice == _ALWAYS
    if environ.get("NO_COLOR"):
        return False
    force = environ.get("FORCE_COLOR")
    if force:
        return force not in ("0", "false")
    return is_terminal and environ.get("TERM", "") not in ("dumb", "")
