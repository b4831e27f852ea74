"""From a date to ``active``, ``paused`` or ``archived``: day thresholds, nothing else."""

from __future__ import annotations

from scanner.project import Activity, Status, Thresholds

DAY = 86_400.0

_WORDS = {
    "commit": "last commit",
    "reflog": "last work in the reflog",
    "stash": "last stash",
    "worktree": "last commit in a worktree",
    "edit": "last edit",
    "file": "newest file",
}


def classify(activity: Activity, thresholds: Thresholds, now: float) -> Status:
    """The status at ``now``: exactly ``thresholds.active`` days is paused, ``thresholds.paused`` archived.

    A date in the future counts as today.
    """
    if activity.when is None:
        return Status("unknown", activity.detail or "no date of any kind was found")
    days = max(0.0, (now - activity.when) / DAY)
    what = f"{_WORDS.get(activity.source, activity.source)} {_age(days)}"
    if activity.detail:
        what = f"{what} ({activity.detail})"
    if days < thresholds.active:
        return Status("active", f"{what}: less than {_days(thresholds.active)}")
    if days < thresholds.paused:
        return Status(
            "paused", f"{what}: {_days(thresholds.active)} or more, less than {_days(thresholds.paused)}"
        )
    return Status("archived", f"{what}: {_days(thresholds.paused)} or more")


def _age(days: float) -> str:
    whole = int(days)
    if whole == 0:
        return "today" if days < 1 else "a day ago"
    return "1 day ago" if whole == 1 else f"{whole} days ago"


def _days(threshold: float) -> str:
    return f"{threshold:g} days"
