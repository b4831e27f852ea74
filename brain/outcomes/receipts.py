"""The ledger of accepted outcomes, ``.bmad/memory/outcomes.ndjson``.

One receipt a line, compact JSON, its id the hash of all the rest. The ledger counts as a whole or not at all:
it is evidence, so whatever does not fit makes every command that needs it fail, and nothing is ever repaired.
"""

from __future__ import annotations

from brain.files.append import append_line
from brain.files.errors import MemError
from brain.files.javascript_json import to_compact
from brain.files.links import refuse_links
from brain.files.reading import UnreadableError, read_seen
from brain.folders import LEDGER_FOLDER
from brain.outcomes.foreign_json import Object, digest, parse
from brain.outcomes.rules import scope_paths

LEDGER = f"{LEDGER_FOLDER}/outcomes.ndjson"
MAX_BYTES = 2 * 1024 * 1024
MAX_RECEIPTS = 1000
KIND = "accepted-outcome"

Anchor = tuple[str, str]
Attempt = tuple[str, str, str]


class Receipt:
    """A receipt whose ``id`` fits its content.

    ``document`` is the receipt as it stands in the ledger, ``memory`` and ``source`` its parts of that name.
    ``anchor`` is file and heading of its section, ``attempt`` run, task and attempt of its task: what may be
    observed once. ``supersedes`` and ``contradicts`` are ids of earlier receipts.
    """

    __slots__ = (
        "anchor",
        "attempt",
        "contradicts",
        "document",
        "id",
        "memory",
        "scope",
        "source",
        "supersedes",
    )

    def __init__(self, document: Object) -> None:
        memory, source = _object(document, "memory"), _object(document, "source")
        self.document = document
        self.memory = memory
        self.source = source
        self.id = _text(document, "id")
        self.anchor: Anchor = (_text(memory, "file"), _text(memory, "heading"))
        self.attempt: Attempt = (_text(source, "runId"), _text(source, "taskId"), _text(source, "attemptId"))
        self.scope = scope_paths(document.get("scope"))
        self.supersedes = _ids(document, "supersedes")
        self.contradicts = _ids(document, "contradicts")


def receipt_id(document: Object) -> str:
    """The id of a receipt: SHA-256 in hex of its compact JSON without the id, keys in their order."""
    return digest({key: value for key, value in document.items() if key != "id"})


def read_receipts(project: str) -> list[Receipt]:
    """All receipts in their order, none when there is no ledger; ``MemError`` when the ledger is not whole.

    ``project`` is a real path.
    """
    return parse_receipts(_ledger_text(project))


def parse_receipts(text: str) -> list[Receipt]:
    """The receipts of a ledger that holds ``text``; ``MemError`` as ``read_receipts``."""
    if text and not text.endswith("\n"):
        raise _broken("its last line is not complete")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line]
    if len(lines) > MAX_RECEIPTS:
        raise _broken(f"it holds more than {MAX_RECEIPTS} receipts")
    receipts: list[Receipt] = []
    ids: set[str] = set()
    attempts: set[Attempt] = set()
    for number, line in lines:
        receipt = _parsed(line, number)
        if receipt.attempt in attempts:  # an id that is there twice is one of these
            raise _broken(f"line {number} is a second receipt for the same attempt")
        if not ids.issuperset(receipt.supersedes) or not ids.issuperset(receipt.contradicts):
            raise _broken(f"line {number} names a receipt that does not stand before it")
        ids.add(receipt.id)
        attempts.add(receipt.attempt)
        receipts.append(receipt)
    return receipts


def append_receipt(project: str, document: Object) -> None:
    """Add a receipt durably; the caller holds the writer's lock and has read the ledger under it."""
    append_line(
        refuse_links(project, LEDGER), to_compact(document).encode("utf-8"), cap=MAX_BYTES, repair=False
    )


def _ledger_text(project: str) -> str:
    try:
        return (read_seen(refuse_links(project, LEDGER), MAX_BYTES).data or b"").decode("utf-8")
    except UnreadableError as error:
        if error.code == "missing":
            return ""
        raise _broken(error.message) from None
    except UnicodeDecodeError:
        raise _broken("it is not UTF-8") from None


def _parsed(line: str, number: int) -> Receipt:
    try:
        document = parse(line.encode())
    except ValueError:
        raise _broken(f"line {number} is not JSON") from None
    if not isinstance(document, dict) or document.get("schemaVersion") != 1 or document.get("kind") != KIND:
        raise _broken(f"line {number} is no receipt of a known kind and version")
    try:
        is_sound = document.get("id") == receipt_id(document)
        receipt = Receipt(document)
    except MemError as error:
        raise _broken(f"line {number}: {error}") from None
    if not is_sound:
        raise _broken(f"line {number} was changed: its id does not fit its content")
    return receipt


def _object(document: Object, key: str) -> Object:
    value = document.get(key)
    if isinstance(value, dict):
        return value
    raise MemError(f"its {key} is not an object")


def _text(document: Object, key: str) -> str:
    value = document.get(key)
    if isinstance(value, str) and value:
        return value
    raise MemError(f"its {key} is not a text")


def _ids(document: Object, key: str) -> list[str]:
    value = document.get(key)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    raise MemError(f"its {key} is not a list of ids")


def _broken(why: str) -> MemError:
    return MemError(f"{LEDGER} is damaged: {why}; it is never repaired by itself: restore an unchanged copy")
