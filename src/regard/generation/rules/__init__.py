"""Decoding rules: which hypotheses continue, which are finished, and when a sentence is done."""
