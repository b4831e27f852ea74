"""Dreaming: what recurs in daily notes is proposed for long-term memory, by rules that one can read."""
