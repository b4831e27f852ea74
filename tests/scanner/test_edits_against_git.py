"""Any sequence of ordinary acts, with the real git as the judge of what is changed afterwards."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scanner.edits import newest_edit
from scanner.git import open_repository
from tests.support import DAY, NOW, Git, write

NAMES = ["a", "b.log", "src/a", "src/deep/a", "src/deep/b", "new/a", "new/sub/b", "out/a", "lib/a/b"]
CONTENTS = ["one\n", "two\n", "three\n", ""]
ACTS = [
    "write",
    "touch",
    "delete",
    "add",
    "add all",
    "commit",
    "checkout",
    "restore",
    "status",
    "mode",
    "rm",
    "stash",
    "pack",
]


@dataclass
class Desk:
    """A repository at which somebody works; every act has its own hour."""

    git: Git
    path: Path
    hours: int = 0
    dates: dict[str, float] = field(default_factory=dict)

    def now(self) -> float:
        self.hours += 1
        return 100 - self.hours / 24

    def act(self, act: str, name: str, text: str) -> None:
        file = self.path / name
        days = self.now()
        if act == "write":
            if file.is_dir() or any(above.is_file() for above in file.parents):
                return
            write(file, text, days=days)
        elif act == "touch" and file.is_file():
            os.utime(file, (NOW - days * DAY,) * 2)
        elif act == "delete" and file.is_file():
            file.unlink()
        elif act == "mode" and file.is_file():
            file.chmod(0o755)
        else:
            self._by_git(act, name, days)

    def _by_git(self, act: str, name: str, days: float) -> None:
        before = {path: os.lstat(path).st_mtime_ns for path in self._files()}
        command = {
            "add": ["add", name],
            "add all": ["add", "-A"],
            "commit": ["commit", "-q", "-m", "x"],
            "checkout": ["checkout", "-q", "--force", "HEAD~1"],
            "restore": ["checkout", "-q", "--", name],
            "status": ["status"],
            "rm": ["rm", "-q", "--cached", name],
            "stash": ["stash", "-q"],
            "pack": ["gc", "-q"],
        }.get(act)
        if command:
            self.git(*command, cwd=self.path, days=days, check=False)
        for path in self._files():
            if os.lstat(path).st_mtime_ns != before.get(path):
                os.utime(path, (NOW - days * DAY,) * 2)
        if act in ("checkout", "restore", "stash"):
            self.git("update-index", "-q", "--refresh", cwd=self.path, check=False)

    def _files(self) -> list[str]:
        return [
            os.path.join(folder, name)
            for folder, folders, names in os.walk(self.path)
            if ".git" not in folder.split("/")
            for name in names
        ]

    def newest_by_git(self, since: float) -> float | None:
        """The newest date of what git calls changed, staged or new; the index has that of a staged file."""
        staged_dates = self._index_dates()
        self.git("update-index", "-q", "--refresh", cwd=self.path, check=False)
        changed = self._listed("diff-files", "--name-only", "-z")
        staged = self._listed("diff-index", "--cached", "--name-only", "-z", "HEAD")
        new = self._listed("ls-files", "-o", "--exclude-standard", "-z")
        dates: list[float] = []
        for name in {*changed, *staged, *new}:
            file = self.path / name
            if not file.exists():
                continue
            only_staged = name not in changed and name not in new
            dates.append(staged_dates[name] if only_staged else os.lstat(file).st_mtime)
        return max((date for date in dates if date > since), default=None)

    def _listed(self, *command: str) -> set[str]:
        return {name for name in self.git(*command, cwd=self.path).split("\0") if name}

    def _index_dates(self) -> dict[str, float]:
        dates: dict[str, float] = {}
        name = ""
        for line in self.git("ls-files", "--debug", cwd=self.path).splitlines():
            if not line.startswith("  "):
                name = line
            elif line.startswith("  mtime: "):
                seconds, rest = line.removeprefix("  mtime: ").split(":")
                dates[name] = int(seconds) + int(rest) / 1e9
        return dates


def date_folders(path: Path) -> None:
    """Give every folder a date of today's ``NOW``, whatever the clock of the machine says."""
    for folder, _, _ in os.walk(path):
        os.utime(folder, (NOW, NOW))


def hold_against_git(examples: int) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(
        acts=st.lists(
            st.tuples(st.sampled_from(ACTS), st.sampled_from(NAMES), st.sampled_from(CONTENTS)),
            min_size=1,
            max_size=14,
        ),
        since_hours=st.integers(-24, 12),
    )
    def hold(acts: list[tuple[str, str, str]], since_hours: int) -> None:
        with TemporaryDirectory() as folder:
            git = Git(Path(folder))
            path = git.repository(
                "a",
                days=101,
                files={"a": "one\n", "src/a": "one\n", "src/deep/b": "1\n", ".gitignore": "*.log\nout/\n"},
            )
            git("config", "core.fileMode", "false", cwd=path)
            write(path / "src/a", "two\n", days=100.5)
            git("commit", "-qam", "two", cwd=path, days=100.5)
            desk = Desk(git, path)
            for act in acts:
                desk.act(*act)
            date_folders(path)
            since = NOW - (100 - since_hours / 24) * DAY
            with open_repository(str(path)) as repository:
                edit = newest_edit(repository, since=since, now=NOW)
            expected = desk.newest_by_git(since)
            assert edit.when == expected
            assert edit.may_be_modified == 0

    hold()


def test_whatever_was_done_the_newest_edit_is_the_newest_that_git_knows(full: bool) -> None:
    hold_against_git(400 if full else 25)
