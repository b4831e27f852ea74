"""A portfolio made by hand: every state that unsaved work can be in, and what is saved whole."""

from __future__ import annotations

from pathlib import Path

from tests.support import Git, write

# Name of the project to what must be said of it: kinds of risk, in the order of their gravity.
AT_RISK: dict[str, tuple[str, ...]] = {
    "staged": ("uncommitted",),
    "modified": ("uncommitted",),
    "deleted": ("uncommitted",),
    "untracked": ("uncommitted",),
    "conflicted": ("uncommitted", "in-progress"),
    "ahead": ("unpushed",),
    "diverged": ("unpushed",),
    "no-upstream": ("unpushed",),
    "gone-upstream": ("unpushed",),
    "no-remote": ("no-remote",),
    "stash": ("stash",),
    "merging": ("in-progress",),
    "rebasing": ("in-progress",),
    "cherry-picking": ("in-progress",),
    "bisecting": ("in-progress",),
    "detached": ("unpushed",),
    "other-branch": ("unpushed",),
    "dirty-worktree": ("uncommitted",),
    "unborn": ("uncommitted",),
}
LOOSE = {
    "behind": ("behind",),
    "merged-no-upstream": ("no-upstream",),
    "merged-gone": ("upstream-gone",),
}
CLEAN = ("clean", "ignored-only", "touched", "with-submodule", "detached-on-remote")


