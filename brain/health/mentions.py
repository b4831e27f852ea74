"""Where an instruction file names a handover file, and whether that file is there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from brain.health import roles
from brain.health.words import fold, words
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.page import Page
    from brain.health.parsed import EntryFile, ParsedMemory

# The names of the progress and decisions roles that mean nothing else in prose.
_PROGRESS = (
    "progress|fortschritt|project_status|status|stand|claude-progress|handoff|handover|uebergabe|übergabe|next"
    "|activecontext"
)
_DECISIONS = "decisions|decision_log|decisionlog|entscheidungen"
_NAMED = re.compile(
    rf"(?<![\w./~-])(?P<path>[\w./~-]*?(?P<name>(?P<progress>{_PROGRESS})|{_DECISIONS})\.(?:md|txt))(?![\w/])",
    re.IGNORECASE,
)
_HANDOVER_ROLES = (roles.PROGRESS, roles.DECISIONS, roles.BANK, roles.NOTES)
_ENDINGS = (b".md", b".txt", b".MD")
_SIMPLE_NAME = re.compile(r"^[\w./-]+$")


@dataclass(frozen=True, slots=True)
class Mention:
    """A handover file named in the line ``line`` of ``file``, which says ``text``; ``path`` is as written."""

    file: str
    line: int
    text: str
    path: str
    is_progress: bool


def mentions(entry: EntryFile) -> Iterator[Mention]:
    """Every handover file that an entry file or one of its imports names, in reading order."""
    for page in entry.pages:
        known = page.kept.get("mentions")  # several rules ask
        if known is None:
            known = page.kept["mentions"] = _on_page(page)
        yield from known


def _on_page(page: Page) -> tuple[Mention, ...]:
    if not any(page.data.find(ending) >= 0 for ending in _ENDINGS):
        return ()
    found = []
    for line, text in enumerate(page.lines):
        if ".md" not in text and ".txt" not in text and ".MD" not in text:
            continue
        for match in _NAMED.finditer(text):
            whole = match["path"]
            is_part = whole[: match.start("name") - match.start("path")]
            if not is_part or is_part.endswith("/"):
                found.append(Mention(page.path, line, text, whole, match["progress"] is not None))
    return tuple(found)


def all_mentions(parsed: ParsedMemory) -> tuple[Mention, ...]:
    """Those of every entry file."""
    return tuple(one for entry in parsed.entry_files for one in mentions(entry))


def is_missing(parsed: ParsedMemory, mention: Mention) -> bool:
    """Whether what is named is not there; false where it cannot be told or may be absent on purpose."""
    path = posixpath.normpath(mention.path)
    if not _SIMPLE_NAME.match(path) or path.startswith(("/", "..")) or _is_optional(mention.text):
        return False
    name = posixpath.basename(path).casefold()
    known = (one.path for role in _HANDOVER_ROLES for one in parsed.files(role))
    if any(posixpath.basename(one).casefold() == name for one in known):
        return False
    places = {path, posixpath.normpath(posixpath.join(posixpath.dirname(mention.file), path))}
    return not any(_is_there(parsed, place) for place in places)


def _is_there(parsed: ParsedMemory, path: str) -> bool:
    answer = parsed.exists(path)
    if answer is not None:
        return answer
    # Nobody asked: of the project's own folder all names are known.
    return "/" in path or path in parsed.memory.names


def _is_optional(text: str) -> bool:
    return words("protocol", "optional").within(fold(text))


def names_progress(found: Iterable[Mention]) -> Mention | None:
    """The first mention of a progress file."""
    return next((one for one in found if one.is_progress), None)
