"""Search over what is remembered: a derived index, words in three languages, the best section first."""
