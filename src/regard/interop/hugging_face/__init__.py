"""Models in Hugging Face's formats, one file for each family of architectures; `formats.py` chooses among them."""
