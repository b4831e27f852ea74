"""Every setting as it holds here and now, and who says so: flag, variable, file and line, or default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jobs.config_values import Configuration
from jobs.limits import (
    DEFAULT_ACTIVE_DAYS,
    DEFAULT_DEPTH,
    DEFAULT_MAX_ENTRIES,
    DEFAULT_MAX_FOLDERS,
    DEFAULT_PAUSED_DAYS,
)
from jobs.places import brain_override, cache_folder, reports_folder
from jobs.settings import ScanSettings
from jobs.surroundings import Surroundings
from jobs.typed import Typed

DEFAULT = "default"

# Settings of the scan with their defaults. A variable of the same name wins over the file.
_SCAN: Mapping[str, object] = {
    "depth": DEFAULT_DEPTH,
    "active_days": DEFAULT_ACTIVE_DAYS,
    "paused_days": DEFAULT_PAUSED_DAYS,
    "nested": "none",
    "respect_ignore": False,
    "deadline": None,
    "max_folders": DEFAULT_MAX_FOLDERS,
    "max_entries": DEFAULT_MAX_ENTRIES,
}
# Tables of which only the file speaks, with the keys that are shown as they are.
_TABLES: Mapping[str, tuple[str, ...]] = {
    "schedule": ("nightly", "weekly", "dreaming", "zone"),
    "reports": ("keep_weeks",),
    "memory": ("file_lines", "file_bytes", "total_tokens", "warn_percent", "audit", "semantic"),
    "dreaming": (
        "enabled",
        "workspaces",
        "auto_promote",
        "recall_log",
        "min_score",
        "min_recalls",
        "min_queries",
        "min_days",
        "max_age_days",
        "half_life_days",
        "limit",
        "budget",
        "cues",
    ),
}


class Setting:
    """One setting: its key in the configuration file, the value that holds, and who says so."""

    __slots__ = ("key", "origin", "value")

    def __init__(self, key: str, value: object, origin: str) -> None:
        self.key = key
        self.value = value
        self.origin = origin


def settings_with_origins(
    configuration: Configuration, scan: ScanSettings, typed: Typed, surroundings: Surroundings
) -> list[Setting]:
    """All settings in the order of the template; ``scan`` are those that a scan from here would use."""
    return [
        *_places(configuration, scan, typed, surroundings),
        *_of_scan(configuration, scan, surroundings),
        *_of_jobs(configuration, surroundings),
        *_of_output(typed, surroundings),
    ]


def _places(
    configuration: Configuration, scan: ScanSettings, typed: Typed, surroundings: Surroundings
) -> Iterator[Setting]:
    file = configuration.path
    yield Setting("config", file or None, _config_origin(typed, surroundings) if file else "no file")
    named = brain_override(typed, surroundings, configuration)
    origin = configuration.origin("brain") if named and named[1] == file else None
    yield Setting("brain", scan.brain, origin or (named[1] if named else DEFAULT))
    for name, path in (("state", scan.state), ("cache", cache_folder(surroundings, configuration))):
        variable = f"ZECHER_{name.upper()}" if surroundings.variable(name.upper()) else None
        usual = f"XDG_{name.upper()}_HOME" if _xdg(surroundings, name.upper()) else DEFAULT
        yield Setting(name, path, variable or configuration.origin(name) or usual)


def _config_origin(typed: Typed, surroundings: Surroundings) -> str:
    if typed.text("config"):
        return "--config"
    if surroundings.variable("CONFIG"):
        return "ZECHER_CONFIG"
    return "XDG_CONFIG_HOME" if _xdg(surroundings, "CONFIG") else DEFAULT


def _xdg(surroundings: Surroundings, name: str) -> bool:
    return surroundings.environ.get(f"XDG_{name}_HOME", "").startswith("/")


# -- the scan ------------------------------------------------------------------------------------------


def _of_scan(
    configuration: Configuration, scan: ScanSettings, surroundings: Surroundings
) -> Iterator[Setting]:
    said = configuration.origin
    roots = list(configuration.roots)
    yield Setting(
        "scan.roots",
        roots or [root.path for root in scan.roots],
        said("scan.roots") or "default: the current folder",
    )
    yield Setting("scan.exclude", list(configuration.exclude), said("scan.exclude") or DEFAULT)
    for name in _SCAN:
        yield _scan_setting(name, configuration, scan, surroundings)
    yield Setting("stacks", [rule.glob for rule in configuration.stacks], said("stacks") or DEFAULT)
    git = "git: user.email" if scan.emails else DEFAULT
    yield Setting("me.emails", list(scan.emails), said("me.emails") or git)


def _scan_setting(
    name: str, configuration: Configuration, scan: ScanSettings, surroundings: Surroundings
) -> Setting:
    key, variable = f"scan.{name}", surroundings.variable(name.upper())
    if variable:
        values: Mapping[str, object] = {
            # With configured roots a scan's own figures are those of the first root, which may have its own.
            name: int(variable) if name in ("depth", "max_folders", "max_entries") else 0,
            "nested": variable,
            "active_days": scan.thresholds.active,
            "paused_days": scan.thresholds.paused,
            "respect_ignore": scan.respect_ignore,
            "deadline": scan.deadline,
        }
        return Setting(key, values[name], f"ZECHER_{name.upper()}")
    configured = getattr(configuration, name)
    if configured is not None:
        return Setting(key, configured, configuration.origin(key) or configuration.path)
    return Setting(key, _SCAN[name], DEFAULT)


# -- the jobs ------------------------------------------------------------------------------------------


def _of_jobs(configuration: Configuration, surroundings: Surroundings) -> Iterator[Setting]:
    said = configuration.origin
    variable = "ZECHER_REPORTS" if surroundings.variable("REPORTS") else None
    folder = reports_folder(surroundings, configuration)
    yield Setting("reports.folder", folder, variable or said("reports.folder") or DEFAULT)
    for table, keys in _TABLES.items():
        values = getattr(configuration, table)
        for key in keys:
            value = getattr(values, key)
            value = list(value) if isinstance(value, tuple) else value
            yield Setting(f"{table}.{key}", value, said(f"{table}.{key}") or DEFAULT)
    notify = configuration.notify
    ping = _without_secrets(notify.ping_url) if notify.ping_url else None
    yield Setting("notify.ping_url", ping, said("notify.ping_url") or DEFAULT)
    services = [_without_secrets(url) for url in notify.apprise]
    yield Setting("notify.apprise", services, said("notify.apprise") or DEFAULT)
    yield Setting("notify.quiet_line", notify.quiet_line, said("notify.quiet_line") or DEFAULT)
    yield Setting("hooks", list(configuration.hooks), said("hooks") or DEFAULT)


def _without_secrets(url: str) -> str:
    """The kind of the address and, on the web, its host: the rest is as good as a password."""
    kind, _, rest = url.partition("://")
    if kind.lower() not in ("http", "https"):
        return f"{kind}://..."
    host = rest.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return f"{kind}://{host}/..."


def _of_output(typed: Typed, surroundings: Surroundings) -> Iterator[Setting]:
    for name, known in (("format", "by reader"), ("color", "auto")):
        told = typed.text(name) if name == "color" else None
        variable = surroundings.variable(name.upper())
        origin = f"--{name}" if told else f"ZECHER_{name.upper()}" if variable else DEFAULT
        yield Setting(name, told or variable or known, origin)
