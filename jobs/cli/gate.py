"""The one gate at the top: picks the command, runs it, and turns every error into words and an exit code."""

from __future__ import annotations

import gc
import os
import time

from jobs import __version__
from jobs.errors import DONE, INTERRUPTED, ExpectedError, UsageError, nearest
from jobs.streams import NO_OUTPUT, Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobs.cli.command import Command
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed

# Command to the module of its family and to what it does, in the order of the help. The modules are imported
# when one of their commands runs: the help of all must not wait for the scanner.
COMMANDS = {
    "scan": ("jobs.cli.scan", "find projects, date them, say what is active, index them"),
    "projects": ("jobs.cli.projects", "the index as it stands"),
    "status": ("jobs.cli.status", "what exists only here, what needs you"),
    "resume": ("jobs.cli.resume", "where were we: goal, next step, what blocks, what is unsaved"),
    "explain": ("jobs.cli.explain", "why a folder is (not) a project, or what a code means"),
    "memory search": ("jobs.cli.search", "find what was written about something, with file and line"),
    "memory get": ("jobs.cli.search", "show a part of a file of the memory"),
    "memory index": ("jobs.cli.search", "bring the search index up to date, or make it anew"),
    "memory status": ("jobs.cli.memory", "what is there, what is valid, which brain is linked"),
    "memory init": ("jobs.cli.memory", "create what is missing, touch nothing that exists"),
    "memory check": ("jobs.cli.memory", "what is wrong with it, where, and how to mend it"),
    "memory consolidate": ("jobs.cli.memory", "merge duplicates, archive what is over, promote what returns"),
    "memory promote": ("jobs.cli.dreaming", "what recurs in daily notes, proposed for MEMORY.md"),
    "memory promote-explain": ("jobs.cli.dreaming", "why a claim is (not) proposed: its score, its gates"),
    "memory rem-harness": ("jobs.cli.dreaming", "what dreaming would see: themes, truths, candidates"),
    "memory rem-backfill": (
        "jobs.cli.dreaming",
        "work notes of the past into the diary, or take that back",
    ),
    "memory add": ("jobs.cli.memory", "add a decision, a lesson or a pattern"),
    "memory export": ("jobs.cli.memory", "write the brain into one portable Markdown file"),
    "memory audit": ("jobs.cli.audit", "what was asked of the memory, and what was found"),
    "memory list": ("jobs.cli.remember", "what is remembered: categories, summaries, tokens"),
    "memory edit": ("jobs.cli.remember", "edit a note: append, prepend, replace, a section, a text"),
    "recall": ("jobs.cli.recall", "what is known about it, in one bundle within a token budget"),
    "brief": ("jobs.cli.recall", "what a piece of work begins with, within a token budget"),
    "remember": ("jobs.cli.remember", "keep one fact about the user or a project, once"),
    "forget": ("jobs.cli.remember", "archive what was remembered, or bring it back"),
    "note": ("jobs.cli.remember", "add a line to the note of today, memory/YYYY-MM-DD.md"),
    "loops list": ("jobs.cli.loops", "what is open in the memories, and when it is due"),
    "loops done": ("jobs.cli.loops", "close loops without touching their files"),
    "loops snooze": ("jobs.cli.loops", "put loops off until a day"),
    "loops reopen": ("jobs.cli.loops", "take back done or snooze"),
    "ack": ("jobs.cli.ack", "be silent about a finding, for one project or for all"),
    "mem": ("jobs.cli.mem", "recall, write, reinforce, observe, outcomes: for people and assistants"),
    "mcp": ("jobs.cli.mcp", "the memory as tools for assistants, over standard input and output"),
    "run": ("jobs.cli.run", "run a job now, once a slot"),
    "report": ("jobs.cli.report", "the weekly or nightly report, or the dashboard, from stored data"),
    "jobs": ("jobs.cli.jobs", "last run, outcome and next slot of every job"),
    "daemon": ("jobs.cli.daemon", "start the jobs when they are due, until it is stopped"),
    "schedule status": ("jobs.cli.schedule", "what is installed, and whether it is active"),
    "schedule install": ("jobs.cli.schedule", "have the jobs started by systemd, cron or launchd"),
    "schedule remove": ("jobs.cli.schedule", "take them out again, and nothing else"),
    "schedule show": ("jobs.cli.schedule", "print what an installation writes"),
    "config show": ("jobs.cli.config", "the settings and where each comes from"),
    "config check": ("jobs.cli.config", "all that is wrong with the configuration, at once"),
    "config init": ("jobs.cli.config", "print a commented template, or write it"),
    "doctor": ("jobs.cli.doctor", "does it work here, by doing; release the lock of a dead writer"),
}

