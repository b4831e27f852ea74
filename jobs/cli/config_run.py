"""One run of ``zecher config show``, ``config check`` or ``config init``."""

from __future__ import annotations

import os

from brain.locate import Brain
from jobs.cli.command import Invocation
from jobs.cli.show import last_line
from jobs.config import NAMES, checked_configuration, load_configuration, usual_folder
from jobs.config_origins import Setting, settings_with_origins
from jobs.config_values import Configuration, ConfiguredRoot, Hook, Mistake
from jobs.errors import DONE, USAGE, ExpectedError, UsageError
from jobs.memory import MemorySettings, linked_brain, memory_settings
from jobs.settings import output_settings, scan_settings
from jobs.surroundings import Surroundings
from jobs.typed import Typed
from reports.document import Document, envelope, linked_document, located, to_json
from reports.view import below_home, safe_display

# -- show ------------------------------------------------------------------------------------------


def run_show(invocation: Invocation) -> int:
    """The exit code of ``zecher config show``."""
    typed, surroundings = invocation.typed, invocation.surroundings
    output = output_settings(typed, surroundings)
    memory = memory_settings(typed, surroundings)
    brain = linked_brain(memory)
    settings = _settings(typed, surroundings)
    if output.format == "json":
        data: Document = {
            "settings": [
                {"key": one.key, "value": _document(one.value), "origin": one.origin} for one in settings
            ],
            "project": memory.project,
            "linked_brain": linked_document(brain),
        }
        document = envelope("config.show", surroundings.now, data, (), ok=True)
        invocation.streams.result(to_json(document))
        return DONE
    _print(invocation, settings, memory, brain)
    return DONE


def _settings(typed: Typed, surroundings: Surroundings) -> list[Setting]:
    configuration = load_configuration(surroundings, typed.text("config"))
    # Checked as a whole: a variable that makes no sense is an error here as it is in a scan.
    scan = scan_settings(Typed({"brain": typed.text("brain"), "config": typed.text("config")}), surroundings)
    return settings_with_origins(configuration, scan, typed, surroundings)


def _print(invocation: Invocation, settings: list[Setting], memory: MemorySettings, brain: Brain) -> None:
    streams = invocation.streams
    home = memory.home if streams.result_is_terminal else ""
    rows = [(one.key, _shown(one.value, home), below_home(one.origin, home)) for one in settings]
    with_origin = invocation.typed.on("origin")
    source = below_home(brain.source, home)
    facts = [brain.type, *([] if brain.exists else ["not there yet"]), *([] if with_origin else [source])]
    rows.append(("linked brain", f"{below_home(brain.path, home)} ({', '.join(facts)})", source))
    if not with_origin:
        rows = [(key, value, "") for key, value, _ in rows]
    if streams.result_is_terminal:
        widths = [max(len(row[place]) for row in rows) for place in (0, 1)]
        lines = ["  ".join((key.ljust(widths[0]), value.ljust(widths[1]), said)) for key, value, said in rows]
    else:
        rows.insert(0, ("setting", "value", "origin" if with_origin else ""))
        lines = ["\t".join(row) for row in rows]
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
        said = {key: one for key, one in _rules(value).items() if one}
        rules = ", ".join(f"{key} {_shown(one, home)}" for key, one in said.items())
        return below_home(value.path, home) + (f" ({rules})" if rules else "")
    if isinstance(value, Hook):
        return f"{safe_display(' '.join(value.run))} ({', '.join(value.on)})"
    if isinstance(value, float):
        return f"{value:g}"
    return below_home(str(value), home)


def _document(value: object) -> object:
    if isinstance(value, list):
        return [_document(one) for one in value]
    if isinstance(value, ConfiguredRoot):
        return {**located(value.path), **{key: _document(one) for key, one in _rules(value).items()}}
    if isinstance(value, Hook):
        return {"run": list(value.run), "on": list(value.on), "timeout": _document(value.timeout)}
    return int(value) if isinstance(value, float) and value == int(value) else value


def _rules(root: ConfiguredRoot) -> dict[str, object]:
    return {
        "depth": root.depth,
        "active_days": root.active_days,
        "paused_days": root.paused_days,
        "nested": root.nested,
        "exclude": list(root.exclude),
        "max_folders": root.max_folders,
        "max_entries": root.max_entries,
    }


# -- check ------------------------------------------------------------------------------------------


