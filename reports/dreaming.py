"""What dreaming proposes, and did: for a person at a terminal, for a pipe, for a program, as a report."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from brain.dreaming.memory_file import BUDGET, Planned
from brain.dreaming.values import (
    FAILURES,
    REASONS,
    Claim,
    Gates,
    NearMiss,
    Side,
    Sweep,
    Verdict,
)
from brain.secrets import redact
from brain.wording import plural
from reports.view import below_home, safe_display
from scanner.project import Problem
from scanner.value import dataclass

COLUMNS = ("id", "workspace", "state", "score", "days", "recalls", "source", "text", "failed")
RUN_COLUMNS = ("run", "when", "state", "workspace", "done")
COMMAND = "zecher memory promote"

_WIDTH = 80
_SHOWN = 5
_NEAR = 85


@dataclass(frozen=True, slots=True)
class Dreamt:
    """What dreaming found in the workspace at ``root`` (absolute), and what became of it.

    ``planned`` is what writing would do, or did where there is a ``run``; None where nothing was planned.
    ``size`` counts the characters of MEMORY.md, ``items`` those of ours in it. ``gone`` are earlier
    proposals, as (id, text), whose notes say them no more. ``unchanged`` counts the runs in a row that found
    the same. ``findings`` are what a person should look at; with ``problems`` something could not be done.
    ``known`` says how long ago an item went, by id; empty while it stands. ``earlier`` are (run, text) of
    what was promoted before on this day.
    """

    root: str
    sweep: Sweep | None = None
    planned: Planned | None = None
    run: str = ""
    archive: str = ""
    size: int = 0
    items: int = 0
    budget: int = BUDGET
    gates: Gates = Gates()
    known: Mapping[str, str] | None = None
    gone: tuple[tuple[str, str], ...] = ()
    unchanged: int = 0
    findings: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    store: str = ""
    lock: str = ""
    vanished: int = 0
    earlier: tuple[tuple[str, str], ...] = ()


def told(text: str) -> str:
    """A text of a note without the secrets in it, harmless; the files keep them."""
    return safe_display(redact(text).text)


def source_of(claim: Claim) -> str:
    """Where it was noted last, as ``path:line``."""
    newest = max(claim.evidence, key=lambda one: (one.day, one.path, -one.line))
    return f"{newest.path}:{newest.line}"


def evidence_words(claim: Claim) -> str:
    """``noted on 3 days, recalled twice``, and whether somebody asked to keep it."""
    recalls = len(claim.recalls)
    words = f"noted on {plural(len(claim.days), 'day')}, recalled {plural(recalls, 'time')}"
    return words + (f", {claim.mark}" if claim.mark else "")


def failed_words(verdict: Verdict) -> str:
    """The gates that it failed, each with what that means."""
    return "; ".join(f"{name}: {FAILURES.get(name, name)}" for name in verdict.failed)


# -- for people ---------------------------------------------------------------------------------------------


def dreamt_text(found: Iterable[Dreamt], *, home: str, everything: bool, promoted: bool) -> str:
    """Workspace by workspace; ``everything`` shows all near misses, ``promoted`` what was promoted before."""
    lines: list[str] = []
    for one in found:
        lines += [""] if lines else []
        lines += _workspace_lines(one, home, everything=everything, promoted=promoted)
    return "".join(f"{line}\n" for line in lines)


def _workspace_lines(one: Dreamt, home: str, *, everything: bool, promoted: bool) -> Iterator[str]:
    yield f"{below_home(one.root, home)}  {size_words(one)}"
    sweep = one.sweep
    if sweep is None:
        return
    yield f"  {sweep_words(sweep)}"
    added = {promotion.id for promotion in one.planned.added} if one.planned is not None else set()
    for proposal in sweep.proposals:
        mark = "promoted " if one.run and proposal.claim.id in added else ""
        yield from _claim_lines(proposal.claim, proposal.verdict, mark)
    yield from _missed_lines(sweep, everything=everything, promoted=promoted)
    yield from _contradicting_lines(sweep)
    for archived in one.planned.archived if one.planned is not None else ():
        verb = "moved to the archive" if one.run else "would move to the archive"
        yield from _wrapped(f"{verb} ({archived.why}): {told(archived.item.text)}", 4)
    for key, text in one.gone:
        yield from _wrapped(f"gone, no note says it any more: {key} {told(text)}", 4)
    if everything:
        yield from _skipped_lines(sweep)


def _missed_lines(sweep: Sweep, *, everything: bool, promoted: bool) -> Iterator[str]:
    misses = [miss for miss in sweep.near_misses if promoted or "promoted" not in miss.verdict.failed]
    shown = misses if everything else misses[:_SHOWN]
    if shown:
        yield "  near misses"
    for miss in shown:
        yield from _claim_lines(miss.claim, miss.verdict, "")
    if len(misses) > len(shown):
        yield f"  {len(misses) - len(shown)} more: -v shows them"


def _contradicting_lines(sweep: Sweep) -> Iterator[str]:
    if sweep.contradictions:
        yield "  possible contradictions: neither is changed"
    for pair in sweep.contradictions:
        yield f"    they differ in {', '.join(pair.differ)}"
        for side in (pair.earlier, pair.later):
            yield from _wrapped(f"{side_place(side)}: {told(side.text)}", 6)


def _skipped_lines(sweep: Sweep) -> Iterator[str]:
    if sweep.skipped:
        yield "  left out"
    for skipped in sweep.skipped:
        yield f"    {skipped.count:,} {REASONS.get(skipped.reason, skipped.reason)} ({skipped.reason})"
        for example in skipped.examples[:1]:
            yield from _wrapped(f"{safe_display(example.path)}:{example.line} {told(example.text)}", 6)


def left_out_lines(found: Iterable[Dreamt]) -> Iterator[str]:
    """How many lines were left out for which reason, with an example each."""
    for one in found:
        for skipped in one.sweep.skipped if one.sweep is not None else ():
            reason = REASONS.get(skipped.reason, skipped.reason)
            example = next((f"{part.path}:{part.line} {told(part.text)}" for part in skipped.examples), "")
            yield f"left out: {skipped.count:,} {reason} ({skipped.reason}); {safe_display(example)}".rstrip(
                "; "
            )


def size_words(one: Dreamt) -> str:
    """How full MEMORY.md is."""
    percent = 100 * one.size // one.budget if one.budget else 0
    return f"MEMORY.md {one.size:,} of {one.budget:,} characters ({percent} %)"


def sweep_words(sweep: Sweep) -> str:
    """What was read, and what of it was found."""
    return (
        f"{plural(sweep.notes, 'note')} of {plural(sweep.days, 'day')}, {plural(sweep.claims, 'claim')}, "
        f"{len(sweep.proposals)} proposed"
    )


def _claim_lines(claim: Claim, verdict: Verdict, mark: str) -> Iterator[str]:
    yield from _wrapped(f"{claim.id}  {verdict.score:.2f}  {mark}{told(claim.text)}", 2, 22)
    words = f"{evidence_words(claim)}; {safe_display(source_of(claim))}"
    yield from _wrapped(words, 6)
    if verdict.failed:
        yield from _wrapped(failed_words(verdict), 6)


def side_place(side: Side) -> str:
    """Where one of two that do not agree stands, and from when to when it was noted."""
    days = f" ({side.first} to {side.last})" if side.first else " (yours)" if side.is_human else ""
    return f"{safe_display(side.path)}:{side.line}{days}"


def _wrapped(text: str, indent: int, hang: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (hang or indent),
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]


def _missed(sweep: Sweep) -> list[NearMiss]:
    """The near misses without what was promoted before."""
    return [miss for miss in sweep.near_misses if "promoted" not in miss.verdict.failed]


def summary(found: Sequence[Dreamt]) -> str:
    """One line: how many are proposed, missed, written."""
    sweeps = [one.sweep for one in found if one.sweep is not None]
    written = sum(len(one.planned.added) for one in found if one.run and one.planned is not None)
    archived = sum(len(one.planned.archived) for one in found if one.run and one.planned is not None)
    parts = [
        f"{sum(len(sweep.proposals) for sweep in sweeps)} proposed",
        plural(sum(len(_missed(sweep)) for sweep in sweeps), "near miss", "near misses"),
    ]
    if written or archived:
        parts += [f"{written} written", *([f"{archived} archived"] if archived else [])]
    else:
        parts.append("nothing written")
    return ", ".join(parts[:2]) + "; " + ", ".join(parts[2:])


# -- for a pipe ---------------------------------------------------------------------------------------------


def dreamt_tsv(found: Iterable[Dreamt], *, promoted: bool) -> str:
    """One claim a line under a header."""
    rows = []
    for one in found:
        if one.sweep is None:
            continue
        added = {item.id for item in one.planned.added} if one.run and one.planned is not None else set()
        for proposal in one.sweep.proposals:
            state = "promoted" if proposal.claim.id in added else "proposed"
            rows.append(_row(one.root, state, proposal.claim, proposal.verdict))
        for miss in one.sweep.near_misses:
            before = "promoted" in miss.verdict.failed
            if promoted or not before:
                rows.append(_row(one.root, "promoted" if before else "near-miss", miss.claim, miss.verdict))
    return tsv(COLUMNS, rows)


def _row(root: str, state: str, claim: Claim, verdict: Verdict) -> tuple[str, ...]:
    return (
        claim.id,
        root,
        state,
        f"{verdict.score:.3f}",
        str(len(claim.days)),
        str(len(claim.recalls)),
        source_of(claim),
        told(claim.text),
        ",".join(verdict.failed),
    )


def tsv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows under a header; no cell holds a tab."""
    lines = [
        "\t".join(columns),
        *("\t".join(safe_display(cell.replace("\t", "\\t")) for cell in row) for row in rows),
    ]
    return "".join(f"{line}\n" for line in lines)


