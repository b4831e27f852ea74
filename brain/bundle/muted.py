"""Whether the owner of a file wants it to be found only, neither loaded nor recalled; or always loaded."""

from __future__ import annotations

from brain.files.reading import UnreadableError, read_seen

_CAP = 2 * 1024 * 1024


class Marks:
    """What the front matter of files says, each read once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[bool, bool]] = {}

    def is_muted(self, path: str) -> bool:
        """Whether its front matter has ``muted: true``; a file that cannot be read is muted, too."""
        return self._of(path)[0]

    def is_pinned(self, path: str) -> bool:
        """Whether its tags have ``always-load``."""
        return self._of(path)[1]

    def _of(self, path: str) -> tuple[bool, bool]:
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = _marks(path)
        return known


def _marks(path: str) -> tuple[bool, bool]:
    try:
        seen = read_seen(path, _CAP)
    except UnreadableError:
        return True, False
    data = seen.data or b""
    if not data[:8].lstrip(b"\xef\xbb\xbf").startswith(b"---") or not (
        b"muted" in data.lower() or b"always-load" in data
    ):
        return False, False
    from brain.remember.category_file import CategoryFile  # noqa: PLC0415 - start-up: few files say anything

    file = CategoryFile(path, seen)
    return file.muted, file.pinned
