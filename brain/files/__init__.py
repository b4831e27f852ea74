"""The only writers: atomic replacement, locks, and the formats of memory files."""
