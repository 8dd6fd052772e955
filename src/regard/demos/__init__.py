"""The built-in tasks, from nothing to a report: what `regard demo` runs."""
