"""Order in notes: merges duplicates, archives what is over, promotes what several projects learned."""
