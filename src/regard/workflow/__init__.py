"""The complete workflow: train a model folder from texts, load it, use it. The entry point for Python users."""
