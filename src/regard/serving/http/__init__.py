"""HTTP: connections, paths, bodies and answers."""
