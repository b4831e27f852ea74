"""The configuration parser says what git says, and follows nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scanner.git import open_repository
from scanner.git.config import CONFIG_CAP, canonical, parse_config, read_config, read_plain
from scanner.git.problems import ProblemLog
from tests.scanner.git.repositories import run
from tests.support import Git, write

ODD = r"""# comment
[core]
	bare = false ; trailing comment
	Editor = "vi # not a comment"
	NOVALUE
	empty =
[Remote "Origin Name"]
	url = https://host/x@@
	url = two words   # and a comment
	fetch = a\
b \
  c
[remote "quo\"te \\ back"]
	url = "in\tner\n\"quotes\"\\"  tail
	mixed = a"b  c"d  "e"@
[section.Legacy.Sub]
	key = 1
[url "https://example.com/"] insteadOf = short:
[a-b]
	c-d-9 = "  kept  "
[core]
	bare = true
""".replace("@", " ")


def of_git(path: Path) -> list[tuple[str, str]]:
    listed = run("config", "--file", path, "--list", "-z", cwd=path.parent)
    pairs = [entry.partition("\n") for entry in listed.split("\0") if entry]
    return [(key, value if newline else "true") for key, newline, value in pairs]


def of_ours(data: bytes) -> tuple[dict[str, list[str]], ProblemLog]:
    problems = ProblemLog()
    return parse_config(data, "config", problems)._values, problems


def test_every_odd_form_is_read_as_git_reads_it(tmp_path: Path) -> None:
    path = write(tmp_path / "config", ODD)
    expected: dict[str, list[str]] = {}
    for key, value in of_git(path):
        expected.setdefault(key, []).append(value)

    values, problems = of_ours(ODD.encode())

    assert values == expected
    assert problems.found == ()


def test_a_byte_order_mark_and_dos_line_ends_are_read_as_git_reads_them(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + ODD.replace("\n", "\r\n").encode()
    (tmp_path / "config").write_bytes(data)
    expected: dict[str, list[str]] = {}
    for key, value in of_git(tmp_path / "config"):
        expected.setdefault(key, []).append(value)

    assert of_ours(data)[0] == expected


TEXT = st.text(st.sampled_from('ab "\\#;\t=[].\n'), max_size=12)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(TEXT, max_size=4), names=st.lists(TEXT.map(lambda t: t.replace("\n", "")), max_size=3))
def test_what_git_writes_is_read_back(tmp_path: Path, values: list[str], names: list[str]) -> None:
    path = tmp_path / "written"
    path.write_text("")
    expected: dict[str, list[str]] = {}
    for name in names:
        for value in values:
            run("config", "--file", path, "--add", f"s.{name}.key", value, cwd=tmp_path)
            expected.setdefault(f"s.{name}.key", []).append(value)

    assert of_ours(path.read_bytes())[0] == expected


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.sampled_from('ab "\\#;\t=[].\n'), max_size=60))
def test_whatever_git_accepts_is_read_as_git_reads_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "any"
    path.write_text("[a]\n" + text)
    try:
        listed = of_git(path)
    except AssertionError:
        return  # git refuses the file; ours keeps what stands before and after the bad line
    expected: dict[str, list[str]] = {}
    for key, value in listed:
        expected.setdefault(key, []).append(value.replace("\t", " "))

    # Git before 2.46 makes a blank of a tab inside a value.
    values = of_ours(path.read_bytes())[0]
    assert {key: [one.replace("\t", " ") for one in found] for key, found in values.items()} == expected


def test_a_bad_line_is_left_out_with_its_number_and_the_rest_is_read() -> None:
    values, problems = of_ours(
        b'[core]\n\tbare = "open\n[x]\n9bad = 1\n\tgood = \\q\n[remote "origin"]\n\turl = u\n'
    )

    assert values == {"remote.origin.url": ["u"]}
    assert [problem.code for problem in problems.found] == ["git-config-line"]


def test_a_configuration_beyond_the_cap_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "config", "[a]\n" + "\tb = c\n" * CONFIG_CAP)
    problems = ProblemLog()

    assert read_config(str(tmp_path / "config"), problems).get("a.b") is None
    assert [problem.code for problem in problems.found] == ["git-too-large"]


def test_keys_are_equal_in_any_case_but_subsections_are_not() -> None:
    assert canonical("Remote.Origin.URL") == "remote.Origin.url"
    assert canonical("Core.Bare") == "core.bare"


def test_no_include_of_any_form_is_followed(git: Git, tmp_path: Path) -> None:
    path = git.repository("p")
    other = write(tmp_path / "other", '[remote "origin"]\n\turl = https://leaked/\n')
    for key in ("include.path", "includeIf.gitdir:/.path", "includeIf.onbranch:main.path"):
        git("config", key, str(other), cwd=path)
    assert git("config", "remote.origin.url", cwd=path) == "https://leaked/"  # git itself does follow

    with open_repository(str(path)) as repository:
        assert repository.remote_url() is None
        assert repository.config.get("include.path") == str(other)


@pytest.mark.parametrize("value", ["true", "yes", "on", "1", "TRUE"])
def test_a_switch_is_read_as_git_reads_it(git: Git, value: str) -> None:
    path = git.repository("p")
    git("config", "core.bare", value, cwd=path)

    with open_repository(str(path)) as repository:
        assert repository.is_bare


PIECES = st.sampled_from(
    [
        "[core]",
        '[Remote "origin"]',
        "[a.B]",
        '[x ""]',
        "\tbare = true",
        "url=https://host/x",
        "fetch = +a:b",
        "  Key =  two words  ",
        "empty =",
        "flag",
        'odd = "q"',
        "c = d # e",
        "f = g ; h",
        "i = j\\",
        "\\",
        "[bad",
        "= x",
        "1a = b",
        "a-b = c\t",
        "",
        "   ",
        "[core] inline = yes",
        "\ufeff",
        "k = \u00e4",
        "[a b]",
        '[A-1 "x.y"]',
    ]
)


@settings(deadline=None, max_examples=300)
@given(
    lines=st.lists(PIECES, max_size=8),
    end=st.sampled_from(["\n", "\r\n", ""]),
    joint=st.sampled_from(["\n", "\r\n"]),
)
def test_the_short_way_for_plain_files_gives_what_the_whole_parser_gives(
    lines: list[str], end: str, joint: str
) -> None:
    data = (joint.join(lines) + end).encode()

    plain = read_plain(data)
    values, problems = of_ours(data)

    if plain is not None:
        assert plain == values
        assert problems.found == ()


def test_what_git_writes_is_read_the_short_way(git: Git) -> None:
    path = git.repository("source")
    git("clone", "-q", str(path), "copy")
    config = git.root / "copy" / ".git" / "config"
    git("config", "user.email", "ana@example.com", cwd=git.root / "copy")

    data = config.read_bytes()

    assert read_plain(data) == of_ours(data)[0]
    assert read_plain(data + b"# a comment\n") is None
