"""The configuration as YAML: the same names, read strictly."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.config import load_configuration
from jobs.config_check import parse_configuration
from jobs.config_template import TABLES
from jobs.config_values import Configuration, ConfiguredRoot
from jobs.config_yaml import Plain, YamlError, read_yaml
from jobs.errors import UsageError
from jobs.surroundings import Surroundings
from scanner.value import replace
from tests.support import write

HOME = "/home/ana"


def read(text: str, name: str = "c.yaml") -> Configuration:
    found = parse_configuration(f"/{name}", text.encode(), Surroundings({}, HOME, HOME, 0.0))
    return replace(found, path="", lines=())


def refusal(text: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read(text)
    return caught.value


def test_the_same_names_give_the_same_configuration() -> None:
    as_yaml = """
brain: ~/notes/brain
scan:
  roots:
    - ~/dev
    - {path: /srv/work, depth: 2, exclude: [old/], active_days: 7.5}
  depth: 6
  nested: all
  respect_ignore: true
  deadline: 30
stacks:
  - {glob: "*.tf", label: Terraform, class: strong, priority: 5}
me: {emails: [ana@example.com]}
schedule: {nightly: every 6h, zone: Europe/Berlin}
reports: {folder: ~/reports, keep_weeks: 4}
memory: {file_lines: 100}
hooks:
  - run: [/bin/true, no, 1:30]
    timeout: 5
