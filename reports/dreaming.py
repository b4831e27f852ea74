"""What dreaming proposes, and did: for a person at a terminal, for a pipe, for a program, as a report."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from brain.dreaming.memory_file import BUDGET, Planned
from brain.dreaming.values import (
    FAILURES,
    REASONS,
    Claim,
    Components,
    Contradiction,
    Gates,
    NearMiss,
    Side,
    Sweep,
    Verdict,
)
from brain.secrets import redact
from brain.wording import plural
from reports.document import Document, located, problem_document
from reports.markdown import escape
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
    ``known`` says how long ago an item went, by id; empty while it stands.
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
            yield from _wrapped(f"{_side_place(side)}: {told(side.text)}", 6)


def _skipped_lines(sweep: Sweep) -> Iterator[str]:
    if sweep.skipped:
        yield "  left out"
    for skipped in sweep.skipped:
        yield f"    {skipped.count:,} {REASONS.get(skipped.reason, skipped.reason)} ({skipped.reason})"
        for example in skipped.examples[:1]:
            yield from _wrapped(f"{safe_display(example.path)}:{example.line} {told(example.text)}", 6)


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


def _side_place(side: Side) -> str:
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


# -- for a program ------------------------------------------------------------------------------------------


def dreamt_document(one: Dreamt, *, promoted: bool) -> Document:
    """One workspace: ``data`` of ``zecher.memory.promote``, or one of its ``workspaces``."""
    sweep, planned = one.sweep, one.planned
    candidates = [] if sweep is None else [candidate(p.claim, p.verdict) for p in sweep.proposals]
    misses = () if sweep is None else sweep.near_misses
    if promoted:
        candidates += [candidate(m.claim, m.verdict) for m in misses if "promoted" in m.verdict.failed]
    added = () if planned is None or not one.run else planned.added
    return {
        "workspaceDir": one.root,
        "storePath": one.store,
        "lockPath": one.lock,
        "candidates": candidates,
        "apply": {
            "applied": len(added),
            "appended": len(added),
            "reconciledExisting": sum(not day for day in (one.known or {}).values()),
            "memoryPath": os.path.join(one.root, "MEMORY.md"),
            "appliedCandidates": [{"key": item.id, "text": told(item.text)} for item in added],
        },
        "run": one.run or None,
        "archived": [
            {"key": moved.item.id, "text": told(moved.item.text), "why": moved.why, "run": moved.item.run}
            for moved in (planned.archived if planned is not None else ())
        ],
        "archivePath": os.path.join(one.root, *one.archive.split("/")) if one.archive else None,
        "leftOut": [item.id for item in (planned.left_out if planned is not None else ())],
        "skipped": []
        if sweep is None
        else [
            {
                "reason": skipped.reason,
                "count": skipped.count,
                "examples": [
                    {"path": example.path, "line": example.line, "text": told(example.text)}
                    for example in skipped.examples
                ],
            }
            for skipped in sweep.skipped
        ],
        "nearMisses": [
            candidate(miss.claim, miss.verdict) for miss in misses if "promoted" not in miss.verdict.failed
        ],
        "contradictions": [contradiction(pair) for pair in (sweep.contradictions if sweep else ())],
        "themes": [
            {"tag": safe_display(theme.tag), "claims": theme.claims, "days": theme.days,
             "strength": round(theme.strength, 4)}
            for theme in (sweep.themes if sweep else ())
        ],
        "gone": [{"key": key, "text": told(text)} for key, text in one.gone],
        "unchangedRuns": one.unchanged,
        "budget": {"size": one.size, "max": one.budget, "items": one.items,
                   "over": bool(planned is not None and planned.is_over)},
        "counts": None
        if sweep is None
        else {"notes": sweep.notes, "days": sweep.days, "claims": sweep.claims},
        "thresholds": thresholds(one.gates),
        "findings": [problem_document(finding) for finding in one.findings],
    }  # fmt: skip


def candidate(claim: Claim, verdict: Verdict) -> Document:
    """A claim with its score, its evidence and the gates that it failed."""
    newest = max(claim.evidence, key=lambda one: (one.day, one.path, -one.line))
    scores = [recall.score for recall in claim.recalls]
    return {
        "key": claim.id,
        "claimHash": claim.id,
        "path": newest.path,
        "startLine": newest.line,
        "endLine": newest.line,
        "source": "memory",
        "snippet": told(claim.text),
        "lang": claim.lang or None,
        "recallCount": len(claim.recalls),
        "dailyCount": len(claim.days),
        "uniqueQueries": len({recall.query for recall in claim.recalls}),
        "avgScore": round(sum(scores) / len(scores), 4) if scores else None,
        "maxScore": round(max(scores), 4) if scores else None,
        "mark": claim.mark or None,
        "until": claim.until or None,
        "conceptTags": [safe_display(tag) for tag in claim.tags],
        "evidence": [{"path": one.path, "line": one.line, "day": one.day} for one in claim.evidence],
        "otherWordings": list(claim.also),
        "score": round(verdict.score, 4),
        "components": components(verdict.components),
        "failed": list(verdict.failed),
    }


def components(found: Components) -> dict[str, object]:
    """The six parts of a score by name."""
    names = ("frequency", "relevance", "diversity", "recency", "consolidation", "conceptual")
    return {name: round(getattr(found, name), 4) for name in names}


def contradiction(pair: Contradiction) -> Document:
    """Both sides, and in what they differ."""
    return {
        "differ": list(pair.differ),
        "ordered": pair.is_ordered,
        "certain": pair.is_certain,
        "earlier": _side(pair.earlier),
        "later": _side(pair.later),
    }


def _side(side: Side) -> Document:
    return {
        "key": side.id or None,
        "text": told(side.text),
        "path": side.path,
        "line": side.line,
        "first": side.first or None,
        "last": side.last or None,
        "human": side.is_human,
    }


def thresholds(gates: Gates) -> Document:
    """The gates by the names of the configuration in upstream's spelling."""
    return {
        "minScore": gates.min_score,
        "minRecallCount": gates.min_recalls,
        "minUniqueQueries": gates.min_queries,
        "minDays": gates.min_days,
        "maxAgeDays": gates.max_age_days,
        "recencyHalfLifeDays": gates.half_life_days,
        "limit": gates.limit,
    }


