"""What a configuration may say, as values; the defaults that need no other knowledge stand here, once."""

from __future__ import annotations

from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.stacks import UserRule

FAILURE, RECOVERY, SUCCESS = "failure", "recovery", "success"
OCCASIONS = (FAILURE, RECOVERY, SUCCESS)


@dataclass(frozen=True, slots=True)
class ConfiguredRoot:
    """A folder to search, as configured; None means: as everywhere. The thresholds are in days."""

    path: str
    depth: int | None = None
    nested: str | None = None
    exclude: tuple[str, ...] = ()
    active_days: float | None = None
    paused_days: float | None = None
    max_folders: int | None = None
    max_entries: int | None = None


@dataclass(frozen=True, slots=True)
class ConfiguredSchedule:
    """When the jobs are due, as a person writes it; checked with ``jobs.schedule.text.parse_schedule``.

    ``zone`` is a name of the time zone database, None for the zone of the system.
    """

    # Neither at two, which some nights lack and others have twice, nor at midnight, nor on a full hour.
    nightly: str = "daily 03:17"
    weekly: str = "weekly sun 04:23"
    zone: str | None = None
    dreaming: str = "daily 03:47"

    def of(self, job: str) -> str | None:
        """The schedule of the job of that name; None for a job that the configuration does not know."""
        return {"nightly": self.nightly, "weekly": self.weekly, "dreaming": self.dreaming}.get(job)


@dataclass(frozen=True, slots=True)
class ConfiguredReports:
    """Where reports go (absolute; None for ``~/.bmad-plus/reports``) and how many weeks of them are kept."""

    folder: str | None = None
    keep_weeks: int = 52


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """How large memory may grow before the assistants that load it cut it.

    ``file_lines`` and ``file_bytes`` hold for one file, ``total_tokens`` (UTF-8 bytes / 4) for all that is
    loaded at the start of work; from ``warn_percent`` of a limit on a file is said to be near it. ``audit``
    keeps a log of what was asked and found; ``semantic`` lets the meaning count in searches, where the extra
    for it is installed.
    """

    file_lines: int = 200
    file_bytes: int = 25_600
    total_tokens: int = 15_000
    warn_percent: int = 85
    audit: bool = True
    semantic: bool = True


@dataclass(frozen=True, slots=True)
class ConfiguredDreaming:
    """Whether and how what recurs in daily notes is proposed for long-term memory.

    ``workspaces`` are folders that hold ``MEMORY.md`` or ``memory/``, besides those among the indexed
    projects. ``enabled`` is about the job alone, the commands work without. With ``auto_promote`` the job
    writes what passes the gates; with ``recall_log`` searches leave a line for each daily note they found.
    ``budget`` is in characters of ``MEMORY.md``; ``cues`` the path of a file with words of one's own.
    """

    enabled: bool = False
    workspaces: tuple[str, ...] = ()
    auto_promote: bool = False
    recall_log: bool = False
    min_score: float = 0.75
    min_recalls: int = 3
    min_queries: int = 2
    min_days: int = 3
    max_age_days: int = 30
    half_life_days: int = 14
    limit: int = 10
    budget: int = 10_000
    cues: str | None = None


@dataclass(frozen=True, slots=True)
class Hook:
    """A program to be told of a job's end.

    ``run`` is its argv without a shell, an absolute path first; ``on`` are some of ``OCCASIONS``; after
    ``timeout`` seconds it is killed.
    """

    run: tuple[str, ...]
    on: tuple[str, ...] = (FAILURE, RECOVERY)
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class ConfiguredNotices:
    """Who else is told: ``ping_url`` (http or https) of a dead-man service, ``apprise`` URLs.

    ``quiet_line`` silences the line on standard error that says that the nightly run is dead.
    """

    ping_url: str | None = None
    apprise: tuple[str, ...] = ()
    quiet_line: bool = False


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something wrong in a configuration: at which line (if that is known) and key, and what is right."""

    code: str
    line: int | None
    key: str
    complaint: str
    hint: str
    level: str = "error"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the file says; None or empty where it says nothing, a table's own defaults where it has some.

    ``path`` is empty without a file; ``lines`` are the keys of the file (``scan.depth``, ``hooks[0]``) with
    the number of the line each stands on.
    """

    path: str = ""
    brain: str | None = None
    state: str | None = None
    cache: str | None = None
    roots: tuple[ConfiguredRoot, ...] = ()
    depth: int | None = None
    active_days: float | None = None
    paused_days: float | None = None
    nested: str | None = None
    exclude: tuple[str, ...] = ()
    respect_ignore: bool | None = None
    deadline: float | None = None
    max_folders: int | None = None
    max_entries: int | None = None
    emails: tuple[str, ...] = ()
    stacks: tuple[UserRule, ...] = ()
    schedule: ConfiguredSchedule = ConfiguredSchedule()
    reports: ConfiguredReports = ConfiguredReports()
    memory: MemoryLimits = MemoryLimits()
    dreaming: ConfiguredDreaming = ConfiguredDreaming()
    hooks: tuple[Hook, ...] = ()
    notify: ConfiguredNotices = ConfiguredNotices()
    lines: tuple[tuple[str, int], ...] = ()

    def origin(self, key: str) -> str | None:
        """``file:line`` where ``key`` is set, None where the file does not set it."""
        line = dict(self.lines).get(key)
        return f"{self.path}:{line}" if line else None
