"""The code in C, as Python finds it: the compiled libraries, and what opens them. Its sources are in `native/`."""
