"""What a run saw of the whole portfolio: all that reports and the dashboard show."""

from __future__ import annotations

import re
from collections.abc import Mapping

from reports.actions import Action
from scanner.project import Coverage, Problem, Thresholds
from scanner.value import dataclass, field

MISSING = "missing"


@dataclass(frozen=True, slots=True)
class RiskNote:
    """Work of one project that exists only here.

    ``changed`` counts files, ``only_here`` commits: both are a lower bound where their ``_capped`` is true.
    ``branches`` are those with commits of their own or without an upstream. ``in_progress`` is empty or what
    git is in the middle of. ``since`` is in epoch seconds, None where it is not known.
    """

    changed: int = 0
    changed_capped: bool = False
    only_here: int = 0
    capped: bool = False
    branches: tuple[str, ...] = ()
    stashes: int = 0
    in_progress: str = ""
    no_remote: bool = False
    since: float | None = None


@dataclass(frozen=True, slots=True)
class HealthNote:
    """How one memory is.

    ``percent`` is None where no rule applied. ``tokens`` estimates what an assistant loads when it begins to
    work here. ``top`` is the message of the worst finding that nobody silenced, ``top_code`` its code. Counts
    are findings by level, the silenced ones apart.
    """

    percent: int | None = None
    tokens: int = 0
    top: str = ""
    top_code: str = ""
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    silenced: int = 0


@dataclass(frozen=True, slots=True)
class Noted:
    """One project as it was.

    ``id`` is what it is called by programs, in whatever place. ``status`` may be ``missing``, ``reason`` says
    why it is what it is. ``labels`` are all its stacks, ``stack`` the main one. ``risks`` are the kinds of
    work that exist only here, ``risk`` how much. ``first_seen`` is a date (``YYYY-MM-DD``). ``health`` is
    that of its memory, None where nobody asked. ``last_activity`` is in epoch seconds, ``source`` what told
    it. ``branch`` is empty without version control, ``remote`` None where nobody knows whether there is one.
    """

    id: str
    path: str
    name: str
    status: str
    stack: str = ""
    labels: tuple[str, ...] = ()
    reason: str = ""
    risks: tuple[str, ...] = ()
    first_seen: str = ""
    last_activity: float | None = None
    source: str = ""
    branch: str = ""
    remote: bool | None = None
    risk: RiskNote | None = None
    health: HealthNote | None = None
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class FindingNote:
    """A finding that nobody silenced.

    ``path`` and ``name`` are the project's, or the brain's; ``file`` is relative to it, empty where no file
    is meant; ``line`` is 0 without one. ``first_seen`` is the day on which it was found first, ``since`` one
    from which its age can be told, empty without one (both ``YYYY-MM-DD``).
    """

    code: str
    level: str
    path: str
    name: str
    file: str
    line: int
    message: str
    fix: str
    first_seen: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class LoopNote:
    """An open loop: ``state`` is ``overdue``, ``due`` or ``open``, ``due`` a day (``YYYY-MM-DD``) or empty.

    ``path`` and ``name`` are the project's, or the brain's; ``file`` is relative to it.
    """

    id: str
    kind: str
    state: str
    text: str
    path: str
    name: str
    file: str
    line: int
    due: str = ""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class DreamNote:
    """How dreaming stands in one workspace, by its last run.

    ``at`` is when that was (ISO), empty for one that was never looked at. ``proposed`` counts what waits for
    a person, ``near`` what nearly passed. ``unchanged`` counts the runs in a row before it that found the
    same; ``size`` are the characters of MEMORY.md and ``budget`` how many it may have.
    """

    path: str
    name: str
    at: str = ""
    outcome: str = ""
    proposed: int = 0
    near: int = 0
    unchanged: int = 0
    size: int = 0
    budget: int = 0


@dataclass(frozen=True, slots=True)
class Dreaming:
    """How dreaming stands: nothing of it while the job is off.

    ``workspaces`` are at most ``DREAMS``, ordered by path, and ``more`` counts the rest. ``outcome`` is that
    of the last run of the job and ``at`` when it was in epoch seconds, None where it never ran. ``done`` is
    when the last run that did its work was. ``promoted`` and ``archived`` count what the runs of the last
    seven days wrote.
    """

    workspaces: tuple[DreamNote, ...] = ()
    more: int = 0
    outcome: str = ""
    at: float | None = None
    done: float | None = None
    promoted: int = 0
    archived: int = 0


@dataclass(frozen=True, slots=True)
class Repeat:
    """One lesson that stands in several projects.

    ``titles`` are its wordings, ``projects`` the names of the projects; ``command`` would promote it, empty
    where there is none.
    """

    titles: tuple[str, ...]
    projects: tuple[str, ...]
    command: str = ""


