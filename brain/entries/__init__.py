"""Entries of the memory's Markdown files: read with their places, changed in place, added well-formed."""
