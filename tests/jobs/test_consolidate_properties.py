"""Whatever is applied and taken back, in whatever order: no byte that a person wrote is lost."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.consolidate.values import Proposal
from brain.entries.reader import read_entries
from jobs.consolidate import carry, look, portfolio_scope, undo
from jobs.consolidation_runs import Run
from jobs.settings import ReadSettings
from tests.support import NOW

MARK = b"[ARCHIVED] "
RULE = "pass the time in as a parameter and never read the clock inside of any function"

TITLES = st.sampled_from(
    ["Pin the clock in every test", "In every test pin the clock", "Use SQLite", "Ask first ##", "x\x00y", ""]
)
LINES = st.sampled_from(
    [
        f"- **Lesson**: {RULE}",
        f"- **Lesson**: {RULE}, and sleep",
        f"**Erkenntnis**: {RULE}",
        "#### Impact",
        "a lost day",
        "- **Impact**: a day",
        "  and a night",
        "* **Context** : long ago",
        "- **Decision**: one file",
        "- **Status**: superseded by Next",
        "- **Statut** : active",
        "- **Status**: active",
        "",
        "```",
        "<!-- aside -->",
        "---",
        "> quoted",
        "1. first",
        "    deep",
        "words \udcff\udcfe",
    ]
)
ENTRIES = st.builds(
    lambda date, title, lines: "\n".join((f"### {date} — {title}", *lines)),
    st.sampled_from(["2026-01-01", "2026-05-02", "2026-11-29", "(no date)"]),
    TITLES,
    st.lists(LINES, max_size=6),
)
PIECES = st.one_of(
    ENTRIES,
    ENTRIES,
    st.sampled_from(
        [
            "",
            "",
            "\n",
            "## Mine",
            "prose",
            "---",
            "<!-- Entries below. -->",
            "```\n### in a fence\n```",
            "- item",
        ]
    ),
)


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    text = "\n".join(draw(st.lists(PIECES, max_size=8)))
    text = draw(st.sampled_from(["", "---\ntitle: t\n---\n", "\ufeff", "# Title\n\n"])) + text
    text += draw(st.sampled_from(["", "\n", "\n\n\n"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))).encode("utf-8", "surrogateescape")


def lines_of(data: bytes) -> Counter[bytes]:
    """Every line that says something, whatever ends it; the mark in a heading is Zecher's."""
    return Counter(
        line.replace(MARK, b"") for line in data.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()
    )


class Portfolio:
    """Two projects and a brain, and what their notes hold."""

    def __init__(self, root: Path, notes: list[bytes]) -> None:
        brain = root / "brain"
        (brain / "projects").mkdir(parents=True)
        (brain / "lessons.md").write_bytes(notes[4])
        names = ("lessons.md", "decisions.md")
        for number, project in enumerate((root / "a", root / "b")):
            (project / ".agents/memory").mkdir(parents=True)
            for name, data in zip(names, notes[2 * number :], strict=False):
                (project / ".agents/memory" / name).write_bytes(data)
            (brain / "projects" / f"0000000{number}.yaml").write_text(
                f'path: "{project}"\nname: "{project.name}"'
            )
        self.settings = ReadSettings(str(brain), str(root / "state"), str(root), NOW)
        self.root = root

    def files(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in sorted(self.root.rglob("*.md"))}

    def proposals(self) -> list[Proposal]:
        seen = look(self.settings, portfolio_scope(self.settings))
        assert seen.problems == ()
        return [one for one in seen.proposals if not one.refused]


@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(notes=st.lists(pages(), min_size=5, max_size=5), steps=st.data())
def test_after_any_applies_and_undos_all_is_still_there(notes: list[bytes], steps: st.DataObject) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        portfolio = Portfolio(root, notes)
        written = portfolio.files()
        done: list[tuple[Run, dict[str, bytes]]] = []
        for _ in range(steps.draw(st.integers(1, 4))):
            before = portfolio.files()
            back: bool = steps.draw(st.booleans())
            if done and back:
                run, earlier = done.pop()
                undo(portfolio.settings, run.name)
                assert portfolio.files() == earlier
                continue
            chosen = [one for one in portfolio.proposals() if steps.draw(st.integers(0, 3))]
            carried = carry(portfolio.settings, chosen)
            assert len(carried.done) + len(carried.refused) == len(chosen)
            if carried.run is not None:
                done.append((carried.run, before))
        for path, data in portfolio.files().items():
            assert not lines_of(written[path]) - lines_of(data)
            assert data.startswith(b"\xef\xbb\xbf") == written[path].startswith(b"\xef\xbb\xbf")
            document = read_entries(data, Path(path).stem)
            archived = [one.archived for one in document.entries]
            before_entries = read_entries(written[path], Path(path).stem).entries
            if not any(one.archived for one in before_entries):
                assert archived == sorted(archived)
        while done:
            run, earlier = done.pop()
            undo(portfolio.settings, run.name)
            assert portfolio.files() == earlier
        assert portfolio.files() == written
    finally:
        shutil.rmtree(root)


@settings(max_examples=60)
@given(notes=st.lists(pages(), min_size=5, max_size=5))
def test_what_was_applied_alone_is_not_proposed_again(notes: list[bytes]) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        portfolio = Portfolio(root, notes)
        for one in portfolio.proposals()[:2]:
            if one.id in {other.id for other in portfolio.proposals()}:
                carry(portfolio.settings, [one])
            assert one.id not in {other.id for other in portfolio.proposals()}
    finally:
        shutil.rmtree(root)
