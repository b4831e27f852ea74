"""Categories whose names nearly agree, so that facts about one thing stand in two: rule ``m-alike``."""

from __future__ import annotations

from collections.abc import Iterable

from brain.health import roles
from brain.health.finding import finding
from brain.health.values import INFO, LOW, Finding, Rule
from brain.labels import similar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today
    from brain.health.values import MemoryFile


def _alike(parsed: ParsedMemory, _: Today) -> Iterable[Finding] | None:
    kept = [file for file in parsed.files(roles.REMEMBERED) if not file.problem]
    if not kept:
        return None
    findings = []
    named: list[tuple[str, MemoryFile]] = []
    for file in sorted(kept, key=lambda one: one.path):
        title = _title(parsed, file)
        near = similar(title, [other for other, _ in named])
        if near:
            twin = next(other for name, other in named if name == near[0])
            findings.append(
                finding(
                    parsed,
                    INFO,
                    "m-alike",
                    f"This category and {twin.path} have nearly the same name.",
                    "If they mean the same, move the observations into one, and delete the other.",
                    file=file.path,
                )
            )
        named.append((title, file))
    return findings


def _title(parsed: ParsedMemory, file: MemoryFile) -> str:
    front = parsed.page(file).front_matter
    said = front.text("title") if front is not None and not front.complaint else ""
    return said or file.path.rpartition("/")[2].removesuffix(".md")


RULES = (Rule("m-alike", LOW, "No two categories have nearly the same name.", _alike),)
