"""No name, branch, address or description does anything but be shown: in outputs, index page and cards."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.hostile import names
from tests.hostile.command import FORMATS, Run, Zecher, paths_of
from tests.hostile.conftest import Workshop
from tests.hostile.harmless import (
    check_markdown,
    check_shape,
    check_streams,
    check_tsv,
    forbidden,
    markdown_cells,
)

_NASTY = (
    "byte-e9",
    "clear-screen",
    "clipboard",
    "bidi-override",
    "new-entry",
    "markup-close",
    "javascript",
    "option",
)


@dataclass(frozen=True)
class Crowd:
    """One root with every name, and what all commands said about it."""

    root: Path
    projects: tuple[Path, ...]
    zecher: Zecher
    runs: tuple[Run, ...]

    def lists(self) -> list[Run]:
        """The runs that show the projects that a plain scan finds."""
        return [
            run
            for run in self.runs
            if run.words[0] == "projects" or "none" in run.words or "--yes" in run.words
        ]


@pytest.fixture(scope="module")
def crowd(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory, full: bool) -> Crowd:
    base = tmp_path_factory.mktemp("crowd")
    root = base / "root"
    root.mkdir()
    projects = names.build(root, workshop.template)
    zecher = Zecher(base)
    explained = projects if full else [root / names.folder_of(key) for key in _NASTY]
    runs = [*zecher.scans(root, full=full, brief=True), *zecher.reads(explained, root)]
    return Crowd(root, tuple(projects), zecher, tuple(runs))


@pytest.mark.parametrize("shown", [*FORMATS, "text"])
def test_no_name_breaks_out_of_an_output(crowd: Crowd, shown: str) -> None:
    runs = [run for run in crowd.runs if run.format == shown]
    assert runs
    for run in runs:
        check_shape(run) if run.words[0] != "explain" else check_streams(run)


def test_every_project_is_listed_by_its_exact_path(crowd: Crowd) -> None:
    expected = sorted(map(bytes, crowd.projects))
    runs = [run for run in crowd.lists() if run.format == "json"]
    assert len(runs) >= 3
    for run in runs:
        assert sorted(paths_of(run)) == expected, str(run)


def test_a_path_that_is_utf_8_needs_no_second_form(crowd: Crowd) -> None:
    document = next(run for run in crowd.lists() if run.format == "json").document()
    odd = [project for project in document["data"]["projects"] if "path_b64" in project]
    assert len(odd) == 4
    for project in document["data"]["projects"]:
        assert (
            forbidden(project["path"].encode("utf-8", "replace").decode(), allow="") == []
            or project not in odd
        )


@pytest.mark.parametrize("key", names.TEXTS, ids=str)
def test_the_name_of_a_manifest_comes_back_from_json(crowd: Crowd, key: str) -> None:
    document = next(run for run in crowd.lists() if run.format == "json").document()
    folder = str(crowd.root / names.manifest_folder(key))
    found = next(project for project in document["data"]["projects"] if project["path"] == folder)
    assert isinstance(found["name"], str)
    assert found["name"].strip()
    assert "\n" not in found["name"]
    assert len(found["name"]) <= 255


def test_tab_separated_text_has_one_line_for_each_project(crowd: Crowd) -> None:
    for run in crowd.lists():
        if run.format == "tsv":
            assert len(check_tsv(run.out.decode())) == len(crowd.projects) + 1


def test_markdown_has_one_row_for_each_project(crowd: Crowd) -> None:
    for run in crowd.lists():
        if run.format == "md":
            assert check_markdown(run.out.decode()) == len(crowd.projects)


def test_markdown_renders_each_name_as_it_is_shown_elsewhere(crowd: Crowd) -> None:
    # What is escaped must come out again: the table of Markdown and the tab-separated text agree.
    table = next(run for run in crowd.lists() if run.format == "md")
    plain = next(run for run in crowd.lists() if run.format == "tsv")
    rows = check_tsv(plain.out.decode())
    column = rows[0].index("name")
    shown = markdown_cells(table.out.decode())
    for row in rows[1:]:
        assert row[column].strip() in shown


def test_the_index_page_has_one_row_for_each_project(crowd: Crowd) -> None:
    text = (crowd.zecher.brain / "projects-index.md").read_bytes().decode("utf-8")
    assert forbidden(text) == []
    assert text.startswith("---\n")
    front, _, body = text[4:].partition("\n---\n")
    # The page's own marks around what is generated are HTML comments, one at each end.
    body = re.sub(r"^<!-- zecher:projects (begin [^<>]*|end )-->$", "", body, flags=re.MULTILINE)
    assert isinstance(yaml.safe_load(front), dict)
    assert check_markdown(body, headings=1) == len(crowd.projects)


def test_every_card_is_one_mapping_of_plain_lines(crowd: Crowd) -> None:
    cards = list((crowd.zecher.brain / "projects").glob("*.yaml"))
    assert len(cards) == len(crowd.projects)
    for card in cards:
        text = card.read_bytes().decode("utf-8")
        assert forbidden(text) == [], card.name
        held = yaml.safe_load(text)
        assert isinstance(held, dict), card.name
        assert len(held) == len([line for line in text.split("\n") if line and line[0] not in "# "]), (
            card.name
        )
        assert isinstance(held["name"], str)
        assert isinstance(held["path"], str)


def test_cards_know_the_exact_paths(crowd: Crowd) -> None:
    listed = next(run for run in crowd.runs if run.words[0] == "projects" and run.format == "json")
    assert sorted(paths_of(listed)) == sorted(map(bytes, crowd.projects))


def test_a_second_scan_changes_nothing_in_the_index(crowd: Crowd) -> None:
    before = {path.name: path.read_bytes() for path in crowd.zecher.brain.rglob("*") if path.is_file()}

    run = crowd.zecher("scan", str(crowd.root), "--yes", "--json")

    assert run.document()["data"]["counts"]["same"] == len(crowd.projects)
    assert before == {
        path.name: path.read_bytes() for path in crowd.zecher.brain.rglob("*") if path.is_file()
    }


def test_no_name_acts_in_a_conversation(crowd: Crowd, tmp_path: Path) -> None:
    answers = (
        "e\n[/nope]\n" + "e\n\n" + "c\n" + "c\n" * 60 + "e\n\n\n\n" + "s\n" * 20 + "c\n" * 80 + "q\n" * 9
    )

    run = Zecher(tmp_path).converse(answers, "scan", str(crowd.root))

    shown = re.sub(r"\x1b\[[0-9;]{0,20}m", "", run.out.decode("utf-8"))
    assert "[c]onfirm" in shown
    assert "Traceback" not in shown
    # The line of progress, which is our own, goes back to the start of its line.
    assert forbidden(shown, allow="\r") == []
    assert run.code in (0, 3)


def test_every_reported_code_is_explained(crowd: Crowd) -> None:
    codes = {
        problem["code"]
        for run in crowd.runs
        if run.format == "json"
        for problem in run.document()["problems"]
    }
    for code in sorted(codes):
        for words in (("explain", code), ("explain", code, "--json")):
            run = crowd.zecher(*words)
            check_streams(run)
            assert run.code == 0, f"{run}: {run.err.decode()}"


_HOSTILE_PLACES = (
    ("explain",),
    ("explain", "--json"),
    ("scan", "--dry-run"),
    ("scan", "--dry-run", "--json"),
    ("scan", "--exclude"),
    ("scan", "--format"),
    ("scan", "--config"),
    ("projects", "--status"),
    ("projects", "--brain"),
    (),
)


@pytest.mark.parametrize("words", _HOSTILE_PLACES, ids=lambda words: " ".join(words) or "alone")
def test_a_hostile_word_is_answered_without_acting(
    tmp_path: Path, words: tuple[str, ...], full: bool
) -> None:
    # Neither a path nor a code nor a value: the complaint must not act either.
    for key in names.TEXTS if full else ("byte-e9", "clear-screen", "option"):
        run = Zecher(tmp_path)(*words, names.TEXTS[key])

        out, err = run.out.decode("utf-8"), run.err.decode("utf-8")
        assert "Traceback" not in out + err, str(run)
        assert "[unexpected]" not in err, str(run)
        assert '"unexpected"' not in out, str(run)
        assert forbidden(out, allow="\t") == [], str(run)
        assert forbidden(err) == [], str(run)
        assert run.code in (0, 1, 2, 3), str(run)