@dataclass(frozen=True, slots=True)
class RunHealth:
    """How the nights went.

    ``nights`` are (slot, ``ok``, ``partial``, ``failed`` or ``none``), oldest first; ``errors`` are (slot,
    text). Durations are seconds, ``next_run`` epoch seconds. ``missed_weeks`` are weeks before this one
    without a report; ``damaged`` counts lines of the ledger that tell no run.
    """

    nights: tuple[tuple[str, str], ...] = ()
    median: float | None = None
    longest: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    errors: tuple[tuple[str, str], ...] = ()
    next_run: float | None = None
    missed_weeks: int = 0
    damaged: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The portfolio as a run of ``job`` for ``slot`` saw it at ``taken`` (epoch seconds), ordered by path.

    ``health`` is the per cent of all memories, None where nobody asked, ``brain_health`` that of the brain.
    ``actions`` says for each thing to do in how many weeks on end it was there; ``todo`` are the things
    themselves, the most urgent first, at most ``TODO``. ``findings`` are warnings and errors, the gravest
    first, at most ``FINDINGS``; ``finding_counts`` counts all by level, ``silenced`` what a person silenced.
    ``rules`` are (passed, failed, not applicable) by code. ``review`` are decisions to be looked at again,
    the oldest first. ``loads`` are (project, file, tokens, limit) of what is loaded at the start of an
    assistant's work, most first, and ``tokens`` the sum of all; ``sizes`` are files near or over a limit of
    those who load them, the gravest first. ``trend`` are (ISO week, per cent), oldest
    first, at most ``WEEKS``, weeks without a run left out; ``days`` are commits by day of the last ``DAYS``
    days. ``problems`` are the first ``PROBLEMS``, errors first, ``problem_counts`` all of them by level.
    ``written`` counts cards, ``skipped`` projects that a person left out, ``missed_slots`` runs before this
    one. ``loops`` are what the memories say is open, what is overdue first, at most ``LOOPS``, and
    ``loop_counts`` counts all by state, done and snoozed ones too. ``dreaming`` is None while that is off.
    ``export`` is the path of the exported brain, empty without one.
    """

    job: str
    slot: str
    taken: float
    thresholds: Thresholds
    projects: tuple[Noted, ...]
    actions: Mapping[str, int] = field(default_factory=dict)
    home: str = ""
    brain_path: str = ""
    tool_version: str = ""
    health: int | None = None
    brain_health: HealthNote | None = None
    todo: tuple[Action, ...] = ()
    findings: tuple[FindingNote, ...] = ()
    finding_counts: Mapping[str, int] = field(default_factory=dict)
    silenced: int = 0
    rules: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    review: tuple[FindingNote, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    loads: tuple[tuple[str, str, int, int | None], ...] = ()
    tokens: int = 0
    sizes: tuple[FindingNote, ...] = ()
    trend: tuple[tuple[str, int], ...] = ()
    days: Mapping[str, int] = field(default_factory=dict)
    runs: RunHealth = field(default_factory=RunHealth)
    coverage: Coverage = field(default_factory=Coverage)
    problems: tuple[Problem, ...] = ()
    problem_counts: Mapping[str, int] = field(default_factory=dict)
    written: int = 0
    skipped: int = 0
    missed_slots: int = 0
    clock_suspicious: bool = False
    export: str = ""
    loops: tuple[LoopNote, ...] = ()
    loop_counts: Mapping[str, int] = field(default_factory=dict)
    dreaming: Dreaming | None = None

    @property
    def week(self) -> str:
        """The ISO week that it is of (``YYYY-Www``): a weekly run may be late, and end in the next one."""
        if self.job == "weekly" and re.fullmatch(r"\d{4}-W\d\d", self.slot):
            return self.slot
        return iso_week(self.taken)

    @property
    def change(self) -> tuple[str, int] | None:
        """The last week before this one whose health is known, and that; None without one."""
        earlier = [one for one in self.trend if one[0] < self.week]
        return earlier[-1] if earlier else None


def iso_week(when: float) -> str:
    """The ISO week (UTC) of a moment in epoch seconds; empty for one that no calendar has."""
    from datetime import UTC, datetime  # noqa: PLC0415 - start-up: only for reports

    try:
        year, week, _ = datetime.fromtimestamp(when, UTC).isocalendar()
    except (OverflowError, ValueError, OSError):
        return ""
    return f"{year:04d}-W{week:02d}"


FINDINGS, TODO, PROBLEMS, REVIEWS, LOADS, SIZES, LOOPS, DREAMS = 2_000, 1_000, 200, 500, 200, 200, 500, 100
WEEKS, DAYS = 26, 371
"""How much a snapshot holds at most."""
