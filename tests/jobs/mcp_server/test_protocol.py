"""The server on the wire: what is listed, what is refused, what stands on standard output."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from jobs.mcp_server.tools import TOOLS
from tests.jobs.assistants import Assistant, Wire, talk
from tests.jobs.program import Program
from tests.support import write

WRITERS = {
    *("remember_about_user", "remember_about_project", "add_decision", "add_lesson", "edit_note", "forget"),
}
READERS = {"search", "recall", "brief", "resume", "projects", "project_health"}


def test_every_tool_is_closed_and_says_what_it_does_to_files(zecher: Program) -> None:
    async def work(assistant: Assistant) -> None:
        tools = {tool.name: tool for tool in (await assistant.client.list_tools()).tools}
        assert set(tools) == WRITERS | READERS
        for tool in tools.values():
            assert tool.input_schema["additionalProperties"] is False
            assert tool.output_schema is not None
            hints = tool.annotations
            assert hints is not None
            assert hints.open_world_hint is False
            assert hints.read_only_hint is (tool.name in READERS)
            assert hints.destructive_hint is (tool.name in ("edit_note", "forget"))
            assert hints.idempotent_hint is (tool.name != "edit_note")

    talk(zecher, work)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_client_that_shakes_hands_gets_its_version(zecher: Program, version: str) -> None:
    wire = Wire(zecher)
    result = wire.greet(version)["result"]
    assert (result["protocolVersion"], result["serverInfo"]["name"]) == (version, "zecher")
    assert "tools" in result["capabilities"]
    assert wire.close() == (0, b"")


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_official_client_connects_in_every_mode(zecher: Program, mode: str) -> None:
    async def work(assistant: Assistant) -> None:
        assert (await assistant("projects")).data == {"projects": [], "total": 0}

    talk(zecher, work, mode=mode)


def test_what_does_not_fit_is_refused_and_the_tool_is_not_run(zecher: Program) -> None:
    secret = "hunter2-very-secret"  # noqa: S105 - what must not be echoed

    async def work(assistant: Assistant) -> None:
        wrong: list[dict[str, object]] = [
            {"observation": "x", secret: 1},
            {"observation": "x", "categori": "a"},
            {},
            {"observation": None},
            {"observation": " \n "},
            {"observation": 7},
            {"observation": [secret]},
            {"observation": "x", "category": True},
            {"observation": secret * 2000},
            {"observation": f"{secret}\0"},
            {"observation": f"password: {secret}9"},
            {"observation": "x", "category": "a#b"},
        ]
        for arguments in wrong:
            message = await assistant.refused("remember_about_user", **arguments)
            assert secret not in message
            assert message.endswith("]")
            assert "pydantic" not in message
        for limit in (0, 101, "3", 1.5, True):
            assert "[bad-arguments]" in await assistant.refused("search", query="x", limit=limit)
        assert "Did you mean query?" in await assistant.refused("search", querry="x")
        assert "[bad-arguments]" in await assistant.refused("search", query="")
        assert "[bad-arguments]" in await assistant.refused("search", query="x", since="yesterday")
        assert "[bad-arguments]" in await assistant.refused("recall", query="x", depth=4)
        assert "[bad-arguments]" in await assistant.refused("recall", query="x", budgetTokens=0)
        assert "one of" in await assistant.refused("search", query="x", **{"class": secret})

    talk(zecher, work)
    assert not (zecher.home / ".bmad-plus").exists()


def test_an_unknown_tool_is_refused_and_the_server_lives(zecher: Program) -> None:
    async def work(assistant: Assistant) -> None:
        assert "Did you mean search?" in await assistant.refused("serch", query="x")
        assert "[unknown-tool]" in await assistant.refused("delete_everything")
        assert not (await assistant("projects")).is_error

    talk(zecher, work)


def test_a_server_that_only_reads_hides_and_refuses_writers(zecher: Program, indexed: Path) -> None:
    async def work(assistant: Assistant) -> None:
        assert {tool.name for tool in (await assistant.client.list_tools()).tools} == READERS
        for name in sorted(WRITERS):
            assert "[read-only]" in await assistant.refused(name, observation="x", project="shop", id="abcd")
        assert not (await assistant("search", query="x")).is_error

    talk(zecher, work, "--read-only")
    assert not (indexed / "shop/.agents").exists()
    assert not (zecher.home / ".bmad-plus/brain/memory").exists()


def _call(number: int, parameters: bytes) -> bytes:
    return b'{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": %b}' % (number, parameters)


def test_hostile_lines_do_not_end_the_server(zecher: Program) -> None:
    wire = Wire(zecher)
    wire.greet()
    for line in (
        b"no json",
        b"\xff\xfe\x00",
        b"[]",
        b"{}",
        b"[" * 5000,
        b'{"jsonrpc": "2.0", "id": 5}',
        b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}',
        _call(6, b'{"name": "search", "arguments": [1]}'),
        _call(7, b'{"name": 5}'),
        _call(8, b'{"name": "search", "arguments": {"query": "\\ud800"}}'),
        b'{"jsonrpc": "2.0", "method": "no/such/notification"}',
    ):
        wire.send(line)
    assert wire.ask("no/such/method", 20)["error"]["code"] == -32601
    listed = wire.ask("tools/list", 21)["result"]["tools"]
    assert len(listed) == len(TOOLS)
    code, errors = wire.close()
    assert (code, b"Traceback" in errors) == (0, False)
    assert [line for line in wire.lines if json.loads(line).get("jsonrpc") != "2.0"] == []


_NOISY = """
import os, subprocess, sys
import jobs.mcp_server.reading as reading
quiet = reading.memory_index.ask
def loud(*arguments, **named):
    print("a stray print")
    sys.stdout.flush()
    os.write(1, b"a stray write\\n")
    subprocess.run(["echo", "a stray child"], check=False)
    return quiet(*arguments, **named)
