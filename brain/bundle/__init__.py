"""What fills a context: the notes that answer a question, or what a piece of work begins with."""
