"""One run of ``zecher config show``."""

from __future__ import annotations

from collections.abc import Mapping

from brain.locate import Brain
from jobs.cli.command import Invocation
from jobs.cli.show import last_line
from jobs.config import load_configuration
from jobs.config_values import Configuration, ConfiguredRoot
from jobs.errors import DONE
from jobs.limits import DEFAULT_ACTIVE_DAYS, DEFAULT_DEPTH, DEFAULT_PAUSED_DAYS
from jobs.memory import MemorySettings, linked_brain, memory_settings
from jobs.settings import ScanSettings, output_settings, scan_settings
from jobs.surroundings import Surroundings
from jobs.typed import Typed
from reports.document import Document, envelope, located, to_json
from reports.view import below_home, safe_display

_DEFAULT = "default"

# Settings of the scan with their defaults. A flag or variable of the same name wins over the file.
_DEFAULTS: Mapping[str, object] = {
    "depth": DEFAULT_DEPTH,
    "active_days": DEFAULT_ACTIVE_DAYS,
    "paused_days": DEFAULT_PAUSED_DAYS,
    "nested": "none",
    "respect_ignore": False,
    "deadline": None,
}


class _Setting:
    """One setting: its key in the configuration file, the value that holds, and who says so."""

    __slots__ = ("key", "origin", "value")

    def __init__(self, key: str, value: object, origin: str) -> None:
        self.key = key
        self.value = value
        self.origin = origin


def run_show(invocation: Invocation) -> int:
    """The exit code of ``zecher config show``."""
    typed, surroundings = invocation.typed, invocation.surroundings
    output = output_settings(typed, surroundings)
    memory = memory_settings(typed, surroundings)
    brain = linked_brain(memory)
    settings = _settings(typed, surroundings, memory)
    if output.format == "json":
        data: Document = {
            "settings": [
                {"key": one.key, "value": _document(one.value), "origin": one.origin} for one in settings
            ],
            "project": memory.project,
            "linked_brain": {
                **located(brain.path),
                "type": brain.type,
                "source": brain.source,
                "exists": brain.exists,
                "warnings": list(brain.warnings),
            },
        }
        document = envelope("config.show", surroundings.now, data, (), ok=True)
        invocation.streams.result(to_json(document))
        return DONE
    _print(invocation, settings, memory, brain)
    return DONE


def _settings(typed: Typed, surroundings: Surroundings, memory: MemorySettings) -> list[_Setting]:
    configuration = load_configuration(surroundings, typed.text("config"))
    # Checked as a whole: a variable that makes no sense is an error here as it is in a scan.
    scan = scan_settings(Typed({"brain": typed.text("brain"), "config": typed.text("config")}), surroundings)
    file = configuration.path
    found = [
        _Setting("config", file or None, _config_origin(typed, surroundings) if file else "no file"),
        _Setting("brain", memory.index_brain, memory.override[1] if memory.override else _DEFAULT),
        _Setting("state", scan.state, "XDG_STATE_HOME" if _xdg(surroundings, "STATE") else _DEFAULT),
        _Setting(
            "scan.roots",
            list(configuration.roots) or [root.path for root in scan.roots],
            file if configuration.roots else "default: the current folder",
        ),
        _Setting("scan.exclude", list(configuration.exclude), file if configuration.exclude else _DEFAULT),
    ]
    found += [_scan_setting(name, configuration, scan, surroundings) for name in _DEFAULTS]
    found.append(
        _Setting(
            "stacks", [rule.glob for rule in configuration.stacks], file if configuration.stacks else _DEFAULT
        )
    )
    emails = configuration.emails
    found.append(
        _Setting(
            "me.emails", list(scan.emails), file if emails else "git: user.email" if scan.emails else _DEFAULT
        )
    )
    for name, known in (("format", "by reader"), ("color", "auto")):
        told = typed.text(name) if name == "color" else None
        variable = surroundings.variable(name.upper())
        origin = f"--{name}" if told else f"ZECHER_{name.upper()}" if variable else _DEFAULT
        found.append(_Setting(name, told or variable or known, origin))
    return found


def _scan_setting(
    name: str, configuration: Configuration, scan: ScanSettings, surroundings: Surroundings
) -> _Setting:
    values: Mapping[str, object] = {
        "depth": scan.roots[0].depth if not configuration.roots else configuration.depth,
        "active_days": scan.thresholds.active,
        "paused_days": scan.thresholds.paused,
        "nested": scan.groups[0].nested if not configuration.roots else configuration.nested,
        "respect_ignore": scan.respect_ignore,
        "deadline": scan.deadline,
    }
    key, variable = f"scan.{name}", surroundings.variable(name.upper())
    if variable:
        # With configured roots a scan's own figures are those of the first root, which may have its own.
        value = values[name] if name not in ("depth", "nested") else _typed_value(name, variable)
        return _Setting(key, value, f"ZECHER_{name.upper()}")
    configured = getattr(configuration, name)
    if configured is not None:
        return _Setting(key, configured, configuration.path)
    return _Setting(key, _DEFAULTS[name], _DEFAULT)


def _typed_value(name: str, text: str) -> object:
    return int(text) if name == "depth" else text


def _config_origin(typed: Typed, surroundings: Surroundings) -> str:
    if typed.text("config"):
        return "--config"
    if surroundings.variable("CONFIG"):
        return "ZECHER_CONFIG"
    return "XDG_CONFIG_HOME" if _xdg(surroundings, "CONFIG") else _DEFAULT


def _xdg(surroundings: Surroundings, name: str) -> bool:
    return surroundings.environ.get(f"XDG_{name}_HOME", "").startswith("/")


# -- output -------------------------------------------------------------------------------------------------


def _print(invocation: Invocation, settings: list[_Setting], memory: MemorySettings, brain: Brain) -> None:
    streams = invocation.streams
    home = memory.home if streams.result_is_terminal else ""
    rows = [(one.key, _shown(one.value, home), one.origin) for one in settings]
    linked = f"{below_home(brain.path, home)} ({brain.type}{'' if brain.exists else ', not there yet'})"
    rows.append(("linked brain", linked, brain.source))
    if not invocation.typed.on("origin"):
        rows = [(key, value, "") for key, value, _ in rows]
    if streams.result_is_terminal:
        widths = [max(len(row[place]) for row in rows) for place in (0, 1)]
        padded = [(key.ljust(widths[0]), value.ljust(widths[1]), origin) for key, value, origin in rows]
        lines = ["  ".join((key, value, safe_display(origin))) for key, value, origin in padded]
    else:
        rows.insert(0, ("setting", "value", "origin" if invocation.typed.on("origin") else ""))
        lines = ["\t".join((key, value, safe_display(origin))) for key, value, origin in rows]
    streams.result("".join(f"{line.rstrip()}\n" for line in lines))
    for warning in brain.warnings:
        last_line(invocation, f"warning: {warning}")


def _shown(value: object, home: str) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(_shown(one, home) for one in value) or "-"
    if isinstance(value, ConfiguredRoot):
        return below_home(value.path, home) + (f" (depth {value.depth})" if value.depth else "")
    if isinstance(value, float):
        return f"{value:g}"
    return below_home(str(value), home)


def _document(value: object) -> object:
    if isinstance(value, list):
        return [_document(one) for one in value]
    if isinstance(value, ConfiguredRoot):
        return {
            **located(value.path),
            "depth": value.depth,
            "nested": value.nested,
            "exclude": list(value.exclude),
        }
    return int(value) if isinstance(value, float) and value == int(value) else value
