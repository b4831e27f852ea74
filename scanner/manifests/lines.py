"""Manifests that a few regular expressions read: the questions stand in ``markers.toml``, ``[content]``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scanner.manifests.manifest import Dependencies, Manifest, Sign
from scanner.manifests.text import loose_text, one_line, string, table

_KEY_CAP = 40


def ask(data: bytes, questions: Mapping[str, object], strength: float) -> Manifest | None:
    """What the questions find in the text, or ``None`` where one of the checks fails."""
    text = loose_text(data).replace("\r\n", "\n")
    if comment := string(questions, "comment"):
        text = re.sub(comment, "", text)
    checks = questions.get("check")
    if isinstance(checks, list) and not all(re.search(pattern, text) for pattern in checks):
        return None
    names = re.findall(pattern, text) if (pattern := string(questions, "dependencies")) else []
    return Manifest(
        strength=strength,
        signs=tuple(
            Sign(label, one_line(found[0], _KEY_CAP))
            for label, pattern in table(questions, "labels").items()
            if isinstance(pattern, str) and (found := re.search(pattern, text))
        ),
        dependencies=(Dependencies(string(questions, "from"), "", names),) if names else (),
        name=_first(string(questions, "name"), text),
        description=_first(string(questions, "description"), text),
        workspace=next(
            (
                kind
                for kind, pattern in table(questions, "workspace").items()
                if isinstance(pattern, str) and re.search(pattern, text)
            ),
            "",
        ),
    )


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text) if pattern else None
    return found[1].strip() if found else ""
