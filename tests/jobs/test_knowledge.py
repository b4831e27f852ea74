"""Pages of knowledge as commands show them: their findings, and their claims in an export."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.brain.knowledge.test_lint import GOOD, MANUAL
from tests.jobs.program import Program
from tests.support import write


@pytest.fixture
def wiki(zecher: Program) -> Path:
    write(zecher.cwd / "wiki" / "WIKI.md", "# Wiki\n")
    write(zecher.cwd / "wiki" / "sources" / "manual.md", MANUAL)
    write(zecher.cwd / "notes" / "network.md", "a\nb\nc\n")
    return write(zecher.cwd / "wiki" / "entities" / "router.md", GOOD)


@pytest.mark.usefixtures("wiki")
def test_evidence_that_was_deleted_is_found_though_no_page_changed(zecher: Program) -> None:
    """Worked case G51, through the cache."""
    first = zecher("memory", "check", "--json").data["findings"]
    (zecher.cwd / "notes" / "network.md").write_text("a\n")
    second = zecher("memory", "check", "--json").data["findings"]

    assert "evidence-missing" not in {one["code"] for one in first}
    (found,) = [one for one in second if one["code"] == "evidence-missing"]
    assert (found["file"], found["level"]) == ("wiki/entities/router.md", "warning")
    assert GOOD.splitlines()[found["line"] - 1].strip().startswith("- id: claim.router.address")


def test_every_code_is_explained(zecher: Program, wiki: Path) -> None:
    wiki.write_text("no front matter\n")
    assert "invalid-frontmatter" in zecher("memory", "check").out
    assert zecher("explain", "invalid-frontmatter").code == 0


@pytest.mark.usefixtures("wiki")
def test_an_export_holds_the_claims_as_lines_of_json(zecher: Program) -> None:
    zecher("memory", "init")
    exported = Path(zecher("memory", "export", "--output", zecher.home, "--json").data["file"]).read_text()

    block = r"## Claims of here\n+```ndjson source=memory trust=untrusted\n(.*?)\n```"
    found = re.search(block, exported, re.DOTALL)
    assert found
    (line,) = [json.loads(line) for line in found[1].splitlines()]
    assert (line["id"], line["freshness"]) == ("claim.router.address", "fresh")


def test_without_pages_an_export_says_nothing_of_claims(zecher: Program) -> None:
    zecher("memory", "init")
    exported = Path(zecher("memory", "export", "--output", zecher.home, "--json").data["file"])
    assert "Claims" not in exported.read_text()