# Commands of two words: what the first alone stands for, and what the family is about.
FAMILIES = {
    "loops": ("list", "what is open and when it is due: list, done, snooze, reopen"),
    "memory": (
        "status",
        "the memory of a project and its brain: search, status, check and more",
    ),
    "schedule": ("status", "status, install, remove, show: the jobs in the scheduler of the system"),
    "config": ("show", "show, check, init: the settings, where each comes from, a template"),
}

_HELP = """\
Keeps one developer's whole portfolio of repositories in view.

usage: zecher COMMAND [OPTION...]

commands:
{commands}

examples:
  zecher scan ~/dev --dry-run      look, and write nothing
  zecher scan ~/dev --yes          find all projects and index them
  zecher projects --status paused  what has been waiting
"""

_MORE = """
options of every command, before or after it:
{options}

"zecher COMMAND --help" explains one command, "zecher explain CODE" an error or a finding.
exit codes: 0 done, 1 failed, 2 usage, 3 done in part, 10 check reached, 75 locked, 130 interrupted,
143 asked to end by a signal
"""

_SHORT = '\n"zecher --help" lists the options of every command, "zecher COMMAND --help" explains one.\n'

# They show how the jobs stand, or change it.
_TELL_IT_THEMSELVES = ("run", "jobs", "daemon", "doctor")

# Options that take a value: the word after them is not the command. The second line may stand in the middle
# of a command of two words.
_WITH_VALUE = ("--config", "--brain", "--color", "--now")
_WITH_VALUE_INSIDE = (*_WITH_VALUE, "-d", "--directory", "--output", "--format", "--until")
# Elsewhere --project may stand alone.
_ALWAYS_WITH_VALUE = {"loops": ("--project",)}


def run_guarded(program: str, words: Sequence[str]) -> int:
    """Run what ``words`` ask for; never raises, never prints a traceback unless ``--debug`` asks for it."""
    streams = Streams.of_process()
    failure = _Failure(streams, words)
    # A command is over before there is rubbish worth collecting; looking for it cost 5 % of a scan.
    gc.disable()
    try:
        return _dispatch(program, list(words), streams)
    except ExpectedError as error:
        return failure.expected(error)
    except KeyboardInterrupt:
        return failure.expected(_interrupted())
    except BrokenPipeError:
        return DONE
    except RecursionError as error:
        return failure.unexpected(error)
    except Exception as error:  # noqa: BLE001 - the gate: whatever else goes wrong ends here, as one message
        return failure.unexpected(error)
    finally:
        gc.freeze()  # and the interpreter need not look for it at its end


def _dispatch(program: str, words: list[str], streams: Streams) -> int:
    name, words = _named(words)
    if not name:
        return _without_command(words, streams)
    if name == "mem":
        from jobs.cli.mem import run_mem  # noqa: PLC0415 - start-up: it parses its words itself, for speed

        return run_mem(words, streams)
    if name in FAMILIES:
        if _asks_for(words, "-h", "--help"):
            streams.result(_family_help(name))
            return DONE
        name = f"{name} {FAMILIES[name][0]}"
    command = _command(name)
    from jobs.cli.command import Invocation, Parser  # noqa: PLC0415 - start-up: argparse costs 8 ms

    parser = Parser(program if program == name else f"zecher {name}", command)
    if _asks_for(words, "-h", "--help"):
        streams.result(parser.format_help())
        return DONE
    typed = parser.parse(words)
    if typed.on("version"):
        return _version(streams)
    streams.quiet = typed.on("quiet")
    surroundings = _surroundings(typed)
    code = command.run(Invocation(typed, surroundings, streams))
    if not streams.quiet and name not in _TELL_IT_THEMSELVES:
        from jobs.deadman import dead_line  # noqa: PLC0415 - start-up: a look at the clock, after the result

        line = dead_line(surroundings, typed.text("config"))
        if line:
            streams.hint(line)
    return code


