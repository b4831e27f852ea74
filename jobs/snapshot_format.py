"""How a snapshot stands in its file: compact JSON, what is as usual left out.

Version 1 knew neither health nor findings nor what a report says of the runs; it is still read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeVar

from reports.actions import Action
from reports.snapshot import (
    Dreaming,
    DreamNote,
    FindingNote,
    HealthNote,
    LoopNote,
    Noted,
    Repeat,
    RiskNote,
    RunHealth,
    Snapshot,
)
from reports.view import iso_time, parse_iso_time
from scanner.project import Coverage, Problem, Thresholds

_VERSION = 2
_READ = (1, 2)

_T = TypeVar("_T")


def snapshot_bytes(snapshot: Snapshot) -> bytes:
    """The file for ``snapshot``. Odd bytes of a path are escapes that read back as they were."""
    document: dict[str, object] = {
        "v": _VERSION,
        "job": snapshot.job,
        "slot": snapshot.slot,
        "taken": iso_time(snapshot.taken),
        "thresholds": [snapshot.thresholds.active, snapshot.thresholds.paused],
        "projects": [_project_document(project) for project in snapshot.projects],
    }
    rest = _document(snapshot)
    document |= {key: rest[key] for key in rest if key not in document}
    return json.dumps(document, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode() + b"\n"


def _project_document(project: Noted) -> dict[str, object]:
    return {"path": project.path, "name": project.name, "status": project.status, **_document(project)}


def _document(value: object) -> dict[str, object]:
    """The parts of a value by name; those that hold nothing are left out."""
    parts = {name: getattr(value, name) for name in _names(value)}
    return {name: _plain(part) for name, part in parts.items() if not _is_nothing(part)}


def _is_nothing(part: object) -> bool:
    """Zero and no are something: they differ from what is not known."""
    return part is None or (isinstance(part, (str, tuple, Mapping)) and not part)


def _names(value: object) -> tuple[str, ...]:
    names: tuple[str, ...] = getattr(type(value), "__match_args__", ())
    return names


def _plain(part: object) -> object:
    if isinstance(part, tuple):
        return [_plain(one) for one in part]
    if isinstance(part, Mapping):
        return {key: _plain(one) for key, one in sorted(part.items())}
    return _document(part) if _names(part) else part


def parse_snapshot(data: bytes) -> Snapshot:
    """The snapshot that ``data`` holds; ``ValueError`` for anything else."""
    try:
        document = json.loads(data)
        if document["v"] not in _READ:
            raise ValueError(f"its version is {str(document['v'])[:20]}")
        return _snapshot(_Parts(document))
    except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"it does not hold what Zecher wrote ({type(error).__name__})") from None


class _Parts:
    """The parts of one object of the file, each of its kind; ``TypeError`` for one of another."""

    __slots__ = ("_document",)

    def __init__(self, document: object) -> None:
        if not isinstance(document, dict):
            raise TypeError(document)
        self._document: dict[str, object] = document

    def required(self, key: str) -> object:
        return self._document[key]

    def text(self, key: str) -> str:
        return _text(self._document.get(key, ""))

    def texts(self, key: str) -> tuple[str, ...]:
        return self.each(key, _text)

    def whole(self, key: str) -> int:
        return _whole(self._document.get(key, 0))

    def number(self, key: str) -> float | None:
        return _number(self._document.get(key))

    def percent(self, key: str) -> int | None:
        value = self._document.get(key)
        return None if value is None else _whole(value)

    def switch(self, key: str) -> bool:
        value = self._document.get(key, False)
        if not isinstance(value, bool):
            raise TypeError(value)
        return value

    def maybe(self, key: str) -> bool | None:
        return None if self._document.get(key) is None else self.switch(key)

    def part(self, key: str, parse: Callable[[_Parts], _T]) -> _T | None:
        value = self._document.get(key)
        return None if value is None else parse(_Parts(value))

    def each(self, key: str, parse: Callable[[object], _T]) -> tuple[_T, ...]:
        return tuple(map(parse, _list(self._document.get(key, []))))

    def parts(self, key: str, parse: Callable[[_Parts], _T]) -> tuple[_T, ...]:
        return tuple(parse(_Parts(one)) for one in _list(self._document.get(key, [])))

    def by_name(self, key: str, parse: Callable[[object], _T]) -> dict[str, _T]:
        value = self._document.get(key, {})
        if not isinstance(value, dict):
            raise TypeError(value)
        return {_text(name): parse(one) for name, one in value.items()}


def _snapshot(parts: _Parts) -> Snapshot:
    taken = parse_iso_time(_text(parts.required("taken")))
    if taken is None:
        raise ValueError("it has no time")
    active, paused = _list(parts.required("thresholds"))
    return Snapshot(
        job=_text(parts.required("job")),
        slot=_text(parts.required("slot")),
        taken=taken,
        thresholds=Thresholds(_some_number(active), _some_number(paused)),
        projects=tuple(_project(_Parts(one)) for one in _list(parts.required("projects"))),
        actions=parts.by_name("actions", _whole),
        home=parts.text("home"),
        brain_path=parts.text("brain_path"),
        tool_version=parts.text("tool_version"),
        health=parts.percent("health"),
        brain_health=parts.part("brain_health", _health),
        todo=parts.parts("todo", _action),
        findings=parts.parts("findings", _finding),
        finding_counts=parts.by_name("finding_counts", _whole),
        silenced=parts.whole("silenced"),
        rules=parts.by_name("rules", _rule),
        review=parts.parts("review", _finding),
        repeats=parts.parts("repeats", _repeat),
        loads=parts.each("loads", _load),
        tokens=parts.whole("tokens"),
        sizes=parts.parts("sizes", _finding),
        trend=parts.each("trend", _named_count),
        days=parts.by_name("days", _whole),
        runs=parts.part("runs", _runs) or RunHealth(),
        coverage=parts.part("coverage", _coverage) or Coverage(),
        problems=parts.parts("problems", _problem),
        problem_counts=parts.by_name("problem_counts", _whole),
        written=parts.whole("written"),
        skipped=parts.whole("skipped"),
        missed_slots=parts.whole("missed_slots"),
        clock_suspicious=parts.switch("clock_suspicious"),
        export=parts.text("export"),
        loops=parts.parts("loops", _loop),
        loop_counts=parts.by_name("loop_counts", _whole),
        dreaming=parts.part("dreaming", _dreaming),
    )


def _project(parts: _Parts) -> Noted:
    return Noted(
        id=parts.text("id"),
        path=_text(parts.required("path")),
        name=_text(parts.required("name")),
        status=_text(parts.required("status")),
        stack=parts.text("stack"),
        labels=parts.texts("labels"),
        reason=parts.text("reason"),
        risks=parts.texts("risks"),
        first_seen=parts.text("first_seen"),
        last_activity=parts.number("last_activity"),
        source=parts.text("source"),
        branch=parts.text("branch"),
        remote=parts.maybe("remote"),
        risk=parts.part("risk", _risk),
        health=parts.part("health", _health),
        next_step=parts.text("next_step"),
    )


def _risk(parts: _Parts) -> RiskNote:
    return RiskNote(
        changed=parts.whole("changed"),
        changed_capped=parts.switch("changed_capped"),
        only_here=parts.whole("only_here"),
        capped=parts.switch("capped"),
        branches=parts.texts("branches"),
        stashes=parts.whole("stashes"),
        in_progress=parts.text("in_progress"),
        no_remote=parts.switch("no_remote"),
        since=parts.number("since"),
    )


def _health(parts: _Parts) -> HealthNote:
    return HealthNote(
        percent=parts.percent("percent"),
        tokens=parts.whole("tokens"),
        top=parts.text("top"),
        top_code=parts.text("top_code"),
        errors=parts.whole("errors"),
        warnings=parts.whole("warnings"),
        infos=parts.whole("infos"),
        silenced=parts.whole("silenced"),
    )


def _action(parts: _Parts) -> Action:
    return Action(
        path=parts.text("path"),
        name=parts.text("name"),
        kind=parts.text("kind"),
        fact=parts.text("fact"),
        why=parts.text("why"),
        command=parts.text("command"),
        code=parts.text("code"),
        since=parts.number("since"),
        weight=parts.number("weight") or 0.0,
        first_seen=parts.text("first_seen"),
        weeks=parts.whole("weeks"),
        also=parts.texts("also"),
    )


def _finding(parts: _Parts) -> FindingNote:
    return FindingNote(
        code=parts.text("code"),
        level=parts.text("level"),
        path=parts.text("path"),
        name=parts.text("name"),
        file=parts.text("file"),
        line=parts.whole("line"),
        message=parts.text("message"),
        fix=parts.text("fix"),
        first_seen=parts.text("first_seen"),
        since=parts.text("since"),
    )


def _loop(parts: _Parts) -> LoopNote:
    return LoopNote(
        id=parts.text("id"),
        kind=parts.text("kind"),
        state=parts.text("state"),
        text=parts.text("text"),
        path=parts.text("path"),
        name=parts.text("name"),
        file=parts.text("file"),
        line=parts.whole("line"),
        due=parts.text("due"),
        owner=parts.text("owner"),
    )


def _dreaming(parts: _Parts) -> Dreaming:
    return Dreaming(
        workspaces=parts.parts("workspaces", _dream),
        more=parts.whole("more"),
        outcome=parts.text("outcome"),
        at=parts.number("at"),
        done=parts.number("done"),
        promoted=parts.whole("promoted"),
        archived=parts.whole("archived"),
    )


def _dream(parts: _Parts) -> DreamNote:
    return DreamNote(
        path=parts.text("path"),
        name=parts.text("name"),
        at=parts.text("at"),
        outcome=parts.text("outcome"),
        proposed=parts.whole("proposed"),
        near=parts.whole("near"),
        unchanged=parts.whole("unchanged"),
        size=parts.whole("size"),
        budget=parts.whole("budget"),
    )


def _repeat(parts: _Parts) -> Repeat:
    return Repeat(parts.texts("titles"), parts.texts("projects"), parts.text("command"))


def _runs(parts: _Parts) -> RunHealth:
    return RunHealth(
        nights=parts.each("nights", _two_texts),
        median=parts.number("median"),
        longest=parts.number("longest"),
        counts=parts.by_name("counts", _whole),
        errors=parts.each("errors", _two_texts),
        next_run=parts.number("next_run"),
        missed_weeks=parts.whole("missed_weeks"),
        damaged=parts.whole("damaged"),
    )


def _coverage(parts: _Parts) -> Coverage:
    return Coverage(
        directories=parts.whole("directories"),
        entries=parts.whole("entries"),
        pruned=parts.each("pruned", _named_count),
        unreadable=parts.texts("unreadable"),
        cut_by_depth=parts.whole("cut_by_depth"),
        deadline_hit=parts.switch("deadline_hit"),
        over_budget=parts.texts("over_budget"),
        placeholders=parts.whole("placeholders"),
    )


def _problem(parts: _Parts) -> Problem:
    return Problem(
        parts.text("code"), parts.text("level"), parts.text("path"), parts.text("message"), parts.text("fix")
    )


# -- single values -------------------------------------------------------------------------------------------


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(value)
    return value


def _some_number(value: object) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError(value)
    return float(value)


def _number(value: object) -> float | None:
    return None if value is None else _some_number(value)


def _two_texts(value: object) -> tuple[str, str]:
    one, two = _list(value)
    return _text(one), _text(two)


def _named_count(value: object) -> tuple[str, int]:
    name, count = _list(value)
    return _text(name), _whole(count)


def _rule(value: object) -> tuple[int, int, int]:
    passed, failed, beside = map(_whole, _list(value))
    return passed, failed, beside


def _load(value: object) -> tuple[str, str, int, int | None]:
    name, file, tokens, limit = _list(value)
    return _text(name), _text(file), _whole(tokens), None if limit is None else _whole(limit)
