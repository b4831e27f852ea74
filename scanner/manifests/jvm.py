"""Maven's and Gradle's build files, by regular expressions: no XML parser, no Groovy, nothing is run."""

from __future__ import annotations

import re

from scanner.manifests.manifest import Dependencies, Manifest
from scanner.manifests.text import loose_text, without

_ARTIFACT = r"<artifactId>\s*+([\w.-]+)"
_DESCRIPTION = r"<description>([^<]*)"
_JAVA_VERSION = r"<(?:maven\.compiler\.release|java\.version|maven\.compiler\.source)>\s*+([\w.]+)"
_OTHER_LANGUAGE = {
    "kotlin-maven-plugin": "Kotlin",
    "scala-maven-plugin": "Scala",
    "gmavenplus-plugin": "Groovy",
}
# Blocks that name artifacts other than the project itself.
_FOREIGN = ("parent", "dependencies", "dependencyManagement", "build", "profiles", "reporting", "modules")

_COMMENT = r"(?s)//[^\n]*|/\*(?:.*?\*/|.*\Z)|(\"[^\"\n]*\"|'[^'\n]*')"
_PLUGIN_ID = r"""\bid[ \t]*+\(?[ \t]*+["']([\w.-]+)["']"""
_APPLIED = r"""\bapply[ \t(]++plugin[ \t]*+[:=][ \t]*+["']([\w.-]+)["']"""
_KOTLIN = r"""\bkotlin[ \t]*+\(\s*+["'](\w+)["']"""
_BARE_PLUGIN = r"(?m)^[ \t]*+`?(java|java-library|application|groovy|scala)`?[ \t\r]*+$"
_COORDINATE = r"""["']([\w.-]+):([\w.-]+)(?=[:"'])"""
_CATALOG_PLUGIN = (
    r"""(?m)\bid[ \t]*+=[ \t]*+["']([\w.-]+)["']"""
    r"""|^[\w-]+[ \t]*+=[ \t]*+["']([\w.-]+):[^"':\n]+["'][ \t\r]*+$"""
)
_CATALOG_MODULE = r"""\bmodule[ \t]*+=[ \t]*+["']([\w.-]+):([\w.-]+)["']"""
_JAVA_PLUGINS = frozenset(("java", "java-library", "application"))
_LANGUAGE_PLUGINS = frozenset(("groovy", "scala", "kotlin", "kotlin-android"))
_ROOT_NAME = r"""\brootProject\.name[ \t]*+=[ \t]*+["']([^"'\n]+)["']"""
_INCLUDE = r"""(?m)^[ \t]*+(?:include|includeBuild)[ \t]*+[(]?[ \t]*+["']"""
_TOOLCHAIN = r"\bJavaLanguageVersion\.of\((\d+)\)"


def pom(data: bytes) -> Manifest:
    """``pom.xml`` (maven.apache.org/pom.html)."""
    text = without(loose_text(data), "<!--", "-->")
    artifacts = re.findall(_ARTIFACT, text)
    own = text
    for element in _FOREIGN:
        own = without(own, f"<{element}>", f"</{element}>")
    name, description = re.search(_ARTIFACT, own), re.search(_DESCRIPTION, own)
    version = re.search(_JAVA_VERSION, text)
    other = next((_OTHER_LANGUAGE[artifact] for artifact in artifacts if artifact in _OTHER_LANGUAGE), "")
    return Manifest(
        instead=(other, "Maven") if other else None,
        dependencies=(Dependencies("maven", "artifactId", artifacts),) if artifacts else (),
        name=name[1] if name else "",
        description=description[1] if description else "",
        toolchains=(("java", version[1]),) if version else (),
        workspace="maven" if "<modules>" in text else "",
    )


def gradle(data: bytes) -> Manifest:
    """``build.gradle`` and ``build.gradle.kts``: plugins and coordinates, as far as the text shows them."""
    text = re.sub(_COMMENT, r"\1", loose_text(data))
    plugins = [*re.findall(_PLUGIN_ID, text), *re.findall(_APPLIED, text), *re.findall(_BARE_PLUGIN, text)]
    plugins += [f"org.jetbrains.kotlin.{name}" for name in re.findall(_KOTLIN, text)]
    if any(name in _LANGUAGE_PLUGINS or name.startswith("org.jetbrains.kotlin.") for name in plugins):
        # These apply the Java plugin themselves, and often it stands beside them.
        plugins = [name for name in plugins if name not in _JAVA_PLUGINS]
    version = re.search(_TOOLCHAIN, text)
    return Manifest(
        dependencies=(
            Dependencies("gradle", "plugins", plugins),
            Dependencies(
                "maven", "dependencies", [artifact for _, artifact in re.findall(_COORDINATE, text)]
            ),
        ),
        toolchains=(("java", version[1]),) if version else (),
    )


def gradle_settings(data: bytes) -> Manifest:
    """``settings.gradle`` and ``settings.gradle.kts``: the build's name, and whether it has members."""
    text = re.sub(_COMMENT, r"\1", loose_text(data))
    name = re.search(_ROOT_NAME, text)
    return Manifest(name=name[1] if name else "", workspace="gradle" if re.search(_INCLUDE, text) else "")


def gradle_catalog(data: bytes) -> Manifest:
    """``gradle/libs.versions.toml``: whatever the version catalog names, the build uses somewhere."""
    text = loose_text(data)
    plugins = [name or short for name, short in re.findall(_CATALOG_PLUGIN, text)]
    artifacts = [artifact for _, artifact in re.findall(_CATALOG_MODULE, text)]
    return Manifest(
        dependencies=(
            Dependencies("gradle", "plugins", plugins),
            Dependencies("maven", "libraries", artifacts),
        ),
    )
