"""Which findings somebody has silenced, and until when: pure, the words are kept elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from brain.health.values import Finding
from brain.value import dataclass

EVERYWHERE = ("", "*")


@dataclass(frozen=True, slots=True)
class Ack:
    """Somebody's word that the findings of ``code`` are known and shall be silent.

    ``project`` is the path of the one memory that is meant, ``""`` (or ``"*"``) for all. ``until`` is the
    last day of the silence, None for one without end. ``reason`` is theirs, possibly empty.
    """

    code: str
    project: str = ""
    until: date | None = None
    reason: str = ""

    def holds(self, day: date) -> bool:
        """Whether it is still in force on ``day``; on its last day it is."""
        return self.until is None or day <= self.until

    def covers(self, finding: Finding) -> bool:
        """Whether it is about ``finding``, no matter on which day."""
        return self.code == finding.code and (self.project in EVERYWHERE or self.project == finding.project)


@dataclass(frozen=True, slots=True)
class Heard:
    """Findings in their order, apart: ``open`` are to be shown, ``silenced`` only counted.

    ``returned`` are those of the open ones that were silenced until a day that is past.
    """

    open: tuple[Finding, ...]
    silenced: tuple[Finding, ...]
    returned: tuple[Finding, ...]


def silence(findings: Iterable[Finding], acks: Iterable[Ack], day: date) -> Heard:
    """``findings`` as they are to be heard on ``day``."""
    by_code: dict[str, list[Ack]] = {}
    for ack in acks:
        by_code.setdefault(ack.code, []).append(ack)
    heard: list[Finding] = []
    silenced: list[Finding] = []
    returned: list[Finding] = []
    for finding in findings:
        covering = [ack for ack in by_code.get(finding.code, ()) if ack.covers(finding)]
        if any(ack.holds(day) for ack in covering):
            silenced.append(finding)
            continue
        heard.append(finding)
        if covering:
            returned.append(finding)
    return Heard(tuple(heard), tuple(silenced), tuple(returned))


def expired(acks: Iterable[Ack], day: date) -> tuple[Ack, ...]:
    """The ``acks`` whose last day is past on ``day``."""
    return tuple(ack for ack in acks if not ack.holds(day))
