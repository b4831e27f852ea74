"""Owns the memory's file formats and rules: project cards, entries, journal, recall, findings."""
