"""Secrets as far as they are rules and data: the type that holds a value, and the names that one may have."""
