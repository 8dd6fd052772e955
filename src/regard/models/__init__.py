"""Models: ids in, logits out."""
