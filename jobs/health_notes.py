"""What reports show of the health of memories: findings that nobody silenced, scores, sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from brain.health.sizes import CLAUDE_BYTES, tokens_of
from brain.secrets import redact
from jobs.codes import read_codes
from jobs.health import PortfolioHealth
from reports.snapshot import FindingNote, HealthNote, Noted, Repeat
from reports.todo import Reason
from reports.view import iso_time
from scanner.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.values import Finding, Health

BRAIN = "brain"
LEVELS = ("error", "warning")
"""The levels of findings that somebody has to do something about."""

_LONGEST = 300


def with_health(project: Noted, seen: PortfolioHealth) -> Noted:
    """The project with how its memory is and what comes next there; as it was where nobody looked."""
    health = seen.healths.get(project.path)
    if health is None:
        return project
    return replace(project, health=note(health, seen), next_step=_short(health.next_step))


def note(health: Health, seen: PortfolioHealth) -> HealthNote:
    """One memory in numbers, with its worst finding."""
    found = seen.open_findings(health.path)
    levels = Counter(one.level for one in found)
    top = next((one for level in LEVELS for one in found if one.level == level), None)
    return HealthNote(
        percent=health.percent,
        tokens=health.tokens,
        top=_short(top.message) if top is not None else "",
        top_code=top.code if top is not None else "",
        errors=levels["error"],
        warnings=levels["warning"],
        infos=levels["info"],
        silenced=len(seen.silenced.get(health.path, ())),
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def findings(projects: Sequence[Noted], seen: PortfolioHealth, now: float) -> list[FindingNote]:
    """What nobody silenced: errors first, then by path, in the order of each project."""
    today = (iso_time(now) or "")[:10]
    found = []
    if seen.brain is not None:
        path = seen.brain.path
        found += [_finding(one, BRAIN, "", seen, today) for one in seen.open_findings(path)]
    for project in projects:
        found += [
            _finding(one, project.name, project.id, seen, today)
            for one in seen.open_findings(project.path)
            # Nobody works there: only what is dangerous anywhere is worth a word.
            if one.level == "error" or project.status != "archived"
        ]
    return sorted(found, key=lambda one: ("error", "warning", "info").index(one.level))


def _finding(finding: Finding, name: str, identifier: str, seen: PortfolioHealth, today: str) -> FindingNote:
    return FindingNote(
        code=finding.code,
        level=finding.level,
        path=finding.project,
        name=name,
        file=finding.file,
        line=finding.line,
        message=_short(finding.message),
        fix=_short(finding.fix),
        first_seen=seen.ages.get((identifier, *finding.key), today),
        since=finding.since,
    )


def review(findings: Iterable[FindingNote]) -> tuple[FindingNote, ...]:
    """The decisions that somebody should look at again, the oldest first."""
    found = [one for one in findings if one.code in REVIEWED]
    return tuple(
        sorted(found, key=lambda one: (not one.since, one.since, one.path, one.file, one.line, one.code))
    )


REVIEWED = frozenset({"d-old", "d-contradiction", "d-cited"})
"""The codes of decisions to review: active for long, in contradiction, cited though superseded."""


def _in_scope(projects: Sequence[Noted], seen: PortfolioHealth) -> list[Health]:
    scope = [
        seen.healths[one.path] for one in projects if one.path in seen.healths and one.status != "archived"
    ]
    return [*scope, seen.brain] if seen.brain is not None else scope


def rules(projects: Sequence[Noted], seen: PortfolioHealth) -> dict[str, tuple[int, int, int]]:
    """How often each rule was passed, failed and not applicable."""
    counts: dict[str, list[int]] = {}
    for health in _in_scope(projects, seen):
        for outcome in health.outcomes:
            place = 2 if outcome.passed is None else 0 if outcome.passed else 1
            counts.setdefault(outcome.code, [0, 0, 0])[place] += 1
    return {code: (passed, failed, beside) for code, (passed, failed, beside) in sorted(counts.items())}


def repeats(seen: PortfolioHealth) -> tuple[Repeat, ...]:
    """What several projects learned and the brain does not know yet."""
    return tuple(
        Repeat(
            titles=tuple(
                redact(title).text
                for title in dict.fromkeys((one.title, *(member.title for member in one.members)))
            ),
            projects=one.projects,
            command=PROMOTE,
        )
        for one in seen.repeats
        if not one.in_brain
    )


PROMOTE = "zecher memory consolidate --all"


def loads(projects: Sequence[Noted], seen: PortfolioHealth) -> tuple[tuple[str, str, int, int | None], ...]:
    """What assistants load when they begin to work, most first."""
    found = [
        (project.name, file, tokens, load_limit(file))
        for project in projects
        if project.path in seen.healths and project.status != "archived"
        for file, tokens in seen.healths[project.path].loads
    ]
    return tuple(sorted(found, key=lambda one: (-one[2], one[0], one[1])))


def load_limit(file: str) -> int | None:
    """How many tokens of such a file an assistant loads before it cuts it, None where none is known."""
    return tokens_of(CLAUDE_BYTES) if file.rpartition("/")[2] == "MEMORY.md" else None


def sizes(findings: Iterable[FindingNote]) -> tuple[FindingNote, ...]:
    """The files that are near or over a limit of those who load them."""
    return tuple(one for one in findings if one.code in SIZED)


SIZED = frozenset({"m-not-loaded", "m-size", "m-total"})


def reasons(seen: PortfolioHealth) -> dict[str, Reason]:
    """Why each code matters: the weight of its rule, and what its page says."""
    pages = read_codes()
    healths = [*seen.healths.values(), *([seen.brain] if seen.brain is not None else [])]
    weights = {outcome.code: outcome.weight for health in healths for outcome in health.outcomes}
    return {
        code: Reason(weight, pages[code].why if code in pages else "") for code, weight in weights.items()
    }
