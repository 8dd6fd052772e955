"""Requests and answers, whichever interface they belong to: bodies, fields, routes, and the document that describes them."""