# -- one claim ----------------------------------------------------------------------------------------------


def passes(claim: Claim, verdict: Verdict, gates: Gates) -> dict[str, object]:
    """Each gate by name and whether it was passed, from the verdict itself; with them what recurrence saw."""
    queries = len({recall.query for recall in claim.recalls})
    return {
        "score": "score" not in verdict.failed,
        "recurrence": "recurrence" not in verdict.failed,
        "recallCount": len(claim.recalls) >= gates.min_recalls,
        "uniqueQueries": queries >= gates.min_queries,
        "days": len(claim.days) >= gates.min_days,
        "marked": bool(claim.mark),
        "maxAge": "age" not in verdict.failed,
        **{
            name: name not in verdict.failed
            for name in FAILURES
            if name not in ("score", "recurrence", "age")
        },
    }


def explain_document(root: str, claim: Claim, verdict: Verdict, gates: Gates) -> Document:
    """``data`` of ``zecher.memory.promote-explain``."""
    return {
        "workspaceDir": root,
        "candidate": candidate(claim, verdict),
        "thresholds": thresholds(gates),
        "passes": passes(claim, verdict, gates),
        "passed": verdict.passed,
    }


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
    for name, value in components(verdict.components).items():
        lines.append(f"    {name:<14} {value:.4f} x {WEIGHTS[name]:.2f}")
    queries = len({recall.query for recall in claim.recalls})
    lines.append(
        f"  recurrence: {len(claim.days)} of {gates.min_days} days; or {len(claim.recalls)} of "
        f"{gates.min_recalls} recalls by {queries} of {gates.min_queries} questions; or marked"
    )
    lines += [f"  failed {name}: {FAILURES.get(name, name)}" for name in verdict.failed]
    lines.append("  passed" if verdict.passed else "  not proposed")
    return "".join(f"{line}\n" for line in lines)


# -- the diary ----------------------------------------------------------------------------------------------


def dream_entry(day: str, one: Dreamt) -> str:
    """An entry of DREAMS.md: what was promoted, archived, nearly promoted, and what the week was about."""
    lines = [f"## {day}", ""]
    planned, sweep = one.planned, one.sweep
    added = () if planned is None else planned.added
    if added:
        lines += [f"Promoted to MEMORY.md (run {one.run}):", ""]
        lines += [f"- {escape(told(item.text))} ({escape(item.note)})" for item in added] + [""]
    if planned is not None and planned.archived:
        lines += [f"Moved to {one.archive}:", ""]
        lines += [f"- {escape(told(moved.item.text))} ({moved.why})" for moved in planned.archived] + [""]
    misses = [miss for miss in (sweep.near_misses if sweep else ()) if "promoted" not in miss.verdict.failed]
    if misses:
        lines += ["Near misses:", ""]
        lines += [
            f"- {escape(told(miss.claim.text))} (score {miss.verdict.score:.2f}; "
            f"failed {', '.join(miss.verdict.failed)})"
            for miss in misses[:_SHOWN]
        ] + [""]
    if sweep is not None and sweep.contradictions:
        lines += ["Possible contradictions:", ""]
        lines += [
            f"- {escape(told(pair.earlier.text))} / {escape(told(pair.later.text))}"
            for pair in sweep.contradictions[:_SHOWN]
        ] + [""]
    if sweep is not None and sweep.themes:
        words = (f"{escape(theme.tag)} ({plural(theme.claims, 'claim')})" for theme in sweep.themes[:_SHOWN])
        lines += [f"Themes: {', '.join(words)}.", ""]
    return "\n".join(lines).rstrip("\n")


