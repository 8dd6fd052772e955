"""Inspection: attention weights, and the pages and pictures that show them."""