reading.memory_index.ask = loud
from jobs.cli import main
sys.argv = ["zecher", "mcp"]
raise SystemExit(main())
"""


def test_nothing_but_the_protocol_reaches_standard_output(zecher: Program) -> None:
    wire = Wire(zecher, program=[sys.executable, "-c", _NOISY])
    wire.greet()
    done = wire.ask("tools/call", 2, name="search", arguments={"query": "größe"})
    assert "isError" not in done["result"] or done["result"]["isError"] is False
    code, errors = wire.close()
    assert code == 0
    for word in (b"a stray print", b"a stray write", b"a stray child"):
        assert word in errors
    assert [json.loads(line)["jsonrpc"] for line in wire.lines] == ["2.0", "2.0"]


_SLOW = """
import sys, time
import brain.search.keeping as keeping
import brain.search.sections as sections
keeping._BATCH_FILES = 1
at_once = sections.sections
def slowly(*arguments):
    time.sleep(0.1)
    return at_once(*arguments)
sections.sections = slowly
from jobs.cli import main
sys.argv = ["zecher", "mcp"]
raise SystemExit(main())
"""


def test_a_question_that_is_cancelled_ends_and_holds_nobody_up(zecher: Program) -> None:
    for number in range(400):
        write(zecher.home / f".bmad-plus/brain/memory/{number}.md", f"note {number}\n")
    wire = Wire(zecher, program=[sys.executable, "-c", _SLOW])
    wire.greet()
    search = {"name": "search", "arguments": {"query": "note"}, "_meta": {"progressToken": "p"}}
    wire.send(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": search}).encode())
    progress = json.loads(wire.line())
    assert progress["method"] == "notifications/progress"
    assert (progress["params"]["progressToken"], progress["params"]["total"]) == ("p", 400)
    wire.send(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}')
    assert wire.ask("tools/call", 3, name="projects", arguments={})["result"]["isError"] is False
    time.sleep(1)  # what was begun comes to its end
    (index,) = zecher.home.rglob("search.sqlite")
    counts = []
    with closing(sqlite3.connect(index)) as connection:
        for _ in range(2):
            counts += connection.execute("SELECT count(*) FROM source").fetchone()
            time.sleep(1)
    assert counts[0] == counts[1] < 400
    assert wire.close()[0] == 0
    assert [json.loads(line).get("id") for line in wire.lines].count(2) <= 1


def test_who_asks_to_hear_it_hears_how_far_an_index_is(zecher: Program) -> None:
    for number in range(3):
        write(zecher.home / f".bmad-plus/brain/memory/{number}.md", f"note {number}\n")
    heard: list[tuple[float, float | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert message is not None
        heard.append((progress, total))

    async def work(assistant: Assistant) -> None:
        done = await assistant.client.call_tool("search", {"query": "note"}, progress_callback=hear)
        assert (done.structured_content or {})["total"] == 3

    talk(zecher, work)
    assert heard == [(3, 3)]


_SMALL = """
import sys
import jobs.mcp_server.refusal as refusal
refusal.RESULT_CAP = 500
from jobs.cli import main
sys.argv = ["zecher", "mcp"]
raise SystemExit(main())
"""


def test_an_answer_that_nobody_could_read_is_refused_and_what_was_written_is_said(zecher: Program) -> None:
    wire = Wire(zecher, program=[sys.executable, "-c", _SMALL])
    wire.greet()
    kept = wire.ask("tools/call", 2, name="remember_about_user", arguments={"observation": "walrus " * 90})
    assert kept["result"]["isError"] is False
    found = wire.ask("tools/call", 3, name="search", arguments={"query": "walrus"})["result"]
    assert (found["isError"], "[result-too-large]" in found["content"][0]["text"]) == (True, True)
    read = wire.ask("resources/read", 4, uri="memory://category/general")
    assert "[result-too-large]" in read["error"]["message"]
    wire.close()


def test_without_the_package_it_says_what_to_install(zecher: Program) -> None:
    program = "import sys; sys.modules['mcp'] = None; from jobs.cli import main; raise SystemExit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "mcp"],
        cwd=zecher.cwd,
        env=zecher.environment(),
        input=b"",
        capture_output=True,
        timeout=60,
        check=False,
    )
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout, len(lines)) == (1, b"", 3)
    assert "[mcp-missing]" in lines[0]
    assert "zecher[mcp]" in lines[2]


def test_without_standard_output_it_says_so(zecher: Program) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *zecher.command("mcp")],
        cwd=zecher.cwd,
        env=zecher.environment(),
        input=b"",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, b"[mcp-streams]" in done.stderr) == (1, True)


def test_it_ends_at_once_when_it_is_interrupted(zecher: Program) -> None:
    wire = Wire(zecher)
    wire.greet()
    wire.process.send_signal(signal.SIGINT)
    assert wire.process.wait(timeout=30) == -signal.SIGINT
    wire.close()


def test_no_module_but_one_needs_the_package() -> None:
    program = (
        "import sys; sys.modules['mcp'] = None; import jobs.mcp_server.tools, jobs.cli.mcp; "
        "print(sorted(name for name in sys.modules if name in ('anyio', 'pydantic', 'asyncio')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
