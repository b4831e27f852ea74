"""The script that prepares a session: rules ``i-*``. It is read, never run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable

from brain.health import roles
from brain.health.finding import demanded, finding
from brain.health.shell import Command, Script, is_shell, read_script
from brain.health.values import INFO, LOW, MEDIUM, WARNING, Finding, MemoryFile, Rule
from brain.health.words import fold, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

STRICT_WITHIN = 10
_STRICT = re.compile(r"\bset\s+(?:-\w+\s+)*(?:-\w*e|-o\s+errexit|-\w*o\s+errexit)")
_STRICT_SHEBANG = re.compile(r"\s-\w*e")
_SPEAKS = re.compile(r"(?:echo|printf|cat\s*<<)\b|cat\s*<<")
_GIT = re.compile(r"\bgit\s+(?:-C\s+\S+\s+)?(?:status|log|diff|describe|rev-parse)\b")
_TEMPORARY = re.compile(r"te?mp|^/dev/|\.log$", re.IGNORECASE)
_ONCE = frozenset({"createdb", "useradd", "adduser", "groupadd"})
_GIT_ONCE = ("git commit", "git init", "git checkout -b", "git switch -c")
_PRINTS = re.compile(r"\b(?:cat|head|tail|sed|less|more|bat|awk|grep)\b")


def _script(parsed: ParsedMemory) -> tuple[MemoryFile, Script] | None:
    """The first init script that is one of a shell, read; kept for the rules that follow."""
    if "script" not in parsed.kept:
        parsed.kept["script"] = _first_script(parsed)
    found: tuple[MemoryFile, Script] | None = parsed.kept["script"]
    return found


def _first_script(parsed: ParsedMemory) -> tuple[MemoryFile, Script] | None:
    if parsed.memory.kind != "project":
        return None
    for file in parsed.files(roles.INIT):
        if file.data and is_shell(file.path, file.data):
            return file, read_script(file.data)
    return None


def _missing(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if parsed.memory.kind != "project":
        return None
    if parsed.files(roles.INIT):
        return []
    message = (
        "No init script: every session finds out by itself how to start, to check and where things stand."
    )
    fix = (
        "Write scripts/init.sh: environment, git status, the check, cat PROGRESS.md, a line that says ready."
    )
    return [finding(parsed, INFO, "i-missing", message, fix)]


def _strict(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    found = _script(parsed)
    if found is None:
        return None
    file, script = found
    if _STRICT_SHEBANG.search(script.shebang):
        return []
    if any(_STRICT.search(text) for _, text in script.lines[:STRICT_WITHIN]):
        return []
    message = "The script goes on after an error: no set -e in its first ten lines of code."
    fix = "Put set -euo pipefail below its first line."
    return [finding(parsed, demanded(parsed, WARNING), "i-strict", message, fix, file=file.path, line=1)]


def _says_ready(script: Script) -> bool:
    text = script.last()[1].strip()
    for _ in range(3):
        command = re.split(r"&&|;|\|\|", text)[-1].strip()
        if _SPEAKS.match(command):
            return True
        body = script.functions.get(command.split(" ", 1)[0])
        if not body:
            return False
        text = body[-1]
    return False


def _ready(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    found = _script(parsed)
    if found is None:
        return None
    file, script = found
    if _says_ready(script):
        return []
    message = "The script does not end with a line that says that everything is ready."
    fix = 'Let its last command be echo "Ready".'
    line = script.last()[0]
    return [finding(parsed, demanded(parsed, WARNING), "i-ready", message, fix, file=file.path, line=line)]


def _has(command: Command, letter: str, long: str = "") -> bool:
    return any(
        word == long or (word[:1] == "-" and word[1:2] != "-" and letter in word)
        for word in command.words[1:]
    )


def _twice(command: Command, names: frozenset[str]) -> str:
    """What a second run of ``command`` would meet, empty where it may run as often as one likes."""
    name, rest = command.words[0], command.words[1:]
    line = " ".join(command.words)
    danger = ""
    if name == "mkdir" and not _has(command, "p", "--parents"):
        danger = "mkdir without -p fails when the folder is there"
    elif line.startswith(_GIT_ONCE):
        danger = f"{' '.join(command.words[:2])} without a test"
    elif name == "ln" and _has(command, "s", "--symbolic") and not _has(command, "f", "--force"):
        danger = "ln -s without -f fails when the link is there"
    elif name in _ONCE:
        danger = f"{name} fails when it was done before"
    elif name == "docker" and rest[:1] == ("run",) and " --name" in line:
        danger = "docker run --name fails when the container is there"
    elif name == "rm" and _has(command, "r") and _has(command, "f") and not _TEMPORARY.search(rest[-1]):
        danger = "rm -rf deletes what the run before made"
    elif name in {"cp", "mv"} and not _has(command, "n", "--no-clobber") and _overwrites(rest, names):
        danger = f"{name} overwrites {rest[-1]}"
    return danger


def _overwrites(rest: tuple[str, ...], names: frozenset[str]) -> bool:
    target = rest[-1].removeprefix("./") if len(rest) > 1 else ""
    return target in names and not target.endswith("/")


def _idempotent(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    found = _script(parsed)
    if found is None:
        return None
    file, script = found
    findings = []
    for command in script.commands():
        danger = "" if command.guarded else _twice(command, parsed.memory.names) or _appends(command)
        if danger:
            findings.append(
                finding(
                    parsed,
                    demanded(parsed, WARNING),
                    "i-idemp",
                    f"A second run differs: {danger}.",
                    "Ask before it acts: mkdir -p, ln -sf, cp -n, if [ ... ]; then, grep -q ... || ...",
                    file=file.path,
                    line=command.line,
                    anchor=" ".join(command.words)[:80],
                )
            )
    return findings


def _appends(command: Command) -> str:
    target = next((path for path in command.appends if not _TEMPORARY.search(path)), "")
    return f"every run appends to {target} again" if target else ""


def _shows_state(text: str, names: Iterable[str]) -> bool:
    return any(_PRINTS.search(line) and any(name in line for name in names) for line in text.splitlines())


def _parts(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    found = _script(parsed)
    if found is None:
        return None
    file, script = found
    text = "\n".join(line for _, line in script.lines)
    progress = [os.path.basename(one.path) for one in parsed.files(roles.PROGRESS)] or ["PROGRESS.md"]
    parts: tuple[tuple[str, Callable[[], bool], str], ...] = (
        (
            "the repository's state",
            lambda: bool(_GIT.search(text)),
            "git status --short; git log -1 --oneline",
        ),
        (
            "the check",
            lambda: words("init", "check").within(fold(text)),
            "make check, or what tests this project",
        ),
        ("the state of the work", lambda: _shows_state(text, progress), f"cat {progress[0]}"),
    )
    return [
        finding(
            parsed,
            INFO,
            "i-parts",
            f"The script does not show {part}.",
            f"Add a line: {command}.",
            file=file.path,
            anchor=part,
        )
        for part, shown, command in parts
        if not shown()
    ]


RULES = (
    Rule("i-missing", LOW, "One script prepares a session.", _missing),
    Rule("i-strict", MEDIUM, "The init script stops at the first error.", _strict),
    Rule("i-ready", MEDIUM, "The init script ends with a line that says ready.", _ready),
    Rule("i-idemp", MEDIUM, "The init script can be run as often as one likes.", _idempotent),
    Rule("i-parts", LOW, "The init script shows repository, check and state.", _parts),
)
