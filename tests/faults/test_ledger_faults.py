"""Faults at the system call while a ledger is written: killed, or refused, at each that changes the disk.

A clean run is recorded with strace; then it is repeated, each time with another one of its calls killed or
failing. After each, every ledger is the old or the new one, what was acknowledged is there, and the next run
just works and leaves no litter. Without ``--full`` a sample of the calls is tried.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from brain.ledgers import scores
from tests.brain.ledgers.process import event
from tests.brain.ledgers.projects import TOP, memory, names, records
from tests.faults.strace import (
    ERRORS,
    KILL,
    Call,
    environment,
    needs_strace,
    record,
    run,
    run_with_fault,
    sample,
    skip_unless_allowed,
)

KINDS = ["event-fresh", "event-lived", "reward-fresh", "reward-lived"]
LEDGERS = ("journal.ndjson", "pattern-scores.json", "promotions.ndjson")
ONE_LINE = r"(cannot (read|write) |stored, but not confirmed to be durable: |/.+ was changed by ).+\n"

pytestmark = needs_strace


def command(project: Path) -> list[str]:
    kind = project.name.partition("-")[0]
    return [sys.executable, "-m", "tests.brain.ledgers.process", kind, str(project)]


def lay_out(home: Path, kind: str, name: str) -> Path:
    """A project for one run; a ``lived`` one has ledgers, a torn tail, and what a killed writer left."""
    project = home / f"{kind}-{name}"
    project.mkdir(parents=True)
    if "lived" not in kind:
        return project
    folder = memory(project)
    folder.mkdir(parents=True)
    (folder / "journal.ndjson").write_text(json.dumps(event("old", 1)) + '\n{"ts":"2026', encoding="utf-8")
    two = scores.update(scores.update(None, 1.0, None), 1.0, None)
    (folder / "pattern-scores.json").write_text(json.dumps({"hot": two}))
    (folder / "promotions.ndjson").write_text('{"patternId":"other","status":"PROPOSED"}\n{"pat')
    (folder / ".pattern-scores.json.1.0a1b2c3d.tmp").write_text("{")
    (folder / ".writer.lock.zecher").write_text('{"pid":1,"hostname":"h","token":"t"}')
    os.link(folder / ".writer.lock.zecher", folder / "writer.lock")
    return project


def ledgers(project: Path) -> dict[str, bytes]:
    """The bytes of each ledger that holds any."""
    paths = [memory(project) / name for name in LEDGERS]
    return {path.name: data for path in paths if path.exists() and (data := path.read_bytes())}


class Scene:
    """A way to begin, the clean run from there, and the calls in it."""

    def __init__(self, home: Path, kind: str) -> None:
        self.kind = kind
        self._home = home
        self._trials = 0
        project = lay_out(home, kind, "clean")
        self.old = ledgers(project)
        done, self.calls = record(command(project), home, [str(project), "writer.lock"])
        assert (done.returncode, done.stdout) == (0, "written\n"), done.stderr
        self.new = ledgers(project)
        assert names(project) == set(self.new) | self._litter()

    def _litter(self) -> set[str]:
        """An event has no business with what a killed writer of scores left."""
        return {".pattern-scores.json.1.0a1b2c3d.tmp"} if self.kind == "event-lived" else set()

    def trial(self, call: Call, fault: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
        self._trials += 1
        project = lay_out(self._home, self.kind, str(self._trials))
        return project, run_with_fault(command(project), project.parent, call, fault)

    def check(self, project: Path, *, acknowledged: bool) -> None:
        """Each ledger is the old or the new one; then the next run works, and leaves only ledgers."""
        before = ledgers(project)
        for name in set(self.old) | set(self.new):
            assert before.get(name) in (self.old.get(name), self.new.get(name)), name
        assert not acknowledged or before == self.new
        healed = run(command(project), project.parent)
        assert (healed.returncode, healed.stdout, healed.stderr) == (0, "written\n", "")
        assert names(project) == set(self.new) | self._litter()
        if self.kind.startswith("event"):
            self._check_journal(before.get("journal.ndjson"), project)
        else:
            self._check_scores(before.get("pattern-scores.json"), project)

    def _check_journal(self, before: bytes | None, project: Path) -> None:
        after = ledgers(project)["journal.ndjson"]
        new = self.new["journal.ndjson"]
        line = new[new.rstrip(b"\n").rfind(b"\n") + 1 :]
        assert after == (new + line if before == new else new)

    def _check_scores(self, before: bytes | None, project: Path) -> None:
        after = ledgers(project)
        assert after.get("promotions.ndjson") == self.new.get("promotions.ndjson")
        updates = json.loads(after["pattern-scores.json"])["hot"]["updates"]
        clean = json.loads(self.new["pattern-scores.json"])["hot"]["updates"]
        assert updates == (clean + 1 if before == self.new["pattern-scores.json"] else clean)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scene]:
    skip_unless_allowed()
    home = tmp_path_factory.mktemp("faults")
    return {kind: Scene(home, kind) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_a_recorded_run_has_calls_to_try(scenes: dict[str, Scene], kind: str) -> None:
    tried = {name for name, _ in scenes[kind].calls}
    assert {"openat", "write", "fsync", "flock", "fchmod", "linkat", "unlinkat"} <= tried
    assert ("rename" in tried) == (kind == "reward-lived")
    assert len(scenes[kind].calls) > 10


def test_the_clean_runs_did_what_they_are_for(scenes: dict[str, Scene]) -> None:
    assert scenes["event-lived"].new["journal.ndjson"].startswith(scenes["event-lived"].old["journal.ndjson"])
    lived = scenes["reward-lived"].new["promotions.ndjson"].split(b"\n")
    assert [line[:7] for line in lived] == [b'{"patte', b'{"pat', b'{"id":"', b""]


@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_any_call_nothing_is_lost_and_the_next_writer_just_works(
    scenes: dict[str, Scene], kind: str, full: bool
) -> None:
    scene = scenes[kind]
    for call in sample(scene.calls, full, 5):
        project, done = scene.trial(call, KILL)
        assert done.returncode in (-9, 137), (call, done)
        scene.check(project, acknowledged="written" in done.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_refused_at_any_call_it_says_so_in_one_line_and_nothing_is_lost(
    scenes: dict[str, Scene], kind: str, full: bool
) -> None:
    scene = scenes[kind]
    number = KINDS.index(kind)
    for call in sample(scene.calls, full, 3):
        for error in ERRORS if full else [ERRORS[number % len(ERRORS)]]:
            number += 1
            project, done = scene.trial(call, f"error={error}")
            assert done.returncode in (0, 1), (call, error, done)
            if done.returncode:
                assert re.fullmatch(ONE_LINE, done.stderr), (call, error, done.stderr)
            scene.check(project, acknowledged=done.returncode == 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_that_lasts_leaves_the_old(scenes: dict[str, Scene], kind: str) -> None:
    project, done = scenes[kind].trial(("fsync", 1), "error=ENOSPC")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    project = lay_out(project.parent / "lasting", kind, "fsync")
    done = run_with_fault(command(project), project.parent, "fsync", "error=ENOSPC")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "No space left on device" in done.stderr
    assert ledgers(project) == scenes[kind].old


def test_a_disk_that_is_full_refuses_the_event_and_keeps_the_journal(tmp_path: Path) -> None:
    """A real full disk: a small one of its own in a mount namespace, copied out afterwards."""
    begun = memory(lay_out(tmp_path, "event-lived", "full")) / "journal.ndjson"
    begun.write_bytes(b"{}" + b" " * 4083 + b"\n{}\n")  # six bytes are left in its page
    old = begun.read_bytes()
    (tmp_path / "disk").mkdir()
    script = (
        'mount -t tmpfs -o size=64k none "$0/disk" && cp -a "$0/event-lived-full" "$0/disk" || exit 99\n'
        'cat /dev/zero > "$0/disk/filler" 2>/dev/null; "$@"; code=$?\n'
        'cp -a "$0/disk/event-lived-full" "$0/after"; exit $code'
    )
    project = tmp_path / "disk" / "event-lived-full"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, str(tmp_path), *command(project)],
        cwd=TOP, env=environment(tmp_path), check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    if done.returncode == 99 or "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("no disk of its own here")
    assert done.returncode == 1
    assert re.fullmatch(r"cannot write /.*: (No space left|the file system stored fewer) .*\n", done.stderr)
    journal = (tmp_path / "after" / ".bmad" / "memory" / "journal.ndjson").read_bytes()
    assert journal == old


@pytest.mark.parametrize("blocks", [0, 1])
def test_a_limit_on_file_size_keeps_the_old_scores(tmp_path: Path, blocks: int) -> None:
    project = lay_out(tmp_path, "reward-lived", "limit")
    big = {f"pattern {number}": scores.update(None, 1.0, None) for number in range(100)}
    (memory(project) / "pattern-scores.json").write_text(json.dumps(big))
    old = ledgers(project)
    done = subprocess.run(
        ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", *command(project)],
        cwd=TOP, env=environment(tmp_path), check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert ("File too large" if not blocks else "cannot write") in done.stderr
    assert ledgers(project) == old


def test_a_plain_lock_file_of_a_killed_process_blocks_the_next(tmp_path: Path) -> None:
    """The harm that the kernel's lock beneath ours is there for."""
    project = lay_out(tmp_path, "event-fresh", "plain")
    memory(project).mkdir(parents=True)
    script = "import os,sys; os.open(sys.argv[1], os.O_CREAT | os.O_EXCL); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", script, memory(project) / "writer.lock"], check=False, timeout=60)
    assert run(command(project), project.parent).returncode == 1
    assert names(project) == {"writer.lock"}
    (memory(project) / "writer.lock").unlink()
    assert run(command(project), project.parent).returncode == 0
    assert len(records(memory(project) / "journal.ndjson")) == 1
