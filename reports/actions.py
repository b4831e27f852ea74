"""What needs a person: each piece of unsaved work as a fact, a reason and one command, the gravest first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain.wording import plural
from reports.view import DAY, branch_words, is_hostile
from scanner.project import Branch, Project, Unsaved
from scanner.risk import DETACHED, changed_files
from scanner.value import dataclass

# Gravest first: what a single mistake destroys comes before what only a broken disk would.
GRAVITY = ("uncommitted", "in-progress", "stash", "unpushed", "no-remote")

# On the scale of the rules of memory health.
# Above every rule about memories, which weigh 10 at most: a line that is missing can be written next month.
_WEIGHTS = {"uncommitted": 15.0, "in-progress": 12.0, "stash": 12.0, "unpushed": 12.0, "no-remote": 12.0}
_LEAST_WEIGHT = 2.5

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_PLAIN_BRANCH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do. ``fact`` holds its number, ``why`` at most twelve words, ``command`` can be copied.

    ``code`` is what ``zecher explain`` knows; ``since`` is in epoch seconds, None where it is not known.
    ``weight`` tells how grave it is (the gravest rule about memories weighs 10), ``first_seen`` on which day
    (``YYYY-MM-DD``) it was seen first, empty where nobody kept that, ``weeks`` in how many weekly reports on
    end it stands. ``also`` are further codes that the same step mends.
    """

    path: str
    name: str
    kind: str
    fact: str
    why: str
    command: str
    code: str
    since: float | None
    weight: float = 0.0
    first_seen: str = ""
    weeks: int = 1
    also: tuple[str, ...] = ()


def at_risk(projects: Sequence[Project]) -> list[Project]:
    """The projects with work that exists only here: by gravity, then the oldest first, then by path."""
    found = [project for project in projects if project.git is not None and project.git.risk is not None]
    return sorted(found, key=_order)


def _order(project: Project) -> tuple[object, ...]:
    risk = project.git.risk if project.git is not None else None
    if risk is None:
        raise AssertionError(project.path)
    return (min(map(_gravity, risk.what), default=len(GRAVITY)), *_age_order(risk.since), project.path)


def _gravity(kind: str) -> int:
    return GRAVITY.index(kind) if kind in GRAVITY else len(GRAVITY)


def _age_order(since: float | None) -> tuple[bool, float]:
    return since is None, since or 0.0


def actions_of(projects: Sequence[Project], home: str) -> tuple[Action, ...]:
    """One action for each kind of unsaved work of each project: by gravity, then the oldest first."""
    found = [
        _action(project, project.git, kind, home)
        for project in projects
        if project.git is not None and project.git.risk is not None
        for kind in project.git.risk.what
    ]
    return tuple(sorted(found, key=lambda one: (_gravity(one.kind), *_age_order(one.since), one.path)))


