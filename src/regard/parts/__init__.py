"""Large inputs in parts: each part is answered by itself, on any machine, and a manifest proves that no line was lost."""
