"""``zecher`` at a terminal: tables, colours, questions, progress. Each test runs on a pseudo-terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from jobs.progress import Progress
from jobs.streams import Streams, wants_colour
from tests.jobs.program import Program, folder_state
from tests.support import write

BRAIN = ".bmad-plus/brain"
SKIPPED = ".local/state/zecher/skipped.json"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def names_in_index(home: Path) -> list[str]:
    found = []
    for path in (home / BRAIN / "projects").glob("*.yaml"):
        found += [json.loads(line[6:]) for line in path.read_text().splitlines() if line.startswith("name: ")]
    return sorted(found)


def card(home: Path, name: str) -> dict[str, object]:
    for path in (home / BRAIN / "projects").glob("*.yaml"):
        values = dict(line.split(": ", 1) for line in path.read_text().splitlines())
        if json.loads(values["name"]) == name:
            return {key: json.loads(value) for key, value in values.items()}
    raise AssertionError(name)


# -- tables and colours ------------------------------------------------------------------------------------


def test_a_terminal_gets_a_table_of_80_columns_and_a_last_line(zecher: Program, dev: Path) -> None:
    zecher.home = dev.parent
    zecher.extra["NO_COLOR"] = "1"

    done = zecher.at_terminal("scan", dev, "--dry-run")

    assert done.code == 0
    assert done.out == (
        "STATUS      NAME    STACK   IDLE  BRANCH  FLAGS       CHANGE  PATH\n"
        "○ archived  old     Go      2y    main    no-remote   new     ~/dev/old\n"
        "● active    shop    Python  2d    main    no-remote   new     ~/dev/shop\n"
        "◐ paused    engine  Rust    3mo   main    no-remote   new     ~/dev/tools/engine\n"
        "3 projects: 1 active, 1 paused, 1 archived; 3 new\n"
        "dry run, nothing written; --yes indexes this\n"
    )


def test_a_wide_terminal_shows_everything(zecher: Program, dev: Path) -> None:
    done = zecher.at_terminal("scan", dev, "--dry-run", columns=200)

    assert f"{dev}/tools/engine" in done.out
    assert "no-remote no-license no-readme" in COLOUR.sub("", done.out)


@pytest.mark.parametrize("columns", [20, 40, 80, 120, 200])
def test_no_line_of_a_table_is_wider_than_the_terminal(zecher: Program, dev: Path, columns: int) -> None:
    done = zecher.at_terminal("scan", dev, "--dry-run", "--color", "never", columns=columns)

    table = done.out.splitlines()[:4]
    assert columns < 52 or max(map(len, table)) <= columns


@pytest.mark.parametrize(
    ("words", "environ", "coloured"),
    [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"TERM": "dumb"}, False),
        ([], {"FORCE_COLOR": "0"}, False),
        ([], {"ZECHER_COLOR": "never"}, False),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
    ],
)
def test_colour_follows_the_flag_then_the_environment(
    zecher: Program, dev: Path, words: list[str], environ: dict[str, str], coloured: bool
) -> None:
    zecher.extra |= environ

    assert coloured is bool(COLOUR.search(zecher.at_terminal("scan", dev, "--dry-run", *words).out))


@pytest.mark.parametrize(
    ("choice", "environ", "terminal", "expected"),
    [
        ("auto", {"TERM": "xterm"}, True, True),
        ("auto", {"TERM": "xterm"}, False, False),
        ("auto", {}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0", "TERM": "xterm"}, True, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": "", "TERM": "xterm"}, True, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
        ("always", {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
    ],
)
def test_colour_is_decided_by_one_rule(
    choice: str, environ: dict[str, str], terminal: bool, expected: bool
) -> None:
    assert expected is wants_colour(choice, environ, is_terminal=terminal)


def test_a_pipe_is_never_coloured_and_never_drawn_as_a_table(zecher: Program, dev: Path) -> None:
    done = zecher("scan", dev, "--dry-run")

    assert "\x1b" not in done.out + done.err
    assert done.out.startswith("status\t")


def test_a_hostile_name_moves_no_cursor(zecher: Program, tmp_path: Path) -> None:
    write(tmp_path / "dev" / "\x1b[2J\x1b]52;c;eA==\x07" / "go.mod", "module x\n")
    zecher.extra["NO_COLOR"] = "1"

    done = zecher.at_terminal("scan", tmp_path / "dev", "--dry-run", columns=200)

    assert "\\x1b[2J\\x1b]52;c;eA==\\x07" in done.out
    assert "\x1b" not in done.out


@pytest.mark.usefixtures("indexed")
def test_the_index_is_a_table_with_a_last_line_too(zecher: Program) -> None:
    zecher.extra["NO_COLOR"] = "1"

    lines = zecher.at_terminal("projects", "--sort", "idle", columns=120).out.splitlines()

    assert [line.split()[:3] for line in lines[:2]] == [["NAME", "STATUS", "STACK"], ["●", "shop", "active"]]
    assert lines[-1] == "3 projects: 1 active, 1 paused, 1 archived; indexed 2026-11-30"


# -- questions ---------------------------------------------------------------------------------------------


def test_the_answer_all_indexes_all(zecher: Program, dev: Path) -> None:
    done = zecher.at_terminal("scan", dev, answers="all\n")

    assert done.code == 0
    assert "Index them? [a]ll, [c]hoose, [e]dit, [s]kip:" in done.out
    assert done.out.endswith(f"3 cards written to ~/{BRAIN}\n")
    assert names_in_index(zecher.home) == ["engine", "old", "shop"]


@pytest.mark.parametrize("answer", ["s\n", "\n", "n\n", "q\n", "\x04"])
def test_the_answer_skip_or_none_writes_nothing(zecher: Program, dev: Path, answer: str) -> None:
    done = zecher.at_terminal("scan", dev, answers=answer)

    assert (done.code, "nothing was indexed" in done.out) == (0, True)
    assert folder_state(zecher.home) == {}


def test_an_answer_that_is_none_is_asked_again(zecher: Program, dev: Path) -> None:
    done = zecher.at_terminal("scan", dev, answers="perhaps\ns\n")

    assert "'perhaps' is no answer here" in done.out
    assert done.out.count("Index them?") == 2


def test_choosing_confirms_one_and_skips_another_from_now_on(zecher: Program, dev: Path) -> None:
    done = zecher.at_terminal("scan", dev, answers="c\ns\nc\nc\n")

    assert done.code == 0
    assert "1/3 new: old, Go, archived, " in done.out
    assert "1 project skipped from now on" in done.out
    assert names_in_index(zecher.home) == ["engine", "shop"]
    kept = json.loads((zecher.home / SKIPPED).read_text())
    assert kept["skipped"] == [{"path": f"{dev}/old", "since": "2026-11-30T03:17:04Z"}]


def test_a_skip_holds_for_later_runs_is_counted_and_shown(zecher: Program, dev: Path) -> None:
    zecher.at_terminal("scan", dev, answers="c\ns\nc\nc\n")

    done = zecher("scan", dev, "--yes")

    assert f"skipped\t{dev}/old\n" in done.out
    assert done.err.splitlines()[0].endswith("; 2 same, 1 skipped")
    assert names_in_index(zecher.home) == ["engine", "shop"]
    assert zecher("scan", dev, "--yes", "--json").data["counts"]["skipped"] == 1


def test_a_skip_is_listed_and_can_be_taken_back(zecher: Program, dev: Path) -> None:
    zecher.at_terminal("scan", dev, answers="c\ns\nc\nc\n")

    listed = zecher("projects", "--skipped")
    taken = zecher("projects", "--unskip", dev / "old")
    zecher("scan", dev, "--yes")

    assert listed.out == f"2026-11-30T03:17:04Z\t{dev}/old\n"
    assert listed.err == "1 project skipped; zecher projects --unskip PATH takes one back\n"
    assert taken.code == 0
    assert names_in_index(zecher.home) == ["engine", "old", "shop"]
    assert zecher("projects", "--skipped").out == ""


def test_only_what_is_skipped_can_be_taken_back(zecher: Program, dev: Path) -> None:
    zecher.at_terminal("scan", dev, answers="c\ns\nc\nc\n")

    done = zecher("projects", "--unskip", dev / "odl")

    assert (done.code, f"Did you mean {dev}/old?" in done.err) == (2, True)


def test_choosing_can_take_all_the_rest(zecher: Program, dev: Path) -> None:
    zecher.at_terminal("scan", dev, answers="c\ns\na\n")

    assert names_in_index(zecher.home) == ["engine", "shop"]


def test_choosing_can_stop_and_keeps_what_was_confirmed(zecher: Program, dev: Path) -> None:
    zecher.at_terminal("scan", dev, answers="c\nc\nq\n")

    assert names_in_index(zecher.home) == ["old"]


def test_only_news_are_asked_about(zecher: Program, dev: Path) -> None:
    zecher("scan", dev / "tools", "--yes")

    done = zecher.at_terminal("scan", dev, answers="c\nc\nc\n")

    assert ("1/2 new: old" in done.out, "2/2 new: shop" in done.out) == (True, True)
    assert names_in_index(zecher.home) == ["engine", "old", "shop"]


def test_an_edit_is_pinned_and_later_scans_leave_it_alone(zecher: Program, dev: Path) -> None:
    zecher.at_terminal("scan", dev, answers="e\nold\nOld Shop\nactive\n\na\n")
    first = card(zecher.home, "Old Shop")

    done = zecher("scan", dev, "--yes", "--json")

    assert (first["pinned_name"], first["pinned_status"], first["status"]) == ("Old Shop", "active", "active")
    assert "pinned_stack" not in first
    assert done.data["counts"]["same"] == 3
    shown = next(one for one in done.data["projects"] if one["path"] == f"{dev}/old")
    assert (shown["name"], shown["status"], shown["status_reason"]) == (
        "Old Shop",
        "active",
        "pinned in its card; the scan says archived",
    )
    assert card(zecher.home, "Old Shop") == first
    pinned = next(one for one in zecher("projects", "--json").data["projects"] if one["name"] == "Old Shop")
    assert (pinned["pinned"], "pinned" in pinned["flags"]) == (["name", "status"], True)


def test_an_edit_while_choosing_confirms_the_project(zecher: Program, dev: Path) -> None:
    zecher.at_terminal("scan", dev, answers="c\ne\n\n\nGo 1\nq\n")

    assert card(zecher.home, "old")["stack"] == "Go 1"


def test_a_status_that_is_none_is_refused(zecher: Program, dev: Path) -> None:
    done = zecher.at_terminal("scan", dev, answers="e\nold\n\nasleep\n\ns\n")

    assert "a status is one of active, paused, archived, unknown: not changed" in done.out


def test_an_edit_of_a_name_that_fits_nothing_or_too_much_says_so(zecher: Program, dev: Path) -> None:
    done = zecher.at_terminal("scan", dev, answers="e\nnope\ne\no\ns\n")

    assert "no project is called 'nope'" in done.out
    assert "projects fit; give more of the path:" in done.out


def test_nothing_is_asked_where_nothing_is_new(zecher: Program, indexed: Path) -> None:
    done = zecher.at_terminal("scan", indexed)

    assert (done.code, "?" in done.out) == (0, False)
    assert done.out.endswith("the index is up to date; zecher projects shows it\n")


def test_json_asks_nothing_even_at_a_terminal(zecher: Program, dev: Path) -> None:
    done = zecher.at_terminal("scan", dev, "--json")

    assert (done.code, done.document["problems"][0]["code"]) == (2, "needs-answer")


def test_the_whole_disk_is_asked_for_and_no_is_the_default(zecher: Program) -> None:
    done = zecher.at_terminal("scan", "/", "--depth", "1", "--dry-run", answers="\n")

    assert "Search the whole disk, every folder below /? [y/N]" in done.out
    assert (done.code, "[whole-disk]" in done.out) == (2, True)


def test_the_whole_disk_is_searched_when_that_is_meant(zecher: Program) -> None:
    words = ("scan", "/", "--depth", "1", "--dry-run", "--json", "--deadline", "20")

    assert zecher(*words, "--whole-disk").data["roots"] == [{"path": "/", "depth": 1}]


def test_a_damaged_file_of_skips_is_a_warning_and_is_moved_aside_by_the_next_skip(
    zecher: Program, dev: Path
) -> None:
    write(zecher.home / SKIPPED, '{"skipped": [3')

    first = zecher("scan", dev, "--dry-run", "--json")
    zecher.at_terminal("scan", dev, answers="c\ns\nq\n")

    assert [problem["code"] for problem in first.document["problems"]] == ["skips-damaged"]
    assert first.data["counts"]["skipped"] == 0
    state = folder_state(zecher.home / ".local/state/zecher")
    assert state["skipped.json.corrupt-2026-11-30T031704Z"] == b'{"skipped": [3'
    assert zecher("projects", "--skipped").out == f"2026-11-30T03:17:04Z\t{dev}/old\n"


# -- progress ----------------------------------------------------------------------------------------------


class Screen(Streams):
    """A terminal that keeps what was written to it."""

    def __init__(self, *, is_terminal: bool = True) -> None:
        super().__init__(None, None, None)
        self.is_terminal = is_terminal
        self.written: list[str] = []

    @property
    def message_is_terminal(self) -> bool:
        return self.is_terminal

    def raw_message(self, text: str) -> None:
        self.written.append(text)


def run_progress(screen: Screen, moments: list[float]) -> None:
    clock = iter([0.0, *moments])
    with Progress(screen, lambda: next(clock)) as progress:
        for number, _ in enumerate(moments, start=1):
            progress(number * 1000, number)


def test_progress_waits_a_second_then_shows_counts_and_rate_and_leaves_no_trace() -> None:
    screen = Screen()

    run_progress(screen, [0.5, 0.99, 2.0, 2.05, 3.0])

    assert screen.written == [
        "\rscanning: 3,000 folders, 3 projects, 1,500 folders/s",
        "\rscanning: 5,000 folders, 5 projects, 1,667 folders/s",
        "\r" + " " * 52 + "\r",
    ]


def test_an_index_that_is_read_for_the_meaning_tells_how_far_it_is() -> None:
    screen = Screen()
    clock = iter([0.0, 0.5, 2.0])
    with Progress(screen, lambda: next(clock)) as progress:
        progress.vectors(8, 1000)
        progress.vectors(30, 1000)
    assert screen.written[0] == "\rreading for the meaning: 30 of 1,000 notes, 15 notes/s"


def test_a_short_scan_shows_no_progress() -> None:
    screen = Screen()

    run_progress(screen, [0.1, 0.9])

    assert screen.written == []


def test_a_pipe_shows_no_progress() -> None:
    screen = Screen(is_terminal=False)

    run_progress(screen, [2.0, 3.0])

    assert screen.written == []


def test_quiet_shows_no_progress() -> None:
    screen = Screen()
    screen.quiet = True

    run_progress(screen, [2.0, 3.0])

    assert screen.written == []
