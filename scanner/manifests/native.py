"""Build files of C and C++: which of the two, and the project's name."""

from __future__ import annotations

import re

from scanner.manifests.manifest import Manifest, Sign
from scanner.manifests.text import loose_text

_CMAKE_COMMENT = r"#[^\n]*"
_CMAKE_PROJECT = r"(?i)\bproject\s*+\(\s*+([^\s()]+)([^()]*)\)"
_CMAKE_QT = r"(?i)\bfind_package\s*+\(\s*+Qt[56]?\b"
_CPP_SOURCE = r"\w\.(?:cpp|cc|cxx)\b"
_C_SOURCE = r"\w\.c\b"
_MESON_PROJECT = r"(?m)^[ \t]*+project\s*+\(([^)]{0,2000})"
_QUOTED = r"'([^'\n]*)'"
_AC_INIT = r"\bAC_INIT\(\s*+\[?([\w .+-]+)"
_MESON_LANGUAGES = {"c": "C", "cpp": "C++", "rust": "Rust", "d": "D", "fortran": "Fortran", "vala": "C"}


def cmake(data: bytes) -> Manifest:
    """``CMakeLists.txt``: the languages of ``project()``, else those of the sources that it names."""
    text = re.sub(_CMAKE_COMMENT, "", loose_text(data))
    found = re.search(_CMAKE_PROJECT, text)
    name = found[1].strip('"') if found and "$" not in found[1] else ""
    signs = [Sign("Qt", "find_package")] if re.search(_CMAKE_QT, text) else []
    if "{IDF_PATH}" in text:
        signs.append(Sign("ESP-IDF", "IDF_PATH"))
    if re.search(r"\bfind_package\s*+\(\s*+Zephyr\b", text):
        signs.append(Sign("Zephyr", "find_package"))
    return Manifest(instead=(*_cmake_languages(text, found), "CMake"), signs=tuple(signs), name=name)


def meson(data: bytes) -> Manifest:
    """``meson.build``: only the one with ``project()`` is a root, those of its folders are not."""
    found = re.search(_MESON_PROJECT, loose_text(data))
    if found is None:
        return Manifest(counts=False, instead=())
    quoted = re.findall(_QUOTED, found[1])
    languages = dict.fromkeys(_MESON_LANGUAGES[word] for word in quoted[1:] if word in _MESON_LANGUAGES)
    return Manifest(instead=(*(languages or ("C",)), "Meson"), name=quoted[0] if quoted else "")


def autoconf(data: bytes) -> Manifest:
    """``configure.ac``: C++ where it asks for that compiler, else C."""
    text = loose_text(data)
    name = re.search(_AC_INIT, text)
    language = "C++" if "AC_PROG_CXX" in text else "C"
    return Manifest(instead=(language, "Autotools"), name=name[1].strip() if name else "")


def _cmake_languages(text: str, project: re.Match[str] | None) -> tuple[str, ...]:
    words = project[2].split() if project else []
    named = tuple(label for word, label in (("CXX", "C++"), ("C", "C")) if word in words)
    if named:
        return named
    if re.search(_CPP_SOURCE, text):
        return ("C++",)
    return ("C",) if re.search(_C_SOURCE, text) else ("C/C++",)
