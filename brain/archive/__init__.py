"""Collects what a brain holds for its export, and puts an export into a folder without losing another."""

from brain.archive.collecting import Archive, NoBrainError, Part, collect
from brain.archive.placing import archive_name, is_ours, place, sealed

__all__ = ["Archive", "NoBrainError", "Part", "archive_name", "collect", "is_ours", "place", "sealed"]
