"""What ``git status`` would say about a work tree, found without running, locking or writing anything."""

from __future__ import annotations

from scanner.changes.work_tree import Changes, work_tree_changes

__all__ = ["Changes", "work_tree_changes"]
