"""Interfaces of the server. Each module has fields, handlers and `routes(context)`, and is registered in `http/app.py`."""
