"""DREAMS.md: appended, never overwritten; only what nobody edited is replaced or taken out."""

from __future__ import annotations

from brain.dreaming.diary import (
    Backfilled,
    last_dream,
    read_diary,
    told,
    with_backfill,
    with_dream,
    without_backfill,
)

RUN = "20261201T031704Z-1"
ENTRIES = [
    Backfilled("2026-05-01", "memory/2026-05-01.md", "- one"),
    Backfilled("2026-05-02", "memory/2026-05-02 trip.md", "- two\n- three"),
]


def test_a_dream_is_appended_to_whatever_stands_there() -> None:
    mine = b"# My diary\r\nhand-written, no end"

    new = with_dream(mine, RUN, "## 2026-12-01\n\nPromoted.")

    assert new == (
        mine + b"\r\n\r\n<!-- zecher:dream run=20261201T031704Z-1 -->\r\n"
        b"## 2026-12-01\r\n\r\nPromoted.\r\n<!-- /zecher:dream -->\r\n"
    )
    assert with_dream(new, RUN, "other words") == new
    assert last_dream(new) == told("## 2026-12-30\n\nPromoted.")


def test_a_new_diary_gets_a_title() -> None:
    assert with_dream(None, RUN, "x").startswith(b"# Dream Diary\n\n<!-- zecher:dream run=")


def test_backfilling_twice_replaces_what_it_wrote_and_rolling_back_takes_it_out() -> None:
    """G41."""
    mine = b"# Dream Diary\n\nmy own words\n"

    first = with_backfill(mine, ENTRIES)
    second = with_backfill(first.data, ENTRIES)

    assert (first.written, first.replaced) == (2, 0)
    assert (second.written, second.replaced, second.data) == (2, 2, first.data)
    data, gone, kept = without_backfill(second.data)
    assert (data, [one.source for one in gone], kept) == (mine, [one.source for one in ENTRIES], ())


def test_new_words_for_a_note_take_the_place_of_the_old_ones() -> None:
    mine = b"before\n"
    first = with_backfill(mine, ENTRIES).data + b"\nafter\n"

    new = with_backfill(first, [Backfilled("2026-05-01", "memory/2026-05-01.md", "- changed")])

    assert new.data == with_backfill(mine, [
        Backfilled("2026-05-01", "memory/2026-05-01.md", "- changed"), ENTRIES[1]
    ]).data + b"\nafter\n"  # fmt: skip


def test_an_entry_that_a_person_edited_stays() -> None:
    edited = with_backfill(None, ENTRIES).data.replace(b"- one", b"- one, and more")

    again = with_backfill(edited, ENTRIES)
    data, gone, kept = without_backfill(again.data)

    assert b"- one, and more\n" in data
    assert [one.source for one in kept] == ["memory/2026-05-01.md"]
    assert len(gone) == 2
    assert again.replaced == 1


def test_dreams_stay_when_backfilled_entries_go() -> None:
    data = with_dream(with_backfill(None, ENTRIES).data, RUN, "dreamt")

    assert without_backfill(data)[0] == with_dream(b"# Dream Diary\n", RUN, "dreamt")


def test_a_block_without_its_end_is_named_and_what_follows_is_kept() -> None:
    """G47."""
    text = b"<!-- zecher:dream run=20261130T031704Z-1 -->\nnever closed\nmy own words\n"

    new = with_dream(text, RUN, "next")

    assert new.startswith(text)
    assert read_diary(new).unclosed == (1,)
    assert [block.run for block in read_diary(new).blocks] == [RUN]
