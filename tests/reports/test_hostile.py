"""Fifty hostile texts in every field: a parser of CommonMark finds the structure that was meant, no more."""

from __future__ import annotations

from collections import Counter

import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from reports.nightly import nightly_markdown
from reports.snapshot import HealthNote, Repeat, RiskNote, RunHealth, Snapshot
from reports.view import is_hostile
from reports.weekly import weekly_markdown
from scanner.project import Coverage, Problem
from scanner.value import replace
from tests.reports.weeks import action, finding, noted, week
from tests.support import DAY, NOW

HOSTILE = (
    *("# Heading", "## Do this first", "###### deep", "Title\n=====", "Title\n---", "---", "***", "___"),
    *("- item", "* item", "+ item", "1. item", "2) item", "- [ ] task", "> quote", ">>> quote"),
    *("`code`", "``two``", "`", "```", "```sh\nrm -rf ~\n```", "~~~\nfence\n~~~", "    indented"),
    *("*em*", "**strong**", "_em_", "~~gone~~", "\\", "a\\", "\\*"),
    *(
        "[text](http://evil.example)",
        "![img](http://evil.example/x.png)",
        "[a][b]",
        "[b]: http://evil.example",
    ),
    *(
        "<http://evil.example>",
        "http://evil.example",
        "www.evil.example",
        "mailto:a@evil.example",
        "a@b.example",
    ),
    *("<script>alert(1)</script>", "<!-- comment", "--> end", "<b onclick=x>", "&lt;&amp;&#35;"),
    *("a|b|c", "| a | b |\n|---|---|\n| c | d |", "line\n\nparagraph", "tab\tbed", "back\rhome"),
    *(
        "\x1b[31mred\x1b[0m",
        "\u202egnp.exe",
        "zero\u200bwidth",
        "\U000e0049\U000e0047",
        "byte \udcff",
        "$x$ ^y^",
    ),
    *(
        "---\ntype: evil\n---",
        "{{ 7 * 7 }}",
        "{% raw %}",
        "{# gone #}",
        "Setext\n",
        " ",
        "@everyone",
        ":smile:",
    ),
)


def test_there_are_fifty_of_them() -> None:
    assert len(set(HOSTILE)) >= 50


def infested(text: str) -> tuple[Snapshot, Snapshot]:
    """A week with ``text`` in every field that can hold foreign text, and the week before it."""
    risk = RiskNote(3, branches=(text,), only_here=1, in_progress=text, since=NOW - DAY)
    health = HealthNote(10, 5, text, text, 1)
    now = noted(
        1, name=text, path=f"/{text}", stack=text, labels=(text,), reason=text, risk=risk, health=health
    )
    fresh = noted(2, name=text, path=f"/2{text}", first_seen="2026-11-30", stack=text, risks=(text,))
    problem = Problem(text, "error", text, text, text)
    snapshot = week(
        replace(now, risks=("stash", text)),
        fresh,
        slot=text,
        brain_path=text,
        tool_version=text,
        todo=(
            action(1, name=text, path=f"/{text}", fact=text, why=text, command=text, code=text, kind=text),
        ),
        brain_health=health,
        rules={text: (1, 1, 1)},
        review=(finding(1, name=text, file=text, message=text, code=text, since=text),),
        repeats=(Repeat((text,), (text, text), text),),
        loads=((text, text, 100, 10),),
        tokens=100,
        sizes=(finding(1, name=text, message=text, code=text),),
        runs=RunHealth(((text, text),), 1.0, 1.0, {text: 1}, ((text, text),), NOW, 1, 1),
        problems=(problem,),
        problem_counts={"error": 1},
        coverage=Coverage(pruned=((text, 3),), unreadable=(text,), deadline_hit=True),
        export=f"/{text}",
    )
    return snapshot, week(noted(1, name=text, path="/old", status="archived", stack=text), days=7)


def tokens_of(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def structure(text: str) -> list[str]:
    """The blocks of a page and what stands in their lines, without the words."""
    found = []
    for token in tokens_of(text):
        found.append(f"{token.type} {token.tag}")
        found += [
            f"  {child.type}" for child in token.children or () if child.type not in ("text", "text_special")
        ]
    return found


def body(page: str) -> str:
    head, _, rest = page.partition("\n---\n\n")
    assert head.startswith("---\n")
    assert head.count("\n") == 9
    return rest


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_leaves_the_structure_of_a_week_as_it_is(text: str) -> None:
    expected = structure(body(weekly_markdown(*infested("plain"))))

    page = weekly_markdown(*infested(text))

    assert structure(body(page)) == expected
    assert not [letter for letter in page if is_hostile(ord(letter)) and letter != "\n"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_leaves_the_structure_of_a_night_as_it_is(text: str) -> None:
    expected = structure(nightly_markdown(*infested("plain")))

    page = nightly_markdown(*infested(text))

    assert structure(page) == expected
    assert not [letter for letter in page if is_hostile(ord(letter)) and letter != "\n"]


def test_the_structure_of_a_week_is_headings_lists_and_code_and_nothing_else() -> None:
    counts = Counter(structure(body(weekly_markdown(*infested("plain")))))

    assert counts["heading_open h1"] == 1
    assert counts["heading_open h2"] == 8
    assert {kind.split()[0] for kind in counts} == {
        *("heading_open", "heading_close", "inline", "paragraph_open", "paragraph_close"),
        *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "code_inline"),
    }


def test_without_the_filters_such_a_text_would_make_a_structure_of_its_own() -> None:
    changed = [text for text in HOSTILE if structure(f"- {text}: x\n") != structure("- plain: x\n")]

    assert len(changed) >= 30


def test_a_text_is_shown_as_it_is_where_nothing_is_hostile_in_it() -> None:
    text = "*Größe* [x] <b> `y` #1 a|b"

    (line,) = [
        token
        for token in tokens_of(body(weekly_markdown(week(noted(1), todo=(action(1, fact=text),)), None)))
        if token.type == "inline" and "Größe" in token.content
    ]

    assert "".join(child.content for child in line.children or () if child.type != "code_inline").startswith(
        f"p1: {text}; "
    )


def test_the_front_matter_holds_hostile_texts_as_strings() -> None:
    for text in HOSTILE:
        head = weekly_markdown(*infested(text)).split("\n---\n")[0]
        found = yaml.safe_load(head.removeprefix("---\n"))
        assert list(found)[:3] == ["type", "schema_version", "week"]
        assert found["type"] == "weekly-health"


def test_a_portfolio_of_fifty_hostile_projects_has_one_item_for_each_line() -> None:
    projects = tuple(noted(number, name=text, path=f"/{text}") for number, text in enumerate(HOSTILE))
    now = week(*projects)
    before = week(*(replace(one, status="archived") for one in projects), days=7)

    page = body(weekly_markdown(now, before))

    items = [line for line in page.splitlines() if line.startswith("- ")]
    assert structure(page).count("list_item_open li") == len(items)
