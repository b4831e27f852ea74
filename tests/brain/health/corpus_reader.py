"""Reads the labelled corpus of memories and puts its projects into real folders, with real histories.

How a project is written down stands in ``corpus/README.md``.
"""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import DAY, GIT_ENVIRONMENT, NOW

CORPUS = Path(__file__).parent / "corpus"
STEP = re.compile(r"^=== (?P<what>.+)$")
VERBS = frozenset(("from", "edit", "delete", "link", "mode", "bytes", "repeat", "commit", "commits", "home"))

# Put together here, so that nothing that looks for secrets in this repository finds any.
SECRETS = {
    "github": "ghp_" + "x7Kq2LmZ9vRt4BwYc1NdPf6HsJ8aGu3EoTiQ",
    "aws": "AKIA" + "Q7XN4TPLV2RM6ZJD",
    "slack": "xoxb-" + "731904825516-7720918364417-kT9rWq2ZyLm4VbXc8NdPs1Hf",
    "anthropic": "sk-ant-" + "api03-h7Jq2LmZ9vRt4BwYc1NdPf6HsJ8aGu3EoTiQx5Kp-AA",
    "stripe": "sk_live_" + "9vRt4BwYc1NdPf6HsJ8aGu3E",
    "gitlab": "glpat-" + "Zx8Kp2LmQ9vRt4BwYc1N",
    "npm": "npm_" + "x7Kq2LmZ9vRt4BwYc1NdPf6HsJ8aGu3EoTiQ",
    "google": "AIza" + "SyD4k9QmZ7vRt2BwYc1NdPf6HsJ8aGu3EoT",
    "pem": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "pemend": "-----END RSA " + "PRIVATE KEY-----",
    "password": "tR7-quill-Maple9!x",
    "awsexample": "AKIA" + "IOSFODNN7EXAMPLE",
}


@dataclass(frozen=True)
class Expected:
    """One fault that was put in: ``at`` is a text of the line that is meant, empty for the whole file."""

    code: str
    level: str
    file: str
    at: str = ""
    why: str = ""


@dataclass(frozen=True)
class Silent:
    """A near miss: nothing above information may be found with ``code`` in ``file`` at the line of ``at``."""

    what: str
    code: str
    file: str = ""
    at: str = ""


@dataclass(frozen=True)
class Step:
    """One step of building a project: ``verb`` is ``file`` or one of ``VERBS``."""

    verb: str
    rest: str
    body: str


@dataclass(frozen=True)
class Case:
    """A project of the corpus."""

    name: str
    steps: tuple[Step, ...]
    language: str
    shape: str
    healthy: bool = False
    status: str = "active"
    expected: tuple[Expected, ...] = ()
    silent: tuple[Silent, ...] = ()

    @property
    def has_history(self) -> bool:
        return any(step.verb in ("commit", "commits") for step in self.steps)


def cases() -> tuple[Case, ...]:
    """All projects, by name; what is wrong in the way they are written fails here."""
    return tuple(_case(path) for path in sorted(CORPUS.glob("*.txt")))


def _case(path: Path) -> Case:
    label = tomllib.loads(path.with_suffix(".toml").read_text(encoding="utf-8"))
    return Case(
        path.stem,
        tuple(_steps(path)),
        label["language"],
        label["shape"],
        label.get("healthy", False),
        label.get("status", "active"),
        tuple(Expected(**one) for one in label.get("expected", ())),
        tuple(Silent(**one) for one in label.get("silent", ())),
    )


def _steps(path: Path) -> Iterator[Step]:
    verb, rest, lines = "", "", list[str]()
    for line in [*path.read_text(encoding="utf-8").split("\n"), "=== end"]:
        match = STEP.match(line)
        if not match:
            lines.append(line)
            continue
        if verb == "from":
            yield from _steps(_kit(rest))
        elif verb:
            yield Step(verb, rest, _filled("\n".join(lines).rstrip("\n") + "\n"))
        first, _, after = match["what"].partition(" ")
        verb, rest = (first, after) if first in VERBS else ("file", match["what"])
        lines = []


def _kit(name: str) -> Path:
    kit = CORPUS / "kits" / f"{name}.txt"
    return kit if kit.exists() else CORPUS / f"{name}.txt"


def _filled(text: str) -> str:
    return re.sub(r"@secret:(\w+)@", lambda match: SECRETS[match[1]], text)


@dataclass
class Built:
    """A project as it stands in a folder."""

    root: Path
    home: Path
    texts: dict[str, str] = field(default_factory=dict)

    def line(self, file: str, at: str) -> int:
        """The number of the only line of ``file`` that holds ``at``, 0 for none asked."""
        if not at:
            return 0
        lines = [number for number, line in enumerate(self.texts[file].split("\n"), 1) if at in line]
        assert len(lines) == 1, f"{self.root.name}: {at!r} stands {len(lines)} times in {file}"
        return lines[0]


