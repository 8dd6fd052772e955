"""Data sets as Hugging Face keeps them."""
