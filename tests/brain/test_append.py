"""A line of a ledger is appended whole and durable, or not at all."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brain.files import append
from brain.files.append import append_line
from brain.files.errors import MemError, WriteError
from brain.files.ledger import parse_ledger

CAP = 2 * 1024 * 1024


@contextmanager
def umask(mask: int) -> Iterator[None]:
    old = os.umask(mask)
    try:
        yield
    finally:
        os.umask(old)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file of this process grow past ``size`` bytes, as a full disk would not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_the_first_line_makes_the_file(tmp_path: Path) -> None:
    append_line(str(tmp_path / "l"), b'{"a":1}', cap=CAP, repair=True)
    assert (tmp_path / "l").read_bytes() == b'{"a":1}\n'


def test_further_lines_follow(tmp_path: Path) -> None:
    (tmp_path / "l").write_bytes(b"1\n")
    append_line(str(tmp_path / "l"), b"2", cap=CAP, repair=False)
    assert (tmp_path / "l").read_bytes() == b"1\n2\n"


@pytest.mark.parametrize("mask", [0, 0o022, 0o277])
def test_a_new_file_is_its_owner_s_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    with umask(mask):
        append_line(str(tmp_path / "l"), b"1", cap=CAP, repair=True)
    assert stat.S_IMODE((tmp_path / "l").stat().st_mode) == 0o600


def test_the_mode_of_a_file_that_exists_stays(tmp_path: Path) -> None:
    (tmp_path / "l").write_bytes(b"")
    (tmp_path / "l").chmod(0o640)
    append_line(str(tmp_path / "l"), b"1", cap=CAP, repair=True)
    assert stat.S_IMODE((tmp_path / "l").stat().st_mode) == 0o640


def test_a_torn_tail_is_closed_before_the_new_line(tmp_path: Path) -> None:
    (tmp_path / "l").write_bytes(b'{"a":1}\n{"b":')
    append_line(str(tmp_path / "l"), b'{"c":3}', cap=CAP, repair=True)
    assert (tmp_path / "l").read_bytes() == b'{"a":1}\n{"b":\n{"c":3}\n'


def test_a_torn_tail_is_refused_where_it_may_not_be_repaired(tmp_path: Path) -> None:
    (tmp_path / "l").write_bytes(b'{"a":1}\n{"b":')
    with pytest.raises(MemError, match="torn"):
        append_line(str(tmp_path / "l"), b'{"c":3}', cap=CAP, repair=False)
    assert (tmp_path / "l").read_bytes() == b'{"a":1}\n{"b":'


def test_a_record_torn_at_any_byte_costs_only_itself(tmp_path: Path) -> None:
    first, torn, third = '{"n":1}', '{"n":2,"task":"crème brûlée 🍮"}', '{"n":3}'
    whole = f"{first}\n{torn}\n".encode()
    for length in range(len(first) + 1, len(whole) + 1):
        file = tmp_path / str(length)
        file.write_bytes(whole[:length])
        append_line(str(file), third.encode(), cap=CAP, repair=True)
        after = file.read_bytes()
        found = parse_ledger(after)
        numbers = [value["n"] for _, value in found.lines]
        is_whole = length >= len(whole) - 1
        is_absent = length == len(first) + 1
        assert after.startswith(whole[:length])
        assert numbers == ([1, 2, 3] if is_whole else [1, 3])
        assert len(found.damaged) == (0 if is_whole or is_absent else 1)


def test_the_limit_counts_the_newline_and_may_be_reached(tmp_path: Path) -> None:
    (tmp_path / "l").write_bytes(b"12345\n")
    append_line(str(tmp_path / "l"), b"789", cap=10, repair=True)
    with pytest.raises(MemError, match="10 bytes of at most 10"):
        append_line(str(tmp_path / "l"), b"", cap=10, repair=True)
    assert (tmp_path / "l").read_bytes() == b"12345\n789\n"


def test_one_byte_over_the_limit_is_refused_and_no_file_is_made(tmp_path: Path) -> None:
    with pytest.raises(MemError, match="is full"):
        append_line(str(tmp_path / "l"), b"1234567890", cap=10, repair=True)
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"1\n")
    (tmp_path / "l").symlink_to("real")
    with pytest.raises(MemError, match="symbolic link"):
        append_line(str(tmp_path / "l"), b"2", cap=CAP, repair=True)
    assert (tmp_path / "real").read_bytes() == b"1\n"


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "l")
    with pytest.raises(MemError, match="not a regular file"):
        append_line(str(tmp_path / "l"), b"2", cap=CAP, repair=True)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "l").mkdir()
    with pytest.raises(MemError, match="cannot write"):
        append_line(str(tmp_path / "l"), b"2", cap=CAP, repair=True)


def test_a_line_with_a_newline_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="newline"):
        append_line(str(tmp_path / "l"), b"1\n2", cap=CAP, repair=True)


def test_a_plain_append_to_a_full_disk_leaves_a_torn_line(tmp_path: Path) -> None:
    """The harm that the length check is there for."""
    (tmp_path / "l").write_bytes(b"old\n")
    with largest_file(10):
        descriptor = os.open(tmp_path / "l", os.O_WRONLY | os.O_APPEND)
        os.write(descriptor, b"a line that is too long\n")
        os.close(descriptor)
    assert (tmp_path / "l").read_bytes() == b"old\na line"


@pytest.mark.parametrize("room", range(24))
def test_a_disk_that_fills_up_takes_all_of_a_line_or_nothing(tmp_path: Path, room: int) -> None:
    old, line = b"old\n", b"a line that is too long"
    (tmp_path / "l").write_bytes(old)
    with largest_file(len(old) + room), pytest.raises(MemError, match=r"cannot write .*/l: "):
        append_line(str(tmp_path / "l"), line, cap=CAP, repair=True)
    assert (tmp_path / "l").read_bytes() == old


def test_a_line_that_just_fits_on_the_disk_is_written(tmp_path: Path) -> None:
    with largest_file(4):
        append_line(str(tmp_path / "l"), b"123", cap=CAP, repair=True)
    assert (tmp_path / "l").read_bytes() == b"123\n"


def test_a_new_file_that_stays_empty_is_taken_away(tmp_path: Path) -> None:
    with largest_file(2), pytest.raises(MemError):
        append_line(str(tmp_path / "l"), b"123", cap=CAP, repair=True)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_synced_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "l").write_bytes(b"old\n")

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(MemError, match="Input/output error"):
        append_line(str(tmp_path / "l"), b"new", cap=CAP, repair=True)
    assert (tmp_path / "l").read_bytes() == b"old\n"


def test_a_new_file_whose_folder_cannot_be_synced_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: str) -> None:
        raise WriteError(path, "Input/output error", stored=True)

    monkeypatch.setattr(append, "sync_folder", fail)
    with pytest.raises(MemError, match="Input/output error"):
        append_line(str(tmp_path / "l"), b"new", cap=CAP, repair=True)
    assert list(tmp_path.iterdir()) == []


def test_a_short_write_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "l").write_bytes(b"old\n")
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:2]))
    with pytest.raises(MemError, match="fewer bytes"):
        append_line(str(tmp_path / "l"), b"new", cap=CAP, repair=True)
    assert (tmp_path / "l").read_bytes() == b"old\n"


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    if before is None:
        pytest.skip("descriptors cannot be counted here")
    for _ in range(5):
        append_line(str(tmp_path / "l"), b"1", cap=CAP, repair=True)
        with pytest.raises(MemError):
            append_line(str(tmp_path / "l"), b"1", cap=1, repair=True)
    assert len(os.listdir("/proc/self/fd")) == before
