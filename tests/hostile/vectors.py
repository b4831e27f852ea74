"""Repositories that make plain git run a program, read outside of them, or wait for ever.

Each vector is planted by one function. How it shows itself under plain git is part of the vector: a program
that leaves a mark, a word from outside that is printed, or a command that never ends.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.hostile.plain_git import Template, configure, git, loose_object, raw_commit, tree_of

SECRET = "zqsecret"  # noqa: S105 - nobody's password
"""Part of every branch, file, remote and line that lies outside the roots: it must appear nowhere."""


@dataclass(frozen=True)
class Outside:
    """What lies outside every root: a repository, files and a pipe that nobody writes to."""

    path: Path
    template: Template
    repository: Path = field(init=False)

    def __post_init__(self) -> None:
        self.path.mkdir(parents=True)
        secret = self.template.copy(self.path / "private")
        object.__setattr__(self, "repository", secret)
        (secret / f"{SECRET}-file.txt").write_text(f"{SECRET}\n")
        git("checkout", "-q", "-b", f"{SECRET}-branch", cwd=secret)
        git("add", "-A", cwd=secret)
        git("commit", "-q", "-m", f"{SECRET} work", cwd=secret)
        git("remote", "add", "origin", f"https://host.invalid/{SECRET}-remote.git", cwd=secret)
        self.file("head", f"ref: refs/heads/{SECRET}-head\n")
        self.file("config", f'[remote "origin"]\n\turl = https://host.invalid/{SECRET}-config.git\n')
        self.file("packed-refs", f"{self.template.head} refs/heads/{SECRET}-packed\n")
        self.file("heads/" + f"{SECRET}-loose", f"{self.template.head}\n")
        self.file("text", f"{SECRET} text\n")
        self.file("manifest.json", f'{{"name": "{SECRET}", "description": "{SECRET}", "scripts": {{}}}}\n')
        self.file(
            "logs/HEAD",
            f"{'0' * 40} {self.template.head} A <a@b.c> 1795900000 +0000\tcommit {SECRET}: work\n",
        )
        self.file(f"workflows/{SECRET}.yml", "on: push\n")
        self.file(f"members/{SECRET}-member/package.json", f'{{"name": "{SECRET}", "scripts": {{}}}}\n')
        os.mkfifo(self.path / "pipe")

    def file(self, relative: str, text: str) -> Path:
        """Write one file below the outside."""
        target = self.path / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target


@dataclass(frozen=True)
class Ground:
    """Where one vector is planted: its repository, the program it shall start, and what lies around it.

    ``marks`` is the folder in which a started program leaves a file of its own name.
    """

    repository: Path
    program: Path
    marks: Path
    outside: Outside
    head: str

    def script(self, at: Path) -> Path:
        """The same program once more, at a place where git looks for a hook."""
        at.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(self.program, at)
        return at

    @property
    def git_dir(self) -> Path:
        """The repository's own folder."""
        return self.repository / ".git"


@dataclass(frozen=True)
class Vector:
    """``sign`` is ``program``, ``prints`` or ``hangs``; ``provoke`` are commands of plain git.

    ``word`` is what is printed. Without ``provoke``, ``because`` says why plain git is not asked.
    """

    name: str
    plant: Callable[[Ground], None]
    provoke: tuple[tuple[str, ...], ...] = (("status",),)
    sign: str = "program"
    word: bytes = SECRET.encode()
    because: str = ""
    stdin: bytes = b""


def write_program(folder: Path, marks: Path, name: str) -> Path:
    """A program that leaves a file ``name`` in ``marks`` and does nothing else."""
    program = folder / name
    program.write_text(f"#!/bin/sh\necho ran >> '{marks}/{name}'\nexit 0\n")
    program.chmod(0o755)
    return program


def _set(text: str) -> Callable[[Ground], None]:
    """A vector that is one piece of configuration; ``{program}`` and ``{outside}`` stand for their paths."""

    def plant(ground: Ground) -> None:
        configure(ground.repository, text.format(program=ground.program, outside=ground.outside.path))

    return plant


def _edited(text: str) -> Callable[[Ground], None]:
    """The same, with a tracked file changed so that a diff has something to show."""

    def plant(ground: Ground) -> None:
        _set(text)(ground)
        (ground.repository / "src" / "code.txt").write_text("CODE\n")
        (ground.repository / ".gitattributes").write_text("*.txt filter=x diff=x\n")

    return plant


def _included(ground: Ground) -> None:
    (ground.repository / "extra").write_text(f'[core]\n\tfsmonitor = "{ground.program}"\n')
    configure(ground.repository, "[include]\n\tpath = ../extra\n")


