"""Every format, with every name that somebody could give to a folder."""

from __future__ import annotations

import json
import os
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from jobs.console import table
from reports.document import Document, envelope, project_document, to_json
from reports.markdown import code_span, escape
from reports.table import COLUMNS, Row, markdown, tsv
from reports.view import is_hostile
from scanner.project import Activity, Problem, Project, Stacks, Status
from tests.support import DAY, NOW

HOSTILE_NAMES = [
    "\x1b[2J",
    "\x1b]52;c;eA==\x07",
    "\x9b31m",
    "\u202egnp.exe",
    "a\nb",
    "x\n### 2026-01-01 - fake",
    "[/nope]",
    "[link=http://x]y[/link]",
    ":skull:",
    "n" * 255,
    os.fsdecode(b"caf\xe9"),
    "a|b",
    "`a``b`",
    "<script>alert(1)</script>",
    "](javascript:alert(1))",
    "![](http://x/y.png)",
    "http://example.com www.example.com a@example.com mailto:a@example.com",
    "# heading",
    "1. list",
    "- item",
    "&lt;b&gt;",
    "*em* _em_ ~~del~~ $x$",
    "\\",
    "\\|",
    "``",
    " ",
    "\U000e0041\u200b\u2028\ufeff",
]


def row(name: str) -> Row:
    return Row("active", name, name, NOW - 3 * DAY, "commit", name, (name, "x"), "/home/ana/" + name, "new")


def project(name: str) -> Project:
    return Project(
        path="/srv/" + name,
        name=name,
        stacks=Stacks(primary=name, description=name, toolchains=((name, name),)),
        activity=Activity(NOW, "commit", "high", name),
        status=Status("active", name),
        vcs=None,
        has_git=False,
        bmad_installed=False,
        flags=(name,),
    )


def outputs(name: str) -> dict[str, str]:
    document: Document = envelope(
        "scan",
        NOW,
        {"projects": [project_document(project(name), "0")]},
        (Problem("c", "error", name, name),),
        ok=False,
    )
    return {
        "tsv": tsv((row(name),), NOW),
        "md": markdown((row(name),), NOW, "/home/ana"),
        "json": to_json(document),
        "table": table([row(name)], now=NOW, home="/home/ana", width=80, colour=False),
    }


def stray_characters(text: str, allowed: str) -> list[str]:
    return [character for character in set(text) if is_hostile(ord(character)) and character not in allowed]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_no_hostile_character_of_a_name_reaches_any_output(name: str) -> None:
    for shape, text in outputs(name).items():
        text.encode()
        assert stray_characters(text, "\n\t" if shape == "tsv" else "\n") == [], shape


def test_ten_thousand_random_names_stay_harmless_in_every_output() -> None:
    generator = random.Random(20261130)  # noqa: S311 - the same names each time
    pool = [
        *range(0x20),
        0x7F,
        *range(0x80, 0xA0),
        *b"|`[]<>\\ab/",
        0x202E,
        0x200B,
        0xE0041,
        0xDCE9,
        0xD800,
        0x1F480,
    ]
    names = [
        "".join(chr(generator.choice(pool)) for _ in range(generator.randint(1, 12))) for _ in range(10_000)
    ]
    rows = tuple(row(name) for name in names)
    shapes = {
        "tsv": tsv(rows, NOW),
        "md": markdown(rows, NOW, "/home/ana"),
        "json": to_json({"projects": [project_document(project(name), "0") for name in names]}),
        "table": table(rows, now=NOW, home="/home/ana", width=120, colour=False),
    }

    for shape, text in shapes.items():
        text.encode()
        assert stray_characters(text, "\n\t" if shape == "tsv" else "\n") == [], shape
    assert [len(text.splitlines()) for text in shapes.values()] == [10_001, 10_002, 1, 10_001]
    assert {len(COLUMNS)} == {len(line.split("\t")) for line in shapes["tsv"].splitlines()}


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=40))
@settings(max_examples=300, deadline=None)
def test_a_json_document_gives_every_name_back(name: str) -> None:
    try:
        name.encode()
        expected = name
    except UnicodeEncodeError:
        expected = ""  # only the shown form fits into UTF-8; path_b64 holds the bytes

    text = to_json({"name": name})

    assert "\n" not in text[:-1]
    assert not expected or {"name": expected} == json.loads(text)


def test_a_path_that_is_not_utf_8_carries_its_bytes() -> None:
    found = json.loads(to_json(project_document(project(os.fsdecode(b"caf\xe9")), "0")))

    assert (found["path"], found["path_b64"]) == ("/srv/caf\\xe9", "L3Nydi9jYWbp")


