"""The portfolio's values, and how they are read from the brain: one card a project in ``projects/``."""

from __future__ import annotations

import os
from collections.abc import Mapping

from brain.display import sayable
from brain.files.atomic import is_temporary
from brain.files.cards import CARD_CAP, GarbageError, read_values
from brain.files.outline import Json
from brain.files.reading import Seen, UnreadableError, inside, read_seen, stamp_of
from brain.problem import Problem
from brain.value import Value

PROJECTS = "projects"
SUFFIX = ".yaml"
INDEX_NAME = "projects-index.md"
INDEX_CAP = 16 * 1024 * 1024
UNREADABLE = "brain-unreadable"

CARD_KEYS = ("path", "name", "hash", "stack", "status", "bmad_installed", "has_git", "last_scanned")
PINS = {"name": "pinned_name", "stack": "pinned_stack", "status": "pinned_status"}
MISSING = "missing"

# What lets a project be known again after it was moved, and where it was before: no news when they change.
ROOT_COMMIT, PLACE, SIGNATURE, MOVED_FROM = "root_commit", "inode", "signature", "moved_from"
SCAN_KEYS = ("first_seen", "missing_since", "path_b64", MOVED_FROM)
QUIET_KEYS = frozenset((ROOT_COMMIT, PLACE, SIGNATURE, MOVED_FROM))


