"""Takes an observation out of what counts, and brings it back; nothing is ever deleted."""

from __future__ import annotations

from collections.abc import Sequence

from brain import observations
from brain.observations import ARCHIVE, Observation
from brain.remember.category_file import CategoryFile, version
from brain.remember.errors import RememberError
from brain.remember.places import Place, Shelf, read_shelf
from brain.remember.values import Forgotten
from brain.remember.writing import WAIT, Change, change
from brain.times import utc_date

_SHORTEST = 4


def forget(
    places: Sequence[Place], name: str, *, now: float, undo: bool = False, wait: float = WAIT
) -> Forgotten:
    """Move the observation called ``name`` to the end of its file, below ``[ARCHIVED]``; with ``undo`` back.

    The beginning of a name is enough where it fits one only. ``RememberError`` for none, and for several.
    """
    place = _place_of(places, name)

    def plan(shelf: Shelf) -> tuple[Change | None, Forgotten]:
        file, one = _only(_called(shelf, name), name)
        if bool(one.archived) is not undo:
            said = Forgotten(
                "unchanged", file.title, file.path, one.line, one.id, text=one.text, version=file.version
            )
            return None, said
        text, offset = _restored(file, one) if undo else _archived(file, one, utc_date(now))
        data = file.with_text(text)
        line = text.count("\n", 0, offset) + 1
        outcome = "restored" if undo else "archived"
        done = Forgotten(outcome, file.title, file.path, line, one.id, text=one.text, version=version(data))
        return Change(file.path.rpartition("/")[2], data, file), done

    return change(place, plan, now=now, wait=wait)


def _place_of(places: Sequence[Place], name: str) -> Place:
    found = [(place, pair) for place in places for pair in _called(read_shelf(place), name)]
    exact = [place for place, (_, one) in found if one.id == name]
    _only([pair for _, pair in found if pair[1].id == name or not exact], name)
    return exact[0] if exact else found[0][0]


def _called(shelf: Shelf, name: str) -> list[tuple[CategoryFile, Observation]]:
    if len(name) < _SHORTEST:
        return []
    found = [
        (file, one) for file in shelf.categories for one in file.body.observations if one.id.startswith(name)
    ]
    return [pair for pair in found if pair[1].id == name] or found


def _only(found: list[tuple[CategoryFile, Observation]], name: str) -> tuple[CategoryFile, Observation]:
    if len(found) == 1:
        return found[0]
    if not found:
        raise RememberError(
            "observation-missing",
            f"no observation is called {name!r}",
            "See the names in the comments behind the observations, or search for it.",
        )
    where = ", ".join(f"{file.path}:{one.line}" for file, one in found[:5])
    raise RememberError(
        "observation-ambiguous",
        f"{name!r} may be any of several: {where}",
        "Give more of the name, or the axis.",
    )


def _archived(file: CategoryFile, one: Observation, today: str) -> tuple[str, int]:
    """The text with the observation behind all others, and where it stands."""
    newline = file.newline
    text = _cut(file, one)
    block = observations.stamped(
        one.text.replace("\r\n", "\n"), id=one.id, date=one.date or today, archived=today, parts=one.parts
    ).replace("\n", newline)
    head = text.rstrip(observations.BLANKS)
    if observations.read(text, offset=file.start).archive is None:
        head = f"{head}{newline * 2}{ARCHIVE}"
    head += newline * 2
    return head + block + newline, len(head)


def _restored(file: CategoryFile, one: Observation) -> tuple[str, int]:
    """The text with the observation behind the last one that counts, and where it stands."""
    newline = file.newline
    text = _cut(file, one)
    block = observations.stamped(
        one.text.replace("\r\n", "\n"), id=one.id, date=one.date, parts=one.parts
    ).replace("\n", newline)
    end = observations.read(text, offset=file.start).archive
    end = len(text) if end is None else end
    rest = text[end:].strip(observations.BLANKS)
    if observations.is_archive_heading(rest):
        rest = ""  # nothing stands below it any more
    head = text[:end].rstrip(observations.BLANKS) + newline * 2
    return head + block + newline + (f"{newline}{rest}{newline}" if rest else ""), len(head)


def _cut(file: CategoryFile, one: Observation) -> str:
    """The text without the observation, and one blank line where it stood."""
    before, after = file.text[: one.start], file.text[one.end :].lstrip("\r\n")
    if before[file.start :].strip(observations.BLANKS):
        before = before.rstrip(observations.BLANKS) + file.newline * 2
    return before + after
