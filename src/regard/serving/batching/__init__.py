"""Sentences of all requests in common batches: what waits, and the threads that decode."""