def _included_if(ground: Ground) -> None:
    (ground.repository / "extra").write_text(f'[core]\n\tfsmonitor = "{ground.program}"\n')
    configure(ground.repository, '[includeIf "gitdir:**"]\n\tpath = ../extra\n')


def _worktree_config(ground: Ground) -> None:
    configure(ground.repository, "[extensions]\n\tworktreeConfig = true\n")
    configure(ground.repository, f'[core]\n\tfsmonitor = "{ground.program}"\n', name="config.worktree")


def _hook(ground: Ground) -> None:
    ground.script(ground.git_dir / "hooks" / "post-index-change")


def _hooks_path(ground: Ground) -> None:
    ground.script(ground.repository / "tools" / "post-index-change")
    configure(ground.repository, "[core]\n\thooksPath = tools\n")


def _every_hook(ground: Ground) -> None:
    for name in ("pre-commit", "post-checkout", "reference-transaction", "post-merge", "pre-auto-gc"):
        ground.script(ground.git_dir / "hooks" / name)


def _signature(ground: Ground) -> None:
    header = f"tree {tree_of(ground.repository)}\n".encode()
    person = b"Ana <ana@example.com> 1795700000 +0000\n"
    signature = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n"
    raw_commit(
        ground.repository, header + b"author " + person + b"committer " + person + signature + b"\nx\n"
    )
    configure(ground.repository, f'[log]\n\tshowSignature = true\n[gpg]\n\tprogram = "{ground.program}"\n')


def _promisor(remote: str) -> Callable[[Ground], None]:
    """A partial clone whose newest commit is missing: to date it, git fetches it."""

    def plant(ground: Ground) -> None:
        configure(
            ground.repository,
            "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"
            '[remote "origin"]\n'
            "\tpromisor = true\n\tpartialclonefilter = blob:none\n" + remote.format(program=ground.program),
        )
        loose_object(ground.repository, ground.head).unlink()

    return plant


def _submodule(ground: Ground) -> None:
    git("submodule", "add", "-q", str(ground.outside.template.path), "sub", cwd=ground.repository)
    with (ground.git_dir / "modules" / "sub" / "config").open("a") as file:
        file.write(f'[core]\n\tfsmonitor = "{ground.program}"\n')


def _submodule_update(ground: Ground) -> None:
    _submodule(ground)
    configure(ground.repository, f'[submodule "sub"]\n\tupdate = "!{ground.program}"\n')
    git("-C", "sub", "update-ref", "HEAD", "HEAD^", cwd=ground.repository)


def _gitfile(target: str) -> Callable[[Ground], None]:
    """``.git`` is a file that names another place; ``{outside}`` is outside, ``{up}`` leads to it."""

    def plant(ground: Ground) -> None:
        shutil.rmtree(ground.git_dir)
        up = os.path.relpath(ground.outside.path, ground.repository)
        ground.git_dir.write_text(f"gitdir: {target.format(outside=ground.outside.path, up=up)}\n")

    return plant


def _gitfile_through_link(ground: Ground) -> None:
    (ground.repository / "link").symlink_to(ground.outside.path)
    shutil.rmtree(ground.git_dir)
    ground.git_dir.write_text(f"gitdir: {ground.repository}/link/private/.git\n")


def _gitfile_above(ground: Ground) -> None:
    """``.git`` names the repository of a folder far above the root, as a home kept in git would be."""
    above = ground.repository.parent.parent
    if not (above / ".git").exists():
        shutil.copytree(ground.outside.repository / ".git", above / ".git", symlinks=True)
    shutil.rmtree(ground.git_dir)
    ground.git_dir.write_text(f"gitdir: {above}/.git\n")


def _link(place: str, target: str) -> Callable[[Ground], None]:
    """A link at ``place`` inside the repository to ``target`` outside."""

    def plant(ground: Ground) -> None:
        at = ground.repository / place
        if at.is_dir():
            shutil.rmtree(at)
        else:
            at.unlink(missing_ok=True)
        at.parent.mkdir(parents=True, exist_ok=True)
        at.symlink_to(ground.outside.path / target)

    return plant


def _linked_reference(ground: Ground) -> None:
    _link(".git/refs/heads/main", "head")(ground)


def _common_dir(ground: Ground) -> None:
    (ground.git_dir / "commondir").write_text(f"{ground.outside.repository}/.git\n")


