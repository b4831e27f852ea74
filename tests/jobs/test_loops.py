"""``zecher loops`` as people and programs use it, and what is remembered of it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from brain.loops.states import Mark
from jobs.errors import ExpectedError
from jobs.loop_marks import MOST, change_marks, read_marks
from jobs.loops import resolved
from tests.jobs.program import Program, folder_state
from tests.support import write

MEMORY = """# Memory

- Waiting for: the contract (due 2026-11-28)
  - owner: Ana
- Do not deploy until 2026-12-05.
- [ ] Pay the tax @2027-01-15
- Follow-up: call Eva
"""
STATE = ".local/state/zecher"
WHEN = "2026-11-30T03:17:04Z"


@pytest.fixture
def shop(indexed: Path) -> Path:
    write(indexed / "shop" / "MEMORY.md", MEMORY)
    return indexed / "shop"


def listed(zecher: Program, *args: str) -> list[tuple[str, str]]:
    """(state, text) of the loops."""
    done = zecher("loops", *args, "--json")
    assert done.code == 0, done.err
    return [(one["state"], one["text"]) for one in done.data["loops"]]


def ids(zecher: Program) -> dict[str, str]:
    return {one["text"]: one["id"] for one in zecher("loops", "--all", "--json").data["loops"]}


@pytest.mark.usefixtures("shop")
def test_what_is_overdue_stands_first(zecher: Program) -> None:
    assert listed(zecher) == [
        ("overdue", "the contract"),
        ("due", "Do not deploy until 2026-12-05."),
        ("open", "Pay the tax"),
        ("open", "call Eva"),
    ]


@pytest.mark.usefixtures("shop")
def test_loops_alone_is_the_list_in_a_pipe_and_at_a_terminal(zecher: Program) -> None:
    piped, shown = zecher("loops"), zecher.at_terminal("loops")

    assert piped.out == zecher("loops", "list").out
    assert piped.out.splitlines()[0].split("\t")[:3] == ["id", "state", "due"]
    assert piped.err == "1 overdue, 1 due, 2 open\n"
    assert "overdue  2026-11-28 " in shown.out
    assert "MEMORY.md:3, waiting, owner Ana" in shown.out
    assert all(len(line) <= 80 for line in shown.out.splitlines())


@pytest.mark.usefixtures("shop")
def test_only_what_is_due_can_be_asked_for(zecher: Program) -> None:
    assert [state for state, _ in listed(zecher, "--due")] == ["overdue", "due"]


def test_one_project_can_be_asked_for(zecher: Program, shop: Path) -> None:
    write(shop.parent / "old" / "MEMORY.md", "- Waiting for: the old thing\n")

    assert listed(zecher, "--project", "old") == [("open", "the old thing")]
    assert listed(zecher, "-d", str(shop))[0] == ("overdue", "the contract")
    assert len(listed(zecher)) == 5


def test_the_document_has_the_keys_of_the_contract(zecher: Program, shop: Path) -> None:
    done = zecher("loops", "list", "--json")
    first = done.data["loops"][0]

    assert (done.document["schema"], done.document["schema_version"]) == ("zecher.loops.list", 1)
    assert list(done.data) == ["loops", "counts"]
    assert done.data["counts"] == {"overdue": 1, "due": 1, "open": 2, "snoozed": 0, "done": 0}
    assert {**first, "id": "", "project": {**first["project"], "id": ""}} == {
        "id": "",
        "kind": "waiting",
        "state": "overdue",
        "text": "the contract",
        "file": "MEMORY.md",
        "line": 3,
        "due": "2026-11-28",
        "until": None,
        "unlock": None,
        "owner": "Ana",
        "project": {"id": "", "path": str(shop), "name": "shop"},
    }


def test_a_project_that_is_not_indexed_is_seen_from_within(zecher: Program, tmp_path: Path) -> None:
    write(tmp_path / "here" / "MEMORY.md", "- Waiting for: the key\n")

    assert listed(zecher) == [("open", "the key")]


@pytest.mark.usefixtures("indexed")
def test_nothing_open_is_no_error(zecher: Program) -> None:
    done = zecher("loops")

    assert (done.code, done.out.count("\n"), done.err) == (0, 1, "nothing is open\n")


# -- what a person says --------------------------------------------------------------------------------------


def test_what_is_done_is_gone_and_no_file_changes(zecher: Program, shop: Path) -> None:
    before = folder_state(shop)
    name = ids(zecher)["the contract"]

    done = zecher("loops", "done", name)

    assert (done.code, done.out) == (0, f"{name} is done: the contract\n")
    assert ("overdue", "the contract") not in listed(zecher)
    assert ("done", "the contract") in listed(zecher, "--all")
    assert folder_state(shop) == before


def test_other_words_are_another_loop(zecher: Program, shop: Path) -> None:
    zecher("loops", "done", ids(zecher)["call Eva"])
    write(shop / "MEMORY.md", MEMORY.replace("call Eva", "call Eva again"))

    assert ("open", "call Eva again") in listed(zecher)


def test_what_stands_again_after_it_was_done_is_done(zecher: Program, shop: Path) -> None:
    zecher("loops", "done", ids(zecher)["call Eva"])
    write(shop / "MEMORY.md", "# Memory\n")
    assert listed(zecher, "--all") == []
    write(shop / "MEMORY.md", "# Memory\n\n* follow-up: **Call  Eva**.\n")

    assert [state for state, _ in listed(zecher, "--all")] == ["done"]


def test_a_new_day_opens_what_was_done(zecher: Program, shop: Path) -> None:
    zecher("loops", "done", ids(zecher)["the contract"])
    write(shop / "MEMORY.md", MEMORY.replace("2026-11-28", "2026-12-02"))

    assert ("due", "the contract") in listed(zecher)


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("until", "day"), [("2026-12-14", "2026-12-14"), ("14d", "2026-12-14"), ("2w", "2026-12-14")]
)
def test_what_is_snoozed_returns_on_its_day(zecher: Program, until: str, day: str) -> None:
    name = ids(zecher)["the contract"]

    done = zecher("loops", "snooze", name, "--until", until)

    assert (done.code, done.out) == (0, f"{name} is snoozed until {day}: the contract\n")
    assert "the contract" not in [text for _, text in listed(zecher)]
    zecher.extra["ZECHER_NOW"] = f"{day}T00:00:00Z"
    assert ("overdue", "the contract") in listed(zecher)


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("until", ["2026-11-30", "2026-11-01", "tomorrow", "0d", "3x", "", "99999d"])
def test_a_day_that_is_none_or_not_ahead_is_refused(zecher: Program, until: str) -> None:
    done = zecher("loops", "snooze", ids(zecher)["the contract"], "--until", until)

    assert (done.code, "[bad-value]" in done.err) == (2, True)


@pytest.mark.usefixtures("shop")
def test_without_a_day_nothing_is_snoozed(zecher: Program) -> None:
    done = zecher("loops", "snooze", ids(zecher)["the contract"])

    assert (done.code, "[loops-until]" in done.err) == (2, True)


@pytest.mark.usefixtures("shop")
def test_what_was_said_can_be_taken_back(zecher: Program) -> None:
    name = ids(zecher)["the contract"]
    zecher("loops", "done", name)

    done = zecher("loops", "reopen", name, "--json")

    assert done.document["schema"] == "zecher.loops.reopen"
    assert list(done.data) == ["ids", "loops"]
    assert (done.data["ids"], done.data["loops"][0]["state"]) == ([name], "overdue")


def test_what_is_gone_from_the_files_can_be_taken_back_too(zecher: Program, shop: Path) -> None:
    name = ids(zecher)["call Eva"]
    zecher("loops", "done", name)
    write(shop / "MEMORY.md", "# Memory\n")

    assert zecher("loops", "reopen", name).out == f"{name} is open again\n"


@pytest.mark.usefixtures("shop")
def test_the_beginning_of_an_id_is_enough_where_it_fits_one(zecher: Program) -> None:
    name = ids(zecher)["the contract"]

    assert zecher("loops", "done", name[:6].upper()).out == f"{name} is done: the contract\n"


def test_g53_an_unknown_id_changes_nothing_and_names_the_nearest(
    zecher: Program, home: Path, shop: Path
) -> None:
    known = ids(zecher)
    name = known["the contract"]
    wrong = name[:-1] + ("0" if name[-1] != "0" else "1")

    done = zecher("loops", "done", known["call Eva"], wrong)

    assert done.code == 1
    assert "[loop-unknown]" in done.err
    assert f"The nearest: {name} (the contract)" in done.err
    assert not (home / STATE / "loops.json").exists()
    assert shop.exists()


def test_a_beginning_that_fits_several_is_refused() -> None:
    with pytest.raises(ExpectedError, match="2 loops have an id that begins with ab") as told:
        resolved(["ab"], [], ["ab12cd34", "ab99cd34", "ffffffff"])

    assert told.value.code == "loop-ambiguous"


def test_an_empty_id_is_no_beginning_of_all() -> None:
    with pytest.raises(ExpectedError):
        resolved([""], [], ["ab12cd34"])


@pytest.mark.parametrize("command", ["done", "snooze", "reopen"])
def test_without_an_id_it_is_usage(zecher: Program, command: str) -> None:
    done = zecher("loops", command)

    assert (done.code, "[loops-what]" in done.err) == (2, True)


def test_two_ways_to_name_a_project_are_usage(zecher: Program, shop: Path) -> None:
    assert zecher("loops", "--project", "shop", "-d", shop).code == 2


# -- the file ------------------------------------------------------------------------------------------------


def test_marks_read_back_as_they_were_written(tmp_path: Path) -> None:
    marks = [
        Mark("a1b2c3d4", "done", due=date(2026, 12, 1), since=WHEN),
        Mark("b1b2c3d4", "snoozed", until=date(2026, 12, 14), since=WHEN),
    ]
    change_marks(str(tmp_path / "state"), add=marks, when=WHEN)

    assert list(read_marks(str(tmp_path / "state")).marks.values()) == marks


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"loops": 3}',
        b'{"loops": [{"id": 3, "state": "done", "since": ""}]}',
        b'{"loops": [{"id": "a", "state": "eaten", "since": ""}]}',
        b'{"loops": [{"id": "a", "state": "done", "due": "soon", "since": ""}]}',
        b'{"loops": ' + b"[" * 5000,
    ],
)
def test_a_damaged_file_is_said_and_moved_aside(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "loops.json").write_bytes(data)
    assert [one.code for one in read_marks(str(tmp_path)).problems] == ["loops-damaged"]

    marks = change_marks(str(tmp_path), add=[Mark("a1b2c3d4", "done", since=WHEN)], when=WHEN)

    assert (list(marks.marks), marks.problems) == (["a1b2c3d4"], ())
    assert (tmp_path / "loops.json.corrupt-2026-11-30T031704Z").read_bytes() == data


def test_many_at_once_lose_no_mark(tmp_path: Path) -> None:
    def close(number: int) -> None:
        change_marks(str(tmp_path), add=[Mark(f"{number:08x}", "done", since=WHEN)], when=WHEN)

    for number in range(4):
        close(number)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(close, range(4, 24)))

    assert len(read_marks(str(tmp_path)).marks) == 24


def test_of_too_many_the_oldest_are_forgotten(tmp_path: Path) -> None:
    marks = [Mark(f"{number:08x}", "done", since=f"{number:08d}") for number in range(MOST + 3)]

    kept = change_marks(str(tmp_path), add=marks, when=WHEN).marks

    assert (len(kept), min(kept)) == (MOST, f"{3:08x}")


def test_a_state_folder_that_cannot_be_written_is_told(zecher: Program, home: Path, shop: Path) -> None:
    name = ids(zecher)["the contract"]
    (home / ".local" / "state").mkdir(parents=True, exist_ok=True)
    (home / STATE).write_text("no folder")

    done = zecher("loops", "done", name)

    assert (done.code, "[state-write]" in done.err, shop.exists()) == (1, True, True)


# -- where else it is told -----------------------------------------------------------------------------------


def configure(home: Path, root: Path) -> None:
    write(home / ".config/zecher/config.toml", f'[[scan.roots]]\npath = "{root}"\n')


def test_the_weekly_report_and_the_status_tell_what_is_overdue(
    zecher: Program, home: Path, shop: Path
) -> None:
    configure(home, shop.parent)
    assert zecher("run", "weekly", "--force").code == 0
    report = zecher("report", "weekly", "--stdout").out
    name = ids(zecher)["the contract"]

    assert f"- overdue 2026-11-28: shop, `MEMORY.md:3`: the contract (`{name}`, Ana)\n" in report
    assert zecher("status", "--json").data["loops"] == {
        "overdue": 1,
        "due": 1,
        "open": 2,
        "snoozed": 0,
        "done": 0,
    }
    assert "loops      1 overdue, 1 due within a week: zecher loops --due" in zecher.at_terminal("status").out

    zecher("loops", "done", name)

    assert zecher("status", "--json").data["loops"]["overdue"] == 0
    assert "zecher loops --due" not in zecher.at_terminal("status").out


def test_a_week_without_loops_has_no_such_section(zecher: Program, home: Path, indexed: Path) -> None:
    configure(home, indexed)
    zecher("run", "weekly", "--force")

    assert "Open loops" not in zecher("report", "weekly", "--stdout").out
    assert zecher("status", "--json").data["loops"] is None


def test_what_came_from_the_cache_has_its_loops(zecher: Program, home: Path, shop: Path) -> None:
    configure(home, shop.parent)
    zecher("memory", "check", "--all")
    zecher("run", "nightly", "--force")
    zecher("run", "weekly", "--force")
    (snapshot,) = (home / STATE / "snapshots").glob("weekly-*.json")

    assert len(json.loads(snapshot.read_bytes())["loops"]) == 4


def test_where_were_we_tells_what_is_open(zecher: Program, shop: Path) -> None:
    name = ids(zecher)["the contract"]
    done = zecher("resume", "shop", "--json")

    assert [one["id"] for one in done.data["loops"]][:1] == [name]
    assert f"overdue 2026-11-28: the contract [{name}]" in zecher("resume", "-d", shop).out

    zecher("loops", "done", name)

    assert name not in zecher("resume", "shop").out


def test_a_blocker_of_the_handover_is_not_told_twice(zecher: Program, shop: Path) -> None:
    write(shop / "PROGRESS.md", "# P\n\n## Goal\nx\n\n## Next step\ny\n\n## Blockers\n- Legal is slow\n")
    done = zecher("resume", "shop")

    assert done.out.count("Legal is slow") == 1
    assert ("open", "Legal is slow") in listed(zecher)


def test_a_budget_names_the_loops_that_it_leaves_out(zecher: Program, shop: Path) -> None:
    write(shop / "MEMORY.md", "".join(f"- Waiting for: thing number {n}\n" for n in range(60)))
    done = zecher("resume", "shop", "--markdown", "--budget", "700")

    assert done.code == 0
    assert "open loops: " in done.out
