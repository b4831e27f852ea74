"""Reads the disk: finds projects, names their stacks, dates their activity, classifies them.

Imports nothing of ours, writes nothing, starts no process, reads no clock and no configuration.
"""
