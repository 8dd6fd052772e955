"""Files of pairs, and alignments of their words."""