def build(case: Case, root: Path, home: Path) -> Built:
    """Put ``case`` into the new folder ``root``; what its assistant keeps elsewhere goes below ``home``."""
    root.mkdir(parents=True)
    built = Built(root, home)
    if not case.has_history:
        for step in case.steps:
            _apply(built, step, None)
        return built
    with _History(root) as history:
        for step in case.steps:
            if step.verb in ("commit", "commits"):
                _commit(built, step, history)
            else:
                _apply(built, step, history)
    return built


def _apply(built: Built, step: Step, history: _History | None) -> None:
    path = built.root / step.rest
    if step.verb == "file":
        _write(built, step.rest, step.body if history is None else history.named(step.body))
    elif step.verb == "edit":
        old, _, new = (step.body if history is None else history.named(step.body)).partition("+++\n")
        text = built.texts[step.rest]
        assert text.count(old) == 1, f"{built.root.name}: {old!r} is {text.count(old)} times in {step.rest}"
        _write(built, step.rest, text.replace(old, new))
    elif step.verb == "delete":
        path.unlink()
        del built.texts[step.rest]
    elif step.verb == "bytes":
        raw = step.body.rstrip("\n").encode("latin-1", "backslashreplace").decode("unicode_escape")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw.encode("latin-1"))
        built.texts[step.rest] = raw.encode("latin-1").decode("utf-8", "replace").replace("\r\n", "\n")
    else:
        _special(built, step)


def _special(built: Built, step: Step) -> None:
    first, _, rest = step.rest.partition(" ")
    if step.verb == "link":
        path = built.root / first
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(rest.removeprefix("-> "))
    elif step.verb == "mode":
        (built.root / rest).chmod(int(first, 8))
    elif step.verb == "repeat":
        more = "".join(step.body.replace("{n}", str(number)) for number in range(1, int(first) + 1))
        _write(built, rest, built.texts.get(rest, "") + more)
    else:
        folder = re.sub(r"[^A-Za-z0-9]", "-", str(built.root))
        place = built.home / ".claude" / "projects" / folder / "memory" / step.rest
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(step.body, encoding="utf-8")
        built.texts[step.rest] = step.body


def _write(built: Built, relative: str, text: str) -> None:
    path = built.root / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    if text.startswith("#!"):
        path.chmod(0o755)
    built.texts[relative] = text


def _commit(built: Built, step: Step, history: _History) -> None:
    if step.verb == "commit":
        days, _, message = step.rest.partition(" ")
        history.commit(float(days), f"{message}\n\n{step.body}".strip() + "\n")
        return
    first, last, message = step.rest.split(" ", 2)
    span = range(int(first), int(last) - 1, -1)
    for number, day in enumerate(span, 1):
        _write(built, "src/changes.txt", f"{day}\n" * number)
        history.commit(float(day), message.replace("{n}", str(number)) + "\n")


class _History:
    """The real git of one folder: one process writes all commits, and tells their names while it does."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.names: list[str] = []
        self.env = os.environ | GIT_ENVIRONMENT
        self.git("init", "-q")
        self.process = subprocess.Popen(
            ["git", "fast-import", "--quiet", "--done"],
            cwd=root,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> _History:  # noqa: PYI034 - nobody makes another of it
        return self

    def __exit__(self, *_: object) -> None:
        """End the writer; the folder stays as it is, and is known to git as of the last commit."""
        self._send(b"done\n")
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        self.git("reset", "-q")

    def git(self, *args: str) -> None:
        subprocess.run(
            ["git", *args], cwd=self.root, env=self.env, check=True, capture_output=True, timeout=60
        )

    def commit(self, days: float, message: str) -> None:
        """Commit all that stands in the folder, ``days`` before ``NOW``."""
        when, text = int(NOW - days * DAY), message.encode()
        mark = len(self.names) + 1
        out = [
            f"commit refs/heads/main\nmark :{mark}\ncommitter Ana <ana@example.com> {when} +0000\n".encode()
        ]
        out.append(b"data %d\n%s\n" % (len(text), text))
        if self.names:
            out.append(f"from :{mark - 1}\n".encode())
        out.append(b"deleteall\n")
        out += self._files()
        self._send(b"".join(out) + f"\nget-mark :{mark}\n".encode())
        assert self.process.stdout is not None
        self.names.append(self.process.stdout.readline().decode().strip())

    def _files(self) -> Iterator[bytes]:
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(set(folders) - {".git"})
            for name in sorted(names):
                path = Path(folder, name)
                link = path.is_symlink()
                data = os.readlink(path).encode() if link else path.read_bytes()
                mode = (
                    b"120000"
                    if link
                    else b"100755"
                    if os.access(path, os.X_OK) and _runs(path)
                    else b"100644"
                )
                where = path.relative_to(self.root).as_posix().encode()
                yield b"M %s inline %s\ndata %d\n%s\n" % (mode, where, len(data), data)

    def _send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def named(self, text: str) -> str:
        """``text`` with names of commits for ``@commit:N@``, counted from the first, or from the last."""
        return re.sub(r"@commit:(-?\d+)@", lambda match: self._name(int(match[1])), text)

    def _name(self, number: int) -> str:
        return self.names[number - 1 if number > 0 else number][:9]


def _runs(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o100)
