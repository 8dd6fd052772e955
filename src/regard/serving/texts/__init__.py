"""Texts before and after translation: their sentences, and their markup."""
