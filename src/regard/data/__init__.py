"""Files to examples to batches, and the generators of synthetic tasks."""