def run_check(invocation: Invocation) -> int:
    """The exit code of ``zecher config check``: 0, or 2 as soon as something would stop a command."""
    from jobs.config_targets import check_targets  # noqa: PLC0415 - only for the check

    typed, surroundings = invocation.typed, invocation.surroundings
    output = output_settings(typed, surroundings)
    configuration, mistakes = checked_configuration(surroundings, typed.text("config"))
    mistakes = (*mistakes, *check_targets(configuration), *_other_names(surroundings))
    mistakes = tuple(sorted(mistakes, key=lambda mistake: mistake.line or 0))
    wrong = any(mistake.level == "error" for mistake in mistakes)
    if output.format == "json":
        _check_document(invocation, configuration, mistakes, ok=not wrong)
    else:
        _print_check(invocation, configuration, mistakes)
    return USAGE if wrong else DONE


def _other_names(surroundings: Surroundings) -> tuple[Mistake, ...]:
    folder = usual_folder(surroundings)
    path = os.path.join(folder, "config.yml") if folder else ""
    if not path or not os.path.lexists(path):
        return ()
    hint = f"Rename it to {NAMES[1]}."
    return (Mistake("config-other-name", None, path, "a file of this name is not read", hint, "warning"),)


def _check_document(
    invocation: Invocation, configuration: Configuration, mistakes: tuple[Mistake, ...], *, ok: bool
) -> None:
    from jobs.config_check import problem_of  # noqa: PLC0415 - only for the check

    data: Document = {
        "config": located(configuration.path or None),
        "mistakes": [
            {
                "line": one.line,
                "key": one.key,
                "level": one.level,
                "code": one.code,
                "complaint": one.complaint,
                "hint": one.hint,
            }
            for one in mistakes
        ],
    }
    problems = tuple(problem_of(configuration.path, one) for one in mistakes)
    document = envelope("config.check", invocation.surroundings.now, data, problems, ok=ok)
    invocation.streams.result(to_json(document))


def _print_check(invocation: Invocation, configuration: Configuration, mistakes: tuple[Mistake, ...]) -> None:
    home = invocation.surroundings.home if invocation.streams.result_is_terminal else ""
    file = below_home(configuration.path, home)
    for one in mistakes:
        where = ":".join(filter(None, (file, str(one.line or ""))))
        parts = (f"{where}: " if where else "", "" if one.level == "error" else f"{one.level}: ")
        text = f"{one.key}: {one.complaint}. {one.hint}".strip()
        invocation.streams.result(safe_display(f"{''.join(parts)}{text} [{one.code}]") + "\n")
    if not configuration.path:
        last_line(invocation, "no configuration: the defaults hold (zecher config init --write makes one)")
        return
    errors = sum(one.level == "error" for one in mistakes)
    warnings = len(mistakes) - errors
    told = [_counted(errors, "mistake"), *([_counted(warnings, "warning")] if warnings else [])]
    last_line(invocation, f"{configuration.path}: {', '.join(told)}")


def _counted(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


# -- init ------------------------------------------------------------------------------------------


def run_init(invocation: Invocation) -> int:
    """The exit code of ``zecher config init``."""
    from jobs.config_template import template  # noqa: PLC0415 - only for this command

    if not invocation.typed.on("write"):
        invocation.streams.result(template())
        return DONE
    path = _write_template(invocation.typed, invocation.surroundings, template())
    last_line(invocation, f"{path}: written; all of it is commented out, so that the defaults hold")
    return DONE


def _write_template(typed: Typed, surroundings: Surroundings, text: str) -> str:
    """Make the configuration where it will be looked for; what is there is never touched."""
    from brain.files.atomic import OutsideError, Write, make_folder, replace_all  # noqa: PLC0415 - only for --write
    from brain.files.errors import ChangedError, WriteError  # noqa: PLC0415 - as above

    named = typed.text("config") or surroundings.variable("CONFIG")
    folder = usual_folder(surroundings) or surroundings.at_home(".config")
    path = surroundings.absolute(named) if named else os.path.join(folder, NAMES[0])
    others = [path] if named else [os.path.join(folder, name) for name in NAMES]
    for there in others:
        if os.path.lexists(there):
            raise _exists(there)
    try:
        make_folder(os.path.dirname(path))
        replace_all([Write(path, text.encode(), None)], os.path.realpath(os.path.dirname(path)))
    except (ChangedError, OutsideError):
        raise _exists(path) from None
    except WriteError as error:
        raise ExpectedError(
            "config-not-written", f"{path} is not written", str(error), "Check the folder.", path=path
        ) from None
    return path


def _exists(path: str) -> UsageError:
    return UsageError(
        "config-exists",
        f"{path} is there already",
        "what you have written there is never overwritten",
        "Print the template with zecher config init, and take from it what you need.",
        path=path,
    )
