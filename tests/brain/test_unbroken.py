"""Stopping a run that publishes: before its first file is replaced nothing was, after that all is."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from brain.files import atomic
from brain.files.unbroken import Unbroken
from brain.portfolio import Facts, apply
from tests.brain.brains import ROOT, decide, facts, index

COUNT = 70
"""More cards than are staged at once."""


class Stopped(BaseException):
    """The wish to end."""


@pytest.fixture(params=["SIGALRM", "SIGTERM", "SIGHUP", "SIGINT"])
def stopping(request: pytest.FixtureRequest) -> Iterator[signal.Signals]:
    """A signal whose handler raises."""

    def handler(_number: int, _frame: FrameType | None) -> None:
        raise Stopped

    number = signal.Signals[request.param]
    before = signal.signal(number, handler)
    yield number
    signal.signal(number, before)


def projects(**other: str) -> list[Facts]:
    return [facts(f"{ROOT}/p{number:03d}", **other) for number in range(COUNT)]


def published(brain: Path) -> list[str]:
    return sorted(
        str(path.relative_to(brain)) for path in brain.rglob("*") if path.is_file() and path.suffix != ".lock"
    )


def counting(monkeypatch: pytest.MonkeyPatch, name: str, at: int, act: Callable[[], object]) -> list[int]:
    """Do ``act`` before the call of ``os.<name>`` number ``at``, counted from 1; what is returned counts."""
    calls = [0]
    real = getattr(os, name)

    def called(*arguments: object, **options: object) -> object:
        calls[0] += 1
        if calls[0] == at:
            act()
        return real(*arguments, **options)

    monkeypatch.setattr(f"brain.files.atomic.os.{name}", called)
    return calls


class Asked:
    """Raises when it is asked for the time number ``at``, counted from 1."""

    def __init__(self, at: int = 0) -> None:
        self.times = 0
        self._at = at

    def __call__(self) -> None:
        self.times += 1
        if self.times == self._at:
            raise Stopped


def test_somebody_is_asked_before_each_file_is_written_and_stored_and_before_the_first_is_replaced(
    brain: Path,
) -> None:
    asked = Asked()

    apply(decide(brain, projects()), str(brain), ask=asked)

    assert asked.times == 2 * (COUNT + 1) + 1


@pytest.mark.parametrize("at", [1, 2, 65, 129, 140, 2 * (COUNT + 1) + 1])
def test_a_stop_before_the_first_replacement_publishes_nothing_and_leaves_no_temporary_file(
    brain: Path, at: int
) -> None:
    with pytest.raises(Stopped):
        apply(decide(brain, projects()), str(brain), ask=Asked(at))

    assert published(brain) == []


def test_a_stop_before_the_first_replacement_leaves_all_that_stood_there(brain: Path) -> None:
    index(brain, *projects())
    old = {name: (brain / name).read_bytes() for name in published(brain)}

    with pytest.raises(Stopped):
        apply(decide(brain, projects(status="paused")), str(brain), ask=Asked(100))

    assert {name: (brain / name).read_bytes() for name in published(brain)} == old
    assert len(old) == COUNT + 1


@pytest.mark.parametrize("at", [1, 2, COUNT])
def test_a_signal_between_two_cards_waits_until_all_cards_and_the_page_stand(
    brain: Path, monkeypatch: pytest.MonkeyPatch, stopping: signal.Signals, at: int
) -> None:
    counting(monkeypatch, "link", at, lambda: os.kill(os.getpid(), stopping))

    with pytest.raises(Stopped):
        apply(decide(brain, projects()), str(brain))

    monkeypatch.undo()
    assert len(published(brain)) == COUNT + 1
    assert decide(brain, projects()).is_idle


def test_without_that_the_same_signal_leaves_cards_without_their_page(
    brain: Path, monkeypatch: pytest.MonkeyPatch, stopping: signal.Signals
) -> None:
    monkeypatch.setattr(Unbroken, "begin", lambda _: None)
    counting(monkeypatch, "link", 3, lambda: os.kill(os.getpid(), stopping))

    with pytest.raises(Stopped):
        apply(decide(brain, projects()), str(brain))

    assert len(published(brain)) == 2


def test_a_signal_while_a_stop_tidies_up_waits_until_no_temporary_file_is_left(
    brain: Path, monkeypatch: pytest.MonkeyPatch, stopping: signal.Signals
) -> None:
    calls = counting(monkeypatch, "unlink", 3, lambda: os.kill(os.getpid(), stopping))

    with pytest.raises(Stopped):
        apply(decide(brain, projects()), str(brain), ask=Asked(60))

    assert calls[0] > 3
    assert published(brain) == []


def test_after_a_card_that_somebody_saved_meanwhile_nobody_is_asked_any_more(
    brain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cards before it stand already, so the rest follows, with theirs kept."""
    index(brain, *projects())
    cards = sorted((brain / "projects").iterdir())
    asked = Asked(2 * (COUNT + 1) + 2)
    counting(
        monkeypatch, "replace", 5, lambda: cards[-1].write_bytes(b"notes: mine\n" + cards[-1].read_bytes())
    )

    result = apply(decide(brain, projects(status="paused")), str(brain), ask=asked)

    monkeypatch.undo()
    assert asked.times == 2 * (COUNT + 1) + 1
    assert b"notes: mine\n" in cards[-1].read_bytes()
    assert result.index_written
    assert decide(brain, projects(status="paused")).is_idle


def test_a_signal_between_two_tries_waits_as_well(
    brain: Path, monkeypatch: pytest.MonkeyPatch, stopping: signal.Signals
) -> None:
    index(brain, *projects())
    cards = sorted((brain / "projects").iterdir())

    def save() -> None:
        cards[-1].write_bytes(cards[-1].read_bytes() + b"# mine\n")
        os.kill(os.getpid(), stopping)

    counting(monkeypatch, "replace", 5, save)

    with pytest.raises(Stopped):
        apply(decide(brain, projects(status="paused")), str(brain))

    monkeypatch.undo()
    assert cards[-1].read_bytes().endswith(b"# mine\n")
    assert decide(brain, projects(status="paused")).is_idle


def test_after_the_writing_signals_arrive_as_before(brain: Path, stopping: signal.Signals) -> None:
    index(brain, *projects())

    with pytest.raises(Stopped):
        os.kill(os.getpid(), stopping)


def test_what_the_caller_had_put_off_stays_put_off(tmp_path: Path) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    try:
        atomic.replace_all([atomic.Write(str(tmp_path / "a"), b"new", None)], str(tmp_path))
        assert signal.SIGTERM in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_another_thread_writes_as_well(brain: Path) -> None:
    thread = threading.Thread(target=index, args=(brain, *projects()))
    thread.start()
    thread.join()

    assert len(published(brain)) == COUNT + 1
