"""What becomes of unsaved work: flags of a project, and the lasting facts that its card keeps."""

from __future__ import annotations

from brain.project_cards import Card
from reports.view import iso_time
from scanner.project import Project, Unsaved
from scanner.risk import LASTING_FLAGS, PASSING_FLAGS, UNCOMMITTED, flags_of
from scanner.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.files.outline import Json

# What may differ from one night to the next though nobody touched the project.
_VOLATILE = frozenset(("may-be-modified", "pinned", *PASSING_FLAGS))
_KEYS = ("at_risk", "at_risk_since", "commits_only_here", "stashes")


def with_flags(project: Project) -> Project:
    """The project with the flags of its unsaved work first, where that was asked for: columns are cut."""
    if project.git is None:
        return project
    return replace(project, flags=tuple(dict.fromkeys((*flags_of(project.git), *project.flags))))


def card_flags(project: Project, card: Card | None) -> Json:
    """The flags for the card; those of unsaved work that nobody asked about stay as they are there."""
    flags: list[Json] = [flag for flag in project.flags if flag not in _VOLATILE]
    if project.git is None and project.vcs is not None and card is not None:
        stored = card.extras.get("flags")
        kept = stored if isinstance(stored, list) else []
        flags = [*(flag for flag in LASTING_FLAGS if flag in kept and flag not in flags), *flags]
    return flags or None


def risk_keys(project: Project, card: Card | None) -> tuple[tuple[str, Json], ...]:
    """What the card keeps of the work at risk: all of it but the changed files, which come and go."""
    old = dict.fromkeys(_KEYS) | ({key: card.extras.get(key) for key in _KEYS} if card is not None else {})
    if project.vcs is None:
        return tuple((key, None) for key in _KEYS)
    if project.git is None:
        return tuple(old.items())
    git = project.git
    what: list[Json] = [kind for kind in git.risk.what if kind != UNCOMMITTED] if git.risk is not None else []
    return (
        ("at_risk", what or None),
        ("at_risk_since", _since(git, old["at_risk_since"]) if what else None),
        ("commits_only_here", git.only_here or None),
        ("stashes", git.stashes or None),
    )


def _since(git: Unsaved, before: Json) -> Json:
    """The oldest date that no changed file moves: while there are such files, that of the card holds on."""
    if git.risk is not None and UNCOMMITTED not in git.risk.what:
        return iso_time(git.risk.since)
    return before if isinstance(before, str) else iso_time(git.oldest_stash)
