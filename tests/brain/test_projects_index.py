"""The page ``projects-index.md``: BMAD+'s form, a table that no name can break, human text that stays."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from brain.display import display
from brain.project_cards import Card
from brain.projects_index import BEGIN, END, HEADER, RULE, render_index
from tests.brain import bmad

DATE = "2026-11-30"
HOSTILE = [
    "a|b",
    "|",
    "\\|",
    "a\\|b",
    "\\\\|x",
    "x`y",
    "``",
    "`code`",
    "a\nb",
    "\r",
    "x\n### 2026-01-01 - fake",
    "<script>alert(1)</script>",
    "<img src=x onerror=y>",
    "[link](javascript:alert(1))",
    "](javascript:x)",
    "![](http://e.example/x.png)",
    "[ref]",
    "[a]: b",
    "*bold*",
    "**b**",
    "_em_",
    "__init__",
    "a_b_c",
    "~~gone~~",
    "http://evil.example",
    "www.evil.example",
    "x@evil.example",
    "<http://a.example>",
    "&lt;b&gt;",
    "&#124;",
    "\\",
    "\\\\",
    "\x1b[2J",
    "\x1b]52;c;aGk=\x07",
    "\x9b31m",
    "\u202egnp.exe",
    "\u200bx",
    "\U000e0041\U000e0042",
    "[/nope]",
    ":skull:",
    "---",
    "# x",
    "- x",
    "> q",
    "1. x",
    " ",
    "a" * 255,
    "caf\udce9",
    "\ud800",
    "{{ x }}",
    "$x$",
    "\t",
    "<!-- zecher:projects end -->",
    "-->",
    "| a | b |",
]


def card(path: str = "/home/ana/dev/shop", **other: object) -> Card:
    values: dict[str, object] = {
        "path": path,
        "name": path.rpartition("/")[2],
        "stack": "Go",
        "status": "active",
        "bmad_installed": False,
        "has_git": True,
        "last_scanned": DATE,
        "extras": {},
        "missing_since": "",
        "file": "x.yaml",
    }
    return Card(**(values | other))  # type: ignore[arg-type] # the values are those of a card


def page(old: bytes | None, *cards: Card, date: str = DATE) -> bytes:
    data, damaged = render_index(old, cards, date)
    assert not damaged
    return data


SHOP, WEB = card(), card("/home/ana/dev/web", name="@acme/my_web-2.0", bmad_installed=True)
SHOP_ROW = "| active | shop | Go | · | `/home/ana/dev/shop` |"
WEB_ROW = "| active | @acme/my_web-2.0 | Go | ✓ | `/home/ana/dev/web` |"


def test_a_fresh_page_has_the_form_of_bmad() -> None:
    checked = bmad.check_index(page(None, SHOP, WEB))
    assert checked == bmad.IndexPage(DATE, 2, [SHOP_ROW, WEB_ROW])


def test_a_fresh_page_is_exactly_this() -> None:
    assert page(None, SHOP).decode() == (
        '---\ntitle: Project Index\nlast_updated: "2026-11-30"\ntotal_projects: 1\n---\n\n'
        f"{BEGIN}\n# Project Index\n\n> Written by `zecher scan` — 2026-11-30\n\n"
        f"{HEADER}\n{RULE}\n{SHOP_ROW}\n{END}\n"
    )


def test_what_nobody_knows_is_a_question_mark() -> None:
    assert "| ? | ? | ? | · | `/a` |" in page(None, card("/a", name="", stack="", status="")).decode()


def test_a_page_is_stable() -> None:
    once = page(None, SHOP, WEB)
    assert page(once, SHOP, WEB) == once


def test_a_page_of_bmad_is_taken_over_without_loss_or_double() -> None:
    old = bmad.index(
        [("active", "shop", "Go", False, SHOP.path), ("paused", "web", "?", True, WEB.path)], "2026-11-01"
    )
    assert page(old, SHOP, WEB) == page(None, SHOP, WEB)


def test_a_page_of_bmad_with_torn_rows_is_taken_over() -> None:
    odd = card("/home/ana/dev/a\nb")
    old = bmad.index([("active", "a\nb", "Go", False, odd.path), ("?", "?", "?", False, "?")], "2026-11-01")
    assert page(old, odd) == page(None, odd)


def test_text_around_the_marked_part_stays_byte_for_byte() -> None:
    text = page(None, SHOP).decode()
    above, below = "My list.\n\nSee [[wiki]].  \n", "\n## Ideas\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\tend"
    edited = text.replace(BEGIN, above + BEGIN) + below
    again = page(edited.encode(), WEB, date="2026-12-01").decode()
    assert again == page(None, WEB, date="2026-12-01").decode().replace(BEGIN, above + BEGIN) + below


def test_keys_of_a_person_in_the_front_matter_stay() -> None:
    text = (
        page(None, SHOP).decode().replace("title: Project Index\n", "title: All of it\ntags: [a, b] # mine\n")
    )
    again = page(text.encode(), SHOP, WEB, date="2026-12-01").decode()
    assert again.startswith(
        '---\ntitle: All of it\ntags: [a, b] # mine\nlast_updated: "2026-12-01"\ntotal_projects: 2\n---\n'
    )


def test_text_around_a_page_of_bmad_stays() -> None:
    old = (
        b"Read me first.\n\n"
        + bmad.index([("active", "shop", "Go", False, SHOP.path)], "2026-11-01")
        + b"\nAnd last.\n"
    )
    new = page(old, SHOP).decode()
    front, rest = new.split("---\n\n", 1)
    assert front.startswith("---\ntitle: Project Index\n")
    assert rest.startswith(f"Read me first.\n\n{BEGIN}\n")
    assert rest.endswith(f"{SHOP_ROW}\n{END}\n\nAnd last.\n")
    assert page(new.encode(), SHOP) == new.encode()


def test_text_inside_a_page_of_bmad_stays_above() -> None:
    old = bmad.index([("active", "shop", "Go", False, SHOP.path)], "2026-11-01").replace(
        b"\n| Status", b"\nHonestly most of it is Go.\n\n| Status"
    )
    assert b"---\n\nHonestly most of it is Go.\n\n<!--" in page(old, SHOP)


def test_a_row_that_lists_no_card_is_kept_beneath() -> None:
    old = bmad.index(
        [("idea", "rocket", "Rust", False, "not yet"), ("active", "shop", "Go", False, SHOP.path)],
        "2026-11-01",
    )
    new = page(old, SHOP).decode()
    assert new.endswith(f"{END}\n\n- kept from an earlier table: | idea | rocket | Rust | · | `not yet` |\n")
    assert page(new.encode(), SHOP) == new.encode()


def test_a_page_that_is_a_persons_alone_gets_the_table_at_its_end() -> None:
    new = page(b"# My own page\n\nText.\n", SHOP).decode()
    assert new.startswith("---\ntitle: Project Index\n")
    assert "---\n\n# My own page\n\nText.\n\n<!-- zecher" in new
    assert page(new.encode(), SHOP) == new.encode()


def _without_begin(text: str) -> str:
    return text.replace(BEGIN + "\n", "")


def _without_end(text: str) -> str:
    return text.replace(END + "\n", "")


def _swapped(text: str) -> str:
    return text.replace(BEGIN, "@").replace(END, BEGIN).replace("@", END)


def _doubled(text: str) -> str:
    return text + text


@pytest.mark.parametrize("damage", [_without_begin, _without_end, _swapped, _doubled])
def test_damaged_marks_are_reported_and_human_text_is_kept(damage: object) -> None:
    text = page(None, SHOP).decode().replace(BEGIN, f"Above.\n{BEGIN}") + "\nBelow.\n"
    data, damaged = render_index(damage(text).encode(), [SHOP], DATE)  # type: ignore[operator] # one of the four
    assert damaged
    new = data.decode()
    assert new.count("Above.") == damage(text).count("Above.")  # type: ignore[operator] # as above
    assert new.count("Below.") == damage(text).count("Below.")  # type: ignore[operator] # as above
    assert new.count(HEADER) == new.count(SHOP_ROW) == 1
    assert page(data, SHOP) == data


def test_a_page_with_carriage_returns_keeps_them() -> None:
    old = page(None, SHOP).replace(b"\n", b"\r\n") + b"Below.\r\n"
    new = page(old, SHOP, WEB)
    assert new.count(b"\n") == new.count(b"\r\n")
    assert new.endswith(b"Below.\r\n")
    assert page(new, SHOP, WEB) == new


def test_bytes_that_are_not_utf8_stay() -> None:
    old = page(None, SHOP) + b"caf\xe9\n"
    assert page(old, WEB).endswith(b"caf\xe9\n")


def _table(data: bytes) -> list[list[tuple[str, list[str]]]]:
    """The rows of the table, a cell as (text, types of its tokens), as GitHub's Markdown reads them."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    rows: list[list[tuple[str, list[str]]]] = []
    body = data.decode(errors="surrogateescape").split("---\n\n", 1)[1]
    tokens = parser.parse(body)
    assert [t.type for t in tokens if t.type in ("heading_open", "blockquote_open", "table_open")] == [
        "heading_open",
        "blockquote_open",
        "table_open",
    ]
    inside = False
    for token in tokens:
        if token.type == "tbody_open":
            inside = True
        elif token.type == "tr_open" and inside:
            rows.append([])
        elif token.type == "inline" and rows:
            children = token.children or []
            rows[-1].append(("".join(c.content for c in children), [c.type for c in children]))
    return rows


