"""The state of the brain that holds for a project, each kind by its own conventions."""

from __future__ import annotations

import os
from collections.abc import Sequence

from brain import layout
from brain.locate import BMAD_GLOBAL, PORTFOLIO, Brain
from brain.memory_status.files import check_of, count_names, exists, look_at, look_at_identity
from brain.memory_status.values import BrainStatus, Check, FileStatus, Score
from brain.problem import Problem
from brain.project_cards import INDEX_NAME, read_portfolio
from brain.wording import plural


def brain_status(brain: Brain) -> BrainStatus:
    """The state of ``brain``; one that is not there yet has one check, which fails."""
    present = os.path.isdir(brain.path)
    checks = [_found(brain, present)]
    files: tuple[FileStatus, ...] = ()
    entry_point, compatible = None, None
    if present and brain.type == BMAD_GLOBAL:
        files = _global_files(brain.path)
        compatible = _compatible(brain.path, files)
        checks += [
            *(check_of(file) for file in files),
            *_card_checks(brain.path),
        ]
    elif present:
        entry_point = layout.entry_point(brain.path) if brain.type == PORTFOLIO else None
        files = _own_files(brain)
        checks += [check_of(file) for file in files]
        if brain.type == PORTFOLIO:
            checks.append(_entry_point_check(brain.path, entry_point))
    return BrainStatus(
        path=brain.path,
        type=brain.type,
        source=brain.source,
        present=present,
        files=files,
        projects=count_names(os.path.join(brain.path, layout.PROJECTS), ".yaml"),
        has_index=exists(os.path.join(brain.path, INDEX_NAME)),
        entry_point=entry_point,
        compatible=compatible,
        checks=tuple(checks),
    )


def _found(brain: Brain, present: bool) -> Check:
    if brain.warnings:
        return Check("brain", False, "; ".join(brain.warnings), brain.path)
    why = f"{brain.type}, found by {brain.source}" if present else "none yet: `zecher memory init` makes it"
    return Check("brain", present, why, brain.path)


def _global_files(path: str) -> tuple[FileStatus, ...]:
    return (look_at_identity(path), *(look_at(path, name) for name in layout.NOTE_FILES))


def _compatible(path: str, files: tuple[FileStatus, ...]) -> Score:
    answers = [*(file.exists for file in files), exists(os.path.join(path, layout.PROJECTS))]
    return Score(sum(answers), len(answers))


def _own_files(brain: Brain) -> tuple[FileStatus, ...]:
    """Of a brain with its own conventions only what it has under the common names."""
    folder = layout.memory_folder(brain.path, brain.type)
    return tuple(
        look_at(folder, name) for name in layout.NOTE_FILES if os.path.lexists(os.path.join(folder, name))
    )


def _card_checks(path: str) -> list[Check]:
    """The cards, and the index page where there are cards that it should list."""
    folder, index = os.path.join(path, layout.PROJECTS), os.path.join(path, INDEX_NAME)
    if not os.path.isdir(folder):
        return [Check(layout.PROJECTS, False, "missing: `zecher memory init` makes it", folder)]
    portfolio = read_portfolio(path)
    faults = [problem for problem in portfolio.problems if problem.path != index]
    checks = [
        Check(layout.PROJECTS, not faults, _told(faults) or plural(len(portfolio.cards), "card"), folder)
    ]
    if portfolio.files or os.path.lexists(index):
        faults = [problem for problem in portfolio.problems if problem.path == index]
        lacks = "" if os.path.lexists(index) else "missing: `zecher scan` writes it"
        why = lacks or _told(faults)
        checks.append(Check(INDEX_NAME, not why, why or "there", index))
    return checks


def _told(faults: Sequence[Problem]) -> str:
    if not faults:
        return ""
    more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
    return f"{faults[0].path}: {faults[0].message}{more}"


def _entry_point_check(path: str, entry_point: str | None) -> Check:
    if entry_point:
        return Check("entry point", True, os.path.basename(entry_point), entry_point)
    return Check("entry point", False, f"none of {', '.join(layout.ENTRY_POINTS)}", path)
