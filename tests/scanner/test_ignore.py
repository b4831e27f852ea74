from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scanner.ignore import IgnoreFile, IgnoreStack, parse_ignore, read_ignore
from tests.support import Git, write


def ignored(rules: str | bytes, path: str, *, is_folder: bool = False) -> bool:
    data = rules.encode() if isinstance(rules, str) else rules
    stack = IgnoreStack.of(()).enter("", parse_ignore(data, ".gitignore"))
    return stack.ignores_path(path, is_folder=is_folder)


def faults(rules: bytes) -> dict[str, tuple[int, ...]]:
    return dict(parse_ignore(rules, ".gitignore").faults)


# The cases that tell the engines apart, each held against git itself. A name with a slash at its end is a
# folder.
CASES: dict[str, tuple[dict[str, bytes], list[str]]] = {
    "a byte order mark and CRLF line ends": (
        {".gitignore": b"\xef\xbb\xbfbuild/\r\n*.log\r\n"},
        ["build/", "build/a", "a.log", "a.txt"],
    ),
    "an allow list over all folders": (
        {".gitignore": b"*\n!*/\n!*.go\n"},
        ["src/", "src/a.go", "src/a.txt", "a.go", "src/deep/b.go", "src/deep/b"],
    ),
    "one file taken back from a folder's content": (
        {".gitignore": b"gen/**\n!gen/ok.txt\n"},
        ["gen/", "gen/ok.txt", "gen/no.txt", "gen/sub/", "gen/sub/ok.txt"],
    ),
    "nothing is taken back below an ignored folder": (
        {".gitignore": b"d/\n!d/sub/*\n"},
        ["d/", "d/sub/", "d/sub/a", "d/b"],
    ),
    "a nested file takes back what the upper one ignores": (
        {".gitignore": b"vendor\n", "pkg/.gitignore": b"!vendor\n"},
        ["vendor/", "vendor/a", "pkg/vendor/", "pkg/vendor/a", "lib/vendor/"],
    ),
    "a leading slash anchors": ({".gitignore": b"/todo\n"}, ["todo", "sub/todo"]),
    "a slash in the middle anchors": (
        {".gitignore": b"doc/*.txt\n"},
        ["doc/a.txt", "x/doc/a.txt", "doc/x/a.txt"],
    ),
    "trailing spaces fall off unless escaped": (
        {".gitignore": b"plain   \nkept\\ \n"},
        ["plain", "plain   ", "kept", "kept "],
    ),
    "a hash and a bang can be escaped": (
        {".gitignore": b"\\#a\n\\!b\n#c\n"},
        ["#a", "!b", "#c", "b", "a"],
    ),
    "leading double star": ({".gitignore": b"**/x\n"}, ["x", "a/x", "a/b/x", "xx"]),
    "inner double star": ({".gitignore": b"a/**/b\n"}, ["a/b", "a/c/b", "a/c/d/b", "c/a/b", "a/bb"]),
    "character classes": (
        {".gitignore": b"*.py[cod]\n[!a-c]1\n[[:digit:]]x\n[]-]z\n"},
        ["a.pyc", "a.pyx", "a1", "d1", "5x", "xx", "]z", "-z"],
    ),
    "a folder pattern leaves a file of that name": ({".gitignore": b"out/\n"}, ["out", "sub/out/"]),
    "a star stops at the slash": (
        {".gitignore": b"foo/*\n!foo/a/\n"},
        ["foo/", "foo/a/", "foo/a/b", "foo/b/", "foo/c"],
    ),
    "the exclude file is weaker than the folder's own": (
        {".git/info/exclude": b"*.tmp\nlocal\n", ".gitignore": b"!keep.tmp\n"},
        ["a.tmp", "keep.tmp", "local", "sub/local"],
    ),
    "a double star that hangs on a name": (
        {".gitignore": b"a/foo**/bar\n/end**\n"},
        ["a/foobar", "a/foox/bar", "a/foox/y/bar", "endless/", "end", "bend"],
    ),
    "single bytes, as git counts": (
        {".gitignore": b"caf?\nna??ve\n"},
        ["café", "cafe", "naïve", "naive"],
    ),
    "lines that match nothing, and a range that runs backwards": (
        {".gitignore": b"!\n\\\n[z-a]\n[a\n/\n//\na//b\nx\\\n"},
        ["z", "[a", "a/b", "x", "\\", "x\\", "!"],
    ),
}


