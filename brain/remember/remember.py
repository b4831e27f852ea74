"""Keeps an observation: in the file of its category, once, whoever says it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from brain import observations
from brain.observations import Observation
from brain.remember import categories, refusals
from brain.remember.category_file import CategoryFile, new_file, version
from brain.remember.errors import RememberError, changed
from brain.remember.near import Tokens, indexed_tokens, near
from brain.remember.places import Place, Shelf, read_shelf
from brain.remember.values import Near, Remembered
from brain.remember.writing import WAIT, Change, change
from brain.times import utc_date


def remember(
    places: Sequence[Place],
    text: str,
    *,
    category: str = categories.GENERAL,
    summary: str | None = None,
    token: str = "",
    now: float,
    tokens: Tokens = indexed_tokens,
    wait: float = WAIT,
) -> Remembered:
    """Add ``text`` to ``category`` in the first of ``places`` that has it, else in the first.

    ``summary`` replaces that of the category, None keeps it; ``token`` is the version that the category's
    file must have; ``now`` in epoch seconds gives the day (UTC). What is known already, in any category of
    ``places``, is skipped. Durable when this returns. ``RememberError`` for what is refused, nothing is
    written then.
    """
    name = categories.label(category)
    refusals.no_secret(name)
    wanted = _Wanted(
        name,
        refusals.observation(text),
        None if summary is None else refusals.summary(summary),
        utc_date(now),
    )
    place = _place_of(places, wanted.category)
    # What is refused anyway makes no folder.
    others = [read_shelf(one) for one in places if one != place]

    def plan(shelf: Shelf) -> tuple[Change | None, Remembered]:
        return _Planning(wanted, shelf, others, tokens, token).plan()

    return change(place, plan, now=now, token=token, create=True, wait=wait)


def _place_of(places: Sequence[Place], category: str) -> Place:
    for place in places:
        if _category(read_shelf(place), category):
            return place
    return places[0]


def _category(shelf: Shelf, name: str) -> CategoryFile | None:
    """The file of the category ``name``; of several that may be meant the one that is written alike."""
    found = [file for file in shelf.categories if categories.same(file.title, name)]
    return min(found, key=lambda file: (file.title != name, file.path), default=None)


class _Wanted:
    """What shall be kept, in the form in which it is kept."""

    __slots__ = ("category", "date", "summary", "text")

    def __init__(self, category: str, text: str, summary: str | None, date: str) -> None:
        self.category = category
        self.text = text
        self.summary = summary
        self.date = date


class _Planning:
    """What is to be written, now that the lock is held."""

    def __init__(
        self,
        wanted: _Wanted,
        shelf: Shelf,
        others: Sequence[Shelf],
        tokens: Callable[[str], Sequence[str]],
        token: str,
    ) -> None:
        self._wanted = wanted
        self._shelf = shelf
        self._others = others
        self._tokens = tokens
        self._token = token
        self._file = _category(shelf, wanted.category)

    def plan(self) -> tuple[Change | None, Remembered]:
        if self._token and (self._file is None or self._file.version != self._token):
            raise changed(self._file.path if self._file else self._shelf.place.folder)
        known = self._known()
        if known:
            return self._skip(*known)
        return self._append(self._file) if self._file else self._create()

    def _standing(self) -> Iterator[tuple[CategoryFile, Observation]]:
        for shelf in (self._shelf, *self._others):
            for file in shelf.categories:
                for one in file.body.observations:
                    yield file, one

    def _known(self) -> tuple[CategoryFile, Observation] | None:
        """The same fact, in this category rather than in another."""
        same = observations.normalised(self._wanted.text)
        found = [
            (file, one)
            for file, one in self._standing()
            if not one.archived and observations.normalised(one.text) == same
        ]
        return min(found, key=lambda pair: pair[0] is not self._file, default=None)

    def _skip(self, file: CategoryFile, one: Observation) -> tuple[Change | None, Remembered]:
        """Nothing is added; a summary is kept all the same."""
        data = file.data
        given = self._wanted.summary
        mine = given is not None and file is self._file
        line = one.line
        if given is not None and mine:
            text = file.with_summary(file.text, given)
            data = file.with_text(text)
            line += text.count("\n") - file.text.count("\n")
        result = Remembered(
            "skipped",
            file.title,
            file.path,
            line,
            one.id,
            version=version(data),
            near=near(self._wanted.text, [(file, one)], self._tokens),
            summary_updated=mine,
        )
        return (Change(_name(file), data, file) if mine else None), result

    def _append(self, file: CategoryFile) -> tuple[Change, Remembered]:
        hidden = refusals.open_block(file.text[file.start :])
        if hidden:
            raise RememberError(
                "memory-open",
                f"{hidden} in the file never ends and would hide what is added",
                "Close it.",
                path=file.path,
            )
        name = self._new_id()
        newline = file.newline
        block = self._block(name).replace("\n", newline)
        end = file.body.archive if file.body.archive is not None else len(file.text)
        head, tail = file.text[:end], file.text[end:]
        body = head[file.start :].rstrip(observations.BLANKS)
        head = head[: file.start] + body
        if body:
            head += newline * 2
        elif file.start > 1:
            head += newline
        ends = newline * 2 if tail else newline if not body or file.text.endswith("\n") else ""
        text = head + block + ends + tail
        line = text.count("\n", 0, len(head)) + 1
        given, moved = self._wanted.summary, 0
        if given is not None:
            before = text.count("\n")
            text = file.with_summary(text, given)
            moved = text.count("\n") - before
        data = file.with_text(text)
        said = self._remembered("appended", (file.path, line + moved, name), data, moved=moved)
        return Change(_name(file), data, file), said

    def _create(self) -> tuple[Change, Remembered]:
        wanted, shelf = self._wanted, self._shelf
        self._refuse_unread()
        base = categories.file_name(wanted.category, shelf.taken)
        name = self._new_id()
        data = new_file(wanted.category, wanted.summary or "", self._block(name))
        line = data.count(b"\n", 0, data.index(b"\n---\n\n") + 6) + 1
        path = f"{shelf.place.folder}/{base}"
        others = [file.title for one in (shelf, *self._others) for file in one.categories]
        similar = categories.similar(wanted.category, others)
        said = self._remembered("created", (path, line, name), data, similar=similar)
        return Change(base, data, None), said

    def _refuse_unread(self) -> None:
        """A file that seems to be the category's and cannot be read must not get a twin."""
        plain = categories.fold(categories.file_name(self._wanted.category, frozenset()))
        for one in (unread for shelf in (self._shelf, *self._others) for unread in shelf.unread):
            if categories.fold(one.path.rpartition("/")[2]) == plain:
                raise RememberError(
                    "memory-unreadable",
                    f"the file of the category cannot be read: {one.why}",
                    "Mend the file, or choose another category.",
                    path=one.path,
                )

    def _remembered(
        self,
        outcome: str,
        place: tuple[str, int, str],
        data: bytes,
        *,
        similar: tuple[str, ...] = (),
        moved: int = 0,
    ) -> Remembered:
        """``place`` is path, line and name; ``moved`` by how many lines what stood there stands lower now."""
        path, line, name = place
        live = ((file, one) for file, one in self._standing() if not one.archived)
        return Remembered(
            outcome,
            self._file.title if self._file else self._wanted.category,
            path,
            line,
            name,
            version=version(data),
            near=tuple(
                Near(one.file, one.line + (moved if one.file == path else 0), one.id, one.text, one.score)
                for one in near(self._wanted.text, live, self._tokens)
            ),
            similar=similar,
            summary_updated=self._wanted.summary is not None,
        )

    def _new_id(self) -> str:
        if self._shelf.place.is_vault:
            return observations.digest(self._wanted.text)[: observations.UNNAMED]
        return observations.new_id(self._wanted.text, {one.id for _, one in self._standing()})

    def _block(self, name: str) -> str:
        if self._shelf.place.is_vault:
            return self._wanted.text
        return observations.stamped(self._wanted.text, id=name, date=self._wanted.date)


def _name(file: CategoryFile) -> str:
    return file.path.rpartition("/")[2]