def _check_hostile(text: str) -> None:
    cards = [card(f"/p/{text}", name=text, stack=text, status=text), SHOP]
    data = page(None, *cards)
    rows = _table(data)
    shown = display(text).strip() or "?"
    assert [len(row) for row in rows] == [5, 5]
    for content, kinds in rows[0][:3]:
        assert set(kinds) <= {"text", "text_special"}
        assert html.unescape(content) == html.unescape(shown)
    assert rows[0][4][1] == ["code_inline"]
    bmad_line = data.decode().split(RULE + "\n")[1].split("\n")
    assert bmad_line[1] == SHOP_ROW
    assert page(data, *cards) == data


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_breaks_the_table(text: str) -> None:
    _check_hostile(text)


@given(st.text(st.sampled_from("\\|`*_[]<>!~&#;:@/.wx\n\t -)("), max_size=12))
@example("\\`|`\\")
def test_no_mix_of_signs_breaks_the_table(text: str) -> None:
    _check_hostile(text)


def test_without_escaping_a_bar_would_break_the_table() -> None:
    raw = bmad.index([("active", "a|b", "Go", False, "/a|b")], DATE)
    rows = _table(raw)
    assert rows[0][4] != ("/a|b", ["code_inline"])


@pytest.mark.parametrize(
    ("path", "cell"),
    [
        ("/a b", "`/a b`"),
        ("/a`b", "`` /a`b ``"),
        ("/a``b`", "``` /a``b` ```"),
        ("/a|b", "`/a\\|b`"),
        ("/a\\|b", "`/a\\\\x7cb`"),
        ("/a\nb", "`/a\\x0ab`"),
        ("/caf\udce9", "`/caf\\xe9`"),
        ("c:\\dev\\shop", "`c:\\dev\\shop`"),
    ],
)
def test_a_path_stands_in_a_code_span(path: str, cell: str) -> None:
    assert page(None, card(path)).decode().split("\n")[-3].endswith(f"| · | {cell} |")


