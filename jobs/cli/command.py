"""What a command is, how its options are typed, and how its help reads.

The parsers know the commands, never the other way round. Options are kept as they were typed: a second stage
(``jobs.settings``) turns them into settings, so that a flag, a variable and the configuration are checked by
the same rules. Built on argparse, which every installation has; it costs 8 ms and only commands pay them.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence

from jobs.cli.options import GLOBAL_OPTIONS
from jobs.errors import UsageError, nearest
from jobs.streams import Streams
from jobs.surroundings import Surroundings
from jobs.typed import Typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Invocation:
    """One command about to run: what was typed, what surrounds it, where its output goes."""

    __slots__ = ("streams", "surroundings", "typed")

    def __init__(self, typed: Typed, surroundings: Surroundings, streams: Streams) -> None:
        self.typed = typed
        self.surroundings = surroundings
        self.streams = streams


class Command:
    """A command of the command line; ``run`` returns the exit code."""

    __slots__ = ("add_options", "details", "examples", "name", "run", "summary", "usage")

    def __init__(
        self,
        name: str,
        *,
        usage: str,
        summary: str,
        details: str,
        examples: Sequence[tuple[str, str]],
        add_options: Callable[[Parser], None],
        run: Callable[[Invocation], int],
    ) -> None:
        self.name = name
        self.usage = usage
        self.summary = summary
        self.details = details
        self.examples = examples
        self.add_options = add_options
        self.run = run


class Parser(argparse.ArgumentParser):
    """Raises ``UsageError`` instead of leaving the process, and knows the neighbours of a mistyped option."""

    def __init__(self, program: str, command: Command) -> None:
        super().__init__(
            prog=program,
            usage=f"{program} {command.usage}",
            description=command.details,
            epilog=examples_text(command.examples, program, command.name),
            formatter_class=_Formatter,
            argument_default=argparse.SUPPRESS,
            allow_abbrev=False,
            add_help=False,
        )
        self._known: list[str] = []
        self._with_value: set[str] = set()
        self._may_be_bare: set[str] = set()
        command.add_options(self)
        everywhere = self.add_argument_group("options of every command")
        for flags, metavar, text in GLOBAL_OPTIONS:
            self._known.extend(flags)
            if metavar is None:
                everywhere.add_argument(*flags, action="store_true", help=text)
            else:
                self._with_value.update(flags)
                everywhere.add_argument(*flags, metavar=metavar, help=text)

    def option(self, *flags: str, help: str, metavar: str | None = None, repeat: bool = False) -> None:  # noqa: A002 - the word that argparse uses
        """An option of the command: a switch without ``metavar``, else with a value, kept as typed."""
        self._known.extend(flags)
        if metavar is None:
            self.add_argument(*flags, action="store_true", help=help)
        else:
            self._with_value.update(flags)
            self.add_argument(*flags, metavar=metavar, action="append" if repeat else "store", help=help)

    def option_or_switch(self, flag: str, *, help: str, metavar: str) -> None:  # noqa: A002 - as above
        """An option whose value is joined to it by ``=`` or left out: then its text is empty."""
        self._known.append(flag)
        self._may_be_bare.add(flag)
        self.add_argument(flag, metavar=metavar, help=help)

    def arguments(self, name: str, metavar: str, help: str) -> None:  # noqa: A002 - as above
        """Any number of arguments without a flag."""
        self.add_argument(name, nargs="*", metavar=metavar, help=help)

    def parse(self, words: Sequence[str]) -> Typed:
        """What was typed, or ``UsageError`` with the nearest neighbour of a mistake."""
        found, strays = self.parse_known_args(self._joined(words))
        if strays:
            raise self._stray(strays[0])
        return Typed(vars(found))

    def _joined(self, words: Sequence[str]) -> list[str]:
        """The words with a value that begins with a dash tied to its option, unless it is an option itself.

        Argparse would take "-v is verbose" for an option that it does not know.
        """
        joined: list[str] = []
        for place, word in enumerate(words):
            if word == "--":
                return [*joined, *words[place:]]
            before = joined[-1] if joined else ""
            if word in self._may_be_bare and before not in self._with_value:
                joined.append(f"{word}=")
                continue
            is_value = before in self._with_value and word.startswith("-") and word != "-"
            if is_value and word.split("=", 1)[0] not in self._known:
                joined[-1] = f"{before}={word}" if before.startswith("--") else before + word
            else:
                joined.append(word)
        return joined

    def _stray(self, word: str) -> UsageError:
        if word.startswith("-") and word != "-":
            name = word.split("=", 1)[0]
            neighbour = nearest(name, self._known)
            return UsageError(
                "unknown-option",
                f"unknown option {name}",
                f"{self.prog} has no option of that name (options cannot be shortened)",
                f"Did you mean {neighbour}?" if neighbour else f"See {self.prog} --help.",
            )
        return UsageError(
            "unexpected-argument",
            f"unexpected argument {word!r}",
            f"{self.prog} takes no further argument",
            f"See {self.prog} --help.",
        )

    def error(self, message: str) -> NoReturn:
        """Argparse found a mistake: say it our way."""
        raise UsageError(
            "bad-option",
            message.removeprefix("argument "),
            "the command line does not fit",
            f"See {self.prog} --help.",
        )


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        # The width is passed in, or argparse would import shutil and with it three compression libraries.
        super().__init__(prog, max_help_position=26, width=help_width())

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return str(action.metavar)
        value = f" {action.metavar}" if action.nargs != 0 else ""
        return ", ".join(action.option_strings) + value


def help_width() -> int:
    """How wide help may be: the terminal, but no wider than reads well."""
    try:
        columns = int(os.environ.get("COLUMNS", "")) or os.get_terminal_size().columns
    except (ValueError, OSError):
        columns = 80
    return max(40, min(columns, 100) - 2)


def examples_text(examples: Sequence[tuple[str, str]], program: str = "", name: str = "") -> str:
    """Examples, one a line; under the second name of a command they use that name."""
    shown = [(line.replace(f"zecher {name}", program, 1) if name else line, what) for line, what in examples]
    width = max(len(line) for line, _ in shown)
    return "examples:\n" + "\n".join(f"  {line.ljust(width)}  {what}" for line, what in shown)
