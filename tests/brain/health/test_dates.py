"""Dates in the forms that were met."""

from __future__ import annotations

import pytest

from brain.health.dates import find_date, leading_date


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-03-14", "2026-03-14"),
        ("14.03.2026", "2026-03-14"),
        ("4.3.2026", "2026-03-04"),
        ("2026/03/14", "2026-03-14"),
        ("March 16, 2026", "2026-03-16"),
        ("16 March 2026", "2026-03-16"),
        ("16. März 2026", "2026-03-16"),
        ("3 août 2026", "2026-08-03"),
        ("1er mars 2026", "2026-03-01"),
        ("12/18/25", "2025-12-18"),
        ("2026-08-21/22", "2026-08-21"),
        ("[2026-03-14 10:00:00]", "2026-03-14"),
        ("20251009-metrics", "2025-10-09"),
        ("Stand: 19.09.2026.", "2026-09-19"),
        ("2026-03-14T10:00:00Z", "2026-03-14"),
        ("Mar 5 2026", "2026-03-05"),
    ],
)
def test_a_date_is_found(text: str, day: str) -> None:
    found = find_date(text)

    assert found is not None
    assert found[0] == day


@pytest.mark.parametrize(
    "text",
    [
        "03/04/25",
        "2026-XX-XX",
        "2026-02-30",
        "v1.2.2026",
        "10.0.0.1",
        "1.2.3",
        "20261399-x",
        "",
        "marchioness 3, 2026",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert find_date(text) is None


def test_old_records_have_the_day_first() -> None:
    found = find_date("12/01/1992", day_first=True)

    assert found is not None
    assert found[0] == "1992-01-12"


def test_a_leading_date_has_nothing_but_signs_before_it() -> None:
    assert leading_date("[2026-03-14] x") is not None
    assert leading_date("x 2026-03-14") is None
