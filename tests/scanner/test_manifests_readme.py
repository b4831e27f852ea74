"""A README's first paragraph, whatever stands around it."""

from __future__ import annotations

import pytest

from scanner.manifests.readme import choose, first_paragraph

CASES = {
    "a heading": ("# Tool\n\nDoes things.\n", "Does things."),
    "an underlined heading": ("Tool\n====\n\nDoes things.\n", "Does things."),
    "a heading underlined like a rule": ("Tool\n----\nDoes things.\n", "Does things."),
    "badges": (
        "# T\n\n[![B](https://ci.example.org/b.svg)](https://ci.example.org)\n![v](v.svg)\n\nDoes things.\n",
        "Does things.",
    ),
    "a centred block of HTML": (
        '<p align="center">\n  <img src="logo.png">\n</p>\n\n<!-- a\nlong comment -->\nDoes things.\n',
        "Does things.",
    ),
    "front matter": ("---\ntitle: Tool\nsummary: No.\n---\n\nDoes things.\n", "Does things."),
    "markup": ("It **really** does `many` _things_ with [links](https://example.org).", None),
    "several lines": ("One line\nand another.\n\nA second paragraph.\n", "One line and another."),
    "a code block": ("```sh\nnpm install\n```\n\nDoes things.\n", "Does things."),
    "an indented block": ("    code here\n\nDoes things.\n", "Does things."),
    "a list": ("- one\n- two\n1. three\n\nDoes things.\n", "Does things."),
    "a quote": ("> Does things.\n", "Does things."),
    "a table": ("| a | b |\n| - | - |\n| 1 | 2 |\n\nDoes things.\n", "Does things."),
    "reStructuredText": (
        "====\nTool\n====\n\n.. image:: a.png\n\n:Author: Ana\n\nDoes `things <https://example.org>`_.\n",
        "Does things.",
    ),
    "windows line ends": ("# T\r\n\r\nDoes\r\nthings.\r\n", "Does things."),
    "names with underscores": (
        "Reads snake_case_names and 2 * 3 * 4.\n",
        "Reads snake_case_names and 2 * 3 * 4.",
    ),
    "an address": ("See <https://example.org> for <b>more</b>.\n", "See https://example.org for more."),
    "entities": ("Salt &amp; pepper.\n", "Salt & pepper."),
    "nothing": ("", ""),
    "only a heading": ("# Tool\n", ""),
    "only an image": ("![logo](logo.png)\n", ""),
    "an open comment": ("<!-- Does things.\n", ""),
    "an open code block": ("```\nDoes things.\n", ""),
    "control characters": ("Does\x1b[2J \u202ethings.\n", "Does [2J things."),
}


@pytest.mark.parametrize("case", CASES)
def test_the_first_paragraph_is_found_past(case: str) -> None:
    source, expected = CASES[case]
    if expected is None:
        expected = "It really does many things with links."
    assert first_paragraph(source.encode()) == expected


def test_a_long_paragraph_ends_at_a_word() -> None:
    text = first_paragraph(("word " * 100).encode())
    assert len(text) <= 200
    assert text.endswith("word…")


def test_utf_16_is_read() -> None:
    assert first_paragraph("# T\n\nDoes things.\n".encode("utf-16")) == "Does things."


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        ({"README.md", "README.rst"}, "README.md"),
        ({"readme.txt", "Readme.rst"}, "Readme.rst"),
        ({"README", "README.zh-CN.md"}, "README"),
        ({"README.png"}, ""),
        (set(), ""),
    ],
)
def test_the_readme_is_chosen_by_its_format(names: set[str], chosen: str) -> None:
    assert choose(names) == chosen
