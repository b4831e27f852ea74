"""Turns values into text: tables, Markdown, HTML and exports. Writes no file."""
