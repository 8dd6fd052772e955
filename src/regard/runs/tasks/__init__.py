"""Tasks: the vocabulary, batches, validation and final scores of each kind of training data."""
