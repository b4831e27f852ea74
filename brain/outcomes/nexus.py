"""Says whether a task of a Nexus run is accepted and its evidence still current, reading only.

The rules are BMAD+'s: the task's last attempt was completed, independently verified and
accepted, and everything that the verification looked at (files in scope, artifacts, resources, the programs
that checked, their environment, the tasks it depends on) is today what it was then. How a run is laid out
stands in ``runs``.
"""

from __future__ import annotations

from brain.display import display
from brain.files.errors import MemError
from brain.outcomes.foreign_json import (
    NotEligibleError,
    Object,
    a_list,
    a_text,
    an_object,
    digest,
    is_said,
    is_zero,
    same,
    texts,
)
from brain.outcomes.hashes import Files, ProgramHashes
from brain.outcomes.runs import MAX_LIST, Run, read_run

ENVIRONMENT_POLICY = "minimal-local-v1"
_MAX_CHECKS = 30

Source = Object


def accepted_source(
    project: str, run_id: str, task_id: str, *, programs: ProgramHashes | None = None
) -> Source:
    """The ``source`` of a receipt for the task ``task_id``, its keys in the published order.

    ``project`` is a real path. ``programs`` as in ``hashes.Files``. ``NotEligibleError`` when the task cannot
    be evidence now; its text is the cause.
    """
    return Sources(project, programs).accepted(run_id, task_id)


class Sources:
    """Derives sources of one project; everything is read once, so an instance stands for one moment.

    Only the last run is kept in memory: ask for the tasks of one run one after the other.
    """

    __slots__ = ("_causes", "_files", "_project", "_refusal", "_run", "_run_id")

    def __init__(self, project: str, programs: ProgramHashes | None = None) -> None:
        self._project = project
        self._files = Files(project, {} if programs is None else programs)
        self._run_id: str | None = None
        self._run: Run | None = None
        self._refusal = ""
        self._causes: dict[str, str] = {}  # of the tasks of that run: why not, empty when current

    def accepted(self, run_id: str, task_id: str) -> Source:
        """As ``accepted_source``."""
        run = self._open(run_id)
        for name in _with_dependencies(run, task_id):
            self._must_be_current(run, name)
        return _source(run_id, task_id, run)

    def _open(self, run_id: str) -> Run:
        if self._run_id != run_id:
            self._run_id, self._run, self._causes = run_id, None, {}
            try:
                self._run = read_run(self._project, run_id)
            except MemError as error:
                self._refusal = str(error)
        if self._run is None:
            raise NotEligibleError(self._refusal)
        return self._run

    def _must_be_current(self, run: Run, task_id: str) -> None:
        """``NotEligibleError`` unless the task itself, whatever it depends on, is accepted and current."""
        if task_id not in self._causes:
            try:
                self._examine(run.plans[task_id], run.records[task_id], task_id)
                self._causes[task_id] = ""
            except MemError as error:
                self._causes[task_id] = str(error)
        if self._causes[task_id]:
            raise NotEligibleError(self._causes[task_id])

    def _examine(self, plan: Object, record: Object, task_id: str) -> None:
        if record.get("integration") != "accepted":
            raise NotEligibleError(f"the task {display(task_id)} is not accepted")
        attempt = _verified_attempt(record)
        verification = an_object(attempt.get("verification"), "a verification")
        environment = _sound_environment(verification)
        self._must_be_protected(plan)
        self._must_hold_the_same(plan, verification)
        _must_have_passed(plan, verification, a_text(attempt.get("id"), "the id of an attempt"), environment)

    def _must_be_protected(self, plan: Object) -> None:
        """The files that the plan declares as resources, and the programs that it runs, are unchanged."""
        recorded = an_object(plan.get("resourceHashes"), "the resource hashes")
        if self._files.of(list(recorded)) != recorded:
            raise NotEligibleError("a resource that the check relies on has changed since the plan was made")
        programs = [an_object(item, "a planned check") for item in _planned_checks(plan)]
        if plan.get("execution") is not None:
            programs.append(an_object(plan["execution"], "the execution"))
        for program in programs:
            if not self._files.folder_stands(a_text(program.get("cwd", "."), "the folder of a check")):
                raise NotEligibleError(
                    "the folder in which a check runs is gone, or is reached through a link"
                )
            command = a_text(program.get("command"), "the command of a check")
            if self._files.program(command) != a_text(program.get("commandHash"), "the hash of a program"):
                raise NotEligibleError(
                    "a program that checked or did the work has changed since the plan was made"
                )

    def _must_hold_the_same(self, plan: Object, verification: Object) -> None:
        scope = texts(plan.get("scope"), "the scope of a task", MAX_LIST)
        if self._files.below(scope) != verification.get("scopeHashes"):
            raise NotEligibleError("a file in the task's scope was changed, added or removed after the check")
        artifacts = texts(plan.get("artifacts"), "the artifacts of a task", MAX_LIST)
        if self._files.of(artifacts) != verification.get("artifactHashes"):
            raise NotEligibleError("an artifact of the task has changed after the check")


