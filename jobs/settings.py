"""From what was typed, set and configured to one frozen value: flag, variable, file, default."""

from __future__ import annotations

import os
from collections.abc import Callable

from jobs.config import load_configuration
from jobs.config_values import Configuration, ConfiguredRoot
from jobs.errors import UsageError, nearest
from jobs.limits import (
    COLOURS,
    DEFAULT_ACTIVE_DAYS,
    DEFAULT_DEPTH,
    DEFAULT_MAX_ENTRIES,
    DEFAULT_MAX_FOLDERS,
    DEFAULT_PAUSED_DAYS,
    FORMATS,
    NESTED,
    check_count,
    check_days,
    check_depth,
    check_seconds,
)
from jobs.places import index_brain, scan_cache, state_folder
from jobs.surroundings import Surroundings
from jobs.typed import Typed
from scanner.mounts import read_mounts
from scanner.places import Places
from scanner.project import Root, Thresholds
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.stacks import UserRule

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class RootGroup:
    """Roots that are searched by the same rules; ``thresholds`` are None where those of the scan hold."""

    roots: tuple[Root, ...]
    nested: str
    exclude: tuple[str, ...]
    thresholds: Thresholds | None = None


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """All that a scan of the portfolio needs to know.

    ``brain`` is the folder that holds the index, ``state`` the one for what Zecher remembers about decisions;
    ``now`` is in epoch seconds, ``deadline`` in seconds from the start; ``user_ignore`` names the ignore
    files that hold for all of the user's repositories, there or not. ``unsaved`` asks for what exists only
    here; ``real_git`` has the real git say what is changed. ``cache`` is the file in which a scan leaves what
    it learned, None where all is to be read afresh.
    """

    groups: tuple[RootGroup, ...]
    thresholds: Thresholds
    brain: str
    state: str
    home: str
    now: float
    respect_ignore: bool = False
    deadline: float | None = None
    stacks: tuple[UserRule, ...] = ()
    user_ignore: tuple[str, ...] = ()
    unsaved: bool = False
    real_git: bool = False
    emails: tuple[str, ...] = ()
    cache: str | None = None

    @property
    def roots(self) -> tuple[Root, ...]:
        """All roots, as they were named."""
        return tuple(root for group in self.groups for root in group.roots)


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """What a command needs that only reads the index."""

    brain: str
    state: str
    home: str
    now: float


@dataclass(frozen=True, slots=True)
class OutputSettings:
    """How results are shown; ``format`` is None where it depends on who reads."""

    format: str | None
    colour: str


def output_settings(typed: Typed, surroundings: Surroundings) -> OutputSettings:
    """``--format`` with its short form ``--json``, and ``--color``."""
    chosen = _choice(typed.text("format"), "--format", FORMATS)
    from_variable = _choice(surroundings.variable("FORMAT"), "ZECHER_FORMAT", FORMATS)
    if typed.on("json"):
        if chosen not in (None, "json"):
            raise UsageError(
                "format-conflict",
                f"--json and --format {chosen} contradict each other",
                "one command has one output",
                "Leave one of them out.",
            )
        chosen = "json"
    colour = _choice(typed.text("color"), "--color", COLOURS) or _choice(
        surroundings.variable("COLOR"), "ZECHER_COLOR", COLOURS
    )
    return OutputSettings(chosen or from_variable, colour or "auto")


def read_settings(typed: Typed, surroundings: Surroundings) -> ReadSettings:
    """Where the index lies."""
    configuration = load_configuration(surroundings, typed.text("config"))
    return ReadSettings(
        brain=index_brain(typed, surroundings, configuration),
        state=state_folder(surroundings, configuration),
        home=surroundings.home,
        now=surroundings.now,
    )


