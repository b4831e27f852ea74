"""``zecher mcp``: the memory as tools for assistants."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser
from jobs.errors import DONE, ExpectedError


def _options(parser: Parser) -> None:
    parser.option("--read-only", help="offer only tools that change nothing")


def run(invocation: Invocation) -> int:
    """Serve one assistant until it goes; 0 done, 1 the extra is not installed."""
    from jobs.mcp_server.wires import claim_wires  # noqa: PLC0415 - start-up: help must not wait for it

    typed, surroundings = invocation.typed, invocation.surroundings
    if invocation.streams.result_is_terminal:
        invocation.streams.hint(
            "zecher mcp: an assistant should start this; docs/mcp.md says how. Ctrl-C ends it"
        )
    wires = claim_wires()
    try:
        from jobs.mcp_server.protocol import serve  # noqa: PLC0415 - start-up: 1 s, and it may not be there
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        raise ExpectedError(
            "mcp-missing",
            "the server for assistants is not installed",
            "it needs the package mcp, which comes with the extra zecher[mcp]",
            "Install it: uv tool install 'zecher[mcp]', or pip install 'mcp>=2,<3' where zecher is.",
        ) from None
    from jobs.mcp_server.scope import Session  # noqa: PLC0415 - as above

    is_fixed = bool(typed.text("now") or surroundings.variable("NOW"))
    serve(Session(typed, surroundings, is_fixed=is_fixed), wires, read_only=typed.on("read_only"))
    return DONE


COMMANDS = (
    Command(
        "mcp",
        usage="[OPTION...]",
        summary="the memory as tools for assistants, over standard input and output",
        details=(
            "Serves the assistant that started it, by the Model Context Protocol: search,\n"
            "recall, remember, edit, forget, resume, health and more, for the projects of the\n"
            "index and below the configured roots, nothing outside. Needs the extra\n"
            "zecher[mcp]. Talks to nobody else and opens no port."
        ),
        examples=(
            ("claude mcp add --scope user zecher -- zecher mcp", "for Claude Code"),
            ("zecher mcp --read-only", "no tool that changes anything"),
        ),
        add_options=_options,
        run=run,
    ),
)
