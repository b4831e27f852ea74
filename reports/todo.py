"""What is to be done in the whole portfolio, the most urgent first: unsaved work, and what ails memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from brain.wording import plural
from reports.actions import Action, age_days, shell_path
from reports.snapshot import FindingNote, Snapshot
from reports.view import iso_time, parse_iso_time
from scanner.value import dataclass, replace

_WHY_WORDS = 12
# From two months on nothing becomes more urgent by waiting: else what is grave and new would never be first.
_MOST_WEEKS = 9
# Twice the gravest rule: a key in clear text does not wait for a second week.
_ERROR = 20.0
_GRAVEST_RULE = 10.0
_FRESH_CLONE = {
    "b-start": "a way to start",
    "b-verify": "a test",
    "b-progress": "a progress file",
    "b-tasks": "a list of tasks with criteria",
}
_BOOTSTRAP = "bootstrap"
_URGENT = 20.0


@dataclass(frozen=True, slots=True)
class Reason:
    """Why findings of one code matter: the weight of its rule, and why in a sentence."""

    weight: float
    why: str


def actions_of_findings(
    findings: Iterable[FindingNote], reasons: Mapping[str, Reason], home: str
) -> tuple[Action, ...]:
    """One action for each code of each project; the first of its findings is told, the others counted.

    What one step mends is one action: what a fresh clone lacks, and a progress file that several rules miss.
    An error weighs twice as much as the gravest rule.
    """
    groups: dict[tuple[str, str], list[FindingNote]] = {}
    for finding in findings:
        groups.setdefault((finding.path, finding.code), []).append(finding)
    found = []
    for path in dict.fromkeys(path for path, _ in groups):
        codes = {code: group for (where, code), group in groups.items() if where == path}
        for code in _said_by_another(codes):
            del codes[code]
        lacking = [code for code in _FRESH_CLONE if code in codes]
        if len(lacking) > 1:
            found.append(_lacks(codes, lacking, reasons, home))
        alone = (code for code in codes if len(lacking) < 2 or code not in lacking)
        found += [_action(codes[code], reasons, home) for code in alone]
    return tuple(found)


def _said_by_another(codes: Mapping[str, Sequence[FindingNote]]) -> list[str]:
    """The codes of one project that tell of the same missing progress file as ``p-missing`` does."""
    missing = codes.get("p-missing")
    if not missing:
        return []
    said = ["b-progress"] if "b-progress" in codes else []
    places = {(one.file, one.line) for one in missing}
    named = codes.get("s-ref-missing", ())
    return (
        [*said, "s-ref-missing"] if named and all((one.file, one.line) in places for one in named) else said
    )


def _lacks(
    codes: Mapping[str, Sequence[FindingNote]],
    lacking: Sequence[str],
    reasons: Mapping[str, Reason],
    home: str,
) -> Action:
    """What a fresh clone lacks in several ways, as one thing to do."""
    notes = [one for code in lacking for one in codes[code]]
    return replace(
        _action(notes, reasons, home),
        kind=_BOOTSTRAP,
        fact=_lacking(lacking),
        also=tuple(lacking[1:]),
        weight=max(reasons.get(code, Reason(0.0, "")).weight for code in lacking),
    )


def _lacking(codes: Sequence[str]) -> str:
    *words, last = (_FRESH_CLONE[code] for code in codes)
    return f"a fresh clone lacks {', '.join(words)}{' and ' if words else ''}{last}"


def told_still(action: Action, silenced: Callable[[str], bool]) -> Action | None:
    """What is left of ``action`` when a person silenced some of its codes; None when all of them."""
    codes = (action.code, *action.also)
    left = [code for code in codes if not silenced(code)]
    if not left or len(left) == len(codes):
        return action if left else None
    is_bootstrap = action.kind == _BOOTSTRAP and all(code in _FRESH_CLONE for code in left)
    fact = _lacking(left) if is_bootstrap else action.fact
    return replace(action, code=left[0], also=tuple(left[1:]), fact=fact)


def _action(group: Sequence[FindingNote], reasons: Mapping[str, Reason], home: str) -> Action:
    first = group[0]
    reason = reasons.get(first.code, Reason(0.0, ""))
    fact = first.message.rstrip(".")
    if first.file and first.line:
        line = f"in line {first.line}"
        fact = (
            fact.replace(line, f"{line} of {first.file}")
            if line in fact
            else f"{fact} ({first.file}:{first.line})"
        )
    more = f", and {len(group) - 1:,} more" if len(group) > 1 else ""
    return Action(
        path=first.path,
        name=first.name,
        kind=first.code,
        fact=f"{fact}{more}",
        why=_why(reason, first.message),
        command=f"zecher memory check -d {shell_path(first.path, home)}",
        code=first.code,
        since=None,
        weight=_ERROR if any(one.level == "error" for one in group) else reason.weight,
        first_seen=min((one.first_seen for one in group if one.first_seen), default=""),
    )


def _why(reason: Reason, message: str) -> str:
    """The reason, unless it would be cut and the message gives one of its own."""
    why = few_words(reason.why)
    return "" if why.endswith("…") and ": " in message else why


def few_words(text: str) -> str:
    """The first sentence of ``text`` in at most twelve words, fit to stand behind a semicolon.

    A longer one ends with its last part that fits, and says so only where it ends inside one.
    """
    words = text.partition(". ")[0].rstrip(".").split()
    if words and (words[0] == "A" or words[0][1:].islower()):
        words[0] = words[0].lower()
    if len(words) <= _WHY_WORDS:
        return " ".join(words)
    for marks, least in ((";:", 4), (",", 7)):
        ends = [place for place in range(least - 1, _WHY_WORDS) if words[place][-1] in marks]
        if ends:
            return " ".join(words[: ends[-1] + 1])[:-1]
    return " ".join(words[: _WHY_WORDS - 1]) + " …"


def action_key(action: Action, identifiers: Mapping[str, str]) -> str:
    """By what a thing to do is known again a week later; ``identifiers`` are by path."""
    return f"{identifiers.get(action.path) or action.path}:{action.kind}"


def ranked(
    actions: Iterable[Action],
    identifiers: Mapping[str, str],
    weekly: Snapshot | None,
    nightly: Snapshot | None = None,
    *,
    now: float,
    is_new_week: bool,
) -> tuple[Action, ...]:
    """``actions`` by weight times age, the most urgent first, each with its age.

    ``weekly`` is the last weekly snapshot: what stood there stands in one report more, if this is that of a
    new week. What was seen there or in the last ``nightly`` one keeps the day on which it was seen first.
    """
    weeks = weekly.actions if weekly is not None else {}
    known = {**_first_seen(nightly), **_first_seen(weekly)}
    today = (iso_time(now) or "")[:10]
    aged = []
    for action in actions:
        key = action_key(action, identifiers)
        stood = weeks.get(key, 0)
        aged.append(
            replace(
                action,
                weeks=stood + 1 if is_new_week else max(1, stood),
                first_seen=action.first_seen or known.get(key, "") or today,
            )
        )
    return tuple(sorted(aged, key=lambda one: _order(one, now)))


def _first_seen(snapshot: Snapshot | None) -> dict[str, str]:
    if snapshot is None:
        return {}
    identifiers = {project.path: project.id for project in snapshot.projects}
    return {action_key(one, identifiers): one.first_seen for one in snapshot.todo}


def _order(action: Action, now: float) -> tuple[object, ...]:
    return (-_urgency(action, now), -action.weight, -days_of(action, now), action.path, action.kind)


def _urgency(action: Action, now: float) -> float:
    """Weight times age, in weeks that have begun."""
    return action.weight * min(_MOST_WEEKS, max(action.weeks, 1 + days_of(action, now) // 7))


def is_urgent(action: Action, now: float) -> bool:
    """Whether it should not wait: an error at once, work that may be lost from its second week on.

    What merely reads badly never is, however old: else everything would be urgent in a month.
    """
    return action.weight > _GRAVEST_RULE and _urgency(action, now) >= _URGENT


def first_things(actions: Sequence[Action], room: int) -> tuple[list[Action], int]:
    """The first ``room`` of the ranked ``actions``, and how many stand neither there nor in the words there.

    What the same command shows is told once and counted.
    """
    told: dict[tuple[str, str], Action] = {}
    more: dict[tuple[str, str], int] = {}
    for action in actions:
        place = (action.path, action.command)
        if place in told:
            more[place] = more.get(place, 0) + 1
        elif len(told) < room:
            told[place] = action
    shown = [
        replace(one, fact=f"{one.fact}; {plural(more[place], 'thing')} more there") if place in more else one
        for place, one in told.items()
    ]
    return shown, len(actions) - len(told) - sum(more.values())


def days_of(action: Action, now: float) -> int:
    """For how many days it has waited, as far as anybody knows."""
    since = action.since if action.since is not None else parse_iso_time(f"{action.first_seen}T00:00:00Z")
    return age_days(since, now) or 0
