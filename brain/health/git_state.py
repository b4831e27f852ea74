"""The working tree and the history as the next session will find them: rules ``g-*``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from brain.health.finding import count, demanded, finding
from brain.health.values import ERROR, HIGH, INFO, LOW, MEDIUM, WARNING, Finding, GitFacts, Rule
from brain.health.words import fold, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

FEWEST_COMMITS = 10
VAGUE_SHARE = 0.3
BIG_FILES = 50
BIG_LINES = 1000
# An emoji or its short code, then a type with its scope: "feat(api)!: ".
_PREFIX = re.compile(r"(?::[a-z_]+:|[^\w\s])*\s*(?:[a-z]+(?:\([^)]*\))?!?:\s+)?")
_TICKET = re.compile(r"\[[^\]]*\]|\(?#\d+\)?")


def _git(parsed: ParsedMemory) -> GitFacts | None:
    return parsed.memory.git if parsed.memory.kind == "project" else None


def _dirty(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    git = _git(parsed)
    if git is None:
        return None
    counts = [
        f"{number:,} {word}"
        for number, word in (
            (git.staged, "staged"),
            (git.modified, "unstaged"),
            (git.untracked, "untracked"),
            (git.conflicted, "in conflict"),
        )
        if number
    ]
    if git.in_progress is not None:
        level = WARNING if git.in_progress == "bisect" else ERROR
        files = f" ({', '.join(counts)})" if counts else ""
        fix = f"Finish it, or give it up with git {git.in_progress} --abort."
        if git.in_progress == "bisect":
            fix = "Finish it, or leave it with git bisect reset."
        return [
            finding(
                parsed, demanded(parsed, level), "g-dirty", f"A {git.in_progress} is in progress{files}.", fix
            )
        ]
    if not counts:
        return []
    message = f"Uncommitted files: {', '.join(counts)}."
    fix = "Commit what is finished, put the rest on a branch of its own; see git status."
    return [finding(parsed, demanded(parsed, WARNING), "g-dirty", message, fix)]


def _stash(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    git = _git(parsed)
    if git is None:
        return None
    if not git.stashes:
        return []
    message = f"{count(git.stashes, 'stash', 'stashes')} put aside, where no next session looks."
    return [finding(parsed, INFO, "g-stash", message, "Apply or drop them: git stash list.")]


def is_vague(subject: str) -> bool:
    """Whether a commit's subject says nothing of its intent: one vague word and at most one more."""
    text = fold(_TICKET.sub(" ", subject)).strip()
    prefix = _PREFIX.match(text)
    text = text[prefix.end() :] if prefix else text
    parts = [part.strip(".,;:!?\"'`*") for part in text.split()]
    parts = [part for part in parts if part]
    return bool(parts) and len(parts) <= 2 and parts[0] in words("commits", "vague").phrases


def _vague(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    git = _git(parsed)
    if git is None or len(git.commits) < FEWEST_COMMITS:
        return None
    vague = [subject for _, _, subject, has_body in git.commits if not has_body and is_vague(subject)]
    if len(vague) <= VAGUE_SHARE * len(git.commits):
        return []
    share = f"{len(vague)} of the last {len(git.commits)} commits"
    message = f'{share} say only something like "{vague[0][:40].strip()}".'
    fix = "Let a commit's message say what it is for and what is still missing, not what the diff shows."
    return [finding(parsed, demanded(parsed, WARNING), "g-vague", message, fix)]


def _unpushed(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    git = _git(parsed)
    if git is None:
        return None
    if not git.unpushed:
        return []
    message = f"{count(git.unpushed, 'commit')} not pushed: another machine would hand over an older state."
    return [finding(parsed, INFO, "g-unpushed", message, "git push")]


def _big(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    git = _git(parsed)
    if git is None or git.head is None:
        return None
    lines = git.last_lines or 0
    if git.last_files <= BIG_FILES and lines <= BIG_LINES:
        return []
    size = count(git.last_files, "file") + (f" and {count(lines, 'line')}" if lines else "")
    message = f"The last commit touches {size}."
    fix = "Commit after each green run, so that there is a checked state to return to."
    return [finding(parsed, INFO, "g-big", message, fix)]


RULES = (
    Rule("g-dirty", HIGH, "Nothing unfinished lies in the working tree.", _dirty),
    Rule("g-stash", LOW, "No work is hidden in a stash.", _stash),
    Rule("g-vague", MEDIUM, "Commits say what they are for.", _vague),
    Rule("g-unpushed", LOW, "Every commit is pushed.", _unpushed),
    Rule("g-big", LOW, "The last commit is small enough to be read.", _big),
)
