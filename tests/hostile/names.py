"""Names that act: on a terminal, in Markdown, HTML, YAML, JSON, on a command line, or on the eye."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.hostile.plain_git import Template

# By what they would do. Each can be the path of a folder: none holds NUL, and the one "/" parts two folders.
TEXTS: dict[str, str] = {
    "255-bytes": "n" * 255,
    "255-bytes-of-marks": "|" * 255,
    "63-wide-characters": "\N{SKULL}" * 63,
    "byte-e9": os.fsdecode(b"caf\xe9"),
    "bytes-ff-fe": os.fsdecode(b"\xff\xfe"),
    "byte-9b": os.fsdecode(b"\x9b2Jx"),
    "encoded-surrogate": os.fsdecode(b"\xed\xa0\x80x"),
    "clear-screen": "\x1b[2J",
    "colour": "\x1b[31mred\x1b[0m",
    "window-title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;cm0gLXJmIH4=\x07",
    "terminal-link": "\x1b]8;;http:evil\x1b\\text\x1b]8;;\x1b\\",
    "device-control": "\x1bP1$r0m\x1b\\",
    "c1-introducer": "\x9b2J",
    "c1-command": "\x9d0;owned\x9c",
    "bell-and-backspace": "a\x07\x08\x08b",
    "carriage-return": "good\revil",
    "shift-out": "a\x0eb",
    "delete": "a\x7fb",
    "next-line": "a\x85b",
    "line-separator": "a\u2028b\u2029c",
    "bidi-override": "abc\u202egpj.exe",
    "bidi-isolates": "a\u2066b\u2069\u061c\u200f",
    "zero-width": "ze\u200bro\u200d\u2060\ufeff",
    "tags": "x\U000e0069\U000e0067\U000e006e",
    "twin-composed": "caf\u00e9",
    "twin-decomposed": "cafe\u0301",
    "new-entry": "x\n### 2026-01-01 - fake",
    "new-row": "x\n| active | fake | Node.js |",
    "front-matter": "x\n---\ntype: fake\n---",
    "markup-close": "[/nope]",
    "markup-link": "[link=file:evil]text",
    "markup-style": "[bold red on blue]text",
    "emoji-code": ":skull:",
    "bars": "a|b||c",
    "escaped-bar": "a\\|b",
    "backtick": "`code`",
    "many-backticks": "``` `` `",
    "script": "<script>alert(1)<",
    "picture-element": "<img src=x onerror=alert(1)>",
    "comment": "<!-- x",
    "javascript": "](javascript:alert(1))",
    "link": "[text](http:evil)",
    "picture": "![](http:evil)",
    "reference": "[x]: evil",
    "automatic-link": "<http:evil>",
    "bare-link": "www.evil.example",
    "bare-mail": "mailto:a@evil.example",
    "heading": "# heading",
    "list-mark": "- item",
    "number-mark": "1. item",
    "quote-mark": "> quote",
    "rule": "---",
    "underline": "===",
    "table-rule": "| --- | --- |",
    "emphasis": "***bold***",
    "deletion": "~~gone~~",
    "entities": "&lt;&#x3c;&amp;",
    "backslash": "\\",
    "ends-in-backslash": "x\\",
    "dollars": "$$x$$",
    "dash": "-",
    "leading-dash": "-rf",
    "option": "--yes",
    "blank": " ",
    "blanks-around": " x ",
    "tab": "a\tb",
    "quote": "it's",
    "double-quote": 'say "x"',
    "percent": "%s%n{0}",
    "template": "{{7*7}}{% raw %}",
    "home": "~",
    "dots": "...",
    "yaml-null": "null",
    "yaml-no": "no",
    "yaml-time": "1:30",
    "yaml-tag": "!!python x",
    "yaml-alias": "*alias",
    "yaml-anchor": "&anchor",
    "yaml-mapping": "a: b",
    "yaml-comment": "a # b",
    "yaml-list": "[a, b",
    "yaml-map": "{a: b",
    "yaml-at": "@at",
}


def folder_of(key: str) -> str:
    """The folder whose name is the text itself."""
    return TEXTS[key]


def manifest_folder(key: str) -> str:
    """The folder with an ordinary name that holds the text everywhere inside."""
    return f"with-{key}"


def _shown(text: str, cap: int = 200) -> str:
    """``text`` short enough to be part of a file name."""
    raw = os.fsencode(text.replace("/", "_"))[:cap]
    return os.fsdecode(raw)


def build(root: Path, template: Template) -> list[Path]:
    """Two projects for each text: one that is named so, one that says so in all it says."""
    projects = []
    for key, text in TEXTS.items():
        projects.append(template.copy(root / text))
        projects.append(_speaking(template.copy(root / manifest_folder(key)), text))
    return projects


def _speaking(project: Path, text: str) -> Path:
    """Name, description, versions, address, branch, members, files: all of them ``text``."""
    loud = text.replace("evil", "//evil")
    manifest = {
        "name": loud,
        "description": loud,
        "packageManager": f"npm@{loud}",
        "engines": {"node": loud, "vscode": loud},
        "scripts": {},
        "workspaces": ["packages/*"],
        "dependencies": {loud: loud, "react": loud},
    }
    (project / "package.json").write_text(json.dumps(manifest))
    _raw(project / "README.md", f"# {loud}\n\n{loud}\n")
    _raw(project / ".nvmrc", f"{loud}\n")
    _raw(project / ".tool-versions", f"nodejs {loud}\n{loud} 1\n")
    member = project / "packages" / text.replace("/", "_")
    member.mkdir(parents=True)
    (member / "package.json").write_text(json.dumps({"name": loud, "scripts": {}}))
    for name in (f"{_shown(text)}.csproj", f"Dockerfile.{_shown(text)}", f"compose.{_shown(text)}.yml"):
        (project / name).write_text("services:\n")
    workflows = project / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / f"{_shown(text)}.yml").write_text("on: push\n")
    _records(project, text, loud)
    return project


def _records(project: Path, text: str, loud: str) -> None:
    """Branch, address, reflog and state of the repository."""
    folder = project / ".git"
    head = (folder / "refs" / "heads" / "main").read_bytes()
    one_line = loud.replace("\n", " ")
    _raw(folder / "HEAD", f"ref: refs/heads/{_shown(text).strip() or 'x'}\n")
    (folder / "refs" / "heads" / _shown(text)).write_bytes(head)
    quoted = loud.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    with (folder / "config").open("ab") as file:
        file.write(os.fsencode(f'[remote "origin"]\n\turl = "https://host.invalid/{quoted}.git"\n'))
    line = f"{head.decode().strip()} {head.decode().strip()} {one_line} <a@b.c> 1795900000 +0000\t"
    _raw(folder / "logs" / "HEAD", f"{line}commit {one_line}: {one_line}\n")


def _raw(path: Path, text: str) -> None:
    path.write_bytes(os.fsencode(text))
