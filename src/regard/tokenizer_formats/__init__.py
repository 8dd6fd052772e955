"""Tokenizers in the files of other programs, read and written."""
