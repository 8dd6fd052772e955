"""What each kind of training data brings to a run: vocabulary, batches, validation, and the scores at the end."""
