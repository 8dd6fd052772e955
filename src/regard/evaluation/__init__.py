"""Measuring: how likely a model finds targets, and how near its texts come to references."""
