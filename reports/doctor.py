"""What the doctor found: one line a check, with what to do where something does not work."""

from __future__ import annotations

from reports.document import Document, located
from reports.view import safe_display
from scanner.project import Problem
from scanner.value import dataclass

OK, WARNING, ERROR = "ok", "warning", "error"

_SIGNS = {OK: "ok", WARNING: "warning", ERROR: "ERROR"}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried: what of (``configuration``), how it went, and what was found.

    ``code`` and ``fix`` are empty where all is well; ``mended``: it was wrong and is right now.
    """

    name: str
    state: str
    words: str
    code: str = ""
    fix: str = ""
    path: str = ""
    mended: bool = False

    @property
    def problem(self) -> Problem | None:
        """The same as a problem; None where all is well."""
        if self.state == OK:
            return None
        return Problem(self.code, self.state, self.path, f"{self.name}: {self.words}", self.fix)


def doctor_text(checks: tuple[Check, ...]) -> str:
    """Each check on a line, what to do below it."""
    lines = []
    for check in checks:
        lines.append(f"{_SIGNS[check.state]:<8} {check.name:<14} {check.words}")
        if check.fix and check.state != OK:
            lines.append(f"{'':<8} {'':<14} fix: {check.fix}")
    return "".join(f"{safe_display(line).rstrip()}\n" for line in lines)


def verdict(checks: tuple[Check, ...]) -> str:
    """The last line: how many checks did not pass."""
    errors = sum(check.state == ERROR for check in checks)
    warnings = sum(check.state == WARNING for check in checks)
    mended = sum(check.mended for check in checks)
    said = (
        f"{len(checks)} checks: {errors} failed, {warnings} to look at"
        if errors or warnings
        else "all is well"
    )
    return said + (f", {mended} mended" if mended else "")


def checks_document(checks: tuple[Check, ...]) -> list[Document]:
    """The checks for programs."""
    return [
        {
            "name": check.name,
            "state": check.state,
            "message": check.words,
            "code": check.code or None,
            "fix": check.fix or None,
            **located(check.path or None),
            "mended": check.mended,
        }
        for check in checks
    ]
