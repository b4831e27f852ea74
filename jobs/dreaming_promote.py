"""Dreaming as commands and the job do it: look, promote what passed, explain one claim, take a run back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from brain.dreaming.diary import read_diary
from brain.dreaming.memory_file import NAME, Planned, Promotion, open_ends
from brain.dreaming.values import LASTING, Claim, Gates, NearMiss, Proposal, Verdict
from brain.files.errors import MemError, WriteError
from brain.wording import plural
from jobs.dreaming_diary import make_up, read_dreams, write_diary
from jobs.dreaming_look import Looked, look
from jobs.dreaming_state import PROMOTED, LastRun, WorkspaceState, digest_of, taken_out
from jobs.dreaming_undo import Undone, find_run, undo
from jobs.dreaming_workspaces import DreamSettings
from jobs.dreaming_writing import Wanted, locked, rehearse, write
from jobs.errors import ExpectedError
from reports.dreaming import Dreamt, source_of
from reports.dreaming_report import dream_entry, undone_entry
from reports.view import iso_time
from scanner.project import Problem
from scanner.value import dataclass, replace

_PREVIEW = "00000000T000000Z-1"
_NEAR = 0.85
_TRUTHS = 3


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a workspace.

    ``ids`` are the claims to write, None for all that passed. ``promoted`` also tells what was promoted
    before, and lets the claims of ``ids`` be written whose items went.
    """

    gates: Gates
    ids: tuple[str, ...] | None = None
    promoted: bool = False


def preview(settings: DreamSettings, root: str, wish: Wish) -> Dreamt:
    """What would be proposed and written. Writes nothing but its cache."""
    found = _look(settings, root, wish)
    wanted = _wanted(settings, found, found.sweep.proposals if not found.vanished else ())
    return _dreamt(settings, found, wish, rehearse(root, wanted, _PREVIEW))


def propose(settings: DreamSettings, root: str, wish: Wish) -> Dreamt:
    """As ``preview``, and keep what was seen for the next run; under the lock of the workspace."""
    with locked(WorkspaceState(settings.state, root)):
        found = _look(settings, root, wish)
        wanted = _wanted(settings, found, found.sweep.proposals if not found.vanished else ())
        dreamt = _dreamt(settings, found, wish, rehearse(root, wanted, _PREVIEW))
        problems = () if found.vanished else _note_removed(settings, found)
        problems += make_up(settings.state, found)
        remember(settings, found, "partial" if found.vanished else "ok", dreamt)
        return replace(dreamt, problems=(*dreamt.problems, *problems))


def promote(settings: DreamSettings, root: str, wish: Wish) -> Dreamt:
    """Write what passed into MEMORY.md, under the lock of the workspace, and tell of it in the diary.

    ``ExpectedError`` where a claim of ``wish.ids`` is no proposal (any more), or nothing can be written.
    """
    when = iso_time(settings.now) or ""
    state = WorkspaceState(settings.state, root)
    with locked(state):
        found = _look(settings, root, wish)
        chosen = _chosen(found, wish)
        if found.vanished:
            remember(settings, found, "partial")
            return _dreamt(settings, found, wish, None)
        problems = _note_removed(settings, found) + make_up(settings.state, found)
        done = write(state, settings.state, _wanted(settings, found, chosen), when=when, now=settings.now)
        dreamt = replace(
            _dreamt(settings, found, wish, done.planned),
            run=done.run.name if done.run is not None else "",
            size=done.planned.size if done.run is not None else found.size,
            items=found.items + (len(done.planned.added) - len(done.planned.archived) if done.run else 0),
            archive=done.archive,
        )
        if done.run is not None:
            problems += write_diary(root, done.run.name, dream_entry(settings.today, dreamt))
        remember(settings, found, "ok", dreamt)
        return replace(dreamt, problems=(*dreamt.problems, *done.problems, *problems))


def explain(settings: DreamSettings, root: str, gates: Gates, selector: str) -> list[tuple[Claim, Verdict]]:
    """The claims that ``selector`` may mean, with the verdicts that ``preview`` goes by, the best first."""
    from brain.dreaming.sweep import select  # noqa: PLC0415 - start-up: only to explain

    return select(look(settings, root, gates).judged(), selector)


