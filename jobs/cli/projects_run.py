"""One run of ``zecher projects``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from brain.files.atomic import OutsideError
from brain.files.errors import ChangedError, WriteError
from brain.portfolio import Card, read_portfolio
from brain.wording import plural
from jobs.cli.command import Invocation
from jobs.cli.show import last_line, show_problems, show_rows
from jobs.errors import DONE, PARTIAL, ExpectedError, UsageError, nearest
from jobs.places import SNAPSHOTS
from jobs.problems import ours
from jobs.settings import ReadSettings, output_settings, read_settings
from jobs.skips import Skips, read_skips, save_skips
from jobs.typed import Typed
from reports.cards import card_document, card_row, labels_of
from reports.document import Document, envelope, located, to_json
from reports.portfolio import STATUSES, counts_by_status, totals_line
from reports.snapshot import Noted
from reports.table import Row
from reports.view import below_home, iso_time, safe_display

_STATUSES = (*STATUSES, "missing")
_ORDER = {status: place for place, status in enumerate(_STATUSES)}
_SORTS: dict[str, Callable[[Row], tuple[object, ...]]] = {
    "path": lambda row: (row.path,),
    "name": lambda row: (row.name.casefold(), row.path),
    "status": lambda row: (_ORDER.get(row.status, len(_ORDER)), row.path),
    "stack": lambda row: (row.stack.casefold(), row.path),
    # The newest first; what has no date comes last.
    "idle": lambda row: (row.when is None, -(row.when or 0.0), row.path),
}


def run_projects(invocation: Invocation) -> int:
    """The exit code of ``zecher projects``."""
    typed, streams = invocation.typed, invocation.streams
    output = output_settings(typed, invocation.surroundings)
    settings = read_settings(typed, invocation.surroundings)
    skips = read_skips(settings.state)
    unskip = [invocation.surroundings.absolute(path) for path in typed.texts("unskip")]
    if unskip:
        skips = _unskip(skips, unskip, settings)
    if typed.on("skipped") and output.format != "json":
        return _show_skipped(invocation, skips)
    sort = _known(typed.text("sort") or "path", "--sort", tuple(_SORTS))
    wanted = _Wanted(typed)
    portfolio = read_portfolio(settings.brain)
    problems = (*ours(portfolio.problems), *skips.problems)
    noted = _noted(settings)
    pairs = [(card, card_row(card, noted.get(card.path))) for card in portfolio.cards]
    chosen = sorted((pair for pair in pairs if wanted(*pair)), key=lambda pair: _SORTS[sort](pair[1]))
    code = PARTIAL if any(problem.level == "error" for problem in problems) else DONE
    if output.format == "json":
        data: Document = {
            "projects": [card_document(card, noted.get(card.path)) for card, _ in chosen],
            "counts": {"projects": len(chosen), **_counts([row for _, row in chosen])},
            "indexed_at": max((card.last_scanned for card in portfolio.cards), default=None),
            "brain": settings.brain,
            "skipped": [{**located(path), "since": since} for path, since in sorted(skips.paths.items())],
        }
        streams.result(to_json(envelope("projects", settings.now, data, problems, ok=code == DONE)))
        return code
    rows = tuple(row for _, row in chosen)
    show_rows(invocation, output, rows, now=settings.now, home=settings.home, with_seen=True)
    show_problems(streams, problems, verbose=typed.on("verbose"))
    _summary(invocation, [row for _, row in chosen], portfolio.cards, settings)
    return code


def _noted(settings: ReadSettings) -> dict[str, Noted]:
    """What the last job saw of each project, by path; nothing where no job looked yet."""
    if not os.path.isdir(os.path.join(settings.state, SNAPSHOTS)):
        return {}
    from jobs.last_seen import last_noted  # noqa: PLC0415 - start-up: only where something was stored

    return last_noted(settings.state, settings.now)


class _Wanted:
    """The filter: any of the statuses, any of the stacks, all of the flags."""

    def __init__(self, typed: Typed) -> None:
        self._statuses = {_known(status, "--status", _STATUSES) for status in typed.texts("status")}
        self._stacks = {stack.casefold() for stack in typed.texts("stack")}
        self._flags = set(typed.texts("flag"))

    def __call__(self, card: Card, row: Row) -> bool:
        return (
            (not self._statuses or row.status in self._statuses)
            and (not self._stacks or bool(self._stacks & {label.casefold() for label in labels_of(card)}))
            and self._flags <= set(row.flags)
        )


def _known(word: str, option: str, known: Sequence[str]) -> str:
    if word in known:
        return word
    neighbour = nearest(word, list(known))
    raise UsageError(
        "bad-value",
        f"{option} {word}",
        f"{word!r} is not one of {', '.join(known)}",
        f"Did you mean {neighbour}?" if neighbour else f"Use {option} {known[0]}, for example.",
    )


def _counts(rows: Sequence[Row]) -> dict[str, int]:
    return counts_by_status([row.status for row in rows])


def _summary(
    invocation: Invocation, rows: Sequence[Row], cards: Sequence[Card], settings: ReadSettings
) -> None:
    if not cards:
        last_line(invocation, f"the index is empty: {settings.brain}")
        last_line(invocation, "zecher scan PATH --yes finds projects and indexes them")
        return
    date = max(card.last_scanned for card in cards)
    left_out = len(cards) - len(rows)
    rest = f"; {plural(left_out, 'other')} left out" if left_out else ""
    last_line(invocation, f"{totals_line(_counts(rows), {})}{rest}; indexed {date or 'at no known date'}")


def _show_skipped(invocation: Invocation, skips: Skips) -> int:
    lines = [f"{since}\t{safe_display(path)}" for path, since in sorted(skips.paths.items())]
    invocation.streams.result("".join(f"{line}\n" for line in lines))
    show_problems(invocation.streams, skips.problems, verbose=True)
    last_line(
        invocation,
        f"{plural(len(lines), 'project')} skipped"
        + ("; zecher projects --unskip PATH takes one back" if lines else ""),
    )
    return DONE


def _unskip(skips: Skips, paths: Sequence[str], settings: ReadSettings) -> Skips:
    for path in paths:
        if path not in skips.paths:
            neighbour = nearest(path, list(skips.paths))
            raise UsageError(
                "not-skipped",
                f"{below_home(path, settings.home)} is not skipped",
                "only projects that you skipped can be taken back",
                f"Did you mean {neighbour}?" if neighbour else "zecher projects --skipped lists them.",
                path=path,
            )
    try:
        return save_skips(skips, remove=paths, when=iso_time(settings.now) or "")
    except (WriteError, OutsideError, ChangedError) as error:
        raise ExpectedError(
            "state-write",
            "the skip could not be taken back",
            str(error),
            "Check the permissions and the free space of the state folder.",
            path=skips.path,
        ) from None
