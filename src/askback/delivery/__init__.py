"""Deliver committed changes to waiters, on one server or several. Siblings never import each other."""
