"""Front matter is read as text within limits; what is refused is reported, never raised."""

from __future__ import annotations

import time

import pytest

from brain.entries.front_matter import FRONT_MATTER_CAP, FrontMatter
from brain.entries.reader import read_entries


def front(text: str) -> FrontMatter:
    found = read_entries(text.encode(), "decisions").front_matter
    assert found is not None
    return found


def test_every_scalar_is_the_text_that_was_written() -> None:
    found = front('---\na: no\nb: 1:30\nc: 2026-03-14\nd: "x: y"\ne: 0x10\nf: ~\ng:\nh: 1.0\n---\n')
    assert found.values == {
        "a": "no",
        "b": "1:30",
        "c": "2026-03-14",
        "d": "x: y",
        "e": "0x10",
        "f": "~",
        "g": "",
        "h": "1.0",
    }


def test_lists_and_mappings_keep_their_shape() -> None:
    assert front("---\na: [1, yes]\nb:\n  c: {d: e}\n---\n").values == {
        "a": ["1", "yes"],
        "b": {"c": {"d": "e"}},
    }


def test_a_key_that_stands_twice_is_reported_and_the_first_counts() -> None:
    found = read_entries(b"---\na: 1\na: 2\n---\n", "decisions")
    assert found.front_matter is not None
    assert (found.front_matter.text("a"), found.front_matter.duplicates) == ("1", ("a",))
    assert [problem.code for problem in found.problems] == ["front-matter-duplicate"]


@pytest.mark.parametrize(
    ("inner", "complaint"),
    [
        ("a: &x [1]\nb: *x", "alias"),
        ("a: &x\n  b: *x", "alias"),
        ("a: {b: [}", "line 2"),
        ("a: " + "[" * 40 + "]" * 40, "deeper"),
        ("a: \x01", "not allowed"),
        ("a:\n- b\n? [c]\n: d", "key that is not a word"),
    ],
)
def test_yaml_that_is_refused_is_reported_and_the_entries_are_read(inner: str, complaint: str) -> None:
    found = read_entries(f"---\n{inner}\n---\n### x\n".encode(), "decisions")
    assert found.front_matter is not None
    assert (found.front_matter.values, len(found.entries)) == ({}, 1)
    assert complaint in found.front_matter.complaint
    assert [problem.code for problem in found.problems] == ["front-matter"]


def test_a_tag_makes_nothing_but_text() -> None:
    assert front("---\na: !!python/object/apply:os.getcwd []\nb: !!int 7\n---\n").values == {
        "a": [],
        "b": "7",
    }


def test_a_billion_laughs_are_refused_at_once() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"{b}: &{b} [{', '.join(f'*{a}' for _ in range(9))}]"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    started = time.process_time()
    found = front("---\n" + "\n".join(lines) + "\n---\n")
    assert "alias" in found.complaint
    assert time.process_time() - started < 0.5


def test_more_than_the_cap_is_not_read() -> None:
    found = front("---\n" + "# x\n" * 10 + "a: " + "b" * FRONT_MATTER_CAP + "\n---\n")
    assert "64 KiB" in found.complaint


def test_bytes_that_are_no_utf8_are_refused() -> None:
    found = read_entries(b"---\na: \xff\n---\n### x\n", "decisions")
    assert found.front_matter is not None
    assert (found.front_matter.complaint, len(found.entries)) == ("not UTF-8", 1)


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n### x\n- **Context**: a\n\n---\n",
        "---\n- **Context**: a\n---\n### x\n",
        "---\nplain words\n---\n### x\n",
        "\n---\na: b\n---\n### x\n",
        " ---\na: b\n---\n### x\n",
        "----\na: b\n----\n### x\n",
    ],
)
def test_a_rule_is_no_front_matter(text: str) -> None:
    found = read_entries(text.encode(), "decisions")
    assert (found.front_matter, len(found.entries)) == (None, 1)


def test_front_matter_without_its_end_is_reported_and_hides_no_entry() -> None:
    found = read_entries(b"---\ntitle: x\n\n### y\n", "decisions")
    assert (found.front_matter, [entry.title for entry in found.entries]) == (None, ["y"])
    assert [problem.code for problem in found.problems] == ["front-matter-open"]


def test_a_heading_inside_the_front_matter_is_no_entry() -> None:
    found = read_entries(b"---\ntitle: x\n### no\n---\n### yes\n", "decisions")
    assert [entry.title for entry in found.entries] == ["yes"]


def test_empty_front_matter_has_no_values() -> None:
    assert front("---\n---\n") == FrontMatter((0, 8))
