"""One sweep: what notes say, what of it is proposed for MEMORY.md, and why the rest is not.

Pure and deterministic: the same notes in any order, the same memory, marks, gates and day give the same. What
a sweep itself did is never counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from itertools import pairwise

from brain import secrets
from brain.dreaming.claims import Group, claim_of, group, in_order, is_marked
from brain.dreaming.contradictions import Contrasts, with_memory
from brain.dreaming.kept import Kept
from brain.dreaming.known import Memory, memory_of
from brain.dreaming.ranking import judge, ordinal
from brain.dreaming.tags import tags_of
from brain.dreaming.values import (
    Claim,
    Contradiction,
    Example,
    Gates,
    Marks,
    NearMiss,
    Proposal,
    Skipped,
    Sweep,
    Theme,
    Verdict,
    Workspace,
)
from brain.value import replace

NEAR_MISSES = 20
CONTRADICTIONS = 50
THEMES = 10
THEME_DAYS = 7

_EXAMPLES = 5
_SHOWN = 120
# A line on most days is no news of any of them: it belongs to the form that its writer fills in.
_FORM_DAYS = 14
_FORM_SHARE = 0.7
# So many notes at the same distance each are a chore; few people repeat a fact by the calendar.
_CHORE_DAYS = 5
# How far beyond the highest age a claim is still shown with the gate that it failed.
_LATE = 14


def sweep(
    workspace: Workspace,
    *,
    today: date,
    gates: Gates | None = None,
    marks: Marks | None = None,
    kept: Kept | None = None,
) -> Sweep:
    """What a sweep on the day ``today`` finds in ``workspace``.

    ``kept`` carries what is worked out once from one sweep to the next; it changes no answer.
    """
    return _Round(workspace, today, gates or Gates(), marks or Marks(), kept or Kept()).sweep()


def judged(
    workspace: Workspace,
    *,
    today: date,
    gates: Gates | None = None,
    marks: Marks | None = None,
    kept: Kept | None = None,
) -> Iterator[tuple[Claim, Verdict]]:
    """Every claim with the verdict that ``sweep`` goes by, the best first; for who asks about one."""
    yield from _Round(workspace, today, gates or Gates(), marks or Marks(), kept or Kept()).judged()


def select(found: Iterable[tuple[Claim, Verdict]], selector: str) -> list[tuple[Claim, Verdict]]:
    """Those whose id, path or text holds ``selector``, whatever its case; one with just this id alone."""
    wanted = selector.casefold().strip()
    held = list(found)
    exact = [one for one in held if wanted in one[0].ids]
    if exact or not wanted:
        return exact
    return [
        one
        for one in held
        if wanted in one[0].text.casefold()
        or any(wanted in id_ for id_ in one[0].ids)
        or any(wanted in f"{place.path}:{place.line}".casefold() for place in one[0].evidence)
    ]


class _Round:
    """A sweep at work."""

    def __init__(self, workspace: Workspace, today: date, gates: Gates, marks: Marks, kept: Kept) -> None:
        self._today, self._gates, self._marks, self._kept = today, gates, marks, kept
        self._day = today.isoformat()
        in_time = [note for note in workspace.notes if note.day <= self._day]
        self._notes = in_order(in_time)
        self._future = in_order(note for note in workspace.notes if note.day > self._day)
        self._days = {note.day for note in self._notes}
        self.groups = group(self._notes, kept)
        self._memory: Memory | None = memory_of(workspace.memory, kept.cues) if workspace.memory else None
        self._contrasts = Contrasts(self.groups, kept, gates.min_days, self._day)
        self._found = list(self._contrasts.found)
        self._supersedes: dict[str, set[str]] = {}
        self._promoted = {one for one, day in marks.promoted.items() if not day}
        self._left: dict[str, list[Example]] = {}

    def sweep(self) -> Sweep:
        """All of it."""
        expired = [one for one in self.groups.values() if one.until and one.until < self._day]
        verdicts = sorted(map(self.verdict, self._worth_judging()), key=_rank)
        proposals, near = self._chosen(verdicts)
        for one in expired:
            self._leave("expired", one)
        return Sweep(
            tuple(proposals),
            tuple(self._near_misses(near)),
            tuple(self._skipped()),
            tuple(self._contradictions()),
            tuple(self._themes()),
            len(self.groups),
            len(self._notes),
            len(self._days),
            tuple(sorted(id_ for one in expired for id_ in one.ids)),
        )

    def judged(self) -> Iterator[tuple[Claim, Verdict]]:
        """All claims as ``sweep`` judges them, also by what stands before them in the rank."""
        worth = sorted(map(self.verdict, self._worth_judging()), key=_rank)
        proposals, near = self._chosen(worth)
        said = {one.claim.id: one.verdict for one in proposals} | {claim.id: one for claim, one in near}
        for claim, verdict in sorted(map(self.verdict, self.groups.values()), key=_rank):
            if claim.id not in said and verdict.passed:
                why = "secret" if secrets.find(claim.text) else "form"
                verdict = replace(verdict, failed=(why,))  # noqa: PLW2901 - what the sweep says of it counts
            yield claim, said.get(claim.id, verdict)

    def verdict(self, found: Group) -> tuple[Claim, Verdict]:
        """The claim of a group, and what the one gate says of it."""
        claim = claim_of(found, self._marks)
        return claim, judge(claim, self._gates, self._today, self._hindrances(found))

    def _worth_judging(self) -> Iterator[Group]:
        """The groups that may pass, or that miss it so narrowly that somebody may ask."""
        oldest = self._today.toordinal() - self._gates.max_age_days - _LATE
        for found in self.groups.values():
            marked = is_marked(found, self._marks)
            if not marked and (
                len(found.places) < min(2, self._gates.min_days) or ordinal(found.last) < oldest
            ):
                continue
            if self._is_form(found):
                self._leave("template", found)
            elif marked or len(found.days) > 1 or self._gates.min_days < 2:
                yield found

    def _is_form(self, found: Group) -> bool:
        """Whether it is no news of its days: on most of them, or on each seventh, as a chore is."""
        numbers = sorted(map(ordinal, found.days))
        gaps = {later - earlier for earlier, later in pairwise(numbers)}
        if len(numbers) >= _CHORE_DAYS and len(gaps) == 1 and gaps != {1}:
            return True
        least = _FORM_SHARE * len(self._days)
        return len(self._days) >= _FORM_DAYS and len(found.places) > least and len(found.days) > least

    def _hindrances(self, found: Group) -> set[str]:
        shut: set[str] = set()
        leader = found.ids[0]
        for id_ in found.ids:
            if id_ in self._marks.promoted and found.last > self._marks.promoted[id_] != "":
                continue
            if id_ in self._marks.promoted:
                shut.add("promoted")
        if leader in self._contrasts.contradicted:
            shut.add("contradicted")
        if any(not self._promoted.isdisjoint(self._kept.alike(id_)) for id_ in found.ids):
            shut.add("known")
        if self._memory is not None:
            self._ask_memory(self._memory, found, shut)
        return shut

    def _ask_memory(self, memory: Memory, found: Group, shut: set[str]) -> None:
        said = self._kept.wording(found.ids[0])
        known = memory.saying(tuple(found.ids), said)
        if known is not None:
            shut.add("promoted" if known.item and known.item in found.ids else "known")
            return
        for line, differ, certain in memory.against(said):
            if line.item and line.item in self._ids_of_groups():
                # Its notes are here: they say which of the two is newer.
                if certain and line.item in self._contrasts.supersedes.get(found.ids[0], ()):
                    self._supersedes.setdefault(found.ids[0], set()).add(line.item)
                continue
            pair = with_memory(found, line, differ, certain=certain)
            self._found.append(pair)
            if certain and pair.is_ordered:
                self._supersedes.setdefault(found.ids[0], set()).add(line.item)
            elif certain:
                shut.add("contradicted")

    def _ids_of_groups(self) -> set[str]:
        if not hasattr(self, "_all_ids"):
            self._all_ids = {id_ for one in self.groups.values() for id_ in one.ids}
        return self._all_ids

    def _chosen(
        self, verdicts: Iterable[tuple[Claim, Verdict]]
    ) -> tuple[list[Proposal], list[tuple[Claim, Verdict]]]:
        """The proposals, within the limit and none twice in other words; and the claims that are none."""
        proposals: list[Proposal] = []
        near: list[tuple[Claim, Verdict]] = []
        taken: set[str] = set()
        for claim, verdict in verdicts:
            failed = verdict.failed
            if not failed and secrets.find(claim.text):
                self._leave("secret", self.groups[claim.id])
                continue
            if not failed and any(not taken.isdisjoint(self._kept.alike(id_)) for id_ in claim.ids):
                failed = ("known",)
            elif not failed and len(proposals) >= self._gates.limit:
                failed = ("limit",)
            if "known" in failed:
                self._leave("already-known", self.groups[claim.id])
            if failed:
                near.append((claim, replace(verdict, failed=failed)))
                continue
            taken.update(claim.ids)
            over = {*self._contrasts.supersedes.get(claim.id, ()), *self._supersedes.get(claim.id, ())}
            proposals.append(Proposal(claim, verdict, tuple(sorted(over))))
        return proposals, near

    def _near_misses(self, failed: Iterable[tuple[Claim, Verdict]]) -> Iterator[NearMiss]:
        """The best that are neither promoted nor known nor over, then the newest of one day."""
        done = {"promoted", "known", "expired"}
        near = [one for one in failed if done.isdisjoint(one[1].failed)]
        near.sort(key=lambda one: (len(one[1].failed), *_rank(one)))
        if len(near) < NEAR_MISSES:
            held = {claim.id for claim, _ in near}
            newest = sorted(
                (
                    one
                    for one in self.groups.values()
                    if len(one.days) == 1 and one.ids[0] not in held and not is_marked(one, self._marks)
                ),
                key=lambda one: (-ordinal(one.last), -one.places[0][2].reading, one.ids[0]),
            )
            single = (self.verdict(one) for one in newest[: NEAR_MISSES - len(near)])
            near.extend(one for one in single if one[1].failed and done.isdisjoint(one[1].failed))
        for claim, verdict in near[:NEAR_MISSES]:
            yield NearMiss(claim, verdict)

    def _leave(self, reason: str, found: Group) -> None:
        day, path, line = found.places[-1]
        held = self._left.setdefault(reason, [])
        del day
        held.append(Example(path, line.line, secrets.redact(line.text).text[:_SHOWN]))

    def _skipped(self) -> Iterator[Skipped]:
        """By reason, how many lines of all notes were left out, with examples out of the newest notes."""
        counts: dict[str, int] = {reason: len(held) for reason, held in self._left.items()}
        examples = {reason: held[-_EXAMPLES:] for reason, held in self._left.items()}
        for note in reversed(self._notes):
            for left in self._kept.of_note(note).left:
                counts[left.reason] = counts.get(left.reason, 0) + left.count
                held = examples.setdefault(left.reason, [])
                if len(held) < _EXAMPLES:
                    held.extend(Example(note.path, line, text) for line, text in left.examples)
        if self._future:
            counts["future"] = len(self._future)
            examples["future"] = [Example(note.path, 1, "") for note in self._future]
        for reason in sorted(counts):
            yield Skipped(reason, counts[reason], tuple(examples[reason][:_EXAMPLES]))

    def _contradictions(self) -> list[Contradiction]:
        """Those with a side that is not old, certain ones first."""
        oldest = self._today.toordinal() - self._gates.max_age_days
        found = [one for one in self._found if ordinal(one.later.last) >= oldest]
        found.sort(
            key=lambda one: (not one.is_certain, -ordinal(one.later.last), one.later.id, one.earlier.line)
        )
        return found[:CONTRADICTIONS]

    def _themes(self) -> list[Theme]:
        """The tags of the claims of the last week, those that most share first."""
        oldest = self._today.toordinal() - THEME_DAYS
        recent = [one for one in self.groups.values() if ordinal(one.last) > oldest]
        claims: dict[str, int] = {}
        days: dict[str, set[str]] = {}
        for one in recent:
            for tag in tags_of(one.places[0][2].text):
                claims[tag] = claims.get(tag, 0) + 1
                days.setdefault(tag, set()).update(day for day in one.days if ordinal(day) > oldest)
        shared = [
            Theme(tag, count, len(days[tag]), min(1.0, 2 * count / len(recent)))
            for tag, count in claims.items()
            if count > 1
        ]
        return sorted(shared, key=lambda one: (-one.claims, -one.days, one.tag))[:THEMES]


def _rank(one: tuple[Claim, Verdict]) -> tuple[float, int, str, str]:
    claim, verdict = one
    return (-verdict.score, -len(claim.recalls), claim.evidence[0].path, claim.id)