class Facts(Value):
    """What a scan says about one project.

    ``path`` is where the scan found it, ``real_path`` the same with every link resolved. ``extra`` are
    further keys with JSON values, in the order in which they shall stand in the card; None means: not known,
    no line. ``pins`` are what a person decided just now for ``name``, ``status`` or ``stack``: pinned in the
    card, so that later scans leave it alone.
    """

    __slots__ = (
        "bmad_installed",
        "extra",
        "has_git",
        "name",
        "path",
        "pins",
        "real_path",
        "stack",
        "status",
    )

    def __init__(
        self,
        *,
        path: str,
        real_path: str,
        name: str,
        stack: str,
        status: str,
        bmad_installed: bool,
        has_git: bool,
        extra: tuple[tuple[str, Json], ...] = (),
        pins: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.path = path
        self.real_path = real_path
        self.name = name
        self.stack = stack
        self.status = status
        self.bmad_installed = bmad_installed
        self.has_git = has_git
        self.extra = extra
        self.pins = pins

    def with_pins(self, pins: Mapping[str, str]) -> Facts:
        """The same facts with other pins."""
        parts = {name: getattr(self, name) for name in self.__slots__}
        return Facts(**parts | {"pins": tuple(pins.items())})


class Card(Value):
    """One project as its card says, with what a person pinned. An empty string: no such value.

    ``status`` is ``missing`` while ``missing_since`` (``YYYY-MM-DD``) is set; ``extras`` are all further
    keys; ``file`` is the name in the ``projects`` folder.
    """

    __slots__ = (
        "bmad_installed",
        "extras",
        "file",
        "has_git",
        "last_scanned",
        "missing_since",
        "name",
        "path",
        "stack",
        "status",
    )

    def __init__(
        self,
        *,
        path: str,
        name: str,
        stack: str,
        status: str,
        bmad_installed: bool,
        has_git: bool,
        last_scanned: str,
        extras: Mapping[str, Json],
        missing_since: str,
        file: str,
    ) -> None:
        self.path = path
        self.name = name
        self.stack = stack
        self.status = status
        self.bmad_installed = bmad_installed
        self.has_git = has_git
        self.last_scanned = last_scanned
        self.extras = extras
        self.missing_since = missing_since
        self.file = file


class CardFile:
    """A name that ends in ``.yaml`` in the ``projects`` folder, as it was read.

    ``values`` is empty for what cannot be read as a card (``garbage``); ``linked`` says that the name is a
    link to the file that was read.
    """

    __slots__ = ("garbage", "linked", "name", "seen", "values")

    def __init__(
        self,
        name: str,
        seen: Seen,
        values: Mapping[str, Json] | None = None,
        *,
        garbage: bool = False,
        linked: bool = False,
    ) -> None:
        self.name = name
        self.seen = seen
        self.values: Mapping[str, Json] = values or {}
        self.garbage = garbage
        self.linked = linked


class Portfolio:
    """The brain's cards, ordered by path, and what could not be read.

    ``files`` are all card files in byte order of their names; ``index`` is the page as it stands, None when
    there is none; ``leftovers`` says that a killed writer left temporary files.
    """

    __slots__ = ("brain", "cards", "files", "index", "leftovers", "problems")

    def __init__(
        self,
        brain: str,
        cards: tuple[Card, ...],
        problems: tuple[Problem, ...],
        files: tuple[CardFile, ...],
        *,
        index: Seen | None,
        leftovers: bool,
    ) -> None:
        self.brain = brain
        self.cards = cards
        self.problems = problems
        self.files = files
        self.index = index
        self.leftovers = leftovers


def read_portfolio(brain: str) -> Portfolio:
    """Read all cards and the index page of the brain at ``brain``; a brain that is not there is empty.

    Never raises: what cannot be read becomes a problem. Links are followed only inside the brain.
    """
    reader = _Reader(brain)
    files = reader.card_files()
    cards = [card for file in files if (card := card_of(file))]
    cards.sort(key=lambda card: (path_bytes(card.path), card.file))
    index = reader.index()
    return Portfolio(
        brain, tuple(cards), tuple(reader.problems), tuple(files), index=index, leftovers=reader.leftovers
    )


def card_of(file: CardFile) -> Card | None:
    """The card in ``file``; None when it names no project."""
    values = file.values
    path = path_of(values)
    if not path:
        return None
    missing = text_of(values.get("missing_since"))
    return Card(
        path=path,
        name=pinned(values, "name") or text_of(values.get("name")),
        stack=pinned(values, "stack") or stack_of(values.get("stack")),
        status=MISSING if missing else pinned(values, "status") or text_of(values.get("status")),
        bmad_installed=truth_of(values.get("bmad_installed")),
        has_git=truth_of(values.get("has_git")),
        last_scanned=text_of(values.get("last_scanned")),
        extras={key: value for key, value in values.items() if key not in CARD_KEYS},
        missing_since=missing,
        file=file.name,
    )


def path_of(values: Mapping[str, Json]) -> str:
    """The project's path; one that is not UTF-8 comes from ``path_b64``, as long as both lines agree."""
    path = values.get("path")
    if not isinstance(path, str) or not _is_possible(path):
        return ""
    packed = values.get("path_b64")
    if isinstance(packed, str):
        from binascii import a2b_base64  # noqa: PLC0415 - start-up: only odd paths need it

        try:
            exact = a2b_base64(packed, strict_mode=True).decode("utf-8", "surrogateescape")
        except ValueError:
            return path
        if sayable(exact) == path and _is_possible(exact):
            return exact
    return path


def path_bytes(path: str) -> bytes:
    """The bytes that the system knows ``path`` by (a surrogate escape is the byte it stands for)."""
    return path.encode("utf-8", "surrogateescape")


def _is_possible(path: str) -> bool:
    """Whether a system can know this path: no NUL, no half of a UTF-16 pair."""
    try:
        return b"\0" not in path_bytes(path)
    except UnicodeEncodeError:
        return False


def pinned(values: Mapping[str, Json], key: str) -> str:
    """What a person pinned for ``key`` (``name``, ``stack`` or ``status``), or an empty string."""
    value = values.get(PINS[key])
    return "" if value is None else stack_of(value)


def text_of(value: Json) -> str:
    """A single value as text; an empty string for none, for lists and for mappings."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, list | dict):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def stack_of(value: Json) -> str:
    """A stack as text: BMAD+ documents a mapping whose ``primary`` is the name."""
    return text_of(value.get("primary")) if isinstance(value, dict) else text_of(value)


def truth_of(value: Json) -> bool:
    """A truth value, also where a person wrote it as a YAML word."""
    if isinstance(value, str):
        return value.lower() not in ("", "false", "no", "off", "n", "0", "null", "~")
    return bool(value)


class _Reader:
    """Reads one brain and collects what went wrong."""

    def __init__(self, brain: str) -> None:
        self._brain = brain
        self._folder = os.path.join(brain, PROJECTS)
        self.problems: list[Problem] = []
        self.leftovers = False

    def card_files(self) -> list[CardFile]:
        try:
            descriptor = os.open(
                self._folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
            )
        except FileNotFoundError:
            return []
        except OSError as error:
            self._report(UNREADABLE, "error", self._folder, error.strerror or str(error))
            return []
        try:
            names = sorted(os.listdir(descriptor), key=os.fsencode)
            self.leftovers = any(name.endswith(".tmp") and is_temporary(name) for name in names)
            files = [self._card_file(name, descriptor) for name in names if name.endswith(SUFFIX)]
        except OSError as error:
            self._report(UNREADABLE, "error", self._folder, error.strerror or str(error))
            return []
        finally:
            os.close(descriptor)
        return [file for file in files if file]

    def index(self) -> Seen | None:
        path = os.path.join(self._brain, INDEX_NAME)
        try:
            return self._seen(path, INDEX_CAP)
        except UnreadableError as error:
            if error.code == "missing":
                return None
            self._report(f"index-{error.code}", "warning", path, error.message)
            return _unread(path, error)

    def _card_file(self, name: str, folder: int) -> CardFile | None:
        path = os.path.join(self._folder, name)
        linked = False
        try:
            seen = read_seen(name, CARD_CAP, folder=folder)
        except UnreadableError as error:
            if error.code != "link":
                return self._refused(name, error)
            linked = True
            try:
                seen = self._seen(path, CARD_CAP)
            except UnreadableError as behind:
                return self._refused(name, behind)
        try:
            values, complaint = read_values(seen.data or b"")
        except GarbageError as error:
            self._report(error.code, "warning", path, error.message)
            return CardFile(name, seen, garbage=True)
        if complaint:
            self._report(
                "card-not-yaml", "warning", path, f"read line by line, for it is not YAML: {complaint}"
            )
        if not path_of(values):
            self._report("card-no-path", "warning", path, "names no project path, so it is not listed")
        return CardFile(name, seen, values, linked=linked)

    def _refused(self, name: str, error: UnreadableError) -> CardFile | None:
        if error.code == "missing":
            return None
        path = os.path.join(self._folder, name)
        self._report(f"card-{error.code}", "warning", path, error.message)
        seen = _unread(path, error)
        return CardFile(name, seen, garbage=True) if seen else None

    def _seen(self, path: str, cap: int) -> Seen:
        """Read ``path``, through a link when that stays inside the brain."""
        try:
            return read_seen(path, cap)
        except UnreadableError as error:
            if error.code != "link":
                raise
        target = os.path.realpath(path)
        if not inside(target, os.path.realpath(self._brain)):
            raise UnreadableError("link", path, f"a link that leads out of the brain: {target}")
        return read_seen(target, cap)

    def _report(self, code: str, level: str, path: str, message: str) -> None:
        self.problems.append(Problem(code, level, path, message))


def _unread(path: str, error: UnreadableError) -> Seen | None:
    """What can be said of a file that will not be read."""
    try:
        return Seen(stamp_of(os.lstat(path)), None, closed=error.code in ("permission", "io", "link"))
    except OSError:
        return None
