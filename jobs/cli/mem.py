"""``zecher mem``: the memory as assistants use it, with the contract of BMAD+.

It differs from the other commands on purpose: every failure ends with 1, usage included, and an error is one
line, ``mem <action>: <message>`` on standard error or ``{"error": ...}`` on standard output. It parses its
words itself: an agent calls it many times a day, and argparse alone would cost as much as the whole write.
"""

from __future__ import annotations

from jobs.cli.options import GLOBAL_OPTIONS
from jobs.errors import DONE, FAILED, INTERRUPTED, ExpectedError, nearest
from jobs.streams import NO_OUTPUT
from jobs.typed import Typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jobs.streams import Streams

# Each action with its arguments, what it does, and the options that it looks at, in the order of its help.
ACTIONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "recall": (
        "QUERY...",
        "notes and journal events that answer the query, the best first",
        ("--limit", "--scope", "--portfolio", "--ranking", "--context-scope", "--explain"),
    ),
    "write": (
        "",
        "append one event to the project's journal",
        ("--agent", "--task", "--outcome", "--cli", "--model", "--eval", "--accept", "--ci"),
    ),
    "reinforce": (
        "",
        "fold signals into the score of a pattern; may propose a promotion",
        ("--pattern", "--eval", "--accept", "--ci", "--evidence"),
    ),
    "observe": ("", "link one memory section to an accepted Nexus task", ("--input",)),
    "outcomes": ("", "list the observations and whether each still counts", ()),
}

OPTIONS: tuple[tuple[tuple[str, ...], str | None, str], ...] = (
    (("--limit",), "N", "at most N hits, 1 to 1000 (8)"),
    (("--scope",), "SCOPE", "project or portfolio (project)"),
    (("--portfolio",), "PATH", "with --scope portfolio: this brain only (all projects)"),
    (("--ranking",), "RANKING", "lexical, words, fused or evidence (lexical)"),
    (("--context-scope",), "A,B", "paths that the work is about; evidence needs them"),
    (("--explain",), None, "how each score came about, with file and line"),
    (("--agent",), "NAME", "who did the work; required"),
    (("--task",), "TEXT", "what was done"),
    (("--outcome",), "WORD", "success, failure, partial or abandoned"),
    (("--cli",), "NAME", "the assistant, for example claude-code"),
    (("--model",), "NAME", "the model that it used"),
    (("--pattern",), "ID", "the pattern that was used; required"),
    (("--eval",), "0-1", "signal: score of an evaluation"),
    (("--accept",), "WORD", "signal: true, false or 0-1"),
    (("--ci",), "WORD", "signal: pass, fail or 0-1"),
    (("--evidence",), "A,B", "what the signals rest on, stored as it is"),
    (("--input",), "FILE", "JSON file, relative to the project; required"),
)
_OF_ALL: tuple[tuple[tuple[str, ...], str | None, str], ...] = (
    (("-d", "--directory"), "PATH", "the project (.)"),
    (("--json",), None, "one JSON document, also for an error"),
)

_EXAMPLES = (
    ('zecher mem recall "login rate limit"', "what is known about it"),
    ("zecher mem write --agent forge --task T --ci pass", "journal what was done"),
    ('zecher mem reinforce --pattern "Short TTL" --ci pass', "raise a pattern's score"),
)


class _UsageError(Exception):
    """What was typed makes no sense."""


def run_mem(words: Sequence[str], streams: Streams) -> int:
    """Run one action; 0 done (a recall without a hit too), 1 for every failure."""
    given, arguments, mistake = _parse(words)
    action = arguments[0] if arguments else ""
    as_json = given.get("json") is True
    if given.get("help"):
        streams.result(_help(action))
        return DONE
    if given.get("version"):
        from jobs import __version__  # noqa: PLC0415 - only for this

        streams.result(f"zecher {__version__}\n")
        return DONE
    streams.quiet = given.get("quiet") is True
    if action not in ACTIONS:
        # On standard error even with --json: BMAD+ has not read the options yet when it says so.
        streams.message(_unknown(action))
        return FAILED
    try:
        return _run(action, arguments[1:], mistake, Typed(given), streams)
    except KeyboardInterrupt:
        code, message = INTERRUPTED, "interrupted"
    except _UsageError as error:
        code, message = FAILED, str(error)
    except ExpectedError as error:
        code, message = FAILED, f"{error.what}: {_sentence(error.why)} {error.fix}"
        as_json = as_json and error.code != NO_OUTPUT
    except Exception as error:  # noqa: BLE001 - the gate of this command: all else ends here, as one message
        code, message = FAILED, _told(error, streams, debug=given.get("debug") is True)
    if as_json:
        from brain.files.javascript_json import to_compact  # noqa: PLC0415 - only after a failure

        streams.result(to_compact({"error": message}) + "\n")
    else:
        streams.message(f"mem {action}: {message}")
    return code


def _run(action: str, words: Sequence[str], mistake: str, typed: Typed, streams: Streams) -> int:
    if mistake:
        raise _UsageError(mistake)
    from jobs.cli.mem_run import MemRun  # noqa: PLC0415 - start-up: help must not wait for the brain
    from jobs.surroundings import surroundings_of_process  # noqa: PLC0415 - as above

    return MemRun(words, typed, surroundings_of_process(typed.text("now")), streams).run(action)


