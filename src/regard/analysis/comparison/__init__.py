"""Comparison of systems on one test set: which is better, by how much, and in which sentences."""
