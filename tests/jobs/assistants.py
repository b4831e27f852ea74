"""An assistant of the official client, at the other end of real pipes, and the bare wire without one."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.jobs.program import Program

Work = Callable[["Assistant"], Awaitable[None]]


@dataclass
class Said:
    """What a tool answered."""

    text: str
    data: dict[str, Any]
    is_error: bool


class Assistant:
    """Calls tools. The client checks every document against the schema that the server promised."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: object) -> Said:
        done = await self.client.call_tool(tool, arguments)
        (part,) = done.content
        return Said(getattr(part, "text", ""), done.structured_content or {}, done.is_error)

    async def refused(self, tool: str, **arguments: object) -> str:
        """The message of a call that is refused."""
        said = await self(tool, **arguments)
        assert said.is_error, said.text
        return said.text


def parameters(zecher: Program, *options: str) -> StdioServerParameters:
    command, *rest = zecher.command("mcp", *options)
    return StdioServerParameters(command=command, args=rest, env=zecher.environment(), cwd=str(zecher.cwd))


def client_of(zecher: Program, *options: str, mode: Any = "auto") -> Client:
    """A client with a server of its own."""
    return Client(stdio_client(parameters(zecher, *options)), mode=mode)


def talk(zecher: Program, work: Work, *options: str, mode: Any = "auto") -> None:
    """Let an assistant do its ``work`` with a server of its own."""

    async def run() -> None:
        with anyio.fail_after(120):
            async with client_of(zecher, *options, mode=mode) as client:
                await work(Assistant(client))

    anyio.run(run)


class Wire:
    """A server, spoken to line by line."""

    def __init__(self, zecher: Program, *options: str, program: list[str] | None = None) -> None:
        self.process = subprocess.Popen(
            program or zecher.command("mcp", *options),
            cwd=zecher.cwd,
            env=zecher.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: list[bytes] = []

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, number: int, **parameters: object) -> dict[str, Any]:
        """The answer to a request."""
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        self.send(json.dumps(message).encode())
        return self.answer(number)

    def greet(self, version: str = "2025-06-18") -> dict[str, Any]:
        """The handshake of older clients."""
        answer = self.ask(
            "initialize",
            1,
            protocolVersion=version,
            capabilities={},
            clientInfo={"name": "test", "version": "1"},
        )
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        return answer

    def answer(self, number: int) -> dict[str, Any]:
        """The next answer of that number; every line before it is kept."""
        while True:
            message = json.loads(self.line())
            if message.get("id") == number:
                assert isinstance(message, dict)
                return message

    def line(self) -> bytes:
        stream = self.process.stdout
        assert stream is not None
        limit = time.monotonic() + 60
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([stream], [], [], max(0.0, limit - time.monotonic()))
            assert ready, "the server says nothing"
            piece = os.read(stream.fileno(), 1)
            assert piece, "the server is gone"
            line += piece
        self.lines.append(line)
        return line

    def close(self) -> tuple[int, bytes]:
        """End it by closing its input; the exit code and what stood on standard error."""
        rest, errors = self.process.communicate(timeout=60)
        self.lines.extend(rest.splitlines(keepends=True))
        return self.process.returncode, errors