def _with_dependencies(run: Run, task_id: str) -> list[str]:
    """The task and all that it stands on, each once, before those that it depends on."""
    if task_id not in run.plans:
        raise NotEligibleError(f"the run has no task {display(task_id)}")
    names: dict[str, None] = {}
    ancestors: set[str] = set()
    pending = [(task_id, True)]
    while pending:
        name, enters = pending.pop()
        if not enters:
            ancestors.remove(name)
        elif name in ancestors:
            raise NotEligibleError("the tasks of the run depend on each other in a circle")
        elif name not in run.plans:
            raise NotEligibleError(f"a task depends on {display(name)}, which the run does not have")
        elif name not in names:
            names[name] = None
            ancestors.add(name)
            pending.append((name, False))
            needs = texts(run.plans[name].get("dependsOn", []), "the dependencies of a task", MAX_LIST)
            pending.extend((need, True) for need in reversed(needs))
    return list(names)


def _verified_attempt(record: Object) -> Object:
    """The task's last attempt, when it was completed and passed its verification."""
    attempts = a_list(record.get("attempts"), "the attempts of a task", MAX_LIST)
    if not attempts:
        raise NotEligibleError("the task was never attempted")
    attempt = an_object(attempts[-1], "an attempt")
    verification = an_object(attempt.get("verification"), "a verification")
    cancellation = an_object(attempt.get("cancellation", {}), "a cancellation")
    if attempt.get("execution") != "completed" or cancellation.get("status") == "requested":
        raise NotEligibleError("the task's last attempt is not completed")
    if verification.get("status") != "passed" or verification.get("attemptId") != attempt.get("id"):
        raise NotEligibleError("the task's last attempt has not passed its own verification")
    return attempt


def _sound_environment(verification: Object) -> Object:
    environment = an_object(verification.get("environment"), "the environment of a verification")
    if environment.get("policy") != ENVIRONMENT_POLICY:
        raise NotEligibleError("the check ran in an environment of another policy; a fresh check is needed")
    if environment.get("sha256") != digest(environment.get("values")):
        raise NotEligibleError("the run is damaged: the hash of the check's environment does not fit")
    return environment


def _planned_checks(plan: Object) -> list[object]:
    return a_list(plan.get("checks"), "the checks of a task", _MAX_CHECKS)


def _must_have_passed(plan: Object, verification: Object, attempt_id: str, environment: Object) -> None:
    """Each planned check was made, in order, in this attempt and environment, and ended well."""
    planned = [an_object(item, "a planned check").get("id") for item in _planned_checks(plan)]
    made = [
        an_object(item, "a check") for item in a_list(verification.get("checks"), "the checks", _MAX_CHECKS)
    ]
    if [check.get("id") for check in made] != planned:
        raise NotEligibleError("the checks that were made are not the planned ones")
    for check in made:
        if not is_zero(check.get("exitCode")) or is_said(check.get("error")) or is_said(check.get("signal")):
            raise NotEligibleError("a check did not end well")
        if check.get("attemptId") != attempt_id or not same(check.get("environment"), environment):
            raise NotEligibleError("a check belongs to another attempt or environment")


def _source(run_id: str, task_id: str, run: Run) -> Source:
    """What a receipt says about the task, whose acceptance must be that of its last attempt."""
    plan, record = run.plans[task_id], run.records[task_id]
    attempt = _verified_attempt(record)
    verification = an_object(attempt.get("verification"), "a verification")
    acceptance = an_object(record.get("integrationReceipt"), "the acceptance")
    baseline = attempt.get("baseline")
    artifacts = an_object(acceptance.get("artifactHashes"), "the artifact hashes")
    if acceptance.get("attemptId") != attempt.get("id") or not same(
        artifacts, verification.get("artifactHashes")
    ):
        raise NotEligibleError("what was accepted is not the task's last attempt and its artifacts")
    return {
        "kind": "nexus",
        "runId": run_id,
        "taskId": task_id,
        "attemptId": attempt.get("id"),
        "verificationId": a_text(verification.get("id"), "the id of a verification"),
        "verificationSha256": digest(verification),
        "acceptedAt": a_text(record.get("acceptedAt"), "the time of acceptance"),
        "artifactHashes": artifacts,
        "resourceHashes": plan.get("resourceHashes"),
        "scope": plan.get("scope"),
        "objective": a_text(plan.get("objective"), "the objective of a task"),
        "baseline": baseline if is_said(baseline) else None,
    }
