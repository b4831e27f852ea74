from __future__ import annotations

import time

import pytest

from brain.bundle.links import RELATIVE, WIKI, Link, links_in
from brain.bundle.names import Names

FILES = dict.fromkeys(("/p/a.md", "/p/docs/Ongoing-Work.md", "/p/docs/b.md", "/p/docs/deep/b.md"), "/p") | {
    "/brain/shop.md": "/brain",
    "/q/a.md": "/q",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see [[x]]", Link(WIKI, "x")),
        ("see [[x|its label]]", Link(WIKI, "x")),
        ("see [[x#A heading]]", Link(WIKI, "x", "A heading")),
        ("| [[x\\|in a table]] |", Link(WIKI, "x")),
        ("![[folder/x.md#^block|l]]", Link(WIKI, "folder/x")),
        ("[t](../docs/x.md#part)", Link(RELATIVE, "../docs/x.md", "part")),
        ("[t](<a b.md>)", Link(RELATIVE, "a b.md")),
        ('[t](a%20b.md "title")', Link(RELATIVE, "a b.md")),
        ("[t]: notes/x.md", Link(RELATIVE, "notes/x.md")),
    ],
)
def test_each_form_of_a_link_is_read(text: str, expected: Link) -> None:
    assert links_in(text) == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        "[t](https://example.com/x.md)",
        "[t](mailto:a@example.com)",
        "[t](#here)",
        "`[[x]]`",
        "```\n[[x]]\n```",
        "~~~md\n[t](x.md)",
        "[[#here]]",
        "[[]]",
        "no link",
    ],
)
def test_what_leads_nowhere_in_the_memory_or_stands_in_code_is_no_link(text: str) -> None:
    assert links_in(text) == ()


def test_hostile_text_takes_no_time() -> None:
    started = time.process_time()
    for text in ("[[" * 200_000, "](" * 200_000, "`" * 400_000, "[t](" + "(" * 400_000, "%" * 400_000 + "]("):
        links_in(text + "[[x]] ](")
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("link", "where", "expected"),
    [
        (Link(WIKI, "ongoing work"), "/p/a.md", "/p/docs/Ongoing-Work.md"),
        (Link(WIKI, "OngoingWork"), "/p/a.md", "/p/docs/Ongoing-Work.md"),
        (Link(WIKI, "b"), "/p/docs/deep/a.md", "/p/docs/deep/b.md"),
        (Link(WIKI, "b"), "/p/a.md", "/p/docs/b.md"),
        (Link(WIKI, "deep/b"), "/p/a.md", "/p/docs/deep/b.md"),
        (Link(WIKI, "shop"), "/p/a.md", "/brain/shop.md"),
        (Link(WIKI, "The Plan"), "/p/a.md", "/p/docs/b.md"),
        (Link(WIKI, "a"), "/brain/shop.md", None),
        (Link(WIKI, "gone"), "/p/a.md", None),
        (Link(RELATIVE, "docs/b.md"), "/p/a.md", "/p/docs/b.md"),
        (Link(RELATIVE, "../a"), "/p/docs/b.md", "/p/a.md"),
        (Link(RELATIVE, "/docs/b.md"), "/p/docs/deep/b.md", "/p/docs/b.md"),
        (Link(RELATIVE, "../../../etc/passwd"), "/p/a.md", None),
    ],
)
def test_a_link_means_the_nearest_file_of_that_path_name_or_title(
    link: Link, where: str, expected: str | None
) -> None:
    assert Names(FILES, lambda: [("/p/docs/b.md", "The plan")]).meant(link, where) == expected
