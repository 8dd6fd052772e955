"""Evaluation: the likelihood of targets, and scores of texts against references."""