@dataclass
class Tree:
    """A repository with ignore files, and both answers for each of its paths."""

    root: Path
    rules: dict[str, bytes]
    paths: list[str] = field(default_factory=list)
    fold: bool = False

    def build(self) -> None:
        for name, data in self.rules.items():
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        for name in self.paths:
            target = self.root / name
            if name.endswith("/"):
                target.mkdir(parents=True, exist_ok=True)
            else:
                write(target, "")

    def by_git(self) -> set[str]:
        names = b"".join(os.fsencode(name.rstrip("/")) + b"\0" for name in self.paths)
        done = subprocess.run(
            ["git", "-c", f"core.ignoreCase={self.fold}", "check-ignore", "--no-index", "-z", "--stdin"],
            cwd=self.root,
            input=names,
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode in (0, 1), done.stderr
        return {os.fsdecode(name) for name in done.stdout.split(b"\0") if name}

    def by_us(self) -> set[str]:
        return {
            name.rstrip("/")
            for name in self.paths
            if self._stack(name).ignores_path(name.rstrip("/"), is_folder=name.endswith("/"))
        }

    def _stack(self, name: str) -> IgnoreStack:
        exclude = self._parse(".git/info/exclude")
        stack = IgnoreStack.of([exclude] if exclude else [], fold=self.fold)
        stack = stack.enter("", self._parse(".gitignore"))
        folders = name.rstrip("/").split("/")[:-1]
        for depth in range(1, len(folders) + 1):
            folder = "/".join(folders[:depth])
            stack = stack.enter(folder, self._parse(folder + "/.gitignore"))
        return stack

    def _parse(self, name: str) -> IgnoreFile | None:
        data = self.rules.get(name)
        return None if data is None else parse_ignore(data, name, fold=self.fold)


@pytest.mark.parametrize("case", CASES)
def test_the_cases_that_tell_engines_apart_are_answered_like_git(case: str, git: Git, tmp_path: Path) -> None:
    rules, paths = CASES[case]
    git("init", "-q")
    tree = Tree(tmp_path, rules, paths)
    tree.build()
    assert tree.by_us() == tree.by_git()


@pytest.mark.parametrize("fold", [True, False])
def test_letters_count_the_same_in_either_case_only_where_git_was_told_so(
    fold: bool, git: Git, tmp_path: Path
) -> None:
    rules = {
        ".git/info/exclude": b"SECRET\n",
        ".gitignore": b"Build/\n*.LOG\n/Docs/*.TXT\n**/Gen/A*C\n[A-Ca-c]x[0-9]y*\n!KEEP.log\n",
        "Pkg/.gitignore": b"/One\n\xc3\x89\n",
    }
    paths = ["build/", "build/a", "BUILD", "a.log", "keep.log", "Keep.Log", "docs/a.txt", "Docs/b.TXT"]
    paths += ["x/gen/abc", "bx1Y", "Bx1y", "Secret", "Pkg/one", "Pkg/ONE", "Pkg/é", "Pkg/É"]
    git("init", "-q")
    tree = Tree(tmp_path, rules, paths, fold)
    tree.build()
    assert tree.by_us() == tree.by_git()
    assert ("BUILD" in tree.by_us(), "a.log" in tree.by_us()) == (False, fold)


NAMES = [
    "a",
    "b",
    "ab",
    "foo",
    "foobar",
    "a.log",
    ".log",
    "x y",
    "é",
    "a]b",
    "[a]",
    "-",
    "!a",
    "#b",
    "\\a",
    "a ",
    "a\nb",
    "a*",
]
ATOMS = [
    *(
        "a",
        "b",
        "ab",
        "foo",
        "bar",
        "*",
        "**",
        "***",
        "/",
        "?",
        ".log",
        "*.log",
        "!",
        "#",
        " ",
        "\r",
        "\\",
        "\\ ",
        "\\/",
        "é",
    ),
    *(
        "/**/",
        "**/",
        "/**",
        "*a",
        "b*",
        "-",
        "[ab]",
        "[!a]",
        "[^b-z]",
        "[a-",
        "[]a]",
        "[a/]",
        "[[:alpha:]]",
        "[[:no:]]",
    ),
    *(
        "[z-a]",
        "[\\]a]",
        "[!]a]",
        "[--0]",
        "[a\\-z]",
        "[[:alnum:]x-]",
        "[[:space:]]",
        "[a-c]",
        "[&&|]",
        "[[a]",
        "[^\\^]",
    ),
]

lines = st.builds(
    lambda negated, atoms, folder: negated + "".join(atoms) + folder,
    st.sampled_from(["", "", "", "!"]),
    st.lists(st.sampled_from(ATOMS), min_size=1, max_size=4),
    st.sampled_from(["", "", "", "/"]),
)


@st.composite
def trees(draw: st.DrawFn) -> tuple[dict[str, bytes], list[str]]:
    folders = [""]
    paths: list[str] = []
    for _ in range(draw(st.integers(1, 12))):
        name = draw(st.sampled_from(folders)) + draw(st.sampled_from(NAMES))
        if name in paths or name + "/" in paths:
            continue
        if name.count("/") < 3 and draw(st.booleans()):
            name += "/"
            folders.append(name)
        paths.append(name)
    places = draw(st.lists(st.sampled_from(folders), max_size=2))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    texts = st.lists(lines, min_size=1, max_size=5).map(lambda chosen: end.join(chosen).encode())
    mark = st.sampled_from([b"", b"\xef\xbb\xbf"])
    sources = [".git/info/exclude", ".gitignore", *(place + ".gitignore" for place in places)]
    return {source: draw(mark) + draw(texts) for source in sources}, paths


def _hold_against_git(examples: int) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(tree=trees())
    def hold(tree: tuple[dict[str, bytes], list[str]]) -> None:
        with TemporaryDirectory() as folder:
            subprocess.run(["git", "init", "-q"], cwd=folder, check=True, capture_output=True, timeout=60)
            built = Tree(Path(folder), *tree)
            built.build()
            assert built.by_us() == built.by_git()

    hold()


def test_any_tree_and_any_rules_are_answered_like_git(full: bool) -> None:
    _hold_against_git(5000 if full else 250)


def test_bytes_that_are_no_text_never_raise() -> None:
    @settings(max_examples=500, deadline=None, database=None)
    @given(data=st.binary(max_size=200), path=st.binary(min_size=1, max_size=40))
    def survive(data: bytes, path: bytes) -> None:
        name = os.fsdecode(path.replace(b"\0", b"/"))
        parsed = parse_ignore(data, "x")
        assert all(problem.code == "ignore-line" for problem in parsed.problems)
        assert IgnoreStack.of([parsed]).ignores_path(name, is_folder=False) in (True, False)

    survive()


def test_a_name_that_is_not_utf8_is_matched_by_its_bytes() -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    assert ignored(b"caf\xe9.txt", name)
    assert ignored(b"caf?.txt", name)
    assert not ignored("café.txt", name)


def test_a_nul_ends_a_line_as_it_does_for_git() -> None:
    assert ignored(b"a\0b\nc", "a")
    assert ignored(b"a\0b\nc", "c")


def test_bad_lines_are_reported_by_number_and_the_good_ones_hold() -> None:
    rules = b"\\\n!\n[/]\n*a*a*a*a*a*a*a*a*b\n[a\n*.log\n" + b"x" * 257 + b"\n" + b"**/a/" * 7 + b"b\n"
    assert faults(rules) == {
        "ends in a lone backslash": (1,),
        "an empty name matches nothing": (2,),
        "a bracket holds no character": (3,),
        "more than 3 stars in one name": (4,),
        "a bracket is not closed": (5,),
        "longer than 256 bytes": (7,),
        "more than 6 double stars": (8,),
    }
    assert ignored(rules, "a.log")


def test_a_problem_names_its_file_and_at_most_twenty_lines() -> None:
    few = parse_ignore(b"!\n", "/p/.gitignore").problems
    assert [problem.message for problem in few] == ["line 1 not used: an empty name matches nothing"]
    assert few[0].path == "/p/.gitignore"
    many = parse_ignore(b"!\n" * 25, "/p/.gitignore").problems
    assert [problem.message for problem in many] == [
        f"lines {', '.join(map(str, range(1, 21)))} and 5 more not used: an empty name matches nothing"
    ]


def test_runs_of_stars_and_of_double_stars_count_once() -> None:
    assert faults(b"a" + b"*" * 30 + b"b\n" + b"**/" * 30 + b"x\n") == {}
    assert ignored(b"**/" * 30 + b"x", "a/b/x")


def test_only_the_first_64_kib_and_2000_lines_are_used() -> None:
    assert faults(b"# note\n" * 2003 + b"late") == {
        "the file has more than 2000 lines": (2001, 2002, 2003, 2004)
    }
    large = b"first\n" + b"#" * 65_530 + b"\nlate\n"
    assert ignored(large, "first")
    assert not ignored(large, "late")
    assert faults(large) == {"the file is larger than 65536 bytes": (3,)}


def _seconds(rules: bytes, paths: list[str]) -> float:
    started = time.process_time()
    for path in paths:
        ignored(rules, path)
    return time.process_time() - started


@pytest.mark.parametrize(
    ("rules", "path"),
    [
        (b"*a*a*a*a*a*a*a*a*b\n", "a" * 255),
        (b"*a*a*?b\n", "a" * 255),
        (b"a" + b"*" * 30 + b"b?\n", "a" * 200),
        (b"**/" * 30 + b"x?y\n", "/".join("a" * 40)),
        (b"**/a/**/a/**/a/**/a/**/a/**/?\n", "/".join("a" * 200) + "/bb"),
        (b"**/a*a/**/a*a/**/a*a/**/a*a/**/a*a/**/b?\n", "/".join(["aaaa"] * 100)),
        (b"[a\n" * 3_000_000, "a"),
        (b"\0" * 10_000_000, "a"),
    ],
)
def test_hostile_patterns_take_no_time(rules: bytes, path: str) -> None:
    assert _seconds(rules, [path]) < 0.5


def test_without_the_guard_three_stars_would_take_minutes() -> None:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - the way that is not taken

    (pattern,) = GitIgnoreSpec.from_lines(["*a*a*ab"]).patterns
    plain: Any = pattern
    name = "a" * 200
    rules = parse_ignore(b"*a*a*ab\n" * 100, "x")
    started = time.process_time()
    assert not plain.regex.search(name)
    one_unguarded = time.process_time() - started
    started = time.process_time()
    assert rules.verdict(name, name, is_folder=True) is None
    hundred_guarded = time.process_time() - started
    assert hundred_guarded < one_unguarded


@pytest.mark.parametrize("line", [b"*a*a*ab", b"**/a*a*ab/**/b", b"*a[a-z]*a[0-9]*ab"])
def test_a_full_file_of_stars_and_twenty_long_names_take_no_time(line: bytes) -> None:
    assert _seconds((line + b"\n") * 1500, [f"{number:02}" + "a" * 253 for number in range(20)]) < 0.5


def test_what_all_questions_cost_is_bounded() -> None:
    rules = b"".join(b"*a*%da*b\n" % number for number in range(2_000))
    stack = IgnoreStack.of(()).enter("", parse_ignore(rules, "x"))
    assert stack.ignores("a1ab", is_folder=False)
    started = time.process_time()
    for number in range(50_000):
        stack.ignores(f"{'a' * 200}{number:06}b", is_folder=False)
    assert time.process_time() - started < 12
    assert stack.is_spent
    assert not stack.ignores("a1ab", is_folder=False)


def test_the_rules_of_the_user_are_never_silent() -> None:
    rules = b"".join(b"*a*%da*b\n" % number for number in range(2_000))
    stack = IgnoreStack.of([parse_ignore(rules, "x")])
    for number in range(1_000):
        stack.ignores(f"c{number}", is_folder=False)
    assert not stack.is_spent
    assert stack.ignores("a1ab", is_folder=False)


def test_more_classes_than_are_compiled_are_named_by_line() -> None:
    rules = parse_ignore(b"".join(b"%d[a-z]\n" % number for number in range(203)), "x")
    [problem] = rules.problems
    assert problem.message.startswith("lines 201, 202, 203 not used: more than 200 lines")
    assert rules.verdict("199x", "199x", is_folder=False)
    assert rules.verdict("200x", "200x", is_folder=False) is None


def test_an_ignore_file_that_is_a_link_or_a_pipe_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "rules", "a\n")
    (tmp_path / "link").symlink_to("rules")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    assert [read_ignore(str(tmp_path / name)) for name in ("link", "pipe", "empty", "none")] == [None] * 4
    found = read_ignore(str(tmp_path / "rules"))
    assert found is not None
    assert found.source == str(tmp_path / "rules")


