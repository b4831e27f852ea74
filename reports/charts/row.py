"""A row of the table of numbers that stands under a chart."""

from __future__ import annotations

Row = tuple[str, ...]
