"""The one door to processes, tried on real ones."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

import jobs.processes
from jobs.processes import Answer, ProcessError, ask, find_program, start
from tests.support import write

ENVIRON = {"PATH": os.defpath, "LC_ALL": "C"}


def python(text: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", text]


def until(path: Path) -> str:
    """Words for a shell that wait for a file, a minute at most."""
    return f"n=0; while [ ! -e '{path}' ] && [ $n -lt 1200 ]; do sleep 0.05; n=$((n + 1)); done"


def is_gone(pid: int) -> bool:
    """Whether a process is over, waiting a moment for the kernel; a zombie counts as over."""
    for _ in range(1500):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_the_answer_holds_both_outputs_and_the_code() -> None:
    text = "import sys; print('out'); print('why', file=sys.stderr); sys.exit(3)"

    assert ask(python(text), ENVIRON, seconds=20) == Answer(3, b"out\n", b"why\n")


def test_a_signal_is_a_negative_code() -> None:
    answer = ask(python("import os; os.kill(os.getpid(), 9)"), ENVIRON, seconds=20)

    assert (answer.code, answer.reason) == (-9, "it ended with code -9")


def test_the_reason_is_what_it_wrote_on_one_line() -> None:
    assert Answer(1, b"", b"it failed:\n  no room\n").reason == "it failed: no room"


def test_what_is_given_arrives_whole_while_the_program_speaks() -> None:
    given = os.urandom(1_000_000)
    text = "import sys, shutil; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)"

    assert ask(python(text), ENVIRON, seconds=20, given=given, cap=2_000_000).out == given


def test_a_program_that_does_not_listen_is_no_error() -> None:
    assert ask(python("pass"), ENVIRON, seconds=20, given=b"x" * 1_000_000).code == 0


def test_it_reads_nothing_where_nothing_is_given() -> None:
    assert ask(python("import sys; print(len(sys.stdin.read()))"), ENVIRON, seconds=20).out == b"0\n"


def test_only_the_given_environment_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZECHER_SECRET", "x")
    text = "import os; print(os.environ.get('ZECHER_SECRET'), os.environ['A'], os.getcwd())"

    assert ask(python(text), {"A": "b"}, seconds=20).out == b"None b /\n"


def test_no_shell_looks_at_the_arguments(tmp_path: Path) -> None:
    word = f"$(touch {tmp_path}/ran); `id` *"

    assert ask([*python("import sys; print(sys.argv[1])"), word], ENVIRON, seconds=20).out.decode() == (
        word + "\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_output_beyond_the_cap_is_read_away() -> None:
    text = "import sys; sys.stdout.write('x' * 5_000_000); sys.stderr.write('y' * 5_000_000); sys.exit(7)"

    answer = ask(python(text), ENVIRON, seconds=20, cap=1000)

    assert answer == Answer(7, b"x" * 1000, b"y" * 1000, truncated=True)


def test_output_of_just_the_cap_is_whole() -> None:
    assert ask(python("print('x' * 9)"), ENVIRON, seconds=20, cap=10) == Answer(0, b"x" * 9 + b"\n", b"")


def test_a_program_without_end_is_ended_at_the_cap_where_that_is_asked_for() -> None:
    answer = ask(python("while True: print('x')"), ENVIRON, seconds=20, cap=1000, stop_at_cap=True)

    assert (answer.out, answer.truncated) == (b"x\n" * 500, True)


def test_a_program_that_hangs_is_ended_with_what_it_started() -> None:
    with pytest.raises(ProcessError, match="did not end within 1 s") as caught:
        ask(["/bin/sh", "-c", "sleep 60 & echo $!; wait"], ENVIRON, seconds=1)

    assert caught.value.timed_out
    assert is_gone(int(caught.value.said))


def test_what_a_program_leaves_in_the_background_neither_delays_nor_outlives_the_answer() -> None:
    text = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)"
    )
    began = time.monotonic()

    answer = ask(python(text), ENVIRON, seconds=50)

    assert time.monotonic() - began < 30
    assert is_gone(int(answer.out))


def test_a_program_that_closes_its_outputs_and_goes_on_is_waited_for() -> None:
    text = "import os, time; os.close(1); os.close(2); time.sleep(0.3); os._exit(5)"

    assert ask(python(text), ENVIRON, seconds=20).code == 5


@pytest.mark.parametrize("name", ["missing", "folder", "plain", "nul\0"])
def test_what_cannot_be_started_is_an_error_in_words(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    write(tmp_path / "plain")

    with pytest.raises(ProcessError, match="could not be started") as caught:
        ask([f"{tmp_path}/{name}"], ENVIRON, seconds=20)

    assert not caught.value.timed_out
    with pytest.raises(ProcessError, match="could not be started"):
        start([f"{tmp_path}/{name}"], ENVIRON)


def test_programs_are_looked_for_on_absolute_folders_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = write(tmp_path / "bin" / "tool")
    monkeypatch.chdir(tmp_path)

    assert find_program("tool", {"PATH": f"bin:{tmp_path}/bin"}) is None  # it may not be executed
    program.chmod(0o755)
    assert find_program("tool", {"PATH": "bin"}) is None
    assert find_program("tool", {"PATH": f"bin:{tmp_path}/bin"}) == str(program)


def test_a_child_goes_on_by_itself_and_its_end_is_seen(tmp_path: Path) -> None:
    child = start(["/bin/sh", "-c", f"{until(tmp_path / 'go')}; exit 4"], ENVIRON)

    assert child.code() is None
    assert child.wait(0.01) is None
    (tmp_path / "go").touch()
    assert (child.wait(60), child.code()) == (4, 4)


def test_a_child_may_end_its_own_way_when_it_is_asked_to_stop(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    text = (
        "import signal, sys, time, pathlib\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))\n"
        f"pathlib.Path({str(ready)!r}).touch()\n"
        "time.sleep(60)"
    )
    child = start(python(text), ENVIRON)
    while not ready.exists():
        time.sleep(0.01)

    child.ask_to_stop()

    assert child.wait(60) == 143
    child.ask_to_stop()  # and nothing happens to one that is over
    child.kill()


def test_a_child_that_does_not_stop_is_killed_with_what_it_started(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    text = (
        "import signal, subprocess, sys, time, os\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(note)!r} + '.new', 'w').write(str(child.pid))\n"
        f"os.rename({str(note)!r} + '.new', {str(note)!r})\n"
        "time.sleep(60)"
    )
    child = start(python(text), ENVIRON)
    while not note.exists():
        time.sleep(0.01)
    child.ask_to_stop()
    assert child.wait(0.2) is None

    child.kill()

    assert child.code() == -signal.SIGKILL
    assert is_gone(int(note.read_text()))


def test_nobody_waits_for_ever_for_a_child_that_cannot_be_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that waits for a disk that does not answer outlives even SIGKILL; here the signal is lost."""
    child = start(python("import time; time.sleep(60)"), ENVIRON)
    with monkeypatch.context() as deaf:
        deaf.setattr(os, "killpg", lambda *_: None)
        begun = time.monotonic()
        assert not child.kill(0.2)
        assert 0.2 <= time.monotonic() - begun < 30

    assert child.kill()
    assert child.code() == -signal.SIGKILL


def test_nobody_waits_for_ever_for_a_program_that_cannot_be_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.processes._KILL_SECONDS", 0.2)
    monkeypatch.setattr(os, "killpg", lambda *_: None)
    begun = time.monotonic()

    with pytest.raises(ProcessError) as caught:
        ask(["/bin/sh", "-c", until(tmp_path / "go")], ENVIRON, seconds=0.5)

    assert caught.value.timed_out
    assert time.monotonic() - begun < 30
    (left,) = jobs.processes._LEFT
    (tmp_path / "go").touch()
    assert left.wait(60) == 0


def test_where_the_system_cannot_be_asked_without_reaping_a_program_still_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "waitid")

    assert ask(python("print('out'); raise SystemExit(3)"), ENVIRON, seconds=20) == Answer(3, b"out\n", b"")


def test_no_open_file_of_ours_reaches_a_child(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)
        text = f"import os\ntry: os.fstat({lock.fileno()})\nexcept OSError: raise SystemExit(9)"

        assert ask(python(text), ENVIRON, seconds=20).code == 9
        assert start(python(text), ENVIRON).wait(20) == 9
