"""Where what is remembered stands: of the user in the brain, of a project in the project."""

from __future__ import annotations

import os
from stat import S_ISDIR, S_ISREG

from brain.files.atomic import make_folder
from brain.files.errors import MemError
from brain.files.links import refuse_links
from brain.files.reading import UnreadableError, read_seen
from brain.folders import PROJECT_MEMORY
from brain.remember.categories import fold, is_reserved
from brain.remember.category_file import FILE_CAP, CategoryFile
from brain.remember.errors import RememberError
from brain.value import Value

USER, PROJECT = "user", "project"
BRAIN_FOLDER = "memory"
NOTES_FOLDER = PROJECT_MEMORY + "/notes"
VAULT = ".notarium/memory"

_FILES_CAP = 4000


class Place(Value):
    """A folder of categories: ``relative`` (with ``/``) below ``base``, a real path, of the axis ``axis``.

    In a vault of Notarium (``is_vault``) the files stay in its form: observations without a comment of ours.
    """

    __slots__ = ("axis", "base", "is_vault", "relative")

    def __init__(self, axis: str, base: str, relative: str) -> None:
        self.axis = axis
        self.base = base
        self.relative = relative
        self.is_vault = relative.startswith(VAULT)

    @property
    def folder(self) -> str:
        """Its absolute path."""
        return os.path.join(self.base, *self.relative.split("/"))


class Unread(Value):
    """A file in a place that cannot be read, and why."""

    __slots__ = ("path", "why")

    def __init__(self, path: str, why: str) -> None:
        self.path = path
        self.why = why


class Shelf(Value):
    """What stands in a place: its categories by name, what could not be read, and all names, folded."""

    __slots__ = ("categories", "place", "taken", "unread")

    def __init__(
        self,
        place: Place,
        categories: tuple[CategoryFile, ...],
        unread: tuple[Unread, ...],
        taken: frozenset[str],
    ) -> None:
        self.place = place
        self.categories = categories
        self.unread = unread
        self.taken = taken


def user_places(brain: str) -> tuple[Place, ...]:
    """The folders of the user's memory in the brain at ``brain``; new categories go into the first."""
    base = os.path.realpath(brain)
    own = Place(USER, base, BRAIN_FOLDER)
    return (Place(USER, base, VAULT), own) if _is_folder(base, VAULT) else (own,)


def project_places(project: str) -> tuple[Place, ...]:
    """The folders of a project's memory; new categories go into the first.

    In a vault each project has a folder called by its id. Where there are several, nothing tells which it is.
    """
    base = os.path.realpath(project)
    own = Place(PROJECT, base, NOTES_FOLDER)
    if not _is_folder(base, VAULT):
        return (own,)
    inner = [name for name in sorted(os.listdir(os.path.join(base, *VAULT.split("/")))) if name[0] != "."]
    folders = [name for name in inner if _is_folder(base, f"{VAULT}/{name}")]
    return (Place(PROJECT, base, f"{VAULT}/{folders[0]}"), own) if len(folders) == 1 else (own,)


def _is_folder(base: str, relative: str) -> bool:
    try:
        return S_ISDIR(os.lstat(refuse_links(base, relative)).st_mode)
    except (OSError, MemError):
        return False


def make(place: Place) -> None:
    """Make the folder of ``place`` and those above it, up to the base; links are refused."""
    refuse(place, "")
    if not os.path.isdir(place.base):
        make_folder(place.base)
    parts = place.relative.split("/")
    for count in range(1, len(parts) + 1):
        make_folder(os.path.join(place.base, *parts[:count]))


def refuse(place: Place, name: str) -> str:
    """The path of the file ``name`` in ``place``; ``RememberError`` where a link leads to it."""
    try:
        return refuse_links(place.base, f"{place.relative}/{name}" if name else place.relative)
    except MemError as error:
        raise RememberError(
            "memory-link",
            str(error),
            "Memory is written where it stands, never through a link.",
            path=place.folder,
        ) from None


def read_shelf(place: Place) -> Shelf:
    """All categories in ``place``; a folder that is not there is empty."""
    refuse(place, "")
    try:
        names = sorted(os.listdir(place.folder))[:_FILES_CAP]
    except FileNotFoundError:
        names = []
    except OSError as error:
        why = error.strerror or str(error)
        raise RememberError("memory-unreadable", why, "Check the folder.", path=place.folder) from None
    categories, unread = [], []
    for name in names:
        if not _is_category(name):
            continue
        path = os.path.join(place.folder, name)
        try:
            categories.append(CategoryFile(path, read_seen(path, FILE_CAP)))
        except UnreadableError as error:
            if not _is_folder_at(path):
                unread.append(Unread(path, error.message))
    return Shelf(place, tuple(categories), tuple(unread), frozenset(map(fold, names)))


def _is_category(name: str) -> bool:
    return name.lower().endswith(".md") and name[0] != "." and not is_reserved(name[:-3])


def _is_folder_at(path: str) -> bool:
    try:
        return not S_ISREG(os.lstat(path).st_mode) and os.path.isdir(path)
    except OSError:
        return True  # it went while we looked