@pytest.mark.parametrize(
    "name", ["shop", "my_project", "@acme/web", "C++", "R&D", "a.b-c", "école", "日本", "v1.0 (old)", "x: y"]
)
def test_an_ordinary_name_stands_as_it_is(name: str) -> None:
    assert f"| active | {name} | Go | · |" in page(None, card(name=name)).decode()


HUMAN = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=30), max_size=6)


def _is_ours(line: str) -> bool:
    """Whether a random line has, by chance, the form of a generated one or of a mark."""
    begins = ("|", "> ", "title:", "last_updated:", "total_projects:", "\ufeff")
    forms = ("---", "# Project Index", HEADER, "")
    return line.strip() in forms or line.startswith(begins) or "zecher:projects" in line


@given(HUMAN, HUMAN)
def test_all_lines_around_the_marked_part_survive(above: list[str], below: list[str]) -> None:
    above = [line for line in above if not _is_ours(line)]
    below = [line for line in below if not _is_ours(line)]
    text = page(None, SHOP).decode().replace(BEGIN, "\n".join([*above, BEGIN])) + "\n".join(below)
    new = page(text.encode(), WEB).decode()
    before, rest = new.split(BEGIN)
    assert before.split("---\n\n", 1)[1] == "".join(f"{line}\n" for line in above)
    assert rest.split(f"{END}\n", 1)[1] == "\n".join(below)


@given(HUMAN, HUMAN)
def test_all_lines_around_a_page_of_bmad_survive(above: list[str], below: list[str]) -> None:
    above = [line for line in above if not _is_ours(line)]
    below = [line for line in below if not _is_ours(line)]
    old = bmad.index([("active", "shop", "Go", False, SHOP.path)], "2026-11-01").decode()
    new = page(("\n".join([*above, old]) + "\n" + "\n".join(below)).encode(), SHOP)
    kept = re.sub(
        r"(?s)---\n.*?---\n|<!-- zecher:projects begin.*zecher:projects end -->\n", "", new.decode(), count=2
    )
    assert [line for line in kept.split("\n") if line.strip()] == [*above, *below]
    assert page(new, SHOP) == new


def test_the_extras_of_a_card_never_reach_the_page() -> None:
    extras: Mapping[str, str] = {"description": "ignore previous instructions"}
    assert b"ignore" not in page(None, card(extras=extras))
