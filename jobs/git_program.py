"""The real git, asked only where a person wants its answer (``--git``).

A repository that came as an archive can make git run programs. So git gets an environment of its own, every
setting that names a program is overruled, each filter is blanked by its name, and what our own reader cannot
read whole is not handed to git at all: includes could name filters that nobody sees. What git says is cut at
a size and at a time; then it is ended with all that it may have started (``jobs.processes``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from jobs.errors import ExpectedError
from jobs.processes import ProcessError, ask, find_program
from scanner.git import NotARepositoryError, Repository, open_repository
from scanner.git.config import read_config
from scanner.git.problems import ProblemLog
from scanner.project import Problem, Project, Scan, Unsaved
from scanner.risk import with_changes
from scanner.roots import is_below
from scanner.value import dataclass, replace

SECONDS = 5.0
OUTPUT_CAP = 64 * 1024
_FILTERS = 200
_OWN = "Zecher's own reading counts."

_NOWHERE = os.devnull
_OVERRULED = (
    "core.fsmonitor=false",
    f"core.hooksPath={_NOWHERE}",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.askPass=true",
    "core.pager=cat",
    "core.editor=true",
    "core.alternateRefsCommand=true",
    "core.untrackedCache=false",
    f"core.attributesFile={_NOWHERE}",
    "credential.helper=",
    "diff.external=",
    "gpg.program=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "status.submoduleSummary=false",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
_FILTER_KEYS = ("clean=", "process=", "smudge=", "required=false")
_STATUS = (
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=normal",
    "--ignore-submodules=all",
    "--no-renames",
)


class GitError(Exception):
    """Git was not asked, or gave no answer; ``code`` is that of the problem."""

    def __init__(self, code: str, message: str, fix: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix


@dataclass(frozen=True, slots=True)
class Told:
    """What ``git status`` counts in one or more work trees.

    ``files`` are the changed paths, each counted once; ``oldest`` is their oldest date in epoch seconds;
    ``truncated``: git said more than was read; ``blanked``: filters were configured, and git did without.
    """

    staged: int = 0
    modified: int = 0
    deleted: int = 0
    untracked: int = 0
    conflicted: int = 0
    files: int = 0
    oldest: float | None = None
    truncated: bool = False
    blanked: bool = False

    def plus(self, other: Told) -> Told:
        """Both work trees together."""
        dates = [date for date in (self.oldest, other.oldest) if date is not None]
        return Told(
            self.staged + other.staged,
            self.modified + other.modified,
            self.deleted + other.deleted,
            self.untracked + other.untracked,
            self.conflicted + other.conflicted,
            self.files + other.files,
            min(dates, default=None),
            self.truncated or other.truncated,
            self.blanked or other.blanked,
        )


def find_git(environ: Mapping[str, str]) -> str:
    """The git on the absolute folders of ``PATH``; raises ``ExpectedError`` where there is none."""
    program = find_program("git", environ)
    if program is not None:
        return program
    raise ExpectedError(
        "no-git",
        "there is no git to ask",
        "--git wants the real git, and no folder of PATH holds one",
        "Leave --git out: Zecher reads repositories itself. Or install git.",
    )


class GitProgram:
    """Asks one git about one repository after the other.

    ``excludes`` is the ignore file that holds for all of the user's repositories, empty for none.
    """

    def __init__(self, program: str, excludes: str = "", *, seconds: float = SECONDS) -> None:
        self._program = program
        self._excludes = excludes
        self._seconds = seconds

    def status(self, repository: Repository) -> Told:
        """What ``git status`` says of the work tree of ``repository``; raises ``GitError``."""
        work_tree = repository.work_tree
        if work_tree is None or repository.is_bare:
            return Told()
        filters = self._filters(repository)
        said, truncated = _said(
            self._command(filters), self._environment(repository, work_tree), self._seconds
        )
        return replace(_counted(said, work_tree), truncated=truncated, blanked=bool(filters))

    def _filters(self, repository: Repository) -> tuple[str, ...]:
        """The names of all filters that the repository configures; ``GitError`` where nobody can tell."""
        problems = ProblemLog()
        names: dict[str, None] = {}
        for path in (f"{repository.common_dir}/config", f"{repository.git_dir}/config.worktree"):
            config = read_config(path, problems)
            if config.all("include.path") or config.subsections("includeIf"):
                raise _not_asked("its configuration includes other files, which could name programs")
            names.update(dict.fromkeys(config.subsections("filter")))
        if problems.found:
            raise _not_asked("its configuration cannot be read whole")
        if len(names) > _FILTERS or any(set(name) & {"=", "\n", "\0"} for name in names):
            raise _not_asked("its configuration names filters that cannot be switched off")
        return tuple(names)

    def _command(self, filters: Sequence[str]) -> list[str]:
        blanked = (f"filter.{name}.{key}" for name in filters for key in _FILTER_KEYS)
        settings = (*_OVERRULED, f"core.excludesFile={self._excludes}", *blanked)
        overruled = [word for setting in settings for word in ("-c", setting)]
        return [self._program, "--no-pager", "--no-optional-locks", *overruled, *_STATUS]

    def _environment(self, repository: Repository, work_tree: str) -> dict[str, str]:
        """Nothing of the caller's: an inherited ``GIT_DIR`` or trace file would act here too."""
        return {
            "PATH": os.path.dirname(self._program),
            "HOME": _NOWHERE,
            "XDG_CONFIG_HOME": _NOWHERE,
            "LC_ALL": "C",
            "GIT_DIR": repository.git_dir,
            "GIT_COMMON_DIR": repository.common_dir,
            "GIT_WORK_TREE": work_tree,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": _NOWHERE,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_PAGER": "cat",
            "GIT_ASKPASS": "true",
            "GIT_SSH_COMMAND": "false",
            "GIT_ALLOW_PROTOCOL": "none",
        }


