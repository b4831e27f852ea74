"""An edit changes its span and nothing else."""

from __future__ import annotations

import pytest

from brain.entries.edit import insert, replace_span, replace_value
from brain.entries.reader import read_entries


def test_a_span_is_replaced() -> None:
    assert replace_span(b"abcdef", (2, 4), b"XYZ") == b"abXYZef"


def test_bytes_are_inserted_before_an_offset() -> None:
    assert insert(b"ab", 1, b"X") == b"aXb"


@pytest.mark.parametrize("span", [(-1, 2), (2, 1), (0, 7), (7, 7)])
def test_a_span_outside_the_file_is_refused(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no span of 6 bytes"):
        replace_span(b"abcdef", span, b"")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"- **Status**: active  ", b"- **Status**: superseded"),
        (b"- **Status**:active", b"- **Status**: superseded"),
        (b"- **Status**:", b"- **Status**: superseded"),
        (b"- **Status**: ", b"- **Status**: superseded"),
        (b"**Status** : active", b"**Status** : superseded"),
    ],
)
def test_a_value_is_replaced_behind_its_label(line: bytes, expected: bytes) -> None:
    data = b"### \xff\r\n- **Context**: a\r\n" + line + b"\r\n- **Date**: b"
    field = read_entries(data, "decisions").entries[0].field("status")
    assert field is not None
    assert replace_value(data, field, b"superseded") == data.replace(line, expected)
