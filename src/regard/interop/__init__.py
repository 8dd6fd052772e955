"""Other people's formats: their models as ours, and ours as theirs. `formats.py` is the door."""
