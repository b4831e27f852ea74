"""The configuration file: where it lies, who may write it, and how it is read.

``config.toml`` or ``config.yaml`` in ``$XDG_CONFIG_HOME/zecher``; ``jobs.config_keys`` knows its keys.
"""

from __future__ import annotations

import os
import stat

from jobs.config_values import Configuration
from jobs.errors import UsageError
from jobs.surroundings import Surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.config_values import Mistake

CAP = 256 * 1024
NAMES = ("config.toml", "config.yaml")


def load_configuration(surroundings: Surroundings, flag: str | None) -> Configuration:
    """The configuration named by ``--config`` or ``ZECHER_CONFIG``, else the one in its usual place, if any.

    Raises ``UsageError`` for a named file that is not there and for every mistake inside, all at once.
    """
    found = _find(surroundings, flag)
    if found is None:
        return Configuration()
    from jobs.config_check import parse_configuration  # noqa: PLC0415 - start-up: tomli and the checks, 12 ms

    return parse_configuration(*found, surroundings)


def checked_configuration(
    surroundings: Surroundings, flag: str | None
) -> tuple[Configuration, tuple[Mistake, ...]]:
    """As ``load_configuration``, but with the mistakes beside what makes sense."""
    found = _find(surroundings, flag)
    if found is None:
        return Configuration(), ()
    from jobs.config_check import check_configuration  # noqa: PLC0415 - as above

    return check_configuration(*found, surroundings)


def may_set(surroundings: Surroundings, flag: str | None, key: str) -> bool:
    """Whether a line of the configuration begins with ``key``, which stands before the first table.

    By its bytes: to read it whole takes ten times as long. ``UsageError`` as ``load_configuration``.
    """
    found = _find(surroundings, flag)
    wanted = key.encode()
    return found is not None and any(
        line.lstrip(b"{ \t\"'").startswith(wanted) for line in found[1].splitlines()
    )


def usual_folder(surroundings: Surroundings) -> str | None:
    """The folder that the configuration is looked for in; None where no home is known."""
    if not surroundings.home and "XDG_CONFIG_HOME" not in surroundings.environ:
        return None
    return os.path.join(surroundings.base("XDG_CONFIG_HOME", ".config"), "zecher")


def _find(surroundings: Surroundings, flag: str | None) -> tuple[str, bytes] | None:
    """The path of the configuration that holds, and its bytes; None where there is none."""
    named = flag or surroundings.variable("CONFIG")
    if named is not None:
        path = surroundings.absolute(named)
        data = _read(path)
        if data is None:
            raise UsageError(
                "config-missing", f"no configuration at {path}", "no such file", "Check the path.", path=path
            )
        return path, data
    folder = usual_folder(surroundings)
    if folder is None:
        return None
    found = [
        (path, data)
        for path in (os.path.join(folder, name) for name in NAMES)
        if (data := _read(path)) is not None
    ]
    if len(found) > 1:
        raise UsageError(
            "config-twice",
            f"two configurations in {folder}",
            f"{' and '.join(NAMES)} are both there, and nothing says which one holds",
            "Remove one of them, or name one with --config.",
            path=folder,
        )
    return found[0] if found else None


def _read(path: str) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise _unreadable(path, str(error)) from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise _unreadable(path, "it is not a regular file")
        if found.st_size > CAP:
            raise _unreadable(path, f"it is larger than {CAP // 1024} KiB")
        _refuse_if_others_write(path, found)
        _refuse_open_folder(path)
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(CAP)
    except OSError as error:
        raise _unreadable(path, str(error)) from None
    finally:
        os.close(descriptor)


def _unreadable(path: str, why: str) -> UsageError:
    return UsageError(
        "config-unreadable", f"cannot read {path}", why, "Check the file and its permissions.", path=path
    )


def _refuse_if_others_write(path: str, found: os.stat_result) -> None:
    """It decides where the brain lies and which programs a job runs: nobody else may write it."""
    if not hasattr(os, "getuid"):
        return
    if found.st_uid not in (0, os.getuid()):
        reason, mend = "the file belongs to another user", f"Copy it, or run: chown {os.getuid()} {path}"
    elif found.st_mode & stat.S_IWOTH:
        reason, mend = "everybody on this machine may write it", f"Run: chmod o-w {path}"
    elif found.st_mode & stat.S_IWGRP and not _is_private_group(found):
        reason, mend = "its group may write it", f"Run: chmod g-w {path}"
    else:
        return
    raise UsageError("config-unsafe", f"{path} is not trusted", reason, mend, path=path)


def _refuse_open_folder(path: str) -> None:
    """Who may write the folder may put another file in this one's place; in a sticky folder nobody may."""
    folder = os.path.dirname(os.path.realpath(path))
    found = os.stat(folder)
    if not hasattr(os, "getuid") or found.st_mode & stat.S_ISVTX or not found.st_mode & stat.S_IWOTH:
        return
    raise UsageError(
        "config-unsafe",
        f"{path} is not trusted",
        f"everybody on this machine may write its folder, {folder}",
        f"Run: chmod o-w {folder}",
        path=path,
    )


def _is_private_group(found: os.stat_result) -> bool:
    """Whether the group holds its owner alone, as on systems where every user has a group and umask 002."""
    import grp  # noqa: PLC0415 - rarely needed, not on every system
    import pwd  # noqa: PLC0415 - as above

    try:
        owner, group = pwd.getpwuid(found.st_uid), grp.getgrgid(found.st_gid)
    except KeyError:
        return False
    return group.gr_name == owner.pw_name and set(group.gr_mem) <= {owner.pw_name}
