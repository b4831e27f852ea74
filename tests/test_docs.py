from __future__ import annotations

import re
from pathlib import Path

from jobs.cli.gate import COMMANDS, FAMILIES
from tests.docs import PAGE, with_help

HERE = Path(__file__).parent.parent


def test_the_page_of_the_command_line_shows_the_help_of_every_command() -> None:
    page = PAGE.read_text()
    assert page == with_help(page), "docs/cli.md is behind: nox -s docs"
    named = set(re.findall(r"<!-- help: zecher ([a-z -]+?) -->\n\n```text\n", page))
    assert named == {*COMMANDS, *FAMILIES}


def test_every_link_of_the_documentation_leads_somewhere() -> None:
    pages = [HERE / "README.md", HERE / "CHANGELOG.md", *sorted((HERE / "docs").glob("*.md"))]
    targets = {
        (page, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
    }
    assert targets
    assert [target for page, target in targets if not (page.parent / target).exists()] == []


def test_the_sources_name_no_document_outside_the_project() -> None:
    """Labels of cases (``G34``, ``W19``) and pages of notes mean nothing to who has the project alone."""
    sources = [
        path
        for folder in ("brain", "jobs", "reports", "scanner")
        for path in (HERE / folder).rglob("*")
        if path.suffix in (".py", ".toml")
    ]
    label = re.compile(r"\bref-(?:bmad|jobs|scan)|\b[GW]\d{1,2}\b|[Ww]orked case|\b(?:the|a) spec\b")
    assert len(sources) > 100
    assert [path.name for path in sources if label.search(path.read_text())] == []
