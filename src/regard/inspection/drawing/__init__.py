"""Pictures, pages and reports of what was measured and inspected."""
