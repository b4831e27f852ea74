"""What every code means: the table behind ``zecher explain CODE``."""

from __future__ import annotations

import os

from scanner.value import dataclass

FINDING = "finding"
"""The kind of what is found in a memory: such codes can be silenced."""

UNSAVED = (
    *("dirty", "conflicted", "unpushed", "detached", "no-upstream", "upstream-gone", "stash", "no-remote"),
    *("merge", "rebase", "cherry-pick", "revert", "bisect", "am"),
)
"""Codes of unsaved work: they can be silenced in one project, never everywhere."""

_TABLE = os.path.join(os.path.dirname(__file__), "codes.toml")


@dataclass(frozen=True, slots=True)
class Code:
    """One code; ``kind`` is one of those that the head of the table explains."""

    code: str
    kind: str
    means: str
    why: str
    fix: str

    @property
    def silence(self) -> str:
        """How it is silenced, empty for what cannot be."""
        words = f"zecher ack {self.code} PROJECT [--until DATE] [--reason TEXT]"
        if self.code in UNSAVED:
            return words
        return f"{words}; without PROJECT everywhere" if self.kind == FINDING else ""


def read_codes() -> dict[str, Code]:
    """All codes by name, in the order of the table."""
    import tomli  # noqa: PLC0415 - start-up: 10 ms, only to explain a code

    with open(_TABLE, "rb") as file:
        table = tomli.load(file)
    return {
        code: Code(code, entry["kind"], entry["means"], entry["why"], entry["fix"])
        for code, entry in table.items()
    }
