"""The health of memories: rules that look at files and say what is wrong, where, and how to mend it."""
