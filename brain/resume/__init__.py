"""Where were we: what a memory and its history answer to whoever goes on, each with its place."""

from __future__ import annotations

from brain.resume.card import resume
from brain.resume.questions import resume_questions
from brain.resume.values import SECTIONS, Commit, Conflict, Decided, Handed, ResumeCard, Said, Unfound

__all__ = [
    "SECTIONS",
    "Commit",
    "Conflict",
    "Decided",
    "Handed",
    "ResumeCard",
    "Said",
    "Unfound",
    "resume",
    "resume_questions",
]
