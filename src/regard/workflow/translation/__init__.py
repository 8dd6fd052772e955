"""Texts in, translations out: options, results, and the translator that ties model and tokenizer to decoding."""
