"""The frame of the command line: help, versions, mistakes, streams."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jobs import __version__
from tests.jobs.program import ROOT, Program


def test_alone_it_prints_concise_help_with_three_examples(zecher: Program) -> None:
    done = zecher()

    assert (done.code, done.err) == (0, "")
    assert (
        done.out
        == """\
Keeps one developer's whole portfolio of repositories in view.

usage: zecher COMMAND [OPTION...]

commands:
  scan       find projects, date them, say what is active, index them
  projects   the index as it stands
  status     what exists only here, what needs you
  resume     where were we: goal, next step, what blocks, what is unsaved
  explain    why a folder is (not) a project, or what a code means
  memory     the memory of a project and its brain: search, status, check and more
  recall     what is known about it, in one bundle within a token budget
  brief      what a piece of work begins with, within a token budget
  remember   keep one fact about the user or a project, once
  forget     archive what was remembered, or bring it back
  note       add a line to the note of today, memory/YYYY-MM-DD.md
  loops      what is open and when it is due: list, done, snooze, reopen
  ack        be silent about a finding, for one project or for all
  mem        recall, write, reinforce, observe, outcomes: for people and assistants
  mcp        the memory as tools for assistants, over standard input and output
  run        run a job now, once a slot
  report     the weekly or nightly report, or the dashboard, from stored data
  jobs       last run, outcome and next slot of every job
  daemon     start the jobs when they are due, until it is stopped
  schedule   status, install, remove, show: the jobs in the scheduler of the system
  config     show, check, init: the settings, where each comes from, a template
  doctor     does it work here, by doing; release the lock of a dead writer

examples:
  zecher scan ~/dev --dry-run      look, and write nothing
  zecher scan ~/dev --yes          find all projects and index them
  zecher projects --status paused  what has been waiting

