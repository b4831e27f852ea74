"""Checks a configuration whole: every mistake is named with its line, its key and a hint, all at once.

Each table of the file has its table of checks here (``_TOP``, ``_SCAN``, ``_ROOT``, ``_STACK``); a new key is
a new line in one of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping

import tomli

from jobs.config_lines import Lines
from jobs.config_values import Configuration, ConfiguredRoot
from jobs.errors import UsageError, nearest
from jobs.limits import NESTED, check_days, check_depth, check_seconds
from jobs.surroundings import Surroundings
from scanner.project import Problem
from scanner.stacks import UserRule, load_markers


def parse_configuration(path: str, data: bytes, surroundings: Surroundings) -> Configuration:
    """What the file at ``path`` says; raises ``UsageError`` with all mistakes at once."""
    try:
        text = data.decode("utf-8")
        tables = tomli.loads(text.removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        raise _syntax(path, f"byte {error.start} is not UTF-8") from None
    except (tomli.TOMLDecodeError, RecursionError) as error:
        raise _syntax(path, str(error) or "nested too deeply") from None
    checker = _Checker(path, Lines(text), surroundings)
    configuration = checker.configuration(tables)
    if checker.problems:
        raise _mistakes(path, tuple(checker.problems))
    return configuration


def _syntax(path: str, why: str) -> UsageError:
    return UsageError(
        "config-syntax", f"{path} is not TOML", why, "Mend that place; the file is TOML.", path=path
    )


def _mistakes(path: str, problems: tuple[Problem, ...]) -> UsageError:
    count = len(problems)
    return UsageError(
        problems[0].code if count == 1 else "config-invalid",
        f"{count} mistake{'' if count == 1 else 's'} in {path}",
        "\n".join(f"{problem.message}. {problem.fix}".strip() for problem in problems),
        "Mend what is listed; nothing was done.",
        path=path,
        problems=problems,
    )


class _WrongError(Exception):
    def __init__(self, complaint: str, hint: str) -> None:
        """What is wrong with a value, and how to write it instead."""
        super().__init__(complaint)
        self.complaint = complaint
        self.hint = hint


class _Checker:
    """Walks the parsed file with the tables of checks and collects every mistake."""

    def __init__(self, path: str, lines: Lines, surroundings: Surroundings) -> None:
        self._path = path
        self._lines = lines
        self._surroundings = surroundings
        self.problems: list[Problem] = []

    def configuration(self, tables: Mapping[str, object]) -> Configuration:
        top = self._table(tables, "", _TOP)
        scan = self._table(_mapping(top.get("scan")), "scan", _SCAN)
        me = self._table(_mapping(top.get("me")), "me", _ME)
        stacks = tuple(self._stacks(tables.get("stacks")))
        roots = tuple(self._roots(scan.pop("roots", None)))
        brain = top.get("brain")
        return Configuration(
            path=self._path,
            brain=brain if isinstance(brain, str) else None,
            roots=roots,
            stacks=stacks,
            **me,  # type: ignore[arg-type]  # the checks of _ME give exactly this type
            **scan,  # type: ignore[arg-type]  # the checks of _SCAN give exactly these types
        )

    def _table(
        self, table: Mapping[str, object], name: str, checks: Mapping[str, _Check], place: int = 0
    ) -> dict[str, object]:
        good: dict[str, object] = {}
        for key, value in table.items():
            check = checks.get(key)
            if check is None:
                neighbour = nearest(key, list(checks))
                hint = (
                    f"Did you mean {neighbour}?" if neighbour else f"Known here: {', '.join(sorted(checks))}."
                )
                self._add((name, key, place), _WrongError("no such key", hint), "config-unknown-key")
                continue
            try:
                good[key] = check(value, self._surroundings)
            except _WrongError as wrong:
                self._add((name, key, place), wrong)
        return good

    def _roots(self, values: object) -> list[ConfiguredRoot]:
        found = []
        for value in values if isinstance(values, list) else ():
            table = {"path": value} if isinstance(value, str) else value
            good = self._table(table, "scan.roots", _ROOT)
            if "path" in good:
                found.append(ConfiguredRoot(**good))  # type: ignore[arg-type]  # types by _ROOT
            elif "path" not in table:
                self._add(("scan", "roots", 0), _WrongError("a root has no path", 'Write path = "/a/path".'))
        return found

    def _stacks(self, values: object) -> Iterator[UserRule]:
        for place, value in enumerate(values if isinstance(values, list) else ()):
            if not isinstance(value, dict):
                continue  # the check of the top table has said so
            good = self._table(value, "stacks", _STACK, place)
            if "glob" not in value:
                self._add(("stacks", "glob", place), _WrongError("is missing", 'Write glob = "*.ext".'))
            if "glob" not in good:
                continue
            good["root_class"] = good.pop("class", "label")
            rule = UserRule(**good)  # type: ignore[arg-type]  # types by _STACK
            for problem in load_markers((rule,)).problems:
                # The scanner names what it cannot use "markers[0].<key>".
                key = problem.path.rpartition(".")[2]
                self._add(("stacks", key, place), _WrongError(problem.message, problem.fix))
            yield rule

    def _add(self, place: tuple[str, str, int], wrong: _WrongError, code: str = "config-bad-value") -> None:
        """Note one mistake; ``place`` is the table, the key, and which of several tables of that name."""
        table, key, _ = place
        line = self._lines.find(*place)
        spelled = f"{table}.{key}" if table else key
        where = f"line {line}: " if line else ""
        message = f"{where}{spelled}: {wrong.complaint}"
        self.problems.append(Problem(code, "error", self._path, message, wrong.hint))


_Check = Callable[[object, Surroundings], object]


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _folder(value: object, surroundings: Surroundings) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise _WrongError("is not the path of a folder", 'Write it like "~/dev".')
    if not (os.path.isabs(value) or value == "~" or value.startswith("~/")):
        # A job is started from anywhere: a relative path would mean another folder each time.
        raise _WrongError(f"{value!r} is relative", "Start it with / or ~/.")
    return surroundings.absolute(value)


def _checked(check: Callable[[object], float | str]) -> _Check:
    def run(value: object, _: Surroundings) -> float:
        # A string holds a number on the command line only; in TOML numbers stand without quotes.
        result = "is text" if isinstance(value, str) else check(value)
        if isinstance(result, str):
            raise _WrongError(f"{value!r} {result}", "Write a number without quotes.")
        return result

    return run


def _one_of(*words: str) -> _Check:
    def run(value: object, _: Surroundings) -> str:
        if not isinstance(value, str) or value not in words:
            neighbour = nearest(value, list(words)) if isinstance(value, str) else None
            hint = f"Did you mean {neighbour!r}?" if neighbour else f"One of: {', '.join(words)}."
            raise _WrongError(f"{value!r} is not known", hint)
        return value

    return run


def _switch(value: object, _: Surroundings) -> bool:
    if not isinstance(value, bool):
        raise _WrongError(f"{value!r} is neither true nor false", "Write true or false without quotes.")
    return value


def _whole(value: object, _: Surroundings) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _WrongError(f"{value!r} is not a whole number", "Write a number without quotes.")
    return value


def _text(value: object, _: Surroundings) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise _WrongError("is not a text", 'Write it in quotes: "text".')
    return value


def _texts(value: object, surroundings: Surroundings) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _WrongError("is not a list", 'Write it like ["old/", "*.bak"].')
    return tuple(_text(item, surroundings) for item in value)


def _addresses(value: object, surroundings: Surroundings) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _WrongError("is not a list", 'Write it like ["ana@example.com"].')
    return tuple(_text(item, surroundings).strip() for item in value)


def _table_of_keys(value: object, _: Surroundings) -> object:
    if not isinstance(value, dict):
        raise _WrongError("is not a table", "Write it as a table with its own keys.")
    return value


def _list_of_tables(value: object, _: Surroundings) -> object:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _WrongError("is not a list of tables", "Write [[stacks]] before each rule.")
    return value


def _root_list(value: object, _: Surroundings) -> object:
    if not isinstance(value, list) or not value:
        raise _WrongError("names no root", 'Write it like ["~/dev", "~/work"], or leave the key out.')
    if not all(isinstance(item, str | dict) for item in value):
        raise _WrongError(
            "holds something that is no path", 'Each root is "path" or { path = "path", depth = 3 }.'
        )
    return value


_TOP: Mapping[str, _Check] = {
    "brain": _folder,
    "me": _table_of_keys,
    "scan": _table_of_keys,
    "stacks": _list_of_tables,
}
_ME: Mapping[str, _Check] = {"emails": _addresses}
_SCAN: Mapping[str, _Check] = {
    "roots": _root_list,
    "depth": _checked(check_depth),
    "active_days": _checked(check_days),
    "paused_days": _checked(check_days),
    "nested": _one_of(*NESTED),
    "exclude": _texts,
    "respect_ignore": _switch,
    "deadline": _checked(check_seconds),
}
_ROOT: Mapping[str, _Check] = {
    "path": _folder,
    "depth": _checked(check_depth),
    "nested": _one_of(*NESTED),
    "exclude": _texts,
    "active_days": _checked(check_days),
    "paused_days": _checked(check_days),
}
_STACK: Mapping[str, _Check] = {
    "glob": _text,
    "label": _text,
    "class": _one_of("strong", "weak", "label"),
    "priority": _whole,
}
