"""The section of memory that a receipt is tied to: found by file and heading, bound by its text's hash."""

from __future__ import annotations

from brain.files.errors import MemError
from brain.files.links import refuse_links
from brain.files.reading import UnreadableError, read_seen
from brain.folders import LEDGER_FOLDER, PROJECT_MEMORY
from brain.notes import section_sha256, sections
from brain.outcomes.rules import bounded_text

MAX_FILE = 2 * 1024 * 1024
MAX_HEADING = 300
FILES = tuple(
    f"{folder}/{name}.md"
    for folder in (PROJECT_MEMORY, LEDGER_FOLDER)
    for name in ("decisions", "lessons", "patterns")
)

Anchor = dict[str, object]


class Anchors:
    """Finds sections in the memory of ``project`` (a real path), each file read once, and hashed once."""

    __slots__ = ("_hashes", "_project")

    def __init__(self, project: str) -> None:
        self._project = project
        self._hashes: dict[str, dict[str, list[str]]] = {}

    def find(self, memory: object) -> Anchor:
        """``{file, heading, textSha256}`` of the section that ``memory`` (``{file, heading}``) names.

        ``MemError`` when it names none or more than one, or its file is missing, larger than 2 MiB, not
        UTF-8, no regular file, or reached through a link.
        """
        file = memory.get("file") if isinstance(memory, dict) else None
        if not isinstance(memory, dict) or not isinstance(file, str) or file not in FILES:
            raise MemError(
                "memory.file must be decisions.md, lessons.md or patterns.md "
                "in .agents/memory or .bmad/memory"
            )
        heading = bounded_text(memory.get("heading"), "memory.heading", MAX_HEADING)
        found = self._of(file).get(heading, [])
        if len(found) != 1:
            raise MemError(f"{file} must have exactly one section with that ### heading; it has {len(found)}")
        return {"file": file, "heading": heading, "textSha256": found[0]}

    def _of(self, file: str) -> dict[str, list[str]]:
        """The hashes of the sections of ``file`` by heading."""
        if file not in self._hashes:
            hashes: dict[str, list[str]] = {}
            for section in sections(self._text(file)):
                hashes.setdefault(section.heading, []).append(section_sha256(section))
            self._hashes[file] = hashes
        return self._hashes[file]

    def _text(self, file: str) -> str:
        try:
            return (read_seen(refuse_links(self._project, file), MAX_FILE).data or b"").decode("utf-8")
        except UnreadableError as error:
            raise MemError(f"{file}: {error.message}") from None
        except UnicodeDecodeError as error:
            raise MemError(f"{file}: not UTF-8 from byte {error.start} on") from None
