"""The interfaces of other translation services: each a function that reads a request, and one that writes the answer."""
