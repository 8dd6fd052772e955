"""Objectives beside the labels: a teacher's probabilities, and word alignments."""
