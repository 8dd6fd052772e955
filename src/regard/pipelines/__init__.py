"""Loaded models, ready to use: translators, language models and predictors."""
