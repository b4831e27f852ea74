"""Readers of manifests: what one file says about the project it stands in.

One module per family. A reader is a function ``(data: bytes) -> Manifest``; it raises ``ValueError`` (with
``UnicodeError`` below it) or ``RecursionError`` where the content makes no sense, and the caller then lets
the file's name stand for itself. Nothing here opens a file: ``scanner.reading`` is the door.

Patterns stand as texts: ``re`` compiles each at its first use and keeps it, so that a scan pays only for the
kinds of manifest that it meets.
"""
