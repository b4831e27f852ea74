"""Which packages make up a workspace: every family that left its file in the root is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from importlib import import_module

from scanner.project import Listing, Member, Problem, Stacks
from scanner.value import dataclass
from scanner.workspaces.tree import Found, Tree

MEMBERS_CAP = 1_000
"""How many members of one project are described."""

_PROBLEMS = 20
_ONE_PROJECT = ("bazel", "pants", "buck")
"""Tools whose build files are targets of one project."""

_NODE = ("npm", "yarn", "bun", "pnpm")

# What lies in the root -> the kind of workspace, its reader, and whether the survey of the stacks reads the
# same file and has already said what is wrong with it. In the order in which they name a folder's kind.
_FAMILIES: tuple[tuple[tuple[str, ...], str, str, bool], ...] = (
    (("pnpm-workspace.yaml",), "pnpm", "node.pnpm", True),
    (("package.json",), "npm", "node.packages", True),
    (("lerna.json",), "lerna", "node.lerna", False),
    (("rush.json",), "rush", "node.rush", False),
    ((".moon/",), "moon", "node.moon", False),
    (("nx.json",), "nx", "node.nx", False),
    (("deno.json", "deno.jsonc"), "deno", "node.deno", True),
    (("Cargo.toml",), "cargo", "rust.cargo", True),
    (("go.work",), "go", "go.go_work", False),
    (("pyproject.toml",), "uv", "python.uv", True),
    (("settings.gradle", "settings.gradle.kts"), "gradle", "jvm.gradle", True),
    (("pom.xml",), "maven", "jvm.maven", True),
    (("*.sln", "*.slnx"), "dotnet", "dotnet.solutions", True),
    (("mix.exs",), "mix", "others.mix", True),
    (("build.sbt",), "sbt", "jvm.sbt", True),
    (("pubspec.yaml",), "pub", "others.pub", True),
    (("melos.yaml",), "melos", "others.melos", True),
    (("composer.json",), "composer", "others.composer", True),
    (("cabal.project",), "cabal", "others.cabal", True),
    (("stack.yaml",), "stack", "others.stack", True),
    (("Package.swift",), "swift", "swift.packages", True),
    (("*.xcworkspace/",), "xcode", "swift.xcode", False),
)

Tracked = Callable[[], Sequence[str]]
Describe = Callable[[Listing, Tracked | None], Stacks]
"""Says what the project in a folder is made of, given the tracked paths below it."""


@dataclass(frozen=True, slots=True)
class Membership:
    """The members of a workspace, ordered by path; ``flags`` holds ``members-cut`` where there are more."""

    members: tuple[Member, ...] = ()
    flags: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def members(
    listing: Listing, kind: str | None, *, tracked: Tracked | None = None, describe: Describe
) -> Membership:
    """The members of the project in ``listing``, whose workspace the survey of its stacks calls ``kind``.

    ``tracked()`` gives the relative paths of its files in its index; without it, or where it gives nothing,
    at most 2,000 folders are read. At most 1,000 members are described. A member is described by its own
    folder alone: what the root is made of says nothing about it.
    """
    if kind in _ONE_PROJECT:
        return Membership()
    tree = Tree(listing, tracked)
    problems: list[Problem] = []
    found: dict[str, Found] = {}
    for one in _all_found(tree, kind, problems):
        known = found.get(one.path)
        if known is None:
            if len(found) == MEMBERS_CAP:
                tree.cut = True
                break
            found[one.path] = one
        elif one.name and not known.name:
            found[one.path] = Found(one.path, known.kind, one.name)
    described = [_described(tree, found[path], describe, problems) for path in sorted(found)]
    return Membership(
        tuple(one for one in described if one is not None),
        ("members-cut",) if tree.cut else (),
        tuple(dict.fromkeys(problems))[:_PROBLEMS],
    )


def _all_found(tree: Tree, kind: str | None, problems: list[Problem]) -> Iterator[Found]:
    for markers, of, reader, surveyed in _FAMILIES:
        file = _marker(tree.listing, markers)
        if not file:
            continue
        family, _, function = reader.partition(".")
        read: Callable[[Tree, str], Iterator[Found]] = getattr(
            import_module(f"scanner.workspaces.{family}"), function
        )
        try:
            yield from read(tree, kind if kind in _NODE and of == "npm" else of)
        except (ValueError, RecursionError) as error:
            if not surveyed:
                problems.append(_malformed(f"{tree.root}/{file}", error))


def _marker(listing: Listing, markers: Collection[str]) -> str:
    """The first entry of the root that is one of the markers; "" for none."""
    for marker in markers:
        names = listing.folders if marker.endswith("/") else listing.files
        name = marker.rstrip("/")
        if not name.startswith("*"):
            if name in names:
                return name
        elif fitting := [one for one in names if one.endswith(name[1:])]:
            return min(fitting)
    return ""


def _described(tree: Tree, found: Found, describe: Describe, problems: list[Problem]) -> Member | None:
    listing = tree.folder(found.path)
    if listing is None:
        return None
    stacks = describe(listing, (lambda: tree.below(found.path)) if tree.tracked() else None)
    problems += stacks.problems
    folder = found.path.rpartition("/")[2]
    name = found.name if found.name and stacks.name == folder else stacks.name or found.name or folder
    return Member(found.path, name, found.kind, stacks.primary, stacks.labels)


def _malformed(path: str, error: Exception) -> Problem:
    from scanner.manifests.text import one_line  # noqa: PLC0415 - only where a file makes no sense

    text = "nested too deeply" if isinstance(error, RecursionError) else one_line(str(error), 200)
    return Problem(
        "malformed", "warning", path, text, "correct the file; until then the members it names are unknown"
    )
