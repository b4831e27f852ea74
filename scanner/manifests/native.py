"""Build files of C and C++: which of the two, and the project's name."""

from __future__ import annotations

import re

from scanner.manifests.manifest import Manifest, Sign
from scanner.manifests.text import loose_text

_CMAKE_COMMENT = re.compile(r"#[^\n]*")
_CMAKE_PROJECT = re.compile(r"\bproject\s*+\(\s*+([^\s()]+)([^()]*)\)", re.IGNORECASE)
_CMAKE_QT = re.compile(r"\bfind_package\s*+\(\s*+Qt[56]?\b", re.IGNORECASE)
_CPP_SOURCE = re.compile(r"\w\.(?:cpp|cc|cxx)\b")
_C_SOURCE = re.compile(r"\w\.c\b")
_MESON_PROJECT = re.compile(r"^[ \t]*+project\s*+\(([^)]{0,2000})", re.MULTILINE)
_QUOTED = re.compile(r"'([^'\n]*)'")
_AC_INIT = re.compile(r"\bAC_INIT\(\s*+\[?([\w .+-]+)")
_MESON_LANGUAGES = {"c": "C", "cpp": "C++", "rust": "Rust", "d": "D", "fortran": "Fortran", "vala": "C"}


def cmake(data: bytes) -> Manifest:
    """``CMakeLists.txt``: the languages of ``project()``, else those of the sources that it names."""
    text = _CMAKE_COMMENT.sub("", loose_text(data))
    found = _CMAKE_PROJECT.search(text)
    name = found[1].strip('"') if found and "$" not in found[1] else ""
    signs = [Sign("Qt", "find_package")] if _CMAKE_QT.search(text) else []
    if "{IDF_PATH}" in text:
        signs.append(Sign("ESP-IDF", "IDF_PATH"))
    if re.search(r"\bfind_package\s*+\(\s*+Zephyr\b", text):
        signs.append(Sign("Zephyr", "find_package"))
    return Manifest(instead=(*_cmake_languages(text, found), "CMake"), signs=tuple(signs), name=name)


def meson(data: bytes) -> Manifest:
    """``meson.build``: only the one with ``project()`` is a root, those of its folders are not."""
    found = _MESON_PROJECT.search(loose_text(data))
    if found is None:
        return Manifest(counts=False, instead=())
    quoted = _QUOTED.findall(found[1])
    languages = dict.fromkeys(_MESON_LANGUAGES[word] for word in quoted[1:] if word in _MESON_LANGUAGES)
    return Manifest(instead=(*(languages or ("C",)), "Meson"), name=quoted[0] if quoted else "")


def autoconf(data: bytes) -> Manifest:
    """``configure.ac``: C++ where it asks for that compiler, else C."""
    text = loose_text(data)
    name = _AC_INIT.search(text)
    language = "C++" if "AC_PROG_CXX" in text else "C"
    return Manifest(instead=(language, "Autotools"), name=name[1].strip() if name else "")


def _cmake_languages(text: str, project: re.Match[str] | None) -> tuple[str, ...]:
    words = project[2].split() if project else []
    named = tuple(label for word, label in (("CXX", "C++"), ("C", "C")) if word in words)
    if named:
        return named
    if _CPP_SOURCE.search(text):
        return ("C++",)
    return ("C",) if _C_SOURCE.search(text) else ("C/C++",)
