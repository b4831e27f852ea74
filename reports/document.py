"""The JSON documents: one envelope, and the shape of a project and of a problem inside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reports.view import branch_words, has_odd_bytes, iso_time, json_for_terminal, path_bytes, safe_display
from scanner.project import Branch, Member, Problem, Project, Scan, Unsaved, Vcs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.locate import Brain

Document = dict[str, object]

SCHEMA_VERSION = 1


def envelope(
    command: str, now: float, data: Document | None, problems: tuple[Problem, ...], *, ok: bool
) -> Document:
    """The frame of every document; ``ok`` is true exactly when the command ends with exit code 0."""
    return {
        "schema": f"zecher.{command}",
        "schema_version": SCHEMA_VERSION,
        "generated_at": iso_time(now),
        "ok": ok,
        "data": data,
        "problems": [problem_document(problem) for problem in problems],
    }


def problem_document(problem: Problem) -> Document:
    """``code``, ``level``, ``path`` (or null), ``message``, ``fix`` of one problem."""
    return {
        "code": problem.code,
        "level": problem.level,
        **located(problem.path or None),
        "message": problem.message,
        "fix": problem.fix,
    }


def located(path: str | None) -> Document:
    """``path``, and ``path_b64`` with its bytes when they are not UTF-8."""
    if path is None or not has_odd_bytes(path):
        return {"path": path}
    return {"path": safe_display(path), "path_b64": path_bytes(path)}


def linked_document(brain: Brain) -> Document:
    """A brain as it was found: where, of what kind, by which rule."""
    return {
        **located(brain.path),
        "type": brain.type,
        "source": brain.source,
        "exists": brain.exists,
        "warnings": list(brain.warnings),
    }


def project_document(project: Project, identifier: str) -> Document:
    """One project with all facts that the scan knows; keys and their order are part of the contract."""
    stacks, activity = project.stacks, project.activity
    return {
        "id": identifier,
        **located(project.path),
        "name": project.name,
        "stack": stacks.primary,
        "stacks": [
            {
                "label": label.label,
                "role": label.role,
                "evidence": label.evidence,
                "confidence": label.confidence,
            }
            for label in stacks.labels
        ],
        "status": project.status.value,
        "status_reason": branch_words(project.status.reason),
        "last_activity": iso_time(activity.when),
        "activity_source": activity.source,
        "activity_confidence": activity.confidence,
        "activity_detail": branch_words(activity.detail),
        "mine": project.ownership.mine,
        "last_own_work": iso_time(project.ownership.last_own_work),
        "vcs": None if project.vcs is None else vcs_document(project.vcs),
        "git": None if project.git is None else unsaved_document(project.git),
        "has_git": project.has_git,
        "bmad_installed": project.bmad_installed,
        "agent_files": list(stacks.agent_files),
        "memory": list(stacks.memory),
        "workspace": stacks.workspace,
        "members": [member_document(member) for member in project.members],
        "nested": list(project.nested),
        "flags": list(project.flags),
        "package_manager": stacks.package_manager,
        "toolchains": dict(stacks.toolchains),
        "ci": list(stacks.ci),
        "containers": list(stacks.containers),
        "description": stacks.description,
    }


def member_document(member: Member) -> Document:
    """One package of a workspace."""
    return {
        "path": member.path,
        "name": member.name,
        "kind": member.kind,
        "stack": member.stack,
        "stacks": [label.label for label in member.stacks],
    }


def vcs_document(vcs: Vcs) -> Document:
    """Facts about a project's version control."""
    return {
        "kind": vcs.kind,
        "role": vcs.role,
        "common_dir": vcs.common_dir,
        "branch": branch_words(vcs.branch) if vcs.branch is not None else None,
        "head": vcs.head,
        "remote": vcs.remote,
        "object_format": vcs.object_format,
        "ref_storage": vcs.ref_storage,
        "shallow": vcs.shallow,
        "state": vcs.state,
        "worktrees": list(vcs.worktrees),
        "submodules": list(vcs.submodules),
    }


def unsaved_document(git: Unsaved) -> Document:
    """What exists on this machine only; ``risk`` is null where that is nothing."""
    risk = git.risk
    return {
        "staged": git.staged,
        "modified": git.modified,
        "deleted": git.deleted,
        "untracked": git.untracked,
        "conflicted": git.conflicted,
        "may_be_modified": git.may_be_modified,
        "truncated": git.truncated,
        "branches": [_branch_document(branch) for branch in git.branches],
        "only_here": git.only_here,
        "only_here_capped": git.only_here_capped,
        "stashes": git.stashes,
        "oldest_stash": iso_time(git.oldest_stash),
        "in_progress": git.in_progress,
        "has_remote": git.has_remote,
        "risk": None
        if risk is None
        else {"what": list(risk.what), "count": risk.count, "since": iso_time(risk.since)},
    }


def _branch_document(branch: Branch) -> Document:
    return {
        "name": branch_words(branch.name),
        "upstream": branch_words(branch.upstream) if branch.upstream is not None else None,
        "ahead": branch.ahead,
        "behind": branch.behind,
        "gone": branch.gone,
        "capped": branch.capped,
    }


def scan_document(
    scan: Scan, identifiers: Mapping[str, str], changes: Mapping[str, int], index: Document | None
) -> Document:
    """``data`` of ``zecher.scan``; ``identifiers`` by path, ``changes`` counts by kind of change."""
    coverage = scan.coverage
    by_status = dict.fromkeys(("active", "paused", "archived", "unknown"), 0)
    for project in scan.projects:
        by_status[project.status.value] = by_status.get(project.status.value, 0) + 1
    return {
        "roots": [{**located(root.path), "depth": root.depth} for root in scan.roots],
        "thresholds": {
            "active_days": _number(scan.thresholds.active),
            "paused_days": _number(scan.thresholds.paused),
        },
        "counts": {"projects": len(scan.projects), **by_status, **changes},
        "projects": [project_document(project, identifiers[project.path]) for project in scan.projects],
        "coverage": {
            "directories": coverage.directories,
            "entries": coverage.entries,
            "pruned": dict(coverage.pruned),
            "unreadable": list(coverage.unreadable),
            "cut_by_depth": coverage.cut_by_depth,
            "deadline_hit": coverage.deadline_hit,
            "over_budget": list(coverage.over_budget),
            "placeholders": coverage.placeholders,
        },
        "index": index,
    }


def change_document(
    kind: str, path: str, differences: Sequence[tuple[str, object, object]], old_path: str = ""
) -> Document:
    """One change of the index: what was and what will be, by key of the card; and whence a project moved."""
    return {
        "kind": kind,
        **located(path),
        **({"moved_from": located(old_path)} if old_path else {}),
        "differences": [{"key": key, "old": old, "new": new} for key, old, new in differences],
    }


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value


def to_json(document: Document) -> str:
    """One line of JSON with a final newline: always valid UTF-8, every hostile character escaped.

    Lone surrogates, which UTF-8 cannot hold, appear in their shown form.
    """
    import json  # noqa: PLC0415 - start-up: 7 ms that only --json should pay

    text = json.dumps(document, ensure_ascii=False, separators=(", ", ": "), allow_nan=False)
    if has_odd_bytes(text):
        text = json.dumps(_without_surrogates(document), ensure_ascii=False, separators=(", ", ": "))
    return json_for_terminal(text) + "\n"


def _without_surrogates(value: object) -> object:
    if isinstance(value, str):
        return safe_display(value) if has_odd_bytes(value) else value
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(held) for held in value]
    return value
