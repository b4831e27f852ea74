"""Whether what a configuration names is there: roots, programs of hooks, what notices need, word lists."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from jobs.config_values import Configuration, Mistake
from jobs.settings import is_whole_disk
from scanner.mounts import read_mounts
from scanner.places import Places
from scanner.project import Root


def check_targets(configuration: Configuration) -> tuple[Mistake, ...]:
    """What of ``configuration`` cannot work on this machine, or only by mistake. Reads no more than modes."""
    return (
        *_roots(configuration),
        *_hooks(configuration),
        *_notices(configuration),
        *_cues(configuration),
    )


def _roots(configuration: Configuration) -> Iterator[Mistake]:
    mounts = Places(read_mounts())
    real = [mounts.near_path(root.path) for root in configuration.roots]
    for place, root in enumerate(configuration.roots):
        line = _line(configuration, f"scan.roots[{place}]")
        # Of a mount whose server is gone nobody can tell, and whoever asks it waits for ever.
        if not mounts.may_hang(root.path) and not os.path.isdir(root.path):
            what = "is no folder" if os.path.lexists(root.path) else "is not there"
            yield _root("config-root-missing", line, f"{root.path} {what}", "Check the path.", "error")
            continue
        if is_whole_disk(Root(root.path)):
            hint = "Name the folders that hold your projects."
            yield _root("config-root-whole-disk", line, f"{root.path} is the whole disk", hint)
        outer = _outer(real, place)
        if outer is not None:
            what = "is there twice" if real[outer] == real[place] else f"lies inside {real[outer]}"
            yield _root("config-root-inside", line, f"{root.path} {what}", "Its own rules hold inside it.")


def _outer(real: list[str], mine: int) -> int | None:
    """Which root holds the one at ``mine``: one around it, or the same folder named earlier."""
    for place, path in enumerate(real):
        same = path == real[mine]
        if (same and place < mine) or (not same and real[mine].startswith(path.rstrip("/") + "/")):
            return place
    return None


def _root(code: str, line: int | None, complaint: str, hint: str, level: str = "warning") -> Mistake:
    return Mistake(code, line, "scan.roots", complaint, hint, level)


def _hooks(configuration: Configuration) -> Iterator[Mistake]:
    mounts = Places(read_mounts())
    for place, hook in enumerate(configuration.hooks):
        line = _line(configuration, f"hooks[{place}]")
        program = hook.run[0]
        wrong = "" if mounts.may_hang(program) else why_not_run(program)
        if wrong:
            hint = f"Check the path, or run: chmod u+x,go-w {program}"
            yield Mistake("config-hook-program", line, "hooks.run", f"{program} {wrong}", hint)


def why_not_run(program: str) -> str:
    """Why the program of a hook cannot or must not be run; empty for one that is in order."""
    try:
        found = os.stat(program)
    except OSError as error:
        return "is not there" if isinstance(error, FileNotFoundError) else str(error.strerror)
    if not stat.S_ISREG(found.st_mode):
        return "is no file"
    if not found.st_mode & 0o111 or not os.access(program, os.X_OK):
        return "is not executable"
    return "may be written by everybody on this machine" if found.st_mode & stat.S_IWOTH else ""


def _notices(configuration: Configuration) -> Iterator[Mistake]:
    if not configuration.notify.apprise:
        return
    from importlib.util import find_spec  # noqa: PLC0415 - only where such an address is configured

    if find_spec("apprise") is None:
        yield Mistake(
            "config-extra-missing",
            _line(configuration, "notify.apprise"),
            "notify.apprise",
            "Apprise is not installed",
            "Install zecher[notify].",
            "warning",
        )


def _cues(configuration: Configuration) -> Iterator[Mistake]:
    path = configuration.dreaming.cues
    if path is not None and not Places(read_mounts()).may_hang(path) and not os.path.isfile(path):
        yield Mistake(
            "config-file-missing",
            _line(configuration, "dreaming.cues"),
            "dreaming.cues",
            f"{path} is no file",
            "Mend the path, or leave the key out.",
        )


def _line(configuration: Configuration, key: str) -> int | None:
    return dict(configuration.lines).get(key)
