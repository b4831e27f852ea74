"""The state of the portfolio in words: what there is, what exists only here, what needs a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from brain.wording import plural
from reports.actions import GRAVITY, Action, actions_of, at_risk
from reports.dreaming_state import dreaming_words
from reports.snapshot import Dreaming, Snapshot
from reports.todo import ranked, told_still
from reports.view import NIGHT_SIGNS, below_home, cells, idle, iso_time, safe_display
from scanner.project import Project, Unsaved
from scanner.risk import changed_files, loose_ends
from scanner.value import dataclass, field

LINES = 12
COLUMNS = ("name", "what", "count", "since", "detail", "path")

_WIDTH = 80
_NAME = 18
_DETAIL = 30
_LEAST_PATH = 12
_ACTIONS = 2


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """Memory of an assistant for a folder that is no longer there.

    ``folder`` is that folder as far as it can be told, ``memory`` where the memory lies; ``ambiguous`` means
    that more than one folder could have been meant; ``moved_to`` is where its project is now, if it is known.
    """

    folder: str
    memory: str
    files: int
    ambiguous: bool = False
    moved_to: str = ""


@dataclass(frozen=True, slots=True)
class PortfolioStatus:
    """All that the command shows.

    ``projects`` are those that were scanned with unsaved work asked for; ``counts`` go by status and hold
    ``missing`` ones too; ``unknown`` are the paths of repositories whose work nobody could read.
    ``unversioned`` counts projects without version control, ``elsewhere`` the indexed ones that were not
    looked at, ``skipped`` those that a person said to skip. ``nightly`` is the document of that job and
    ``nightly_words`` the same for people, both empty where it never ran. ``silenced`` are path and code of
    what needs nobody, because a person said so; the path is empty for a finding that is silenced everywhere.
    ``loops`` counts open loops by state, as they stand now; empty where no job looked for them.
    ``dreaming`` is None while that is off. ``seen`` is the newest stored snapshot that knows the memories.
    """

    projects: tuple[Project, ...]
    counts: Mapping[str, int]
    identifiers: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    unversioned: int = 0
    elsewhere: int = 0
    skipped: int = 0
    orphans: tuple[LeftBehind, ...] = ()
    nightly: Mapping[str, object] | None = None
    nightly_words: str = ""
    silenced: frozenset[tuple[str, str]] = frozenset()
    seen: Snapshot | None = None
    loops: Mapping[str, int] = field(default_factory=dict)
    dreaming: Dreaming | None = None

    @property
    def has_risk(self) -> bool:
        """Whether something is known to exist only here."""
        return bool(at_risk(self.projects))

    def actions(self, home: str) -> tuple[Action, ...]:
        """What needs a person, without what is silenced.

        The gravest first; where a job looked at the memories, what ails them too, the most urgent first.
        """
        work = actions_of(self.projects, home)
        if self.seen is not None:
            everything = (*work, *findings_of(self.seen, [one.path for one in self.projects]))
            work = ranked(everything, self.identifiers, self.seen, now=self.seen.taken, is_new_week=False)
        left = (told_still(one, partial(self._is_silenced, one)) for one in work)
        return tuple(one for one in left if one is not None)

    @property
    def silenced_actions(self) -> int:
        """How much unsaved work a person said to be silent about."""
        return sum(self._is_silenced(one, one.code) for one in actions_of(self.projects, ""))

    def _is_silenced(self, action: Action, code: str) -> bool:
        is_finding = action.kind not in GRAVITY
        return (action.path, code) in self.silenced or (is_finding and ("", code) in self.silenced)

    @property
    def loose(self) -> list[tuple[Project, tuple[str, ...]]]:
        """The projects that want a look though nothing exists only there, each with its flags."""
        pairs = [(one, loose_ends(one.git)) for one in self.projects if one.git is not None]
        return [(one, ends) for one, ends in pairs if ends]

    @property
    def submodules(self) -> int:
        """How many submodules the projects have: they are not entered."""
        return sum(len(one.vcs.submodules) for one in self.projects if one.vcs is not None)

    @property
    def is_safe(self) -> bool:
        """Whether nothing that could be read exists only here, and everything could be read."""
        return not self.unknown and not self.has_risk


def details(git: Unsaved) -> tuple[str, ...]:
    """What exists only here in a few words each: ``3 files``, ``2 commits``, ``1 stash``, ``no remote``."""
    changed = changed_files(git)
    commits = f"{git.only_here:,}{'+' if git.only_here_capped else ''}"
    words = {
        f"{changed:,}{'+' if git.truncated else ''} {'file' if changed == 1 else 'files'}": changed,
        f"{git.conflicted:,} in conflict": git.conflicted,
        f"{commits} {'commit' if git.only_here == 1 else 'commits'}": git.only_here,
        plural(git.stashes, "stash", "stashes"): git.stashes,
        "no remote": not git.has_remote,
        git.in_progress or "": git.in_progress,
    }
    return tuple(word for word, held in words.items() if held)


# -- for people -------------------------------------------------------------------------------------------


def status_text(
    status: PortfolioStatus, *, now: float, home: str, everything: bool, width: int = _WIDTH
) -> str:
    """The status at a terminal, ``width`` cells wide: at most 12 lines, or all of it with ``everything``.

    Commands are never cut, and sums go on in the next line of the terminal.
    """
    rows = [_row(project, now, home, width) for project in at_risk(status.projects)]
    head = [_line("portfolio", portfolio_line(status)), *summary_lines(status)]
    if everything:
        head += [f"  {below_home(one.path, home)}: {', '.join(ends)}" for one, ends in status.loose]
        head += [f"  {below_home(path, home)}: not known" for path in status.unknown]
    tail = _tail(status, now, home, _ACTIONS, width, everything=everything)
    room = LINES - len(head) - len(tail)
    if room < min(1, len(rows)) and not everything:
        tail = _tail(status, now, home, _ACTIONS - 1, width, everything=False)
        room = LINES - len(head) - len(tail)
    if len(rows) > room and not everything:
        rows[room - 1 :] = [f"  + {len(rows) - room + 1:,} more: zecher status -v"]
    return "".join(f"{line}\n" for line in (*head, *rows, *tail))


def _tail(
    status: PortfolioStatus, now: float, home: str, shown: int, width: int, *, everything: bool
) -> list[str]:
    """What stands below the projects at risk; ``shown`` is how many actions are written out."""
    words = status.nightly_words
    return [
        *([_line("nightly", safe_display(words) + week_signs(status.seen))] if words else []),
        *([_line("memory", memory_line(status.seen))] if status.seen is not None else []),
        *([_line("loops", told)] if (told := _overdue(status.loops)) else []),
        *(
            [_line("dreaming", ": ".join(dreamt))]
            if all(dreamt := dreaming_words(status.dreaming, now))
            else []
        ),
        *_action_lines(status.actions(home), shown, status.silenced_actions, width, everything=everything),
        *_orphan_lines(status.orphans, home, everything=everything),
    ]


def _overdue(loops: Mapping[str, int]) -> str:
    """``2 overdue, 1 due within a week: zecher loops --due``; empty where nothing is overdue."""
    if not loops.get("overdue"):
        return ""
    due = f", {loops['due']:,} due within a week" if loops.get("due") else ""
    return f"{loops['overdue']:,} overdue{due}: zecher loops --due"


def findings_of(seen: Snapshot, paths: Sequence[str]) -> tuple[Action, ...]:
    """What ails the memories of the projects at ``paths`` and the brain, as it was seen."""
    wanted = {*paths, seen.brain_path}
    return tuple(one for one in seen.todo if one.kind not in GRAVITY and one.path in wanted)


def memory_change(seen: Snapshot) -> tuple[int, str] | None:
    """By how many points the health changed, and since which week; None without one."""
    change = seen.change
    if seen.health is None or change is None:
        return None
    week, percent = change
    return seen.health - percent, week


def week_signs(seen: Snapshot | None) -> str:
    """How the last seven nights ended, the newest last: ``; ✓ ✓ · ✗ ✓ ✓ ✓``."""
    nights = seen.runs.nights if seen is not None else ()
    return "; " + " ".join(NIGHT_SIGNS.get(how, "?") for _, how in nights) if nights else ""


def memory_line(seen: Snapshot) -> str:
    """``78 % healthy (+3), 2 decisions to review, 41,200 tokens loaded at the start``."""
    change = memory_change(seen)
    moved = f" ({change[0]:+d})" if change is not None and change[0] else ""
    review = f", {plural(len(seen.review), 'decision')} to review" if seen.review else ""
    loaded = f"{plural(seen.tokens, 'token')} loaded at the start"
    return f"{seen.health} % healthy{moved}{review}, {loaded}"


def portfolio_line(status: PortfolioStatus) -> str:
    """``19 projects: 12 active, 7 paused``; what is zero is left out."""
    parts = ", ".join(f"{count:,} {word}" for word, count in status.counts.items() if count)
    skipped = f"; {status.skipped:,} skipped" if status.skipped else ""
    total = plural(sum(status.counts.values()), "project")
    return f"{total}{': ' if parts else ''}{parts}{skipped}"


def summary_lines(status: PortfolioStatus) -> list[str]:
    """How much exists only here, or that nothing does; and what nobody could tell."""
    risky = at_risk(status.projects)
    lines = []
    if risky:
        lines.append(_line("at risk", _totals(risky)))
    elif not status.unknown and status.projects:
        lines.append(_line("ok", "nothing exists only here"))
    if status.loose:
        lines.append(_line("loose ends", _loose_totals(status.loose)))
    if status.unknown:
        count = len(status.unknown)
        lines.append(_line("unknown", f"{plural(count, 'project')} could not be judged: zecher status -v"))
    unseen = {
        "without version control": status.unversioned,
        "submodule" if status.submodules == 1 else "submodules": status.submodules,
        "outside the roots": status.elsewhere,
    }
    if any(unseen.values()):
        parts = (f"{count:,} {what}" for what, count in unseen.items() if count)
        lines.append(_line("not judged", ", ".join(parts)))
    return lines


def _loose_totals(loose: Sequence[tuple[Project, tuple[str, ...]]]) -> str:
    counts: dict[str, int] = {}
    for _, ends in loose:
        for end in ends:
            counts[end] = counts.get(end, 0) + 1
    return ", ".join(f"{count:,} {end}" for end, count in counts.items())


def _line(title: str, text: str) -> str:
    return f"{title:<10} {text}"


def _totals(risky: Sequence[Project]) -> str:
    works = [project.git for project in risky if project.git is not None]
    sums = {
        "file": sum(map(changed_files, works)),
        "commit": sum(git.only_here for git in works),
        "stash": sum(git.stashes for git in works),
    }
    parts = [
        plural(count, word, "stashes" if word == "stash" else None) for word, count in sums.items() if count
    ]
    return f"{plural(len(risky), 'project')}" + (f": {', '.join(parts)} only here" if parts else "")


def _row(project: Project, now: float, home: str, width: int) -> str:
    git = project.git or Unsaved()
    since = git.risk.since if git.risk is not None else None
    name = _padded(safe_display(project.name), _NAME)
    start = f"  {name} {_padded(', '.join(details(git)), _DETAIL)} {idle(since, now):>4}  "
    room = width - cells(start)
    if room < _LEAST_PATH:
        # The name tells which one it is; what is in danger matters more than where.
        return _cut(start.rstrip(), width)
    return start + _end_of(below_home(project.path, home), room)


def _cut(text: str, width: int) -> str:
    """``text`` in at most ``width`` cells; its beginning is kept."""
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text + "…"


def _end_of(path: str, width: int) -> str:
    """``path`` in at most ``width`` cells; its end is kept."""
    if cells(path) <= width:
        return path
    while cells(path) > width - 1:
        path = path[1:]
    return "…" + path


def _padded(text: str, width: int) -> str:
    text = _cut(text, width)
    return text + " " * (width - cells(text))


def _action_lines(
    actions: Sequence[Action], shown: int, silenced: int, width: int, *, everything: bool
) -> list[str]:
    hidden = f"{silenced:,} silenced" if silenced else ""
    if not actions:
        return [_line("needs you", f"nothing, {hidden}")] if silenced else []
    count = ", ".join(filter(None, (plural(len(actions), "thing"), hidden)))
    if everything or len(actions) <= shown:
        return [_line("needs you", count), *(line for action in actions for line in _step(action, width))]
    first = (line for action in actions[:shown] for line in _step(action, width))
    return [_line("needs you", f"{count}, the first {shown} (all: zecher status -v)"), *first]


def _step(action: Action, width: int) -> tuple[str, str]:
    said = f"{_cut(safe_display(action.name), _NAME)}: {action.fact}; {safe_display(action.why)}"
    # The command is never cut: half a command is worse than a long line.
    return f"  {_cut(said, width - 2)}", f"    {safe_display(action.command)}"


def _orphan_lines(orphans: Sequence[LeftBehind], home: str, *, everything: bool) -> list[str]:
    if not orphans:
        return []
    what = f"{plural(len(orphans), 'memory', 'memories')} left behind by folders that are gone"
    if not everything:
        return [_line("memories", f"{what}: zecher status -v")]
    return [_line("memories", what), *(f"  {_orphan(one, home)}" for one in orphans)]


def _orphan(one: LeftBehind, home: str) -> str:
    folder = below_home(one.folder, home) + (" (or a similar name)" if one.ambiguous else "")
    if one.moved_to:
        folder += f", now {below_home(one.moved_to, home)}"
    return f"{folder}: {plural(one.files, 'file')} in {below_home(one.memory, home)}"


# -- for programs -----------------------------------------------------------------------------------------


def status_tsv(status: PortfolioStatus, *, everything: bool = False) -> str:
    """One line for each project with work that exists only here, the gravest first, then the loose ends.

    With ``everything`` those that could not be judged follow, and what ails the memories: by its code, with
    the day since when it is known.
    """
    lines = ["\t".join(COLUMNS)]
    for project in at_risk(status.projects):
        git = project.git
        if git is None or git.risk is None:
            raise AssertionError(project.path)
        fields = (
            project.name,
            ",".join(git.risk.what),
            str(git.risk.count),
            iso_time(git.risk.since) or "",
            ", ".join(details(git)),
            project.path,
        )
        lines.append(_fields(fields))
    lines += [_fields((one.name, "", "0", "", ", ".join(ends), one.path)) for one, ends in status.loose]
    if everything:
        names = {one.path: one.name for one in status.projects}
        lines += [
            _fields((names.get(path, ""), "unknown", "0", "", "not known", path)) for path in status.unknown
        ]
        lines += [
            _fields((one.name, one.code, "1", one.first_seen, one.fact, one.path))
            for one in status.actions("")
            if one.kind not in GRAVITY
        ]
    return "\n".join(lines) + "\n"


def _fields(texts: Sequence[str]) -> str:
    return "\t".join(safe_display(text.replace("\t", "\\t")) for text in texts)
