"""Which tasks are evidence today, and in which words the others are refused."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.files.errors import MemError
from brain.outcomes.foreign_json import NotEligibleError
from brain.outcomes.hashes import Files
from brain.outcomes.nexus import Sources, accepted_source
from tests.brain.outcomes.nexus_project import Json, Project, compact, put, sealed, sha, source_of

Change = Callable[[Json], object]


def cause(project: Project, run_id: str = "one", task_id: str = "limit") -> str:
    with pytest.raises(MemError) as refusal:
        accepted_source(project.path, run_id, task_id)
    text = str(refusal.value)
    assert "\n" not in text
    return text


def attempt(run: Json) -> Json:
    last: Json = run["tasks"][0]["attempts"][-1]
    return last


def verification(run: Json) -> Json:
    value: Json = attempt(run)["verification"]
    return value


def test_an_accepted_task_with_current_evidence_is_a_source_in_the_published_order(project: Project) -> None:
    run = project.accept()
    found = accepted_source(project.path, "one", "limit")
    assert compact(found) == compact(source_of(run))


def test_a_missing_baseline_is_null(project: Project) -> None:
    project.accept(change=lambda run: attempt(run).pop("baseline"))
    assert accepted_source(project.path, "one", "limit")["baseline"] is None


NOT_ACCEPTED: list[tuple[str, Change, str]] = [
    ("rejected", lambda run: run["tasks"][0].update(integration="rejected"), "not accepted"),
    ("pending", lambda run: run["tasks"][0].update(integration="pending"), "not accepted"),
    ("never attempted", lambda run: run["tasks"][0].update(attempts=[]), "never attempted"),
    ("running", lambda run: attempt(run).update(execution="running"), "not completed"),
    ("failed", lambda run: attempt(run).update(execution="failed"), "not completed"),
    ("cancelled", lambda run: attempt(run).update(cancellation={"status": "requested"}), "not completed"),
    ("unverified", lambda run: verification(run).update(status="pending"), "not passed"),
    ("failed check", lambda run: verification(run).update(status="failed"), "not passed"),
    ("foreign verification", lambda run: verification(run).update(attemptId="other"), "not passed"),
    ("older attempt last", lambda run: run["tasks"][0]["attempts"].reverse(), "not completed"),
    ("no environment", lambda run: verification(run).pop("environment"), "environment"),
    ("other policy", lambda run: verification(run)["environment"].update(policy="full"), "another policy"),
    ("environment hash", lambda run: verification(run)["environment"].update(sha256="0" * 64), "environment"),
    ("exit code", lambda run: verification(run)["checks"][0].update(exitCode=1), "did not end well"),
    ("exit code false", lambda run: verification(run)["checks"][0].update(exitCode=False), "not end well"),
    ("no exit code", lambda run: verification(run)["checks"][0].update(exitCode=None), "not end well"),
    ("error", lambda run: verification(run)["checks"][0].update(error="spawn"), "not end well"),
    ("error object", lambda run: verification(run)["checks"][0].update(error={}), "not end well"),
    ("signal", lambda run: verification(run)["checks"][0].update(signal="SIGKILL"), "not end well"),
    ("check missing", lambda run: verification(run).update(checks=[]), "not the planned ones"),
    ("check of another", lambda run: verification(run)["checks"][0].update(id="lint"), "not the planned"),
    ("check elsewhere", lambda run: verification(run)["checks"][0].update(attemptId="x"), "another attempt"),
    (
        "check environment",
        lambda run: verification(run)["checks"][0].update(environment={}),
        "another attempt",
    ),
    ("scope hashes", lambda run: verification(run).update(scopeHashes={}), "scope was changed"),
    ("artifact hashes", lambda run: verification(run).update(artifactHashes={}), "artifact"),
    ("no acceptance", lambda run: run["tasks"][0].pop("integrationReceipt"), "acceptance"),
    (
        "acceptance of another",
        lambda run: run["tasks"][0]["integrationReceipt"].update(attemptId="x"),
        "last",
    ),
    ("other artifacts", lambda run: run["tasks"][0]["integrationReceipt"].update(artifactHashes={}), "last"),
    ("no time", lambda run: run["tasks"][0].pop("acceptedAt"), "time of acceptance"),
]


@pytest.mark.parametrize(
    ("change", "words"), [row[1:] for row in NOT_ACCEPTED], ids=[r[0] for r in NOT_ACCEPTED]
)
def test_a_task_is_refused_when_its_record_says(project: Project, change: Change, words: str) -> None:
    project.accept(change=change)
    assert words in cause(project)


DAMAGED: list[tuple[str, Change]] = [
    ("schema", lambda run: run.update(schemaVersion=2)),
    ("schema true", lambda run: run.update(schemaVersion=True)),
    ("id", lambda run: run.update(id="two")),
    ("sequence", lambda run: run.update(sequence="9")),
    ("sequence fraction", lambda run: run.update(sequence=9.5)),
    ("no tasks", lambda run: run.pop("tasks")),
    (
        "task not in plan",
        lambda run: run["tasks"].append({"id": "more", "integration": "pending", "attempts": []}),
    ),
    ("task without record", lambda run: run["plan"]["tasks"].append({"id": "more"})),
    (
        "another order",
        lambda run: (run["plan"]["tasks"].insert(0, {"id": "more"}), run["tasks"].append({"id": "more"})),
    ),
    ("task id", lambda run: run["tasks"][0].update(id="other")),
    (
        "task twice",
        lambda run: (
            run["tasks"].append(run["tasks"][0]),
            run["plan"]["tasks"].append(run["plan"]["tasks"][0]),
        ),
    ),
    ("integration", lambda run: run["tasks"][0].update(integration="maybe")),
    ("attempts", lambda run: run["tasks"][0].update(attempts={})),
    ("attempt twice", lambda run: run["tasks"][0]["attempts"].append(attempt(run))),
    ("attempt of another run", lambda run: attempt(run).update(runId="two")),
    ("attempt of another task", lambda run: attempt(run).update(taskId="two")),
    ("execution", lambda run: attempt(run).update(execution="done")),
    ("verification", lambda run: verification(run).update(status="green")),
    ("no verification", lambda run: attempt(run).pop("verification")),
    ("too many tasks", lambda run: run["plan"].update(tasks=[{"id": f"t{number}"} for number in range(201)])),
]


@pytest.mark.parametrize("change", [row[1] for row in DAMAGED], ids=[row[0] for row in DAMAGED])
def test_a_run_of_the_wrong_shape_is_damaged_though_its_hashes_fit(project: Project, change: Change) -> None:
    project.accept(change=change)
    assert cause(project).startswith(("the run is damaged", "the run has an unknown schema"))


def test_a_whole_number_may_be_written_as_a_float(project: Project) -> None:
    # JavaScript knows one kind of number, and hashes 9.0 as 9.
    run = project.run()
    text = sealed(run).replace('"sequence": 9,', '"sequence": 9.0,')
    project.write(".bmad-plus/nexus/runs/one.json", text)
    assert accepted_source(project.path, "one", "limit")["runId"] == "one"


def test_a_plan_that_was_changed_under_its_hash_is_refused(project: Project) -> None:
    run = json.loads(sealed(project.run()))["run"]
    run["plan"]["tasks"][0]["objective"] = "another"
    project.write(
        ".bmad-plus/nexus/runs/one.json",
        compact({"schemaVersion": 1, "sha256": sha(compact(run)), "run": run}),
    )
    assert cause(project) == "the run is damaged: its plan was changed"


def test_a_run_that_was_changed_under_its_envelope_is_refused(project: Project) -> None:
    project.accept()
    name = ".bmad-plus/nexus/runs/one.json"
    project.write(name, project.read(name).replace(": 9,", ": 10,"))
    assert cause(project) == "the run is damaged: its hash does not fit its content"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[NaN]", "not JSON"),
        (b"null", "envelope is not an object"),
        (b"[]", "envelope is not an object"),
        (b"{}", "content is not an object"),
        (b"[" * 100_000 + b"]" * 100_000, "not JSON"),
        (b'{"run":' * 50_000 + b"1" + b"}" * 50_000, "not JSON"),
        (b"9" * 100_000, "not JSON"),
    ],
    ids=[
        "empty",
        "torn",
        "mark",
        "bytes",
        "nan",
        "null",
        "list",
        "bare",
        "deep lists",
        "deep objects",
        "digits",
    ],
)
def test_a_run_file_of_garbage_is_refused(project: Project, data: bytes, words: str) -> None:
    put(project.root / ".bmad-plus/nexus/runs/one.json", "").write_bytes(data)
    assert words in cause(project)


def test_a_run_file_of_more_than_32_mib_is_refused(project: Project) -> None:
    project.accept()
    path = project.root / ".bmad-plus/nexus/runs/one.json"
    os.truncate(path, 32 * 1024 * 1024 + 1)
    assert "more than the cap" in cause(project)


def test_a_run_file_of_32_mib_is_read(project: Project) -> None:
    project.accept()
    path = project.root / ".bmad-plus/nexus/runs/one.json"
    path.write_bytes(path.read_bytes().rstrip().ljust(32 * 1024 * 1024))
    assert accepted_source(project.path, "one", "limit")["taskId"] == "limit"


def test_a_run_of_more_values_than_memory_should_hold_is_refused(project: Project) -> None:
    put(project.root / ".bmad-plus/nexus/runs/one.json", "[" + "[]," * 1_000_000 + "[]]")
    assert cause(project) == ".bmad-plus/nexus/runs/one.json: more values than a run can have"


def test_a_run_with_a_million_commas_in_its_output_is_read(project: Project) -> None:
    project.accept(change=lambda run: verification(run)["checks"][0].update(stdout="," * 1_000_000))
    assert accepted_source(project.path, "one", "limit")["taskId"] == "limit"


def test_a_run_or_a_task_that_does_not_exist_is_named(project: Project) -> None:
    assert cause(project) == ".bmad-plus/nexus/runs/one.json: no such file"
    project.accept()
    assert cause(project, "one", "other\n") == "the run has no task other\\x0a"


@pytest.mark.parametrize(
    "run_id", ["", "../one", "One", "-one", "_one", "a" * 65, "one/two", "é", "one.json"]
)
def test_a_run_id_that_is_none_never_becomes_a_path(project: Project, run_id: str) -> None:
    project.accept()
    assert cause(project, run_id).startswith("the run id is not")


@pytest.mark.parametrize("lock", ["writer.lock", "recovery.lock"])
def test_a_lock_of_the_runs_makes_them_ineligible_until_it_is_gone(project: Project, lock: str) -> None:
    project.accept()
    path = project.write(f".bmad-plus/nexus/{lock}", "{}")
    assert f".bmad-plus/nexus/{lock} is there" in cause(project)
    path.unlink()
    assert accepted_source(project.path, "one", "limit")["runId"] == "one"


# What the files hold now


def changed_file(project: Project) -> None:
    project.write("src/auth/keys/store.py", "KEYS = (1,)\n")


def new_file(project: Project) -> None:
    project.write("src/auth/new.py", "")


def removed_file(project: Project) -> None:
    (project.root / "src/auth/keys/store.py").unlink()


def linked_file(project: Project) -> None:
    (project.root / "src/auth/link").symlink_to("limit.py")


def dangling_link(project: Project) -> None:
    (project.root / "src/auth/link").symlink_to("nowhere")


def linked_folder(project: Project) -> None:
    (project.root / "src/auth/keys").rename(project.root / "keys")
    (project.root / "src/auth/keys").symlink_to("../../keys")


def linked_scope(project: Project) -> None:
    (project.root / "src").rename(project.root / "sources")
    (project.root / "src").symlink_to("sources")


def pipe(project: Project) -> None:
    os.mkfifo(project.root / "src/auth/pipe")


def large_file(project: Project) -> None:
    os.truncate(project.root / "src/auth/limit.py", 16 * 1024 * 1024 + 1)


def backslash(project: Project) -> None:
    project.write("src/auth/keys\\store.py", "KEYS = ()\n")


def scope_gone(project: Project) -> None:
    shutil.rmtree(project.root / "src")


def scope_is_no_folder(project: Project) -> None:
    shutil.rmtree(project.root / "src")
    project.write("src", "")


def changed_resource(project: Project) -> None:
    project.write("checks/unit.py", "assert 1\n")


def resource_gone(project: Project) -> None:
    (project.root / "checks/unit.py").unlink()


def resource_is_pipe(project: Project) -> None:
    (project.root / "checks/unit.py").unlink()
    os.mkfifo(project.root / "checks/unit.py")


def changed_checker(project: Project) -> None:
    project.checker.write_text("#!/bin/sh\nexit 1\n")


def checker_gone(project: Project) -> None:
    project.checker.unlink()


def checker_is_pipe(project: Project) -> None:
    project.checker.unlink()
    os.mkfifo(project.checker)


DISTURBANCES: list[tuple[Callable[[Project], None], str]] = [
    (changed_file, "changed, added or removed"),
    (new_file, "changed, added or removed"),
    (removed_file, "changed, added or removed"),
    (linked_file, "src/auth/link in the scope: a link"),
    (dangling_link, "src/auth/link in the scope: a link"),
    (linked_folder, "src/auth/keys in the scope: a link"),
    (linked_scope, "symbolic link"),
    (pipe, "neither a file nor a folder"),
    (large_file, "src/auth/limit.py: 16777217 bytes"),
    (backslash, "keys\\store.py"),
    (scope_gone, "changed, added or removed"),
    (scope_is_no_folder, "src/auth in the scope"),
    (changed_resource, "a resource"),
    (resource_gone, "checks/unit.py: no such file"),
    (resource_is_pipe, "checks/unit.py: not a regular file"),
    (changed_checker, "a program"),
    (checker_gone, "a program"),
    (checker_is_pipe, "a program"),
]


@pytest.mark.parametrize(
    ("disturb", "words"), DISTURBANCES, ids=[row[0].__name__.replace("_", " ") for row in DISTURBANCES]
)
def test_evidence_is_stale_after(project: Project, disturb: Callable[[Project], None], words: str) -> None:
    project.accept()
    accepted_source(project.path, "one", "limit")
    disturb(project)
    text = cause(project)
    assert words in text
    assert str(project.checker) not in text


def test_evidence_is_current_again_when_the_file_is_what_it_was(project: Project) -> None:
    project.accept()
    before = project.read("src/auth/limit.py")
    project.write("src/auth/limit.py", "LIMIT = 6\n")
    assert "changed" in cause(project)
    project.write("src/auth/limit.py", before)
    assert accepted_source(project.path, "one", "limit")["runId"] == "one"


def test_an_artifact_outside_the_scope_is_looked_at_too(project: Project) -> None:
    project.write("docs/limit.md", "# Limit\n")
    project.accept("one", project.plan(artifacts=["docs/limit.md"]))
    accepted_source(project.path, "one", "limit")
    project.write("docs/limit.md", "# Limits\n")
    assert cause(project) == "an artifact of the task has changed after the check"


def test_a_scope_may_be_a_single_file_and_may_not_exist_yet(project: Project) -> None:
    plan = project.plan(scope=["src/auth/limit.py", "src/later"])
    run = project.accept("one", plan)
    assert list(verification(run)["scopeHashes"]) == ["src/auth/limit.py"]
    assert accepted_source(project.path, "one", "limit")["scope"] == ["src/auth/limit.py", "src/later"]


def test_a_scope_of_10_000_files_is_read_and_one_more_is_refused(project: Project) -> None:
    for number in range(9_998):
        (project.root / f"src/auth/keys/{number}").touch()
    project.accept()
    assert accepted_source(project.path, "one", "limit")["runId"] == "one"
    (project.root / "src/auth/keys/more").touch()
    assert cause(project) == "the scope holds more than 10000 files"


@pytest.mark.parametrize(
    "name", ["../outside", "/etc/passwd", "src/../src/auth", "", "c:x", "src//auth", "a\0b"]
)
def test_a_path_in_the_plan_never_leads_out_of_the_project(project: Project, name: str) -> None:
    put(project.root.parent / "outside", "secret\n")
    hashes = {name: sha("secret\n")}
    project.accept(change=lambda run: run["plan"]["tasks"][0].update(resourceHashes=hashes))
    assert "a resource" not in cause(project)
    project.accept(change=lambda run: run["plan"]["tasks"][0].update(scope=[name]))
    assert "changed" not in cause(project)


@pytest.mark.parametrize("cwd", ["nowhere", "checks/unit.py", "..", "link"])
def test_the_folder_of_a_check_must_stand_in_the_project(project: Project, cwd: str) -> None:
    (project.root / "link").symlink_to("checks")
    project.accept(change=lambda run: run["plan"]["tasks"][0]["checks"][0].update(cwd=cwd))
    assert cause(project)
    project.accept(change=lambda run: run["plan"]["tasks"][0]["checks"][0].update(cwd="checks"))
    assert accepted_source(project.path, "one", "limit")["runId"] == "one"


def test_the_program_that_did_the_work_must_be_the_same(project: Project) -> None:
    worker = put(project.root.parent / "bin" / "worker", "#!/bin/sh\n")
    execution = {"command": str(worker), "commandHash": sha(worker.read_bytes()), "cwd": "."}
    project.accept("one", project.plan(execution=execution))
    accepted_source(project.path, "one", "limit")
    worker.write_text("#!/bin/sh\n\n")
    assert "a program" in cause(project)


def test_a_program_that_is_no_absolute_path_is_never_looked_up(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.checker.parent)
    project.accept(change=lambda run: run["plan"]["tasks"][0]["checks"][0].update(command="checker"))
    assert "a program" in cause(project)


@pytest.mark.parametrize("name", ["/bin/\ud800", "/bin/\0"])
def test_a_program_whose_name_no_file_can_have_is_none(project: Project, name: str) -> None:
    """JSON can write half of a character; the look-up ended in a UnicodeEncodeError."""
    assert Files(project.path, {}).program(name) is None


def test_a_remembered_program_is_read_again_when_it_was_saved(project: Project) -> None:
    project.accept()
    programs: dict[tuple[int, int, int, int, int], str] = {}
    accepted_source(project.path, "one", "limit", programs=programs)
    (known,) = programs
    status = project.checker.stat()
    project.checker.write_text("#!/bin/sh\nexit 1\n")
    os.utime(project.checker, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(NotEligibleError, match="a program"):
        accepted_source(project.path, "one", "limit", programs=programs)
    assert set(programs) > {known}


# Dependencies


def chain(project: Project, *, change: Change | None = None) -> None:
    project.write("docs/a.md", "a\n")
    first = project.plan("first", scope=["docs"], artifacts=["docs/a.md"])
    project.accept("one", project.plan(dependsOn=["first"]), first, change=change)


def test_a_task_stands_on_tasks_that_are_accepted_and_current(project: Project) -> None:
    chain(project)
    assert accepted_source(project.path, "one", "limit")["taskId"] == "limit"


def test_a_dependency_that_is_not_accepted_takes_the_task_with_it(project: Project) -> None:
    chain(project, change=lambda run: run["tasks"][1].update(integration="pending"))
    assert cause(project) == "the task first is not accepted"


def test_a_dependency_whose_files_changed_takes_the_task_with_it(project: Project) -> None:
    chain(project)
    project.write("docs/a.md", "b\n")
    assert "changed, added or removed" in cause(project)
    assert "changed" in cause(project, "one", "first")


def test_tasks_that_depend_on_each_other_are_refused(project: Project) -> None:
    chain(project, change=lambda run: run["plan"]["tasks"][1].update(dependsOn=["limit"]))
    assert cause(project) == "the tasks of the run depend on each other in a circle"


def test_a_dependency_that_the_run_does_not_have_is_refused(project: Project) -> None:
    chain(project, change=lambda run: run["plan"]["tasks"][0].update(dependsOn=["missing"]))
    assert cause(project) == "a task depends on missing, which the run does not have"


def test_a_task_may_stand_on_another_in_two_ways(project: Project) -> None:
    plans = [
        project.plan("base"),
        project.plan("left", dependsOn=["base"]),
        project.plan("right", dependsOn=["base"]),
    ]
    project.accept("one", project.plan(dependsOn=["left", "right", "base"]), *plans)
    assert accepted_source(project.path, "one", "limit")["taskId"] == "limit"


def test_tasks_that_share_dependencies_are_looked_at_once(project: Project) -> None:
    # Thirty levels of two tasks that both stand on both below: a billion ways, sixty tasks.
    plans = [
        project.plan(f"{side}{level}", dependsOn=[f"a{level + 1}", f"b{level + 1}"] if level < 29 else [])
        for level in range(30)
        for side in "ab"
    ]
    project.accept("one", *plans)
    assert accepted_source(project.path, "one", "a0")["taskId"] == "a0"


def test_a_chain_of_200_tasks_is_followed(project: Project) -> None:
    plans = [
        project.plan(f"t{number}", dependsOn=[f"t{number + 1}"] if number < 199 else [])
        for number in range(200)
    ]
    project.accept("one", *plans)
    assert accepted_source(project.path, "one", "t0")["taskId"] == "t0"


# Places


def test_a_moved_project_is_told_so_without_foreign_paths(project: Project) -> None:
    project.accept()
    there = project.root.parent / "elsewhere"
    project.root.rename(there)
    with pytest.raises(NotEligibleError) as refusal:
        accepted_source(str(there), "one", "limit")
    assert str(refusal.value) == (
        "the run belongs to another folder: the project was moved or copied after the run was recorded, "
        "and its evidence stays with the old place; move it back, let zecher doctor --reanchor make it this "
        "folder's own, or have the task verified and accepted here and observe it again"
    )


@pytest.mark.parametrize("link", [".bmad-plus", ".bmad-plus/nexus", ".bmad-plus/nexus/runs"])
def test_runs_behind_a_link_are_not_read(project: Project, link: str) -> None:
    project.accept()
    place = project.root / link
    place.rename(project.root / "moved")
    place.symlink_to(project.root / "moved")
    assert "symbolic link" in cause(project)


def test_a_run_file_that_is_a_link_or_a_pipe_is_not_read(project: Project) -> None:
    project.accept()
    path = project.root / ".bmad-plus/nexus/runs/one.json"
    path.rename(project.root / "one.json")
    path.symlink_to(project.root / "one.json")
    assert "symbolic link" in cause(project)
    path.unlink()
    os.mkfifo(path)
    assert "not a regular file" in cause(project)


def test_a_reader_of_several_tasks_reads_each_file_once(project: Project) -> None:
    chain(project)
    sources = Sources(project.path)
    first = sources.accepted("one", "first")
    (project.root / "docs/a.md").write_text("changed\n")
    # One instance stands for one moment; a new one sees the change.
    assert sources.accepted("one", "first") == first
    assert "changed" in cause(project, "one", "first")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a JSON value."""
    found = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += [(value, key), *places(inner)]
    return found


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_run_with_anything_in_any_place_is_refused_or_read_but_never_fails(
    project: Project, data: st.DataObject
) -> None:
    run = json.loads(compact(project.run()))
    container, key = data.draw(st.sampled_from(range(len(places(run)))).map(lambda at: places(run)[at]))
    container[key] = data.draw(json_values)
    if not isinstance(run.get("plan"), dict):
        return
    project.write(".bmad-plus/nexus/runs/one.json", json.dumps(json.loads(sealed(run))))
    with suppress(MemError):
        assert accepted_source(project.path, "one", "limit")["runId"] == "one"


def test_nothing_is_written_while_runs_are_read(project: Project, tmp_path: Path) -> None:
    project.accept()
    before = {path: path.lstat().st_mtime_ns for path in tmp_path.rglob("*")}
    accepted_source(project.path, "one", "limit")
    assert {path: path.lstat().st_mtime_ns for path in tmp_path.rglob("*")} == before
