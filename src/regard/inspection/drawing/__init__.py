"""Pictures, pages and reports of measurements and inspections."""