def undone_entry(day: str, run: str, removed: int, restored: int) -> str:
    """An entry of DREAMS.md for a run that was taken back."""
    lines = [f"## {day}", "", f"Taken back: run {run}. {plural(removed, 'item')} taken out of MEMORY.md, "]
    return "\n".join(lines) + f"{restored} put back."


# -- the report of a run ------------------------------------------------------------------------------------


def dreaming_markdown(
    found: Sequence[Dreamt], *, day: str, home: str, last_ok: str, problems: Sequence[Problem]
) -> str:
    """The report of a run over all workspaces in Markdown. Same values, same text."""
    from reports.render import Marked, render_markdown  # noqa: PLC0415 - start-up: 50 ms, only for a report

    return render_markdown(
        "dreaming.md.j2",
        day=day,
        summary=summary(found),
        last_ok=last_ok,
        workspaces=[
            {"path": below_home(one.root, home), "lines": [Marked(line) for line in _report_lines(one)]}
            for one in found
        ],
        problems=[
            {"it": problem, "path": below_home(problem.path, home) if problem.path else ""}
            for problem in problems
        ],
    )


def _report_lines(one: Dreamt) -> Iterator[str]:
    sweep = one.sweep
    yield f"{size_words(one)}, {plural(one.items, 'item')} of Zecher."
    yield ""
    if sweep is None:
        yield "Nothing was looked at."
        return
    yield escape(sweep_words(sweep)) + "."
    if one.unchanged:
        yield ""
        yield f"Unchanged since {plural(one.unchanged, 'run')}."
    planned = one.planned
    added = {item.id for item in planned.added} if planned is not None and one.run else set()
    yield from _section(
        f"Promoted (run {one.run})" if added else "Proposed",
        [
            f"{escape(told(p.claim.text))} (`{p.claim.id}`, score {p.verdict.score:.2f}, "
            f"{evidence_words(p.claim)}; {escape(source_of(p.claim))})"
            for p in sweep.proposals
        ],
    )
    archived = planned.archived if planned is not None else ()
    yield from _section(
        "Archived" if one.run else "Would be archived",
        [f"{escape(told(moved.item.text))} ({moved.why})" for moved in archived],
    )
    yield from _section(
        "Near misses",
        [
            f"{escape(told(m.claim.text))} (`{m.claim.id}`, score {m.verdict.score:.2f}; "
            f"failed {', '.join(m.verdict.failed)}; {escape(source_of(m.claim))})"
            for m in sweep.near_misses
            if "promoted" not in m.verdict.failed
        ],
    )
    yield from _section(
        "Possible contradictions",
        [
            f"they differ in {', '.join(pair.differ)}: {escape(told(pair.earlier.text))} "
            f"({escape(_side_place(pair.earlier))}) / {escape(told(pair.later.text))} "
            f"({escape(_side_place(pair.later))})"
            for pair in sweep.contradictions
        ],
    )
    yield from _section("Gone", [f"{escape(told(text))} (`{key}`)" for key, text in one.gone])
    yield from _section(
        "Left out",
        [
            f"{skipped.count:,} {escape(skipped.reason)}"
            + "".join(
                f"; {escape(example.path)}:{example.line} {escape(told(example.text))}"
                for example in skipped.examples[:1]
            )
            for skipped in sweep.skipped
        ],
    )
    yield from _section(
        "Findings",
        [f"{finding.level}: {escape(finding.message)} (`{finding.code}`)" for finding in one.findings],
    )


def _section(title: str, rows: Sequence[str]) -> Iterator[str]:
    if rows:
        yield ""
        yield f"### {title}"
        yield ""
        yield from (f"- {row}" for row in rows)


def status_document(root: str, facts: Mapping[str, object]) -> Document:
    """What ``memory status`` says of the dreaming of a workspace."""
    return {**located(root), **facts}
