"""What the rules have to ask of version control, told from the files that were read."""

from __future__ import annotations

from brain.health import roles
from brain.health.parsed import ParsedMemory
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from brain.health.values import Memory, MemoryFile

MOST = 20


@dataclass(frozen=True, slots=True)
class Questions:
    """``hashes`` are those of commits that files record; ``histories`` (path, whether earlier contents are
    wanted) of files whose past matters; ``handover_files`` are those whose change alone moves no code on.
    ``changes`` is how many of the last changes of a file are of interest. ``folders`` are those of ADRs with
    the names that stand in them now: what stood there once is wanted.
    """

    hashes: tuple[str, ...]
    histories: tuple[tuple[str, bool], ...]
    handover_files: tuple[str, ...]
    changes: int = 10
    folders: tuple[tuple[str, frozenset[str]], ...] = ()


def questions(memory: Memory, parsed: ParsedMemory | None = None) -> Questions:
    """The questions of ``memory``; ``parsed`` is it, parsed already."""
    parsed = parsed or ParsedMemory(memory)
    if memory.kind == "brain":
        return Questions((), (), ())
    hashes = dict.fromkeys(one.commit.text for one in parsed.handovers[:3] if one.commit)
    histories = dict(_histories(parsed))
    return Questions(
        tuple(hashes)[:MOST],
        tuple(histories.items())[:MOST],
        handover_files(memory),
        folders=tuple(_record_folders(parsed).items())[:MOST],
    )


def _histories(parsed: ParsedMemory) -> Iterator[tuple[str, bool]]:
    """Progress files are asked how they grew, logs of decisions what they once said."""
    moving = {"activecontext.md", "progress.md"}
    for at, file in enumerate(parsed.files(roles.PROGRESS)):
        if at == 0 or file.path.rpartition("/")[2].lower() in moving:
            yield _tracked(file), False
    for log in parsed.decisions:
        if log.kind != "adr":
            yield _tracked(log.files[0]), True


def _record_folders(parsed: ParsedMemory) -> dict[str, frozenset[str]]:
    """The folders of ADRs with the names of the files that were read in them."""
    names: dict[str, set[str]] = {}
    for file in parsed.files(roles.ADR):
        folder, _, name = _tracked(file).rpartition("/")
        if folder:
            names.setdefault(folder, set()).add(name)
    return {folder: frozenset(some) for folder, some in names.items()}


def handover_files(memory: Memory) -> tuple[str, ...]:
    """The files whose change alone moves no code on, sorted."""
    files = {
        _tracked(file) for file in memory.files if roles.is_handover(file.path) or file.role == roles.ADR
    }
    return tuple(sorted(files | {name for name in memory.names if roles.is_handover(name)}))


def _tracked(file: MemoryFile) -> str:
    """The path under which its content is in the history: that of the file a link leads to."""
    return file.target or file.path
