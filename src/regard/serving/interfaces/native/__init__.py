"""The interface of our own, `/api/v1`."""
