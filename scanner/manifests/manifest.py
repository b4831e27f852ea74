"""The value that every reader returns."""

from __future__ import annotations

from collections.abc import Collection

from scanner.value import dataclass


@dataclass(slots=True)
class Dependencies:
    """Names from one dependency map: ``ecosystem`` says where to look them up, ``key`` where they stood.

    ``needed`` is false for what only development, tests or an extra ask for.
    """

    ecosystem: str
    key: str
    names: Collection[str]
    needed: bool = True


@dataclass(slots=True)
class Sign:
    """A label that the content itself names, with the key it rests on and its strength, 0..1."""

    label: str
    key: str
    strength: float = 1.0


@dataclass(slots=True)
class Manifest:
    """What one manifest says.

    ``counts`` is false where the file holds nothing but tooling, ``product`` is true where it is a package
    that others install. ``strength`` is that of the labels which
    the file's name stands for; ``instead`` replaces those labels. ``manager`` is a package manager that the
    manifest demands, ``manager_hint`` one that its tables suggest. ``members`` are further manifests,
    relative paths with ``/``, that belong to the same build. ``warning`` is a fault that left the content
    usable.
    """

    counts: bool = True
    product: bool = False
    strength: float = 1.0
    instead: tuple[str, ...] | None = None
    signs: tuple[Sign, ...] = ()
    dependencies: tuple[Dependencies, ...] = ()
    name: str = ""
    description: str = ""
    manager: str = ""
    manager_hint: str = ""
    toolchains: tuple[tuple[str, str], ...] = ()
    workspace: str = ""
    members: tuple[str, ...] = ()
    warning: str = ""
