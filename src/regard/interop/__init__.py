"""Foreign formats: reading and writing models of other libraries. `formats.py` is the entry point."""