def render(text: str) -> tuple[str, list[str]]:
    """What a reader of Markdown sees, and which kinds of mark-up stand in it."""
    parser = MarkdownIt("commonmark").enable("table").enable("strikethrough")
    kinds: list[str] = []
    shown: list[str] = []
    for block in parser.parse(text):
        kinds.append(block.type)
        for token in block.children or []:
            kinds.append(token.type)
            shown.append(token.content)
    return "".join(shown), kinds


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_name_in_markdown_is_plain_text_and_reads_as_it_is_shown(name: str) -> None:
    from reports.view import safe_display  # noqa: PLC0415 - the expected value

    shown, kinds = render(escape(name))

    assert safe_display(name).strip() == shown
    assert set(kinds) <= {"paragraph_open", "inline", "paragraph_close", "text", "text_special"}


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_markdown_table_keeps_its_columns_and_gains_no_mark_up(name: str) -> None:
    _, kinds = render(markdown((row(name), row("plain")), NOW, "/home/ana"))

    assert (kinds.count("th_open"), kinds.count("td_open")) == (8, 16)
    assert not {"link_open", "image", "html_inline", "html_block", "heading_open"} & set(kinds)
    assert kinds.count("code_inline") == 2


def test_addresses_become_no_links_where_readers_make_them_of_their_own_accord() -> None:
    assert escape("http://x www.x a@x mailto:a@x") == r"http\://x www\.x a\@x mailto\:a\@x"


@pytest.mark.parametrize("text", ["", "a", "`", "``a`", " a ", "a`b", "|", "\\|"])
def test_a_code_span_shows_its_text(text: str) -> None:
    _, kinds = render(code_span(text))

    assert kinds.count("code_inline") == 1


def test_tab_separated_text_has_a_header_whole_paths_and_empty_fields_for_what_is_not_known() -> None:
    rows = (
        Row(
            "active",
            "shop",
            "Go",
            NOW - 12.5 * DAY,
            "commit",
            "main",
            ("no-remote", "shallow"),
            "/home/ana/shop",
            "new",
        ),
        Row("unknown", "odd\tname", "Unknown", None, "none", "", (), "/srv/odd\tname"),
    )

    expected = (
        "status\tname\tstack\tidle_days\tlast_activity\tsource\tbranch\tflags\tchange\tpath\n"
        "active\tshop\tGo\t12\t2026-11-17T15:17:04Z\tcommit\tmain\tno-remote,shallow\tnew\t/home/ana/shop\n"
        "unknown\todd\\tname\tUnknown\t\t\tnone\t\t\t\t/srv/odd\\tname\n"
    )
    assert expected == tsv(rows, NOW)


ROWS = (
    Row(
        "active",
        "shop",
        "Next.js",
        NOW - 3 * DAY,
        "commit",
        "main",
        ("no-remote",),
        "/home/ana/dev/shop",
        "new",
    ),
    Row(
        "paused",
        "blog",
        "Python",
        NOW - 90 * DAY,
        "edit",
        "feature/a-long-branch",
        (),
        "/home/ana/dev/blog",
        "same",
    ),
    Row(
        "archived",
        "a-project-with-a-long",
        "Rust",
        NOW - 900 * DAY,
        "commit",
        "",
        (),
        "/srv/deep/er/old",
        "",
    ),
)


def test_a_table_fits_80_columns_and_gives_up_what_matters_least() -> None:
    expected = """\
STATUS      NAME              STACK    IDLE  FLAGS      CHANGE  PATH
● active    shop              Next.js  3d    no-remote  new     ~/dev/shop
◐ paused    blog              Python   2mo                      ~/dev/blog
○ archived  a-project-with-…  Rust     2y                       /srv/deep/er/old
"""
    assert expected == table(ROWS, now=NOW, home="/home/ana", width=80, colour=False)


def test_a_table_at_200_columns_shows_everything() -> None:
    expected = """\
STATUS      NAME                   STACK    IDLE  BRANCH                 FLAGS      CHANGE  PATH
● active    shop                   Next.js  3d    main                   no-remote  new     ~/dev/shop
◐ paused    blog                   Python   2mo   feature/a-long-branch                     ~/dev/blog
○ archived  a-project-with-a-long  Rust     2y                                              /srv/deep/er/old
"""
    assert expected == table(ROWS, now=NOW, home="/home/ana", width=200, colour=False)


@given(
    st.lists(st.text(max_size=80), min_size=1, max_size=4),
    st.integers(min_value=1, max_value=300),
)
@settings(max_examples=100, deadline=None)
def test_a_table_keeps_to_its_width_and_to_one_line_a_row(names: list[str], width: int) -> None:
    from rich.cells import cell_len  # noqa: PLC0415 - how wide a terminal draws it

    shown = table([row(name) for name in names], now=NOW, home="/home/ana", width=width, colour=False)

    lines = shown.split("\n")
    assert len(names) + 2 == len(lines)
    assert width < 52 or max(map(cell_len, lines)) <= width


def test_colour_changes_nothing_but_colour() -> None:
    plain = table(ROWS, now=NOW, home="/home/ana", width=100, colour=False)
    coloured = table(ROWS, now=NOW, home="/home/ana", width=100, colour=True)

    assert "\x1b[" in coloured
    assert plain == re.sub(r"\x1b\[[0-9;]*m", "", coloured)
