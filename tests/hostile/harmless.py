"""What no output may hold, worked out apart from the code under test."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from markdown_it.token import Token

    from tests.hostile.command import Run

_RANGES = (
    (0x00, 0x09),
    (0x0B, 0x1F),
    (0x7F, 0x9F),
    (0x61C, 0x61C),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x2064),
    (0x2066, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xD800, 0xDFFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),
)
_SGR = re.compile(r"\x1b\[[0-9;]{0,20}m")

_PATIENCE = 10.0
"""Seconds of waiting in which even a crowded machine gets a short command done."""

GOOD_CODES = (0, 3)
FAULTS = ("project-failed", "unexpected")
"""Problem codes that stand for a mistake in Zecher itself."""


def forbidden(text: str, *, allow: str = "") -> list[str]:
    """The characters of ``text`` that must not reach a reader, with what stands around them."""
    found = []
    for place, character in enumerate(text):
        code = ord(character)
        if character not in allow and any(first <= code <= last for first, last in _RANGES):
            found.append(f"U+{code:04X} in {text[max(0, place - 30) : place + 10]!r}")
    return found


def check_streams(run: Run) -> None:
    """Exit code, no traceback, valid UTF-8, nothing that acts on a terminal in either stream."""
    out, err = run.out.decode("utf-8"), run.err.decode("utf-8")
    assert run.code in GOOD_CODES, f"{run}: exit {run.code}\n{err[-3000:]}\n{out[-1000:]}"
    assert "Traceback" not in out + err, f"{run}\n{err[-3000:]}"
    if run.format == "table":
        out = _SGR.sub("", out)
    assert not (found := forbidden(out, allow="\t" if run.format == "tsv" else "")), (
        f"{run}: stdout {found[:5]}"
    )
    assert not (found := forbidden(err)), f"{run}: stderr {found[:5]}"
    assert run.wall < 10 * run.seconds + _PATIENCE, (
        f"{run}: waited {run.wall - run.seconds:.1f} s for something"
    )
    for fault in FAULTS:
        assert fault not in out + err, f"{run}: {fault}\n{_around(out + err, fault)}"


def _around(text: str, word: str) -> str:
    place = text.index(word)
    return text[max(0, place - 500) : place + 1000]


def check_shape(run: Run) -> None:
    """The form of the output: one JSON document, constant columns, a Markdown table and nothing else."""
    check_streams(run)
    if run.format == "json":
        assert run.document()["schema_version"] == 1
        assert run.out.count(b"\n") == 1, f"{run}: not one line"
    elif run.format == "tsv":
        check_tsv(run.out.decode("utf-8"))
    elif run.format == "md":
        check_markdown(run.out.decode("utf-8"))


def check_tsv(text: str) -> list[list[str]]:
    """The rows of ``text``, all as wide as its header."""
    assert text.endswith("\n")
    rows = [line.split("\t") for line in text[:-1].split("\n")]
    assert Counter(map(len, rows)) == {len(rows[0]): len(rows)}
    return rows


def markdown_tokens(text: str) -> list[Token]:
    """``text`` as CommonMark with tables sees it, inline parts laid out flat."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    flat: list[Token] = []
    for token in parser.parse(text):
        flat.append(token)
        flat.extend(token.children or [])
    return flat


def check_markdown(text: str, *, headings: int = 0) -> int:
    """One table with constant columns, no link, picture, HTML or heading of foreign making; the rows."""
    tokens = markdown_tokens(text)
    kinds = Counter(token.type for token in tokens)
    for kind in (
        "link_open",
        "image",
        "html_inline",
        "html_block",
        "fence",
        "code_block",
        "hr",
        "list_item_open",
    ):
        assert not kinds[kind], f"{kind}: {[t.content or t.attrs for t in tokens if t.type == kind][:3]}"
    for kind in ("em_open", "strong_open", "s_open", "softbreak", "hardbreak"):
        assert not kinds[kind], f"{kind} in {text[:2000]}"
    assert kinds["table_open"] == 1
    assert kinds["heading_open"] == headings
    columns = kinds["th_open"]
    rows = kinds["tr_open"] - 1
    assert kinds["td_open"] == columns * rows
    # The parser pads and cuts rows to the width of the header: count the bars that separate cells as well.
    lines = [line for line in text.split("\n") if line.startswith("|")]
    for line in lines:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == columns + 1, line
    assert len(lines) == rows + 2
    return rows


def markdown_cells(text: str) -> list[str]:
    """What a reader sees in the cells of the tables of ``text``."""
    cells = []
    inside = False
    for token in MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text):
        inside = inside or token.type == "td_open"
        if inside and token.type == "inline":
            cells.append("".join(child.content for child in token.children or []))
            inside = False
    return cells
