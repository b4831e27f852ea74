"""Changes one file of a place: under its lock, all or nothing, durable, and never over another's edit."""

from __future__ import annotations

import os
from collections.abc import Callable

from brain.files.atomic import Write, replace_all, sweep
from brain.files.errors import ChangedError
from brain.files.lock import FolderLock
from brain.remember.category_file import FILE_CAP, CategoryFile, version
from brain.remember.errors import RememberError, changed
from brain.remember.places import Place, Shelf, make, read_shelf, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _Result = TypeVar("_Result")

WAIT = 10.0
_TRIES = 8
_TARGETS = r".+\.md"


class Change:
    """New content for the file ``name`` of the place; ``before`` is what stands there, if anything."""

    __slots__ = ("before", "data", "name")

    def __init__(self, name: str, data: bytes, before: CategoryFile | None) -> None:
        self.name = name
        self.data = data
        self.before = before


def change(
    place: Place,
    plan: Callable[[Shelf], tuple[Change | None, _Result]],
    *,
    now: float,
    token: str = "",
    create: bool = False,
    wait: float = WAIT,
) -> _Result:
    """Carry out what ``plan`` decides once the lock is held, and return what it says.

    ``plan`` is asked again when an editor saved meanwhile, unless ``token`` is given: the file to change must
    then be of that version. With ``create`` the folder is made where it is missing. Raises what ``plan``
    does, ``RememberError``, ``WriteError``, ``LockedError``, ``ChangedError`` (somebody keeps saving).
    """
    refuse(place, "")
    if create:
        make(place)
    elif not os.path.isdir(place.folder):
        return plan(read_shelf(place))[1]
    with FolderLock(place.folder, wait=wait):
        sweep(place.folder, now=now, targets=_TARGETS)
        for _ in range(_TRIES):
            wanted, result = plan(read_shelf(place))
            path = refuse(place, wanted.name) if wanted else ""
            if wanted and token and (wanted.before is None or wanted.before.version != token):
                raise changed(path)
            if wanted is None or (wanted.before and wanted.before.data == wanted.data):
                return result
            if len(wanted.data) > FILE_CAP:
                raise RememberError(
                    "memory-full",
                    f"the file would be larger than {FILE_CAP // 1024} KiB",
                    "Begin another category, or forget what no longer counts.",
                    path=path,
                )
            try:
                replace_all(
                    [Write(path, wanted.data, wanted.before.seen if wanted.before else None)], place.base
                )
            except ChangedError:
                if token:
                    raise changed(path) from None
                continue
            return result
    raise ChangedError(place.folder)


__all__ = ["WAIT", "Change", "change", "version"]
