"""The entries of decision files: logs, tables, folders of ADRs, and the decisions of BMAD+ memories."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from brain.health.handover import Fact
    from brain.health.page import Page
    from brain.health.values import MemoryFile

LOG, ADR, TABLE, BMAD = "log", "adr", "table", "bmad"

FIELDS = ("decision", "rationale", "rejected", "constraint", "context")


@dataclass(frozen=True, slots=True)
class Decision:
    """One entry. ``fields`` holds those of ``FIELDS`` that say something.

    ``identifier`` is ``D-005``, ``ADR-7``, the number of an ADR (``7``) or empty; ``date`` is ``YYYY-MM-DD`` or None;
    ``title`` has neither of them nor a status. ``status`` is canonical (proposed, accepted, rejected,
    deprecated, superseded, draft, open, locked, rolled-back, active, archived) or empty. ``superseded_by``
    and ``supersedes`` hold what is named there, as written: an identifier, a date, a title, a link's target.
    ``kind`` is one of ``LOG``, ``ADR``, ``TABLE``, ``BMAD``; ``nygard`` tells an ADR whose form knows no
    alternatives. ``line`` to ``end`` are its lines.
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
    has_inline_rejected: bool = False
    nygard: bool = False

    @property
    def is_superseded(self) -> bool:
        """Whether it no longer holds: replaced, deprecated, rejected, archived."""
        return bool(self.superseded_by) or self.status in (
            "superseded", "deprecated", "rejected", "archived", "rolled-back",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class DecisionFile:
    """A decision log, or a folder of ADRs with one entry a file.

    ``path`` is that of the file or the folder; ``files`` are those read. ``recognised`` is false when the
    file says something and no entry could be told. ``number_of`` an ADR stands in its file's name.
    """

    path: str
    kind: str
    files: tuple[MemoryFile, ...]
    entries: tuple[Decision, ...]
    recognised: bool


def entries_of(data: bytes, path: str) -> tuple[Decision, ...]:
    """The entries of the content ``data`` of the decision file ``path``: for earlier contents of one, too."""
    raise NotImplementedError


def decisions_of(page: Page) -> tuple[Decision, ...]:
    """The entries of a page."""
    raise NotImplementedError
