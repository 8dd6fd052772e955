"""What pipelines of all families have in common: their devices, and their types."""
