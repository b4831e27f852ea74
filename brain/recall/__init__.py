"""Finds what the memory holds about a question: events of the journal and sections of the notes."""
