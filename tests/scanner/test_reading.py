from __future__ import annotations

import os
from pathlib import Path

import pytest

from scanner.reading import UnreadableError, read_file, read_head


def refusal(path: Path, cap: int = 16) -> str:
    with pytest.raises(UnreadableError) as caught:
        read_file(str(path), cap)
    return caught.value.code


def test_a_file_of_exactly_the_cap_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 16)
    assert read_file(str(path), 16) == b"x" * 16


def test_one_byte_more_is_refused_and_its_head_can_still_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 17)
    assert refusal(path) == "too-large"
    assert read_head(str(path), 16) == b"x" * 16


def test_a_sparse_terabyte_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch()
    os.truncate(path, 1 << 40)
    assert refusal(path) == "too-large"


def test_what_is_not_a_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    assert refusal(tmp_path / "pipe") == "not-regular"
    assert refusal(tmp_path / "folder") == "not-regular"
    assert refusal(tmp_path / "link") == "link"
    assert refusal(Path("/dev/zero")) == "not-regular"
    assert refusal(tmp_path / "absent") == "missing"
