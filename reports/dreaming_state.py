"""How dreaming stands, in a line and as a document: in one workspace, and in all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.wording import plural
from reports.actions import shell_path
from reports.document import Document, located
from reports.snapshot import Dreaming, DreamNote
from reports.view import DAY, below_home, iso_time, safe_display

_STALE = 2 * DAY
_DONE = ("", "ok", "partial")


# -- one workspace ------------------------------------------------------------------------------------------


def dreaming_line(facts: Mapping[str, object]) -> str:
    """As in ``2 proposed, 5 near misses on 2026-12-01 (ok); next Wed 2026-12-02 03:47``."""
    last = facts["lastRun"]
    parts = []
    if last is None:
        parts.append("never looked at")
    else:
        parts.append(
            f"{facts['proposed']} proposed, {facts['nearMisses']} near, {facts['promoted']} promoted "
            f"on {str(last)[:10]} ({facts['outcome']})"
        )
    unchanged = facts["unchangedRuns"]
    if isinstance(unchanged, int) and unchanged:
        parts.append(f"unchanged since {plural(unchanged, 'run')}")
    parts.append(f"next {facts['nextLocal']}" if facts["enabled"] else "the job is off")
    return safe_display("; ".join(parts))


def dreaming_document(facts: Mapping[str, object]) -> Document:
    """``dreaming`` of ``zecher.memory.status``."""
    return {key: value for key, value in facts.items() if key != "nextLocal"}


def is_told(one: DreamNote) -> bool:
    """Whether a person is to look at it: something waits, its notes vanished, or its file is too long."""
    return bool(one.proposed) or is_over(one) or one.outcome not in ("", "ok")


def is_over(one: DreamNote) -> bool:
    """Whether MEMORY.md is over the budget of what is promoted."""
    return bool(one.budget) and one.size > one.budget


def workspace_words(one: DreamNote) -> str:
    """As in ``2 proposals wait, 5 near misses on 2026-12-01``."""
    parts = [_waiting(one.proposed)] if one.proposed else []
    if one.proposed and one.unchanged:
        parts[0] += f" for {plural(one.unchanged + 1, 'run')}"
    if one.near:
        parts.append(plural(one.near, "near miss", "near misses"))
    if is_over(one):
        parts.append(f"MEMORY.md {one.size:,} of {one.budget:,} characters")
    if one.outcome not in ("", "ok"):
        parts.append("many notes vanished, nothing was written")
    return ", ".join(parts) + (f" on {one.at[:10]}" if one.at else "")


def workspace_command(one: DreamNote, home: str) -> str:
    """What shows it."""
    return f"zecher memory promote -d {shell_path(one.path, home)}"


# -- what can be mended -------------------------------------------------------------------------------------

Mended = tuple[str, str, str, int, bool]
"""What is to be mended: its code, its words, the path, how many lines, and whether it was done."""


def mends_text(mends: Sequence[Mended], home: str, *, dry: bool) -> str:
    """A line for each, and what to do about them."""
    if not mends:
        return "fix      nothing to mend\n"
    lines = [
        f"{'would' if dry else 'did' if done else 'left: to'} {words}: {below_home(path, home)}"
        for _, words, path, _, done in mends
    ]
    lines += ["zecher memory status --fix --apply mends it; what is dropped is put aside"] if dry else []
    return "".join(f"fix      {safe_display(line)}\n" for line in lines)


def mends_document(mends: Sequence[Mended], *, dry: bool) -> Document:
    """``repair`` of ``zecher.memory.status``."""
    actions = [
        {"action": code, **located(path), "lines": count, "done": done}
        for code, _, path, count, done in mends
    ]
    return {"dryRun": dry, "changed": sum(bool(one["done"]) for one in actions), "actions": actions}


# -- all of them --------------------------------------------------------------------------------------------


def dreaming_words(dreaming: Dreaming | None, now: float) -> tuple[str, str]:
    """As in ``3 proposals wait in 2 workspaces, last run failed``, and the command that shows it.

    Both empty where nobody needs to look: nothing waits, the job does its work, no file is over its budget.
    """
    if dreaming is None:
        return "", ""
    waiting = [one for one in dreaming.workspaces if one.proposed]
    over = sum(map(is_over, dreaming.workspaces))
    vanished = sum(one.outcome not in ("", "ok") for one in dreaming.workspaces)
    trouble = _trouble(dreaming, now)
    parts = []
    if waiting:
        where = f" in {plural(len(waiting), 'workspace')}" if len(dreaming.workspaces) > 1 else ""
        parts.append(_waiting(sum(one.proposed for one in waiting)) + where)
    if over:
        parts.append(f"{plural(over, 'MEMORY.md', 'MEMORY.md')} over budget")
    if vanished:
        parts.append(f"notes vanished in {plural(vanished, 'workspace')}")
    if trouble:
        parts.append(trouble)
    if not parts:
        return "", ""
    return ", ".join(parts), "zecher jobs" if parts == [trouble] else "zecher memory promote --all"


def work_words(dreaming: Dreaming, now: float) -> str:
    """What the runs of the week wrote, and what ails them; empty where neither is."""
    parts = []
    if dreaming.promoted or dreaming.archived:
        moved = f", {dreaming.archived:,} archived" if dreaming.archived else ""
        parts.append(f"{dreaming.promoted:,} promoted{moved} in seven days")
    trouble = _trouble(dreaming, now)
    return "; ".join([*parts, *([trouble] if trouble else [])])


def outlook_document(dreaming: Dreaming, now: float) -> Document:
    """``dreaming`` of ``zecher.status``."""
    return {
        "proposed": sum(one.proposed for one in dreaming.workspaces),
        "over_budget": sum(map(is_over, dreaming.workspaces)),
        "outcome": dreaming.outcome or None,
        "last_run": None if dreaming.at is None else iso_time(dreaming.at),
        "last_done": None if dreaming.done is None else iso_time(dreaming.done),
        "trouble": _trouble(dreaming, now) or None,
        "promoted": dreaming.promoted,
        "archived": dreaming.archived,
        "workspaces": [
            {
                **located(one.path),
                "at": one.at or None,
                "outcome": one.outcome or None,
                "proposed": one.proposed,
                "near_misses": one.near,
                "unchanged_runs": one.unchanged,
                "size": one.size,
                "budget": one.budget,
            }
            for one in dreaming.workspaces
        ],
    }


def _waiting(count: int) -> str:
    return f"{plural(count, 'proposal')} {'waits' if count == 1 else 'wait'}"


def _trouble(dreaming: Dreaming, now: float) -> str:
    """What is wrong with the runs of the job; nothing where it was only turned on and never ran yet."""
    if dreaming.at is None:
        return ""
    if dreaming.outcome not in _DONE:
        return f"last run {dreaming.outcome}"
    days = int((now - (dreaming.done if dreaming.done is not None else dreaming.at)) // DAY)
    return f"no run for {plural(days, 'day')}" if days * DAY >= _STALE else ""
