"""What changes pairs each time they are read."""