def truths(settings: DreamSettings, root: str) -> tuple[tuple[Claim, Verdict], ...]:
    """The best few claims that read as lasting, whether they recur or not."""
    over = {"promoted", "known", "expired", "contradicted"}
    judged = look(settings, root).judged()
    found = (one for one in judged if one[0].reading >= LASTING and over.isdisjoint(one[1].failed))
    return tuple(one for one, _ in zip(found, range(_TRUTHS), strict=False))


def take_back(settings: DreamSettings, name: str) -> tuple[str, Undone]:
    """Take the run ``name`` back; the workspace that it was in, and what became of it."""
    run = find_run(settings.state, name)
    if not run.files:
        raise ExpectedError("run-damaged", f"the run {name} cannot be taken back", "it changed no file", "")
    root = run.files[0].base
    state = WorkspaceState(settings.state, root)
    when = iso_time(settings.now) or ""
    with locked(state):
        done = undo(
            state, settings.state, run, when=when, day=settings.today, budget=settings.configured.budget
        )
        entry = undone_entry(settings.today, name, len(done.removed), len(done.restored))
        problems = write_diary(root, f"{name}-undone", entry) if done.removed or done.restored else ()
    return root, replace(done, problems=(*done.problems, *problems))


# -- looking ------------------------------------------------------------------------------------------------


def _look(settings: DreamSettings, root: str, wish: Wish) -> Looked:
    return look(settings, root, wish.gates, forgiven=(wish.ids or ()) if wish.promoted else ())


def _chosen(found: Looked, wish: Wish) -> tuple[Proposal, ...]:
    if wish.ids is None:
        return found.sweep.proposals
    known = {key: one for one in found.sweep.proposals for key in one.claim.ids}
    unknown = [one for one in wish.ids if one not in known]
    if unknown:
        raise ExpectedError(
            "promote-stale",
            f"no proposal {unknown[0]}",
            "its notes, MEMORY.md or the gates say otherwise by now; nothing was written",
            f"Look again, or ask why: zecher memory promote-explain {unknown[0]}",
        )
    return tuple(dict.fromkeys(known[one] for one in wish.ids))


def _wanted(settings: DreamSettings, found: Looked, chosen: Sequence[Proposal]) -> Wanted:
    return Wanted(
        tuple(_promotion(one) for one in chosen),
        settings.today,
        settings.configured.budget,
        frozenset() if found.vanished else found.expired,
    )


def _promotion(one: Proposal) -> Promotion:
    claim = one.claim
    note = (
        f"score={one.verdict.score:.2f} days={len(claim.days)} recalls={len(claim.recalls)} "
        f"source={source_of(claim).replace(']', '%5D')}"
    )
    return Promotion(claim.id, claim.text, note, one.supersedes)


def _dreamt(settings: DreamSettings, found: Looked, wish: Wish, plan: Planned | None) -> Dreamt:
    swept = found.sweep
    if wish.promoted:
        before = [
            NearMiss(claim, verdict) for claim, verdict in found.judged() if "promoted" in verdict.failed
        ]
        swept = replace(swept, near_misses=(*swept.near_misses, *before))
    return Dreamt(
        found.root,
        swept,
        plan,
        size=found.size,
        items=found.items,
        budget=settings.configured.budget,
        gates=found.gates,
        known=found.marks.promoted,
        gone=gone(found),
        unchanged=_unchanged(found),
        findings=tuple(_findings(settings, found, plan)),
        problems=found.problems,
        store=found.state.promotions,
        lock=found.state.lock,
        vanished=found.vanished,
        earlier=tuple(
            (event.run, event.text)
            for events in found.history.events.values()
            for event in events
            if event.action == PROMOTED and event.day == settings.today
        ),
    )


def gone(found: Looked) -> tuple[tuple[str, str], ...]:
    """What the last run proposed and no note says any more."""
    if found.last is None:
        return ()
    held = found.ids()
    return tuple((key, text) for key, text in found.last.proposed.items() if key not in held)