"zecher --help" lists the options of every command, "zecher COMMAND --help" explains one.
"""
    )


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_the_options_of_every_command_and_the_exit_codes(zecher: Program, flag: str) -> None:
    done = zecher(flag)

    assert (done.code, done.err) == (0, "")
    for word in ("--config FILE", "--brain DIR", "--color WHEN", "-q, --quiet", "--now ISO", "75 locked"):
        assert word in done.out


COMMANDS = (
    *("scan", "projects", "explain", "memory status", "memory init", "memory add", "memory export"),
    *("memory consolidate", "memory promote", "memory promote-explain", "memory rem-harness"),
    "memory rem-backfill",
    *("mem", "config show", "doctor", "run", "report"),
    *("schedule install", "schedule remove", "schedule status", "schedule show"),
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_the_help_of_a_command_ends_with_examples_and_fits_80_columns(
    zecher: Program, command: str, flag: str
) -> None:
    done = zecher(*command.split(), flag)

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: zecher {command} ")
    assert f"\n  zecher {command} " in done.out.partition("\nexamples:\n")[2]
    options = done.out.partition("\nexamples:\n")[0]
    assert max(map(len, options.splitlines())) <= 79


@pytest.mark.parametrize(
    ("family", "default"), [("memory", "status"), ("schedule", "status"), ("config", "show")]
)
def test_a_family_alone_is_its_first_command_and_its_help_lists_all(
    zecher: Program, family: str, default: str
) -> None:
    done = zecher(family, "--help")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: zecher {family} COMMAND ")
    assert f"  zecher {family} {default} " in done.out
    assert zecher(family) == zecher(family, default)


def test_a_mistyped_second_word_gets_its_neighbour(zecher: Program) -> None:
    code, text = error(zecher, "memory", "staus")

    assert code == 2
    assert "unknown command 'memory staus' [unknown-command]" in text
    assert "Did you mean zecher memory status?" in text


@pytest.mark.parametrize(
    "words",
    [
        ["memory", "-d", "x", "init", "--dry-run"],
        ["-q", "memory", "--brain", "b", "init", "--dry-run", "-d", "x"],
        ["memory", "init", "--dry-run", "--directory=x"],
    ],
)
def test_options_may_stand_between_the_words_of_a_command(zecher: Program, words: list[str]) -> None:
    (zecher.cwd / "x").mkdir()

    done = zecher(*words)

    assert done.code == 0
    assert "x/.agents/memory/decisions.md" in done.out


def test_help_wins_over_other_words_and_may_stand_before_the_command(zecher: Program) -> None:
    assert zecher("scan", "--depth", "x", "--help").out == zecher("--help", "scan").out


@pytest.mark.parametrize("words", [["--version"], ["scan", "--version"], ["--version", "scan"]])
def test_the_version_is_that_of_the_distribution(zecher: Program, words: list[str]) -> None:
    assert (0, f"zecher {__version__}\n") == ((done := zecher(*words)).code, done.out)
    assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text()


def error(zecher: Program, *words: str) -> tuple[int, str]:
    done = zecher(*words)
    assert done.out == ""
    return done.code, done.err


def test_a_mistyped_command_gets_its_neighbour(zecher: Program) -> None:
    code, text = error(zecher, "scna")

    assert code == 2
    assert text == (
        "zecher: unknown command 'scna' [unknown-command]\n"
        "  why: zecher has no command of that name\n"
        "  fix: Did you mean zecher scan?\n"
    )


def test_a_folder_in_the_place_of_a_command_gets_the_whole_line(zecher: Program) -> None:
    assert "  fix: To scan that folder: zecher scan /srv/x\n" in error(zecher, "/srv/x")[1]


def test_an_option_like_nothing_gets_no_neighbour(zecher: Program) -> None:
    assert "fix: See zecher memory status --help." in zecher("memory", "--bogus").err


def test_a_mistyped_option_gets_its_neighbour(zecher: Program) -> None:
    code, text = error(zecher, "scan", "--activ-days=3")

    assert code == 2
    assert text == (
        "zecher: unknown option --activ-days [unknown-option]\n"
        "  why: zecher scan has no option of that name (options cannot be shortened)\n"
        "  fix: Did you mean --active-days?\n"
    )


@pytest.mark.parametrize("option", ["--dep", "--dry", "--js", "--verb"])
def test_options_are_never_abbreviated(zecher: Program, option: str) -> None:
    code, text = error(zecher, "scan", option)

    assert code == 2
    assert "[unknown-option]" in text


def test_an_option_without_its_value_is_named(zecher: Program) -> None:
    assert "zecher: --depth: expected one argument [bad-option]\n" in error(zecher, "scan", "--depth")[1]


@pytest.mark.parametrize("depth", ["0", "-1", "four", "1000000"])
def test_a_depth_that_makes_no_sense_is_a_usage_error_in_three_lines(zecher: Program, depth: str) -> None:
    code, text = error(zecher, "scan", "--depth", depth)

    assert code == 2
    what, why, fix = text.splitlines()
    assert what == f"zecher: --depth {depth} [bad-value]"
    assert why.startswith(f"  why: '{depth}' ")
    assert fix == "  fix: Give --depth another value or leave it out."


def test_thresholds_in_the_wrong_order_are_a_usage_error(zecher: Program) -> None:
    code, text = error(zecher, "scan", "--active-days", "200")

    assert (
        code,
        text.splitlines()[0],
    ) == (2, "zecher: active below 200 days, paused below 180 days [bad-thresholds]")


def test_options_without_a_command_are_a_usage_error(zecher: Program) -> None:
    code, text = error(zecher, "--versoin")

    assert code == 2
    assert "Did you mean --version?" in text


def test_an_argument_too_many_is_named(zecher: Program) -> None:
    assert "unexpected argument 'x' [unexpected-argument]" in error(zecher, "projects", "x")[1]


def test_global_options_stand_before_or_after_the_command(zecher: Program, tmp_path: Path) -> None:
    brain = tmp_path / "b"

    before = zecher("--brain", brain, "--now", "2026-01-01", "projects", "--json")
    after = zecher("projects", "--json", "--now=2026-01-01", "--brain", brain)

    assert before.out == after.out
    assert (str(brain), "2026-01-01T00:00:00Z") == (before.data["brain"], before.document["generated_at"])


def test_a_mistake_with_json_is_one_document_too(zecher: Program) -> None:
    done = zecher("scan", "--json", "--depht", "3", "--now", "2026-01-01")

    assert (done.code, done.err) == (2, "")
    assert done.document == {
        "schema": "zecher.scan",
        "schema_version": 1,
        "generated_at": "2026-01-01T00:00:00Z",
        "ok": False,
        "data": None,
        "problems": [
            {
                "code": "unknown-option",
                "level": "error",
                "path": None,
                "message": "unknown option --depht: zecher scan has no option of that name"
                " (options cannot be shortened)",
                "fix": "Did you mean --depth?",
            }
        ],
    }


@pytest.mark.parametrize(
    "words", [["nope", "--json"], ["--format", "json", "nope"], ["nope", "--format=json"]]
)
def test_a_mistyped_command_with_json_is_a_document(zecher: Program, words: list[str]) -> None:
    document = zecher(*words).document

    assert (document["schema"], document["problems"][0]["code"]) == ("zecher.error", "unknown-command")


def test_the_second_script_is_the_scan(zecher: Program) -> None:
    code = "import sys; from jobs.cli import scan_main; sys.argv[0] = 'scan'; sys.exit(scan_main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"],
        cwd=zecher.cwd,
        env=zecher.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 0
    assert done.stdout.startswith("usage: scan [PATH...]")
    assert "\n  scan ~/dev --dry-run " in done.stdout


@pytest.mark.parametrize("script", ["zecher", "scan"])
def test_an_installed_script_starts_the_same_program(zecher: Program, script: str) -> None:
    path = Path(sys.executable).with_name(script)
    if not path.exists():
        pytest.skip("the distribution is not installed in this environment")
    done = subprocess.run(
        [path, "--help"],
        cwd=zecher.cwd,
        env=zecher.environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().startswith("usage: scan" if script == "scan" else "Keeps one developer's")


def test_an_unexpected_error_is_short_and_the_traceback_waits_for_debug(
    zecher: Program, tmp_path: Path
) -> None:
    zecher.extra["PYTHONPATH"] = f"{tmp_path / 'trap'}:{ROOT}"
    (tmp_path / "trap").mkdir()
    (tmp_path / "trap" / "sitecustomize.py").write_text(
        "import jobs.cli.projects as p\n"
        "def run(_):\n    raise ZeroDivisionError('boom\\x1b[2J')\n"
        "p.COMMANDS[0].run = run\n"
    )

    short = zecher("projects")
    long = zecher("projects", "--debug")

    assert short.code == long.code == 1
    assert short.err == (
        "zecher: unexpected error: ZeroDivisionError: boom\\x1b[2J [unexpected]\n"
        "  why: this is a mistake in zecher, not in your projects\n"
        "  fix: Run it again with --debug and report what it shows.\n"
    )
    assert "Traceback" in long.err
    assert "\x1b" not in long.err


def test_help_imports_nothing_heavy(zecher: Program) -> None:
    heavy = {
        "scanner",
        "brain",
        "json",
        "dataclasses",
        "rich",
        "tomli",
        "typing",
        "pathlib",
        "argparse",
        "re",
    }
    heavy |= {"re", "enum", "collections", "contextlib", "base64", "logging", "subprocess"}
    script = (
        "import sys; before = set(sys.modules); sys.argv = ['zecher', '--help'];"
        "from jobs.cli import main; main();"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        cwd=ROOT,
        env=zecher.environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert heavy & set(done.stderr.split()) == set()


def test_a_scan_imports_nothing_that_only_other_commands_need(zecher: Program, dev: Path) -> None:
    heavy = {"rich", "yaml", "pathspec", "jinja2", "apscheduler", "asyncio", "logging", "subprocess"}
    script = (
        f"import sys; sys.argv = ['scan', {str(dev)!r}, '--dry-run'];"
        "from jobs.cli import scan_main; scan_main();"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=zecher.environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert heavy & set(done.stderr.splitlines()[-1].split()) == set()