def scan_settings(typed: Typed, surroundings: Surroundings, *, here: bool = True) -> ScanSettings:
    """Everything for a scan; raises ``UsageError`` for the first value that makes no sense.

    Where no root is named or configured it is the current folder, or, unless ``here``, none.
    """
    configuration = load_configuration(surroundings, typed.text("config"))
    pick = _Picker(typed, surroundings)
    thresholds = _thresholds(pick, None, configuration)
    return ScanSettings(
        groups=_groups(typed, surroundings, configuration, pick, here=here),
        thresholds=thresholds,
        brain=index_brain(typed, surroundings, configuration),
        state=state_folder(surroundings, configuration),
        home=surroundings.home,
        now=surroundings.now,
        respect_ignore=pick.switch("respect_ignore", default=bool(configuration.respect_ignore)),
        deadline=pick.number("deadline", check_seconds, configuration.deadline),
        stacks=configuration.stacks,
        user_ignore=_user_ignore(surroundings),
        emails=_emails(surroundings, configuration),
        # An index that says nothing of unsaved work would be half an index; a mere look shall be quick.
        unsaved=pick.switch("unsaved", default=typed.on("git") or not typed.on("dry_run")),
        real_git=typed.on("git"),
        cache=None if typed.on("no_cache") else scan_cache(surroundings, configuration),
    )


class _Picker:
    """Finds the first place that gives a value, and names that place when the value is no good."""

    def __init__(self, typed: Typed, surroundings: Surroundings) -> None:
        self._typed = typed
        self._surroundings = surroundings

    def given(self, name: str) -> tuple[str | None, str]:
        """The text from the flag or the variable, and what that one is called."""
        flag = self._typed.text(name)
        if flag is not None:
            return flag, "--" + name.replace("_", "-")
        return self._surroundings.variable(name.upper()), "ZECHER_" + name.upper()

    def number(
        self, name: str, check: Callable[[object], float | str], configured: float | None
    ) -> float | None:
        text, origin = self.given(name)
        if text is None:
            return configured
        checked = check(text)
        if isinstance(checked, str):
            raise UsageError(
                "bad-value",
                f"{origin} {text}",
                f"{text!r} {checked}",
                f"Give {origin} another value or leave it out.",
            )
        return checked

    def choice(self, name: str, known: tuple[str, ...]) -> str | None:
        text, origin = self.given(name)
        return _choice(text, origin, known)

    def switch(self, name: str, *, default: bool) -> bool:
        if self._typed.on(name):
            return True
        text = (self._surroundings.variable(name.upper()) or "").lower()
        if text and text not in (*_TRUE, *_FALSE):
            raise UsageError(
                "bad-value",
                f"ZECHER_{name.upper()}={text}",
                "it is neither true nor false",
                "Set it to 1 or 0.",
            )
        return text in _TRUE if text else default


def _choice(text: str | None, origin: str, known: tuple[str, ...]) -> str | None:
    if text is None or text in known:
        return text
    neighbour = nearest(text, list(known))
    raise UsageError(
        "bad-value",
        f"{origin} {text}",
        f"{text!r} is not one of {', '.join(known)}",
        f"Did you mean {neighbour}?" if neighbour else f"Use {origin} {known[0]}, for example.",
    )


def _thresholds(pick: _Picker, root: ConfiguredRoot | None, configuration: Configuration) -> Thresholds:
    """The thresholds of ``root``, else of everywhere; a flag or variable beats what the file says."""
    levels = (configuration,) if root is None else (root, configuration)
    active, paused = (
        pick.number(name, check_days, next(filter(None, (getattr(one, name) for one in levels)), None))
        for name in ("active_days", "paused_days")
    )
    thresholds = Thresholds(active or DEFAULT_ACTIVE_DAYS, paused or DEFAULT_PAUSED_DAYS)
    if thresholds.active < thresholds.paused:
        return thresholds
    where = f"{root.path}: " if root is not None else ""
    raise UsageError(
        "bad-thresholds",
        f"{where}active below {thresholds.active:g} days, paused below {thresholds.paused:g} days",
        "a project is active first, then paused: the first number must be the smaller one",
        "Give --active-days a smaller or --paused-days a larger number.",
    )