def _findings(settings: DreamSettings, found: Looked, plan: Planned | None) -> Iterator[Problem]:
    path = os.path.join(found.root, NAME)
    yield from _room(path, plan, found.size, settings.configured.budget)
    diary = read_dreams(found.root)
    for line in read_diary(diary[1].data or b"").unclosed if diary is not None else ():
        yield Problem(
            "unclosed-block",
            "warning",
            os.path.join(found.root, diary[0] if diary is not None else ""),
            f"an entry is opened in line {line} and never closed",
            "Close it, or take that line away. Entries are appended all the same.",
        )
    for line in open_ends(found.workspace.memory or b""):
        yield Problem(
            "unclosed-block",
            "warning",
            path,
            f"what line {line} opens is never closed: what is appended stands inside, unseen by readers",
            "Close the comment or the block of code.",
        )
    count = sum(pair.is_certain for pair in found.sweep.contradictions)
    if count:
        words = f"{plural(count, 'pair')} of claims differ in a number, a date or a negation"
        fix = "Decide which one holds, and say so there."
        yield Problem("memory-contradiction", "warning", path, words, fix)


def _room(path: str, plan: Planned | None, size: int, budget: int) -> Iterator[Problem]:
    """What is to be said of the room in MEMORY.md."""
    shorten = "Shorten your own text there, or raise [dreaming] budget."
    if plan is not None and plan.is_over:
        words = f"your own text takes {plan.human:,} of {budget:,} characters: nothing is written"
        yield Problem("memory-over-budget", "warning", path, words, shorten)
        return
    size = max(size, plan.size if plan is not None else 0)
    if size >= _NEAR * budget:
        words = f"{size:,} of {budget:,} characters: the oldest items move to the archive next"
        yield Problem("memory-near-budget", "warning", path, words, shorten)
    if plan is not None and plan.left_out:
        words = f"there is no room for {plural(len(plan.left_out), 'claim')}"
        yield Problem("memory-no-room", "warning", path, words, shorten)


# -- what is remembered of a run ----------------------------------------------------------------------------


def remember(settings: DreamSettings, found: Looked, outcome: str, dreamt: Dreamt | None = None) -> None:
    """Keep what this run saw for the next one; that it cannot be kept costs nothing but the comparison."""
    planned = dreamt.planned if dreamt is not None and dreamt.run else None
    added = {one.id for one in planned.added} if planned is not None else set()
    last = LastRun(
        at=iso_time(settings.now) or "",
        outcome=outcome,
        notes=len(found.workspace.notes),
        claims=found.sweep.claims,
        proposed={one.claim.id: one.claim.text for one in found.sweep.proposals if one.claim.id not in added},
        near_misses=len(found.sweep.near_misses),
        promoted=len(added),
        archived=len(planned.archived) if planned is not None else 0,
        digest=_digest(found),
        unchanged=_unchanged(found),
        size=dreamt.size if dreamt is not None else found.size,
    )
    try:
        found.state.make()
        found.state.keep_last(last)
    except WriteError:
        return


def _digest(found: Looked) -> str:
    """What stands for all that a run found: its notes, MEMORY.md, its proposals and near misses."""
    parts = [
        *sorted(note.digest for note in found.workspace.notes),
        digest_of(found.workspace.memory),
        *(one.claim.id for one in found.sweep.proposals),
    ]
    return digest_of("\n".join(parts).encode())[:16]


def _unchanged(found: Looked) -> int:
    """How many runs in a row before this one found the very same."""
    if found.last is None or found.last.digest != _digest(found):
        return 0
    return found.last.unchanged + 1


def _note_removed(settings: DreamSettings, found: Looked) -> tuple[Problem, ...]:
    """Write down which items a person took out or edited since the last run."""
    removed = taken_out(found.history, found.workspace.memory)
    state = found.state
    try:
        state.add([replace(one, day=settings.today) for one in removed], iso_time(settings.now) or "")
    except MemError as error:
        fix = "Check the state folder and the free space."
        return (Problem("promotions-write", "warning", state.promotions, str(error), fix),)
    return ()
