"""Times are printed and understood as JavaScript does it."""

from __future__ import annotations

import pytest

from brain.times import iso_time, milliseconds, utc_date


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (0.0, "1970-01-01T00:00:00.000Z"),
        (1_792_376_028.84, "2026-10-19T02:13:48.840Z"),
        (0.9996, "1970-01-01T00:00:01.000Z"),
        (-62135596800.0, "0001-01-01T00:00:00.000Z"),
        (-0.001, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_times_are_printed_with_milliseconds_in_utc(now: float, expected: str) -> None:
    assert iso_time(now) == expected


# What Node 20 answers to Date.parse, its zone being UTC.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026", 1767225600000),
        ("2026-10", 1790812800000),
        ("2026-10-19", 1792368000000),
        ("2026-02-30", 1772409600000),
        ("2026-02-32", None),
        ("2026-10-19T02:13Z", 1792375980000),
        ("2026-10-19T02:13:48Z", 1792376028000),
        ("2026-10-19T02:13:48.8Z", 1792376028800),
        ("2026-10-19T02:13:48.840Z", 1792376028840),
        ("2026-10-19T02:13:48.840999Z", 1792376028840),
        ("2026-10-19T24:00:00Z", 1792454400000),
        ("2026-10-19T24:00:01Z", None),
        ("2026-10-19T02:13:48+02:00", 1792368828000),
        ("2026-10-19T02:13:48-0230", 1792385028000),
        ("2026-10-19T02:13:48+23:59", 1792289688000),
        ("2026-10-19T02:13:48+24:00", None),
        ("2026-10-19T02:13:60Z", None),
        ("2026-10-19t02:13:48z", 1792376028000),
        ("2026-10-19 02:13:48Z", 1792376028000),
        ("2026-10-19T02:13:48", 1792376028000),
        ("+012026-01-01T00:00:00Z", 317336745600000),
        ("-000001-01-01T00:00:00Z", -62198755200000),
        ("0000-01-01T00:00:00Z", -62167219200000),
        ("2024-02-29", 1709164800000),
        ("2026-10-19T02Z", None),
        ("2026-10-19T02:13:48.Z", None),
        ("20261019", None),
        ("\u0662\u0660\u0662\u0666", None),
    ],
)
def test_iso_times_are_read_as_the_original_reads_them(text: str, expected: int | None) -> None:
    assert milliseconds(text) == expected


def test_a_day_of_an_early_year_has_ten_characters() -> None:
    assert utc_date(-62135596800.0) == "0001-01-01"