def age_days(since: float | None, now: float) -> int | None:
    """Whole days since then."""
    return None if since is None else max(0, int((now - since) // DAY))


def _action(project: Project, git: Unsaved, kind: str, home: str) -> Action:
    if kind == "unpushed":
        fact, why, words, code = _unpushed(git, is_detached=project.vcs is None or project.vcs.branch is None)
    elif kind in _MAKERS:
        fact, why, words, code = _MAKERS[kind](git)
    else:
        fact, why, words, code = kind, _ONLY_HERE, "status", kind
    if words == "status" and project.vcs is not None and project.vcs.worktrees:
        words = "worktree list"  # nobody knows here which of them it is
    since = git.oldest_stash if kind == "stash" else git.risk.since if git.risk is not None else None
    command = f"git -C {shell_path(project.path, home)} {words}"
    weight = _WEIGHTS.get(kind, _LEAST_WEIGHT)
    return Action(project.path, project.name, kind, fact, why, command, code, since, weight)


_Made = tuple[str, str, str, str]
_ONLY_HERE = "it exists on this machine only"


def _uncommitted(git: Unsaved) -> _Made:
    count = changed_files(git)
    some = f"{count:,}{'+' if git.truncated else ''} {'file is' if count == 1 else 'files are'} not committed"
    if git.conflicted:
        fact = f"{some}, {git.conflicted:,} in conflict"
        return fact, "work on a merge is easily lost", "status", "conflicted"
    return some, "git could not bring that back", "status", "dirty"


def _unpushed(git: Unsaved, *, is_detached: bool) -> _Made:
    commits = f"{plural(git.only_here, 'commit')}{' or more' if git.only_here_capped else ''}"
    fact = f"{commits} {'is' if git.only_here == 1 else 'are'} on no remote"
    if any(branch.name == DETACHED for branch in git.branches):
        words = "branch kept HEAD" if is_detached else "worktree list"
        return fact, "no branch holds that, git will drop it", words, "detached"
    branch = _branch_to_push(git.branches)
    if branch is None:
        return fact, _ONLY_HERE, "push --all", "unpushed"
    if branch.gone:
        return fact, f"the upstream of {branch_words(branch.name)} is gone", _push(branch), "upstream-gone"
    if branch.upstream is None:
        return fact, f"{branch_words(branch.name)} was never pushed", _push(branch), "no-upstream"
    if branch.behind:
        return (
            fact,
            f"{branch_words(branch.name)} and {branch_words(branch.upstream)} have diverged",
            "pull --rebase",
            "unpushed",
        )
    return fact, f"{branch_words(branch.name)} was not pushed", "push", "unpushed"


def _branch_to_push(branches: Sequence[Branch]) -> Branch | None:
    """The branch with most commits of its own; one without an upstream may hold any number."""
    wanting = [one for one in branches if one.ahead or one.gone or one.upstream is None]
    return max(wanting, key=lambda one: one.ahead or 0, default=None)


def _push(branch: Branch) -> str:
    shown = branch_words(branch.name)
    name = shown if _PLAIN_BRANCH.fullmatch(shown) else quoted(f"refs/heads/{shown}")
    return f"push -u origin {name}"


def _stash(git: Unsaved) -> _Made:
    fact = f"{plural(git.stashes, 'stash', 'stashes')} {'lies' if git.stashes == 1 else 'lie'} here"
    return fact, "stashes are never pushed", "stash list", "stash"


def _no_remote(git: Unsaved) -> _Made:
    count = f"{plural(git.only_here, 'commit')}{' or more' if git.only_here_capped else ''}"
    fact = f"{count} and no remote" if git.only_here else "no remote"
    return fact, "nothing of it exists anywhere else", "remote add origin ADDRESS", "no-remote"


def _in_progress(git: Unsaved) -> _Made:
    state = git.in_progress or "something"
    return f"{state} in progress", "it was begun and not ended", "status", git.in_progress or "in-progress"


_MAKERS = {
    "uncommitted": _uncommitted,
    "stash": _stash,
    "no-remote": _no_remote,
    "in-progress": _in_progress,
}


def shell_path(path: str, home: str) -> str:
    """``path`` as a word for a shell; the home folder as ``~`` where nothing needs quotes."""
    base = home.rstrip("/")
    if base and path.startswith(base + "/") and _PLAIN_WORD.fullmatch(path[len(base) :]):
        return "~" + path[len(base) :]
    return quoted(path)


def quoted(word: str) -> str:
    """``word`` for a shell: in quotes where it needs them, in ``$'...'`` where characters are hidden."""
    if _PLAIN_WORD.fullmatch(word):
        return word
    if not any(is_hostile(ord(character)) for character in word):
        return "'" + word.replace("'", "'\\''") + "'"
    return "$'" + "".join(map(_escaped, word)) + "'"


def _escaped(character: str) -> str:
    if character in "\\'":
        return "\\" + character
    if not is_hostile(ord(character)):
        return character
    # Three octal digits end by themselves: a hexadecimal escape would swallow a digit that follows.
    raw = character.encode(
        "utf-8", "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"
    )
    return "".join(f"\\{byte:03o}" for byte in raw)