def _told(error: Exception, streams: Streams, *, debug: bool) -> str:
    from brain.files.atomic import OutsideError  # noqa: PLC0415 - only after a failure
    from brain.files.errors import ChangedError, LockedError, MemError, WriteError  # noqa: PLC0415 - as above
    from brain.files.reading import UnreadableError  # noqa: PLC0415 - as above

    if isinstance(error, MemError | WriteError | LockedError | ChangedError | OutsideError | UnreadableError):
        return str(error)
    if debug:
        import traceback  # noqa: PLC0415 - only for this

        for line in "".join(traceback.format_exception(error)).splitlines():
            streams.message(line)
    return f"unexpected error: {type(error).__name__}: {error}; run it again with --debug and report it"


# -- words --------------------------------------------------------------------------------------------------


def _parse(words: Sequence[str]) -> tuple[dict[str, object], list[str], str]:
    """Options by name, the other words, and the first mistake if there is one."""
    takes = {flag: value for flags, value, _ in (*OPTIONS, *_OF_ALL, *GLOBAL_OPTIONS) for flag in flags}
    names = {flag: _name(flags) for flags, _, _ in (*OPTIONS, *_OF_ALL, *GLOBAL_OPTIONS) for flag in flags}
    given: dict[str, object] = {}
    arguments: list[str] = []
    mistake = ""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            arguments.append(word)
            continue
        if word == "--":
            arguments.extend(rest)
            break
        flag, joined, value = _split(word)
        if flag not in names:
            mistake = mistake or _unknown_option(flag, list(names))
        elif takes[flag] is None and joined:
            mistake = mistake or f"{flag} takes no value"
        elif takes[flag] is None:
            given[names[flag]] = True
        else:
            # As in BMAD+, the next word is the value whatever it looks like: a task may begin with a dash.
            found = value if joined else next(rest, None)
            mistake = mistake or _value_mistake(flag, found, names, joined=joined)
            given[names[flag]] = found
    return given, arguments, mistake


def _value_mistake(flag: str, value: str | None, names: Mapping[str, str], *, joined: bool) -> str:
    """What is wrong with a value. The bare name of an option is none: the value before it was left out."""
    if value is None:
        return f"{flag} needs a value"
    if not joined and value.split("=", 1)[0] in names:
        return f"{flag} needs a value before {value}; if that is the value, write {flag}={value}"
    return ""


def _split(word: str) -> tuple[str, bool, str]:
    """The flag, whether a value is joined to it, and that value: ``--limit=3``, ``-d/srv/x``."""
    if word.startswith("--"):
        flag, joined, value = word.partition("=")
        return flag, bool(joined), value
    return word[:2], len(word) > 2, word[2:]


def _name(flags: Sequence[str]) -> str:
    return flags[-1].lstrip("-").replace("-", "_")


def _unknown_option(flag: str, known: list[str]) -> str:
    neighbour = nearest(flag, known)
    return f"unknown option {flag}" + (f"; did you mean {neighbour}?" if neighbour else "")


def _unknown(action: str) -> str:
    known = f"{', '.join(list(ACTIONS)[:-1])} or {list(ACTIONS)[-1]}"
    if not action:
        return f"mem: no action given; use {known}"
    neighbour = nearest(action, list(ACTIONS))
    return f'mem: unknown action "{action}"; ' + (
        f"did you mean {neighbour}?" if neighbour else f"use {known}"
    )


# -- help ---------------------------------------------------------------------------------------------------


def _help(action: str) -> str:
    from jobs.cli.command import examples_text  # noqa: PLC0415 - only for help

    if action not in ACTIONS:
        actions = "\n".join(f"  {name:<10} {what}" for name, (_, what, _) in ACTIONS.items())
        return (
            "usage: zecher mem ACTION [OPTION...]\n\n"
            "The memory of a project as assistants use it, with the formats, figures and\n"
            "texts of BMAD+. Calls no model and asks nothing.\n\n"
            f"actions:\n{actions}\n\n{_options('options', OPTIONS)}\n{_options_of_all()}\n"
            f"{examples_text(_EXAMPLES)}\n\n"
            'Exit codes: 0 done, 1 for every failure. See also "zecher mem ACTION --help".\n'
        )
    arguments, what, flags = ACTIONS[action]
    mine = [option for flag in flags for option in OPTIONS if flag in option[0]]
    examples = [example for example in _EXAMPLES if f" mem {action} " in example[0]]
    usage = " ".join(word for word in ("zecher mem", action, arguments, "[OPTION...]") if word)
    return (
        f"usage: {usage}\n\n{what[0].upper()}{what[1:]}.\n\n"
        + (f"{_options('options', mine)}\n" if mine else "")
        + _options_of_all()
        + (f"\n{examples_text(examples)}\n" if examples else "")
    )


def _options_of_all() -> str:
    return (
        _options("options of every action", _OF_ALL)
        + "\n"
        + _options("options of every command", GLOBAL_OPTIONS)
    )


def _options(title: str, options: Sequence[tuple[tuple[str, ...], str | None, str]]) -> str:
    lines = [
        f"  {', '.join(flags) + (f' {value}' if value else ''):<22} {what}\n"
        for flags, value, what in options
    ]
    return f"{title}:\n{''.join(lines)}"


def _sentence(text: str) -> str:
    """The lines of a reason in one, with one stop at the end of each."""
    return " ".join(line if line.endswith((".", "?", "!")) else f"{line}." for line in text.splitlines())
