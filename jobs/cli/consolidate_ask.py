"""What to consolidate, agreed with the person at the terminal: each proposal is shown and asked about."""

from __future__ import annotations

from collections.abc import Sequence

from brain.consolidate.values import ARCHIVE, MERGE, PROMOTE, REVIEW, Proposal
from jobs.streams import Streams
from reports.consolidate import question

_ASKED = {
    MERGE: "Keep the left one, archive the right one?",
    ARCHIVE: "Archive it?",
    REVIEW: "Archive it (no: it still holds)?",
    PROMOTE: "Add the left one to the lessons of the brain?",
}


def approved(
    streams: Streams, proposals: Sequence[Proposal], *, home: str, width: int
) -> tuple[Proposal, ...]:
    """Those that the person said yes to. The end of input is no answer: nothing is approved then.

    There is no yes to several at once. "Skip all" leaves out the rest of the kind that is asked about.
    """
    found: list[Proposal] = []
    skipped: set[str] = set()
    asked = [one for one in proposals if not one.refused]
    for place, one in enumerate(asked, start=1):
        if one.action in skipped:
            continue
        shown = question(one, place=f"{place}/{len(asked)}", home=home, width=width)
        for line in shown.splitlines():
            streams.message(line)
        answer = _answer(streams, _ASKED[one.action])
        if answer is None:
            return ()
        if answer == "quit":
            break
        if answer == "skip":
            skipped.add(one.action)
        elif answer == "yes":
            found.append(one)
    return tuple(found)


def _answer(streams: Streams, question: str) -> str | None:
    while True:
        said = streams.ask(f"{question} [y]es, [n]o, [s]kip all like it, [q]uit:")
        if said is None:
            return None
        word = said.strip().lower()
        for answer in ("yes", "no", "skip", "quit"):
            if word in (answer, answer[0]):
                return answer
        if not word:
            return "no"
        streams.message(f"  {word!r} is no answer here")
