"""Gradle, Maven and sbt: what their build files say outright. What they would compute stays unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scanner.manifests.text import loose_text, without
from scanner.workspaces.pattern import inside
from scanner.workspaces.tree import Found, Tree

_COMMENT = r"(?s)//[^\n]*|/\*(?:.*?\*/|.*\Z)|(\"[^\"\n]*\"|'[^'\n]*')"
_INCLUDE = r"(?<![\w.\"'])(include|includeBuild)\b(?=[ \t(\"'])"
_ARGUMENT = r"""[\s(\[]*+["']([^"'\n]*)["']"""
_COMMA = r"\s*+,"
_PROJECT_DIR = (
    r"""\bproject\s*+\(\s*+["']([\w:./-]+)["']\s*+\)\s*+\.\s*+projectDir\s*+=\s*+(?:new\s++)?(?:file|File)\s*+\("""
    r"""\s*+(?:(?:settingsDir|rootDir|rootProject\.projectDir)\s*+,\s*+)?["']([^"'\n]*)["']"""
)
_ROOT_VARIABLE = r"^\$\{?(?:rootDir|settingsDir|rootProject\.projectDir)\}?/"
_MODULE = r"<(?:module|subproject)>([^<]*)</"
_MODULES_CAP = 2_000
_NESTING_CAP = 32
_SBT_FOLDER = (
    r'(?:\bin\s*+\(?\s*+file\(|\bbase\s*+=\s*+file\(|\bProject\(\s*+"[^"\n]*"\s*+,\s*+file\()'
    r'\s*+"([^"\n]*)"'
)
_SBT_PLAIN = r"(?m)^[ \t]*+lazy\s++val\s++`?([\w-]++)`?\s*+=\s*+\(?project\b(?!\s*+\.?\s*+\(?in\b)"


def gradle(tree: Tree, kind: str) -> Iterator[Found]:
    """``include``, ``includeBuild`` and ``projectDir`` of ``settings.gradle`` and ``settings.gradle.kts``.

    ``:a:b`` stands in ``a/b``, unless its ``projectDir`` says otherwise. A folder on the way, such as ``a``,
    counts where it holds a build file of its own.
    """
    name = next(name for name in ("settings.gradle", "settings.gradle.kts") if name in tree.listing.files)
    text = re.sub(_COMMENT, r"\1", loose_text(tree.read(name) or b""))
    moved = {
        found[1].strip(":"): re.sub(_ROOT_VARIABLE, "", found[2]) for found in re.finditer(_PROJECT_DIR, text)
    }
    for word, value in _included(text):
        if word == "includeBuild":
            path = inside(value)
            if path and tree.is_folder(path):
                yield Found(path, kind)
            continue
        parts = value.strip(":").split(":")[:_NESTING_CAP]
        for length in range(1, len(parts) + 1):
            project = ":".join(parts[:length])
            path = inside(moved.get(project, _default_folder(parts[:length], moved)))
            own = length == len(parts) or project in moved
            if path and tree.has(path, () if own else ("build.gradle", "build.gradle.kts")):
                yield Found(path, kind, parts[length - 1])


def maven(tree: Tree, kind: str) -> Iterator[Found]:
    """``modules``, also those of profiles, and of the modules themselves (maven.apache.org/pom.html)."""
    waiting, seen = ["pom.xml"], {"pom.xml"}
    while waiting and len(seen) < _MODULES_CAP:
        pom = waiting.pop()
        base = pom.rpartition("/")[0]
        text = without(loose_text(tree.read(pom) or b""), "<!--", "-->")
        found: list[str] = []
        for value in re.findall(_MODULE, text):
            path = inside(value.strip(), base)
            if path is None or not value.strip() or "${" in value:
                continue
            folder, file = (path.rpartition("/")[0], path) if path.endswith(".xml") else (path, _pom_of(path))
            if file not in seen and tree.has(folder, (file.rpartition("/")[2],)):
                seen.add(file)
                found.append(file)
                if folder:
                    yield Found(folder, kind)
        waiting += reversed(found)


def sbt(tree: Tree, kind: str) -> Iterator[Found]:
    """Projects of ``build.sbt`` whose folder is written down (scala-sbt.org, "Multi-project builds")."""
    text = re.sub(_COMMENT, r"\1", loose_text(tree.read("build.sbt") or b""))
    for value in [*re.findall(_SBT_FOLDER, text), *re.findall(_SBT_PLAIN, text)]:
        path = inside(value)
        if path and tree.is_folder(path):
            yield Found(path, kind)


def _included(text: str) -> Iterator[tuple[str, str]]:
    """The words ``include`` and ``includeBuild`` with each of their plain arguments."""
    argument_at, comma_at = re.compile(_ARGUMENT), re.compile(_COMMA)
    for found in re.finditer(_INCLUDE, text):
        position = found.end()
        while argument := argument_at.match(text, position):
            if "$" not in argument[1]:
                yield found[1], argument[1]
            comma = comma_at.match(text, argument.end())
            if comma is None or found[1] == "includeBuild":
                break
            position = comma.end()


def _default_folder(parts: list[str], moved: dict[str, str]) -> str:
    above = ":".join(parts[:-1])
    return f"{moved[above]}/{parts[-1]}" if above in moved else "/".join(parts)


def _pom_of(folder: str) -> str:
    return f"{folder}/pom.xml" if folder else "pom.xml"