notify: {ping_url: https://ping.example.com/x, quiet_line: true}
"""
    as_toml = """
brain = "~/notes/brain"
[scan]
roots = ["~/dev", { path = "/srv/work", depth = 2, exclude = ["old/"], active_days = 7.5 }]
depth = 6
nested = "all"
respect_ignore = true
deadline = 30
[[stacks]]
glob = "*.tf"
label = "Terraform"
class = "strong"
priority = 5
[me]
emails = ["ana@example.com"]
[schedule]
nightly = "every 6h"
zone = "Europe/Berlin"
[reports]
folder = "~/reports"
keep_weeks = 4
[memory]
file_lines = 100
[[hooks]]
run = ["/bin/true", "no", "1:30"]
timeout = 5
[notify]
ping_url = "https://ping.example.com/x"
quiet_line = true
"""
    assert read(as_yaml) == read(as_toml, "c.toml") != Configuration()


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "scan:\n  # depth: 4\n", "\ufeffscan: {}\n"])
def test_what_says_nothing_sets_nothing(text: str) -> None:
    assert read(text) == Configuration()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scan:\n  dept: 3\n", "line 2: scan.dept: no such key"),
        ("scan:\n  depth: '3'\n", "line 2: scan.depth: '3' is text"),
        ("scan:\n  depth: 1:30\n", "line 2: scan.depth: '1:30' is not a whole number"),
        ("scan:\n  depth:\n", "line 2: scan.depth: has no value"),
        ("scan:\n  respect_ignore: yes\n", "line 2: scan.respect_ignore: 'yes' is neither true nor false"),
        ("brain: ~\n", "line 1: brain: is not the path of a folder"),
        ("brain: null\n", "line 1: brain: is not the path of a folder"),
        (
            "scan:\n  roots:\n    - /a\n    - dept: 1\n      path: /b\n",
            "line 4: scan.roots.dept: no such key",
        ),
        ("scan:\n  roots:\n    - /a\n    - b\n", "line 4: scan.roots.path: 'b' is relative"),
        ("scan:\n  exclude:\n    - a\n    -\n", "line 4: scan.exclude: is not a text"),
        ("hooks:\n  - run: [/bin/true]\n  - on: [failure]\n", "line 3: hooks.run: is missing"),
        ("memory:\n  file_lines: 1e3\n", "line 2: memory.file_lines: '1e3' is not a whole number"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, message: str) -> None:
    assert [problem.message for problem in refusal(text).problems] == [message]


def test_words_that_elsewhere_are_numbers_and_switches_stay_words() -> None:
    found = read("stacks:\n  - {glob: no, label: 1.10}\n  - {glob: 0x1F, label: on}\n")

    assert [(rule.glob, rule.label) for rule in found.stacks] == [("no", "1.10"), ("0x1F", "on")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("scan: &a {depth: 3}\nme: *a\n", "line 2: *a: aliases are not read; write the value again"),
        ("scan:\n  depth: 3\n  depth: 4\n", "line 3: depth stands here a second time"),
        (
            "brain: !!python/object/apply:os.system [x]\n",
            "line 1: tag:yaml.org,2002:python/object/apply:os.system",
        ),
        ("brain: !x y\n", "line 1: !x: tags are not read"),
        ("brain: /a\n---\nbrain: /b\n", "line 2: a second document: the configuration is one"),
        ("- a\n", "line 1: the file is not a table of keys"),
        ("text\n", "line 1: the file is not a table of keys"),
        ("? [a]\n: b\n", "line 1: a key is a plain word"),
        ("scan: {<<: {depth: 3}}\n", ""),
        ("scan: [\n", "line 2: "),
        ("a: b: c\n", "line 1: "),
        ("a: \x01\n", ""),
        ("a: " + "[" * 5000, "nest"),  # the parser written in C has a limit of its own
        ("a: " + "[" * 40 + "]" * 40, "line 1: nested too deeply"),
        ("#" * (64 * 1024 + 1), "it is larger than 64 KiB"),
    ],
    ids=lambda text: text[:20],
)
def test_what_could_mean_two_things_or_do_harm_is_refused_with_its_line(text: str, why: str) -> None:
    error = refusal(text)

    assert error.code == ("config-unknown-key" if "<<" in text else "config-syntax")
    assert why in error.why


def test_a_bomb_of_aliases_is_refused_at_once() -> None:
    text = "a: &a [x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
    )
    start = time.process_time()

    assert "aliases are not read" in refusal(text).why
    assert time.process_time() - start < 1


@given(
    data=st.binary(max_size=80) | st.text(alphabet="ab:-[]{}&*!|>'\"#~ \n\t1", max_size=60).map(str.encode)
)
@settings(max_examples=500, deadline=None)
def test_no_bytes_bring_it_down(data: bytes) -> None:
    with suppress(UsageError):
        parse_configuration("/c.yaml", data, Surroundings({}, HOME, HOME, 0.0))


@given(text=st.text(alphabet="ab:- \n'1", max_size=60))
@settings(max_examples=300, deadline=None)
def test_it_reads_what_pyyaml_reads_except_for_what_it_refuses(text: str) -> None:
    try:
        found, _ = read_yaml(text)
    except YamlError:
        return
    theirs = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - it makes nothing but texts
    assert found == (theirs or {}) or _has_nothing(found)


def _has_nothing(value: object) -> bool:
    """Whether it holds a None somewhere, which PyYAML's reader of plain texts gives as an empty text."""
    if isinstance(value, dict):
        return any(map(_has_nothing, value.values()))
    return any(map(_has_nothing, value)) if isinstance(value, list) else value is None


def test_plain_text_is_text_like_any_other() -> None:
    assert (Plain("x"), repr(Plain("x"))) == ("x", "'x'")


def test_every_table_of_the_template_can_be_written_as_yaml() -> None:
    assert read(
        "".join(f"{table.name}:\n" for table in TABLES if "[[" not in table.header and table.name)
    ) == (Configuration())


# -- the two files -------------------------------------------------------------------------------------------


def test_it_is_found_in_the_usual_place(home: Path) -> None:
    path = write(home / ".config/zecher/config.yaml", "scan: {roots: [/a]}\n")
    path.chmod(0o600)
    here = Surroundings({}, str(home), str(home), 0.0)

    found = load_configuration(here, None)

    assert (found.roots, found.path) == ((ConfiguredRoot("/a"),), str(path))
    assert found.origin("scan.roots") == f"{path}:1"


def test_two_configurations_are_one_too_many(home: Path) -> None:
    for name in ("config.toml", "config.yaml"):
        write(home / ".config/zecher" / name, "").chmod(0o600)
    here = Surroundings({}, str(home), str(home), 0.0)

    with pytest.raises(UsageError) as caught:
        load_configuration(here, None)

    assert caught.value.code == "config-twice"
    assert load_configuration(here, str(home / ".config/zecher/config.toml")) != Configuration()
