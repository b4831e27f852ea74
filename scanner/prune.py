"""Which folders are never searched: tool caches by name, build output by evidence, caches by content."""

from __future__ import annotations

from collections.abc import Callable, Collection

from scanner.reading import UnreadableError, read_head

# Names that mean the same thing everywhere. Hidden ones stand here too, because a hidden folder that is a
# repository is a project (``.dotfiles``), while a tool's own checkout (``.nvm``) is not.
ALWAYS = frozenset(
    """
    .git .hg .svn .jj .sl .bzr _darcs .pijul
    node_modules bower_components jspm_packages .pnpm-store .yarn .npm .nvm .bun .deno .volta .fnm
    __pycache__ .venv .tox .nox .eggs .mypy_cache .pytest_cache .ruff_cache .hypothesis .ipynb_checkpoints
    site-packages .pyenv .conda .virtualenvs
    .gradle .m2 .ivy2 .sdkman .jenv .cargo .rustup .gem .rbenv .asdf .goenv .plenv .phpenv
    .stack-work dist-newstyle .ghcup .cabal .stack .elixir_ls elm-stuff .dart_tool .pub-cache
    Pods Carthage DerivedData .build .zig-cache zig-out .terraform .terragrunt-cache .terraform.d
    .serverless cdk.out .next .nuxt .output .svelte-kit .astro .angular .turbo .nx .parcel-cache .cache
    .vercel .netlify .docusaurus .jekyll-cache _site .nyc_output htmlcov .direnv .devenv .vagrant .vagrant.d
    .idea .vs .vscode .vscode-server .cursor-server .history .godot .snapshots .zfs lost+found @eaDir #recycle
    .Trash .Trashes $RECYCLE.BIN .android .docker .wine .local .mozilla .thunderbird .oh-my-zsh .zinit .zplug
    .zprezto .antigen .tmux .fzf .linuxbrew .homebrew AppData snap
    """.split()  # noqa: SIM905 - a table of words reads best as words
) | {"System Volume Information"}

SUSPECT_START = (".Trash-", "timeshift")
SUSPECT_ENDING = ".egg-info"


def _any_of(*wanted: str) -> Callable[[Collection[str]], bool]:
    return lambda siblings: any(name in siblings for name in wanted)


def _any_ending(*endings: str) -> Callable[[Collection[str]], bool]:
    return lambda siblings: any(name.endswith(endings) for name in siblings)


_JAVASCRIPT = ("package.json", "deno.json", "deno.jsonc")
_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg")
_JVM = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "pom.xml", "build.xml")
_C_FAMILY = ("CMakeLists.txt", "meson.build", "configure.ac", "Makefile")
_DOTNET = (".csproj", ".fsproj", ".vbproj", ".vcxproj")

# Ambiguous names: only beside the manifest of a tool that makes a folder of that name.
_WITH_EVIDENCE: dict[str, Callable[[Collection[str]], bool]] = {
    "target": _any_of("Cargo.toml", "pom.xml", "build.sbt", "project.clj", "deps.edn"),
    "build": _any_of(*_JAVASCRIPT, *_PYTHON, *_JVM, *_C_FAMILY, "pubspec.yaml"),
    "out": _any_of(*_JAVASCRIPT, *_JVM, *_C_FAMILY),
    "dist": _any_of(*_JAVASCRIPT, *_PYTHON, "dist.ini", "cabal.project"),
    "bin": _any_ending(*_DOTNET),
    "obj": _any_ending(*_DOTNET),
    "vendor": _any_of("composer.json", "go.mod", "Gemfile", "Cargo.toml"),
    "mod": _any_of("sumdb"),  # Go's module cache, in any GOPATH
    "deps": _any_of("mix.exs", "rebar.config"),
    "_build": _any_of("mix.exs", "rebar.config", "dune-project", "conf.py"),
    "coverage": _any_of(*_JAVASCRIPT, "phpunit.xml", "phpunit.xml.dist", "Gemfile"),
    "packages": _any_ending(".sln"),
    "tmp": _any_of("Gemfile", "ember-cli-build.js"),
    "public": _any_of("hugo.toml", "hugo.yaml", "gatsby-config.js", "gatsby-config.ts"),
    "Library": _any_of("ProjectSettings"),
    "Temp": _any_of("ProjectSettings"),
    "Logs": _any_of("ProjectSettings"),
    "Intermediate": _any_ending(".uproject"),
    "Saved": _any_ending(".uproject"),
    "Binaries": _any_ending(".uproject"),
}

# The whole names that ``pruned_by_name`` may object to, for a first glance without a call; besides them only
# some that start with "t" or hold a dot.
SUSPECTS = ALWAYS.union(_WITH_EVIDENCE)

# The files by which ``pruned_by_content`` judges.
CONTENT_TAGS = ("pyvenv.cfg", "CACHEDIR.TAG")

_CACHE_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"


def always_pruned(name: str) -> bool:
    """Whether a folder of this name is a tool's own store wherever it stands."""
    return name in ALWAYS or name.startswith(SUSPECT_START) or name.endswith(SUSPECT_ENDING)


def pruned_by_name(name: str, siblings: Collection[str]) -> str | None:
    """The reason why folder ``name`` is not entered, judged by its name and the names beside it.

    Returns ``tool-cache`` or ``generated``, or None when the name alone says nothing.
    """
    if always_pruned(name):
        return "tool-cache"
    evidence = _WITH_EVIDENCE.get(name)
    if evidence is not None and evidence(siblings):
        return "generated"
    return None


def pruned_by_content(path: str, files: Collection[str]) -> str | None:
    """The reason why the folder ``path`` that holds ``files`` is not searched, judged by what lies in it.

    ``virtual-environment`` for a ``pyvenv.cfg``; ``cache-tag`` for a ``CACHEDIR.TAG`` that starts with the
    signature of the Cache Directory Tagging Specification (a file of that name alone is not enough).
    """
    if "pyvenv.cfg" in files:
        return "virtual-environment"
    if "CACHEDIR.TAG" in files:
        try:
            head = read_head(f"{path}/CACHEDIR.TAG", len(_CACHE_SIGNATURE))
        except UnreadableError:
            return None
        if head == _CACHE_SIGNATURE:
            return "cache-tag"
    return None
