"""MEMORY.md: what is written into it, what is moved out of it, and what of it is never touched."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from brain.dreaming.memory_file import (
    BUDGET,
    EXPIRED,
    OLDEST,
    SUPERSEDED,
    Promotion,
    archive_with,
    characters,
    human_lines,
    items_of,
    plan,
    with_items,
    without_run,
)

RUN, LATER = "20261201T031704Z-1", "20261202T031704Z-1"
DAY, NEXT = "2026-12-01", "2026-12-02"


def promotion(number: int, text: str = "", supersedes: tuple[str, ...] = ()) -> Promotion:
    note = f"score=0.81 days=3 recalls=0 source=memory/2026-11-28.md:{number}"
    return Promotion(f"{number:012x}", text or f"Fact number {number}", note, supersedes)


def written(data: bytes | None, *promotions: Promotion, day: str = DAY, run: str = RUN) -> bytes:
    planned = plan(data, promotions, day=day, run=run)
    assert planned.data is not None
    return planned.data


def test_a_new_file_gets_a_title_a_heading_and_the_items() -> None:
    assert written(None, promotion(1, "The gateway is box 2")).decode() == (
        "# Long-Term Memory\n"
        "\n"
        "## Promoted from daily notes (2026-12-01)\n"
        "\n"
        "<!-- zecher:promoted 000000000001 run=20261201T031704Z-1 sha=" + "6f5e4a61" + " -->\n"
        "- The gateway is box 2 [score=0.81 days=3 recalls=0 source=memory/2026-11-28.md:1]\n"
    ).replace(
        "6f5e4a61", items_of(written(None, promotion(1, "The gateway is box 2")))[0].marker.decode()[-12:-4]
    )


def test_a_second_run_of_the_day_adds_to_the_section_of_the_day() -> None:
    once = written(b"# Mine\n", promotion(1))

    twice = written(once + b"\nmine below\n", promotion(2), run=LATER)

    assert twice.count(b"## Promoted") == 1
    assert twice.endswith(b"\nmine below\n")
    assert [(one.id[-1], one.run, one.day) for one in items_of(twice)] == [("1", RUN, DAY), ("2", LATER, DAY)]


def test_what_stands_there_already_is_not_added_again() -> None:
    once = written(b"# Mine\n", promotion(1))

    assert plan(once, [promotion(1)], day=NEXT, run=LATER).data is None


def test_line_endings_and_a_missing_last_one_are_kept() -> None:
    human = b"\xef\xbb\xbf# Mine\r\nno end"

    new = written(human, promotion(1))

    assert b"\n" not in new.replace(b"\r\n", b"")
    assert new.startswith(human + b"\r\n\r\n## Promoted")
    assert not new.endswith(b"\n")
    assert without_run(new, RUN)[0] == human


def test_a_line_of_a_person_below_our_heading_stays_when_the_items_go() -> None:
    """G30, D5."""
    text = written(b"# Mine\n", promotion(1), promotion(2)).replace(
        b"<!-- zecher:promoted 000000000002", b"- my own words\n<!-- zecher:promoted 000000000002"
    )

    full = written(text, promotion(3, "x" * 600), day=NEXT, run=LATER)
    small = plan(text, [promotion(3, "x" * 600)], day=NEXT, run=LATER, budget=characters(full) - 100)

    assert [(one.item.id[-1], one.why) for one in small.archived] == [("1", OLDEST)]
    assert small.data is not None
    assert human_lines(small.data) == human_lines(text)
    assert b"- my own words\n" in small.data
    assert small.size <= characters(full) - 100


def test_an_item_that_a_person_edited_is_theirs() -> None:
    text = written(b"# Mine\n", promotion(1)).replace(b"Fact number 1", b"Fact number one")

    assert items_of(text) == ()
    assert b"Fact number one" in b"\n".join(human_lines(text))
    assert without_run(text, RUN) == (text, ())


def test_an_item_of_openclaw_and_one_in_a_code_fence_are_a_persons() -> None:
    ours = written(None, promotion(1)).partition(b"\n\n")[2]
    text = (
        b"# M\n\n## Promoted From Short-Term Memory (2026-05-01)\n\n"
        b"<!-- openclaw-memory-promotion:memory:memory/2026-05-01.md:1:1 -->\n- Theirs [score=0.9]\n\n"
        b"```\n" + ours + b"```\n"
    )

    assert items_of(text) == ()


def test_text_of_people_over_the_budget_is_left_alone() -> None:
    """G32."""
    planned = plan(b"x" * (BUDGET + 1), [promotion(1)], day=DAY, run=RUN)

    assert (planned.data, planned.is_over, planned.left_out) == (None, True, (promotion(1),))


def test_what_no_archiving_makes_room_for_is_left_out_and_nothing_is_archived_for_it() -> None:
    text = written(b"h" * 9_000 + b"\n", promotion(1))

    planned = plan(text, [promotion(2, "y" * 900), promotion(3, "z" * 900)], day=NEXT, run=LATER)

    assert [one.id[-1] for one in planned.left_out] == ["2", "3"]
    assert (planned.data, planned.archived) == (None, ())


def test_of_a_full_file_the_oldest_items_go_first() -> None:
    text: bytes | None = b"# Mine\n"
    for number in range(1, 13):
        day = f"2026-11-{number:02d}"
        text = written(
            text, promotion(number, f"{number} " + "w" * 600), day=day, run=f"202611{number:02d}T000000Z-1"
        )
    assert text is not None

    planned = plan(text, [promotion(99, "n" * 600), promotion(98, "m" * 600)], day=DAY, run=RUN)

    assert [int(one.item.id, 16) for one in planned.archived] == [1, 2]
    assert planned.size <= BUDGET
    assert [int(one.id, 16) for one in items_of(planned.data or b"")] == [*range(3, 13), 99, 98]


def test_expired_and_superseded_items_are_archived_first() -> None:
    text = written(b"# Mine\n", promotion(1), promotion(2), promotion(3))

    planned = plan(
        text, [promotion(4, supersedes=(promotion(2).id,))], day=NEXT, run=LATER, expired={promotion(3).id}
    )

    assert [(one.item.id[-1], one.why) for one in planned.archived] == [("2", SUPERSEDED), ("3", EXPIRED)]


def test_nothing_is_superseded_by_what_finds_no_room() -> None:
    text = written(b"h" * 9_000 + b"\n", promotion(1))

    planned = plan(text, [promotion(2, "y" * 1_000, supersedes=(promotion(1).id,))], day=NEXT, run=LATER)

    assert (planned.data, planned.archived) == (None, ())


def test_the_archive_takes_whole_items_once() -> None:
    """D10: what leaves the file is not gone; a run that was killed in between repeats nothing."""
    text = written(b"# Mine\n", promotion(1))
    planned = plan(text, [], day=NEXT, run=LATER, expired={promotion(1).id})

    archive = archive_with(None, planned.archived, day=NEXT, run=LATER)

    (item,) = items_of(text)
    assert archive == (
        b"# Moved out of MEMORY.md\n\n"
        b"<!-- zecher:archived 2026-12-02 run=" + LATER.encode() + b" why=expired -->\n"
        + item.marker + b"\n" + item.bullet + b"\n"
    )  # fmt: skip
    assert archive_with(archive, planned.archived, day=NEXT, run=LATER) == archive
    assert planned.data == b"# Mine\n"


def test_items_return_as_they_were() -> None:
    text = written(b"# Mine\n", promotion(1), promotion(2))
    items = items_of(text)

    assert with_items(b"# Mine\n", items) == text
    assert with_items(text, items) == text


LINES = st.one_of(
    st.text(alphabet=st.characters(exclude_characters="\n"), max_size=40),
    st.sampled_from(
        [
            "",
            "",
            "# Long-Term Memory",
            "## Promoted from daily notes (2026-12-01)",
            "## Promoted from daily notes (2026-11-30)",
            "<!-- zecher:promoted 000000000001 run=20261201T031704Z-1 sha=00000000 -->",
            "- bullet",
            "```",
            "~~~",
            "\ud800",
            "𝄞 beyond",
        ]
    ),
)


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = newline.join(draw(st.lists(LINES, max_size=12)))
    filler = draw(st.sampled_from(["", "", "h" * 5_000 + newline, "h" * 9_950, "h" * 10_500]))
    return (filler + text).encode("utf-8", "surrogatepass")


STEPS = st.lists(
    st.tuples(st.integers(1, 40), st.integers(1, 640), st.integers(0, 6), st.booleans()),
    min_size=1,
    max_size=8,
)


@settings(max_examples=100, deadline=None)
@given(page=pages(), steps=STEPS)
def test_whatever_is_promoted_every_line_of_people_stays_and_the_size_is_within_the_budget(
    page: bytes, steps: list[tuple[int, int, int, bool]]
) -> None:
    text = page
    for number, (first, length, count, expire) in enumerate(steps):
        day = f"2026-12-{1 + number // 2:02d}"
        promotions = [promotion(first + one, "w" * length, (f"{first:012x}",)) for one in range(count)]
        expired = {one.id for one in items_of(text)[:1]} if expire else set()

        planned = plan(text, promotions, day=day, run=f"202612{number + 1:02d}T031704Z-1", expired=expired)

        if planned.data is None:
            assert not planned.added
            assert not planned.archived
            continue
        assert characters(planned.data) <= BUDGET
        assert human_lines(planned.data) == human_lines(text)
        ids = [one.id for one in items_of(planned.data)]
        assert len(ids) == len(set(ids))
        assert len(ids) == len(items_of(text)) + len(planned.added) - len(planned.archived)
        text = planned.data


@settings(max_examples=100, deadline=None)
@given(page=pages(), count=st.integers(1, 6))
def test_what_was_promoted_and_taken_back_leaves_every_byte_as_it_was(page: bytes, count: int) -> None:
    planned = plan(page, [promotion(one + 1) for one in range(count)], day=DAY, run=RUN, budget=50_000)

    if items_of(planned.data or b"") and planned.data is not None:
        assert without_run(planned.data, RUN)[0] == page
