"""Makes the pictures of the documentation; run by ``nox -s pictures``.

``docs/scan.svg`` is what ``scan`` prints at a terminal over repositories that are made for it; the pictures
of the dashboard are taken by a Chromium of a portfolio that never was, with the clock of the tests.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from reports.dashboard import dashboard_html
from scanner.value import replace
from tests.browser import Chromium, chromium
from tests.reports.portfolio import portfolio
from tests.support import DAY, GIT_ENVIRONMENT, NOW, write

DOCS = Path(__file__).parent.parent / "docs"

_COLUMNS = 104
_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace"
_WIDTH, _HEIGHT = 1120, 1560

# Place below the root, days since the last commit, a manifest, files changed since, whether it has a remote.
_PROJECTS: tuple[tuple[str, float, tuple[str, str], dict[str, str], bool], ...] = (
    ("work/storefront", 3, ("package.json", '{"dependencies": {"next": "15", "react": "19"}}'), {}, True),
    ("work/api", 0.3, ("pyproject.toml", '[project]\nname = "api"\ndependencies = ["fastapi"]\n'), {}, True),
    ("work/infra", 74, ("main.tf", 'resource "null_resource" "x" {}\n'), {}, True),
    (
        "clients/loyalty",
        21,
        ("pubspec.yaml", "name: loyalty\ndependencies:\n  flutter:\n    sdk: flutter\n"),
        {},
        False,
    ),
    ("clients/intranet", 410, ("composer.json", '{"require": {"laravel/framework": "^11"}}'), {}, True),
    (
        "oss/ripline",
        9,
        ("Cargo.toml", '[package]\nname = "ripline"\n\n[dependencies]\naxum = "0.8"\n'),
        {"x.rs": "//\n"},
        True,
    ),
    ("oss/ledger", 128, ("go.mod", "module ledger\n"), {}, True),
    ("play/synth", 820, ("project.godot", "config_version=5\n"), {}, False),
)


def main() -> int:
    """Write all pictures; without a Chromium only that of the terminal."""
    with tempfile.TemporaryDirectory() as scratch:
        _terminal(Path(scratch))
        program = chromium()
        if program is None:
            sys.stderr.write("no Chromium here: the pictures of the dashboard stay as they are\n")
            return 1
        _dashboard(program, Path(scratch))
    return 0


def _terminal(scratch: Path) -> None:
    home = scratch / "home"
    for place, days, manifest, changed, has_remote in _PROJECTS:
        _repository(home / "dev" / place, days, dict([manifest]), changed, has_remote=has_remote)
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=_COLUMNS, file=nowhere, force_terminal=True)
        console.print(Text("$ scan ~/dev --yes"))
        console.print(Text.from_ansi(_seen(["scan", "~/dev", "--yes"], home)))
        picture = console.export_svg(title="scan ~/dev --yes", unique_id="zecher", code_format=_frame())
    (DOCS / "scan.svg").write_text(picture)


def _frame() -> str:
    """The picture's frame without the fonts that it would load from elsewhere."""
    frame = re.sub(r"@font-face \{\{.*?\n    \}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    frame = frame.replace("Fira Code, monospace", _FONT).replace(
        "font-family: arial", "font-family: sans-serif"
    )
    frame = re.sub(r"\s*<!-- Generated.*?-->", "", frame)
    if "http" in frame.replace("http://www.w3.org/2000/svg", ""):
        raise AssertionError("the frame names an address")
    return frame.replace("<svg ", '<svg role="img" aria-label="The table that scan prints" ', 1)


def _repository(
    path: Path, days: float, files: dict[str, str], changed: dict[str, str], *, has_remote: bool
) -> None:
    when = time.time() - days * DAY
    environ = os.environ | GIT_ENVIRONMENT
    environ |= {"GIT_AUTHOR_DATE": f"{int(when)} +0000", "GIT_COMMITTER_DATE": f"{int(when)} +0000"}

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(path), *words], check=True, env=environ, capture_output=True)

    for name, text in {"README.md": f"# {path.name}\n", "LICENSE": "MIT\n", **files}.items():
        write(path / name, text)
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "The first half")
    if has_remote:
        git("remote", "add", "origin", f"git@example.com:ana/{path.name}.git")
        git("update-ref", "refs/remotes/origin/main", "HEAD")
        git("branch", "-q", "--set-upstream-to", "origin/main")
    for name, text in changed.items():
        write(path / name, text)
    for entry in path.iterdir():
        os.utime(entry, (when, when))


def _seen(words: list[str], home: Path) -> str:
    """What a command prints at a terminal."""
    ours, theirs = pty.openpty()
    program = [sys.executable, "-m", "jobs.cli", *(one.replace("~", str(home)) for one in words)]
    environ = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "TERM": "xterm-256color",
        "COLUMNS": str(_COLUMNS),
    }
    silent = subprocess.DEVNULL
    with subprocess.Popen(
        program, stdin=silent, stdout=theirs, stderr=silent, env=environ, cwd=DOCS.parent
    ) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # the other end was closed: a terminal says it so
                break
            if not more:
                break
            seen += more
        process.wait()
    os.close(ours)
    return seen.decode().replace("\r\n", "\n").rstrip("\n")


def _dashboard(program: str, scratch: Path) -> None:
    page = scratch / "dashboard.html"
    made = portfolio(41)
    todo = {one.code: one for one in reversed(made.todo)}  # one of each kind
    shown = tuple(one for one in made.todo if one in todo.values())
    page.write_text(dashboard_html(replace(made, todo=shown, actions={}), NOW + 2 * 3600))
    with Chromium(program, scratch / "profile") as browser:
        for name, dark in (("dashboard", False), ("dashboard-dark", True)):
            # Without scripts: the age of the page would be told by today's clock.
            browser.open(page, width=_WIDTH, height=_HEIGHT, dark=dark, script=False)
            browser.picture(DOCS / f"{name}.png", whole=False)


if __name__ == "__main__":
    raise SystemExit(main())
