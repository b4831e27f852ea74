"""Reading a ledger: what is whole is found, what is damaged is counted, nothing is fatal."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.files.errors import MemError
from brain.files.ledger import LEDGER_CAP, parse_ledger, read_ledger

DAMAGED = [
    b"not JSON",
    b"null",
    b"[]",
    b"[{}]",
    b"1",
    b'"text"',
    b"true",
    b"NaN",
    b"{",
    b'{"a":1}{"b":2}',
    b'{"a":1},',
    b'{"a":NaN}',
    b'{"a":Infinity}',
    b'{"a":-Infinity}',
    b"{'a':1}",
    b'{"a":1} x',
    b'{"a":"\t"}',
    b'{"a":"\xff"}',
    b'{"a":"\xc3"}',
    b"\xef\xbb\xbf{}",
    b'{"a":' + b"9" * 5000 + b"}",
    b'{"a":' + b"[" * 64 + b"]" * 64 + b"}",
    b'{"a":' + b"[" * 500 + b"]" * 500 + b"}",
    b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b"[" * 100_000,
    b'{"a":' * 100_000,
]


@pytest.mark.parametrize("line", DAMAGED, ids=lambda line: repr(line[:20]))
def test_a_damaged_line_is_counted_and_costs_only_itself(line: bytes) -> None:
    found = parse_ledger(b'{"n":1}\n' + line + b'\n{"n":3}\n')
    assert (found.lines, found.damaged) == ([(1, {"n": 1}), (3, {"n": 3})], [2])


@pytest.mark.parametrize("line", [b"", b" ", b"\r", b"\t \r"])
def test_a_blank_line_counts_as_nothing(line: bytes) -> None:
    found = parse_ledger(b'{"n":1}\n' + line + b'\n{"n":3}\n')
    assert (found.lines, found.damaged) == ([(1, {"n": 1}), (3, {"n": 3})], [])


@pytest.mark.parametrize("line", [b' {"n":1}', b'{"n":1} ', b'{"n":1}\r', b'\t{"n":1}\t\r', b'{ "n" : 1 }'])
def test_blanks_around_an_object_do_no_harm(line: bytes) -> None:
    assert parse_ledger(line).lines == [(1, {"n": 1})]


def test_brackets_inside_a_text_are_no_nesting() -> None:
    line = json.dumps({"task": "{[" * 100}).encode()
    assert parse_ledger(line).lines == [(1, {"task": "{[" * 100})]


def test_sixty_four_levels_are_read() -> None:
    line = b'{"a":' + b"[" * 63 + b"]" * 63 + b"}"
    assert len(parse_ledger(line).lines) == 1


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0b", "\x0c", "\x1c"])
def test_only_a_newline_ends_a_line(separator: str) -> None:
    line = f'{{"task":"a{separator}b"}}'
    found = parse_ledger(line.encode())
    damaged = separator < " "  # JSON allows no bare control character in a text
    assert (len(found.lines), len(found.damaged)) == ((0, 1) if damaged else (1, 0))


def test_half_objects_on_two_lines_do_not_make_a_whole() -> None:
    assert parse_ledger(b'{"a":[1\n,2]}\n').damaged == [1, 2]


def test_a_last_line_without_a_newline_is_read() -> None:
    assert parse_ledger(b'{"n":1}\n{"n":2}').lines == [(1, {"n": 1}), (2, {"n": 2})]


def test_a_file_that_is_missing_is_empty(tmp_path: Path) -> None:
    found = read_ledger(str(tmp_path / "none"))
    assert (found.lines, found.damaged) == ([], [])


def test_a_file_of_just_the_limit_is_read_and_one_byte_more_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "l"
    file.write_bytes(b'{"n":1}\n' + b" " * (LEDGER_CAP - 8))
    assert len(read_ledger(str(file)).lines) == 1
    with file.open("ab") as stream:
        stream.write(b" ")
    with pytest.raises(MemError, match="2097152"):
        read_ledger(str(file))


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "l"
    if kind == "link":
        (tmp_path / "real").write_bytes(b"{}\n")
        file.symlink_to("real")
    elif kind == "folder":
        file.mkdir()
    else:
        os.mkfifo(file)
    with pytest.raises(MemError, match="cannot read"):
        read_ledger(str(file))


@given(
    st.binary() | st.lists(st.sampled_from([b"{", b"}", b'"', b"\n", b"[", b"1", b",", b":"])).map(b"".join)
)
def test_any_bytes_are_read_like_line_by_line(data: bytes) -> None:
    found = parse_ledger(data)
    expected, damaged = [], []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.decode(errors="replace").isspace() or not line:
            continue
        try:
            value = json.loads(line.decode(), parse_constant=_refuse)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            expected.append((number, value))
        else:
            damaged.append(number)
    assert (found.lines, found.damaged) == (expected, damaged)


@pytest.mark.parametrize(
    "data", [b"[\n" * 1_000_000, b'{"a":' * 400_000, b'{"a":1}\n' * 250_000, b"\xff\n" * 10**6]
)
def test_two_mebibytes_of_anything_are_read_in_linear_time(data: bytes) -> None:
    begun = time.process_time()
    parse_ledger(data)
    assert time.process_time() - begun < 10


def _refuse(_: str) -> object:
    raise ValueError
