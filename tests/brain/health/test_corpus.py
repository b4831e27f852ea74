"""How often the rules are right, on projects whose faults are known (``corpus/README.md``)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from brain.health.values import INFO, Finding
from jobs.health import HealthSettings, Subject, examine_all, subject_of
from jobs.portfolio import survey
from jobs.settings import RootGroup, ScanSettings
from scanner.project import Project, Root, Thresholds
from tests.brain.health.corpus_reader import Built, Case, Expected, Silent, build, cases
from tests.support import NOW

FAMILIES = {
    "p": "progress",
    "d": "decisions",
    "s": "entry files",
    "i": "init scripts",
    "b": "bootstrap",
    "g": "git",
    "m": "memory files",
    "l": "lessons",
    "x": "references, drift",
    "r": "restrictions",
    "bank": "banks",
}


@dataclass(frozen=True)
class Judged:
    """A project of the corpus with all that was found in it."""

    case: Case
    built: Built
    found: tuple[Finding, ...]

    def fits(self, finding: Finding, code: str, file: str, at: str) -> bool:
        """Whether ``finding`` is the one that is meant; without a file or a line any will do."""
        return (
            finding.code == code
            and (not file or finding.file == file)
            and (not at or finding.line == self.built.line(file, at))
        )

    def missed(self) -> Iterator[Expected]:
        """The faults that nobody found, or not with their level."""
        for one in self.case.expected:
            if not any(
                self.fits(finding, one.code, one.file, one.at) and finding.level == one.level
                for finding in self.found
            ):
                yield one

    def alarms(self) -> Iterator[tuple[Finding, bool]]:
        """All warnings and errors, each with whether it is right."""
        for finding in self.found:
            if finding.level != INFO:
                yield (
                    finding,
                    any(
                        self.fits(finding, one.code, one.file, one.at) and finding.level == one.level
                        for one in self.case.expected
                    ),
                )

    def told(self) -> Iterator[tuple[Silent, Finding]]:
        """The near misses that were taken for faults."""
        for one in self.case.silent:
            for finding in self.found:
                if finding.level != INFO and self.fits(finding, one.code, one.file, one.at):
                    yield one, finding


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Judged, ...]:
    """The whole corpus, built and examined once."""
    place = tmp_path_factory.mktemp("corpus")
    home = place / "home"
    built = [(case, build(case, place / "projects" / case.name, home)) for case in cases()]
    settings = HealthSettings(None, str(home), str(place / "state"), NOW, user=os.getuid())
    scanned = _scanned(place, settings)
    subjects = [_subject(case, one.root, scanned) for case, one in built]
    seen = examine_all(subjects, settings)
    assert not seen.problems
    return tuple(Judged(case, one, seen.healths[str(one.root)].findings) for case, one in built)


def _scanned(place: Path, settings: HealthSettings) -> dict[str, Project]:
    """What a scan sees of the projects with a history: their unsaved work."""
    group = RootGroup((Root(str(place / "projects")),), "all", ())
    wanted = ScanSettings(
        (group,), Thresholds(), str(place / "brain"), settings.state, settings.home, NOW, unsaved=True
    )
    return {one.path: one for one in survey(wanted).scan.projects}


def _subject(case: Case, root: Path, scanned: dict[str, Project]) -> Subject:
    if not case.has_history:
        return Subject(str(root), case.name, case.status, case.name)
    seen = subject_of(scanned[str(root)], case.name)
    return Subject(seen.path, seen.name, case.status, case.name, git=seen.git, vcs=seen.vcs)


def _family(code: str) -> str:
    start = code.partition("-")[0]
    return FAMILIES.get(start, start)


def _table(all_of: Iterable[str], right: Iterable[str]) -> str:
    whole, good = Counter(map(_family, all_of)), Counter(map(_family, right))
    return "\n".join(
        f"  {name:<20}{good[name]:>4} of {whole[name]:>4}  {good[name] / whole[name]:>6.1%}"
        for name in sorted(whole)
    )


def test_nineteen_of_twenty_warnings_and_errors_are_right(
    judged: tuple[Judged, ...],
) -> None:
    alarms = [(one, finding, right) for one in judged for finding, right in one.alarms()]
    codes = [finding.code for _, finding, _ in alarms]
    right = [finding.code for _, finding, good in alarms if good]
    wrong = "\n".join(
        f"  {one.case.name}: {finding.level} {finding.code} {finding.file}:{finding.line} {finding.message}"
        for one, finding, good in alarms
        if not good
    )

    assert len(right) / len(codes) >= 0.95, f"precision\n{_table(codes, right)}\nfalse alarms\n{wrong}"


def test_nine_of_ten_faults_that_were_put_in_are_found(judged: tuple[Judged, ...]) -> None:
    missed = [(one, fault) for one in judged for fault in one.missed()]
    codes = [fault.code for one in judged for fault in one.case.expected]
    found = Counter(codes) - Counter(fault.code for _, fault in missed)
    lost = "\n".join(
        f"  {one.case.name}: {fault.level} {fault.code} {fault.file} {fault.at!r} {fault.why}"
        for one, fault in missed
    )

    assert found.total() / len(codes) >= 0.9, f"recall\n{_table(codes, found.elements())}\nmissed\n{lost}"


def test_a_healthy_project_has_nothing_above_information(judged: tuple[Judged, ...]) -> None:
    told = [
        f"{one.case.name}: {finding.level} {finding.code} {finding.file}:{finding.line} {finding.message}"
        for one in judged
        if one.case.healthy
        for finding in one.found
        if finding.level != INFO
    ]

    assert told == []


def test_a_near_miss_is_taken_for_no_fault(judged: tuple[Judged, ...]) -> None:
    told = [
        f"{one.case.name}: {miss.what}: {finding.message}" for one in judged for miss, finding in one.told()
    ]

    assert told == []


def test_the_corpus_is_large_and_mixed_enough_to_judge_by(judged: tuple[Judged, ...]) -> None:
    languages = Counter(one.case.language for one in judged)

    assert len(judged) >= 90
    assert sum(one.case.healthy for one in judged) >= 25
    assert sum(len(one.case.expected) for one in judged) >= 200
    assert sum(len(one.case.silent) for one in judged) >= 30
    assert {_family(fault.code) for one in judged for fault in one.case.expected} == set(FAMILIES.values())
    assert {"de", "en", "fr", "ja", "ko", "tr"} <= set(languages)
    assert sum(one.case.has_history for one in judged) >= 10
