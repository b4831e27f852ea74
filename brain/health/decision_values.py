"""A decision as it was read, and the file or folder that holds it."""

from __future__ import annotations

from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from brain.health.handover import Fact
    from brain.health.values import MemoryFile

LOG, ADR, TABLE, BMAD = "log", "adr", "table", "bmad"

FIELDS = ("decision", "rationale", "rejected", "constraint", "context")

_NO_LONGER = frozenset(("superseded", "deprecated", "rejected", "archived", "rolled-back"))


# Not frozen, for speed: a portfolio has them by the thousand.
@dataclass(slots=True, unsafe_hash=True)
class Decision:
    """One entry. ``fields`` holds those of ``FIELDS`` that say something.

    ``identifier`` is as written (``D-005``, ``ADR-0007``), for an ADR without one the number of its file;
    ``number`` its number. ``date`` is ``YYYY-MM-DD``. ``title`` has neither of them, nor a status. ``status``
    is one of brain/entries/fields.toml (active, proposed, superseded, rolled-back, rejected, deprecated,
    archived, paused) or empty. ``superseded_by`` and ``supersedes`` hold what is named there: an identifier,
    a date, a link's target, a title. ``kind`` is one of ``LOG``, ``ADR``, ``TABLE``, ``BMAD``; ``nygard``
    tells an ADR whose form knows no alternatives. ``line`` to ``end`` are its lines.
    """

    file: str
    line: int
    end: int
    identifier: str
    date: str | None
    title: str
    status: str
    superseded_by: tuple[str, ...]
    supersedes: tuple[str, ...]
    fields: Mapping[str, Fact]
    kind: str
    number: int | None = None
    has_inline_rejected: bool = False
    nygard: bool = False

    @property
    def is_superseded(self) -> bool:
        """Whether it no longer holds: replaced, deprecated, rejected, archived."""
        return bool(self.superseded_by) or self.status in _NO_LONGER

    @property
    def key(self) -> str:
        """By what it is known again in an earlier content of its file: identifier, else date and title."""
        if self.identifier:
            return self.identifier.upper()
        return f"{self.date or ''} {self.title}".strip().casefold()


@dataclass(frozen=True, slots=True)
class DecisionFile:
    """A decision log, or a folder of ADRs with one entry a file.

    ``path`` is that of the file or the folder; ``files`` are those read. ``recognised`` is false when the
    file says something and no entry could be told.
    """

    path: str
    kind: str
    files: tuple[MemoryFile, ...]
    entries: tuple[Decision, ...]
    recognised: bool