# -- one claim ----------------------------------------------------------------------------------------------


WEIGHTS = {
    "relevance": 0.30,
    "frequency": 0.24,
    "diversity": 0.15,
    "recency": 0.15,
    "consolidation": 0.10,
    "conceptual": 0.06,
}


def explain_text(root: str, claim: Claim, verdict: Verdict, gates: Gates, *, home: str) -> str:
    """The claim, the six parts of its score, and each gate."""
    lines = [f"{claim.id}  {below_home(root, home)}", *_wrapped(told(claim.text), 2)]
    lines += [f"  {evidence_words(claim)}"]
    lines += [f"    {one.day}  {safe_display(one.path)}:{one.line}" for one in claim.evidence]
    lines.append(f"  score {verdict.score:.4f}, {gates.min_score:g} needed")
    for name, weight in WEIGHTS.items():
        lines.append(f"    {name:<14} {getattr(verdict.components, name):.4f} x {weight:.2f}")
    queries = len({recall.query for recall in claim.recalls})
    lines.append(
        f"  recurrence: {len(claim.days)} of {gates.min_days} days; or {len(claim.recalls)} of "
        f"{gates.min_recalls} recalls by {queries} of {gates.min_queries} questions; or marked"
    )
    lines += [f"  failed {name}: {FAILURES.get(name, name)}" for name in verdict.failed]
    lines.append("  passed" if verdict.passed else "  not proposed")
    return "".join(f"{line}\n" for line in lines)
