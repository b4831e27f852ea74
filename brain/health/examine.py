"""Asks every rule of a memory: what it found, how it stands, what its assistant loads, what comes next."""

from __future__ import annotations

from functools import cache

from brain.health.parsed import ParsedMemory
from brain.health.rules import ALL
from brain.health.secrets import secrets_in
from brain.health.sizes import loads
from brain.health.today import Today
from brain.health.values import INFO, LEVELS, Finding, Health, Memory, Outcome, Rule
from brain.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

_ORDER = {level: at for at, level in enumerate(LEVELS)}
FINDINGS_CAP = 2000
_LONGEST_STEP = 500
_MOST_SECRETS = 200
# So much of a secret gives it away; a shorter beginning, "ghp_", only tells of what kind it is.
_PIECE = 8


def examine(
    memory: Memory, today: Today | date, rules: Iterable[Rule] = ALL, parsed: ParsedMemory | None = None
) -> Health:
    """The health of ``memory`` on the day ``today`` by ``rules``; ``parsed`` is it with its files parsed.

    Pure: the same memory on the same day has the same health. A rule that raises is a fault of
    this program.
    """
    day = today if isinstance(today, Today) else Today(today)
    parsed = parsed.renewed(memory) if parsed else ParsedMemory(memory)
    outcomes: list[Outcome] = []
    findings: list[Finding] = []
    for rule in rules:
        answer = rule.check(parsed, day)
        passed = None
        if answer is not None:
            passed = True
            for one in answer:
                findings.append(one)
                if one.level != INFO:
                    passed = False
        outcomes.append(_outcome(rule.code, rule.weight, passed))
    loaded = loads(parsed, day)
    told, step = _without_secrets(
        in_order(findings)[:FINDINGS_CAP], _next_step(parsed), _secrets_of(parsed, findings)
    )
    return Health(
        path=memory.path,
        outcomes=tuple(outcomes),
        findings=told,
        tokens=sum(tokens for _, tokens in loaded),
        loads=loaded,
        next_step=step[:_LONGEST_STEP],
        turns=day.turns.isoformat() if day.turns else "",
    )


@cache
def _outcome(code: str, weight: float, passed: bool | None) -> Outcome:
    """The same value for all memories: a portfolio has a hundred for each."""
    return Outcome(code, weight, passed)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By level, file, line, code."""
    return tuple(
        sorted(
            findings,
            key=lambda one: (_ORDER[one.level], one.file, one.line, one.code, one.anchor, one.message),
        )
    )


def _secrets_of(parsed: ParsedMemory, findings: Iterable[Finding]) -> tuple[str, ...]:
    """The secrets of the files in which some were found."""
    files = {one.file for one in findings if one.code == "m-secret"}
    if not files:
        return ()
    from brain.secrets import texts_of  # noqa: PLC0415 - start-up: only where there is a secret

    texts = (parsed.text(file) for file in parsed.memory.files if file.path in files)
    return tuple(dict.fromkeys(secret for text in texts for secret in texts_of(text)))[:_MOST_SECRETS]


def _without_pieces(words: str, secrets: Iterable[str]) -> str:
    """``words`` without the piece of a secret that a cut title left: its rule knows it as a whole only."""
    for secret in secrets:
        if secret[:_PIECE] in words and len(secret) > _PIECE:
            longest = next(end for end in range(len(secret), 0, -1) if secret[:end] in words)
            words = words.replace(secret[:longest], "[REDACTED]")
    return words


def _without_secrets(
    findings: tuple[Finding, ...], step: str, secrets: tuple[str, ...]
) -> tuple[tuple[Finding, ...], str]:
    """The same words with each secret replaced: titles and targets are quoted from the files as they are.

    What is said here goes into reports, caches and snapshots.
    """
    said = {words for one in findings for words in (one.message, one.fix, one.anchor)}
    if not secrets and not secrets_in("\n\n".join([step, *sorted(said)])):
        return findings, step
    from brain.secrets import redact  # noqa: PLC0415 - start-up: only where a secret was quoted

    def cleaned(words: str) -> str:
        return _without_pieces(redact(words).text, secrets)

    told = (
        replace(one, message=cleaned(one.message), fix=cleaned(one.fix), anchor=cleaned(one.anchor))
        for one in findings
    )
    return tuple(told), cleaned(step)


def _next_step(parsed: ParsedMemory) -> str:
    """What the handover says comes next, its first line."""
    handover = parsed.progress
    fact = handover.fields.get("next") if handover and handover.recognised else None
    return fact.text.split("\n", 1)[0][: 2 * _LONGEST_STEP] if fact else ""
