"""What counts as an open loop, by the marks that people write in three languages."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.loops.due import due_in, loop_id
from brain.loops.reading import MOST, TEXT_CAP
from tests.brain.loops.memories import loops_in, read, told
from tests.support import write

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("- [ ] Pay the tax due: 2026-12-01", "Pay the tax"),
        ("- [ ] Pay the tax, due: 2026-12-01", "Pay the tax"),
        ("- [ ] Pay the tax (due 2026-12-01)", "Pay the tax"),
        ("- [ ] Pay the tax (due: 2026-12-01) at the counter", "Pay the tax at the counter"),
        ("- [ ] Pay the tax @2026-12-01", "Pay the tax"),
        ("- [ ] Pay the tax [due 2026-12-01]", "Pay the tax"),
        ("* [ ] **Pay the tax** **due:** 2026-12-01", "**Pay the tax**"),
        ("1. [ ] Steuer zahlen, bis: 1.12.2026", "Steuer zahlen"),
        ("- [ ] Steuer zahlen (fällig: 01.12.2026)", "Steuer zahlen"),
        ("  - [ ] Steuer zahlen (bis 1. Dezember 2026)", "Steuer zahlen"),
        ("- [ ] Payer l'impôt, échéance : 1er décembre 2026", "Payer l'impôt"),
        ("- [ ] Payer l'impôt 📅 2026-12-01", "Payer l'impôt"),
    ],
)
def test_an_open_box_with_a_day_is_an_item(tmp_path: Path, line: str, text: str) -> None:
    found = loops_in(tmp_path, memory__tax=f"# Tax\n\n{line}\n")

    assert ("item", text, "2026-12-01") in told(found)


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] Pay the tax",
        "- [x] Pay the tax (due 2026-12-01)",
        "- [X] Pay the tax @2026-12-01",
        "- Pay the tax (due 2026-12-01)",
        "- [ ] Write to ana@2026-12-01.example",
        "- [ ] Since 2026-12-01 the tax is higher",
        "- [ ] ~~Pay the tax~~ (due 2026-12-01)",
        "- [ ] TODO (due 2026-12-01)",
    ],
)
def test_without_an_open_box_a_mark_and_a_text_nothing_is_guessed(tmp_path: Path, line: str) -> None:
    assert loops_in(tmp_path, memory__tax=f"# Tax\n\n{line}\n") == ()


def test_a_mark_without_a_day_in_full_is_a_loop_without_one(tmp_path: Path) -> None:
    found = loops_in(tmp_path, memory__tax="- [ ] Pay the tax, due: tomorrow\n")

    assert told(found) == [("item", "Pay the tax, due: tomorrow", "")]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("- Open loop: the contract", "open-loop"),
        ("Offen: the contract", "open-loop"),
        ("- **Point ouvert :** the contract", "open-loop"),
        ("- Follow-up: the contract", "follow-up"),
        ("> Follow up: the contract", "follow-up"),
        ("- Wiedervorlage — the contract", "follow-up"),
        ("- À relancer : the contract", "follow-up"),
        ("Waiting for: the contract", "waiting"),
        ("- [ ] Waiting for: the contract", "waiting"),
        ("- Warten auf: the contract", "waiting"),
        ("- En attente: the contract", "waiting"),
        ("- Rückfrage: the contract", "question"),
    ],
)
def test_a_label_tells_the_kind(tmp_path: Path, line: str, kind: str) -> None:
    assert told(loops_in(tmp_path, MEMORY=f"# Memory\n\n{line}\n")) == [(kind, "the contract", "")]


@pytest.mark.parametrize(
    "line",
    [
        "- Offen: keine",
        "- Waiting for: none",
        "- Waiting for: <name>",
        "- [x] Waiting for: the contract",
        "- We are waiting for the contract.",
        "- The follow-up was good: they paid.",
        "```\nWaiting for: the contract\n```",
        "<!-- Waiting for: the contract -->",
    ],
)
def test_what_only_looks_like_a_label_is_none(tmp_path: Path, line: str) -> None:
    assert loops_in(tmp_path, MEMORY=f"# Memory\n\n{line}\n") == ()


def test_a_heading_or_a_bare_label_announces_a_list(tmp_path: Path) -> None:
    text = (
        "# Memory\n\n## Waiting for\n\n- the contract\n- [x] the key\n- the plan (due 2026-12-09)\n\n"
        "Prose.\n\n## Facts\n\n- none of these\n- Follow-up:\n  - call Ana\n- a fact\n"
    )

    assert told(loops_in(tmp_path, MEMORY=text)) == [
        ("waiting", "the contract", ""),
        ("waiting", "the plan", "2026-12-09"),
        ("follow-up", "call Ana", ""),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- Do not deploy until 2026-12-05.", "Do not deploy until 2026-12-05."),
        ("- Freeze of the API (expires: 2026-12-05)", "Freeze of the API"),
        ("- Freeze of the API (expires: 2026-12-05; owner: Ana).", "Freeze of the API."),
        ("- Freeze of the API\n  - expires: 2026-12-05", "Freeze of the API"),
        ("### Freeze of the API\n- expires: 2026-12-05", "Freeze of the API"),
        ("- Nicht deployen bis 05.12.2026.", "Nicht deployen bis 05.12.2026."),
    ],
)
def test_a_restriction_with_an_end_is_due_on_it(tmp_path: Path, text: str, expected: str) -> None:
    found = loops_in(tmp_path, MEMORY=f"# Memory\n\n{text}\n")

    assert told(found) == [("restriction", expected, "2026-12-05")]


def test_a_restriction_that_something_lifts_has_no_day(tmp_path: Path) -> None:
    (found,) = loops_in(tmp_path, MEMORY="- API frozen\n  - unlock: the audit is done\n  - owner: Ana\n")

    assert (found.kind, found.text, found.due, found.unlock, found.owner) == (
        *("restriction", "API frozen", None),
        *("the audit is done", "Ana"),
    )


def test_a_restriction_without_an_end_is_a_rule_not_a_loop(tmp_path: Path) -> None:
    assert loops_in(tmp_path, MEMORY="- Do not merge until the audit is done.\n") == ()


def test_front_matter_names_what_its_end_is_of(tmp_path: Path) -> None:
    text = "---\nname: freeze\nexpires: 2026-12-05\nowner: Zoe\n---\nNo releases.\n"
    (found,) = loops_in(tmp_path, memory__freeze=text)

    assert (found.text, found.owner, found.line) == ("freeze", "Zoe", 3)


def test_blockers_and_open_questions_of_the_handover_are_loops(tmp_path: Path) -> None:
    text = (
        "# Progress\n\n## Goal\nShip it\n\n## Next step\nDo it\n\n## Blockers\n- Legal (due: 2026-12-02)\n\n"
        "## Open questions\n- Which database?\n- [x] Which host?\n"
    )

    assert told(loops_in(tmp_path, PROGRESS=text)) == [
        ("blocker", "Legal", "2026-12-02"),
        ("question", "Which database?", ""),
    ]


def test_a_handover_that_says_none_has_no_loops(tmp_path: Path) -> None:
    text = "# Progress\n\n## Goal\nShip\n\n## Next step\nGo\n\n## Blockers\nNone\n\n## Open questions\n-\n"

    assert loops_in(tmp_path, PROGRESS=text) == ()


def test_the_same_words_in_two_files_are_one_loop(tmp_path: Path) -> None:
    found = loops_in(
        tmp_path, MEMORY="- Waiting for: the Contract.\n", memory__b="- waiting for: the contract\n"
    )

    assert len(found) == 1


def test_an_owner_is_read_from_the_entry_or_from_the_line(tmp_path: Path) -> None:
    text = "- Waiting for: one\n  - owner: Ana\n- Waiting for: two, @bea\n- Waiting for: three\n"

    assert [one.owner for one in loops_in(tmp_path, MEMORY=text)] == ["Ana", "bea", ""]


def test_a_brain_has_loops_too(tmp_path: Path) -> None:
    write(tmp_path / "lessons.md", "# Lessons\n\n### Freeze\n- expires: 2026-12-05\n- **Lesson:** wait\n")

    assert ("restriction", "Freeze", "2026-12-05") in told(read(tmp_path, "brain"))


def test_what_is_archived_is_no_restriction_any_more(tmp_path: Path) -> None:
    text = "# Decisions\n\n### 2026-10-01 — Freeze [ARCHIVED]\n- no deploys\n- expires: 2026-12-05\n"

    assert loops_in(tmp_path, **{".agents__memory__decisions": text}) == ()


# -- identity ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["Pay the tax", "pay  the TAX.", "**Pay** the `tax`", "_Pay the tax_", "Pay the ta\uff58"],
)
def test_case_emphasis_and_white_space_are_no_part_of_an_id(text: str) -> None:
    assert loop_id("shop", text) == loop_id("shop", "Pay the tax")


def test_another_project_and_other_words_are_another_loop() -> None:
    assert len({loop_id("shop", "a b"), loop_id("depot", "a b"), loop_id("shop", "a c")}) == 3


def test_box_and_day_are_no_part_of_an_id(tmp_path: Path) -> None:
    first = loops_in(tmp_path / "a", MEMORY="- [ ] Pay the tax (due 2026-12-01)\n")
    second = loops_in(tmp_path / "b", MEMORY="* [ ] Pay the tax @2027-01-15\n")
    third = loops_in(tmp_path / "c", MEMORY="- Do not deploy until 2026-12-01.\n")
    fourth = loops_in(tmp_path / "d", MEMORY="- Do not deploy until 2026-12-31.\n")

    assert first[0].id == second[0].id
    assert third[0].id == fourth[0].id
    assert first[0].due == date(2026, 12, 1)


# -- hostile input -------------------------------------------------------------------------------------------


def test_a_secret_is_never_told(tmp_path: Path) -> None:
    text = f"- Waiting for: {KEY} to be rolled\n- [ ] roll {KEY} (due 2026-12-01), owner: {KEY}\n"
    found = loops_in(tmp_path, MEMORY=text)

    assert len(found) == 2
    assert "ghp_a1B2" not in repr(found)
    assert "[REDACTED:" in found[0].text


def test_a_secret_at_the_cut_leaves_no_piece(tmp_path: Path) -> None:
    (found,) = loops_in(tmp_path, MEMORY=f"- Waiting for: {'x ' * 92}{KEY}\n")

    assert "ghp_a1" not in found.text
    assert len(found.text) <= TEXT_CAP


def test_a_long_line_is_cut_and_many_loops_are_capped(tmp_path: Path) -> None:
    (one,) = loops_in(tmp_path / "a", MEMORY=f"- Waiting for: {'long ' * 200_00}\n")
    many = loops_in(tmp_path / "b", MEMORY="".join(f"- Waiting for: thing {n}\n" for n in range(2 * MOST)))

    assert (len(one.text), len(many)) == (TEXT_CAP, MOST)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe- \x00W\x00a\x00",
        b"- Waiting for: \xff\xfe\xfa\n- [ ] \x00 due: 2026-12-01\n",
        b"- [ ] " + b"due: " * 20_000 + b"\n",
        b"- Waiting for: " + b"(" * 50_000 + b"\n",
        b"- expires: " + b"2026-12-01; expires: " * 5_000 + b"\n",
        b"---\nexpires: 2026-12-01\n" + b"[" * 2000 + b"\n---\n",
        b"- [ ] x (due 9999-12-31)\n- [ ] y (due 0000-00-00)\n- [ ] z @99999-99-99\n",
        b"Waiting for:\n" * 3000,
        b"```yaml\n" * 3000,
    ],
)
def test_garbage_is_read_without_an_error(tmp_path: Path, data: bytes) -> None:
    loops_in(tmp_path, MEMORY=data, PROGRESS=data, memory__x=data)


def test_a_file_that_is_no_file_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "MEMORY.md")
    (tmp_path / "memory").symlink_to("/etc")

    assert read(tmp_path) == ()


PIECES = st.sampled_from(
    ["- ", "[ ] ", "[x] ", "due: ", "(due ", ")", "2026-12-01", "@", "expires: ", "Waiting for: ", "**", "`",
     "## ", "\n", "\n\n", "  ", "owner: ", "unlock: ", "text ", "ü", "```yaml\n", "---\n", "\r\n", "İ", "|"]
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(pieces=st.lists(PIECES, max_size=40))
def test_any_text_gives_loops_that_are_whole(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("memory")
    text = "".join(pieces)
    lines = text.replace("\r\n", "\n").split("\n")

    for one in loops_in(folder, MEMORY=text):
        assert one.text.strip()
        assert len(one.id) == 8
        assert 1 <= one.line <= len(lines)


@given(text=st.text(max_size=60))
def test_a_text_without_its_day_is_never_longer(text: str) -> None:
    _, _, bare = due_in(f"{text} (due 2026-12-01)")

    assert len(bare) <= len(text) + len(" (due 2026-12-01)")
