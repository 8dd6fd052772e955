"""Tokenizers (strings to ids and back), and lines in and out of files."""