class Builder:
    """Makes one pushed repository after the other and brings each into its state."""

    def __init__(self, git: Git, root: Path) -> None:
        self._git = git
        self._root = root
        self._remotes = root.parent / "remotes"

    def build(self) -> None:
        """All of them below the root; each name is a method here."""
        for name in (*AT_RISK, *LOOSE, *CLEAN):
            getattr(self, "_" + name.replace("-", "_"))(name)

    def _run(self, path: Path, *words: str, check: bool = True) -> str:
        return self._git(*words, cwd=path, days=3, check=check)

    def _pushed(self, name: str) -> Path:
        """A repository with three commits, all pushed, and a remote branch ``side`` of its own."""
        files = {"README.md": f"# {name}\n", "a.txt": "1\n", "b.txt": "1\n", ".gitignore": "*.log\n"}
        path = self._git.repository(f"{self._root.name}/{name}", days=10, files=files)
        remote = self._remotes / f"{name}.git"
        remote.parent.mkdir(exist_ok=True)
        self._run(self._root, "init", "-q", "--bare", str(remote))
        self._run(path, "remote", "add", "origin", str(remote))
        for number in (2, 3):
            self._commit(path, f"{number}")
        self._run(path, "push", "-q", "-u", "origin", "main")
        return path

    def _commit(self, path: Path, text: str, file: str = "a.txt") -> None:
        write(path / file, f"{text}\n")
        self._run(path, "add", "-A")
        self._run(path, "commit", "-q", "-m", text)

    def _branch(self, path: Path, name: str, text: str) -> None:
        """A pushed branch with one commit that changes a.txt, begun one commit back; main stays current."""
        self._run(path, "checkout", "-q", "-b", name, "HEAD~1")
        self._commit(path, text)
        self._run(path, "push", "-q", "-u", "origin", name)
        self._run(path, "checkout", "-q", "main")

    # -- changed files ---------------------------------------------------------------------------------------

    def _staged(self, name: str) -> None:
        path = self._pushed(name)
        write(path / "b.txt", "2\n", days=2)
        self._run(path, "add", "b.txt")

    def _modified(self, name: str) -> None:
        write(self._pushed(name) / "b.txt", "longer\n", days=2)

    def _deleted(self, name: str) -> None:
        (self._pushed(name) / "b.txt").unlink()

    def _untracked(self, name: str) -> None:
        write(self._pushed(name) / "new" / "file.txt", days=2)

    def _conflicted(self, name: str) -> None:
        path = self._pushed(name)
        self._branch(path, "side", "theirs")
        self._run(path, "merge", "side", check=False)

    def _dirty_worktree(self, name: str) -> None:
        path = self._pushed(name)
        self._branch(path, "side", "theirs")
        tree = self._root / f"{name}-tree"
        self._run(path, "worktree", "add", "-q", str(tree), "side")
        write(tree / "a.txt", "edited there\n", days=2)

    def _unborn(self, name: str) -> None:
        path = self._root / name
        path.mkdir(parents=True)
        self._run(path, "init", "-q")
        write(path / "first.txt", days=2)

    # -- commits ---------------------------------------------------------------------------------------------

    def _ahead(self, name: str) -> None:
        self._commit(self._pushed(name), "mine")

    def _behind(self, name: str) -> None:
        path = self._pushed(name)
        self._run(path, "reset", "-q", "--hard", "HEAD~1")

    def _diverged(self, name: str) -> None:
        path = self._pushed(name)
        self._run(path, "reset", "-q", "--hard", "HEAD~1")
        self._commit(path, "mine")

    def _no_upstream(self, name: str) -> None:
        path = self._pushed(name)
        self._run(path, "checkout", "-q", "--no-track", "-b", "topic")
        self._commit(path, "mine")

    def _other_branch(self, name: str) -> None:
        self._no_upstream(name)
        self._run(self._root / name, "checkout", "-q", "main")

    def _gone_upstream(self, name: str) -> None:
        path = self._pushed(name)
        self._branch(path, "side", "mine")
        self._run(path, "update-ref", "-d", "refs/remotes/origin/side")

    def _detached(self, name: str) -> None:
        path = self._pushed(name)
        self._run(path, "checkout", "-q", "--detach")
        self._commit(path, "mine")

    def _no_remote(self, name: str) -> None:
        self._git.repository(f"{self._root.name}/{name}", days=10)

    def _stash(self, name: str) -> None:
        path = self._pushed(name)
        write(path / "b.txt", "later\n")
        self._run(path, "stash", "-q")

    def _merged_no_upstream(self, name: str) -> None:
        self._run(self._pushed(name), "branch", "--no-track", "topic")

    def _merged_gone(self, name: str) -> None:
        path = self._pushed(name)
        self._run(path, "branch", "topic", "origin/main")
        self._run(path, "config", "branch.topic.merge", "refs/heads/topic")

    # -- in the middle of something --------------------------------------------------------------------------

    def _merging(self, name: str) -> None:
        path = self._pushed(name)
        self._branch(path, "side", "theirs")
        self._run(path, "merge", "-q", "--no-commit", "-s", "ours", "side")

    def _rebasing(self, name: str) -> None:
        path = self._pushed(name)
        todo = write(path.parent.parent / "todo", "#!/bin/sh\nprintf 'break\\n' > \"$1\"\n")
        todo.chmod(0o755)
        self._run(path, "-c", f"sequence.editor={todo}", "rebase", "-q", "-i", "HEAD~1")
        self._run(path, "reset", "-q", "--hard", "origin/main")

    def _cherry_picking(self, name: str) -> None:
        path = self._pushed(name)
        self._branch(path, "side", "theirs")
        self._run(path, "cherry-pick", "side", check=False)
        self._run(path, "checkout", "-q", "--ours", "a.txt")
        self._run(path, "add", "a.txt")

    def _bisecting(self, name: str) -> None:
        path = self._pushed(name)
        self._run(path, "bisect", "start", "HEAD", "HEAD~2")

    # -- saved whole -----------------------------------------------------------------------------------------

    def _clean(self, name: str) -> None:
        self._pushed(name)

    def _ignored_only(self, name: str) -> None:
        write(self._pushed(name) / "out.log")

    def _touched(self, name: str) -> None:
        write(self._pushed(name) / "b.txt", "1\n", days=1)

    def _with_submodule(self, name: str) -> None:
        path = self._pushed(name)
        source = self._remotes / f"{name}.git"
        self._run(path, "submodule", "add", "-q", str(source), "sub")
        self._run(path, "commit", "-q", "-m", "sub")
        self._run(path, "push", "-q")
        write(path / "sub" / "a.txt", "edited in the submodule\n")

    def _detached_on_remote(self, name: str) -> None:
        self._run(self._pushed(name), "checkout", "-q", "--detach", "origin/main")
