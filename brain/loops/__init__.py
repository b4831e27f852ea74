"""Open loops: what was written down to be done, asked, awaited or lifted, and when it is due."""
