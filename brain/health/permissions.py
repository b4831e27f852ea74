"""Who may read and write a memory, and where its links lead.

Rules ``m-unreadable``, ``m-mode``, ``m-owner``, ``m-link``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from brain.health import roles
from brain.health.finding import count, finding
from brain.health.values import HIGH, INFO, LOW, MEDIUM, WARNING, Finding, MemoryFile, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

_OTHERS = 0o002
# File systems without permissions of their own (drives of Windows, many shares) show all of it as open.
_ALL_OPEN = 0o777
_WHY = {
    "permission": "it may not be read by you",
    "not-regular": "it is no regular file",
    "io": "the system failed to read it",
    "too-large": "it is larger than 1 MiB",
}


def _own(parsed: ParsedMemory) -> list[MemoryFile]:
    """The files of the memory, each path once, without what only tells how the project works."""
    files = {file.path: file for file in parsed.memory.files if file.role not in (roles.START, roles.INIT)}
    return list(files.values())


def _unreadable(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    files = _own(parsed)
    if not files:
        return None
    return [
        finding(
            parsed,
            WARNING,
            "m-unreadable",
            f"{file.path} is not read: {_WHY[file.problem]}.",
            "Put a regular file there that you may read, of a size that an assistant reads.",
            file=file.path,
        )
        for file in files
        # A ledger may be twice as large; how full it is tells a rule of its own.
        if file.problem in _WHY and not (file.problem == "too-large" and file.role == roles.LEDGER)
    ]


def _mode(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    files = [file for file in _own(parsed) if file.stamp != (0, 0, 0) or file.data]
    if not files:
        return None
    if all(file.mode & _ALL_OPEN == _ALL_OPEN for file in files):
        return None
    return [
        finding(
            parsed,
            WARNING,
            "m-mode",
            f"Everybody on this machine may write into {file.path}.",
            "Take it away: chmod o-w. Whoever writes there tells your assistants what to believe.",
            file=file.path,
        )
        for file in files
        if file.mode & _OTHERS
    ]


def _owner(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    user = parsed.memory.user
    files = [file for file in _own(parsed) if file.data or file.problem]
    # The superuser looks at the files of all; a project of somebody else as a whole is shared on purpose.
    if user == 0 or not files or all(file.owner != user for file in files):
        return None
    foreign = [file for file in files if file.owner != user]
    if not foreign:
        return []
    more = f" and {count(len(foreign) - 1, 'more file')}" if len(foreign) > 1 else ""
    return [
        finding(
            parsed,
            WARNING,
            "m-owner",
            f"{foreign[0].path}{more} belongs to another user than the rest of the memory.",
            "Often a command was run with sudo: give the file back with chown.",
            file=foreign[0].path,
        )
    ]


def _link(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    links = [file for file in _own(parsed) if file.target or file.problem == "link"]
    if not links:
        return None
    findings = []
    for file in links:
        if file.problem == "missing":
            level, message = WARNING, f"{file.path} is a link to {file.target}, which is not there."
            fix = "Mend the link, or put a real file in its place."
        elif _leads_out(file):
            level, message = INFO, f"{file.path} is a link that leads out of the project."
            fix = (
                "A clone of the project will lack it: put a real file there, or import it where it is needed."
            )
            if "." not in posixpath.basename(file.path)[1:]:
                level, message = WARNING, f"{message[:-1]}: nothing in that folder is read."
                fix = "Put a real folder there: a clone of the project would lack what the link leads to."
        else:
            continue
        findings.append(finding(parsed, level, "m-link", message, fix, file=file.path, anchor=file.target))
    return findings


def _leads_out(file: MemoryFile) -> bool:
    target = file.target
    if file.problem == "link":
        return True
    return bool(target) and (posixpath.isabs(target) or posixpath.normpath(target).split("/")[0] == "..")


RULES = (
    Rule("m-unreadable", HIGH, "Every memory file can be read.", _unreadable),
    Rule("m-mode", HIGH, "Only its owner and its group may write a memory file.", _mode),
    Rule("m-owner", MEDIUM, "The memory belongs to one user.", _owner),
    Rule("m-link", LOW, "No link of the memory leads nowhere or out of the project.", _link),
)
