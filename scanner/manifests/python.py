"""Python's manifests: ``pyproject.toml``, setuptools' files, requirements, pipenv, pixi, conda, notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from scanner.manifests.manifest import Dependencies, Manifest, Sign
from scanner.manifests.text import load_toml, loose_text, string, table

_REQUIREMENT = r"[ \t]*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)"
_EGG = r"#egg=([A-Za-z0-9._-]+)"
_SEPARATORS = r"[-_.]+"
_BACKENDS = {"maturin": "Rust", "scikit_build_core": "C++", "setuptools_rust": "Rust", "pybind11": "C++"}
_MANAGER_TABLES = ("uv", "poetry", "pdm", "pixi")
_PROJECT_TABLES = ("project", "build-system", "dependency-groups")
_BACKEND_STRENGTH = 0.9
_FILE_STRENGTH = 0.9


def normalised(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(_SEPARATORS, "-", name).lower()


def pyproject(data: bytes) -> Manifest:
    """``pyproject.toml`` (PEP 518, 621, 735; Poetry's, uv's, PDM's and pixi's tables)."""
    value = load_toml(data)
    project, tool = table(value, "project"), table(value, "tool")
    poetry = table(tool, "poetry")
    workspace = table(tool, "uv", "workspace")
    counts = any(isinstance(value.get(key), dict) for key in _PROJECT_TABLES) or bool(poetry or workspace)
    requires = string(project, "requires-python") or string(table(poetry, "dependencies"), "python")
    return Manifest(
        counts=counts or "pixi" in tool,
        signs=tuple(_backend_signs(value, project)),
        dependencies=tuple(_pyproject_dependencies(value, project, poetry, tool)),
        name=string(project, "name") or string(poetry, "name"),
        description=string(project, "description") or string(poetry, "description"),
        manager_hint=next((name for name in _MANAGER_TABLES if name in tool), ""),
        toolchains=(("python", requires),) if requires else (),
        workspace="uv" if workspace else "",
    )


def setup_py(data: bytes) -> Manifest:
    """``setup.py``, by its text alone: it is never run."""
    text = loose_text(data)
    needed = [normalised(name) for name in _names(_string_list(text, "install_requires"))]
    requires = re.search(r"""\bpython_requires[ \t]*=[ \t]*["']([^"'\n]+)""", text)
    return Manifest(
        strength=_FILE_STRENGTH,
        dependencies=(Dependencies("python", "install_requires", needed),) if needed else (),
        name=_group(re.search(r"""\bname[ \t]*=[ \t]*["']([^"'\n]+)""", text)),
        description=_group(re.search(r"""\bdescription[ \t]*=[ \t]*["']([^"'\n]+)""", text)),
        toolchains=(("python", requires[1]),) if requires else (),
    )


def setup_cfg(data: bytes) -> Manifest:
    """``setup.cfg`` (setuptools' declarative form); without ``[metadata]`` it only configures tools."""
    sections = _ini(loose_text(data))
    metadata = dict(sections.get("metadata", ()))
    options = dict(sections.get("options", ()))
    needed = [normalised(name) for name in _names(options.get("install_requires", "").split("\n"))]
    requires = options.get("python_requires", "")
    return Manifest(
        counts="metadata" in sections,
        strength=_FILE_STRENGTH,
        dependencies=(Dependencies("python", "options.install_requires", needed),) if needed else (),
        name=metadata.get("name", ""),
        description=metadata.get("description", "").partition("\n")[0],
        toolchains=(("python", requires),) if requires else (),
    )


def requirements(data: bytes) -> Manifest:
    """A requirements file (pip's format): one requirement a line; options, addresses and comments aside."""
    names = [normalised(name) for name in _names(loose_text(data).split("\n"))]
    return Manifest(
        strength=_FILE_STRENGTH,
        dependencies=(Dependencies("python", "", names),) if names else (),
    )


def development_requirements(data: bytes) -> Manifest:
    """A requirements file whose name says that only development, tests or documents ask for it."""
    names = [normalised(name) for name in _names(loose_text(data).split("\n"))]
    return Manifest(
        strength=_FILE_STRENGTH,
        dependencies=(Dependencies("python", "", names, needed=False),) if names else (),
    )


def pipfile(data: bytes) -> Manifest:
    """``Pipfile`` (pipenv)."""
    value = load_toml(data)
    version = string(table(value, "requires"), "python_version")
    return Manifest(
        dependencies=tuple(_maps(value, "", (("packages", True), ("dev-packages", False)))),
        toolchains=(("python", version),) if version else (),
    )


def pixi(data: bytes) -> Manifest:
    """``pixi.toml``."""
    value = load_toml(data)
    head = table(value, "workspace") or table(value, "project")
    maps = (("dependencies", True), ("pypi-dependencies", True))
    return Manifest(
        dependencies=tuple(_maps(value, "", maps)),
        name=string(head, "name"),
        description=string(head, "description"),
    )


def conda(data: bytes) -> Manifest:
    """``environment.yml`` of conda, line by line: ``dependencies:`` and the ``pip:`` list in it."""
    names: list[str] = []
    inside = seen = False
    name = ""
    for line in loose_text(data).split("\n"):
        stripped = line.strip()
        if line[:1] not in ("", " ", "\t", "-", "#", "\r"):
            inside = stripped.startswith("dependencies:")
            seen = seen or inside
            if stripped.startswith("name:"):
                name = stripped.removeprefix("name:").strip().strip("\"'")
        elif inside and stripped.startswith("-"):
            # Channels stand before the name: conda-forge::numpy=1.26
            item = stripped[1:].strip().strip("\"'").rpartition("::")[2]
            names += [normalised(found) for found in _names([item]) if not item.startswith("pip:")]
    return Manifest(
        counts=seen,
        instead=None if seen else (),
        dependencies=(Dependencies("python", "dependencies", names),) if names else (),
        name=name if seen else "",
    )


def notebook(data: bytes) -> Manifest:
    """A notebook's head: its language, where the metadata stands near enough to the beginning."""
    found = re.search(
        r'"(?:language|name)"[ \t]*:[ \t]*"(python|julia|R|ir|rust|go)[0-9]?"', loose_text(data)
    )
    language = {"python": "Python", "julia": "Julia", "R": "R", "ir": "R", "rust": "Rust", "go": "Go"}
    signs = (Sign(language[found[1]], "kernelspec", 0.5),) if found else ()
    return Manifest(strength=_FILE_STRENGTH, signs=signs)


def _pyproject_dependencies(
    value: dict[str, object], project: dict[str, object], poetry: dict[str, object], tool: dict[str, object]
) -> Iterator[Dependencies]:
    if names := _listed(project.get("dependencies")):
        yield Dependencies("python", "project.dependencies", names)
    for extra, listed in table(project, "optional-dependencies").items():
        if names := _listed(listed):
            yield Dependencies("python", f"project.optional-dependencies.{extra}", names, needed=False)
    for group, listed in table(value, "dependency-groups").items():
        if names := _listed(listed):
            yield Dependencies("python", f"dependency-groups.{group}", names, needed=False)
    if poetry:
        yield from _maps(poetry, "tool.poetry.", (("dependencies", True), ("dev-dependencies", False)))
        for group, content in table(poetry, "group").items():
            yield from _maps(content, f"tool.poetry.group.{group}.", (("dependencies", group == "main"),))
    if "pdm" in tool:
        for group, listed in table(tool, "pdm", "dev-dependencies").items():
            yield Dependencies("python", f"tool.pdm.dev-dependencies.{group}", _listed(listed), needed=False)
    if "uv" in tool:
        listed = table(tool, "uv").get("dev-dependencies")
        yield Dependencies("python", "tool.uv.dev-dependencies", _listed(listed), needed=False)
    if "pixi" in tool:
        maps = (("dependencies", True), ("pypi-dependencies", True))
        yield from _maps(table(tool, "pixi"), "tool.pixi.", maps)


def _backend_signs(value: dict[str, object], project: dict[str, object]) -> Iterator[Sign]:
    backend = string(table(value, "build-system"), "build-backend").partition(".")[0]
    if label := _BACKENDS.get(backend):
        yield Sign(label, "build-system.build-backend", _BACKEND_STRENGTH)
    if table(project, "scripts"):
        yield Sign("CLI", "project.scripts")


def _maps(value: object, prefix: str, maps: Iterable[tuple[str, bool]]) -> Iterator[Dependencies]:
    for key, needed in maps:
        if names := [normalised(name) for name in table(value, key)]:
            yield Dependencies("python", prefix + key, names, needed=needed)


def _listed(value: object) -> list[str]:
    """The normalised names of a list of requirements; ``{include-group = ...}`` and other odd items aside."""
    if not isinstance(value, list):
        return []
    return [normalised(name) for name in _names(item for item in value if isinstance(item, str))]


def _names(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if "://" in line:
            # name @ https://..., or git+https://...#egg=name
            found = re.search(_EGG, line)
            if found is None and "@" in line.partition("://")[0]:
                found = re.match(_REQUIREMENT, line)
        else:
            found = re.match(_REQUIREMENT, line)
        if found:
            yield found[1]


def _string_list(text: str, keyword: str) -> list[str]:
    """The string literals of ``keyword=[...]``; a ``]`` inside a string does not end the list."""
    start = re.search(rf"\b{keyword}[ \t]*=[ \t]*\[", text)
    if start is None:
        return []
    strings: list[str] = []
    for token in re.finditer(r"""#[^\n]*|"([^"\n]*)"|'([^'\n]*)'|(\])""", text[start.end() :]):
        if token[3]:
            break
        if (literal := token[1] or token[2]) is not None:
            strings.append(literal)
    return strings


def _ini(text: str) -> dict[str, list[tuple[str, str]]]:
    """Sections of an ini file with their keys; lines that are indented continue the value above."""
    sections: dict[str, list[tuple[str, str]]] = {}
    current: list[tuple[str, str]] = []
    for line in text.split("\n"):
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if stripped[0] == "[" and stripped[-1] == "]":
            current = sections.setdefault(stripped[1:-1].strip(), [])
        elif line[0] in " \t" and current:
            key, value = current[-1]
            current[-1] = (key, f"{value}\n{stripped}")
        else:
            key, _, value = stripped.partition("=")
            current.append((key.strip(), value.strip()))
    return sections


def _group(found: re.Match[str] | None) -> str:
    return found[1] if found else ""