def _worktree(gitdir: str) -> Callable[[Ground], None]:
    """A linked worktree whose back pointer names a place outside, by way of ``gitdir``."""

    def plant(ground: Ground) -> None:
        (ground.repository / "link").symlink_to(ground.outside.path)
        admin = ground.git_dir / "worktrees" / "x"
        admin.mkdir(parents=True)
        up = os.path.relpath(ground.outside.path, ground.repository)
        text = gitdir.format(outside=ground.outside.path, repository=ground.repository, up=up)
        (admin / "gitdir").write_text(text + "\n")
        (admin / "commondir").write_text("../..\n")
        (admin / "HEAD").symlink_to(ground.outside.path / "head")

    return plant


def _alternate_text(text: str) -> Callable[[Ground], None]:
    def plant(ground: Ground) -> None:
        info = ground.git_dir / "objects" / "info"
        info.mkdir(exist_ok=True)
        (info / "alternates").write_text(text.format(outside=ground.outside.path))

    return plant


def _alternates_pipe(ground: Ground) -> None:
    info = ground.git_dir / "objects" / "info"
    info.mkdir(exist_ok=True)
    os.mkfifo(info / "alternates")
    loose_object(ground.repository, ground.head).unlink()


def _object_pipe(ground: Ground) -> None:
    """An alternate that holds the newest commit as a pipe."""
    store = ground.repository / "store"
    (store / ground.head[:2]).mkdir(parents=True)
    loose_object(ground.repository, ground.head).unlink()
    os.mkfifo(store / ground.head[:2] / ground.head[2:])
    info = ground.git_dir / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{store}\n")


def _commit_escapes(ground: Ground) -> None:
    header = f"tree {tree_of(ground.repository)}\n".encode()
    person = b"\x1b[2JAna <ana\x1b]0;x\x07@example.com> 1795700000 +0000\n"
    message = b"\n\x1b]52;c;cm0gLXJmIH4=\x07 \xc2\x9b2J\n"
    raw_commit(ground.repository, header + b"author " + person + b"committer " + person + message)


def _reflog_escapes(ground: Ground) -> None:
    heads = f"{'0' * 40} {ground.head}"
    line = f"{heads} \x1b[2JAna <a@b.c> 1795900000 +0000\tcommit \x1b]52;c;AAAA\x07: \x1b[31mx\n"
    (ground.git_dir / "logs" / "HEAD").write_text(line)


def _remote(url: str) -> Callable[[Ground], None]:
    def plant(ground: Ground) -> None:
        configure(ground.repository, f'[remote "origin"]\n\turl = "{url}"\n')

    return plant


def _environment_file(ground: Ground) -> None:
    (ground.repository / ".env").write_text(f"TOKEN={SECRET}\n")


def _modules_outside(ground: Ground) -> None:
    up = os.path.relpath(ground.outside.repository, ground.repository)
    (ground.repository / ".gitmodules").write_text(
        f'[submodule "a"]\n\tpath = {up}\n\turl = x\n'
        f'[submodule "b"]\n\tpath = {ground.outside.repository}\n\turl = -u{ground.program}\n'
    )


def _tracked_behind_link(ground: Ground) -> None:
    """The index says that a file behind a link to the outside is tracked, and was last changed long ago."""
    folder = ground.repository / "link"
    folder.mkdir()
    shutil.copy(ground.outside.path / "text", folder / "text")
    git("add", "link/text", cwd=ground.repository)
    shutil.rmtree(folder)
    folder.symlink_to(ground.outside.path)


def _folder_links(ground: Ground) -> None:
    """Links to outside, to itself, upwards and to the root, where folders are expected and elsewhere."""
    repository = ground.repository
    (repository / ".github").mkdir()
    (repository / ".github" / "workflows").symlink_to(ground.outside.path / "workflows")
    for name in ("data", "docs", "requirements", "migrations", "prisma", ".agents", ".devcontainer", "roles"):
        (repository / name).symlink_to(ground.outside.path / "members")
    (repository / "loop").symlink_to(".")
    (repository / "up").symlink_to("..")
    (repository / "all").symlink_to("/")


