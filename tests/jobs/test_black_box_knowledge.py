"""Pages of knowledge and memories that limit action from outside: ``memory check`` and ``memory export``.

Written from the reference and the documentation alone, without a look at the code.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.program import Program

PAGE = """\
---
id: e1
pageType: entity
title: Gateway
updatedAt: 2026-11-29
sourceIds: [src1]
claims:
  - id: c1
    text: The gateway is box two
    status: supported
    confidence: 0.9
    evidence:
      - path: note.txt
        lines: "1-2"
        sourceId: src1
---
# Gateway

Body text.
"""
SOURCE = """\
---
id: src1
pageType: source
title: Source One
updatedAt: 2026-11-29
sourceIds: [src1]
---
# Source One

## Head
"""
EVIDENCE = '    evidence:\n      - path: note.txt\n        lines: "1-2"\n        sourceId: src1\n'
CODES = [
    "invalid-frontmatter",
    "missing-id",
    "duplicate-id",
    "missing-page-type",
    "page-type-mismatch",
    "missing-title",
    "missing-source-ids",
    "missing-import-provenance",
    "claim-missing-evidence",
    "broken-wikilink",
    "contradiction-present",
    "claim-conflict",
    "open-question",
    "low-confidence",
    "claim-low-confidence",
    "stale-page",
    "stale-claim",
    "evidence-missing",
]


class Wiki:
    """A project with a wiki of two sound pages."""

    def __init__(self, home: Path, tmp_path: Path) -> None:
        self.root = tmp_path / "project"
        for folder in ("entities", "concepts", "sources", "syntheses"):
            (self.root / "wiki" / folder).mkdir(parents=True)
        (self.root / "MEMORY.md").write_text("# M\n")
        (self.root / "note.txt").write_text("1\n2\n3\n")
        (self.root / "wiki/WIKI.md").write_text("# Wiki\n")
        (self.root / "wiki/sources/src1.md").write_text(SOURCE)
        self.page = self.root / "wiki/entities/gateway.md"
        self.page.write_text(PAGE)
        self.run = Program(home, self.root)

    def write(self, old: str, new: str, name: str = "gateway") -> None:
        assert old in PAGE
        (self.root / f"wiki/entities/{name}.md").write_text(PAGE.replace(old, new))

    def found(self) -> list[dict[str, Any]]:
        done = self.run("memory", "check", "--json")
        assert done.code == 0, done.out
        return [one for one in done.data["findings"] if one["code"] in CODES]

    def codes(self) -> list[tuple[str, str]]:
        return sorted((one["code"], one["level"]) for one in self.found())


@pytest.fixture
def wiki(home: Path, tmp_path: Path) -> Wiki:
    return Wiki(home, tmp_path)


def test_sound_pages_have_no_finding(wiki: Wiki) -> None:
    assert wiki.codes() == []


DEFECTS = [
    ("id: e1", "id: [e1", "invalid-frontmatter", "error"),
    ("---\nid: e1", "id: e1", "invalid-frontmatter", "error"),
    ("id: e1\n", "", "missing-id", "error"),
    ("pageType: entity\n", "", "missing-page-type", "error"),
    ("pageType: entity", "pageType: concept", "page-type-mismatch", "error"),
    ("title: Gateway\n", "", "missing-title", "error"),
    ("sourceIds: [src1]\n", "", "missing-source-ids", "warning"),
    (EVIDENCE, "", "claim-missing-evidence", "warning"),
    ("Body text.", "See [[Nowhere]].", "broken-wikilink", "warning"),
    ("sourceIds:", "contradictions: [box two or three]\nsourceIds:", "contradiction-present", "warning"),
    ("sourceIds:", 'questions: ["who owns it?"]\nsourceIds:', "open-question", "warning"),
    ("sourceIds:", "confidence: 0.49\nsourceIds:", "low-confidence", "warning"),
    ("confidence: 0.9", "confidence: 0.49", "claim-low-confidence", "warning"),
    ("path: note.txt", "path: gone.txt", "evidence-missing", "warning"),  # G51
    ('"1-2"', '"2-9"', "evidence-missing", "warning"),
    ('"1-2"', '"3-2"', "evidence-missing", "warning"),
]
LATE = {"stale", "unknown"}
FRESH = {  # G50
    "2026-11-01": "fresh",
    "2026-10-31": "aging",
    "2026-09-02": "aging",
    "2026-09-01": "stale",
    "soon": "unknown",
}


def test_each_defect_of_a_page_has_its_code(wiki: Wiki) -> None:
    for number, (old, new, _, _) in enumerate(DEFECTS):
        assert old in PAGE
        page = PAGE.replace(old, new).replace("id: e1", f"id: e{number}").replace("id: c1", f"id: d{number}")
        (wiki.root / f"wiki/entities/defect-{number:02}.md").write_text(page)
    found = wiki.found()
    for number, (_, _, code, level) in enumerate(DEFECTS):
        (one,) = [one for one in found if one["file"].endswith(f"/defect-{number:02}.md")]
        assert (one["code"], one["level"]) == (code, level)
        assert one["line"] >= 1
        assert one["message"]
        assert one["fix"]
    assert len(found) == len(DEFECTS)


def test_how_fresh_a_page_is_its_own_day_tells(wiki: Wiki) -> None:
    for number, day in enumerate(FRESH):
        page = wiki.root / f"wiki/entities/page-{number}.md"
        text = PAGE.replace("updatedAt: 2026-11-29", f"updatedAt: {day}")
        page.write_text(text.replace("id: e1", f"id: p{number}").replace("id: c1", f"id: d{number}"))
        os.utime(page, (0, 0))
    stale = [
        f"wiki/entities/page-{number}.md" for number, state in enumerate(FRESH.values()) if state in LATE
    ]
    assert sorted((one["file"], one["code"]) for one in wiki.found()) == [
        (page, code) for page in stale for code in ("stale-claim", "stale-page")
    ]
    states = {one["pageId"]: one["freshness"] for one in exported(wiki)}
    assert [states[f"p{number}"] for number in range(len(FRESH))] == list(FRESH.values())


def test_one_claim_with_two_texts_or_states_is_a_conflict(wiki: Wiki) -> None:
    second = PAGE.replace("id: e1", "id: e2")
    for new in (second.replace("box two", "box three"), second.replace("supported", "refuted")):
        (wiki.root / "wiki/entities/two.md").write_text(new)
        assert wiki.codes() == [("claim-conflict", "warning")]


def test_one_id_on_two_pages_is_an_error_on_the_second(wiki: Wiki) -> None:
    (wiki.root / "wiki/entities/two.md").write_text(PAGE.replace("id: c1", "id: c2"))
    (found,) = wiki.found()
    assert (found["code"], found["level"], found["file"]) == ("duplicate-id", "error", "wiki/entities/two.md")


def test_links_by_title_id_and_heading_and_those_in_code_are_no_finding(wiki: Wiki) -> None:
    links = (
        "[[src1]]",
        "[[Source One]]",
        "[[Source One|label]]",
        "[[src1#Head]]",
        "`[[No]]`",
        "```\n[[No]]\n```",
    )
    wiki.write("Body text.", "\n\n".join(links))
    assert wiki.codes() == []


def test_evidence_outside_of_the_project_is_not_looked_at(wiki: Wiki) -> None:
    for number, path in enumerate(("../../../etc/passwd", "/etc/passwd")):
        text = PAGE.replace("path: note.txt", f"path: {path}").replace('"1-2"', '"1-999999"')
        text = text.replace("id: e1", f"id: p{number}").replace("id: c1", f"id: d{number}")
        (wiki.root / f"wiki/entities/page-{number}.md").write_text(text)
    assert wiki.codes() == []


def test_hostile_front_matter_is_a_finding_and_nothing_acts(wiki: Wiki) -> None:
    fronts = (
        "claims: 7\nid: [1, 2]\ntitle: {a: 1}\npageType: 9\nupdatedAt: yes",
        "x: " + "[" * 3000,
        "a: &a [x]\nb: *a",
        "x: \x1b[31m",
    )
    for number, front in enumerate(fronts):
        (wiki.root / f"wiki/entities/hostile-{number}.md").write_text(f"---\n{front}\n---\n")
    done = wiki.run("memory", "check")
    assert (done.code, "\x1b" in done.out + done.err) == (0, False)
    assert len({one["file"] for one in wiki.found()}) == len(fronts)


def test_a_page_that_cannot_be_read_stops_nothing(wiki: Wiki) -> None:
    wiki.page.unlink()
    os.mkfifo(wiki.page)
    assert wiki.run("memory", "check").code == 0


def test_every_code_is_explained(wiki: Wiki) -> None:
    for code in CODES[::6]:
        done = wiki.run("explain", code)
        assert (done.code, "fix:" in done.out) == (0, True)


def exported(wiki: Wiki) -> list[dict[str, Any]]:
    """The claims at the end of an export, each from its line of JSON."""
    assert wiki.run("memory", "init").code == 0
    done = wiki.run("memory", "export", "--output", wiki.root / "out.md")
    assert done.code == 0, done.err
    block = re.search(
        r"^(`{3,})ndjson[^\n]*\n(.*?)^\1$", (wiki.root / "out.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert block
    return [json.loads(line) for line in block[2].splitlines()]


def test_the_export_ends_with_a_line_of_json_for_each_claim(wiki: Wiki) -> None:
    (claim,) = exported(wiki)
    assert claim["page"] == "wiki/entities/gateway.md"
    assert (claim["id"], claim["text"]) == ("c1", "The gateway is box two")
    assert (claim["status"], claim["confidence"], claim["freshness"]) == ("supported", 0.9, "fresh")
    assert claim["evidence"] == [{"path": "note.txt", "lines": [1, 2], "sourceId": "src1"}]


def test_a_secret_and_a_fence_in_a_claim_stay_harmless_in_the_export(wiki: Wiki) -> None:
    secret = "sk-" + "a1B2c3D4e5" * 4
    wiki.write("box two", f"box {secret} ```` x")
    (claim,) = exported(wiki)
    assert "````" in claim["text"]
    assert secret not in (wiki.root / "out.md").read_text()


# -- memories that limit action ------------------------------------------------------------------------------


def limits(wiki: Wiki, text: str) -> list[tuple[str, str, int]]:
    (wiki.root / "MEMORY.md").write_text(f"# M\n\n{text}\n")
    found = wiki.run("memory", "check", "--json").data["findings"]
    return [(one["code"], one["level"], one["line"]) for one in found if one["code"].startswith("r-")]


FAULTS = [
    ("- Do not deploy the shop. expires: 2026-11-20; owner: Tom", "r-expired", "warning"),
    ("- Ne pas déployer ; expire : 2026-11-20 ; responsable : Inès", "r-expired", "warning"),
    ("- Do not close the shop. expires: 2026-12-07; owner: Tom", "r-soon", "info"),
    ("- Do not move the shop (expires: tomorrow, owner: Tom)", "r-date", "warning"),
    ("- Do not sell the shop (expires: 2026-13-45, owner: Tom)", "r-date", "warning"),
    ("- The report claims the gateway is open. trust: untrusted", "r-untrusted", "warning"),
    ("- The report claims the door is open. trust: banana", "r-trust", "info"),
]


def test_each_fault_of_a_restriction_has_its_code_and_line(wiki: Wiki) -> None:
    found = limits(wiki, "\n".join(line for line, _, _ in FAULTS))
    assert sorted(found, key=lambda one: one[2]) == [
        (code, level, number) for number, (_, code, level) in enumerate(FAULTS, 3)
    ]


@pytest.mark.parametrize(
    "line",
    [
        "- Do not touch the API of the shop until the migration is done",
        "- Nicht vor dem 5. Januar deployen",
        "- Ne pas toucher au serveur jusqu'à nouvel ordre",
    ],
    ids=["en", "de", "fr"],
)
def test_a_restriction_without_end_and_owner_is_a_hint(wiki: Wiki, line: str) -> None:
    assert limits(wiki, line) == [("r-open", "info", 3)]


def test_plain_prose_and_sound_restrictions_are_no_finding(wiki: Wiki) -> None:
    lines = (
        "- The gateway is box two",
        "- Do not deploy the shop. expires: 2027-12-03; owner: Tom",
        "- applies-when: API work; avoid: editing the API; unlock: the plan is accepted; owner: Tom",
        "\n```\n- Do not deploy the shop. expires: 2026-11-20; owner: Tom\n```",
    )
    assert limits(wiki, "\n".join(lines)) == []
