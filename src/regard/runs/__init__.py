"""What a run takes, and where it is written."""