def _groups(
    typed: Typed, surroundings: Surroundings, configuration: Configuration, pick: _Picker, *, here: bool
) -> tuple[RootGroup, ...]:
    # A flag or variable beats what the file says, for a single root too.
    depth = pick.number("depth", check_depth, None)
    nested = pick.choice("nested", NESTED)
    excluded = typed.texts("exclude")
    for pattern in excluded:
        if not pattern.strip() or "\0" in pattern:
            raise UsageError(
                "bad-value", "--exclude is empty", "it excludes nothing", "Give a pattern or leave it out."
            )
    named = (*typed.texts("paths"), *typed.texts("directory"))
    if any(not path for path in named):
        raise UsageError(
            "empty-path", "an empty PATH", "it names no folder", "Name a folder, or . for this one."
        )
    wanted: tuple[ConfiguredRoot, ...] = tuple(ConfiguredRoot(surroundings.absolute(path)) for path in named)
    wanted = wanted or configuration.roots
    if not wanted and here:
        wanted = (ConfiguredRoot(surroundings.absolute(".")),)
    groups: dict[tuple[str, tuple[str, ...], Thresholds | None], list[Root]] = {}
    for root in wanted:
        own = root.active_days or root.paused_days
        rules = (
            nested or root.nested or configuration.nested or "none",
            (*configuration.exclude, *root.exclude, *excluded),
            _thresholds(pick, root, configuration) if own else None,
        )
        depth_here = int(depth or 0) or root.depth or configuration.depth or DEFAULT_DEPTH
        entries, folders = (
            pick.number(name, check_count, getattr(root, name) or getattr(configuration, name)) or most
            for name, most in (("max_entries", DEFAULT_MAX_ENTRIES), ("max_folders", DEFAULT_MAX_FOLDERS))
        )
        groups.setdefault(rules, []).append(Root(root.path, depth_here, int(entries), int(folders)))
    return tuple(RootGroup(tuple(roots), *rules) for rules, roots in groups.items())


def _emails(surroundings: Surroundings, configuration: Configuration) -> tuple[str, ...]:
    """The addresses under which the user commits: those of the configuration, and what git would use."""
    named = _git_settings(surroundings, "user.email")
    return tuple(dict.fromkeys([*configuration.emails, *(address for address in named[-1:] if address)]))


def _git_settings(surroundings: Surroundings, key: str) -> list[str]:
    """What the user's two git configurations say of ``key``; the last one wins.

    Both may be links: many people keep them in a repository of their own. What they include is not read.
    """
    from scanner.git.config import read_config  # noqa: PLC0415 - start-up: only a scan needs it
    from scanner.git.problems import ProblemLog  # noqa: PLC0415 - as above

    folder = os.path.join(surroundings.base("XDG_CONFIG_HOME", ".config"), "git")
    files = (os.path.join(folder, "config"), surroundings.at_home(".gitconfig"))
    values = (read_config(os.path.realpath(path), ProblemLog()).get(key) for path in files)
    return [value for value in values if value is not None]


def _user_ignore(surroundings: Surroundings) -> tuple[str, ...]:
    """The ignore file that the user has told git to use everywhere, as git-config(1) finds it.

    It may be a link.
    """
    chosen = os.path.join(surroundings.base("XDG_CONFIG_HOME", ".config"), "git", "ignore")
    for named in _git_settings(surroundings, "core.excludesFile"):
        if named is not None:
            chosen = surroundings.absolute(named) if named.startswith(("/", "~/")) else ""
    return (os.path.realpath(chosen),) if chosen else ()


def is_whole_disk(root: Root) -> bool:
    """Whether ``root`` is the root of the file system, by whatever name."""
    path = Places(read_mounts()).near_path(root.path)
    return os.path.dirname(path) == path
