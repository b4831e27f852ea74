"""Where were we as the document for programs."""

from __future__ import annotations

from collections.abc import Sequence

from brain.resume import Commit, Decided, Handed, Said
from reports.document import Document, located, unsaved_document
from reports.loops import loop_document
from reports.resume import LeftOut, Resumed, unsaved_words
from reports.view import iso_time


def resume_document(resumed: Resumed, left_out: tuple[LeftOut, ...], budget: int | None) -> Document:
    """``data`` of ``zecher.resume``; what was not found or left out is null or empty."""
    card = resumed.card
    git = resumed.git if resumed.has_unsaved else None
    return {
        "project": {
            "id": resumed.identifier,
            **located(resumed.path),
            "name": resumed.name,
            "status": resumed.status,
        },
        "goal": _first(card.goal),
        "state": _first(card.state),
        "tests": _first(card.tests),
        "next_step": _first(card.next_step),
        "blockers": [{**_said(one), "none": one.is_none} for one in card.blockers],
        "last_handover": _handed(card.last_handover[0]) if card.last_handover else None,
        "loops": [loop_document(one) for one in resumed.loops],
        "commits": [_commit(one) for one in card.commits],
        "unsaved": None
        if git is None
        else {"text": unsaved_words(git), "file": None, "line": None, **unsaved_document(git)},
        "decisions": [_decided(one) for one in card.decisions],
        "lessons": [{**_entry(one), "matched": list(one.matched)} for one in card.lessons],
        "open_questions": [_said(one) for one in card.open_questions],
        "not_found": [section for section, _ in resumed.not_found],
        "reasons": dict(resumed.not_found),
        "conflicts": [
            {"section": one.section, **_said(one.said), "date": one.day or None} for one in card.conflicts
        ],
        "more": dict(card.more),
        "cold_start": _cold_start(resumed),
        "budget": budget,
        "left_out": [{"section": one.section, "count": one.count, "tokens": one.tokens} for one in left_out],
    }


def _first(said: Sequence[Said]) -> Document | None:
    return _said(said[0]) if said else None


def _said(said: Said) -> Document:
    return {"text": said.text, "file": said.file, "line": said.line}


def _entry(said: Said) -> Document:
    """A quotation with the title of its entry, which stands in a line of its own."""
    return {**_said(said), "title": said.title or None, "title_line": said.title_line or None}


def _handed(said: Handed) -> Document:
    return {
        **_said(said),
        "kind": said.kind,
        "date": said.day or None,
        "dated_by": said.dated_by,
        "commit": said.commit or None,
        "known": said.is_known,
        "drift": said.drift,
    }


def _decided(said: Decided) -> Document:
    return {
        **_entry(said),
        "date": said.day or None,
        "why": said.why or None,
        "rejected": said.rejected or None,
        "matched": list(said.matched),
    }


def _commit(one: Commit) -> Document:
    return {
        "text": one.subject,
        "file": None,
        "line": None,
        "commit": one.name,
        "when": iso_time(one.when),
    }


def _cold_start(resumed: Resumed) -> Document:
    start = resumed.card.cold_start
    score = start.score
    return {
        "score": int(score) if score is not None and score == int(score) else score,
        "of": 5,
        "questions": [
            {
                "question": one.question,
                "answer": one.answer,
                "text": one.fact.text if one.fact is not None else None,
                "file": one.fact.file if one.fact is not None else None,
                "line": one.fact.line if one.fact is not None else None,
            }
            for one in start.questions
        ],
    }
