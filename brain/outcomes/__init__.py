"""Receipts that tie a section of memory to work that was verified and accepted."""