def _named(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command and the other words; only a family's name where its second word is left out; or empty."""
    place = _word_place(words, 0, _WITH_VALUE)
    if place is None:
        return "", list(words)
    name, rest = words[place], [*words[:place], *words[place + 1 :]]
    inside = (*_WITH_VALUE_INSIDE, *_ALWAYS_WITH_VALUE.get(name, ()))
    second = _word_place(rest, place, inside) if name in FAMILIES else None
    if second is None:
        return name, rest
    return f"{name} {rest[second]}", [*rest[:second], *rest[second + 1 :]]


def _word_place(words: Sequence[str], start: int, with_value: Sequence[str]) -> int | None:
    """Where, from ``start`` on, the first word stands that is no option and no option's value."""
    skip = False
    for place in range(start, len(words)):
        word = words[place]
        if skip:
            skip = False
        elif word == "--":
            return None
        elif word.startswith("-") and word != "-":
            skip = word in with_value
        else:
            return place
    return None


def _without_command(words: Sequence[str], streams: Streams) -> int:
    if "--version" in words:
        return _version(streams)
    wants_all = _asks_for(words, "-h", "--help")
    strays = [word for word in words if word not in ("-q", "--quiet", "-v", "--verbose", "--debug")]
    if strays and not wants_all:
        known = [*_WITH_VALUE, "--quiet", "--verbose", "--debug", "--version", "--help"]
        neighbour = nearest(strays[0].split("=", 1)[0], known)
        raise UsageError(
            "no-command",
            f"no command given, only {strays[0]}",
            "options alone do nothing",
            f"Did you mean {neighbour}?" if neighbour and neighbour != strays[0] else "See zecher --help.",
        )
    streams.result(_help(everything=wants_all))
    return DONE


def _help(*, everything: bool) -> str:
    summaries = {name.split(" ")[0]: summary for name, (_, summary) in COMMANDS.items()}
    summaries.update((name, summary) for name, (_, summary) in FAMILIES.items())
    commands = "\n".join(f"  {name:<10} {summary}" for name, summary in summaries.items())
    text = _HELP.format(commands=commands)
    if not everything:
        return text + _SHORT
    from jobs.cli.options import GLOBAL_OPTIONS  # noqa: PLC0415 - only the long form lists them

    shown = [
        (", ".join(flags) + (f" {metavar}" if metavar else ""), what)
        for flags, metavar, what in GLOBAL_OPTIONS
    ]
    return text + _MORE.format(options="\n".join(f"  {flags:<16} {what}" for flags, what in shown))


def _family_help(family: str) -> str:
    default, _ = FAMILIES[family]
    mine = {name: summary for name, (_, summary) in COMMANDS.items() if name.startswith(family + " ")}
    width = max(14, *map(len, mine))
    commands = "\n".join(f"  zecher {name:<{width}} {summary}" for name, summary in mine.items())
    return (
        f"usage: zecher {family} COMMAND [OPTION...]\n\ncommands:\n{commands}\n\n"
        f'"zecher {family}" alone is "zecher {family} {default}"; '
        f'"zecher {family} COMMAND --help" explains one.\n'
    )


def _version(streams: Streams) -> int:
    streams.result(f"zecher {__version__}\n")
    return DONE


def _asks_for(words: Sequence[str], *flags: str) -> bool:
    options = words[: words.index("--")] if "--" in words else words
    return any(word in flags for word in options)


def _command(name: str) -> Command:
    if name not in COMMANDS:
        raise _unknown_command(name)
    import importlib  # noqa: PLC0415 - only once a command is known

    for command in importlib.import_module(COMMANDS[name][0]).COMMANDS:
        if command.name == name:
            found: Command = command
            return found
    raise AssertionError(name)


def _unknown_command(name: str) -> UsageError:
    neighbour = nearest(name, [*COMMANDS, *FAMILIES])
    if neighbour is None and (os.sep in name or os.path.isdir(name)):
        hint = f"To scan that folder: zecher scan {name}"
    else:
        hint = f"Did you mean zecher {neighbour}?" if neighbour else "See zecher --help."
    return UsageError(
        "unknown-command", f"unknown command {name!r}", "zecher has no command of that name", hint
    )


def _surroundings(typed: Typed) -> Surroundings:
    from jobs.surroundings import surroundings_of_process  # noqa: PLC0415 - as above

    return surroundings_of_process(typed.text("now"))


def _value(words: Sequence[str], flag: str) -> str:
    """The value of an option in what was typed, whether or not all of it can be parsed."""
    for place, word in enumerate(words):
        if word.startswith(flag + "="):
            return word.removeprefix(flag + "=")
        if word == flag and place + 1 < len(words):
            return words[place + 1]
    return ""


def _moment(words: Sequence[str]) -> float:
    """The clock for a document about a failure, which may be a failure to read the clock's own option."""
    from jobs.surroundings import fixed_now  # noqa: PLC0415 - as above

    text = _value(words, "--now") or os.environ.get("ZECHER_NOW", "")
    try:
        return fixed_now(text, "--now")
    except ExpectedError:
        return time.time()


def _interrupted() -> ExpectedError:
    error = ExpectedError(
        "interrupted", "interrupted", "stopped by Ctrl-C", "Run it again; every file is whole, old or new."
    )
    error.exit_code = INTERRUPTED
    return error


class _Failure:
    """Says what went wrong: three lines and a code for people, one document where JSON was asked for."""

    def __init__(self, streams: Streams, words: Sequence[str]) -> None:
        self._streams = streams
        self._words = words

    def expected(self, error: ExpectedError) -> int:
        if self._wants_json() and error.code != NO_OUTPUT:
            self._document(error)
            return error.exit_code
        self._streams.message(f"zecher: {error.what} [{error.code}]")
        for line in error.why.splitlines():
            self._streams.message(f"  why: {line}")
        self._streams.message(f"  fix: {error.fix}")
        return error.exit_code

    def unexpected(self, error: BaseException) -> int:
        if "--debug" in self._words or os.environ.get("ZECHER_DEBUG"):
            import traceback  # noqa: PLC0415 - only for this

            for line in "".join(traceback.format_exception(error)).splitlines():
                self._streams.message(line)
        return self.expected(
            ExpectedError(
                "unexpected",
                f"unexpected error: {type(error).__name__}: {error}",
                "this is a mistake in zecher, not in your projects",
                "Run it again with --debug and report what it shows.",
            )
        )

    def _wants_json(self) -> bool:
        chosen = _value(self._words, "--format") or os.environ.get("ZECHER_FORMAT")
        return _asks_for(self._words, "--json") or chosen == "json"

    def _document(self, error: ExpectedError) -> None:
        from reports.document import envelope, to_json  # noqa: PLC0415 - only after a failure
        from scanner.project import Problem  # noqa: PLC0415 - as above

        name, _ = _named(self._words)
        if name in FAMILIES:
            name = f"{name} {FAMILIES[name][0]}"
        schema = name.replace(" ", ".") if name in COMMANDS else "error"
        problems = error.problems or (
            Problem(error.code, "error", error.path, f"{error.what}: {error.why}", error.fix),
        )
        self._streams.result(to_json(envelope(schema, _moment(self._words), None, problems, ok=False)))
