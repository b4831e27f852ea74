"""Decides what an indexing changes: pure, from the portfolio as read and the facts of a scan to bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from brain import card_values
from brain.card_values import card_updates, differences_between, is_marked_anew, path_hash
from brain.display import one_line, sayable
from brain.files.cards import ABSENT, CARD_CAP, Absent, Update, present, render, rewrite, says
from brain.files.outline import Json
from brain.files.reading import Seen, inside
from brain.moves import find_moves, find_same_folders
from brain.plan import CardWrite, Change, Plan, Request
from brain.problem import Problem
from brain.project_cards import (
    CARD_KEYS,
    INDEX_NAME,
    MISSING,
    MOVED_FROM,
    PROJECTS,
    SCAN_KEYS,
    SUFFIX,
    UNREADABLE,
    Card,
    CardFile,
    Facts,
    Portfolio,
    card_of,
    path_bytes,
    pinned,
    text_of,
)
from brain.projects_index import render_index

NAME_CAP = card_values.NAME_CAP


def make_plan(portfolio: Portfolio, request: Request) -> Plan:
    """Compare the facts with the cards. Same input, same plan.

    Where the cards could not be listed, nothing is planned: all of them would be taken for gone or new.
    """
    if any(problem.code == UNREADABLE for problem in portfolio.problems):
        return Plan(portfolio, request, portfolio.problems)
    planner = _Planner(portfolio, request)
    planner.match()
    planner.look_for_missing()
    index = planner.index()
    changes = sorted(planner.changes, key=lambda change: (path_bytes(change.path), change.file))
    problems = (*portfolio.problems, *planner.problems)
    return Plan(
        portfolio, request, problems, changes=tuple(changes), cards=tuple(planner.writes), index=index
    )


class _Planner:
    """One comparison on its way."""

    def __init__(self, portfolio: Portfolio, request: Request) -> None:
        self._portfolio = portfolio
        self._request = request
        self._date = request.now[:10]
        self._files = {file.name: file for file in portfolio.files}
        self._cards = {card.file: card for card in portfolio.cards}
        self._by_path = _by_path(portfolio.cards)
        self._by_real_path: dict[str, Card] | None = None
        self._of_path: dict[str, list[str]] | None = None
        self._done: dict[str, Facts] = {}
        self._moved_away: set[str] = set()
        self.changes: list[Change] = []
        self.writes: list[CardWrite] = []
        self.problems: list[Problem] = []

    def match(self) -> None:
        """Give every project of the scan a card: the one at its path, that of its old place, or a new one."""
        strangers: list[Facts] = []
        known: dict[str, tuple[Card, Facts]] = {}
        for facts in self._distinct():
            card = self._card_for(facts)
            if card is None:
                strangers.append(facts)
            else:
                known.setdefault(card.file, (card, facts))
        overdue = self._overdue(known)
        for card, facts in known.values():
            if card.file in overdue:
                self._move(overdue[card.file], facts, over=card.file)
            else:
                self._update(card, facts)
        moved = self._moves(strangers) if strangers else {}
        for facts in strangers:
            if facts.path in moved:
                self._move(moved[facts.path], facts)
            else:
                self._add(facts)

    def look_for_missing(self) -> None:
        """Mark the cards of projects that are gone from the folders that were scanned."""
        seen = {facts.real_path for facts in self._done.values()}
        for card in self._portfolio.cards:
            if card.file in self._done or card.file in self._moved_away:
                continue
            if not any(inside(card.path, root) for root in self._request.roots):
                continue
            if not self._request.exists(card.path):
                self._mark_missing(card)
            elif self._request.real_path(card.path) in seen:
                self._warn("card-duplicate", card.file, "another card describes the same project")
            elif card.missing_since:
                self._unmark(card)

    def index(self) -> bytes | None:
        """The new bytes of the index page; None when it is right, or when there is nothing to list."""
        old = self._portfolio.index
        cards = [self._cards[name] for name in sorted(self._cards, key=path_bytes)]
        if old.closed if old else not cards:
            return None
        page, damaged = render_index(old.data if old else None, cards, self._date)
        if damaged:
            self.problems.append(
                Problem(
                    "index-markers",
                    "warning",
                    f"{self._portfolio.brain}/{INDEX_NAME}",
                    "the lines that mark the generated part were damaged and are set anew around the table",
                    "read the page once: text from inside the old marks is kept below the table",
                )
            )
        return None if old and old.data == page else page

    def _distinct(self) -> list[Facts]:
        """The facts ordered by path, each project once even if two roots lead to it."""
        chosen: dict[str, Facts] = {}
        for facts in self._request.facts:
            key = facts.real_path or facts.path
            other = chosen.get(key)
            if other is None or self._rank(facts) < self._rank(other):
                chosen[key] = facts
        return sorted(chosen.values(), key=lambda facts: path_bytes(facts.path))

    def _rank(self, facts: Facts) -> tuple[bool, bool, str]:
        return (facts.path not in self._by_path, facts.path != facts.real_path, facts.path)

    def _card_for(self, facts: Facts) -> Card | None:
        card = self._by_path.get(facts.path) or self._by_path.get(facts.real_path)
        if card:
            return card
        if self._by_real_path is None:
            taken = {facts.path for facts in self._request.facts}
            cards = [card for card in self._by_path.values() if card.path not in taken]
            self._by_real_path = {self._request.real_path(card.path): card for card in reversed(cards)}
        return self._by_real_path.get(facts.real_path)

    def _add(self, facts: Facts) -> None:
        file = self._place(facts.path, lambda name: name in self._cards or name in self._moved_away)
        old = self._files.get(file)
        values = old.values if old else {}
        updates = card_updates(facts, facts.path, file, values, self._date)
        self._done[file] = facts
        self._write(file, updates)
        self.changes.append(Change("new", facts.path, text_of(present(updates)["name"]), file))

    def _is_taken(self, name: str) -> bool:
        return name in self._files or name in self._cards

    def _place(self, path: str, is_taken: Callable[[str], bool]) -> str:
        """The file for a new card: named after the shortest part of the hash that is not taken."""
        digest = path_hash(path)
        for length in (8, 16, 64):
            name = digest[:length] + SUFFIX
            if not is_taken(name):
                return name
        raise AssertionError("two paths with one SHA-256")

    def _moves(self, strangers: Sequence[Facts]) -> dict[str, Card]:
        """The card of each project that is only new at its path."""
        done = self._done.keys() | self._moved_away
        free = [card for card in self._by_path.values() if card.file not in done]
        moves = find_moves(free, strangers, roots=self._request.roots, exists=self._request.exists)
        for facts, cards in moves.unclear:
            places = ", ".join(sayable(card.path) for card in cards[:3])
            self.problems.append(
                Problem(
                    "move-unclear",
                    "warning",
                    facts.path,
                    f"it may have been moved here from {places}, but more than one project fits",
                    "it gets a card of its own; copy by hand what you wrote in the card of its old place",
                )
            )
        return {facts.path: card for card, facts in moves.pairs}

    def _overdue(self, known: Mapping[str, tuple[Card, Facts]]) -> dict[str, Card]:
        """The old card of a moved project, by the new one that was made before anybody could know that.

        BMAD+ makes such a card, and Zecher in a night in which the old one could not be read. It gives way
        only where nobody wrote into it, and where the very folder of the old card was found again.
        """
        free = [card for card in self._by_path.values() if card.file not in known]
        if not free:
            return {}
        file_of = {facts.path: file for file, (_, facts) in known.items()}
        pairs = find_same_folders(free, [facts for _, facts in known.values()], exists=self._request.exists)
        return {
            file_of[facts.path]: card
            for card, facts in pairs
            if self._may_rename(card) and self._is_plain(file_of[facts.path], facts)
        }

    def _is_plain(self, name: str, facts: Facts) -> bool:
        """Whether the card in ``name`` holds what a scan wrote and nothing else."""
        file = self._files[name]
        ours = {*CARD_KEYS, *SCAN_KEYS, *(key for key, _ in facts.extra)}
        data = (file.seen.data or b"").rstrip(b"\n")
        return (
            self._is_named_after(facts.path, name)
            and not file.linked
            and ours.issuperset(file.values)
            and data == render(file.values)
        )

    def _may_rename(self, card: Card) -> bool:
        return self._is_named_after(card.path, card.file) and not self._files[card.file].linked

    def _move(self, card: Card, facts: Facts, over: str = "") -> None:
        """The card of a project goes with it, under the name of its new path, or ``over`` another card."""
        old = self._files[card.file]
        name, twins = over or card.file, self._twins(card)
        if not over and self._may_rename(card):
            name = self._place(facts.path, lambda name: name not in twins and self._is_taken(name))
        updates = card_updates(facts, facts.path, name, old.values, self._date)
        updates[MOVED_FROM] = sayable(card.path)
        differences = differences_between(old.values, updates)
        self._moved_away |= {card.file, *twins}
        name = self._write(card.file, updates, name)
        self._done[name] = facts
        shown = text_of(present(updates)["name"])
        self.changes.append(Change("moved", facts.path, shown, name, differences, old_path=card.path))

    def _is_named_after(self, path: str, file: str) -> bool:
        stem = file.removesuffix(SUFFIX)
        return len(stem) >= 8 and path_hash(path).startswith(stem)

    def _twins(self, card: Card) -> set[str]:
        """Other names with the very same content: what a rename leaves behind that was killed halfway."""
        if self._of_path is None:
            self._of_path = {}
            for other in self._portfolio.cards:
                self._of_path.setdefault(other.path, []).append(other.file)
        own = self._files[card.file].seen
        return {
            name
            for name in self._of_path[card.path]
            if name != card.file and (twin := self._files[name]).seen == own and not twin.linked
        }

    def _update(self, card: Card, facts: Facts) -> None:
        values = self._files[card.file].values
        updates = card_updates(facts, card.path, card.file, values, self._date)
        self._done[card.file] = facts
        differences = differences_between(values, updates)
        if differences or not says(values.get("last_scanned"), self._date) or is_marked_anew(values, updates):
            self._write(card.file, updates)
        kind = "returned" if card.missing_since else "changed" if differences else "same"
        self.changes.append(
            Change(kind, card.path, text_of(present(updates)["name"]), card.file, differences)
        )

    def _mark_missing(self, card: Card) -> None:
        differences: tuple[tuple[str, Json, Json], ...] = ()
        if not card.missing_since:
            differences = self._set_state(card, pinned_or(card, self._files, MISSING), self._date)
        self.changes.append(Change("missing", card.path, card.name, card.file, differences))

    def _unmark(self, card: Card) -> None:
        """The folder is back, but this scan did not look at it: nobody knows how it is."""
        differences = self._set_state(card, pinned_or(card, self._files, "unknown"), ABSENT)
        self.changes.append(Change("returned", card.path, card.name, card.file, differences))

    def _set_state(self, card: Card, status: str, since: Update) -> tuple[tuple[str, Json, Json], ...]:
        values = self._files[card.file].values
        updates: dict[str, Update] = {key: values[key] for key in CARD_KEYS if key in values}
        updates |= {"status": status, "missing_since": since}
        self._write(card.file, updates)
        return differences_between(values, updates)

    def _write(self, file: str, updates: Mapping[str, Update], name: str = "") -> str:
        """Plan the new content of the card in ``file``; ``name`` is its new one. The name that it gets."""
        old = self._files.get(file)
        if old and old.seen.closed:
            self._warn("card-not-written", file, "cannot be read, so it was left as it is")
            return file
        if old is None or old.garbage:
            data, in_place = render(present(updates)), old is None
        else:
            data, in_place = rewrite(old.seen.data or b"", updates)
        if len(data) > CARD_CAP:
            self._warn("card-too-large", file, f"would grow past {CARD_CAP} bytes and was left as it is")
            return file
        if not in_place:
            self._warn(
                "card-set-aside", file, "could not be changed in place; the old file is kept beside it"
            )
        if old and in_place and name not in ("", file):
            twin = self._files.get(name)
            source = (file, old.seen)
            self.writes.append(CardWrite(name, data, twin.seen if twin else None, source=source))
            self._cards.pop(file, None)
            file = name
        elif old is None or old.garbage or data != old.seen.data:
            self.writes.append(CardWrite(file, data, old.seen if old else None, aside=not in_place))
        values = dict(old.values) if old else {}
        for key, value in updates.items():
            if isinstance(value, Absent):
                values.pop(key, None)
            else:
                values[key] = value
        if card := card_of(CardFile(file, Seen((0, 0, 0), None), values)):
            self._cards[file] = card
        return file

    def _warn(self, code: str, file: str, message: str) -> None:
        path = f"{self._portfolio.brain}/{PROJECTS}/{file}"
        self.problems.append(Problem(code, "warning", path, message))


def pinned_or(card: Card, files: Mapping[str, CardFile], status: str) -> str:
    """The status that a person pinned, or else ``status``."""
    return one_line(pinned(files[card.file].values, "status"), NAME_CAP) or status


def _by_path(cards: Sequence[Card]) -> dict[str, Card]:
    """The card of each path; of two, the one that BMAD+ would read and write: named after the path."""
    found: dict[str, Card] = {}
    for card in cards:
        other = found.setdefault(card.path, card)
        if other is not card and card.file == path_hash(card.path)[:8] + SUFFIX:
            found[card.path] = card
    return found
