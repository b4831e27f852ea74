"""Reward signals: what a caller says about the worth of a piece of work, and the reward that they make."""

from __future__ import annotations

from collections.abc import Mapping

from brain.files.errors import MemError

# The published weights; those of signals that are not given drop out.
_WEIGHTS = (("evalScore", 0.5), ("acceptance", 0.3), ("ci", 0.2))
_ACCEPT = {"true": True, "yes": True, "false": False, "no": False}


def parse_signals(
    eval_text: str | None, accept_text: str | None, ci_text: str | None
) -> dict[str, bool | float | str]:
    """The signals as they are stored, ``evalScore``, ``acceptance``, ``ci`` in this order; None: not given.

    A number lies in 0..1; ``accept_text`` may also be true, yes, false or no in any case, ``ci_text`` pass or
    fail. ``MemError`` for anything else: a typing mistake must not count as a failure.
    """
    signals: dict[str, bool | float | str] = {}
    if eval_text is not None:
        signals["evalScore"] = _share(eval_text, "--eval", "a number from 0 to 1")
    if accept_text is not None:
        word = _ACCEPT.get(accept_text.strip().lower())
        wanted = "true, yes, false, no or a number from 0 to 1"
        signals["acceptance"] = _share(accept_text, "--accept", wanted) if word is None else word
    if ci_text is not None:
        passed = ci_text in ("pass", "fail")
        signals["ci"] = ci_text if passed else _share(ci_text, "--ci", "pass, fail or a number from 0 to 1")
    return signals


def reward(signals: Mapping[str, object]) -> float:
    """The weighted mean of the signals, each cut to 0..1; 0 when none is given, as published.

    What is no number, no boolean and not ``pass`` counts as 0: stored events hold what callers once wrote.
    """
    total = weights = 0.0
    for name, weight in _WEIGHTS:
        if signals.get(name) is not None:
            total += weight * _worth(signals[name])
            weights += weight
    return total / weights if weights else 0.0


def _worth(value: object) -> float:
    if isinstance(value, bool | int | float):
        return min(max(float(value), 0.0), 1.0) if value == value else 0.0  # noqa: PLR0124 - only NaN differs
    return 1.0 if value == "pass" else 0.0


def _share(text: str, option: str, wanted: str) -> float:
    """The number in ``text``; a whole one as an integer, so that it is stored as one."""
    digits = text.strip()
    try:
        # float() also reads underscores, digits of other scripts, and words.
        value = float(digits) if digits.isascii() and "_" not in digits else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise MemError(f"{option} takes {wanted}, not {text!r}")
    return int(value) if value in (0, 1) else value