def _members_outside(ground: Ground) -> None:
    """Workspaces of every kind whose members lie outside, by a path and by a link."""
    repository, outside = ground.repository, ground.outside.path / "members"
    up = os.path.relpath(outside, repository)
    (repository / "packages").symlink_to(outside)
    globs = [f"{up}/*", f"{outside}/*", "packages/*", "packages/*member"]
    listed = ", ".join(f'"{glob}"' for glob in globs)
    write = {
        "package.json": f'{{"name": "x", "workspaces": [{listed}]}}',
        "lerna.json": f'{{"packages": [{listed}]}}',
        "pnpm-workspace.yaml": f"packages: [{listed}]\n",
        "Cargo.toml": f"[workspace]\nmembers = [{listed}]\n",
        "pyproject.toml": f"[project]\nname = 'x'\n[tool.uv.workspace]\nmembers = [{listed}]\n",
        "go.work": f"use (\n{up}\n{outside}\n./packages\n)\n",
        "settings.gradle": f"include '{up}', ':packages'\nproject(':a').projectDir = file('{outside}')\n",
        "pom.xml": f"<project><modules><module>{up}</module><module>packages</module></modules></project>",
        "composer.json": f'{{"name": "a/b", "repositories": [{{"type": "path", "url": "{up}/*"}}]}}',
    }
    for name, text in write.items():
        (repository / name).write_text(text + "\n")


_ASK = b"protocol=https\nhost=host.invalid\n\n"
_READS = (("branch", "-a"), ("config", "remote.origin.url"))

PROGRAMS = (
    Vector("fsmonitor", _set('[core]\n\tfsmonitor = "{program}"\n')),
    Vector("fsmonitor-included", _included),
    Vector("fsmonitor-included-if", _included_if),
    Vector("fsmonitor-of-the-worktree", _worktree_config),
    Vector("filter-clean", _edited('[filter "x"]\n\tclean = "{program}"\n')),
    Vector("filter-process", _edited('[filter "x"]\n\tprocess = "{program}"\n\trequired = true\n')),
    Vector("hook-after-index-change", _hook),
    Vector("hooks-path", _hooks_path),
    Vector("every-hook", _every_hook, (("commit", "--allow-empty", "-m", "x"),)),
    Vector("signature-program", _signature, (("log", "-1"),)),
    Vector(
        "promisor-ssh-command",
        _promisor('\turl = ssh://host.invalid/x\n[core]\n\tsshCommand = "{program}"\n'),
        (("log", "-1"), ("status",)),
    ),
    Vector("promisor-upload-pack", _promisor('\turl = .\n\tuploadpack = "{program}"\n'), (("log", "-1"),)),
    Vector(
        "promisor-remote-helper",
        _promisor('\turl = "ext::{program}"\n[protocol "ext"]\n\tallow = always\n'),
        (("log", "-1"),),
    ),
    Vector("submodule-fsmonitor", _submodule),
    Vector("submodule-update", _submodule_update, (("submodule", "update"),)),
    Vector("diff-external", _edited('[diff]\n\texternal = "{program}"\n'), (("diff",),)),
    Vector("diff-textconv", _edited('[diff "x"]\n\ttextconv = "{program}"\n'), (("diff",),)),
    Vector("diff-command", _edited('[diff "x"]\n\tcommand = "{program}"\n'), (("diff",),)),
    Vector("pager", _set('[core]\n\tpager = "{program}"\n'), (("at a terminal", "log"),)),
    Vector("editor", _set('[core]\n\teditor = "{program}"\n'), (("commit", "--amend", "--allow-empty"),)),
    Vector(
        "credential-helper",
        _set('[credential]\n\thelper = "!{program}"\n'),
        (("credential", "fill"),),
        stdin=_ASK,
    ),
    Vector("ask-pass", _set('[core]\n\taskPass = "{program}"\n'), (("credential", "fill"),), stdin=_ASK),
    Vector("alias", _set('[alias]\n\tst = "!{program}"\n'), (("st",),)),
    Vector(
        "git-proxy",
        _set('[core]\n\tgitProxy = "{program}"\n[remote "origin"]\n\turl = git://host.invalid/x\n'),
        (("ls-remote",),),
    ),
    Vector(
        "ssh-command",
        _set('[core]\n\tsshCommand = "{program}"\n[remote "origin"]\n\turl = ssh://host.invalid/x\n'),
        (("ls-remote",),),
    ),
)

_LATER = "git itself refuses such a repository"

