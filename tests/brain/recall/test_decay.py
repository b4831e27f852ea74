"""How events fade, and which times are understood."""

from __future__ import annotations

import pytest

from brain.recall.decay import decay, milliseconds
from tests.support import DAY, NOW


@pytest.mark.parametrize(("days", "factor"), [(0, 1.0), (30, 0.5), (60, 0.25), (90, 0.125), (-18, 1.0)])
def test_an_event_loses_half_its_weight_every_thirty_days_and_gains_nothing_from_the_future(
    days: float, factor: float
) -> None:
    assert decay((NOW - days * DAY) * 1000, NOW) == factor


@pytest.mark.parametrize("ts", [None, "", "yesterday", True, [], {}, "2026-13-01", "2026-01-01T25:00Z"])
def test_a_time_that_says_nothing_fades_nothing(ts: object) -> None:
    assert decay(ts, NOW) == 1.0


def test_times_without_end_neither_crash_nor_count() -> None:
    assert decay(-(10**400), NOW) == 0.0
    assert decay(10**400, NOW) == 1.0
    assert decay(float("-inf"), NOW) == 0.0


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
