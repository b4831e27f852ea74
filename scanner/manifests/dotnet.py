"""Visual Studio solutions and MSBuild project files, by regular expressions."""

from __future__ import annotations

import re

from scanner.manifests.manifest import Dependencies, Manifest
from scanner.manifests.text import loose_text, without

_SOLUTION_MEMBER = r'"([^"\n]+\.(?:cs|fs|vb)proj)"'
_SDK = r"""(?:\bSdk=|<Sdk\s++Name=)["']([\w.]+)"""
_SWITCH = r"<(UseMaui|UseWPF|UseWindowsForms)>\s*+[Tt]rue"
_REFERENCE = r"""<(?:PackageReference|FrameworkReference)\s++Include=["']([\w.]+)"""
_TARGET = r"<TargetFrameworks?>\s*+([\w.;-]+)"


def solution(data: bytes) -> Manifest:
    """``*.sln`` and ``*.slnx``: the project files that make up the solution, as relative paths with ``/``."""
    members = (path.replace("\\", "/") for path in re.findall(_SOLUTION_MEMBER, loose_text(data)))
    inside = (path for path in members if ":" not in path and ".." not in path.split("/") and path[0] != "/")
    return Manifest(strength=0.9, members=tuple(dict.fromkeys(inside)))


def project(data: bytes) -> Manifest:
    """``*.csproj``, ``*.fsproj`` and ``*.vbproj``: the SDK, desktop switches and package references."""
    text = without(loose_text(data), "<!--", "-->")
    names = [*re.findall(_SDK, text), *re.findall(_SWITCH, text), *re.findall(_REFERENCE, text)]
    target = re.search(_TARGET, text)
    return Manifest(
        dependencies=(Dependencies("dotnet", "Project", names),) if names else (),
        toolchains=(("dotnet", target[1]),) if target else (),
    )
