"""Where a path inside a project leads: nowhere but into the project, through no symbolic link."""

from __future__ import annotations

import os
import stat

from brain.files.errors import MemError


def relative_path(text: str) -> str:
    r"""``text`` as a path relative to the project, with ``/`` between its segments.

    The rule is BMAD+'s: not empty, not absolute, no ``:``, and no segment that is empty, ``.`` or ``..``;
    a ``\`` separates like a ``/``. ``MemError`` for everything else.
    """
    path = text.replace("\\", "/")
    if not path or ":" in path or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise MemError(
            f"{text!r} is no path inside the project: give one like src/notes.json, from its folder"
        )
    return path


def refuse_links(base: str, relative: str) -> str:
    """The absolute path of ``relative`` below the folder ``base``; nothing of it needs to exist.

    ``MemError`` when any component below ``base`` is a symbolic link; ``base`` itself is taken as it is.
    """
    path = base
    for part in relative.split("/"):
        path = os.path.join(path, part)
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            break  # what does not exist is no link; whoever opens it will hear why
        except ValueError:
            raise MemError(f"{relative!r} is no path: it holds a NUL character") from None
        if stat.S_ISLNK(mode):
            raise MemError(f"{path} is a symbolic link, which is not followed: put the real file there")
    return os.path.join(base, *relative.split("/"))
