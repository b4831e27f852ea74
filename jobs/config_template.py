"""The configuration as ``zecher config init`` prints it: every key with its meaning, its default, an example.

Nothing in it is switched on: who takes it as it is has the defaults. A line ``#key = value`` is a key to be
uncommented, ``# text`` explains. ``docs/configuration.md`` is held equal to this table by a test.
"""

from __future__ import annotations

from scanner.value import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """A key: ``default`` and ``example`` as TOML; an empty default means that there is none."""

    name: str
    default: str
    example: str
    means: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the file; ``header`` as it is written, empty for the keys before the first table."""

    name: str
    header: str
    means: str
    keys: tuple[Key, ...]


TABLES = (
    Table(
        "",
        "",
        "",
        (
            Key(
                "brain",
                '"~/.bmad-plus/brain"',
                '"~/notes/brain"',
                "The folder of the global brain, which holds the index.",
            ),
            Key(
                "state",
                '"~/.local/state/zecher"',
                '"~/.zecher/state"',
                "The folder of what is remembered here: record of runs, locks, snapshots.",
            ),
            Key(
                "cache",
                '"~/.cache/zecher"',
                '"~/.zecher/cache"',
                "The folder of what may be deleted at any time: it is made anew.",
            ),
        ),
    ),
    Table(
        "scan",
        "[scan]",
        "What is searched, and when a project counts as active, paused or archived.",
        (
            Key(
                "roots",
                "",
                '["~/dev", "~/work"]',
                "The folders to search. Without them a scan takes the folder it is started in.",
            ),
            Key("depth", "4", "6", "How many folders deep: 1 means the folders right below a root."),
            Key("active_days", "30", "14", "Worked on less than so many days ago: active."),
            Key("paused_days", "180", "90", "Less than so many days ago: paused; else archived."),
            Key(
                "nested",
                '"none"',
                '"repos"',
                "Projects inside projects: none, repos (those with a repository of their own), or all.",
            ),
            Key("exclude", "[]", '["old/", "*.bak"]', "What is left out, in the syntax of .gitignore."),
            Key("respect_ignore", "false", "true", "Whether what .gitignore names is left out too."),
            Key("deadline", "", "600", "After so many seconds a scan ends with what it has."),
            Key("max_folders", "200000", "50000", "After so many folders the search of a root ends."),
            Key("max_entries", "2000000", "500000", "After so many entries in them it ends, too."),
        ),
    ),
    Table(
        "scan.roots",
        "[[scan.roots]]",
        "A root with rules of its own; one such table each, instead of the list above.",
        (
            Key("path", "", '"~/clients"', "The folder."),
            Key("depth", "that of [scan]", "2", "How many folders deep."),
            Key("active_days", "that of [scan]", "7", "Active below so many days."),
            Key("paused_days", "that of [scan]", "365", "Paused below so many days."),
            Key("nested", "that of [scan]", '"all"', "Projects inside projects."),
            Key("exclude", "[]", '["archive/"]', "What is left out besides that of [scan]."),
            Key("max_folders", "that of [scan]", "400000", "After so many folders the search ends."),
            Key("max_entries", "that of [scan]", "4000000", "After so many entries it ends, too."),
        ),
    ),
    Table(
        "me",
        "[me]",
        "Who you are: by this, work of yours is told from what was only pulled.",
        (
            Key(
                "emails",
                "[]",
                '["ana@example.com"]',
                "Addresses you commit with, besides user.email of your git configuration.",
            ),
        ),
    ),
    Table(
        "schedule",
        "[schedule]",
        'When the jobs are due: "daily 03:17", "weekly sun 04:23" or "every 6h".',
        (
            Key("nightly", '"daily 03:17"', '"every 6h"', "Scan, index and nightly report."),
            Key(
                "weekly", '"weekly sun 04:23"', '"weekly mon 06:30"', "Memory health, weekly report, export."
            ),
            Key(
                "dreaming",
                '"daily 03:47"',
                '"daily 05:30"',
                "What recurs in daily notes, for long-term memory; off until [dreaming] enabled = true.",
            ),
            Key(
                "zone", "", '"Europe/Berlin"', "The time zone of these times; without it that of the system."
            ),
        ),
    ),
    Table(
        "reports",
        "[reports]",
        "What the jobs write for you to read.",
        (
            Key("folder", '"~/.bmad-plus/reports"', '"~/notes/reports"', "Where; never inside the brain."),
            Key("keep_weeks", "52", "26", "For how many weeks reports are kept."),
        ),
    ),
    Table(
        "memory",
        "[memory]",
        "How large memory may grow, for assistants cut what is longer; whether questions to it are logged.",
        (
            Key("file_lines", "200", "300", "Lines of one file."),
            Key("file_bytes", "25600", "20000", "Bytes of one file."),
            Key(
                "total_tokens",
                "15000",
                "30000",
                "Estimated tokens (bytes / 4) of all that is loaded at once.",
            ),
            Key("warn_percent", "85", "75", "From so much of a limit on, a file is said to be near it."),
            Key("audit", "true", "false", "Whether questions to the memory are logged, with what was found."),
            Key(
                "semantic",
                "true",
                "false",
                "Whether a search goes by meaning, too, where the extra zecher[semantic] is installed.",
            ),
        ),
    ),
    Table(
        "dreaming",
        "[dreaming]",
        "What recurs in daily notes (memory/YYYY-MM-DD.md) is proposed for MEMORY.md.",
        (
            Key("enabled", "false", "true", "Whether the job does it every night; the commands always can."),
            Key(
                "workspaces",
                "[]",
                '["~/.openclaw/workspace"]',
                "Folders with MEMORY.md or memory/, besides those among the indexed projects.",
            ),
            Key(
                "auto_promote",
                "false",
                "true",
                "Whether the job writes into MEMORY.md what passes the gates; else it only proposes.",
            ),
            Key(
                "recall_log",
                "false",
                "true",
                "Whether searches that find daily notes are noted, so that what is looked up counts.",
            ),
            Key("min_score", "0.75", "0.8", "The score that a claim needs, from 0 to 1."),
            Key("min_recalls", "3", "5", "How often it was looked up, or, instead of that,"),
            Key("min_queries", "2", "3", "and by how many different questions;"),
            Key("min_days", "3", "4", "on how many different days it was noted."),
            Key("max_age_days", "30", "60", "What is older than so many days is left alone."),
            Key("half_life_days", "14", "30", "After so many days half of what recency adds is gone."),
            Key("limit", "10", "5", "So many claims at once."),
            Key("budget", "10000", "8000", "Characters that MEMORY.md may have after a promotion."),
            Key(
                "cues", "", '"~/notes/cues.toml"', "A file with words of your own for what is worth keeping."
            ),
        ),
    ),
    Table(
        "notify",
        "[notify]",
        "Who is told how the jobs fare; told or not, a job is never the worse for it.",
        (
            Key(
                "ping_url",
                "",
                '"https://ping.example.com/your-key"',
                "A dead-man service: it is called after every good run, and alarms you when no call comes.",
            ),
            Key(
                "apprise",
                "[]",
                '["ntfys://ntfy.sh/your-topic"]',
                "Addresses for Apprise; needs the extra zecher[notify].",
            ),
            Key(
                "quiet_line",
                "false",
                "true",
                "Whether commands leave out the line that says that the nightly run is dead.",
            ),
        ),
    ),
    Table(
        "hooks",
        "[[hooks]]",
        "A program to run when a job has ended; one such table each. No shell is involved.",
        (
            Key(
                "run",
                "",
                '["/usr/bin/notify-send", "Zecher"]',
                "Absolute path of the program, then its arguments.",
            ),
            Key(
                "on",
                '["failure", "recovery"]',
                '["failure", "recovery", "success"]',
                "After which runs: failure (the 1st, 3rd, 9th, 27th in a row), recovery, success.",
            ),
            Key("timeout", "30", "10", "After so many seconds it is ended."),
        ),
    ),
    Table(
        "stacks",
        "[[stacks]]",
        "A rule of your own that names a stack; one such table each.",
        (
            Key("glob", "", '"*.tf"', "The name of a file, or a pattern for it."),
            Key("label", "", '"Terraform"', "What the stack is called."),
            Key(
                "class",
                '"label"',
                '"strong"',
                "strong: its folder is a project; weak: perhaps; label: it only names the stack.",
            ),
            Key("priority", "0", "5", "Which name comes first where several fit: the higher one."),
        ),
    ),
)

_HEAD = """\
# The configuration of Zecher. It stands in ~/.config/zecher/config.toml, and only you may write it.
#
# All keys are commented out: what stands there is the default, or an example where there is none. Uncomment a
# key to change it, in a [[list of tables]] the line with its name too. "zecher config check" looks the file
# over; "zecher config show --origin" says which value holds, and where it comes from.
"""


def template() -> str:
    """The whole template: valid TOML that sets nothing."""
    return _HEAD + "".join(f"\n{_table(table)}" for table in TABLES)


def _table(table: Table) -> str:
    is_list = table.header.startswith("[[")
    lines = [f"# {table.means}"] if table.means else []
    lines += [("#" if is_list else "") + table.header] if table.header else []
    for key in table.keys:
        value = key.example if is_list or not key.default else key.default
        lines += [f"# {key.means}{_note(key, value)}", f"#{key.name} = {value}"]
    return "\n".join(lines) + "\n"


def _note(key: Key, value: str) -> str:
    """What the value under a key is, where it is not its default."""
    if value == key.default:
        return ""
    return f" Default: {key.default}." if key.default else " No default; for example:"
