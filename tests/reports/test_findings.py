"""Findings as a person, a pipe and a program get them."""

from __future__ import annotations

from brain.health.values import ERROR, INFO, WARNING, Finding, Gain
from reports.findings import (
    COLUMNS,
    Checked,
    Found,
    counts,
    findings_document,
    findings_text,
    findings_tsv,
    reaches,
    summary,
)
from reports.view import cells

PROJECT = "/home/ana/dev/shop"
HOSTILE = "\x1b[31m\u202eevil\tname\n## x"


def found(
    level: str, file: str = "PROGRESS.md", line: int = 0, *, silenced: bool = False, **more: str
) -> Found:
    finding = Finding(
        code=more.get("code", "p-goal"),
        level=level,
        project=PROJECT,
        file=file,
        line=line,
        message=more.get("message", "The goal is missing."),
        fix=more.get("fix", "Write a section Goal."),
    )
    return Found(finding, "2026-11-01", silenced)


def checked(*findings: Found, gains: tuple[Gain, ...] = ()) -> Checked:
    return Checked("shop", PROJECT, 72, gains, findings)


def test_findings_stand_below_their_file_the_worst_file_first() -> None:
    text = findings_text(
        [
            checked(
                found(WARNING, "AGENTS.md", 400, code="s-long", message="It is long.", fix=""),
                found(WARNING, line=3),
                found(
                    ERROR, line=12, code="p-head-unknown", message="deadbee is no commit.", fix="Name one."
                ),
                found(INFO, code="p-verified"),
                found(WARNING, silenced=True),
                gains=(Gain("p-goal", 5.25, "The goal is named"),),
            )
        ],
        home="/home/ana",
        everything=False,
    )

    assert text == (
        "shop  ~/dev/shop: 72% healthy\n"
        "  PROGRESS.md\n"
        "  !    3 The goal is missing. [p-goal]\n"
        "         → Write a section Goal.\n"
        "  ✗   12 deadbee is no commit. [p-head-unknown]\n"
        "         → Name one.\n"
        "  AGENTS.md\n"
        "  !  400 It is long. [s-long]\n"
        "  1 hint, 1 silenced: -v lists them\n"
        "  what would help most:\n"
        "     +5.2  p-goal: The goal is named\n"
    )


def test_everything_shows_hints_and_what_is_silenced() -> None:
    text = findings_text([checked(found(INFO, ""), found(WARNING, silenced=True))], home="", everything=True)

    assert "  (the project)\n  ·      The goal is missing. [p-goal]\n" in text
    assert "[p-goal] (silenced)\n" in text


def test_of_many_memories_those_without_findings_are_left_out() -> None:
    other = Checked("calm", "/home/ana/dev/calm", 100, (), ())

    text = findings_text([checked(found(WARNING)), other], home="", everything=False)

    assert "calm" not in text
    assert findings_text([other], home="", everything=False) == "calm  /home/ana/dev/calm: 100% healthy\n"


def test_a_line_is_80_cells_wide_and_holds_no_control_character() -> None:
    long = "word " * 40 + HOSTILE + "字" * 60
    text = findings_text(
        [checked(found(ERROR, HOSTILE, 99_999, message=long, fix=long), gains=(Gain("x", 1.0, long),))],
        home="",
        everything=True,
    )

    assert max(map(cells, text.splitlines())) <= 80
    assert not [letter for letter in text if letter != "\n" and not letter.isprintable()]


def test_a_pipe_gets_one_line_a_finding() -> None:
    lines = findings_tsv([checked(found(ERROR, line=12, message=HOSTILE), found(INFO, silenced=True))]).split(
        "\n"
    )

    assert lines[0].split("\t") == list(COLUMNS)
    assert [len(line.split("\t")) for line in lines] == [9, 9, 9, 1]
    assert lines[2].split("\t") == [
        *("info", "p-goal", PROJECT, "PROGRESS.md", "", "The goal is missing."),
        *("Write a section Goal.", "2026-11-01", "yes"),
    ]


def test_a_program_gets_the_keys_of_the_contract() -> None:
    memory = checked(found(ERROR, line=12), gains=(Gain("p-goal", 5.25, "The goal is named"),))

    assert findings_document([memory], 72, memory.gains) == {
        "findings": [
            {
                "code": "p-goal",
                "level": "error",
                "project": PROJECT,
                "file": "PROGRESS.md",
                "line": 12,
                "message": "The goal is missing.",
                "fix": "Write a section Goal.",
                "first_seen": "2026-11-01",
                "silenced": False,
            }
        ],
        "score": {"percent": 72, "gains": [{"code": "p-goal", "points": 5.2, "what": "The goal is named"}]},
        "counts": {"projects": 1, "errors": 1, "warnings": 0, "infos": 0, "silenced": 0},
        "projects": [
            {
                "name": "shop",
                "path": PROJECT,
                "kind": "project",
                "percent": 72,
                "gains": [{"code": "p-goal", "points": 5.2, "what": "The goal is named"}],
            }
        ],
    }


def test_silenced_findings_are_counted_apart() -> None:
    memory = checked(found(ERROR), found(WARNING, silenced=True), found(INFO))

    assert counts([memory]) == {"projects": 1, "errors": 1, "warnings": 0, "infos": 1, "silenced": 1}
    assert summary([memory], 72) == "1 error, 1 hint, 1 silenced; 72% healthy"
    assert summary([checked()], None) == "nothing is wrong; no score"


def test_a_level_is_reached_by_graver_ones_that_nobody_silenced() -> None:
    memory = checked(found(ERROR, silenced=True), found(WARNING))

    assert [level for level in (ERROR, WARNING, INFO) if reaches([memory], level)] == [WARNING, INFO]
