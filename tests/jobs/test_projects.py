from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.jobs.program import Program, folder_state
from tests.support import write

BRAIN = ".bmad-plus/brain"


def test_an_empty_index_says_so_and_what_to_do(zecher: Program) -> None:
    done = zecher("projects")

    assert (done.code, done.out.count("\n")) == (0, 1)
    assert done.err == (
        f"the index is empty: {zecher.home}/{BRAIN}\nzecher scan PATH --yes finds projects and indexes them\n"
    )


@pytest.mark.usefixtures("indexed")
def test_the_index_is_shown_as_it_stands(zecher: Program) -> None:
    done = zecher("projects", "--sort", "idle")

    assert done.code == 0
    assert [line.split("\t")[:5] for line in done.out.splitlines()[1:]] == [
        ["active", "shop", "Python", "2", "2026-11-28T03:17:04Z"],
        ["paused", "engine", "Rust", "100", "2026-08-22T03:17:04Z"],
        ["archived", "old", "Go", "900", "2024-06-13T03:17:04Z"],
    ]
    assert done.err == "3 projects: 1 active, 1 paused, 1 archived; indexed 2026-11-30\n"


@pytest.mark.usefixtures("indexed")
def test_reading_the_index_writes_nothing(zecher: Program) -> None:
    before = folder_state(zecher.home)

    zecher("projects", "--json")

    assert before == folder_state(zecher.home)


def names(zecher: Program, *words: str) -> list[str]:
    done = zecher("projects", *words)
    assert done.code == 0
    return [line.split("\t")[1] for line in done.out.splitlines()[1:]]


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--status", "paused"], ["engine"]),
        (["--status", "paused", "--status", "active"], ["shop", "engine"]),
        (["--stack", "python"], ["shop"]),
        (["--stack", "Fortran"], []),
        (["--flag", "no-remote"], ["old", "shop", "engine"]),
        (["--flag", "no-remote", "--flag", "pinned"], []),
        (["--sort", "name"], ["engine", "old", "shop"]),
        (["--sort", "status"], ["shop", "engine", "old"]),
        (["--sort", "stack"], ["old", "shop", "engine"]),
        (["--sort", "path"], ["old", "shop", "engine"]),
    ],
)
def test_projects_are_chosen_and_sorted(zecher: Program, words: list[str], expected: list[str]) -> None:
    assert expected == names(zecher, *words)


@pytest.mark.parametrize(
    ("words", "hint"),
    [(["--status", "activ"], "active"), (["--sort", "nmae"], "name"), (["--format", "jsn"], "json")],
)
def test_a_mistyped_word_gets_its_neighbour(zecher: Program, words: list[str], hint: str) -> None:
    done = zecher("projects", *words)

    assert done.code == 2
    assert f"Did you mean {hint}?" in done.err


def test_the_projects_document_keeps_its_keys(zecher: Program, indexed: Path) -> None:
    document = zecher("projects", "--json").document
    data = document["data"]

    assert list(document) == ["schema", "schema_version", "generated_at", "ok", "data", "problems"]
    assert document["schema"] == "zecher.projects"
    assert list(data) == ["projects", "counts", "indexed_at", "brain", "skipped"]
    assert data["counts"] == {"projects": 3, "active": 1, "paused": 1, "archived": 1, "unknown": 0}
    assert data["indexed_at"] == "2026-11-30"
    scanned = zecher("scan", indexed, "--dry-run", "--unsaved", "--json").data["projects"][0]
    missing = {"activity_detail", "mine", "last_own_work", "nested", "ci", "containers"}
    assert [list(project) for project in data["projects"]] == [
        [
            *[key for key in scanned if key not in missing],
            *[
                "health",
                "next_step",
                "at_risk",
                "last_scanned",
                "first_seen",
                "missing_since",
                "pinned",
                "card",
            ],
        ]
    ] * 3
    for key in ("id", "path", "name", "stack", "status", "last_activity", "activity_source", "flags"):
        assert data["projects"][0][key] == scanned[key]


@pytest.mark.usefixtures("indexed")
def test_a_card_that_cannot_be_read_is_a_warning_and_the_rest_is_shown(zecher: Program) -> None:
    write(zecher.home / BRAIN / "projects" / "zzz.yaml", "\0")

    done = zecher("projects", "--json")

    assert (done.code, done.data["counts"]["projects"]) == (0, 3)
    assert [problem["code"] for problem in done.document["problems"]] == ["card-corrupt"]


def test_a_brain_that_is_a_file_is_done_in_part(zecher: Program) -> None:
    write(zecher.home / BRAIN / "projects", "not a folder\n")

    done = zecher("projects")

    assert done.code == 3
    assert "[brain-unreadable]" in done.err


def test_a_bmad_card_without_our_keys_is_shown(zecher: Program) -> None:
    write(
        zecher.home / BRAIN / "projects" / "af7574b5.yaml",
        'path: "/home/ana/dev/shop"\nname: "shop"\nhash: "af7574b5"\nstack: "Go"\nstatus: "active"\n'
        'bmad_installed: true\nhas_git: true\nlast_scanned: "2026-11-01"',
    )

    (project,) = zecher("projects", "--json").data["projects"]

    assert (project["name"], project["stack"], project["last_activity"], project["id"]) == (
        "shop",
        "Go",
        None,
        None,
    )
    assert json.dumps(project["stacks"]) == (
        '[{"label": "Go", "role": null, "evidence": null, "confidence": null}]'
    )
