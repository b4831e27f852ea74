"""Pages of knowledge by the codes of the reference: each with a page that has the fault, and one without."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.health.knowledge import RULES
from brain.health.rules import ALL
from brain.health.today import Today
from brain.knowledge.digest import digest
from brain.knowledge.lint import CODES, ERRORS, freshness
from brain.knowledge.pages import read_page, says_it_is_a_page
from tests.brain.health.examined import DAY, Examined

GOOD = """\
---
id: entity.router
pageType: entity
title: The router
updatedAt: 2026-11-20
sourceIds: [source.manual]
confidence: 0.9
claims:
  - id: claim.router.address
    text: The router answers at 10.0.0.1
    status: supported
    confidence: 0.9
    updatedAt: 2026-11-20
    evidence:
      - path: notes/network.md
        lines: 2-3
      - sourceId: source.manual
---

# The router

## Address

See [[router#Address]], [[source.manual]] and `[[no link in code]]`.

```
[[no link here either]]
```
"""
MANUAL = """\
---
id: source.manual
pageType: source
title: Manual of the router
updatedAt: 2026-11-01
---

Bought in 2024.
"""


def wiki(tmp_path: Path, router: str = GOOD, **more: str) -> Examined:
    """A wiki in ``wiki/`` whose page about a router is ``router``; ``more`` are pages of entities."""
    made = Examined(tmp_path / "p").has("wiki/WIKI.md", "# Wiki\n").has("notes/network.md", "a\nb\nc\n")
    made.has("wiki/entities/router.md", router).has("wiki/sources/manual.md", MANUAL)
    for name, text in more.items():
        made.has(f"wiki/entities/{name}.md", text)
    return made


def codes(made: Examined) -> list[str]:
    return sorted({code for code in CODES if made.ask(RULES, code)})


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def test_good_pages_have_no_finding(tmp_path: Path) -> None:
    made = wiki(tmp_path)
    assert [made.ask(RULES, code) for code in CODES] == [[]] * len(CODES)


@pytest.mark.parametrize(
    ("expected", "page"),
    [
        ("invalid-frontmatter", GOOD.replace("pageType: entity", "pageType: [entity")),
        ("invalid-frontmatter", "# No front matter\n"),
        ("missing-id", changed("id: entity.router\n", "")),
        ("duplicate-id", changed("id: entity.router", "id: source.manual")),
        ("missing-page-type", changed("pageType: entity\n", "")),
        ("page-type-mismatch", changed("pageType: entity", "pageType: concept")),
        ("missing-title", changed("title: The router\n", "")),
        ("missing-source-ids", changed("sourceIds: [source.manual]\n", "")),
        ("claim-missing-evidence", GOOD[: GOOD.index("    evidence:")] + GOOD[GOOD.index("---\n\n#") :]),
        ("evidence-missing", changed("notes/network.md", "notes/gone.md")),
        ("evidence-missing", changed("lines: 2-3", "lines: 2-4")),
        ("evidence-missing", changed("lines: 2-3", "lines: 3-2")),
        ("evidence-missing", changed("- sourceId: source.manual", "- sourceId: source.other")),
        (
            "evidence-missing",
            changed("sourceIds: [source.manual]", "sourceIds: [source.manual, source.none]"),
        ),
        ("evidence-missing", changed("lines: 2-3", "lines: 2-3\n        sourceId: source.none")),
        ("broken-wikilink", changed("[[source.manual]]", "[[Nothing of the kind]]")),
        ("broken-wikilink", changed("#Address]]", "#Elsewhere]]")),
        ("contradiction-present", changed("confidence: 0.9\nclaims", "contradictions: [it moved]\nclaims")),
        ("open-question", changed("confidence: 0.9\nclaims", "questions: [Who pays?]\nclaims")),
        ("low-confidence", changed("confidence: 0.9\nclaims", "confidence: 0.49\nclaims")),
        ("claim-low-confidence", changed("    confidence: 0.9", "    confidence: 0.49")),
        ("stale-page", changed("2026-11-20\nsourceIds", "2026-09-01\nsourceIds")),
        ("stale-page", changed("updatedAt: 2026-11-20\nsourceIds", "sourceIds")),
        ("stale-claim", changed("    updatedAt: 2026-11-20", "    updatedAt: 2026-09-01")),
    ],
)
def test_each_fault_is_found_and_nothing_else(tmp_path: Path, expected: str, page: str) -> None:
    made = wiki(tmp_path, page)

    assert codes(made) == [expected]
    (found,) = made.ask(RULES, expected) or []
    assert found.level == ("error" if expected in ERRORS else "warning")
    assert found.file in ("wiki/entities/router.md", "wiki/sources/manual.md")


def test_one_claim_with_two_texts_or_states_is_a_conflict(tmp_path: Path) -> None:
    other = GOOD.replace("entity.router", "entity.box").replace("title: The router", "title: The box")
    text = other.replace("10.0.0.1", "10.0.0.2")
    state = other.replace("status: supported", "status: refuted")

    assert codes(wiki(tmp_path / "a", box=other)) == []
    for at, page in enumerate((text, state)):
        (found,) = wiki(tmp_path / f"b{at}", box=page).ask(RULES, "claim-conflict") or []
        assert found.message.startswith("The claim claim.router.address says two things")


def test_an_import_says_from_where(tmp_path: Path) -> None:
    made = wiki(tmp_path)
    made.has("wiki/sources/manual.md", MANUAL.replace("title:", "sourceType: import\ntitle:"))
    assert codes(made) == ["missing-import-provenance"]

    imported = MANUAL.replace("title:", "importedAt: 2026-11-01\ntitle:")
    made.has("wiki/sources/manual.md", imported)
    assert codes(made) == ["missing-import-provenance"]

    made.has("wiki/sources/manual.md", imported.replace("title:", "sourceUrl: https://x.test/m.pdf\ntitle:"))
    assert codes(made) == []


@pytest.mark.parametrize(
    ("days", "expected"),
    [(29, "fresh"), (30, "aging"), (89, "aging"), (90, "stale")],
)
def test_how_fresh_a_page_is_by_its_days(days: int, expected: str) -> None:
    """Worked case G50."""
    day = date.fromordinal(DAY.toordinal() - days).isoformat()
    assert freshness((day,), Today(DAY).reached) == expected


def test_without_a_day_it_is_unknown_how_fresh_a_page_is() -> None:
    assert freshness(("", "soon", "2026-13-01"), Today(DAY).reached) == "unknown"


def test_concepts_do_not_go_stale(tmp_path: Path) -> None:
    page = changed("entity.router\npageType: entity", "concept.nat\npageType: concept").replace(
        "updatedAt: 2026-11-20\nsourceIds", "updatedAt: 2020-01-01\nsourceIds"
    )
    made = wiki(tmp_path).has("wiki/concepts/nat.md", page.replace("claim.router.address", "claim.nat"))
    assert codes(made) == []


def test_evidence_may_be_named_from_the_page_or_from_its_wiki(tmp_path: Path) -> None:
    for at, path in enumerate(("../../notes/network.md", "raw/scan.md", "../raw/scan.md")):
        made = wiki(tmp_path / str(at), changed("notes/network.md", path))
        made.has("wiki/raw/scan.md", "1\n2\n3\n")
        assert codes(made) == []


@pytest.mark.parametrize("path", ["https://example.test/x", "/etc/hosts", "~/notes.md", "../../../x.md"])
def test_of_what_stands_outside_of_the_project_nothing_is_said(tmp_path: Path, path: str) -> None:
    assert codes(wiki(tmp_path, changed("notes/network.md", path))) == []


def test_a_link_out_of_the_project_is_no_evidence(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("1\n2\n3\n")
    made = wiki(tmp_path)
    (made.root / "notes" / "network.md").unlink()
    (made.root / "notes" / "network.md").symlink_to(secret)
    assert codes(made) == []  # what lies there is not looked at


def test_a_note_with_claims_is_held_to_its_claims_alone(tmp_path: Path) -> None:
    note = "---\nclaims:\n  - text: The attic has power\n---\n\ntext\n"
    made = Examined(tmp_path / "p").has(".agents/memory/context.md", note)
    assert codes(made) == ["claim-missing-evidence", "stale-claim"]


def test_folders_of_these_names_elsewhere_are_no_wiki(tmp_path: Path) -> None:
    made = Examined(tmp_path / "p").has("concepts/car.md", "# Car\n").has("knowledge/sources/a.md", "text\n")
    assert made.ask(RULES, "invalid-frontmatter") is None

    made.has("concepts/page.md", "---\npageType: concept\n---\n")
    assert "missing-id" in codes(made)


def test_the_wiki_of_a_brain_is_looked_at(tmp_path: Path) -> None:
    made = (
        Examined(tmp_path / "brain", kind="brain")
        .has("wiki/WIKI.md", "#\n")
        .has("wiki/entities/router.md", changed("title: The router\n", ""))
    )
    assert "missing-title" in codes(made)


def test_every_code_is_a_rule_of_memory_health() -> None:
    assert set(CODES) <= {rule.code for rule in ALL}


def test_the_digest_has_a_line_for_each_claim_the_surest_first(tmp_path: Path) -> None:
    more = """\
  - id: claim.b
    text: It is white
    confidence: 0.95
    evidence: [notes/network.md#L1]
"""
    page = GOOD.replace("claims:\n", "claims:\n" + more)
    lines = [
        json.loads(line)
        for line in digest(wiki(tmp_path, page).parsed().knowledge, Today(DAY).reached).splitlines()
    ]

    assert [line["id"] for line in lines] == ["claim.b", "claim.router.address"]
    assert lines[0] == {
        "page": "wiki/entities/router.md",
        "pageId": "entity.router",
        "pageType": "entity",
        "title": "The router",
        "id": "claim.b",
        "text": "It is white",
        "status": "supported",
        "confidence": 0.95,
        "freshness": "fresh",
        "updatedAt": "2026-11-20",
        "evidence": [{"path": "notes/network.md", "lines": [1, 1], "sourceId": None}],
    }


HOSTILE = {
    "aliases": b"---\na: &x [1]\nclaims: [*x, *x]\n---\n",
    "deep": b"---\nclaims: " + b"[" * 5000 + b"\n---\n",
    "no end": b"---\nclaims:\n  - text: a\n" * 2000,
    "binary": b"---\npageType: \x00\xff\n---\n\x00",
    "numbers": b"---\nclaims:\n  - confidence: nan\n    evidence: [{path: x, lines: 9-999999999999}]\n---\n",
    "links": b"---\npageType: entity\n---\n" + b"[[" * 50_000,
    "spans": b"---\npageType: entity\n---\n[[a]]" + b"`" * 50_000 + b"[[b]]",
    "many": b"---\nclaims:\n" + b"  - text: a\n" * 4000 + b"---\n",
    "BOM and CRLF": b"\xef\xbb\xbf---\r\npageType: entity\r\n---\r\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_are_read_or_complained_of(tmp_path: Path, name: str) -> None:
    made = wiki(tmp_path)
    (made.root / "wiki" / "entities" / "evil.md").write_bytes(HOSTILE[name])
    assert codes(made)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_no_page_breaks_the_reader(data: bytes) -> None:
    front = b"---\nclaims:\n  - text: a\n"
    page = read_page("wiki/entities/x.md", front + data)
    digest((page,), Today(DAY).reached)
    assert says_it_is_a_page(front + data)
