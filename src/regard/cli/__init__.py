"""The command line: thin rooms that parse, call and print."""
