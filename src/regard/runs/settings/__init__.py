"""The settings of a run: `reading` takes them as users give them, `run_settings` holds and checks them, `defaults` fits some."""
