"""What is different between two moments of a portfolio."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reports.markdown import code_span, escape
from reports.snapshot import MISSING, Noted, Snapshot
from reports.view import below_home, iso_time
from scanner.value import dataclass

# What a person has to know first comes first.
AT_RISK, GONE, MOVED, NEW, BACK = "at risk", "gone", "moved", "new", "back"
REVIVED, QUIET, STACK = "revived", "gone quiet", "stack"
KINDS = (AT_RISK, GONE, MOVED, NEW, BACK, REVIVED, QUIET, STACK)

_RANKS = {"active": 0, "paused": 1, "archived": 2}


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is different with one project; ``before`` is None for one that was not known."""

    kind: str
    project: Noted
    before: Noted | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """All that is different since ``since`` (epoch seconds), by kind in the order of ``KINDS``, then by path.

    ``unseen`` counts projects of which nothing can be told now: a root that could not be read or is not
    configured any more. ``rules_changed``: what is active, paused or archived is judged by other thresholds.
    """

    since: float
    all: tuple[Change, ...]
    unseen: int = 0
    rules_changed: bool = False

    def of(self, kind: str) -> tuple[Change, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.all if change.kind == kind)


def changes_between(before: Snapshot, after: Snapshot) -> Changes:
    """What is different in ``after``. A project is the same one as long as it has its identifier."""
    old = _by_key(before.projects)
    day = (iso_time(before.taken) or "")[:10]
    found = [
        change
        for key, project in _by_key(after.projects).items()
        for change in _of_one(old.pop(key, None), project, day)
    ]
    found.sort(key=lambda change: (KINDS.index(change.kind), change.project.path))
    return Changes(
        since=before.taken,
        all=tuple(found),
        unseen=sum(project.status != MISSING for project in old.values()),
        rules_changed=before.thresholds != after.thresholds,
    )


def _by_key(projects: Iterable[Noted]) -> dict[str, Noted]:
    """The projects by identifier; one whose identifier is another's too, by its path."""
    found: dict[str, Noted] = {}
    for project in projects:
        found[project.id if project.id and project.id not in found else project.path] = project
    return found


def _of_one(old: Noted | None, new: Noted, day: str) -> Iterator[Change]:
    if new.status == MISSING:
        if old is not None and old.status != MISSING:
            yield Change(GONE, new, old)
        return
    if old is None:
        # One that was found long before was away: a disk that was not there, a root that was not asked.
        yield Change(NEW if new.first_seen >= day else BACK, new)
        return
    if old.status != MISSING and set(new.risks) - set(old.risks):
        yield Change(AT_RISK, new, old)
    if old.path != new.path:
        yield Change(MOVED, new, old)
    if old.status == MISSING:
        yield Change(BACK, new, old)
        return
    was, now = _RANKS.get(old.status), _RANKS.get(new.status)
    if was is not None and now is not None and was != now:
        yield Change(REVIVED if now < was else QUIET, new, old)
    if (old.stack, set(old.labels)) != (new.stack, set(new.labels)):
        yield Change(STACK, new, old)


# -- in words ------------------------------------------------------------------------------------------------


def moment(when: float) -> str:
    """``2026-11-30 03:17 UTC``."""
    text = iso_time(when) or "?"
    return f"{text[:10]} {text[11:16]} UTC"


def slot_words(slot: str) -> str:
    """The name of a slot; one that is none of ours is made harmless. An escaped date would read badly."""
    return slot if slot.isascii() and slot.replace("-", "").isalnum() else escape(slot)


def change_lines(changes: Changes, home: str, *, room: int) -> list[str]:
    """A list in Markdown, one line a change, of each kind the first few.

    They share ``room`` lines; beyond come a line for each kind of which there are more, and two for what
    cannot be told.
    """
    present = [kind for kind in KINDS if changes.of(kind)]
    each = max(1, room // len(present)) if present else 0
    lines: list[str] = []
    for kind in present:
        found = changes.of(kind)
        # A line that says "1 more" takes the room of that one.
        shown = found if len(found) <= each + 1 else found[:each]
        lines += [f"- {kind}: {_told(change, home)}" for change in shown]
        if len(found) > len(shown):
            lines.append(f"- {kind}: {len(found) - len(shown):,} more")
    if changes.unseen:
        lines.append(f"- not looked at this time: {changes.unseen:,}")
    if changes.rules_changed:
        lines.append("- the thresholds of active and paused were changed")
    return lines


def _told(change: Change, home: str) -> str:
    new, old = change.project, change.before
    start = f"{escape(new.name)}, {_path(new, home)}"
    if change.kind == GONE and old is not None:
        return f"{start}, was {escape(old.status)}"
    if change.kind == MOVED and old is not None:
        return f"{escape(new.name)}, {_path(old, home)} -> {_path(new, home)}"
    if change.kind in (REVIVED, QUIET) and old is not None:
        reason = f" ({escape(new.reason)})" if new.reason else ""
        return f"{start}: {escape(old.status)} -> {escape(new.status)}{reason}"
    if change.kind == STACK and old is not None:
        return f"{start}: {_stack_told(old, new)}"
    if change.kind == AT_RISK and old is not None:
        fresh = [kind for kind in new.risks if kind not in old.risks]
        return f"{start}: {escape(', '.join(fresh))}"
    risks = f"; at risk: {escape(', '.join(new.risks))}" if new.risks else ""
    return f"{start}: {escape(new.stack)}, {escape(new.status)}{risks}"


def _path(project: Noted, home: str) -> str:
    return code_span(below_home(project.path, home))


def _stack_told(old: Noted, new: Noted) -> str:
    parts = [f"{escape(old.stack)} -> {escape(new.stack)}"] if old.stack != new.stack else []
    parts += [f"with {escape(label)}" for label in _only_in(new, old)]
    parts += [f"without {escape(label)}" for label in _only_in(old, new)]
    return ", ".join(parts)


def _only_in(one: Noted, other: Noted) -> Sequence[str]:
    """The further stacks of ``one`` that ``other`` lacks."""
    lacking = set(one.labels) - set(other.labels) - {one.stack, other.stack}
    return sorted(lacking)
