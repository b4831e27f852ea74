"""The protocol, by the official package: lists and calls the tools; standard output carries nothing else."""

from __future__ import annotations

import gc
import io
import logging
import signal
import sys
import threading

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from brain.search.keeping import Waiter
from jobs import __version__
from jobs.mcp_server import resources
from jobs.mcp_server.refusal import RefusedError, refusal_of
from jobs.mcp_server.scope import Session
from jobs.mcp_server.tools import INSTRUCTIONS, Tool, offered, tool_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO, TypeVar

    from mcp.server.context import ServerRequestContext

    T = TypeVar("T")

_AT_ONCE = 4


class Desk:
    """Takes the calls of one client."""

    def __init__(self, session: Session, *, read_only: bool) -> None:
        self._session = session
        self._read_only = read_only
        # Files are locked against other processes; within this one, writers and cache keepers go one by one.
        self._one_by_one = threading.Lock()
        self._limiter = anyio.CapacityLimiter(_AT_ONCE)

    async def listed(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """All tools of this server."""
        return types.ListToolsResult(tools=[_described(tool) for tool in offered(read_only=self._read_only)])

    async def called(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """The result of one call; each works in a thread of its own, with connections of its own."""
        # Nobody waits for an answer that nobody wants any more; what is being written is written to its end.
        return await anyio.to_thread.run_sync(
            self._done,
            params.name,
            params.arguments,
            _waiter(context),
            abandon_on_cancel=params.name in _SIDE_BY_SIDE,
            limiter=self._limiter,
        )

    async def resources(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """What may be read, each category apart."""
        found = await self._in_thread(lambda: resources.categories(self._session.call()))
        listed = [
            types.Resource(uri=one.uri, name=one.name, description=one.description, mime_type=one.mime)
            for one in resources.RESOURCES
        ]
        listed += [types.Resource(uri=uri, name=name, mime_type=resources.MARKDOWN) for uri, name in found]
        return types.ListResourcesResult(resources=listed)

    async def templates(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """How what may be read is named."""
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=one.uri, name=one.name, description=one.description, mime_type=one.mime
                )
                for one in resources.TEMPLATES
            ]
        )

    async def read(
        self, _: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """One of them."""
        uri = str(params.uri)
        kind, text = await self._in_thread(lambda: resources.read(self._session.call(), uri))
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)]
        )

    async def prompts(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """The one that begins a piece of work."""
        project = types.PromptArgument(name="project", description="Name of an indexed project, or its path")
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=resources.COLD_START, description=resources.COLD_START_TEXT, arguments=[project]
                )
            ]
        )

    async def prompt(
        self, _: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Its text."""
        if params.name != resources.COLD_START:
            raise MCPError(types.INVALID_PARAMS, "There is no such prompt")
        text = await self._in_thread(lambda: resources.cold_start(self._session.call(), params.arguments))
        return types.GetPromptResult(
            description=resources.COLD_START_TEXT,
            messages=[types.PromptMessage(role="user", content=_text(text))],
        )

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """What ``work`` gives; what it refuses, as an error of the protocol."""
        try:
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
        except Exception as error:  # noqa: BLE001 - as for the tools
            refusal = refusal_of(error, debug=self._session.debug)
            raise MCPError(types.INVALID_PARAMS, refusal.message) from None

    def _done(self, name: str, arguments: object, waiter: Waiter) -> types.CallToolResult:
        try:
            tool = tool_named(name, read_only=self._read_only)
            if tool.name in _SIDE_BY_SIDE:
                document, said = tool(self._session.call(waiter), arguments)
            else:
                with self._one_by_one:
                    document, said = tool(self._session.call(), arguments)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in one call, the server goes on
            return _refused(refusal_of(error, debug=self._session.debug))
        return types.CallToolResult(content=[_text(said)], structured_content=document)


_SIDE_BY_SIDE = ("search", "recall", "brief", "projects")


def _waiter(context: ServerRequestContext[Any]) -> Waiter:
    """The client, for the thread that works for it: a call that was cancelled ends before the next batch.

    How far an index is, which may take a minute the first time, is told to those who asked to hear it.
    """

    def told(done: int, whole: int) -> None:
        said = f"{done:,} of {whole:,} files read for the search index"
        anyio.from_thread.run(context.session.report_progress, float(done), float(whole), said)

    return Waiter(anyio.from_thread.check_cancelled, told)


def _text(said: str) -> types.TextContent:
    return types.TextContent(type="text", text=said)


def _refused(refusal: RefusedError) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(refusal.message)], is_error=True)


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.writes,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.again,
            open_world_hint=False,
        ),
    )


def serve(session: Session, wires: tuple[BinaryIO, BinaryIO], *, read_only: bool) -> None:
    """Serve the client at the other end of ``wires`` until it goes."""
    gc.enable()
    # A thread waits for the next line and cannot be woken: Ctrl-C would count only when the client goes. What
    # is being written is old or new whenever a process ends, and locks end with it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    level = logging.DEBUG if session.debug else logging.CRITICAL
    # What the package logs of messages that do not fit holds what they hold.
    logging.basicConfig(stream=sys.stderr, level=level)
    desk = Desk(session, read_only=read_only)
    server: Server[Any] = Server(
        "zecher",
        version=__version__,
        title="Zecher",
        instructions=INSTRUCTIONS,
        on_list_tools=desk.listed,
        on_call_tool=desk.called,
        on_list_resources=desk.resources,
        on_list_resource_templates=desk.templates,
        on_read_resource=desk.read,
        on_list_prompts=desk.prompts,
        on_get_prompt=desk.prompt,
    )

    async def run() -> None:
        reads = anyio.wrap_file(io.TextIOWrapper(wires[0], encoding="utf-8", errors="replace"))
        writes = anyio.wrap_file(io.TextIOWrapper(wires[1], encoding="utf-8", newline="\n"))
        async with stdio_server(reads, writes) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
