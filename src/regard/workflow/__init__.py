"""The rooms joined into one line: train a model folder from texts, load it, use it. Where Python users enter."""
