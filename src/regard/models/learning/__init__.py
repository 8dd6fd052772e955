"""Which parameters of a model learn: parts by name, and adapters."""
