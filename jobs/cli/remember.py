"""``zecher remember``, ``forget``, ``note``, ``memory edit`` and ``memory list``: what is kept on request."""

from __future__ import annotations

from jobs.cli.command import Command, Invocation, Parser


def _axis(parser: Parser, both: str) -> None:
    parser.option("--user", help="the user, wherever they work: the brain's memory")
    parser.option_or_switch(
        "--project", metavar="=NAME", help=f"a project: this one, or one of the index{both}"
    )
    parser.option("-d", "--directory", metavar="PATH", help="the project (the one around this folder)")


def _remember_options(parser: Parser) -> None:
    parser.arguments("words", "TEXT", "the observation; standard input where it is left out")
    _axis(parser, "")
    parser.option("--category", metavar="NAME", help="what it belongs to (general)")
    parser.option("--summary", metavar="TEXT", help="one line that says what the category holds")
    parser.option("--version-token", metavar="TOKEN", help="only if the file is still that version")
    parser.option("--json", help="one document for programs")


def _forget_options(parser: Parser) -> None:
    parser.arguments("words", "ID", "the name in the comment behind the observation")
    _axis(parser, " (both axes)")
    parser.option("--undo", help="bring an archived observation back")
    parser.option("--json", help="one document for programs")


def _note_options(parser: Parser) -> None:
    parser.arguments("words", "TEXT", "what is noted; standard input where it is left out")
    parser.option("-d", "--directory", metavar="PATH", help="the workspace (the one around this folder)")
    parser.option("--slug", metavar="WORD", help="in a file beside that of the day, YYYY-MM-DD-WORD.md")
    parser.option("--json", help="one document for programs")


def _edit_options(parser: Parser) -> None:
    parser.arguments("words", "FILE", "a category, or a Markdown file of the memory")
    parser.option("--append", metavar="TEXT", help="put TEXT behind everything else")
    parser.option("--prepend", metavar="TEXT", help="put TEXT before everything else")
    parser.option("--replace", metavar="TEXT", help="put TEXT in place of everything")
    parser.option("--section", metavar="HEADING", help="put --with in place of what stands below HEADING")
    parser.option("--find", metavar="OLD", help="put --with in place of OLD, which must stand there once")
    parser.option("--with", metavar="TEXT", help="what comes in place; - is standard input, for each TEXT")
    _axis(parser, " (both axes)")
    parser.option("--version-token", metavar="TOKEN", help="only if the file is still that version")
    parser.option("--json", help="one document for programs")


def _list_options(parser: Parser) -> None:
    _axis(parser, " (both axes)")
    parser.option("--format", metavar="NAME", help="table, tsv or json (table at a terminal, else tsv)")
    parser.option("--json", help="one document for programs")


def run_remember(invocation: Invocation) -> int:
    """Keep one observation; 0 done (known already, too), 1 refused or not written, 2 usage, 75 locked."""
    from jobs.cli.remember_run import run_remember  # noqa: PLC0415 - start-up: help must not wait for the brain

    return run_remember(invocation)


def run_forget(invocation: Invocation) -> int:
    """Archive one observation; exit codes as above."""
    from jobs.cli.remember_run import run_forget  # noqa: PLC0415 - as above

    return run_forget(invocation)


def run_note(invocation: Invocation) -> int:
    """Append to today's note; exit codes as above."""
    from jobs.cli.remember_run import run_note  # noqa: PLC0415 - as above

    return run_note(invocation)


def run_edit(invocation: Invocation) -> int:
    """Edit one note; exit codes as above."""
    from jobs.cli.remember_run import run_edit  # noqa: PLC0415 - as above

    return run_edit(invocation)


def run_list(invocation: Invocation) -> int:
    """Show the categories; 0 done, 3 some could not be read."""
    from jobs.cli.remember_run import run_list  # noqa: PLC0415 - as above

    return run_list(invocation)


COMMANDS = (
    Command(
        "remember",
        usage="--user|--project[=NAME] [OPTION...] [TEXT]",
        summary="keep one fact about the user or a project, once",
        details=(
            "Adds TEXT, with today's date (UTC) and a short name, to the file of its category:\n"
            "in the brain's memory for --user, in .agents/memory/notes for --project. What is\n"
            "known already is not written again; what says much the same is shown. Secrets and\n"
            "characters that cannot be seen are refused."
        ),
        examples=(
            ("zecher remember --user --category preferences 'Likes tabs'", "about the user"),
            ("zecher remember --project 'Deploys go through CI'", "about the project here"),
            ("git log -1 --format=%B | zecher remember --project=shop", "from a pipe"),
        ),
        add_options=_remember_options,
        run=run_remember,
    ),
    Command(
        "forget",
        usage="ID [OPTION...]",
        summary="archive what was remembered, or bring it back",
        details=(
            "Moves an observation to the end of its file, below [ARCHIVED], where it no longer\n"
            "counts. Nothing is deleted. The beginning of an ID is enough where it fits one only."
        ),
        examples=(
            ("zecher forget k3f9", "it no longer counts"),
            ("zecher forget k3f9 --undo", "it counts again"),
        ),
        add_options=_forget_options,
        run=run_forget,
    ),
    Command(
        "note",
        usage="[OPTION...] [TEXT]",
        summary="add a line to the note of today, memory/YYYY-MM-DD.md",
        details=(
            "Appends TEXT to the note of the day (the local date when it is written) in memory/ of\n"
            "the workspace: the nearest folder from here upwards that keeps notes, else the\n"
            "repository, else the workspace of the configuration. Nothing else in the file is\n"
            "touched. Secrets and characters that cannot be seen are refused."
        ),
        examples=(
            ("zecher note 'Remember: staging needs the VPN'", "one line"),
            ("git log -1 --format=%B | zecher note", "from a pipe"),
            ("zecher note -d ~/assistant --slug release 'Cut 2.4'", "in a file of its own"),
        ),
        add_options=_note_options,
        run=run_note,
    ),
    Command(
        "memory edit",
        usage="FILE --append|--prepend|--replace TEXT [OPTION...]",
        summary="edit a note: append, prepend, replace, a section, a text",
        details=(
            "Edits one note of the memory, its front matter left as it is. A heading or text that\n"
            "stands there more than once is refused; headings in code do not count. With\n"
            "--version-token nothing is written when somebody else wrote first."
        ),
        examples=(
            ("zecher memory edit preferences --find tabs --with spaces", "mend a fact"),
            ("zecher memory edit preferences --find 'Likes tabs' --with ''", "take it out"),
            ("zecher memory edit context.md --section State --with -", "from standard input"),
        ),
        add_options=_edit_options,
        run=run_edit,
    ),
    Command(
        "memory list",
        usage="[OPTION...]",
        summary="what is remembered: categories, summaries, tokens",
        details=(
            "Lists the categories of the user and of the project with their summaries and what\n"
            "those cost in tokens. A muted category is found, but neither loaded nor recalled."
        ),
        examples=(
            ("zecher memory list", "the user, and the project here"),
            ("zecher memory list --user --json", "for a program"),
        ),
        add_options=_list_options,
        run=run_list,
    ),
)
