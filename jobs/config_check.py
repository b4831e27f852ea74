"""Checks a configuration whole: every mistake is named with its line, its key and a hint, all at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from jobs.config_keys import (
    DREAMING,
    HOOK,
    ME,
    MEMORY,
    NOTIFY,
    REPORTS,
    ROOT,
    SCAN,
    SCHEDULE,
    STACK,
    TABLES,
    TOP,
    Check,
    WrongError,
)
from jobs.config_lines import Lines, Path, toml_lines
from jobs.config_values import (
    Configuration,
    ConfiguredDreaming,
    ConfiguredNotices,
    ConfiguredReports,
    ConfiguredRoot,
    ConfiguredSchedule,
    Hook,
    MemoryLimits,
    Mistake,
)
from jobs.errors import UsageError, nearest
from jobs.limits import DEFAULT_ACTIVE_DAYS, DEFAULT_PAUSED_DAYS
from jobs.surroundings import Surroundings
from scanner.project import Problem
from scanner.stacks import UserRule, load_markers
from scanner.value import replace

_AT_THE_END = "at end of document"  # how the parser says it, without the number of a line
YAML_ENDINGS = (".yaml", ".yml")


def parse_configuration(path: str, data: bytes, surroundings: Surroundings) -> Configuration:
    """What the file at ``path`` says; raises ``UsageError`` with all mistakes at once."""
    configuration, mistakes = check_configuration(path, data, surroundings)
    if mistakes:
        raise _refusal(path, mistakes)
    return configuration


def check_configuration(
    path: str, data: bytes, surroundings: Surroundings
) -> tuple[Configuration, tuple[Mistake, ...]]:
    """What the file at ``path`` says, as far as it makes sense, and every mistake in the order of its lines.

    YAML where the name says so, else TOML. ``UsageError`` for what is neither.
    """
    tables, lines = _read(path, data)
    checker = _Checker(path, lines, surroundings)
    configuration = checker.configuration(tables)
    return configuration, tuple(sorted(checker.mistakes, key=lambda mistake: mistake.line or 0))


def _read(path: str, data: bytes) -> tuple[Mapping[str, object], Lines]:
    is_yaml = path.endswith(YAML_ENDINGS)
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        why = f"byte {error.start} is not UTF-8 (line {line})"
        raise _syntax(path, "YAML" if is_yaml else "TOML", why) from None
    if is_yaml:
        return _read_yaml(path, text)
    import tomli  # noqa: PLC0415 - start-up: a configuration in YAML needs none

    try:
        return tomli.loads(text), toml_lines(text)
    except (tomli.TOMLDecodeError, RecursionError) as error:
        why = (str(error) or "nested too deeply").replace(_AT_THE_END, _last_line(text))
        raise _syntax(path, "TOML", why) from None


def _last_line(text: str) -> str:
    return f"at line {text.rstrip().count(chr(10)) + 1}, the last"


def _read_yaml(path: str, text: str) -> tuple[Mapping[str, object], Lines]:
    from jobs.config_yaml import YAML_CAP, YamlError, read_yaml  # noqa: PLC0415 - only where it is YAML

    if len(text.encode()) > YAML_CAP:
        raise _syntax(path, "YAML", f"it is larger than {YAML_CAP // 1024} KiB")
    try:
        return read_yaml(text)
    except (YamlError, RecursionError) as error:
        raise _syntax(path, "YAML", str(error) or "nested too deeply") from None


def _syntax(path: str, language: str, why: str) -> UsageError:
    return UsageError(
        "config-syntax",
        f"{path} is not {language} as it is read here",
        why,
        f"Mend that place; the file is {language}.",
        path=path,
    )


def _refusal(path: str, mistakes: tuple[Mistake, ...]) -> UsageError:
    count = len(mistakes)
    problems = tuple(problem_of(path, mistake) for mistake in mistakes)
    return UsageError(
        problems[0].code if count == 1 else "config-invalid",
        f"{count} mistake{'' if count == 1 else 's'} in {path}",
        "\n".join(f"{problem.message}. {problem.fix}".strip() for problem in problems),
        "Mend what is listed; nothing was done.",
        path=path,
        problems=problems,
    )


def problem_of(path: str, mistake: Mistake) -> Problem:
    """A mistake in the file at ``path`` as every command reports problems."""
    where = f"line {mistake.line}: " if mistake.line else ""
    message = f"{where}{mistake.key}: {mistake.complaint}"
    return Problem(mistake.code, mistake.level, path, message, mistake.hint)


class _Checker:
    """Walks the parsed file with the tables of checks and collects every mistake."""

    def __init__(self, path: str, lines: Lines, surroundings: Surroundings) -> None:
        self._path = path
        self._lines = lines
        self._surroundings = surroundings
        self._found: dict[str, int] = {}
        self.mistakes: list[Mistake] = []

    def configuration(self, tables: Mapping[str, object]) -> Configuration:
        top = self._table(tables, (), TOP)
        scan = self._part(top, "scan", SCAN)
        roots = tuple(self._roots(scan.pop("roots", None), scan))
        hooks = tuple(self._hooks(top.get("hooks")))
        me = self._part(top, "me", ME)
        places = {name: top[name] for name in ("brain", "state", "cache") if name in top}
        found = Configuration(
            path=self._path,
            roots=roots,
            stacks=tuple(self._stacks(top.get("stacks"))),
            hooks=hooks,
            # The checks of each table give exactly the types of the value that is made of it.
            schedule=ConfiguredSchedule(**self._part(top, "schedule", SCHEDULE)),  # type: ignore[arg-type] # as above
            reports=ConfiguredReports(**self._part(top, "reports", REPORTS)),  # type: ignore[arg-type] # as above
            memory=MemoryLimits(**self._part(top, "memory", MEMORY)),  # type: ignore[arg-type] # as above
            dreaming=ConfiguredDreaming(**self._part(top, "dreaming", DREAMING)),  # type: ignore[arg-type] # as above
            notify=ConfiguredNotices(**self._part(top, "notify", NOTIFY)),  # type: ignore[arg-type] # as above
            **places,  # type: ignore[arg-type] # as above
            **me,  # type: ignore[arg-type] # as above
            **scan,  # type: ignore[arg-type] # as above
        )
        self._check_places(found)
        return replace(found, lines=tuple(self._found.items()))

    # -- tables --------------------------------------------------------------------------------------------

    def _part(self, top: Mapping[str, object], name: str, checks: Mapping[str, Check]) -> dict[str, object]:
        table = top.get(name)
        return self._table(table if isinstance(table, dict) else {}, (name,), checks)

    def _table(
        self, table: Mapping[str, object], path: Path, checks: Mapping[str, Check]
    ) -> dict[str, object]:
        good: dict[str, object] = {}
        for key, value in table.items():
            here = (*path, key)
            check = checks.get(key)
            if check is None:
                self._add(
                    here, WrongError("no such key", _where_it_belongs(key, checks)), "config-unknown-key"
                )
                continue
            try:
                good[key] = check(value, self._surroundings)
            except WrongError as wrong:
                self._add(here if wrong.inside is None else (*here, wrong.inside), wrong)
            else:
                self._found.setdefault(_spelled(here), self._lines.find(here) or 0)
        return good

    def _roots(self, values: object, scan: Mapping[str, object]) -> Iterator[ConfiguredRoot]:
        self._check_order(("scan",), scan, {})
        kept = 0
        for place, value in enumerate(values if isinstance(values, list) else ()):
            table = value if isinstance(value, dict) else {"path": value}
            here: Path = ("scan", "roots", place)
            good = self._table(table, here, ROOT)
            self._check_order(here, good, scan)
            if "path" in good:
                self._found[f"scan.roots[{kept}]"] = self._lines.find(here) or 0
                kept += 1
                yield ConfiguredRoot(**good)  # type: ignore[arg-type] # types by ROOT
            elif "path" not in table:
                self._add(here, WrongError("a root has no path", 'Write path = "/a/path".'))

    def _stacks(self, values: object) -> Iterator[UserRule]:
        for place, value in enumerate(values if isinstance(values, list) else ()):
            here: Path = ("stacks", place)
            good = self._table(value, here, STACK)
            if "glob" not in value:
                self._add((*here, "glob"), WrongError("is missing", 'Write glob = "*.ext".'))
            if "glob" not in good:
                continue
            good["root_class"] = good.pop("class", "label")
            rule = UserRule(**good)  # type: ignore[arg-type] # types by STACK
            for problem in load_markers((rule,)).problems:
                # The scanner names what it cannot use "markers[0].<key>".
                key = problem.path.rpartition(".")[2]
                self._add((*here, key), WrongError(problem.message, problem.fix))
            yield rule

    def _hooks(self, values: object) -> Iterator[Hook]:
        kept = 0
        for place, value in enumerate(values if isinstance(values, list) else ()):
            here: Path = ("hooks", place)
            good = self._table(value, here, HOOK)
            if "run" not in value:
                self._add((*here, "run"), WrongError("is missing", 'Write run = ["/path/to/program"].'))
            if "run" in good:
                self._found[f"hooks[{kept}]"] = self._lines.find(here) or 0
                kept += 1
                yield Hook(**good)  # type: ignore[arg-type] # types by HOOK

    # -- what only holds together --------------------------------------------------------------------------

    def _check_order(self, path: Path, table: Mapping[str, object], around: Mapping[str, object]) -> None:
        """The two thresholds of a table that sets one of them; what it leaves out comes from ``around``."""
        said = [key for key in ("active_days", "paused_days") if key in table]
        if not said:
            return
        merged = {"active_days": DEFAULT_ACTIVE_DAYS, "paused_days": DEFAULT_PAUSED_DAYS, **around, **table}
        fewer, more = merged["active_days"], merged["paused_days"]
        if isinstance(fewer, float) and isinstance(more, float) and fewer >= more:
            complaint = f"active below {fewer:g} days, but paused below {more:g} days"
            self._add((*path, said[0]), WrongError(complaint, "active_days must be less than paused_days."))

    def _check_places(self, found: Configuration) -> None:
        home = self._surroundings.home
        brain = found.brain or (os.path.join(home, ".bmad-plus", "brain") if home else None)
        for path, place, what in (
            (("reports", "folder"), found.reports.folder, "reports would be read back as memory"),
            (("state",), found.state, "what belongs to this machine would be taken for memory"),
            (("cache",), found.cache, "what may be deleted would be taken for memory"),
        ):
            if place and brain and (place == brain or place.startswith(brain.rstrip("/") + "/")):
                complaint = f"lies in the brain, {brain}: {what}"
                self._add(path, WrongError(complaint, "Choose a folder outside."))
        if found.state and found.state == found.cache:
            complaint = "is the state folder too, but a cache may be deleted at any time"
            self._add(("cache",), WrongError(complaint, "Choose another folder for one of them."))

    def _add(self, path: Path, wrong: WrongError, code: str = "config-bad-value") -> None:
        line = self._lines.find(path)
        self.mistakes.append(Mistake(code, line, _spelled(path), wrong.complaint, wrong.hint))


def _spelled(path: Path) -> str:
    """A key as people write it: without the places of tables in lists."""
    return ".".join(part for part in path if isinstance(part, str))


def _where_it_belongs(key: str, checks: Mapping[str, Check]) -> str:
    tables = [name for name, known in TABLES.items() if key in known]
    if tables:
        return f"It belongs into [{tables[0]}]." if tables[0] else "It belongs before the first table."
    neighbour = nearest(key, list(checks))
    if neighbour:
        return f"Did you mean {neighbour}?"
    anywhere = {name: table for table, known in TABLES.items() for name in known}
    far = nearest(key, list(anywhere))
    if far:
        table = anywhere[far]
        return (
            f"Did you mean {far} of [{table}]?" if table else f"Did you mean {far}, before the first table?"
        )
    return f"Known here: {', '.join(sorted(checks))}."