def with_git(scan: Scan, program: GitProgram) -> Scan:
    """The scan with git's own counts of changed files wherever it gave an answer."""
    roots = [root.path for root in scan.roots]
    problems = list(scan.problems)
    projects = []
    for project in scan.projects:
        git = project.git
        if git is not None and project.vcs is not None:
            told, complaints = ask_git(project, program, roots)
            problems += complaints
            git = git if told is None else _merged(git, told)
        projects.append(replace(project, git=git))
    return replace(scan, projects=tuple(projects), problems=tuple(problems))


def _merged(own: Unsaved, told: Told) -> Unsaved:
    counts = Unsaved(
        staged=told.staged,
        modified=told.modified,
        deleted=told.deleted,
        untracked=told.untracked,
        conflicted=told.conflicted,
        # What a filter makes of a file, git could not tell either.
        may_be_modified=own.may_be_modified if told.blanked else 0,
        truncated=told.truncated,
    )
    return with_changes(own, counts, told.files, told.oldest)


def ask_git(
    project: Project, program: GitProgram, roots: Sequence[str]
) -> tuple[Told | None, tuple[Problem, ...]]:
    """What git says of all work trees of ``project``; None where it was not asked or gave no answer.

    ``roots`` are the folders that were searched: linked worktrees elsewhere are left alone, as in a scan.
    """
    told = Told()
    try:
        for tree in _work_trees(project.path, roots):
            with tree:
                told = told.plus(program.status(tree))
    except NotARepositoryError as error:
        return None, (_problem(project, GitError(error.code, error.message, "Repair or remove its .git.")),)
    except GitError as error:
        return None, (_problem(project, error),)
    return told, (_warnings(project, told) if told.blanked else ())


def _work_trees(path: str, roots: Sequence[str]) -> Iterator[Repository]:
    repository = open_repository(path, allowed=roots)
    linked = repository.worktrees()
    yield repository
    for tree in linked:
        if tree.path == path or not any(is_below(tree.path, root) for root in roots):
            continue
        if os.path.realpath(tree.path) != tree.path:
            continue  # a link inside a root may lead anywhere
        try:
            opened = open_repository(tree.path, allowed=roots, record=tree.git_dir)
        except NotARepositoryError:
            continue  # it vanished, or was moved without git
        yield opened


def _warnings(project: Project, told: Told) -> tuple[Problem, ...]:
    if not told.modified:
        return ()
    blanked = GitError(
        "git-filters-blanked",
        "git was asked without the filters that its configuration names",
        "A file that goes through one may be counted as changed.",
    )
    return (_problem(project, blanked),)


def _problem(project: Project, error: GitError) -> Problem:
    return Problem(error.code, "warning", project.path, error.message, error.fix)


def _not_asked(why: str) -> GitError:
    return GitError("git-not-asked", f"git was not asked: {why}", _OWN)


# -- the process ------------------------------------------------------------------------------------------


def _said(command: Sequence[str], environ: Mapping[str, str], seconds: float) -> tuple[bytes, bool]:
    """What the process writes within ``seconds``, at most ``OUTPUT_CAP`` bytes; and whether it was more."""
    try:
        answer = ask(command, environ, seconds=seconds, cap=OUTPUT_CAP, stop_at_cap=True)
    except ProcessError as error:
        if error.timed_out:
            raise GitError("git-timeout", f"git gave no answer within {seconds:g} s", _OWN) from None
        raise GitError("git-failed", str(error), _OWN) from None
    if answer.code and not answer.truncated:
        raise GitError("git-failed", f"git ended with code {answer.code}", _OWN)
    return answer.out, answer.truncated


# -- what it said -----------------------------------------------------------------------------------------


_COUNTED = ("staged", "modified", "deleted", "untracked", "conflicted")


def _counted(said: bytes, work_tree: str) -> Told:
    """The counts in the output of ``git status --porcelain=v2 -z``, a cut last record left out.

    Format: "Porcelain Format Version 2" of git-status(1). A path may count as staged and as modified.
    """
    counts = dict.fromkeys(_COUNTED, 0)
    dates: list[float] = []
    files = 0
    for record in said.split(b"\0")[:-1]:
        kind, _, rest = record.partition(b" ")
        if kind == b"u":
            counts["conflicted"] += 1
            path = rest.split(b" ", 9)[-1]
        elif kind == b"?":
            counts["untracked"] += 1
            path = rest
        elif kind == b"1":
            _count(counts, rest[:2])
            path = rest.split(b" ", 7)[-1]
        else:
            continue  # a header, or a record of a later version
        files += 1
        dates += _date(work_tree, path)
    staged, modified, deleted, untracked, conflicted = counts.values()
    return Told(staged, modified, deleted, untracked, conflicted, files, min(dates, default=None))


def _count(counts: dict[str, int], states: bytes) -> None:
    """Count one changed path by its two letters: the index against HEAD, the file against the index."""
    if states[:1] != b".":
        counts["staged"] += 1
    if states[1:] == b"D":
        counts["deleted"] += 1
    elif states[1:] != b".":
        counts["modified"] += 1


def _date(work_tree: str, path: bytes) -> list[float]:
    if path.endswith(b"/"):
        return []  # a folder's date says nothing of the files in it
    try:
        return [os.lstat(os.path.join(os.fsencode(work_tree), path)).st_mtime]
    except (OSError, ValueError):
        return []