READERS = (
    Vector(
        "worktree-elsewhere",
        _set('[core]\n\tworktree = "{outside}/private"\n'),
        (("ls-files", "-o"), ("status",)),
        "prints",
    ),
    Vector("gitfile-outside", _gitfile("{outside}/private/.git"), _READS, "prints"),
    Vector("gitfile-outside-relative", _gitfile("{up}/private/.git"), _READS, "prints"),
    Vector("gitfile-through-a-link", _gitfile_through_link, _READS, "prints"),
    Vector("gitfile-above-the-root", _gitfile_above, _READS, "prints"),
    Vector("git-folder-is-a-link", _link(".git", "private/.git"), _READS, "prints"),
    Vector("head-is-a-link", _link(".git/HEAD", "head"), (), "prints", because=_LATER),
    Vector("config-is-a-link", _link(".git/config", "config"), (("config", "remote.origin.url"),), "prints"),
    Vector("packed-refs-is-a-link", _link(".git/packed-refs", "packed-refs"), (("branch", "-a"),), "prints"),
    Vector("refs-are-a-link", _link(".git/refs/heads", "heads"), (("branch", "-a"),), "prints"),
    Vector("reference-is-a-link", _linked_reference, (("symbolic-ref", "refs/heads/main"),), "prints"),
    Vector("index-is-a-link", _link(".git/index", "private/.git/index"), (("ls-files",),), "prints"),
    Vector("logs-are-a-link", _link(".git/logs", "logs"), (("reflog",),), "prints"),
    Vector("common-dir-outside", _common_dir, _READS, "prints"),
    Vector("worktree-outside", _worktree("{outside}/private/.git"), (("worktree", "list"),), "prints"),
    Vector(
        "worktree-outside-dotted",
        _worktree("{repository}/{up}/private/.git"),
        (("worktree", "list"),),
        "prints",
    ),
    Vector(
        "worktree-outside-linked",
        _worktree("{repository}/link/private/.git"),
        (("worktree", "list"),),
        "prints",
    ),
    Vector(
        "include-outside",
        _set('[include]\n\tpath = "{outside}/config"\n'),
        (("config", "remote.origin.url"),),
        "prints",
    ),
    Vector(
        "alternates-outside",
        _alternate_text("{outside}/private/.git/objects\n/etc\n"),
        (),
        "prints",
        because="git only finds objects there",
    ),
    Vector(
        "tracked-behind-a-link",
        _tracked_behind_link,
        (),
        "prints",
        because="git itself looks behind no link",
    ),
    Vector("links-to-folders", _folder_links, (), "prints", because="git itself follows no link to a folder"),
    Vector("members-outside", _members_outside, (), "prints", because="git reads no manifest"),
    Vector(
        "objects-are-a-link",
        _link(".git/objects", "private/.git/objects"),
        (("log", "-1"),),
        "prints",
        b"second",
    ),
    Vector(
        "worktrees-are-a-link",
        _link(".git/worktrees", "private/.git"),
        (),
        "prints",
        because="a broken record",
    ),
    Vector("info-is-a-link", _link(".git/info", "members"), (), "prints", because="git prints no pattern"),
    Vector("modules-outside", _modules_outside, (), "prints", because="git only lists their paths"),
    Vector("environment-file", _environment_file, (("status", "--porcelain"),), "prints", b".env"),
    Vector(
        "remote-with-password",
        _remote(f"https://user:{SECRET}@host.invalid/x.git"),
        (("remote", "-v"),),
        "prints",
    ),
    Vector(
        "remote-with-token", _remote(f"https://{SECRET}@host.invalid/x.git"), (("remote", "-v"),), "prints"
    ),
    Vector(
        "remote-with-token-in-query",
        _remote(f"https://host.invalid/x.git?access_token={SECRET}"),
        (("remote", "-v"),),
        "prints",
    ),
    Vector(
        "remote-with-ssh-password",
        _remote(f"ssh://git:{SECRET}@host.invalid:22/x.git"),
        (("remote", "-v"),),
        "prints",
    ),
    Vector(
        "remote-with-escapes",
        _remote("https://host.invalid/\x1b[2J\x1b]52;c;AAAA\x07x.git"),
        (("remote", "-v"),),
        "prints",
        b"\x1b",
    ),
    Vector("commit-with-escapes", _commit_escapes, (("log", "-1"),), "prints", b"\x1b"),
    Vector("reflog-with-escapes", _reflog_escapes, (("reflog",),), "prints", b"\x1b"),
)

HANGERS = (
    Vector("excludes-file-is-a-pipe", _set('[core]\n\texcludesFile = "{outside}/pipe"\n'), sign="hangs"),
    Vector("attributes-file-is-a-pipe", _set('[core]\n\tattributesFile = "{outside}/pipe"\n'), sign="hangs"),
    Vector("include-is-a-pipe", _set('[include]\n\tpath = "{outside}/pipe"\n'), sign="hangs"),
    Vector("alternates-is-a-pipe", _alternates_pipe, (("log", "-1"),), "hangs"),
    Vector("object-is-a-pipe", _object_pipe, (("log", "-1"),), "hangs"),
)

VECTORS = (*PROGRAMS, *READERS, *HANGERS)
