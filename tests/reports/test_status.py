"""The state of the portfolio as text and as a document, from values made by hand."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from reports.actions import Action, actions_of, at_risk, quoted, shell_path
from reports.snapshot import RunHealth, Snapshot
from reports.status import LeftBehind, PortfolioStatus, details, status_text, status_tsv
from reports.status_document import status_document
from reports.view import is_hostile
from scanner.project import Activity, Branch, Project, Risk, Stacks, Status, Thresholds, Unsaved, Vcs
from scanner.value import replace
from tests.support import DAY, NOW

HOME = "/home/ana"
SAVED = Unsaved(has_remote=True)


def project(name: str, git: Unsaved | None, *, path: str = "", branch: str | None = "main") -> Project:
    return Project(
        path=path or f"{HOME}/dev/{name}",
        name=name,
        stacks=Stacks(),
        activity=Activity(NOW),
        status=Status("active", ""),
        vcs=Vcs("git", branch=branch),
        has_git=True,
        bmad_installed=False,
        git=git,
    )


def dirty(days: float | None = 1, **more: object) -> Unsaved:
    since = None if days is None else NOW - days * DAY
    values = {"modified": 2, "untracked": 1, "has_remote": True, "risk": Risk(("uncommitted",), 3, since)}
    return Unsaved(**values | more)  # type: ignore[arg-type]  # the tests below give the right ones


def unpushed(*branches: Branch, days: float = 1, count: int = 2) -> Unsaved:
    return Unsaved(
        branches=branches,
        only_here=count,
        has_remote=True,
        risk=Risk(("unpushed",), count, NOW - days * DAY),
    )


def state(*projects: Project, **more: object) -> PortfolioStatus:
    counts = {"active": len(projects), "paused": 0, "archived": 0, "unknown": 0, "missing": 0}
    return PortfolioStatus(projects, counts, **more)  # type: ignore[arg-type]  # as above


def test_what_is_silenced_is_counted_beside_what_needs_a_person() -> None:
    shop, site = project("shop", dirty()), project("site", dirty())
    silenced = {(shop.path, "dirty"), (site.path, "stash"), ("", "dirty")}

    assert "needs you  1 thing, 1 silenced\n  site: " in text(state(shop, site, silenced=silenced))
    assert "needs you  nothing, 1 silenced\n" in text(state(shop, silenced=silenced))
    assert "silenced" not in text(state(site, silenced=silenced))


def text(status: PortfolioStatus, *, everything: bool = False) -> str:
    return status_text(status, now=NOW, home=HOME, everything=everything)


def test_where_nothing_exists_only_here_it_says_ok() -> None:
    assert text(state(project("shop", SAVED))) == (
        "portfolio  1 project: 1 active\nok         nothing exists only here\n"
    )


def test_ok_is_not_said_where_something_could_not_be_judged() -> None:
    status = state(project("shop", None), unknown=(f"{HOME}/dev/shop",))

    assert text(status) == (
        "portfolio  1 project: 1 active\nunknown    1 project could not be judged: zecher status -v\n"
    )
    assert "  ~/dev/shop: not known\n" in text(status, everything=True)


def test_what_was_not_looked_at_is_said() -> None:
    holder = replace(project("shop", SAVED), vcs=Vcs("git", submodules=("/a", "/b")))

    shown = text(state(holder, unversioned=2, elsewhere=1, skipped=3))

    assert shown == (
        "portfolio  1 project: 1 active; 3 skipped\n"
        "ok         nothing exists only here\n"
        "not judged 2 without version control, 2 submodules, 1 outside the roots\n"
    )


def test_loose_ends_are_no_risk_and_yet_not_hidden() -> None:
    behind = replace(SAVED, branches=(Branch("main", "origin/main", 0, 3),))
    gone = replace(SAVED, branches=(Branch("old", "origin/old", gone=True), Branch("new")), may_be_modified=1)
    status = state(
        project("shop", behind), project("api", gone), project("busy", replace(behind, risk=Risk((), 0)))
    )

    assert "at risk" in text(status)
    assert "loose ends 1 behind, 1 no-upstream, 1 upstream-gone, 1 may-be-modified\n" in text(status)
    assert "  ~/dev/api: no-upstream, upstream-gone, may-be-modified\n" in text(status, everything=True)
    assert "shop\t\t0\t\tbehind\t/home/ana/dev/shop\n" in status_tsv(status)


def test_each_project_at_risk_says_what_and_since_when() -> None:
    status = state(project("shop", dirty(70)), project("api", unpushed(Branch("main", "origin/main", 2, 0))))

    assert text(status) == (
        "portfolio  2 projects: 2 active\n"
        "at risk    2 projects: 3 files, 2 commits only here\n"
        "  shop               3 files                         2mo  ~/dev/shop\n"
        "  api                2 commits                        1d  ~/dev/api\n"
        "needs you  2 things\n"
        "  shop: 3 files are not committed; git could not bring that back\n"
        "    git -C ~/dev/shop status\n"
        "  api: 2 commits are on no remote; main was not pushed\n"
        "    git -C ~/dev/api push\n"
    )


def many(count: int) -> list[Project]:
    return [project(f"project-{number:02}-{'x' * 40}", dirty(number)) for number in range(count)]


@pytest.mark.parametrize("nightly", ["", "ok 3 h ago, took 12 s (median 11 s)"])
@pytest.mark.parametrize("count", [0, 1, 5, 6, 7, 40])
def test_a_terminal_gets_at_most_twelve_lines_of_eighty_cells(count: int, nightly: str) -> None:
    status = state(
        *many(count),
        project("fine", SAVED),
        project(
            "loose",
            replace(
                SAVED,
                may_be_modified=1,
                branches=(Branch("a", "o/a", 0, 3), Branch("b", "o/b", gone=True), Branch("c")),
            ),
        ),
        unknown=("/x",),
        unversioned=1,
        elsewhere=1,
        orphans=(LeftBehind("/gone", "/memory", 2),),
        nightly_words=nightly,
    )

    lines = text(status).splitlines()

    assert len(lines) <= 12
    assert any(line.startswith("nightly    ok") for line in lines) is bool(nightly)
    assert any("project-" in line for line in lines) is bool(count)
    assert all(len(line) <= 80 for line in lines if not line.startswith("    git"))


def test_what_does_not_fit_is_counted_and_shown_on_demand() -> None:
    status = state(*many(40))

    short, whole = text(status), text(status, everything=True)

    assert "  + 36 more: zecher status -v\n" in short
    assert "needs you  40 things, the first 2 (all: zecher status -v)\n" in short
    assert whole.count("git -C") == 40
    assert "more" not in whole


@pytest.mark.parametrize(
    "name", ["日本語のとても長い名前のプロジェクト", "a" * 50, "e\u0301" * 30, "\uff57\uff49" * 18]
)
def test_wide_and_combined_letters_keep_the_columns(name: str) -> None:
    status = state(project(name, dirty(1)), project("plain", dirty(2)))

    rows = text(status).splitlines()[2:4]

    assert [cell_len(row) <= 80 for row in rows] == [True, True]
    assert {cell_len(row[: row.index("3 files")]) for row in rows} == {21}


def test_memory_left_behind_is_counted_and_named_on_demand() -> None:
    gone = LeftBehind(f"{HOME}/old", f"{HOME}/.claude/projects/x/memory", 1, ambiguous=True)
    status = state(project("shop", SAVED), orphans=(gone,))

    assert "memories   1 memory left behind by folders that are gone: zecher status -v\n" in text(status)
    assert "  ~/old (or a similar name): 1 file in ~/.claude/projects/x/memory\n" in text(
        status, everything=True
    )


def test_the_gravest_and_the_oldest_come_first() -> None:
    stash = Unsaved(stashes=1, has_remote=True, risk=Risk(("stash",), 1, NOW - 900 * DAY))
    projects = [
        project("stash", stash),
        project("undated", dirty(None)),
        project("new", dirty(1)),
        project("old", dirty(9)),
        project("pushless", unpushed(days=400)),
        project("clean", SAVED),
        project("unread", None),
    ]

    assert [one.name for one in at_risk(projects)] == ["old", "new", "undated", "stash", "pushless"]
    assert [one.name for one in actions_of(projects, HOME)] == ["old", "new", "undated", "stash", "pushless"]


def only(git: Unsaved, **more: str | None) -> Action:
    (found,) = actions_of([project("shop", git, **more)], HOME)  # type: ignore[arg-type]  # as above
    return found


@pytest.mark.parametrize(
    ("branches", "command", "code"),
    [
        ([Branch("main", "origin/main", 2, 0)], "push", "unpushed"),
        ([Branch("main", "origin/main", 2, 1)], "pull --rebase", "unpushed"),
        ([Branch("topic")], "push -u origin topic", "no-upstream"),
        ([Branch("topic", "origin/topic", gone=True)], "push -u origin topic", "upstream-gone"),
        ([Branch("(detached)")], "branch kept HEAD", "detached"),
        ([Branch("main", "origin/main", 0, 0)], "push --all", "unpushed"),
        ([Branch("a", "origin/a", 1, 0), Branch("b", "origin/b", 5, 3)], "pull --rebase", "unpushed"),
    ],
)
def test_the_command_fits_the_branch(branches: list[Branch], command: str, code: str) -> None:
    action = only(unpushed(*branches), branch=None)

    assert (action.command, action.code) == (f"git -C ~/dev/shop {command}", code)


def test_a_lonely_head_of_another_worktree_is_looked_for_first() -> None:
    assert only(unpushed(Branch("(detached)"))).command == "git -C ~/dev/shop worktree list"


def test_with_linked_worktrees_the_command_tells_where_they_are() -> None:
    holder = replace(project("shop", dirty(1)), vcs=Vcs("git", branch="main", worktrees=("/a",)))

    (action,) = actions_of([holder], HOME)

    assert action.command == "git -C ~/dev/shop worktree list"


@pytest.mark.parametrize("name", ["--receive-pack=evil", "-x", "a b", "$(evil)", "a;evil", "a'b", "é\u202ex"])
def test_a_branch_cannot_smuggle_an_option_or_a_command(name: str) -> None:
    command = only(unpushed(Branch(name))).command

    said = subprocess.run(
        ["bash", "-c", f"set -- {command}; printf '%s\\0' \"$@\""], capture_output=True, check=True
    )
    assert said.stdout.decode().split("\0")[3:-1] == ["push", "-u", "origin", f"refs/heads/{name}"]


def test_every_kind_of_risk_has_its_words() -> None:
    git = Unsaved(
        modified=1,
        conflicted=1,
        only_here=500,
        only_here_capped=True,
        stashes=2,
        oldest_stash=NOW - 3 * DAY,
        in_progress="merge",
        risk=Risk(("uncommitted", "stash", "no-remote", "in-progress", "later-kind"), 504, NOW),
    )

    assert [(one.code, one.fact) for one in actions_of([project("shop", git)], HOME)] == [
        ("conflicted", "2 files are not committed, 1 in conflict"),
        ("merge", "merge in progress"),
        ("stash", "2 stashes lie here"),
        ("no-remote", "500 commits or more and no remote"),
        ("later-kind", "later-kind"),
    ]
    assert details(git) == ("2 files", "1 in conflict", "500+ commits", "2 stashes", "no remote", "merge")


def test_no_reason_is_longer_than_twelve_words() -> None:
    git = Unsaved(risk=Risk(("uncommitted", "unpushed", "stash", "no-remote", "in-progress"), 1))

    for action in actions_of([project("shop", git)], HOME):
        assert len(action.why.split()) <= 12


def test_a_pipe_gets_a_header_and_one_line_a_project() -> None:
    assert status_tsv(state(project("a\tb", dirty(1)), project("fine", SAVED))) == (
        "name\twhat\tcount\tsince\tdetail\tpath\n"
        "a\\tb\tuncommitted\t3\t2026-11-29T03:17:04Z\t3 files\t/home/ana/dev/a\\tb\n"
    )


def test_the_document_holds_every_key() -> None:
    status = state(
        project("shop", dirty(2)),
        project("fine", SAVED),
        identifiers={f"{HOME}/dev/shop": "abc"},
        orphans=(LeftBehind("/gone", "/memory", 2),),
    )

    found = status_document(status, now=NOW, home=HOME)

    assert found["portfolio"] == {
        "projects": 2, "active": 2, "paused": 0, "archived": 0, "unknown": 0, "missing": 0,
        "skipped": 0, "unversioned": 0, "elsewhere": 0, "submodules": 0,
    }  # fmt: skip
    assert found["actions"] == [
        {
            "rank": 1,
            "project": "shop",
            "path": "/home/ana/dev/shop",
            "fact": "3 files are not committed",
            "why": "git could not bring that back",
            "command": "git -C ~/dev/shop status",
            "code": "dirty",
            "age": 2,
            "since": "2026-11-28T03:17:04Z",
        }
    ]
    assert found["orphans"] == [
        {
            "folder": {"path": "/gone"},
            "memory": {"path": "/memory"},
            "files": 2,
            "ambiguous": False,
            "moved_to": None,
        }
    ]
    assert (found["nightly"], found["memory"]) == (None, None)
    assert found["loose_ends"] == []
    risk = found["at_risk"]
    assert isinstance(risk, dict)
    assert (risk["ok"], risk["unknown"]) == (False, [])
    (shop,) = risk["projects"]
    assert shop.pop("git")["risk"] == {
        "what": ["uncommitted"],
        "count": 3,
        "since": "2026-11-28T03:17:04Z",
    }
    assert shop == {
        "id": "abc",
        "path": "/home/ana/dev/shop",
        "name": "shop",
        "status": "active",
        "what": ["uncommitted"],
        "count": 3,
        "since": "2026-11-28T03:17:04Z",
        "age_days": 2,
        "detail": ["3 files"],
        "flags": [],
    }


def test_home_is_short_only_where_a_shell_would_make_it_long_again() -> None:
    assert shell_path("/home/ana/dev/a b", HOME) == "'/home/ana/dev/a b'"
    assert shell_path("/home/anabel/x", HOME) == "/home/anabel/x"
    assert shell_path("/home/ana/dev/x", HOME) == "~/dev/x"
    assert shell_path("/srv/x", "") == "/srv/x"


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=20).filter(lambda raw: b"\0" not in raw))
def test_a_quoted_word_means_itself_to_a_shell(raw: bytes) -> None:
    word = quoted(raw.decode("utf-8", "surrogateescape"))

    said = subprocess.run(
        ["bash", "-c", f"printf %s {word}"], capture_output=True, check=True, env={"LC_ALL": "C"}
    )

    assert said.stdout == raw
    assert not any(is_hostile(ord(character)) for character in word)


def test_hostile_names_reach_no_terminal(tmp_path: Path) -> None:
    name = "a\x1b]0;x\x07\u202eb\nc"
    status = state(project(name, dirty(1), path=f"{tmp_path}/{name}"))

    for shown in (text(status), text(status, everything=True), status_tsv(status)):
        assert all(line.replace("\t", "").isprintable() for line in shown.splitlines())


def test_a_narrow_line_gives_up_the_path_and_no_command() -> None:
    shown = status_text(
        state(project("shop", dirty(3))), now=NOW, home=HOME, everything=False, width=40
    ).splitlines()

    assert [line for line in shown if line.startswith("  shop ") and len(line) > 40] == []
    assert any(line.startswith("  shop               3 files") for line in shown)
    assert "    git -C ~/dev/shop status" in shown


def test_the_week_of_nights_stands_as_signs_behind_the_last_one() -> None:
    nights = (("2026-11-28", "ok"), ("2026-11-29", "failed"), ("2026-11-30", "none"))
    seen = Snapshot(
        "nightly", "2026-11-30", NOW, Thresholds(), (), health=78, tokens=1, runs=RunHealth(nights=nights)
    )

    shown = text(state(project("shop", SAVED), nightly_words="ok 3 h ago", seen=seen))

    assert "nightly    ok 3 h ago; ✓ ✗ ·\n" in shown
    assert "memory     78 % healthy, 1 token loaded at the start\n" in shown


def test_with_memories_the_state_still_fits_twelve_lines() -> None:
    seen = Snapshot("nightly", "2026-11-30", NOW, Thresholds(), (), health=78)
    projects = [project(f"p{number}", dirty()) for number in range(40)]

    shown = text(state(*projects, nightly_words="ok", seen=seen))

    assert len(shown.splitlines()) == 12
    assert "memory     78 % healthy" in shown


def lacking(*codes: str) -> Snapshot:
    """A snapshot with one thing to do: what a fresh clone of the shop lacks, by ``codes``."""
    action = Action(
        f"{HOME}/dev/shop",
        "shop",
        "bootstrap",
        "a fresh clone lacks a way to start and a test",
        "",
        f"zecher memory check -d {HOME}/dev/shop",
        codes[0],
        None,
        first_seen="2026-11-20",
        also=codes[1:],
    )
    return Snapshot("nightly", "2026-11-30", NOW, Thresholds(), (), health=78, todo=(action,))


def test_in_a_pipe_everything_includes_what_ails_the_memories_and_what_nobody_could_judge() -> None:
    status = state(project("shop", SAVED), seen=lacking("b-start", "b-verify"), unknown=(f"{HOME}/dev/odd",))

    assert status_tsv(status, everything=True) == (
        "name\twhat\tcount\tsince\tdetail\tpath\n"
        "\tunknown\t0\t\tnot known\t/home/ana/dev/odd\n"
        "shop\tb-start\t1\t2026-11-20\ta fresh clone lacks a way to start and a test\t/home/ana/dev/shop\n"
    )
    assert status_tsv(status) == "name\twhat\tcount\tsince\tdetail\tpath\n"


@pytest.mark.parametrize(
    ("silenced", "left"),
    [
        ("b-start", ["b-verify"]),
        ("b-verify", ["b-start"]),
        ("b-tasks", ["b-start"]),
    ],
)
def test_one_silenced_code_leaves_the_others_of_its_group(silenced: str, left: list[str]) -> None:
    status = state(project("shop", SAVED), seen=lacking("b-start", "b-verify"), silenced={("", silenced)})

    assert [one.code for one in status.actions(HOME)] == left


def test_a_group_is_silent_when_all_its_codes_are() -> None:
    silenced = {("", "b-start"), (f"{HOME}/dev/shop", "b-verify")}
    status = state(project("shop", SAVED), seen=lacking("b-start", "b-verify"), silenced=silenced)

    assert status.actions(HOME) == ()


def test_what_is_left_of_a_group_is_what_is_told() -> None:
    seen = lacking("b-start", "b-verify", "b-tasks")
    status = state(project("shop", SAVED), seen=seen, silenced={("", "b-start")})

    assert [one.fact for one in status.actions(HOME)] == [
        "a fresh clone lacks a test and a list of tasks with criteria"
    ]
