"""Losses, learning rates and the training loop."""
