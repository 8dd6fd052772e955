"""Continuous batching: sentences of all requests share the batches of one model."""
