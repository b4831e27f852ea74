"""What a memory refers to and no longer finds: rule ``x-reference`` for files, commands, addresses, symbols.

A Markdown link says that its target is there; a path in code marks may tell of what was, so it is told as
information. The network is never asked.
"""

from __future__ import annotations

import json
import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from brain.health import roles
from brain.health.finding import demanded, finding
from brain.health.indexes import indexed
from brain.health.mentions import all_mentions
from brain.health.plain import memory_files
from brain.health.values import INFO, MEDIUM, WARNING, Finding, Rule
from brain.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.health.page import Page
    from brain.health.parsed import ParsedMemory
    from brain.health.today import Today
    from brain.health.values import MemoryFile

FILE, COMMAND, URL, SYMBOL = "file", "command", "URL", "symbol"

_LINK = re.compile(
    r"\]\(\s*(?:<(?P<angle>[^<>\n]{1,500})>|(?P<bare>[^\s()<>]{1,500}(?:\([^\s()]*\)[^\s()<>]*)?)(?=[\s)]))"
)
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,100}\]:\s*<?(?P<target>[^\s<>]{1,500})", re.MULTILINE)
_SPAN = re.compile(r"(?<!`)`(?P<code>[^`\n]{2,200})`(?!`)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_BROKEN_URL = re.compile(
    r"(?:https?:(?!//)/?|https?//|htp://|htps://|ttps?://|hhttps?://|https?:///)\S"
    r"|https?://(?:\s|$)|https?://https?:",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"[<>{}*$|\u2026?%=\"']|\.\.\.|YYYY|XX|NNN|\bpath/to\b|\bfoo\b|\bbar\b|\bexample\b|\["
)
_PATH = re.compile(
    r"(?P<path>(?:\.{1,2}/)*(?:[\w.@+~-]+/)+[\w.@+-]+\.(?P<ending>[A-Za-z]\w{0,9}))"
    r"(?:(?P<number>:\d{1,6}(?::\d+|-\d+)?|#L\d{1,6}(?:-L?\d+)?)|::(?P<symbol>[A-Za-z_][\w.:]*)(?:\(\))?)?"
)
_ENDINGS = frozenset(
    [
        "astro",
        "bash",
        "c",
        "cc",
        "cfg",
        "conf",
        "cpp",
        "cs",
        "css",
        "csv",
        "cts",
        "cue",
        "dart",
        "ex",
        "exs",
        "fish",
        "go",
        "gradle",
        "graphql",
        "h",
        "hcl",
        "hpp",
        "hs",
        "html",
        "ini",
        "ipynb",
        "java",
        "js",
        "json",
        "jsonc",
        "jsonl",
        "jsx",
        "kt",
        "kts",
        "less",
        "lock",
        "lua",
        "m",
        "md",
        "mdc",
        "mdx",
        "mjs",
        "ml",
        "mm",
        "mts",
        "nix",
        "php",
        "pl",
        "plist",
        "prisma",
        "proto",
        "ps1",
        "py",
        "pyi",
        "r",
        "rb",
        "rs",
        "rst",
        "sass",
        "scala",
        "scss",
        "sh",
        "sql",
        "svelte",
        "svg",
        "swift",
        "tf",
        "tfvars",
        "toml",
        "ts",
        "tsx",
        "txt",
        "vue",
        "xml",
        "yaml",
        "yml",
        "zig",
        "zsh",
    ]
)
# A line that tells of what was or will be does not refer to what is.
_TELLS = re.compile(
    r"(?<![^\W_])(?:remov|delet|renam|moved|former|old|legacy|previous|obsolete|deprecat|drop|gone|replac|was|were"
    r"|no longer|does(?:n't| not) exist|missing|creat|add|new|will|planned|todo|generat|gitignore"
    r"|gelöscht|entfern|umbenannt|verschoben|früher|alt|veraltet|ersetzt|war|nicht mehr|fehlt|anleg|neu|wird"
    r"|geplant|erzeug"
    r"|supprim|renomm|déplac|ancien|remplac|était|n'existe|manqu|créer|créé|ajout|nouveau|sera|prévu|génér)",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"(?:\$ )?(?:(?P<make>make)|(?P<just>just)|(?P<npm>npm|pnpm|yarn|bun))(?: (?P<run>run|run-script))? "
    r"(?P<target>[A-Za-z][\w:.-]*)(?=$| )"
)
_NPM_SCRIPTS = frozenset({"test", "start", "stop", "restart"})
_MAKE_TARGET = re.compile(r"^(?P<names>[^\s#:=][^#:=\n]*?)[ \t]*::?(?!=)", re.MULTILINE)
_MAKE_UNKNOWN = re.compile(
    r"^-?s?include\s|^[^\n#:=]*%[^\n#:=]*:|^\.DEFAULT|^[^\n#:=]*\$[^\n#:=]*:(?!=)", re.MULTILINE
)
_JUST_RECIPE = re.compile(
    r"^(?:@?(?P<name>[A-Za-z_][\w-]*)[^:\n]*:(?!=)|alias (?P<alias>[\w-]+) *:=)", re.MULTILINE
)
_JUST_UNKNOWN = re.compile(r"^(?:import|mod)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reference:
    """Something that a page names. ``kind`` is one of ``FILE``, ``COMMAND``, ``URL``, ``SYMBOL``.

    ``places`` are the paths, relative to the project, of which one should be there; ``detail`` is the symbol,
    the line's number, or the target of a command. ``linked`` tells that it is the target of a Markdown link.
    """

    kind: str
    line: int
    written: str
    places: tuple[str, ...] = ()
    detail: str = ""
    linked: bool = False


def references(page: Page) -> tuple[Reference, ...]:
    """What ``page`` refers to, in the order of its lines; without what only looks like it."""
    # Asked for twice: before its references are asked after, and when they are judged.
    known = page.kept.get("references")
    if known is None:
        known = page.kept["references"] = _found_on(page)
    return known


def _found_on(page: Page) -> tuple[Reference, ...]:
    text = "\n".join(page.visible[1:])
    if "](" not in text and "`" not in text and "]:" not in text:
        return ()
    found = [*_links(text, page.path), *_spans(text, page.path)]
    if not found:
        return ()
    starts = list(accumulate((len(line) + 1 for line in page.visible[1:]), initial=0))
    placed = sorted(((bisect_right(starts, place), one) for place, one in found), key=lambda pair: pair[0])
    return tuple(
        Reference(one.kind, line, one.written, one.places, one.detail, one.linked) for line, one in placed
    )


def wanted(parsed: ParsedMemory) -> tuple[str, ...]:
    """The paths, relative to the project, that references are judged by: to be asked after; sorted."""
    places: set[str] = set()
    for file in _referring(parsed):
        for one in references(parsed.page(file)):
            places.update(one.places)
    return tuple(sorted(places))


def _referring(parsed: ParsedMemory) -> tuple[MemoryFile, ...]:
    """The files that may refer to something: most do not, and are not even parsed to find that out."""
    return tuple(file for file in _pages(parsed) if _may_refer(file.data))


def _may_refer(data: bytes) -> bool:
    # To find one byte takes a tenth of the time that two take; "in" makes an error first, and drops it.
    if data.find(b"`") >= 0:
        return True
    return data.find(b"]") >= 0 and (data.find(b"](") >= 0 or data.find(b"]:") >= 0)


def _pages(parsed: ParsedMemory) -> Iterator[MemoryFile]:
    for file in memory_files(parsed):
        if file.path.lower().endswith((".md", ".mdc", ".txt", "rules")):
            yield file


def _links(text: str, page: str) -> Iterator[tuple[int, Reference]]:
    found = (
        [(match.start(), match["angle"] or match["bare"]) for match in _LINK.finditer(text)]
        if "](" in text
        else []
    )
    if "]:" in text:
        found += [(match.start(), match["target"]) for match in _DEFINITION.finditer(text)]
    for place, target in found:
        # A link inside code marks is a sample of one.
        line_start = text.rfind("\n", 0, place) + 1
        if text.count("`", line_start, place) % 2:
            continue
        if target.lower().startswith("file:") or _BROKEN_URL.match(target):
            yield place, Reference(URL, 0, target, linked=True)
        elif not _SCHEME.match(target) and not target.startswith(("#", "//", "~", "@", "www.")):
            path = _decoded(target.partition("#")[0].partition("?")[0])
            if path and not _PLACEHOLDER.search(path) and (places := _places(path, page, linked=True)):
                yield place, Reference(FILE, 0, target, places, linked=True)


def _spans(text: str, page: str) -> Iterator[tuple[int, Reference]]:
    first = text.find("`")
    for match in _SPAN.finditer(text, first, text.rfind("`") + 1) if first >= 0 else ():
        code = match["code"].strip()
        one = _path_of(code, page) if "/" in code else None
        if one is None and " " in code:
            one = _command_of(code)
        if one is None:
            continue
        # What a link shows is told by its target.
        if one.kind == COMMAND or not text.startswith("](", match.end()):
            yield match.start(), one


def _path_of(code: str, page: str) -> Reference | None:
    match = _PATH.fullmatch(code)
    if not match or match["ending"].lower() not in _ENDINGS or _PLACEHOLDER.search(match["path"]):
        return None
    if code.startswith(("~", "@")) or "node_modules/" in code:
        return None
    places = _places(match["path"], page, linked=False)
    if not places:
        return None
    detail = match["symbol"] or (re.findall(r"\d+", match["number"])[0] if match["number"] else "")
    return Reference(SYMBOL if detail else FILE, 0, code, places, detail)


def _command_of(code: str) -> Reference | None:
    match = _COMMAND.match(code)
    if not match or _PLACEHOLDER.search(match["target"]):
        return None
    target = match["target"]
    if match["npm"]:
        tool = "npm"
        if not match["run"] and (match["npm"] != "npm" or target not in _NPM_SCRIPTS):
            return None
    elif match["run"] or not (match["make"] or match["just"]):
        return None
    else:
        tool = match["make"] or match["just"]
    return Reference(COMMAND, 0, code, (), f"{tool} {target}")


def _decoded(path: str) -> str:
    """``path`` with ``%20`` and the like resolved."""
    if "%" not in path:
        return path
    data = re.sub(rb"%([0-9A-Fa-f]{2})", lambda code: bytes.fromhex(code[1].decode()), path.encode())
    return data.decode("utf-8", "replace")


def _places(path: str, page: str, *, linked: bool) -> tuple[str, ...]:
    """Where ``path``, named on ``page``, may be: beside the page, in prose also below the project."""
    folder = posixpath.dirname(page)
    if path.startswith("/"):
        # To a renderer the project's own folder; what looks like a place on a machine is not asked after.
        candidates = [path[1:]] if linked and path.count("/") > 1 else []
    else:
        candidates = [posixpath.join(folder, path)]
        if not linked and folder:
            candidates.append(path)
    inside = (posixpath.normpath(one) for one in candidates if one and "\0" not in one)
    return tuple(dict.fromkeys(one for one in inside if one != "." and one.split("/")[0] != ".."))


def _dead(parsed: ParsedMemory, _today: Today) -> Iterable[Finding] | None:
    if next(_pages(parsed), None) is None:
        return None
    listed = indexed(parsed)
    logs = {file.path for role in (roles.DECISIONS, roles.ADR) for file in parsed.files(role)}
    targets: dict[str, frozenset[str] | None] = {}
    findings: list[Finding] = []
    for file in _referring(parsed):
        said: set[str] = set()
        for one in references(parsed.page(file)):
            # Links of decisions are d-broken-link's, lines of an index m-index's; one finding for a target
            # however often it is named.
            if one.written in said or (one.linked and one.kind == FILE and file.path in logs):
                continue
            if one.linked and any((file.path, place) in listed for place in one.places):
                continue
            message = _complaint(parsed, one, targets)
            if message and (
                one.linked or one.kind == COMMAND or not _TELLS.search(parsed.page(file).visible[one.line])
            ):
                said.add(one.written)
                findings.append(_found(parsed, file, one, message))
    findings += _lost_imports(parsed)
    return findings


def _lost_imports(parsed: ParsedMemory) -> Iterator[Finding]:
    """The pages that instruction files import and that are not there: assistants leave them out silently."""
    handed = {(one.file, one.line) for one in all_mentions(parsed)}  # s-ref-missing's
    said: set[tuple[str, str]] = set()
    for entry in parsed.entry_files:
        for one in entry.imports:
            # Packages look the same, @types/node; a page has its ending.
            is_page = one.path.lower().endswith((".md", ".mdc", ".txt"))
            if one.problem != "missing" or not is_page or (one.file, one.line) in handed:
                continue
            if (one.file, one.path) not in said and parsed.exists(one.path) is not True:
                said.add((one.file, one.path))
                message = f"Imports {one.target[:80]}, which is not there."
                fix = "Correct the path, or take the import out."
                level = demanded(parsed, WARNING)
                yield finding(
                    parsed,
                    level,
                    "x-reference",
                    message,
                    fix,
                    file=one.file,
                    line=one.line,
                    anchor=one.target,
                )


def _found(parsed: ParsedMemory, file: MemoryFile, one: Reference, message: str) -> Finding:
    is_index = file.role in (roles.TOOL_MEMORY, roles.LONG_TERM)
    fix = {
        FILE: "Correct the path, or say that the file is gone.",
        SYMBOL: "Name what is there now; a name ages slower than a line's number.",
        COMMAND: "Name a command that is there, or add it.",
        URL: "Link relative to this file: such an address leads nowhere on another machine.",
    }[one.kind]
    level = INFO
    if one.linked and one.kind == FILE and not is_index:
        level = demanded(parsed, WARNING)
    return finding(
        parsed, level, "x-reference", message, fix, file=file.path, line=one.line, anchor=one.written
    )


def _complaint(parsed: ParsedMemory, one: Reference, targets: dict[str, frozenset[str] | None]) -> str:
    """What is wrong with a reference, "" where nothing is or nobody can tell."""
    if one.kind == URL:
        what = "a file on one machine" if one.written.lower().startswith("file:") else "no address"
        return f"Link to {what}: {one.written[:80]}."
    if one.kind == COMMAND:
        tool, _, target = one.detail.partition(" ")
        if tool not in targets:
            targets[tool] = _targets(parsed, tool)
        known = targets[tool]
        return f"There is no command {tool} {target}." if known is not None and target not in known else ""
    answers = [parsed.exists(place) for place in one.places]
    if not any(answers):
        # One that nobody asked after may be there.
        return f"There is no file {one.written[:80]}." if False in answers and None not in answers else ""
    return _missing_detail(parsed, one) if one.kind == SYMBOL else ""


def _missing_detail(parsed: ParsedMemory, one: Reference) -> str:
    """Whether a file of the memory, the only ones that were read, lacks the line or the symbol."""
    file = next((each for each in parsed.memory.files if each.path in one.places and each.data), None)
    if file is None:
        return ""
    text = parsed.text(file)
    if one.detail.isdigit():
        lines = text.count("\n") + 1
        return f"{file.path} has {lines:,} lines, no line {one.detail}." if int(one.detail) > lines else ""
    name = re.split(r"[.:]+", one.detail)[-1]
    return "" if name in text else f"{file.path} does not say {name[:80]} any more."


def _targets(parsed: ParsedMemory, tool: str) -> frozenset[str] | None:
    """What ``make``, ``just`` or ``npm`` can run in the project's folder; None where it cannot be told."""
    names = {
        "make": ("makefile", "gnumakefile"),
        "just": ("justfile", ".justfile"),
        "npm": ("package.json",),
    }[tool]
    files = [file for file in parsed.files(roles.START) if file.path.lower() in names and file.data]
    if not files:
        return None
    if tool == "npm":
        return _scripts(files[0].data)
    text = parsed.text(files[0])
    if tool == "make":
        if _MAKE_UNKNOWN.search(text):
            return None
        return frozenset(name for match in _MAKE_TARGET.finditer(text) for name in match["names"].split())
    if _JUST_UNKNOWN.search(text):
        return None
    return frozenset(match["name"] or match["alias"] for match in _JUST_RECIPE.finditer(text))


def _scripts(data: bytes) -> frozenset[str] | None:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    scripts = document.get("scripts") if isinstance(document, dict) else None
    if not isinstance(document, dict) or "workspaces" in document:
        return None
    return frozenset(scripts) | {"install"} if isinstance(scripts, dict) else frozenset()


RULES = (Rule("x-reference", MEDIUM, "What the memory refers to is there.", _dead),)
