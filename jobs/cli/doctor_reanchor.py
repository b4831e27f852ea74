"""``zecher doctor --reanchor``: the accepted runs of a project that was moved become its own again."""

from __future__ import annotations

from brain.files.errors import ChangedError, MemError, WriteError
from brain.outcomes.receipts import read_receipts
from brain.outcomes.runs import MovedRun, adopt_run, moved_run
from brain.wording import plural
from jobs.cli.command import Invocation
from jobs.cli.show import last_line
from jobs.errors import DONE, ExpectedError, UsageError
from jobs.memory import project_folder
from jobs.settings import output_settings
from reports.document import Document, envelope, to_json
from reports.view import safe_display


def run_reanchor(invocation: Invocation) -> int:
    """The exit code: 0 done, 1 failed, 2 needs an answer."""
    typed, surroundings, streams = invocation.typed, invocation.surroundings, invocation.streams
    as_json = output_settings(typed, surroundings).format == "json"
    project = project_folder(typed, surroundings)
    try:
        moved = _moved(project)
        if moved and not as_json:
            lines = (f"{run.run_id}\t{safe_display(run.recorded)}\n" for run in moved)
            streams.result("run\trecorded in\n" + "".join(lines))
        done = bool(moved) and _agreed(invocation, len(moved), as_json=as_json)
        if done:
            for run in moved:
                adopt_run(project, run)
    except (MemError, WriteError, ChangedError) as error:
        raise ExpectedError(
            "not-reanchored",
            "the runs could not be made this folder's own",
            str(error),
            "Mend what the message names, then run it again.",
            path=project,
        ) from None
    if as_json:
        runs = [{"id": run.run_id, "recorded": safe_display(run.recorded)} for run in moved]
        data: Document = {"project": project, "runs": runs, "reanchored": done}
        streams.result(to_json(envelope("doctor", surroundings.now, data, (), ok=True)))
    elif not moved:
        last_line(invocation, "no observed run was recorded for another folder")
    else:
        last_line(invocation, f"{plural(len(moved), 'run')} {'reanchored' if done else 'left as they are'}")
    return DONE


def _moved(project: str) -> list[MovedRun]:
    """The runs behind the project's receipts that were recorded elsewhere; one that is gone is none."""
    ids = dict.fromkeys(receipt.attempt[0] for receipt in read_receipts(project))
    found = []
    for run_id in ids:
        try:
            run = moved_run(project, run_id)
        except MemError:
            continue  # zecher mem outcomes says what is wrong with it
        if run is not None:
            found.append(run)
    return found


def _agreed(invocation: Invocation, count: int, *, as_json: bool) -> bool:
    if invocation.typed.on("yes"):
        return True
    if as_json or not invocation.streams.can_ask:
        raise UsageError(
            "needs-answer",
            "whether to reanchor must be answered",
            "nobody can be asked here",
            "Add --yes if the project was really moved here, and not copied.",
        )
    answer = invocation.streams.ask(f"Was the project moved here? Make {plural(count, 'run')} its own? [y/N]")
    return (answer or "").strip().lower() in ("y", "yes")
