"""``zecher mem``: the contract of BMAD+, on real processes."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.jobs.program import ROOT, Done, Program, folder_state
from tests.support import write

AT = "2026-10-19T02:13:48.840Z"
TASK = "Design read for the Orbit landing page: one job, the loyalty card sign-up"
HEADING = "2026-10-18 — The landing page has one job, the loyalty card sign-up"
DECISION = f"""\
# Decisions

### {HEADING}
- **Context**: design read for the Orbit landing page
- **Decision**: only one form above the fold
- **Rationale**: visitors leave early
- **Consequences**:
- **Status**: active
"""


@pytest.fixture
def mem(zecher: Program) -> Program:
    """The program in a project with one journal event and one decision, as published."""
    written = zecher(
        *("mem", "write", "--now", AT, "--agent", "atelier", "--cli", "claude-code", "--task", TASK),
        *("--outcome", "success", "--ci", "pass"),
    )
    assert (written.code, written.err) == (0, "")
    write(zecher.cwd / ".agents/memory/decisions.md", DECISION)
    return zecher


def journal(program: Program) -> list[str]:
    return (program.cwd / ".bmad/memory/journal.ndjson").read_text().splitlines()


# -- the contract of errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_an_unknown_action_is_told_on_standard_error_even_with_json(
    zecher: Program, flags: list[str]
) -> None:
    assert zecher("mem", "rcall", *flags) == Done(
        1, "", 'mem: unknown action "rcall"; did you mean recall?\n'
    )


@pytest.mark.parametrize("flags", [[], ["--json"], ["--limit", "3"]])
def test_without_an_action_the_actions_are_named(zecher: Program, flags: list[str]) -> None:
    assert zecher("mem", *flags) == Done(
        1, "", "mem: no action given; use recall, write, reinforce, observe or outcomes\n"
    )


MISTAKES = [
    (["recall"], "recall"),
    (["recall", "  "], "recall"),
    (["recall", "x", "--limit", "0"], "recall"),
    (["recall", "x", "--limit", "-1"], "recall"),
    (["recall", "x", "--limit", "1001"], "recall"),
    (["recall", "x", "--limit", "many"], "recall"),
    (["recall", "x", "--limit", ""], "recall"),
    (["recall", "x", "--limit"], "recall"),
    (["recall", "x", "--scope", "projekt"], "recall"),
    (["recall", "x", "--ranking", "best"], "recall"),
    (["recall", "x", "--ranking", "evidence"], "recall"),
    (["recall", "x", "--ranking", "evidence", "--context-scope", "../x"], "recall"),
    (["recall", "x", "--ranking", "evidence", "--context-scope", "a", "--scope", "portfolio"], "recall"),
    (["recall", "x", "--limt", "3"], "recall"),
    (["recall", "x", "--json=yes"], "recall"),
    (["recall", "x", "-d", "nowhere"], "recall"),
    (["write"], "write"),
    (["write", "--agent", ""], "write"),
    (["write", "--agent", "--task", "x"], "write"),
    (["write", "--agent", "a", "--task", "--json=x"], "write"),
    (["write", "--agent", "a", "--outcome", "won"], "write"),
    (["write", "--agent", "a", "--outcome", ""], "write"),
    (["write", "--agent", "a", "--cli", "claude"], "write"),
    (["write", "--agent", "a", "--ci", "PASS"], "write"),
    (["write", "--agent", "a", "--eval", "2"], "write"),
    (["write", "--agent", "a", "--accept", "maybe"], "write"),
    (["write", "--agent", "a", "--now", "yesterday"], "write"),
    (["write", "--agent", "a", "-d", "nowhere"], "write"),
    (["reinforce", "--ci", "pass"], "reinforce"),
    (["reinforce", "--pattern", "p"], "reinforce"),
    (["reinforce", "--pattern", " ", "--ci", "pass"], "reinforce"),
    (["observe"], "observe"),
    (["observe", "--input", "missing.json"], "observe"),
    (["observe", "--input", "/etc/hostname"], "observe"),
    (["outcomes", "-d", "nowhere"], "outcomes"),
    (["outcomes", "--color", "blue"], "outcomes"),
    (["write", "--agent", "a", "--config", "nowhere.toml"], "write"),
]


@pytest.mark.parametrize(("words", "action"), MISTAKES, ids=[" ".join(words) for words, _ in MISTAKES])
def test_every_mistake_ends_with_1_and_one_line_and_writes_nothing(
    zecher: Program, words: list[str], action: str
) -> None:
    told = zecher("mem", *words)
    document = zecher("mem", *words, "--json") if words[-1] != "--limit" else zecher("mem", "--json", *words)

    assert (told.code, told.out) == (1, "")
    assert re.fullmatch(rf"mem {action}: [^\n]+\n", told.err)
    assert (document.code, document.err) == (1, "")
    assert document.out.endswith("}\n")
    assert document.out.count("\n") == 1
    assert document.document == {"error": told.err.removeprefix(f"mem {action}: ").removesuffix("\n")}
    assert folder_state(zecher.cwd) == {}


def test_a_mistyped_option_gets_its_neighbour(zecher: Program) -> None:
    assert zecher("mem", "recall", "x", "--limt", "3").err == (
        "mem recall: unknown option --limt; did you mean --limit?\n"
    )


def test_a_mistake_in_the_configuration_is_an_error_of_mem_too(zecher: Program) -> None:
    done = zecher("mem", "recall", "x", "--scope", "portfolio", "--config", "nowhere.toml", "--json")

    assert (done.code, done.err) == (1, "")
    assert "no configuration at" in done.document["error"]


def test_an_unexpected_error_is_one_line_and_the_traceback_waits_for_debug(
    zecher: Program, tmp_path: Path
) -> None:
    zecher.extra["PYTHONPATH"] = f"{tmp_path / 'trap'}:{ROOT}"
    write(
        tmp_path / "trap" / "sitecustomize.py",
        "import jobs.cli.mem_run as m\n"
        "def run(self, action):\n    raise ZeroDivisionError('boom\\x1b[2J')\n"
        "m.MemRun.run = run\n",
    )
    short, long = zecher("mem", "outcomes"), zecher("mem", "outcomes", "--debug")

    assert short == Done(
        1,
        "",
        "mem outcomes: unexpected error: ZeroDivisionError: boom\\x1b[2J;"
        " run it again with --debug and report it\n",
    )
    assert "Traceback" in long.err
    assert zecher("mem", "outcomes", "--json").document["error"].startswith("unexpected error")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "words", [["mem", "recall", "x"], ["mem", "recall", "x", "--json"], ["memory", "--json"]]
)
def test_a_result_that_cannot_be_written_is_told_on_standard_error(zecher: Program, words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            zecher.command(*words),
            cwd=zecher.cwd,
            env=zecher.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )

    assert (done.returncode, "the result could not be written" in done.stderr) == (1, True)


def test_a_reader_that_goes_away_ends_the_output_without_a_word(mem: Program) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        mem.command("mem", "recall", "loyalty"),
        cwd=mem.cwd,
        env=mem.environment(),
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writer)

    assert (done.returncode, done.stderr) == (0, b"")


# -- words --------------------------------------------------------------------------------------------------


def test_options_stand_anywhere_and_may_be_joined_to_their_value(mem: Program) -> None:
    plain = mem("mem", "recall", "loyalty", "card", "--limit", "1", "--json", "--now", AT)

    assert plain.document["count"] == 1
    assert mem("--now", AT, "mem", "--json", "--limit=1", "recall", "loyalty", "card") == plain
    mixed = ("mem", "recall", "loyalty", "--now", AT, f"-d{mem.cwd}", "--json", "card", "--limit=1")
    assert mem(*mixed) == plain


def test_a_value_may_begin_with_a_dash_and_words_after_two_dashes_are_no_options(mem: Program) -> None:
    assert mem("mem", "write", "--agent", "forge", "--task", "--json is one line").code == 0
    assert json.loads(journal(mem)[-1])["task"] == "--json is one line"
    assert mem("mem", "recall", "--json", "--", "--json", "line").document["query"] == "--json line"


def test_the_name_of_an_option_is_no_value_unless_it_is_joined(zecher: Program) -> None:
    told = zecher("mem", "write", "--agent", "--task", "x").err

    assert told == (
        "mem write: --agent needs a value before --task; if that is the value, write --agent=--task\n"
    )
    assert zecher("mem", "write", "--agent=--task").code == 0


def test_blanks_around_the_items_of_a_list_do_not_count(zecher: Program) -> None:
    zecher("mem", "reinforce", "--pattern", "p", "--ci", "pass", "--evidence", "a")
    zecher("mem", "reinforce", "--pattern", "p", "--ci", "pass", "--evidence", "a")

    done = zecher("mem", "reinforce", "--pattern", "p", "--ci", "pass", "--evidence", " a, b c ,, ", "--json")

    assert done.document["promotion"]["evidence"] == ["a", "b c"]


def test_further_words_are_ignored_as_in_bmad_but_not_in_silence(zecher: Program) -> None:
    done = zecher("mem", "write", "--agent", "forge", "--task", "Add", "login", "limit")

    assert done.code == 0
    assert done.err == "mem write: ignored: login limit (a text of several words needs quotes)\n"
    assert json.loads(journal(zecher)[0])["task"] == "Add"


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["recall", "--help"], ["write", "--agent", "x", "-h"]])
def test_help_ends_with_0_and_writes_nothing(zecher: Program, words: list[str]) -> None:
    done = zecher("mem", *words)

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("usage: zecher mem ")
    assert max(map(len, done.out.splitlines())) <= 79
    assert folder_state(zecher.cwd) == {}


@pytest.mark.parametrize("action", ["recall", "write", "reinforce", "observe", "outcomes"])
def test_the_help_of_an_action_lists_its_options_only(zecher: Program, action: str) -> None:
    text = zecher("mem", action, "--help").out

    assert ("--agent" in text) == (action == "write")
    assert ("--limit" in text) == (action == "recall")
    assert ("--ci " in text) == (action in ("write", "reinforce"))
    assert "--directory PATH" in text


# -- write --------------------------------------------------------------------------------------------------


def test_write_prints_the_published_text_and_stores_the_published_event(zecher: Program) -> None:
    done = zecher(
        *("mem", "write", "--now", AT, "--agent", "atelier", "--cli", "claude-code", "--task", TASK),
        *("--outcome", "success", "--ci", "pass"),
    )

    assert done == Done(
        0,
        f"mem write: event 912e91734848 appended ({AT})\n"
        "  agent=atelier cli=claude-code model=- outcome=success\n"
        f"  task: {TASK}\n",
        "",
    )
    stored = (
        f'{{"ts":"{AT}","agent":"atelier","cli":"claude-code","model":null,"task":"{TASK}",'
        '"outcome":"success","signals":{"ci":"pass"},"artifactHashes":[],"id":"912e91734848"}'
    )
    assert journal(zecher) == [stored]


def test_write_with_json_prints_the_event_indented_by_two(zecher: Program) -> None:
    done = zecher(
        "mem", "write", "--now", "2026-01-01", "--agent", "forge", "--task", "alpha beta gamma", "--json"
    )

    assert done == Done(
        0,
        "{\n"
        '  "written": {\n'
        '    "ts": "2026-01-01T00:00:00.000Z",\n'
        '    "agent": "forge",\n'
        '    "cli": null,\n'
        '    "model": null,\n'
        '    "task": "alpha beta gamma",\n'
        '    "outcome": null,\n'
        '    "signals": {},\n'
        '    "artifactHashes": [],\n'
        '    "id": "e29d39f52e49"\n'
        "  }\n"
        "}\n",
        "",
    )


def test_a_task_of_none_has_no_line_and_a_long_one_ends_with_an_ellipsis(zecher: Program) -> None:
    bare = zecher("mem", "write", "--agent", "forge", "--now", "2026-01-01")
    long = zecher("mem", "write", "--agent", "forge", "--task", "x" * 200)
    exact = zecher("mem", "write", "--agent", "forge", "--task", "y" * 120)

    assert len(bare.out.splitlines()) == 2
    assert long.out.splitlines()[2] == f"  task: {'x' * 119}…"
    assert exact.out.splitlines()[2] == f"  task: {'y' * 120}"


def test_a_task_with_escapes_and_newlines_stays_one_harmless_line(zecher: Program) -> None:
    task = "two\nlines \x1b[2J\u202eend"
    done = zecher("mem", "write", "--agent", "forge", "--task", task)

    assert done.out.splitlines()[2] == "  task: two lines \\x1b[2J\\u202eend"
    assert json.loads(journal(zecher)[0])["task"] == task


def test_at_a_terminal_json_shows_every_hostile_character_escaped(zecher: Program) -> None:
    task = "a\x7f\u202eb"
    words = ("mem", "write", "--agent", "forge", "--task", task, "--json")

    assert '"a\x7f\u202eb"' in zecher(*words).out
    screen = zecher.at_terminal(*words).out
    assert '"a\\u007f\\u202eb"' in screen
    assert json.loads(screen)["written"]["task"] == task


def test_a_link_below_the_project_is_refused_and_one_that_leads_to_it_is_not(
    zecher: Program, tmp_path: Path
) -> None:
    (tmp_path / "door").symlink_to(zecher.cwd)
    assert zecher("mem", "write", "--agent", "forge", "-d", tmp_path / "door").code == 0

    other = tmp_path / "other"
    (other / ".bmad").mkdir(parents=True)
    (other / ".bmad/memory").symlink_to(tmp_path)
    for words in (["write", "--agent", "forge"], ["recall", "forge"]):
        done = zecher("mem", *words, "-d", other)
        assert (done.code, "symbolic link" in done.err) == (1, True)


# -- the lock -----------------------------------------------------------------------------------------------


def test_a_foreign_lock_stops_a_writer_after_two_seconds_and_no_reader(mem: Program) -> None:
    path = mem.cwd / ".bmad/memory/writer.lock"
    path.write_text(json.dumps({"pid": os.getpid(), "hostname": socket.gethostname(), "token": "t"}))
    before = folder_state(mem.cwd)

    start = time.monotonic()
    done = mem("mem", "write", "--agent", "forge", "--json")

    assert 2 <= time.monotonic() - start < 60
    assert done.code == 1
    assert f"process {os.getpid()} on {socket.gethostname()} since" in done.document["error"]
    assert "since 0 s" not in done.document["error"]
    assert folder_state(mem.cwd) == before
    assert mem("mem", "recall", "loyalty").code == 0
    assert mem("mem", "outcomes").code == 0


def test_a_dead_owner_is_named_with_the_command_that_releases_it(mem: Program) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (mem.cwd / ".bmad/memory/writer.lock").write_text(
        json.dumps({"pid": dead.pid, "hostname": socket.gethostname(), "token": "t"})
    )

    told = mem("mem", "write", "--agent", "forge").err
    assert f"process {dead.pid}" in told
    assert "zecher doctor --unlock" in told
    assert mem("doctor", "--unlock", "--yes").code == 0
    assert mem("mem", "write", "--agent", "forge").code == 0


def test_ctrl_c_while_waiting_ends_with_130_and_one_line(mem: Program) -> None:
    path = mem.cwd / ".bmad/memory/writer.lock"
    path.write_text(json.dumps({"pid": os.getpid(), "hostname": socket.gethostname(), "token": "t"}))
    before = folder_state(mem.cwd)
    process = subprocess.Popen(
        mem.command("mem", "write", "--agent", "forge", "--json"),
        cwd=mem.cwd,
        env=mem.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 60
    while not (path.parent / ".writer.lock.zecher").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, out, err) == (130, b'{"error":"interrupted"}\n', b"")
    assert folder_state(mem.cwd) == before


# -- recall -------------------------------------------------------------------------------------------------


def test_recall_prints_the_published_text(mem: Program) -> None:
    assert mem("mem", "recall", "loyalty card sign-up", "--now", AT) == Done(
        0,
        'mem recall: 2 match(es) for "loyalty card sign-up" (scope: project)\n'
        "  1. [0.707] event journal.ndjson#912e91734848\n"
        f'     atelier claude-code {TASK} success {{"ci":"pass"}}\n'
        f"  2. [0.522] note decisions.md § {HEADING}\n"
        f"     {HEADING} - **Context**: design read for the Orbit landing pa…\n",
        "",
    )


@pytest.mark.parametrize(
    ("now", "score"),
    [
        (AT, "0.707"),
        ("2026-11-18T02:13:48.840Z", "0.354"),
        ("2026-12-03T02:13:48.840Z", "0.250"),
        ("2026-12-18T02:13:48.840Z", "0.177"),
        ("2026-10-01T02:13:48.840Z", "0.707"),
    ],
)
def test_an_event_loses_half_its_weight_in_30_days(mem: Program, now: str, score: str) -> None:
    assert f"[{score}] event" in mem("mem", "recall", "loyalty card sign-up", "--now", now).out


def test_recall_with_json_has_the_published_keys_in_their_order(mem: Program) -> None:
    document = mem("mem", "recall", "loyalty", "card", "sign-up", "--now", AT, "--json").document

    assert list(document) == ["query", "scope", "ranking", "count", "results"]
    assert (document["query"], document["scope"], document["ranking"], document["count"]) == (
        "loyalty card sign-up",
        "project",
        "lexical",
        2,
    )
    event, note = document["results"]
    assert list(event) == ["score", "kind", "source", "ref", "text", "event"]
    assert list(note) == ["score", "kind", "source", "sourceFile", "ref", "text"]
    assert event["score"] == 3 / 18**0.5
    assert note["score"] == 3 / 33**0.5
    assert note["sourceFile"] == ".agents/memory/decisions.md"
    assert note["text"].startswith(f"{HEADING}\n- **Context**")


def test_a_recall_without_a_hit_ends_with_0(mem: Program) -> None:
    assert mem("mem", "recall", "zebra") == Done(
        0, 'mem recall: no matches for "zebra" (scope: project)\n', ""
    )
    assert mem("mem", "recall", "?!", "--json").document["count"] == 0


def test_recall_writes_nothing_and_needs_no_memory(zecher: Program) -> None:
    assert zecher("mem", "recall", "anything").code == 0
    assert list(zecher.cwd.iterdir()) == []


def test_explain_shows_the_formula_the_file_and_the_line(mem: Program) -> None:
    lines = mem("mem", "recall", "loyalty", "zebra", "--explain", "--now", AT).out.splitlines()

    assert lines[3] == (
        "     hits 1.000 x coverage 1/2 x length 1/sqrt(18) x decay 1.000; .bmad/memory/journal.ndjson:1"
    )
    assert lines[6].endswith("; .agents/memory/decisions.md:3")


def test_explain_in_json_stands_after_the_published_keys(mem: Program) -> None:
    first = mem("mem", "recall", "loyalty", "--explain", "--json", "--now", AT).document["results"][0]

    assert list(first)[-1] == "explain"
    assert (first["explain"]["file"], first["explain"]["line"]) == (".bmad/memory/journal.ndjson", 1)


def test_damaged_lines_are_skipped_and_counted_on_standard_error(mem: Program) -> None:
    with (mem.cwd / ".bmad/memory/journal.ndjson").open("a") as file:
        file.write("no json\nnull\n\n[1]\n")

    done = mem("mem", "recall", "loyalty", "--now", AT)

    assert (done.code, "journal.ndjson#912e91734848" in done.out) == (0, True)
    assert done.err == "mem recall: 3 damaged lines skipped in .bmad/memory/journal.ndjson\n"
    assert mem("mem", "recall", "loyalty", "-q").err == ""


def test_the_limit_cuts_the_hits(mem: Program) -> None:
    done = mem("mem", "recall", "loyalty card", "--limit", "1", "--now", AT)

    assert done.out.startswith("mem recall: 1 match(es) ")


def test_a_named_portfolio_is_searched_as_in_bmad(mem: Program, tmp_path: Path) -> None:
    brain = tmp_path / "_brain"
    write(brain / "memory/lessons.md", "### Loyalty\nask first\n")

    document = mem(
        "mem", "recall", "loyalty", "--scope", "portfolio", "--portfolio", brain, "--json"
    ).document

    assert list(document) == ["query", "scope", "ranking", "count", "results"]
    assert [hit["ref"] for hit in document["results"] if hit["source"] == "lessons.md"] == ["Loyalty"]
    assert all("project" not in hit for hit in document["results"])


def test_without_a_portfolio_every_indexed_project_and_the_linked_brain_are_searched(
    mem: Program, indexed: Path
) -> None:
    write(indexed / "shop/.agents/memory/lessons.md", "### Loyalty pays\nask first\n")
    write(mem.home / ".bmad-plus/brain/patterns.md", "### Loyalty form\none field\n")

    done = mem("mem", "recall", "loyalty", "--scope", "portfolio", "--now", AT)
    document = mem("mem", "recall", "loyalty", "--scope", "portfolio", "--json", "--now", AT).document

    assert (done.code, document["skipped"]) == (0, [])
    assert "note lessons.md § Loyalty pays (project: shop)\n" in done.out
    projects = {hit["ref"]: hit["project"] for hit in document["results"]}
    assert projects["Loyalty pays"] == "shop"
    assert projects["Loyalty form"] == "brain"
    assert projects["912e91734848"] == "here"


def test_a_project_that_cannot_be_searched_is_skipped_and_named(mem: Program, indexed: Path) -> None:
    (indexed / "shop/.agents").symlink_to(indexed)

    done = mem("mem", "recall", "loyalty", "--scope", "portfolio")

    assert done.code == 0
    assert "mem recall: skipped shop " in done.err


# -- reinforce ----------------------------------------------------------------------------------------------


def test_reinforce_prints_the_published_figures(zecher: Program) -> None:
    done = zecher(
        "mem", "reinforce", "--pattern", "Rate limit on auth routes", "--accept", "true", "--ci", "pass"
    )

    assert done == Done(
        0,
        'mem reinforce: pattern "Rate limit on auth routes" reward 1.000 '
        '(from {"acceptance":true,"ci":"pass"})\n'
        "  elo 1200.0 -> 1216.0 mean 0.667 (alpha=2.00, beta=1.00, updates=1)\n"
        "  promotion: none proposed (needs mean >= 0.7 and >= 3 updates)\n",
        "",
    )


def test_reinforce_with_json_has_the_published_keys_in_their_order(zecher: Program) -> None:
    words = ("mem", "reinforce", "--pattern", "p", "--accept", "yes", "--ci", "pass", "--json")
    first = zecher(*words, "--now", "2026-01-01T00:00:00Z")
    second = zecher(*words, "--now", "2026-01-01T01:00:00Z").document

    assert list(second) == [
        *("patternId", "reward", "previous", "next", "promotion", "evidenceStatus", "rankingEligible")
    ]
    assert '  "reward": 1,\n' in first.out
    assert first.document["previous"] is None
    assert second["previous"] == first.document["next"]
    assert second["next"]["elo"] == 1231.263693206478
    assert second["next"]["mean"] == 0.7487238669583771
    assert (second["promotion"], second["evidenceStatus"], second["rankingEligible"]) == (
        None,
        "self-reported",
        False,
    )


def test_the_third_success_proposes_a_promotion_once(zecher: Program) -> None:
    words = ("mem", "reinforce", "--pattern", "p", "--ci", "pass", "--evidence", "e1,e2")
    texts = [zecher(*words, "--now", f"2026-01-01T0{hour}:00:00Z").out for hour in range(4)]

    assert ["PROPOSED" in text for text in texts] == [False, False, True, False]
    lines = (zecher.cwd / ".bmad/memory/promotions.ndjson").read_text().splitlines()
    assert [json.loads(line)["evidence"] for line in lines] == [["e1", "e2"]]


# -- outcomes -----------------------------------------------------------------------------------------------


def test_outcomes_without_a_receipt_say_so(zecher: Program) -> None:
    assert zecher("mem", "outcomes") == Done(0, "mem outcomes: no observations.\n", "")
    assert zecher("mem", "outcomes", "--json").out == '{\n  "count": 0,\n  "results": []\n}\n'


# -- start-up -----------------------------------------------------------------------------------------------

HEAVY = ("argparse", "asyncio", "dataclasses", "enum", "inspect", "jinja2", "logging", "pathlib", "rich")


@pytest.mark.parametrize(
    "words",
    [
        ["recall", "loyalty"],
        ["recall", "loyalty", "--json"],
        ["write", "--agent", "forge", "--ci", "pass"],
        ["reinforce", "--pattern", "p", "--ci", "pass"],
        ["outcomes"],
    ],
    ids=" ".join,
)
def test_an_action_imports_only_what_it_needs(mem: Program, words: list[str]) -> None:
    script = (
        f"import sys; sys.argv = ['zecher', 'mem', *{words!r}]\n"
        "from jobs.cli import main; main()\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        cwd=mem.cwd,
        env=mem.environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    loaded = set(done.stderr.splitlines()[-1].split())

    assert "brain" in loaded
    # json brings re, and re brings enum: no reader of a ledger can do without.
    unwanted = {*HEAVY, "yaml", "tomli", "typing", "subprocess", "scanner", "importlib.resources"} - {"enum"}
    assert unwanted & loaded == set()
