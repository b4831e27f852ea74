"""What a project's tools wrote down: the journal of events, the scores of patterns, proposed promotions."""
