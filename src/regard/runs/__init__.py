"""Training runs: settings, tasks, and the folders that are written."""
