"""Lessons that come back: rule ``l-repeats`` within one memory, ``sketches`` for repeats across projects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from brain.health.finding import count, finding
from brain.health.repeats import Cluster, Sketch, alike_lessons, counted_words, sketch
from brain.health.values import MEDIUM, WARNING, Finding, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.entries.document import Entry
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today

# Within one memory more likeness is asked than across two: one person writes much alike.
ALIKE_WITHIN = 0.7
# What was learned, in the same words that count: the same lesson, whatever led to it.
_FEWEST_WORDS = 4
_NAME = "lessons.md"


def sketches(parsed: ParsedMemory) -> tuple[Sketch, ...]:
    """Every lesson of the memory that holds, sketched, in the order of files and lines.

    Samples of templates, archived and superseded lessons are left out. Clones of a repository share its
    identifier, so that what they say in common was learned once.
    """
    memory = parsed.memory
    return tuple(
        sketch_entry(
            entry,
            data,
            project=memory.identifier or memory.path,
            name=memory.name,
            file=path,
            in_brain=memory.kind == "brain",
        )
        for path, data, entry in _holding(parsed)
    )


def _holding(parsed: ParsedMemory) -> Iterator[tuple[str, bytes, Entry]]:
    """Every lesson that holds, with its file and what that says."""
    memory = parsed.memory
    for path, document in parsed.notes.items():
        if path.rpartition("/")[2].lower() != _NAME:
            continue
        data = next((file.data for file in memory.files if file.path == path), b"")
        samples = {problem.line for problem in document.problems if problem.code == "entry-placeholder"}
        for entry in document.entries:
            if entry.line in samples or entry.archived or entry.status in ("superseded", "archived"):
                continue
            yield path, data, entry


def sketch_entry(
    entry: Entry, data: bytes, *, project: str, name: str, file: str, in_brain: bool = False
) -> Sketch:
    """The sketch of an entry of ``data``: its title and fields, its text where it has none."""
    texts = [field.value for field in entry.fields if field.name not in ("status", "date", "tags", "owner")]
    body = "\n".join(texts) or _body(data, entry.span)
    return sketch(
        entry.title, body, project=project, name=name, file=file, line=entry.line, in_brain=in_brain
    )


def command(parsed: ParsedMemory) -> str:
    """The command that proposes how to bring the notes of this memory into order."""
    from shlex import quote  # noqa: PLC0415 - start-up: only where something repeats

    scope = "--global" if parsed.memory.kind == "brain" else f"-d {quote(parsed.memory.path)}"
    return f"zecher memory consolidate {scope}"


def _body(data: bytes, span: tuple[int, int]) -> str:
    return data[span[0] : span[1]].partition(b"\n")[2].decode("utf-8", "replace")


def alike_within(lessons: Sequence[tuple[Sketch, Entry]]) -> list[list[Sketch]]:
    """Groups of lessons that are alike as a whole, or say what was learned in the same words."""
    groups = [set(cluster.members) for cluster in alike_lessons((one for one, _ in lessons), ALIKE_WITHIN)]
    learned: dict[tuple[bytes, ...], set[Sketch]] = {}
    for one, entry in lessons:
        words = next((counted_words(field.value) for field in entry.fields if field.name == "lesson"), ())
        if len(words) >= _FEWEST_WORDS:
            learned.setdefault(words, set()).add(one)
    for same in learned.values():
        if len(same) > 1:
            joined = set(same).union(*(group for group in groups if group & same))
            groups = [group for group in groups if not group & same] + [joined]
    ordered = [sorted(group, key=_place) for group in groups]
    return sorted(ordered, key=lambda group: _place(group[0]))


def _place(one: Sketch) -> tuple[str, int]:
    return one.file, one.line


def _clusters(parsed: ParsedMemory, found: tuple[Sketch, ...]) -> Iterator[Cluster]:
    entries = [entry for _, _, entry in _holding(parsed)]
    for group in alike_within(list(zip(found, entries, strict=True))):
        yield Cluster(tuple(group))


def _repeats(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    found = parsed.lessons
    if not found:
        return None
    if len(found) < 2:
        return []
    findings = []
    for cluster in _clusters(parsed, found):
        first, *others = cluster.members
        lines = ", ".join(f"{one.file}:{one.line}" for one in others[:5])
        times = count(len(cluster.members), "time")
        message = f'The lesson "{first.title[:80]}" was learned {times}: again in {lines}.'
        fix = f"Make it a check that runs by itself; then merge the entries: {command(parsed)}."
        findings.append(
            finding(
                parsed,
                WARNING,
                "l-repeats",
                message,
                fix,
                file=first.file,
                line=first.line,
                anchor=first.title,
            )
        )
    return findings


RULES = (Rule("l-repeats", MEDIUM, "Every lesson had to be learned once only.", _repeats),)
