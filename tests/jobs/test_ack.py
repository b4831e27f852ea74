"""``zecher ack`` as people and programs use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.project_cards import Card
from jobs.choosing import chosen_project
from jobs.codes import UNSAVED
from jobs.errors import UsageError
from tests.jobs.program import Program, folder_state

STATE = ".local/state/zecher"


def silences(zecher: Program) -> list[list[str]]:
    done = zecher("ack", "--list")
    assert done.code == 0
    return [line.split("\t")[:4] for line in done.out.splitlines()[1:]]


def test_a_finding_is_silenced_in_one_project(zecher: Program, indexed: Path) -> None:
    done = zecher("ack", "p-goal", "shop", "--until", "2026-12-31", "--reason", "in the tracker")

    assert (done.code, done.out, done.err) == (
        0,
        f"p-goal is silent in {indexed}/shop until 2026-12-31\n",
        "",
    )
    assert silences(zecher) == [["p-goal", f"{indexed}/shop", "2026-12-31", "in the tracker"]]


def test_a_finding_is_silenced_everywhere(zecher: Program) -> None:
    assert zecher("ack", "p-goal").out == "p-goal is silent in all projects\n"
    assert silences(zecher) == [["p-goal", "*", "", ""]]


@pytest.mark.usefixtures("indexed")
def test_a_silence_is_taken_back(zecher: Program) -> None:
    zecher("ack", "p-goal", "shop")
    zecher("ack", "p-goal")

    done = zecher("ack", "--remove", "p-goal", "shop")

    assert (done.code, silences(zecher)) == (0, [["p-goal", "*", "", ""]])


def test_what_is_not_silenced_cannot_be_taken_back(zecher: Program, indexed: Path) -> None:
    zecher("ack", "p-goal", "shop")

    done = zecher("ack", "--remove", "p-goal")

    assert done.code == 2
    assert f"It is silenced in {indexed}/shop." in done.err


def test_a_code_may_be_written_in_capitals(zecher: Program) -> None:
    assert zecher("ack", "P-GOAL").out == "p-goal is silent in all projects\n"
    assert zecher("ack", "--remove", "P-Goal").out == "p-goal is told again in all projects\n"


def test_an_empty_project_is_refused(zecher: Program) -> None:
    done = zecher("ack", "p-goal", "")

    assert (done.code, "[empty-path]" in done.err) == (2, True)


def test_an_unknown_code_gets_its_neighbour(zecher: Program) -> None:
    done = zecher("ack", "p-gaol")

    assert done.code == 2
    assert "Did you mean p-goal?" in done.err
    assert not (zecher.home / STATE / "acks.json").exists()


def test_the_code_of_an_error_is_no_finding(zecher: Program) -> None:
    assert "only findings and unsaved work can be silenced" in zecher("ack", "root-missing").err


@pytest.mark.parametrize("code", UNSAVED)
def test_unsaved_work_is_silenced_in_one_project_only(zecher: Program, indexed: Path, code: str) -> None:
    everywhere = zecher("ack", code)
    here = zecher("ack", code, "shop")

    assert everywhere.code == 2
    assert f"Name the project: zecher ack {code} PROJECT." in everywhere.err
    assert (here.code, silences(zecher)) == (0, [[code, f"{indexed}/shop", "", ""]])
    assert zecher("explain", code).out.splitlines()[-1] == (
        f"  silence: zecher ack {code} PROJECT [--until DATE] [--reason TEXT]"
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "0 words to silence"),
        (["p-goal", "a", "b"], "3 words to silence"),
        (["p-goal", "--until", "tomorrow"], "'tomorrow' is no date"),
        (["p-goal", "--until", "2026-11-29"], "that day is past"),
        (["p-goal", "nowhere"], "no project 'nowhere'"),
        (["--list", "p-goal"], "--list shows all and writes nothing"),
    ],
)
def test_what_makes_no_sense_is_refused(zecher: Program, words: list[str], says: str) -> None:
    done = zecher("ack", *words)

    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_a_folder_outside_the_index_can_be_meant(zecher: Program, tmp_path: Path) -> None:
    (tmp_path / "loose").mkdir()

    assert zecher("ack", "p-goal", f"{tmp_path}/loose").code == 0
    assert silences(zecher)[0][1] == f"{tmp_path}/loose"


def test_a_folder_inside_a_project_means_the_project(zecher: Program, indexed: Path) -> None:
    zecher("ack", "p-goal", indexed / "shop" / "src")

    assert silences(zecher)[0][1] == f"{indexed}/shop"


def test_programs_get_a_document(zecher: Program, indexed: Path) -> None:
    zecher("ack", "p-goal", "shop", "--until", "2026-11-30")

    done = zecher("ack", "--list", "--json")

    assert done.document["schema"] == "zecher.ack"
    assert done.data == {
        "silences": [
            {
                "code": "p-goal",
                "project": f"{indexed}/shop",
                "until": "2026-11-30",
                "reason": "",
                "since": "2026-11-30T03:17:04Z",
                "holds": True,
            }
        ]
    }


def test_listing_writes_nothing(zecher: Program) -> None:
    before = folder_state(zecher.home)

    assert zecher("ack", "--list").code == 0

    assert before == folder_state(zecher.home)


def test_the_page_of_a_finding_says_how_it_is_silenced(zecher: Program) -> None:
    assert "  silence: zecher ack p-goal PROJECT" in zecher("explain", "p-goal").out
    assert zecher("explain", "p-goal", "--json").data["silence"].startswith("zecher ack p-goal")
    assert "silence" not in zecher("explain", "root-missing", "--json").data


# -- which project is meant ---------------------------------------------------------------------------------


def card(name: str, path: str) -> Card:
    return Card(
        path=path, name=name, stack="", status="active", bmad_installed=False, has_git=True,
        last_scanned="", file="", extras={}, missing_since="",
    )  # fmt: skip


CARDS = [
    card("shop", "/dev/shop"),
    card("Shop Admin", "/dev/admin"),
    card("engine", "/dev/tools/engine"),
    card("engine", "/dev/old/engine"),
    card("web", "/dev/shop/web"),
]


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("shop", "/dev/shop"),
        ("SHOP", "/dev/shop"),
        ("admin", "/dev/admin"),
        ("shop a", "/dev/admin"),
        ("we", "/dev/shop/web"),
        ("old/engine", "/dev/old/engine"),
        ("/dev/shop/src", "/dev/shop"),
        ("/dev/shop/web/src", "/dev/shop/web"),
        ("tools/", "/dev/tools/engine"),
    ],
)
def test_a_project_is_meant_by(word: str, path: str) -> None:
    found = chosen_project(word, CARDS, absolute=lambda text: text, home="/home/ana")

    assert path == found.path


@pytest.mark.parametrize(
    ("word", "code", "fix"),
    [
        ("engine", "project-ambiguous", "Name one of them by its path."),
        ("shpo", "project-unknown", "Did you mean shop?"),
        ("zzz", "project-unknown", "zecher projects lists them."),
    ],
)
def test_no_project_is_meant_by(word: str, code: str, fix: str) -> None:
    with pytest.raises(UsageError) as caught:
        chosen_project(word, CARDS, absolute=lambda text: text, home="/home/ana")

    assert (caught.value.code, caught.value.fix) == (code, fix)
