"""``zecher status``: nothing that exists only here is shown as clean, and what is saved is not cried over."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from jobs.codes import UNSAVED, read_codes
from tests.jobs.program import Program, folder_state
from tests.jobs.states import AT_RISK, CLEAN, LOOSE, Builder
from tests.support import GIT_ENVIRONMENT, Git, write


@pytest.fixture(scope="module")
def _states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            patch.delenv(name)
        for name, value in GIT_ENVIRONMENT.items():
            patch.setenv(name, value)
        root = tmp_path_factory.mktemp("states") / "dev"
        root.mkdir()
        Builder(Git(root.parent), root).build()
    return root


@pytest.fixture
def states(_states: Path, home: Path) -> Path:
    """The portfolio with every state, as the configured root; nobody changes it."""
    configure(home, _states)
    return _states


def configure(home: Path, *roots: Path) -> None:
    listed = ", ".join(f'"{root}"' for root in roots)
    write(home / ".config" / "zecher" / "config.toml", f"[scan]\nroots = [{listed}]\n")


def by_name(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in found}


@pytest.mark.usefixtures("states")
@pytest.mark.parametrize("options", [[], ["--git"]], ids=["own", "git"])
def test_every_state_of_unsaved_work_is_shown_and_none_as_clean(zecher: Program, options: list[str]) -> None:
    done = zecher("status", "--json", *options)

    assert done.code == 0
    data = done.data
    assert {name: tuple(one["what"]) for name, one in by_name(data["at_risk"]["projects"]).items()} == AT_RISK
    assert {name: tuple(one["flags"]) for name, one in by_name(data["loose_ends"]).items()} == LOOSE
    assert data["at_risk"]["ok"] is False
    assert data["at_risk"]["unknown"] == []
    assert data["portfolio"]["projects"] == len(AT_RISK) + len(LOOSE) + len(CLEAN)
    assert data["portfolio"]["submodules"] == 1


@pytest.mark.usefixtures("states")
def test_the_numbers_are_those_of_the_states(zecher: Program) -> None:
    found = by_name(zecher("status", "--json").data["at_risk"]["projects"])

    def git(name: str, *keys: str) -> tuple[object, ...]:
        return tuple(found[name]["git"][key] for key in keys)

    assert git("staged", "staged", "modified") == (1, 0)
    assert git("modified", "staged", "modified") == (0, 1)
    assert git("deleted", "deleted") == (1,)
    assert git("untracked", "untracked") == (1,)
    assert git("conflicted", "conflicted", "in_progress") == (1, "merge")
    assert git("dirty-worktree", "modified") == (1,)
    assert git("stash", "stashes", "oldest_stash") == (1, "2026-11-27T03:17:04Z")
    assert git("ahead", "only_here", "has_remote") == (1, True)
    assert git("no-remote", "only_here", "has_remote") == (1, False)
    states_found = {name: found[name]["git"]["in_progress"] for name in AT_RISK if name.endswith("ing")}
    assert states_found == {
        "merging": "merge",
        "rebasing": "rebase",
        "cherry-picking": "cherry-pick",
        "bisecting": "bisect",
    }
    branches = {name: by_name(found[name]["git"]["branches"]) for name in found}
    assert (branches["ahead"]["main"]["ahead"], branches["ahead"]["main"]["behind"]) == (1, 0)
    assert (branches["diverged"]["main"]["ahead"], branches["diverged"]["main"]["behind"]) == (1, 1)
    assert branches["no-upstream"]["topic"]["upstream"] is None
    assert branches["gone-upstream"]["side"]["gone"] is True
    assert branches["detached"]["(detached)"]["ahead"] == 1


@pytest.mark.usefixtures("states")
def test_the_unsaved_work_of_a_project_has_the_keys_of_the_contract(zecher: Program) -> None:
    (ahead,) = [
        one for one in zecher("status", "--json").data["at_risk"]["projects"] if one["name"] == "ahead"
    ]

    assert list(ahead["git"]) == [
        *("staged", "modified", "deleted", "untracked", "conflicted", "may_be_modified", "truncated"),
        *("branches", "only_here", "only_here_capped", "stashes", "oldest_stash", "in_progress"),
        *("has_remote", "risk"),
    ]
    assert list(ahead["git"]["branches"][0]) == ["name", "upstream", "ahead", "behind", "gone", "capped"]
    assert ahead["git"]["risk"] == {"what": ["unpushed"], "count": 1, "since": "2026-11-27T03:17:04Z"}


@pytest.mark.usefixtures("states")
def test_a_person_sees_each_of_them_on_demand(zecher: Program) -> None:
    shown = zecher.at_terminal("status", "-v", columns=200).out

    rows = [line.split()[0] for line in shown.splitlines() if line.startswith("  ") and "git -C" not in line]
    assert set(AT_RISK) <= set(rows)
    for name in LOOSE:
        assert f"/{name}: " in shown
    for name in CLEAN:
        assert f"/{name}\n" not in shown


@pytest.mark.usefixtures("states")
def test_a_person_gets_at_most_twelve_lines(zecher: Program) -> None:
    shown = zecher.at_terminal("status").out

    lines = shown.splitlines()
    assert len(lines) <= 12
    assert lines[1].startswith(f"at risk    {len(AT_RISK)} projects: ")
    assert any(line.endswith("more: zecher status -v") for line in lines)


@pytest.mark.usefixtures("states")
def test_a_pipe_gets_one_line_for_each_and_the_summary_on_the_other_stream(zecher: Program) -> None:
    done = zecher("status")

    lines = [line.split("\t") for line in done.out.splitlines()]
    assert lines[0] == ["name", "what", "count", "since", "detail", "path"]
    assert {line[0]: tuple(line[1].split(",")) for line in lines[1:] if line[1]} == AT_RISK
    assert {line[0] for line in lines[1:] if not line[1]} == set(LOOSE)
    assert f"at risk    {len(AT_RISK)} projects" in done.err


@pytest.mark.usefixtures("states")
def test_the_gravest_comes_first_and_every_action_has_its_command(zecher: Program) -> None:
    actions = zecher("status", "--json").data["actions"]

    assert [one["rank"] for one in actions] == list(range(1, len(actions) + 1))
    assert len(actions) == sum(map(len, AT_RISK.values()))
    assert {one["project"] for one in actions} == set(AT_RISK)
    codes = [one["code"] for one in actions]
    assert codes.index("dirty") < codes.index("stash") < codes.index("unpushed") < codes.index("no-remote")
    assert all(one["command"].startswith("git -C ") for one in actions)
    assert set(codes) <= set(read_codes())
    assert set(codes) <= set(UNSAVED)


@pytest.mark.usefixtures("states")
def test_unsaved_work_that_is_silenced_needs_nobody_and_is_counted(zecher: Program, states: Path) -> None:
    before = zecher("status", "--json").data
    assert zecher("ack", "no-remote", str(states / "no-remote"), "--until", "2026-11-30").code == 0

    data = zecher("status", "--json").data
    after_its_end = zecher("status", "--json", "--now", "2026-12-01T00:00:00Z").data

    gone = {(one["project"], one["code"]) for one in before["actions"]} - {
        (one["project"], one["code"]) for one in data["actions"]
    }
    assert gone == {("no-remote", "no-remote")}
    assert (before["silenced"], data["silenced"], after_its_end["silenced"]) == (0, 1, 0)
    assert data["at_risk"] == before["at_risk"]


def _without_cache(home: Path) -> dict[str, bytes]:
    return {name: data for name, data in folder_state(home).items() if not name.startswith(".cache/")}


def test_the_whole_portfolio_is_left_as_it_was(zecher: Program, states: Path, home: Path) -> None:
    before, own = folder_state(states), _without_cache(home)

    zecher("status", "--git")
    zecher("status", "--json")

    assert before == folder_state(states)
    assert own == _without_cache(home)


@pytest.mark.usefixtures("states")
def test_the_index_says_afterwards_what_is_at_risk(zecher: Program) -> None:
    assert zecher("scan", "--yes").code == 0

    shown = {
        flag: {line.split("\t")[1] for line in zecher("projects", "--flag", flag).out.splitlines()[1:]}
        for flag in ("at-risk", "unpushed", "no-upstream", "upstream-gone", "stash", "detached", "dirty")
    }

    unpushed = {name for name, what in AT_RISK.items() if "unpushed" in what}
    assert shown == {
        "at-risk": set(AT_RISK),
        "unpushed": unpushed,
        "no-upstream": {"no-upstream", "other-branch", "merged-no-upstream"},
        "upstream-gone": {"gone-upstream", "merged-gone"},
        "stash": {"stash"},
        "detached": {"detached"},
        "dirty": set(),
    }


@pytest.mark.usefixtures("states")
def test_a_scan_shows_unsaved_work_only_where_it_was_asked_for(zecher: Program) -> None:
    plain = by_name(zecher("scan", "--dry-run", "--json").data["projects"])
    asked = by_name(zecher("scan", "--dry-run", "--unsaved", "--json").data["projects"])

    assert {one["git"] for one in plain.values()} == {None}
    assert asked["clean"]["git"]["risk"] is None
    assert asked["modified"]["git"]["risk"]["what"] == ["uncommitted"]
    assert {"at-risk", "dirty"} <= set(asked["modified"]["flags"])
    assert {"at-risk", "dirty"}.isdisjoint(plain["modified"]["flags"])


# -- one repository is enough ------------------------------------------------------------------------------


@pytest.fixture
def saved(git: Git, home: Path, tmp_path: Path) -> Path:
    """One repository that is pushed whole, as the only project of the configured root."""
    path = git.repository("dev/shop", days=10, files={"pyproject.toml": '[project]\nname = "shop"\n'})
    git("clone", "-q", "--bare", str(path), str(tmp_path / "remote.git"))
    git("remote", "add", "origin", str(tmp_path / "remote.git"), cwd=path)
    git("fetch", "-q", "origin", cwd=path)
    git("branch", "-q", "-u", "origin/main", cwd=path)
    configure(home, path.parent)
    return path


@pytest.mark.usefixtures("saved")
def test_where_everything_is_saved_it_says_ok(zecher: Program) -> None:
    shown = zecher.at_terminal("status").out

    assert shown == "portfolio  1 project: 1 active\nok         nothing exists only here\n"
    assert zecher("status", "--json").data["at_risk"] == {"ok": True, "projects": [], "unknown": []}


def test_a_check_fails_only_where_something_is_at_risk(zecher: Program, saved: Path) -> None:
    before = zecher("status", "--check").code
    write(saved / "new.txt")

    done = zecher("status", "--check", "--json")

    assert before == 0
    assert done.code == 10
    assert done.document["ok"] is False
    assert zecher("status").code == 0


@pytest.mark.usefixtures("saved")
def test_the_documents_keys_are_those_of_the_contract(zecher: Program) -> None:
    document = zecher("status", "--json").document

    assert (document["schema"], document["schema_version"], document["ok"]) == ("zecher.status", 1, True)
    assert list(document["data"]) == [
        "portfolio",
        "at_risk",
        "loose_ends",
        "nightly",
        "memory",
        "loops",
        "dreaming",
        "orphans",
        "actions",
        "silenced",
    ]


def test_without_configured_roots_the_projects_of_the_index_are_looked_at(
    zecher: Program, saved: Path, home: Path, git: Git
) -> None:
    assert zecher("scan", "--yes").code == 0
    (home / ".config" / "zecher" / "config.toml").unlink()
    git.repository("dev/never-indexed")
    write(saved / "new.txt")

    data = zecher("status", "--json").data

    assert [one["name"] for one in data["at_risk"]["projects"]] == ["shop"]
    assert data["portfolio"]["projects"] == 1


def test_an_indexed_project_without_version_control_is_counted_as_its_card_says(
    zecher: Program, saved: Path, home: Path
) -> None:
    write(saved.parent / "loose" / "requirements.txt", "x\n", days=60)
    assert zecher("scan", "--yes").code == 0
    (home / ".config" / "zecher" / "config.toml").unlink()

    portfolio = zecher("status", "--json").data["portfolio"]

    assert {key: count for key, count in portfolio.items() if count} == {
        "projects": 2,
        "active": 1,
        "paused": 1,
        "unversioned": 1,
    }


@pytest.mark.usefixtures("saved")
def test_an_indexed_project_outside_the_roots_is_counted_as_not_looked_at(zecher: Program, git: Git) -> None:
    other = git.repository("work/api")
    assert zecher("scan", other.parent, "--yes").code == 0

    data = zecher("status", "--json").data

    assert (data["portfolio"]["elsewhere"], data["portfolio"]["projects"]) == (1, 1)


def test_an_indexed_project_that_is_gone_is_missing_and_no_error(
    zecher: Program, saved: Path, home: Path
) -> None:
    assert zecher("scan", "--yes").code == 0
    (home / ".config" / "zecher" / "config.toml").unlink()
    shutil.rmtree(saved)

    done = zecher("status", "--json")

    assert done.code == 0
    assert (done.data["portfolio"]["missing"], done.data["portfolio"]["projects"]) == (1, 1)


def test_without_anything_it_says_what_to_do(zecher: Program) -> None:
    done = zecher("status")

    assert done.code == 0
    assert "zecher scan PATH --yes finds projects and indexes them" in done.err


def test_a_root_that_is_missing_makes_the_result_partial(zecher: Program, saved: Path, home: Path) -> None:
    configure(home, saved.parent, Path("/no/such/root"))

    assert zecher("status").code == 3


def test_a_repository_that_cannot_be_read_is_not_called_ok(zecher: Program, saved: Path) -> None:
    (saved / ".git" / "HEAD").unlink()

    data = zecher("status", "--json").data

    assert data["at_risk"]["ok"] is False
    assert [one["path"] for one in data["at_risk"]["unknown"]] == [str(saved)]


@pytest.mark.usefixtures("home")
def test_what_has_no_version_control_is_counted_and_not_called_saved(zecher: Program, saved: Path) -> None:
    write(saved.parent / "loose" / "package.json", '{"name": "loose", "scripts": {"x": "y"}}')

    shown = zecher.at_terminal("status").out

    assert "not judged 1 without version control\n" in shown


@pytest.mark.usefixtures("saved")
def test_a_skipped_project_is_counted_and_not_shown(zecher: Program, git: Git) -> None:
    git.repository("dev/toy")
    done = zecher.at_terminal("scan", answers="c\nc\ns\n")
    assert "skipped from now on" in done.out

    data = zecher("status", "--json").data

    assert (data["portfolio"]["skipped"], data["portfolio"]["projects"]) == (1, 1)
    assert data["at_risk"]["projects"] == []


@pytest.mark.usefixtures("saved")
def test_git_is_asked_only_where_it_is_wanted(zecher: Program, tmp_path: Path) -> None:
    script = write(tmp_path / "bin" / "git", f"#!/bin/sh\necho ran >> '{tmp_path}/ran'\nexit 1\n")
    script.chmod(0o755)
    zecher.extra["PATH"] = f"{tmp_path}/bin:{os.environ['PATH']}"

    own = zecher("status", "--json")
    assert not (tmp_path / "ran").exists()
    asked = zecher("status", "--json", "--git")

    assert (tmp_path / "ran").exists()
    assert [problem["code"] for problem in asked.document["problems"]] == ["git-failed"]
    assert asked.data["at_risk"] == own.data["at_risk"]


@pytest.mark.usefixtures("saved")
def test_without_a_git_to_ask_it_says_so(zecher: Program) -> None:
    zecher.extra["PATH"] = "/nonexistent"

    done = zecher("status", "--git")

    assert (done.code, "[no-git]" in done.err) == (1, True)
