"""`regard serve`: models behind HTTP, in the languages that translation clients speak."""
