"""The report of a run of dreaming, and its entries in the diary, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from brain.dreaming.memory_file import Item
from brain.wording import plural
from reports.dreaming import (
    Dreamt,
    evidence_words,
    side_place,
    size_words,
    source_of,
    summary,
    sweep_words,
    told,
)
from reports.markdown import escape
from reports.view import below_home
from scanner.project import Problem

_SHOWN = 5


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


def late_entry(day: str, run: str, items: Iterable[Item]) -> str:
    """An entry of DREAMS.md for a run that ended before it could write one."""
    lines = [f"## {day}", "", f"Promoted to MEMORY.md (run {run}):", ""]
    return "\n".join([*lines, *(f"- {escape(told(item.text))}" for item in items)])


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
    yield from _section(
        "Promoted earlier on this day",
        [f"{escape(told(text))} (run {escape(run)})" for run, text in one.earlier],
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
            f"({escape(side_place(pair.earlier))}) / {escape(told(pair.later.text))} "
            f"({escape(side_place(pair.later))})"
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
