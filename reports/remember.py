"""What was remembered, forgotten, edited and is kept, as text and as documents."""

from __future__ import annotations

from collections.abc import Sequence

from brain.wording import plural
from reports.document import Document, located
from reports.view import below_home, cells, iso_time, safe_display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.remember.daily import Noted
    from brain.remember.index import Category
    from brain.remember.values import Edited, Forgotten, Near, Remembered

COLUMNS = ("axis", "category", "observations", "tokens", "newest", "flags", "summary", "file")


def _file(path: str, name: str = "file") -> Document:
    return {key.replace("path", name): value for key, value in located(path).items()}


def remembered_document(done: Remembered, axis: str) -> Document:
    """``data`` of ``zecher.remember``."""
    return {
        "outcome": done.outcome,
        "id": done.id,
        **_file(done.file),
        "line": done.line,
        "near": [_near_document(one) for one in done.near],
        "axis": axis,
        "category": done.category,
        "similar": list(done.similar),
        "summaryUpdated": done.summary_updated,
        "versionToken": done.version,
    }


def noted_document(done: Noted, workspace: str) -> Document:
    """``data`` of ``zecher.note``."""
    return {
        **_file(workspace, "workspace"),
        "day": done.day,
        **_file(done.file),
        "line": done.line,
        "line_end": done.line_end,
        "created": done.created,
        "hidden_in": done.hidden_in or None,
    }


def noted_text(done: Noted, home: str) -> str:
    """One line, as of what is remembered."""
    return f"noted: {below_home(done.file, home)}:{done.line}\n"


def _near_document(near: Near) -> Document:
    return {**_file(near.file), "line": near.line, "id": near.id, "text": near.text, "score": near.score}


def remembered_text(done: Remembered, home: str) -> str:
    """One line; ``home`` is written as ``~``, empty: paths are whole."""
    words = {"created": "remembered in a new category", "appended": "remembered", "skipped": "known already"}
    return f"{words[done.outcome]}: {below_home(done.file, home)}:{done.line} ({safe_display(done.id)})\n"


def remembered_notes(done: Remembered, home: str) -> list[str]:
    """What is worth a look: observations that say much the same, categories that may be meant."""
    notes = []
    if done.outcome != "skipped":
        notes = [
            f"near: {below_home(one.file, home)}:{one.line} ({one.id}) {safe_display(one.text)}"
            for one in done.near
        ]
    if done.similar:
        others = ", ".join(safe_display(one) for one in done.similar)
        notes.append(f"the category {safe_display(done.category)} is new; is it {others}?")
    return notes


def forgotten_document(done: Forgotten) -> Document:
    """``data`` of ``zecher.forget``."""
    return {
        "outcome": done.outcome,
        "id": done.id,
        **_file(done.file),
        "line": done.line,
        "category": done.category,
        "text": done.text,
        "versionToken": done.version,
    }


def forgotten_text(done: Forgotten, home: str, *, undo: bool) -> str:
    """One line, as above."""
    was = "not archived" if undo else "archived already"
    word = was if done.outcome == "unchanged" else done.outcome
    place = f"{below_home(done.file, home)}:{done.line}"
    return f"{word}: {place} ({safe_display(done.id)}) {safe_display(_short(done.text))}\n"


def edited_document(done: Edited, mode: str) -> Document:
    """``data`` of ``zecher.memory.edit``."""
    return {
        "outcome": done.outcome,
        "operation": mode,
        **_file(done.file),
        "line": done.line,
        "versionToken": done.version,
    }


def edited_text(done: Edited, home: str) -> str:
    """One line, as above."""
    return f"{done.outcome}: {below_home(done.file, home)}:{done.line}\n"


def categories_document(categories: Sequence[Category]) -> Document:
    """``data`` of ``zecher.memory.list``."""
    return {
        "categories": [_category_document(one) for one in categories],
        "tokens": sum(one.tokens for one in categories if not one.muted),
    }


def _category_document(one: Category) -> Document:
    return {
        "axis": one.axis,
        "category": _clean(one.title),
        **_file(one.file),
        "summary": _clean(one.summary),
        "derived": one.derived,
        "tokens": one.tokens,
        "body_tokens": one.body_tokens,
        "muted": one.muted,
        "always_load": one.pinned,
        "observations": one.observations,
        "archived": one.archived,
        "newest": one.newest or None,
        "modified": iso_time(one.modified),
        "versionToken": one.version,
    }


def _clean(text: str) -> str:
    """Marks in place of secrets: people write into these files, too."""
    from brain.secrets import redact  # noqa: PLC0415 - start-up: 10 ms, only for a list

    return redact(text).text


def _fields(one: Category, path: str) -> tuple[str, ...]:
    flags = [name for name, is_set in (("muted", one.muted), ("always-load", one.pinned)) if is_set]
    return (
        one.axis,
        safe_display(_clean(one.title)),
        str(one.observations),
        str(one.tokens),
        one.newest,
        ",".join(flags),
        safe_display(_clean(one.summary)),
        path,
    )


def categories_tsv(categories: Sequence[Category]) -> str:
    """A header line and one line a category, whole paths."""
    rows = [COLUMNS, *(_fields(one, safe_display(one.file)) for one in categories)]
    return "".join("\t".join(row) + "\n" for row in rows)


def categories_text(categories: Sequence[Category], home: str) -> str:
    """A block of two lines for each category."""
    rows = [_fields(one, below_home(one.file, home)) for one in categories]
    width = max((cells(row[1]) for row in rows), default=0)
    lines = []
    for axis, title, count, tokens, newest, flags, summary, path in rows:
        facts = [plural(int(count), "observation"), plural(int(tokens), "token"), newest, flags, path]
        lines.append(f"{axis:<8}{title}{' ' * (width - cells(title))}  {', '.join(filter(None, facts))}")
        if summary:
            lines.append(f"        {summary}")
    return "".join(f"{line}\n" for line in lines)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
