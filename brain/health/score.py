"""What health amounts to: the best gains of a memory, and the percentage of a portfolio."""

from __future__ import annotations

from brain.health.values import Gain, Health, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BEST = 5
ARCHIVED = "archived"


def percent(health: Health) -> int | None:
    """The weighted share of passed rules of one memory, 0 to 100; None where none applied."""
    return health.percent


def gains(health: Health, rules: Iterable[Rule] = ()) -> tuple[Gain, ...]:
    """The five rules whose passing would gain the most points, the heaviest first, then by code.

    ``rules`` tell what each says when it is passed; all rules, where none are given.
    """
    total = sum(one.weight for one in health.outcomes if one.passed is not None)
    failed = sorted(
        (one for one in health.outcomes if one.passed is False), key=lambda one: (-one.weight, one.code)
    )
    words = _words(rules)
    return tuple(
        Gain(one.code, round(one.weight / total * 100, 1), words.get(one.code, "")) for one in failed[:BEST]
    )


def portfolio_percent(healths: Iterable[tuple[Health, str]]) -> int | None:
    """The mean of the memories' shares, each counting once, rounded, a half goes up; None without any.

    ``healths`` are (health, status of its project): archived ones are out of scope, and those without a rule
    that applies.
    """
    shares = [
        share for health, status in healths if status != ARCHIVED and (share := _share(health)) is not None
    ]
    return int(sum(shares) / len(shares) * 100 + 0.5) if shares else None


def portfolio_gains(healths: Iterable[tuple[Health, str]], rules: Iterable[Rule] = ()) -> tuple[Gain, ...]:
    """The five rules that would gain the portfolio most if every memory passed them, in its points."""
    scored = [health for health, status in healths if status != ARCHIVED and _share(health) is not None]
    points: dict[str, float] = {}
    for health in scored:
        total = sum(one.weight for one in health.outcomes if one.passed is not None)
        for one in health.outcomes:
            if one.passed is False:
                points[one.code] = points.get(one.code, 0.0) + one.weight / total * 100 / len(scored)
    best = sorted(points.items(), key=lambda one: (-round(one[1], 1), one[0]))[:BEST]
    words = _words(rules)
    return tuple(Gain(code, round(gained, 1), words.get(code, "")) for code, gained in best)


def _share(health: Health) -> float | None:
    total = sum(one.weight for one in health.outcomes if one.passed is not None)
    return sum(one.weight for one in health.outcomes if one.passed) / total if total else None


def _words(rules: Iterable[Rule]) -> Mapping[str, str]:
    some = tuple(rules)
    if not some:
        from brain.health.rules import ALL  # noqa: PLC0415 - whoever scores stored health needs no rules

        some = ALL
    return {rule.code: rule.what for rule in some}