def test_a_stack_without_rules_ignores_nothing() -> None:
    stack = IgnoreStack.of(())
    assert stack.enter("a", None) is stack
    assert stack.enter("a", parse_ignore(b"# only words\n", "a/.gitignore")) is stack
    assert not stack.ignores("a/b", is_folder=False)


def test_a_nested_file_speaks_only_about_its_own_folder() -> None:
    stack = IgnoreStack.of(()).enter("a", parse_ignore(b"/b\n", "a/.gitignore"))
    assert stack.ignores("a/b", is_folder=False)
    assert not stack.ignores_path("b", is_folder=False)


def test_ordinary_ignore_files_do_without_pathspec() -> None:
    script = (
        "import sys\n"
        "from scanner.ignore import IgnoreStack, parse_ignore\n"
        "rules = b'node_modules/\\n*.log\\n.env.*\\n*.py[cod]\\n/dist\\n**/gen/\\n[Bb]in/\\n'\n"
        "rules += b'.vscode/*\\n!.vscode/a.json\\n'\n"
        "stack = IgnoreStack.of([parse_ignore(rules, 'x')])\n"
        "assert stack.ignores('a/b.pyc', is_folder=False)\n"
        "assert stack.ignores('.vscode/b.json', is_folder=False)\n"
        "assert not stack.ignores('.vscode/a.json', is_folder=False)\n"
        "assert 'pathspec' not in sys.modules\n"
        "stack = IgnoreStack.of([parse_ignore(b'a?b*c', 'x')])\n"
        "assert 'pathspec' not in sys.modules\n"
        "assert stack.ignores('axbzc', is_folder=False)\n"
        "assert 'pathspec' in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
