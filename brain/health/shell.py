"""A shell script taken apart as far as rules need it: its lines of code, its commands, what guards them.

No shell is asked and nothing is expanded; what cannot be told (``eval``, commands in variables) is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain.value import dataclass

_TOKEN = re.compile(
    r"""\s+|\#.*|'[^']*'|"(?:\\.|[^"\\])*"|\\.|&&|\|\||;;|[;|&(){}]|\d?>>|\d?>&?|<<-?|<"""
    r"""|[^\s#'"\\;&|(){}<>][^\s'"\\;&|(){}<>]*|."""
)
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_FUNCTION = re.compile(r"\s*(?:function\s+)?([\w:-]+)\s*\(\)\s*\{?|\s*function\s+([\w:-]+)\s*\{?")
_SHELL = re.compile(rb"#!\s*\S*?(?:/|\s)(?:ba|da|z|k)?sh\b")
_CLOSING = frozenset({"fi", "done", "esac", "}", ";;", "exit", "exit 0", "true", ":", "else"})
_OPENERS = frozenset({"if", "case"})
_CLOSERS = frozenset({"fi", "esac"})
_SEPARATORS = frozenset({"&&", "||", ";", "|", ";;", "&", "(", ")", "{", "}"})
_TESTS = frozenset({"[", "[[", "test", "!", "command", "which", "type", "hash", "grep"})
_LEADS = frozenset(
    {"then", "do", "else", "elif", "while", "until", "if", "!", "time", "sudo", "exec", "command"}
)


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command: its words as written without quotes, its line, whether something asks before it runs.

    ``appends`` are the files behind its ``>>``. A command is guarded inside an ``if`` or a ``case``, beside
    ``||``, and behind a test with ``&&``.
    """

    words: tuple[str, ...]
    line: int
    guarded: bool
    appends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """A script's lines of code with their numbers: no blank ones, no comments, no bodies of here documents.

    Lines that end in a backslash are joined. ``functions`` are the code lines inside of each function.
    """

    shebang: str
    lines: tuple[tuple[int, str], ...]
    functions: dict[str, tuple[str, ...]]

    def last(self) -> tuple[int, str]:
        """The last line that does something, (0, "") without any."""
        for number, text in reversed(self.lines):
            if text.strip().rstrip(";").strip() not in _CLOSING:
                return number, text
        return 0, ""

    def commands(self) -> Iterator[Command]:
        """The commands in order, those inside of functions too."""
        reader = _Reader()
        for number, text in self.lines:
            yield from reader.line(number, text)


def is_shell(path: str, data: bytes) -> bool:
    """Whether a file is a script for a shell: by its first line, else by its name."""
    if data.startswith(b"#!"):
        return _SHELL.match(data) is not None
    return path.endswith((".sh", ".bash"))


def read_script(data: bytes) -> Script:
    """Take a script apart."""
    raw = data.decode("utf-8", "replace").splitlines()
    shebang = raw[0] if raw and raw[0].startswith("#!") else ""
    lines = tuple(_code_lines(raw))
    return Script(shebang, lines, _functions(lines))


def _code_lines(raw: list[str]) -> Iterator[tuple[int, str]]:
    until, held, start = "", "", 0
    for number, text in enumerate(raw, 1):
        if until:
            until = "" if text.strip() == until else until
            continue
        if not held and (not text.strip() or text.lstrip().startswith("#")):
            continue
        start = start or number
        if text.endswith("\\"):
            held += text[:-1] + " "
            continue
        yield start, held + text
        document = _HEREDOC.search(text)
        until = document[2] if document else ""
        held, start = "", 0
    if held:
        yield start, held


def _functions(lines: tuple[tuple[int, str], ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    name, body = "", []
    for _, text in lines:
        match = None if name else _FUNCTION.match(text)
        if match:
            name, body = match[1] or match[2], [text[match.end() :]]
        elif name:
            body.append(text)
        if name and (text.rstrip() == "}" or (match and text.rstrip().endswith("}"))):
            found[name] = tuple(part.strip(" {};") for part in body if part.strip(" {};"))
            name = ""
    return found


class _Reader:
    """Takes lines apart into commands and remembers across them what is guarded."""

    def __init__(self) -> None:
        self.branches = 0
        self.groups: list[bool] = []
        self.guarding = 0
        self.begin(joined=False)

    def begin(self, *, joined: bool) -> None:
        """A new command begins; ``joined`` tells that the one in front decides whether it runs."""
        self.words: list[str] = []
        self.appends: list[str] = []
        self.target, self.glued, self.joined = "", False, joined

    def line(self, number: int, text: str) -> Iterator[Command]:
        """The commands of one line."""
        for token in _tokens(text):
            if token in _SEPARATORS:
                yield from self.command(number, asked=token == "||")  # noqa: S105 - a piece of a script
                self.separate(token)
            else:
                self.word(token)
        yield from self.command(number, asked=False)
        self.begin(joined=self.joined and not self.words)

    def separate(self, token: str) -> None:
        """Go on behind ``token``: a group that is guarded guards all that is in it."""
        if token in {"{", "("}:
            self.groups.append(self.joined)
            self.guarding += self.joined
            self.begin(joined=False)
        elif token in {"}", ")"}:
            guarded = bool(self.groups) and self.groups.pop()
            self.guarding -= guarded
            self.begin(joined=guarded)
        else:
            tests = bool(self.words) and self.words[0] in _TESTS
            stays = self.joined and token in {"|", "&&"}
            self.begin(joined=token == "||" or (token == "&&" and tests) or stays)  # noqa: S105 - as above

    def word(self, token: str) -> None:
        """Add a word, a part of one, or the file of a redirection; an empty token parts words."""
        if not token:
            self.glued = False
        elif token[-1] in "<>" or token.endswith(">&"):
            self.target, self.glued = token, False
        elif self.target:
            if self.target.endswith(">>"):
                self.appends.append(token)
            self.target, self.glued = "", False
        elif self.glued:
            self.words[-1] += token
        else:
            self.words.append(token)
            self.glued = True

    def command(self, number: int, *, asked: bool) -> Iterator[Command]:
        """The command that ends here, if there is one; ``asked`` tells that its failure was thought of."""
        first = self.words[0] if self.words else ""
        if first in _OPENERS:
            self.branches += 1
        elif first in _CLOSERS:
            self.branches = max(0, self.branches - 1)
        words = _bare(tuple(self.words))
        if words:
            guarded = asked or self.joined or self.branches > 0 or self.guarding > 0
            yield Command(words, number, guarded, tuple(self.appends))


def _tokens(text: str) -> Iterator[str]:
    """Tokens of a line without quotes; an empty one where words are apart."""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token.isspace():
            yield ""
        elif token[0] == "#":
            return
        elif token[0] in "'\"" and len(token) > 1:
            yield token[1:-1] or " "
        else:
            yield token


def _bare(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command without what stands in front of it: ``then``, ``sudo``, assignments."""
    start = 0
    while start < len(words) and (words[start] in _LEADS or re.match(r"\w+=", words[start])):
        start += 1
    return words[start:]
