"""The command line: each command parses its options, calls a function of the package and prints the result."""
