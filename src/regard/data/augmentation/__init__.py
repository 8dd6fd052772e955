"""Data augmentation: changes to pairs each time they are read."""
