"""Interfaces of the server. Each module has fields, handlers and `ROUTES`, and is registered in `http/app.py`."""
