"""What is done with logits: which hypotheses go on, which are finished, and when a sentence is done."""
