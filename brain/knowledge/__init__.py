"""Pages of knowledge: what they claim, on what evidence, how fresh it is. Reads, judges, never writes."""
