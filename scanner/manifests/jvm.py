"""Maven's and Gradle's build files, by regular expressions: no XML parser, no Groovy, nothing is run."""

from __future__ import annotations

import re

from scanner.manifests.manifest import Dependencies, Manifest
from scanner.manifests.text import loose_text, without

_ARTIFACT = re.compile(r"<artifactId>\s*+([\w.-]+)")
_DESCRIPTION = re.compile(r"<description>([^<]*)")
_JAVA_VERSION = re.compile(
    r"<(?:maven\.compiler\.release|java\.version|maven\.compiler\.source)>\s*+([\w.]+)"
)
_OTHER_LANGUAGE = {
    "kotlin-maven-plugin": "Kotlin",
    "scala-maven-plugin": "Scala",
    "gmavenplus-plugin": "Groovy",
}
# Blocks that name artifacts other than the project itself.
_FOREIGN = ("parent", "dependencies", "dependencyManagement", "build", "profiles", "reporting", "modules")

_COMMENT = re.compile(r"//[^\n]*|/\*(?:.*?\*/|.*\Z)|(\"[^\"\n]*\"|'[^'\n]*')", re.DOTALL)
_PLUGIN_ID = re.compile(r"""\bid[ \t]*+\(?[ \t]*+["']([\w.-]+)["']""")
_APPLIED = re.compile(r"""\bapply[ \t(]++plugin[ \t]*+[:=][ \t]*+["']([\w.-]+)["']""")
_KOTLIN = re.compile(r"""\bkotlin[ \t]*+\(\s*+["'](\w+)["']""")
_BARE_PLUGIN = re.compile(r"^[ \t]*+`?(java|java-library|application|groovy|scala)`?[ \t\r]*+$", re.MULTILINE)
_COORDINATE = re.compile(r"""["']([\w.-]+):([\w.-]+)(?=[:"'])""")
_CATALOG_PLUGIN = re.compile(
    r"""\bid[ \t]*+=[ \t]*+["']([\w.-]+)["']|^[\w-]+[ \t]*+=[ \t]*+["']([\w.-]+):[^"':\n]+["'][ \t\r]*+$""",
    re.MULTILINE,
)
_CATALOG_MODULE = re.compile(r"""\bmodule[ \t]*+=[ \t]*+["']([\w.-]+):([\w.-]+)["']""")
_JAVA_PLUGINS = frozenset(("java", "java-library", "application"))
_LANGUAGE_PLUGINS = frozenset(("groovy", "scala", "kotlin", "kotlin-android"))
_ROOT_NAME = re.compile(r"""\brootProject\.name[ \t]*+=[ \t]*+["']([^"'\n]+)["']""")
_INCLUDE = re.compile(r"""^[ \t]*+(?:include|includeBuild)[ \t]*+[(]?[ \t]*+["']""", re.MULTILINE)
_TOOLCHAIN = re.compile(r"\bJavaLanguageVersion\.of\((\d+)\)")


def pom(data: bytes) -> Manifest:
    """``pom.xml`` (maven.apache.org/pom.html)."""
    text = without(loose_text(data), "<!--", "-->")
    artifacts = _ARTIFACT.findall(text)
    own = text
    for element in _FOREIGN:
        own = without(own, f"<{element}>", f"</{element}>")
    name, description = _ARTIFACT.search(own), _DESCRIPTION.search(own)
    version = _JAVA_VERSION.search(text)
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
    text = _COMMENT.sub(r"\1", loose_text(data))
    plugins = [*_PLUGIN_ID.findall(text), *_APPLIED.findall(text), *_BARE_PLUGIN.findall(text)]
    plugins += [f"org.jetbrains.kotlin.{name}" for name in _KOTLIN.findall(text)]
    if any(name in _LANGUAGE_PLUGINS or name.startswith("org.jetbrains.kotlin.") for name in plugins):
        # These apply the Java plugin themselves, and often it stands beside them.
        plugins = [name for name in plugins if name not in _JAVA_PLUGINS]
    version = _TOOLCHAIN.search(text)
    return Manifest(
        dependencies=(
            Dependencies("gradle", "plugins", plugins),
            Dependencies("maven", "dependencies", [artifact for _, artifact in _COORDINATE.findall(text)]),
        ),
        toolchains=(("java", version[1]),) if version else (),
    )


def gradle_settings(data: bytes) -> Manifest:
    """``settings.gradle`` and ``settings.gradle.kts``: the build's name, and whether it has members."""
    text = _COMMENT.sub(r"\1", loose_text(data))
    name = _ROOT_NAME.search(text)
    return Manifest(name=name[1] if name else "", workspace="gradle" if _INCLUDE.search(text) else "")


def gradle_catalog(data: bytes) -> Manifest:
    """``gradle/libs.versions.toml``: whatever the version catalog names, the build uses somewhere."""
    text = loose_text(data)
    plugins = [name or short for name, short in _CATALOG_PLUGIN.findall(text)]
    artifacts = [artifact for _, artifact in _CATALOG_MODULE.findall(text)]
    return Manifest(
        dependencies=(
            Dependencies("gradle", "plugins", plugins),
            Dependencies("maven", "libraries", artifacts),
        ),
    )
